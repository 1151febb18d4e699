#include "common/choose/gpu_choice.hpp"

#include <fmt/format.h>

#include <limits>
#include <set>

#include "common/choose/choice_table.hpp"
#include "common/choose/embedded.hpp"
#include "common/contract/errors.hpp"
#include "common/notes.hpp"

namespace sortlab {
namespace {

std::string measured_on(const GpuTuning& tuning) {
  return fmt::format("measured on {} with {} SMs, {}, revision {}", tuning.device, tuning.sms,
                     tuning.measured_utc.substr(0, 10), tuning.revision);
}

/// null if the sort can't do the job on this GPU.
const Variant* fit_rung(const GpuFacts& gpu, std::string_view id, Widths widths, std::size_t n) {
  const Variant* const variant = find_candidate(Memory::device, id);
  if (variant == nullptr || !has_room_for(gpu, *variant->info.candidate)) return nullptr;
  if (widths.stable && !variant->info.stable) return nullptr;
  const KeyType any_of_width = number_type(NumberKind::unsigned_integer, widths.key_bytes);
  if (variant->instance(any_of_width, widths.value_bytes, Order::ascending) == nullptr) {
    return nullptr;
  }
  return n <= variant->capacity().max_n ? variant : nullptr;
}

}  // namespace

bool has_room_for(const GpuFacts& gpu, const Candidate& candidate) {
  return gpu.shared_bytes_per_block >= candidate.block_kib * 1024 &&
         gpu.shared_bytes_per_sm >= candidate.sm_kib * 1024 &&
         (gpu.clusters || !candidate.clusters);
}

const GpuTuning& builtin_gpu_tuning() {
  static const GpuTuning tuning = [] {
    const std::string path = "gpu/auto/defaults.json";
    return parse_gpu_tuning(embedded_file(path), path).value();
  }();
  return tuning;
}

GpuChoices gpu_choices(const GpuFacts& gpu, const std::optional<GpuTuning>& file) {
  const GpuTuning& builtin = builtin_gpu_tuning();
  GpuChoices all{builtin.choices, "built in, " + measured_on(builtin), ""};
  if (gpu.sms != builtin.sms) {
    all.choices = scaled(builtin.choices, static_cast<double>(gpu.sms) / builtin.sms);
    all.source += fmt::format("; n in proportion to the {} SMs here", gpu.sms);
  }
  if (!file) return all;
  if (file->device != gpu.name || file->sms != gpu.sms) {
    all.warning = fmt::format(
        "{} is for {} with {} SMs, this is {} with {}: gpu/auto goes by what is built in; "
        "`sortlab tune` measures this one",
        tune_path_in_use(), file->device, file->sms, gpu.name, gpu.sms);
    return all;
  }
  for (const auto& [widths, steps] : file->choices) all.choices[widths] = steps;
  all.source = tune_path_in_use() + ", " + measured_on(*file);
  return all;
}

const Variant& choose_gpu_rung(const Choices& choices, const GpuFacts& gpu, Widths widths,
                               std::size_t n) {
  if (widths.value_bytes == 0) widths.stable = false;
  const Variant* chosen = nullptr;
  const auto is_fit = [&](std::string_view id) {
    return (chosen = fit_rung(gpu, id, widths, n)) != nullptr;
  };
  const auto is_step_fit = [&](const Step& step) { return is_fit(step.id); };
  const auto steps = choices.find(widths);
  if (steps != choices.end() && choose(steps->second, n, is_step_fit) != nullptr) return *chosen;
  for (const Variant* const candidate : candidates(Memory::device)) {
    if (is_fit(candidate->id)) return *chosen;
  }
  throw BadInput(
      fmt::format("gpu/auto: none of its sorts fits {} {} on {}", n, widths.text(), gpu.name));
}

std::vector<FitStep> fit_steps(const Choices& choices, const GpuFacts& gpu, Widths widths) {
  if (widths.value_bytes == 0) widths.stable = false;
  std::set<std::size_t> sizes = {0};
  if (const auto steps = choices.find(widths); steps != choices.end()) {
    for (const auto& step : steps->second) sizes.insert(step.from_n);
  }
  for (const Variant* const candidate : candidates(Memory::device)) {
    const std::size_t most = candidate->capacity().max_n;
    if (most < std::numeric_limits<std::size_t>::max()) sizes.insert(most + 1);
  }
  return fit_steps_at(sizes, [&](std::size_t n) -> const Variant& {
    return choose_gpu_rung(choices, gpu, widths, n);
  });
}

void check_gpu_tuning(std::optional<GpuFacts> (*this_gpu)()) {
  static const bool is_checked = [this_gpu] {
    const auto file = gpu_tuning_in_use();
    const auto gpu = file ? this_gpu() : std::nullopt;
    const std::string warning = gpu ? gpu_choices(*gpu, file).warning : "";
    if (!warning.empty()) note("{}\n", warning);
    return true;
  }();
  (void)is_checked;
}

std::string describe_gpu_choices(const std::optional<GpuFacts>& gpu, std::optional<bool> stable) {
  const auto file = gpu_tuning_in_use();
  const GpuTuning& written = file ? *file : builtin_gpu_tuning();
  const auto known = gpu_choices(gpu.value_or(GpuFacts{written.device, written.sms}), file);
  Choices shown;
  for (const auto& [widths, steps] : known.choices) {
    const bool is_for_both = widths.value_bytes == 0;
    if (stable && !is_for_both && widths.stable != *stable) continue;
    if (!gpu) {
      shown[widths] = steps;
      continue;
    }
    for (const auto& step : fit_steps(known.choices, *gpu, widths)) {
      shown[widths].push_back({step.from_n, step.rung->id});
    }
  }
  std::string text = fmt::format("choices:   {}\n", known.source);
  if (!known.warning.empty()) text += fmt::format("           {}\n", known.warning);
  return text + readable_choices(shown);
}

}  // namespace sortlab
