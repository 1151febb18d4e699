// Reads a capsule of DLPack, the protocol by which libraries of arrays exchange them.
// Source: dmlc/dlpack, include/dlpack/dlpack.h (the layouts of DLPack 0.x and 1.x).
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <cstring>
#include <string>

namespace sortlab::python {

/// The tensor in a capsule, and whether it may not be written.
struct DlpackTensor {
  const nanobind::dlpack::dltensor* tensor;
  bool is_read_only;

  /// Throws TypeError if it is no such capsule, or one that has been used.
  explicit DlpackTensor(nanobind::handle capsule) {
    struct Versioned {  // DLManagedTensorVersioned
      std::uint32_t major, minor;
      void* manager;
      void (*deleter)(void*);
      std::uint64_t flags;
      nanobind::dlpack::dltensor tensor;
    };
    constexpr std::uint64_t kReadOnly = 1;
    const auto content = [&](const char* name) {
      return PyCapsule_IsValid(capsule.ptr(), name) ? PyCapsule_GetPointer(capsule.ptr(), name)
                                                    : nullptr;
    };
    if (const auto* versioned = static_cast<const Versioned*>(content("dltensor_versioned"));
        versioned != nullptr && versioned->major == 1) {
      tensor = &versioned->tensor;
      is_read_only = (versioned->flags & kReadOnly) != 0;
    } else if (const void* managed = content("dltensor")) {
      tensor = static_cast<const nanobind::dlpack::dltensor*>(managed);  // its first member
      is_read_only = false;
    } else {
      throw nanobind::type_error("__dlpack__ returned no capsule of DLPack 0 or 1");
    }
  }
};

/// Whether items in C order have these strides, which are null for C order.
inline bool is_in_c_order(const nanobind::dlpack::dltensor& tensor) {
  if (tensor.strides == nullptr) return true;
  std::int64_t step = 1;
  for (int axis = tensor.ndim - 1; axis >= 0; --axis) {
    if (tensor.shape[axis] != 1 && tensor.strides[axis] != step) return false;
    step *= tensor.shape[axis];
  }
  return true;
}

/// (address, NumPy's name of the type, shape, is in C order, is read-only, device). The capsule owns
/// the array. An unknown type has the name "".
inline nanobind::tuple of_dlpack(nanobind::handle capsule) {
  const DlpackTensor given(capsule);
  const nanobind::dlpack::dltensor& tensor = *given.tensor;
  constexpr char kKinds[] = {'i', 'u', 'f', 0, 0, 'c', 'b'};  // by DLDataTypeCode
  const char kind = tensor.dtype.code < sizeof kKinds ? kKinds[tensor.dtype.code] : char{0};
  std::string type;
  if (kind != 0 && tensor.dtype.lanes == 1) type = kind + std::to_string(tensor.dtype.bits / 8);
  nanobind::list shape;
  for (int axis = 0; axis < tensor.ndim; ++axis) shape.append(tensor.shape[axis]);
  const auto address = reinterpret_cast<std::uintptr_t>(tensor.data) + tensor.byte_offset;
  return nanobind::make_tuple(address, nanobind::str(type.c_str()), nanobind::tuple(shape),
                              is_in_c_order(tensor), given.is_read_only, tensor.device.device_id);
}

}  // namespace sortlab::python
