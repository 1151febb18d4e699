"""The best k of NumPy's arrays along an axis, and partitions."""

import operator

import numpy as np

from . import _sortlab
from ._arrays import _check_out, _flattened, _is_compact, _keys, _refuse_stream, argsort, is_bfloat16, narrowed, widened

_SHORT = 64  # rows of so many keys are sorted: many side by side
_SORTED = 256  # instead of a partition: a call for each row takes more time
_SEVERAL = 8  # for more places than these, a row is sorted: each place reads what is behind the last one


def topk(a, k, axis, largest, sorted, out, threads, stream):
    if out is None and stream is None and type(k) is type(axis) is int and _is_plain(a) and axis in (-1, a.ndim - 1) and 0 <= k <= a.shape[-1]:
        shape = a.shape[:-1] + (k,)
        best, places = np.empty(shape, a.dtype), np.empty(shape, np.int64)
        _sortlab.top_k_rows(a, best, places, k, largest, sorted, threads)
        return best, places
    _refuse_stream(stream)
    a, axis = _to_compare(a, axis)
    k = checked_k(k, a.shape[axis])
    is_last = axis == a.ndim - 1
    rows = a if is_last else np.moveaxis(a, axis, -1)
    keys = widened(rows) if is_bfloat16(a) else _ready(rows)
    shape = rows.shape[:-1] + (k,)
    if out is not None:
        check_pair(out)
        for i, dtype in enumerate((a.dtype, np.int64)):
            _check_out(out[i], np.moveaxis(np.empty(shape, dtype), -1, axis), f"out[{i}]")
    best, places = np.empty(shape, keys.dtype), np.empty(shape, np.int64)
    _sortlab.top_k_rows(keys, best, places, k, largest, sorted, threads)
    if is_bfloat16(a):
        best = narrowed(best, a.dtype)
    if out is None and is_last and best.dtype == a.dtype:
        return best, places
    best, places = np.moveaxis(best, -1, axis), np.moveaxis(places, -1, axis)
    if out is None:
        return np.ascontiguousarray(best, a.dtype), np.ascontiguousarray(places)
    out[0][...], out[1][...] = best, places
    return out


def partition(a, kth, axis, threads):
    if type(axis) is int and axis in (-1, 0) and _is_simple(a, kth):
        keys = a.copy()
        _sortlab.partition_rows(keys, (kth,), threads)
        return keys
    a, axis = _to_compare(a, axis, with_times=True)
    kth = _places(kth, a.shape[axis], a.size)
    keys = np.array(np.moveaxis(a, axis, -1), dtype=a.dtype.newbyteorder("="), order="C", copy=True)
    if is_bfloat16(a):
        wide = widened(keys)
        _sortlab.sort_rows(wide, keys.ndim - 1, False, False, threads)
        keys = narrowed(wide, a.dtype)
    elif a.dtype.kind in "mM" or keys.shape[-1] <= _SORTED or len(kth) > _SEVERAL:
        _sortlab.sort_rows(keys, keys.ndim - 1, False, False, threads)
    elif kth:
        _sortlab.partition_rows(keys, kth, threads)
    return np.ascontiguousarray(np.moveaxis(keys, -1, axis), a.dtype)


def argpartition(a, kth, axis, threads):
    if type(axis) is int and axis in (-1, 0) and _is_simple(a, kth):
        order = np.empty(len(a), np.intp)
        _sortlab.argpartition_rows(a, order, kth, threads)
        return order
    a, axis = _to_compare(np.atleast_1d(a), axis, with_times=True)
    n = a.shape[axis]
    kth = _places(kth, n, a.size)
    if len(kth) != 1 or n <= _SHORT or a.dtype.kind in "mM" or is_bfloat16(a):
        return argsort(a, axis, False, threads, np.intp, None)
    keys = _ready(np.moveaxis(a, axis, -1))
    order = np.empty(keys.shape, np.intp)
    _sortlab.argpartition_rows(keys, order, kth[0], threads)
    return np.ascontiguousarray(np.moveaxis(order, -1, axis))


def _ready(a):
    """In C order, aligned and of this machine's byte order: np.require() takes as long as the best of 10,000 keys."""
    return a if _is_compact(a) and a.dtype.isnative else np.require(a, a.dtype.newbyteorder("="), "CA")


def _is_plain(a):
    """Whether nothing must be prepared: the usual case should take little more time than what it calls."""
    return type(a) is np.ndarray and a.ndim > 0 and a.flags.carray and a.dtype.isnative and a.dtype.char in "?bBhHiIlLqQefd"


def _is_simple(a, kth):
    return _is_plain(a) and type(kth) is int and a.ndim == 1 and _SHORT < len(a) > kth >= 0


def checked_k(k, n):
    k = operator.index(k)
    if not 0 <= k <= n:
        raise ValueError(f"k is {k}: expected 0 to {n}, the length of the axis")
    return k


def check_pair(out):
    if not isinstance(out, tuple) or len(out) != 2:
        raise TypeError("out: expected a tuple of two arrays, for values and indices")


def _to_compare(a, axis, with_times=False):
    a, axis = _flattened(_keys(a, "a", with_times), axis)
    if a.ndim == 0:
        raise np.exceptions.AxisError(axis, 0)
    return a, axis


def _places(kth, n, size):
    """The wanted places in ascending order, each once."""
    kth = np.asarray(kth)
    if kth.ndim > 1 or (kth.size and kth.dtype.kind not in "iu"):
        raise TypeError("kth: expected an integer or a sequence of integers")
    places = set()
    for k in kth.reshape(-1).tolist():
        place = k + n if k < 0 else k
        if size and not 0 <= place < n:
            raise ValueError(f"kth is {k}: expected {-n} to {n - 1}")
        places.add(place)
    return sorted(places) if size else []
