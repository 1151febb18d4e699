// Keys in host memory that fit the GPU; the result crosses the link without the keys' top 16 bits.
//
// Over the copies of the harness: sorted keys need not cross as a whole, because places tell the top bits. The GPU sends
// where each of the 65536 digits begins, and the other bits of all keys: 2 of 4 bytes, or 6 of 8. The CPU's threads put
// the digits back while they write the keys to host memory. This holds for all keys, not only for evenly spread ones.
// What it can gain: u32 at 55 GB/s take 0.073 ns per key in and 0.037 out, beside 0.012 to sort. Without it the link
// takes 0.146, and neither way can copies in and out overlap. The CPU must write 4 bytes in 0.037 ns for that: 110 GB/s.
// Gained: 2^30 u32, pinned, 7.1 Gkeys/s beside 6.4; staged 6.7 beside 5.8 (H200, 16 CPUs; results/h200/host.csv.xz).
// Values cross as a whole.
// Limits: as many items as fit the GPU. Uses all threads, in pinned memory too.
// Bytes per u32 key: 6 over the link.
// Source: our own.
#include "gpu/auto/chosen.hpp"
#include "gpu/host/narrow/sort.cuh"

namespace sortlab {
namespace {

struct Narrow {
  using JobKind = Offload;
  static constexpr Info info{.summary = "the result crosses the link without the top digits",
                             .source = "our own",
                             .memory = Memory::both,
                             .stable = true,
                             .parallel = true};
  using Sort = gpu::Chosen<true>;

  static OffloadNeeds needs(const OffloadRequest& request) {
    return visit_widths(
        request.key_bytes, request.value_bytes,
        [&]<class Bits, class Value>(Bits, Value) { return needs_of<Bits, Value>(request); });
  }

  template <class Job>
  static ResultIn sort(const Job& typed) {
    const auto job = gpu::offload::with_bits(typed);
    return job.n < kLeast ? gpu::offload::sort_at_once<Sort>(job) : gpu::narrow::sort<Sort>(job);
  }

 private:
  /// For fewer keys, 65536 digits cost more than they save.
  static constexpr std::size_t kLeast = std::size_t{1} << 20;

  template <class Key, class Value>
  static OffloadNeeds needs_of(const OffloadRequest& r) {
    const std::size_t device_bytes = gpu::narrow::Memory<Items<Key, Value>, Sort>(r.n).bytes;
    if (device_bytes > r.device_bytes) {
      throw BadInput("needs " + std::to_string(device_bytes >> 20) +
                     " MiB of GPU memory for so many keys, may take " +
                     std::to_string(r.device_bytes >> 20) + ": gpu/host/pieces takes less");
    }
    return {.device_bytes = device_bytes,
            .pinned_bytes = std::max(gpu::narrow::Staging<Key>(r.threads).bytes,
                                     gpu::offload::Link::pinned_bytes(r.pinned, r.threads))};
  }
};
SORTLAB_REGISTER(Narrow, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab
