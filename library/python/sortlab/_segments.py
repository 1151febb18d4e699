"""Sorts of many segments of one array of NumPy, each for itself."""

import numpy as np

from . import _sortlab
from ._arrays import _array, _keys, is_bfloat16, narrowed, widened


def segmented_sort(keys, offsets, values, descending, threads):
    """What the package's function does."""
    keys = _keys(keys, "keys", with_times=False)
    if keys.ndim != 1:
        raise ValueError(f"keys: expected one dimension, found {keys.ndim}")
    offsets = np.asarray(offsets)
    if offsets.ndim != 1 or offsets.size == 0 or offsets.dtype.kind not in "iu":
        raise TypeError("offsets: expected one dimension of whole numbers, one more than segments")
    wide = np.uint64 if offsets.dtype.kind == "u" else np.int64
    offsets = np.require(offsets, offsets.dtype.newbyteorder("=") if offsets.dtype.itemsize >= 4 else wide, "CA")
    is_narrowed = is_bfloat16(keys)
    dtype = keys.dtype
    keys = widened(keys) if is_narrowed else _copied(keys)
    if values is not None:
        values = _array(values, "values")
        if values.dtype.hasobject:
            raise TypeError("values: Python's objects can't be moved")
        if values.ndim == 0 or len(values) != len(keys):
            raise ValueError("values: expected one for each key")
        values = _copied(values)
    # Values without any bytes are all the same.
    moved = None if values is None or values.nbytes == 0 else values.reshape(-1).view(np.uint8)
    _sortlab.sort_segments(keys, offsets, moved, descending, threads)
    keys = narrowed(keys, dtype) if is_narrowed else keys
    return keys if values is None else (keys, values)


def _copied(array):
    return np.array(array, dtype=array.dtype.newbyteorder("="), order="C", copy=True)
