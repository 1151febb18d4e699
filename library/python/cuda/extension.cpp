// The Python module sortlab._cuda: sorts of arrays on a GPU, for sortlab/_gpu.py. It knows no Python
// arrays: an array is the address of its first item, and a type is a number of sortlab.h.
//
// All calls enqueue their work on a stream and return. `allocate` is a Python function that makes
// memory in the order of this stream: allocate(bytes) returns its address and an object that owns it.
// With None the memory comes from the device's pool.
#include <cuda_runtime_api.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/tuple.h>
#include <sortlab/sortlab.h>

#include <algorithm>
#include <cstdint>
#include <new>
#include <optional>
#include <sortlab/detail/cuda/one_call.hpp>
#include <sortlab/detail/cuda/radix_sort.hpp>
#include <sortlab/detail/cuda/segment_sort.hpp>
#include <sortlab/detail/cuda/temp_layout.hpp>
#include <sortlab/detail/cuda/top_k.hpp>
#include <stdexcept>
#include <string>

#include "library/python/cuda/dlpack.hpp"
#include "library/python/gil.hpp"

namespace sortlab::python {

/// Throws what Python raises: MemoryError, ValueError or RuntimeError.
inline void check(cudaError_t status) {
  if (status == cudaSuccess) [[likely]]
    return;
  (void)cudaGetLastError();
  if (status == cudaErrorMemoryAllocation) throw std::bad_alloc();
  const std::string text =
      std::string("CUDA: ") + cudaGetErrorString(status) + " (" + cudaGetErrorName(status) + ")";
  if (status == cudaErrorInvalidValue || status == cudaErrorInvalidDevice) {
    throw nanobind::value_error(text.c_str());
  }
  throw std::runtime_error(text);
}

/// Makes a device the current one during its lifetime.
class CurrentDevice {
 public:
  explicit CurrentDevice(int device) : device_(device) {
    check(cudaGetDevice(&before_));
    if (before_ != device_) check(cudaSetDevice(device_));
  }
  ~CurrentDevice() {
    if (before_ != device_) (void)cudaSetDevice(before_);
  }
  CurrentDevice(const CurrentDevice&) = delete;
  CurrentDevice& operator=(const CurrentDevice&) = delete;

 private:
  int device_;
  int before_ = 0;
};

class Event {
 public:
  Event() { check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming)); }
  ~Event() { (void)cudaEventDestroy(event_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  cudaEvent_t get() const { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace sortlab::python

namespace nb = nanobind;
using namespace nanobind::literals;

namespace sortlab::python {
namespace {

using cuda::detail::FloatOrder;
using cuda::detail::KeyKind;
using cuda::detail::RadixSort;
using cuda::detail::RowSort;
using cuda::detail::SegmentSort;
using cuda::detail::TopK;
using Address = std::uintptr_t;

void* pointer(Address address) { return reinterpret_cast<void*>(address); }
cudaStream_t stream_at(Address handle) { return reinterpret_cast<cudaStream_t>(handle); }

/// Calls a piece of the library's sorts, which throws what CUDA reports.
template <class Piece>
void check_piece(Piece piece) {
  cudaError_t status = cudaSuccess;
  try {
    piece();
  } catch (...) {
    status = cuda::detail::current_error();
  }
  check(status);
}

/// PyTorch's bfloat16, which sortlab.h has no number for.
constexpr int kBrainFloat = 100;

/// A sort without its arrays.
RadixSort sort_of(int type, std::size_t n, bool descending) {
  RadixSort sort{};
  switch (type) {
    case SORTLAB_TYPE_F16:
    case SORTLAB_TYPE_F32:
    case SORTLAB_TYPE_F64:
      sort.kind = KeyKind::floating;
      sort.key_bytes = type == SORTLAB_TYPE_F16 ? 2 : type == SORTLAB_TYPE_F32 ? 4 : 8;
      break;
    case kBrainFloat:
      sort.kind = KeyKind::brain_floating;
      sort.key_bytes = 2;
      break;
    default:  // u8, i8, u16, i16, ...
      sort.kind = type % 2 == 1 ? KeyKind::unsigned_integer : KeyKind::signed_integer;
      sort.key_bytes = 1u << (type - 1) / 2;
  }
  sort.order = descending ? Order::descending : Order::ascending;
  sort.floats = FloatOrder::nans_last;
  sort.n = n;
  return sort;
}

/// Memory of a call. Without a Python function it is freed in the order of the stream.
class Memory {
 public:
  Memory(nb::handle allocate, std::size_t bytes, cudaStream_t stream) : stream_(stream) {
    if (allocate.is_none()) {
      d_memory_ = pool_.allocate(bytes, stream);
      check(pool_.status);
      is_of_pool_ = true;
    } else {
      owner_ = allocate(bytes);
      d_memory_ = pointer(nb::cast<Address>(owner_[0]));
    }
  }
  ~Memory() {
    if (is_of_pool_) pool_.deallocate(d_memory_, 0, stream_);
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  void* data() const { return d_memory_; }

 private:
  cudaStream_t stream_;
  cuda::detail::DeviceMemory pool_;
  nb::object owner_;
  void* d_memory_ = nullptr;
  bool is_of_pool_ = false;
};

/// Enqueues a sort in memory of its own. A full queue makes a launch wait, so Python's lock is released.
template <class Sort>
void enqueue(Sort sort, int device, Address stream, nb::handle allocate) {
  const CurrentDevice current(device);
  const cudaStream_t on = stream_at(stream);
  std::size_t bytes = 0;
  check(sort(nullptr, bytes, on));
  if (bytes == cuda::detail::TempLayout::kBytesOfNothing) {
    without_gil([&] { check(sort(pointer(bytes), bytes, on)); });
    return;
  }
  const Memory memory(allocate, bytes, on);
  without_gil([&] { check(sort(memory.data(), bytes, on)); });
}

void sort_rows(Address keys, Address out, std::size_t rows, std::size_t n, int type,
               bool descending, int device, Address stream, nb::handle allocate) {
  RowSort sort{sort_of(type, n, descending), rows};
  sort.row.keys = {pointer(keys), pointer(out)};
  enqueue(sort, device, stream, allocate);
}

void argsort_rows(Address keys, Address order, std::size_t rows, std::size_t n, int type,
                  unsigned index_bytes, bool descending, int device, Address stream,
                  nb::handle allocate) {
  RowSort sort{sort_of(type, n, descending), rows};
  sort.row.index_bytes = index_bytes;
  sort.row.keys = {pointer(keys), nullptr};
  sort.row.values = {nullptr, pointer(order)};
  enqueue(sort, device, stream, allocate);
}

/// Each row with the indices of its keys, which are of 8 bytes.
void sort_rows_with_indices(Address keys, Address out, Address order, std::size_t rows,
                            std::size_t n, int type, bool descending, int device, Address stream,
                            nb::handle allocate) {
  RowSort sort{sort_of(type, n, descending), rows};
  sort.row.index_bytes = sizeof(std::int64_t);
  sort.row.with_keys = true;
  sort.row.keys = {pointer(keys), pointer(out)};
  sort.row.values = {nullptr, pointer(order)};
  enqueue(sort, device, stream, allocate);
}

/// Segments s of `keys`: from the offset number s, of `offset_bytes`, to the next. `out` has the keys already, and
/// `out_values` the values, if there are any: other items than those of segments stay as they are.
void sort_segments(Address keys, Address out, Address values, Address out_values,
                   std::size_t value_bytes, std::size_t n, Address offsets, unsigned offset_bytes,
                   std::size_t segments, int type, bool descending, int device, Address stream,
                   nb::handle allocate) {
  const RadixSort kind = sort_of(type, n, descending);
  SegmentSort sort{.kind = kind.kind,
                   .key_bytes = kind.key_bytes,
                   .order = kind.order,
                   .nans_last = true,
                   .n = n,
                   .segments = {segments, pointer(offsets), offset_bytes},
                   .keys_in = pointer(keys),
                   .keys_out = pointer(out)};
  if (value_bytes > 0) {
    sort.values_in = pointer(values);
    sort.values_out = pointer(out_values);
    sort.value_bytes = value_bytes;
  }
  enqueue(sort, device, stream, allocate);
}

/// The best k of rows of n keys, and their places, which are of 8 bytes. NaNs are the largest keys.
void top_k(Address keys, Address best, Address places, std::size_t rows, std::size_t n,
           std::size_t k, int type, bool largest, bool sorted, int device, Address stream,
           nb::handle allocate) {
  const RadixSort kind = sort_of(type, n, largest);
  enqueue(TopK{.kind = kind.kind,
               .key_bytes = kind.key_bytes,
               .order = kind.order,
               .nans_last = true,
               .nans_first = largest,
               .is_sorted = sorted,
               .is_first = false,
               .rows = rows,
               .columns = n,
               .stride = n,
               .k = k,
               .d_keys = pointer(keys),
               .d_best = pointer(best),
               .d_places = pointer(places),
               .place_bytes = sizeof(std::int64_t)},
          device, stream, allocate);
}

/// The same of weights, the largest and first ones, and of how many of them the sum is p: counts of 4 bytes.
void top_p(Address weights, Address best, Address places, Address counts, std::size_t rows,
           std::size_t n, std::size_t k, int type, float p, int device, Address stream,
           nb::handle allocate) {
  const RadixSort kind = sort_of(type, n, true);
  enqueue(TopK{.kind = kind.kind,
               .key_bytes = kind.key_bytes,
               .order = kind.order,
               .nans_last = true,
               .nans_first = false,
               .is_sorted = true,
               .is_first = true,
               .rows = rows,
               .columns = n,
               .stride = n,
               .k = k,
               .d_keys = pointer(weights),
               .d_best = pointer(best),
               .d_places = pointer(places),
               .place_bytes = sizeof(std::int64_t),
               .is_top_p = true,
               .d_counts = static_cast<std::uint32_t*>(pointer(counts)),
               .p = p},
          device, stream, allocate);
}

void sort_pairs(Address keys, Address out_keys, Address values, Address out_values, std::size_t n,
                int type, std::size_t value_bytes, bool descending, int device, Address stream,
                nb::handle allocate) {
  RadixSort sort = sort_of(type, n, descending);
  sort.keys = {pointer(keys), pointer(out_keys)};
  sort.value_bytes = value_bytes;
  if (value_bytes > 0) sort.values = {pointer(values), pointer(out_values)};
  enqueue(sort, device, stream, allocate);
}

/// out[i] = from[order[i]] in each row, for items of `item_bytes` and indices of 8 bytes.
void gather_rows(Address from, Address out, std::size_t item_bytes, Address order, std::size_t rows,
                 std::size_t n, int device, Address stream) {
  const CurrentDevice current(device);
  without_gil([&] {
    check_piece([&] {
      cuda::detail::gather_rows(pointer(from), pointer(out), item_bytes, pointer(order),
                                sizeof(std::int64_t), rows, n, stream_at(stream));
    });
  });
}

/// The device of an address.
int device_of(Address address) {
  cudaPointerAttributes attributes{};
  check(cudaPointerGetAttributes(&attributes, pointer(address)));
  if (attributes.type != cudaMemoryTypeDevice && attributes.type != cudaMemoryTypeManaged) {
    throw nb::value_error("the array's address is not in the memory of a GPU");
  }
  return attributes.device;
}

/// `waiting` runs what comes after the call once `other` has run what came before it.
void wait(int device, Address waiting, Address other) {
  if (waiting == other) return;
  const CurrentDevice current(device);
  const Event event;
  check(cudaEventRecord(event.get(), stream_at(other)));
  check(cudaStreamWaitEvent(stream_at(waiting), event.get()));
}

/// Returns when the stream has run all its work.
void synchronize(int device, Address stream) {
  const CurrentDevice current(device);
  without_gil([&] { check(cudaStreamSynchronize(stream_at(stream))); });
}

}  // namespace
}  // namespace sortlab::python

NB_MODULE(_cuda, module) {
  using namespace sortlab::python;
  module.def("sort_rows", &sort_rows, "keys"_a, "out"_a, "rows"_a, "n"_a, "type"_a, "descending"_a,
             "device"_a, "stream"_a, "allocate"_a.none());
  module.def("argsort_rows", &argsort_rows, "keys"_a, "order"_a, "rows"_a, "n"_a, "type"_a,
             "index_bytes"_a, "descending"_a, "device"_a, "stream"_a, "allocate"_a.none());
  module.def("sort_rows_with_indices", &sort_rows_with_indices, "keys"_a, "out"_a, "order"_a,
             "rows"_a, "n"_a, "type"_a, "descending"_a, "device"_a, "stream"_a,
             "allocate"_a.none());
  module.def("sort_segments", &sort_segments, "keys"_a, "out"_a, "values"_a, "out_values"_a,
             "value_bytes"_a, "n"_a, "offsets"_a, "offset_bytes"_a, "segments"_a, "type"_a,
             "descending"_a, "device"_a, "stream"_a, "allocate"_a.none());
  module.def("top_k", &top_k, "keys"_a, "best"_a, "places"_a, "rows"_a, "n"_a, "k"_a, "type"_a,
             "largest"_a, "sorted"_a, "device"_a, "stream"_a, "allocate"_a.none());
  module.def("top_p", &top_p, "weights"_a, "best"_a, "places"_a, "counts"_a, "rows"_a, "n"_a, "k"_a,
             "type"_a, "p"_a, "device"_a, "stream"_a, "allocate"_a.none());
  module.def("sort_pairs", &sort_pairs, "keys"_a, "out_keys"_a, "values"_a, "out_values"_a, "n"_a,
             "type"_a, "value_bytes"_a, "descending"_a, "device"_a, "stream"_a,
             "allocate"_a.none());
  module.def("gather_rows", &gather_rows, "from"_a, "out"_a, "item_bytes"_a, "order"_a, "rows"_a,
             "n"_a, "device"_a, "stream"_a);
  module.def("device_of", &device_of, "address"_a);
  module.def("wait", &wait, "device"_a, "waiting"_a, "other"_a);
  module.def("synchronize", &synchronize, "device"_a, "stream"_a);
  module.def("of_dlpack", &of_dlpack, "capsule"_a);
}
