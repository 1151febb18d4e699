// A sort that crashes, as with an invalid pointer.
#include <csignal>

#include "common/contract/variant.hpp"

namespace sortlab {
namespace {

struct Crashes {
  static constexpr Info info{.summary = "crashes", .source = "made for the tests"};

  template <class Job>
  static ResultIn sort(const Job&) {
    std::raise(SIGSEGV);
    return ResultIn::data;
  }
};

SORTLAB_REGISTER(Crashes, TypeList<std::uint32_t>, KeysOnly);

}  // namespace
}  // namespace sortlab
