// Samplesort in place: keys move in blocks within their own memory, with a sixteenth of it as workspace.
//
// Over cpu/quick/simd, which needs another n keys: the same idea (splitters from a sample, all
// threads make the buckets, one thread sorts each bucket) in 1/16 of that memory. With AVX-512 it
// is as fast on large inputs. It searches a tree of splitters for a whole vector of keys at a time.
// A key moves once alone, and then with its block.
// measured: 2^27 u32, 16 threads, AVX-512, Mkeys/s: 1373 (this) vs 1379 (quick/simd); xeon16,
// quick_simd.2.txt
//
//   keys    | share of thread 0     | share of thread 1     |
//   blocks  | b a c a . . .         | c b b a c . . .       |  full buffers, over keys that are read
//   keys    | a a a . | b b b . . | c c c . |                 every block to its bucket, by swaps
//   keys    | a       | b         | c       |                 rests of the buffers fill gaps
//   keys    | sorted  | sorted    | sorted  |                 each by one thread, in any order
//
// The first row that fits decides (Sorter):
//
//   keys                                     sorted by
//   in order or in reverse order             one read, and a reversal
//   one thread, at most 32 MiB; few keys     the kernels of cpu/quick/simd, in place
//   all else                                 a distribution; then of each bucket:
//     between equal splitters                  nothing: it is counted, not moved, and written at the end
//     of one thread; at most half of a         the kernels of cpu/quick/simd, in place
//       thread's share, or 3 mean buckets
//     larger, up to 4 times                    a distribution again, by all threads
//
// Memory traffic: a large input is read and written three times, 24 bytes per 32-bit key (simd:
// 16); buckets that do not fit into a cache take more.
//
// Limits: keys alone, without values; not stable. Any n. Extra memory: a sixteenth of the keys', or
// 64 KiB per thread if that is more; 2^27 u32 keys on 16 threads take 5 MiB, a hundredth; none for one
// thread up to 32 MiB of keys. Without
// AVX-512 the search costs more than it saves.
// measured: 2^26 u32, 16 threads, AVX2, Mkeys/s: 838 (this) vs 1301 (quick/simd); xeon16, in_place.6.txt
//
// Bytes per u32 key: 24.
// Source: Axtmann, Witt, Ferizovic and Sanders, "Engineering In-place (Shared-memory) Sorting
// Algorithms", 2022 (IPS4o: blocks, buffers, buckets of equal keys); Blacher et al., "Vectorized
// and performance-portable quicksort", 2022 (partition in place).
// Experiments: docs/lab/cpu/quick/in_place.md.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <numeric>
#include <span>
#include <thread>
#include <utility>

#include "common/contract/variant.hpp"
#include "common/utils.hpp"
#include "cpu/primitives/parallel.hpp"
#include "cpu/primitives/simd/kernels.hpp"
#include "cpu/primitives/simd/keys.hpp"
#include "cpu/quick/in_place/state.hpp"
#include "cpu/quick/tree_search.hpp"

namespace sortlab::cpu::quick::in_place {

// Moves blocks of keys to their buckets' slots, in place and with all threads.
//
//   after the distribution   | b a c a . . | c b b a c . | ..      a share's blocks, then free slots
//   after the permutation    | a a a . | b b b . . | c c c . | ..  a bucket's slots, then a gap
//   gaps filled              | all of a | all of b   | all of c |  from the buffers
//
// A thread takes a block from its slot and finds the next slot of that block's bucket. It takes the
// block there out, stores its own, and continues with the other one. Tags prevent races: the thread
// that has changed a slot's tag reads the slot. The thread that got the slot from its bucket's
// counter writes it, once it is read.
//
// Source: Axtmann et al., "Engineering In-place (Shared-memory) Sorting Algorithms", 2022, section
// 4.2, with tags in place of pointers that meet. Every block's bucket is known, so a block in the
// right place can stay.
template <class Key>
class Blocks {
 public:
  /// `memory` has the size that the plan needs, and begins at a cache line boundary.
  Blocks(Key* keys, std::size_t n, const BlockPlan& plan, std::byte* memory)
      : keys_(keys), n_(n), plan_(plan), block_(plan.block_bytes / sizeof(Key)) {
    std::byte* at = memory;
    const auto take = [&](std::size_t bytes) { return std::exchange(at, at + bytes); };
    tags_ = reinterpret_cast<Tag*>(take(plan.tag_bytes()));
    places_ = reinterpret_cast<Place*>(take(plan.place_bytes()));
    spare_ = reinterpret_cast<Key*>(take(plan.spare_bytes()));
    threads_ = at;
  }

