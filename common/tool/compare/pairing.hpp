// Which configuration of one run is which of another, maybe from another build or machine.
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

/// Pairs what measures the same: what was sorted, and how. What comes with a build or a machine may
/// differ: library version, instruction set, parameters (their defaults are tuned), device, and
/// between devices the number of threads. The nearest match goes first: all columns equal, then
/// without the library version, then without the instruction set too, and so on; a round pairs only
/// what is the one of its kind left on both sides. The rows must outlive the result.
Pairing pair_configurations(const std::vector<SummaryRow>& base,
                            const std::vector<SummaryRow>& next);

}  // namespace sortlab
