// Quicksort with large segments in shared memory: the levels of `batched` stop as soon as a segment
// fits a block's shared memory (96 KiB: 11 thousand 32-bit keys), and one launch sorts all of these
// leaves there.
//
// Over batched: the last levels, log2(leaf / 1024) and more of them, never access global memory,
// and their launches and waits are saved. The cost is occupancy: with 96 KiB a block, two blocks
// share an SM.
//
//   round   warp w takes pieces w, w + W, ... of the list, each split in three by its warp:
//     s_a   [ .......... piece .......... ]
//     s_b   [ < pivot | = pivot | > pivot ]     the middle is done: to `data`; an outer part of
//                                               at most 32 items is sorted in registers, to `data`
//                                               too, a longer one goes on the next round's list
// Gain over batched: 0.995x (2^27 u32 keys, H200; results/h200/ladder.summary.csv).
// Source: Goralija et al., section IV.C (both editions), which only name it (Fat); we designed the
// kernel (docs/papers.md).
#include <algorithm>

#include "gpu/primitives/launch/ordered_bits.cuh"
#include "gpu/quick/levels.cuh"

namespace sortlab {
namespace {

using gpu::kAllLanes;
using gpu::kWarp;

/// A part of the leaf. Leaves are shorter than 2^16 items.
struct Piece {
  std::uint16_t begin;
  std::uint16_t count;
};

/// The most pieces of more than 32 items that a leaf of `items` can hold.
constexpr std::size_t max_pieces(std::size_t items) { return items / (kWarp + 1) + 1; }

/// The leaf in shared memory: its items twice, and the lists of this round and of the next.
template <class Key, class Value>
struct SharedLeaf {
  Items<Key, Value> buffer[2];
  Piece* list[2];

