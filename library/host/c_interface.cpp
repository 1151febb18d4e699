// Defines sortlab/sortlab.h: checks arguments, gets memory, and turns exceptions into error
// numbers.
#include <sortlab/sortlab.h>
#include <sortlab/top_k.h>

#include <pthread.h>

#include <algorithm>
#include <cfenv>
#include <new>

#include "common/contract/callers_state.hpp"
#include "common/threads/team.hpp"
#include "library/host/calls.hpp"
#include "library/host/memory.hpp"
#include "library/host/segments.hpp"
#include "library/host/top_k.hpp"

namespace sortlab::library {
namespace {

struct BadArgument {};
struct NarrowIndex {};

void require(bool condition) {
  if (!condition) [[unlikely]] {
    throw BadArgument();
  }
}

bool is_aligned(const void* pointer, std::size_t bytes) {
  return reinterpret_cast<std::uintptr_t>(pointer) % bytes == 0;
}

constexpr sortlab_options kDefaults = {sizeof(sortlab_options), 0, 0, 0, 0, nullptr, 0, nullptr};

/// The checked arguments of a call.
struct Given {
  const sortlab_options& options;
  Keys type;
  Settings settings;

  Given(std::size_t n, int key_type, std::size_t widest, const sortlab_options* or_null)
      : options(or_null != nullptr ? *or_null : kDefaults), type{key_type} {
    require(type.is_known());
    require(options.size == sizeof(sortlab_options));
    require(options.order >= SORTLAB_ORDER_ASCENDING && options.order <= SORTLAB_ORDER_DESCENDING);
    require(options.floats >= SORTLAB_FLOATS_TOTAL && options.floats <= SORTLAB_FLOATS_NANS_LAST);
    require(options.threads >= 0 && options.any_order >= 0 && options.any_order <= 1);
    // An array in memory is smaller than half of the address space.
    require(n <= SIZE_MAX / 64 / std::max<std::size_t>(widest, sizeof(std::uint64_t)));
    settings.order = static_cast<Order>(options.order);
    settings.nans_last = options.floats == SORTLAB_FLOATS_NANS_LAST && type.is_floating();
    settings.threads = options.threads;
    settings.any_order = options.any_order != 0;
  }
};

template <class Work>
int status_of(Work work) noexcept try {
  work();
  return SORTLAB_SUCCESS;
} catch (const BadArgument&) {
  return SORTLAB_ERROR_ARGUMENT;
} catch (const SmallScratch&) {
  return SORTLAB_ERROR_SCRATCH;
} catch (const NarrowIndex&) {
  return SORTLAB_ERROR_INDEX;
} catch (...) {
  return SORTLAB_ERROR_MEMORY;  // nothing else can fail
}

/// The same call, with its threads counted. The first count reads files and takes 0.2 ms.
template <class Call>
Call on_all_threads(Call call) {
  if (call.settings.threads == 0) call.settings.threads = team::limit();
  return call;
}

/// Few items take less time than an allocation, so they get memory on the stack.
template <class Call>
[[gnu::noinline]] void run_on_stack(const Call& call) {
  alignas(kAlignment) std::byte scratch[kFewBytes];
  call.run(scratch, kFewBytes);
}

template <class Call>
void run(const Call& given, const sortlab_options& options) {
  const KeptErrno error;
  const Call call = on_all_threads(given);
  const std::size_t bytes = call.scratch_bytes();
  if (bytes <= kFewBytes && options.scratch == nullptr) return run_on_stack(call);
  const Memory memory(options, bytes);
  call.run(memory.data(), bytes);
}

/// So few items that their need is not computed.
template <class Call>
void run_few(Call call) {
  call.settings.threads = 1;
  run_on_stack(call);
}

/// The same with values. Somewhat more items get enough memory for any of these counts, because
/// computing their need takes as long as allocating it.
template <class Call>
void run_pairs(Call call, std::size_t value_bytes, const sortlab_options& options) {
  if (call.n > kSomePairs || value_bytes > kFewValueBytes || options.scratch != nullptr) {
    return run(call, options);
  }
  const Few& known = few(call.settings.any_order);
  if (call.n <= known.pairs) return run_few(call);
  const KeptErrno error;
  const std::size_t bytes = known.some_pairs_bytes;
  const Memory memory(options, bytes);
  call.settings.threads = 1;
  call.run(memory.data(), bytes);
}

PairsCall pairs_call(const Given& given, void* keys, void* values, std::size_t n,
                     std::size_t value_bytes) {
  const bool are_words = value_bytes == 4 && is_aligned(values, 4);
  return {given.type, given.settings, keys, values, n, value_bytes, are_words};
}

ArgsortCall argsort_call(const Given& given, const void* keys, void* order, std::size_t n,
                         std::size_t index_bytes) {
  require(index_bytes == 4 || index_bytes == 8);
  if (index_bytes == 4 && n > kMostIndexed) throw NarrowIndex();
  return {given.type, given.settings, keys, order, n, index_bytes};
}

/// A body of a program's own. On other threads than the caller's it computes with the caller's rounding and traps, so
/// that the result does not depend on the threads that come.
struct ProgramsBody {
  void (*body)(void* context, int slot);
  void* context;
  pthread_t caller = pthread_self();
  std::fenv_t arithmetic = {};

