// Stands in for the header of this name, which holds PTX.
#pragma once

namespace sortlab::gpu {

class GroupBarrier {
 public:
  GroupBarrier(unsigned group, unsigned threads) : group_(group), threads_(threads) {}
  void sync() const { tests::Block::meet_in_group(group_, threads_, false); }
  bool any(bool mine) const { return tests::Block::meet_in_group(group_, threads_, mine) != 0; }

 private:
  unsigned group_;
  unsigned threads_;
};

}  // namespace sortlab::gpu
