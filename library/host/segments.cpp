// Sorts segments by cpu/segments/auto. Narrow keys are sorted as numbers of 4 bytes, but short rows of keys of 2 bytes as
// they are: a vector holds twice as many of them. Values that it does not move are
// gathered once, by the places that their keys had.
#include "library/host/segments.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "common/contract/callers_state.hpp"
#include "cpu/primitives/parallel.hpp"
#include "cpu/segments/calls.hpp"
#include "cpu/segments/columns/calls.hpp"
#include "library/host/auto_sort.hpp"
#include "library/host/narrow_keys.hpp"
#include "library/host/passes.hpp"

namespace sortlab::library {
namespace {

bool is_argsort(const SegmentsCall& call) { return call.order != nullptr; }
bool gathers_values(const SegmentsCall& call) {
  return call.values != nullptr && !call.are_values_words;
}
/// Whether the sort writes places, and moves nothing.
bool are_numbered(const SegmentsCall& call) { return is_argsort(call) || gathers_values(call); }

namespace columns = cpu::segments::columns;

/// What sorts the call's keys as they are, if anything: contiguous rows of few keys of 2 bytes.
columns::SortNarrowRows sort_of_narrow_rows(const SegmentsCall& call) {
  const bool are_keys_alone = !is_argsort(call) && call.values == nullptr;
  const bool are_together = call.cut.is_rows() && call.cut.stride == call.cut.length;
  if (call.type.bytes() != 2 || !are_keys_alone || !are_together || call.longest < 2 ||
      call.longest > columns::kMostItems) {
    return nullptr;
  }
  return call.type.type == SORTLAB_TYPE_F16 ? columns::sort_narrow_rows<true>(isa_of_sorts())
                                            : columns::sort_narrow_rows<false>(isa_of_sorts());
}

void sort_narrow_rows(const SegmentsCall& call, columns::SortNarrowRows sort) {
  using Int = std::int16_t;
  const bool is_ascending = call.settings.order == Order::ascending;
  columns::Form<Int> form{.flip = static_cast<Int>(is_ascending ? 0 : -1)};
  if (call.type.type == SORTLAB_TYPE_U16) form.flip ^= std::numeric_limits<Int>::min();
  if (call.type.type == SORTLAB_TYPE_F16 && call.settings.nans_last) {
    form.shift = HalfCode::kNansOfASign;
  }
  const auto* const from = static_cast<const Int*>(call.source());
  auto* const to = static_cast<Int*>(call.keys);
  namespace parallel = cpu::primitives::parallel;
  const int threads = parallel::at_hand(
      parallel::threads_for(call.n, parallel::kItemsPerThread, call.settings.threads));
  parallel::for_each_chunk(call.cut.count, threads, [&](std::size_t first, std::size_t last) {
    const std::size_t begin = first * call.longest;
    sort(from + begin, to + begin, last - first, call.longest, form);
  });
}

/// The scratch memory: narrow keys as numbers, places, a copy of an item for each, and the sort's.
struct Layout {
  std::size_t keys, places, copy;

