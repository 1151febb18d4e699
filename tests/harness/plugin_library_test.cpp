// A plug-in in this process, so that sanitizers check it: its description, its registration and its
// sorts.
#include <gtest/gtest.h>

#include <set>

#include "common/contract/errors.hpp"
#include "common/harness/plan/plan.hpp"
#include "common/harness/plugin/description.hpp"
#include "common/harness/plugin/library.hpp"
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

/// The sorts of the good plug-in, registered once for all tests.
void register_good() {
  static const bool once = [] {
    register_plugin(path_of("good"), describe_library(path_of("good")));
    return true;
  }();
  ASSERT_TRUE(once);
}

Config config_of(const std::string& variant, std::size_t n) {
  Config config;
  config.variant = variant;
  config.n = n;
  config.dist.name = "uniform";
  return config;
}

TEST(PluginLibrary, SaysWhatItHolds) {
  const PluginDescription description = describe_library(path_of("good"));
  EXPECT_EQ(description.name, "good");
  EXPECT_EQ(description.version, "2.5, \"final\"");
  ASSERT_EQ(description.sorts.size(), 4u);
  EXPECT_EQ(description.sorts[0].name, "everything");
  EXPECT_EQ(description.sorts[0].traits, SORTLAB_PARALLEL);
  EXPECT_EQ(description.sorts[0].version, "2.5, \"final\"");
  ASSERT_EQ(description.sorts[0].instances.size(), 6u);
  EXPECT_EQ(description.sorts[0].instances[5].key_types, SORTLAB_F64);
  EXPECT_EQ(description.sorts[1].version, "its own");
  EXPECT_EQ(description.sorts[1].isa, "avx7");
  EXPECT_EQ(description.sorts[1].instances[0].values, SORTLAB_NO_VALUES) << "0 stands for it";
  EXPECT_EQ(description.sorts[1].instances[0].orders, SORTLAB_ASCENDING) << "0 stands for it";
}

TEST(PluginLibrary, IsRefusedWithTheReason) {
  ASSERT_EQ(setenv("SORTLAB_TEST_FAULT", "other_abi", 1), 0);
  EXPECT_NE(why_refused(path_of("bad")).find("version 2"), std::string::npos);
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
  EXPECT_EQ(plain->isa_name(*plain), "avx7");
  EXPECT_EQ(plain->info.lib_version, "its own");
}

TEST(PluginVariants, HaveTraitsForEachType) {
  register_good();
  const Variant& mixed = *find_variant("plugin/good/mixed");
  EXPECT_EQ(mixed.instances.size(), 1u + 1 + 2);
  const Traits keys = mixed.instance(KeyType::u32, 0, Order::ascending)->traits;
  const Traits pairs = mixed.instance(KeyType::u64, 4, Order::ascending)->traits;
  EXPECT_TRUE(keys.in_place && !keys.stable);
  EXPECT_TRUE(pairs.stable && !pairs.in_place);
  EXPECT_EQ(keys.temp_policy, TempPolicy::prealloc);
  EXPECT_EQ(pairs.temp_policy, TempPolicy::per_call);
  EXPECT_FALSE(mixed.info.stable || mixed.info.in_place) << "not for all types";
  EXPECT_NE(mixed.instance(KeyType::f64, 16, Order::ascending), nullptr);
  EXPECT_EQ(find_variant("plugin/good/keeps")->info.temp_policy, TempPolicy::cached);
}

TEST(PluginVariants, CantBeRegisteredTwice) {
  register_good();
  EXPECT_THROW(register_plugin(path_of("good"), describe_library(path_of("good"))), BadInput);
}

TEST(PluginVariants, AskForTheirWorkspace) {
  register_good();
  EXPECT_EQ(Task(config_of("plugin/good/everything", 1000)).workspace_bytes(), 4000u);
  EXPECT_EQ(Task(config_of("plugin/good/plain", 1000)).workspace_bytes(), 0u);
}

TEST(PluginVariants, AskForAWorkspaceByTheTypes) {
  register_good();
  Config config = config_of("plugin/good/mixed", 1000);
  EXPECT_EQ(Task(config).workspace_bytes(), 0u);
  config.key_type = KeyType::u64;
  config.value_bytes = 4;
  EXPECT_EQ(Task(config).workspace_bytes(), 16'000u);
}

/// The plug-in checks the alignment that the header promises; this one breaks it.
TEST(PluginVariants, NoticeMisalignedBuffers) {
  register_good();
  EXPECT_EQ(check_sort(config_of("plugin/good/plain", 100)), "");
  EXPECT_THROW(check_sort(config_of("plugin/good/plain", 100), 1), std::runtime_error);
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
      EXPECT_EQ(check_sort(planned.config), "") << planned.config.benchmark_name();
      checked.insert(planned.config.variant);
    }
    EXPECT_EQ(checked.size(), order == "asc" ? 4u : 1u) << "most sort in ascending order only";
  }
}

}  // namespace
}  // namespace sortlab
