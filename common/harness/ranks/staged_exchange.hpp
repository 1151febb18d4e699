// An exchange between GPUs through host memory and a communicator: slow, but several parts may share a GPU, which
// NCCL refuses. So tests need one GPU only.
#pragma once

#include <functional>

#include "common/contract/communicator.hpp"
#include "common/contract/device_exchange.hpp"

namespace sortlab {

class StagedExchange : public DeviceExchange {
 public:
  /// Copies bytes from or to the memory of a GPU, after the work that the stream has been given, and waits for them.
  using Copy = std::function<void(void* to, const void* from, std::size_t bytes, Stream)>;

  /// `parts` must outlive it.
  StagedExchange(Communicator& parts, Copy copy) : parts_(parts), copy_(std::move(copy)) {}

  void exchange(std::span<const Outgoing> out, std::span<const Incoming> in,
                Stream stream) override;

 private:
  Communicator& parts_;
  Copy copy_;
};

}  // namespace sortlab
