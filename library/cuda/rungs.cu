#include "library/cuda/rungs.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "common/contract/made_once.hpp"
#include "common/contract/variant.hpp"
#include "gpu/primitives/launch/workspace.cuh"
#include "gpu/radix/small/sort.cuh"
#include "library/cuda/choices.hpp"
#include "library/cuda/key_map.hpp"
#include "library/cuda/sweeps.hpp"

extern "C" {
void sortlab_gpu__radix__onesweep(sortlab::Variant&);
void sortlab_gpu__radix__top_sweep(sortlab::Variant&);
void sortlab_gpu__radix__msd_hybrid(sortlab::Variant&);
}

namespace sortlab::cuda::detail {
namespace {

namespace small = gpu::radix::small;

/// A sort of the suite: what it describes of itself, and its code for each combination of types.
class Described {
 public:
  explicit Described(void (*describe)(Variant&)) {
    describe(variant_);
    params_ = Params(variant_.info.params);
    for (const Instance& instance : variant_.instances) {
      instances_[type_place(instance.key_type, instance.value_bytes, instance.order)] = &instance;
    }
  }
  Described(const Described&) = delete;  // instances_ points into variant_
  Described& operator=(const Described&) = delete;

  const Candidate& candidate() const { return *variant_.info.candidate; }
  bool has_code(KeyType type, unsigned value_bytes) const {
    return instances_[type_place(type, value_bytes, Order::ascending)] != nullptr;
  }
  std::size_t workspace_bytes(Widths widths, std::size_t n) const {
    return variant_.workspace_bytes({n, widths.key_bytes, widths.value_bytes, 0, params_});
  }
  ResultIn sort(const RungJob& job) const {
    const Instance& instance = *instances_[type_place(job.type, job.value_bytes, job.order)];
    return instance.sort({.instance = &instance,
                          .keys = job.keys.data(),
                          .values = job.values.data(),
                          .alternate_keys = job.keys.second(),
                          .alternate_values = job.values.second(),
                          .n = job.n,
                          .workspace = std::span(job.d_workspace, job.workspace_bytes),
                          .threads = 0,
                          .isa = {},
                          .stream = job.stream,
                          .params = &params_,
                          .given = {.keys = job.keys.in,
                                    .values = job.values.in,
                                    .are_numbered = job.are_numbered,
                                    .nans_last = job.nans_last,
                                    .wide_places = job.wide_places,
                                    .drops_keys = job.drops_keys}});
  }

 private:
  Variant variant_;
  Params params_;
  std::array<const Instance*, kTypePlaces> instances_ = {};
};

/// Described once a process.
const Described& described(Rung rung) {
  static constinit MadeOnce<const Described> onesweep, top_sweep, msd_hybrid;
  const auto of = [](auto& once, void (*describe)(Variant&)) -> const Described& {
    return once.get([describe] { return Described(describe); });
  };
  switch (rung) {
    case Rung::top_sweep:
      return of(top_sweep, &sortlab_gpu__radix__top_sweep);
    case Rung::msd_hybrid:
      return of(msd_hybrid, &sortlab_gpu__radix__msd_hybrid);
    default:
      return of(onesweep, &sortlab_gpu__radix__onesweep);
  }
}
constexpr Rung kDescribed[] = {Rung::onesweep, Rung::top_sweep, Rung::msd_hybrid};

KeyType any_type(unsigned key_bytes) {
  return number_type(NumberKind::unsigned_integer, key_bytes);
}

/// gpu/radix/small is called without its description: its pairs go through fewer arrays then.
template <class Value>
struct SmallSpace {
  small::TeamWords* d_words;
  Value* d_places = nullptr;
  std::size_t bytes;

