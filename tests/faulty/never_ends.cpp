// A sort that never ends.
#include <chrono>
#include <thread>

#include "common/contract/variant.hpp"

namespace sortlab {
namespace {

struct NeverEnds {
  static constexpr Info info{.summary = "never ends", .source = "made for the tests"};

  template <class Job>
  static ResultIn sort(const Job&) {
    for (volatile bool sorted = false; !sorted;) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return ResultIn::data;
  }
};

SORTLAB_REGISTER(NeverEnds, TypeList<std::uint32_t>, KeysOnly);

}  // namespace
}  // namespace sortlab
