#include "common/choose/choice_table.hpp"

#include <algorithm>

namespace sortlab {

std::vector<const Variant*> candidates(Memory memory) {
  std::vector<const Variant*> found;
  for (const auto& variant : all_variants()) {
    if (variant.info.memory == memory && variant.info.candidate) found.push_back(&variant);
  }
  std::stable_sort(found.begin(), found.end(), [](const Variant* a, const Variant* b) {
    return a->info.candidate->rank < b->info.candidate->rank;
  });
  return found;
}

const Variant* find_candidate(Memory memory, std::string_view id) {
  const Variant* const variant = find_variant(id);
  const bool fits =
      variant != nullptr && variant->info.memory == memory && variant->info.candidate.has_value();
  return fits ? variant : nullptr;
}

bool is_candidate_at(const Variant& variant, KeyType type, std::size_t value_bytes, std::size_t n) {
  return variant.info.candidate && n <= variant.info.candidate->most_n &&
         variant.instance(type, value_bytes, Order::ascending) != nullptr;
}

}  // namespace sortlab
