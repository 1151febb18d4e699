#include <sortlab/detail/cuda/radix_sort.hpp>
#include <sortlab/detail/cuda/temp_layout.hpp>

#include <limits>
#include <utility>

#include "common/contract/errors.hpp"
#include "common/cuda_check.hpp"
#include "library/cuda/columns.hpp"
#include "library/cuda/rungs.hpp"

namespace sortlab::cuda::detail {
namespace {

/// Up to this many values of 8 bytes are moved by an index at the end: the L2 cache holds them, and small
/// sorts in one launch. More travel with their keys.
constexpr std::size_t kMostWideByIndex = 1u << 20;

constexpr bool is_width(std::size_t bytes) {
  return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
}

/// What travels with the keys.
enum class Payload : std::uint8_t {
  none,
  values,   // of 4 or 8 bytes, as they are
  widened,  // values of 1 or 2 bytes, as 4
  index,
};

/// How a call is done, by its types and n alone, so that the memory depends on no GPU.
struct Way {
  bool wants_keys;    // as a result
  bool widens_keys;   // to their ordered bits, in arrays of their own
  bool equates_keys;  // copies them to such arrays; equal ones get the same bits
  bool gathers_keys;  // at the end, as there is no way back from their bits
  bool widens_indices;
  Payload payload;
  unsigned key_bytes;      // as sorted
  unsigned payload_bytes;  // as sorted
  KeyType type;            // as sorted
  Order order;
  bool nans_last;

  explicit Way(const RadixSort& call) {
    wants_keys = call.index_bytes == 0 || call.with_keys;
    const FloatOrder floats = is_floating(call.kind) ? call.floats : FloatOrder::total;
    widens_keys = call.key_bytes < 4;
    equates_keys = has_equal_floats(call) && !widens_keys;
    nans_last = floats == FloatOrder::nans_last && !widens_keys;
    gathers_keys = wants_keys && floats == FloatOrder::equal_zeros;
    key_bytes = call.key_bytes == 8 ? 8 : 4;
    const bool is_wide = call.value_bytes == 8 && call.n > kMostWideByIndex;
    if (call.index_bytes != 0 || gathers_keys ||
        (call.value_bytes > 0 && !is_width(call.value_bytes)) ||
        (call.value_bytes == 8 && !is_wide)) {
      payload = Payload::index;
      payload_bytes = call.n > std::numeric_limits<std::uint32_t>::max() ? 8 : 4;
    } else if (call.value_bytes == 0) {
      payload = Payload::none;
      payload_bytes = 0;
    } else {
      payload = call.value_bytes < 4 ? Payload::widened : Payload::values;
      payload_bytes = call.value_bytes == 8 ? 8 : 4;
    }
    widens_indices = call.index_bytes == 8 && payload_bytes == 4;
    if (widens_keys) {
      type = KeyType::u32;
      order = Order::ascending;
    } else {
      constexpr int kFirst = static_cast<int>(KeyKind::unsigned_integer);
      type = number_type(static_cast<NumberKind>(static_cast<int>(call.kind) - kFirst), key_bytes);
      order = call.order;
    }
  }
  Widths widths() const { return {key_bytes, payload_bytes}; }
};

/// Leaves an array with the result where it is if that is one of a double buffer, else in the output.
void deliver(Column& column, void* d_result, std::size_t bytes, cudaStream_t stream) {
  column.result_is_in_in = column.in_is_spare && d_result == column.in;
  if (!column.result_is_in_in) copy(column.out, d_result, bytes, stream);
}

/// Items of a column in the order of the index, in its output.
void gather_column(Column& column, std::size_t item_bytes, const void* d_index,
                   unsigned index_bytes, void* d_spare, std::size_t n, cudaStream_t stream) {
  void* const d_to = column.in == column.out ? d_spare : column.out;
  gather_items(column.in, d_to, item_bytes, d_index, index_bytes, n, stream);
  copy(column.out, d_to, n * item_bytes, stream);
}

/// All arrays of a call, in the caller's memory and beyond.
struct CallArrays {
  Arrays keys{};
  Arrays payload{};
  std::byte* d_spare_keys = nullptr;    // for a gather in place
  std::byte* d_spare_values = nullptr;  // the same
  std::byte* d_workspace;

