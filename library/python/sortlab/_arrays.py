"""The calls on NumPy's arrays and sequences that the extension does not sort by itself: with `out` or indices, and of
types that NumPy does not know. `threads` is 0 for as many as are free."""

import operator

import numpy as np

from . import _sortlab


def sort(a, axis, out, descending, stable, return_indices, threads, stream):
    _refuse_stream(stream)
    a, axis = _flattened(_keys(a, "a"), axis)
    if a.ndim == 0:
        raise np.exceptions.AxisError(axis, 0)
    if out is None:
        out = np.empty(a.shape, a.dtype)
    else:
        _check_out(out, a, "out")
    if return_indices and ((stable and _is_float(a)) or is_bfloat16(a) or a.shape[axis] >= 2**32):
        # Equal floats may differ in their bits; more keys are numbered by 8 bytes.
        order = argsort(a, axis, descending, threads, np.intp, None)
        out[...] = np.take_along_axis(a, order, axis)
        return out, order
    if is_bfloat16(a):
        wide = widened(a)
        _sortlab.sort_rows(wide, axis, descending, stable, threads)
        out[...] = narrowed(wide, a.dtype)
        return out
    keys = out if _is_compact(out) else np.empty(out.shape, out.dtype)
    if keys is not a:
        _copy(a, keys, threads)
    if return_indices:
        order = np.empty(keys.shape, np.intp)
        _sortlab.sort_rows_with_indices(keys, order, axis, True, descending, threads)
    else:
        _sortlab.sort_rows(keys, axis, descending, stable, threads)
    if keys is not out:
        out[...] = keys
    return (out, order) if return_indices else out


def argsort(a, axis, descending, threads, dtype, stream):
    _refuse_stream(stream)
    a, axis = _flattened(np.atleast_1d(_keys(a, "a")), axis)
    dtype = np.dtype(dtype)
    if dtype.kind not in "iu" or dtype.itemsize not in (4, 8) or not dtype.isnative:
        raise TypeError(f"dtype is {dtype}: expected an integer of 4 or 8 bytes")
    if a.shape[axis] - 1 > np.iinfo(dtype).max:
        raise ValueError(f"dtype is {dtype}: it can't number {a.shape[axis]} keys")
    keys = widened(a) if is_bfloat16(a) else np.require(a, a.dtype.newbyteorder("="), "CA")
    order = np.empty(keys.shape, dtype)
    _sortlab.sort_rows_with_indices(keys, order, axis, False, descending, threads)
    return order


def sort_by_key(keys, values, descending, threads, out, stream):
    _refuse_stream(stream)
    keys, values = _keys(keys, "keys"), _array(values, "values")
    if keys.ndim != 1:
        raise ValueError(f"keys have {keys.ndim} dimensions: expected 1")
    if values.ndim == 0 or len(values) != len(keys):
        raise ValueError(f"values have the shape {values.shape}: expected one value for each of {len(keys)} keys")
    if values.dtype.hasobject:
        raise TypeError(f"values are of type {values.dtype}: expected no Python objects")
    out = _pair(out, keys, values)
    out_keys, out_values = out
    if np.may_share_memory(out_keys, values):
        values = values.copy()
    sorted_keys = out_keys if _is_compact(out_keys) and keys.dtype.isnative else np.empty(keys.shape, keys.dtype.newbyteorder("="))
    if sorted_keys is not keys:
        _copy(keys, sorted_keys, threads)
    moved = out_values if out_values.flags.c_contiguous else np.empty(values.shape, values.dtype)
    if moved is not values:
        _copy(values, moved, threads)
    if not _sortlab.sort_pairs(sorted_keys, moved.reshape(-1).view(np.uint8), descending, threads):
        # Some keys are equal although their bits differ: then the order is computed first.
        order = argsort(sorted_keys, 0, descending, threads, np.intp, None)
        sorted_keys[...] = sorted_keys[order]
        moved[...] = moved[order]
    if sorted_keys is not out_keys:
        out_keys[...] = sorted_keys
    if moved is not out_values:
        out_values[...] = moved
    return out


def is_bfloat16(a):
    """Whether an array is of a type such as that of the package ml_dtypes."""
    return a.dtype.name == "bfloat16"


def widened(a):
    """The same numbers, NaNs with their bits, as float32 in C order."""
    wide = a.view(np.uint16).astype(np.uint32, order="C")
    wide <<= 16
    return wide.view(np.float32)


def narrowed(wide, dtype):
    return (wide.view(np.uint32) >> 16).astype(np.uint16).view(dtype)


def _refuse_stream(stream):
    if stream is not None:
        raise ValueError("stream: an array in the CPU's memory has none")


def _array(a, name):
    if isinstance(a, np.ma.MaskedArray):
        raise TypeError(f"{name}: masked arrays can't be sorted; use compressed() or filled()")
    return np.asarray(a)


def _is_float(a):
    return a.dtype.char in "efd"


def _keys(a, name, with_times=True):
    a = _array(a, name)
    if a.dtype.kind in ("biumM" if with_times else "biu") or _is_float(a) or is_bfloat16(a):
        return a
    raise TypeError(f"{name}: cannot sort {a.dtype}; expected integers, bool, float16, float32, float64"
                    f"{', bfloat16, datetime64 or timedelta64' if with_times else ' or bfloat16'}")


def _flattened(a, axis):
    """The array and the axis >= 0 to sort along."""
    if axis is None:
        return a.reshape(-1), 0
    axis = operator.index(axis)
    if not -a.ndim <= axis < a.ndim:
        raise np.exceptions.AxisError(axis, a.ndim)
    return a, axis % a.ndim


def _check_out(out, like, name):
    if not isinstance(out, np.ndarray) or isinstance(out, np.ma.MaskedArray):
        raise TypeError(f"{name} is of type {type(out).__name__}: expected a NumPy array")
    if out.dtype != like.dtype:
        raise TypeError(f"{name} holds {out.dtype}: expected {like.dtype}")
    if out.shape != like.shape:
        raise ValueError(f"{name} has the shape {out.shape}: expected {like.shape}")
    if not out.flags.writeable:
        raise ValueError(f"{name} is read-only")


def _pair(out, keys, values):
    if out is None:
        return np.empty(keys.shape, keys.dtype), np.empty(values.shape, values.dtype)
    if not isinstance(out, tuple) or len(out) != 2:
        raise TypeError("out: expected a tuple of two arrays, for keys and values")
    _check_out(out[0], keys, "out[0]")
    _check_out(out[1], values, "out[1]")
    return out


def _copy(a, to, threads):
    if np.may_share_memory(a, to) or not _sortlab.copy(a, to, threads):
        to[...] = a


def _is_compact(a):
    return a.flags.c_contiguous and a.flags.aligned
