// sortlab::cuda with more items, and more segments, than 31 and 32 bits count. Made and checked on the GPU.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <sortlab/cuda.cuh>

#include "common/harness/rig/device.hpp"
#include "tests/on_device.cuh"

namespace sortlab::cuda {
namespace {

constexpr unsigned kBlocks = 1024;
constexpr unsigned kThreads = 256;

/// Each number of 32 bits comes up: an odd multiple of the place, and what is above 32 bits mixed in.
__device__ std::uint32_t key_at(std::size_t i) {
  return static_cast<std::uint32_t>(i) * 2654435761u ^ static_cast<std::uint32_t>(i >> 32) * 40503u;
}
__device__ std::uint64_t mixed(std::uint32_t key) {
  std::uint64_t x = (key + 1) * 0x9e3779b97f4a7c15u;
  return (x ^ x >> 29) * 0xbf58476d1ce4e5b9u;
}

/// What is compared before and after: keys in the wrong order, and two sums over all keys.
struct Facts {
  unsigned long long steps_down = 0;
  unsigned long long sum = 0;
  unsigned long long mixed_sum = 0;
};

__global__ void make_keys(std::uint32_t* keys, std::size_t n) {
  const std::size_t first = std::size_t{blockIdx.x} * kThreads + threadIdx.x;
  for (std::size_t i = first; i < n; i += kBlocks * kThreads) keys[i] = key_at(i);
}
__global__ void look(const std::uint32_t* keys, std::size_t n, Facts* facts) {
  Facts own;
  const std::size_t first = std::size_t{blockIdx.x} * kThreads + threadIdx.x;
  for (std::size_t i = first; i < n; i += kBlocks * kThreads) {
    own.steps_down += i + 1 < n && keys[i + 1] < keys[i];
    own.sum += keys[i];
    own.mixed_sum += mixed(keys[i]);
  }
  atomicAdd(&facts->steps_down, own.steps_down);
  atomicAdd(&facts->sum, own.sum);
  atomicAdd(&facts->mixed_sum, own.mixed_sum);
}

/// Device memory, or null if there is too little.
template <class T>
class Array {
 public:
  explicit Array(std::size_t count) {
    if (cudaMalloc(&d_items_, count * sizeof(T)) != cudaSuccess) {
      d_items_ = nullptr;
      (void)cudaGetLastError();
    }
  }
  ~Array() { cudaFree(d_items_); }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  T* get() const { return d_items_; }

