// NVIDIA's library for GPUs that send to each other, loaded when it is first asked for: a build needs neither its
// header nor the library.
#pragma once

#include <memory>
#include <string>

#include "common/contract/communicator.hpp"
#include "common/contract/device_exchange.hpp"

namespace sortlab::device {

/// "" or, in one line, why NCCL can't be used.
std::string nccl_missing();

/// An exchange of all parts, with the current GPU as this part's. Each part must have a GPU of its own. All parts
/// call it. Throws std::runtime_error.
std::unique_ptr<DeviceExchange> make_nccl_exchange(Communicator& parts);

}  // namespace sortlab::device
