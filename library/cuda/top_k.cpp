// The best k of rows, and top-p, by gpu/topk/auto. Narrow keys are found as numbers of 4 bytes.
#include <sortlab/detail/cuda/top_k.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <sortlab/detail/cuda/radix_sort.hpp>
#include <sortlab/detail/cuda/temp_layout.hpp>

#include "gpu/segments/sorts.hpp"
#include "gpu/topk/calls.hpp"
#include "library/cuda/columns.hpp"
#include "library/cuda/gpu_facts.hpp"

namespace sortlab::cuda::detail {
namespace {

namespace choice = gpu::topk::choice;

/// So many keys at most are searched at once: some ways number them by 4 bytes.
constexpr std::size_t kMostAtOnce = std::size_t{1} << 31;

bool is_narrow(const TopK& call) { return call.key_bytes < 4; }

KeyType type_of(const TopK& call) {
  constexpr int kFirst = static_cast<int>(KeyKind::unsigned_integer);
  return number_type(static_cast<NumberKind>(static_cast<int>(call.kind) - kFirst), call.key_bytes);
}

/// Narrow keys as numbers of 4 bytes in ascending order.
NarrowForm form_of(const TopK& call) {
  RadixSort keys{.kind = call.kind,
                 .key_bytes = call.key_bytes,
                 .order = call.order,
                 .floats = call.nans_first  ? FloatOrder::nans_first
                           : call.nans_last ? FloatOrder::nans_last
                                            : FloatOrder::total};
  return narrow_form_of(keys);
}

/// From the first row's begin to the last one's end.
std::size_t span_of(const TopK& call, std::size_t rows) {
  return rows == 0 ? 0 : (rows - 1) * call.stride + call.columns;
}

std::size_t rows_at_once(const TopK& call) {
  return std::min(call.rows,
                  std::max<std::size_t>(1, kMostAtOnce / std::max<std::size_t>(1, call.stride)));
}

bool is_valid(const TopK& call) {
  const bool is_key =
      std::has_single_bit(call.key_bytes) && call.key_bytes <= 8 && call.kind != KeyKind::none;
  return is_key && call.columns < UINT32_MAX && (call.rows < 2 || call.stride >= call.columns);
}

void enqueue(const TopK& call, std::byte* d_workspace, std::uint32_t* d_numbers,
             std::uint32_t* d_best_numbers, cudaStream_t stream) {
  const std::size_t room = std::min(call.k, call.columns), at_once = rows_at_once(call);
  const auto at = [](auto* array, std::size_t offset) {
    using Byte = std::conditional_t<std::is_const_v<std::remove_pointer_t<decltype(array)>>,
                                    const std::byte, std::byte>;
    return array == nullptr ? nullptr : static_cast<Byte*>(array) + offset;
  };
  for (std::size_t first = 0; first < call.rows; first += at_once) {
    const std::size_t rows = std::min(at_once, call.rows - first);
    const std::size_t best_at = first * room;
    const void* const d_keys = at(call.d_keys, first * call.stride * call.key_bytes);
    void* const d_best = at(call.d_best, best_at * call.key_bytes);
    void* const d_places = at(call.d_places, best_at * call.place_bytes);
    gpu::topk::Call find{.keys = {KeyType::u32, Order::ascending},
                         .d_keys = d_numbers,
                         .rows = {rows, call.columns, call.stride},
                         .top = {.k = call.k,
                                 .ks = call.d_ks == nullptr ? nullptr : call.d_ks + first,
                                 .is_sorted = call.is_sorted,
                                 .is_first = call.is_first},
                         .d_best = d_best_numbers,
                         .d_workspace = d_workspace,
                         .stream = stream};
    if (call.place_bytes == 4) find.d_places = static_cast<std::uint32_t*>(d_places);
    if (call.place_bytes == 8) find.d_wide_places = static_cast<std::uint64_t*>(d_places);
    if (is_narrow(call)) {
      load_narrow_keys(d_keys, call.key_bytes, d_numbers, span_of(call, rows), form_of(call),
                       stream);
    } else {
      find.keys = {type_of(call), call.order};
      find.nans_last = call.nans_last;
      find.nans_first = call.nans_first;
      find.d_keys = d_keys;
      find.d_best = d_best;
    }
    if (call.is_top_p) {
      gpu::topk::top_p::find(find, {call.p, call.d_ps == nullptr ? nullptr : call.d_ps + first,
                                    call.d_counts + first});
    } else {
      choice::find(find);
    }
    if (d_best_numbers != nullptr) {
      store_narrow_keys(d_best_numbers, d_best, call.key_bytes, rows * room, form_of(call), stream);
    }
  }
}

}  // namespace

cudaError_t TopK::operator()(void* d_temp, std::size_t& temp_bytes, cudaStream_t stream) noexcept {
  try {
    if (!is_valid(*this)) return cudaErrorInvalidValue;
    const std::size_t room = std::min(k, columns), at_once = rows_at_once(*this);
    const bool is_widened = is_narrow(*this) && room != 0;
    TempLayout layout(d_temp);
    // The last rows are fewer, and may be found in another way.
    const std::size_t last = at_once == 0 ? 0 : rows % at_once;
    const auto bytes_for = [&](std::size_t count) {
      return choice::workspace_bytes(is_narrow(*this) ? sizeof(std::uint32_t) : key_bytes,
                                     {count, columns, stride}, k);
    };
    auto* const d_workspace = layout.take<std::byte>(std::max(bytes_for(at_once), bytes_for(last)));
    auto* const d_numbers = layout.take<std::uint32_t>(is_widened ? span_of(*this, at_once) : 0);
    // Without memory nobody says yet whether the keys are wanted.
    auto* const d_best_numbers = layout.take<std::uint32_t>(is_widened ? at_once * room : 0);
    if (const auto returned = layout.finish(temp_bytes)) return *returned;
    if (rows == 0) return cudaSuccess;
    if (is_top_p && d_counts == nullptr) return cudaErrorInvalidValue;
    if (room == 0) {
      if (!is_top_p) return cudaSuccess;
      const OnDeviceOf device(stream);
      return cudaMemsetAsync(d_counts, 0, rows * sizeof *d_counts, stream);
    }
    if (d_keys == nullptr || (d_best == nullptr && (d_places == nullptr || is_top_p))) {
      return cudaErrorInvalidValue;
    }
    const OnDeviceOf device(stream);
    if (gpu_facts().shared_bytes_per_block < gpu::segments::by_class::kSharedBytes ||
        !gpu_facts().cooperative) {
      return cudaErrorNotSupported;
    }
    enqueue(*this, d_workspace, is_widened ? d_numbers : nullptr,
            is_widened && d_best != nullptr ? d_best_numbers : nullptr, stream);
    return cudaSuccess;
  } catch (...) {
    return current_error();
  }
}

}  // namespace sortlab::cuda::detail