  void operator()(int slot) const {
    if (pthread_equal(caller, pthread_self()) != 0) return body(context, slot);
    const DefaultArithmetic afterwards;
    std::fesetenv(&arithmetic);
    body(context, slot);
  }
};

/// A call for the segments of n items.
SegmentsCall segments_call(const Given& given, const void* keys, std::size_t n,
                           const sortlab_segments* segments) {
  require(segments != nullptr && segments->size == sizeof(sortlab_segments));
  const sortlab_segments& s = *segments;
  const bool has_offsets = s.begins != nullptr || s.ends != nullptr;
  require(!has_offsets || s.offset_bytes == 4 || s.offset_bytes == 8);
  require(is_aligned(s.begins, std::max<std::size_t>(s.offset_bytes, 1)) &&
          is_aligned(s.ends, std::max<std::size_t>(s.offset_bytes, 1)));
  require(n == 0 || (keys != nullptr && is_aligned(keys, given.type.bytes())));
  const Cut cut{s.count, s.begins, s.ends, s.stride, s.length, s.offset_bytes == 8};
  const auto longest = longest_of(cut, n);
  require(longest.has_value());
  return {given.type, given.settings, const_cast<void*>(keys), n, cut, *longest};
}

void run_segments(const SegmentsCall& call, const sortlab_options& options) {
  const bool has_places = call.value_bytes != 0 || call.order != nullptr;
  if (has_places && call.longest > kMostPlaced) throw NarrowIndex();
  if (call.n > 0 && call.cut.count > 0) run(call, options);
}

/// Extra bytes for the alignment of a caller's scratch memory.
std::size_t with_alignment(std::size_t bytes) { return bytes == 0 ? 0 : bytes + kAlignment - 1; }

void run_partial(void* keys, std::size_t n, int type, std::size_t k, bool is_sorted,
                 const sortlab_options* options) {
  const Given given(n, type, 0, options);
  if (n < 2) return;
  require(keys != nullptr && is_aligned(keys, given.type.bytes()));
  if (k >= n && !is_sorted) return;
  run(PartialCall{given.type, given.settings, keys, n, k, is_sorted}, given.options);
}

ArgpartitionCall argpartition_call(const Given& given, const void* keys, void* order, std::size_t n,
                                   std::size_t k, std::size_t index_bytes) {
  require(index_bytes == 4 || index_bytes == 8);
  if (index_bytes == 4 && n > kMostIndexed) throw NarrowIndex();
  require(n == 0 || (keys != nullptr && is_aligned(keys, given.type.bytes()) && order != nullptr &&
                     is_aligned(order, index_bytes)));
  return {given.type, given.settings, keys, order, n, k, index_bytes};
}

bool is_flag(std::int32_t value) { return value == 0 || value == 1; }

void require_valid(const sortlab_top* top) {
  require(top != nullptr && top->size == sizeof(sortlab_top) && is_flag(top->sorted) &&
          is_flag(top->first) && is_flag(top->nans_first));
}

/// A call for rows, whose memory fits in the address space.
TopKCall top_k_call(const void* keys, int type, const sortlab_rows* rows, const sortlab_top* top,
                    void* best, void* places, std::size_t place_bytes, const Given& given) {
  require(place_bytes == 4 || place_bytes == 8);
  const std::size_t found = rows->count * std::min(top->k, rows->length);
  if (places != nullptr && rows->length > kMostPlaced) throw NarrowIndex();
  require(found == 0 || (keys != nullptr && (best != nullptr || places != nullptr)));
  require(is_aligned(keys, given.type.bytes()) && is_aligned(best, given.type.bytes()) &&
          is_aligned(places, place_bytes) && is_aligned(top->ks, sizeof *top->ks));
  return {given.type,
          given.settings,
          keys,
          {rows->count, rows->length, rows->stride},
          {top->k, top->ks, top->sorted != 0, top->first != 0},
          top->nans_first != 0 && Keys{type}.is_floating(),
          best,
          places,
          place_bytes};
}

/// From the first row's begin to the last one's end. Rows must not overlap.
std::size_t checked_span(const sortlab_rows* rows) {
  require(rows != nullptr && rows->size == sizeof(sortlab_rows));
  if (rows->count == 0) return 0;
  if (rows->count == 1) return rows->length;
  require(rows->stride >= rows->length);
  const bool fits =
      rows->stride == 0 || rows->count - 1 <= (SIZE_MAX - rows->length) / rows->stride;
  require(fits);
  return (rows->count - 1) * rows->stride + rows->length;
}

}  // namespace
}  // namespace sortlab::library

