#include "common/tool/list/source_text.hpp"

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "common/choose/embedded.hpp"
#include "common/contract/read_file.hpp"
#include "common/harness/machine/build_info.hpp"

namespace sortlab {

std::size_t SourceText::lines() const {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

std::vector<std::string> SourceText::head() const {
  std::vector<std::string> paragraphs(1);
  std::istringstream in(text);
  for (std::string line; std::getline(in, line) && line.starts_with("//");) {
    line.erase(0, line.starts_with("// ") ? 3 : 2);
    if (!line.empty()) {
      paragraphs.back() += line + '\n';
    } else if (!paragraphs.back().empty()) {
      paragraphs.emplace_back();
    }
  }
  if (paragraphs.back().empty()) paragraphs.pop_back();
  return paragraphs;
}

SourceText source_text(std::string_view id) {
  for (const char* const ending : {".cpp", ".cu"}) {
    const std::string path = std::string(id) + ending;
    const auto file = std::filesystem::path(kSourceDir) / path;
    std::error_code none;
    if (std::filesystem::is_regular_file(file, none)) return {path, read_file(file.string())};
    for (const auto& embedded : embedded_files()) {
      if (embedded.path == path) return {path, std::string(embedded.content)};
    }
  }
  return {};
}

}  // namespace sortlab
