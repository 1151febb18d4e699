// A filter on vectors: one read against a bound, which only keys pass that may be among the best; they are selected
// whenever their memory is full.
//
// Over heap: a vector of keys that are no candidates costs one comparison and no branch of its own. The first bound comes
// from a sample. Candidates of 4 bytes with their places are numbers of 8 bytes, selected on vectors (cpu/partial/simd).
// Threads take rows; all threads share a long row and select the best of what each has found.
//
//   row         | key key key ...                        |
//   candidates  | the best k so far | new ones | room ..  |   full: select k, and the bound falls
//
// Memory traffic: one read of the rows.
// Any k. Extra memory for each thread: 2 k + 4096 candidates, at most a row, of 4 or 8 bytes, or 16 for places of 8-byte
// keys; with long rows k more.
// Gain over heap: 2.7x (best 50 of 4M uniform f32, 1 thread; results/h200/top_k.summary.csv.xz).
// Source: the bound from a sample: Floyd and Rivest, "Expected time bounds for selection", 1975.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "common/contract/top_k.hpp"
#include "cpu/partial/simd/calls.hpp"
#include "cpu/primitives/parallel.hpp"
#include "cpu/primitives/simd/keys.hpp"

namespace sortlab::cpu::topk {
namespace {

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
  static constexpr std::size_t bytes_for(std::size_t n, std::size_t k) {
    return (room_for(n, k) * sizeof(Candidate) + 255) / 256 * 256;
  }

  Filter(Isa isa, const Form& form, void* memory)
      : calls_(partial::calls<Int, kFloat>(isa)),
        wide_(partial::calls<std::int64_t, false>(isa)),
        form_(form),
        memory_(static_cast<Candidate*>(memory)) {}

