// The fastest sort of segments of this suite for the input: one entry for users.
//
// Over columns: segments of all lengths at once. Short ones go side by side, and a thread keeps its unfinished batches from
// one part of the segments to the next. A long one, more than a thread's share, is sorted by all threads together. Those
// of a large part of a share wait in a list; then each is sorted by one thread, the longest first, so that no thread is
// left with a long one at the end. The others are sorted where they are met: a list of all of them, in order, took up to
// a third of the time of 16 threads.
//
//   all threads   | short segments, side by side; longer ones up to a 16th of a share; others are listed |   cpu/auto
//   all together  | long segments, one after the other |                      cpu/auto with all threads
//   all threads   | the other listed ones, the longest first |                cpu/auto with one thread
//
// It also does what only calls of the library ask for: NaNs behind all numbers, and places in place of values.
//
// Any lengths, stable. Extra memory: for each thread the longest segment and the workspace of cpu/auto, 16 bytes for each
// segment of more than 64 items; nothing where all segments are shorter.
// Source: our own.
#include <algorithm>
#include <atomic>
#include <type_traits>

#include "common/contract/segments.hpp"
#include "common/utils.hpp"
#include "cpu/primitives/parallel.hpp"
#include "cpu/segments/calls.hpp"
#include "cpu/segments/columns/queues.hpp"
#include "cpu/segments/one_segment.hpp"

namespace sortlab::cpu::segments {
namespace {
namespace parallel = primitives::parallel;

// measured: up to here side by side is faster than a call for each; Zen 4, docs/segments.md
constexpr std::size_t kMostShort = 64;
// Keys of 4 bytes alone: beyond, a row of its own fills the registers better.
constexpr std::size_t kMostShortKeys = 112;
// Places alone: a sort of one array would number the keys, and sort them with the numbers.
constexpr std::size_t kMostShortPlaces = columns::kMostItems;
// So many items are worth more than one thread.
constexpr std::size_t kWorthThreads = std::size_t{1} << 16;

// Places of up to so many keys, floats or of 8 bytes, are sorted as numbers that hold the keys, too.
// measured: argsort of rows of 1000 keys, ns per key: f64 5.6 (this) vs 9.9 (pairs), f32 4.2 vs 7.6, u32 5.2 vs 4.5; Emerald
// Rapids, xeon16/attempts/segments.1.txt.xz
constexpr std::size_t kMostNumbers = 4096;

constexpr std::size_t kAlign = 256;

struct Listed {
  std::size_t begin, n;
};

/// How the workspace is divided.
struct Layout {
  std::size_t of_thread, of_all, listed;

  static Layout of(const Call& call, std::size_t count) {
    Layout layout{};
    if (call.longest <= kMostShort) return layout;
    const std::size_t for_one = std::min(call.longest, shared_from(call.n, call.threads));
    layout.of_thread = of_long(call, for_one, 1);
    if (call.threads == 1) return layout;
    if (for_one < call.longest) layout.of_all = of_long(call, call.longest, call.threads);
    layout.listed = std::min(count, call.n / kMostShort + 1) * sizeof(Listed);
    return layout;
  }
  std::size_t bytes(int threads) const { return listed_from(threads) + round_up(listed, kAlign); }
  std::size_t listed_from(int threads) const {
    return std::max(of_thread * static_cast<std::size_t>(threads), of_all);
  }