using namespace sortlab::library;

int sortlab_sort(void* keys, size_t n, int type, const sortlab_options* options) {
  return status_of([&] {
    const Given given(n, type, 0, options);
    if (n < 2) return;
    require(keys != nullptr && is_aligned(keys, given.type.bytes()));
    const SortCall call{given.type, given.settings, keys, n};
    if (n <= few().keys && given.options.scratch == nullptr) return run_few(call);
    run(call, given.options);
  });
}

int sortlab_sort_pairs(void* keys, void* values, size_t n, int type, size_t value_bytes,
                       const sortlab_options* options) {
  return status_of([&] {
    const Given given(n, type, value_bytes, options);
    require(value_bytes > 0);
    if (n < 2) return;
    require(keys != nullptr && values != nullptr && is_aligned(keys, given.type.bytes()));
    run_pairs(pairs_call(given, keys, values, n, value_bytes), value_bytes, given.options);
  });
}

int sortlab_argsort(const void* keys, void* order, size_t n, int type, size_t index_bytes,
                    const sortlab_options* options) {
  return status_of([&] {
    const Given given(n, type, index_bytes, options);
    const ArgsortCall call = argsort_call(given, keys, order, n, index_bytes);
    if (n == 0) return;
    require(keys != nullptr && order != nullptr && is_aligned(keys, given.type.bytes()) &&
            is_aligned(order, index_bytes));
    run_pairs(call, index_bytes, given.options);
  });
}

size_t sortlab_scratch_bytes(size_t n, int type, size_t value_bytes,
                             const sortlab_options* options) {
  std::size_t bytes = 0;
  status_of([&] {
    const Given given(n, type, value_bytes, options);
    if (n < 2) return;
    if (value_bytes == 0) {
      bytes = on_all_threads(SortCall{given.type, given.settings, nullptr, n}).scratch_bytes();
      return;
    }
    PairsCall call = on_all_threads(pairs_call(given, nullptr, nullptr, n, value_bytes));
    bytes = call.scratch_bytes();
    call.are_values_words = false;  // the values may lie at any address
    bytes = std::max(bytes, call.scratch_bytes());
  });
  return with_alignment(bytes);
}

