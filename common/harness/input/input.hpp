// The keys that a configuration sorts, ready to be copied into place before each sample.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/harness/config.hpp"
#include "common/harness/input/distributions.hpp"
#include "common/harness/rig/workspace.hpp"
#include "common/harness/verify/verify.hpp"

namespace sortlab {

/// A pristine input: keys, the values 0..n-1 for pairs, and the fingerprint that a correct result
/// must have. A very large one (is_regenerated()) has no keys and values here.
struct Input {
  GuardedBuffer keys;
  GuardedBuffer values;
  Fingerprint fingerprint;
  /// Identifies this input; it expires with the last object that holds these keys.
  std::shared_ptr<const void> identity = std::make_shared<char>();
  /// What its generated keys come from.
  std::uint64_t seed = 0;
  /// Writes the keys and values of a regenerated input; else empty.
  std::function<void(std::byte* keys, std::byte* values)> make = {};

  /// Writes keys and values, with all threads. `to_values` may be null for keys alone.
  void copy_to(std::byte* to_keys, std::byte* to_values) const;
};

/// Whether the input of a configuration is too large to be kept: more than 8 GiB, and the sort's data is in host memory.
/// It is made in place before each sort, which takes less memory than a copy and is not timed either.
bool is_regenerated(const Config& config);

/// The inputs of one configuration. A small generated input has several versions (the seed, and
/// seeds after it) that take turns. Otherwise the branch predictor would learn the data.
class InputPool {
 public:
  /// Makes the inputs of `config`, unless it holds them already from the configuration before.
  /// Throws BadInput when the user's file can't be read any more, std::runtime_error when it holds other
  /// keys now, std::bad_alloc without memory.
  void prepare(const Config& config);

  /// Drops the inputs of other configurations. Returns the bytes that prepare() will then allocate.
  std::size_t make_room(const Config& config);

  /// Stand-ins for inputs whose keys are elsewhere: the parts of a sort over ranks make their own slices.
  static InputPool stand_ins(const Config& config, int versions);

  const Input& version(int rep) const {
    return inputs_[static_cast<std::size_t>(rep) % inputs_.size()];
  }

  /// The bytes that an empty pool needs for `config`.
  static std::size_t bytes_needed(const Config& config);

 private:
  std::string made_for_;
  std::vector<Input> inputs_;
};

/// Configurations with equal keys share their inputs.
std::string input_key(const Config& config);

/// How many versions of its input a configuration gets: enough for 2^20 keys or 8 MiB of records in all, at
/// most 256; one where the keys come from a file, or where several GPUs sort, which learn nothing from it.
int versions_of(const Config& config);

/// One input of `config`, with `seed` in place of the configuration's. Of a sort over several GPUs it holds no
/// keys: each part gets its own slice (rig/cuda/kept_inputs.hpp).
Input make_input(const Config& config, std::uint64_t seed);

/// The same, but regenerated for each sort. Its fingerprint comes from slices of so many items.
Input make_regenerated_input(const Config& config, std::uint64_t seed, std::size_t slice_items);

/// A part of that input, with values that number its items through all parts. Not of a user's file.
Input make_slice(const Config& config, std::uint64_t seed, const Slice& slice);

}  // namespace sortlab
