// A filter on vectors: one read against a bound, which only keys pass that may be among the best; they are selected
// whenever their memory is full.
//
// Over heap: a vector of keys that are no candidates costs one comparison and no branch of its own. The first bound is
//   k up to 4 a lane      the k-th of the least keys of groups, to which some of the row's keys are dealt
//   k small               that of a sample
//   with places, k an eighth of n      exact: a read that counts, and selects among the few keys around the place
//   (of 8-byte keys a 64th, because those are not selected on vectors with their places)
// With an exact bound and places, only the places are collected, on vectors; the keys are read from there.
// Many keys without places and order: one read copies the keys before a narrow range around place k, and the best of the
// range follow.
// Rows of up to 64 keys are sorted side by side (cpu/segments/columns). Candidates of 4 bytes with their places are numbers
// of 8 bytes, selected on vectors (cpu/partial/simd). Threads take rows; all threads share a long row and select the best
// of what each has found.
//
//   row         | key key key ...                        |
//   candidates  | the best k so far | new ones | room ..  |   full: select k, and the bound falls
//
// Memory traffic: one read of the rows, or two.
// Any k. Extra memory for each thread that has work: 2 k + 4096 candidates, at most a row, of 4 or 8 bytes, or 16 for
// places of 8-byte keys; with long rows k more.
// Gain over heap: 2.7x (best 50 of 4M uniform f32, 1 thread; results/h200/top_k.summary.csv.xz).
// Source: the bound from a sample: Floyd and Rivest, "Expected time bounds for selection", 1975.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "cpu/partial/simd/calls.hpp"
#include "cpu/primitives/parallel.hpp"
#include "cpu/topk/calls.hpp"

namespace sortlab::cpu::topk::filter {
namespace {
namespace parallel = cpu::primitives::parallel;

constexpr std::size_t aligned(std::size_t bytes) { return (bytes + 255) / 256 * 256; }

/// Finds candidates, keys that may be among the best k of a row, in memory of its own.
template <class Int, bool kFloat, bool kPlaces>
class Filter {
 public:
  using Candidate = partial::Candidate<Int, kPlaces>;
  using Form = partial::Form<Int>;

  /// Candidates that memory is needed for. Each time it is full, the best k stay: the more room, the fewer times.
  static constexpr std::size_t room_for(std::size_t n, std::size_t k) {
    return std::min(n, 2 * k + kSpare);
  }

  Filter(Isa isa, const Form& form, void* memory)
      : calls_(partial::calls<Int, kFloat>(isa)),
        wide_(partial::calls<std::int64_t, false>(isa)),
        form_(form),
        memory_(static_cast<Candidate*>(memory)) {}

  /// Finds the best k of n keys, which have the places `first` and on; 0 < k <= n. They are in no order.
  Candidate* best(const Int* keys, std::size_t n, std::size_t k, std::size_t first) const {
    Found found{memory_, 0, room_for(n, k)};
    if constexpr (kPlaces) {
      if (const Bound exact = exact_bound(keys, n, k, found.room); exact.equal != 0) {
        collect_exactly(keys, n, k, first, exact, found.items);
        return found.items;
      }
    }
    collect(keys, n, k, first, first_bound(keys, n, k), found);
    if (found.count < k) {  // the sample was not like the row
      found.count = 0;
      collect(keys, n, k, first, kGreatest, found);
    }
    if (found.count > k) select(found.items, found.count, k);
    return found.items;
  }

  /// The places alone, or null where best() finds them in less time.
  const std::int64_t* places_of_best(const Int* keys, std::size_t n, std::size_t k) const {
    const Bound exact = exact_bound(keys, n, k, room_for(n, k));
    if (exact.equal == 0) return nullptr;
    auto* const places = reinterpret_cast<std::int64_t*>(memory_);
    calls_.best_places(keys, n, form_, exact, places);
    return places;
  }

  /// Writes the best of keys without places, in any order, where they are many: by one read around the key of place k. Else, or
  /// if a sample is not like the row, returns false. Where a cache holds the keys and k is less, collect() takes less time.
  /// measured: k of n/2, us: 10^5 u32 34 (this) vs 46, 10^7 14,100 vs 24,600; xeon16, results/xeon16/attempts/partial.4.csv.xz
  bool finds_many(const Int* keys, std::size_t n, std::size_t k, Int* to) const {
    const bool is_in_cache = n < kBeyondCaches / sizeof(Int);
    if (n < 8 * kLeastSampled || k == n || k < n / (is_in_cache ? 4 : 8)) return false;
    if (calls_.are_alike(keys, n)) {
      std::fill_n(to, k, *keys);
      return true;
    }
    return calls_.best_keys(keys, n, k, form_, to, reinterpret_cast<Int*>(memory_), room_for(n, k));
  }

  /// Brings the best k of some candidates to the front.
  void select(Candidate* from, std::size_t count, std::size_t k) const {
    if (k == 0 || k >= count) return;
    if constexpr (std::is_same_v<Candidate, Int>) {
      calls_.select_coded(from, count, k - 1);
    } else if constexpr (std::is_same_v<Candidate, std::int64_t>) {
      wide_.select_coded(from, count, k - 1);
    } else {
      std::nth_element(from, from + k - 1, from + count);
    }
  }

  void sort(Candidate* from, std::size_t count) const {
    if constexpr (std::is_same_v<Candidate, Int>) {
      calls_.sort_coded(from, count);
    } else if constexpr (std::is_same_v<Candidate, std::int64_t>) {
      wide_.sort_coded(from, count);
    } else {
      std::sort(from, from + count);
    }
  }

  /// The user's keys.
  void put_keys(const Int* ranks, std::size_t n, Int* keys) const {
    calls_.decode(ranks, n, form_, keys);
  }

  static std::uint32_t place_of(const Candidate& one) {
    if constexpr (std::is_same_v<Candidate, partial::Placed>) {
      return one.place;
    } else {
      return static_cast<std::uint32_t>(one);
    }
  }
  /// The user's key; not of forms that make keys equal.
  Int key_of(const Candidate& one) const {
    using Bits = std::make_unsigned_t<Int>;
    const auto bits =
        static_cast<Int>(static_cast<Bits>(rank_of(one)) + static_cast<Bits>(form_.shift)) ^
        form_.flip;
    if constexpr (!kFloat) return bits;
    return bits ^ (bits >> (8 * sizeof(Int) - 1) & kGreatest);
  }

 private:
  using Found = partial::Candidates<Int, kPlaces>;
  using Bound = partial::Bound<Int>;
  static constexpr std::size_t kSpare = 4096, kMostSampled = 1024, kLeastSampled = 256;
  static constexpr std::size_t kSampledFrom = 1 << 14;
  static constexpr std::size_t kBeyondCaches = std::size_t{1} << 24;
  static constexpr std::size_t kAtOnce = 1024;  // keys, between two looks at what was found
  static constexpr Int kLeast = std::numeric_limits<Int>::min(),
                       kGreatest = std::numeric_limits<Int>::max();

  static Int rank_of(const Candidate& one) {
    if constexpr (std::is_same_v<Candidate, Int>) {
      return one;
    } else if constexpr (std::is_same_v<Candidate, std::int64_t>) {
      return static_cast<Int>(one >> 32);
    } else {
      return one.key;
    }
  }

  /// Where many are asked for, with places: one read more is less than to select among what another bound leaves.
  Bound exact_bound(const Int* keys, std::size_t n, std::size_t k, std::size_t room) const {
    const bool selects_on_vectors = !std::is_same_v<Candidate, partial::Placed>;
    const std::size_t least = selects_on_vectors ? 8 * kLeastSampled : kLeastSampled;
    if (n < least || k == n || k < n / (selects_on_vectors ? 8 : 64)) return {0, 0};
    return calls_.bound(keys, n, k - 1, form_, reinterpret_cast<Int*>(memory_),
                        room * (sizeof(Candidate) / sizeof(Int)));
  }

  /// A bound that at least k keys keep, most probably. So even keys whose best come last fill the memory once or twice.
  Int first_bound(const Int* keys, std::size_t n, std::size_t k) const {
    const Int bound = calls_.close_bound(keys, n, k, form_);
    if (bound != kGreatest || n < 8 * kLeastSampled) return bound;
    const std::size_t sampled = n < kSampledFrom ? kLeastSampled : kMostSampled;
    const double share = static_cast<double>(k) / static_cast<double>(n),
                 expected = share * static_cast<double>(sampled);
    const auto at = static_cast<std::size_t>(expected + 3 * std::sqrt(expected * (1 - share)) + 4);
    if (at >= sampled) return kGreatest;
    Int sample[kMostSampled];
    const std::size_t step = n / sampled;
    for (std::size_t i = 0; i < sampled; ++i) {
      const std::size_t within = (i * 40503 & 0xFFFF) * step >> 16;
      sample[i] = partial::rank_of<Int, kFloat>(keys[i * step + within], form_);
    }
    calls_.select_coded(sample, sampled, at);
    return sample[at];
  }

  void collect(const Int* keys, std::size_t n, std::size_t k, std::size_t first, Int bound,
               Found& found) const {
    std::size_t i = 0;
    while (i < n && found.count < k) {
      i += filter(keys + i, std::min(kAtOnce, n - i), first + i, bound, found);
    }
    // Behind the first k, a key that equals the bound is not better than these.
    if (i == n || bound == kLeast) return;
    --bound;
    while (i < n) {
      i += filter(keys + i, n - i, first + i, bound, found);
      if (i == n) return;
      // Full: of equal keys those in earlier places are there already.
      if (found.count > k) select(found.items, found.count, k);
      found.count = k;
      const Int last = rank_of(found.items[k - 1]);
      if (last == kLeast) return;
      bound = std::min<Int>(bound, last - 1);
    }
  }

  /// All keys before the bound, and the first ones that equal it, as many as it says.
  void collect_exactly(const Int* keys, std::size_t n, std::size_t k, std::size_t first,
                       Bound bound, Candidate* to) const {
    auto* const places = reinterpret_cast<std::int64_t*>(memory_);
    calls_.best_places(keys, n, form_, bound, places);
    for (std::size_t i = k; i-- > 0;) {  // a candidate takes as much memory as a place, or more
      const auto place = static_cast<std::size_t>(places[i]);
      to[i] = partial::candidate_of<Int, true>(partial::rank_of<Int, kFloat>(keys[place], form_),
                                               first + place);
    }
  }

  std::size_t filter(const Int* keys, std::size_t n, std::size_t first, Int bound,
                     Found& to) const {
    if constexpr (kPlaces) {
      return calls_.filter_placed(keys, n, first, bound, form_, to);
    } else {
      return calls_.filter(keys, n, first, bound, form_, to);
    }
  }

  partial::Calls<Int> calls_;
  partial::Calls<std::int64_t> wide_;
  Form form_;
  Candidate* memory_;
};

namespace columns = segments::columns;

/// Rows of so many keys are sorted side by side, a few of them at least.
constexpr std::size_t kMostShort = 64, kFewRows = 4;
constexpr bool are_short(const Rows& rows) {
  return rows.length <= kMostShort && rows.count >= kFewRows;
}

/// The memory of a thread.
std::size_t share_bytes(std::size_t candidate_bytes, const Rows& rows, std::size_t k) {
  if (are_short(rows)) return columns::kMostLanes * kMostShort * sizeof(std::int64_t);
  return aligned(Filter<std::int32_t, false, false>::room_for(rows.length, k) * candidate_bytes +
                 partial::kMorePlaces * sizeof(std::int64_t));
}

/// So many keys of a row are worth a thread of their own.
constexpr std::size_t kKeysPerThread = std::size_t{1} << 16;

/// How many of `threads` threads share each row; the others take other rows.
int sharers(const Rows& rows, std::size_t k, int threads) {
  if (rows.count >= static_cast<std::size_t>(threads)) return 1;
  const std::size_t most = std::max<std::size_t>(1, rows.length / std::max(kKeysPerThread, 4 * k));
  return static_cast<int>(
      std::min(most, static_cast<std::size_t>(threads) / std::max<std::size_t>(1, rows.count)));
}

/// How many threads work at a time, at most: on rows of their own, or on one row.
std::size_t most_at_once(const Rows& rows, std::size_t k, int threads) {
  return std::max(std::min(rows.count, static_cast<std::size_t>(threads)),
                  static_cast<std::size_t>(sharers(rows, k, threads)));
}

/// All rows, by filters of one kind.
template <class Int, bool kFloat, bool kPlaces>
class Finder {
 public:
  explicit Finder(const Call& call)
      : call_(call),
        form_(partial::form_of<Int, kFloat>(call.kind, call.nans_last, call.nans_first)),
        share_(share_bytes(sizeof(Candidate), call.rows, call.room())) {}

  void find() const {
    const int shared_by = sharers(call_.rows, call_.room(), parallel::at_hand(call_.threads));
    if (shared_by > 1) {
      for (std::size_t r = 0; r < call_.rows.count; ++r) find_together(r, shared_by);
      return;
    }
    // Threads take rows of a few thousand keys at a time.
    const std::size_t at_once = std::max<std::size_t>(1, kKeysAtOnce / call_.rows.length),
                      parts = (call_.rows.count + at_once - 1) / at_once;
    const int threads = static_cast<int>(
        std::min(parts, static_cast<std::size_t>(parallel::at_hand(call_.threads))));
    parallel::for_each_part(parts, threads, [&](std::size_t part, int t) {
      const std::size_t first = part * at_once, last = std::min(call_.rows.count, first + at_once);
      if (are_short(call_.rows)) return find_side_by_side(first, last, t);
      for (std::size_t r = first; r < last; ++r) {
        const std::size_t k = call_.k_of(r);
        if (k == 0) continue;
        const RowFilter filter = filter_of(t);
        if constexpr (!kPlaces) {
          if (!call_.top.is_sorted && call_.best != nullptr &&
              filter.finds_many(row(r), call_.rows.length, k, best_of(r))) {
            continue;
          }
        }
        if (const std::int64_t* const places =
                kPlaces && !call_.top.is_sorted
                    ? filter.places_of_best(row(r), call_.rows.length, k)
                    : nullptr) {
          put(
              r, [&](std::size_t i) { return row(r)[places[i]]; },
              [&](std::size_t i) { return places[i]; });
          continue;
        }
        write(r, filter, filter.best(row(r), call_.rows.length, k, 0));
      }
    });
  }

 private:
  using RowFilter = Filter<Int, kFloat, kPlaces>;
  using Candidate = typename RowFilter::Candidate;
  static constexpr std::size_t kKeysAtOnce = 8192;

  const Int* row(std::size_t r) const {
    return static_cast<const Int*>(call_.keys) + r * call_.rows.stride;
  }
  Int* best_of(std::size_t r) const { return static_cast<Int*>(call_.best) + r * call_.room(); }
  RowFilter filter_of(int t) const { return RowFilter(call_.isa, form_, memory_of(t)); }

  std::byte* memory_of(int t) const {
    return call_.workspace.data() + static_cast<std::size_t>(t) * share_;
  }

  /// Sorts the places of short rows, a row in each lane.
  void find_side_by_side(std::size_t first, std::size_t last, int t) const {
    const columns::Calls<Int> calls = columns::calls<Int, kFloat>(call_.isa);
    auto* const memory = reinterpret_cast<std::int64_t*>(memory_of(t));
    columns::Batch batch;
    batch.longest = batch.shortest = call_.rows.length;
    std::int64_t* to[columns::kMostLanes];
    for (std::size_t r = first; r < last; r += batch.count) {
      batch.count = std::min(calls.place_lanes, last - r);
      batch.is_even = batch.count == calls.place_lanes;
      for (std::size_t s = 0; s < batch.count; ++s) {
        batch.begins[s] = s * call_.rows.stride;
        batch.lengths[s] = call_.rows.length;
        to[s] = memory + s * call_.rows.length;
      }
      calls.places(row(r), batch, form_, memory, to);
      for (std::size_t s = 0; s < batch.count; ++s) {
        put(
            r + s, [&, s](std::size_t i) { return row(r + s)[to[s][i]]; },
            [&, s](std::size_t i) { return to[s][i]; });
      }
    }
  }

  /// Each thread finds the best of its part, and one of them the best of these.
  void find_together(std::size_t r, int threads) const {
    const std::size_t k = call_.k_of(r), length = call_.rows.length;
    if (k == 0) return;
    auto* const all = reinterpret_cast<Candidate*>(
        call_.workspace.data() + most_at_once(call_.rows, call_.room(), call_.threads) * share_);
    parallel::on_all_threads(threads, [&](int t) {
      const std::size_t begin = parallel::chunk_begin(length, threads, t),
                        end = parallel::chunk_begin(length, threads, t + 1);
      const Candidate* const best = filter_of(t).best(row(r) + begin, end - begin, k, begin);
      std::copy_n(best, k, all + static_cast<std::size_t>(t) * k);
    });
    const RowFilter filter = filter_of(0);
    filter.select(all, static_cast<std::size_t>(threads) * k, k);
    write(r, filter, all);
  }

  void write(std::size_t r, const RowFilter& filter, Candidate* best) const {
    const std::size_t k = call_.k_of(r);
    if (call_.top.is_sorted) filter.sort(best, k);
    if constexpr (kPlaces) {
      put(
          r, [&](std::size_t i) { return filter.key_of(best[i]); },
          [&](std::size_t i) { return RowFilter::place_of(best[i]); });
    } else if (call_.best != nullptr) {
      filter.put_keys(best, k, best_of(r));
    }
  }

  /// Writes the i-th best key of a row, and its place, for all i.
  template <class KeyOf, class PlaceOf>
  void put(std::size_t r, KeyOf key_of, PlaceOf place_of) const {
    const std::size_t k = call_.k_of(r), at = r * call_.room();
    if (call_.best != nullptr) {
      Int* const keys = static_cast<Int*>(call_.best) + at;
      for (std::size_t i = 0; i < k; ++i) keys[i] = key_of(i);
    }
    if constexpr (kPlaces) {
      const auto put_places = [&]<class Place>(Place* places) {
        if (places == nullptr) return;
        for (std::size_t i = 0; i < k; ++i) places[at + i] = static_cast<Place>(place_of(i));
      };
      put_places(call_.places);
      put_places(call_.wide_places);
    }
  }

  const Call& call_;
  partial::Form<Int> form_;
  std::size_t share_;
};

template <class Int, bool kFloat>
void find_of(const Call& call) {
  call.has_places() ? Finder<Int, kFloat, true>(call).find()
                    : Finder<Int, kFloat, false>(call).find();
}

}  // namespace

std::size_t workspace_bytes(std::size_t key_bytes, bool has_places, const Rows& rows, std::size_t k,
                            int threads) {
  const std::size_t least = std::min(k, rows.length);
  const auto bytes = [&]<class Candidate>(Candidate) {
    const std::size_t share = share_bytes(sizeof(Candidate), rows, least);
    return most_at_once(rows, least, threads) * share +
           static_cast<std::size_t>(sharers(rows, least, threads)) * least * sizeof(Candidate);
  };
  if (!has_places) return key_bytes == 4 ? bytes(std::int32_t{}) : bytes(std::int64_t{});
  return key_bytes == 4 ? bytes(std::int64_t{}) : bytes(partial::Placed{});
}

void find(const Call& call) {
  if (call.rows.count == 0 || call.room() == 0) return;
  const bool is_float = is_floating(call.kind.type);
  if (bytes_of(call.kind.type) == 4) {
    is_float ? find_of<std::int32_t, true>(call) : find_of<std::int32_t, false>(call);
  } else {
    is_float ? find_of<std::int64_t, true>(call) : find_of<std::int64_t, false>(call);
  }
}

}  // namespace sortlab::cpu::topk::filter

namespace sortlab {
namespace {

struct TopKFilter {
  using JobKind = TopK;
  static constexpr Info info{.summary = "a filter on vectors against a falling bound",
                             .source = "Floyd and Rivest 1975",
                             .after = "cpu/topk/heap",
                             .stable = true,
                             .alternate = true,
                             .parallel = true,
                             .isas = kEveryIsa};

  static std::size_t workspace_bytes(const TopKRequest& request) {
    return cpu::topk::filter::workspace_bytes(request.array.key_bytes,
                                              request.array.value_bytes != 0, request.rows,
                                              request.top.k, request.array.threads);
  }

  template <class Job>
  static ResultIn sort(const Job& job) {
    cpu::topk::Call call{.kind = kind_of(job),
                         .keys = job.data.keys,
                         .rows = job.rows,
                         .top = job.top,
                         .best = job.alternate.keys,
                         .workspace = job.workspace,
                         .threads = job.threads,
                         .isa = job.isa};
    if constexpr (Job::kPairs) call.places = job.alternate.values;
    cpu::topk::filter::find(call);
    return ResultIn::alternate;
  }
};
SORTLAB_REGISTER(TopKFilter, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab
