// What gpu/auto chooses on a GPU: from the file of `sortlab tune` or from what is built in.
#pragma once

#include <string>
#include <string_view>

#include "common/key_types.hpp"
#include "common/tune/choice_table.hpp"
#include "common/tune/choices.hpp"
#include "common/tune/gpu_rungs.hpp"
#include "common/tune/tune_file.hpp"
#include "common/variant.hpp"

namespace sortlab {

/// The choices for one GPU.
struct GpuChoices {
  Choices choices;
  std::string source;   // "built in, measured on ..." or "FILE, measured on ..."
  std::string warning;  // one line where the file to go by is for another GPU; else ""
};

/// What is built in: gpu/auto/defaults.json.
const GpuTuning& builtin_gpu_tuning();

/// The choices of `file` if it is for this GPU, and what is built in for all that it does not hold.
/// On a GPU of another size than the built-in one's, with n in proportion to the number of SMs: the
/// times of small inputs hang on how many SMs share the work.
GpuChoices gpu_choices(const GpuFacts& gpu, const std::optional<GpuTuning>& file);

/// The registered sort for n items, of kGpuRungs: one that this GPU has room for, that has code for
/// the types, keeps equal keys in order if need be, and is fit for n. Throws BadInput when there is
/// none.
const Variant& choose_gpu_rung(const Choices& choices, const GpuFacts& gpu, Widths widths,
                               std::size_t n);

/// What choose_gpu_rung() says for every n, as steps: wherever its answer may change, it is asked.
std::vector<FitStep> fit_steps(const Choices& choices, const GpuFacts& gpu, Widths widths);

/// Throws BadInput when the file to go by is malformed. One for another GPU gets its line on stderr,
/// once.
void check_tune_file();

/// What is chosen on this GPU, and where that comes from, for people; without a GPU, what is written
/// down for the one that was measured. `stable`: only by sorts that are, or only by those that need
/// not be; both without. Throws BadInput for a file to go by that is malformed.
std::string describe_gpu_choices(std::optional<bool> stable = std::nullopt);

/// The ids of kGpuRungs.
std::vector<std::string_view> gpu_rung_ids();

}  // namespace sortlab