  static constexpr std::size_t bytes(std::size_t items) {
    return 2 * (gpu::bytes_of_items<Key, Value>(items) + max_pieces(items) * sizeof(Piece));
  }
  /// The largest multiple of 32 (it keeps the arrays aligned) whose bytes fit.
  static std::size_t items_that_fit(std::size_t shared_bytes) {
    std::size_t items = shared_bytes / (2 * gpu::bytes_of_items<Key, Value>(1)) / kWarp * kWarp;
    while (bytes(items) > shared_bytes) items -= kWarp;
    return items;
  }
  __device__ SharedLeaf(std::byte* shared, std::size_t items) {
    for (int i = 0; i < 2; ++i) {
      buffer[i] = gpu::items_at<Key, Value>(shared, items);
      shared += gpu::bytes_of_items<Key, Value>(items);
    }
    for (int i = 0; i < 2; ++i) {
      list[i] = reinterpret_cast<Piece*>(shared) + i * max_pieces(items);
    }
  }
};

/// Splits `from` in three around the pivot, with one warp: outer parts to `to`, the middle to
/// `done`. Returns the numbers of smaller and of equal keys.
template <class Less, class Key, class Value>
__device__ uint2 split_piece(Items<Key, Value> from, Items<Key, Value> to, Items<Key, Value> done,
                             unsigned count, Key pivot) {
  unsigned less = 0;
  unsigned equal = 0;
  for (unsigned base = 0; base < count; base += kWarp) {
    const unsigned i = base + gpu::lane_id();
    const bool is_in = i < count;
    const bool is_less = is_in && Less{}(from.keys[i], pivot);
    const bool is_greater = is_in && Less{}(pivot, from.keys[i]);
    less += __popc(__ballot_sync(kAllLanes, is_less));
    equal += __popc(__ballot_sync(kAllLanes, is_in && !is_less && !is_greater));
  }
  unsigned place_less = 0;
  unsigned place_equal = less;
  unsigned place_greater = less + equal;
  for (unsigned base = 0; base < count; base += kWarp) {
    const unsigned i = base + gpu::lane_id();
    const bool is_in = i < count;
    Item<Key, Value> item{};
    if (is_in) item = from[i];
    const bool is_less = is_in && Less{}(item.key, pivot);
    const bool is_greater = is_in && Less{}(pivot, item.key);
    const unsigned mask_less = __ballot_sync(kAllLanes, is_less);
    const unsigned mask_greater = __ballot_sync(kAllLanes, is_greater);
    const unsigned mask_equal = __ballot_sync(kAllLanes, is_in && !is_less && !is_greater);
    if (is_less) {
      to.put(place_less + __popc(gpu::lanes_below(mask_less)), item);
    } else if (is_greater) {
      to.put(place_greater + __popc(gpu::lanes_below(mask_greater)), item);
    } else if (is_in) {
      done.put(place_equal + __popc(gpu::lanes_below(mask_equal)), item);
    }
    place_less += __popc(mask_less);
    place_equal += __popc(mask_equal);
    place_greater += __popc(mask_greater);
  }
  __syncwarp();
  return {less, equal};
}

/// Sorts a part of at most 32 items into `done`, or puts it on the list.
template <class Less, class Key, class Value>
__device__ void sort_or_list(Items<Key, Value> from, Items<Key, Value> done, Piece part,
                             Piece* s_list, unsigned* s_count) {
  const unsigned lane = gpu::lane_id();
  if (part.count > kWarp) {
    if (lane == 0) s_list[atomicAdd(s_count, 1u)] = part;
  } else if (part.count > 0) {
    Item<Key, Value> item{};
    if (lane < part.count) item = from[part.begin + lane];
    gpu::warp_sort<Less>(item, part.count);
    if (lane < part.count) done.put(part.begin + lane, item);
  }
}

/// Block b sorts leaf b, which lies in `from`, into `data`.
template <class Less, class Key, class Value>
__global__ void __launch_bounds__(1024)
    sort_leaves(Items<Key, Value> from, Items<Key, Value> data, const gpu::quick::Segment* leaves,
                unsigned leaf_items) {
  __shared__ unsigned s_counts[2];
  const SharedLeaf<Key, Value> leaf(gpu::dynamic_shared(), leaf_items);
  const auto segment = leaves[blockIdx.x];
  const auto done = data.from(segment.begin);
  gpu::copy_items(from.from(segment.begin), leaf.buffer[0], static_cast<unsigned>(segment.count));
  if (threadIdx.x == 0) {
    leaf.list[0][0] = {0, static_cast<std::uint16_t>(segment.count)};
    s_counts[0] = 1;
    s_counts[1] = 0;
  }
  __syncthreads();

  for (unsigned now = 0; s_counts[now] > 0; now ^= 1) {
    const unsigned next = now ^ 1;
    for (unsigned p = gpu::warp_id(); p < s_counts[now]; p += blockDim.x / kWarp) {
      const Piece piece = leaf.list[now][p];
      const auto piece_from = leaf.buffer[now].from(piece.begin);
      const Key pivot = gpu::quick::sampled_median<Less>(piece_from.keys, piece.count);
      const auto [less, equal] = split_piece<Less>(piece_from, leaf.buffer[next].from(piece.begin),
                                                   done.from(piece.begin), piece.count, pivot);
      const Piece left{piece.begin, static_cast<std::uint16_t>(less)};
      const Piece right{static_cast<std::uint16_t>(piece.begin + less + equal),
                        static_cast<std::uint16_t>(piece.count - less - equal)};
      sort_or_list<Less>(leaf.buffer[next], done, left, leaf.list[next], &s_counts[next]);
      sort_or_list<Less>(leaf.buffer[next], done, right, leaf.list[next], &s_counts[next]);
    }
    __syncthreads();
    if (threadIdx.x == 0) s_counts[now] = 0;
    __syncthreads();
  }
}

struct Fat {
  static constexpr ParamSpec kParams[] = {
      {"threads", 512, 64, 1024, "threads a block"},
      {"shared_kib", 96, 32, 227,
       "KiB of shared memory a leaf may take, cut at the device's limit"}};
  static constexpr Info info{.summary = "quicksort, large segments finished in shared memory",
                             .source = "Goralija et al., IV.C: Fat",
                             .after = "gpu/quick/batched",
                             .memory = Memory::device,
                             .alternate = true,
                             .capturable = false,
                             .params = kParams};

  static std::size_t workspace_bytes(const WorkspaceRequest& request) {
    gpu::Layout layout;
    gpu::quick::LevelWorkspace(layout, request.n, true);
    return layout.bytes();
  }

  template <class Job>
  static ResultIn sort(const Job& job) {
    using Key = typename Job::Key;
    using Value = typename Job::Value;
    using Leaf = SharedLeaf<Key, Value>;
    constexpr std::size_t kStaticShared = 64;  // more than sort_leaves declares itself
    const unsigned threads = gpu::whole_warps(job.params, "threads");
    const std::size_t shared_bytes =
        std::min(static_cast<std::size_t>(job.params["shared_kib"]) * 1024,
                 gpu::device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin)) -
        kStaticShared;
    const std::size_t leaf_items = Leaf::items_that_fit(shared_bytes);

    gpu::Layout layout(job.workspace.data());
    const gpu::quick::LevelWorkspace queues(layout, job.n, true);
    gpu::quick::split_levels(job, threads, queues, leaf_items);
    for (int buffer = 0; buffer < 2; ++buffer) {
      const auto& leaves = queues.leaves[buffer];
      gpu::launch(
          "sort_leaves", sort_leaves<typename Job::Less, Key, Value>,
          {gpu::quick::read_count(leaves.count, job.stream), threads, Leaf::bytes(leaf_items)},
          job.stream, buffer == 0 ? job.data : job.alternate, job.data, leaves.segments,
          leaf_items);
    }
    return ResultIn::data;
  }
};
SORTLAB_REGISTER(gpu::OnOrderedBits<Fat>, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab
