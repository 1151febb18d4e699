// The inputs of sorts over several GPUs: each part's slice in the memory of its GPU. Kept from one
// variant to the next, as PristineInputs keeps those of sorts on one GPU.
//
// Key i is a function of (i, n, seed), so the host makes a slice piece by piece, copies each to the GPU,
// and never holds more than one.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "common/harness/input/input.hpp"
#include "common/harness/rig/cuda/device_buffer.hpp"

namespace sortlab::device {

/// A part's items as the sort finds them.
struct InputSlice {
  DeviceBuffer keys;
  DeviceBuffer values;
  Fingerprint fingerprint;
};

/// Makes a slice on the current GPU. Throws OutOfDeviceMemory.
InputSlice make_input_slice(const Config& config, std::uint64_t seed, const Slice& slice);

class SlicedInputs {
 public:
  /// The only object of this process.
  static SlicedInputs& instance();

  /// The slices of `config`'s parts, which `input` stands for; makes them if there are none. slices[p]
  /// says which items part p holds. Throws OutOfDeviceMemory.
  const std::vector<InputSlice>& of(const Input& input, const Config& config,
                                    const std::vector<Slice>& slices);

  /// Frees the slices of inputs that no longer exist.
  void drop_outdated();
  /// What is kept on a GPU.
  std::size_t bytes_on(int device) const;

 private:
  struct Kept {
    Devices devices;
    std::vector<InputSlice> slices;
  };
  std::map<std::weak_ptr<const void>, Kept, std::owner_less<>> kept_;
};

}  // namespace sortlab::device