size_t sortlab_argsort_scratch_bytes(size_t n, int type, size_t index_bytes,
                                     const sortlab_options* options) {
  std::size_t bytes = 0;
  status_of([&] {
    const Given given(n, type, index_bytes, options);
    const ArgsortCall call = argsort_call(given, nullptr, nullptr, n, index_bytes);
    if (n > 0) bytes = on_all_threads(call).scratch_bytes();
  });
  return with_alignment(bytes);
}

int sortlab_segmented_sort(void* keys, size_t n, int type, const sortlab_segments* segments,
                           const sortlab_options* options) {
  return status_of([&] {
    const Given given(n, type, 0, options);
    run_segments(segments_call(given, keys, n, segments), given.options);
  });
}

int sortlab_sort_rows_to(const void* keys, void* sorted, size_t rows, size_t columns, int type,
                         const sortlab_options* options) {
  return status_of([&] {
    require(columns == 0 || rows <= SIZE_MAX / columns);
    const std::size_t n = rows * columns;
    const Given given(n, type, 0, options);
    if (n == 0) return;
    const std::size_t key_bytes = given.type.bytes();
    require(keys != nullptr && is_aligned(keys, key_bytes));
    require(sorted != nullptr && is_aligned(sorted, key_bytes));
    SegmentsCall call{given.type, given.settings, sorted, n, {}, columns};
    call.cut.count = rows;
    call.cut.stride = call.cut.length = columns;
    if (keys == sorted) return run_segments(call, given.options);
    const auto* const begin = static_cast<const std::byte*>(keys);
    const auto* const to = static_cast<const std::byte*>(sorted);
    require(begin + n * key_bytes <= to || to + n * key_bytes <= begin);
    if (columns == 1) {
      std::copy_n(begin, n * key_bytes, static_cast<std::byte*>(sorted));
    } else {
      call.from = keys;
      run_segments(call, given.options);
    }
  });
}

int sortlab_segmented_sort_pairs(void* keys, void* values, size_t n, int type, size_t value_bytes,
                                 const sortlab_segments* segments, const sortlab_options* options) {
  return status_of([&] {
    const Given given(n, type, value_bytes, options);
    require(value_bytes > 0 && (values != nullptr || n == 0));
    SegmentsCall call = segments_call(given, keys, n, segments);
    call.values = values;
    call.value_bytes = value_bytes;
    call.are_values_words = value_bytes == 4 && is_aligned(values, 4);
    run_segments(call, given.options);
  });
}

int sortlab_segmented_argsort(const void* keys, void* order, size_t n, int type, size_t index_bytes,
                              const sortlab_segments* segments, const sortlab_options* options) {
  return status_of([&] {
    const Given given(n, type, index_bytes, options);
    require(index_bytes == 4 || index_bytes == 8);
    require(n == 0 || (order != nullptr && is_aligned(order, index_bytes)));
    SegmentsCall call = segments_call(given, keys, n, segments);
    call.order = order;
    call.index_bytes = index_bytes;
    run_segments(call, given.options);
  });
}

int sortlab_nth_element(void* keys, size_t n, int type, size_t k, const sortlab_options* options) {
  return status_of([&] { run_partial(keys, n, type, k, false, options); });
}

int sortlab_partial_sort(void* keys, size_t n, int type, size_t k, const sortlab_options* options) {
  return status_of([&] { run_partial(keys, n, type, k, true, options); });
}

int sortlab_argpartition(const void* keys, void* order, size_t n, int type, size_t k,
                         size_t index_bytes, const sortlab_options* options) {
  return status_of([&] {
    const Given given(n, type, index_bytes, options);
    const ArgpartitionCall call = argpartition_call(given, keys, order, n, k, index_bytes);
    if (n > 0) run(call, given.options);
  });
}

size_t sortlab_argpartition_scratch_bytes(size_t n, int type, size_t index_bytes,
                                          const sortlab_options* options) {
  std::size_t bytes = 0;
  status_of([&] {
    const Given given(n, type, index_bytes, options);
    std::max_align_t any{};  // for what is there: nothing is read or written
    bytes = argpartition_call(given, &any, &any, n, 0, index_bytes).scratch_bytes();
  });
  return with_alignment(bytes);
}

