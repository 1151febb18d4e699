"""Sorts of arrays on a GPU: what all libraries of arrays have in common. Each library has a subclass of Gpu.

All work is enqueued on one stream, and all memory comes from the array's library, in the order of this stream.
"""

import importlib
import operator

import numpy as np

from ._top import check_pair, checked_k

try:
    _cuda = importlib.import_module("._cuda", __package__)
except ModuleNotFoundError:  # a build without CUDA
    _cuda = None

# The types of keys, by the names of NumPy and PyTorch. Numbers up to 11 are those of include/sortlab/sortlab.h.
KEY_TYPES = {"bool": 1, "uint8": 1, "int8": 2, "uint16": 3, "int16": 4, "uint32": 5, "int32": 6, "uint64": 7, "int64": 8,
             "float32": 9, "float64": 10, "float16": 11, "bfloat16": 100}
FLOATS = (9, 10, 11, 100)
WEIGHTS = (9, 10)
WIDE_INTEGERS = (5, 6, 7, 8)


class Gpu:
    """The calls for the arrays of one library. A subclass says, for its arrays:

    key_type(a): a number of KEY_TYPES, or None          type_name(a), item_bytes(a): of its items
    address(a), device(a): numbers                       is_contiguous(a): its items are in C order
    contiguous(a), copy(a): with items in C order        empty(shape, a, dtype=None): a new array beside `a`
    move_axis(a, from, to), flat(a): views or copies     assign(out, a): out[...] = a
    check(a, name): raises TypeError or ValueError
    like(shape, a, dtype): what a result has to be like, for check_out
    count: its type for counts of 4 bytes
    index: its type for indices of 8 bytes               index_dtype(dtype): (type, bytes, largest number), or None
    is_own(a): whether it is such an array on a GPU      on_gpu(a, like): a copy of an array of NumPy
    is_current(a): whether its device is the current one
    on(a, stream): a context in which the array's device and the stream are the current ones
    stream(a): the current stream's address              allocate(a): a function for _cuda's `allocate`, or None
    """

    def check_out(self, out, a, name):
        """Raises TypeError or ValueError unless `out` is like `a`."""
        self.check(out, name)
        if self.type_name(out) != self.type_name(a):
            raise TypeError(f"{name} holds {self.type_name(out)}: expected {self.type_name(a)}")
        if out.shape != a.shape:
            raise ValueError(f"{name} has the shape {tuple(out.shape)}: expected {tuple(a.shape)}")
        if self.device(out) != self.device(a):
            raise ValueError(f"{name} is on GPU {self.device(out)}: expected {self.device(a)}")

    def sort(self, a, axis, out, descending, stable, return_indices, threads, stream):
        require_cuda(a)
        if stream is not None or not self.is_current(a):
            with self.on(a, stream):
                return self._sort(a, axis, out, descending, stable, return_indices)
        return self._sort(a, axis, out, descending, stable, return_indices)

    def argsort(self, a, axis, descending, threads, dtype, stream):
        require_cuda(a)
        if stream is not None or not self.is_current(a):
            with self.on(a, stream):
                return self._argsort(a, axis, descending, dtype)
        return self._argsort(a, axis, descending, dtype)

    def sort_by_key(self, keys, values, descending, threads, out, stream):
        require_cuda(keys)
        if stream is not None or not self.is_current(keys):
            with self.on(keys, stream):
                return self._sort_by_key(keys, values, descending, out)
        return self._sort_by_key(keys, values, descending, out)

    def segmented_sort(self, keys, offsets, values, descending, threads):
        require_cuda(keys)
        if not self.is_current(keys):
            with self.on(keys, None):
                return self._segmented_sort(keys, offsets, values, descending)
        return self._segmented_sort(keys, offsets, values, descending)

    def topk(self, a, k, axis, largest, sorted, out, threads, stream):
        require_cuda(a)
        if stream is not None or not self.is_current(a):
            with self.on(a, stream):
                return self._topk(a, k, axis, largest, sorted, out)
        return self._topk(a, k, axis, largest, sorted, out)

    def _sort(self, a, axis, out, descending, stable, return_indices):
        kind = self._kind(a, "a")
        if axis is None:
            a, axis = self.flat(a), -1
        if out is not None:
            self.check_out(out, a, "out")
        axis = _checked_axis(axis, a.ndim)
        if a.shape[axis] < 2 and out is None and not return_indices:
            keys = self._in_c_order(a)
            return self.copy(keys) if keys is a else keys
        is_last = axis == a.ndim - 1
        keys = self._in_c_order(a if is_last else self.move_axis(a, axis, -1))
        target = out if out is not None and is_last and self.is_contiguous(out) else self.empty(keys.shape, keys)
        if target is out and _overlap(self, keys, out):
            keys = self.copy(keys)
        stable = stable and kind in FLOATS  # other equal keys have the same bits
        order = self.empty(keys.shape, keys, self.index) if stable or return_indices else None
        self._run_sort(keys, target, order, kind, descending, stable)
        if target is not out:
            result = target if is_last else self.move_axis(target, -1, axis)
            if out is None:
                out = self._in_c_order(result)
            else:
                self.assign(out, result)
        if not return_indices:
            return out
        return out, order if is_last else self._in_c_order(self.move_axis(order, -1, axis))

    def _run_sort(self, keys, target, order, kind, descending, stable):
        rows, n = _rows(keys)
        if rows * n == 0:
            return
        where = self.device(keys), self.stream(keys)
        if stable:
            # Floats that are equal, but differ in their bits, are gathered in the order of their indices.
            if self.address(target) == self.address(keys):
                keys = self.copy(keys)
            _cuda.argsort_rows(self.address(keys), self.address(order), rows, n, kind, 8, descending, *where,
                               self.allocate(keys))
            _cuda.gather_rows(self.address(keys), self.address(target), self.item_bytes(keys), self.address(order),
                              rows, n, *where)
        elif order is not None:
            _cuda.sort_rows_with_indices(self.address(keys), self.address(target), self.address(order), rows, n, kind,
                                         descending, *where, self.allocate(keys))
        else:
            _cuda.sort_rows(self.address(keys), self.address(target), rows, n, kind, descending, *where,
                            self.allocate(keys))

    def _argsort(self, a, axis, descending, dtype):
        kind = self._kind(a, "a")
        index = self.index_dtype(dtype)
        if index is None:
            raise TypeError(f"dtype is {dtype}: expected an integer of 4 or 8 bytes")
        index_dtype, index_bytes, most = index
        if axis is None or (a.ndim == 0 and axis in (-1, 0)):  # as in NumPy
            a, axis = self.flat(a), -1
        axis = _checked_axis(axis, a.ndim)
        is_last = axis == a.ndim - 1
        keys = self._in_c_order(a if is_last else self.move_axis(a, axis, -1))
        rows, n = _rows(keys)
        if n - 1 > most:
            raise ValueError(f"dtype is {dtype}: it can't number {n} keys")
        order = self.empty(keys.shape, keys, index_dtype)
        if rows * n > 0:
            _cuda.argsort_rows(self.address(keys), self.address(order), rows, n, kind, index_bytes, descending,
                               self.device(keys), self.stream(keys), self.allocate(keys))
        return order if is_last else self._in_c_order(self.move_axis(order, -1, axis))

    def _sort_by_key(self, keys, values, descending, out):
        kind = self._kind(keys, "keys")
        self.check(values, "values")
        if self.device(values) != self.device(keys):
            raise ValueError(f"values are on device {self.device(values)}: expected {self.device(keys)}, as the keys")
        if keys.ndim != 1:
            raise ValueError(f"keys have {keys.ndim} dimensions: expected 1")
        n = keys.shape[0]
        if values.ndim == 0 or values.shape[0] != n:
            raise ValueError(f"values have the shape {tuple(values.shape)}: expected one value for each of {n} keys")
        if out is None:
            out = self.empty(keys.shape, keys), self.empty(values.shape, values)
        elif not isinstance(out, tuple) or len(out) != 2:
            raise TypeError("out: expected a tuple of two arrays, for keys and values")
        else:
            self.check_out(out[0], keys, "out[0]")
            self.check_out(out[1], values, "out[1]")
        targets = [a if self.is_contiguous(a) else self.empty(a.shape, a) for a in out]
        sources = [self._in_c_order(keys), self._in_c_order(values)]
        for i in (0, 1):
            if _overlap(self, sources[i], targets[i]) or _overlap(self, sources[i], targets[1 - i], same_is_fine=False):
                sources[i] = self.copy(sources[i])
        if n > 0:
            value_bytes = self.item_bytes(values) * int(np.prod(values.shape[1:], dtype=np.int64))
            _cuda.sort_pairs(self.address(sources[0]), self.address(targets[0]), self.address(sources[1]),
                             self.address(targets[1]), n, kind, value_bytes, descending, self.device(keys),
                             self.stream(keys), self.allocate(keys))
        for result, target in zip(out, targets):
            if result is not target:
                self.assign(result, target)
        return out

    def _segmented_sort(self, keys, offsets, values, descending):
        kind = self._kind(keys, "keys")
        if self.item_bytes(keys) < 4:
            raise TypeError(f"keys: {self.type_name(keys)} is not sorted by segments on a GPU; expected 4 or 8 bytes")
        if keys.ndim != 1:
            raise ValueError(f"keys: expected one dimension, found {keys.ndim}")
        n = keys.shape[0]
        offsets = self._offsets(offsets, keys)
        result = self.copy(keys)  # items of no segment stay
        moved, value_bytes = None, 0
        if values is not None:
            self.check(values, "values")
            if self.device(values) != self.device(keys):
                raise ValueError(f"values are on device {self.device(values)}: expected {self.device(keys)}, as the keys")
            if values.ndim == 0 or values.shape[0] != n:
                raise ValueError("values: expected one for each key")
            values, moved = self._in_c_order(values), self.copy(values)
            value_bytes = self.item_bytes(values) * int(np.prod(values.shape[1:], dtype=np.int64))
        if n > 0 and offsets.shape[0] > 1:
            keys = self._in_c_order(keys)
            of_values = (self.address(values), self.address(moved), value_bytes) if value_bytes else (0, 0, 0)
            _cuda.sort_segments(self.address(keys), self.address(result), *of_values, n, self.address(offsets),
                                self.item_bytes(offsets), offsets.shape[0] - 1, kind, descending, self.device(keys),
                                self.stream(keys), self.allocate(keys))
        return result if values is None else (result, moved)

    def top_p(self, a, p, k, out, stream):
        require_cuda(a)
        if stream is not None or not self.is_current(a):
            with self.on(a, stream):
                return self._top_p(a, p, k, out)
        return self._top_p(a, p, k, out)

    def _topk(self, a, k, axis, largest, sorted, out):
        kind = self._kind(a, "a")
        if axis is None:
            a, axis = self.flat(a), -1
        axis = _checked_axis(axis, a.ndim)
        is_last = axis == a.ndim - 1
        k = checked_k(k, a.shape[axis])
        keys = self._in_c_order(a if is_last else self.move_axis(a, axis, -1))
        shape = (*keys.shape[:-1], k)
        targets = (None, None) if out is None else self._checked_results(out, a, axis, k)
        best, order = (target if target is not None and is_last and self.is_contiguous(target) else
                       self.empty(shape, keys, dtype) for target, dtype in zip(targets, (None, self.index)))
        for target in targets:
            if target is not None and _overlap(self, keys, target, same_is_fine=False):
                keys = self.copy(keys)
        rows, n = _rows(keys)
        if rows * k > 0:
            _cuda.top_k(self.address(keys), self.address(best), self.address(order), rows, n, k, kind, bool(largest),
                        bool(sorted), self.device(keys), self.stream(keys), self.allocate(keys))
        found = []
        for result, target in zip((best, order), targets):
            moved = result if is_last else self.move_axis(result, -1, axis)
            if target is None:
                moved = self._in_c_order(moved)
            elif target is not result:
                self.assign(target, moved)
            found.append(moved)
        return tuple(found) if out is None else out

    def _top_p(self, a, p, k, out):
        kind = self._kind(a, "a")
        if kind not in WEIGHTS:
            raise TypeError(f"a holds {self.type_name(a)}: expected float32 or float64")
        k = checked_k(k, a.shape[_checked_axis(-1, a.ndim)])
        keys = self._in_c_order(a)
        rows, n = _rows(keys)
        shape = (*a.shape[:-1], k)
        kinds = (shape, None), (shape, self.index), (shape[:-1], self.count)
        if out is None:
            out = tuple(self.empty(shape, keys, dtype) for shape, dtype in kinds)
        elif not isinstance(out, tuple) or len(out) != 3:
            raise TypeError("out: expected a tuple of three arrays, for values, indices and counts")
        else:
            for i, (shape, dtype) in enumerate(kinds):
                self.check_out(out[i], self.like(shape, a, dtype), f"out[{i}]")
                if not self.is_contiguous(out[i]):
                    raise ValueError(f"out[{i}]: its items are not in C order")
        if any(_overlap(self, keys, each, same_is_fine=False) for each in out[:2]):
            keys = self.copy(keys)
        if rows > 0:
            _cuda.top_p(*(self.address(each) for each in (keys, *out)), rows, n, k, kind, p, self.device(keys),
                        self.stream(keys), self.allocate(keys))
        return out

    def _checked_results(self, out, a, axis, k):
        check_pair(out)
        shape = (*a.shape[:axis], k, *a.shape[axis + 1:])
        for i, dtype in enumerate((None, self.index)):
            self.check_out(out[i], self.like(shape, a, dtype), f"out[{i}]")
        return out

    def like(self, shape, a, dtype):
        return self.empty(shape, a, dtype)

    def _offsets(self, offsets, keys):
        """Offsets on the keys' GPU. Those that come from the CPU are checked: to look at others, the call would have to wait."""
        if self.is_own(offsets):
            self.check(offsets, "offsets")
            is_number = self.key_type(offsets) in WIDE_INTEGERS
            if self.device(offsets) != self.device(keys):
                raise ValueError(f"offsets are on device {self.device(offsets)}: expected {self.device(keys)}, as the keys")
            dimensions, size = offsets.ndim, offsets.shape[0] if offsets.ndim == 1 else 0
        else:
            offsets = np.asarray(offsets)
            is_number = offsets.dtype.kind in "iu"
            dimensions, size = offsets.ndim, offsets.size
        if not is_number or dimensions != 1 or size == 0:
            raise TypeError("offsets: expected one dimension of whole numbers, of 4 or 8 bytes, one more than segments")
        if not isinstance(offsets, np.ndarray) or self.is_own(offsets):
            return self._in_c_order(offsets)
        if offsets[0] < 0 or offsets[-1] > keys.shape[0] or (offsets[1:] < offsets[:-1]).any():
            raise ValueError(f"offsets: expected numbers from 0 to {keys.shape[0]} that do not fall")
        return self.on_gpu(offsets.astype(np.int64), keys)

    def _in_c_order(self, a):
        return a if self.is_contiguous(a) else self.contiguous(a)

    def _kind(self, a, name):
        self.check(a, name)
        kind = self.key_type(a)
        if kind is None:
            raise TypeError(f"{name}: cannot sort {self.type_name(a)}; expected integers, bool or floats of 2, 4 or 8 bytes")
        return kind


