// Forces each instruction set by SORTLAB_ISA, and checks that sorts get it.
#include "common/contract/isa.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "common/contract/errors.hpp"
#include "common/harness/plan/plan.hpp"
#include "common/harness/verify/check.hpp"
#include "tests/forced_isa.hpp"

namespace sortlab {
namespace {

std::optional<Isa> recorded;

/// A sort that only records its instruction set.
struct IsaRecorder {
  static constexpr Info info{.summary = "remembers its instruction set", .isas = kEveryIsa};
  template <class Job>
  static ResultIn sort(const Job& job) {
    recorded = job.isa;
    return ResultIn::data;
  }
};
const bool kRegisteredForIsa = [] {
  register_variant(detail::describe<IsaRecorder>("tests/isa/recorder", "cpp",
                                                 TypeList<std::uint32_t>{}, KeysOnly{}));
  return true;
}();

TEST(IsaSet, HoldsWhatItIsGiven) {
  EXPECT_TRUE(kScalarOnly.has(Isa::scalar));
  EXPECT_FALSE(kScalarOnly.has(Isa::avx2));
  EXPECT_TRUE(kScalarAndAvx2.has(Isa::scalar));
  EXPECT_TRUE(kScalarAndAvx2.has(Isa::avx2));
  EXPECT_FALSE(kScalarAndAvx2.has(Isa::avx512));
  EXPECT_FALSE(kScalarAndAvx2.has(Isa::neon));
  EXPECT_TRUE(kEveryIsa.has(Isa::avx512));
  EXPECT_TRUE(kEveryIsa.has(Isa::neon));
}

TEST(BestOf, IsTheBestBelowTheCeiling) {
  EXPECT_EQ(best_of(kEveryIsa, Isa::avx512), Isa::avx512);
  EXPECT_EQ(best_of(kEveryIsa, Isa::avx2), Isa::avx2);
  EXPECT_EQ(best_of(kEveryIsa, Isa::scalar), Isa::scalar);
  EXPECT_EQ(best_of(kScalarAndAvx2, Isa::avx512), Isa::avx2);
  EXPECT_EQ(best_of(kScalarOnly, Isa::avx512), Isa::scalar);
  EXPECT_EQ(best_of(kScalarOnly.with(Isa::avx512), Isa::avx2), Isa::scalar);
  EXPECT_EQ(best_of(kEveryIsa, Isa::neon), Isa::neon);
  EXPECT_EQ(best_of(kScalarAndAvx2, Isa::neon), Isa::scalar) << "of another architecture";
  EXPECT_EQ(best_of(kScalarOnly.with(Isa::neon), Isa::avx512), Isa::scalar);
}

TEST(IsasOfBuild, GrowFromScalarToTheBest) {
  EXPECT_EQ(kIsasOfBuild.front(), Isa::scalar);
  EXPECT_TRUE(has_isa(kIsasOfBuild.back(), best_isa_of_cpu()));
#ifdef SORTLAB_ARM
  EXPECT_EQ(best_isa_of_cpu(), Isa::neon);
#endif
}

#ifdef SORTLAB_X86
TEST(BestIsaOf, AsksForEachFeatureAndForItsRegisters) {
  const CpuFeatures all{~0u, ~0u, ~0u, ~0u};
  EXPECT_EQ(best_isa_of(all), Isa::avx512);
  EXPECT_EQ(best_isa_of({}), Isa::scalar);
  const struct {
    const char* name;
    unsigned CpuFeatures::*word;
    int bit;
    Isa best;
  } kLacking[] = {{"SSE3", &CpuFeatures::leaf_1_ecx, 0, Isa::scalar},
                  {"SSSE3", &CpuFeatures::leaf_1_ecx, 9, Isa::scalar},
                  {"FMA", &CpuFeatures::leaf_1_ecx, 12, Isa::scalar},
                  {"SSE4.1", &CpuFeatures::leaf_1_ecx, 19, Isa::scalar},
                  {"SSE4.2", &CpuFeatures::leaf_1_ecx, 20, Isa::scalar},
                  {"POPCNT", &CpuFeatures::leaf_1_ecx, 23, Isa::scalar},
                  {"AVX", &CpuFeatures::leaf_1_ecx, 28, Isa::scalar},
                  {"F16C", &CpuFeatures::leaf_1_ecx, 29, Isa::avx2},
                  {"BMI1", &CpuFeatures::leaf_7_ebx, 3, Isa::scalar},
                  {"AVX2", &CpuFeatures::leaf_7_ebx, 5, Isa::scalar},
                  {"BMI2", &CpuFeatures::leaf_7_ebx, 8, Isa::scalar},
                  {"AVX512F", &CpuFeatures::leaf_7_ebx, 16, Isa::avx2},
                  {"AVX512DQ", &CpuFeatures::leaf_7_ebx, 17, Isa::avx2},
                  {"AVX512CD", &CpuFeatures::leaf_7_ebx, 28, Isa::avx2},
                  {"AVX512BW", &CpuFeatures::leaf_7_ebx, 30, Isa::avx2},
                  {"AVX512VL", &CpuFeatures::leaf_7_ebx, 31, Isa::avx2},
                  {"LZCNT", &CpuFeatures::leaf_80000001_ecx, 5, Isa::scalar},
                  {"xmm", &CpuFeatures::xcr0, 1, Isa::scalar},
                  {"ymm", &CpuFeatures::xcr0, 2, Isa::scalar},
                  {"masks", &CpuFeatures::xcr0, 5, Isa::avx2},
                  {"zmm0 to 15", &CpuFeatures::xcr0, 6, Isa::avx2},
                  {"zmm16 to 31", &CpuFeatures::xcr0, 7, Isa::avx2}};
  for (const auto& [name, word, bit, best] : kLacking) {
    CpuFeatures cpu = all;
    cpu.*word &= ~(1u << bit);
    EXPECT_EQ(best_isa_of(cpu), best) << name;
  }
}
#endif

TEST(Forced, IsWhatTheCpuHasWhenNobodyForces) {
  const Forced nothing("");
  EXPECT_EQ(usable_isa(), best_isa_of_cpu());
}

TEST(Forced, ReachesTheSort) {
  for (const Isa isa : isas_of_this_cpu()) {
    const Forced forced(name_of(isa));
    EXPECT_EQ(usable_isa(), isa);

    Config config;
    config.variant = "tests/isa/recorder";
    config.n = 1;
    config.dist = parse_distribution("equal");
    recorded.reset();
    EXPECT_EQ(check_sort(config), "");
    EXPECT_EQ(recorded, isa) << "job.isa";

    Selection selection;
    selection.filters = {"tests/isa/recorder"};
    EXPECT_EQ(plan(selection).at(0).config.isa, name_of(isa)) << "the CSV's column";
  }
}

TEST(Forced, RefusesWhatIsNone) {
  for (const char* name : {"avx", "AVX2", "sse", "avx2 "}) {
    const Forced forced(name);
    EXPECT_THROW(usable_isa(), BadInput) << name;
  }
}

TEST(Forced, RefusesWhatTheCpuLacks) {
  for (int i = 0; i < kIsaCount; ++i) {  // one of another architecture at least
    const auto isa = static_cast<Isa>(i);
    if (has_isa(best_isa_of_cpu(), isa)) continue;
    const Forced forced(name_of(isa));
    EXPECT_THROW(usable_isa(), BadInput) << name_of(isa);
  }
}

}  // namespace
}  // namespace sortlab
