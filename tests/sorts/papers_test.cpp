// The papers' exhibits: the rules for their data, and how measured rows fill them. The samples are
// artificial, so that everything is tested without a GPU.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>
#include <string_view>

#include "common/choose/embedded.hpp"
#include "common/contract/errors.hpp"
#include "common/harness/breakdown/breakdown.hpp"
#include "common/harness/machine/build_info.hpp"
#include "tests/temporary_file.hpp"
#include "tool/reproduce/render.hpp"

namespace sortlab::reproduce {
namespace {

using testing::HasSubstr;

constexpr double kMillion = 1e6;  // ns a ms

/// Replaces a GPU sort in builds without it, and takes any parameter of the real ones.
void register_stand_in(const std::string& id) {
  static constexpr ParamSpec kParams[] = {{"threads", 256, 1, 4096, ""},
                                          {"scheme", 0, 0, 2, ""},
                                          {"items", 8, 1, 64, ""},
                                          {"wait", 0, 0, 1, ""},
                                          {"aggregate", 1, 0, 1, ""}};
  Variant variant{};
  variant.id = id;
  variant.extension = "cu";
  variant.info.memory = Memory::device;
  variant.info.params = kParams;
  variant.write_needs = [](const void*, void*) {};
  variant.capacity = [] { return Limit{}; };
  variant.patience = [](std::string_view) { return Limit{}; };
  variant.unavailable = [] { return std::string("a stand-in"); };
  register_variant(std::move(variant));
}

std::filesystem::path source_of(const std::string& id, const char* ending) {
  return std::filesystem::path(kSourceDir) / (id + ending);
}

/// Every GPU sort of the source tree is known to the program: the real one, or a stand-in.
class Papers : public TemporaryFolder {
 protected:
  static void SetUpTestSuite() {
    for (const auto& file : std::filesystem::recursive_directory_iterator(source_of("gpu", ""))) {
      const auto path = std::filesystem::relative(file.path(), kSourceDir);
      const std::string id = path.parent_path() / path.stem();
      const bool is_rung =
          std::distance(path.begin(), path.end()) == 3;  // gpu/<algorithm>/<rung>.cu
      if (is_rung && path.extension() == ".cu" && find_variant(id) == nullptr)
        register_stand_in(id);
    }
  }

  static const Exhibit& exhibit(std::string_view id, Scale scale = Scale::full) {
    static const std::map<Scale, std::vector<Exhibit>> all = {
        {Scale::full, all_exhibits(Scale::full)}, {Scale::small, all_exhibits(Scale::small)}};
    const auto& list = all.at(scale);
    return *std::find_if(list.begin(), list.end(), [&](const Exhibit& e) { return e.id == id; });
  }

  static const Cell& cell_of(const Exhibit& exhibit, std::string_view row,
                             std::string_view column) {
    return *std::find_if(exhibit.cells.begin(), exhibit.cells.end(), [&](const Cell& cell) {
      return cell.row == row && cell.column == column;
    });
  }

  static const FilledCell& cell_of(const FilledExhibit& filled, std::string_view row,
                                   std::string_view column) {
    return *std::find_if(filled.cells.begin(), filled.cells.end(), [&](const FilledCell& cell) {
      return cell.cell.row == row && cell.cell.column == column;
    });
  }

  static double published(const Exhibit& exhibit, std::string_view row, std::string_view column) {
    return cell_of(exhibit, row, column).published.value();
  }

  static Config config_of(const Subject& subject) { return plan_of(subject).planned->config; }

  static Sample sample_of(std::int64_t total_ns) {
    Sample sample;
    sample.total_ns = total_ns;
    sample.verdict = {.sorted = true, .permutation = true, .stable = std::nullopt};
    sample.stop_reason = "accuracy";
    return sample;
  }

  void add_total(const Subject& subject, double total_ns) {
    recorder_.add_sample(config_of(subject), sample_of(std::llround(total_ns)));
  }

  Results results() const { return {recorder_.table(), activities_, runs_}; }

