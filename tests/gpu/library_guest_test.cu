// sortlab::cuda in a program that does more with CUDA than sort: errors it has not looked at yet, contexts that end,
// captures of other threads, streams of other GPUs, sorts while the process ends.
#include <cuda.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <thread>

#include "tests/gpu/library/items.cuh"

namespace sortlab::cuda {
namespace {

__global__ void does_nothing() {}

/// An error that nobody has looked at: a block of too many threads.
cudaError_t leave_an_error() {
  does_nothing<<<1, 5000>>>();
  return cudaPeekAtLastError();
}

class Stream {
 public:
  Stream() { EXPECT_EQ(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), cudaSuccess); }
  ~Stream() { (void)cudaStreamDestroy(stream_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

/// A sort of each kind for n items. Its arrays are made first, as a capture of another thread forbids that.
class Sorts {
 public:
  explicit Sorts(std::size_t n)
      : keys_(random_keys<std::uint32_t>(n)),
        wide_keys_(random_keys<double>(n)),
        items_(random_items<Item<3>>(n)),
        places_(numbered_values<std::uint32_t>(n)),
        d_keys_(keys_),
        d_sorted_(keys_),
        d_values_(places_),
        d_wide_keys_(wide_keys_),
        d_order_(places_),
        d_items_(items_) {
    each([&](const char*, auto call) {
      std::size_t bytes = 0;
      EXPECT_EQ(call(nullptr, bytes, nullptr), cudaSuccess);
      temp_bytes_ = std::max(temp_bytes_, bytes);
    });
    d_temp_ = std::make_unique<OnDevice<std::byte>>(std::vector<std::byte>(temp_bytes_));
  }

  /// use(name, status) after each call, with the memory of two steps or of one.
  template <class Use>
  void enqueue(cudaStream_t stream, Use use) const {
    each([&](const char* name, auto call) {
      std::size_t bytes = temp_bytes_;
      use(name, call(d_temp_->get(), bytes, stream));
    });
    use("sort_keys in one call", sort_keys(d_keys_.get(), d_sorted_.get(), keys_.size(), stream));
    use("sort_pairs in one call", sort_pairs(d_keys_.get(), d_sorted_.get(), d_order_.get(),
                                             d_values_.get(), keys_.size(), stream));
    use("sort in one call", sort(d_items_.get(), items_.size(), ByNumber{}, stream));
  }
  void enqueue(cudaStream_t stream) const {
    enqueue(stream, [&](const char* name, cudaError_t status) {
      EXPECT_EQ(status, cudaSuccess) << name << ", n = " << keys_.size();
    });
  }

  void expect_sorted() const {
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    expect_same(d_sorted_.on_host(), in_order(keys_, expected_order(keys_, Order::ascending)),
                "keys");
    expect_same(d_order_.on_host(), expected_order(wide_keys_, Order::ascending), "argsort");
    expect_same(d_items_.on_host(), in_order(items_, expected_order(items_, ByNumber{})), "items");
  }

 private:
  template <class Use>
  void each(Use use) const {
    const std::size_t n = keys_.size();
    use("sort_keys", [this, n](void* d_temp, std::size_t& bytes, cudaStream_t stream) {
      return sort_keys(d_temp, bytes, d_keys_.get(), d_sorted_.get(), n, stream);
    });
    use("argsort", [this, n](void* d_temp, std::size_t& bytes, cudaStream_t stream) {
      return argsort(d_temp, bytes, d_wide_keys_.get(), d_order_.get(), n, stream);
    });
    use("sort", [this, n](void* d_temp, std::size_t& bytes, cudaStream_t stream) {
      return sort(d_temp, bytes, d_items_.get(), d_items_.get(), n, ByNumber{}, stream);
    });
  }

  std::vector<std::uint32_t> keys_;
  std::vector<double> wide_keys_;
  std::vector<Item<3>> items_;
  std::vector<std::uint32_t> places_;
  OnDevice<std::uint32_t> d_keys_;
  OnDevice<std::uint32_t> d_sorted_;
  OnDevice<std::uint32_t> d_values_;
  OnDevice<double> d_wide_keys_;
  OnDevice<std::uint32_t> d_order_;
  OnDevice<Item<3>> d_items_;
  std::size_t temp_bytes_ = 0;
  std::unique_ptr<OnDevice<std::byte>> d_temp_;
};

/// Of each sort that is chosen: of a block, a cluster, a grid, levels and sweeps.
const std::size_t kSizes[] = {1, 1000, 10'007, 100'003, 1'100'009, 4'300'007};

void expect_sorts_work(cudaStream_t stream = nullptr) {
  for (const std::size_t n : kSizes) {
    const Sorts sorts(n);
    sorts.enqueue(stream);
    sorts.expect_sorted();
  }
}

class Guest : public testing::Test {
  void SetUp() override {
    SKIP_WITHOUT_GPU();
    ASSERT_EQ(cudaDeviceReset(), cudaSuccess);
  }
};

TEST_F(Guest, LeavesThePendingErrorOfTheProgram) {
  for (const std::size_t n : kSizes) {
    for (const char* time : {"first", "later"}) {
      const Sorts sorts(n);
      const cudaError_t left = leave_an_error();
      ASSERT_NE(left, cudaSuccess);
      sorts.enqueue(nullptr, [&](const char* name, cudaError_t status) {
        EXPECT_EQ(status, cudaSuccess) << name;
        EXPECT_EQ(cudaGetLastError(), left) << time << ' ' << name << ", n = " << n;
        leave_an_error();
      });
      EXPECT_EQ(cudaGetLastError(), left);
      sorts.expect_sorted();
    }
  }
}

TEST_F(Guest, LeavesNoErrorOfItsOwn) {
  const Sorts sorts(1000);
  const OnDevice<std::uint32_t> d_keys(std::vector<std::uint32_t>(1000));
  EXPECT_EQ(sort_keys(d_keys.get(), std::size_t{1} << 44), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
  std::size_t bytes = 1;
  EXPECT_EQ(sort_keys(d_keys.get(), bytes, d_keys.get(), d_keys.get(), 1000),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
  sorts.enqueue(nullptr);
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
  sorts.expect_sorted();
}

TEST_F(Guest, SortsAfterADeviceReset) {
  for (int i = 0; i < 3; ++i) {
    expect_sorts_work();
    ASSERT_EQ(cudaDeviceReset(), cudaSuccess);
  }
}

/// The driver's function, without linking its library.
template <class Function>
Function driver_function(const char* name) {
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found{};
  EXPECT_EQ(cudaGetDriverEntryPointByVersion(name, &entry, 4000, cudaEnableDefault, &found),
            cudaSuccess);
  return reinterpret_cast<Function>(entry);
}

TEST_F(Guest, SortsInAContextOfTheProgram) {
  expect_sorts_work();
  const auto create = driver_function<CUresult (*)(CUcontext*, unsigned, CUdevice)>("cuCtxCreate");
  const auto destroy = driver_function<CUresult (*)(CUcontext)>("cuCtxDestroy");
  for (int i = 0; i < 2; ++i) {
    CUcontext context = nullptr;
    ASSERT_EQ(create(&context, 0, 0), CUDA_SUCCESS);
    expect_sorts_work();
    ASSERT_EQ(destroy(context), CUDA_SUCCESS);
    expect_sorts_work();
  }
}

/// The first sorts in a context load code and ask the driver, which a capture forbids in some ways.
TEST_F(Guest, SortsDuringACaptureOfAnotherThread) {
  for (const std::size_t n : kSizes) {
    ASSERT_EQ(cudaDeviceReset(), cudaSuccess);
    const Sorts sorts(n);
    const Stream captured;
    const Stream other;
    cudaGraph_t graph = nullptr;
    ASSERT_EQ(cudaStreamBeginCapture(captured.get(), cudaStreamCaptureModeGlobal), cudaSuccess);
    std::thread([&] { sorts.enqueue(other.get()); }).join();
    does_nothing<<<1, 1, 0, captured.get()>>>();
    EXPECT_EQ(cudaStreamEndCapture(captured.get(), &graph), cudaSuccess) << "n = " << n;
    (void)cudaGraphDestroy(graph);
    sorts.expect_sorted();
  }
}

TEST_F(Guest, CanBeCapturedFirst) {
  for (const std::size_t n : kSizes) {
    ASSERT_EQ(cudaDeviceReset(), cudaSuccess);
    const Sorts sorts(n);
    const Stream stream;
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t runnable = nullptr;
    ASSERT_EQ(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeGlobal), cudaSuccess);
    sorts.enqueue(stream.get());
    ASSERT_EQ(cudaStreamEndCapture(stream.get(), &graph), cudaSuccess) << "n = " << n;
    ASSERT_EQ(cudaGraphInstantiate(&runnable, graph, 0), cudaSuccess);
    ASSERT_EQ(cudaGraphLaunch(runnable, stream.get()), cudaSuccess);
    sorts.expect_sorted();
    (void)cudaGraphExecDestroy(runnable);
    (void)cudaGraphDestroy(graph);
  }
}

TEST_F(Guest, SortsOnTheDeviceOfTheStream) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices < 2) GTEST_SKIP() << "one GPU";
  for (const std::size_t n : kSizes) {
    std::unique_ptr<Stream> stream;
    std::unique_ptr<Sorts> sorts;
    {
      const sortlab::OnDevice other(1);
      stream = std::make_unique<Stream>();
      sorts = std::make_unique<Sorts>(n);
    }
    sorts->enqueue(stream->get());
    int current = -1;
    EXPECT_EQ(cudaGetDevice(&current), cudaSuccess);
    EXPECT_EQ(current, 0);
    const sortlab::OnDevice other(1);
    sorts->expect_sorted();
    sorts.reset();
    stream.reset();
  }
}

/// Sorts when the statics of its program end.
struct SortsAtExit {
  std::uint32_t* d_keys = nullptr;
  ~SortsAtExit() {
    const cudaError_t status = sort_keys(d_keys, 1'100'009);
    std::fprintf(stderr, "at exit: %s\n", cudaGetErrorName(status));
  }
};

TEST(GuestDeathTest, SortsAtExitOrReturnsAnError) {
  SKIP_WITHOUT_GPU();
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        static SortsAtExit at_exit;
        (void)cudaMalloc(&at_exit.d_keys, 1'100'009 * sizeof(std::uint32_t));
        (void)sort_keys(at_exit.d_keys, 1'100'009);
        std::exit(0);
      },
      testing::ExitedWithCode(0), "at exit: cuda");
}

}  // namespace
}  // namespace sortlab::cuda
