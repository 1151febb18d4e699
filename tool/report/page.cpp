#include "tool/report/gather.hpp"

#include <algorithm>
#include <vector>

#include "common/choose/embedded.hpp"
#include "common/contract/errors.hpp"
#include "tool/report/points.hpp"

namespace sortlab::report {
namespace {

constexpr std::string_view kFolder = "plots/report/";
constexpr std::string_view kPlotly = "plots/report/plotly.min.js";

std::string_view plotly() {
  for (const auto& file : embedded_files()) {
    if (file.path == kPlotly) return file.content;
  }
  throw BadInput(
      "this build holds no plotly.js, which draws the report: `pip install plotly`, or configure "
      "with -DSORTLAB_PLOTLY_JS=FILE, then build again");
}

/// All scripts but plotly.js, in order of their names; main.js, which starts them, last.
std::string scripts() {
  std::vector<EmbeddedFile> files;
  for (const auto& file : embedded_files()) {
    if (file.path.starts_with(kFolder) && file.path.ends_with(".js") && file.path != kPlotly) {
      files.push_back(file);
    }
  }
  std::stable_sort(files.begin(), files.end(), [](const auto& a, const auto& b) {
    const auto is_main = [](const auto& file) { return file.path.ends_with("/main.js"); };
    return is_main(a) != is_main(b) ? is_main(b) : a.path < b.path;
  });
  std::string text;
  for (const auto& file : files) text += file.content;
  return text;
}

/// JSON in which no browser sees the end of the script around it.
std::string within_script(std::string_view json) {
  std::string text;
  for (const char c : json) {
    if (c == '<') {
      text += "\\u003c";
    } else {
      text += c;
    }
  }
  return text;
}

}  // namespace

std::string html_page(const Report& report, std::string_view made) {
  const std::string_view library = plotly();
  std::string_view rest = embedded_file("plots/report/page.html");
  std::string page;
  page.reserve(library.size() + (1u << 21));
  const auto insert = [&](std::string_view mark, std::string_view content) {
    const auto at = rest.find(mark);
    page += rest.substr(0, at);
    page += content;
    rest.remove_prefix(at + mark.size());
  };
  insert("/*style*/", embedded_file("plots/report/page.css"));
  insert("/*data*/", within_script(data_json(report, made)));
  insert("/*looks*/", within_script(looks_json()));
  insert("/*plotly*/", library);
  insert("/*scripts*/", scripts());
  page += rest;
  return page;
}

}  // namespace sortlab::report
