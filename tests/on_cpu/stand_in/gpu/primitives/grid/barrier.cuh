// Stands in for the header of this name, which holds PTX: the blocks that Block::run_grid runs meet.
#pragma once

namespace sortlab::gpu {

struct GridBarrier {
  using Token = unsigned long;
  Token barrier_arrive() const { return tests::Block::arrive_in_grid(); }
  void barrier_wait(Token arrival) const { tests::Block::wait_in_grid(arrival); }
  void sync() const { barrier_wait(barrier_arrive()); }
};

struct GridTeam {
  GridBarrier group;
  unsigned rank() const { return blockIdx.x; }
  unsigned size() const { return gridDim.x; }
};

}  // namespace sortlab::gpu