  /// The share of thread t: whole slots, and for the last thread also the rest behind them.
  Stripe<Key> stripe(int t) const {
    const auto share = [&](int i) {
      return plan_.slots * static_cast<std::size_t>(i) / static_cast<std::size_t>(plan_.threads);
    };
    const std::size_t first = share(t), last = share(t + 1);
    const std::size_t end = t + 1 == plan_.threads ? n_ : last * block_;
    std::byte* const memory = memory_of(t).data();
    std::byte* const beyond = memory + plan_.buffer_bytes();
    auto* const next = reinterpret_cast<std::uint32_t*>(beyond);
    std::byte* const batch = beyond + plan_.leaves() * sizeof(std::uint32_t);
    auto* const leads = reinterpret_cast<std::uint32_t*>(batch + kBatch * sizeof(std::uint64_t));
    return {keys_ + first * block_,
            end - first * block_,
            tags_ + first,
            last - first,
            reinterpret_cast<Key*>(memory),
            block_,
            next,
            reinterpret_cast<std::make_unsigned_t<Key>*>(batch),
            leads,
            leads + plan_.leaves()};
  }

  /// Assigns each bucket its slots, once all keys are in blocks.
  ///
  ///   keys    .. bucket b - 1 |  bucket b            |  bucket b + 1 ..
  ///   slots     |      |      |      |      |      |      |
  ///                           gap^  first       last^ gap
  void place(const SplitterTree<Key>& tree) {
    std::size_t begin = 0;
    for (int b = 0; b < tree.buckets(); ++b) {
      std::size_t size = 0, full = 0;
      for (int t = 0; t < plan_.threads; ++t) {
        const Stripe<Key> from = stripe(t);
        size += from.count(b);
        full += from.full[b];
      }
      if (tree.splitters.all_equal(b)) full = 0;  // they are stored nowhere
      Place& place = places_[b];
      place.begin = begin;
      place.end = begin += size;
      place.first = ceil_div(place.begin, block_);
      place.last = std::clamp(place.end / block_, place.first, place.first + full);
      place.spare_used = full > place.last - place.first;
      place.next.store(place.first, std::memory_order_relaxed);
    }
    next_slot_.store(0, std::memory_order_relaxed);
  }
  const Place& bucket(int b) const { return places_[b]; }

  /// Moves blocks to their slots, together with the other threads.
  void permute(int t) {
    constexpr std::size_t kSlotsAtOnce = 64;
    Key* held = stripe(t).buffer(plan_.leaves());
    Key* other = stripe(t).buffer(plan_.leaves() + 1);
    for (;;) {
      const std::size_t first = next_slot_.fetch_add(kSlotsAtOnce, std::memory_order_relaxed);
      if (first >= plan_.slots) return;
      const std::size_t last = std::min(first + kSlotsAtOnce, plan_.slots);
      for (std::size_t slot = first; slot < last; ++slot) {
        Tag bucket = tag(slot).load(std::memory_order_relaxed);
        if (bucket >= kBeingRead || is_home(slot, bucket) || !claim(slot, bucket)) continue;
        copy(held, keys_ + slot * block_);
        tag(slot).store(kNobody, std::memory_order_release);
        std::size_t to = draw(bucket);
        while (to != kSpare) {
          Tag there = tag(to).load(std::memory_order_relaxed);
          if (there >= kBeingRead || !claim(to, there)) break;
          const std::size_t next = draw(there);
          if (next != kSpare) prefetch(next);
          copy(other, keys_ + to * block_);
          copy(keys_ + to * block_, held);
          std::swap(held, other);
          bucket = there;
          to = next;
        }
        if (to == kSpare) {
          copy(spare_ + bucket * block_, held);
        } else {
          while (tag(to).load(std::memory_order_acquire) != kNobody) std::this_thread::yield();
          copy(keys_ + to * block_, held);
        }
      }
    }
  }

  /// Copies the keys that did not fill whole blocks to their bucket.
  void fill_gaps(int b) const {
    const Place& place = places_[b];
    Key* const ends[2][2] = {
        {keys_ + place.begin, keys_ + std::min(place.first * block_, place.end)},
        {keys_ + std::max(place.last * block_, place.begin), keys_ + place.end}};
    Key *to = ends[0][0], *end = ends[0][1];
    const auto append = [&](const Key* from, std::size_t n) {
      while (n > 0) {
        if (to == end) {
          to = ends[1][0];
          end = ends[1][1];
        }
        const std::size_t m = std::min(n, static_cast<std::size_t>(end - to));
        std::copy_n(from, m, to);
        to += m;
        from += m;
        n -= m;
      }
    };
    if (place.spare_used) append(spare_ + static_cast<std::size_t>(b) * block_, block_);
    for (int t = 0; t < plan_.threads; ++t) append(stripe(t).rest(b), stripe(t).rest_count(b));
  }

