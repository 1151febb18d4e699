// The fastest stable GPU sort of this suite for n and the types.
//
// Over gpu/auto/auto: pairs with equal keys keep their order, because it chooses only stable rungs
// for pairs. For keys alone both choose the same.
// Source: our own.
#include "common/contract/variant.hpp"
#include "gpu/auto/chosen.hpp"

namespace sortlab {
namespace {

struct Stable : gpu::Chosen<true> {
  static constexpr Info info{.summary = "the fastest of all stable rungs for n and the types",
                             .source = "our own",
                             .after = "gpu/auto/auto",
                             .memory = Memory::device,
                             .stable = true,
                             .alternate = true};
};
SORTLAB_REGISTER(Stable, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab
