// A plug-in in this process, where sanitizers look on: described, registered, and its sorts checked.
#include <gtest/gtest.h>

#include <set>

#include "common/contract/errors.hpp"
#include "common/harness/plan/plan.hpp"
#include "common/harness/plugin/library.hpp"
#include "common/harness/plugin/registration.hpp"
#include "common/harness/rig/rig.hpp"
#include "common/harness/verify/check.hpp"

namespace sortlab {
namespace {

std::string path_of(const std::string& name) {
  return std::string(SORTLAB_TEST_PLUGINS) + "/plugin_" + name + ".so";
}

std::string why_refused(const std::string& path) {
  try {
    (void)describe_library(path);
  } catch (const BadInput& error) {
    return error.what();
  }
  return "";
}

/// The good plug-in's sorts, registered once for all tests.
void register_good() {
  static const bool once = [] {
    register_plugin(path_of("good"), describe_library(path_of("good")));
    return true;
  }();
  ASSERT_TRUE(once);
}

TEST(PluginLibrary, SaysWhatItHolds) {
  const PluginDescription description = describe_library(path_of("good"));
  EXPECT_EQ(description.name, "good");
  EXPECT_EQ(description.version, "2.5, \"final\"");
  ASSERT_EQ(description.sorts.size(), 2u);
  EXPECT_EQ(description.sorts[0].name, "everything");
  EXPECT_EQ(description.sorts[0].key_types, SORTLAB_ALL_KEYS);
  EXPECT_EQ(description.sorts[1].traits, 0u);
}

TEST(PluginLibrary, IsRefusedWithTheReason) {
  EXPECT_NE(why_refused(path_of("other_abi")).find("version 2"), std::string::npos);
  EXPECT_NE(why_refused(path_of("no_abi")).find("sortlab_plugin_abi"), std::string::npos);
  EXPECT_NE(why_refused("/missing.so").find("No such file"), std::string::npos);
}

TEST(PluginVariants, AreWhatThePluginDeclared) {
  register_good();
  const Variant* const everything = find_variant("plugin/good/everything");
  ASSERT_NE(everything, nullptr);
  EXPECT_EQ(everything->algorithm(), "good");
  EXPECT_EQ(everything->instances.size(), 6u * 2 * 2);
  const Variant* const plain = find_variant("plugin/good/plain");
  ASSERT_NE(plain, nullptr);
  EXPECT_EQ(plain->instances.size(), 1u);
  EXPECT_NE(plain->instance(KeyType::u32, 0, Order::ascending), nullptr);
  EXPECT_EQ(plain->instance(KeyType::u32, 0, Order::descending), nullptr);
}

TEST(PluginVariants, CantBeRegisteredTwice) {
  register_good();
  EXPECT_THROW(register_plugin(path_of("good"), describe_library(path_of("good"))), BadInput);
}

TEST(PluginVariants, AskForTheirWorkspace) {
  register_good();
  Config config;
  config.n = 1000;
  config.variant = "plugin/good/everything";
  EXPECT_EQ(Task(config).workspace_bytes(), 4000u);
  config.variant = "plugin/good/plain";
  EXPECT_EQ(Task(config).workspace_bytes(), 0u);
}

TEST(PluginVariants, SortEverythingThatTheyDeclared) {
  register_good();
  for (const std::string order : {"asc", "desc"}) {
    Selection selection;
    selection.filters = {"plugin/good/*"};
    selection.types = {"u32,i32,u64,i64,f32,f64"};
    selection.values = {"keys", "pairs"};
    selection.dists = {"uniform", "dups16"};
    selection.sizes = {"0,1,2,1000"};
    selection.threads = {"2"};
    selection.order = order;
    std::set<std::string> checked;
    for (const Planned& planned : plan(selection)) {
      if (!planned.skip_reason.empty()) continue;
      for (const std::size_t misalign : {0, 1, 3}) {
        EXPECT_EQ(check_sort(planned.config, misalign), "") << planned.config.benchmark_name();
      }
      checked.insert(planned.config.variant);
    }
    EXPECT_EQ(checked.size(), order == "asc" ? 2u : 1u) << "plain sorts in ascending order only";
  }
}

}  // namespace
}  // namespace sortlab
