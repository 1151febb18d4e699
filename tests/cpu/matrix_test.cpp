// Every variant on every kind of input: the suite's promises about sorts, checked without clocks.
//
// What is covered, for each variant and key type:
//   the matrix    keys and pairs x both orders x every distribution (`special` included) x every
//                 adversarial size up to 1100, and every third one from there up to 8193. By turns:
//                 which third it is, the thread counts 1, 2, 5 of a parallel variant, its
//                 parameters (as they are, and smallest) and the misalignments 0, 1, 3, 8. Each
//                 instance meets all of their combinations at each size.
//   large inputs  a few sizes beyond every internal threshold, for five distributions.
//   small inputs  every way in which up to 8 keys can compare, ties included, and every sequence of
//                 zeros and ones up to 10 keys (by the 0-1 principle enough for a network).
//   determinism   two runs of a stable sort leave the same bytes.
//   instruction sets   each one that the variant has code for and this CPU can run.
// Sizes over a variant's limit for a distribution are left out.
//
// SORTLAB_MATRIX=full tests all of this. The normal matrix is smaller in two ways:
//   - The twelve pairs of a key type and an order share their code: a vectorized kernel exists once for
//     each width and for integers and floats, and the others map their keys to it. Ascending i32,
//     i64, f32 and f64 meet all sizes of a distribution, each other pair a fifth of them, by turns.
//   - A library's sort was tested by its authors. Only our adapter is new, so it gets a few sizes
//     and distributions.
// The reduced matrix, for the sanitizers, also ends at 1100, is thinner from 130, and goes up to 6
// small keys.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/harness/plan/plan.hpp"
#include "common/harness/rig/host_rig.hpp"
#include "common/harness/verify/check.hpp"
#include "tests/effort.hpp"
#include "tests/forced_isa.hpp"
#include "tests/subjects.hpp"

namespace sortlab {
namespace {

constexpr std::size_t kDense = 1100;
const bool kReduced = kEffort == Effort::reduced;

std::vector<const Variant*> host_variants() { return variants_in(Memory::host); }

bool is_library(const Variant& variant) {
  return variant.id.starts_with("cpu/baselines/") || variant.id.starts_with("cpu/std_sort/");
}

/// Whether the other pairs of a key type and an order share this one's code.
bool stands_for_others(const Config& config) {
  return config.order == Order::ascending && config.key_type != KeyType::u32 &&
         config.key_type != KeyType::u64;
}

std::vector<std::size_t> matrix_sizes(const Variant& variant) {
  if (kEffort != Effort::full && is_library(variant)) {
    return {0, 1, 2, 3, 7, 8, 17, 64, 129, 1000, 1025, 4097};
  }
  return adversarial_sizes(kReduced ? kDense : 8193);
}

std::vector<Distribution> matrix_distributions(const Variant& variant) {
  std::vector<Distribution> distributions;
  if (kEffort != Effort::full && is_library(variant)) {
    for (const char* name : {"uniform", "reverse", "organpipe", "equal", "dups16", "special"}) {
      distributions.push_back(parse_distribution(name));
    }
  } else {
    for (const auto& info : patterns()) {
      distributions.push_back(parse_distribution(info.name));
    }
  }
  return distributions;
}

/// The settings that take turns: place k of these lists gives every combination in turn.
class Turns {
 public:
  explicit Turns(const Variant& variant) : parallel_(variant.info.parallel) {
    for (const auto& spec : variant.info.params) {
      if (!smallest_.empty()) smallest_ += ';';
      smallest_ += std::string(spec.name) + "=" + std::to_string(spec.min);
    }
  }

  int threads(std::size_t k) const { return parallel_ ? std::array{1, 2, 5}[k % 3] : 1; }
  /// The defaults, or all at their smallest, so that small inputs exceed the thresholds that they
  /// set.
  std::string params(std::size_t k) const { return k / 3 % 2 == 0 ? "" : smallest_; }
  std::size_t misalign(std::size_t k) const {
    return std::array<std::size_t, 4>{0, 1, 3, 8}[k / 6 % 4];
  }

