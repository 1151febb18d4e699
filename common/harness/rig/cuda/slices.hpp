// Two arrays cut into slices, which threads share.
//
//   keys    | 0 | 1 | 2 |3|       slices of one size; the last of an array may be shorter
//   values  | 4 | 5 | 6 |7|
#pragma once

#include <cstddef>

#include "common/utils.hpp"

namespace sortlab {

struct CopySlice {
  std::size_t array;   // 0 or 1
  std::size_t offset;  // in bytes
  std::size_t bytes;
};

class Slices {
 public:
  Slices(std::size_t first_bytes, std::size_t second_bytes, std::size_t slice_bytes)
      : bytes_{first_bytes, second_bytes},
        slice_bytes_(slice_bytes),
        in_first_(ceil_div(first_bytes, slice_bytes)),
        count_(in_first_ + ceil_div(second_bytes, slice_bytes)) {}

  std::size_t count() const { return count_; }

  CopySlice operator[](std::size_t number) const {
    const std::size_t array = number < in_first_ ? 0 : 1;
    const std::size_t offset = (number - array * in_first_) * slice_bytes_;
    const std::size_t rest = bytes_[array] - offset;
    return {array, offset, rest < slice_bytes_ ? rest : slice_bytes_};
  }

 private:
  std::size_t bytes_[2];
  std::size_t slice_bytes_;
  std::size_t in_first_;
  std::size_t count_;
};

}  // namespace sortlab
