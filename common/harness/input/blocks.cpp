#include "common/harness/input/blocks.hpp"

#include <fmt/format.h>

#include "common/contract/errors.hpp"
#include "common/contract/numbers.hpp"

namespace sortlab::formulas {

std::string number_of_blocks(std::string_view name, std::string_view param) {
  const auto count = parse_whole(param);
  if (!count || *count < 1 || *count > 4096) {
    throw BadInput(fmt::format(
        "distribution {}: parameter '{}' is no number of blocks from 1 to 4096", name, param));
  }
  return std::to_string(*count);
}

u64 blocks_of(std::string_view param) { return parse_whole(param).value_or(1); }

}  // namespace sortlab::formulas
