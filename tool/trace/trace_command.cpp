// `sortlab trace`: the steps of an algorithm on a few keys.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <limits>
#include <random>

#include "common/harness/bad_input.hpp"
#include "common/harness/plan/counts.hpp"
#include "common/harness/record/output_file.hpp"
#include "tool/flags.hpp"
#include "tool/help.hpp"
#include "tool/list/catalogue.hpp"
#include "tool/trace/model.hpp"

namespace sortlab {
namespace {

constexpr std::size_t kMostKeys = 64;
constexpr unsigned kGreatest = 99;  // two digits

struct TraceOptions {
  std::string ladder;
  std::size_t n = 16;
  std::uint64_t seed = 12345;
  std::string keys;
  std::string file;
};

/// "bitonic" of "gpu/bitonic". A ladder and each rung of it have the same trace.
std::string algorithm_of(const std::string& given) {
  std::vector<std::string> known;
  for (const char* const side : {"cpu/", "gpu/"}) {
    for (const auto& algorithm : trace::algorithms()) {
      known.push_back(side + algorithm);
      if (given == known.back() || ladder_of(given) == known.back()) return algorithm;
    }
  }
  throw unknown_name("ladder with a trace", given, known);
}

trace::Keys keys_of(const TraceOptions& options) {
  trace::Keys keys;
  if (options.keys.empty()) {
    std::mt19937_64 random(options.seed);
    for (std::size_t i = 0; i < options.n; ++i) {
      keys.push_back(static_cast<unsigned>(random() % (kGreatest + 1)));
    }
    return keys;
  }
  for (const auto part : split(options.keys, ',')) {
    keys.push_back(static_cast<unsigned>(whole_number("--keys", std::string(part), 0, kGreatest)));
  }
  if (keys.size() > kMostKeys) throw bad_input("--keys: at most {}", kMostKeys);
  return keys;
}

int trace_command(TraceOptions& options, const CommandContext&) {
  const auto trace = trace::trace_of(algorithm_of(options.ladder), keys_of(options));
  if (!options.file.empty()) {
    require_place_for(options.file, "<svg", "a picture (SVG)");
    write_file(options.file, trace::svg_of(trace));
  }
  fmt::print("{}", trace::text_of(trace));
  return 0;
}

}  // namespace

void add_trace_command(CLI::App& app, CommandContext& context) {
  auto [trace, options] =
      add_command(app, context, "trace",
                  "Show the steps of bitonic, merge, quick or radix on a few keys", trace_command);
  add_text(trace, "LADDER", options.ladder, "LADDER", "As in cpu/merge, gpu/bitonic")->required();
  auto* n = add_whole(trace, "--n", options.n, std::size_t{1}, kMostKeys,
                      "Number of random keys, 1 to 64 (default 16)");
  auto* seed = add_whole(trace, "--seed", options.seed, std::uint64_t{0},
                         std::numeric_limits<std::uint64_t>::max(),
                         "Seed of the random keys (default 12345)");
  add_text(trace, "--keys", options.keys, "LIST", "Your own keys, each 0 to 99: 7,3,99")
      ->excludes(n)
      ->excludes(seed);
  add_text(trace, "-o,--out", options.file, "FILE", "Also write an animated picture (SVG)");
  add_examples(
      trace, context, {"trace gpu/bitonic", "trace cpu/quick --keys 5,3,9,1,7 -o quick.svg"},
      "A bar begins a run, a segment or a bucket; a dot follows each key that has moved. The "
      "model of an\nalgorithm does what all rungs of its ladder do, without what makes them "
      "fast.");
}

}  // namespace sortlab
