#include "library/host/auto_sort.hpp"

#include <array>

#include "common/contract/errors.hpp"
#include "common/contract/variant.hpp"
#include "library/host/passes.hpp"

namespace sortlab::library {
namespace {

/// The instruction set for all sorts. SORTLAB_ISA lowers it; a wrong SORTLAB_ISA is ignored here.
Isa isa_of_process() {
  try {
    return usable_isa();
  } catch (const BadInput&) {
    return best_isa_of_cpu();
  }
}

/// cpu/auto's code, found once.
struct Code {
  const Variant& variant = *find_variant("cpu/auto/auto");
  Params params{variant.info.params};
  Isa isa = isa_of_process();
  std::array<const Instance*, kKeyTypeCount * 4> instances = {};

  Code() {
    for (const Instance& instance : variant.instances) {
      instances[place(instance.key_type, instance.value_bytes != 0, instance.order)] = &instance;
    }
  }

  static std::size_t place(KeyType type, bool has_values, Order order) {
    return static_cast<std::size_t>(type) * 4 + (has_values ? 2 : 0) +
           (order == Order::descending ? 1 : 0);
  }
};

const Code& code() {
  static const Code found;
  return found;
}

/// The second buffer that cpu/auto takes, before its workspace.
struct SecondBuffer {
  std::size_t keys, values;

  explicit SecondBuffer(const AutoSort& sort)
      : keys(aligned(sort.n * bytes_of(sort.type))),
        values(sort.values != nullptr ? aligned(sort.n * sizeof(std::uint32_t)) : 0) {}
};

}  // namespace

std::size_t AutoSort::scratch_bytes() const {
  const SecondBuffer second(*this);
  const WorkspaceRequest request{n, bytes_of(type), values != nullptr ? 4u : 0u, threads,
                                 code().params};
  return second.keys + second.values + aligned(code().variant.workspace_bytes(request));
}

void AutoSort::run(std::byte* scratch, std::size_t scratch_bytes) const {
  const SecondBuffer second(*this);
  const Code& known = code();
  const Instance& instance = *known.instances[Code::place(type, values != nullptr, order)];
  std::byte* const workspace = scratch + second.keys + second.values;
  const ResultIn result = instance.sort(
      {&instance,
       keys,
       values,
       scratch,
       values != nullptr ? scratch + second.keys : nullptr,
       n,
       {workspace, scratch_bytes - second.keys - second.values},
       threads,
       known.isa,
       nullptr,
       &known.params});
  if (result == ResultIn::data) return;
  copy(keys, scratch, n * bytes_of(type), threads);
  if (values != nullptr) copy(values, scratch + second.keys, n * sizeof(std::uint32_t), threads);
}

}  // namespace sortlab::library
