// sortlab::cuda as it is called: memory, errors, streams, graphs, devices, threads.
#include <functional>
#include <thread>

#include "tests/gpu/library/items.cuh"

namespace sortlab::cuda {
namespace {

TEST(Memory, IsToldWithoutAGpu) {
  const std::uint32_t* const none = nullptr;
  std::uint32_t* const nowhere = nullptr;
  for (const std::size_t n :
       {std::size_t{0}, std::size_t{1000}, std::size_t{1} << 24, std::size_t{1} << 33}) {
    std::size_t bytes = 0;
    EXPECT_EQ(sort_keys(nullptr, bytes, none, nowhere, n), cudaSuccess);
    EXPECT_GT(bytes, n * sizeof(std::uint32_t));
    EXPECT_LT(bytes, n * sizeof(std::uint32_t) * 5 / 4 + (8u << 20));
    std::size_t bytes_with_values = 0;
    EXPECT_EQ(sort_pairs(nullptr, bytes_with_values, none, nowhere, none, nowhere, n), cudaSuccess);
    EXPECT_GT(bytes_with_values, n * 2 * sizeof(std::uint32_t));
    DoubleBuffer<std::uint32_t> buffer;
    std::size_t bytes_of_buffer = 0;
    EXPECT_EQ(sort_keys(nullptr, bytes_of_buffer, buffer, n), cudaSuccess);
    EXPECT_LT(bytes_of_buffer, n / 2 + (8u << 20));
  }
  std::size_t bytes = 0;
  EXPECT_EQ(sort(nullptr, bytes, static_cast<const Item<3>*>(nullptr),
                 static_cast<Item<3>*>(nullptr), 1000, ByNumber{}),
            cudaSuccess);
  EXPECT_GT(bytes, 1000 * sizeof(Item<3>));
}

/// A call of each kind for n items, whose arrays begin at `address`.
struct EachCall {
  std::size_t n;
  void* address;

  template <class T>
  T* at() const {
    return static_cast<T*>(address);
  }
  /// Calls use(name, call) with call(d_temp, bytes).
  template <class Use>
  void operator()(Use use) const {
    use("sort_keys", [this](void* d_temp, std::size_t& bytes) {
      return sort_keys(d_temp, bytes, at<float>(), at<float>(), n);
    });
    use("sort_keys of a double buffer", [this](void* d_temp, std::size_t& bytes) {
      DoubleBuffer<__half> buffer{at<__half>(), at<__half>()};
      return sort_keys(d_temp, bytes, buffer, n);
    });
    use("sort_pairs", [this](void* d_temp, std::size_t& bytes) {
      return sort_pairs(d_temp, bytes, at<char>(), at<char>(), at<Value<12>>(), at<Value<12>>(), n);
    });
    use("sort_pairs of double buffers", [this](void* d_temp, std::size_t& bytes) {
      DoubleBuffer<long long> keys{at<long long>(), at<long long>()};
      DoubleBuffer<double> values{at<double>(), at<double>()};
      return sort_pairs(d_temp, bytes, keys, values, n);
    });
    use("argsort", [this](void* d_temp, std::size_t& bytes) {
      return argsort(d_temp, bytes, at<int>(), at<std::uint64_t>(), n);
    });
    use("sort by less", [this](void* d_temp, std::size_t& bytes) {
      return stable_sort(d_temp, bytes, at<float>(), at<float>(), n, std::less<>{});
    });
    by_comparison(use);
  }

