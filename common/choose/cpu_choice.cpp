#include "common/choose/cpu_choice.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "common/choose/choice_table.hpp"
#include "common/contract/errors.hpp"

namespace sortlab {
namespace {

bool may_be_chosen(const Candidate& candidate, std::size_t n, std::size_t key_bytes,
                   bool power_of_two) {
  const bool is_padded = key_bytes >= candidate.padded_key_bytes && !power_of_two;
  return n <= candidate.most_n && (!is_padded || n <= candidate.most_unpadded);
}

/// Whether the sort is fit for the job.
bool is_fit(const Variant& variant, KeyType type, std::size_t value_bytes, std::size_t n,
            bool power_of_two, bool any_order) {
  return may_be_chosen(*variant.info.candidate, n, bytes_of(type), power_of_two) &&
         (value_bytes == 0 || any_order || variant.info.stable) &&
         variant.instance(type, value_bytes, Order::ascending) != nullptr &&
         n <= variant.capacity().max_n;
}

const Variant& choose_cpu_rung(const Steps* steps, KeyType type, std::size_t value_bytes,
                               std::size_t n, bool power_of_two, bool any_order) {
  const Variant* chosen = nullptr;
  const auto take = [&](const Variant* variant) {
    const bool fits =
        variant != nullptr && is_fit(*variant, type, value_bytes, n, power_of_two, any_order);
    chosen = fits ? variant : nullptr;
    return fits;
  };
  const auto take_step = [&](const Step& step) {
    return take(find_candidate(Memory::host, step.id));
  };
  if (steps != nullptr && choose(*steps, n, take_step) != nullptr) return *chosen;
  for (const Variant* const candidate : candidates(Memory::host)) {
    if (take(candidate)) return *chosen;
  }
  throw BadInput("cpu/auto: none of its sorts takes " + std::to_string(n) + " " +
                 std::string(name_of(type)) + (value_bytes != 0 ? " keys with values" : " keys"));
}

/// Joins two lists of choices: those for one thread up to an n, and those for more threads from
/// there on.
std::vector<FitStep> joined(std::vector<FitStep> alone, std::size_t until,
                            const std::vector<FitStep>& together) {
  std::erase_if(alone, [&](const FitStep& step) { return step.from_n >= until; });
  for (auto& step : alone) step.most_threads = 1;
  for (std::size_t i = 0; i < together.size(); ++i) {
    if (i + 1 < together.size() && together[i + 1].from_n <= until) continue;
    alone.push_back({std::max(together[i].from_n, until), together[i].rung});
  }
  return alone;
}

}  // namespace

void replace(CpuChoices& choices, const CpuChoices& later) {
  for (const auto& [setting, of_setting] : later) {
    for (const auto& [widths, steps] : of_setting) choices[setting][widths] = steps;
  }
}

CpuChoices builtin_cpu_choices(CpuKind kind) {
  CpuChoices choices = builtin_intel_tuning().choices;
  if (kind == CpuKind::amd) replace(choices, builtin_amd_tuning().choices);
  if (kind == CpuKind::arm) replace(choices, builtin_arm_tuning().choices);
  return choices;
}

std::vector<FitStep> fit_cpu_steps(const Steps* steps, KeyType type, std::size_t value_bytes,
                                   bool power_of_two, bool any_order) {
  std::set<std::size_t> sizes = {0};
  if (steps != nullptr) {
    for (const auto& step : *steps) sizes.insert(step.from_n);
  }
  const auto ends_at = [&](std::size_t most) {
    if (most < std::numeric_limits<std::size_t>::max()) sizes.insert(most + 1);
  };
  for (const Variant* const candidate : candidates(Memory::host)) {
    ends_at(candidate->info.candidate->most_n);
    ends_at(candidate->info.candidate->most_unpadded);
    ends_at(candidate->capacity().max_n);
  }
  return fit_steps_at(sizes, [&](std::size_t n) -> const Variant& {
    return choose_cpu_rung(steps, type, value_bytes, n, power_of_two, any_order);
  });
}

CpuChoiceTables::CpuChoiceTables(const CpuChoices& choices, bool any_order) {
  const auto steps_of = [&](const Choices& of_setting, Widths widths) {
    auto steps = of_setting.end();
    if (any_order) {
      widths.stable = false;
      steps = of_setting.find(widths);
    }
    if (steps == of_setting.end()) {
      widths.stable = widths.value_bytes != 0;
      steps = of_setting.find(widths);
    }
    return steps == of_setting.end() ? nullptr : &steps->second;
  };
  /// `many` says from which n on a second thread is worth its start.
  const auto table = [&](Isa isa, const Choices& of_setting, const Choices& many,
                         bool power_of_two) {
    const auto one_thread = choices.find({isa, 1});
    const auto fit_steps = [&](KeyType type, std::size_t value_bytes) {
      const Widths widths{bytes_of(type), value_bytes};
      const auto fit = [&](const Choices& some) {
        return fit_cpu_steps(steps_of(some, widths), type, value_bytes, power_of_two, any_order);
      };
      const Steps* const steps = steps_of(many, widths);
      if (steps == nullptr || steps->front().from_n == 0 || one_thread == choices.end()) {
        return fit(of_setting);
      }
      return joined(fit(one_thread->second), steps->front().from_n, fit(of_setting));
    };
    return ChoiceTable(fit_steps, isa);
  };
  const auto add = [&](Isa isa, int most, const Choices& of_setting, const Choices& many) {
    of_isa_[static_cast<std::size_t>(isa)].push_back(
        {most, table(isa, of_setting, many, true), table(isa, of_setting, many, false)});
  };
  constexpr int kAny = std::numeric_limits<int>::max();
  for (auto entry = choices.begin(); entry != choices.end(); ++entry) {
    const auto& [setting, of_setting] = *entry;
    const auto next = std::next(entry);
    const bool is_last = next == choices.end() || next->first.isa != setting.isa;
    const double middle =
        is_last ? kAny : std::sqrt(static_cast<double>(setting.threads) * next->first.threads);
    const bool for_many = setting.threads > 1 || is_last;
    add(setting.isa, static_cast<int>(middle), of_setting, for_many ? of_setting : next->second);
  }
  for (int i = 0; i < kIsaCount; ++i) {
    const auto isa = static_cast<Isa>(i);
    if (of_isa_[static_cast<std::size_t>(isa)].empty()) add(isa, kAny, {}, {});
  }
}

}  // namespace sortlab
