// The data of the variants that choose: measurements become choices, choices select sorts, and the
// tune file.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "common/choose/gpu_choice.hpp"
#include "common/contract/errors.hpp"
#include "gpu/primitives/launch/per_device.hpp"
#include "tests/temporary_file.hpp"
#include "tool/list/catalogue.hpp"
#include "tool/tune/shortfalls.hpp"
#include "tool/tune/suggested.hpp"

namespace sortlab {
namespace {

const GpuFacts kH200{"NVIDIA H200", 132, 227 << 10, 228 << 10, true};

// Replacements for some of the rungs, because a build may lack others.
struct Sorter {
  static constexpr Info info{.summary = "a stand-in", .memory = Memory::device, .stable = true};
  template <class Job>
  static ResultIn sort(const Job&) {
    return ResultIn::data;
  }
};
struct Unstable : Sorter {
  static constexpr Info info{.summary = "a stand-in", .memory = Memory::device};
};
struct Few : Sorter {
  static constexpr Info info{.summary = "a stand-in", .memory = Memory::device};
  static Limit capacity() { return {1000, "few only"}; }
};
template <class Impl, class Values>
void add(const char* id, Values values, const Candidate& candidate) {
  Variant variant = detail::describe<Impl>(id, "cu", AllKeys{}, values);
  variant.info.candidate = candidate;
  register_variant(std::move(variant));
}
const bool kRegistered = [] {
  add<Sorter>("gpu/radix/onesweep", KeysAndPairs{}, {.rank = 1, .block_kib = 128});
  add<Sorter>("gpu/merge/multiway", KeysAndPairs{}, {.rank = 2, .block_kib = 92});
  add<Unstable>("gpu/bitonic/v4_multi_step", KeysAndPairs{}, {.rank = 3, .block_kib = 68});
  add<Unstable>("gpu/radix/msd_hybrid", KeysOnly{}, {.rank = 4, .block_kib = 189, .sm_kib = 190});
  add<Few>("gpu/radix/small", KeysOnly{}, {.rank = 5, .block_kib = 81});
  return true;
}();

const Steps kSteps = {{0, "a"}, {100, "b"}, {1000, "c"}};

std::string_view chosen(std::size_t n, const std::string& unfit = "", double factor = 1) {
  const Step* const step = choose(
      kSteps, n, [&](const Step& step) { return unfit.find(step.id) == std::string::npos; },
      factor);
  return step == nullptr ? "" : std::string_view(step->id);
}

TEST(Choose, TakesTheLastStepUpToN) {
  EXPECT_EQ(chosen(0), "a");
  EXPECT_EQ(chosen(99), "a");
  EXPECT_EQ(chosen(100), "b");
  EXPECT_EQ(chosen(999), "b");
  EXPECT_EQ(chosen(std::size_t{1} << 40), "c");
}

TEST(Choose, WithoutThatOneTakesTheNearestBeforeElseAfter) {
  EXPECT_EQ(chosen(5000, "c"), "b");
  EXPECT_EQ(chosen(5000, "bc"), "a");
  EXPECT_EQ(chosen(50, "a"), "b");
  EXPECT_EQ(chosen(50, "ab"), "c");
  EXPECT_EQ(chosen(50, "abc"), "");
}

TEST(Choose, IsAtOtherSizesOnALargerDevice) {
  EXPECT_EQ(chosen(129, "", 1.3), "a");
  EXPECT_EQ(chosen(130, "", 1.3), "b");
  EXPECT_EQ(chosen(1299, "", 1.3), "b");
}

TEST(Scaled, MovesEveryStep) {
  const Choices half = scaled({{Widths{}, kSteps}}, 0.5);
  EXPECT_EQ(half.at(Widths{}), (Steps{{0, "a"}, {50, "b"}, {500, "c"}}));
}

/// A row of a summary as an H200 measured it.
SummaryRow row(const std::string& id, std::size_t n, double ns, const std::string& type = "u32",
               bool pairs = false, bool stable = false) {
  Config config;
  config.variant = id;
  config.stable = stable;
  config.threads = 0;
  config.n = n;
  config.value_bytes = pairs ? 4 : 0;
  config.dist = {"uniform", ""};
  SummaryRow summary;
  for (const auto& [column, value] : config.columns()) summary.config[column] = value;
  summary.config["key_type"] = type;
  summary.status = "ok";
  summary.n_kept = 9;
  summary.median_ns = ns;
  return summary;
}

Steps steps_of(const std::vector<SummaryRow>& rows, Widths widths = {}) {
  const Choices all = choices_from(rows, {"a", "b", "c"});
  return all.contains(widths) ? all.at(widths) : Steps{};
}

TEST(ChoicesFrom, SwitchesWhereTheOtherIsFaster) {
  // Half as fast at 1024, twice as fast at 4096: equal in the middle of the log scale.
  EXPECT_EQ(
      steps_of({row("a", 1024, 10), row("b", 1024, 20), row("a", 4096, 40), row("b", 4096, 20)}),
      (Steps{{0, "a"}, {2048, "b"}}));
}

TEST(ChoicesFrom, StaysWhereTheOtherIsFasterByNoise) {
  EXPECT_EQ(
      steps_of({row("a", 1024, 10), row("b", 1024, 20), row("a", 4096, 101), row("b", 4096, 100)}),
      (Steps{{0, "a"}}));
}

TEST(ChoicesFrom, TakesWhatIsThereWhereOthersWereNotMeasured) {
  EXPECT_EQ(steps_of({row("a", 1024, 10), row("b", 4096, 20), row("c", 4096, 30)}),
            (Steps{{0, "a"}, {4096, "b"}}));
  // At 2048 b is known from its neighbours; at 1024 nothing is.
  EXPECT_EQ(steps_of({row("b", 1 << 11, 10), row("b", 1 << 13, 40), row("a", 1 << 12, 15),
                      row("a", 1 << 13, 20)}),
            (Steps{{0, "b"}, {1 << 12, "a"}}));
  // a ends at 1024, and b was the slower one there.
  EXPECT_EQ(steps_of({row("a", 1024, 10), row("b", 1024, 20), row("b", 4096, 80)}),
            (Steps{{0, "a"}, {1025, "b"}}));
  // Sizes a factor of 16 apart say nothing about those between them.
  EXPECT_EQ(steps_of({row("a", 1024, 10), row("a", 1 << 20, 10000), row("b", 1 << 15, 1e9)}),
            (Steps{{0, "a"}, {1 << 15, "b"}, {1 << 20, "a"}}));
}

TEST(ChoicesFrom, KnowsWidthsAndStability) {
  const auto rows = {row("a", 1024, 10, "u64", true), row("b", 1024, 20, "u64", true, true),
                     row("c", 1024, 30, "u64")};
  EXPECT_EQ(steps_of(rows), Steps{});
  EXPECT_EQ(steps_of(rows, {8, 0}), (Steps{{0, "c"}}));
  EXPECT_EQ(steps_of(rows, {8, 4}), (Steps{{0, "a"}}));
  EXPECT_EQ(steps_of(rows, {8, 4, true}), (Steps{{0, "b"}}));
}

TEST(ChoicesFrom, LeavesOutWhatIsAboutAnotherQuestion) {
  EXPECT_EQ(choices_from({row("cub", 1024, 1)}, {"a"}), Choices{});
  for (const auto& [column, value] : std::map<std::string, std::string>{{"dist", "sorted"},
                                                                        {"order", "desc"},
                                                                        {"host_mem", "pinned"},
                                                                        {"launch", "graph"},
                                                                        {"cache", "cold"},
                                                                        {"load", "8"},
                                                                        {"key_type", "f32"}}) {
    SummaryRow other = row("a", 1024, 1);
    other.config[column] = value;
    EXPECT_EQ(steps_of({other}), Steps{}) << column;
  }
  SummaryRow failed = row("a", 1024, 1);
  failed.status = "failed";
  EXPECT_EQ(steps_of({failed, row("b", 1024, 2)}), (Steps{{0, "b"}}));
}

const Choices kChoices = {{{4, 0}, {{0, "gpu/radix/small"}, {5000, "gpu/radix/msd_hybrid"}}},
                          {{4, 4}, {{0, "gpu/bitonic/v4_multi_step"}}}};

std::string rung(Widths widths, std::size_t n, const GpuFacts& gpu = kH200,
                 const Choices& choices = kChoices) {
  return choose_gpu_rung(choices, gpu, widths, n).id;
}

TEST(GpuChoice, GoesByTheTable) {
  EXPECT_EQ(rung({4, 0}, 1000), "gpu/radix/small");
  EXPECT_EQ(rung({4, 0}, 5000), "gpu/radix/msd_hybrid");
  EXPECT_EQ(rung({4, 0, true}, 5000), "gpu/radix/msd_hybrid") << "keys alone need no stability";
  EXPECT_EQ(rung({4, 4}, 5), "gpu/bitonic/v4_multi_step");
}

TEST(GpuChoice, NeverTakesWhatIsNotFit) {
  EXPECT_EQ(rung({4, 0}, 1001), "gpu/radix/msd_hybrid") << "over the limit of small";
  EXPECT_EQ(rung({4, 4, true}, 5), "gpu/radix/onesweep") << "no table: the first of all rungs";
  const auto only = [](const std::string& id) {
    return Choices{{{4, 4, true}, {{0, id}}}, {{8, 0}, {{0, id}}}};
  };
  EXPECT_EQ(rung({4, 4, true}, 5, kH200, only("gpu/bitonic/v4_multi_step")), "gpu/radix/onesweep");
  EXPECT_EQ(rung({8, 0}, 5, kH200, only("gpu/quick/sample")), "gpu/radix/onesweep")
      << "not in this build";
  EXPECT_EQ(rung({8, 0}, 5, kH200, only("gpu/auto/auto")), "gpu/radix/onesweep") << "no rung";

  GpuFacts gpu = kH200;
  gpu.shared_bytes_per_block = 99 << 10;
  gpu.shared_bytes_per_sm = 100 << 10;
  EXPECT_EQ(rung({4, 0}, 5000, gpu), "gpu/merge/multiway") << "no room for hybrid, onesweep";
  gpu.shared_bytes_per_block = 48 << 10;
  EXPECT_THROW(rung({4, 0}, 5000, gpu), BadInput);
}

TEST(GpuChoice, IsTheSameAskedOnceForAllN) {
  for (const Widths widths : {Widths{4, 0}, Widths{4, 0, true}, Widths{8, 4}, Widths{4, 4, true}}) {
    const auto steps = fit_steps(kChoices, kH200, widths);
    ASSERT_EQ(steps.front().from_n, 0u);
    for (const std::size_t n : {0, 999, 1000, 1001, 4999, 5000, 1 << 30}) {
      auto step = steps.rbegin();
      while (step->from_n > n) ++step;
      EXPECT_EQ(step->rung->id, rung(widths, n)) << widths.text() << ", n = " << n;
    }
  }
}

TEST(ChoiceTable, HasTheCodeOfTheRungThatIsChosen) {
  for (const bool stable : {false, true}) {
    const ChoiceTable table([&](KeyType type, std::size_t value_bytes) {
      return fit_steps(kChoices, kH200, {bytes_of(type), value_bytes, stable});
    });
    for (const KeyType type : {KeyType::u32, KeyType::f32, KeyType::i64}) {
      for (const std::size_t value_bytes : {0, 4}) {
        for (const Order order : {Order::ascending, Order::descending}) {
          for (const std::size_t n : {0, 1000, 1001, 4999, 5000, 1 << 30}) {
            const auto& code = table.code(type, value_bytes, order, n);
            EXPECT_EQ(code.rung->variant->id, rung({bytes_of(type), value_bytes, stable}, n)) << n;
            ASSERT_NE(code.instance, nullptr);
            EXPECT_EQ(code.instance->key_type, type);
            EXPECT_EQ(code.instance->value_bytes, value_bytes);
            EXPECT_EQ(code.instance->order, order);
          }
        }
      }
    }
  }
}

TEST(PerDevice, MakesOneForEachDeviceAndThatOnce) {
  gpu::PerDevice<int> numbers;
  int made = 0;
  const auto make = [&] { return new int(++made); };  // as a program's tables: never deleted
  const int& first = numbers.of(3, make);
  const int& second = numbers.of(0, make);
  EXPECT_EQ(&numbers.of(3, make), &first);
  EXPECT_EQ(&numbers.of(0, make), &second);
  EXPECT_EQ(made, 2);
  EXPECT_THROW(numbers.of(1, []() -> int* { throw BadInput("no file"); }), BadInput);
  EXPECT_EQ(numbers.of(1, make), 3) << "asked again after a failure";
  EXPECT_THROW(numbers.of(1000, make), std::out_of_range);
  delete &first;
  delete &second;
  delete &numbers.of(1, make);
}

TEST(Candidates, NeedClustersWhereTheySaySo) {
  GpuFacts gpu = kH200;
  const Candidate by_cluster{.clusters = true};
  EXPECT_TRUE(has_room_for(gpu, by_cluster));
  gpu.clusters = false;
  EXPECT_FALSE(has_room_for(gpu, by_cluster));
  EXPECT_TRUE(has_room_for(gpu, {}));
}

TEST(GpuChoice, OfAnotherSizeScalesWhatIsBuiltIn) {
  const GpuChoices here = gpu_choices(kH200, std::nullopt);
  EXPECT_EQ(here.choices, builtin_gpu_tuning().choices);
  GpuFacts half = kH200;
  half.sms = 66;
  EXPECT_EQ(gpu_choices(half, std::nullopt).choices, scaled(here.choices, 0.5));
  EXPECT_NE(gpu_choices(half, std::nullopt).source.find("66 SMs"), std::string::npos);
}

TEST(GpuChoice, WhatIsBuiltInHasEveryKindAndOnlyCandidates) {
  const auto known = candidate_ids(Memory::device);
  const auto& choices = builtin_gpu_tuning().choices;
  for (const std::size_t key_bytes : {4, 8}) {
    for (const Widths widths :
         {Widths{key_bytes, 0, false}, Widths{key_bytes, 4, false}, Widths{key_bytes, 4, true}}) {
      ASSERT_TRUE(choices.contains(widths)) << widths.text();
      for (const auto& step : choices.at(widths)) {
        EXPECT_NE(std::find(known.begin(), known.end(), step.id), known.end()) << step.id;
      }
    }
  }
}

GpuTuning tuning_of(const std::string& device, int sms) {
  return {device, sms, "13.0", "13.0", "abc", "2026-11-21T19:43:45Z", {"a.csv"}, kChoices};
}

TEST(GpuChoice, AFileForThisGpuIsTakenAndOneForAnotherIsToldOf) {
  const GpuChoices ours = gpu_choices(kH200, tuning_of("NVIDIA H200", 132));
  EXPECT_EQ(ours.warning, "");
  EXPECT_EQ(ours.choices.at({4, 0}), kChoices.at({4, 0}));
  EXPECT_EQ(ours.choices.at({8, 4}), builtin_gpu_tuning().choices.at({8, 4}));
  for (const auto& other : {tuning_of("NVIDIA A100", 132), tuning_of("NVIDIA H200", 60)}) {
    const GpuChoices known = gpu_choices(kH200, other);
    EXPECT_EQ(known.choices, builtin_gpu_tuning().choices);
    EXPECT_NE(known.warning.find(other.device), std::string::npos) << known.warning;
    EXPECT_EQ(known.warning.find('\n'), std::string::npos);
  }
}

SummaryRow ended(SummaryRow row, const char* algorithm, double low_ns, double high_ns) {
  row.config["algorithm"] = algorithm;
  row.interval = {low_ns, high_ns};
  return row;
}

TEST(ChosenPoints, AreHeldToTheFastestThatCouldBeTaken) {
  const std::vector<SummaryRow> rows = {
      ended(row("gpu/auto/stable", 1024, 104, "u32", true, true), "auto", 99, 110),
      ended(row("gpu/radix/onesweep", 1024, 100, "u32", true, true), "radix", 98, 101),
      ended(row("gpu/bitonic/v4_multi_step", 1024, 50, "u32", true), "bitonic", 49, 51),
      ended(row("gpu/baselines/cub_radix", 1024, 10, "u32", true, true), "baselines", 9, 11),
      ended(row("gpu/auto/stable", 2048, 50, "u32", true, true), "auto", 50, 50)};
  const auto points = chosen_points(rows);
  ASSERT_EQ(points.size(), 1u) << "nothing else was measured at 2048";
  EXPECT_EQ(points[0].fastest->config.at("variant"), "gpu/radix/onesweep");
  EXPECT_NEAR(points[0].over(), 0.04, 1e-9);
  EXPECT_LT(points[0].over_at_least(), 0);
  EXPECT_FALSE(points[0].holds());
  EXPECT_NE(readable_points(points).find("4.0 % over, maybe none"), std::string::npos);
}

class TuneFile : public TemporaryFolder {};

TEST_F(TuneFile, ComesBackAsItWasWritten) {
  const std::string file = path("new/folder/tune.json");
  const GpuTuning written = tuning_of("NVIDIA H200", 132);
  write_tuning(file, written);
  EXPECT_EQ(parse_gpu_tuning(read(file), file), written);
  write_tuning(file, tuning_of("other", 1));
  EXPECT_EQ(parse_gpu_tuning(read(file), file)->device, "other");
}

TEST_F(TuneFile, OtherSectionsStay) {
  const auto file = write("tune.json", R"({"sortlab_tune": 1, "tpu": {"choices": [7]}})");
  EXPECT_EQ(parse_gpu_tuning(read(file), "x"), std::nullopt);
  write_tuning(file, tuning_of("NVIDIA H200", 132));
  EXPECT_NE(read(file).find("tpu"), std::string::npos);
}

TEST_F(TuneFile, NamesMayHoldWhatJsonIsMadeOf) {
  const std::string file = path("tune.json");
  GpuTuning written = tuning_of("a \"GPU\": {[", 132);
  written.choices = {{{4, 0, false}, {{0, "x}, \"n\": 7, {\n"}, {9, "\"id\": \"y\""}}}};
  write_tuning(file, written);
  EXPECT_EQ(parse_gpu_tuning(read(file), file), written);
}

TEST_F(TuneFile, TheCpusSectionComesBackAsItWasWritten) {
  const std::string file = path("tune.json");
  CpuTuning written{"some CPU", 16, "abc", "2026-11-22T00:00:00Z", {"a.csv", "b.csv"}, {}};
  written.choices[{Isa::avx2, 1}] = kChoices;
  written.choices[{Isa::avx512, 16}] = {{{8, 4, true}, {{0, "cpu/radix/hybrid"}}}};
  write_tuning(file, tuning_of("NVIDIA H200", 132));
  write_tuning(file, written);
  EXPECT_EQ(parse_cpu_tuning(read(file), file), written);
  EXPECT_EQ(parse_gpu_tuning(read(file), file), tuning_of("NVIDIA H200", 132));
  EXPECT_NE(read(file).find("\n          {\"n\": 5000, \"id\": \"gpu/radix/msd_hybrid\"}\n"),
            std::string::npos)
      << "a step is a line";
  for (const auto& [from, to] :
       std::map<std::string, std::string>{{"\"avx2\"", "\"sse\""},
                                          {"\"threads\": 1,", "\"threads\": 0,"},
                                          {"\"cpu\": \"", "\"cqu\": \""}}) {
    std::string text = read(file);
    text.replace(text.find(from), from.size(), to);
    EXPECT_THROW(parse_cpu_tuning(text, file), BadInput) << to;
  }
}

TEST_F(TuneFile, ChoicesOfTheSameCpuStayWhereNothingNewWasMeasured) {
  const std::string file = path("tune.json");
  const Choices hybrid = {{{8, 4, true}, {{0, "cpu/radix/hybrid"}}}};
  CpuTuning before{"some CPU", 16, "abc", "2026-11-22T00:00:00Z", {"a.csv"}, {}};
  before.choices[{Isa::avx2, 1}] = before.choices[{Isa::avx2, 16}] = hybrid;
  CpuTuning after{"some CPU", 16, "def", "2026-11-29T00:00:00Z", {"b.csv"}, {}};
  after.choices[{Isa::avx2, 16}] = {{{8, 4, true}, {{9, "cpu/radix/pairs"}}}};
  write_tuning(file, before);
  write_tuning(file, after);
  CpuTuning both = after;
  both.results = {"a.csv", "b.csv"};
  both.choices[{Isa::avx2, 1}] = hybrid;
  EXPECT_EQ(parse_cpu_tuning(read(file), file), both);
  after.cpu = "another CPU";
  write_tuning(file, after);
  EXPECT_EQ(parse_cpu_tuning(read(file), file), after);
}

TEST_F(TuneFile, AMalformedOneIsOneLineThatNamesIt) {
  const std::string file = path("tune.json");
  write_tuning(file, tuning_of("NVIDIA H200", 132));
  const std::string good = read(file);
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    return text;
  };
  for (const std::string& text :
       {std::string(), std::string("{"), std::string("[]"), std::string("{}"),
        good.substr(0, good.size() / 2), with("\"sortlab_tune\": 1", "\"sortlab_tune\": 2"),
        with("\"device\"", "\"devise\""), with("132", "0"), with("132", "\"many\""),
        with("132", "1e300"), with("132", "4294967428"), with("\"n\": 0", "\"n\": 1"),
        with("\"n\": 5000", "\"n\": 0"), with("\"n\": 5000", "\"n\": -1"),
        with("\"key_bytes\": ", "\"key_bytes\": -"),
        with("\"sortlab_tune\": 1", "\"sortlab_tune\": " + std::string(200'000, '[')),
        with("\"key_bytes\"", "\"bytes\"")}) {
    try {
      parse_gpu_tuning(text, "here/tune.json");
      ADD_FAILURE() << text;
    } catch (const BadInput& error) {
      const std::string line = error.what();
      EXPECT_NE(line.find("here/tune.json"), std::string::npos) << line;
      EXPECT_EQ(line.find('\n'), std::string::npos) << line;
      EXPECT_EQ(line.find("json.exception"), std::string::npos) << line;
    }
  }
  write("tune.json", "something of the user's");
  EXPECT_THROW(write_tuning(file, tuning_of("x", 1)), BadInput);
  EXPECT_EQ(read(file), "something of the user's");
}

}  // namespace
}  // namespace sortlab
