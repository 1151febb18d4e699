// How the GPUs of several processes send items to each other: for sorts over ranks whose items lie in the memory of
// a GPU each (PartJob::on_device, parts.hpp).
//
// The harness passes one with the job: over NCCL (common/harness/rig/cuda/nccl.cpp), or through host memory
// (common/harness/ranks/staged_exchange.hpp) where several parts share a GPU, and in tests.
#pragma once

#include <cstddef>
#include <span>

#include "common/contract/variant.hpp"

namespace sortlab {

/// Bytes that go to a part.
struct Outgoing {
  int part;
  const void* from;
  std::size_t bytes;
};

/// Bytes that come from a part.
struct Incoming {
  int part;
  void* to;
  std::size_t bytes;
};

class DeviceExchange {
 public:
  virtual ~DeviceExchange() = default;

  /// Sends and receives, in the order of the stream. All parts call it in step. What a part sends to another one,
  /// itself too, arrives there in the order in which both name it; both name the same sizes.
  virtual void exchange(std::span<const Outgoing> out, std::span<const Incoming> in,
                        Stream stream) = 0;
};

}  // namespace sortlab