  /// From this length on all threads sort a segment together.
  static std::size_t shared_from(std::size_t n, int threads) {
    if (threads == 1) return n;
    return std::max(n / static_cast<std::size_t>(4 * threads), kWorthThreads);
  }
  /// What Long takes for a segment of n items: a second buffer of them, or two of keys and places, and the workspace.
  static std::size_t of_long(const Call& call, std::size_t n, int threads) {
    const std::size_t key_bytes = bytes_of(call.kind.type);
    const std::size_t value_bytes = call.are_numbered ? sizeof(std::uint32_t) : call.value_bytes;
    const std::size_t items = n * (key_bytes + value_bytes) + 4 * kAlign;
    std::size_t of_sort = workspace_of_one(n, key_bytes, value_bytes, threads);
    if (call.are_numbered && threads == 1) {
      of_sort = std::max(of_sort,
                         workspace_of_one(std::min(n, kMostNumbers), sizeof(std::uint64_t), 0, 1));
    }
    return of_sort + round_up(items * (call.are_numbered ? 2 : 1), kAlign);
  }
};

/// Sorts a segment of more than kMostShort items.
template <class Job>
class Long {
  using Keys = primitives::simd::SignedKeys<Job>;
  using Int = typename Keys::Int;
  using Place = std::uint32_t;

 public:
  Long(const Job& job, int threads, std::byte* workspace, std::size_t bytes)
      : job_(job), threads_(threads), workspace_(workspace), bytes_(bytes) {}

  void sort(std::size_t begin, std::size_t n) const {
    if (job_.are_numbered) {
      constexpr bool kAreFaster = sizeof(Int) == 8 || Keys::kFloat;
      const bool are_sorted =
          kAreFaster && threads_ == 1 && n <= kMostNumbers && sort_numbers(begin, n);
      if (!are_sorted) sort_places(begin, n);
      return;
    }
    if (job_.from != nullptr) copy_keys(begin, n);
    Room room{workspace_};
    const auto other = room.template take<typename Job::Key, typename Job::Value>(n);
    OneSegment::of(job_, threads_, room.at, bytes_left(room)).sort(job_.data.from(begin), other, n);
    if constexpr (Keys::kFloat) {
      if (job_.nans_last) columns::put_nans_last(job_.data.from(begin), n);
    }
  }

 private:
  /// Takes buffers from the front of the workspace. With a gap between them: in rows of powers of two, a key and its value
  /// would share a set of the first cache with those of the other buffer.
  struct Room {
    std::byte* at;

    template <class Item>
    Item* array(std::size_t n) {
      auto* const taken = reinterpret_cast<Item*>(at);
      at += round_up(n * sizeof(Item), kAlign) + kAlign;
      return taken;
    }
    template <class AnyKey, class AnyValue>
    Items<AnyKey, AnyValue> take(std::size_t n) {
      AnyKey* const keys = array<AnyKey>(n);
      if constexpr (std::is_same_v<AnyValue, NoValue>) {
        return {keys, nullptr};
      } else {
        return {keys, array<AnyValue>(n)};
      }
    }
  };
  std::size_t bytes_left(const Room& room) const {
    return bytes_ - static_cast<std::size_t>(room.at - workspace_);
  }

  void copy_keys(std::size_t begin, std::size_t n) const {
    const auto* const from = static_cast<const typename Job::Key*>(job_.from) + begin;
    parallel::for_each_chunk(n, threads_, [&](std::size_t first, std::size_t last) {
      std::copy(from + first, from + last, job_.data.keys + begin + first);
    });
  }

  /// Sorts the keys as signed integers with their places.
  void sort_places(std::size_t begin, std::size_t n) const {
    Room room{workspace_};
    const auto items = room.template take<Int, Place>(n), other = room.template take<Int, Place>(n);
    const auto form = columns::form_of(job_);
    const auto calls = columns::calls<Int, Keys::kFloat>(job_.isa);
    const Int* const from = given_from(begin);
    parallel::for_each_chunk(n, threads_, [&](std::size_t first, std::size_t last) {
      calls.encode(from + first, items.keys + first, last - first, form);
      for (std::size_t i = first; i < last; ++i) items.values[i] = static_cast<Place>(i);
    });
    const auto code = fastest::stable::codes(key_type_of<Int>(), sizeof(Place), Order::ascending);
    OneSegment{code, room.at, bytes_left(room), threads_, job_.isa}.sort(items, other, n);
    const Place* const places = items.values;
    put_places(begin, n, [&](std::size_t i) { return places[i]; });
  }

  /// The same by numbers of 8 bytes: a key, less the lowest one, and behind it its place. Too wide a range costs the keys
  /// their lowest bits; says false if these decide.
  bool sort_numbers(std::size_t begin, std::size_t n) const {
    Room room{workspace_};
    const auto items = room.template take<std::uint64_t, NoValue>(n),
               other = room.template take<std::uint64_t, NoValue>(n);
    const Int* const from = given_from(begin);
    auto* const keys = reinterpret_cast<Int*>(other.keys);
    const auto form = columns::form_of(job_);
    columns::calls<Int, Keys::kFloat>(job_.isa).encode(from, keys, n, form);
    const columns::Numbers<Int> numbers(keys, n, n);
    for (std::size_t i = 0; i < n; ++i) items.keys[i] = numbers.of(keys[i], i);
    const auto code = fastest::stable::codes(key_type_of<std::uint64_t>(), 0, Order::ascending);
    OneSegment{code, room.at, bytes_left(room), 1, job_.isa}.sort(items, other, n);
    if (!numbers.are_exact()) {
      const auto key = [&](std::size_t i) {
        return columns::rank_of<Int, Keys::kFloat>(from[numbers.place(items.keys[i])], form);
      };
      for (std::size_t i = 1; i < n; ++i) {
        if (numbers.may_differ(items.keys[i - 1], items.keys[i]) && key(i - 1) != key(i)) {
          return false;
        }
      }
    }
    put_places(begin, n, [&](std::size_t i) { return numbers.place(items.keys[i]); });
    return true;
  }

  const Int* given_from(std::size_t begin) const {
    return static_cast<const Int*>(job_.keys) + begin;
  }
  template <class PlaceAt>
  void put_places(std::size_t begin, std::size_t n, PlaceAt place_at) const {
    if (std::uint64_t* const wide = job_.wide_places; wide != nullptr) {
      for (std::size_t i = 0; i < n; ++i) wide[begin + i] = place_at(i);
    } else if constexpr (Job::kPairs) {
      auto* const places = job_.data.values + begin;
      for (std::size_t i = 0; i < n; ++i) {
        places[i] = static_cast<typename Job::Value>(place_at(i));
      }
    }
  }