 private:
  bool parallel_;
  std::string smallest_;
};

std::vector<Subject> stable_subjects() {
  std::vector<Subject> subjects = subjects_in(Memory::host);
  std::erase_if(subjects, [](const Subject& s) { return !s.variant->info.stable; });
  return subjects;
}

/// Inputs for the configurations of one subject, size and distribution: one of keys, one of pairs.
class SharedInputs {
 public:
  const Input& of(const Config& config) {
    std::optional<Input>& input = config.has_pairs() ? pairs_ : keys_;
    if (!input) input = make_input(config, config.seed);
    return *input;
  }

 private:
  std::optional<Input> keys_, pairs_;
};

class Matrix : public testing::TestWithParam<Subject> {
 protected:
  void SetUp() override {
    if (const auto reason = variant().unavailable(); !reason.empty()) GTEST_SKIP() << reason;
  }

  const Variant& variant() const { return *GetParam().variant; }

  /// Whether all results are right.
  static bool check(const Config& config, const Input& input, std::size_t misalign) {
    const std::string fault = check_sort(config, input, misalign);
    EXPECT_EQ(fault, "") << config.benchmark_name() << ", misaligned by " << misalign;
    return fault.empty();
  }
};

TEST_P(Matrix, SortsEveryDistributionAtAdversarialSizes) {
  const KeepMappings keeper;
  const std::vector<std::size_t> sizes = matrix_sizes(variant());
  const std::vector<Distribution> distributions = matrix_distributions(variant());
  std::vector<Config> instances = instances_of(GetParam());
  const Turns turns(variant());
  const std::size_t first_turn = static_cast<std::size_t>(GetParam().key_type);
  for (std::size_t s = 0; s < sizes.size(); ++s) {
    const bool sparse = !is_library(variant()) && sizes[s] > (kReduced ? 130 : kDense);
    for (std::size_t d = 0; d < distributions.size(); ++d) {
      if (sizes[s] > variant().limit(distributions[d].name).max_n) continue;
      SharedInputs inputs;
      for (std::size_t i = 0; i < instances.size(); ++i) {
        Config& config = instances[i];
        const bool thin = kEffort != Effort::full && !stands_for_others(config);
        const std::size_t turn = first_turn + s + d + i;
        if (sparse && turn % 3 != 0) continue;
        if (thin && !is_library(variant()) && turn % 5 != 0) continue;
        config.n = sizes[s];
        config.dist = distributions[d];
        // Five steps per distribution share no divisor with the number of combinations.
        const std::size_t k = (s * distributions.size() + d) * 5 + i;
        config.threads = turns.threads(k);
        config.params = turns.params(k);
        // One line is enough.
        if (!check(config, inputs.of(config), turns.misalign(k))) return;
      }
    }
  }
}

TEST_P(Matrix, SortsLargeInputs) {
  const KeepMappings keeper;
  const std::vector<std::size_t> sizes =
      kReduced ? std::vector<std::size_t>{20'011} : std::vector<std::size_t>{65'537, 200'003};
  std::vector<Config> instances = instances_of(GetParam());
  const Turns turns(variant());
  std::size_t k = 0;
  for (const std::size_t n : sizes) {
    for (const char* distribution : {"uniform", "zipf", "organpipe", "equal", "special"}) {
      if (n > variant().limit(distribution).max_n) continue;
      SharedInputs inputs;
      for (Config& config : instances) {
        ++k;
        const bool thin = kEffort != Effort::full && !stands_for_others(config);
        if (thin && (k + static_cast<std::size_t>(config.key_type)) % 5 != 0) continue;
        config.n = n;
        config.dist = parse_distribution(distribution);
        config.threads = turns.threads(k);
        config.params = turns.params(k);
        check(config, inputs.of(config), 1);
      }
      ++k;
    }
  }
}

using StableMatrix = Matrix;

TEST_P(StableMatrix, AnswersTheSameTwice) {
  for (Config& config : instances_of(GetParam())) {
    config.n = 30'011;
    config.dist = parse_distribution("dups16");
    config.threads = variant().info.parallel ? 5 : 1;
    const Input input = make_input(config, config.seed);
    HostRig first(config), second(config);
    for (HostRig* const sort : {&first, &second}) {
      sort->poison();
      sort->restore(input);
      Sample untimed;
      sort->sort(untimed);
    }
    const auto same = [](auto a, auto b) { return std::equal(a.begin(), a.end(), b.begin()); };
    EXPECT_TRUE(same(first.result_keys(), second.result_keys())) << config.benchmark_name();
    // If the result is in order, a permutation and stable, each value has exactly one place.
    EXPECT_TRUE(first.verdict(input).ok()) << config.benchmark_name();
    EXPECT_TRUE(second.verdict(input).ok()) << config.benchmark_name();
  }
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(StableMatrix);
INSTANTIATE_TEST_SUITE_P(All, Matrix, testing::ValuesIn(subjects_in(Memory::host)),
                         name_of_subject);
INSTANTIATE_TEST_SUITE_P(All, StableMatrix, testing::ValuesIn(stable_subjects()), name_of_subject);

/// One u32 sort of a fixed size, of pairs if the variant has them, for many small inputs in a row.
class SmallSort {
 public:
  SmallSort(const Variant& variant, std::size_t n, int threads)
      : config_(config(variant, n, threads)), input_(make_input(config_, 0)), sort_(config_) {}

  /// "" or the fault of the result for these keys.
  std::string fault(const std::vector<std::uint32_t>& keys) {
    if (!keys.empty()) std::memcpy(input_.keys.data(), keys.data(), input_.keys.size());
    input_.fingerprint = fingerprint(KeyType::u32, input_.keys.data(),
                                     {input_.values.data(), config_.value_bytes}, config_.n);
    sort_.restore(input_);
    Sample untimed;
    sort_.sort(untimed);
    return sort_.verdict(input_).ok() ? "" : testing::PrintToString(keys);
  }
  std::string overrun() { return sort_.overrun(); }

 private:
  static Config config(const Variant& variant, std::size_t n, int threads) {
    Config config;
    config.variant = variant.id;
    config.n = n;
    config.value_bytes =
        variant.instance(KeyType::u32, sizeof(std::uint32_t), Order::ascending) != nullptr ? 4 : 0;
    config.dist = parse_distribution("equal");
    config.threads = threads;
    return config;
  }

  Config config_;
  Input input_;
  HostRig sort_;
};

/// Calls f for all sequences of n digits below `base`, until it returns false.
template <class F>
void for_each_sequence(std::size_t n, std::uint32_t base, const F& f) {
  std::vector<std::uint32_t> digits(n, 0);
  while (f(digits)) {
    std::size_t place = 0;
    while (place < n && digits[place] + 1 == base) digits[place++] = 0;
    if (place == n) return;
    ++digits[place];
  }
}

/// Calls f for each way in which n keys can compare, until it returns false: for all sequences of
/// the ranks 0 .. k, each there at least once. The next key of a prefix either equals one of its
/// ranks or comes between two of them, and those above move up.
template <class F>
bool for_each_weak_order(const std::vector<std::uint32_t>& prefix, std::uint32_t ranks,
                         std::size_t n, const F& f) {
  if (prefix.size() == n) return f(prefix);
  std::vector<std::uint32_t> keys = prefix;
  keys.push_back(0);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    keys.back() = rank;
    if (!for_each_weak_order(keys, ranks, n, f)) return false;
  }
  for (std::uint32_t rank = 0; rank <= ranks; ++rank) {
    std::transform(prefix.begin(), prefix.end(), keys.begin(),
                   [=](std::uint32_t other) { return other + (other >= rank); });
    keys.back() = rank;
    if (!for_each_weak_order(keys, ranks + 1, n, f)) return false;
  }
  return true;
}

class SmallInputs : public testing::TestWithParam<const Variant*> {
 protected:
  void SetUp() override {
    if (const auto reason = GetParam()->unavailable(); !reason.empty()) GTEST_SKIP() << reason;
    if (GetParam()->instance(KeyType::u32, 0, Order::ascending) == nullptr &&
        GetParam()->instance(KeyType::u32, sizeof(std::uint32_t), Order::ascending) == nullptr) {
      GTEST_SKIP() << "has no code for u32";
    }
  }

  /// Sorts all sequences of n keys with which for_each(check) calls its argument.
  template <class ForEach>
  void check_all(std::size_t n, int threads, const ForEach& for_each) {
    SmallSort sort(*GetParam(), n, threads);
    std::string fault;
    for_each([&](const std::vector<std::uint32_t>& keys) {
      fault = sort.fault(keys);
      return fault.empty();
    });
    EXPECT_EQ(fault, "") << GetParam()->id << " with " << threads << " threads";
    EXPECT_EQ(sort.overrun(), "") << GetParam()->id << " at " << n;
  }

  void check_weak_orders(std::size_t most, int threads) {
    for (std::size_t n = 0; n <= most; ++n) {
      check_all(n, threads, [&](const auto& check) { for_each_weak_order({}, 0, n, check); });
    }
  }
};

TEST(WeakOrders, AreAsManyAsTheFubiniNumbers) {
  constexpr std::size_t kFubini[] = {1, 1, 3, 13, 75, 541, 4683};
  for (std::size_t n = 0; n < std::size(kFubini); ++n) {
    std::set<std::vector<std::uint32_t>> found;
    for_each_weak_order({}, 0, n, [&](const auto& keys) {
      const std::set<std::uint32_t> ranks(keys.begin(), keys.end());
      EXPECT_TRUE(ranks.empty() || *ranks.rbegin() + 1 == ranks.size()) << "there is a gap";
      return found.insert(keys).second;
    });
    EXPECT_EQ(found.size(), kFubini[n]) << n;
  }
}

TEST_P(SmallInputs, EveryWayToCompare) {
  check_weak_orders(kReduced ? 6 : 8, 1);
  if (GetParam()->info.parallel) check_weak_orders(5, 2);
}

TEST_P(SmallInputs, EverySequenceOfZerosAndOnes) {
  for (std::size_t n = 0; n <= 10; ++n) {
    check_all(n, 1, [&](const auto& check) { for_each_sequence(n, 2, check); });
  }
}

INSTANTIATE_TEST_SUITE_P(All, SmallInputs, testing::ValuesIn(host_variants()), name_of_variant);

/// The variants with code for more than one instruction set.
std::vector<const Variant*> simd_variants() {
  std::vector<const Variant*> found = host_variants();
  std::erase_if(found, [](const Variant* v) { return v->info.isas.mask == kScalarOnly.mask; });
  return found;
}

class EachInstructionSet : public testing::TestWithParam<const Variant*> {};

TEST_P(EachInstructionSet, Sorts) {
  const Variant& variant = *GetParam();
  if (const auto reason = variant.unavailable(); !reason.empty()) GTEST_SKIP() << reason;
  const KeepMappings keeper;
  for (const Isa isa : isas_of_this_cpu()) {
    if (!variant.info.isas.has(isa)) continue;
    const Forced forced(name_of(isa));
    for (const KeyType type : kKeyTypes) {
      for (Config& config : instances_of({&variant, type})) {
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
}

TEST(InstructionSets, AreThoseOfTheFastRungs) {
  // The parallel rungs of bitonic, merge, quick and radix, and the simd rungs of the first three.
  EXPECT_GE(simd_variants().size(), 7u);
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(EachInstructionSet);
INSTANTIATE_TEST_SUITE_P(All, EachInstructionSet, testing::ValuesIn(simd_variants()),
                         name_of_variant);

TEST(Registry, LimitsAreWideEnough) {
  for (const Variant* variant : host_variants()) {
    EXPECT_GE(variant->limit("uniform").max_n, std::size_t{1} << 20) << variant->id;
    for (const auto& distribution : all_distributions()) {
      const Limit limit = variant->limit(distribution.name);
      if (limit.max_n == Limit{}.max_n) continue;
      EXPECT_FALSE(limit.reason.empty()) << variant->id << " on " << distribution.name;
    }
  }
}

}  // namespace
}  // namespace sortlab
