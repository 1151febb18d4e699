// Arrays of keys, accessed through Python's buffer protocol.
#pragma once

#include <nanobind/nanobind.h>
#include <sortlab/sortlab.h>

#include <cstddef>
#include <cstdint>

namespace sortlab::python {

/// The buffer of an array in C order. The destructor releases it, which needs the GIL.
class Buffer {
 public:
  /// `fill`: to write to an array whose type is known. NumPy makes the text of a new array's type only if
  /// it is asked for, which takes 0.1 us; key_type() needs it.
  enum class Access { read, write, fill };

  /// Does not raise: ok() is false if there is no such buffer.
  Buffer(nanobind::handle array, Access access) {
    const int flags = PyBUF_C_CONTIGUOUS | (access == Access::fill ? 0 : PyBUF_FORMAT) |
                      (access == Access::read ? 0 : PyBUF_WRITABLE);
    ok_ = PyObject_GetBuffer(array.ptr(), &view_, flags) == 0;
    if (!ok_) PyErr_Clear();
  }
  ~Buffer() {
    if (ok_) PyBuffer_Release(&view_);
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  bool ok() const { return ok_; }
  void* data() const { return view_.buf; }
  std::size_t bytes() const { return static_cast<std::size_t>(view_.len); }
  std::size_t item_bytes() const { return static_cast<std::size_t>(view_.itemsize); }
  std::size_t items() const { return bytes() / item_bytes(); }
  /// Items of the last dimension; 1 without dimensions.
  std::size_t row() const {
    return view_.ndim == 0 ? 1 : static_cast<std::size_t>(view_.shape[view_.ndim - 1]);
  }
  int dimensions() const { return view_.ndim; }

  /// SORTLAB_TYPE_..., or 0 if sortlab can't sort such items: another type, another byte order,
  /// misaligned.
  int key_type() const {
    const char* format = view_.format;
    if (*format == '@' || *format == '=') ++format;
    if (format[0] == '\0' || format[1] != '\0') return 0;
    if (reinterpret_cast<std::uintptr_t>(data()) % item_bytes() != 0) return 0;
    switch (format[0]) {
      case '?':
        return SORTLAB_TYPE_U8;
      case 'B':
      case 'H':
      case 'I':
      case 'L':
      case 'Q':
        return of_width(SORTLAB_TYPE_U8, SORTLAB_TYPE_U16, SORTLAB_TYPE_U32, SORTLAB_TYPE_U64);
      case 'b':
      case 'h':
      case 'i':
      case 'l':
      case 'q':
        return of_width(SORTLAB_TYPE_I8, SORTLAB_TYPE_I16, SORTLAB_TYPE_I32, SORTLAB_TYPE_I64);
      case 'e':
        return SORTLAB_TYPE_F16;
      case 'f':
        return SORTLAB_TYPE_F32;
      case 'd':
        return SORTLAB_TYPE_F64;
      default:
        return 0;
    }
  }

 private:
  int of_width(int one, int two, int four, int eight) const {
    switch (item_bytes()) {
      case 1:
        return one;
      case 2:
        return two;
      case 4:
        return four;
      case 8:
        return eight;
      default:
        return 0;
    }
  }

  Py_buffer view_;
  bool ok_;
};

}  // namespace sortlab::python
