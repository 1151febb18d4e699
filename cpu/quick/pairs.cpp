// Quicksort of pairs on vectors, for equal keys in any order.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

#include "common/contract/variant.hpp"
#include "cpu/primitives/insertion_sort.hpp"
#include "cpu/primitives/simd/kernels.hpp"
#include "cpu/primitives/simd/signed_keys.hpp"
#include "cpu/quick/pairs/lanes.hpp"

namespace sortlab::cpu::quick::pairs {
using primitives::heap_sort, primitives::insertion_sort, primitives::simd::choose_splitters,
    primitives::simd::Splitters;

template <class Key>
struct Calls {
  unsigned (*look)(const Key* keys, std::size_t n, Key flip);
  void (*sort)(const Items<Key, std::uint32_t>& users, std::size_t n, Key flip);
};

}  // namespace sortlab::cpu::quick::pairs

#define SORTLAB_KERNELS "cpu/quick/pairs/kernels.inl.hpp"
#define SORTLAB_KERNELS_NAMESPACE sortlab::cpu::quick::pairs
#include "cpu/primitives/simd/for_each_isa.inl.hpp"

namespace sortlab {
namespace {
using namespace cpu::quick::pairs;

/// From so many pairs on a look for keys in order costs nothing beside the sort.
constexpr std::size_t kWorthALook = 256;

/// Keys of a narrow range are counted, and only values are moved.
template <class Int>
class NarrowRange {
  using Offset = std::make_unsigned_t<Int>;
  static constexpr std::size_t kWidth = 512;  // a line for each value fits into a first-level cache
  static constexpr std::size_t kLooks = 64;

 public:
  static constexpr std::size_t kWorthCounting = 4096;

  /// Sorts n pairs whose keys have a narrow range; `copy` has room for the values. Returns false, and
  /// changes no pair, if they have not.
  static bool sort(const Items<Int, std::uint32_t>& pairs, std::size_t n, Int flip,
                   std::uint32_t* copy) {
    const std::optional<Offset> base = find_base(pairs.keys, n, flip);
    if (!base) return false;
    // Two tables: the counter of a frequent key is not ready for the next key at once.
    std::array<std::size_t, kWidth> next = {}, odd = {};
    const auto offset = [&](std::size_t i) {
      return static_cast<Offset>(static_cast<Offset>(pairs.keys[i] ^ flip) - *base);
    };
    Offset beyond = 0;
    std::size_t i = 0;
    for (; i + 1 < n; i += 2) {
      const Offset a = offset(i), b = offset(i + 1);
      beyond |= a | b;
      ++next[a % kWidth];
      ++odd[b % kWidth];
    }
    for (; i < n; ++i) {
      beyond |= offset(i);
      ++next[offset(i) % kWidth];
    }
    if (beyond >= kWidth) return false;
    std::size_t begin = 0;
    for (std::size_t d = 0; d < kWidth; ++d) {
      const std::size_t count = next[d] + odd[d];
      next[d] = std::exchange(begin, begin + count);
    }
    std::copy_n(pairs.values, n, copy);
    for (i = 0; i < n; ++i) pairs.values[next[offset(i)]++] = copy[i];
    begin = 0;
    for (std::size_t d = 0; d < kWidth; ++d) {
      const auto key = static_cast<Int>(static_cast<Offset>(*base + d) ^ static_cast<Offset>(flip));
      std::fill(pairs.keys + begin, pairs.keys + next[d], key);
      begin = next[d];
    }
    return true;
  }

 private:
  /// The number for which the first counter stands, if a sample has a narrow range.
  static std::optional<Offset> find_base(const Int* keys, std::size_t n, Int flip) {
    const std::size_t step = n / kLooks;
    Int least = keys[0] ^ flip, greatest = least;
    for (std::size_t i = 0; i < kLooks; ++i) {
      const Int key = keys[i * step + (step * (i * 40503 & 0xFFFF) >> 16)] ^ flip;
      least = std::min(least, key);
      greatest = std::max(greatest, key);
    }
    const auto range = static_cast<Offset>(static_cast<Offset>(greatest) - static_cast<Offset>(least));
    if (range >= kWidth / 2) return {};
    using Limits = std::numeric_limits<Int>;
    const auto below = static_cast<Int>((kWidth - range) / 2);
    const Int first = least < Limits::min() + below ? Limits::min() : static_cast<Int>(least - below);
    return static_cast<Offset>(std::min<Int>(first, Limits::max() - static_cast<Int>(kWidth - 1)));
  }
};

struct QuickPairs {
  static constexpr Info info{.summary = "SIMD quicksort of pairs, equal keys in any order",
                             .source = "Blacher et al. 2022",
                             .after = "cpu/quick/simd",
                             .candidate = Candidate{.rank = 6},
                             .isas = kEveryIsa};

  static std::size_t workspace_bytes(const WorkspaceRequest& request) {
    const bool may_count = request.n >= NarrowRange<std::int32_t>::kWorthCounting;
    return may_count ? request.n * sizeof(std::uint32_t) : 0;
  }

  template <class Job>
  static ResultIn sort(const Job& job) {
    using Keys = cpu::primitives::simd::SignedKeys<Job>;
    using Int = typename Keys::Int;
    const auto calls = calls_for<Int, Keys::kFloat>(job.isa);
    const Items<Int, std::uint32_t> users{Keys::of(job.data.keys), job.data.values};
    if (job.n >= kWorthALook) {
      const unsigned sequence = calls.look(users.keys, job.n, Keys::kFlip);
      if (sequence == cpu::primitives::simd::kDescending) {
        cpu::primitives::simd::turn_round(users.keys, job.n, 1);
        cpu::primitives::simd::turn_round(users.values, job.n, 1);
      }
      if (sequence != 0) return ResultIn::data;
    }
    if constexpr (!Keys::kFloat) {
      if (job.n >= NarrowRange<Int>::kWorthCounting) {
        auto* const copy = reinterpret_cast<std::uint32_t*>(job.workspace.data());
        if (NarrowRange<Int>::sort(users, job.n, Keys::kFlip, copy)) return ResultIn::data;
      }
    }
    calls.sort(users, job.n, Keys::kFlip);
    return ResultIn::data;
  }
};
SORTLAB_REGISTER(QuickPairs, AllKeys, TypeList<std::uint32_t>);

}  // namespace
}  // namespace sortlab
