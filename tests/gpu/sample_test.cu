// The sample sort of gpu/quick/sample/sort.cuh with a user's own keys and comparisons.
#include "gpu/quick/sample/sort.cuh"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "common/harness/rig/device.hpp"
#include "tests/on_device.cuh"

namespace sortlab::gpu::quick::sample {
namespace {

using merge_sort::Ties;

/// A key without a built-in comparison, with bytes that its comparison ignores.
struct Reading {
  std::uint32_t number;
  std::uint16_t station;
  std::uint16_t day;
  float value;
};
struct ByStationAndLatestDay {
  __host__ __device__ bool operator()(const Reading& a, const Reading& b) const {
    return a.station != b.station ? a.station < b.station : a.day > b.day;
  }
};
struct Descending {
  __host__ __device__ bool operator()(std::uint64_t a, std::uint64_t b) const { return a > b; }
};

using Readings = Types<ByStationAndLatestDay, Ties::keep_order, Reading>;

template <class T>
void sort_on_device(typename T::Key* d_keys, std::size_t n) {
  const OnDevice alternate(std::vector<typename T::Key>(n, typename T::Key{}));
  const OnDevice workspace(std::vector<std::byte>(workspace_bytes<T>(n), std::byte{}));
  sort<T>({d_keys, {}}, {alternate.get(), {}}, n, workspace.get(), nullptr);
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
}

const std::vector<std::size_t> kSizes = {0, 1, 2, 1000, 2048, 2049, 100'003, 3'000'001};

/// n readings, numbered, of so many stations and days.
std::vector<Reading> readings_of(std::size_t n, unsigned stations, unsigned days) {
  std::mt19937 random(7);
  std::vector<Reading> readings(n);
  for (std::size_t i = 0; i < n; ++i) {
    readings[i] = {static_cast<std::uint32_t>(i), static_cast<std::uint16_t>(random() % stations),
                   static_cast<std::uint16_t>(random() % days), 0.5f};
  }
  return readings;
}

/// Whether `sorted` is in order, and each of `readings` is in it once, to the byte.
void expect_sorted(const std::vector<Reading>& sorted, const std::vector<Reading>& readings) {
  std::vector<bool> seen(readings.size());
  std::size_t faults = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const Reading& reading = sorted[i];
    if (i > 0 && ByStationAndLatestDay{}(reading, sorted[i - 1])) ++faults;
    if (reading.number >= readings.size() || seen[reading.number] ||
        std::memcmp(&reading, &readings[reading.number], sizeof(Reading)) != 0) {
      ++faults;
    } else {
      seen[reading.number] = true;
    }
  }
  EXPECT_EQ(faults, 0u) << sorted.size() << " readings";
}

TEST(Sample, SortsAStructByTheUsersComparison) {
  if (const auto& reason = device_unavailable(); !reason.empty()) GTEST_SKIP() << reason;
  for (const std::size_t n : kSizes) {
    const auto readings = readings_of(n, 60'000, 366);
    const OnDevice<Reading> data(readings);
    sort_on_device<Readings>(data.get(), n);
    expect_sorted(data.on_host(), readings);
  }
}

TEST(Sample, KeepsEachOfManyEqualElements) {
  if (const auto& reason = device_unavailable(); !reason.empty()) GTEST_SKIP() << reason;
  for (const unsigned stations : {1u, 2u, 50u}) {
    for (const std::size_t n : kSizes) {
      const auto readings = readings_of(n, stations, 1);
      const OnDevice<Reading> data(readings);
      sort_on_device<Readings>(data.get(), n);
      expect_sorted(data.on_host(), readings);
    }
  }
}

/// Makes the keys that the first level samples the smallest, so that all others share a bucket.
__global__ void mislead_samples(Reading* readings, std::size_t n, unsigned samples) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < samples) readings[sample_place({0, n, Todo::split}, i)].station = 0;
}

TEST(Sample, SortsWhatWasMadeToMisleadItsSamples) {
  if (const auto& reason = device_unavailable(); !reason.empty()) GTEST_SKIP() << reason;
  constexpr unsigned kSamples = Readings::Sampler::Tile::kCount;
  // One level and two.
  for (const std::size_t n : {100'003, 1'000'001}) {
    const OnDevice<Reading> data(readings_of(n, 60'000, 366));
    launch("mislead_samples", mislead_samples, {ceil_div(kSamples, 256), 256}, nullptr, data.get(),
           n, kSamples);
    const auto readings = data.on_host();
    sort_on_device<Readings>(data.get(), n);
    expect_sorted(data.on_host(), readings);
  }
}

TEST(Sample, SortsByAnotherOrderThanLess) {
  if (const auto& reason = device_unavailable(); !reason.empty()) GTEST_SKIP() << reason;
  for (const std::size_t n : kSizes) {
    std::mt19937_64 random(7);
    std::vector<std::uint64_t> keys(n);
    for (auto& key : keys) key = random();
    const OnDevice<std::uint64_t> data(keys);
    sort_on_device<Types<Descending, Ties::any_order, std::uint64_t>>(data.get(), n);
    std::sort(keys.begin(), keys.end(), Descending{});
    EXPECT_TRUE(data.on_host() == keys) << n << " keys";
  }
}

}  // namespace
}  // namespace sortlab::gpu::quick::sample
