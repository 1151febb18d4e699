// What gpu/auto chooses on a GPU: from the file of `sortlab tune` or from what is built in.
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

/// What a choice must know of a GPU.
struct GpuFacts {
  std::string name;
  int sms = 0;
  std::size_t shared_bytes_per_block = 0;  // at most, for a kernel that asks for it
  std::size_t shared_bytes_per_sm = 0;
  bool clusters = false;

  bool operator==(const GpuFacts&) const = default;
};

/// Whether the GPU has what the sort can't run without.
bool has_room_for(const GpuFacts& gpu, const Candidate& candidate);

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

/// The sort for n items, of the candidates: one that this GPU has room for, that has code for
/// the types, keeps equal keys in order if need be, and is fit for n. Throws BadInput when there is
/// none.
const Variant& choose_gpu_rung(const Choices& choices, const GpuFacts& gpu, Widths widths,
                               std::size_t n);

/// What choose_gpu_rung() says for every n, as steps: wherever its answer may change, it is asked.
std::vector<FitStep> fit_steps(const Choices& choices, const GpuFacts& gpu, Widths widths);

/// Throws BadInput when the tune file is malformed. The first call warns on stderr about a file that
/// is for another GPU; `this_gpu` is asked only if there is a file.
void check_gpu_tuning(std::optional<GpuFacts> (*this_gpu)());

/// What is chosen on `gpu`, and where that comes from, for people; without a GPU, the choices for the
/// one that was measured. `stable` limits this to the choices among stable sorts, or to the others.
/// Throws BadInput when the tune file is malformed.
std::string describe_gpu_choices(const std::optional<GpuFacts>& gpu,
                                 std::optional<bool> stable = std::nullopt);

}  // namespace sortlab
