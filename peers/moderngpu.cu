// moderngpu's merge sort (Baxter 2013; version 2).
//
// source    github.com/moderngpu/moderngpu, commit 267cc8d0 of 2026-01-16. Its launch box has no entry
//           for newer GPUs: they get the shape of sm_52, 128 threads with 15 keys each.
// licence   BSD-2-Clause
// threads   a GPU
// orders    by `<`: floats without NaN and -0
// pairs     keys and values move in their own arrays
// limits    n < 2^31
// state     compiled with CUDA 13.0 for sm_90; it has not run yet
#include <cstdarg>
#include <moderngpu/kernel_mergesort.hxx>

#include "common.hpp"

namespace {

constexpr size_t kAlignment = 256;
size_t padded(size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

/// moderngpu's idea of a device: here the job's stream, and its workspace as memory. The library
/// frees in the opposite order of its allocations, so a pointer to the first free byte will do.
class Context : public mgpu::context_t {
 public:
  Context() {
    int device = 0;
    cudaGetDevice(&device);
    cudaGetDeviceProperties(&props_, device);
    cudaFuncAttributes kernel{};
    if (const auto error = cudaFuncGetAttributes(&kernel, mgpu::dummy_k<0>); error != cudaSuccess)
      throw mgpu::cuda_exception_t(error);
    ptx_version_ = kernel.ptxVersion;
  }
  void begin(const sortlab_job* job) {
    stream_ = job->stream;
    first_ = static_cast<char*>(job->workspace);
    end_ = first_ + job->workspace_bytes;
  }

  const cudaDeviceProp& props() const override { return props_; }
  int ptx_version() const override { return ptx_version_; }
  cudaStream_t stream() override { return stream_; }
  void* alloc(size_t bytes, mgpu::memory_space_t) override {
    if (bytes == 0) return nullptr;
    if (padded(bytes) > static_cast<size_t>(end_ - first_)) throw std::bad_alloc();
    return std::exchange(first_, first_ + padded(bytes));
  }
  void free(void* memory, mgpu::memory_space_t) override {
    if (memory != nullptr) first_ = static_cast<char*>(memory);
  }
  void synchronize() override {}
  cudaEvent_t event() override { return nullptr; }
  void timer_begin() override {}
  double timer_end() override { return 0; }

 private:
  cudaDeviceProp props_{};
  int ptx_version_ = 0;
  cudaStream_t stream_ = nullptr;
  char *first_ = nullptr, *end_ = nullptr;
};

struct Less {
  template <class Key>
  __device__ bool operator()(const Key& a, const Key& b) const {
    return a < b;
  }
};

struct Mergesort {
  static Context& context_of(const sortlab_job* job) {
    auto& context = *static_cast<Context*>(job->state);
    context.begin(job);
    return context;
  }
  static void check() {
    if (const auto error = cudaGetLastError(); error != cudaSuccess)
      throw mgpu::cuda_exception_t(error);
  }
  template <class Key>
  static void keys(const sortlab_job* job) {
    mgpu::mergesort(static_cast<Key*>(job->keys), static_cast<int>(job->n), Less{},
                    context_of(job));
    check();
  }
  template <class Key>
  static void pairs(const sortlab_job* job) {
    mgpu::mergesort(static_cast<Key*>(job->keys), static_cast<uint32_t*>(job->values),
                    static_cast<int>(job->n), Less{}, context_of(job));
    check();
  }
};

/// A second array of keys, one of values, and a table of partitions, which are not smaller than 640.
int32_t workspace_bytes(const sortlab_job* job, size_t* bytes) {
  if (job->n >= size_t{1} << 31) {
    std::snprintf(job->message, job->message_bytes, "it sorts fewer than 2^31 keys");
    return SORTLAB_UNSUPPORTED;
  }
  *bytes = padded(job->n * peers::key_bytes(job)) + padded(job->n * job->value_bytes) +
           padded((job->n / 640 + 2) * sizeof(int));
  return SORTLAB_OK;
}

int32_t create(const sortlab_job* job, void** state) {
  return peers::guarded(job, [=] { *state = new Context; });
}

constexpr auto kInstances = peers::all_types<Mergesort>(SORTLAB_STABLE, SORTLAB_STABLE);

const sortlab_sort sorts[] = {{.name = "mergesort",
                               .summary = "mgpu::mergesort",
                               .traits = SORTLAB_DEVICE,
                               .instances = kInstances.data(),
                               .instance_count = kInstances.size(),
                               .workspace_bytes = workspace_bytes,
                               .create = create,
                               .destroy = peers::destroy<Context>}};

}  // namespace

SORTLAB_PLUGIN("moderngpu", PEER_VERSION, sorts)