  /// One thread's data for a distribution.
  std::span<std::byte> memory_of(int t) const {
    return {threads_ + static_cast<std::size_t>(t) * plan_.thread_bytes(), plan_.thread_bytes()};
  }
  /// The data of all threads for a distribution.
  std::span<std::byte> buffers() const {
    return {threads_, static_cast<std::size_t>(plan_.threads) * plan_.thread_bytes()};
  }

 private:
  static constexpr std::size_t kSpare = ~std::size_t{0};

  std::atomic_ref<Tag> tag(std::size_t slot) const { return std::atomic_ref<Tag>(tags_[slot]); }
  bool claim(std::size_t slot, Tag bucket) const {
    return tag(slot).compare_exchange_strong(bucket, kBeingRead, std::memory_order_acquire,
                                             std::memory_order_relaxed);
  }
  bool is_home(std::size_t slot, Tag bucket) const {
    return slot >= places_[bucket].first && slot < places_[bucket].last;
  }
  /// A slot for a block, or kSpare when its bucket has no more. Blocks in the right place stay.
  std::size_t draw(Tag bucket) const {
    Place& place = places_[bucket];
    for (;;) {
      const std::size_t slot = place.next.fetch_add(1, std::memory_order_relaxed);
      if (slot >= place.last) return kSpare;
      if (tag(slot).load(std::memory_order_relaxed) != bucket) return slot;
    }
  }
  void copy(Key* to, const Key* from) const { std::memcpy(to, from, plan_.block_bytes); }
  void prefetch(std::size_t slot) const {
    const auto* const bytes = reinterpret_cast<const char*>(keys_ + slot * block_);
    for (std::size_t i = 0; i < plan_.block_bytes; i += kLineBytes) {
      __builtin_prefetch(bytes + i);
    }
  }

  Key* keys_;
  std::size_t n_;
  BlockPlan plan_;
  std::size_t block_;  // keys
  Tag* tags_;
  Place* places_;
  Key* spare_;
  std::byte* threads_;
  std::atomic<std::size_t> next_slot_;
};

}  // namespace sortlab::cpu::quick::in_place

#define SORTLAB_KERNELS "cpu/quick/in_place/kernels.inl.hpp"
#define SORTLAB_KERNELS_NAMESPACE sortlab::cpu::quick::in_place
#include "cpu/primitives/simd/for_each_isa.inl.hpp"

namespace sortlab {
namespace {
using namespace cpu::quick;
using namespace cpu::quick::in_place;
using cpu::primitives::simd::SignedKeys, cpu::primitives::simd::in_order_now;
namespace parallel = cpu::primitives::parallel;

// The most distributions of the same keys.
constexpr int kDistributions = 4;

/// Sorts signed integers of `Key`'s width, which `flip` makes of the user's keys.
template <class Key>
class Sorter {
 public:
  Sorter(const Calls<Key>& calls, Key flip, std::span<std::byte> memory)
      : calls_(calls), flip_(flip), memory_(memory) {}

  void sort(Key* keys, std::size_t n, int threads) const {
    if (n < 2) return;
    const int lookers = BlockPlan::threads_for(n * sizeof(Key), threads);
    if (in_order_now(calls_.look, keys, n, flip_, lookers)) return;
    distribute_and_sort(keys, n, threads, kDistributions);
  }

 private:
  void distribute_and_sort(Key* keys, std::size_t n, int threads, int levels) const {
    const BlockPlan plan = BlockPlan::of(n, sizeof(Key), threads, memory_.size());
    if (plan.depth == 0 || levels == 0) {
      return calls_.sort(keys, n, flip_);
    }
    Blocks<Key> blocks(keys, n, plan, memory_.data());
    Key splitter_keys[kMostLeaves];
    const auto ways = static_cast<int>(plan.leaves()) - 2;  // equal keys may add one
    const SplitterTree<Key> tree(sample(keys, n, ways, blocks.buffers(), splitter_keys));

    parallel::on_all_threads(plan.threads,
                             [&](int t) { calls_.distribute(tree, blocks.stripe(t), flip_); });
    blocks.place(tree);
    parallel::on_all_threads(plan.threads, [&](int t) { blocks.permute(t); });
    parallel::for_each_part(tree.buckets(), plan.threads, [&](int b, int) {
      if (!tree.splitters.all_equal(b)) blocks.fill_gaps(b);
    });
    sort_buckets(keys, plan, blocks, tree, threads, levels);
  }