 private:
  T* d_items_ = nullptr;
};

Facts facts_of(const std::uint32_t* d_keys, std::size_t n) {
  const gpu::OnDevice<Facts> d_facts({Facts{}});
  look<<<kBlocks, kThreads>>>(d_keys, n, d_facts.get());
  return d_facts.on_host()[0];
}

struct ByValue {
  __device__ bool operator()(std::uint32_t a, std::uint32_t b) const { return a < b; }
};

/// `call(d_temp, bytes, buffer)` sorts n keys of a double buffer.
template <class Call>
void expect_sorted(std::size_t n, Call call) {
  if (!device_unavailable().empty()) GTEST_SKIP() << device_unavailable();
  const Array<std::uint32_t> first(n);
  const Array<std::uint32_t> second(n);
  DoubleBuffer<std::uint32_t> buffer{first.get(), second.get()};
  std::size_t bytes = 0;
  ASSERT_EQ(call(nullptr, bytes, buffer), cudaSuccess);
  const Array<std::byte> temp(bytes);
  if (first.get() == nullptr || second.get() == nullptr || temp.get() == nullptr) {
    GTEST_SKIP() << "too little memory for " << n << " keys";
  }
  make_keys<<<kBlocks, kThreads>>>(buffer.current, n);
  const Facts before = facts_of(buffer.current, n);
  ASSERT_GT(before.steps_down, 0u);
  ASSERT_EQ(call(temp.get(), bytes, buffer), cudaSuccess);
  const Facts after = facts_of(buffer.current, n);
  EXPECT_EQ(after.steps_down, 0u);
  EXPECT_EQ(after.sum, before.sum);
  EXPECT_EQ(after.mixed_sum, before.mixed_sum);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

class ManyItems : public testing::TestWithParam<std::size_t> {};
TEST_P(ManyItems, AreSortedByTheirBits) {
  expect_sorted(GetParam(), [](void* d_temp, std::size_t& bytes, auto& buffer) {
    return sort_keys(d_temp, bytes, buffer, GetParam());
  });
}
TEST_P(ManyItems, AreSortedByAComparison) {
  expect_sorted(GetParam(), [](void* d_temp, std::size_t& bytes, auto& buffer) {
    return sort(d_temp, bytes, buffer, GetParam(), ByValue{});
  });
}
INSTANTIATE_TEST_SUITE_P(All, ManyItems,
                         testing::Values((std::size_t{1} << 31) + 1, (std::size_t{1} << 32) + 3));

// ---- Segments ----

/// A giant of more than 2^31 items, then segments of 1000, beyond 2^32.
struct GiantFirst {
  static constexpr std::size_t kGiant = (std::size_t{1} << 31) + 12'345;
  using Offset = std::uint64_t;
  std::size_t n = (std::size_t{1} << 32) + 1'000'003;

  std::size_t count() const { return 1 + (n - kGiant) / 1000; }
  __host__ __device__ Offset offset(std::size_t s) const {
    return s == 0 ? 0 : kGiant + (s - 1) * 1000;
  }
  __device__ bool is_begin(std::size_t i) const { return i >= kGiant && (i - kGiant) % 1000 == 0; }
};

/// More than 2^31 segments, of which one of 2^21 has 1000 items, and the others none.
struct ManyEmpty {
  using Offset = std::uint32_t;
  std::size_t n = 1'024'000;

  std::size_t count() const { return (std::size_t{1} << 31) + 5; }
  __host__ __device__ Offset offset(std::size_t s) const {
    const std::size_t items = ((s + (1u << 21) - 1) >> 21) * 1000;
    return static_cast<Offset>(items < n ? items : n);
  }
  __device__ bool is_begin(std::size_t i) const { return i % 1000 == 0; }
};

template <class Cut>
__global__ void make_offsets(Cut cut, std::size_t count, typename Cut::Offset* offsets) {
  const std::size_t first = std::size_t{blockIdx.x} * kThreads + threadIdx.x;
  for (std::size_t s = first; s <= count; s += kBlocks * kThreads) offsets[s] = cut.offset(s);
}
template <class Cut>
__global__ void look_at_segments(Cut cut, const std::uint32_t* keys, std::size_t n, Facts* facts) {
  const std::size_t first = std::size_t{blockIdx.x} * kThreads + threadIdx.x;
  unsigned long long steps_down = 0;
  for (std::size_t i = first + 1; i < n; i += kBlocks * kThreads) {
    steps_down += keys[i] < keys[i - 1] && !cut.is_begin(i);
  }
  atomicAdd(&facts->steps_down, steps_down);
}

template <class Cut>
void expect_segments_sorted(Cut cut) {
  if (!device_unavailable().empty()) GTEST_SKIP() << device_unavailable();
  const std::size_t count = cut.count();
  const std::size_t n = cut.offset(count);
  const Array<typename Cut::Offset> offsets(count + 1);
  const Array<std::uint32_t> keys(n);
  std::size_t bytes = 0;
  ASSERT_EQ(segmented_sort_keys(nullptr, bytes, keys.get(), keys.get(), n, count, offsets.get()),
            cudaSuccess);
  const Array<std::byte> temp(bytes);
  if (offsets.get() == nullptr || keys.get() == nullptr || temp.get() == nullptr) {
    GTEST_SKIP() << "too little memory for " << n << " keys and " << count << " segments";
  }
  make_keys<<<kBlocks, kThreads>>>(keys.get(), n);
  make_offsets<<<kBlocks, kThreads>>>(cut, count, offsets.get());
  const Facts before = facts_of(keys.get(), n);
  ASSERT_EQ(segmented_sort_keys(temp.get(), bytes, keys.get(), keys.get(), n, count, offsets.get()),
            cudaSuccess);
  const Facts after = facts_of(keys.get(), n);
  EXPECT_EQ(after.sum, before.sum);
  EXPECT_EQ(after.mixed_sum, before.mixed_sum);
  const gpu::OnDevice<Facts> d_facts({Facts{}});
  look_at_segments<<<kBlocks, kThreads>>>(cut, keys.get(), n, d_facts.get());
  EXPECT_EQ(d_facts.on_host()[0].steps_down, 0u);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

TEST(ManySegments, WithOffsetsBeyond32BitsAreSorted) { expect_segments_sorted(GiantFirst{}); }
TEST(ManySegments, OfWhichMostAreEmptyAreSorted) { expect_segments_sorted(ManyEmpty{}); }

}  // namespace
}  // namespace sortlab::cuda