def require_cuda(a):
    if _cuda is None:
        kind = type(a)
        raise TypeError(f"an array of type {kind.__module__}.{kind.__qualname__} is on a GPU, and this sortlab was built "
                        "without CUDA: pip install . --config-settings cmake.define.SORTLAB_CUDA=ON")


def handle_of(stream):
    """The address of a CUDA stream: a number, or a stream of CuPy, PyTorch, cuda.core or Numba."""
    protocol = getattr(stream, "__cuda_stream__", None)
    if protocol is not None:
        return (protocol() if callable(protocol) else protocol)[1]
    for name in ("cuda_stream", "ptr", "handle"):
        found = getattr(stream, name, None)
        if found is not None:
            stream = getattr(found, "value", found)
            break
    try:
        return operator.index(stream)
    except TypeError:
        raise TypeError(f"stream is of type {type(stream).__name__}: expected a CUDA stream or its address") from None


def _checked_axis(axis, dimensions):
    axis = operator.index(axis)
    if not -dimensions <= axis < dimensions:
        raise np.exceptions.AxisError(axis, dimensions)
    return axis % dimensions


def _rows(a):
    """How many rows, and keys of each."""
    shape = a.shape
    if len(shape) == 1:
        return 1, shape[0]
    rows = 1
    for length in shape[:-1]:
        rows *= length
    return rows, shape[-1]


def _overlap(library, a, out, same_is_fine=True):
    """Whether an input and a result, both in C order, share memory. The same place is fine: that is a sort in place."""
    begin, out_begin = library.address(a), library.address(out)
    if begin == out_begin and same_is_fine:
        return False

    def end(array):
        rows, n = _rows(array)
        return library.address(array) + rows * n * library.item_bytes(array)
    return begin < end(out) and out_begin < end(a)
