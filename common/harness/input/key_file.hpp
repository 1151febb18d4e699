// The user's own keys, from a file: NumPy .npy, SOSD binary, raw little-endian, or text.
//
// Every error is one BadInput line with the path and the place (a byte offset or a line).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/contract/key_types.hpp"

namespace sortlab {

enum class FileFormat : std::uint8_t { automatic, npy, sosd, raw, text };
inline constexpr std::string_view kFileFormatNames[] = {"auto", "npy", "sosd", "raw", "text"};
constexpr std::string_view name_of(FileFormat format) {
  return kFileFormatNames[static_cast<int>(format)];
}

struct KeyFile {
  std::string path;
  std::string name;  // the path's last part
  KeyType type;
  std::size_t count;
  std::vector<std::byte> bytes;  // the keys, as they lie in memory
  std::uint64_t content_hash;    // of the keys and their type, whatever the format

  /// The keys, for the Key that `type` names.
  template <class Key>
  std::span<const Key> keys() const {
    return {reinterpret_cast<const Key*>(bytes.data()), count};
  }
};

/// Reads the keys of a file.
///
///   npy   versions 1 to 3, one dimension, little-endian u4 i4 u8 i8 f4 f8
///   sosd  a u64 count, then as many u32 or u64 keys; the file's size says which
///   raw   only keys, little-endian; `type` is needed
///   text  one number per line; without `type`: i64 if it holds every line, else u64, else f64
///
/// `type` must not contradict the type in the file. `automatic` checks in this order: NumPy's magic
/// bytes, the ending (.npy; .txt .csv .text .log; .raw .bin), an SOSD count that fits the file's
/// size, text. Throws BadInput.
KeyFile read_key_file(const std::string& path, std::optional<KeyType> type,
                      FileFormat format = FileFormat::automatic);

/// The name of these keys in rows: the file's name and a hash of the keys, "ages.npy@658d4d42".
std::string dist_param_of(const KeyFile& file);

}  // namespace sortlab
