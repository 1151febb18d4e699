// The Python module sortlab._sortlab: sort(), argsort() and sort_by_key() for NumPy arrays that are
// "ready": in C order, aligned and of the machine's byte order. Other arrays go to
// sortlab/_libraries.py, which finds out whose they are. sortlab/_arrays.py prepares NumPy's and calls
// the functions at the end, which take only ready arrays.
//
// A call on few keys takes as long as the checks around it. So the usual calls do as little as possible
// here: they make the result by one call of NumPy's and read its address.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>

#include <memory>
#include <new>
#include <optional>

#include "library/python/buffers.hpp"
#include "library/python/equal_floats.hpp"
#include "library/python/passes.hpp"

namespace nb = nanobind;
using namespace nanobind::literals;

namespace sortlab::python {
namespace {

using Access = Buffer::Access;
using Threads = std::optional<int>;

/// Fewer keys are sorted with the GIL held, because another thread that takes it may keep it for 5
/// ms.
constexpr std::size_t kWorthRelease = 4096;

/// NumPy's own objects. They are kept until the process ends.
struct Numpy {
  nb::module_ module = nb::module_::import_("numpy");
  nb::object ndarray = module.attr("ndarray");
  nb::object copy = ndarray.attr("copy");
  nb::object empty = module.attr("empty");
  nb::object empty_like = module.attr("empty_like");
  nb::object intp = module.attr("intp");
};
const Numpy* numpy = nullptr;

bool is_array(nb::handle object) { return object.type().is(numpy->ndarray); }
bool is_last_axis(nb::handle axis) {
  return PyLong_CheckExact(axis.ptr()) && PyLong_AsLong(axis.ptr()) == -1;
}

/// The calls that take any array, of sortlab/_libraries.py. They are kept until the process ends.
struct General {
  nb::module_ module = nb::module_::import_("sortlab._libraries");
  nb::object sort = module.attr("sort");
  nb::object argsort = module.attr("argsort");
  nb::object sort_by_key = module.attr("sort_by_key");
};
const General& general() {
  static const General* const found = new General;
  return *found;
}

void check(int status) {
  if (status == SORTLAB_SUCCESS) return;
  if (status == SORTLAB_ERROR_MEMORY) throw std::bad_alloc();
  throw nb::value_error(sortlab_error_text(status));
}

sortlab_options options_of(bool descending, const Threads& threads) {
  if (threads.has_value() && *threads < 1) {
    throw nb::value_error("threads: expected at least 1, or None for as many as are free");
  }
  sortlab_options options = {};
  options.size = sizeof options;
  options.order = descending ? SORTLAB_ORDER_DESCENDING : SORTLAB_ORDER_ASCENDING;
  options.floats = SORTLAB_FLOATS_NANS_LAST;
  options.threads = threads.value_or(0);
  return options;
}

/// Calls work(), without the GIL if n keys are worth it.
template <class Work>
void without_gil(std::size_t n, Work work) {
  if (n < kWorthRelease) return work();
  nb::gil_scoped_release released;
  work();
}

template <class Float>
void sort_stably(void* data, std::size_t n, int type, const sortlab_options& options) {
  auto* const keys = static_cast<Float*>(data);
  const EqualFloats<Float> equal(keys, n);
  check(sortlab_sort(keys, n, type, &options));
  equal.put_back(keys, n, options.order == SORTLAB_ORDER_DESCENDING);
}

void sort_row(void* keys, std::size_t n, int type, bool stable, const sortlab_options& options) {
  if (stable && type == SORTLAB_TYPE_F16) return sort_stably<Half>(keys, n, type, options);
  if (stable && type == SORTLAB_TYPE_F32) return sort_stably<float>(keys, n, type, options);
  if (stable && type == SORTLAB_TYPE_F64) return sort_stably<double>(keys, n, type, options);
  check(sortlab_sort(keys, n, type, &options));
}

/// Sorts each row. False if it can't sort such keys.
bool sort_rows(const Buffer& keys, int type, bool stable, const sortlab_options& options) {
  if (!keys.ok() || keys.dimensions() == 0 || type == 0) return false;
  without_gil(keys.items(), [&] {
    const std::size_t step = keys.row() * keys.item_bytes();
    for (std::size_t at = 0; at < keys.bytes(); at += step) {
      sort_row(static_cast<std::byte*>(keys.data()) + at, keys.row(), type, stable, options);
    }
  });
  return true;
}

/// Copies one array of keys to another one. False if they are not both in C order.
bool copy_array(const Buffer& from, const Buffer& to, int threads) {
  if (!from.ok() || !to.ok() || from.bytes() != to.bytes()) return false;
  if (from.key_type() == 0 || from.key_type() != to.key_type()) return false;
  without_gil(from.items(), [&] { copy(to.data(), from.data(), from.bytes(), threads); });
  return true;
}

/// A copy of an array, in C order if the array is, whose buffer is `from`.
nb::object copy_of(nb::handle a, const Buffer& from, int threads) {
  constexpr std::size_t kWorthThreads = std::size_t{1} << 20;  // bytes
  if (!from.ok() || from.bytes() < kWorthThreads || from.key_type() == 0) return numpy->copy(a);
  nb::object to = numpy->empty_like(a);
  return copy_array(from, Buffer(to, Access::write), threads) ? to : numpy->copy(a);
}
nb::object copy_of(nb::handle a, int threads) {
  return copy_of(a, Buffer(a, Access::read), threads);
}

/// Memory for n indices, as the library gets its own.
class IndexMemory {
 public:
  explicit IndexMemory(std::size_t n) : sorter_(sortlab_sorter_create(), &sortlab_sorter_destroy) {
    if (sorter_ == nullptr) throw std::bad_alloc();
    index_ = static_cast<std::uint32_t*>(
        sortlab_sorter_memory(sorter_.get(), n * sizeof(std::uint32_t)));
    if (index_ == nullptr) throw std::bad_alloc();
  }
  std::uint32_t* index() const { return index_; }

 private:
  std::unique_ptr<sortlab_sorter, void (*)(sortlab_sorter*)> sorter_;
  std::uint32_t* index_;
};

/// Sorts each row and writes the index that each of its keys had. False if it can't sort such keys.
bool sort_rows_with_indices(const Buffer& keys, const Buffer& order,
                            const sortlab_options& options) {
  if (!keys.ok() || !order.ok() || keys.dimensions() == 0) return false;
  const int type = keys.key_type();
  const std::size_t n = keys.row();
  if (type == 0 || order.items() != keys.items() || order.item_bytes() != sizeof(std::int64_t) ||
      n > UINT32_MAX) {
    return false;
  }
  without_gil(keys.items(), [&] {
    const IndexMemory memory(n);
    for (std::size_t first = 0; first < keys.items(); first += n) {
      number(memory.index(), n, options.threads);
      check(sortlab_sort_pairs(static_cast<std::byte*>(keys.data()) + first * keys.item_bytes(),
                               memory.index(), n, type, sizeof(std::uint32_t), &options));
      widen(static_cast<std::int64_t*>(order.data()) + first, memory.index(), n, options.threads);
    }
  });
  return true;
}

/// Writes the order of each row. False if it can't sort such keys.
bool argsort_rows(const Buffer& keys, const Buffer& order, const sortlab_options& options) {
  if (!keys.ok() || !order.ok() || keys.dimensions() == 0) return false;
  const int type = keys.key_type();
  if (type == 0 || order.items() != keys.items()) return false;
  without_gil(keys.items(), [&] {
    const std::size_t n = keys.row();
    for (std::size_t first = 0; first < keys.items(); first += n) {
      check(sortlab_argsort(static_cast<std::byte*>(keys.data()) + first * keys.item_bytes(),
                            static_cast<std::byte*>(order.data()) + first * order.item_bytes(), n,
                            type, order.item_bytes(), &options));
    }
  });
  return true;
}

bool needs_order_of_floats(const Buffer& keys, int type) {
  if (type == SORTLAB_TYPE_F16) {
    return has_minus_zero_or_nan(static_cast<const Half*>(keys.data()), keys.items());
  }
  if (type == SORTLAB_TYPE_F32) {
    return has_minus_zero_or_nan(static_cast<const float*>(keys.data()), keys.items());
  }
  return type == SORTLAB_TYPE_F64 &&
         has_minus_zero_or_nan(static_cast<const double*>(keys.data()), keys.items());
}

/// Sorts keys, and moves an equal part of the bytes of `values` with each key. Returns false, and
/// moves nothing, if it can't sort such keys, or if some of them are equal and have different bits.
bool sort_pairs(const Buffer& keys, const Buffer& values, const sortlab_options& options) {
  if (!keys.ok() || !values.ok() || keys.dimensions() != 1) return false;
  const int type = keys.key_type();
  if (type == 0) return false;
  bool sorted = false;
  without_gil(keys.items(), [&] {
    if (needs_order_of_floats(keys, type)) return;
    const std::size_t n = keys.items();
    if (n > 0 && values.bytes() > 0) {
      check(sortlab_sort_pairs(keys.data(), values.data(), n, type, values.bytes() / n, &options));
    } else {
      check(sortlab_sort(keys.data(), n, type, &options));
    }
    sorted = true;
  });
  return sorted;
}

nb::object sort(nb::handle a, nb::handle axis, nb::handle out, bool descending, bool stable,
                bool return_indices, Threads threads, nb::handle stream) {
  const sortlab_options options = options_of(descending, threads);
  if (is_array(a) && is_last_axis(axis) && (out.is_none() || out.is(a)) && stream.is_none() &&
      !return_indices) {
    const Buffer keys(a, out.is_none() ? Access::read : Access::write);
    if (keys.ok() && keys.key_type() != 0) {
      if (!out.is_none()) {
        if (sort_rows(keys, keys.key_type(), stable, options)) return nb::borrow(a);
      } else {
        nb::object result = copy_of(a, keys, options.threads);
        if (sort_rows(Buffer(result, Access::fill), keys.key_type(), stable, options))
          return result;
      }
    }
  }
  return general().sort(a, axis, out, descending, stable, return_indices, threads, stream);
}

nb::object argsort(nb::handle a, nb::handle axis, bool descending, Threads threads,
                   nb::handle dtype, nb::handle stream) {
  const sortlab_options options = options_of(descending, threads);
  if (is_array(a) && is_last_axis(axis) && dtype.is(numpy->intp) && stream.is_none()) {
    const Buffer keys(a, Access::read);
    if (keys.ok()) {
      nb::object order = numpy->empty(a.attr("shape"), numpy->intp);
      if (argsort_rows(keys, Buffer(order, Access::fill), options)) return order;
    }
  }
  return general().argsort(a, axis, descending, threads, dtype, stream);
}

nb::object sort_by_key(nb::handle keys, nb::handle values, bool descending, Threads threads,
                       nb::handle out, nb::handle stream) {
  const sortlab_options options = options_of(descending, threads);
  if (is_array(keys) && is_array(values) && out.is_none() && stream.is_none()) {
    nb::object sorted = copy_of(keys, options.threads);
    nb::object moved = copy_of(values, options.threads);
    const Buffer to_sort(sorted, Access::write), to_move(moved, Access::write);
    // Items other than keys may be Python's objects.
    if (to_sort.ok() && to_move.ok() && to_move.dimensions() == 1 && to_move.key_type() != 0 &&
        to_move.items() == to_sort.items() && sort_pairs(to_sort, to_move, options)) {
      return nb::make_tuple(sorted, moved);
    }
  }
  return general().sort_by_key(keys, values, descending, threads, out, stream);
}

}  // namespace
}  // namespace sortlab::python

