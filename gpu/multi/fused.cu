// Sort over several GPUs whose exchange is the first pass of the sort itself.
//
//   GPU 0  keys -> count the top 9 bits -> scatter by them -> bins of GPU 0: its own buffer
//                                                          -> bins of GPU 1, first pieces: GPU 1's buffer, over NVLink
//                                                          -> bins of GPU 1, later pieces: staged -> copy engines -> GPU 1
//   then each GPU splits and sorts the bins that it owns, piece by piece
//
// Over partition: no pass that only exchanges. Each GPU counts and scatters its keys once, as the first level of
// gpu/radix/msd_hybrid does; the counts of all GPUs determine which bins each of them owns; the other levels go on where that
// one ends. Stores over the link and copies are hidden behind the scatter and the levels.
//
// The first row that fits decides (Fused::sort(), BinsExchange::planned_by_some_bins()):
//
//   items                                        exchanged
//   pairs; fewer than 2^21 keys; one GPU         by the way of partition, of which the first pieces are stored straight into
//                                                the other GPUs in whole lines of 128 bytes
//   integers, even in the top 9 bits             by bins of these, which are then split by further levels
//     (from 2^29 on by a sample, else by count)
//   64 bits, whose bins a short search finds     by many bins of a sample, which are split by further levels
//   other keys                                   by bins of a sample, one for each piece; a piece is sorted as one GPU sorts
//                                                such keys
//   bins that a GPU has no room for              by the way of partition
//
// A bin of one value is counted, but not sent.
// `pieces` and `stored` say how many pieces a GPU's share has, and how many of them are stored rather than copied.
// Limits: a GPU has room for 5 % more than an even share, and a workspace for all items of its own.
// Bytes per u32 key of a GPU, 2^30 keys: 32, as on one GPU, and 4 to receive what is copied; by the way of partition 12
// beside the sort.
// Source: our own; the levels: Stehle and Jacobsen 2017.
#include <algorithm>
#include <optional>
#include <vector>

#include "common/contract/device_parts.hpp"
#include "gpu/multi/choose_splitters.cuh"
#include "gpu/multi/partition_sort.cuh"
#include "gpu/parts/bins.cuh"

namespace sortlab::gpu::multi {

// The sort of keys alone over several GPUs whose exchange is the first pass of the MSD sort: each GPU scatters its keys to
// bins, each bin to the GPU that owns it, and then splits and sorts the bins that it owns.
//
//   time   count | scatter, piece 0 of others stored | levels, leaves of piece 0 | of piece 1 | ...
//                                                    | copies of piece 1 | of piece 2 | ...
//
// A piece is a stretch of a GPU's bins. Bins of the first pieces are stored straight into the memory of their owner. Those
// of later pieces are staged and copied by the copy engines, bin by bin, while earlier pieces are sorted.
//
// Bins are those of the top digit if it is even, else those that a sample chooses (choose_bins.hpp). A bin of one value is not
// sent: its owner writes the value as often as all GPUs together have counted it.

/// One sort, of which the pieces below `stored` are stored and the others staged.
template <class Job>
class BinsExchange {
  using Bits = typename Job::Key;
  using Part = DevicePart<Bits, NoValue>;

 public:
  BinsExchange(const Job& job, KeyKind kind, Cut cut, std::size_t stored)
      : job_(job),
        kind_(kind),
        key_map_(key_map_of<Bits>(kind)),
        cut_(cut),
        stored_(stored),
        arrived_(cut.pieces) {
    for (const Part& part : job.parts) {
      const OnDevice here(part.device);
      Layout layout(part.workspace.data());
      memories_.emplace_back(layout, part.n, part.capacity, cut);
      if (memories_.size() == 1) first_rest_ = part.workspace.subspan(layout.bytes()).data();
    }
  }

  /// Sorts, unless a part would get more than it has room for: then nothing has been moved.
  std::optional<std::vector<PartResult>> sort() {
    const std::optional<BinPlan> plan = planned_by_some_bins();
    if (!plan) return {};
    scatter(*plan);
    copy(*plan, 0);
    for (std::size_t piece = 0; piece < cut_.pieces; ++piece) {
      copy(*plan, piece + 1);
      sort_piece(*plan, piece);
    }
    std::vector<PartResult> results;
    for (const std::size_t p : parts()) {
      const Part& part = job_.parts[p];
      const OnDevice here(part.device);
      for (auto& piece : memories_[p].pieces) piece.sort_rest(buffers(p), part.stream);
      launch_fill(part.data.keys, bins_.filled(*plan, p, key_map_), memories_[p].d_runs,
                  part.stream);
      results.push_back({ResultIn::data, plan->received(p), plan->sent(p) * sizeof(Bits)});
    }
    return results;
  }

 private:
  auto parts() const { return numbers_below(cut_.parts); }
  msd::Buffers<Bits> buffers(std::size_t p) const {
    const Part& part = job_.parts[p];
    return {part.data.keys, part.alternate.keys, key_map_, part.data.keys};
  }

  /// Of so many keys a sample shows whether the top bits are even, as counting them takes longer.
  /// measured: 2^28 u32, two GPUs, Gkeys/s, 111 with the sample (h200/attempts/fused.2.txt.xz) vs 120; H200, fused.csv.xz
  static constexpr std::size_t kLooksFrom = std::size_t{1} << 29;

  std::optional<BinPlan> planned_by_some_bins() {
    std::optional<BinPlan> plan;
    const bool are_floats = is_floating(kind_.type);
    const auto are_even = [&] { return are_top_bits_even(std::span<const Bits>(sample())); };
    if (!are_floats && (job_.all_n() < kLooksFrom || are_even())) plan = planned();
    if (!plan && kMayHaveLevels) plan = planned_by_levels_table();
    if (!plan) {
      if (job_.params["pieces"] == 0) cut_ = cut_of_any(cut_);
      use({bins_of_shares<Bits>(sample(), cut_, kMostFewBins), false});
      plan = planned();
    }
    return plan;
  }
  std::optional<BinPlan> planned_by_levels_table() {
    // measured: 2^29 u32, two GPUs, Gkeys/s, zipf (6 steps) 55 (h200/attempts/fused.1.txt.xz) vs 79 by few bins; H200, fused.csv.xz
    constexpr unsigned kMostSteps = 4;
    const auto table = choose_bins<Bits>(sample());
    if (table.steps > kMostSteps) return {};
    use({table, true});
    return planned();
  }
  /// Uneven keys of 32 bits are sorted by 4 sweeps, which take less than their search in a table of many bins.
  /// measured: two GPUs, Gkeys/s, by shares and by many bins: 2^30 f32 117 vs 106, 2^29 u32, gaussian 105 vs 115; H200,
  /// h200/attempts/fused.3.txt
  static constexpr bool kMayHaveLevels = sizeof(Bits) == 8;

  /// A sorted sample of all keys, as KeyMap::ordered() gives them.
  const std::vector<Bits>& sample() {
    if (!sample_.empty()) return sample_;
    Layout layout(first_rest_);
    const SampleMemory<Bits> memory(layout, cut_.parts);
    std::vector<const Bits*> keys;
    for (const Part& part : job_.parts) keys.push_back(part.data.keys);
    sample_ = sorted_sample(job_, key_map_, keys, memory);
    return sample_;
  }
  void use(const Bins<Bits>& bins) {
    bins_ = bins;
    if (bins.are_few()) return;
    for (const std::size_t p : parts()) {
      const OnDevice here(job_.parts[p].device);
      memories_[p].top.use(*bins.table(), bins.has_levels() ? KeyMap<Bits>{} : key_map_,
                           job_.parts[p].stream);
    }
  }

  /// Counts the bins, and waits for the counts of all parts. None if bins are too uneven for levels, or a part would get more
  /// than it has room for.
  std::optional<BinPlan> planned() const {
    for (const std::size_t p : parts()) {
      const Part& part = job_.parts[p];
      const OnDevice here(part.device);
      const BinsMemory<Bits>& memory = memories_[p];
      if (bins_.are_few()) {
        launch_count_few(part.data.keys, key_map_, part.n, bins_.few(), memory.few, part.stream);
      } else {
        memory.top.count(buffers(p), part.stream);
      }
    }
    std::vector<std::size_t> counts;
    for (const std::size_t p : parts()) {
      const Part& part = job_.parts[p];
      const OnDevice here(part.device);
      append_counts(counts, bins_, memories_[p], part.stream);
    }
    const BinPlan plan(cut_, std::move(counts), bins_.have_one_value());
    if (!bins_.are_even(plan, job_.all_n())) return {};
    for (const std::size_t p : parts()) {
      if (plan.received(p) > job_.parts[p].capacity) return {};
    }
    return plan;
  }

  bool is_stored(const BinPlan& plan, std::size_t owner, std::size_t bin) const {
    return stored_ >= cut_.pieces || bin < plan.first_of(owner, stored_);
  }

  /// Assigns each part its bins, and scatters. Keys of a bin of one value are left out, or end in the workspace for nobody.
  void scatter(const BinPlan& plan) {
    for (const std::size_t p : parts()) {
      const Part& part = job_.parts[p];
      const OnDevice here(part.device);
      staged_.emplace_back(plan, p, [&](std::size_t owner, std::size_t bin) {
        return owner == p || is_stored(plan, owner, bin);
      });
      if (plan.largest_bin() > 0) {
        memories_[p].keep(bins_.arriving(plan, p), part.stream);
        bins_.are_few() ? scatter_few(plan, p) : scatter_many(plan, p);
      }
      scattered_.emplace_back(part.stream);
    }
  }

  /// Where part p's keys of a bin go.
  Bits* target(const BinPlan& plan, std::size_t p, std::size_t bin) const {
    if (staged_[p].has(bin)) return memories_[p].d_staged + staged_[p].place(bin);
    const std::size_t owner = plan.owner(bin);
    return job_.parts[owner].alternate.keys + plan.place(p, owner, bin);
  }
  void scatter_few(const BinPlan& plan, std::size_t p) const {
    const Part& part = job_.parts[p];
    FewTargets<Bits> targets{};
    for (std::size_t bin = 0; bin < plan.bins(); ++bin) {
      if (!plan.has_one_value(bin)) targets.to[bin] = target(plan, p, bin);
    }
    launch_scatter_few(part.data.keys, key_map_, part.n, bins_.few(), targets, memories_[p].few,
                       part.stream);
  }
  void scatter_many(const BinPlan& plan, std::size_t p) const {
    const Part& part = job_.parts[p];
    std::vector<msd::Count> places(plan.bins());
    std::vector<std::size_t> of_bins(plan.bins());
    for (std::size_t bin = 0; bin < plan.bins(); ++bin) {
      if (!plan.has_one_value(bin)) of_bins[bin] = plan.count(p, bin);
      places[bin] = place_from(part.alternate.keys, target(plan, p, bin));
    }
    memories_[p].scatter(places, of_bins, buffers(p), part.stream);
  }

  /// Copies the staged bins of a piece, all parts at the same time.
  void copy(const BinPlan& plan, std::size_t piece) {
    if (piece < stored_ || piece >= cut_.pieces) return;
    for (const std::size_t from : parts()) {
      const Part& part = job_.parts[from];
      const OnDevice here(part.device);
      for (const std::size_t to : parts()) {
        if (to == from) continue;
        const cudaStream_t stream = part.copy_streams[to];
        scattered_[from].hold_back(stream);
        const Items<Bits, NoValue> d_staged{memories_[from].d_staged, {}};
        for (std::size_t bin = plan.first_of(to, piece); bin < plan.end_of(to, piece); ++bin) {
          if (plan.has_one_value(bin)) continue;
          copy_items_between(part, d_staged.from(staged_[from].place(bin)), job_.parts[to],
                             job_.parts[to].alternate.from(plan.place(from, to, bin)),
                             plan.count(from, bin), stream);
        }
        arrived_[piece].emplace_back(stream);
      }
    }
  }

