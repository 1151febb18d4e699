// The Python module sortlab._sortlab: sort(), argsort() and sort_by_key() for NumPy arrays and for lists and
// tuples. Other arrays go to sortlab/_libraries.py, which finds out whose they are. sortlab/_arrays.py
// prepares NumPy's that need it, and calls the functions at the end, which take only arrays in C order.
//
// A call on few keys takes as long as the checks around it. So the usual calls do as little as possible
// here: they make the result by one call of NumPy's and read its fields.
#include <nanobind/nanobind.h>

#include <climits>
#include <optional>

#include "library/python/arrays.hpp"
#include "library/python/calls.hpp"
#include "library/python/gil.hpp"
#include "library/python/passes.hpp"
#include "library/python/rows.hpp"

namespace nb = nanobind;
using namespace nanobind::literals;

namespace sortlab::python {
namespace {

using Values = Signature::Values;

/// Fewer keys are sorted with the GIL held, because another thread that takes it may keep it for 5
/// ms.
constexpr std::size_t kWorthRelease = 4096;

/// NumPy's own objects. They are kept until the process ends.
struct Numpy {
  nb::module_ module = nb::module_::import_("numpy");
  nb::object ndarray = module.attr("ndarray");
  nb::object copy = ndarray.attr("copy");
  nb::object flatten = ndarray.attr("flatten");
  nb::object ravel = ndarray.attr("ravel");
  nb::object asarray = module.attr("asarray");
  nb::object empty = module.attr("empty");
  nb::object empty_like = module.attr("empty_like");
  nb::object intp = module.attr("intp");
};
const Numpy* numpy = nullptr;

bool is_array(nb::handle object) { return object.type().is(numpy->ndarray); }

/// The calls that take any array, of sortlab/_libraries.py. They are kept until the process ends.
struct General {
  nb::module_ module = nb::module_::import_("sortlab._libraries");
  nb::object sort = module.attr("sort");
  nb::object argsort = module.attr("argsort");
  nb::object sort_by_key = module.attr("sort_by_key");
};
const General& general() {
  // The import may let another thread run, which would wait for the initialization of a local object
  // and keep the GIL. So two threads may each make one.
  static const General* found = nullptr;
  if (found == nullptr) found = or_sleep([] { return new General; });
  return *found;
}

nb::handle or_none(PyObject* value) { return value == nullptr ? nb::none() : nb::handle(value); }
bool is_given(PyObject* value) { return value != nullptr && value != Py_None; }
nb::handle python_bool(bool value) { return value ? Py_True : Py_False; }

/// An argument that is true or false. None is false.
bool flag(PyObject* value, const char* name) {
  if (!is_given(value) || value == Py_False) return false;
  if (value == Py_True) return true;
  if (PyUnicode_Check(value) || PyBytes_Check(value)) {
    raise(PyExc_TypeError, "%s: expected True or False, found %R", name, value);
  }
  const int truth = or_sleep([&] { return PyObject_IsTrue(value); });
  if (truth < 0) nb::raise_python_error();
  return truth != 0;
}

int threads_of(PyObject* value) {
  if (!is_given(value)) return 0;
  const nb::object index = nb::steal(or_sleep([&] { return PyNumber_Index(value); }));
  if (!index.is_valid()) {
    PyErr_Clear();
    raise(PyExc_TypeError, "threads: expected an integer or None, found %R", Py_TYPE(value));
  }
  const Py_ssize_t threads = PyNumber_AsSsize_t(index.ptr(), nullptr);
  if (threads < 1) {
    raise(PyExc_ValueError, "threads: expected at least 1, or None for as many as are free");
  }
  return static_cast<int>(std::min<Py_ssize_t>(threads, INT_MAX));
}

/// What `kind`, `order` and `stable` ask for: they have NumPy's meaning.
bool is_stable(PyObject* kind, PyObject* order, PyObject* stable) {
  if (is_given(order)) {
    raise(PyExc_ValueError,
          "order: it names fields of a structured array, which sortlab can't sort");
  }
  if (!is_given(kind)) return flag(stable, "stable");
  if (is_given(stable)) {
    // NumPy's own tests look for these words.
    raise(PyExc_ValueError, "`kind` and keyword parameters can't be provided at the same time");
  }
  if (!PyUnicode_Check(kind) && !PyBytes_Check(kind)) {
    raise(PyExc_TypeError, "kind: expected a string, found %R", Py_TYPE(kind));
  }
  const nb::object text = PyBytes_Check(kind)
                              ? nb::steal(PyUnicode_FromEncodedObject(kind, "latin-1", nullptr))
                              : nb::borrow(kind);
  const Py_UCS4 letter =
      PyUnicode_GetLength(text.ptr()) > 0 ? PyUnicode_ReadChar(text.ptr(), 0) : 0;
  switch (letter) {  // NumPy looks at the first letter alone
    case 'q':
    case 'Q':
    case 'h':
    case 'H':
      return false;
    case 'm':
    case 'M':
    case 's':
    case 'S':
      return true;
    default:
      raise(PyExc_ValueError,
            "kind: expected 'quicksort', 'heapsort', 'mergesort' or 'stable', found %R", kind);
  }
}

/// Whether pairs with equal keys may change places: only if the caller says so.
bool allows_any_order(PyObject* stable) { return is_given(stable) && !flag(stable, "stable"); }

sortlab_options options_of(bool descending, int threads) {
  sortlab_options options = {};
  options.size = sizeof options;
  options.order = descending ? SORTLAB_ORDER_DESCENDING : SORTLAB_ORDER_ASCENDING;
  options.floats = SORTLAB_FLOATS_NANS_LAST;
  options.threads = threads;
  return options;
}

/// Calls work(), without the GIL if n keys are worth it.
template <class Work>
void maybe_without_gil(std::size_t n, Work work) {
  if (n < kWorthRelease) return work();
  without_gil(work);
}

/// The axis >= 0, or none if it is not an integer of Python or the array has no such axis.
std::optional<int> axis_of(PyObject* axis, int dimensions) {
  long number = -1;
  if (axis != nullptr) {
    if (!PyLong_CheckExact(axis)) return {};
    int overflow = 0;
    number = PyLong_AsLongAndOverflow(axis, &overflow);
    if (overflow != 0) return {};
  }
  if (number < -dimensions || number >= dimensions) return {};
  return static_cast<int>(number < 0 ? number + dimensions : number);
}

/// The rows of a compact array along an axis.
Rows rows_of(const Array& array, const KeyType& type, int axis) {
  Rows rows{static_cast<std::byte*>(array.data()), type, 1, array.length(axis), 1};
  for (int i = 0; i < array.dimensions(); ++i) {
    (i < axis ? rows.outer : rows.inner) *= i == axis ? 1 : array.length(i);
  }
  return rows;
}

void sort_array(nb::handle array, const KeyType& type, int axis, bool stable,
                const sortlab_options& options) {
  const Rows rows = rows_of(Array(array), type, axis);
  maybe_without_gil(rows.n * rows.count(), [&] { sort_rows(rows, stable, options); });
}

/// Copies one compact array of keys to another one. False if they are not.
bool copy_array(nb::handle from, nb::handle to, int threads) {
  const Array source(from), target(to);
  const KeyType type = source.key_type(), other = target.key_type();
  if (!source.is_compact() || !target.is_compact() || !target.is_writable() || type.number == 0 ||
      type.number != other.number || type.is_swapped != other.is_swapped ||
      source.items() != target.items()) {
    return false;
  }
  maybe_without_gil(source.items(), [&] {
    copy(target.data(), source.data(), source.items() * type.bytes, threads);
  });
  return true;
}

/// A copy of an array in C order.
nb::object copy_of(nb::handle a, int threads) {
  constexpr std::size_t kWorthThreads = std::size_t{1} << 20;  // bytes
  const Array array(a);
  const KeyType type = array.key_type();
  if (!array.is_compact() || type.number == 0 || array.items() * type.bytes < kWorthThreads) {
    return call(numpy->copy, a);
  }
  nb::object to = call(numpy->empty_like, a);
  return copy_array(a, to, threads) ? to : call(numpy->copy, a);
}

/// A sorted copy of an array in C order.
nb::object sorted_copy_of(nb::handle a, int axis, bool stable, const sortlab_options& options) {
  const Array array(a);
  const KeyType type = array.key_type();
  Rows rows = rows_of(array, type, axis);
  if (array.is_compact() && are_copied_sorted(rows, stable)) {
    nb::object to = call(numpy->empty_like, a);
    const Array target(to);
    if (target.is_compact() && target.key_type().number == type.number) {
      const std::byte* const from = rows.keys;
      rows.keys = static_cast<std::byte*>(target.data());
      maybe_without_gil(rows.n * rows.outer, [&] {
        check(sortlab_sort_rows_to(from, rows.keys, rows.outer, rows.n, type.number, &options));
      });
      return to;
    }
  }
  nb::object to = copy_of(a, options.threads);
  sort_array(to, type, axis, stable, options);
  return to;
}

/// An array of a list or a tuple; otherwise null.
nb::object from_sequence(nb::handle a) {
  if (!PyList_CheckExact(a.ptr()) && !PyTuple_CheckExact(a.ptr())) return {};
  return call(numpy->asarray, a);
}

/// The number of dimensions of the result, and the axis in it; none if _arrays.py must see the arguments.
std::optional<int> axis_of_result(const Array& array, PyObject* axis) {
  return axis == Py_None ? std::optional<int>(0) : axis_of(axis, array.dimensions());
}

bool needs_order_of_floats(const std::byte* keys, std::size_t n, const KeyType& type) {
  switch (type.number) {
    case SORTLAB_TYPE_F16:
      return has_minus_zero_or_nan(reinterpret_cast<const Half*>(keys), n);
    case SORTLAB_TYPE_F32:
      return has_minus_zero_or_nan(reinterpret_cast<const float*>(keys), n);
    case SORTLAB_TYPE_F64:
      return has_minus_zero_or_nan(reinterpret_cast<const double*>(keys), n);
    default:
      return false;
  }
}

/// Sorts keys, and moves an equal part of `bytes` bytes of values with each key. Returns false, and
/// moves nothing, if it can't sort such keys, or if some of them are equal and have different bits.
bool sort_pairs(nb::handle keys, void* values, std::size_t bytes, const sortlab_options& options) {
  const Array array(keys);
  const KeyType type = array.key_type();
  if (!type.is_ready() || !array.is_compact() || array.dimensions() != 1) return false;
  auto* const data = static_cast<std::byte*>(array.data());
  const std::size_t n = array.items();
  bool sorted = false;
  maybe_without_gil(n, [&] {
    if (needs_order_of_floats(data, n, type)) return;
    if (n > 0 && bytes > 0) {
      sort_pairs_row(data, static_cast<std::byte*>(values), n, type, bytes / n, options);
    } else {
      sort_row(data, n, type, false, options);
    }
    sorted = true;
  });
  return sorted;
}

nb::object sort(const Values& values) {
  const auto& [a, axis, kind, order, out, descends, stable, return_indices, threads, stream] =
      values;
  const bool keeps_ties = is_stable(kind, order, stable);
  const bool descending = flag(descends, "descending");
  const bool with_indices = flag(return_indices, "return_indices");
  const sortlab_options options = options_of(descending, threads_of(threads));
  if (!with_indices && !is_given(stream)) {
    nb::object made = from_sequence(a);
    const nb::handle given = made.is_valid() ? nb::handle(made) : nb::handle(a);
    if (is_array(given)) {
      const Array array(given);
      const KeyType type = array.key_type();
      const std::optional<int> row_axis = axis_of_result(array, axis);
      if (type.number != 0 && row_axis.has_value()) {
        if (!is_given(out)) {
          if (axis == Py_None) {
            made = call(numpy->flatten, given);
          } else if (!made.is_valid() || !array.is_compact()) {
            return sorted_copy_of(given, *row_axis, keeps_ties, options);
          }
          sort_array(made, type, *row_axis, keeps_ties, options);
          return made;
        }
        if (out == a && axis != Py_None && array.is_compact() && array.is_writable()) {
          sort_array(given, type, *row_axis, keeps_ties, options);
          return nb::borrow(given);
        }
      }
    }
  }
  return call(general().sort, nb::handle(a), axis == nullptr ? nb::int_(-1) : nb::borrow(axis),
              or_none(out), python_bool(descending), python_bool(keeps_ties),
              python_bool(with_indices), nb::int_(options.threads), or_none(stream));
}

nb::object argsort(const Values& values) {
  const auto& [a, axis, kind, order_by, descends, stable, threads, dtype, stream, _] = values;
  (void)is_stable(kind, order_by, stable);  // `kind` has no influence
  const bool descending = flag(descends, "descending");
  sortlab_options options = options_of(descending, threads_of(threads));
  options.any_order = allows_any_order(stable);
  if (!is_given(stream) && (!is_given(dtype) || dtype == numpy->intp.ptr())) {
    const nb::object made = from_sequence(a);
    nb::object given = made.is_valid() ? made : nb::borrow(a);
    if (is_array(given) && Array(given).dimensions() > 0) {
      const KeyType type = Array(given).key_type();
      const std::optional<int> row_axis = axis_of_result(Array(given), axis);
      if (type.number != 0 && row_axis.has_value()) {
        if (axis == Py_None) given = call(numpy->ravel, given);
        if (type.is_swapped || !Array(given).is_compact()) given = call(numpy->copy, given);
        nb::object order = call(numpy->empty, given.attr("shape"), numpy->intp);
        Rows rows = rows_of(Array(given), type, *row_axis);
        rows.order = static_cast<std::byte*>(Array(order).data());
        rows.order_bytes = sizeof(std::int64_t);
        rows.moves_keys = false;
        maybe_without_gil(rows.n * rows.count(), [&] { sort_rows(rows, false, options); });
        return order;
      }
    }
  }
  return call(general().argsort, nb::handle(a), axis == nullptr ? nb::int_(-1) : nb::borrow(axis),
              python_bool(descending), nb::int_(options.threads),
              is_given(dtype) ? nb::handle(dtype) : nb::handle(numpy->intp), or_none(stream));
}

nb::object sort_by_key(const Values& values) {
  PyObject *const keys = values[0], *const items = values[1], *const out = values[4],
                  *const stream = values[5];
  const bool descending = flag(values[2], "descending");
  sortlab_options options = options_of(descending, threads_of(values[3]));
  options.any_order = allows_any_order(values[6]);
  if (is_array(keys) && is_array(items) && !is_given(out) && !is_given(stream)) {
    const KeyType type = Array(keys).key_type(), value_type = Array(items).key_type();
    // Items other than keys may be Python's objects.
    if (type.is_ready() && value_type.number != 0 && Array(keys).dimensions() == 1 &&
        Array(items).dimensions() == 1 && Array(items).length(0) == Array(keys).length(0)) {
      nb::object sorted = copy_of(keys, options.threads);
      nb::object moved = copy_of(items, options.threads);
      const Array to_move(moved);
      if (sort_pairs(sorted, to_move.data(), to_move.items() * value_type.bytes, options)) {
        return nb::make_tuple(sorted, moved);
      }
    }
  }
  return call(general().sort_by_key, nb::handle(keys), nb::handle(items), python_bool(descending),
              nb::int_(options.threads), or_none(out), or_none(stream));
}

nb::object set_kept_memory(const Values& values) {
  const nb::object bytes = nb::steal(or_sleep([&] { return PyNumber_Index(values[0]); }));
  const std::size_t number = bytes.is_valid() ? PyLong_AsSize_t(bytes.ptr()) : 0;
  if (PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    raise(PyExc_TypeError, "bytes: expected an integer from 0 on, found %R", values[0]);
  }
  sortlab_set_kept_memory(number);
  return nb::none();
}
nb::object kept_memory(const Values&) { return nb::int_(sortlab_kept_memory()); }
nb::object release_memory(const Values&) {
  sortlab_release_memory();
  return nb::none();
}

/// The rows of an array, whose type is one that sortlab sorts. Throws std::invalid_argument.
Rows checked_rows(nb::handle keys, int axis) {
  const Array array(keys);
  const KeyType type = array.key_type();
  if (type.number == 0 || !array.is_compact()) {
    throw std::invalid_argument("sortlab: an array was not made ready for its sort");
  }
  return rows_of(array, type, axis);
}

}  // namespace
}  // namespace sortlab::python

NB_MODULE(_sortlab, module) {
  using namespace sortlab::python;
  if (PyInterpreterState_GetID(PyInterpreterState_Get()) != 0) {
    throw nb::import_error("sortlab works in a process's main interpreter alone");
  }
  numpy = new Numpy;
  if (!Array::is_layout_known(numpy->empty(3))) {
    throw nb::import_error("sortlab does not know the arrays of this version of NumPy");
  }

  module.attr("__version__") = sortlab_version();
  define<&sort>(
      module, "sort",
      R"(sort($module, a, axis=-1, kind=None, order=None, *, out=None, descending=False, stable=None, return_indices=False, threads=None, stream=None)
--

A sorted copy of an array, as numpy.sort() makes it.

a: integers, bool, float16, float32, float64, bfloat16, datetime64 or timedelta64: an array of NumPy or
a sequence, a tensor of PyTorch, an array of CuPy, or another library's array on a GPU. The result is of the
same library.
axis: the one to sort along; None sorts all items as one row.
kind: NumPy's names; 'stable' and 'mergesort' mean stable=True, the others are ignored.
order: None alone; there are no arrays with fields.
out: an array of the same shape and type for the result; out=a sorts in place.
descending: the largest key first.
stable: -0.0 and 0.0, which are equal, keep their order, as do NaNs.
return_indices: returns a tuple, the sorted copy and the index in `a` of each of its items (int64).
threads: at most so many on the CPU; None: as many as are free.
stream: the CUDA stream for an array on a GPU; None: the array's own or its library's current one.
NaN and NaT come last, also in descending order.
Raises TypeError, ValueError, MemoryError.)");
  define<&argsort>(
      module, "argsort",
      R"(argsort($module, a, axis=-1, kind=None, order=None, *, descending=False, stable=None, threads=None, dtype=None, stream=None)
--

The indices that sort an array, as numpy.argsort(kind="stable") finds them.

dtype: the type of the indices, an integer of 4 or 8 bytes; None: numpy.intp. Equal keys come in the
order of their indices, whatever `kind` says, also in descending order; all NaNs are equal and come last.
stable: False allows any order of equal keys, which is faster on one thread.
The other arguments and the errors are those of sort().)");
  define<&sort_by_key>(
      module, "sort_by_key",
      R"(sort_by_key($module, keys, values, *, descending=False, threads=None, out=None, stream=None, stable=None)
--

Sorted keys, and the values in the order of their keys: a tuple of two new arrays.

keys: one dimension, of a type that sort() takes. values: one for each key, of any type without Python
objects; they may have more dimensions after the first. Values of equal keys keep their order.
out: two arrays for the result; out=(keys, values) sorts in place.
stable: False allows any order of the values of equal keys, which is faster on one thread.
The other arguments and the errors are those of sort().)");
  define<&set_kept_memory>(module, "set_kept_memory", R"(set_kept_memory($module, bytes)
--

Sets how many bytes of the CPU's memory are kept from large sorts for later ones, and releases what is
kept. 0: none.)");
  define<&kept_memory>(module, "kept_memory", R"(kept_memory($module)
--

How many bytes are kept now.)");
  define<&release_memory>(module, "release_memory", R"(release_memory($module)
--

Returns the kept memory to the system.)");

  // For sortlab/_arrays.py. The arrays are in C order and aligned, and of a type that sortlab sorts.
  module.def(
      "sort_rows",
      [](nb::handle keys, int axis, bool descending, bool stable, int threads) {
        const Rows rows = checked_rows(keys, axis);
        maybe_without_gil(rows.n * rows.count(),
                          [&] { sort_rows(rows, stable, options_of(descending, threads)); });
      },
      "keys"_a, "axis"_a, "descending"_a, "stable"_a, "threads"_a);
  module.def(
      "sort_rows_with_indices",
      [](nb::handle keys, nb::handle order, int axis, bool moves_keys, bool descending,
         int threads) {
        Rows rows = checked_rows(keys, axis);
        const Rows index = checked_rows(order, axis);
        rows.order = index.keys;
        rows.order_bytes = index.type.bytes;
        rows.moves_keys = moves_keys;
        maybe_without_gil(rows.n * rows.count(),
                          [&] { sort_rows(rows, false, options_of(descending, threads)); });
      },
      "keys"_a, "order"_a, "axis"_a, "moves_keys"_a, "descending"_a, "threads"_a);
  module.def(
      "sort_pairs",
      [](nb::handle keys, nb::handle bytes, bool descending, int threads) {
        const Array values(bytes);
        return sort_pairs(keys, values.data(), values.items(), options_of(descending, threads));
      },
      "keys"_a, "bytes"_a, "descending"_a, "threads"_a);
  module.def(
      "sort_segments",
      [](nb::handle keys, nb::handle offsets, nb::object bytes, nb::handle descending,
         nb::handle threads) {
        const Array numbers(offsets);
        const Rows rows = checked_rows(keys, 0);
        sortlab_segments cut{};
        cut.size = sizeof cut;
        cut.offset_bytes = numbers.key_type().bytes;
        cut.count = numbers.items() - 1;
        cut.begins = numbers.data();
        cut.ends = static_cast<std::byte*>(numbers.data()) + cut.offset_bytes;
        const sortlab_options options =
            options_of(flag(descending.ptr(), "descending"), threads_of(threads.ptr()));
        int status = SORTLAB_SUCCESS;
        maybe_without_gil(rows.n, [&] {
          if (bytes.is_none() || rows.n == 0) {
            status = sortlab_segmented_sort(rows.keys, rows.n, rows.type.number, &cut, &options);
          } else {
            const Array values(bytes);
            status =
                sortlab_segmented_sort_pairs(rows.keys, values.data(), rows.n, rows.type.number,
                                             values.items() / rows.n, &cut, &options);
          }
        });
        if (status == SORTLAB_ERROR_ARGUMENT) {
          throw std::invalid_argument(
              "offsets: they must not fall, and lie between 0 and the number of keys");
        }
        check(status);
      },
      "keys"_a, "offsets"_a, "bytes"_a.none(), "descending"_a.none(), "threads"_a.none());
  module.def(
      "top_k_rows",
      [](nb::handle keys, nb::handle best, nb::handle places, std::size_t k, bool largest,
         bool sorted, int threads) {
        const Rows rows = checked_rows(keys, Array(keys).dimensions() - 1);
        const sortlab_options options = options_of(largest, threads);
        maybe_without_gil(rows.n * rows.count(), [&] {
          top_k_rows(rows, Array(best).data(), static_cast<std::int64_t*>(Array(places).data()), k,
                     largest, sorted, options);
        });
      },
      "keys"_a, "best"_a, "places"_a, "k"_a, "largest"_a, "sorted"_a, "threads"_a);
  module.def(
      "partition_rows",
      [](nb::handle keys, nb::handle kth, int threads) {
        const Rows rows = checked_rows(keys, Array(keys).dimensions() - 1);
        const sortlab_options options = options_of(false, threads);
        std::vector<std::size_t> places;
        for (const nb::handle place : kth) places.push_back(nb::cast<std::size_t>(place));
        maybe_without_gil(rows.n * rows.count(), [&] { partition_rows(rows, places, options); });
      },
      "keys"_a, "kth"_a, "threads"_a);
  module.def(
      "argpartition_rows",
      [](nb::handle keys, nb::handle order, std::size_t k, int threads) {
        const Rows rows = checked_rows(keys, Array(keys).dimensions() - 1);
        const sortlab_options options = options_of(false, threads);
        maybe_without_gil(rows.n * rows.count(), [&] {
          argpartition_rows(rows, static_cast<std::int64_t*>(Array(order).data()), k, options);
        });
      },
      "keys"_a, "order"_a, "k"_a, "threads"_a);
  module.def(
      "copy",
      [](nb::handle from, nb::handle to, int threads) { return copy_array(from, to, threads); },
      "from"_a, "to"_a, "threads"_a);
}