  explicit Layout(const SegmentsCall& call)
      : keys(call.type.is_narrow() ? aligned(call.n * sizeof(std::uint32_t)) : 0),
        places(gathers_values(call) ? aligned(call.n * sizeof(std::uint32_t)) : 0),
        copy(gathers_values(call) ? aligned(call.n * std::max(call.value_bytes, call.type.bytes()))
                                  : 0) {}
  std::size_t bytes() const { return keys + places + copy; }
};

/// The sort of the keys as they are in `keys`.
cpu::segments::Call call_of(const SegmentsCall& call, void* keys, std::uint32_t* places) {
  const bool has_places = are_numbered(call) || call.values != nullptr;
  return {.kind = {call.type.wide(), call.settings.order},
          .value_bytes = has_places ? sizeof(std::uint32_t) : 0,
          .keys = keys,
          .values = is_argsort(call) && call.index_bytes == 4 ? call.order
                    : gathers_values(call)                    ? places
                                                              : call.values,
          .from = call.type.is_narrow() ? nullptr : call.from,
          .n = call.n,
          .cut = call.cut,
          .longest = call.longest,
          .are_numbered = are_numbered(call),
          .nans_last = call.settings.nans_last && !call.type.is_narrow(),
          .are_ranks = is_argsort(call),
          .wide_places = is_argsort(call) && call.index_bytes == 8
                             ? static_cast<std::uint64_t*>(call.order)
                             : nullptr,
          .threads = call.settings.threads};
}

/// items[i] = items[places[i]] in each segment.
void move_by_places(const SegmentsCall& call, void* items, std::size_t bytes,
                    const std::uint32_t* places, std::byte* before) {
  auto* const at = static_cast<std::byte*>(items);
  const std::size_t batch = std::max<std::size_t>(1, call.cut.count / 1024);
  threads::for_each_part(
      (call.cut.count + batch - 1) / batch, team::at_hand(call.settings.threads),
      [&](std::size_t part, int) {
        const std::size_t last = std::min(call.cut.count, (part + 1) * batch);
        for (std::size_t s = part * batch; s < last; ++s) {
          const std::size_t begin = call.cut.begin(s), n = call.cut.end(s) - begin;
          gather(before + begin * bytes, at + begin * bytes, places + begin, n, bytes, 1);
          std::memcpy(at + begin * bytes, before + begin * bytes, n * bytes);
        }
      });
}

}  // namespace

std::optional<std::size_t> longest_of(const Cut& cut, std::size_t n) {
  if (cut.is_rows()) {
    if (cut.count == 0) return 0;
    if (cut.length > n || cut.stride < cut.length) return {};
    const std::size_t room = n - cut.length;  // where the last row may begin
    const bool fits = cut.count == 1 ||
                      (cut.stride == 0 ? cut.length == 0 : (cut.count - 1) <= room / cut.stride);
    return fits ? std::optional(cut.length) : std::nullopt;
  }
  if (cut.begins == nullptr && cut.count > 1 && cut.stride != 0 &&
      (cut.count - 1) > n / cut.stride) {
    return {};
  }
  std::size_t longest = 0, begin_before = 0, end_before = 0;
  for (std::size_t s = 0; s < cut.count; ++s) {
    const std::size_t begin = cut.begin(s);
    if (cut.ends == nullptr && (begin > n || cut.length > n - begin)) return {};
    const std::size_t end = cut.end(s);
    if (begin > end || end > n) return {};
    if (begin >= begin_before && begin < end_before && begin < end) return {};
    if (begin == end) continue;
    longest = std::max(longest, end - begin);
    begin_before = begin;
    end_before = end;
  }
  return longest;
}

std::size_t SegmentsCall::scratch_bytes() const {
  if (sort_of_narrow_rows(*this) != nullptr) return 0;
  return Layout(*this).bytes() +
         aligned(cpu::segments::workspace_bytes(call_of(*this, nullptr, nullptr), cut.count));
}

void SegmentsCall::run(std::byte* scratch, std::size_t scratch_bytes) const {
  if (longest == 0) return;  // there may be very many of no items
  if (const auto sort = sort_of_narrow_rows(*this)) return sort_narrow_rows(*this, sort);
  const Layout layout(*this);
  void* sorted_keys = keys;
  if (type.is_narrow()) {
    sorted_keys = scratch;
    is_argsort(*this) ? widen_equals(type, settings, sorted_keys, keys, n)
                      : widen(type, settings, sorted_keys, source(), n);
  }
  auto* const places = reinterpret_cast<std::uint32_t*>(scratch + layout.keys);
  cpu::segments::Call call = call_of(*this, sorted_keys, places);
  call.workspace = {scratch + layout.bytes(), scratch_bytes - layout.bytes()};
  call.isa = isa_of_sorts();
  {
    const DefaultArithmetic arithmetic;
    cpu::segments::sort(call);
  }
  if (gathers_values(*this)) {
    std::byte* const before = scratch + layout.keys + layout.places;
    move_by_places(*this, values, value_bytes, places, before);
    move_by_places(*this, keys, type.bytes(), places, before);
  } else if (type.is_narrow() && !is_argsort(*this)) {
    narrow(type, settings, keys, sorted_keys, n);
  }
}

}  // namespace sortlab::library
