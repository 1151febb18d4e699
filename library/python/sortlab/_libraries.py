"""The library that an array belongs to, which decides how it is sorted: NumPy's arrays and sequences, PyTorch's tensors,
CuPy's arrays, and arrays of other libraries that lie on a GPU."""

import operator
import sys

from . import _arrays, _top

_DLPACK_CUDA, _DLPACK_CUDA_MANAGED = 2, 13
_known = {_arrays.np.ndarray: _arrays}  # the module for a type of arrays


def sort(a, axis, out, descending, stable, return_indices, threads, stream):
    return _of(a).sort(a, axis, out, descending, stable, return_indices, threads, stream)


def argsort(a, axis, descending, threads, dtype, stream):
    return _of(a).argsort(a, axis, descending, threads, dtype, stream)


def sort_by_key(keys, values, descending, threads, out, stream):
    return _of(keys).sort_by_key(keys, values, descending, threads, out, stream)


def segmented_sort(keys, offsets, values, descending, threads):
    library = _of(keys)
    if library is _arrays:
        from . import _segments as library
    return library.segmented_sort(keys, offsets, values, descending, threads)


def topk(a, k, axis, largest, sorted, out, threads, stream):
    largest, sorted = _flag(largest, "largest"), _flag(sorted, "sorted")
    return _with_top(_of(a)).topk(a, k, axis, largest, sorted, out, _threads(threads), stream)


def top_p(a, p, k, out, stream):
    library = _of(a)
    if library is _arrays:
        kind = type(a)
        raise TypeError(f"a is of type {kind.__module__}.{kind.__qualname__}: expected an array on a GPU")
    return library.top_p(a, float(p), k, out, stream)


def partition(a, kth, axis, threads):
    return _of_numpy(a).partition(a, kth, axis, _threads(threads))


def argpartition(a, kth, axis, threads):
    return _of_numpy(a).argpartition(a, kth, axis, _threads(threads))


def _flag(value, name):
    if isinstance(value, (str, bytes)):
        raise TypeError(f"{name}: expected True or False, found {value!r}")
    return bool(value)


def _threads(threads):
    if threads is None:
        return 0
    if type(threads) is int and 0 < threads < 2**31:
        return threads
    try:
        threads = operator.index(threads)
    except TypeError:
        raise TypeError(f"threads: expected an integer or None, found {type(threads)}") from None
    if threads < 1:
        raise ValueError("threads: expected at least 1, or None for as many as are free")
    return min(threads, 2**31 - 1)


def _with_top(library):
    return _top if library is _arrays else library


def _of_numpy(a):
    if _of(a) is not _arrays:
        kind = type(a)
        raise TypeError(f"a is of type {kind.__module__}.{kind.__qualname__}: expected an array of NumPy; topk() takes others")
    return _with_top(_arrays)


def _of(a):
    """The module with the sorts of arrays like `a`."""
    found = _known.get(type(a))
    return found if found is not None else _find(a)


def _find(a):
    # There is no array of a library that nobody has imported.
    torch, cupy = sys.modules.get("torch"), sys.modules.get("cupy")
    if torch is not None and isinstance(a, torch.Tensor):
        from . import _torch as found
    elif cupy is not None and isinstance(a, cupy.ndarray):
        from . import _cupy as found
    else:
        if not _is_on_gpu(a):
            return _arrays
        from . import _interface
        return _interface
    _known[type(a)] = found
    return found


def _is_on_gpu(a):
    """Whether `a` follows a protocol of arrays and is in the memory of a GPU."""
    place = getattr(a, "__dlpack_device__", None)
    if place is not None:
        return place()[0] in (_DLPACK_CUDA, _DLPACK_CUDA_MANAGED)
    return hasattr(a, "__cuda_array_interface__")
