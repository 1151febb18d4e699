#include "library/host/auto_sort.hpp"

#include <algorithm>

#include "common/contract/callers_state.hpp"
#include "common/contract/made_once.hpp"
#include "cpu/auto/sorts.hpp"
#include "library/host/passes.hpp"

namespace sortlab::library {
namespace {

namespace fastest = cpu::fastest;

constexpr std::size_t kMostFew = 1024;

/// All that the sorts of a process share which choose by the same tables.
struct Shared {
  const fastest::Codes& codes;
  fastest::WorkspaceBytes* workspace;
  Isa isa = fastest::isa_of_process();
  Few few;

  explicit Shared(bool any_order)
      : codes(any_order ? fastest::any_order::codes : fastest::stable::codes),
        workspace(any_order ? fastest::any_order::workspace_bytes
                            : fastest::stable::workspace_bytes) {
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
    return workspace(n, key_bytes, value_bytes, threads, isa);
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

constinit MadeOnce<const Shared> for_stable, for_any_order;

/// The tables for pairs in any order are made when a call asks for them first: they take as long as the others.
const Shared& shared(bool any_order) {
  return (any_order ? for_any_order : for_stable).get([any_order] {
    const Undisturbed undisturbed;
    return Shared(any_order);
  });
}
const Shared& shared_of(const AutoSort& sort) {
  return shared(sort.any_order && sort.values != nullptr);
}

/// The second buffer of cpu/auto, before its workspace.
struct SecondBuffer {
  std::size_t keys, values;

  explicit SecondBuffer(const AutoSort& sort)
      : keys(aligned(sort.n * bytes_of(sort.type))),
        values(sort.values != nullptr ? aligned(sort.n * sizeof(std::uint32_t)) : 0) {}
};

}  // namespace

Isa isa_of_sorts() { return shared(false).isa; }

const Few& few(bool any_order) { return shared(any_order).few; }

std::size_t AutoSort::scratch_bytes() const {
  const SecondBuffer second(*this);
  return second.keys + second.values +
         aligned(shared_of(*this).workspace_bytes(n, bytes_of(type), values != nullptr ? 4 : 0,
                                                  threads));
}

void AutoSort::run(std::byte* scratch, std::size_t scratch_bytes) const {
  const SecondBuffer second(*this);
  const Shared& all = shared_of(*this);
  std::byte* const workspace = scratch + second.keys + second.values;
  const ResultIn result =
      fastest::sort(all.codes(type, values != nullptr ? 4 : 0, order), keys, values, scratch,
                    values != nullptr ? scratch + second.keys : nullptr, n,
                    {workspace, scratch_bytes - second.keys - second.values}, threads, all.isa);
  if (result == ResultIn::data) return;
  copy(keys, scratch, n * bytes_of(type), threads);
  if (values != nullptr) copy(values, scratch + second.keys, n * sizeof(std::uint32_t), threads);
}

}  // namespace sortlab::library
