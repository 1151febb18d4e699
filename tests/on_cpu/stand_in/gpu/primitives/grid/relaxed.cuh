// Stands in for the header of this name, which holds PTX. One fiber runs at a time, so that each access is seen at once.
#pragma once

namespace sortlab::gpu {

inline unsigned load_relaxed(const unsigned* word) { return *word; }
inline void store_relaxed(unsigned* word, unsigned value) { *word = value; }
inline unsigned add_alone(unsigned* s_sum, unsigned mine) {
  const unsigned before = *s_sum;
  *s_sum += mine;
  return before;
}

}  // namespace sortlab::gpu
