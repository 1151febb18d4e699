// The memory that the harness provides for a sort: one set of buffers, for each kind of jobs, on the host and on GPUs.
#pragma once

#include <array>
#include <cstddef>
#include <string>

#include "common/contract/items.hpp"
#include "common/harness/config.hpp"
#include "common/harness/rig/workspace.hpp"
#include "common/harness/verify/verify_records.hpp"

namespace sortlab {

/// In the order of Buffers::all().
inline constexpr std::array kBufferNames = {"keys", "values", "alternate keys", "alternate values",
                                            "workspace"};

/// Of GuardedBuffer on the host, or of DeviceBuffer.
template <class Buffer>
struct Buffers {
  Buffer keys, values, alternate_keys, alternate_values, workspace;

  /// Room for n items of a configuration, by make(n, bytes of one).
  template <class Make>
  void make_data(const Config& config, std::size_t n, Make make) {
    keys = make(n, config.key_bytes());
    if (config.has_pairs()) values = make(n, config.value_bytes);
  }
  template <class Make>
  void make_alternate(const Config& config, std::size_t n, Make make) {
    alternate_keys = make(n, config.key_bytes());
    if (config.has_pairs()) alternate_values = make(n, config.value_bytes);
  }

  std::array<const Buffer*, kBufferNames.size()> all() const {
    return {&keys, &values, &alternate_keys, &alternate_values, &workspace};
  }
  /// Those that hold no input.
  std::array<const Buffer*, 3> extra() const {
    return {&alternate_keys, &alternate_values, &workspace};
  }
  std::size_t extra_bytes() const {
    return alternate_keys.size() + alternate_values.size() + workspace.size();
  }

  /// Points a job at them.
  template <class ErasedJob>
  void attach(ErasedJob& job) const {
    job.keys = keys.data();
    job.values = values.data();
    job.alternate_keys = alternate_keys.data();
    job.alternate_values = alternate_values.data();
    job.workspace = workspace.span();
  }

  const Buffer& result_keys(ResultIn in) const {
    return in == ResultIn::data ? keys : alternate_keys;
  }
  const Buffer& result_values(ResultIn in) const {
    return in == ResultIn::data ? values : alternate_values;
  }
};

using HostBuffers = Buffers<GuardedBuffer>;

/// The number of the buffer whose guard zone was written, or -1.
inline int first_overrun(const HostBuffers& buffers) {
  const auto all = buffers.all();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!all[i]->red_zones_intact()) return static_cast<int>(i);
  }
  return -1;
}

/// "" or what a sort did to the buffer of that number.
inline std::string overrun_text(int buffer) {
  if (buffer < 0) return "";
  return std::string("wrote outside of its ") + kBufferNames[static_cast<std::size_t>(buffer)];
}

/// Looks at the n items of a result.
inline Findings look(const HostBuffers& buffers, ResultIn in, const Config& config, std::size_t n,
                     bool claims_stable) {
  const std::byte* const keys = buffers.result_keys(in).data();
  if (config.key_type == KeyType::record) return look({keys, config.record}, n, claims_stable);
  const ErasedValues values(buffers.result_values(in).data(), config.value_bytes);
  return look(config.key_type, config.order, keys, values, n, claims_stable);
}

inline void poison(const HostBuffers& buffers) {
  for (const GuardedBuffer* const buffer : buffers.extra()) buffer->poison();
}

}  // namespace sortlab
