// Merge sort whose blocks merge in shared memory: a block finds the items of its output tile in
// both runs by two Merge Path searches and loads exactly these. Then its threads merge E outputs
// each.
//
//     left run    ....[ i0 ..... i1 )....      tile of outputs [d0, d1), d = i + j
//     right run   ....[ j0 .. j1 )....
//     shared      | left's part | right's part |  ->  | outputs, in order |  ->  global memory
//
// Over coarsened: global memory sees whole lines in both directions, and the many probes of the
// threads' searches stay in shared memory; the costs are two long searches by single threads, for
// which the block waits, and barriers. 18 passes at 2^27, each reading and writing each item once.
// While pairs of runs are shorter than a tile, the tile holds several of them and needs no search.
// Against the sources: the search and the output use the same rule for equal keys; a short last
// tile needs no padding, and its idle threads take part in every barrier.
// Gain over coarsened: 1.02x (2^27 u32 keys, H200; results/h200/comparison.summary.csv).
// Bytes per u32 key at 2^27: 152 (8 in each of 18 passes, and 8 to sort tiles).
// Source: Goralija et al., Bosnian edition, sections III.D and IV.C: BlockMerge, which the authors
// describe without code (docs/papers.md).
#include "gpu/merge/passes.cuh"
#include "gpu/primitives/launch/ordered_bits.cuh"
#include "gpu/primitives/thread/merge_path.cuh"

namespace sortlab {
namespace {

/// The input of a block: parts of two runs in global memory, which it puts side by side in shared
/// memory.
struct TileSource {
  std::size_t left;
  std::size_t right;
  unsigned left_count;
};

/// The parts of the runs that hold the outputs [first, first + count), if these belong to one pair
/// of runs.
template <class Less, class Key>
__device__ TileSource cut_out(const Key* keys, std::size_t n, std::size_t width, std::size_t first,
                              unsigned count) {
  __shared__ std::size_t s_from_left[2];
  const auto runs = gpu::run_pair_at(first, width, n);
  if (threadIdx.x < 2) {
    const std::size_t diagonal = first - runs.begin + (threadIdx.x == 0 ? 0 : count);
    s_from_left[threadIdx.x] = gpu::co_rank<Less>(keys, runs, diagonal);
  }
  __syncthreads();
  const std::size_t i0 = s_from_left[0];
  const std::size_t j0 = first - runs.begin - i0;
  return {runs.begin + i0, runs.middle + j0, static_cast<unsigned>(s_from_left[1] - i0)};
}

template <class Less, class Key, class Value>
__global__ void merge_blocks(Items<Key, Value> from, Items<Key, Value> to, std::size_t n,
                             std::size_t width, unsigned items) {
  const unsigned tile = blockDim.x * items;
  const std::size_t first = std::size_t{blockIdx.x} * tile;
  const unsigned count = gpu::count_in_tile(n, first, tile);
  const auto s_in = gpu::items_at<Key, Value>(gpu::dynamic_shared(), tile);
  const auto s_out = gpu::items_at<Key, Value>(
      gpu::dynamic_shared() + gpu::bytes_of_items<Key, Value>(tile), gpu::skewed_count(tile));
  const unsigned thread_first = threadIdx.x * items;

  gpu::RunPair<unsigned> runs;
  if (2 * width <= tile) {
    gpu::copy_items(from.from(first), s_in, count);
    runs = gpu::run_pair_at(thread_first, static_cast<unsigned>(width), count);
  } else {
    const auto source = cut_out<Less>(from.keys, n, width, first, count);
    gpu::copy_items(from.from(source.left), s_in, source.left_count);
    gpu::copy_items(from.from(source.right), s_in.from(source.left_count),
                    count - source.left_count);
    runs = {0, source.left_count, count};
  }
  __syncthreads();
  if (thread_first < count) {
    gpu::merge_serially<Less>(
        s_in, runs, thread_first - runs.begin, gpu::count_in_tile(count, thread_first, items),
        [=](unsigned e, auto item) { s_out.put(gpu::skewed(thread_first + e), item); });
  }
  __syncthreads();
  for (unsigned i = threadIdx.x; i < count; i += blockDim.x) {
    to.put(first + i, s_out[gpu::skewed(i)]);
  }
}

struct BlockMerge {
  static constexpr Info info{.summary = "Merge Path passes, a block's tile merged in shared memory",
                             .source = "Goralija et al., Bosnian edition, IV.C: BlockMerge",
                             .after = "gpu/merge/coarsened",
                             .memory = Memory::device,
                             .alternate = true,
                             .params = gpu::merge::kMergeParams};

  template <class Job>
  static ResultIn sort(const Job& job) {
    using Less = typename Job::Less;
    using Key = typename Job::Key;
    using Value = typename Job::Value;
    const unsigned threads = gpu::power_of_two(job.params, "threads");
    const unsigned items = gpu::power_of_two(job.params, "items");
    const std::size_t tile = std::size_t{threads} * items;
    const gpu::Grid grid{ceil_div(job.n, tile), threads,
                         gpu::bytes_of_items<Key, Value>(tile + gpu::skewed_count(tile))};
    return gpu::merge::merge_tiles_of_512(job, [&](auto from, auto to, std::size_t width) {
      gpu::launch("merge_blocks", merge_blocks<Less, Key, Value>, grid, job.stream, from, to, job.n,
                  width, items);
    });
  }
};
SORTLAB_REGISTER(gpu::OnOrderedBits<BlockMerge>, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab
