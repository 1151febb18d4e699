"""Sorts of many segments of one array of NumPy, each for itself."""

import numpy as np

from . import _sortlab


def segmented_sort(keys, offsets, values=None, *, descending=False, threads=None):
    """A copy of `keys` in which each segment is sorted, and with `values` a tuple of both copies.

    keys: one dimension, of a type that sort() takes, but no times. offsets: whole numbers that do not fall, from 0 to the
    number of keys; segment s is keys[offsets[s]:offsets[s + 1]], and may be empty. Keys before the first offset and from
    the last one on stay. values: one for each key, of any type without Python objects; those of equal keys keep their
    order. NaN comes last in its segment, also in descending order.
    Raises TypeError, ValueError, MemoryError.
    """
    keys = _copied(keys, "keys")
    if keys.dtype.kind in "mM":
        raise TypeError(f"keys: {keys.dtype} is not sorted by segments")
    offsets = np.asarray(offsets)
    if offsets.ndim != 1 or offsets.size == 0 or offsets.dtype.kind not in "iu":
        raise TypeError("offsets: expected one dimension of whole numbers, one more than segments")
    wide = np.uint64 if offsets.dtype.kind == "u" else np.int64
    offsets = np.require(offsets, offsets.dtype.newbyteorder("=") if offsets.dtype.itemsize >= 4 else wide, "CA")
    threads = 0 if threads is None else threads
    if values is None:
        _sortlab.sort_segments(keys, offsets, None, bool(descending), threads)
        return keys
    values = _copied(values, "values", any_shape=True)
    if values.dtype.hasobject:
        raise TypeError("values: Python's objects can't be moved")
    if values.ndim == 0 or len(values) != len(keys):
        raise ValueError("values: expected one for each key")
    _sortlab.sort_segments(keys, offsets, values.reshape(-1).view(np.uint8), bool(descending), threads)
    return keys, values


def _copied(array, name, any_shape=False):
    array = np.asarray(array)
    if array.ndim != 1 and not any_shape:
        raise ValueError(f"{name}: expected one dimension, found {array.ndim}")
    return np.array(array, dtype=array.dtype.newbyteorder("="), order="C", copy=True)
