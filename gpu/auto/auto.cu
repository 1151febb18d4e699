// The fastest GPU sort of this suite for n and the types: one entry for users.
//
//     widths of key and value, n  ->  table of thresholds  ->  a registered sort's code
//
// Over the rungs: the caller needs no knowledge of them. It runs no GPU code itself: a choice is a
// few comparisons on the host and one indirect call, and the workspace is the chosen rung's. Equal
// keys may end in any order (gpu/auto/stable keeps their order). The choice ignores the order and
// whether keys are signed or floats, because these change each rung's time by less than the noise
// of the choice.
// The table is measured: the built-in one (defaults.json names the GPU and the results), or the one
// that `sortlab tune` wrote on this GPU (common/choose/tune_file.hpp). A rung is never chosen if
// this GPU has too little shared memory for it: each rung's Candidate says how much it needs.
// Limits: takes the alternate buffer although some rungs that it may choose need none; the
// thresholds are for uniform keys, but for 4-byte keys of 1.08 to 2 million, where a look at them would cost more than
// it gains.
// Source: our own.
#include "common/contract/variant.hpp"
#include "gpu/auto/chosen.hpp"

namespace sortlab {
namespace {

struct Auto : gpu::Chosen<false> {
  static constexpr Info info{.summary = "the fastest of all rungs for n and the types",
                             .source = "our own",
                             .memory = Memory::device,
                             .alternate = true};
};
SORTLAB_REGISTER(Auto, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab
