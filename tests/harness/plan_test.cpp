// Makes the configurations of a run from a user's selection.
#include "common/harness/plan/plan.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "common/contract/device_parts.hpp"
#include "common/contract/errors.hpp"
#include "common/contract/offload.hpp"
#include "common/contract/usable_cpus.hpp"
#include "common/harness/input/input.hpp"
#include "common/harness/machine/machine.hpp"
#include "common/harness/task.hpp"
#include "tests/temporary_file.hpp"

namespace sortlab {
namespace {

// Variants that do nothing, one for each property that a plan considers.

struct Plain {
  static constexpr Info info{.summary = "plain", .stable = true};
  template <class Job>
  static ResultIn sort(const Job&) {
    return ResultIn::data;
  }
};

struct Limited : Plain {
  static Limit capacity() { return {5000, "no more fit"}; }
  static Limit patience(std::string_view dist) {
    if (dist == "sorted") return {1000, "quadratic"};
    return {};
  }
};

constexpr ParamSpec kParams[] = {{"block", 64, 1, 4096, "items of a block"},
                                 {"cutoff", 24, 0, 100, "items left to insertion sort"}};
struct Parallel : Plain {
  static constexpr Info info{.summary = "parallel", .parallel = true, .params = kParams};
};

struct Missing : Plain {
  static std::string unavailable() { return "its library is missing"; }
};

struct Offloads {
  using JobKind = Offload;
  static constexpr Info info{
      .summary = "uses a GPU", .memory = Memory::both, .alternate = true, .parallel = true};
  static OffloadNeeds needs(const OffloadRequest&) { return {0}; }
  template <class Job>
  static ResultIn sort(const Job&) {
    return ResultIn::data;
  }
};

struct Spreads : Offloads {
  using JobKind = OffloadToAll;
  static constexpr Info info{
      .summary = "uses several GPUs", .memory = Memory::both, .alternate = true, .parallel = true};
};

struct OverDevices {
  using JobKind = DeviceParts;
  static constexpr Info info{.summary = "over GPUs", .memory = Memory::device};
  static PartNeeds needs(const PartRequest& request) { return {request.n()}; }
  template <class Job>
  static std::vector<PartResult> sort(const Job&) {
    return {};
  }
};

template <class Impl, class Keys = AllKeys, class Values = KeysAndPairs>
void add(const char* id) {
  register_variant(detail::describe<Impl>(id, "cpp", Keys{}, Values{}));
}

const bool kRegistered = [] {
  add<Plain>("cpu/test/plain");
  add<Limited>("cpu/test/limited");
  add<Parallel>("cpu/test/parallel");
  add<Missing>("cpu/test/missing");
  add<Plain, TypeList<std::uint32_t>, KeysOnly>("cpu/other/u32_only");
  register_variant(detail::describe<Offloads>("gpu/test/offloads", "cu", AllKeys{}, KeysOnly{}));
  register_variant(detail::describe<Spreads>("gpu/test/spreads", "cu", AllKeys{}, KeysOnly{}));
  register_variant(
      detail::describe<OverDevices>("gpu/test/devices", "cu", AllKeys{}, KeysAndPairs{}));
  return true;
}();

/// The message of the BadInput that f throws.
template <class F>
std::string complaint(F f) {
  try {
    f();
  } catch (const BadInput& error) {
    return error.what();
  }
  return "nothing was thrown";
}

using Sizes = std::vector<std::size_t>;

TEST(ParseCount, KnowsUnitsAndPowersOfTen) {
  EXPECT_EQ(parse_count("0"), 0u);
  EXPECT_EQ(parse_count("1000"), 1000u);
  EXPECT_EQ(parse_count("16K"), 16384u);
  EXPECT_EQ(parse_count("4M"), std::size_t{4} << 20);
  EXPECT_EQ(parse_count("1G"), std::size_t{1} << 30);
  EXPECT_EQ(parse_count("1e6"), 1'000'000u);
  EXPECT_EQ(parse_count("1.5K"), 1536u);
  EXPECT_EQ(parse_count("2.5e3"), 2500u);
}

TEST(ParseCount, NamesWhatIsNoCount) {
  for (const char* text : {"", "K", "x", "-1", "1.5", "1k", "12Q", "1KK", "1 K", " 1", "1e16",
                           "nan", "inf", "1e400", "0x10"}) {
    EXPECT_NE(complaint([&] { parse_count(text); }).find(fmt::format("'{}'", text)),
              std::string::npos)
        << text;
  }
}

TEST(ParseSizes, KnowsListsAndRanges) {
  EXPECT_EQ(parse_sizes("1K"), Sizes{1024});
  EXPECT_EQ(parse_sizes("5,1e3,1K"), (Sizes{5, 1000, 1024}));
  EXPECT_EQ(parse_sizes("1K..8K"), (Sizes{1024, 2048, 4096, 8192}));
  EXPECT_EQ(parse_sizes("1K..7K"), (Sizes{1024, 2048, 4096}));
  EXPECT_EQ(parse_sizes("7..7"), Sizes{7});
  EXPECT_EQ(parse_sizes("1..1000*10"), (Sizes{1, 10, 100, 1000}));
  EXPECT_EQ(parse_sizes("0,3,10..20"), (Sizes{0, 3, 10, 20}));
  EXPECT_EQ(parse_sizes("100..150*1.1"), (Sizes{100, 110, 121, 133, 146}));
  EXPECT_EQ(parse_sizes("3,3..6*1.1"), (Sizes{3, 3, 4, 5, 6}));
  EXPECT_EQ(parse_sizes("1..2M*1K"), (Sizes{1, 1024, 1'048'576}));
  EXPECT_EQ(parse_sizes("1..9e15*9e15"), (Sizes{1, std::size_t{9'000'000'000'000'000}}));
}

TEST(ParseSizes, NamesWhatIsNoRange) {
  for (const char* text : {"8K..1K", "0..8", "1..8*1", "1..8*0", "1..8*1.001", "1..8*nan", "..",
                           "1..", "..8", "1...8", "1..8*", "1,,2", ",", "1..2..3"}) {
    EXPECT_THROW(parse_sizes(text), BadInput) << text;
  }
  EXPECT_NE(complaint([] { parse_sizes("5,8K..1K"); }).find("'8K..1K'"), std::string::npos);
}

TEST(UnknownName, ComesWithTheNearest) {
  const std::vector<std::string> known = {"uniform", "sorted", "reverse", "zipf"};
  EXPECT_EQ(std::string(unknown_name("distribution", "unifrom", known).what()),
            "unknown distribution 'unifrom'; nearest: uniform, reverse, zipf");
  EXPECT_EQ(std::string(unknown_name("thing", "x", {}).what()), "unknown thing 'x'");
}

Selection only(const char* glob) {
  Selection selection;
  selection.filters = {glob};
  return selection;
}

TEST(Plan, SaysWhichNameIsUnknown) {
  const auto complaint_about = [](auto change) {
    Selection selection = only("cpu/test/*");
    change(selection);
    return complaint([&] { plan(selection); });
  };
  const auto starts = [](const std::string& line, const std::string& with) {
    EXPECT_EQ(line.substr(0, with.size()), with);
    EXPECT_EQ(line.find('\n'), std::string::npos);
  };
  starts(complaint_about([](auto& s) { s.filters = {"cpu/test/plian"}; }),
         "unknown variant 'cpu/test/plian'; nearest: cpu/test/plain");
  starts(complaint_about([](auto& s) { s.filters.push_back("xpu/*"); }), "unknown variant 'xpu/*'");
  starts(complaint_about([](auto& s) { s.types = {"u32,u23"}; }),
         "unknown type 'u23'; nearest: u32");
  starts(complaint_about([](auto& s) { s.dists = {"unifrom"}; }),
         "unknown distribution 'unifrom'; nearest: uniform");
  starts(complaint_about([](auto& s) { s.order = "down"; }), "unknown order 'down'");
  starts(complaint_about([](auto& s) { s.cache = "warm"; }), "unknown cache state 'warm'");
  starts(complaint_about([](auto& s) { s.values = {"triples"}; }), "unknown kind of values");
  starts(complaint_about([](auto& s) { s.input_format = "xml"; }), "unknown input format 'xml'");
  starts(complaint_about([](auto& s) { s.sizes = {"many"}; }), "'many' is not a count");
  starts(complaint_about([](auto& s) { s.threads = {"0"}; }), "--threads 0");
  starts(complaint_about([](auto& s) { s.threads = {"some"}; }), "--threads some");
  starts(complaint_about([](auto& s) { s.params = {"blok=3"}; }), "unknown parameter");
  starts(complaint_about([](auto& s) { s.params = {"block=5000"}; }), "--param block=5000");
  for (const char* malformed : {"block", "block=", "=3", "block=x", "block=3x", "block=1,", ""}) {
    starts(complaint_about([&](auto& s) { s.params = {malformed}; }), "--param");
  }
  Selection without = only("cpu/test/plain");
  without.params = {"block=3"};
  starts(complaint([&] { plan(without); }), "--param block: none of the selected");
}

TEST(Plan, IsTheWholeMatrix) {
  Selection selection = only("cpu/test/p*");  // plain and parallel
  selection.types = {"u32", "f64,i64"};
  selection.dists = {"uniform", "zipf:1.0,sorted"};
  selection.sizes = {"1K..4K", "7"};
  selection.threads = {"1,2", "4"};
  selection.values = {"keys", "pairs"};
  const auto planned = plan(selection);
  EXPECT_EQ(planned.size(), 3u * 3 * 4 * 2 * (1 + 3)) << "the plain one has one thread";
  std::set<std::string> ids, names;
  for (const auto& p : planned) {
    ids.insert(p.config.id());
    names.insert(p.config.benchmark_name());
    EXPECT_EQ(p.skip_reason, "");
  }
  EXPECT_EQ(ids.size(), planned.size());
  EXPECT_EQ(names.size(), planned.size());
}

TEST(Plan, HasDefaults) {
  const auto planned = plan(only("cpu/test/parallel"));
  ASSERT_EQ(planned.size(), 1u);
  const Config& config = planned[0].config;
  EXPECT_EQ(config.benchmark_name(),
            fmt::format("cpu/test/parallel/u32/asc/uniform/n:1048576/threads:{}/block=64;cutoff=24",
                        usable_cpus()));
  EXPECT_EQ(config.algorithm(), "test");
  EXPECT_EQ(config.seed, 12345u);
  EXPECT_EQ(config.cache, CacheState::hot);
  EXPECT_EQ(config.value_bytes, 0u);
}

TEST(Plan, KeepsTheDataOfASortWithAGpusHelpInHostMemory) {
  Selection selection = only("gpu/test/offloads");
  selection.threads = {"4"};
  const auto ways = [&] {
    std::vector<std::string> texts;
    for (const auto& [config, reason] : plan(selection)) {
      texts.push_back(
          fmt::format("{} {} {}", name_of(config.host_mem), config.gpu_mem, config.threads));
    }
    return texts;
  };
  EXPECT_EQ(ways(), std::vector<std::string>{"pinned 0 4"});
  selection.host_mem = {"pinned,pageable,staged"};
  selection.gpu_mem = {"1K,2K"};
  EXPECT_EQ(ways(), (std::vector<std::string>{"pinned 1024 4", "pinned 2048 4", "staged 1024 4",
                                              "staged 2048 4"}));
  selection.gpu_mem = {"0"};
  EXPECT_EQ(complaint([&] { plan(selection); }).find("--gpu-mem 0"), 0u);
}

std::vector<std::string> names_of(const Selection& selection) {
  std::vector<std::string> names;
  for (const auto& p : plan(selection)) {
    const Config& c = p.config;
    names.push_back(fmt::format("{} {}{} {}", c.dist.name, name_of(c.key_type),
                                c.has_pairs() ? " pairs" : "", c.n));
  }
  return names;
}

TEST(Plan, LeavesOpenAxesToTheDistributions) {
  using Names = std::vector<std::string>;
  Selection selection = only("cpu/test/plain");
  selection.dists = {"uniform,splats", "morton"};
  EXPECT_EQ(names_of(selection), (Names{"uniform u32 1048576", "morton u32 pairs 1048576",
                                        "splats u64 pairs 1048576", "morton u64 pairs 1048576"}));
  selection.sizes = {"typical"};
  EXPECT_EQ(names_of(selection), (Names{"uniform u32 1048576", "morton u32 pairs 8388608",
                                        "morton u64 pairs 8388608", "splats u64 pairs 16777216"}));
  selection.types = {"i32"};
  EXPECT_EQ(names_of(selection), (Names{"uniform i32 1048576", "morton i32 pairs 8388608",
                                        "splats i32 pairs 16777216"}));
  selection.values = {"keys"};
  selection.sizes = {"5"};
  EXPECT_EQ(names_of(selection), (Names{"uniform i32 5", "splats i32 5", "morton i32 5"}));
  selection.sizes = {"typical", "5"};
  EXPECT_EQ(complaint([&] { plan(selection); }), "--n typical: no other sizes may stand beside it");
}

TEST(Plan, RealInputsAreThoseThatProgramsHave) {
  Selection selection = only("cpu/test/plain");
  selection.dists = {"@real"};
  std::set<std::string> found, expected;
  for (const auto& p : plan(selection)) found.insert(p.config.dist.name);
  for (const auto& info : all_distributions()) {
    if (info.usage.is_real()) expected.emplace(info.name);
  }
  EXPECT_EQ(found, expected);
  EXPECT_GE(found.size(), 14u);
  selection.dists = {"@reel"};
  EXPECT_THROW(plan(selection), BadInput);
}

TEST(Plan, KeepsOneInputsConfigurationsTogether) {
  Selection selection = only("cpu/test/p*");
  selection.dists = {"uniform", "sorted"};
  selection.sizes = {"1K,2K"};
  std::vector<std::string> inputs;
  for (const auto& p : plan(selection)) {
    const std::string input = p.config.dist.name + std::to_string(p.config.n);
    if (inputs.empty() || inputs.back() != input) inputs.push_back(input);
  }
  EXPECT_EQ(inputs.size(), 4u);
}

TEST(Plan, SweepsParameters) {
  Selection selection = only("cpu/test/p*");
  selection.params = {"block=1,cutoff=2", "block=8"};
  selection.threads = {"1"};
  std::vector<std::string> params;
  for (const auto& p : plan(selection)) params.push_back(p.config.params);
  std::sort(params.begin(), params.end());
  EXPECT_EQ(params, (std::vector<std::string>{"", "block=1;cutoff=2", "block=8;cutoff=24"}))
      << "the plain one, which has no parameters, once";
}

TEST(Task, IsAConfigurationResolved) {
  Config config;
  config.variant = "cpu/test/parallel";
  config.params = "block=1;cutoff=2";
  config.key_type = KeyType::f64;
  config.value_bytes = 4;
  config.order = Order::descending;
  config.n = 7;
  config.threads = 3;
  const Task task(config);
  EXPECT_EQ(&task.variant, find_variant("cpu/test/parallel"));
  EXPECT_EQ(&task.instance, task.variant.instance(KeyType::f64, 4, Order::descending));
  EXPECT_EQ(task.params["block"], 1);
  EXPECT_EQ(task.params["cutoff"], 2);
  EXPECT_EQ(task.bytes_needed(), 7u * (8 + 4));
  const ErasedJob job = task.job();
  EXPECT_EQ(job.instance, &task.instance);
  EXPECT_EQ(job.params, &task.params);
  EXPECT_EQ(job.n, 7u);
  EXPECT_EQ(job.threads, 3);

  config.variant = "cpu/test/serial";
  EXPECT_EQ(complaint([&] { Task{config}; }), "no variant cpu/test/serial in this build");
  config.variant = "cpu/other/u32_only";
  EXPECT_EQ(complaint([&] { Task{config}; }), "cpu/other/u32_only has no code for these types");
}

TEST(Plan, DropsWhatIsAskedForTwice) {
  Selection selection = only("cpu/test/plain");
  selection.sizes = {"1K,1024", "1K..2K"};
  EXPECT_EQ(plan(selection).size(), 2u);
}

std::string reason_for(const char* id, const char* dist, const char* n, const char* type = "u32",
                       const char* values = "keys") {
  Selection selection = only(id);
  selection.dists = {dist};
  selection.sizes = {n};
  selection.types = {type};
  selection.values = {values};
  const auto planned = plan(selection);
  EXPECT_EQ(planned.size(), 1u);
  return planned.at(0).skip_reason;
}

TEST(Plan, SkipsWithAReason) {
  EXPECT_EQ(reason_for("cpu/test/limited", "sorted", "1000"), "");
  EXPECT_EQ(reason_for("cpu/test/limited", "uniform", "1001"), "");
  EXPECT_EQ(reason_for("cpu/test/limited", "sorted", "1001"), "n over 1000: quadratic");
  EXPECT_EQ(reason_for("cpu/test/limited", "uniform", "5000"), "");
  EXPECT_EQ(reason_for("cpu/test/limited", "uniform", "5001"), "n over 5000: no more fit");
  EXPECT_EQ(reason_for("cpu/test/limited", "sorted", "5001"), "n over 1000: quadratic");
  EXPECT_EQ(reason_for("cpu/test/missing", "uniform", "1"), "its library is missing");
  EXPECT_EQ(reason_for("cpu/other/u32_only", "uniform", "1"), "");
  EXPECT_EQ(reason_for("cpu/other/u32_only", "uniform", "1", "f64"), "has no code for f64");
  EXPECT_EQ(reason_for("cpu/other/u32_only", "uniform", "1", "u32", "pairs"),
            "has no code for u32 pairs");
  EXPECT_EQ(reason_for("cpu/test/plain", "special", "1"), kCorrectnessOnly);
  EXPECT_EQ(reason_for("cpu/test/missing", "special", "1"), "its library is missing");
  EXPECT_NE(reason_for("cpu/test/plain", "uniform", "8G", "u32", "pairs").find("2^32"),
            std::string::npos);
}

TEST(ParseDevices, KnowsCountsAndLists) {
  EXPECT_EQ(parse_devices("1"), (Devices{0}));
  EXPECT_EQ(parse_devices("3"), (Devices{0, 1, 2}));
  EXPECT_EQ(parse_devices("0,2"), (Devices{0, 2}));
  EXPECT_EQ(parse_devices("1+0+1"), (Devices{1, 0, 1}));
  for (const char* text : {"1", "2", "64", "0+2", "1+0", "0+0+0"}) {
    EXPECT_EQ(devices_text(parse_devices(text)), text);
  }
  EXPECT_EQ(devices_text(parse_devices("0,1")), "2");
  EXPECT_EQ(devices_text({}), "");
}

TEST(ParseDevices, NamesWhatIsNone) {
  for (const char* text : {"0", "65", "", "a", "0,", "0,,1", "-1", "0,64", "1.5"}) {
    EXPECT_EQ(complaint([&] { parse_devices(text); }),
              fmt::format("--devices {}: a count of GPUs from 1 to 64, or their numbers, as in 0,2",
                          text));
  }
}

TEST(Plan, HasEachSetOfGpusOfSortsOverSeveral) {
  Selection selection;
  selection.filters = {"gpu/test/devices", "cpu/test/plain"};
  selection.devices = {"2", "0,2"};
  selection.threads = {"1"};
  std::vector<std::string> names;
  for (const auto& [config, reason] : plan(selection)) names.push_back(config.benchmark_name());
  const std::string input = "/u32/asc/uniform/n:1048576";
  EXPECT_EQ(names, (std::vector{"cpu/test/plain" + input + "/threads:1",
                                "gpu/test/devices" + input + "/devices:2",
                                "gpu/test/devices" + input + "/devices:0+2"}));
}

TEST(Plan, HasEachSetOfGpusThatSortHostData) {
  Selection selection;
  selection.filters = {"gpu/test/spreads", "gpu/test/offloads"};
  selection.devices = {"2", "0,2"};
  selection.threads = {"4"};
  std::vector<std::string> names;
  for (const auto& [config, reason] : plan(selection)) {
    names.push_back(config.benchmark_name());
    EXPECT_FALSE(config.over_device_parts()) << "the keys are on the host";
    EXPECT_GT(InputPool::bytes_needed(config), 0u);
  }
  const std::string input = "/u32/asc/uniform/n:1048576/threads:4";
  EXPECT_EQ(names, (std::vector{"gpu/test/offloads" + input + "/pinned",
                                "gpu/test/spreads" + input + "/pinned/devices:2",
                                "gpu/test/spreads" + input + "/pinned/devices:0+2"}));
}

TEST(InRounds, TakesTheSortsOfAnInputInTurn) {
  const auto planned_of = [](const char* id, std::size_t n, const char* skip_reason = "") {
    Planned planned;
    planned.config.variant = id;
    planned.config.n = n;
    planned.skip_reason = skip_reason;
    return planned;
  };
  const std::vector<Planned> planned = {planned_of("a", 1), planned_of("b", 1, "can't"),
                                        planned_of("a", 2), planned_of("c", 1)};
  const auto order_of = [](const std::vector<Planned>& all) {
    std::string order;
    for (const auto& p : all) order += fmt::format("{}{} ", p.config.variant, p.config.n);
    return order;
  };
  EXPECT_EQ(order_of(in_rounds(planned, 1)), "a1 b1 a2 c1 ");
  EXPECT_EQ(order_of(in_rounds(planned, 2)), "a1 b1 c1 a1 c1 a2 a2 ") << "skipped ones once";
}

TEST(InRounds, TakesAllOfOneLoadTogether) {
  Selection selection = only("cpu/test/plain");
  selection.sizes = {"1,2"};
  selection.load = {"0", "3,1:50/20"};
  auto planned = plan(selection);
  selection.sizes = {"4"};
  for (const auto& p : plan(selection)) planned.push_back(p);  // a matrix' second block
  const auto order_of = [](const std::vector<Planned>& all) {
    std::string order;
    for (const auto& p : all) order += fmt::format("{}@{} ", p.config.n, text_of(p.config.load));
    return order;
  };
  const std::string once = "1@0 2@0 4@0 1@3 2@3 4@3 1@1:50/20 2@1:50/20 4@1:50/20 ";
  EXPECT_EQ(order_of(in_rounds(planned, 1)), once);
  EXPECT_EQ(order_of(in_rounds(planned, 2)), once + once);
}

using PlanOfFile = TemporaryFolder;

TEST_F(PlanOfFile, TakesTheFilesTypeAndCount) {
  Selection selection = only("cpu/test/plain");
  selection.input = write("keys.txt", "3\n-1\n2\n");
  auto planned = plan(selection);
  ASSERT_EQ(planned.size(), 1u);
  EXPECT_EQ(planned[0].config.n, 3u);
  EXPECT_EQ(planned[0].config.key_type, KeyType::i64);
  EXPECT_EQ(planned[0].config.dist.name, "file");
  EXPECT_EQ(planned[0].config.dist.param.substr(0, 9), "keys.txt@");
  const std::string id = planned[0].config.id();

  selection.types = {"f32"};
  selection.sizes = {"2,4"};
  planned = plan(selection);
  ASSERT_EQ(planned.size(), 2u);
  EXPECT_EQ(planned[0].config.key_type, KeyType::f32);
  EXPECT_EQ(planned[0].skip_reason, "");
  EXPECT_EQ(planned[1].skip_reason, "the file holds 3 keys");

  Selection changed = only("cpu/test/plain");
  changed.input = write("keys.txt", "3\n-1\n4\n");
  EXPECT_NE(plan(changed).at(0).config.id(), id) << "other keys are another configuration";
}

TEST_F(PlanOfFile, RefusesContradictions) {
  Selection selection = only("cpu/test/plain");
  selection.input = path("missing.txt");
  EXPECT_THROW(plan(selection), BadInput);
  selection.input = write("keys.txt", "1\ntwo\n");
  EXPECT_NE(complaint([&] { plan(selection); }).find("2"), std::string::npos) << "the line";
  selection.input = write("keys.txt", "1\n2\n");
  selection.dists = {"uniform"};
  EXPECT_THROW(plan(selection), BadInput);
  selection.dists.clear();
  for (const auto& types : {std::vector<std::string>{"u32", "u64"}, {"u32,u64"}}) {
    selection.types = types;
    EXPECT_THROW(plan(selection), BadInput);
  }
}

TEST_F(PlanOfFile, ReadsMatrices) {
  const auto [blocks, stop, rounds, slow_s] = read_matrix_file(write(
      "matrix.json",
      R"({"description": "x", "rounds": 3, "skip-slow": 0.5, "stop": {"time": 0.25, "min-samples": 3},
          "runs": [{"filter": ["a", "b"], "n": "1K", "order": "desc", "pin": true},
                   {"dist": "zipf", "values": ["keys", "pairs"], "seed": 7, "needs_gpu": true, "part": "p"}]})"));
  ASSERT_EQ(blocks.size(), 2u);
  EXPECT_EQ(blocks[0].filters, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(blocks[0].sizes, std::vector<std::string>{"1K"});
  EXPECT_EQ(blocks[0].order, "desc");
  EXPECT_TRUE(blocks[0].pin);
  EXPECT_EQ(blocks[1].dists, std::vector<std::string>{"zipf"});
  EXPECT_EQ(blocks[1].values, (std::vector<std::string>{"keys", "pairs"}));
  EXPECT_EQ(blocks[1].seed, 7u);
  EXPECT_EQ(stop.time_s, 0.25);
  EXPECT_EQ(stop.min_samples, 3);
  EXPECT_EQ(stop.max_samples, StopSettings{}.max_samples);
  EXPECT_EQ(rounds, 3);
  EXPECT_EQ(slow_s, 0.5);
  EXPECT_FALSE(blocks[0].needs_gpu);
  EXPECT_TRUE(blocks[1].needs_gpu);
  EXPECT_EQ(blocks[0].part + blocks[1].part, "p");
  const Matrix plain = read_matrix_file(write("plain.json", R"({"runs": [{}]})"));
  EXPECT_EQ(plain.rounds, 1);
  EXPECT_EQ(plain.slow_s, 0);
}

TEST_F(PlanOfFile, RefusesMalformedMatrices) {
  for (const char* text : {"",
                           "{",
                           "[]",
                           "{}",
                           R"({"runs": [{"filtre": "a"}]})",
                           R"({"runs": [{"n": 5}]})",
                           R"({"runs": [{"pin": "yes"}]})",
                           R"({"runs": 3})",
                           R"({"stop": {"tyme": 1}, "runs": [{}]})",
                           R"({"rounds": "3", "runs": [{}]})",
                           R"({"runs": [3]})",
                           R"({"runs": []})",
                           R"({"runs": {}})",
                           R"({"rounds": 1001, "runs": [{}]})",
                           R"({"stop": [1, 2], "runs": [{}]})",
                           R"({"stop": {"max-samples": 1e10}, "runs": [{}]})",
                           R"({"runs": [{"seed": -1}]})",
                           R"({"runs": [{}], "round": 2})",
                           R"({"runs": [{}], "description": 3})",
                           R"({"runs": [{}], "skip-slow": "0.2"})",
                           R"({"runs": [{"needs_gpu": 1}]})",
                           R"({"runs": [{"part": true}]})",
                           R"({"runs": [{"load": 8}]})"}) {
    const std::string line = complaint([&] { read_matrix_file(write("matrix.json", text)); });
    EXPECT_EQ(line.find(path("matrix.json")), 0u) << text << " -> " << line;
    EXPECT_EQ(line.find('\n'), std::string::npos) << text << " -> " << line;
  }
  EXPECT_THROW(read_matrix_file(path("missing.json")), BadInput);
}

TEST(ConfigId, IsTheSameForEqualConfigurations) {
  Config a, b;
  a.variant = b.variant = "cpu/radix/naive";
  EXPECT_EQ(a.id(), b.id());
  EXPECT_EQ(a.id().size(), 16u);
  EXPECT_EQ(a.id().find_first_not_of("0123456789abcdef"), std::string::npos);
  b.input_path = "/elsewhere/keys.txt";
  EXPECT_EQ(a.id(), b.id()) << "where the keys lie is no column";
}

TEST(ConfigId, DiffersWithEachColumn) {
  Config base;
  base.variant = "cpu/radix/naive";
  std::vector<Config> others;
  const auto other = [&](auto change) { change(others.emplace_back(base)); };
  other([](Config& c) { c.variant = "cpu/radix/parallel"; });
  other([](Config& c) { c.device = "x"; });
  other([](Config& c) { c.isa = "avx2"; });
  other([](Config& c) { c.lib_version = "1"; });
  other([](Config& c) { c.stable = true; });
  other([](Config& c) { c.in_place = true; });
  other([](Config& c) { c.key_type = KeyType::f32; });
  other([](Config& c) { c.value_bytes = 4; });
  other([](Config& c) { c.order = Order::descending; });
  other([](Config& c) { c.n = 1; });
  other([](Config& c) { c.dist.name = "zipf"; });
  other([](Config& c) { c.dist.param = "1.0"; });
  other([](Config& c) { c.seed = 1; });
  other([](Config& c) { c.threads = 2; });
  other([](Config& c) { c.pinned = true; });
  other([](Config& c) { c.params = "a=1"; });
  other([](Config& c) { c.host_mem = HostMem::pinned; });
  other([](Config& c) { c.temp_policy = TempPolicy::per_call; });
  other([](Config& c) { c.cache = CacheState::cold; });
  other([](Config& c) { c.launch = Launch::graph; });
  other([](Config& c) { c.load = {8, 0, 0}; });
  other([](Config& c) { c.load = {8, 50, 20}; });
  other([](Config& c) { c.gpu_mem = 1; });
  other([](Config& c) { c.devices = {0, 1}; });
  other([](Config& c) { c.ranks = 2; });
  other([](Config& c) { c.lengths = {"rows", 8, false}; });
  other([](Config& c) { c.top = {true, 5, 5, false, false}; });
  EXPECT_EQ(others.size() + 1, base.columns().size())
      << "algorithm follows from the variant, segments from lengths; two loads are one column";
  std::set<std::string> ids = {base.id()};
  for (const Config& c : others) EXPECT_TRUE(ids.insert(c.id()).second) << c.benchmark_name();
}

TEST(ConfigJson, ComesBackAsItWas) {
  Config config;
  config.variant = "cpu/radix/naive";
  config.device = "a \"CPU\"";
  config.isa = "avx2";
  config.lib_version = "1.2";
  config.stable = config.in_place = config.pinned = true;
  config.key_type = KeyType::f64;
  config.value_bytes = 4;
  config.order = Order::descending;
  config.n = (std::size_t{1} << 40) + 1;
  config.dist = {"file", "keys.npy@12345678"};
  config.seed = UINT64_MAX;
  config.threads = 7;
  config.params = "a=1;b=2";
  config.host_mem = HostMem::pinned;
  config.gpu_mem = std::size_t{8} << 30;
  config.temp_policy = TempPolicy::cached;
  config.cache = CacheState::cold;
  config.launch = Launch::graph;
  config.load = {8, 50, 20};
  config.devices = {0, 2, 2};
  config.input_path = "/data/keys.npy";
  config.input_format = FileFormat::npy;
  const nlohmann::json sent = config;
  EXPECT_EQ(nlohmann::json(nlohmann::json::parse(sent.dump()).get<Config>()), sent);
}

TEST(ConfigJson, TextsThatNoValueHasAreRefusedAsOtherWrongValues) {
  const nlohmann::json sent = Config();
  for (const char* field : {"load", "lengths", "best"}) {
    nlohmann::json wrong = sent;
    wrong[field] = "Z";
    EXPECT_THROW((void)wrong.get<Config>(), nlohmann::json::exception) << field;
  }
}

}  // namespace
}  // namespace sortlab
