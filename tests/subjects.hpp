// The subjects of the matrix tests, on the host and on a GPU: each variant with each key type.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "common/contract/variant.hpp"
#include "common/harness/config.hpp"

namespace sortlab {

struct Subject {
  const Variant* variant;
  KeyType key_type;
};

// For GoogleTest's messages, which would otherwise print bytes.
inline void PrintTo(const Subject& subject, std::ostream* out) {
  *out << subject.variant->id << ' ' << name_of(subject.key_type);
}

inline std::vector<const Variant*> variants_in(Memory memory) {
  std::vector<const Variant*> found;
  for (const auto& variant : all_variants()) {
    const bool sorts_records = variant.instance(KeyType::record, 0, Order::ascending) != nullptr;
    // Sorts over ranks or over parts on GPUs have tests of their own.
    const bool has_parts = !variant.is<OneArray>() && memory != Memory::both;
    if (variant.info.memory == memory && !has_parts && !sorts_records) {
      found.push_back(&variant);
    }
  }
  return found;
}

inline std::vector<Subject> subjects_in(Memory memory) {
  std::vector<Subject> subjects;
  for (const Variant* variant : variants_in(memory)) {
    for (const KeyType type : kKeyTypes) subjects.push_back({variant, type});
  }
  return subjects;
}

/// Keys and pairs in both orders.
struct InstanceKind {
  std::size_t value_bytes;
  Order order;
};
constexpr std::array kInstanceKinds = {InstanceKind{0, Order::ascending},
                                       InstanceKind{0, Order::descending},
                                       InstanceKind{sizeof(std::uint32_t), Order::ascending},
                                       InstanceKind{sizeof(std::uint32_t), Order::descending}};

/// The configurations of the kinds that the subject has code for.
inline std::vector<Config> instances_of(const Subject& subject) {
  std::vector<Config> configs;
  for (const InstanceKind& kind : kInstanceKinds) {
    if (subject.variant->instance(subject.key_type, kind.value_bytes, kind.order) == nullptr) {
      continue;
    }
    Config& config = configs.emplace_back();
    config.variant = subject.variant->id;
    config.key_type = subject.key_type;
    config.value_bytes = kind.value_bytes;
    config.order = kind.order;
  }
  return configs;
}

// GoogleTest takes letters, digits and underscores only. tests/CMakeLists.txt makes its filters
// from the same names.
inline std::string test_name(std::string id) {
  std::replace(id.begin(), id.end(), '/', '_');
  return id;
}
inline std::string name_of_subject(const testing::TestParamInfo<Subject>& info) {
  return test_name(info.param.variant->id + "/" + std::string(name_of(info.param.key_type)));
}
inline std::string name_of_variant(const testing::TestParamInfo<const Variant*>& info) {
  return test_name(info.param->id);
}

}  // namespace sortlab