  const Job& job_;
  int threads_;
  std::byte* workspace_;
  std::size_t bytes_;
};

/// The longest segment that goes side by side.
template <class Job>
std::size_t most_short(const Job& job) {
  if (job.are_numbered) return kMostShortPlaces;
  return sizeof(typename Job::Key) == 4 && !Job::kPairs ? kMostShortKeys : kMostShort;
}

/// Adds the short ones of the segments [first, last) to the queues; calls sort_long(begin, n) for the others.
template <class Job, class SortLong>
void sort_short(const Job& job, columns::Queues<Job>& queues, std::size_t first, std::size_t last,
                SortLong sort_long) {
  const std::size_t most = most_short(job);
  const Cut& cut = job.cut;
  const bool are_together = cut.is_rows() && cut.stride == cut.length;
  if (are_together && cut.length <= most) {
    queues.add_rows(cut.begin(first), last - first, cut.length);
  } else if (are_together && cut.length <= queues.most_in_registers()) {
    queues.add_long_rows(cut.begin(first), last - first, cut.length);
  } else {
    for (std::size_t s = first; s < last; ++s) {
      const std::size_t begin = cut.begin(s), n = cut.end(s) - begin;
      n <= most ? queues.add(begin, n) : sort_long(begin, n);
    }
  }
}

template <class Job>
void sort_alone(const Job& job) {
  const Long<Job> alone(job, 1, job.workspace.data(), job.workspace.size());
  columns::Queues<Job> queues(job);
  sort_short(job, queues, 0, job.cut.count,
             [&](std::size_t begin, std::size_t n) { alone.sort(begin, n); });
  queues.finish();
}

template <class Job>
void sort_together(const Job& job, const Layout& layout, int threads) {
  auto* const listed =
      reinterpret_cast<Listed*>(job.workspace.data() + layout.listed_from(job.threads));
  const auto long_of = [&](int t) {
    std::byte* const own = job.workspace.data() + static_cast<std::size_t>(t) * layout.of_thread;
    return Long<Job>(job, 1, own, layout.of_thread);
  };
  std::atomic<std::size_t> count = 0, next = 0;
  const std::size_t parts =
      std::min<std::size_t>(job.cut.count, static_cast<std::size_t>(threads) * 64);
  // A thread may be late by the longest segment that it sorts at once, and by the longer ones of a part.
  const std::size_t at_once = job.n / static_cast<std::size_t>(16 * job.threads);
  parallel::on_all_threads(threads, [&](int t) {
    const Long<Job> own = long_of(t);
    columns::Queues<Job> queues(job);
    for (std::size_t part; (part = next.fetch_add(1, std::memory_order_relaxed)) < parts;) {
      std::size_t left = 2 * at_once;
      sort_short(job, queues, job.cut.count * part / parts, job.cut.count * (part + 1) / parts,
                 [&](std::size_t begin, std::size_t n) {
                   if (n <= at_once && n <= left) {
                     left -= n;
                     own.sort(begin, n);
                   } else {
                     listed[count.fetch_add(1, std::memory_order_relaxed)] = {begin, n};
                   }
                 });
    }
    queues.finish();
  });
  Listed* const end = listed + count.load();
  const std::size_t shared_from = Layout::shared_from(job.n, job.threads);
  Listed* const others =
      std::partition(listed, end, [&](const Listed& one) { return one.n > shared_from; });
  for (const Listed* one = listed; one != others; ++one) {
    Long<Job>(job, threads, job.workspace.data(), layout.of_all).sort(one->begin, one->n);
  }
  if (others == end) return;
  // Order matters where lengths differ; equal ones, as of rows, stay in their order, next to each other in memory.
  std::sort(others, end, [](const Listed& a, const Listed& b) {
    return a.n != b.n ? a.n > b.n : a.begin < b.begin;
  });
  const auto left = static_cast<std::size_t>(end - others);
  parallel::for_each_part(
      left, threads, [&](std::size_t i, int t) { long_of(t).sort(others[i].begin, others[i].n); });
}

template <class Job>
void sort_typed(const Job& job) {
  const int threads =
      parallel::at_hand(parallel::threads_for(job.n, parallel::kItemsPerThread, job.threads));
  threads == 1 ? sort_alone(job) : sort_together(job, Layout::of(job, job.cut.count), threads);
}

}  // namespace

std::size_t workspace_bytes(const Call& call, std::size_t count) {
  return Layout::of(call, count).bytes(call.threads);
}

void sort(const Call& call) {
  visit_key_type(call.kind.type, [&]<class Key>(Key) {
    visit_value_type(call.value_bytes, [&]<class Value>(Value) {
      if (call.kind.order == Order::ascending) {
        sort_typed(TypedCall<Key, Value, Order::ascending>(call));
      } else {
        sort_typed(TypedCall<Key, Value, Order::descending>(call));
      }
    });
  });
}

}  // namespace sortlab::cpu::segments

namespace sortlab {
namespace {

struct SegmentsAuto {
  using JobKind = Segments;
  static constexpr Info info{.summary = "the fastest way for segments of any lengths",
                             .source = "our own",
                             .after = "cpu/segments/columns",
                             .stable = true,
                             .parallel = true,
                             .isas = kEveryIsa};

  static std::size_t workspace_bytes(const SegmentsRequest& request) {
    const WorkspaceRequest& array = request.array;
    return cpu::segments::workspace_bytes(
        {.kind = {number_type(NumberKind::unsigned_integer, array.key_bytes), Order::ascending},
         .value_bytes = array.value_bytes,
         .n = array.n,
         .longest = request.longest,
         .threads = array.threads},
        request.count);
  }

  template <class Job>
  static ResultIn sort(const Job& job) {
    cpu::segments::sort(cpu::segments::call_of(job));
    return ResultIn::data;
  }
};
SORTLAB_REGISTER(SegmentsAuto, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab
