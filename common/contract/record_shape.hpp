// Records as the sort benchmarks have them: items of a fixed number of bytes that begin with their key.
//
//   | key: key_bytes | payload: the rest |      in order when their keys are, byte by byte, as memcmp compares
#pragma once

#include <cstddef>
#include <string>

namespace sortlab {

struct RecordShape {
  std::size_t bytes = 0;  // of a record, its key included; 0: the items are no records
  std::size_t key_bytes = 0;

  static constexpr std::size_t kLeastBytes = 16, kMostBytes = 4096;

  bool operator==(const RecordShape&) const = default;
  /// 16 to 4096 bytes, of which 1 or more are the key.
  bool is_possible() const {
    return bytes >= kLeastBytes && bytes <= kMostBytes && key_bytes >= 1 && key_bytes <= bytes;
  }
};

/// "r100:10", as the CSV names it.
inline std::string name_of(const RecordShape& shape) {
  std::string name = "r";
  name += std::to_string(shape.bytes);
  name += ':';
  name += std::to_string(shape.key_bytes);
  return name;
}

}  // namespace sortlab
