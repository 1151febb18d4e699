// Sorts of records, in one memory and over parts that are threads: inputs that are hard for prefixes, odd shapes and
// shares, and faults that the verifier must find.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "common/contract/records.hpp"
#include "common/harness/input/records.hpp"
#include "common/harness/ranks/part_measure.hpp"
#include "common/harness/ranks/part_of_task.hpp"
#include "common/harness/ranks/part_rig.hpp"
#include "common/harness/rig/host_rig.hpp"
#include "common/harness/verify/check.hpp"
#include "tests/thread_parts.hpp"

namespace sortlab {
namespace {

constexpr RecordShape kShapes[] = {{100, 10}, {16, 1}, {16, 16}, {17, 8}, {40, 31}};

Config config_of(const std::string& id, RecordShape shape, std::size_t n,
                 const std::string& dist = "uniform", int threads = 1) {
  Config config;
  config.variant = id;
  config.key_type = KeyType::record;
  config.record = shape;
  config.n = n;
  config.dist = parse_distribution(dist);
  config.threads = threads;
  return config;
}

/// Writes the key of record i, which is all zeros.
using WriteKey = std::function<void(std::byte* key, std::size_t key_bytes, std::size_t i)>;

/// Keys that only what comes behind their prefix tells apart, and keys that nothing does.
const std::pair<const char*, WriteKey> kHard[] = {
    {"all equal", [](std::byte*, std::size_t, std::size_t) {}},
    {"the last byte differs",
     [](std::byte* key, std::size_t bytes, std::size_t i) { key[bytes - 1] = std::byte(i * 7); }},
    {"some long ties",
     [](std::byte* key, std::size_t bytes, std::size_t i) {
       key[0] = std::byte(i % 3);
       key[bytes - 1] = std::byte(i * 31);
       key[bytes / 2] = std::byte(i % 5);
     }},
    {"a tie ends with the word that the next one begins with",
     [](std::byte* key, std::size_t bytes, std::size_t i) {
       key[0] = std::byte(i % 3);
       key[bytes / 2] = std::byte(i % 3 * 7 + i / 3 % 8);
       key[bytes - 1] = std::byte(i * 31);
     }},
    {"descending, high bytes", [](std::byte* key, std::size_t bytes, std::size_t i) {
       key[bytes - 1] = std::byte(255 - i % 256);
     }}};

/// Numbered records with these keys.
std::vector<std::byte> records_with(const WriteKey& write_key, RecordShape shape, std::size_t first,
                                    std::size_t count) {
  std::vector<std::byte> records(count * shape.bytes);
  for (std::size_t i = 0; i < count; ++i) {
    std::byte* const record = records.data() + i * shape.bytes;
    write_key(record, shape.key_bytes, first + i);
    const std::uint64_t number = __builtin_bswap64(first + i);
    std::memcpy(record + shape.key_bytes, &number,
                std::min(sizeof number, shape.bytes - shape.key_bytes));
  }
  return records;
}

Input input_of(const std::vector<std::byte>& records, RecordShape shape) {
  Input input;
  input.keys = GuardedBuffer(records.size());
  if (!records.empty()) std::memcpy(input.keys.data(), records.data(), records.size());
  input.fingerprint = fingerprint({records.data(), shape}, records.size() / shape.bytes);
  return input;
}

TEST(Records, AnyShapeAndDistribution) {
  for (const RecordShape shape : kShapes) {
    for (const std::size_t n : {0, 1, 2, 3, 1000}) {
      EXPECT_EQ(check_sort(config_of("cpu/records/prefix", shape, n)), "") << name_of(shape) << n;
    }
    for (const auto& dist : patterns()) {
      const Config config = config_of("cpu/records/prefix", shape, 3001, std::string(dist.name), 2);
      EXPECT_EQ(check_sort(config), "") << config.benchmark_name();
    }
  }
}

TEST(Records, KeysThatShareTheirPrefix) {
  for (const RecordShape shape : kShapes) {
    for (const auto& [name, write_key] : kHard) {
      for (const int threads : {1, 3}) {
        for (const std::size_t n : {2, 1024, 1025, 20'000}) {
          const Config config = config_of("cpu/records/prefix", shape, n, "uniform", threads);
          EXPECT_EQ(check_sort(config, input_of(records_with(write_key, shape, 0, n), shape), 0),
                    "")
              << name << ", " << config.benchmark_name();
        }
      }
    }
  }
}

TEST(RecordsOverParts, AnyShareAndDistribution) {
  const auto expect_sorts = [](const Config& config, int parts) {
    on_parts(parts, [&](Communicator& part) {
      const Outcome outcome = check_parts(Task(config), part);
      EXPECT_EQ(outcome.reason, "") << config.benchmark_name() << " on " << parts;
    });
  };
  for (const int parts : {1, 2, 3, 5}) {
    for (const std::size_t n : {0, 1, 2, 3, 5, 257, 5003}) {
      expect_sorts(config_of("cpu/records/ranks", {100, 10}, n), parts);
    }
  }
  for (const auto& dist : patterns()) {
    expect_sorts(config_of("cpu/records/ranks", {24, 9}, 3001, std::string(dist.name), 2), 3);
  }
}

/// What the parts of a sort hold after it: each part's records, and the verdict on all.
struct Sorted {
  std::vector<std::vector<std::byte>> records;
  Verdict verdict;
  double imbalance = 1;
};

Sorted sorted_over_parts(const WriteKey& write_key, RecordShape shape, std::size_t n, int parts) {
  const Task task(config_of("cpu/records/ranks", shape, n));
  Sorted result;
  result.records.resize(static_cast<std::size_t>(parts));
  on_parts(parts, [&](Communicator& part) {
    const PartRequest request{n, parts, part.part(), shape.bytes, 0, 1, task.params};
    const PartNeeds needs = task.variant.needs<RankParts>(request);
    std::vector<std::byte> own =
        records_with(write_key, shape, request.begin(part.part()), request.n());
    const Fingerprint before = fingerprint({own.data(), shape}, request.n());
    own.resize(needs.capacity * shape.bytes);
    std::vector<std::byte> other(own.size());
    const GuardedBuffer workspace(needs.workspace_bytes);
    ErasedPartJob job{};
    job.keys = own.data();
    job.alternate_keys = other.data();
    job.n = request.n();
    job.capacity = needs.capacity;
    job.all_n = n;
    job.workspace = workspace.span();
    job.threads = 1;
    job.isa = best_of(task.variant.info.isas, usable_isa());
    job.params = &task.params;
    job.parts = &part;
    job.record = shape;
    PartResult end{};
    job.result = &end;
    task.instance.sort(job);
    auto& held = end.in == ResultIn::data ? own : other;
    held.resize(end.n * shape.bytes);
    const Verdict verdict = judged(part, look({held.data(), shape}, end.n, true), before);
    const auto sizes = gathered(part, end.n);
    if (part.part() == 0) {
      result.verdict = verdict;
      result.imbalance = imbalance_of(sizes).value_or(1);
    }
    result.records[static_cast<std::size_t>(part.part())] = held;
  });
  return result;
}

TEST(RecordsOverParts, KeysThatShareTheirPrefix) {
  for (const RecordShape shape : kShapes) {
    for (const auto& [name, write_key] : kHard) {
      for (const std::size_t n : {0, 1, 3, 5000}) {
        const auto [records, verdict, imbalance] = sorted_over_parts(write_key, shape, n, 3);
        EXPECT_EQ(verdict.fault(), "") << name << ", " << name_of(shape) << ", " << n;
        if (n == 5000) {
          EXPECT_LE(imbalance, 1.15) << name << ", " << name_of(shape);
        }
      }
    }
  }
}

constexpr RecordShape kShape{24, 10};

/// Ten records in two parts, in order, with keys 0 0 1 1 2 | 2 3 3 4 4.
std::vector<std::vector<std::byte>> in_order() {
  const WriteKey key = [](std::byte* key, std::size_t bytes, std::size_t i) {
    key[bytes - 1] = std::byte(i / 2);
  };
  return {records_with(key, kShape, 0, 5), records_with(key, kShape, 5, 5)};
}

/// The verdict on ten records, of which `change` made something else.
Verdict verdict_after(const std::function<void(std::vector<std::vector<std::byte>>&)>& change) {
  const auto before = in_order();
  auto after = before;
  change(after);
  Verdict verdict;
  on_parts(2, [&](Communicator& part) {
    const auto p = static_cast<std::size_t>(part.part());
    const Verdict all =
        judged(part, look({after[p].data(), kShape}, after[p].size() / kShape.bytes, true),
               fingerprint({before[p].data(), kShape}, 5));
    if (p == 0) verdict = all;
  });
  return verdict;
}

void swap_records(std::byte* a, std::byte* b) { std::swap_ranges(a, a + kShape.bytes, b); }

TEST(VerdictOfRecords, TakesWhatIsRight) {
  EXPECT_EQ(verdict_after([](auto&) {}).fault(), "");
}

TEST(VerdictOfRecords, FindsWhatIsNotInOrder) {
  constexpr std::size_t kBytes = kShape.bytes;
  EXPECT_FALSE(verdict_after([](auto& parts) {
                 swap_records(parts[0].data() + kBytes, parts[0].data() + 2 * kBytes);
               }).sorted);
  EXPECT_FALSE(verdict_after([](auto& parts) { std::swap(parts[0], parts[1]); }).sorted)
      << "over a border";
}

TEST(VerdictOfRecords, FindsLostAndChangedRecords) {
  EXPECT_FALSE(verdict_after([](auto& parts) { parts[1].resize(4 * kShape.bytes); }).permutation);
  EXPECT_FALSE(verdict_after([](auto& parts) { parts[1].back() ^= std::byte{1}; }).permutation)
      << "one bit of a payload";
  EXPECT_FALSE(verdict_after([](auto& parts) {
                 std::memcpy(parts[0].data(), parts[0].data() + kShape.bytes, kShape.bytes);
               }).permutation)
      << "one record twice, another never";
}

TEST(VerdictOfRecords, FindsEqualKeysThatChangedPlaces) {
  EXPECT_EQ(verdict_after([](auto& parts) {
              swap_records(parts[0].data(), parts[0].data() + kShape.bytes);
            }).stable,
            false);
  EXPECT_EQ(verdict_after([](auto& parts) {
              swap_records(parts[0].data() + 4 * kShape.bytes, parts[1].data());
            }).stable,
            false)
      << "over a border";
}

TEST(InputsOfRecords, SlicesAreWhatTheWholeHolds) {
  for (const RecordShape shape : kShapes) {
    std::vector<std::byte> all(1000 * shape.bytes), part(500 * shape.bytes);
    const Distribution dist = parse_distribution("zipf");
    generate_records(all, shape, whole(1000), dist, 7);
    generate_records(part, shape, {300, 500, 1000}, dist, 7);
    EXPECT_EQ(std::memcmp(part.data(), all.data() + 300 * shape.bytes, part.size()), 0);
  }
}

TEST(InputsOfRecords, TakeLittleMemory) {
  EXPECT_EQ(versions_of(config_of("cpu/records/prefix", {4096, 10}, 1000)), 2);
  EXPECT_EQ(versions_of(config_of("cpu/records/prefix", {16, 10}, 1)), 256);
}

TEST(InputsOfRecords, KeysAreInTheOrderOfTheNumbers) {
  for (const RecordShape shape : kShapes) {
    for (const char* const dist : {"uniform", "d20", "dups16"}) {
      constexpr std::size_t kN = 300;
      std::vector<std::byte> records(kN * shape.bytes);
      std::vector<std::uint64_t> numbers(kN);
      generate_records(records, shape, whole(kN), parse_distribution(dist), 7);
      generate(std::span(numbers), parse_distribution(dist), 7);
      const RecordsAt at{records.data(), shape};
      for (std::size_t i = 1; i < kN; ++i) {
        const int order = std::memcmp(at[i - 1], at[i], shape.key_bytes);
        if (shape.key_bytes >= 8) {
          EXPECT_EQ(order < 0, numbers[i - 1] < numbers[i]) << dist << name_of(shape);
          EXPECT_EQ(order == 0, numbers[i - 1] == numbers[i]) << dist << name_of(shape);
        } else {
          EXPECT_TRUE(order == 0 || (order < 0) == (numbers[i - 1] < numbers[i])) << dist;
        }
      }
    }
  }
}

}  // namespace
}  // namespace sortlab
