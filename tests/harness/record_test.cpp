// The CSV: its columns, its quoting, and the treatment of incomplete files.
#include "common/harness/record/record.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "common/contract/errors.hpp"
#include "common/harness/record/summary.hpp"
#include "tests/temporary_file.hpp"

namespace sortlab {
namespace {

using Fields = std::vector<std::string>;

TEST(CsvLine, ComesBackAsItWas) {
  for (const Fields& fields :
       {Fields{"a", "b", "c"}, Fields{""}, Fields{"", ""}, Fields{"", "x", ""},
        Fields{"a,b", "say \"yes\"", "\"", "\"\"", ",", "plain"}}) {
    EXPECT_EQ(split_csv_line(join_csv_line(fields)), fields) << join_csv_line(fields);
  }
}

TEST(CsvLine, IsQuotedOnlyWhereItMustBe) {
  EXPECT_EQ(join_csv_line({"plain", "a b", "c,d", "e\"f"}), "plain,a b,\"c,d\",\"e\"\"f\"");
}

TEST(CsvLine, StaysOneLine) {
  EXPECT_EQ(join_csv_line({"two\nlines\r"}), "two lines ");
  EXPECT_EQ(join_csv_line({"two\nlines, quoted"}), "\"two lines, quoted\"");
}

class RecorderTest : public TemporaryFolder {
 protected:
  static Config config_of(std::size_t n) {
    Config config;
    config.variant = "cpu/radix/naive";
    config.device = "A CPU, \"fast\"";
    config.n = n;
    config.dist = {"uniform", ""};
    return config;
  }

  static Sample sample(int rep, const std::string& stop_reason = "") {
    Sample s;
    s.rep = rep;
    s.total_ns = 1000 + rep;
    s.peak_temp_bytes = 64;
    s.verdict = {.sorted = true, .permutation = true, .stable = std::nullopt};
    s.stop_reason = stop_reason;
    return s;
  }

  /// Two samples of n = 1 with its end, one of n = 2 without.
  std::string half_done_file() const {
    const std::string file = path("run.csv");
    Recorder recorder(file, "first");
    recorder.add_sample(config_of(1), sample(0));
    recorder.add_sample(config_of(1), sample(1, "accuracy"));
    recorder.add_sample(config_of(2), sample(0));
    return file;
  }

  static std::vector<std::string> column(const CsvTable& table, const std::string& name) {
    std::vector<std::string> values;
    for (const auto& row : table.rows) values.push_back(row.at(name));
    return values;
  }
};

TEST_F(RecorderTest, WritesWhatItWasGiven) {
  Sample s = sample(3, "time limit");
  s.alloc_ns = 5;
  s.cpu_joules = 0.25;
  s.counters = {1e6, 2.5e6, 0.5, std::nullopt, 0, 1.25};
  s.verdict.stable = false;
  s.free_cpus = 11.5;
  s.around = {.load_1min = 2.5, .cpu_quota = 1.5, .cpu_list = "0-3,8"};
  Config config = config_of(7);
  config.value_bytes = 4;
  config.params = "a=1;b=2";
  config.load = {3, 50, 20};
  {
    Recorder recorder(path("run.csv"), "id");
    recorder.add_sample(config, s);
    recorder.add_outcome(config_of(8), {Status::skipped, "too large, by far"});
  }
  const CsvTable table = read_csv(path("run.csv"));
  ASSERT_EQ(table.rows.size(), 2u);
  const auto& row = table.rows[0];
  EXPECT_EQ(row.at("schema_version"), std::to_string(kSchemaVersion));
  EXPECT_EQ(row.at("run_id"), "id");
  EXPECT_EQ(row.at("config_id"), config.id());
  EXPECT_EQ(row.at("status"), "ok");
  EXPECT_EQ(row.at("reason"), "time limit");
  for (const auto& [name, value] : config.columns()) EXPECT_EQ(row.at(name), value) << name;
  EXPECT_EQ(row.at("rep"), "3");
  EXPECT_EQ(row.at("total_ns"), "1003");
  EXPECT_EQ(row.at("alloc_ns"), "5");
  EXPECT_EQ(row.at("h2d_ns"), "");
  EXPECT_EQ(row.at("cpu_J"), "0.25");
  EXPECT_EQ(row.at("cycles"), "1000000");
  EXPECT_EQ(row.at("branch_misses"), "0.5");
  EXPECT_EQ(row.at("cache_misses"), "");
  EXPECT_EQ(row.at("page_faults"), "0");
  EXPECT_EQ(row.at("context_switches"), "1.25");
  EXPECT_EQ(summarize(table).at(0).counters, s.counters);
  EXPECT_EQ(row.at("load_1min"), "2.5");
  EXPECT_EQ(row.at("cpu_quota"), "1.5");
  EXPECT_EQ(row.at("cpu_list"), "0-3,8");
  EXPECT_EQ(row.at("free_cpus"), "11.5");
  EXPECT_EQ(row.at("load"), "3:50/20");
  for (const char* name :
       {"devices", "ranks", "memory_limit_bytes", "exchange_ns", "exchange_bytes", "imbalance"}) {
    EXPECT_EQ(row.at(name), "") << name;
  }
  EXPECT_EQ(row.at("sorted_ok"), "1");
  EXPECT_EQ(row.at("permutation_ok"), "1");
  EXPECT_EQ(row.at("stable_ok"), "0");

  EXPECT_EQ(table.rows[1].at("status"), "skipped");
  EXPECT_EQ(table.rows[1].at("reason"), "too large, by far");
  EXPECT_EQ(table.rows[1].at("total_ns"), "");
  EXPECT_EQ(table.rows[1].at("sorted_ok"), "");
}

TEST_F(RecorderTest, KnowsWhatIsDone) {
  Recorder recorder("", "id");
  EXPECT_FALSE(recorder.completed(config_of(1).id()));
  recorder.add_sample(config_of(1), sample(0));
  EXPECT_FALSE(recorder.completed(config_of(1).id()));
  recorder.add_sample(config_of(1), sample(1, "accuracy"));
  EXPECT_TRUE(recorder.completed(config_of(1).id()));
  for (const Status status : {Status::skipped, Status::failed, Status::timeout, Status::oom}) {
    const Config config = config_of(10 + static_cast<std::size_t>(status));
    recorder.add_outcome(config, {status, "why"});
    EXPECT_TRUE(recorder.completed(config.id())) << name_of(status);
  }
  EXPECT_EQ(recorder.table().rows.size(), 6u);
}

TEST_F(RecorderTest, EachRowIsInTheFileAtOnce) {
  Recorder recorder(path("run.csv"), "id");
  EXPECT_EQ(read_csv(path("run.csv")).rows.size(), 0u);
  recorder.add_sample(config_of(1), sample(0));
  EXPECT_EQ(read_csv(path("run.csv")).rows.size(), 1u);
}

TEST_F(RecorderTest, GoesOnWithoutTheConfigurationThatWasCutOff) {
  const std::string file = half_done_file();
  EXPECT_EQ(column(read_csv(file), "n"), (Fields{"1", "1", "2"}));
  {
    Recorder again(file, "second");
    EXPECT_TRUE(again.completed(config_of(1).id()));
    EXPECT_FALSE(again.completed(config_of(2).id()));
    EXPECT_EQ(again.table().rows.size(), 2u);
    again.add_sample(config_of(2), sample(0, "accuracy"));
  }
  const CsvTable table = read_csv(file);
  EXPECT_EQ(column(table, "n"), (Fields{"1", "1", "2"}));
  EXPECT_EQ(column(table, "run_id"), (Fields{"first", "first", "second"}));
  EXPECT_EQ(files_in_folder(), (Fields{"run.csv"}));
}

TEST_F(RecorderTest, ResumingWithNothingToDropChangesNothing) {
  const std::string file = path("run.csv");
  {
    Recorder recorder(file, "id");
    recorder.add_sample(config_of(1), sample(0, "accuracy"));
  }
  const std::string before = read(file);
  { Recorder again(file, "id"); }
  EXPECT_EQ(read(file), before);
}

TEST_F(RecorderTest, DropsALineThatWasCutInTheMiddle) {
  const std::string whole = read(half_done_file());
  const std::size_t last_line = whole.rfind('\n', whole.size() - 2) + 1;
  for (const std::size_t cut : {last_line + 1, last_line + 40, whole.size() - 1}) {
    const std::string file = write("cut.csv", whole.substr(0, cut));
    EXPECT_EQ(column(read_csv(file), "n"), (Fields{"1", "1"})) << cut;
    Recorder again(file, "second");
    EXPECT_TRUE(again.completed(config_of(1).id()));
    EXPECT_EQ(read(file), whole.substr(0, last_line)) << cut;
  }
}

TEST_F(RecorderTest, StartsAnEmptyFile) {
  const std::string file = write("empty.csv", "");
  Recorder recorder(file, "id");
  EXPECT_EQ(read(file), join_csv_line(csv_columns()) + "\n");
}

TEST_F(RecorderTest, RefusesAForeignFileAndLeavesItAlone) {
  const std::string whole = read(half_done_file());
  std::string other_version = whole;
  other_version.replace(other_version.find('\n') + 1, 1, "9");
  const std::string foreign[] = {
      "a,b,c\n1,2,3\n", "no line break at the end", "\n", "x" + whole,
      other_version,    whole + "1,2,3\n",
  };
  for (const std::string& text : foreign) {
    const std::string file = write("foreign.csv", text);
    EXPECT_THROW(Recorder(file, "id"), BadInput) << text;
    EXPECT_THROW(read_csv(file), BadInput) << text;
    EXPECT_EQ(read(file), text);
    EXPECT_EQ(files_in_folder(), (Fields{"foreign.csv", "run.csv"}));
  }
}

TEST_F(RecorderTest, WholeRowsOfAWholeFileComeWithoutAWord) {
  std::vector<std::string> warnings;
  EXPECT_EQ(read_whole_rows(half_done_file(), warnings).rows.size(), 3u);
  EXPECT_EQ(warnings, Fields{});
}

TEST_F(RecorderTest, FormsOfOtherProgramsAreRead) {
  const std::string whole = read(half_done_file());
  const auto rows = read_csv(path("run.csv")).rows;
  const auto replaced = [](std::string text, const std::string& what, const std::string& by) {
    for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) {
      text.replace(at, what.size(), by);
    }
    return text;
  };
  const std::string crlf = replaced(whole, "\n", "\r\n");
  std::string quoted;
  std::istringstream lines(whole);
  for (std::string line; std::getline(lines, line);) {
    const char* separator = "";
    for (const auto& text : split_csv_line(line)) {
      quoted += separator + ('"' + replaced(text, "\"", "\"\"") + '"');
      separator = ",";
    }
    quoted += "\r\n";
  }
  for (const std::string& text :
       {crlf, "\xEF\xBB\xBF" + whole, "\xEF\xBB\xBF" + crlf, quoted, "\xEF\xBB\xBF" + quoted}) {
    const std::string file = write("other.csv", text);
    EXPECT_EQ(read_csv(file).rows, rows) << text;
    std::vector<std::string> warnings;
    EXPECT_EQ(read_whole_rows(file, warnings).rows, rows) << text;
    EXPECT_EQ(warnings, Fields{});
  }
  const std::string cut = write("cut.csv", crlf.substr(0, crlf.size() - 1));
  std::vector<std::string> warnings;
  EXPECT_EQ(read_whole_rows(cut, warnings).rows.size(), rows.size() - 1) << "ends with a CR alone";
  EXPECT_THROW(read_csv(write("wide.csv", "\xFF\xFEs")), BadInput);
}

TEST_F(RecorderTest, WhatIsWholeIsReadAndTheRestNamedInOneLine) {
  const std::string whole = read(half_done_file());
  const std::string row = whole.substr(whole.rfind('\n', whole.size() - 2) + 1);
  std::string other_version = row, word = row;
  other_version[0] = '9';
  word.replace(word.find("1000"), 4, "fast");
  const struct {
    std::string text;
    std::size_t rows;
    std::string place_and_reason;
  } cases[] = {
      {"", 0, "line 1: the file is empty"},
      {"a,b,c\n1,2,3\n", 0, "line 1: not a CSV of this schema"},
      {"no line break at the end", 0, "line 1: not a CSV of this schema"},
      {whole.substr(0, 60), 0, "line 1: not a CSV of this schema"},
      {whole.substr(0, whole.size() - 30), 2,
       "line 4: cut in the middle of a row; it is left out, 2 whole rows are used"},
      {whole.substr(0, whole.size() - 30) + "\n" + row, 3, "line 4: "},
      {whole + other_version + row, 4, "line 5: schema version '9', not 1; it is left out"},
      {whole + word + row, 4, "line 5: total_ns is 'fast', not a whole number"},
      {whole + "1,2\n" + "3\n" + row, 4,
       fmt::format(
           "line 5: 2 fields where {} belong; 2 such lines are left out, 4 whole rows are used",
           csv_columns().size())},
  };
  for (const auto& c : cases) {
    const std::string file = write("broken.csv", c.text);
    std::vector<std::string> warnings;
    EXPECT_EQ(read_whole_rows(file, warnings).rows.size(), c.rows) << c.place_and_reason;
    ASSERT_EQ(warnings.size(), 1u) << c.place_and_reason;
    EXPECT_EQ(warnings[0].find(file + ": " + c.place_and_reason), 0u) << warnings[0];
    EXPECT_EQ(warnings[0].find('\n'), std::string::npos);
    EXPECT_EQ(read(file), c.text);
  }
  std::vector<std::string> warnings;
  EXPECT_THROW(read_whole_rows(path("missing.csv"), warnings), BadInput);
  EXPECT_THROW(read_whole_rows(path(""), warnings), BadInput) << "a folder";
}

TEST_F(RecorderTest, AWrittenTableComesBack) {
  const CsvTable table = read_csv(half_done_file());
  write_csv(path("copy.csv"), table);
  EXPECT_EQ(read(path("copy.csv")), read(path("run.csv")));
  EXPECT_THROW(write_csv(path("no such folder/x.csv"), table), BadInput);
}

TEST_F(RecorderTest, RefusesWhatItCannotWriteTo) {
  EXPECT_THROW(Recorder(path("no such folder/run.csv"), "id"), BadInput);
  EXPECT_THROW(Recorder(path(""), "id"), BadInput) << "a folder";
}

}  // namespace
}  // namespace sortlab