 private:
  template <class Use>
  void by_comparison(Use use) const {
    use("sort", [this](void* d_temp, std::size_t& bytes) {
      return sort(d_temp, bytes, at<Item<3>>(), at<Item<3>>(), n, ByNumber{});
    });
    use("sort of large items", [this](void* d_temp, std::size_t& bytes) {
      return sort(d_temp, bytes, at<Item<50>>(), at<Item<50>>(), n, ByNumber{});
    });
    use("sort_pairs by a comparison", [this](void* d_temp, std::size_t& bytes) {
      return sort_pairs(d_temp, bytes, at<Item<3>>(), at<Item<3>>(), at<Value<16>>(),
                        at<Value<16>>(), n, ByNumber{});
    });
    use("argsort by a comparison", [this](void* d_temp, std::size_t& bytes) {
      return argsort(d_temp, bytes, at<Item<3>>(), at<std::uint32_t>(), n, ByNumber{});
    });
  }
};

TEST(EachCall, TellsItsMemoryWithoutArraysOrGpu) {
  EachCall{1000, nullptr}([](const std::string& name, auto call) {
    std::size_t bytes = 0;
    EXPECT_EQ(call(nullptr, bytes), cudaSuccess) << name;
    EXPECT_GT(bytes, 0u) << name;
    std::size_t again = ~std::size_t{0};
    EXPECT_EQ(call(nullptr, again), cudaSuccess) << name;
    EXPECT_EQ(again, bytes) << name;
  });
}
TEST(EachCall, RefusesTooLittleMemory) {
  std::byte somewhere[8];
  EachCall{1000, somewhere}([&](const std::string& name, auto call) {
    std::size_t bytes = 0;
    ASSERT_EQ(call(nullptr, bytes), cudaSuccess) << name;
    --bytes;
    EXPECT_EQ(call(somewhere, bytes), cudaErrorInvalidValue) << name;
    bytes = 0;
    EXPECT_EQ(call(somewhere, bytes), cudaErrorInvalidValue) << name;
  });
}
TEST(EachCall, RefusesNullArraysUnlessEmpty) {
  std::vector<std::byte> temp(1 << 22);  // nothing is launched
  for (const std::size_t n : {0u, 1000u}) {
    EachCall{n, nullptr}([&](const std::string& name, auto call) {
      std::size_t bytes = temp.size();
      EXPECT_EQ(call(temp.data(), bytes), n == 0 ? cudaSuccess : cudaErrorInvalidValue) << name;
    });
  }
}
TEST(EachCall, ReturnsAnErrorWithoutAGpu) {
  if (device_unavailable().empty()) GTEST_SKIP() << "there is a GPU";
  std::vector<std::byte> temp(1 << 22);
  EachCall{1000, temp.data()}([&](const std::string& name, auto call) {
    std::size_t bytes = temp.size();
    const cudaError_t status = call(temp.data(), bytes);
    EXPECT_TRUE(status == cudaErrorNoDevice || status == cudaErrorInsufficientDriver)
        << name << ": " << cudaGetErrorName(status);
  });
  EXPECT_NE(sort_keys(reinterpret_cast<int*>(temp.data()), 1000), cudaSuccess);
}
TEST(EachCall, TakesMoreThan32BitsOfItems) {
  for (const std::size_t n : {(std::size_t{1} << 31) + 1, (std::size_t{1} << 32) + 1}) {
    EachCall{n, nullptr}([n](const std::string& name, auto call) {
      std::size_t bytes = 0;
      const bool has_narrow_index = name.find("argsort by") != std::string::npos ||
                                    name.find("pairs by") != std::string::npos ||
                                    name.find("large items") != std::string::npos;
      const bool is_refused = has_narrow_index && n >> 32 != 0;
      EXPECT_EQ(call(nullptr, bytes), is_refused ? cudaErrorInvalidValue : cudaSuccess) << name;
    });
  }
  std::size_t bytes = 0;
  EXPECT_EQ(argsort(nullptr, bytes, static_cast<const int*>(nullptr), static_cast<int*>(nullptr),
                    (std::size_t{1} << 32) + 1),
            cudaErrorInvalidValue);
}
TEST(EachCall, LeavesEmptyBuffersAsTheyAre) {
  std::vector<std::byte> temp(1 << 22);
  std::size_t bytes = temp.size();
  float keys[2];
  Item<3> items[2];
  DoubleBuffer<float> buffer{&keys[0], &keys[1]};
  EXPECT_EQ(sort_keys(temp.data(), bytes, buffer, 0), cudaSuccess);
  EXPECT_EQ(buffer.current, &keys[0]);
  DoubleBuffer<Item<3>> item_buffer{&items[0], &items[1]};
  EXPECT_EQ(sort(temp.data(), bytes, item_buffer, 0, ByNumber{}), cudaSuccess);
  EXPECT_EQ(item_buffer.current, &items[0]);
}

/// Counts, and gives what is asked for, or nothing.
struct CountingMemory {
  std::size_t most;
  int allocations = 0;
  int deallocations = 0;

