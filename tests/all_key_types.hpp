// All key types, for GoogleTest's typed tests.
#pragma once

#include <gtest/gtest.h>

#include "common/contract/key_types.hpp"

namespace sortlab {

template <class... Keys>
testing::Types<Keys...> test_types(TypeList<Keys...>);
using AllKeyTypes = decltype(test_types(AllKeys{}));

}  // namespace sortlab
