// The sorts that gpu/auto may choose and `sortlab tune` measures: a new rung is a line here.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sortlab {

/// What a choice must know of a GPU.
struct GpuFacts {
  std::string name;
  int sms = 0;
  std::size_t shared_bytes_per_block = 0;  // at most, for a kernel that asks for it
  std::size_t shared_bytes_per_sm = 0;
  bool clusters = false;

  bool operator==(const GpuFacts&) const = default;
};

/// A sort, and what it can't do without, whatever the types: without that it is never chosen.
struct GpuRung {
  std::string_view id;
  std::size_t block_kib = 0;  // shared memory of a block
  std::size_t sm_kib = 0;  // of an SM, where blocks that wait for each other must be there at once
  bool clusters = false;
};

/// In order of preference where nothing measured tells: for any n, stable ones first.
inline constexpr GpuRung kGpuRungs[] = {
    {"gpu/radix/onesweep", 128}, {"gpu/radix/top_sweep", 128},
    {"gpu/merge/multiway", 92},  {"gpu/bitonic/v4_multi_step", 68},
    {"gpu/quick/sample", 92},    {"gpu/radix/msd_hybrid", 189, 190},
    {"gpu/radix/small", 81},     {"gpu/radix/small_narrow", 167},
};

/// null when it is none of kGpuRungs.
constexpr const GpuRung* find_gpu_rung(std::string_view id) {
  for (const auto& rung : kGpuRungs) {
    if (rung.id == id) return &rung;
  }
  return nullptr;
}

constexpr bool has_room_for(const GpuFacts& gpu, const GpuRung& rung) {
  return gpu.shared_bytes_per_block >= rung.block_kib * 1024 &&
         gpu.shared_bytes_per_sm >= rung.sm_kib * 1024 && (gpu.clusters || !rung.clusters);
}

}  // namespace sortlab