  /// Sorts the bins of a piece on each part, once they have arrived.
  void sort_piece(const BinPlan& plan, std::size_t piece) {
    if (plan.largest_bin() == 0) return;
    for (const std::size_t p : parts()) {
      const Part& part = job_.parts[p];
      const OnDevice here(part.device);
      for (const Reached& scattered : scattered_) scattered.hold_back(part.stream);
      for (const Reached& arrived : arrived_[piece]) arrived.hold_back(part.stream);
      if (bins_.has_levels()) {
        memories_[p].sort_piece(plan, p, piece, buffers(p), part.stream);
        continue;
      }
      memories_[p].sort_stretches(kind_, bins_.stretches(plan, p, piece), buffers(p), part.capacity,
                                  piece + 1 == cut_.pieces, part.stream);
    }
  }

  const Job& job_;
  KeyKind kind_;
  KeyMap<Bits> key_map_;
  Cut cut_;
  std::size_t stored_;
  Bins<Bits> bins_;
  std::vector<Bits> sample_;
  std::vector<BinsMemory<Bits>> memories_;
  std::byte* first_rest_ = nullptr;  // the first part's workspace behind that
  std::vector<StagedBins> staged_;   // of each part
  std::vector<Reached> scattered_;
  std::vector<std::vector<Reached>> arrived_;  // of each piece, what is copied
};

}  // namespace sortlab::gpu::multi

namespace sortlab {
namespace {

constexpr ParamSpec kParams[] = {
    gpu::parts::kPieces,
    gpu::multi::kAtOnce,
    {"stored", 0, 0, 64, "pieces that are written straight into other GPUs; 0: a quarter of them"}};

struct Fused {
  using JobKind = DeviceParts;
  static constexpr Info info{
      .summary = "the exchange is the first pass of the sort: bins go straight to their owner",
      .source = "our own",
      .after = "gpu/multi/partition",
      .memory = Memory::device,
      .stable = true,
      .capturable = false,
      .params = kParams};

  static PartNeeds needs(const PartRequest& request) {
    PartNeeds needs = gpu::parts::partition_needs(
        request, gpu::multi::sorts_at_once(request.params), request.part == 0);
    if (request.value_bytes == 0 && gpu::parts::are_enough_for_bins(request.all_n)) {
      const auto bytes = [&]<class Bits, class Value>(Bits, Value) {
        const auto cut = gpu::parts::cut_into_bins(gpu::parts::count_of_parts(request.parts),
                                                   request.all_n, request.params);
        return gpu::parts::bins_bytes<Bits>(request, needs.capacity, cut, request.part == 0);
      };
      needs.workspace_bytes =
          std::max(needs.workspace_bytes, visit_widths(request.key_bytes, std::size_t{0}, bytes));
    }
    return needs;
  }
  template <class Job>
  static std::vector<PartResult> sort(const Job& job) {
    if constexpr (!Job::kPairs) {
      if (job.parts.size() > 1 && gpu::parts::are_enough_for_bins(job.all_n())) {
        const auto bits = gpu::multi::with_bits(job);
        const auto cut = gpu::parts::cut_into_bins(job.parts.size(), job.all_n(), job.params);
        const auto stored = static_cast<std::size_t>(job.params["stored"]);
        auto results =
            gpu::multi::BinsExchange(bits, kind_of(job), cut, std::max<std::size_t>(1, stored))
                .sort();
        if (results) return *std::move(results);
      }
    }
    // The links carry about a quarter of what they must while the pass deals.
    const auto stored = [&](std::size_t pieces) {
      const auto wanted = static_cast<std::size_t>(job.params["stored"]);
      return wanted > 0 ? wanted : ceil_div(pieces, std::size_t{4});
    };
    return gpu::multi::sort_by_partition(job, stored);
  }
};
SORTLAB_REGISTER(Fused, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab
