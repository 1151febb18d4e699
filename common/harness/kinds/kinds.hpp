// What the harness does for each kind of jobs. A kind has one file in common/contract, which says what its jobs are,
// and one here: its axes, its rig and the memory that it takes.
#pragma once

#include <memory>
#include <string>

#include "common/harness/config.hpp"
#include "common/harness/rig/rig.hpp"
#include "common/harness/task.hpp"

namespace sortlab {

struct Handling {
  const Kind* kind;
  bool has_ranks = false;     // its configurations say how many ranks share the items
  bool has_devices = false;   // or which GPUs do
  bool has_segments = false;  // or how the array is cut
  bool has_top = false;       // or how many items are asked for
  /// "" or why a sort of this kind can't run as a configuration says.
  std::string (*misfit)(const Config&) = [](const Config&) -> std::string { return ""; };
  /// "" or which memory a task lacks now, if its inputs will need another `input_bytes`.
  std::string (*lacks_memory)(const Task&, std::size_t input_bytes);
  std::unique_ptr<Rig> (*make_rig)(const Task&, const Setup&);
};

extern const Handling kOneArrays, kRanks, kDevices, kOffload, kOffloadToAll, kSegments, kTopK,
    kPartial;

/// That of the variant's kind. Throws std::logic_error for a kind that nobody handles.
const Handling& handling_of(const Variant& variant);

/// Adds a kind of the program's own.
void add_kind(const Handling& handling);

/// Why items in parts on several GPUs, of one process or of ranks, can't lie there as `config` says.
std::string misfit_of_parts_on_gpus(const Config& config);

}  // namespace sortlab
