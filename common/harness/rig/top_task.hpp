// What the rigs of top-k need, on the host and on a GPU.
#pragma once

#include <memory>
#include <vector>

#include "common/contract/top_k.hpp"
#include "common/harness/rig/rig.hpp"

namespace sortlab {

/// The rows of a task, and what is asked for, with the numbers of each row in host memory.
struct HostTop {
  std::vector<std::uint32_t> ks;
  Rows rows;
  Top top;  // its ks are null: they are where the keys are

  explicit HostTop(const Task& task) {
    const Config& config = task.config;
    rows = {1, config.n, config.n};
    if (const Lengths& lengths = config.lengths; !lengths.rule.empty()) {
      const Cut cut = make_cut(lengths, config.n, config.seed).cut;
      rows = {cut.count, cut.length, cut.stride};
    }
    ks = ks_of(config.top, rows.count, config.seed);
    top = {config.top.most, nullptr, config.top.is_sorted, config.top.is_first};
  }
  const std::uint32_t* host_ks() const { return ks.empty() ? nullptr : ks.data(); }
  /// With the numbers of each row where the keys are.
  Top with(const std::uint32_t* numbers) const {
    Top all = top;
    all.ks = numbers;
    return all;
  }
};

inline std::size_t workspace_bytes_of(const Task& task, const HostTop& top) {
  return task.variant.needs<TopK>({task.request(), top.rows, top.top});
}

/// The rig of a top-k on a GPU. Throws OutOfDeviceMemory, NotCapturable.
std::unique_ptr<Rig> make_device_top_rig(const Task& task, std::size_t misalign);

}  // namespace sortlab