  SmallSpace(std::byte* d_workspace, std::size_t n) {
    gpu::Layout layout(d_workspace);
    d_words = small::take_words(layout, n);
    if constexpr (!std::is_same_v<Value, NoValue>) d_places = layout.take<Value>(n);
    bytes = layout.bytes();
  }
};
constexpr std::size_t kSmallBlockBytes = 81 * 1024;

std::size_t most_of_small(const GpuFacts& gpu) {
  if (gpu.shared_bytes_per_block < kSmallBlockBytes || !gpu.cooperative) return 0;
  return std::max<std::size_t>(small::kMaxOfBlock,
                               std::min<std::size_t>(gpu.sms, small::kMaxTeam) *
                                   small::max_share(gpu.shared_bytes_per_block));
}

/// Keys go from `in` through a spare array to the result; pairs end in the array that they go through.
template <class Bits, class Value>
Sorted sort_small(const RungJob& job) {
  const auto items = [](const void* keys, const void* values) {
    return Items<Bits, Value>{static_cast<Bits*>(const_cast<void*>(keys)),
                              static_cast<Value*>(const_cast<void*>(values))};
  };
  // Where pairs go through, which is not the input.
  const auto through = [](const Arrays& arrays) {
    return !arrays.in_is_spare && arrays.in == arrays.out ? arrays.alternate : arrays.out;
  };
  const SmallSpace<Value> space(job.d_workspace, job.n);
  const auto data = items(job.keys.in, job.are_numbered ? nullptr : job.values.in);
  small::TeamJob<Bits, Value> team{.data = data,
                                   .exchange = data,
                                   .spare = data,
                                   .result = data,
                                   .n = static_cast<unsigned>(job.n),
                                   .map = key_map<Bits>(job.type, job.order, job.nans_last)};
  if constexpr (Items<Bits, Value>::kPairs) {
    team.exchange = items(through(job.keys), through(job.values));
    team.result = team.exchange;
    // A block alone has read all before it writes.
    if (job.n <= small::kMaxOfBlock && !job.keys.in_is_spare && !job.values.in_is_spare) {
      team.result = items(job.keys.out, job.values.out);
    }
    const bool in_may_change = job.keys.in_is_spare || job.keys.in == job.keys.out;
    team.spare = {in_may_change ? data.keys : static_cast<Bits*>(job.keys.alternate),
                  space.d_places};
  } else {
    team.exchange = items(job.keys.in_is_spare ? job.keys.out : job.keys.alternate, nullptr);
    team.result = items(job.keys.in_is_spare ? job.keys.in : job.keys.out, nullptr);
    team.spare = team.result;
  }
  small::sort<Bits, Value>(team, space.d_words, job.stream);
  return {team.result.keys, team.result.values};
}

bool fits(const GpuFacts& gpu, Rung rung, Widths widths, std::size_t n) {
  if (rung == Rung::small) return widths.value_bytes <= 4 && n <= most_of_small(gpu);
  if (rung == Rung::wide_pairs) {
    return widths.value_bytes == 8 && gpu.shared_bytes_per_block >= kWideBlockBytes;
  }
  if (rung == Rung::compact) return true;
  const Described& sort = described(rung);
  if (widths.value_bytes > 4 || !sort.has_code(any_type(widths.key_bytes), widths.value_bytes))
    return false;
  return gpu.shared_bytes_per_block >= sort.candidate().block_kib * 1024 &&
         gpu.shared_bytes_per_sm >= sort.candidate().sm_kib * 1024;
}

}  // namespace

Rung choose_rung(const GpuFacts& gpu, Widths widths, std::size_t n) {
  if (fits(gpu, Rung::wide_pairs, widths, n)) return Rung::wide_pairs;
  // The thresholds were measured on one GPU: they are proportional to the number of SMs.
  const auto scaled = [&](std::size_t from_n) {
    return static_cast<std::size_t>(static_cast<double>(from_n) * static_cast<double>(gpu.sms) /
                                    kSmsOfChoices);
  };
  const std::span<const ChoiceStep> steps = choice_steps(widths);
  std::size_t after = 0;
  while (after < steps.size() && scaled(steps[after].from_n) <= n) ++after;
  for (std::size_t i = after; i > 0; --i) {
    if (fits(gpu, steps[i - 1].rung, widths, n)) return steps[i - 1].rung;
  }
  for (std::size_t i = after; i < steps.size(); ++i) {
    if (fits(gpu, steps[i].rung, widths, n)) return steps[i].rung;
  }
  return fits(gpu, Rung::onesweep, widths, n) ? Rung::onesweep : Rung::compact;
}

std::size_t rung_bytes(Widths widths, std::size_t n) {
  std::size_t bytes = compact_bytes(widths, n);
  if (widths.value_bytes == 8) return std::max(bytes, wide_pairs_bytes(widths, n));
  bytes = std::max(bytes, widths.value_bytes == 0 ? SmallSpace<NoValue>(nullptr, n).bytes
                                                  : SmallSpace<std::uint32_t>(nullptr, n).bytes);
  for (const Rung rung : kDescribed) {
    if (described(rung).has_code(any_type(widths.key_bytes), widths.value_bytes)) {
      bytes = std::max(bytes, described(rung).workspace_bytes(widths, n));
    }
  }
  return bytes;
}

bool widens_places(Rung rung) { return rung == Rung::top_sweep; }

Sorted sort_by(Rung rung, const RungJob& job) {
  const auto key_bytes = static_cast<unsigned>(bytes_of(job.type));
  if (rung == Rung::small) {
    const auto with_bits = [&]<class Bits>(Bits) {
      return job.value_bytes == 0 ? sort_small<Bits, NoValue>(job)
                                  : sort_small<Bits, std::uint32_t>(job);
    };
    return key_bytes == 8 ? with_bits(std::uint64_t{}) : with_bits(std::uint32_t{});
  }
  ResultIn result = ResultIn::data;
  if (rung == Rung::wide_pairs) {
    sort_wide_pairs(job);
  } else if (rung == Rung::compact) {
    sort_compactly(job);
  } else {
    result = described(rung).sort(job);
  }
  return result == ResultIn::data ? Sorted{job.keys.data(), job.values.data()}
                                  : Sorted{job.keys.second(), job.values.second()};
}

}  // namespace sortlab::cuda::detail
