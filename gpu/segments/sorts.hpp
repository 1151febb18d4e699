// Sorts of segments on a GPU as functions with plain arguments, for the suite's variants and for the library.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/contract/key_map.hpp"
#include "common/contract/segments.hpp"

namespace sortlab::gpu::segments {

/// Segments in device memory that are to be sorted; the numbers of the cut lie there, too.
struct Call {
  KeyKind keys;
  std::size_t value_bytes = 0;
  std::size_t n = 0;
  Cut cut;
  std::size_t longest = 0;  // no segment is longer
  // Keys and values, which stay as they are unless they are the data; null: they are.
  const void* source = nullptr;
  const void* source_values = nullptr;
  void* data_keys = nullptr;  // the result is here
  void* data_values = nullptr;
  void* alternate_keys = nullptr;
  void* alternate_values = nullptr;
  bool are_numbered = false;  // the values that come are the items' places: none are read
  bool nans_last = false;     // behind the numbers in both orders, whatever their sign
  bool nans_first = false;    // before them
  bool are_ranks =
      false;  // of floats, NaNs last: -0 and 0 are equal, and all NaNs; keys that come out are any of these
  std::uint64_t* wide_places = nullptr;  // of numbered items: the places go here, of 8 bytes
  std::byte* d_workspace = nullptr;
  Stream stream = nullptr;
};

namespace by_class {
/// What a GPU must have for a block.
inline constexpr std::size_t kSharedBytes = std::size_t{206} * 1024;
/// The longest segment that is sorted in place; longer ones need the alternate arrays.
std::size_t most_of_block(std::size_t key_bytes, std::size_t value_bytes);
std::size_t workspace_bytes(std::size_t key_bytes, std::size_t value_bytes, std::size_t n,
                            std::size_t count, std::size_t longest, bool is_rows);
/// Enqueues the sort; waits for nothing, so it can be captured.
void sort(const Call& call);
}  // namespace by_class

}  // namespace sortlab::gpu::segments
