// Is what all parts hold together sorted, and a permutation of the input? Each part looks at its own items; then all
// parts exchange what they found, and judge the whole.
#pragma once

#include "common/contract/communicator.hpp"
#include "common/harness/verify/verify.hpp"

namespace sortlab {

/// The verdict on all parts: the same on each of them, and all must call it. `before` is the fingerprint of this part's
/// input.
Verdict judged(Communicator& parts, const Findings& own, const Fingerprint& before);

}  // namespace sortlab
