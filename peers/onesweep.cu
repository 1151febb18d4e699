// OneSweep of GPUSorting: a radix sort with one pass over the data per digit (Adinets and Merrill
// 2022), by Thomas Smith.
//
// source    github.com/b0nes164/GPUSorting, commit 09a6081d of 2024-09-23; its kernels. Its own
//           dispatcher, which allocates and waits, is written anew here for a stream and lent memory.
// licence   MIT
// threads   a GPU
// orders    u32 ascending
// pairs     keys and values move in their own arrays
// limits    n < 2^30: it keeps counts in 30 bits
// state     compiled with CUDA 13.0 for sm_90; it has not run yet
#include <cstdio>
#include <utility>

// A pragma of the source names its macro of this name, and GCC does not expand macros in pragmas.
constexpr unsigned BIN_KEYS_PER_THREAD = 15;
#include <OneSweep.cu>

#include "sortlab_plugin.h"

namespace {

// As its dispatcher has them.
constexpr uint32_t kRadix = 256, kPasses = 4;
constexpr uint32_t kPartition = 7680, kThreads = 512;
constexpr uint32_t kHistogramPartition = 65536, kHistogramThreads = 128;
constexpr size_t kMaxN = (size_t{1} << 30) - 1;

size_t blocks_of(size_t n, size_t partition) { return (n + partition - 1) / partition; }

/// Counters, in this order: a tile's number per pass (padded), the histogram of each pass, and of each
/// pass the histograms of its tiles. A tile adds to the histogram after its own, so the last one needs
/// one more.
constexpr size_t kIndex = 64;
size_t counters_of_pass(size_t n) { return kRadix * (blocks_of(n, kPartition) + 1); }
size_t counters(size_t n) { return kIndex + kPasses * kRadix + kPasses * counters_of_pass(n); }

int32_t workspace_bytes(const sortlab_job* job, size_t* bytes) {
  *bytes = counters(job->n) * sizeof(uint32_t);
  return SORTLAB_OK;
}

int32_t sort(const sortlab_job* job) {
  if (job->n == 0) return SORTLAB_IN_KEYS;
  if (job->n > kMaxN) {
    std::snprintf(job->message, job->message_bytes, "it sorts fewer than 2^30 keys");
    return SORTLAB_UNSUPPORTED;
  }
  const auto n = static_cast<uint32_t>(job->n);
  const auto blocks = static_cast<uint32_t>(blocks_of(n, kPartition));
  auto* const index = static_cast<uint32_t*>(job->workspace);
  uint32_t* const histogram = index + kIndex;
  const auto of_pass = [=](uint32_t pass) {
    return histogram + kPasses * kRadix + pass * counters_of_pass(n);
  };
  auto* keys = static_cast<uint32_t*>(job->keys);
  auto* values = static_cast<uint32_t*>(job->values);
  auto* other_keys = static_cast<uint32_t*>(job->alternate_keys);
  auto* other_values = static_cast<uint32_t*>(job->alternate_values);

  cudaMemsetAsync(index, 0, counters(n) * sizeof(uint32_t), job->stream);
  OneSweep::
      GlobalHistogram<<<blocks_of(n, kHistogramPartition), kHistogramThreads, 0, job->stream>>>(
          keys, histogram, n);
  OneSweep::Scan<<<kPasses, kRadix, 0, job->stream>>>(histogram, of_pass(0), of_pass(1), of_pass(2),
                                                      of_pass(3));
  for (uint32_t pass = 0; pass < kPasses; ++pass) {
    if (values == nullptr)
      OneSweep::DigitBinningPassKeysOnly<<<blocks, kThreads, 0, job->stream>>>(
          keys, other_keys, of_pass(pass), index, n, 8 * pass);
    else
      OneSweep::DigitBinningPassPairs<<<blocks, kThreads, 0, job->stream>>>(
          keys, values, other_keys, other_values, of_pass(pass), index, n, 8 * pass);
    std::swap(keys, other_keys);
    std::swap(values, other_values);
  }
  const cudaError_t error = cudaGetLastError();
  if (error == cudaSuccess) return SORTLAB_IN_KEYS;  // an even number of passes
  std::snprintf(job->message, job->message_bytes, "%s", cudaGetErrorString(error));
  return SORTLAB_FAILED;
}

const sortlab_instance instances[] = {
    {.key_types = SORTLAB_U32,
     .values = SORTLAB_NO_VALUES | SORTLAB_VALUES_4,
     .traits = SORTLAB_STABLE | SORTLAB_ALTERNATE | SORTLAB_CAPTURABLE,
     .sort = sort}};

const sortlab_sort sorts[] = {{.name = "onesweep",
                               .summary = "OneSweep of GPUSorting",
                               .traits = SORTLAB_DEVICE,
                               .instances = instances,
                               .instance_count = SORTLAB_COUNT(instances),
                               .workspace_bytes = workspace_bytes}};

}  // namespace

SORTLAB_PLUGIN("gpusorting", PEER_VERSION, sorts)
