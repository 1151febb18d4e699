// `sortlab dists`: the distributions, their formulas and who has such keys; and their shape in numbers.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "common/contract/errors.hpp"
#include "common/harness/input/distributions.hpp"
#include "common/harness/plan/axes.hpp"
#include "common/harness/plan/counts.hpp"
#include "common/harness/terminal/window.hpp"
#include "tool/flags.hpp"
#include "tool/help.hpp"

namespace sortlab {
namespace {

constexpr const char* kShapeNotes =
    R"(distinct: different keys; top: the most frequent key; fullest: the fullest of 256 equal parts of the
range; run: the mean length of ascending runs; constant: bits that all keys have in common.)";

std::string described(const Usage& usage) {
  std::string types;
  for (const KeyType type : kKeyTypes) {
    if (usage.types.has(type)) types += (types.empty() ? "" : ", ") + std::string(name_of(type));
  }
  constexpr std::string_view kCarries[] = {"", " with values", " with values or without"};
  return fmt::format("{}; {}{}, {}", usage.who, types, kCarries[static_cast<int>(usage.carries)],
                     count_text(usage.n));
}

void print_formulas() {
  const auto print_line = [](std::string_view name, std::string_view text) {
    constexpr std::size_t kIndent = 13;
    fmt::print("{}\n",
               wrapped(fmt::format("{:12} {}", name, text), room_for_text(STDOUT_FILENO), kIndent));
  };
  const auto print = [&](const DistributionInfo& d) {
    print_line(
        d.name,
        fmt::format("{}{}{}", d.formula,
                    d.default_param.empty() ? "" : fmt::format(" (default {})", d.default_param),
                    d.correctness_only ? " (for correctness only)" : ""));
  };
  for (const auto& d : patterns()) print(d);
  const auto print_title = [](std::string_view text) {
    fmt::print("\n{}\n\n", wrapped(text, room_for_text(STDOUT_FILENO)));
  };
  print_title("For sorts over P ranks: name:P, for an input in P blocks, one for each rank");
  for (const auto& d : patterns_of_blocks()) print(d);
  print_title("Keys of programs (--dist @real): key types and --n typical that they have");
  for (const auto& d : all_distributions()) {
    if (!d.usage.is_real()) continue;
    print(d);
    print_line("", described(d.usage));
  }
  constexpr std::size_t kLine = 100;
  fmt::print(
      "\n{}\n",
      wrapped("Key i of n: w, w' are random words of index i; u a word read as a fraction in "
              "[0, 1); R(x) the key at the fraction x of the type's range: all of it for "
              "integers, [0, 1) for floats.",
              std::min(room_for_text(STDOUT_FILENO), kLine)));
}

template <class Key>
Shape shape_of(std::size_t n, const Distribution& dist, std::uint64_t seed) {
  std::vector<Key> keys(n);
  generate(std::span(keys), dist, seed);
  return sortlab::shape_of<Key>(keys);
}

void print_shapes(const Selection& selection) {
  const Axes axes = parse(selection);
  fmt::print("{:12} {:4} {:>10} {:>9} {:>9} {:>9} {:>10} {:>9}\n", "keys", "type", "n", "distinct",
             "top", "fullest", "run", "constant");
  for (const Distribution& dist : axes.dists) {
    for (const std::size_t n : axes.sizes) {
      for (const auto& [type, record] : axes.types) {
        if (n == 0 || !axes.holds(n, type, dist, axes.value_sizes.front())) continue;
        const Shape shape = visit_key_type(
            type, [&](auto key) { return shape_of<decltype(key)>(n, dist, selection.seed); });
        const auto percent = [&](std::size_t part) {
          return fmt::format("{:.3g} %", 100 * static_cast<double>(part) / static_cast<double>(n));
        };
        fmt::print("{:12} {:4} {:>10} {:>9} {:>9} {:>9} {:>10.3g} {:>9}\n",
                   dist.param.empty() ? dist.name : dist.name + ":" + dist.param, name_of(type), n,
                   percent(shape.distinct), percent(shape.most_frequent),
                   percent(shape.fullest_part),
                   static_cast<double>(n) / static_cast<double>(shape.runs), shape.constant_bits);
      }
    }
  }
}

struct DistsOptions {
  Selection selection;
  bool shape = false;
};

int dists_command(DistsOptions& options, const CommandContext& context) {
  Selection& selection = options.selection;
  if (!options.shape) {
    for (const char* const flag : {"--dist", "--n", "--type"}) {
      if (context.command->count(flag) > 0)
        throw BadInput(std::string(flag) + " goes with --shape");
    }
    print_formulas();
    return 0;
  }
  if (selection.dists.empty()) {
    for (const auto& d : all_distributions()) selection.dists.emplace_back(d.name);
  }
  selection.values = {"keys"};
  print_shapes(selection);
  return 0;
}

}  // namespace

void add_dists_command(CLI::App& app, CommandContext& context) {
  auto [dists, options] = add_command(
      app, context, "dists", "List the distributions: formulas, uses, shapes", dists_command);
  dists.add_flag("--shape", options.shape, "Generate the keys, and show their shape in numbers");
  add_text(dists, "--dist", options.selection.dists, "DIST", "--shape: of which");
  add_text(dists, "--n", options.selection.sizes, "N|typical", "--shape: numbers of keys");
  add_text(dists, "--type", options.selection.types, "TYPE", "--shape: key types");
  add_examples(dists, context, {"dists", "dists --shape --dist @real --n 1M"}, kShapeNotes);
}

}  // namespace sortlab