  void* allocate(std::size_t bytes, cudaStream_t) {
    void* d_memory = nullptr;
    if (bytes <= most && cudaMalloc(&d_memory, bytes) == cudaSuccess) ++allocations;
    return d_memory;
  }
  void deallocate(void* d_memory, std::size_t, cudaStream_t stream) {
    ++deallocations;
    (void)cudaStreamSynchronize(stream);
    (void)cudaFree(d_memory);
  }
};

TEST(Memory, MayComeFromTheUser) {
  SKIP_WITHOUT_GPU();
  const auto keys = random_keys<int>(10'007);
  const OnDevice<int> d_keys(keys);
  CountingMemory memory{1 << 30};
  ASSERT_EQ(sort_keys(d_keys.get(), keys.size(), nullptr, {}, memory), cudaSuccess);
  EXPECT_EQ(memory.allocations, 1);
  EXPECT_EQ(memory.deallocations, 1);
  expect_same(d_keys.on_host(), in_order(keys, expected_order(keys, Order::ascending)),
              "own memory");
  CountingMemory none{0};
  EXPECT_EQ(sort_keys(d_keys.get(), keys.size(), nullptr, {}, none), cudaErrorMemoryAllocation);
}

/// Captures what `enqueue(stream)` does, and runs the graph.
template <class Enqueue>
void run_as_graph(Enqueue enqueue) {
  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t runnable = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
  EXPECT_EQ(enqueue(stream), cudaSuccess);
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  ASSERT_EQ(cudaGraphInstantiate(&runnable, graph, 0), cudaSuccess);
  ASSERT_EQ(cudaGraphLaunch(runnable, stream), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  (void)cudaGraphExecDestroy(runnable);
  (void)cudaGraphDestroy(graph);
  (void)cudaStreamDestroy(stream);
}

TEST(Graphs, HoldSorts) {
  SKIP_WITHOUT_GPU();
  for (const std::size_t n : {1000u, 10'007u, 100'003u, 1'100'003u, 4'300'007u}) {
    const auto keys = random_keys<std::uint32_t>(n);
    const auto items = random_items<Item<3>>(n);
    const auto values = numbered_values<Value<16>>(n);
    const auto order = expected_order(keys, Order::ascending);
    const OnDevice<std::uint32_t> keys_in(keys);
    const OnDevice<std::uint32_t> keys_out(keys);
    const OnDevice<Value<16>> values_in(values);
    const OnDevice<Value<16>> values_out(values);
    std::size_t bytes = 0;
    const auto sort_them = [&](void* d_temp, cudaStream_t stream) {
      return sort_pairs(d_temp, bytes, keys_in.get(), keys_out.get(), values_in.get(),
                        values_out.get(), n, stream);
    };
    ASSERT_EQ(sort_them(nullptr, nullptr), cudaSuccess);
    const OnDevice<std::byte> temp(std::vector<std::byte>(bytes + 1));
    run_as_graph([&](cudaStream_t stream) { return sort_them(temp.get(), stream); });
    expect_same(keys_out.on_host(), in_order(keys, order), "keys of a graph");
    expect_same(values_out.on_host(), in_order(values, order), "values of a graph");

    const OnDevice<Item<3>> d_items(items);
    run_as_graph(
        [&](cudaStream_t stream) { return sort(d_items.get(), n, ByDistance{10}, stream); });
    expect_same(d_items.on_host(), in_order(items, expected_order(items, ByDistance{10})),
                "items of a graph");
  }
}

TEST(Devices, SortOnTheirOwn) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices < 2) GTEST_SKIP() << "one GPU";
  for (int device = devices - 1; device >= 0; --device) {
    const sortlab::OnDevice current(device);
    for (const std::size_t n : {1000u, 50'000u, 3'000'017u}) {
      const auto keys = random_keys<std::uint32_t>(n);
      const auto items = random_items<Item<3>>(n);
      const OnDevice<std::uint32_t> d_keys(keys);
      const OnDevice<Item<3>> d_items(items);
      ASSERT_EQ(sort_keys(d_keys.get(), n), cudaSuccess);
      ASSERT_EQ(sort(d_items.get(), n, ByNumber{}), cudaSuccess);
      synchronize();
      expect_same(d_keys.on_host(), in_order(keys, expected_order(keys, Order::ascending)),
                  "keys of GPU " + std::to_string(device));
      expect_same(d_items.on_host(), in_order(items, expected_order(items, ByNumber{})),
                  "items of GPU " + std::to_string(device));
    }
  }
}

TEST(Threads, SortOnTheirOwnStreamsAtOnce) {
  SKIP_WITHOUT_GPU();
  constexpr int kThreads = 4;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([t] {
      cudaStream_t stream = nullptr;
      ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
      for (const std::size_t n : {1000u, 50'000u, 300'007u, 3'000'017u}) {
        const auto keys = random_keys<std::uint32_t>(n + static_cast<std::size_t>(t));
        const auto items = random_items<Item<3>>(n + static_cast<std::size_t>(t));
        const OnDevice<std::uint32_t> d_keys(keys);
        const OnDevice<Item<3>> d_items(items);
        const ByDistance by{static_cast<float>(100 * t)};
        ASSERT_EQ(sort_keys(d_keys.get(), keys.size(), stream), cudaSuccess);
        ASSERT_EQ(sort(d_items.get(), items.size(), by, stream), cudaSuccess);
        ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
        expect_same(d_keys.on_host(), in_order(keys, expected_order(keys, Order::ascending)),
                    "keys of a thread");
        expect_same(d_items.on_host(), in_order(items, expected_order(items, by)),
                    "items of a thread");
      }
      (void)cudaStreamDestroy(stream);
    });
  }
  for (auto& thread : threads) thread.join();
}

}  // namespace
}  // namespace sortlab::cuda
