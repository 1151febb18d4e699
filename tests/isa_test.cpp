// Each instruction set forced by SORTLAB_ISA, and proof that it is the one a sort gets.
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

/// A sort that does nothing but remember which instruction set it was given.
struct IsaRecorder {
  static constexpr Info info{.summary = "remembers its instruction set", .isas = kScalarToAvx512};
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
  EXPECT_TRUE(kScalarToAvx512.has(Isa::avx512));
}

TEST(BestOf, IsTheBestBelowTheCeiling) {
  EXPECT_EQ(best_of(kScalarToAvx512, Isa::avx512), Isa::avx512);
  EXPECT_EQ(best_of(kScalarToAvx512, Isa::avx2), Isa::avx2);
  EXPECT_EQ(best_of(kScalarToAvx512, Isa::scalar), Isa::scalar);
  EXPECT_EQ(best_of(kScalarAndAvx2, Isa::avx512), Isa::avx2);
  EXPECT_EQ(best_of(kScalarOnly, Isa::avx512), Isa::scalar);
  EXPECT_EQ(best_of(kScalarOnly.with(Isa::avx512), Isa::avx2), Isa::scalar);
}

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
  if (best_isa_of_cpu() == Isa::avx512) GTEST_SKIP() << "this CPU has them all";
  const Forced forced("avx512");
  EXPECT_THROW(usable_isa(), BadInput);
}

}  // namespace
}  // namespace sortlab
