// NumPy's arrays, read where they are: Python's buffer protocol would take longer than a short sort, and has
// no dates.
#pragma once

#include <nanobind/nanobind.h>
#include <sortlab/sortlab.h>

#include <cstddef>
#include <cstdint>

namespace sortlab::python {

/// What an array's items are as keys.
struct KeyType {
  int number = 0;  ///< SORTLAB_TYPE_..., or 0: sortlab can't sort them.
  unsigned bytes = 0;
  bool is_time = false;  ///< datetime64 or timedelta64: the least number is NaT, which comes last.
  bool is_swapped = false;  ///< of the other byte order

  bool is_float() const { return number >= SORTLAB_TYPE_F32; }
  bool is_ready() const { return number != 0 && !is_swapped; }
};

/// A view of a NumPy array or of a subclass's. The object must live as long.
class Array {
 public:
  explicit Array(nanobind::handle array) : fields_(reinterpret_cast<Fields*>(array.ptr())) {}

  void* data() const { return fields_->data; }
  int dimensions() const { return fields_->dimensions; }
  std::size_t length(int axis) const { return static_cast<std::size_t>(fields_->lengths[axis]); }
  std::size_t items() const {
    std::size_t n = 1;
    for (int axis = 0; axis < dimensions(); ++axis) n *= length(axis);
    return n;
  }
  bool is_writable() const { return (fields_->flags & kWritable) != 0; }
  /// In C order, and aligned.
  bool is_compact() const { return (fields_->flags & kCompact) == kCompact; }

  KeyType key_type() const {
    const Dtype& dtype = *fields_->dtype;
    KeyType type;
    switch (dtype.number) {  // NPY_BOOL, NPY_BYTE, ...
      case 0:
      case 2:
        type = {SORTLAB_TYPE_U8, 1};
        break;
      case 1:
        type = {SORTLAB_TYPE_I8, 1};
        break;
      case 3:
        type = {SORTLAB_TYPE_I16, 2};
        break;
      case 4:
        type = {SORTLAB_TYPE_U16, 2};
        break;
      case 5:
        type = {SORTLAB_TYPE_I32, 4};
        break;
      case 6:
        type = {SORTLAB_TYPE_U32, 4};
        break;
      case 7:
      case 9:
        type = {SORTLAB_TYPE_I64, 8};
        break;
      case 8:
      case 10:
        type = {SORTLAB_TYPE_U64, 8};
        break;
      case 11:
        type = {SORTLAB_TYPE_F32, 4};
        break;
      case 12:
        type = {SORTLAB_TYPE_F64, 8};
        break;
      case 21:
      case 22:
        type = {SORTLAB_TYPE_I64, 8, true};
        break;
      case 23:
        type = {SORTLAB_TYPE_F16, 2};
        break;
      default:
        break;
    }
    type.is_swapped = dtype.byte_order == '>';
    return type;
  }

  /// Whether this NumPy has arrays as described here: an array of three float64, compared with what
  /// NumPy says of it.
  static bool is_layout_known(nanobind::handle array) {
    const Array view(array);
    return reinterpret_cast<std::uintptr_t>(view.data()) ==
               nanobind::cast<std::uintptr_t>(array.attr("ctypes").attr("data")) &&
           view.dimensions() == 1 && view.length(0) == 3 && view.is_writable() &&
           view.is_compact() && view.key_type().number == SORTLAB_TYPE_F64;
  }

 private:
  static constexpr int kCompact = 0x101, kWritable = 0x400;

  // The beginnings of PyArray_Descr and PyArrayObject_fields, the same in NumPy 1 and 2
  // (numpy/ndarraytypes.h).
  struct Dtype {
    PyObject_HEAD;
    PyTypeObject* scalar;
    char kind, character, byte_order, unused;
    int number;
  };
  struct Fields {
    PyObject_HEAD;
    char* data;
    int dimensions;
    Py_ssize_t* lengths;
    Py_ssize_t* strides;
    PyObject* base;
    Dtype* dtype;
    int flags;
  };

  Fields* fields_;
};

}  // namespace sortlab::python
