// Partial sorts by the kernels of cpu/partial/simd, and the best of rows by cpu/topk/filter. Narrow keys are taken as
// numbers of 4 bytes.
#include "library/host/top_k.hpp"

#include <algorithm>
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

/// Brings the key of place k there, as a sort by AutoSort would. k < n.
template <class Int, bool kFloat>
void select(KeyType type, Order order, void* keys, std::size_t n, std::size_t k) {
  constexpr Int kSign = std::numeric_limits<Int>::min();
  const Int flip = (number_kind(type) == NumberKind::unsigned_integer ? kSign : 0) ^
                   (order == Order::descending ? -1 : 0);
  const DefaultArithmetic arithmetic;
  cpu::partial::calls<Int, kFloat>(isa_of_sorts()).select(static_cast<Int*>(keys), n, k, flip);
}
void select(KeyType type, Order order, void* keys, std::size_t n, std::size_t k) {
  const bool is_float = is_floating(type);
  if (bytes_of(type) == 4) {
    is_float ? select<std::int32_t, true>(type, order, keys, n, k)
             : select<std::int32_t, false>(type, order, keys, n, k);
  } else {
    is_float ? select<std::int64_t, true>(type, order, keys, n, k)
             : select<std::int64_t, false>(type, order, keys, n, k);
  }
}

/// Brings NaNs behind the numbers, and returns how many numbers there are.
template <class Float>
std::size_t put_nans_behind(void* keys, std::size_t n) {
  using Bits = BitsOf<Float>;
  auto* const bits = static_cast<Bits*>(keys);
  std::size_t nans = 0;
  for (std::size_t i = 0; i < n; ++i) nans += is_nan<Float>(bits[i]) ? 1 : 0;
  if (nans != 0) {
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

// The best of rows.

/// From the first row's begin to the last one's end.
std::size_t span_of(const Rows& rows) {
  return rows.count == 0 ? 0 : (rows.count - 1) * rows.stride + rows.length;
}

std::size_t found_of(const TopKCall& call) {
  return call.rows.count * std::min(call.top.k, call.rows.length);
}

/// The scratch memory: narrow keys as numbers, the best of them, and the filter's.
struct Layout {
  std::size_t keys, best;

  explicit Layout(const TopKCall& call)
      : keys(call.type.is_narrow() ? aligned(span_of(call.rows) * sizeof(std::uint32_t)) : 0),
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

}  // namespace

std::size_t PartialCall::scratch_bytes() const {
  if (sorts_all(*this)) return sort_of(*this).scratch_bytes();
  const std::size_t widened = type.is_narrow() ? aligned(n * sizeof(std::uint32_t)) : 0;
  return widened + (is_sorted ? sort_of_best(*this, keys, k).scratch_bytes() : 0);
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
  const std::size_t numbers = put_nans_behind(*this);
  if (k < numbers) select(type.wide(), settings.order, selected, numbers, k);
  if (is_sorted) {
    sort_of_best(*this, selected, std::min(k, numbers))
        .run(rest, scratch_bytes - static_cast<std::size_t>(rest - scratch));
  }
  if (type.is_narrow()) narrow(type, settings, keys, selected, n);
}

std::size_t TopKCall::scratch_bytes() const {
  return Layout(*this).bytes() +
         aligned(cpu::topk::filter::workspace_bytes(bytes_of(type.wide()), places != nullptr, rows,
                                                    top.k, settings.threads));
}

void TopKCall::run(std::byte* scratch, std::size_t scratch_bytes) const {
  const Layout layout(*this);
  cpu::topk::Call call{.kind = {type.wide(), settings.order},
                       .keys = keys,
                       .rows = rows,
                       .top = top,
                       .best = best,
                       .workspace = {scratch + layout.bytes(), scratch_bytes - layout.bytes()},
                       .threads = settings.threads,
                       .isa = isa_of_sorts()};
  if (place_bytes == 4) call.places = static_cast<std::uint32_t*>(places);
  if (place_bytes == 8) call.wide_places = static_cast<std::uint64_t*>(places);
  if (type.is_narrow()) {
    widen(type, code_of(*this), scratch, keys, span_of(rows));
    call.keys = scratch;
    if (best != nullptr) call.best = scratch + layout.keys;
    if (layout.best != 0 && top.ks != nullptr) std::memset(call.best, 0, layout.best);
  } else {
    call.nans_last = settings.nans_last;
    call.nans_first = nans_first;
  }
  {
    const DefaultArithmetic arithmetic;
    cpu::topk::filter::find(call);
  }
  if (layout.best != 0) narrow(type, code_of(*this), best, call.best, found_of(*this));
}

}  // namespace sortlab::library
