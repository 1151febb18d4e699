// Selects one of three offsets by the position of r relative to two borders, without integer
// instructions. Integer instructions limit a merge: their units have half as many lanes per cycle
// as the multiply-add units.
//
// A float with the value x * 2^-149, x below 2^23, has the bits of the integer x, and additions of
// such floats are exact. saturate(border - r) is 1 below the border and 0 from it on.
#pragma once

#include <cstdint>

namespace sortlab::gpu::merge_sort {

/// The float of x * 2^-149.
__device__ __forceinline__ float tiny(int x) {
  return x < 0 ? -__uint_as_float(static_cast<std::uint32_t>(-x))
               : __uint_as_float(static_cast<std::uint32_t>(x));
}

/// at(r) is offset_0 for r < border_0, offset_1 for r < border_1, else offset_2.
class ThreeOffsets {
 public:
  __device__ __forceinline__ ThreeOffsets(unsigned border_0, unsigned border_1, unsigned offset_0,
                                          unsigned offset_1, unsigned offset_2)
      : border_0_(static_cast<float>(border_0)),
        border_1_(static_cast<float>(border_1)),
        step_0_(tiny(static_cast<int>(offset_0 - offset_1))),
        step_1_(tiny(static_cast<int>(offset_1 - offset_2))),
        last_(tiny(static_cast<int>(offset_2))) {}

  __device__ __forceinline__ unsigned at(unsigned r) const {
    const auto below = [r](float border) { return __saturatef(border - static_cast<float>(r)); };
    const float behind_0 = __fmaf_rn(below(border_1_), step_1_, last_);
    return __float_as_uint(__fmaf_rn(below(border_0_), step_0_, behind_0));
  }

 private:
  float border_0_;
  float border_1_;
  float step_0_;
  float step_1_;
  float last_;
};

}  // namespace sortlab::gpu::merge_sort
