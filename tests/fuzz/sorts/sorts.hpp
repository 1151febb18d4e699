// The sorts of a case, and how each is called: its instruction set, threads and parameters.
#pragma once

#include <string>
#include <vector>

#include "common/contract/variant.hpp"
#include "tests/fuzz/sorts/dice.hpp"
#include "tests/fuzz/sorts/input.hpp"

namespace sortlab::fuzz {

/// A variant with one of the instruction sets that it has code for and this CPU can run.
struct Sort {
  const Variant* variant;
  Isa isa;
  std::size_t most_n_uniform, most_n;  // for keys as they are drawn uniformly, and for any others

  std::string name() const;
  /// Whether it takes part in the case: it has the code, the input is within its limits, and the
  /// dice choose it.
  bool takes_part_in(const Case& one, const Input& input) const;
};

/// The sorts that can run here.
std::vector<Sort> sorts_in(Memory memory);

/// The byte that fills memory without input. No sort may mistake it for its own data.
int draw_poison(Dice& dice);

/// One call of a sort in a case, with its random settings.
struct Call {
  Call(const Case& one, const Sort& of_sort);

  const Sort& sort;
  const Instance* instance;
  Dice dice;  // for further random choices
  Params params;
  int threads;  // 0 on a GPU
  std::size_t workspace_bytes;

  /// Whether all parameters have their defaults.
  bool has_fallbacks() const;
  std::string text() const;
};

}  // namespace sortlab::fuzz