NB_MODULE(_sortlab, module) {
  using namespace sortlab::python;
  numpy = new Numpy;

  module.attr("__version__") = sortlab_version();
  module.def("sort", &sort, "a"_a, nb::kw_only(), "axis"_a.none() = -1, "out"_a.none() = nb::none(),
             "descending"_a = false, "stable"_a = false, "return_indices"_a = false,
             "threads"_a.none() = nb::none(), "stream"_a.none() = nb::none(),
             R"(A sorted copy of an array, as numpy.sort() makes it.

a: integers, bool, float16, float32, float64 or, on a GPU, PyTorch's bfloat16: an array of NumPy or a sequence, a tensor of
PyTorch, an array of CuPy, or another library's array on a GPU. The result is of the same library.
axis: the one to sort along; None sorts all items as one row.
out: an array of the same shape and type for the result; out=a sorts in place.
stable: -0.0 and 0.0, which are equal, keep their order, as do NaNs.
return_indices: returns a tuple, the sorted copy and the index in `a` of each of its items (int64).
threads: at most so many on the CPU; None: as many as are free.
stream: the CUDA stream for an array on a GPU; None: the array's own or its library's current one.
NaNs come last, also in descending order.
Raises TypeError, ValueError, MemoryError.)");
  module.def("argsort", &argsort, "a"_a, nb::kw_only(), "axis"_a.none() = -1,
             "descending"_a = false, "threads"_a.none() = nb::none(), "dtype"_a = numpy->intp,
             "stream"_a.none() = nb::none(),
             R"(The indices that sort an array, as numpy.argsort(kind="stable") finds them.

dtype: the type of the indices, an integer of 4 or 8 bytes. Equal keys come in the order of their
indices, also in descending order; all NaNs are equal and come last.
The other arguments and the errors are those of sort().)");
  module.def("sort_by_key", &sort_by_key, "keys"_a, "values"_a, nb::kw_only(),
             "descending"_a = false, "threads"_a.none() = nb::none(), "out"_a.none() = nb::none(),
             "stream"_a.none() = nb::none(),
             R"(Sorted keys, and the values in the order of their keys: a tuple of two new arrays.

keys: one dimension, of a type that sort() takes. values: one for each key, of any type without Python
objects; they may have more dimensions after the first. Values of equal keys keep their order.
out: two arrays for the result; out=(keys, values) sorts in place.
The other arguments and the errors are those of sort().)");

  module.def("set_kept_memory", &sortlab_set_kept_memory, "bytes"_a,
             "Sets how many bytes of the CPU's memory are kept from large sorts for later ones, "
             "and releases "
             "what is kept. 0: none.");
  module.def("kept_memory", &sortlab_kept_memory, "How many bytes are kept now.");
  module.def("release_memory", &sortlab_release_memory, "Returns them to the system.");

  // For sortlab/_arrays.py. Returns False if the arrays are not ready.
  module.def(
      "sort_rows",
      [](nb::handle keys, bool descending, bool stable, Threads threads) {
        const Buffer rows(keys, Access::write);
        return rows.ok() &&
               sort_rows(rows, rows.key_type(), stable, options_of(descending, threads));
      },
      "keys"_a, "descending"_a, "stable"_a, "threads"_a.none());
  module.def(
      "argsort_rows",
      [](nb::handle keys, nb::handle order, bool descending, Threads threads) {
        return argsort_rows(Buffer(keys, Access::read), Buffer(order, Access::write),
                            options_of(descending, threads));
      },
      "keys"_a, "order"_a, "descending"_a, "threads"_a.none());
  module.def(
      "sort_pairs",
      [](nb::handle keys, nb::handle values, bool descending, Threads threads) {
        return sort_pairs(Buffer(keys, Access::write), Buffer(values, Access::write),
                          options_of(descending, threads));
      },
      "keys"_a, "values"_a, "descending"_a, "threads"_a.none());
  module.def(
      "sort_rows_with_indices",
      [](nb::handle keys, nb::handle order, bool descending, Threads threads) {
        return sort_rows_with_indices(Buffer(keys, Access::write), Buffer(order, Access::write),
                                      options_of(descending, threads));
      },
      "keys"_a, "order"_a, "descending"_a, "threads"_a.none());
  module.def(
      "copy",
      [](nb::handle from, nb::handle to, Threads threads) {
        return copy_array(Buffer(from, Access::read), Buffer(to, Access::write),
                          threads.value_or(0));
      },
      "from"_a, "to"_a, "threads"_a.none());
}
