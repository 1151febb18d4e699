#include "library/host/auto_sort.hpp"

#include <algorithm>
#include <array>

#include "common/contract/callers_state.hpp"
#include "common/contract/errors.hpp"
#include "common/contract/made_once.hpp"
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

constexpr std::size_t kMostFew = 1024;

/// The code of a sort that chooses, found once.
struct Chooser {
  const Variant& variant;
  Params params{variant.info.params};
  std::array<const Instance*, kTypePlaces> instances = {};

  explicit Chooser(const char* id) : variant(*find_variant(id)) {
    for (const Instance& instance : variant.instances) {
      instances[type_place(instance.key_type, instance.value_bytes, instance.order)] = &instance;
    }
  }
  const Instance& instance(const AutoSort& sort) const {
    return *instances[type_place(sort.type, sort.values != nullptr ? 4 : 0, sort.order)];
  }
};

/// All that the sorts of a process share which choose by the same tables.
struct Code {
  Chooser chooser;
  Isa isa = isa_of_process();
  Few few;

  explicit Code(bool any_order) : chooser(any_order ? "cpu/auto/any_order" : "cpu/auto/auto") {
    // A table may choose a sort with a large workspace at any n.
    const auto grow = [&](std::size_t& most, std::size_t value_bytes) {
      while (most < kMostFew && few_bytes(most + 1, value_bytes) <= kFewBytes) ++most;
    };
    if (!any_order) grow(few.keys, 0);
    grow(few.pairs, sizeof(std::uint32_t));
    for (std::size_t n = 1; n <= kSomePairs; ++n) {
      few.some_pairs_bytes = std::max(few.some_pairs_bytes, few_bytes(n, sizeof(std::uint32_t)));
    }
  }

  std::size_t workspace_bytes(std::size_t n, std::size_t key_bytes, std::size_t value_bytes,
                              int threads) const {
    return chooser.variant.workspace_bytes(
        {n, key_bytes, value_bytes, threads, chooser.params, nullptr, isa});
  }

  std::size_t few_bytes(std::size_t n, std::size_t value_bytes) const {
    std::size_t workspace = 0;
    for (const std::size_t key_bytes : {4, 8}) {
      workspace = std::max(workspace, workspace_bytes(n, key_bytes, value_bytes, 1));
    }
    // A copy of the keys and their second buffer; two indices and the values' second buffer.
    const std::size_t beside =
        value_bytes == 0 ? 2 * aligned(n * 8)
                         : 2 * aligned(n * 8) + 2 * aligned(n * 4) + aligned(n * kFewValueBytes);
    return beside + aligned(workspace);
  }
};

constinit MadeOnce<const Code> for_stable, for_any_order;

/// The tables for pairs in any order are made when a call asks for them first: they take as long as the others.
const Code& code(bool any_order) {
  return (any_order ? for_any_order : for_stable).get([any_order] {
    const Undisturbed undisturbed;
    return Code(any_order);
  });
}
const Code& code_of(const AutoSort& sort) { return code(sort.any_order && sort.values != nullptr); }

/// The second buffer of cpu/auto, before its workspace.
struct SecondBuffer {
  std::size_t keys, values;

  explicit SecondBuffer(const AutoSort& sort)
      : keys(aligned(sort.n * bytes_of(sort.type))),
        values(sort.values != nullptr ? aligned(sort.n * sizeof(std::uint32_t)) : 0) {}
};

}  // namespace

Isa isa_of_sorts() { return code(false).isa; }

const Few& few(bool any_order) { return code(any_order).few; }

std::size_t AutoSort::scratch_bytes() const {
  const SecondBuffer second(*this);
  return second.keys + second.values +
         aligned(
             code_of(*this).workspace_bytes(n, bytes_of(type), values != nullptr ? 4 : 0, threads));
}

void AutoSort::run(std::byte* scratch, std::size_t scratch_bytes) const {
  const SecondBuffer second(*this);
  const Code& known = code_of(*this);
  const Chooser& chooser = known.chooser;
  const Instance& instance = chooser.instance(*this);
  std::byte* const workspace = scratch + second.keys + second.values;
  const ResultIn result = instance.sort({&instance,
                                         keys,
                                         values,
                                         scratch,
                                         values != nullptr ? scratch + second.keys : nullptr,
                                         n,
                                         {workspace, scratch_bytes - second.keys - second.values},
                                         threads,
                                         known.isa,
                                         nullptr,
                                         &chooser.params});
  if (result == ResultIn::data) return;
  copy(keys, scratch, n * bytes_of(type), threads);
  if (values != nullptr) copy(values, scratch + second.keys, n * sizeof(std::uint32_t), threads);
}

}  // namespace sortlab::library
