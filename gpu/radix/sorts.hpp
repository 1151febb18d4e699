// Sorts of this folder as functions with plain arguments, for the suite's variants and for the library.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/contract/variant.hpp"
#include "gpu/primitives/key_map.hpp"

namespace sortlab::gpu::radix {

/// An array of keys, and one of values if there are any.
struct ErasedItems {
  void* keys = nullptr;
  void* values = nullptr;
};

/// What keys were before they were stretched: keys of `kind`, see Stretch.
struct Stretched {
  KeyKind kind;
  std::uint64_t base;
  std::uint64_t factor;
};

/// Items in device memory that are to be sorted.
struct Call {
  KeyKind keys;
  std::size_t value_bytes = 0;
  std::size_t n = 0;
  // Stays as it is unless it is `data`. Pairs without values here get their places as values.
  ErasedItems source = {};
  ErasedItems data = {};  // the result is here
  ErasedItems alternate = {};
  std::byte* d_workspace = nullptr;
  Stream stream = nullptr;
  bool nans_last = false;  // behind the numbers in both orders, whatever their sign

  // top_sweep alone knows these.
  std::uint64_t* d_wide_values = nullptr;  // if not null, the values go here, as 8 bytes each
  bool drops_keys = false;                 // the values alone are wanted
  const Stretched* stretched = nullptr;    // of pairs: the result has the keys as they were before

  /// That of a variant.
  static Call of(const ErasedJob& job) {
    const ErasedItems data{job.keys, job.values};
    return {.keys = {job.instance->key_type, job.instance->order},
            .value_bytes = job.instance->value_bytes,
            .n = job.n,
            .source = data,
            .data = data,
            .alternate = {job.alternate_keys, job.alternate_values},
            .d_workspace = job.workspace.data(),
            .stream = job.stream};
  }

  bool are_floats() const { return is_floating(keys.type); }
  /// Its arrays as an algorithm takes them, which sorts keys as their bits.
  template <template <class, class> class Arrays, class Bits, class Value>
  Arrays<Bits, Value> as() const {
    return {sortlab::items_at<Bits, Value>(source.keys, source.values),
            sortlab::items_at<Bits, Value>(data.keys, data.values),
            sortlab::items_at<Bits, Value>(alternate.keys, alternate.values),
            key_map_of<Bits>(keys, nans_last)};
  }
  /// Calls f(bits, value) with values of the types that have its widths.
  template <class F>
  void visit(F f) const {
    visit_widths(bytes_of(keys.type), value_bytes, f);
  }
};

// The bytes of Call::d_workspace depend on the widths of keys and values, and on n.

namespace onesweep {
inline constexpr Candidate kCandidate{.rank = 1, .block_kib = 128};
std::size_t workspace_bytes(std::size_t key_bytes, std::size_t value_bytes, std::size_t n);
void sort(const Call& call);
}  // namespace onesweep

namespace top_sweep {
inline constexpr Candidate kCandidate{.rank = 2, .block_kib = 128};
std::size_t workspace_bytes(std::size_t key_bytes, std::size_t value_bytes, std::size_t n);
void sort(const Call& call);
}  // namespace top_sweep

/// Of keys alone.
namespace msd_hybrid {
inline constexpr Candidate kCandidate{.rank = 6, .block_kib = 189, .sm_kib = 190};
std::size_t workspace_bytes(std::size_t key_bytes, std::size_t n);
void sort(const Call& call);
}  // namespace msd_hybrid

}  // namespace sortlab::gpu::radix
