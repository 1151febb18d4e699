#include "common/tool/ladder/rung_text.hpp"

#include <algorithm>
#include <regex>

namespace sortlab {
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

/// Where a line begins so; npos: nowhere.
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
  static const std::regex kBytes(R"(Bytes per u32 key( at 2\^27)?: (\d+))");
  for (const auto& paragraph : source.head()) {
    std::smatch found;
    if (!std::regex_search(paragraph, found, kBytes)) continue;
    if (!found[1].matched || n == std::size_t{1} << 27) return std::stol(found[2]);
  }
  return std::nullopt;
}

}  // namespace sortlab
