// Every variant on every kind of input: what the suite promises of a sort, checked without clocks.
//
// What is covered, for each variant and key type:
//   the matrix    keys and pairs x both orders x every distribution (`special` included) x every
//                 adversarial size up to 1100, and every third one from there up to 8193. Which
//                 third it is takes turns from one distribution to the next; so do, from one size
//                 to the next, the thread counts 1, 2, 5 of a parallel variant, its
//                 parameters (as they are, and smallest) and the misalignments 0, 1, 3, 8.
//   large inputs  a few sizes beyond every internal threshold, for five distributions.
//   small inputs  every way in which up to 8 keys can compare, ties included, and every sequence of
//                 zeros and ones up to 10 keys (by the 0-1 principle enough for a network).
//   determinism   two runs of a stable sort leave the same bytes.
// Sizes over a variant's limit for a distribution are left out. SORTLAB_REDUCED_MATRIX=1, for the
// sanitizers, ends the matrix at 1100 and thins it out from 130, and goes up to 6 small keys.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <ostream>
#include <string>
#include <vector>

#include "common/harness/plan/plan.hpp"
#include "common/harness/rig/host_rig.hpp"
#include "common/harness/verify/check.hpp"

namespace sortlab {
namespace {

const bool kReduced = std::getenv("SORTLAB_REDUCED_MATRIX") != nullptr;

std::vector<const Variant*> host_variants() {
  std::vector<const Variant*> found;
  for (const auto& variant : all_variants()) {
    if (variant.info.memory == Memory::host) found.push_back(&variant);
  }
  return found;
}

/// Goes through a list again and again.
template <class T>
class Rotation {
 public:
  explicit Rotation(std::vector<T> turns) : turns_(std::move(turns)) {}
  T next() { return turns_[place_++ % turns_.size()]; }

 private:
  std::vector<T> turns_;
  std::size_t place_ = 0;
};

Rotation<int> thread_counts(const Variant& variant) {
  return Rotation<int>(variant.info.parallel ? std::vector<int>{1, 2, 5} : std::vector<int>{1});
}

/// A variant's parameters as they are, and all at their smallest, so that small inputs get past the
/// thresholds that they set.
Rotation<std::string> parameters(const Variant& variant) {
  std::string smallest;
  for (const auto& spec : variant.info.params) {
    if (!smallest.empty()) smallest += ';';
    smallest += std::string(spec.name) + "=" + std::to_string(spec.min);
  }
  if (smallest.empty()) return Rotation<std::string>({""});
  return Rotation<std::string>({"", smallest});
}

struct Subject {
  const Variant* variant;
  KeyType key_type;
};

// For GoogleTest's messages; it would print bytes.
void PrintTo(const Subject& subject, std::ostream* out) {
  *out << subject.variant->id << ' ' << name_of(subject.key_type);
}

// GoogleTest takes letters, digits and underscores only.
std::string test_name(std::string id) {
  std::replace(id.begin(), id.end(), '/', '_');
  return id;
}
std::string name_of_subject(const testing::TestParamInfo<Subject>& info) {
  return test_name(info.param.variant->id + "/" + std::string(name_of(info.param.key_type)));
}
std::string name_of_variant(const testing::TestParamInfo<const Variant*>& info) {
  return test_name(info.param->id);
}

std::vector<Subject> all_subjects() {
  std::vector<Subject> subjects;
  for (const Variant* variant : host_variants()) {
    for (int type = 0; type < kKeyTypeCount; ++type) {
      subjects.push_back({variant, static_cast<KeyType>(type)});
    }
  }
  return subjects;
}

std::vector<Subject> stable_subjects() {
  std::vector<Subject> subjects = all_subjects();
  std::erase_if(subjects, [](const Subject& s) { return !s.variant->info.stable; });
  return subjects;
}

class Matrix : public testing::TestWithParam<Subject> {
 protected:
  void SetUp() override {
    if (const auto reason = variant().unavailable(); !reason.empty()) GTEST_SKIP() << reason;
  }

  const Variant& variant() const { return *GetParam().variant; }

  Config config(std::size_t value_bytes, Order order) const {
    Config config;
    config.variant = variant().id;
    config.key_type = GetParam().key_type;
    config.value_bytes = value_bytes;
    config.order = order;
    return config;
  }

  /// Calls f(config) for keys and pairs and both orders, where the variant has code for them.
  template <class F>
  void for_each_instance(F f) const {
    for (const std::size_t value_bytes : {std::size_t{0}, sizeof(std::uint32_t)}) {
      for (const Order order : {Order::ascending, Order::descending}) {
        if (variant().instance(GetParam().key_type, value_bytes, order) == nullptr) continue;
        f(config(value_bytes, order));
      }
    }
  }

  void check(const Config& config, std::size_t misalign = 0) const {
    if (config.n > variant().limit(config.dist.name).max_n) return;
    EXPECT_EQ(check_sort(config, misalign), "")
        << config.benchmark_name() << ", misaligned by " << misalign;
  }
};

TEST_P(Matrix, SortsEveryDistributionAtAdversarialSizes) {
  constexpr std::size_t kDense = 1100;
  const std::vector<std::size_t> sizes = adversarial_sizes(kReduced ? kDense : 8193);
  auto threads = thread_counts(variant());
  auto params = parameters(variant());
  Rotation<std::size_t> misaligned({0, 1, 3, 8});
  std::size_t turn = 0;
  for_each_instance([&](Config config) {
    for (const auto& distribution : all_distributions()) {
      config.dist = parse_distribution(distribution.name);
      ++turn;
      for (std::size_t i = 0; i < sizes.size(); ++i) {
        const bool sparse = sizes[i] > (kReduced ? 130 : kDense);
        if (sparse && (i + turn) % 3 != 0) continue;
        config.n = sizes[i];
        config.threads = threads.next();
        config.params = params.next();
        check(config, misaligned.next());
        if (HasFailure()) return;  // the first line tells enough
      }
    }
  });
}

TEST_P(Matrix, SortsLargeInputs) {
  auto threads = thread_counts(variant());
  auto params = parameters(variant());
  const std::vector<std::size_t> sizes =
      kReduced ? std::vector<std::size_t>{20'011} : std::vector<std::size_t>{65'537, 200'003};
  for_each_instance([&](Config config) {
    for (const char* distribution : {"uniform", "zipf", "organpipe", "equal", "special"}) {
      config.dist = parse_distribution(distribution);
      for (const std::size_t n : sizes) {
        config.n = n;
        config.threads = threads.next();
        config.params = params.next();
        check(config, 1);
      }
    }
  });
}

using StableMatrix = Matrix;

TEST_P(StableMatrix, AnswersTheSameTwice) {
  for_each_instance([&](Config config) {
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
    // In order, a permutation and stable: that leaves one place for each value.
    EXPECT_TRUE(first.verdict(input).ok()) << config.benchmark_name();
    EXPECT_TRUE(second.verdict(input).ok()) << config.benchmark_name();
  });
}

INSTANTIATE_TEST_SUITE_P(All, Matrix, testing::ValuesIn(all_subjects()), name_of_subject);
INSTANTIATE_TEST_SUITE_P(All, StableMatrix, testing::ValuesIn(stable_subjects()), name_of_subject);

/// One u32 sort of a fixed size, of pairs if the variant has them, for many small inputs in a row.
class SmallSort {
 public:
  SmallSort(const Variant& variant, std::size_t n, int threads)
      : config_(config(variant, n, threads)), input_(make_input(config_, 0)), sort_(config_) {}

  /// "" or what is wrong with the result for these keys.
  std::string fault(const std::vector<std::uint32_t>& keys) {
    if (!keys.empty()) std::memcpy(input_.keys.data(), keys.data(), input_.keys.size());
    input_.fingerprint =
        fingerprint(KeyType::u32, input_.keys.data(),
                    config_.has_pairs() ? input_.values.data() : nullptr, config_.n);
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

/// Calls f for all sequences of n digits below `base`.
template <class F>
void for_each_sequence(std::size_t n, std::uint32_t base, F f) {
  std::vector<std::uint32_t> digits(n, 0);
  while (true) {
    f(digits);
    std::size_t place = 0;
    while (place < n && digits[place] + 1 == base) digits[place++] = 0;
    if (place == n) return;
    ++digits[place];
  }
}

/// Whether the values are 0 .. k for some k, each at least once: one sequence of these for each way
/// in which n keys can compare.
bool leaves_no_gap(const std::vector<std::uint32_t>& values) {
  std::uint32_t present = 0;
  for (const auto value : values) present |= 1u << value;
  return (present & (present + 1)) == 0;
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

  /// All sequences over `base` values that `wanted` takes.
  template <class Wanted>
  void check_all(std::size_t n, std::uint32_t base, int threads, Wanted wanted) {
    SmallSort sort(*GetParam(), n, threads);
    for_each_sequence(n, base, [&](const auto& keys) {
      if (HasFailure() || !wanted(keys)) return;
      EXPECT_EQ(sort.fault(keys), "") << GetParam()->id << " with " << threads << " threads";
    });
    EXPECT_EQ(sort.overrun(), "") << GetParam()->id << " at " << n;
  }
};

TEST_P(SmallInputs, EveryWayToCompare) {
  const std::size_t most = kReduced ? 6 : 8;
  for (std::size_t n = 0; n <= most; ++n) {
    check_all(n, static_cast<std::uint32_t>(std::max<std::size_t>(n, 1)), 1, leaves_no_gap);
  }
  if (!GetParam()->info.parallel) return;
  for (std::size_t n = 0; n <= 5; ++n) {
    check_all(n, static_cast<std::uint32_t>(std::max<std::size_t>(n, 1)), 2, leaves_no_gap);
  }
}

TEST_P(SmallInputs, EverySequenceOfZerosAndOnes) {
  for (std::size_t n = 0; n <= 10; ++n) {
    check_all(n, 2, 1, [](const auto&) { return true; });
  }
}

INSTANTIATE_TEST_SUITE_P(All, SmallInputs, testing::ValuesIn(host_variants()), name_of_variant);

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