int sortlab_top_k(const void* keys, int type, const sortlab_rows* rows, const sortlab_top* top,
                  void* best, void* places, size_t place_bytes, const sortlab_options* options) {
  return status_of([&] {
    const Given given(checked_span(rows), type, 0, options);
    require_valid(top);
    const TopKCall call = top_k_call(keys, type, rows, top, best, places, place_bytes, given);
    if (call.rows.count > 0 && call.top.k > 0 && call.rows.length > 0) run(call, given.options);
  });
}

size_t sortlab_top_k_scratch_bytes(int type, const sortlab_rows* rows, const sortlab_top* top,
                                   size_t place_bytes, const sortlab_options* options) {
  std::size_t bytes = 0;
  status_of([&] {
    const Given given(checked_span(rows), type, 0, options);
    require_valid(top);
    std::max_align_t any{};  // for what is there: nothing is read or written
    const auto call_with = [&](void* best, void* places) {
      return on_all_threads(top_k_call(&any, type, rows, top, best, places, place_bytes, given));
    };
    const auto add = [&](const TopKCall& call) {
      if (call.rows.count > 0 && call.top.k > 0 && call.rows.length > 0) {
        bytes = std::max(bytes, call.scratch_bytes());
      }
    };
    add(call_with(&any, nullptr));
    if (rows->length > kMostPlaced) return;  // its places are refused
    add(call_with(nullptr, &any));
    add(call_with(&any, &any));
  });
  return with_alignment(bytes);
}

sortlab_sorter* sortlab_sorter_create(void) { return new (std::nothrow) sortlab_sorter; }

void sortlab_sorter_destroy(sortlab_sorter* sorter) {
  const sortlab::KeptErrno error;
  delete sorter;
}

void* sortlab_sorter_memory(sortlab_sorter* sorter, size_t bytes) {
  const sortlab::KeptErrno error;
  void* memory = nullptr;
  status_of([&] { memory = sorter->at_least(std::max<std::size_t>(bytes, 1)); });
  return memory;
}

int sortlab_set_threads(int threads) {
  return status_of([&] {
    require(threads >= 0);
    sortlab::team::limit(threads);
  });
}

int sortlab_threads(void) { return sortlab::team::limit(); }

void sortlab_end_threads(void) { sortlab::team::end(); }

void sortlab_set_kept_memory(size_t bytes) {
  const sortlab::KeptErrno error;
  keep_at_most(bytes);
}

size_t sortlab_kept_memory(void) { return kept_bytes(); }

void sortlab_release_memory(void) {
  const sortlab::KeptErrno error;
  release_kept();
}

void sortlab_run(int slots, void (*body)(void* context, int slot), void* context) {
  const sortlab::NotCancelled in_a_region;
  while (slots > sortlab::team::kMostSlots) body(context, --slots);
  ProgramsBody work{.body = body, .context = context};
  std::fegetenv(&work.arithmetic);
  sortlab::team::run(
      slots, [](void* erased, int slot) { (*static_cast<ProgramsBody*>(erased))(slot); }, &work);
}

int sortlab_threads_at_hand(int threads) {
  return sortlab::team::at_hand(threads > 0 ? threads : sortlab::team::limit());
}

const char* sortlab_error_text(int status) {
  switch (status) {
    case SORTLAB_SUCCESS:
      return "success";
    case SORTLAB_ERROR_ARGUMENT:
      return "a pointer, type, size or option is wrong";
    case SORTLAB_ERROR_MEMORY:
      return "not enough memory";
    case SORTLAB_ERROR_SCRATCH:
      return "the scratch memory is too small: ask for its size first";
    case SORTLAB_ERROR_INDEX:
      return "an index of 4 bytes cannot number so many keys";
    default:
      return "unknown status";
  }
}

int sortlab_abi_version(void) { return SORTLAB_ABI_VERSION; }

const char* sortlab_version(void) { return SORTLAB_VERSION; }
