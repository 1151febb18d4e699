#include <sortlab/detail/cuda/segment_sort.hpp>

#include <cstdint>
#include <sortlab/detail/cuda/radix_sort.hpp>
#include <sortlab/detail/cuda/temp_layout.hpp>

#include "gpu/segments/sorts.hpp"
#include "library/cuda/columns.hpp"
#include "library/cuda/gpu_facts.hpp"

namespace sortlab::cuda::detail {
namespace {

namespace by_class = gpu::segments::by_class;

KeyType type_of(const SegmentSort& sort) {
  constexpr int kFirst = static_cast<int>(KeyKind::unsigned_integer);
  return number_type(static_cast<NumberKind>(static_cast<int>(sort.kind) - kFirst), sort.key_bytes);
}

bool is_valid(const SegmentSort& sort) {
  const Segments& segments = sort.segments;
  const bool is_key = (sort.key_bytes == 4 || sort.key_bytes == 8) && sort.kind != KeyKind::none &&
                      sort.kind != KeyKind::brain_floating;
  const bool is_rows = segments.offset_bytes == 0;
  return is_key && (is_rows ? segments.columns <= UINT32_MAX
                            : segments.offset_bytes == 4 || segments.offset_bytes == 8);
}

/// Sorts numbers of the items instead of wide values, and gathers these.
cudaError_t sort_with_wide_values(const SegmentSort& call, void* d_temp, std::size_t& temp_bytes,
                                  cudaStream_t stream) {
  if (call.n > UINT32_MAX || call.values_in == call.values_out) return cudaErrorInvalidValue;
  SegmentSort sort = call;
  sort.value_bytes = sizeof(std::uint32_t);
  TempLayout layout(d_temp);
  auto* const d_numbers = layout.take<std::uint32_t>(call.n);
  auto* const d_order = layout.take<std::uint32_t>(call.n);
  if (d_temp != nullptr) {  // else the values say that there will be some
    sort.values_in = d_numbers;
    sort.values_out = d_order;
  }
  std::size_t bytes = 0;
  if (const auto status = sort(nullptr, bytes, stream); status != cudaSuccess) return status;
  auto* const d_memory = layout.take<std::byte>(bytes);
  if (const auto returned = layout.finish(temp_bytes)) return *returned;
  if (call.n == 0) return cudaSuccess;
  number_items(d_numbers, sizeof(std::uint32_t), call.n, stream);
  number_items(d_order, sizeof(std::uint32_t), call.n, stream);  // items of no segment stay
  if (const auto status = sort(d_memory, bytes, stream); status != cudaSuccess) return status;
  gather_items(call.values_in, call.values_out, call.value_bytes, d_order, sizeof(std::uint32_t),
               call.n, stream);
  return cudaSuccess;
}

}  // namespace

cudaError_t SegmentSort::operator()(void* d_temp, std::size_t& temp_bytes,
                                    cudaStream_t stream) noexcept {
  try {
    if (!is_valid(*this)) return cudaErrorInvalidValue;
    if (values_in != nullptr && value_bytes != sizeof(std::uint32_t)) {
      return sort_with_wide_values(*this, d_temp, temp_bytes, stream);
    }
    const bool is_rows = segments.offset_bytes == 0;
    const bool has_values = values_out != nullptr;
    const std::size_t longest = is_rows ? segments.columns : n;
    const std::size_t sorted_bytes = has_values ? sizeof(std::uint32_t) : 0;
    // Segments that a block sorts need no other arrays.
    const bool is_short = longest <= by_class::most_of_block(key_bytes, sorted_bytes);
    const std::size_t alternates = is_short ? 0 : n;
    TempLayout layout(d_temp);
    auto* const d_workspace = layout.take<std::byte>(
        by_class::workspace_bytes(key_bytes, sorted_bytes, n, segments.count, longest, is_rows));
    auto* const d_keys = layout.take<std::byte>(alternates * key_bytes);
    auto* const d_values = layout.take<std::uint32_t>(has_values ? alternates : 0);
    auto* const d_unwanted_keys = layout.take<std::byte>(keys_out == nullptr ? n * key_bytes : 0);
    const bool is_wide = index_bytes == 8;
    auto* const d_narrow_places = layout.take<std::uint32_t>(is_wide ? alternates : 0);
    if (const auto returned = layout.finish(temp_bytes)) return *returned;
    if (n == 0 || segments.count == 0) return cudaSuccess;
    if (keys_in == nullptr || (!is_rows && segments.d_offsets == nullptr)) {
      return cudaErrorInvalidValue;
    }
    const OnDeviceOf device(stream);
    if (gpu_facts().shared_bytes_per_block < by_class::kSharedBytes || !gpu_facts().cooperative) {
      return cudaErrorNotSupported;
    }
    const Cut cut = [&] {
      Cut made{.count = segments.count, .stride = segments.columns, .length = segments.columns};
      if (is_rows) return made;
      made.begins = segments.d_offsets;
      made.ends = static_cast<const std::byte*>(segments.d_offsets) + segments.offset_bytes;
      made.is_wide = segments.offset_bytes == 8;
      return made;
    }();
    by_class::sort({.keys = {type_of(*this), order},
                    .value_bytes = sorted_bytes,
                    .n = n,
                    .cut = cut,
                    .longest = longest,
                    .source = keys_in,
                    .source_values = values_in,
                    .data_keys = keys_out == nullptr ? d_unwanted_keys : keys_out,
                    .data_values = is_wide ? d_narrow_places : values_out,
                    .alternate_keys = d_keys,
                    .alternate_values = d_values,
                    .are_numbered = index_bytes != 0,
                    .nans_last = nans_last,
                    .are_ranks = are_ranks,
                    .wide_places = is_wide ? static_cast<std::uint64_t*>(values_out) : nullptr,
                    .d_workspace = d_workspace,
                    .stream = stream});
    return cudaSuccess;
  } catch (...) {
    return current_error();
  }
}

}  // namespace sortlab::cuda::detail
