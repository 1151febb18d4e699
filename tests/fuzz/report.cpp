// Fuzzes all files that `sortlab report` reads: samples, run.json, a breakdown and exhibits. The
// input is their texts, separated by form feeds.
#include <unistd.h>

#include <array>
#include <nlohmann/json.hpp>

#include "common/harness/plan/counts.hpp"
#include "common/harness/record/run_files.hpp"
#include "tests/fuzz/fuzzing.hpp"
#include "tool/report/gather.hpp"

using namespace sortlab;
using namespace sortlab::fuzzing;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::array<const char*, 4> kNames = {"a.csv", "a.run.json", "a.breakdown.csv",
                                                 "exhibits.csv"};
  const auto texts = split(text_of(data, size), '\f');
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (i < texts.size()) {
      write(kNames[i], with_header(texts[i]));
    } else {
      unlink((folder() + '/' + kNames[i]).c_str());
    }
  }
  const std::string run_json = folder() + "/a.run.json";
  accepts(run_json, [&] { (void)read_run_json(run_json); });

  std::vector<std::string> warnings;
  accepts(folder(), [&] {
    const std::string page = report::data_json(report::gather({folder()}, warnings), "now");
    require(nlohmann::json::accept(page), "the page's data is no JSON");
    require(report::data_json(report::gather({folder()}, warnings), "now") == page,
            "two reports of one folder differ");
  });
  for (const auto& warning : warnings) {
    require(warning.find(folder()) != warning.npos, "no file name in: " + warning);
  }
  return 0;
}
