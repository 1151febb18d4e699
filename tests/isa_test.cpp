// Each instruction set forced by SORTLAB_ISA, and proof that it is the one a sort gets.
#include "common/contract/isa.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "common/contract/errors.hpp"
#include "common/harness/plan/plan.hpp"
#include "common/harness/rig/host_rig.hpp"
#include "common/harness/verify/check.hpp"

namespace sortlab {
namespace {

std::optional<Isa> recorded;

/// A sort that does nothing but remember which instruction set it was given.
struct Recorder {
  static constexpr Info info{.summary = "remembers its instruction set", .isas = kScalarToAvx512};
  template <class Job>
  static ResultIn sort(const Job& job) {
    recorded = job.isa;
    return ResultIn::data;
  }
};
const bool kRegistered = [] {
  register_variant(detail::describe<Recorder>("tests/isa/recorder", "cpp",
                                              TypeList<std::uint32_t>{}, KeysOnly{}));
  return true;
}();

/// SORTLAB_ISA as `name` says, for a while.
class Forced {
 public:
  explicit Forced(std::string_view name) {
    if (const char* const before = std::getenv("SORTLAB_ISA")) before_ = before;
    setenv("SORTLAB_ISA", std::string(name).c_str(), 1);
  }
  ~Forced() {
    if (before_) {
      setenv("SORTLAB_ISA", before_->c_str(), 1);
    } else {
      unsetenv("SORTLAB_ISA");
    }
  }

 private:
  std::optional<std::string> before_;
};

std::vector<Isa> isas_of_this_cpu() {
  std::vector<Isa> isas;
  for (int i = 0; i <= static_cast<int>(best_isa_of_cpu()); ++i)
    isas.push_back(static_cast<Isa>(i));
  return isas;
}

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

TEST(Variants, SortWithEachOfTheirInstructionSets) {
  std::size_t with_simd = 0;
  for (const auto& variant : all_variants()) {
    if (variant.info.isas.mask == kScalarOnly.mask || variant.id == "tests/isa/recorder") continue;
    if (variant.info.memory != Memory::host || !variant.unavailable().empty()) continue;
    ++with_simd;
    for (const Isa isa : isas_of_this_cpu()) {
      if (!variant.info.isas.has(isa)) continue;
      const Forced forced(name_of(isa));
      for (const auto& instance : variant.instances) {
        Config config;
        config.variant = variant.id;
        config.key_type = instance.key_type;
        config.value_bytes = instance.value_bytes;
        config.order = instance.order;
        for (const char* dist : {"uniform", "dups16", "special"}) {
          config.dist = parse_distribution(dist);
          for (const std::size_t n : {1, 7, 8, 9, 31, 33, 127, 129, 1000, 4097, 70'001}) {
            config.n = n;
            config.threads = n % 2 == 0 ? 1 : 3;
            EXPECT_EQ(check_sort(config, n % 4), "")
                << name_of(isa) << ", " << config.benchmark_name();
          }
        }
      }
    }
  }
  EXPECT_GE(with_simd, 7u)
      << "the parallel rungs of bitonic, merge, quick and radix, the simd rungs "
      << "of the first three";
}

}  // namespace
}  // namespace sortlab
