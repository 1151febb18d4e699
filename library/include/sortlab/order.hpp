// The direction of a sort, for all of sortlab's headers.
#pragma once

#include <cstdint>

namespace sortlab {

enum class Order : std::uint8_t { ascending, descending };

}  // namespace sortlab
