// Stands in for CUDA's header where fibers run device code: asynchronous copies to shared memory. Nothing
// arrives before its thread waits, so code that does not wait finds old data. After device_on_cpu.hpp.
#pragma once

#include <cstddef>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

namespace sortlab::tests {

struct StartedCopy {
  void* to;
  const void* from;
  std::size_t bytes;
};
inline std::map<unsigned, std::vector<StartedCopy>> started_copies;  // by fiber

}  // namespace sortlab::tests

inline void __pipeline_memcpy_async(void* to, const void* from, std::size_t bytes) {
  sortlab::tests::started_copies[sortlab::tests::Block::fiber()].push_back({to, from, bytes});
}
inline void __pipeline_commit() {}
inline void __pipeline_wait_prior(std::size_t) {
  auto& started = sortlab::tests::started_copies[sortlab::tests::Block::fiber()];
  for (const auto& copy : std::exchange(started, {})) std::memcpy(copy.to, copy.from, copy.bytes);
}