  /// Chooses splitters with one thread, which uses `memory`.
  Splitters<Key> sample(const Key* keys, std::size_t n, int ways, std::span<std::byte> memory,
                        Key* splitters) const {
    constexpr std::size_t kSamplesPerBucket = 128;  // largest bucket: 1.3 times the mean
    const std::size_t room = memory.size() / sizeof(Key);
    const std::size_t count =
        std::min({n / 64, room, static_cast<std::size_t>(ways) * kSamplesPerBucket});
    auto* const sample = reinterpret_cast<Key*>(memory.data());
    calls_.sample(keys, n, sample, count, flip_);
    calls_.sort_sample(sample, count);
    return choose_splitters(sample, count, ways, splitters);
  }

  void sort_buckets(Key* keys, const BlockPlan& plan, const Blocks<Key>& blocks,
                    const SplitterTree<Key>& tree, int threads, int levels) const {
    const int buckets = tree.buckets();
    const auto begin = [&](int b) { return keys + blocks.bucket(b).begin; };
    const auto size = [&](int b) { return blocks.bucket(b).end - blocks.bucket(b).begin; };
    int order[kMostLeaves];
    std::iota(order, order + buckets, 0);
    std::sort(order, order + buckets, [&](int a, int b) { return size(a) > size(b); });

    // A larger bucket would keep one thread busy after the others are done.
    const std::size_t n = blocks.bucket(buckets - 1).end;
    const std::size_t most_alone =
        plan.threads == 1
            ? n
            : std::max(n / (2 * static_cast<std::size_t>(plan.threads)), 3 * n / plan.leaves());
    const int* const large_end =
        std::find_if(order, order + buckets, [&](int b) { return size(b) <= most_alone; });
    const auto large = static_cast<int>(large_end - order);
    parallel::for_each_part(buckets - large, plan.threads, [&](int i, int) {
      const int b = order[large + i];
      if (tree.splitters.all_equal(b)) {
        calls_.fill(begin(b), size(b), tree.splitters.upper(b), flip_);
      } else {
        calls_.sort(begin(b), size(b), flip_);
      }
    });
    // The next distribution overwrites what `blocks` holds about the others.
    std::pair<Key*, std::size_t> again[kMostLeaves];
    int agains = 0;
    for (int i = 0; i < large; ++i) {
      const int b = order[i];
      if (tree.splitters.all_equal(b)) {
        fill_by_all(begin(b), size(b), tree.splitters.upper(b), plan.threads);
      } else {
        again[agains++] = {begin(b), size(b)};
      }
    }
    for (int i = 0; i < agains; ++i) {
      distribute_and_sort(again[i].first, again[i].second, threads, levels - 1);
    }
  }

  void fill_by_all(Key* to, std::size_t n, Key key, int threads) const {
    parallel::for_each_chunk(n, threads, [&](std::size_t first, std::size_t last) {
      calls_.fill(to + first, last - first, key, flip_);
    });
  }

  Calls<Key> calls_;
  Key flip_;  // see Coding
  std::span<std::byte> memory_;
};

struct QuickInPlace {
  static constexpr Info info{.summary = "SIMD samplesort in place, in blocks",
                             .source = "Axtmann et al. 2022; Blacher et al. 2022",
                             .after = "cpu/quick/simd",
                             .parallel = true,
                             .isas = kEveryIsa};

  static std::size_t workspace_bytes(const WorkspaceRequest& request) {
    const std::size_t most = BlockPlan::most_bytes(request.n, request.key_bytes, request.threads);
    const std::size_t least = BlockPlan::kThreadBytes * static_cast<std::size_t>(request.threads);
    const BlockPlan plan = BlockPlan::of(request.n, request.key_bytes, request.threads, most);
    if (plan.depth == 0) return 0;
    return std::max(plan.bytes(), least);
  }

  template <class Job>
  static ResultIn sort(const Job& job) {
    using Keys = SignedKeys<Job>;
    using Int = typename Keys::Int;
    const Sorter<Int> sorter(cpu::quick::in_place::calls_for<Int, Keys::kFloat>(job.isa),
                             Keys::kFlip, job.workspace);
    const int threads = BlockPlan::threads_for(job.n * sizeof(Int), job.threads);
    sorter.sort(Keys::of(job.data.keys), job.n, parallel::at_hand(threads));
    return ResultIn::data;
  }
};
SORTLAB_REGISTER(QuickInPlace, AllKeys, KeysOnly);

}  // namespace
}  // namespace sortlab
