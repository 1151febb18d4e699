// Partial sorts by the kernels of cpu/partial/simd, and the best of rows by cpu/topk/filter, or, where these are many, by a
// sort. Narrow keys are taken as numbers of 4 bytes.
#include "library/host/top_k.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "common/contract/callers_state.hpp"
#include "cpu/partial/simd/calls.hpp"
#include "cpu/topk/calls.hpp"
#include "library/host/auto_sort.hpp"
#include "library/host/counting.hpp"
#include "library/host/narrow_keys.hpp"
#include "library/host/passes.hpp"

namespace sortlab::library {
namespace {

// Partial sorts.

SortCall sort_of(const PartialCall& call) { return {call.type, call.settings, call.keys, call.n}; }

/// Whether a sort of all keys does it: counting is one, and takes less time.
bool sorts_all(const PartialCall& call) {
  return is_worth_counting(call.type, call.n) || (call.is_sorted && call.k >= call.n);
}

/// The sort of the best keys alone, in the type in which they are selected.
AutoSort sort_of_best(const PartialCall& call, void* keys, std::size_t k) {
  return {call.type.wide(), call.settings.order, keys, nullptr, k, call.settings.threads};
}

/// Calls work.operator()<Int, kFloat>() for the integers as which such keys are compared.
template <class Work>
void visit_ints(KeyType type, Work work) {
  const DefaultArithmetic arithmetic;
  const bool is_float = is_floating(type);
  if (bytes_of(type) == 4) {
    is_float ? work.template operator()<std::int32_t, true>()
             : work.template operator()<std::int32_t, false>();
  } else {
    is_float ? work.template operator()<std::int64_t, true>()
             : work.template operator()<std::int64_t, false>();
  }
}

/// Whether all of n > 0 keys have the same bits.
bool are_alike(KeyType type, const void* keys, std::size_t n) {
  bool found = false;
  visit_ints(type, [&]<class Int, bool kFloat>() {
    found = cpu::partial::calls<Int, kFloat>(isa_of_sorts())
                .are_alike(static_cast<const Int*>(keys), n);
  });
  return found;
}

/// Brings the key of place k there, as a sort by AutoSort would. k < n.
void select(const KeyKind& kind, void* keys, std::size_t n, std::size_t k) {
  visit_ints(kind.type, [&]<class Int, bool kFloat>() {
    cpu::partial::calls<Int, kFloat>(isa_of_sorts())
        .select(static_cast<Int*>(keys), n, k,
                cpu::partial::form_of<Int, kFloat>(kind, false, false).flip);
  });
}

/// Sorts keys in a cache, which takes no scratch memory.
void sort_in_cache(const KeyKind& kind, void* keys, std::size_t n) {
  visit_ints(kind.type, [&]<class Int, bool kFloat>() {
    cpu::partial::calls<Int, kFloat>(isa_of_sorts())
        .sort(static_cast<Int*>(keys), n,
              cpu::partial::form_of<Int, kFloat>(kind, false, false).flip);
  });
}

/// Brings NaNs behind the numbers, and returns how many numbers there are.
template <class Float>
std::size_t put_nans_behind(void* keys, std::size_t n) {
  using Bits = BitsOf<Float>;
  using Int = std::make_signed_t<Bits>;
  const std::size_t nans =
      cpu::partial::calls<Int, true>(isa_of_sorts()).nans(static_cast<const Int*>(keys), n);
  if (nans != 0) {
    auto* const bits = static_cast<Bits*>(keys);
    std::partition(bits, bits + n, [](Bits key) { return !is_nan<Float>(key); });
  }
  return n - nans;
}
std::size_t put_nans_behind(const PartialCall& call) {
  if (!call.settings.nans_last) return call.n;
  if (call.type.type == SORTLAB_TYPE_F32) return put_nans_behind<float>(call.keys, call.n);
  if (call.type.type == SORTLAB_TYPE_F64) return put_nans_behind<double>(call.keys, call.n);
  return call.n;
}

/// So many selected keys take less time in a cache than by AutoSort, above all if they have few values. Of more than 8192,
/// AutoSort takes less on several threads.
/// measured, us, this vs AutoSort: AVX2, an AMD EPYC: 5000 u32 uniform 26 vs 44, 16 values 12 vs 44; 12,500: uniform 75 vs 61.
/// AVX-512, one thread, xeon16, the 12,500 least of 10^5: 1.1 times as fast (median of 56 kinds), f64 zipf, 50,000 least: 2.0;
/// results/xeon16/attempts/partial.4.csv.xz
std::size_t most_in_cache(int threads) {
  return std::size_t{1} << (threads == 1 && isa_of_sorts() == Isa::avx512 ? 17 : 13);
}

// The best of rows.

/// How the keys lie of which the best are found: narrow ones as numbers without gaps between the rows, others as given.
Rows wide_rows_of(const TopKCall& call) {
  Rows rows = call.rows;
  if (call.type.is_narrow()) rows.stride = rows.length;
  return rows;
}

std::size_t found_of(const TopKCall& call) {
  return call.rows.count * std::min(call.top.k, call.rows.length);
}

/// Whether each row is sorted: of so many items to be selected and sorted alone, a sort of all takes less time. On several
/// threads it does without an order, too: a selection in one row of so many has few threads.
bool sorts_rows(const TopKCall& call) {
  if (!call.top.is_sorted && call.settings.threads < 4) return false;
  const std::size_t least = bytes_of(call.type.wide()) == 4 ? std::size_t{1} << 15 : 4096;
  return call.rows.length >= least && call.top.k >= call.rows.length / 8 &&
         call.rows.length <= kMostIndexed;
}

/// A sort of the copy of a row, with places where these are wanted.
PairsCall pairs_of_row(const TopKCall& call, void* keys, void* places) {
  Settings settings = call.settings;
  settings.nans_last = settings.any_order = false;
  return {.type = {call.type.is_narrow() ? SORTLAB_TYPE_U32 : call.type.type},
          .settings = settings,
          .keys = keys,
          .values = places,
          .n = call.rows.length,
          .value_bytes = sizeof(std::uint32_t),
          .are_values_words = true};
}
SortCall keys_of_row(const TopKCall& call, void* keys) {
  const PairsCall like = pairs_of_row(call, keys, nullptr);
  return {like.type, like.settings, keys, like.n};
}

/// The scratch memory of such a sort.
struct SortLayout {
  std::size_t keys, places, sort;

  explicit SortLayout(const TopKCall& call)
      : keys(aligned(call.rows.length * bytes_of(call.type.wide()))),
        places(call.places != nullptr ? aligned(call.rows.length * sizeof(std::uint32_t)) : 0),
        sort(call.places != nullptr ? pairs_of_row(call, nullptr, nullptr).scratch_bytes()
                                    : keys_of_row(call, nullptr).scratch_bytes()) {}
  std::size_t bytes() const { return keys + places + sort; }
};

/// How many of the sorted keys are NaNs of the sign that comes last.
template <class Float>
std::size_t nans_behind(const Float* keys, std::size_t n) {
  using Bits = BitsOf<Float>;
  const Float* const first = std::partition_point(keys, keys + n, [&](const Float& key) {
    const auto bits = std::bit_cast<Bits>(key), last = std::bit_cast<Bits>(keys[n - 1]);
    return !is_nan<Float>(bits) || ((bits ^ last) & kSignBit<Float>) != 0;
  });
  return static_cast<std::size_t>(keys + n - first);
}

/// Where the best begin among the sorted keys, which go on at the first one behind the last.
template <class Float>
std::size_t begin_of_best(const TopKCall& call, const void* sorted) {
  const auto* const keys = static_cast<const Float*>(sorted);
  const std::size_t n = call.rows.length;
  if (call.nans_first) return n - nans_behind(keys, n);
  return call.settings.nans_last ? nans_in_front(keys, n) : 0;
}
std::size_t begin_of_best(const TopKCall& call, const void* sorted) {
  if (call.type.type == SORTLAB_TYPE_F32) return begin_of_best<float>(call, sorted);
  if (call.type.type == SORTLAB_TYPE_F64) return begin_of_best<double>(call, sorted);
  return 0;
}

/// Finds the best of each row by a sort of a copy. `call.keys` and `best` are wide.
void sort_rows(const TopKCall& call, const void* wide_keys, void* best, std::byte* scratch) {
  const SortLayout layout(call);
  const std::size_t key_bytes = bytes_of(call.type.wide()), n = call.rows.length,
                    room = std::min(call.top.k, n);
  auto* const places = reinterpret_cast<std::uint32_t*>(scratch + layout.keys);
  std::byte* const memory = scratch + layout.keys + layout.places;
  for (std::size_t r = 0; r < call.rows.count; ++r) {
    copy(scratch,
         static_cast<const std::byte*>(wide_keys) + r * wide_rows_of(call).stride * key_bytes,
         n * key_bytes, call.settings.threads);
    if (call.places != nullptr) {
      number(places, n, call.settings.threads);
      pairs_of_row(call, scratch, places).run(memory, layout.sort);
    } else {
      keys_of_row(call, scratch).run(memory, layout.sort);
    }
    const std::size_t begin = begin_of_best(call, scratch), in_front = std::min(room, n - begin);
    const auto take = [&](auto* to, const auto* from) {
      if (to == nullptr) return;
      to += r * room;
      convert(to, from + begin, in_front, call.settings.threads);
      convert(to + in_front, from, room - in_front, call.settings.threads);
    };
    key_bytes == 4
        ? take(static_cast<std::uint32_t*>(best), reinterpret_cast<const std::uint32_t*>(scratch))
        : take(static_cast<std::uint64_t*>(best), reinterpret_cast<const std::uint64_t*>(scratch));
    call.place_bytes == 4 ? take(static_cast<std::uint32_t*>(call.places), places)
                          : take(static_cast<std::uint64_t*>(call.places), places);
  }
}

/// The scratch memory: narrow keys as numbers, the best of them, and the filter's.
struct Layout {
  std::size_t keys, best;

  explicit Layout(const TopKCall& call)
      : keys(call.type.is_narrow()
                 ? aligned(call.rows.count * call.rows.length * sizeof(std::uint32_t))
                 : 0),
        best(call.type.is_narrow() && call.best != nullptr
                 ? aligned(found_of(call) * sizeof(std::uint32_t))
                 : 0) {}
  std::size_t bytes() const { return keys + best; }
};

/// How narrow keys become numbers. NaNs that are last in one order come first in the other.
Settings code_of(const TopKCall& call) {
  Settings code = call.settings;
  if (!call.nans_first) return code;
  code.nans_last = true;
  code.order = code.order == Order::ascending ? Order::descending : Order::ascending;
  return code;
}

/// The narrow keys of the rows, and nothing between them, as numbers.
void widen_rows(const TopKCall& call, std::byte* numbers) {
  const std::size_t n = call.rows.length, key_bytes = call.type.bytes();
  const bool has_gaps = call.rows.stride != n;
  const std::size_t at_once = has_gaps ? n : n * call.rows.count;
  for (std::size_t r = 0; r < (has_gaps ? call.rows.count : 1); ++r) {
    widen(call.type, code_of(call), numbers + r * n * sizeof(std::uint32_t),
          static_cast<const std::byte*>(call.keys) + r * call.rows.stride * key_bytes, at_once);
  }
}

}  // namespace

std::size_t PartialCall::scratch_bytes() const {
  if (sorts_all(*this)) return sort_of(*this).scratch_bytes();
  const std::size_t widened = type.is_narrow() ? aligned(n * sizeof(std::uint32_t)) : 0;
  return widened + (is_sorted && k > most_in_cache(settings.threads)
                        ? sort_of_best(*this, keys, k).scratch_bytes()
                        : 0);
}

void PartialCall::run(std::byte* scratch, std::size_t scratch_bytes) const {
  if (sorts_all(*this)) return sort_of(*this).run(scratch, scratch_bytes);
  if (is_sorted && k == 0) return;
  void* selected = keys;
  std::byte* rest = scratch;
  if (type.is_narrow()) {
    selected = scratch;
    rest += aligned(n * sizeof(std::uint32_t));
    widen(type, settings, selected, keys, n);
  }
  if (are_alike(type.wide(), selected, n)) return;
  const std::size_t numbers = put_nans_behind(*this);
  const KeyKind kind{type.wide(), settings.order};
  if (k < numbers) select(kind, selected, numbers, k);
  const std::size_t best = std::min(k, numbers);
  const bool must_sort = is_sorted && best > 0 && !are_alike(type.wide(), selected, best);
  if (must_sort && k <= most_in_cache(settings.threads)) {
    sort_in_cache(kind, selected, best);
  } else if (must_sort) {
    sort_of_best(*this, selected, best)
        .run(rest, scratch_bytes - static_cast<std::size_t>(rest - scratch));
  }
  if (type.is_narrow()) narrow(type, settings, keys, selected, n);
}

std::size_t ArgpartitionCall::scratch_bytes() const {
  return (type.is_narrow() ? aligned(n * sizeof(std::uint32_t)) : 0) +
         (index_bytes == 4 ? n * sizeof(std::int64_t) : 0);
}

void ArgpartitionCall::run(std::byte* scratch, std::size_t) const {
  const void* numbers = keys;
  if (type.is_narrow()) {
    widen(type, settings, scratch, keys, n);
    numbers = scratch;
    scratch += aligned(n * sizeof(std::uint32_t));
  }
  auto* const places = index_bytes == 8 ? static_cast<std::int64_t*>(order)
                                        : reinterpret_cast<std::int64_t*>(scratch);
  if (k >= n) {
    number(places, n, 1);
  } else {
    const KeyKind kind{type.wide(), settings.order};
    visit_ints(kind.type, [&]<class Int, bool kFloat>() {
      const auto calls = cpu::partial::calls<Int, kFloat>(isa_of_sorts());
      const auto form = cpu::partial::form_of<Int, kFloat>(kind, settings.nans_last, false);
      const auto* const ints = static_cast<const Int*>(numbers);
      const auto bound = calls.bound(ints, n, k, form, reinterpret_cast<Int*>(places), n);
      calls.part_places(ints, n, form, bound, k, places);
    });
  }
  if (index_bytes == 4) convert(static_cast<std::uint32_t*>(order), places, n, 1);
}

std::size_t TopKCall::scratch_bytes() const {
  if (sorts_rows(*this)) return Layout(*this).bytes() + SortLayout(*this).bytes();
  return Layout(*this).bytes() +
         aligned(cpu::topk::filter::workspace_bytes(bytes_of(type.wide()), places != nullptr,
                                                    wide_rows_of(*this), top.k, settings.threads));
}

void TopKCall::run(std::byte* scratch, std::size_t scratch_bytes) const {
  const Layout layout(*this);
  cpu::topk::Call call{.kind = {type.wide(), settings.order},
                       .keys = keys,
                       .rows = wide_rows_of(*this),
                       .top = top,
                       .best = best,
                       .workspace = {scratch + layout.bytes(), scratch_bytes - layout.bytes()},
                       .threads = settings.threads,
                       .isa = isa_of_sorts()};
  if (place_bytes == 4) call.places = static_cast<std::uint32_t*>(places);
  if (place_bytes == 8) call.wide_places = static_cast<std::uint64_t*>(places);
  if (type.is_narrow()) {
    widen_rows(*this, scratch);
    call.keys = scratch;
    if (best != nullptr) call.best = scratch + layout.keys;
    if (layout.best != 0 && top.ks != nullptr) std::memset(call.best, 0, layout.best);
  } else {
    call.nans_last = settings.nans_last;
    call.nans_first = nans_first;
  }
  if (sorts_rows(*this)) {
    sort_rows(*this, call.keys, call.best, scratch + layout.bytes());
  } else {
    const DefaultArithmetic arithmetic;
    cpu::topk::filter::find(call);
  }
  if (layout.best != 0) narrow(type, code_of(*this), best, call.best, found_of(*this));
}

}  // namespace sortlab::library
