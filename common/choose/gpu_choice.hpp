// The choices of gpu/auto on a GPU, from the file of `sortlab tune` or from the built-in ones.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "common/choose/choice_table.hpp"
#include "common/choose/choices.hpp"
#include "common/choose/tune_file.hpp"
#include "common/contract/key_types.hpp"
#include "common/contract/variant.hpp"

namespace sortlab {

/// The facts of a GPU that a choice depends on.
struct GpuFacts {
  std::string name;
  int sms = 0;
  std::size_t shared_bytes_per_block = 0;  // at most, for a kernel that asks for it
  std::size_t shared_bytes_per_sm = 0;
  bool clusters = false;

  bool operator==(const GpuFacts&) const = default;
};

/// Whether the GPU has the resources that the sort needs.
bool has_room_for(const GpuFacts& gpu, const Candidate& candidate);

/// The choices for one GPU.
struct GpuChoices {
  Choices choices;
  std::string source;   // "built in, measured on ..." or "FILE, measured on ..."
  std::string warning;  // one line if the tune file is for another GPU; else ""
};

/// The built-in choices: gpu/auto/defaults.json.
const GpuTuning& builtin_gpu_tuning();

/// The choices of `file` if it is for this GPU, and built-in choices for everything else. On a GPU
/// with another number of SMs the built-in n are scaled in proportion, because the time of a small
/// input depends on how many SMs share the work.
GpuChoices gpu_choices(const GpuFacts& gpu, const std::optional<GpuTuning>& file);

/// The candidate for n items. This GPU has the resources for it; it has code for the types, is
/// stable if `stable` asks for it, and may be chosen for n. Throws BadInput when there is none.
const Variant& choose_gpu_rung(const Choices& choices, const GpuFacts& gpu, Widths widths,
                               std::size_t n);

/// The answers of choose_gpu_rung() for every n, as steps. It is called for each n at which its
/// answer may change.
std::vector<FitStep> fit_steps(const Choices& choices, const GpuFacts& gpu, Widths widths);

/// Throws BadInput when the tune file is malformed. The first call warns on stderr about a file that
/// is for another GPU; `this_gpu` is asked only if there is a file.
void check_gpu_tuning(std::optional<GpuFacts> (*this_gpu)());

/// A text that says which sorts are chosen on `gpu`, and the source of these choices. Without a GPU
/// it shows the choices for the GPU that was measured. `stable` limits it to the choices among
/// stable sorts, or to the others. Throws BadInput when the tune file is malformed.
std::string describe_gpu_choices(const std::optional<GpuFacts>& gpu,
                                 std::optional<bool> stable = std::nullopt);

}  // namespace sortlab
