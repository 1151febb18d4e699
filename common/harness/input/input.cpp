#include "common/harness/input/input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <span>
#include <stdexcept>

#include "common/contract/errors.hpp"
#include "common/harness/input/key_file.hpp"
#include "common/harness/input/records.hpp"
#include "common/harness/verify/verify_records.hpp"

namespace sortlab {
namespace {

void read_keys_from_file(const Config& config, std::span<std::byte> keys) {
  const KeyFile file = read_key_file(config.input_path, config.key_type, config.input_format);
  if (dist_param_of(file) != config.dist.param || file.bytes.size() < keys.size()) {
    throw std::runtime_error(
        config.input_path +
        ": holds other keys than when the run began; nothing is measured on them");
  }
  if (!keys.empty()) std::memcpy(keys.data(), file.bytes.data(), keys.size());
}

Input make_records(const Config& config, std::uint64_t seed, const Slice& slice) {
  Input input;
  input.keys = GuardedBuffer(slice.count * config.record.bytes);
  generate_records(input.keys.span(), config.record, slice, config.dist, seed);
  input.fingerprint = fingerprint({input.keys.data(), config.record}, slice.count);
  return input;
}

constexpr std::size_t kMostKept = std::size_t{8} << 30;    // bytes
constexpr std::size_t kSliceItems = std::size_t{1} << 26;  // of an input that is not kept

/// Makes a slice of an input, not of records: the keys, wherever they come from, and the values that number them.
void make_items(const Config& config, std::uint64_t seed, const Slice& slice, std::byte* keys,
                std::byte* values) {
  if (config.dist.name == "file") {
    read_keys_from_file(config, {keys, slice.count * config.key_bytes()});
  } else {
    visit_key_type(config.key_type, [&](auto key) {
      using Key = decltype(key);
      generate_slice(std::span(reinterpret_cast<Key*>(keys), slice.count), slice, config.dist,
                     seed);
    });
  }
  visit_value_type(config.value_bytes, [&]<class Value>(Value) {
    if constexpr (!std::is_same_v<Value, NoValue>) {
      auto* const numbers = reinterpret_cast<Value*>(values);
      std::iota(numbers, numbers + slice.count, static_cast<Value>(slice.first));
    }
  });
}

Fingerprint fingerprint_of(const Config& config, const GuardedBuffer& keys,
                           const GuardedBuffer& values, std::size_t count) {
  return fingerprint(config.key_type, keys.data(), {values.data(), config.value_bytes}, count);
}

}  // namespace

void Input::copy_to(std::byte* to_keys, std::byte* to_values) const {
  if (make) return make(to_keys, to_values);
  copy_bytes(to_keys, keys.data(), keys.size());
  copy_bytes(to_values, values.data(), values.size());
}

bool is_regenerated(const Config& c) {
  return c.n * (c.key_bytes() + c.value_bytes) > kMostKept && !c.resident() && c.ranks == 0 &&
         c.dist.name != "file" && c.key_type != KeyType::record && c.lengths.rule.empty();
}

std::string input_key(const Config& c) {
  return fmt::format("{}|{}|{}|{}|{}|{}|{}|{}", c.key_name(), c.value_bytes, c.n, c.dist.name,
                     c.dist.param, c.seed, c.input_path,
                     is_regenerated(c)       ? "regenerated"
                     : c.over_device_parts() ? devices_text(c.devices)
                                             : "");
}

int versions_of(const Config& config) {
  if (config.dist.name == "file" || config.over_device_parts()) return 1;
  constexpr std::size_t kKeysInAll = std::size_t{1} << 20, kRecordBytesInAll = 8 * kKeysInAll;
  const std::size_t in_all =
      config.key_type == KeyType::record ? kRecordBytesInAll / config.record.bytes : kKeysInAll;
  return static_cast<int>(
      std::clamp<std::size_t>(in_all / std::max<std::size_t>(config.n, 1), 1, 256));
}

Input make_input(const Config& config, std::uint64_t seed) {
  if (config.over_device_parts()) return {};
  return make_slice(config, seed, whole(config.n));
}

Input make_regenerated_input(const Config& config, std::uint64_t seed, std::size_t slice_items) {
  const GuardedBuffer keys(slice_items * config.key_bytes());
  const GuardedBuffer values(slice_items * config.value_bytes);
  Input input;
  for (std::size_t first = 0; first < config.n; first += slice_items) {
    const Slice slice{first, std::min(slice_items, config.n - first), config.n};
    make_items(config, seed, slice, keys.data(), values.data());
    input.fingerprint =
        together(input.fingerprint, fingerprint_of(config, keys, values, slice.count));
  }
  input.make = [config, seed](std::byte* to_keys, std::byte* to_values) {
    make_items(config, seed, whole(config.n), to_keys, to_values);
  };
  return input;
}

Input make_slice(const Config& config, std::uint64_t seed, const Slice& slice) {
  if (config.key_type == KeyType::record) return make_records(config, seed, slice);
  Input input;
  input.keys = GuardedBuffer(slice.count * config.key_bytes());
  input.values = GuardedBuffer(slice.count * config.value_bytes);
  make_items(config, seed, slice, input.keys.data(), input.values.data());
  input.fingerprint = fingerprint_of(config, input.keys, input.values, slice.count);
  return input;
}

std::size_t InputPool::make_room(const Config& config) {
  if (input_key(config) == made_for_) return 0;
  made_for_.clear();
  inputs_.clear();
  return bytes_needed(config);
}

void InputPool::prepare(const Config& config) {
  const std::string key = input_key(config);
  if (key == made_for_) return;
  make_room(config);
  for (int v = 0; v < versions_of(config); ++v) {
    const std::uint64_t seed = config.seed + static_cast<std::uint64_t>(v);
    inputs_.push_back(is_regenerated(config) ? make_regenerated_input(config, seed, kSliceItems)
                                             : make_input(config, seed));
  }
  made_for_ = key;
}

InputPool InputPool::stand_ins(const Config& config, int versions) {
  InputPool pool;
  for (int v = 0; v < versions; ++v) {
    pool.inputs_.emplace_back().seed = config.seed + static_cast<std::uint64_t>(v);
  }
  return pool;
}

std::size_t InputPool::bytes_needed(const Config& config) {
  if (config.over_device_parts()) return 0;
  const std::size_t item_bytes = config.key_bytes() + config.value_bytes;
  if (is_regenerated(config)) return kSliceItems * item_bytes;
  return static_cast<std::size_t>(versions_of(config)) * config.n * item_bytes;
}

}  // namespace sortlab
