// Every variant's file is in the program, and the variants' descriptions are consistent.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "common/choose/choice_table.hpp"
#include "common/contract/variant_table.hpp"
#include "common/harness/machine/build_info.hpp"
#include "common/harness/plan/plan.hpp"
#include "common/harness/plan/selection.hpp"
#include "tool/list/catalogue.hpp"

namespace sortlab {
namespace {

namespace fs = std::filesystem;
using Ids = std::set<std::string>;

/// The ids of all files SIDE/ALGORITHM/NAME + ending.
Ids files_of(const char* side, const char* ending) {
  Ids ids;
  for (const auto& algorithm : fs::directory_iterator(fs::path(kSourceDir) / side)) {
    if (!algorithm.is_directory()) continue;
    for (const auto& file : fs::directory_iterator(algorithm)) {
      if (file.path().extension() != ending) continue;
      ids.insert((side / algorithm.path().filename() / file.path().stem()).string());
    }
  }
  return ids;
}

Ids files_of_this_build() {
  Ids ids = files_of("cpu", ".cpp");
  if (std::string_view(kCudaCompiler) != "") ids.merge(files_of("gpu", ".cu"));
  return ids;
}

Ids ids_left_out() {
  Ids ids;
  for (const auto& variant : variant_table().left_out) ids.insert(std::string(variant.id));
  return ids;
}

TEST(Registry, HoldsEveryFileButThoseLeftOut) {
  Ids known = ids_left_out();
  for (const auto& variant : all_variants()) {
    EXPECT_TRUE(known.insert(variant.id).second) << variant.id << " is left out and there";
  }
  EXPECT_EQ(known, files_of_this_build());
}

TEST(Registry, LeavesOutNothingWithoutAReason) {
  for (const auto& variant : variant_table().left_out) EXPECT_NE(variant.reason, "") << variant.id;
  const auto& libraries = dependencies();
  const bool has_all = std::string_view(kCompiler).starts_with("GNU") &&
                       std::none_of(libraries.begin(), libraries.end(), [](const auto& library) {
                         // Without MPI no variant is left out; those that need it report it.
                         return library.version.empty() && library.name != "MPI";
                       });
  if (!has_all) GTEST_SKIP() << "some libraries are missing";
  EXPECT_EQ(ids_left_out(), Ids{});
}

TEST(Registry, TellsTheSideByTheMemory) {
  for (const auto& variant : all_variants()) {
    EXPECT_EQ(variant.info.memory != Memory::host, variant.id.starts_with("gpu/")) << variant.id;
  }
}

TEST(Registry, TakesEachIdOnce) {
  Variant again = *find_variant("cpu/radix/naive");
  EXPECT_THROW(register_variant(std::move(again)), std::logic_error);
}

TEST(Catalogue, SaysOfEachFileWhatItsVariantSays) {
  Ids listed;
  for (const auto& entry : catalogue_of_sources()) {
    listed.insert(entry.id);
    const Variant* const variant = find_variant(entry.id);
    if (variant == nullptr) continue;
    EXPECT_EQ(entry.after, variant->info.after) << entry.id;
    EXPECT_EQ(entry.is_candidate, variant->info.candidate.has_value()) << entry.id;
    EXPECT_EQ(entry.memory, variant->info.memory) << entry.id;
  }
  Ids files = files_of("cpu", ".cpp");
  files.merge(files_of("gpu", ".cu"));
  EXPECT_EQ(listed, files);
}

TEST(Ladders, EachRungStandsAboveTheOneItComesAfter) {
  const auto all = ladders();
  const auto place = [&](std::string_view id) {
    const auto& rungs = all.at(std::string(ladder_of(id)));
    return std::find(rungs.begin(), rungs.end(), id.substr(id.rfind('/') + 1)) - rungs.begin();
  };
  for (const auto& entry : catalogue_of_sources()) {
    EXPECT_LT(place(entry.id), std::ssize(all.at(std::string(ladder_of(entry.id))))) << entry.id;
    if (entry.after.empty()) continue;
    ASSERT_TRUE(find_in_catalogue(entry.after)) << entry.id << " after " << entry.after;
    if (ladder_of(entry.after) == ladder_of(entry.id)) {
      EXPECT_LT(place(entry.after), place(entry.id)) << entry.id;
    }
  }
}

TEST(Candidates, HaveEachARankOfTheirOwn) {
  for (const Memory memory : {Memory::host, Memory::device}) {
    std::set<int> ranks;
    for (const Variant* const candidate : candidates(memory)) {
      EXPECT_TRUE(ranks.insert(candidate->info.candidate->rank).second) << candidate->id;
    }
  }
}

Ids ids_of(const std::vector<const Variant*>& variants) {
  Ids ids;
  for (const Variant* const variant : variants) ids.insert(variant->id);
  return ids;
}

TEST(Groups, AutoIsWhatChoosesAndWhatMayBeChosen) {
  Ids expected = ids_of(candidates(Memory::host));
  expected.insert({"cpu/auto/any_order", "cpu/auto/auto"});
  EXPECT_EQ(ids_of(select_variants({"cpu/@auto"})), expected);
  Ids both = ids_of(candidates(Memory::device));
  both.merge(Ids(expected));
  for (const Variant* const variant : select_variants({"?pu/auto/*"})) both.insert(variant->id);
  EXPECT_EQ(ids_of(select_variants({"@auto"})), both);
}

TEST(Groups, LeaveOutWhereACandidateIsNeverChosen) {
  const Variant& bitonic = *find_variant("cpu/bitonic/simd");
  const std::size_t most = bitonic.info.candidate->most_n;
  const auto named = [&](std::vector<std::string> filters, std::size_t value_bytes, std::size_t n) {
    return any_names(filters, bitonic, KeyType::u32, value_bytes, n);
  };
  EXPECT_TRUE(named({"@auto"}, 0, most));
  EXPECT_FALSE(named({"@auto"}, 0, most + 1));
  EXPECT_FALSE(named({"cpu/@auto"}, 4, 10)) << "it sorts no pairs";
  EXPECT_FALSE(named({"gpu/@auto"}, 0, 10));
  EXPECT_TRUE(named({"@auto", "cpu/bitonic/*"}, 4, most + 1)) << "named by its id";
  EXPECT_TRUE(named({}, 4, most + 1));
}

}  // namespace
}  // namespace sortlab
