#include "library/cuda/rungs.hpp"

#include <algorithm>

#include "common/choose/choices.hpp"
#include "gpu/radix/small/sort.cuh"

namespace sortlab::cuda::detail {
namespace {

namespace radix = gpu::radix;
namespace small = radix::small;

constexpr std::size_t kSmallBlockBytes = 81 * 1024;

std::size_t most_of_small(const GpuFacts& gpu) {
  if (gpu.shared_bytes_per_block < kSmallBlockBytes || !gpu.cooperative) return 0;
  return std::max<std::size_t>(small::kMaxOfBlock,
                               std::min<std::size_t>(gpu.sms, small::kMaxTeam) *
                                   small::max_share(gpu.shared_bytes_per_block));
}

/// Keys go from `in` through a spare array to the result; pairs end in the array that they go through.
template <class Bits, class Value>
Sorted sort_small(const radix::Call& call, const Arrays& keys, const Arrays& values) {
  // Where pairs go through, which is not the input.
  const auto through = [](const Arrays& arrays) {
    return !arrays.in_is_spare && arrays.in == arrays.out ? arrays.alternate : arrays.out;
  };
  const small::Space<Bits, Value> space(call.d_workspace, call.n);
  const auto data = items_at<Bits, Value>(call.source.keys, call.source.values);
  small::TeamJob<Bits, Value> team{.data = data,
                                   .exchange = data,
                                   .spare = data,
                                   .result = data,
                                   .n = static_cast<unsigned>(call.n),
                                   .map = gpu::key_map_of<Bits>(call.keys, call.nans_last)};
  if constexpr (Items<Bits, Value>::kPairs) {
    team.exchange = items_at<Bits, Value>(through(keys), through(values));
    team.result = team.exchange;
    // A block alone has read all before it writes.
    if (call.n <= small::kMaxOfBlock && !keys.in_is_spare && !values.in_is_spare) {
      team.result = items_at<Bits, Value>(keys.out, values.out);
    }
    const bool in_may_change = keys.in_is_spare || keys.in == keys.out;
    team.spare = {in_may_change ? data.keys : static_cast<Bits*>(keys.alternate),
                  space.d_spare_places};
  } else {
    team.exchange.keys = static_cast<Bits*>(keys.in_is_spare ? keys.out : keys.alternate);
    team.result.keys = static_cast<Bits*>(keys.in_is_spare ? keys.mutable_in() : keys.out);
    team.spare = team.result;
  }
  small::sort<Bits, Value>(team, space, call.as<gpu::sweep::Arrays, Bits, Value>(), call.stream);
  return {team.result.keys, team.result.values};
}

bool has(const GpuFacts& gpu, const Candidate& needs) {
  return gpu.shared_bytes_per_block >= needs.block_kib * 1024 &&
         gpu.shared_bytes_per_sm >= needs.sm_kib * 1024;
}

bool fits(const GpuFacts& gpu, Rung rung, Widths widths, std::size_t n) {
  const bool is_wide = widths.value_bytes == 8;
  switch (rung) {
    case Rung::small:
      return !is_wide && n <= most_of_small(gpu);
    case Rung::onesweep:
      return !is_wide && has(gpu, radix::onesweep::kCandidate);
    case Rung::top_sweep:
      return !is_wide && has(gpu, radix::top_sweep::kCandidate);
    case Rung::msd_hybrid:
      return widths.value_bytes == 0 && has(gpu, radix::msd_hybrid::kCandidate);
    case Rung::wide_pairs:
      return is_wide && gpu.shared_bytes_per_block >= kWideBlockBytes;
    case Rung::compact:
      break;
  }
  return true;
}

}  // namespace

Rung choose_rung(const GpuFacts& gpu, Widths widths, std::size_t n) {
  if (fits(gpu, Rung::wide_pairs, widths, n)) return Rung::wide_pairs;
  // The thresholds were measured on one GPU: they are proportional to the number of SMs.
  const ChoiceStep* const step = choose(
      choice_steps(widths), n,
      [&](const ChoiceStep& step) { return fits(gpu, step.rung, widths, n); },
      static_cast<double>(gpu.sms) / kSmsOfChoices);
  if (step != nullptr) return step->rung;
  return fits(gpu, Rung::onesweep, widths, n) ? Rung::onesweep : Rung::compact;
}

std::size_t rung_bytes(Widths widths, std::size_t n) {
  const auto [key_bytes, value_bytes] = widths;
  const std::size_t bytes = compact_bytes(widths, n);
  if (value_bytes == 8) return std::max(bytes, wide_pairs_bytes(widths, n));
  return std::max({bytes,
                   visit_widths(key_bytes, value_bytes,
                                [n]<class Bits, class Value>(Bits, Value) {
                                  return small::Space<Bits, Value>(nullptr, n).bytes;
                                }),
                   radix::onesweep::workspace_bytes(key_bytes, value_bytes, n),
                   radix::top_sweep::workspace_bytes(key_bytes, value_bytes, n),
                   value_bytes == 0 ? radix::msd_hybrid::workspace_bytes(key_bytes, n) : 0});
}

bool widens_places(Rung rung) { return rung == Rung::top_sweep; }

Sorted sort_by(Rung rung, radix::Call call, bool are_numbered, const Arrays& keys,
               const Arrays& values) {
  call.source = {keys.mutable_in(), are_numbered ? nullptr : values.mutable_in()};
  call.data = {keys.data(), values.data()};
  call.alternate = {keys.second(), values.second()};
  switch (rung) {
    case Rung::small: {
      Sorted sorted{};
      call.visit([&]<class Bits, class Value>(Bits, Value) {
        sorted = sort_small<Bits, Value>(call, keys, values);
      });
      return sorted;
    }
    case Rung::onesweep:
      radix::onesweep::sort(call);
      break;
    case Rung::top_sweep:
      radix::top_sweep::sort(call);
      break;
    case Rung::msd_hybrid:
      radix::msd_hybrid::sort(call);
      break;
    case Rung::wide_pairs:
      sort_wide_pairs(call);
      break;
    case Rung::compact:
      sort_compactly(call);
      break;
  }
  return {call.data.keys, call.data.values};
}

}  // namespace sortlab::cuda::detail