  /// Finds the best k of n keys, which have the places `first` and on; 0 < k <= n. They are in no order.
  Candidate* best(const Int* keys, std::size_t n, std::size_t k, std::size_t first) const {
    Found found{memory_, 0, room_for(n, k)};
    const Int bound = first_bound(keys, n, k);
    collect(keys, n, k, first, bound, found);
    if (found.count < k) {  // the sample was not like the row
      found.count = 0;
      collect(keys, n, k, first, kGreatest, found);
    }
    if (found.count > k) select(found.items, found.count, k);
    return found.items;
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
  static constexpr std::size_t kSpare = 4096, kMostSampled = 1024, kSampledFrom = 1 << 14;
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

  /// A bound from a sample, which at least k keys keep, most probably. So even keys whose best come last fill the memory
  /// once or twice.
  Int first_bound(const Int* keys, std::size_t n, std::size_t k) const {
    if (n < kSampledFrom) return kGreatest;
    const double expected =
        static_cast<double>(k) / static_cast<double>(n) * static_cast<double>(kMostSampled);
    const auto at = static_cast<std::size_t>(expected + 3 * std::sqrt(expected) + 4);
    if (at >= kMostSampled / 2) return kGreatest;
    Int sample[kMostSampled];
    const std::size_t step = n / kMostSampled;
    for (std::size_t i = 0; i < kMostSampled; ++i) {
      const std::size_t within = i * 40503 % step;
      sample[i] = partial::rank_of<Int, kFloat>(keys[i * step + within], form_);
    }
    std::nth_element(sample, sample + at, sample + kMostSampled);
    return sample[at];
  }

  void collect(const Int* keys, std::size_t n, std::size_t k, std::size_t first, Int bound,
               Found& found) const {
    for (std::size_t i = 0; i < n;) {
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

}  // namespace
}  // namespace sortlab::cpu::topk

namespace sortlab {
namespace {
namespace parallel = cpu::primitives::parallel;

/// So many keys of a row are worth a thread of their own.
constexpr std::size_t kKeysPerThread = std::size_t{1} << 16;

struct TopKFilter {
  using JobKind = TopK;
  static constexpr Info info{.summary = "a filter on vectors against a falling bound",
                             .source = "Floyd and Rivest 1975",
                             .after = "cpu/topk/heap",
                             .stable = true,
                             .alternate = true,
                             .parallel = true,
                             .isas = kEveryIsa};

  template <class Int, bool kFloat, bool kPlaces>
  using Filter = cpu::topk::Filter<Int, kFloat, kPlaces>;

  /// How many threads share each row; the others take other rows.
  static int sharers(const Rows& rows, std::size_t k, int threads) {
    if (rows.count >= static_cast<std::size_t>(threads)) return 1;
    const std::size_t most =
        std::max<std::size_t>(1, rows.length / std::max(kKeysPerThread, 4 * k));
    return static_cast<int>(
        std::min(most, static_cast<std::size_t>(threads) / std::max<std::size_t>(1, rows.count)));
  }

  static std::size_t workspace_bytes(const TopKRequest& request) {
    const std::size_t k = std::min(request.top.k, request.rows.length);
    const auto threads = static_cast<std::size_t>(request.array.threads);
    const auto bytes = [&](std::size_t candidate) {
      return ((2 * k + 4096) * candidate + 255) / 256 * 256 * threads + threads * k * candidate;
    };
    if (request.array.value_bytes == 0) return bytes(request.array.key_bytes);
    return bytes(2 * request.array.key_bytes);
  }

  template <class Job>
  static ResultIn sort(const Job& job) {
    using Signed = cpu::primitives::simd::SignedKeys<Job>;
    using Int = typename Signed::Int;
    using RowFilter = Filter<Int, Signed::kFloat, Job::kPairs>;
    using Candidate = typename RowFilter::Candidate;
    const std::size_t room = job.room();
    if (room == 0) return ResultIn::alternate;
    const cpu::partial::Form<Int> form{.flip = Signed::kFlip};
    const std::size_t share = RowFilter::bytes_for(job.rows.length, room);
    const auto filter_of = [&](int t) {
      return RowFilter(job.isa, form, job.workspace.data() + static_cast<std::size_t>(t) * share);
    };
    const auto write = [&](std::size_t r, const RowFilter& filter, Candidate* best) {
      const std::size_t k = job.k_of(r);
      if (job.top.is_sorted) filter.sort(best, k);
      Int* const keys = Signed::of(job.alternate.keys) + r * room;
      for (std::size_t i = 0; i < k; ++i) keys[i] = filter.key_of(best[i]);
      if constexpr (Job::kPairs) {
        auto* const places = job.alternate.values + r * room;
        for (std::size_t i = 0; i < k; ++i) places[i] = RowFilter::place_of(best[i]);
      }
    };
    const auto row = [&](std::size_t r) { return Signed::of(job.data.keys) + r * job.rows.stride; };
    const int shared_by = sharers(job.rows, room, parallel::at_hand(job.threads));
    if (shared_by == 1) {
      const int threads =
          parallel::threads_for(job.rows.count * job.rows.length, 4096, job.threads);
      parallel::for_each_part(job.rows.count, threads, [&](std::size_t r, int t) {
        if (job.k_of(r) == 0) return;
        const RowFilter filter = filter_of(t);
        write(r, filter, filter.best(row(r), job.rows.length, job.k_of(r), 0));
      });
      return ResultIn::alternate;
    }
    auto* const all = reinterpret_cast<Candidate*>(job.workspace.data() +
                                                   static_cast<std::size_t>(job.threads) * share);
    for (std::size_t r = 0; r < job.rows.count; ++r) {
      const std::size_t k = job.k_of(r);
      if (k == 0) continue;
      parallel::on_all_threads(shared_by, [&](int t) {
        const std::size_t begin = parallel::chunk_begin(job.rows.length, shared_by, t),
                          end = parallel::chunk_begin(job.rows.length, shared_by, t + 1);
        const Candidate* const best = filter_of(t).best(row(r) + begin, end - begin, k, begin);
        std::copy_n(best, k, all + static_cast<std::size_t>(t) * k);
      });
      const RowFilter filter = filter_of(0);
      filter.select(all, static_cast<std::size_t>(shared_by) * k, k);
      write(r, filter, all);
    }
    return ResultIn::alternate;
  }
};
SORTLAB_REGISTER(TopKFilter, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab
