#include "common/harness/kinds/kinds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

namespace sortlab {
namespace {

std::vector<const Handling*>& all_kinds() {
  static std::vector<const Handling*> kinds = {&kOneArrays,    &kRanks,    &kDevices, &kOffload,
                                               &kOffloadToAll, &kSegments, &kTopK,    &kPartial};
  return kinds;
}

}  // namespace

const Handling& handling_of(const Variant& variant) {
  const auto found = std::ranges::find(all_kinds(), variant.kind, &Handling::kind);
  if (found != all_kinds().end()) return **found;
  throw std::logic_error(
      fmt::format("{}: nobody handles jobs of the kind {}", variant.id, variant.kind->name));
}

void add_kind(const Handling& handling) { all_kinds().push_back(&handling); }

std::unique_ptr<Rig> make_rig(const Task& task, const Setup& setup) {
  return handling_of(task.variant).make_rig(task, setup);
}

std::unique_ptr<Rig> make_rig(const Task& task, std::size_t misalign) {
  return make_rig(task, Setup{.misalign = misalign});
}

std::string lacks_memory(const Task& task, std::size_t input_bytes) {
  return handling_of(task.variant).lacks_memory(task, input_bytes);
}

}  // namespace sortlab
