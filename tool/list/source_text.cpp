#include "tool/list/source_text.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <sstream>
#include <string_view>

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

namespace {

constexpr std::size_t kSaysLittle = 60;  // characters

/// The end of the sentence that holds the place `begin`: behind a full stop, but not one in brackets or
/// within a word.
std::size_t end_of_sentence(const std::string& text, std::size_t begin) {
  int brackets = 0;
  for (std::size_t i = begin; i + 1 < text.size(); ++i) {
    if (text[i] == '(') ++brackets;
    if (text[i] == ')') --brackets;
    if (text[i] == '.' && text[i + 1] == ' ' && brackets == 0) return i + 1;
  }
  return text.size();
}

/// Where a line begins with this text; npos: nowhere.
std::size_t find_line(const std::string& text, const std::string& beginning) {
  if (text.starts_with(beginning)) return 0;
  const auto at = text.find("\n" + beginning);
  return at == std::string::npos ? at : at + 1;
}

std::size_t begin_of_idea(const std::string& head) {
  const auto over = find_line(head, "Over ");
  if (over != std::string::npos) return over;
  const auto against = find_line(head, "Against ");
  const bool is_of_a_rung =
      against != std::string::npos && !head.substr(against).starts_with("Against the source");
  return is_of_a_rung ? against : 0;
}

}  // namespace

std::string idea_of(const SourceText& source) {
  std::string head;
  for (const auto& paragraph : source.head()) head += paragraph;
  const auto begin = begin_of_idea(head);
  std::replace(head.begin(), head.end(), '\n', ' ');
  auto end = end_of_sentence(head, begin);
  if (end - begin < kSaysLittle) end = end_of_sentence(head, end);
  const std::string idea = head.substr(begin, end - begin);
  return idea.substr(0, idea.find_last_not_of(' ') + 1);
}

std::optional<long> bytes_per_key(const SourceText& source, std::size_t n) {
  constexpr std::string_view kWords = "Bytes per u32 key", kCondition = " at 2^27";
  for (const auto& paragraph : source.head()) {
    const auto begin = paragraph.find(kWords);
    if (begin == std::string::npos) continue;
    std::string_view rest = std::string_view(paragraph).substr(begin + kWords.size());
    const bool is_conditional = rest.starts_with(kCondition);
    if (is_conditional) rest.remove_prefix(kCondition.size());
    long bytes = 0;
    if (!rest.starts_with(": ")) continue;
    rest.remove_prefix(2);
    if (std::from_chars(rest.data(), rest.data() + rest.size(), bytes).ec != std::errc{}) continue;
    if (!is_conditional || n == std::size_t{1} << 27) return bytes;
  }
  return std::nullopt;
}

}  // namespace sortlab
