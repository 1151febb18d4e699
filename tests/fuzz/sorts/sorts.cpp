#include "tests/fuzz/sorts/sorts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "common/harness/input/distributions.hpp"
#include "common/utils.hpp"

namespace sortlab::fuzz {
namespace {

/// A sort whose limit is at most this many items needs quadratic time for some inputs, or runs on
/// one GPU thread. It gets fewer items, so that it does not take the others' time.
constexpr std::size_t kSlowUpTo = std::size_t{1} << 16;

std::size_t most_n(const Variant& variant, std::size_t limit) {
  if (limit > kSlowUpTo) return limit;
  return variant.info.memory == Memory::device ? 200 : 4000;
}

std::size_t most_n_of_any(const Variant& variant) {
  std::size_t most = variant.limit("uniform").max_n;
  for (const DistributionInfo& info : all_distributions()) {
    most = std::min(most, variant.limit(info.name).max_n);
  }
  return most_n(variant, most);
}

/// A value of the parameter: often the default, or an end of its range. GPU sorts, whose numbers of
/// threads must be powers of two, get only these.
std::int64_t draw_value(Dice& dice, const ParamSpec& spec, bool powers_only) {
  switch (dice.below(6)) {
    case 0:
    case 1:
      return spec.fallback;
    case 2:
      return spec.min;
    case 3:
      return spec.max;
    default:
      break;
  }
  const auto range = static_cast<std::uint64_t>(spec.max - spec.min);
  auto above = dice.of_any_length(static_cast<unsigned>(std::bit_width(range)));
  if (!powers_only) return spec.min + static_cast<std::int64_t>(std::min(range, above));
  const auto value = static_cast<std::uint64_t>(spec.min) + std::min(range, above);
  return std::max(spec.min, static_cast<std::int64_t>(std::bit_floor(value)));
}

int draw_threads(Dice& dice) {
  return static_cast<int>(dice.one_in(8) ? 10 + dice.below(31) : 1 + dice.below(9));
}

}  // namespace

std::string Sort::name() const {
  if (variant->info.isas.mask == kScalarOnly.mask) return variant->id;
  return fmt::format("{} ({})", variant->id, name_of(isa));
}

bool Sort::takes_part_in(const Case& one, const Input& input) const {
  if (random_word(one.seed, 2, fnv1a(name())) % one.one_in != 0) return false;
  const std::size_t value_bytes = one.pairs ? sizeof(std::uint32_t) : 0;
  if (variant->instance(one.key_type, value_bytes, one.order) == nullptr) return false;
  if (!variant->info.total_order && input.needs_total_order()) return false;
  const bool uniform = one.values == Values::uniform && one.pattern == Pattern::random;
  return one.n <= (uniform ? most_n_uniform : most_n);
}

std::vector<Sort> sorts_in(Memory memory) {
  std::vector<Sort> sorts;
  for (const Variant& variant : all_variants()) {
    if (!variant.is<OneArray>()) continue;
    if (variant.info.memory != memory || !variant.unavailable().empty()) continue;
    for (const Isa isa : kIsasOfBuild) {
      if (!variant.info.isas.has(isa) || !has_isa(best_isa_of_cpu(), isa)) continue;
      sorts.push_back(
          {&variant, isa, most_n(variant, variant.limit("uniform").max_n), most_n_of_any(variant)});
    }
  }
  return sorts;
}

int draw_poison(Dice& dice) {
  constexpr int kBytes[] = {0x00, 0x01, 0xA5, 0xFF};
  return dice.of(kBytes);
}

Call::Call(const Case& one, const Sort& of_sort)
    : sort(of_sort),
      instance(of_sort.variant->instance(one.key_type, one.pairs ? sizeof(std::uint32_t) : 0,
                                         one.order)),
      dice(one.seed, fnv1a(of_sort.name())),
      params(of_sort.variant->info.params),
      threads(0) {
  const Info& info = sort.variant->info;
  const bool on_device = info.memory == Memory::device;
  for (const ParamSpec& spec : info.params) {
    params.set(spec.name, draw_value(dice, spec, on_device));
  }
  if (!on_device) threads = info.parallel ? draw_threads(dice) : 1;
  workspace_bytes = sort.variant->workspace_bytes(
      {one.n, bytes_of(one.key_type), instance->value_bytes, threads, params});
}

bool Call::has_fallbacks() const {
  const auto specs = params.specs();
  return std::all_of(specs.begin(), specs.end(),
                     [&](const ParamSpec& spec) { return params[spec.name] == spec.fallback; });
}

std::string Call::text() const {
  std::string text = sort.name();
  if (threads > 1) text += fmt::format(" threads={}", threads);
  for (const ParamSpec& spec : params.specs()) {
    text += fmt::format(" {}={}", spec.name, params[spec.name]);
  }
  return text;
}

}  // namespace sortlab::fuzz
