// Fuzzes a user's selection: sizes, distributions, types, threads, parameters. A line of the input
// is a key of matrix files, '=' and a value.
#include <array>
#include <variant>

#include "common/harness/config_fields.hpp"
#include "common/harness/input/distributions.hpp"
#include "common/harness/plan/counts.hpp"
#include "tests/fuzz/fuzzing.hpp"
#include "tests/fuzz/stand_ins.hpp"

using namespace sortlab;
using namespace sortlab::fuzzing;

namespace {

template <class Key>
void generate_some(const Distribution& distribution) {
  std::array<Key, 67> keys;
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}, keys.size()}) {
    generate(std::span(keys.data(), n), distribution, 12345);
  }
}

void try_distribution(const std::string& text) {
  const Distribution read = parse_distribution(text);
  const auto again = parse_distribution(read.name + (read.param.empty() ? "" : ":" + read.param));
  require(again.name == read.name && again.param == read.param,
          "a distribution's own text names another one");
  if (read.name == "zipf") return;  // sums up a million terms
  generate_some<std::uint32_t>(read);
  generate_some<std::int32_t>(read);
  generate_some<std::uint64_t>(read);
  generate_some<std::int64_t>(read);
  generate_some<float>(read);
  generate_some<double>(read);
}

void try_sizes(const std::string& text) {
  for (const std::size_t n : parse_sizes(text)) require(n <= 9e15, "a size beyond all memory");
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  register_stand_ins();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Selection selection;
  for (const auto line : split(text_of(data, size), '\n')) {
    const auto parts = split(line, '=');
    if (parts.size() == 1) continue;
    for (const Field& field : config_fields()) {
      const auto* const list = std::get_if<std::vector<std::string> Selection::*>(&field.wish);
      if (list == nullptr || field.key.empty() || field.key != parts[0]) continue;
      (selection.**list).emplace_back(line.substr(parts[0].size() + 1));
    }
  }
  for (const auto& text : selection.sizes) accepts("", [&] { try_sizes(text); });
  for (const auto& text : selection.dists) accepts("", [&] { try_distribution(text); });
  accepts("", [&] { plan_small(selection); });
  return 0;
}