  /// The verdict on a claim over one check: std::sort's naive version against its parallel one.
  FilledClaim judged(const std::string& bounds, const std::vector<double>& naive_ns,
                     const std::vector<double>& parallel_ns) {
    const std::string paper =
        R"({"cite": "c", "machine": "m", "exhibits": [{"id": "e", "title": "t",
      "place": "p", "claims": [{"claim": "faster", "columns": [{"column": "speedup", "unit": "x",
      "quantity": "speedup", "type": "u32", "variant": "cpu/std_sort/optimized",
      "against": {"variant": "cpu/std_sort/naive"}, )" +
        bounds + R"(}], "rows": [{"row": "r", "n": "1K"}]}]}]})";
    const Exhibit claims = parse_paper(paper, Scale::full).front();
    const Cell& check = claims.claims.front().checks.front();
    for (const double ns : parallel_ns) add_total(check.subject, ns);
    for (const double ns : naive_ns) add_total(*check.against, ns);
    return fill(claims, results()).claims.front();
  }

  Recorder recorder_{"", "20261121T000000Z-000001"};
  ActivityTable activities_;
  nlohmann::json runs_ = {{"20261121T000000Z-000001",
                           {{"build", {{"git_revision", "abc123"}, {"git_dirty", false}}},
                            {"gpu_roofs", {{"device_copy_bytes_per_s", 4.0e12}}}}}};
};

TEST_F(Papers, HoldTheExhibitsOfAllFour) {
  std::set<std::string> ids;
  for (const Exhibit& e : all_exhibits(Scale::full)) {
    EXPECT_TRUE(ids.insert(e.id).second) << e.id << " is there twice";
    EXPECT_FALSE(e.all_cells().empty()) << e.id;
  }
  EXPECT_EQ(ids,
            (std::set<std::string>{
                "cuda-blog-launches",      "daskalopoulos-table-1",  "daskalopoulos-normalized",
                "daskalopoulos-figure-1",  "daskalopoulos-figure-2", "daskalopoulos-figure-3",
                "daskalopoulos-claims",    "fraidakis-total-times",  "fraidakis-crossover",
                "fraidakis-table-2",       "fraidakis-table-3",      "fraidakis-table-4",
                "fraidakis-table-5",       "fraidakis-claims",       "goralija-table-1",
                "goralija-table-2",        "goralija-table-3",       "goralija-figure-1",
                "goralija-figure-2",       "goralija-thread-sweep",  "goralija-merge-variants",
                "goralija-quick-variants", "goralija-versions",      "goralija-claims",
                "goralija-bootstrap",      "goralija-task-threshold"}));
}

TEST_F(Papers, NameSortsAndParametersThatExist) {
  for (const Scale scale : {Scale::full, Scale::small}) {
    for (const Exhibit& e : all_exhibits(scale)) {
      for (const Cell* const cell : e.all_cells()) {
        for (const Subject& subject : subjects_of(*cell)) {
          EXPECT_TRUE(std::filesystem::exists(source_of(subject.variant, ".cpp")) ||
                      std::filesystem::exists(source_of(subject.variant, ".cu")))
              << e.id << ": " << subject.variant;
          EXPECT_NO_THROW(EXPECT_TRUE(plan_of(subject).planned)) << e.id << ": " << subject.variant;
          EXPECT_LE(subject.n, scale == Scale::small ? 1u << 20 : 1u << 29) << e.id;
        }
      }
    }
  }
}

TEST_F(Papers, MeasureWhatThePublishedTimesMean) {
  const Cell& qsort = cell_of(exhibit("daskalopoulos-table-1"), "k = 20", "qsort");
  EXPECT_EQ(config_of(qsort.subject).benchmark_name(),
            "cpu/baselines/qsort/i32/asc/uniform/n:1048576/threads:1");
  const Cell& total = cell_of(exhibit("daskalopoulos-table-1", Scale::small), "k = 27", "Total V2");
  EXPECT_EQ(total.quantity, Quantity::total_and_alloc);
  EXPECT_EQ(total.subject.n, 1u << 17);
  EXPECT_EQ(total.subject.published_n, 1u << 27);
  EXPECT_EQ(total.subject.host_mem, "pageable");
  EXPECT_TRUE(total.reduced);
  const Cell& bosnian = cell_of(exhibit("goralija-table-1"), "Bitonic sort (Bosnian)", "Naive");
  EXPECT_EQ(bosnian.subject.n, 8u << 20);
  EXPECT_EQ(bosnian.published, 2026);
}

// Rules that a mistake in the data would break.

TEST_F(Papers, SharesOfEachBreakdownAddUp) {
  for (const char* id :
       {"fraidakis-table-2", "fraidakis-table-3", "fraidakis-table-4", "fraidakis-table-5"}) {
    std::map<std::string, double> sums;
    for (const Cell& cell : exhibit(id).cells) {
      if (cell.unit == "%") sums[cell.column] += cell.published.value();
    }
    EXPECT_EQ(sums.size(), 6u);
    for (const auto& [column, sum] : sums) EXPECT_NEAR(sum, 100, 0.021) << id << ", " << column;
  }
}

TEST_F(Papers, ThroughputsAndSpeedupsFollowFromTheTimes) {
  const Exhibit& gpu = exhibit("goralija-table-2");
  for (const Cell& cell : gpu.cells) {
    if (cell.column != "Throughput" || cell.row.ends_with("(Bosnian)")) continue;
    const double total_ms = published(gpu, cell.row, "Total");
    EXPECT_NEAR(in_unit(total_ms * kMillion, 1u << 27, "Melem/s"), cell.published.value(), 1)
        << cell.row;
  }
  const Exhibit& cpu = exhibit("goralija-table-1");
  const Exhibit& both = exhibit("goralija-table-3");
  for (const auto& [table, first, last] :
       {std::tuple{&cpu, "Naive", "Par. CPU"}, {&both, "CPU", "GPU"}}) {
    for (const Cell& cell : table->cells) {
      if (cell.unit != "x" || cell.published == 1.0) continue;  // 1,0*: of other sizes
      EXPECT_NEAR(published(*table, cell.row, first) / published(*table, cell.row, last),
                  cell.published.value(), 0.06)
          << cell.row;
    }
  }
}

TEST_F(Papers, TimesDoubleWithTheSize) {
  const Exhibit& table = exhibit("daskalopoulos-table-1");
  for (const char* column : {"qsort", "Internal V0", "Internal V1", "Internal V2"}) {
    for (int k = 21; k <= 27; ++k) {
      const double growth = published(table, fmt::format("k = {}", k), column) /
                            published(table, fmt::format("k = {}", k - 1), column);
      EXPECT_TRUE(growth > 1.85 && growth < 2.3) << column << " at " << k << ": " << growth;
    }
  }
  EXPECT_NEAR(published(exhibit("daskalopoulos-normalized"), "k = 20", "Internal V0"),
              5.3e6 / (1u << 20), 1e-9);
  EXPECT_EQ(exhibit("daskalopoulos-figure-3").cells.size(), 3u * 8);
}

// Filling.

TEST_F(Papers, FillTimesInTheirUnits) {
  const Exhibit& table = exhibit("daskalopoulos-table-1");
  add_total(cell_of(table, "k = 20", "qsort").subject, 75 * kMillion);
  const FilledCell qsort = cell_of(fill(table, results()), "k = 20", "qsort");
  EXPECT_DOUBLE_EQ(qsort.measured.value.value(), 0.075);
  EXPECT_DOUBLE_EQ(qsort.ratio.value(), 0.5);
  EXPECT_EQ(qsort.measured.status, "ok");
  EXPECT_EQ(qsort.measured.revision, "abc123");
  EXPECT_EQ(qsort.note, "one sample");

  const FilledCell per_key =
      cell_of(fill(exhibit("daskalopoulos-normalized"), results()), "k = 20", "qsort");
  EXPECT_DOUBLE_EQ(per_key.measured.value.value(), 75 * kMillion / (1u << 20));
  EXPECT_NEAR(per_key.ratio.value(), 0.5, 1e-12);
}

TEST_F(Papers, FillEachPhaseOfAGpuSort) {
  const Exhibit& table = exhibit("daskalopoulos-table-1");
  Sample sample = sample_of(10'000'000);
  sample.alloc_ns = 1'000'000;
  sample.kernel_ns = 2'000'000;
  sample.h2d_ns = 3'000'000;
  sample.d2h_ns = 4'000'000;
  Cell cell = cell_of(table, "k = 21", "Total V1");
  recorder_.add_sample(config_of(cell.subject), sample);
  const auto value = [&](Quantity quantity, const char* unit) {
    cell.quantity = quantity;
    cell.unit = unit;
    return results().figure_of(cell).value.value();
  };
  EXPECT_DOUBLE_EQ(value(Quantity::total, "ms"), 10);
  EXPECT_DOUBLE_EQ(value(Quantity::total_and_alloc, "s"), 0.011);
  EXPECT_DOUBLE_EQ(value(Quantity::kernel, "us"), 2000);
  EXPECT_DOUBLE_EQ(value(Quantity::copies, "ms"), 7);
  EXPECT_DOUBLE_EQ(value(Quantity::h2d, "ms"), 3);
  EXPECT_DOUBLE_EQ(value(Quantity::copy_share, "%"), 70);
  EXPECT_DOUBLE_EQ(value(Quantity::total, "Melem/s"), (2 << 20) / 10e6 * 1e3);
  cell.bandwidth_gb_s = 200;  // the copy bandwidth of `runs_` is 20 times that
  EXPECT_DOUBLE_EQ(value(Quantity::kernel_at_bandwidth, "ms"), 40);
  runs_.clear();
  EXPECT_FALSE(results().figure_of(cell).value);
  EXPECT_THAT(results().figure_of(cell).reason, HasSubstr("bandwidth"));
}

TEST_F(Papers, TakeTheMedianOfTheSamplesAndItsInterval) {
  const Cell& cell = cell_of(exhibit("goralija-table-1"), "std::sort", "Naive");
  for (const double ms : {9.0, 1.0, 2.0}) add_total(cell.subject, ms * kMillion);
  const Figure figure = results().figure_of(cell);
  EXPECT_DOUBLE_EQ(figure.value.value(), 2);
  EXPECT_DOUBLE_EQ(figure.range.low, 1);
  EXPECT_DOUBLE_EQ(figure.range.high, 9);
  EXPECT_EQ(figure.reason, "");
}

TEST_F(Papers, SayWhyACellIsEmpty) {
  const Exhibit& table = exhibit("goralija-table-1");
  recorder_.add_outcome(config_of(cell_of(table, "Bitonic sort (English)", "Naive").subject),
                        {Status::timeout, "over 300 s"});
  const FilledExhibit filled = fill(table, results());
  const FilledCell& late = cell_of(filled, "Bitonic sort (English)", "Naive");
  EXPECT_EQ(late.measured.status, "timeout");
  EXPECT_EQ(late.note, "over 300 s");
  EXPECT_FALSE(late.ratio);
  const FilledCell& speedup = cell_of(filled, "Bitonic sort (English)", "Speedup");
  EXPECT_EQ(speedup.measured.status, "skipped");
  const FilledCell& missing = cell_of(filled, "Merge sort", "Naive");
  EXPECT_EQ(missing.measured.status, "skipped");
  EXPECT_THAT(missing.note, HasSubstr("not measured"));
  Subject unknown = table.cells.front().subject;
  unknown.variant = "gpu/bogo/sort";
  EXPECT_THAT(plan_of(unknown).reason, HasSubstr("without GPU sorts"));
}

TEST_F(Papers, ComparePerKeyCostsAndSpeedupsOnlyAcrossSizes) {
  const Exhibit& table = exhibit("goralija-table-1", Scale::small);
  add_total(cell_of(table, "Radix sort", "Naive").subject, 20 * kMillion);
  add_total(cell_of(table, "Radix sort", "Par. CPU").subject, 4 * kMillion);
  const FilledExhibit filled = fill(table, results());
  const FilledCell& time = cell_of(filled, "Radix sort", "Par. CPU");
  EXPECT_DOUBLE_EQ(time.measured.value.value(), 4);
  EXPECT_FALSE(time.ratio);
  EXPECT_EQ(time.note, "n = 2^18 in place of 2^27; one sample");
  const FilledCell& speedup = cell_of(filled, "Radix sort", "Speedup");
  EXPECT_DOUBLE_EQ(speedup.measured.value.value(), 5);
  EXPECT_DOUBLE_EQ(speedup.ratio.value(), 5 / 21.6);
  EXPECT_EQ(speedup.note, "n = 2^18 in place of 2^27; one sample");
}

TEST_F(Papers, FillSharesAndLaunchesFromTheBreakdown) {
  const Exhibit& table = exhibit("fraidakis-table-3");
  activities_[config_of(cell_of(table, "compareSwapV0", "2^24").subject).id()] = {
      {"sortlab::gpu::compare_swap", 105, 6e6, 0.6},
      {"sortlab::lower_steps", 14, 2e6, 0.2},
      {"copy to the device", 1, 1.5e6, 0.15},
      {"copy to the host", 1, 4e5, 0.04},
      {"fill", 1, 1e5, 0.01}};
  const FilledExhibit filled = fill(table, results());
  EXPECT_NEAR(cell_of(filled, "compareSwapV0", "2^24").measured.value.value(), 60, 1e-9);
  EXPECT_NEAR(cell_of(filled, "compareSwapV0", "2^24").ratio.value(), 60 / 34.74, 1e-9);
  EXPECT_NEAR(cell_of(filled, "Memory Transfer (D2H)", "2^24").measured.value.value(), 4, 1e-9);
  EXPECT_EQ(cell_of(filled, "compareSwapV0", "2^24").measured.revision, "abc123");
  EXPECT_FALSE(cell_of(filled, "compareSwapV0", "2^25").measured.value);
  runs_["20261122T000000Z-000001"] = {{"build", {{"git_revision", "def456"}, {"git_dirty", true}}}};
  EXPECT_EQ(cell_of(fill(table, results()), "compareSwapV0", "2^24").measured.revision,
            "abc123 or def456-dirty")
      << "a breakdown of an older program does not say which";
  for (auto& [id, rows] : activities_) {
    for (ActivityRow& row : rows) row.revision = "def456";
  }
  EXPECT_EQ(cell_of(fill(table, results()), "compareSwapV0", "2^24").measured.revision, "def456");
  Cell launches = cell_of(table, "compareSwapV0", "2^24");
  launches.quantity = Quantity::launches;
  EXPECT_EQ(results().figure_of(launches).value, 105);
  launches.activity = "";
  EXPECT_EQ(results().figure_of(launches).value, 119);
}

TEST_F(Papers, FindTheCrossover) {
  const Exhibit& crossover = exhibit("fraidakis-crossover");
  const Cell& cell = cell_of(crossover, "copies and kernels", "last n that V3 wins");
  const auto subjects = subjects_of(cell);
  EXPECT_EQ(subjects.size(), 2u * 20);
  const auto measure = [&](std::size_t last_won) {
    Recorder recorder("", "r");
    for (const Subject& subject : subjects) {
      const bool is_v3 = subject.variant == cell.subject.variant;
      recorder.add_sample(config_of(subject), sample_of(is_v3 && subject.n > last_won ? 3000
                                                        : is_v3                       ? 1000
                                                                                      : 2000));
    }
    return Results(recorder.table(), {}, runs_).figure_of(cell);
  };
  EXPECT_EQ(measure(1u << 18).value, 1u << 18);
  EXPECT_EQ(measure(1u << 18).reason, "one sample");
  EXPECT_EQ(measure(0).value, 0);
  EXPECT_THAT(measure(0).reason, HasSubstr("slower already at n = 1024"));
  EXPECT_EQ(measure(1u << 30).value, 512u << 20);
  EXPECT_THAT(measure(1u << 30).reason, HasSubstr("still faster"));
  EXPECT_FALSE(results().figure_of(cell).value) << "nothing is measured";
}

// Claims.

TEST_F(Papers, ConfirmAClaim) {
  const FilledClaim claim = judged(R"("least": 2)", {300, 310, 320}, {100, 100, 101});
  EXPECT_EQ(claim.verdict, Verdict::confirmed);
  EXPECT_EQ(claim.reason, "1 of 1 checks hold");
}

TEST_F(Papers, RefuteAClaim) {
  EXPECT_EQ(judged(R"("least": 2)", {150}, {100}).verdict, Verdict::refuted);
}

TEST_F(Papers, RefuteAClaimFromAbove) {
  EXPECT_EQ(judged(R"("most": 1)", {150}, {100}).verdict, Verdict::refuted);
}

TEST_F(Papers, LeaveAClaimOpenThatTheSamplesDoNotDecide) {
  const FilledClaim claim = judged(R"("least": 2)", {150, 250, 300}, {100});
  EXPECT_EQ(claim.verdict, Verdict::open);
  EXPECT_THAT(claim.reason, HasSubstr("too close to call: r, speedup lies between 1.5 and 3"));
}

TEST_F(Papers, LeaveAClaimOpenThatIsNotMeasured) {
  const FilledClaim claim = judged(R"("least": 2)", {}, {100});
  EXPECT_EQ(claim.verdict, Verdict::open);
  EXPECT_THAT(claim.reason, HasSubstr("not measured"));
}

TEST_F(Papers, JudgeTheLaunchesOfTheBlogPost) {
  const Exhibit& blog = exhibit("cuda-blog-launches");
  for (const Cell& check : blog.claims.front().checks) {
    const double stages = std::log2(static_cast<double>(check.subject.n));
    activities_[config_of(check.subject).id()] = {
        {"sortlab::gpu::compare_swap", stages * (stages + 1) / 2, 1e6, 1}};
  }
  const FilledExhibit filled = fill(blog, results());
  EXPECT_EQ(filled.claims[0].verdict, Verdict::refuted);
  EXPECT_EQ(filled.claims[1].verdict, Verdict::confirmed);
}

TEST_F(Papers, JudgeByTheMajorityWhereTheTextSaysTypically) {
  const auto claim_about_small_arrays = [](const Exhibit& e) {
    return std::find_if(e.claims.begin(), e.claims.end(),
                        [](const Claim& c) { return !c.need_all; });
  };
  const Claim& claim = *claim_about_small_arrays(exhibit("goralija-claims"));
  ASSERT_EQ(claim.checks.size(), 20u);
  const auto verdict = [&](std::size_t won_by_cpu, std::size_t measured) {
    Recorder recorder("", "r");
    for (std::size_t i = 0; i < measured; ++i) {
      recorder.add_sample(config_of(*claim.checks[i].against), sample_of(1000));
      recorder.add_sample(config_of(claim.checks[i].subject),
                          sample_of(i < won_by_cpu ? 2000 : 500));
    }
    Exhibit one = exhibit("goralija-claims");
    one.claims = {claim};
    return fill(one, Results(recorder.table(), {}, runs_)).claims.front().verdict;
  };
  EXPECT_EQ(verdict(11, 20), Verdict::confirmed);
  EXPECT_EQ(verdict(10, 20), Verdict::refuted);
  EXPECT_EQ(verdict(11, 11), Verdict::confirmed) << "the rest can't change it";
  EXPECT_EQ(verdict(5, 10), Verdict::open);
}

TEST_F(Papers, KeepAClaimAboutLargeArraysOpenAtSmallScale) {
  const Exhibit& claims = exhibit("fraidakis-claims", Scale::small);
  const Claim& gains = claims.claims[2];
  for (const Cell& check : gains.checks) {
    add_total(check.subject, 1000);
    add_total(*check.against, 1300);
  }
  const FilledClaim filled = fill(claims, results()).claims[2];
  EXPECT_EQ(filled.verdict, Verdict::open);
  EXPECT_EQ(filled.reason, "n = 2^13 in place of 2^27; one sample");
}

TEST_F(Papers, TellTheVersionsApartByTheBandwidth) {
  const Exhibit& versions = exhibit("goralija-versions");
  Sample sample = sample_of(95'000'000);
  sample.kernel_ns = 85'000'000;  // at 4 TB/s: 1771 ms at the 192 GB/s of the paper's GPU
  recorder_.add_sample(config_of(versions.claims[0].checks[0].subject), sample);
  const FilledExhibit filled = fill(versions, results());
  EXPECT_EQ(filled.claims[0].verdict, Verdict::confirmed);
  EXPECT_EQ(filled.claims[1].verdict, Verdict::refuted);
  EXPECT_EQ(filled.claims[2].verdict, Verdict::open);
}

TEST_F(Papers, TakeTheHostsWorkOutOfTheKernels) {
  const Exhibit& bootstrap = exhibit("goralija-bootstrap");
  Sample sample = sample_of(1'300'000'000);
  sample.kernel_ns = 1'200'000'000;
  sample.host_ns = 1'083'000'000;
  const Config config = config_of(bootstrap.cells.front().subject);
  recorder_.add_sample(config, sample);
  activities_[config.id()] = {{"copy to the host", 2, 40e6, 0.2},
                              {"sortlab::sort_tasks", 24, 97e6, 0.6}};
  const FilledExhibit filled = fill(bootstrap, results());
  const auto here = [&](const char* column) {
    return cell_of(filled, "Iterative V2", column).measured.value.value();
  };
  EXPECT_DOUBLE_EQ(here("Kernel"), 97);
  EXPECT_DOUBLE_EQ(here("Sort without the host"), 117);
  EXPECT_DOUBLE_EQ(here("Bootstrap of the host"), 1083);
  EXPECT_DOUBLE_EQ(here("Total from host data"), 1280);
  EXPECT_DOUBLE_EQ(here("Total"), 1300);
}

/// The only check of a claim whose text begins so.
const Cell& check_of(const Exhibit& exhibit, std::string_view begin, std::size_t i = 0) {
  return std::find_if(exhibit.claims.begin(), exhibit.claims.end(),
                      [&](const Claim& c) { return c.text.starts_with(begin); })
      ->checks.at(i);
}

TEST_F(Papers, CompareTwoSpeedups) {
  const Cell& check = check_of(exhibit("goralija-claims"), "Amdahl");
  ASSERT_EQ(check.beside.size(), 2u);
  EXPECT_EQ(check.beside[0].variant, "cpu/radix/parallel");
  EXPECT_EQ(check.beside[1].variant, "cpu/radix/optimized");
  add_total(check.subject, 100);
  add_total(*check.against, 600);
  EXPECT_EQ(results().figure_of(check).value, std::nullopt);
  add_total(check.beside[0], 100);
  add_total(check.beside[1], 300);
  EXPECT_DOUBLE_EQ(results().figure_of(check).value.value(), 2);
}

TEST_F(Papers, CompareTheGrowthOfTwoPhases) {
  const Cell& check = check_of(exhibit("daskalopoulos-claims"), "The copies become");
  EXPECT_EQ(check.subject.time, Quantity::copies);
  EXPECT_EQ(check.against->time, Quantity::copies);
  EXPECT_EQ(check.beside[1].time, Quantity::kernel);
  EXPECT_EQ(check.beside[1].n, 1u << 27);
}

TEST_F(Papers, ShareIdlenessAndBandwidthOfTheKernelTime) {
  const Cell& launches = check_of(exhibit("daskalopoulos-claims"), "V0's primary issue");
  Sample sample = sample_of(3'000'000);
  sample.kernel_ns = 4'000'000;
  recorder_.add_sample(config_of(launches.subject), sample);
  activities_[config_of(launches.subject).id()] = {{"sortlab::gpu::compare_swap", 210, 2.5e6, 0.8},
                                                   {"sortlab::gpu::map_keys", 2, 5e5, 0.2}};
  EXPECT_DOUBLE_EQ(results().figure_of(launches).value.value(), 25);
  activities_.begin()->second.front().ns = 5e6;  // the profiler slows kernels
  EXPECT_DOUBLE_EQ(results().figure_of(launches).value.value(), 0);

  const Cell& bandwidth = check_of(exhibit("cuda-blog-launches"), "The sort is likely limited");
  sample.kernel_ns = 202'937'204;  // 3024 bytes for each of 2^27 keys, twice the time at 4 TB/s
  recorder_.add_sample(config_of(bandwidth.subject), sample);
  EXPECT_NEAR(results().figure_of(bandwidth).value.value(), 50, 1e-6);
}

TEST_F(Papers, CompareActivitiesOfTwoProfiles) {
  const Exhibit& claims = exhibit("fraidakis-claims");
  const Cell& time = check_of(claims, "compareSwap takes roughly", 1);
  activities_[config_of(time.subject).id()] = {{"sortlab::gpu::compare_swap", 171, 200, 0.4}};
  activities_[config_of(*time.against).id()] = {{"sortlab::gpu::compare_swap", 171, 300, 0.3},
                                                {"sortlab::lower_steps", 18, 100, 0.1}};
  EXPECT_DOUBLE_EQ(results().figure_of(time).value.value(), 1.5);

  const Cell& next = check_of(claims, "compareSwap is the largest", 0);
  EXPECT_EQ(next.subject.variant, next.against->variant);
  EXPECT_DOUBLE_EQ(results().figure_of(next).value.value(), 3);
}

TEST_F(Papers, ReachFromTheProfileToTheTimedSamples) {
  const Cell& check = check_of(exhibit("fraidakis-claims"), "compareSwap's share of the time", 1);
  activities_[config_of(check.subject).id()] = {{"sortlab::gpu::compare_swap", 171, 100, 0.25},
                                                {"sortlab::lower_steps", 18, 100, 0.25},
                                                {"copy to the device", 1, 120, 0.3},
                                                {"copy to the host", 1, 80, 0.2}};
  activities_[config_of(*check.against).id()] = {{"sortlab::gpu::compare_swap", 171, 100, 0.2},
                                                 {"sortlab::lower_steps", 18, 150, 0.3},
                                                 {"copy to the device", 1, 150, 0.3},
                                                 {"copy to the host", 1, 100, 0.2}};
  const auto figure = [&] { return results().figure_of(check); };
  EXPECT_DOUBLE_EQ(figure().value.value(), 1.25);
  EXPECT_DOUBLE_EQ(figure().range.low, 1.25) << "nothing is timed";

  const auto add = [&](const Subject& subject, std::int64_t kernel_ns, std::int64_t copies_ns) {
    Sample sample = sample_of(kernel_ns + copies_ns);
    sample.kernel_ns = kernel_ns;
    sample.h2d_ns = copies_ns / 2;
    sample.d2h_ns = copies_ns / 2;
    recorder_.add_sample(config_of(subject), sample);
  };
  add(check.subject, 200, 200);  // as in the profile
  add(*check.against, 125,
      70);  // twice as fast, with copies that are faster than that: a share of 100 / 390
  EXPECT_DOUBLE_EQ(figure().value.value(), 1.25);
  EXPECT_DOUBLE_EQ(figure().range.low, 0.975);
  EXPECT_DOUBLE_EQ(figure().range.high, 1.25);
  EXPECT_EQ(holds({check, figure(), std::nullopt, ""}), std::nullopt);

  const Cell& time = check_of(exhibit("fraidakis-claims"), "compareSwap takes roughly", 1);
  EXPECT_DOUBLE_EQ(results().figure_of(time).value.value(), 1);
  EXPECT_DOUBLE_EQ(results().figure_of(time).range.low, 0.5);
}

TEST_F(Papers, CompareSortsRoundByRound) {
  const Cell& check = check_of(exhibit("goralija-task-threshold"), "Too small");
  const auto with_rounds = [&](double drift) {  // the machine is slower from round to round
    Recorder recorder("", "r");
    for (int round = 0; round < 3; ++round) {
      for (const auto& [subject, ns] :
           {std::pair{check.subject, 1000.0}, {*check.against, 1200.0}}) {
        recorder.add_sample(config_of(subject), sample_of(std::llround(ns * (1 + drift * round))));
      }
    }
    return Results(recorder.table(), {}, runs_).figure_of(check);
  };
  const Figure figure = with_rounds(0.5);
  EXPECT_DOUBLE_EQ(figure.value.value(), 1.2);
  EXPECT_NEAR(figure.range.low, 1.2, 1e-9) << "in each round";
  EXPECT_NEAR(figure.range.high, 1.2, 1e-9);

  for (const double ns : {1000.0, 1500.0, 2000.0}) add_total(check.subject, ns);
  for (const double ns : {1200.0, 1800.0}) add_total(*check.against, ns);
  EXPECT_DOUBLE_EQ(results().figure_of(check).range.low, 0.6) << "not in the same rounds";
}

TEST_F(Papers, JudgeWhatAnotherMachineMeasured) {
  const Exhibit& table = exhibit("goralija-table-1");
  Config config = config_of(cell_of(table, "Radix sort", "Par. CPU").subject);
  config.device = "another CPU";
  config.isa = "avx2";
  config.threads += 14;
  recorder_.add_sample(config, sample_of(5'000'000));
  EXPECT_FALSE(cell_of(fill(table, results()), "Radix sort", "Par. CPU").measured.value);
  const FilledExhibit filled = fill(table, {recorder_.table(), activities_, runs_, true});
  const FilledCell& cell = cell_of(filled, "Radix sort", "Par. CPU");
  EXPECT_EQ(cell.measured.value, 5);
  EXPECT_EQ(cell.measured.device, "another CPU");
  EXPECT_THAT(cell_of(filled, "Merge sort", "Naive").note, HasSubstr("not measured"));
}

TEST_F(Papers, JudgeEveryClaim) {
  for (const Exhibit& e : all_exhibits(Scale::full)) {
    for (const Claim& claim : e.claims) {
      EXPECT_TRUE(!claim.checks.empty() || !claim.reason.empty()) << claim.text;
      EXPECT_TRUE(claim.source.starts_with(e.source)) << claim.text;
    }
  }
  EXPECT_GE(all_contradictions().size(), 15u);
  for (const Contradiction& one : all_contradictions()) {
    EXPECT_GE(one.lines.size(), 2u) << one.text;
  }
}

TEST_F(Papers, CountTheVerdictsBySource) {
  const std::string paper = R"({"cite": "c", "machine": "m", "exhibits": [{"id": "e", "title": "t",
      "place": "p", "claims": [
        {"claim": "a | b", "verdict": "refuted", "reason": "r1"},
        {"claim": "b", "verdict": "open", "reason": "r2"},
        {"edition": "Bosnian", "claim": "d", "verdict": "confirmed", "reason": "r3"}]}],
      "contradictions": [{"contradiction": "both", "lines": ["here 1", "there 2"]}]})";
  const std::vector<FilledExhibit> filled = {fill(parse_paper(paper, Scale::full)[0], results())};
  const std::string terminal = terminal_summary(filled);
  EXPECT_THAT(terminal, testing::ContainsRegex("c +0 +1 +1 +of 2 claims\n"));
  EXPECT_THAT(terminal, testing::ContainsRegex("c, Bosnian edition +1 +0 +0 +of 1 claims\n"));
  EXPECT_THAT(terminal, testing::ContainsRegex("all +1 +1 +1 +of 3 claims\n"));
  const std::string page = markdown_summary(filled, parse_contradictions(paper));
  EXPECT_THAT(page, HasSubstr("| c, Bosnian edition | 1 | 0 | 0 | 1 |"));
  EXPECT_THAT(page, HasSubstr("| c | a \\| b | refuted | r1 | e |"));
  EXPECT_THAT(page, HasSubstr("**c**: both\n\n- here 1\n- there 2\n"));
  EXPECT_THAT(csv_text(filled[0]), HasSubstr("\"c, Bosnian edition\",p,d,verdict"));
  EXPECT_THAT(terminal_summary({}), "");
}

// Rendering.

TEST_F(Papers, AreWrittenAsCsvAndMarkdown) {
  const Exhibit& table = exhibit("goralija-quick-variants");
  add_total(cell_of(table, "Batched", "Total").subject, 500 * kMillion);
  for (const double ms : {784.0, 800.0, 816.0})
    add_total(cell_of(table, "Iterative V2", "Total").subject, ms * kMillion);
  const FilledExhibit filled = fill(table, results());
  const std::string csv = csv_text(filled);
  EXPECT_EQ(csv.substr(0, csv.find('\n')),
            "exhibit,source,table,row,column,unit,published,measured,low,high,ratio,status,reason,"
            "machine,revision");
  EXPECT_THAT(
      csv,
      HasSubstr("goralija-quick-variants,Goralija et al.,sections III and IV.C,Batched,Total,ms,"
                "5187,500,500,500,0.0963948,ok,one sample,"));
  EXPECT_THAT(csv, HasSubstr(",800,784,816,"));
  EXPECT_THAT(csv, HasSubstr(",verdict,,,,,,,refuted,0 of 1 checks hold,,"));
  const std::string markdown = markdown_text(filled);
  EXPECT_THAT(markdown, HasSubstr("| Batched | 5187 → 500 (0.0964x) |"));
  EXPECT_THAT(markdown, HasSubstr(" → 800 ±2% ("));
  EXPECT_THAT(markdown, HasSubstr("| Fat | 4481 → – |"));
  EXPECT_THAT(markdown, HasSubstr("- 1 of 3 cells skipped: "));
  EXPECT_THAT(markdown, HasSubstr("refuted: 0 of 1 checks hold"));
  const std::string text = terminal_text(filled);
  EXPECT_THAT(text, HasSubstr("5187  500 0.0964x"));
  EXPECT_THAT(text, HasSubstr("0.625 x (wanted: at least 4)"));
}

// Bad input.

TEST_F(Papers, RefuseAnUnknownExhibit) {
  try {
    select_exhibits({"all", "goralija-table-7"}, Scale::full);
    FAIL() << "accepted";
  } catch (const BadInput& error) {
    EXPECT_THAT(error.what(), HasSubstr("goralija-table-7"));
    EXPECT_THAT(error.what(), HasSubstr("nearest: goralija-table-1"));
  }
  EXPECT_EQ(select_exhibits({"fraidakis-table-2", "fraidakis-table-2"}, Scale::full).size(), 1u);
  EXPECT_EQ(select_exhibits({"all"}, Scale::small).size(), all_exhibits(Scale::small).size());
}

TEST_F(Papers, RefuseDataThatBreaksTheFormat) {
  const auto refused = [](const std::string& exhibit_body, const char* why) {
    const std::string paper = R"({"cite": "c", "machine": "m", "measure": {"type": "i32"},
        "exhibits": [{"id": "bad", "title": "t", "place": "p", )" +
                              exhibit_body + "}]}";
    try {
      parse_paper(paper, Scale::full);
      FAIL() << exhibit_body;
    } catch (const std::runtime_error& error) {
      EXPECT_THAT(error.what(), HasSubstr(why));
      EXPECT_THAT(error.what(), HasSubstr("bad: "));
    }
  };
  const std::string column = R"("columns": [{"column": "c", "unit": "ms", "variant": "v"}], )";
  refused(column + R"("rows": [{"row": "r", "n": "1K", "published": [1, 2]}])",
          "2 published values");
  refused(column + R"("rows": [{"row": "r", "n": "1K", "publish": [1]}])", "unknown key 'publish'");
  refused(column + R"("rows": [{"row": "r", "published": [1]}])", "no n");
  refused(column + R"("rows": [{"row": "r", "n": ["1K", "2K"]}])", "'n' has 2 values");
  refused(column + R"("rows": [{"row": "r", "n": "1K", "unit": "fortnights"}])", "fortnights");
  refused(column + R"("rows": [{"row": "r", "n": "1K", "quantity": "mood"}])", "mood");
  refused(column + R"("rows": [{"row": "r", "n": "1K", "quantity": "speedup"}])", "against");
  refused(R"("of": "elsewhere")", "no exhibit 'elsewhere'");
  refused(R"("claims": [{"claim": "x", )" + column + R"("rows": [{"row": "r", "n": "1K"}]}])",
          "no bounds");
}

TEST(Breakdown, ATimelineHasALineForSpansThatFollowEachOther) {
  EXPECT_EQ(timeline_text({{1, "copy between GPUs", 2500, 4000},
                           {0, "count", 1000, 2000},
                           {1, "scatter", 2000, 3000},
                           {0, "scatter", 2000, 2600},
                           {0, "scatter", 3000, 3500},
                           {1, "copy between GPUs", 3500, 4500}}),
            "GPU  begin, us        end       busy  count  kernel or copy\n"
            "  0        0.0        1.0        1.0      1  count\n"
            "  1        1.0        2.0        1.0      1  scatter\n"
            "  0        1.0        2.5        1.1      2  scatter\n"
            "  1        1.5        3.5        2.5      2  copy between GPUs\n");
}

using PapersBreakdown = Papers;

TEST_F(PapersBreakdown, AreReadWithoutWhatAKillCutOff) {
  std::string header = "schema_version,config_id";
  for (const auto& [name, value] : Config{}.columns()) header += "," + name;
  header += ",activity,launches_per_sort,ns_per_sort,share,revision\n";
  const std::string middle(Config{}.columns().size(), ',');
  const std::string whole = "1,aa" + middle + ",sortlab::k,3,600,0.60000,abc123\n1,aa" + middle +
                            ",copy to the host,1,400,0.40000,\n";
  const std::string torn = "1,bb" + middle + ",sortlab::k,3,600,0.60000,\n1,bb" + middle + ",copy";
  const ActivityTable table = read_breakdown(write("b.csv", header + whole + torn));
  ASSERT_EQ(table.size(), 1u);
  ASSERT_EQ(table.at("aa").size(), 2u);
  EXPECT_EQ(table.at("aa")[0].name, "sortlab::k");
  EXPECT_EQ(table.at("aa")[0].launches, 3);
  EXPECT_EQ(table.at("aa")[1].share, 0.4);
  EXPECT_EQ(table.at("aa")[0].revision, "abc123");
  EXPECT_EQ(table.at("aa")[1].revision, "");
  EXPECT_TRUE(read_breakdown(path("none.csv")).empty());
  EXPECT_THROW(read_breakdown(write("c.csv", "a,b\n1,2\n")), BadInput);
  EXPECT_THROW(read_breakdown(write("d.csv", header + "1,aa\n")), BadInput);
  EXPECT_THROW(read_breakdown(write("e.csv", header + "2" + whole.substr(1))), BadInput);
}

}  // namespace
}  // namespace sortlab::reproduce
