// sortlab::cuda on GPUs with less shared memory and fewer SMs than this one.
#include "library/cuda/gpu_facts.hpp"
#include "tests/gpu/library/items.cuh"
#include "tests/gpu/library/sorts.cuh"

namespace sortlab::cuda {
namespace {

struct Smaller {
  const char* name;
  detail::GpuFacts facts;
};
const Smaller kSmallerGpus[] = {
    {"48 KB", {40, 48 * 1024, 64 * 1024, true}},
    {"64 KB, 16 SMs", {16, 64 * 1024, 64 * 1024, true}},
    {"99 KB", {46, 99 * 1024, 100 * 1024, true}},
    {"99 KB, 8 SMs", {8, 99 * 1024, 100 * 1024, true}},
    {"163 KB", {108, 163 * 1024, 164 * 1024, true}},
    {"no cooperative launches", {132, 227 * 1024, 228 * 1024, false}},
};

template <class T>
void expect_sorted_or_refused() {
  for (const std::size_t n : {1000u, 8193u, 100'003u, 600'011u}) {
    const auto items = random_items<T>(n);
    const OnDevice<T> d_items(items);
    const cudaError_t status = sort(d_items.get(), n, ByNumber{});
    if (gpu::device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin) >= 93 * 1024) {
      ASSERT_EQ(status, cudaSuccess);
    }
    synchronize();
    if (status == cudaSuccess) {
      expect_same(d_items.on_host(), in_order(items, expected_order(items, ByNumber{})), "items");
    } else {
      EXPECT_EQ(status, cudaErrorInvalidValue);
    }
  }
}

class OtherGpus : public testing::TestWithParam<Smaller> {};
TEST_P(OtherGpus, SortAllTypes) {
  SKIP_WITHOUT_GPU();
  const detail::SmallerGpu smaller(GetParam().facts);
  expect_sorted_keys<std::uint32_t>({1000, 8193, 100'003, 1'100'003});
  expect_sorted_keys<double>({1000, 8193, 600'011});
  expect_sorted_pairs<std::uint32_t, float>({1000, 8193, 100'003, 600'011});
  expect_sorted_pairs<long long, std::uint32_t>({1000, 8193, 600'011});
  expect_sorted_pairs<std::uint32_t, double>({1000, 1'100'003});
  expect_sorted_pairs<long long, double>({1000, 1'100'003});
  expect_sorted_pairs<std::uint32_t, Value<16>>({1000, 100'003});
  expect_sorted_pairs<__half, float>({1000, 100'003});
  expect_indices<std::uint32_t, std::uint32_t>({1000, 8193, 1'100'003});
  expect_indices<double, std::int64_t>({1000, 600'011});
}

/// Up to 93 KB a block; with less, some sizes of items are refused.
TEST_P(OtherGpus, SortItemsOrRefuse) {
  SKIP_WITHOUT_GPU();
  const detail::SmallerGpu smaller(GetParam().facts);
  expect_sorted_or_refused<Item<3>>();
  expect_sorted_or_refused<Item<10>>();
  expect_sorted_or_refused<Item<50>>();
}
INSTANTIATE_TEST_SUITE_P(All, OtherGpus, testing::ValuesIn(kSmallerGpus), [](const auto& info) {
  std::string name = info.param.name;
  std::replace_if(
      name.begin(), name.end(),
      [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
});

}  // namespace
}  // namespace sortlab::cuda
