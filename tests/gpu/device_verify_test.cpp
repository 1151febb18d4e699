// The verdict on a result on the device equals that on the same result on the host, faults
// included.
#include "common/harness/rig/cuda/device_verify.hpp"
#include "common/harness/rig/device.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#include "common/harness/input/distributions.hpp"
#include "common/harness/rig/cuda/handles.hpp"

namespace sortlab::device {
namespace {

/// A result in both memories.
template <class Key>
class Result {
 public:
  explicit Result(std::size_t n) : keys_(n), values_(n) {
    values_.reserve(1);  // a null pointer would mean keys alone
    generate(std::span(keys_), parse_distribution("dups16"), 7);
    for (std::size_t i = 0; i < n; ++i) values_[i] = static_cast<std::uint32_t>(i);
    std::sort(keys_.begin(), keys_.end(), KeyLess<Key, Order::ascending>{});
    expected_ = fingerprint(key_type_of<Key>(), keys_.data(), values_.data(), n);
  }

  std::vector<Key>& keys() { return keys_; }
  std::vector<std::uint32_t>& values() { return values_; }

  Verdict on_host() const {
    return verify(key_type_of<Key>(), Order::ascending, keys_.data(), values_.data(), keys_.size(),
                  expected_, true);
  }
  Verdict on_device() const {
    const OwnedStream stream;
    const DeviceBuffer d_keys(keys_.size() * sizeof(Key), sizeof(Key));
    const DeviceBuffer d_values(values_.size() * sizeof(std::uint32_t), sizeof(std::uint32_t));
    check(cudaMemcpy(d_keys.data(), keys_.data(), d_keys.size(), cudaMemcpyHostToDevice),
          "cudaMemcpy");
    check(cudaMemcpy(d_values.data(), values_.data(), d_values.size(), cudaMemcpyHostToDevice),
          "cudaMemcpy");
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    const Findings found =
        DeviceVerifier().look(key_type_of<Key>(), Order::ascending, d_keys.data(),
                              {d_values.data(), sizeof(std::uint32_t)}, keys_.size(), true, stream);
    return judged(std::span(&found, 1), expected_);
  }

 private:
  std::vector<Key> keys_;
  std::vector<std::uint32_t> values_;
  Fingerprint expected_;
};

void expect_same(const Verdict& host, const Verdict& device) {
  EXPECT_EQ(host.sorted, device.sorted);
  EXPECT_EQ(host.permutation, device.permutation);
  EXPECT_EQ(host.stable, device.stable);
}

template <class Key>
class DeviceVerify : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto& reason = device_unavailable(); !reason.empty()) GTEST_SKIP() << reason;
  }
};
using Keys =
    testing::Types<std::uint32_t, std::int32_t, std::uint64_t, std::int64_t, float, double>;
TYPED_TEST_SUITE(DeviceVerify, Keys);

TYPED_TEST(DeviceVerify, AcceptsWhatIsRight) {
  for (const std::size_t n : {0, 1, 2, 31, 32, 33, 1000, 1'500'000}) {
    const Result<TypeParam> result(n);
    EXPECT_TRUE(result.on_device().ok()) << n;
    expect_same(result.on_host(), result.on_device());
  }
}

TYPED_TEST(DeviceVerify, FindsEveryFaultAtEveryPlace) {
  constexpr std::size_t kSize = 1'200'000;
  for (const std::size_t place :
       {std::size_t{0}, std::size_t{255}, std::size_t{256}, kSize / 2, kSize - 2}) {
    Result<TypeParam> unsorted(kSize);
    std::swap(unsorted.keys().front(), unsorted.keys().back());
    EXPECT_FALSE(unsorted.on_device().sorted);
    expect_same(unsorted.on_host(), unsorted.on_device());

    Result<TypeParam> other_value(kSize);
    other_value.values()[place] += 1;
    EXPECT_FALSE(other_value.on_device().permutation) << place;
    expect_same(other_value.on_host(), other_value.on_device());

    Result<TypeParam> swapped(kSize);
    std::swap(swapped.values()[place], swapped.values()[place + 1]);
    expect_same(swapped.on_host(), swapped.on_device());
  }
}

class RedZones : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto& reason = device_unavailable(); !reason.empty()) GTEST_SKIP() << reason;
  }
};

TEST_F(RedZones, SeeOneByteOnEitherSide) {
  const OwnedStream stream;
  const RedZoneCheck zones;
  const DeviceBuffer absent;
  for (const std::ptrdiff_t offset : {-1, 1003, -4096, 1003 + 4095}) {
    const DeviceBuffer intact(1003, 3), hit(1003, 3);
    intact.paint_red_zones(stream);
    hit.paint_red_zones(stream);
    const DeviceBuffer* const buffers[] = {&intact, &absent, &hit};
    EXPECT_EQ(zones.first_overrun(buffers, stream), -1);
    check(cudaMemsetAsync(hit.data() + offset, 0, 1, stream), "cudaMemsetAsync");
    EXPECT_EQ(zones.first_overrun(buffers, stream), 2) << offset;
  }
}

}  // namespace
}  // namespace sortlab::device
