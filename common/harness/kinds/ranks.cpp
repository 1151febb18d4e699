// Parts of ranks, each in the memory of a process or of its GPU.
#include "common/contract/errors.hpp"
#include "common/contract/parts.hpp"
#include "common/harness/kinds/kinds.hpp"
#include "common/harness/ranks/launch.hpp"
#include "common/harness/ranks/part_rig.hpp"

namespace sortlab {
namespace {

constexpr const char* kNotHere = "sorts over ranks, which are processes of their own";

std::string misfit_of_ranks(const Config& config) {
  if (config.ranks == 0) return "sorts over ranks: say how many with --ranks N";
  if (const std::string reason = ranks_unavailable(); !reason.empty()) return reason;
  if (config.pinned) return "ranks are placed by their launcher, not by --pin";
  if (config.dist.name == "file") return "the keys of a file are not shared out among ranks";
  return config.on_device() ? misfit_of_parts_on_gpus(config) : "";
}

}  // namespace

/// What memory ranks lack, they find out together (common/harness/ranks/serve_ranks.cpp).
const Handling kRanks{
    .kind = &RankParts::kKind,
    .has_ranks = true,
    .misfit = &misfit_of_ranks,
    .lacks_memory = [](const Task&, std::size_t) -> std::string { return kNotHere; },
    .make_rig = [](const Task& task, const Setup& setup) -> std::unique_ptr<Rig> {
      if (setup.parts == nullptr) throw BadInput(kNotHere);
      return std::make_unique<PartRig>(task, setup);
    }};

}  // namespace sortlab
