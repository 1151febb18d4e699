// GPU sorts from end to end on the CPU: the harness calls a variant, as it does on a GPU, and judges what it leaves,
// also outside of its arrays. A launch runs its kernel on fibers (stand_in/gpu/primitives/launch/launch.cuh). A test
// includes the sort's file, after this one, with SORTLAB_VARIANT_ENTRY and the like.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <vector>

#include "common/harness/verify/check.hpp"
#include "common/harness/verify/verify.hpp"
#include "tests/on_cpu/device_on_cpu.hpp"

#define SORTLAB_VARIANT_EXTENSION "cu"

namespace sortlab::tests {

/// Registers a sort as one of the host, whose memory is all that there is. Returns its id.
inline std::string added(void (*describe)(Variant&)) {
  Variant variant;
  describe(variant);
  variant.info.memory = Memory::host;
  std::string id = variant.id;
  register_variant(std::move(variant));
  return id;
}

/// Has the sort do each of these, where it has code for the types: keys of all types, alone and with values, in orders
/// that take turns.
inline void expect_sorts(const std::string& id, std::initializer_list<std::size_t> sizes,
                         std::initializer_list<const char*> distributions,
                         std::initializer_list<KeyType> types) {
  Config config;
  config.variant = id;
  std::size_t turn = 0;
  for (const char* const distribution : kinds(distributions)) {
    config.dist = parse_distribution(distribution);
    for (config.n = 0; const std::size_t n : sizes) {
      config.n = n;
      for (const KeyType type : types) {
        config.key_type = type;
        for (const std::size_t value_bytes : {0, 4}) {
          config.value_bytes = value_bytes;
          config.order = ++turn % 3 == 0 ? Order::descending : Order::ascending;
          const Variant& variant = *find_variant(id);
          if (variant.instance(type, value_bytes, config.order) == nullptr) continue;
          ASSERT_EQ(check_sort(config, n % 4), "") << config.benchmark_name();
        }
      }
    }
  }
}

/// The same for these keys, alone and with values, where it has code for them.
template <class Key>
void expect_sorts(const std::string& id, const std::vector<Key>& keys) {
  Config config;
  config.variant = id;
  config.n = keys.size();
  config.key_type = key_type_of<Key>();
  config.dist = parse_distribution("equal");
  for (const std::size_t value_bytes : {0, 4}) {
    config.value_bytes = value_bytes;
    if (find_variant(id)->instance(config.key_type, value_bytes, config.order) == nullptr) continue;
    Input input = make_input(config, config.seed);
    std::memcpy(input.keys.data(), keys.data(), input.keys.size());
    input.fingerprint = fingerprint(config.key_type, input.keys.data(),
                                    {input.values.data(), value_bytes}, config.n);
    EXPECT_EQ(check_sort(config, input, 1), "") << config.benchmark_name();
  }
}

}  // namespace sortlab::tests
