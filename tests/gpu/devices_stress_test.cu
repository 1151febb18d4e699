// Sorts over several GPUs, thousands of times, with delays: a second host thread puts kernels that sleep on
// the parts' streams while the sort fills them, so that scatters, copies and sorts of different parts meet in
// orders that are very rare otherwise. A wait that is missing between two streams shows as a wrong result.
//
// Parts are on one GPU, and on two where there are two. SORTLAB_MATRIX=reduced for compute-sanitizer.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "common/contract/device_parts.hpp"
#include "common/cuda_check.hpp"
#include "common/harness/rig/device.hpp"
#include "tests/effort.hpp"

namespace sortlab {
namespace {

using Key = std::uint32_t;
using Pair = std::pair<Key, std::uint32_t>;

const bool kReduced = kEffort == Effort::reduced;

__global__ void sleep_for(unsigned ns) { __nanosleep(ns); }

/// What is sorted how often: pairs, or keys alone. The host makes and sorts each input once.
struct Load {
  bool are_pairs;
  std::size_t most_n;
  unsigned inputs;
  unsigned repetitions;  // of each input
};
const Load kPairs{true, 60'011, 5, kReduced ? 1u : 200u};
/// As many as gpu/multi/fused exchanges by the first pass of the sort.
const Load kManyKeys{false, 2'200'013, 4, kReduced ? 1u : 25u};

/// Memory and streams of a part, outside of a rig.
class Part {
 public:
  Part(int device, const Variant& variant, const PartRequest& request)
      : device_(device), are_pairs_(request.value_bytes > 0) {
    const OnDevice here(device);
    const PartNeeds needs = variant.needs<DeviceParts>(request);
    capacity_ = needs.capacity;
    for (void*& array : arrays_)
      check(cudaMalloc(&array, capacity_ * sizeof(Key) + 1), "cudaMalloc");
    check(cudaMalloc(&workspace_, needs.workspace_bytes + 1), "cudaMalloc");
    workspace_bytes_ = needs.workspace_bytes;
    streams_.resize(static_cast<std::size_t>(request.parts) + 1);
    for (Stream& stream : streams_) {
      check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
    }
  }
  ~Part() {
    for (const Stream stream : streams_) (void)cudaStreamDestroy(stream);
    for (void* const array : arrays_) (void)cudaFree(array);
    (void)cudaFree(workspace_);
  }
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;

  int device() const { return device_; }
  const std::vector<Stream>& streams() const { return streams_; }

  ErasedDevicePart fill(std::span<const Key> keys, std::uint32_t first_value) {
    std::vector<std::uint32_t> values(keys.size());
    std::iota(values.begin(), values.end(), first_value);
    const std::size_t bytes = keys.size() * sizeof(Key);
    check(cudaMemcpy(arrays_[0], keys.data(), bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
    check(cudaMemcpy(arrays_[1], values.data(), bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
    // From pageable memory the copy may still be under way, and the streams of the sort do not wait for it.
    check(cudaStreamSynchronize(nullptr), "cudaStreamSynchronize");
    ErasedDevicePart part{device_,         arrays_[0],
                          arrays_[1],      arrays_[2],
                          arrays_[3],      keys.size(),
                          capacity_,       {static_cast<std::byte*>(workspace_), workspace_bytes_},
                          streams_.back(), std::span(streams_).first(streams_.size() - 1)};
    if (!are_pairs_) part.values = part.alternate_values = nullptr;
    return part;
  }

  void append(const PartResult& result, std::vector<Pair>& to) const {
    const std::size_t from = result.in == ResultIn::data ? 0 : 2;
    std::vector<Key> keys(result.n);
    std::vector<std::uint32_t> values(result.n);
    const std::size_t bytes = result.n * sizeof(Key);
    check(cudaMemcpy(keys.data(), arrays_[from], bytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
    check(cudaMemcpy(values.data(), arrays_[from + 1], bytes, cudaMemcpyDeviceToHost),
          "cudaMemcpy");
    for (std::size_t i = 0; i < result.n; ++i) {
      to.emplace_back(keys[i], are_pairs_ ? values[i] : 0);
    }
  }

 private:
  int device_;
  bool are_pairs_;
  std::size_t capacity_ = 0, workspace_bytes_ = 0;
  void* arrays_[4] = {};  // keys, values, alternate keys, alternate values
  void* workspace_ = nullptr;
  std::vector<Stream> streams_;  // for copies to each part; the last one for kernels
};

/// While it exists, a thread delays the streams of the parts.
class Delays {
 public:
  explicit Delays(const std::vector<std::unique_ptr<Part>>& parts, unsigned seed)
      : thread_([&parts, seed, this] {
          std::mt19937 random(seed);
          while (!is_over_) {
            const Part& part = *parts[random() % parts.size()];
            const OnDevice here(part.device());
            const Stream stream = part.streams()[random() % part.streams().size()];
            sleep_for<<<1, 1, 0, stream>>>(random() % 30'000);
            check(cudaGetLastError(), "launch of sleep_for");
            ++delays_;
            std::this_thread::sleep_for(std::chrono::microseconds(random() % 20));
          }
        }) {}
  ~Delays() { is_over_ = true; }
  int delays() const { return delays_; }

 private:
  std::atomic<bool> is_over_ = false;
  std::atomic<int> delays_ = 0;
  std::jthread thread_;
};

std::vector<Key> keys_of(unsigned input, std::size_t n) {
  std::mt19937 random(input);
  std::vector<Key> keys(n);
  for (std::size_t i = 0; i < n; ++i) {
    switch (input % 4) {
      case 0:
        keys[i] = static_cast<Key>(random());
        break;
      case 1:
        keys[i] = static_cast<Key>(random()) % 5 * 0x01010101u;
        break;
      case 2:
        keys[i] = static_cast<Key>(i) * 77;
        break;
      default:
        keys[i] = 0x7f000000u - static_cast<Key>(i);
    }
  }
  return keys;
}

class DevicesStress : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto& reason = device_unavailable(); !reason.empty()) GTEST_SKIP() << reason;
  }

  static void expect_sorts(const std::string& id, const std::vector<int>& devices,
                           const std::vector<std::pair<const char*, int>>& set, const Load& load) {
    const Variant& variant = *find_variant(id);
    const std::size_t value_bytes = load.are_pairs ? 4 : 0;
    const Instance* const instance = variant.instance(KeyType::u32, value_bytes, Order::ascending);
    Params params(variant.info.params);
    for (const auto& [name, value] : set) params.set(name, value);
    std::vector<std::unique_ptr<Part>> parts;
    const auto request = [&](std::size_t p, std::size_t n) {
      return PartRequest{
          n, static_cast<int>(devices.size()), static_cast<int>(p), 4, value_bytes, 0, params};
    };
    for (std::size_t p = 0; p < devices.size(); ++p) {
      parts.push_back(std::make_unique<Part>(devices[p], variant, request(p, load.most_n)));
    }
    for (unsigned input = 0; input < load.inputs; ++input) {
      const std::size_t n = load.most_n - input * 7919;
      const std::vector<Key> keys = keys_of(input, n);
      std::vector<Pair> expected;
      for (std::size_t i = 0; i < n; ++i)
        expected.emplace_back(keys[i], load.are_pairs ? static_cast<std::uint32_t>(i) : 0);
      std::sort(expected.begin(), expected.end());
      for (unsigned repetition = 0; repetition < load.repetitions; ++repetition) {
        std::vector<ErasedDevicePart> job;
        for (std::size_t p = 0; p < parts.size(); ++p) {
          const PartRequest its = request(p, n);
          const std::size_t first = its.begin(static_cast<int>(p));
          job.push_back(parts[p]->fill(std::span(keys).subspan(first, its.n()),
                                       static_cast<std::uint32_t>(first)));
        }
        std::vector<PartResult> results;
        {
          const Delays delays(parts, repetition);
          while (delays.delays() < 3) std::this_thread::yield();
          instance->sort(ErasedDevicesJob{instance, job, &params, &results});
          for (const auto& part : job) check(cudaStreamSynchronize(part.stream), "the sort");
        }
        std::vector<Pair> sorted;
        for (std::size_t p = 0; p < parts.size(); ++p) parts[p]->append(results[p], sorted);
        ASSERT_TRUE(sorted == expected)
            << id << ", input " << input << ", repetition " << repetition;
        for (const int device : devices) {
          const OnDevice here(device);
          check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");  // the last delays
        }
      }
    }
  }

  static void expect_sorts_everywhere(const std::string& id,
                                      const std::vector<std::pair<const char*, int>>& set,
                                      const Load& load = kPairs) {
    expect_sorts(id, {0, 0, 0}, set, load);
    if (peers_unavailable({0, 1}).empty()) {
      open_memories();
      expect_sorts(id, {0, 1}, set, load);
      expect_sorts(id, {1, 0, 1}, set, load);
    }
  }

 private:
  static void open_memories() {
    for (const int device : {0, 1}) {
      const OnDevice here(device);
      const cudaError_t status = cudaDeviceEnablePeerAccess(1 - device, 0);
      if (status != cudaErrorPeerAccessAlreadyEnabled) check(status, "cudaDeviceEnablePeerAccess");
      (void)cudaGetLastError();
    }
  }
};

TEST_F(DevicesStress, Gather) { expect_sorts_everywhere("gpu/multi/gather", {}); }
TEST_F(DevicesStress, Merge) { expect_sorts_everywhere("gpu/multi/merge", {}); }
TEST_F(DevicesStress, Partition) {
  expect_sorts_everywhere("gpu/multi/partition", {{"pieces", 5}});
}
TEST_F(DevicesStress, PartitionOfTwoAtOnce) {
  expect_sorts_everywhere("gpu/multi/partition", {{"pieces", 5}, {"at_once", 2}});
}
TEST_F(DevicesStress, Fused) {
  expect_sorts_everywhere("gpu/multi/fused", {{"pieces", 4}, {"stored", 2}});
}
TEST_F(DevicesStress, FusedWithoutCopies) {
  expect_sorts_everywhere("gpu/multi/fused", {{"pieces", 3}, {"stored", 64}});
}
TEST_F(DevicesStress, FusedOfManyKeys) {
  expect_sorts_everywhere("gpu/multi/fused", {{"pieces", 4}, {"stored", 2}}, kManyKeys);
}
TEST_F(DevicesStress, FusedOfManyKeysByFewBins) {
  expect_sorts_everywhere("gpu/multi/fused", {{"pieces", 2}, {"stored", 1}}, kManyKeys);
}

}  // namespace
}  // namespace sortlab
