// Finds the same configurations in two runs, which may come from different builds or machines.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "common/harness/record/summary.hpp"

namespace sortlab {

struct Pairing {
  std::vector<std::pair<const SummaryRow*, const SummaryRow*>> pairs;  // base, new
  std::vector<const SummaryRow*> only_base, only_new;
};

/// The columns by which two configurations of a pair may differ.
const std::vector<std::string>& columns_that_may_differ();

/// Pairs configurations with the same sort, input and settings. Columns that depend on the build or
/// the machine may differ: library version, instruction set, parameters (their defaults are tuned),
/// device, and between devices the number of threads. The nearest matches are paired first: all
/// columns equal, then without the library version, then also without the instruction set, and so
/// on. A round pairs two configurations only if each is the only one left of its kind on its side.
/// The rows must outlive the result.
Pairing pair_configurations(const std::vector<SummaryRow>& base,
                            const std::vector<SummaryRow>& next);

}  // namespace sortlab
