// A sort that allocates more memory than any machine has.
#include <cstdint>
#include <limits>
#include <new>

#include "common/contract/variant.hpp"

namespace sortlab {
namespace {

struct EatsMemory {
  static constexpr Info info{.summary = "asks for more memory than there is",
                             .source = "made for the tests"};

  template <class Job>
  static ResultIn sort(const Job&) {
    const volatile std::size_t everything = std::numeric_limits<std::size_t>::max() / 4;
    ::operator delete(::operator new(everything));
    return ResultIn::data;
  }
};

SORTLAB_REGISTER(EatsMemory, TypeList<std::uint32_t>, KeysOnly);

}  // namespace
}  // namespace sortlab
