#include "tool/trace/model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace sortlab::trace {
namespace {

std::vector<std::size_t> own_places(std::size_t n) {
  std::vector<std::size_t> places(n);
  std::iota(places.begin(), places.end(), std::size_t{0});
  return places;
}

Keys moved(const Keys& keys, const Step& step) {
  Keys after(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) after[i] = keys[step.from[i]];
  return after;
}

/// Adds a step to the trace, and takes it.
void take(const Step& step, Trace& trace, Keys& keys) {
  keys = moved(keys, step);
  trace.steps.push_back(step);
}

/// Whether a pair within the block of `low` puts its smaller key first. The last block always does, so
/// that n need not be a power of two (gpu/primitives/thread/bitonic_network.cuh says why).
bool is_upwards(std::size_t low, std::size_t last, std::size_t block) {
  return ((low / block) ^ (last / block)) % 2 == 0;
}

/// The places where blocks begin, except the first.
std::vector<std::size_t> multiples(std::size_t block, std::size_t n) {
  std::vector<std::size_t> cuts;
  for (std::size_t i = block; i < n; i += block) cuts.push_back(i);
  return cuts;
}

/// Merges [begin, middle) and [middle, end) of the keys; of equal ones the left run's go first.
void merge_runs(const Keys& keys, std::size_t begin, std::size_t middle, std::size_t end,
                Step& step) {
  std::size_t i = begin;
  std::size_t j = middle;
  for (std::size_t out = begin; out < end; ++out) {
    if (i < middle && j < end) step.compared.emplace_back(i, j);
    const bool takes_left = j == end || (i < middle && keys[i] <= keys[j]);
    step.from[out] = takes_left ? i++ : j++;
  }
}

unsigned median(unsigned a, unsigned b, unsigned c) {
  return std::max(std::min(a, b), std::min(std::max(a, b), c));
}

struct Segment {
  std::size_t begin, end;
};

/// Splits a segment by a pivot; adds the unfinished parts, and the cuts around all parts.
void split(const Keys& keys, Segment segment, Step& step, std::vector<Segment>& rest) {
  const auto [begin, end] = segment;
  const std::size_t middle = begin + (end - begin) / 2;
  const unsigned pivot = median(keys[begin], keys[middle], keys[end - 1]);
  const std::size_t pivot_at = keys[begin] == pivot    ? begin
                               : keys[middle] == pivot ? middle
                                                       : end - 1;
  for (std::size_t i = begin; i < end; ++i) {
    if (i != pivot_at) step.compared.emplace_back(i, pivot_at);
  }
  std::size_t out = begin;
  for (const int side : {-1, 0, 1}) {
    const std::size_t part = out;
    for (std::size_t i = begin; i < end; ++i) {
      const int place = keys[i] < pivot ? -1 : keys[i] > pivot ? 1 : 0;
      if (place == side) step.from[out++] = i;
    }
    if (part > 0 && part < out) step.cuts.push_back(part);
    if (side != 0 && out - part > 1) rest.push_back({part, out});
  }
}

}  // namespace

Keys Trace::after(std::size_t steps_done) const {
  Keys keys = input;
  for (std::size_t i = 0; i < steps_done; ++i) keys = moved(keys, steps[i]);
  return keys;
}

std::size_t Trace::comparisons() const {
  std::size_t count = 0;
  for (const auto& step : steps) count += step.compared.size();
  return count;
}

std::size_t Trace::moves() const {
  std::size_t count = 0;
  for (const auto& step : steps) {
    for (std::size_t i = 0; i < step.from.size(); ++i) count += step.from[i] != i;
  }
  return count;
}

Trace bitonic(const Keys& input) {
  Trace trace{"bitonic", input, {}};
  Keys keys = input;
  const std::size_t n = keys.size();
  for (std::size_t k = 2; k / 2 < n; k *= 2) {
    for (std::size_t j = k / 2; j > 0; j /= 2) {
      Step step{fmt::format("stage {}, distance {}", k, j), own_places(n), multiples(k, n), {}};
      for (std::size_t low = 0; low + j < n; ++low) {
        if ((low & j) != 0) continue;
        const std::size_t high = low + j;
        step.compared.emplace_back(low, high);
        const bool swaps =
            is_upwards(low, n - 1, k) ? keys[high] < keys[low] : keys[low] < keys[high];
        if (swaps) std::swap(step.from[low], step.from[high]);
      }
      take(step, trace, keys);
    }
  }
  return trace;
}

Trace merge(const Keys& input) {
  Trace trace{"merge", input, {}};
  Keys keys = input;
  const std::size_t n = keys.size();
  for (std::size_t width = 1; width < n; width *= 2) {
    Step step{fmt::format("runs of {} into {}", width, 2 * width),
              own_places(n),
              multiples(2 * width, n),
              {}};
    for (std::size_t begin = 0; begin < n; begin += 2 * width) {
      merge_runs(keys, begin, std::min(begin + width, n), std::min(begin + 2 * width, n), step);
    }
    take(step, trace, keys);
  }
  return trace;
}

Trace quick(const Keys& input) {
  Trace trace{"quick", input, {}};
  Keys keys = input;
  const std::size_t n = keys.size();
  std::vector<Segment> segments;
  if (n > 1) segments.push_back({0, n});
  std::vector<std::size_t> cuts;
  while (!segments.empty()) {
    Step step{fmt::format("level {}, split {} segment{}", trace.steps.size() + 1, segments.size(),
                          segments.size() == 1 ? "" : "s"),
              own_places(n),
              cuts,
              {}};
    std::vector<Segment> rest;
    for (const auto segment : segments) split(keys, segment, step, rest);
    std::sort(step.cuts.begin(), step.cuts.end());
    step.cuts.erase(std::unique(step.cuts.begin(), step.cuts.end()), step.cuts.end());
    cuts = step.cuts;
    take(step, trace, keys);
    segments = std::move(rest);
  }
  return trace;
}

Trace radix(const Keys& input) {
  Trace trace{"radix", input, {}};
  Keys keys = input;
  const std::size_t n = keys.size();
  const unsigned greatest = n == 0 ? 0 : *std::max_element(keys.begin(), keys.end());
  for (unsigned long unit = 1; unit <= greatest; unit *= 10) {
    Step step{fmt::format("digit {}", trace.steps.size() + 1), {}, {}, {}};
    for (unsigned digit = 0; digit < 10; ++digit) {
      if (!step.from.empty() && step.from.size() < n) step.cuts.push_back(step.from.size());
      for (std::size_t i = 0; i < n; ++i) {
        if (keys[i] / unit % 10 == digit) step.from.push_back(i);
      }
    }
    step.cuts.erase(std::unique(step.cuts.begin(), step.cuts.end()), step.cuts.end());
    take(step, trace, keys);
  }
  return trace;
}

std::vector<std::string> algorithms() { return {"bitonic", "merge", "quick", "radix"}; }

Trace trace_of(std::string_view algorithm, const Keys& keys) {
  if (algorithm == "bitonic") return bitonic(keys);
  if (algorithm == "merge") return merge(keys);
  return algorithm == "quick" ? quick(keys) : radix(keys);
}

}  // namespace sortlab::trace
