// The sort that is the fastest for n and the types, of all GPU rungs here: one entry for users.
//
//     widths of key and value, n  ->  table of thresholds  ->  a rung's registered code
//
// Nothing of its own runs on the GPU: a choice is a few comparisons on the host and one indirect
// call, and the workspace is the chosen rung's. The order of equal keys is any (gpu/auto/stable
// keeps it). The order and a key's sign or float are no part of the choice: they cost each rung
// less than the choice's own noise.
// The table is measured: what is built in (defaults.json says on which GPU, from which results), or
// what `sortlab tune` found on this one, as common/choose/tune_file.hpp says. A rung that this GPU
// lacks the shared memory for is never chosen: each rung's Candidate says what it needs.
// Limits: takes the alternate buffer although some rungs that it may choose need none; goes by
// uniform keys, whatever the input's.
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
