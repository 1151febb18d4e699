#include "common/harness/input/input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "common/contract/errors.hpp"
#include "common/harness/input/key_file.hpp"
#include "common/harness/input/records.hpp"
#include "common/harness/verify/verify_records.hpp"

namespace sortlab {
namespace {

void read_keys_from_file(const Config& config, const GuardedBuffer& keys) {
  const KeyFile file = read_key_file(config.input_path, config.key_type, config.input_format);
  if (dist_param_of(file) != config.dist.param || file.bytes.size() < keys.size()) {
    throw std::runtime_error(
        config.input_path +
        ": holds other keys than when the run began; nothing is measured on them");
  }
  if (keys.size() != 0) std::memcpy(keys.data(), file.bytes.data(), keys.size());
}

Input make_records(const Config& config, std::uint64_t seed, const Slice& slice) {
  Input input{GuardedBuffer(slice.count * config.record.bytes), {}, {}, std::make_shared<char>()};
  generate_records(input.keys.span(), config.record, slice, config.dist, seed);
  input.fingerprint = fingerprint({input.keys.data(), config.record}, slice.count);
  return input;
}

}  // namespace

std::string input_key(const Config& c) {
  return fmt::format("{}|{}|{}|{}|{}|{}|{}|{}", c.key_name(), c.value_bytes, c.n, c.dist.name,
                     c.dist.param, c.seed, c.input_path, devices_text(c.devices));
}

int versions_of(const Config& config) {
  if (config.dist.name == "file" || !config.devices.empty()) return 1;
  constexpr std::size_t kKeysInAll = std::size_t{1} << 20, kRecordBytesInAll = 8 * kKeysInAll;
  const std::size_t in_all =
      config.key_type == KeyType::record ? kRecordBytesInAll / config.record.bytes : kKeysInAll;
  return static_cast<int>(
      std::clamp<std::size_t>(in_all / std::max<std::size_t>(config.n, 1), 1, 256));
}

Input make_input(const Config& config, std::uint64_t seed) {
  if (!config.devices.empty()) return {};
  return make_slice(config, seed, whole(config.n));
}

Input make_slice(const Config& config, std::uint64_t seed, const Slice& slice) {
  if (config.key_type == KeyType::record) return make_records(config, seed, slice);
  Input input{GuardedBuffer(slice.count * config.key_bytes()),
              GuardedBuffer(slice.count * config.value_bytes),
              {},
              std::make_shared<char>()};
  if (config.dist.name == "file") {
    read_keys_from_file(config, input.keys);
  } else {
    visit_key_type(config.key_type, [&](auto key) {
      using Key = decltype(key);
      generate_slice(std::span(reinterpret_cast<Key*>(input.keys.data()), slice.count), slice,
                     config.dist, seed);
    });
  }
  if (config.has_pairs()) {
    auto* const values = reinterpret_cast<std::uint32_t*>(input.values.data());
    std::iota(values, values + slice.count, static_cast<std::uint32_t>(slice.first));
  }
  input.fingerprint = fingerprint(config.key_type, input.keys.data(),
                                  config.has_pairs() ? input.values.data() : nullptr, slice.count);
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
    inputs_.push_back(make_input(config, config.seed + static_cast<std::uint64_t>(v)));
  }
  made_for_ = key;
}

std::size_t InputPool::bytes_needed(const Config& config) {
  if (!config.devices.empty()) return 0;
  return static_cast<std::size_t>(versions_of(config)) * config.n *
         (config.key_bytes() + config.value_bytes);
}

}  // namespace sortlab
