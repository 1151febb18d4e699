// Sorts of the types that users have, on the GPU: structs by orders of their own, floats by std::less, keys
// with values of several sizes, unsigned long long. sortlab::cuda beside Thrust and CUB.
//
//   sortlab_users_types > users_types.csv
//
// For each sample the input is restored, then two CUDA events enclose the call. Rows are medians. Each sort
// is called as it is fastest: with memory and a second buffer provided, if it takes them; Thrust gets its
// memory from a pool. The result of each sort is checked: keys in order. Exit code 1 if one was wrong.
#include <cuda_runtime.h>
#include <thrust/device_ptr.h>
#include <thrust/execution_policy.h>
#include <thrust/sort.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <functional>
#include <random>
#include <sortlab/cuda.cuh>
#include <string>
#include <vector>

#include "common/cuda_check.hpp"
#include "git_revision.hpp"

namespace sortlab {
namespace {

template <std::size_t kBytes>
struct Record {
  float key;
  unsigned char rest[kBytes - sizeof(float)];
};
struct ByKey {
  template <class T>
  __host__ __device__ bool operator()(const T& a, const T& b) const {
    return a.key < b.key;
  }
};
template <std::size_t kBytes>
struct alignas(kBytes < 16 ? kBytes : 16) Value {
  unsigned char bytes[kBytes];
};

constexpr std::size_t kSizes[] = {1000, 10'007, 131'071, (1 << 20) + 1, 3'000'017, (1 << 24) + 1};
constexpr std::size_t kMost = (1 << 24) + 1;
constexpr int kSamples = 15;

template <class T>
T* on_device(std::size_t n) {
  void* d_memory = nullptr;
  check(cudaMalloc(&d_memory, n * sizeof(T)), "cudaMalloc");
  return static_cast<T*>(d_memory);
}

/// The arrays of one case. Values are optional.
template <class Key, class V>
struct Arrays {
  Key* d_pristine;
  Key* d_keys;
  Key* d_other_keys;
  V* d_values;
  V* d_other_values;
  std::uint32_t* d_index;
  std::uint32_t* d_other_index;
  std::byte* d_temp;
  std::size_t temp_bytes;
};

/// Memory for Thrust that is allocated once. Thrust waits for its stream, so each call may use it anew.
struct ThrustMemory {
  using value_type = char;
  std::byte* d_memory;
  std::size_t bytes;
  std::size_t used = 0;

  char* allocate(std::ptrdiff_t count) {
    auto* const d_block = reinterpret_cast<char*>(d_memory + used);
    used += (static_cast<std::size_t>(count) + 255) / 256 * 256;
    if (used > bytes) throw std::bad_alloc();
    return d_block;
  }
  void deallocate(char*, std::size_t) { used = 0; }
};

__global__ void number_items(std::uint32_t* index, std::uint32_t n) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) index[i] = i;
}
template <class T>
__global__ void gather_items(const T* from, T* to, const std::uint32_t* index, std::uint32_t n) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[index[i]];
}
template <class T, class Less>
struct ByIndex {
  const T* items;
  Less less;
  __device__ bool operator()(std::uint32_t a, std::uint32_t b) const {
    return less(items[a], items[b]);
  }
};

bool all_right = true;
std::string machine;

/// Measures `sort`, which returns the array with the sorted keys, and writes a row.
template <class Key, class V, class Less, class Sort>
void measure(const char* name, const char* method, std::size_t n, const Arrays<Key, V>& arrays,
             Less less, Sort sort) {
  cudaEvent_t begin = nullptr;
  cudaEvent_t end = nullptr;
  check(cudaEventCreate(&begin), "cudaEventCreate");
  check(cudaEventCreate(&end), "cudaEventCreate");
  std::vector<float> samples;
  const Key* d_result = nullptr;
  for (int sample = -3; sample < kSamples; ++sample) {
    check(cudaMemcpyAsync(arrays.d_keys, arrays.d_pristine, n * sizeof(Key),
                          cudaMemcpyDeviceToDevice),
          "cudaMemcpyAsync");
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    check(cudaEventRecord(begin), "cudaEventRecord");
    d_result = sort();
    check(cudaEventRecord(end), "cudaEventRecord");
    check(cudaEventSynchronize(end), method);
    float ms = 0;
    check(cudaEventElapsedTime(&ms, begin, end), "cudaEventElapsedTime");
    if (sample >= 0) samples.push_back(1000 * ms);
  }
  std::sort(samples.begin(), samples.end());
  std::vector<Key> keys(n);
  check(cudaMemcpy(keys.data(), d_result, n * sizeof(Key), cudaMemcpyDeviceToHost), "cudaMemcpy");
  const bool right = std::is_sorted(keys.begin(), keys.end(), less);
  all_right = all_right && right;
  std::printf("%s,%s%s,%s,%zu,%s,%.2f,%.2f,%d,%s\n", machine.c_str(), SORTLAB_GIT_REVISION,
              SORTLAB_GIT_DIRTY ? "+" : "", name, n, method, samples[samples.size() / 2],
              samples.front(), kSamples, right ? "ok" : "WRONG");
  std::fflush(stdout);
  (void)cudaEventDestroy(begin);
  (void)cudaEventDestroy(end);
}

/// Calls `enqueue(d_temp, bytes)` as CUB's two calls, of which only the second is measured.
template <class Enqueue>
void with_temp(std::byte* d_temp, std::size_t most, Enqueue enqueue) {
  std::size_t bytes = 0;
  check(enqueue(nullptr, bytes), "the bytes");
  if (bytes > most) throw std::bad_alloc();
  check(enqueue(d_temp, bytes), "a sort");
}

template <class T>
unsigned blocks_for(T n) {
  return static_cast<unsigned>((n + 255) / 256);
}

/// Items by an order of their own.
template <class Item, class Less>
void measure_items(const char* name, std::size_t n, const Arrays<Item, char>& a, Less less) {
  measure(name, "sortlab", n, a, less, [&] {
    cuda::DoubleBuffer<Item> buffer{a.d_keys, a.d_other_keys};
    with_temp(a.d_temp, a.temp_bytes, [&](void* d_temp, std::size_t& bytes) {
      return cuda::sort(d_temp, bytes, buffer, n, less);
    });
    return buffer.current;
  });
  measure(name, "sortlab in one call", n, a, less, [&] {
    check(cuda::sort(a.d_keys, n, less), "sortlab::cuda::sort");
    return a.d_keys;
  });
  measure(name, "thrust", n, a, less, [&] {
    ThrustMemory memory{a.d_temp, a.temp_bytes};
    thrust::sort(thrust::cuda::par(memory), thrust::device_pointer_cast(a.d_keys),
                 thrust::device_pointer_cast(a.d_keys + n), less);
    return a.d_keys;
  });
  measure(name, "cub merge", n, a, less, [&] {
    with_temp(a.d_temp, a.temp_bytes, [&](void* d_temp, std::size_t& bytes) {
      return cub::DeviceMergeSort::SortKeys(d_temp, bytes, a.d_keys, n, less);
    });
    return a.d_keys;
  });
  if constexpr (std::is_class_v<Item>) {
    measure(name, "cub index and gather", n, a, less, [&] {
      const auto count = static_cast<std::uint32_t>(n);
      number_items<<<blocks_for(n), 256>>>(a.d_index, count);
      with_temp(a.d_temp, a.temp_bytes, [&](void* d_temp, std::size_t& bytes) {
        return cub::DeviceMergeSort::SortKeys(d_temp, bytes, a.d_index, n,
                                              ByIndex<Item, Less>{a.d_keys, less});
      });
      gather_items<<<blocks_for(n), 256>>>(a.d_keys, a.d_other_keys, a.d_index, count);
      return a.d_other_keys;
    });
  } else {
    measure(name, "cub radix", n, a, less, [&] {
      cub::DoubleBuffer<Item> buffer(a.d_keys, a.d_other_keys);
      with_temp(a.d_temp, a.temp_bytes, [&](void* d_temp, std::size_t& bytes) {
        return cub::DeviceRadixSort::SortKeys(d_temp, bytes, buffer, n);
      });
      return buffer.Current();
    });
  }
}

/// Keys with values.
template <class Key, class V>
void measure_pairs(const char* name, std::size_t n, const Arrays<Key, V>& a) {
  const std::less<> less;
  measure(name, "sortlab", n, a, less, [&] {
    cuda::DoubleBuffer<Key> keys{a.d_keys, a.d_other_keys};
    cuda::DoubleBuffer<V> values{a.d_values, a.d_other_values};
    with_temp(a.d_temp, a.temp_bytes, [&](void* d_temp, std::size_t& bytes) {
      return cuda::sort_pairs(d_temp, bytes, keys, values, n);
    });
    return keys.current;
  });
  measure(name, "sortlab in one call", n, a, less, [&] {
    check(cuda::sort_pairs(a.d_keys, a.d_values, n), "sortlab::cuda::sort_pairs");
    return a.d_keys;
  });
  measure(name, "thrust", n, a, less, [&] {
    ThrustMemory memory{a.d_temp, a.temp_bytes};
    thrust::sort_by_key(thrust::cuda::par(memory), thrust::device_pointer_cast(a.d_keys),
                        thrust::device_pointer_cast(a.d_keys + n),
                        thrust::device_pointer_cast(a.d_values));
    return a.d_keys;
  });
  measure(name, "cub radix", n, a, less, [&] {
    cub::DoubleBuffer<Key> keys(a.d_keys, a.d_other_keys);
    cub::DoubleBuffer<V> values(a.d_values, a.d_other_values);
    with_temp(a.d_temp, a.temp_bytes, [&](void* d_temp, std::size_t& bytes) {
      return cub::DeviceRadixSort::SortPairs(d_temp, bytes, keys, values, n);
    });
    return keys.Current();
  });
  measure(name, "cub merge", n, a, less, [&] {
    with_temp(a.d_temp, a.temp_bytes, [&](void* d_temp, std::size_t& bytes) {
      return cub::DeviceMergeSort::SortPairs(d_temp, bytes, a.d_keys, a.d_values, n,
                                             ::cuda::std::less<>{});
    });
    return a.d_keys;
  });
  measure(name, "cub index and gather", n, a, less, [&] {
    const auto count = static_cast<std::uint32_t>(n);
    cub::DoubleBuffer<Key> keys(a.d_keys, a.d_other_keys);
    cub::DoubleBuffer<std::uint32_t> index(a.d_index, a.d_other_index);
    number_items<<<blocks_for(n), 256>>>(a.d_index, count);
    with_temp(a.d_temp, a.temp_bytes, [&](void* d_temp, std::size_t& bytes) {
      return cub::DeviceRadixSort::SortPairs(d_temp, bytes, keys, index, n);
    });
    gather_items<<<blocks_for(n), 256>>>(a.d_values, a.d_other_values, index.Current(), count);
    return keys.Current();
  });
}

/// Allocates the arrays of a case, and calls use(n, arrays) for each n. make_key(random) makes a key.
template <class Key, class V, class MakeKey, class Use>
void with_arrays(MakeKey make_key, Use use) {
  std::mt19937_64 random(12345);
  std::vector<Key> keys(kMost);
  for (auto& key : keys) key = make_key(random);
  Arrays<Key, V> a{};
  a.d_pristine = on_device<Key>(kMost);
  a.d_keys = on_device<Key>(kMost);
  a.d_other_keys = on_device<Key>(kMost);
  a.d_values = on_device<V>(kMost);
  a.d_other_values = on_device<V>(kMost);
  a.d_index = on_device<std::uint32_t>(kMost);
  a.d_other_index = on_device<std::uint32_t>(kMost);
  a.temp_bytes = 3 * kMost * (sizeof(Key) + sizeof(V)) + (64u << 20);
  a.d_temp = on_device<std::byte>(a.temp_bytes);
  check(cudaMemcpy(a.d_pristine, keys.data(), kMost * sizeof(Key), cudaMemcpyHostToDevice),
        "cudaMemcpy");
  check(cudaMemset(a.d_values, 0, kMost * sizeof(V)), "cudaMemset");
  for (const std::size_t n : kSizes) use(n, a);
  for (void* const d_array : {static_cast<void*>(a.d_pristine), static_cast<void*>(a.d_keys),
                              static_cast<void*>(a.d_other_keys), static_cast<void*>(a.d_values),
                              static_cast<void*>(a.d_other_values), static_cast<void*>(a.d_index),
                              static_cast<void*>(a.d_other_index), static_cast<void*>(a.d_temp)}) {
    check(cudaFree(d_array), "cudaFree");
  }
}

float random_float(std::mt19937_64& random) {
  return static_cast<float>(random() >> 40) / 1000.0f - 5000.0f;
}

template <std::size_t kBytes>
void measure_records(const char* name) {
  const auto make = [](std::mt19937_64& random) {
    Record<kBytes> record{};
    record.key = random_float(random);
    return record;
  };
  with_arrays<Record<kBytes>, char>(
      make, [=](std::size_t n, const auto& a) { measure_items(name, n, a, ByKey{}); });
}
template <std::size_t kBytes>
void measure_values(const char* name) {
  const auto make = [](std::mt19937_64& random) { return static_cast<std::uint32_t>(random()); };
  with_arrays<std::uint32_t, Value<kBytes>>(
      make, [=](std::size_t n, const auto& a) { measure_pairs(name, n, a); });
}

void measure_all() {
  cudaDeviceProp gpu{};
  check(cudaGetDeviceProperties(&gpu, 0), "cudaGetDeviceProperties");
  machine = gpu.name;
  std::printf("machine,revision,case,n,method,median_us,best_us,samples,verified\n");
  measure_records<12>("struct of 12 bytes");
  measure_records<16>("struct of 16 bytes");
  measure_records<40>("struct of 40 bytes");
  with_arrays<float, char>(random_float, [](std::size_t n, const auto& a) {
    measure_items("f32 by std::less", n, a, std::less<float>{});
  });
  with_arrays<unsigned long long, char>([](std::mt19937_64& random) { return random(); },
                                        [](std::size_t n, const auto& a) {
                                          measure_items("unsigned long long", n, a, std::less<>{});
                                        });
  measure_values<8>("u32 with 8 bytes");
  measure_values<16>("u32 with 16 bytes");
  measure_values<64>("u32 with 64 bytes");
}

}  // namespace
}  // namespace sortlab

int main() {
  try {
    sortlab::measure_all();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "sortlab_users_types: %s\n", error.what());
    return 1;
  }
  return sortlab::all_right ? 0 : 1;
}