  CallArrays(const RadixSort& call, const Way& way, TempLayout& layout) {
    const auto take = [&](std::size_t item_bytes) {
      return layout.take<std::byte>(call.n * item_bytes);
    };
    if (way.widens_keys || way.equates_keys) {
      keys = {take(way.key_bytes), take(way.key_bytes), nullptr, true};
    } else if (call.keys.in_is_spare) {
      keys = {call.keys.in, call.keys.out, nullptr, true};
    } else {
      void* const d_out = way.wants_keys ? call.keys.out : take(way.key_bytes);
      keys = {call.keys.in, d_out, take(way.key_bytes), false};
    }
    if (way.payload == Payload::values && call.values.in_is_spare) {
      payload = {call.values.in, call.values.out, nullptr, true};
    } else if (way.payload == Payload::values) {
      payload = {call.values.in, call.values.out, take(way.payload_bytes), false};
    } else if (way.payload != Payload::none) {
      const bool ends_in_output = call.index_bytes == way.payload_bytes;
      payload = {take(way.payload_bytes),
                 ends_in_output ? call.values.out : take(way.payload_bytes), nullptr, true};
    }
    if (way.gathers_keys && call.keys.in == call.keys.out) d_spare_keys = take(call.key_bytes);
    if (way.payload == Payload::index && call.index_bytes == 0 &&
        call.values.in == call.values.out) {
      d_spare_values = take(call.value_bytes);
    }
    d_workspace = layout.take<std::byte>(rung_bytes(way.widths(), call.n));
  }
};

/// Brings keys and values into the form that is sorted.
void prepare(const RadixSort& call, const Way& way, const CallArrays& arrays, cudaStream_t stream) {
  void* const d_keys = arrays.keys.mutable_in();
  if (way.widens_keys) {
    load_narrow_keys(call.keys.in, call.key_bytes, d_keys, call.n, narrow_form_of(call), stream);
  } else if (way.equates_keys) {
    equate_floats(call.keys.in, d_keys, way.key_bytes, call.n, call, stream);
  }
  if (way.payload == Payload::widened) {
    convert(call.values.in, static_cast<unsigned>(call.value_bytes), arrays.payload.mutable_in(),
            way.payload_bytes, call.n, stream);
  }
}

/// Brings the sorted keys to where the call wants them.
void finish_keys(RadixSort& call, const Way& way, const Sorted& sorted, const CallArrays& arrays,
                 cudaStream_t stream) {
  if (way.gathers_keys) {
    gather_column(call.keys, call.key_bytes, sorted.values, way.payload_bytes, arrays.d_spare_keys,
                  call.n, stream);
  } else if (way.wants_keys && way.widens_keys) {
    store_narrow_keys(sorted.keys, call.keys.out, call.key_bytes, call.n, narrow_form_of(call),
                      stream);
  } else if (way.wants_keys) {
    deliver(call.keys, sorted.keys, call.n * call.key_bytes, stream);
  }
}

/// The same of values and indices. The sort itself may have widened the indices.
void finish_values(RadixSort& call, const Way& way, bool are_widened, const Sorted& sorted,
                   const CallArrays& arrays, cudaStream_t stream) {
  const std::size_t n = call.n;
  if (way.payload == Payload::values) {
    deliver(call.values, sorted.values, n * call.value_bytes, stream);
  } else if (way.payload == Payload::widened) {
    convert(sorted.values, way.payload_bytes, call.values.out,
            static_cast<unsigned>(call.value_bytes), n, stream);
  } else if (way.widens_indices && !are_widened) {
    convert(sorted.values, way.payload_bytes, call.values.out, call.index_bytes, n, stream);
  } else if (call.index_bytes != 0 && !way.widens_indices) {
    copy(call.values.out, sorted.values, n * call.index_bytes, stream);
  } else if (call.value_bytes != 0) {
    gather_column(call.values, call.value_bytes, sorted.values, way.payload_bytes,
                  arrays.d_spare_values, n, stream);
  }
}

void sort(RadixSort& call, const Way& way, CallArrays& arrays, cudaStream_t stream) {
  const Rung rung = choose_rung(gpu_facts(), way.widths(), call.n);
  // Pairs end in the second of two arrays if `small` sorts them, else in the first.
  if (way.payload == Payload::index && call.index_bytes == way.payload_bytes &&
      rung != Rung::small) {
    arrays.payload = {arrays.payload.out, arrays.payload.mutable_in(), nullptr, true};
  }
  // By the sort, so that no kernel behind it has to.
  const bool widens_indices = way.widens_indices && !way.gathers_keys && widens_places(rung);
  prepare(call, way, arrays, stream);
  auto* const d_wide = static_cast<std::uint64_t*>(call.values.out);
  const Sorted sorted = sort_by(rung,
                                {.keys = {way.type, way.order},
                                 .value_bytes = way.payload_bytes,
                                 .n = call.n,
                                 .d_workspace = arrays.d_workspace,
                                 .stream = stream,
                                 .nans_last = way.nans_last,
                                 .d_wide_values = widens_indices ? d_wide : nullptr,
                                 .drops_keys = !way.wants_keys || way.gathers_keys},
                                way.payload == Payload::index, arrays.keys, arrays.payload);
  finish_keys(call, way, sorted, arrays, stream);
  finish_values(call, way, widens_indices, sorted, arrays, stream);
}

bool is_valid(const RadixSort& call) {
  const bool has_values = call.value_bytes != 0;
  return call.kind != KeyKind::none && is_width(call.key_bytes) &&
         (!is_floating(call.kind) || call.key_bytes > 1) &&
         (call.kind != KeyKind::brain_floating || call.key_bytes == 2) &&
         (call.index_bytes == 0 ||
          ((call.index_bytes == 4 || call.index_bytes == 8) && !has_values)) &&
         !(call.index_bytes == 4 && call.n > std::numeric_limits<std::uint32_t>::max());
}
bool has_arrays(const RadixSort& call) {
  return call.keys.in != nullptr &&
         (call.keys.out != nullptr || (call.index_bytes != 0 && !call.with_keys)) &&
         (call.value_bytes == 0 || (call.values.in != nullptr && call.values.out != nullptr)) &&
         (call.index_bytes == 0 || call.values.out != nullptr);
}

}  // namespace

cudaError_t RadixSort::operator()(void* d_temp, std::size_t& temp_bytes,
                                  cudaStream_t stream) noexcept {
  try {
    if (!is_valid(*this)) return cudaErrorInvalidValue;
    const Way way(*this);
    TempLayout layout(d_temp);
    CallArrays arrays(*this, way, layout);
    if (const auto returned = layout.finish(temp_bytes)) return *returned;
    keys.result_is_in_in = keys.in_is_spare;
    values.result_is_in_in = values.in_is_spare;
    if (n == 0) return cudaSuccess;
    if (!has_arrays(*this)) return cudaErrorInvalidValue;
    keys.result_is_in_in = values.result_is_in_in = false;
    const OnDeviceOf device(stream);
    sort(*this, way, arrays, stream);
    return cudaSuccess;
  } catch (...) {
    return current_error();
  }
}

OnDeviceOf::OnDeviceOf(cudaStream_t stream) {
  check(cudaGetDevice(&before_), "cudaGetDevice");
  device_ = before_;
  if (stream == nullptr || stream == cudaStreamLegacy) return;
  // CUDA answers for no stream that is being captured.
  cudaStreamCaptureStatus status{};
  check(cudaStreamIsCapturing(stream, &status), "cudaStreamIsCapturing");
  if (status != cudaStreamCaptureStatusNone) return;
  check(cudaStreamGetDevice(stream, &device_), "cudaStreamGetDevice");
  if (device_ != before_) check(cudaSetDevice(device_), "cudaSetDevice");
}
OnDeviceOf::~OnDeviceOf() {
  if (device_ != before_) (void)cudaSetDevice(before_);
}

void copy(void* d_to, const void* d_from, std::size_t bytes, cudaStream_t stream) {
  if (d_to == d_from || bytes == 0) return;
  check(cudaMemcpyAsync(d_to, d_from, bytes, cudaMemcpyDeviceToDevice, stream), "cudaMemcpyAsync");
}
void gather(const void* d_in, void* d_out, std::size_t item_bytes, const void* d_index,
            unsigned index_bytes, std::size_t n, cudaStream_t stream) {
  gather_items(d_in, d_out, item_bytes, d_index, index_bytes, n, stream);
}
void number(void* d_out, unsigned index_bytes, std::size_t n, cudaStream_t stream) {
  number_items(d_out, index_bytes, n, stream);
}
void widen_indices(const std::uint32_t* d_in, void* d_out, std::size_t n, cudaStream_t stream) {
  convert(d_in, sizeof(*d_in), d_out, sizeof(std::uint64_t), n, stream);
}

cudaError_t current_error() noexcept {
  try {
    throw;
  } catch (const CudaError& error) {
    return error.status;
  } catch (const std::bad_alloc&) {
    return cudaErrorMemoryAllocation;
  } catch (const BadInput&) {
    return cudaErrorInvalidValue;
  } catch (...) {
    return cudaErrorUnknown;
  }
}

}  // namespace sortlab::cuda::detail
