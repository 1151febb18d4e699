// The best k of arrays and rows by sortlab/cuda.cuh: against a stable sort of the places on the host.
#include <sortlab/cuda.cuh>

#include <algorithm>
#include <limits>
#include <numeric>

#include "gpu/primitives/launch/pretend.hpp"
#include "tests/gpu/library/inputs.cuh"

namespace sortlab::cuda {
namespace {

using Places = std::vector<std::uint32_t>;

template <class Key>
bool is_number(Key key) {
  if constexpr (std::is_floating_point_v<Key> || kIsHalf<Key>) return !is_nan(key);
  return true;
}

/// The places of each row in the order of the options.
template <class Key>
Places expected_places(const std::vector<Key>& row, const TopKOptions& options) {
  return expected_order(row, [&](Key a, Key b) {
    if (is_number(a) != is_number(b)) {
      if (options.nans_first) return is_number(b);
      if (options.floats == Floats::nans_last) return is_number(a);
    }
    return options.order == Order::ascending ? rank_of(a) < rank_of(b) : rank_of(a) > rank_of(b);
  });
}

/// What is compared: the rank of a key, where NaNs that are apart from the numbers are one.
template <class Key>
std::uint64_t judged(Key key, const TopKOptions& options) {
  const bool is_apart = options.nans_first || options.floats == Floats::nans_last;
  return is_apart && !is_number(key) ? 1 : rank_of(key);
}

struct Shape {
  std::size_t rows, columns, k, stride = 0;
  std::string name() const {
    return std::to_string(rows) + " x " + std::to_string(columns) + ", k = " + std::to_string(k);
  }
};

/// Those of numbers, in their order: of NaNs that are equal any may be found.
template <class Key>
Places places_of_numbers(const std::vector<Key>& row, Places places) {
  places.erase(std::remove_if(places.begin(), places.end(),
                              [&](std::uint32_t place) { return !is_number(row[place]); }),
               places.end());
  std::sort(places.begin(), places.end());
  return places;
}

/// The result of a call, judged.
template <class Key, class Place>
void expect_best(const std::vector<Key>& keys, const Shape& shape, const TopKOptions& options,
                 const Places& ks, const std::vector<Key>& best, const std::vector<Place>& places) {
  const std::size_t room = std::min(shape.k, shape.columns);
  const std::size_t stride = shape.stride == 0 ? shape.columns : shape.stride;
  for (std::size_t r = 0; r < shape.rows; ++r) {
    const auto begin = keys.begin() + static_cast<long>(r * stride);
    const std::vector<Key> row(begin, begin + static_cast<long>(shape.columns));
    const Places expected = expected_places(row, options);
    const std::size_t own = ks.empty() ? room : std::min<std::size_t>(room, ks[r]);
    std::vector<std::uint64_t> wanted, found;
    Places found_places;
    for (std::size_t i = 0; i < own; ++i) {
      const std::size_t at = r * room + i;
      ASSERT_LT(places[at], shape.columns) << shape.name();
      ASSERT_EQ(std::memcmp(&best[at], &row[places[at]], sizeof(Key)), 0) << shape.name();
      wanted.push_back(judged(row[expected[i]], options));
      found.push_back(judged(best[at], options));
      found_places.push_back(static_cast<std::uint32_t>(places[at]));
      if (options.first && options.sorted && is_number(best[at])) {
        ASSERT_EQ(places[at], expected[i]) << shape.name() << ", row " << r << ", " << i;
      }
    }
    if (options.first && !options.sorted) {
      EXPECT_EQ(
          places_of_numbers(row, found_places),
          places_of_numbers(row, {expected.begin(), expected.begin() + static_cast<long>(own)}))
          << shape.name() << ", row " << r;
    }
    if (!options.sorted) {
      std::sort(wanted.begin(), wanted.end());
      std::sort(found.begin(), found.end());
    }
    ASSERT_EQ(wanted, found) << shape.name() << ", row " << r;
    std::sort(found_places.begin(), found_places.end());
    ASSERT_EQ(std::unique(found_places.begin(), found_places.end()), found_places.end());
  }
}

template <class Key, class Place>
void expect_of(const Shape& shape, TopKOptions options, std::uint64_t most = ~std::uint64_t{0},
               bool with_ks = false) {
  const std::size_t room = std::min(shape.k, shape.columns);
  options.stride = shape.stride;
  const std::size_t stride = shape.stride == 0 ? shape.columns : shape.stride;
  const auto keys = random_keys<Key>(shape.rows * stride, most);
  Places ks;
  for (std::size_t r = 0; with_ks && r < shape.rows; ++r) {
    // The second row wants none, the first one nearly all.
    const std::size_t k = r == 1 ? 0 : (r * 7 + shape.k - shape.k / 8) % (shape.k + 3);
    ks.push_back(static_cast<std::uint32_t>(k));
  }
  const OnDevice<Key> in(keys), best(std::vector<Key>(shape.rows * room, Key{}));
  const OnDevice<Place> places(std::vector<Place>(shape.rows * room, 7));
  const OnDevice<std::uint32_t> d_ks(ks);
  if (with_ks) options.d_k = d_ks.get();
  in_two_calls([&](void* d_temp, std::size_t& bytes) {
    return top_k_rows(d_temp, bytes, in.get(), best.get(), places.get(), shape.rows, shape.columns,
                      shape.k, nullptr, options);
  });
  expect_best(keys, shape, options, ks, best.on_host(), places.on_host());
  // One of the two alone, in one call.
  const OnDevice<Key> alone(std::vector<Key>(shape.rows * room, Key{}));
  const OnDevice<Place> places_alone(std::vector<Place>(shape.rows * room, 7));
  EXPECT_EQ(top_k_rows(in.get(), alone.get(), nullptr, shape.rows, shape.columns, shape.k, nullptr,
                       options),
            cudaSuccess);
  EXPECT_EQ(top_k_rows(in.get(), nullptr, places_alone.get(), shape.rows, shape.columns, shape.k,
                       nullptr, options),
            cudaSuccess);
  synchronize();
  const auto found = places_alone.on_host();
  std::vector<Key> there(found.size(), Key{});
  for (std::size_t at = 0; at < found.size(); ++at) {
    const std::size_t own = ks.empty() ? room : std::min<std::size_t>(room, ks[at / room]);
    if (at % room < own) there[at] = keys[at / room * stride + found[at]];
  }
  expect_best(keys, shape, options, ks, there, found);
  if (options.sorted && !with_ks) {
    const auto both = best.on_host(), keys_alone = alone.on_host();
    for (std::size_t i = 0; i < both.size(); ++i) {
      ASSERT_EQ(judged(both[i], options), judged(keys_alone[i], options)) << shape.name();
    }
  }
  expect_same(in.on_host(), keys, "the keys, " + shape.name());
}

const Shape kShapes[] = {
    {1, 1, 1},         {1, 300'001, 50},    {7, 100, 8},     {300, 64, 64},  {33, 257, 300},
    {3, 20'000, 2048}, {2, 50'001, 10'000}, {1000, 1000, 1}, {5, 8192, 256}, {4, 9000, 50, 9100},
    {40, 33'000, 170}, {6, 16'000, 9000},   {9, 2048, 1000}, {70, 256, 100}, {1, 90'000, 20'000}};

const TopKOptions kOptions[] = {
    {},
    {.order = Order::descending, .first = true},
    {.floats = Floats::nans_last, .sorted = false},
    {.order = Order::descending, .floats = Floats::nans_last, .first = true},
    {.nans_first = true},
    {.order = Order::descending, .nans_first = true, .sorted = false, .first = true}};

template <class Key, class Place>
void expect_of_all(std::uint64_t most) {
  std::size_t number = sizeof(Key);
  for (const Shape& shape : kShapes) {
    expect_of<Key, Place>(shape, kOptions[number++ % std::size(kOptions)], most);
    expect_of<Key, Place>(shape, kOptions[number % std::size(kOptions)], most, true);
  }
}

TEST(LibraryTopK, OfEachTypeOfKeys) {
  SKIP_WITHOUT_GPU();
  expect_of_all<float, std::uint32_t>(~std::uint64_t{0});
  expect_of_all<std::int64_t, std::int64_t>(~std::uint64_t{0});
  expect_of_all<double, std::uint64_t>(9);
  expect_of_all<std::uint32_t, std::int32_t>(3);
  expect_of_all<std::int32_t, std::int32_t>(0);
  expect_of_all<std::uint64_t, std::uint32_t>(1000);
  expect_of_all<__half, std::int64_t>(~std::uint64_t{0});
  expect_of_all<__nv_bfloat16, std::int64_t>(~std::uint64_t{0});
  expect_of_all<std::int8_t, std::uint32_t>(~std::uint64_t{0});
}

/// Rows that clusters of blocks hold in any order, or have a sample of; and the same on a GPU that runs no clusters.
TEST(LibraryTopK, InAnyOrderWithAndWithoutClusters) {
  SKIP_WITHOUT_GPU();
  const auto expect_all = [] {
    for (const TopKOptions& options :
         {TopKOptions{.sorted = false},
          TopKOptions{.order = Order::descending, .sorted = false, .first = true}}) {
      for (const Shape& shape :
           {Shape{40, 16'000, 1100}, Shape{20, 32'000, 300}, Shape{8, 33'000, 5000},
            Shape{1, 16'000, 200}, Shape{4, 20'000, 1}, Shape{9, 12'000, 3000}}) {
        expect_of<float, std::uint32_t>(shape, options, 5000);
        expect_of<double, std::int64_t>(shape, options, ~std::uint64_t{0}, true);
      }
      expect_of<double, std::uint32_t>({1, 4'300'000, 100}, options);
    }
  };
  expect_all();
  const gpu::PretendedAttributes older(
      gpu::PretendedAttributes::Values{{cudaDevAttrClusterLaunch, 0}});
  expect_all();
}

/// Few rows and many, as long as those of a warp, of several warps and a little shorter, with most of the keys and few of them.
TEST(LibraryTopK, ShortRowsInAnyOrder) {
  SKIP_WITHOUT_GPU();
  for (const TopKOptions& options :
       {TopKOptions{.sorted = false}, TopKOptions{.order = Order::descending,
                                      .floats = Floats::nans_last,
                                      .sorted = false,
                                      .first = true}}) {
    for (const std::size_t rows : {3, 200, 600}) {
      for (const std::size_t columns : {2, 64, 100, 256, 700, 1024, 2000}) {
        for (const std::size_t k :
             {std::size_t{1}, std::size_t{2}, columns / 5 + 1, columns - 1, columns}) {
          expect_of<float, std::uint32_t>({rows, columns, k, columns + 3}, options, 5000);
          expect_of<double, std::int64_t>({rows, columns, k}, options, 3, true);
        }
      }
    }
    for (const Shape& shape : {Shape{200, 5000, 600}, Shape{140, 8192, 2500}, Shape{600, 4096, 50},
                               Shape{600, 128, 20}}) {
      expect_of<float, std::uint32_t>(shape, options, 5000);
      expect_of<double, std::int64_t>(shape, options, ~std::uint64_t{0}, true);
    }
  }
}

/// k so large that a grid holds the kept items in its registers.
TEST(LibraryTopK, ManyOfALongRow) {
  SKIP_WITHOUT_GPU();
  const Shape shape{1, 1'300'000, 20'000};
  expect_of<float, std::uint32_t>(shape, {.sorted = false});
  expect_of<float, std::uint32_t>(shape, {.order = Order::descending, .first = true}, 50);
  expect_of<float, std::uint32_t>(shape, {.sorted = false, .first = true}, 5000, true);
  expect_of<float, std::uint32_t>(shape, {.order = Order::descending, .first = true}, 5000, true);
}

TEST(LibraryTopK, EachOption) {
  SKIP_WITHOUT_GPU();
  for (const TopKOptions& options : kOptions) {
    for (const Shape& shape : {Shape{9, 3000, 40}, Shape{2, 70'000, 3000}}) {
      expect_of<float, std::uint32_t>(shape, options);
      expect_of<float, std::uint32_t>(shape, options, 30);
      expect_of<double, std::int64_t>(shape, options, 50);
      expect_of<__half, std::int64_t>(shape, options);
    }
  }
}

TEST(LibraryTopK, OfOneArrayWithItsKInMemory) {
  SKIP_WITHOUT_GPU();
  const auto keys = random_keys<float>(100'000);
  const OnDevice<float> in(keys), best(std::vector<float>(100));
  const OnDevice<std::uint32_t> places(Places(100)), d_k(Places{60});
  const TopKOptions options{.order = Order::descending, .first = true, .d_k = d_k.get()};
  EXPECT_EQ(top_k(in.get(), best.get(), places.get(), keys.size(), 100, nullptr, options),
            cudaSuccess);
  synchronize();
  expect_best(keys, {1, keys.size(), 100}, options, {60}, best.on_host(), places.on_host());
}

TEST(LibraryTopK, GraphIsReplayedWithOtherKeysAndKs) {
  SKIP_WITHOUT_GPU();
  for (const Shape& shape : {Shape{16, 40'000, 50}, Shape{3, 30'000, 5000}, Shape{500, 200, 8},
                             Shape{1, 60'000, 3000}, Shape{1, 1'300'000, 20'000}}) {
    const TopKOptions options{
        .order = Order::descending, .floats = Floats::nans_last, .first = true};
    const std::size_t n = shape.rows * shape.columns, found = shape.rows * shape.k;
    const OnDevice<float> in(std::vector<float>(n, 1)), best(std::vector<float>(found, 0));
    const OnDevice<std::uint32_t> places(Places(found, 7)), d_ks(Places(shape.rows, 0));
    TopKOptions given = options;
    given.d_k = d_ks.get();
    cudaStream_t stream = nullptr;
    ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
    const auto call = [&](void* d_temp, std::size_t& bytes) {
      return top_k_rows(d_temp, bytes, in.get(), best.get(), places.get(), shape.rows,
                        shape.columns, shape.k, stream, given);
    };
    std::size_t bytes = 0;
    ASSERT_EQ(call(nullptr, bytes), cudaSuccess);
    const OnDevice<std::byte> temp(std::vector<std::byte>(bytes, std::byte{0x5a}));
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;
    ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
    ASSERT_EQ(call(temp.get(), bytes), cudaSuccess);
    ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
    ASSERT_EQ(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
    for (const std::uint64_t most : {~std::uint64_t{0}, std::uint64_t{0}, std::uint64_t{20}}) {
      auto keys = random_keys<float>(n, most);
      Places ks(shape.rows);
      for (std::size_t r = 0; r < ks.size(); ++r) {
        ks[r] = static_cast<std::uint32_t>((r + most) * 11 % (shape.k + 2));
      }
      ASSERT_EQ(cudaMemcpy(in.get(), keys.data(), n * sizeof(float), cudaMemcpyHostToDevice),
                cudaSuccess);
      ASSERT_EQ(
          cudaMemcpy(d_ks.get(), ks.data(), ks.size() * sizeof(ks[0]), cudaMemcpyHostToDevice),
          cudaSuccess);
      ASSERT_EQ(cudaGraphLaunch(exec, stream), cudaSuccess);
      ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
      expect_best(keys, shape, options, ks, best.on_host(), places.on_host());
    }
    EXPECT_EQ(cudaGraphExecDestroy(exec), cudaSuccess);
    EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
    EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  }
}

/// Weights whose sums are exact, some of them NaN or below 0.
template <class Weight>
std::vector<Weight> some_weights(std::size_t n, std::uint64_t seed) {
  std::vector<Weight> weights(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t word = (i * 2654435761u + seed * 40503u) % 1009;
    weights[i] = word == 7   ? std::numeric_limits<Weight>::quiet_NaN()
                 : word == 9 ? Weight{-1}
                             : static_cast<Weight>(word) / 4096;
  }
  return weights;
}

template <class Weight>
void expect_counts(const Shape& shape, const std::vector<Weight>& weights,
                   const std::vector<float>& ps, const Places& ks, const Places& counts) {
  const TopKOptions options{.order = Order::descending, .floats = Floats::nans_last};
  for (std::size_t r = 0; r < shape.rows; ++r) {
    const auto begin = weights.begin() + static_cast<long>(r * shape.columns);
    const std::vector<Weight> row(begin, begin + static_cast<long>(shape.columns));
    const std::size_t room = std::min(shape.k, shape.columns);
    const std::size_t k = ks.empty() ? room : std::min<std::size_t>(room, ks[r]);
    const Places order = expected_places(row, options);
    double sum = 0;
    std::size_t wanted = 0;
    while (wanted < k && sum < ps[r]) {
      const Weight weight = row[order[wanted++]];
      sum += weight > 0 ? static_cast<double>(weight) : 0;
    }
    ASSERT_EQ(counts[r], wanted) << shape.name() << ", row " << r << ", p = " << ps[r];
  }
}

template <class Weight>
void expect_top_p(const Shape& shape, bool with_ks) {
  const TopKOptions options{.order = Order::descending, .floats = Floats::nans_last, .first = true};
  const std::size_t room = std::min(shape.k, shape.columns);
  std::vector<float> ps(shape.rows);
  Places ks(with_ks ? shape.rows : 0);
  for (std::size_t r = 0; r < shape.rows; ++r) {
    ps[r] = static_cast<float>(r % 5) * static_cast<float>(r % 7) / 4;
    if (with_ks) ks[r] = static_cast<std::uint32_t>(r * 7 % (shape.k + 3));
  }
  const auto weights = some_weights<Weight>(shape.rows * shape.columns, 1);
  const OnDevice<Weight> in(weights), best(std::vector<Weight>(shape.rows * room, 0));
  const OnDevice<std::uint32_t> places(Places(shape.rows * room, 7)), d_ks(ks);
  const OnDevice<std::uint32_t> counts(Places(shape.rows, 99)), again(Places(shape.rows, 99));
  const OnDevice<float> d_ps(ps);
  const TopPOptions given{.d_p = d_ps.get(), .d_k = with_ks ? d_ks.get() : nullptr};
  in_two_calls([&](void* d_temp, std::size_t& bytes) {
    return top_p_rows(d_temp, bytes, in.get(), best.get(), places.get(), counts.get(), shape.rows,
                      shape.columns, shape.k, nullptr, given);
  });
  expect_best(weights, shape, options, ks, best.on_host(), places.on_host());
  expect_counts(shape, weights, ps, ks, counts.on_host());
  // One p for all, in one call, without places.
  EXPECT_EQ(top_p_rows(in.get(), best.get(), nullptr, again.get(), shape.rows, shape.columns,
                       shape.k, nullptr, {.p = 0.75f}),
            cudaSuccess);
  synchronize();
  expect_counts(shape, weights, std::vector<float>(shape.rows, 0.75f), {}, again.on_host());
}

TEST(LibraryTopK, FewestOfARowThatReachASum) {
  SKIP_WITHOUT_GPU();
  for (const Shape& shape : {Shape{40, 1000, 64}, Shape{9, 33'000, 300}, Shape{3, 20'000, 3000},
                             Shape{200, 100, 100}, Shape{1, 50'000, 50}}) {
    expect_top_p<float>(shape, false);
    expect_top_p<double>(shape, true);
  }
}

TEST(LibraryTopK, TopPIsCapturedAndReplayedWithOtherWeights) {
  SKIP_WITHOUT_GPU();
  const Shape shape{12, 32'000, 100};
  const OnDevice<float> in(std::vector<float>(shape.rows * shape.columns, 1));
  const OnDevice<float> best(std::vector<float>(shape.rows * shape.k, 0));
  const OnDevice<float> d_ps(std::vector<float>(shape.rows, 0));
  const OnDevice<std::uint32_t> counts(Places(shape.rows, 99));
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  const auto call = [&](void* d_temp, std::size_t& bytes) {
    return top_p_rows(d_temp, bytes, in.get(), best.get(), nullptr, counts.get(), shape.rows,
                      shape.columns, shape.k, stream, {.d_p = d_ps.get()});
  };
  std::size_t bytes = 0;
  ASSERT_EQ(call(nullptr, bytes), cudaSuccess);
  const OnDevice<std::byte> temp(std::vector<std::byte>(bytes, std::byte{0x5a}));
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
  ASSERT_EQ(call(temp.get(), bytes), cudaSuccess);
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  ASSERT_EQ(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
  for (const std::uint64_t seed : {3, 4}) {
    const auto weights = some_weights<float>(shape.rows * shape.columns, seed);
    std::vector<float> ps(shape.rows);
    for (std::size_t r = 0; r < ps.size(); ++r) ps[r] = static_cast<float>(r * seed) / 2;
    ASSERT_EQ(cudaMemcpy(in.get(), weights.data(), weights.size() * sizeof(float),
                         cudaMemcpyHostToDevice),
              cudaSuccess);
    ASSERT_EQ(cudaMemcpy(d_ps.get(), ps.data(), ps.size() * sizeof(float), cudaMemcpyHostToDevice),
              cudaSuccess);
    ASSERT_EQ(cudaGraphLaunch(exec, stream), cudaSuccess);
    ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    expect_counts(shape, weights, ps, {}, counts.on_host());
  }
  EXPECT_EQ(cudaGraphExecDestroy(exec), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

TEST(LibraryTopK, TopPRefusesWhatItIsNotGiven) {
  std::size_t bytes = 0, some = 1 << 20;
  float* const none = nullptr;
  std::uint32_t* const no_counts = nullptr;
  EXPECT_EQ(top_p_rows(nullptr, bytes, none, none, nullptr, no_counts, 3, 100, 5), cudaSuccess);
  EXPECT_GT(bytes, 0u);
  EXPECT_EQ(top_p_rows(&bytes, some, none, none, nullptr, no_counts, 3, 100, 5),
            cudaErrorInvalidValue);
  EXPECT_EQ(top_p_rows(&bytes, some, none, none, nullptr, no_counts, 0, 100, 5), cudaSuccess);
  SKIP_WITHOUT_GPU();
  const OnDevice<float> in(std::vector<float>(300, 1));
  const OnDevice<std::uint32_t> places(Places(15)), counts(Places(3, 99));
  EXPECT_EQ(top_p_rows(in.get(), none, places.get(), counts.get(), 3, 100, 5),
            cudaErrorInvalidValue);
  EXPECT_EQ(top_p_rows(in.get(), none, nullptr, counts.get(), 3, 100, 0), cudaSuccess);
  synchronize();
  EXPECT_EQ(counts.on_host(), Places(3, 0));
}

TEST(LibraryTopK, TheMemoryIsKnownWithoutAGpu) {
  std::size_t bytes = 0;
  const float* const keys = nullptr;
  for (const Shape& shape : kShapes) {
    EXPECT_EQ(top_k_rows(nullptr, bytes, keys, nullptr, static_cast<std::uint32_t*>(nullptr),
                         shape.rows, shape.columns, shape.k),
              cudaSuccess)
        << shape.name();
    EXPECT_GT(bytes, 0u);
  }
}

/// Rows that lie far apart are found some at a time. The last ones are fewer, and another way may find them.
TEST(LibraryTopK, TheMemoryIsEnoughForTheLastRows) {
  const float* const none = nullptr;
  std::uint32_t* const no_places = nullptr;
  const auto bytes_of = [&](std::size_t rows, std::size_t columns, std::size_t k,
                            std::size_t stride) {
    TopKOptions options;
    options.stride = stride;
    std::size_t bytes = 0;
    EXPECT_EQ(
        top_k_rows(nullptr, bytes, none, nullptr, no_places, rows, columns, k, nullptr, options),
        cudaSuccess);
    return bytes;
  };
  constexpr std::size_t kFar = std::size_t{1} << 30;
  EXPECT_GE(bytes_of(3, 20'000, 300, kFar), bytes_of(1, 20'000, 300, kFar));
  EXPECT_GE(bytes_of(127, 32'768, 2048, kFar >> 5), bytes_of(63, 32'768, 2048, kFar >> 5));
}

TEST(LibraryTopK, RefusesWhatItIsNotGiven) {
  std::size_t bytes = 0;
  float* const none = nullptr;
  EXPECT_EQ(top_k(nullptr, bytes, none, none, nullptr, 100, 5), cudaSuccess);
  EXPECT_GT(bytes, 0u);
  std::size_t few = 1;
  EXPECT_EQ(top_k(&bytes, few, none, none, nullptr, 100, 5), cudaErrorInvalidValue);
  EXPECT_EQ(top_k(&bytes, bytes, none, none, nullptr, 100, 5), cudaErrorInvalidValue);
  const TopKOptions overlapping{.stride = 50};
  EXPECT_EQ(top_k_rows(nullptr, bytes, none, none, nullptr, 2, 100, 5, nullptr, overlapping),
            cudaErrorInvalidValue);
  EXPECT_EQ(top_k(nullptr, bytes, none, none, nullptr, std::size_t{1} << 32, 5),
            cudaErrorInvalidValue);
  // Nothing is asked for.
  EXPECT_EQ(top_k(nullptr, bytes, none, none, nullptr, 0, 5), cudaSuccess);
  EXPECT_EQ(top_k(&few, bytes, none, none, nullptr, 0, 5), cudaSuccess);
  EXPECT_EQ(top_k(&few, bytes, none, none, nullptr, 100, 0), cudaSuccess);
}

}  // namespace
}  // namespace sortlab::cuda
