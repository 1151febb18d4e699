"""Fast sorts of NumPy arrays, with the results of NumPy's own sorts."""

# _sortlab comes first: of interpreters that can't use sortlab it says so, where NumPy would raise an error of its own.
from ._sortlab import __version__, argsort, kept_memory, release_memory, set_kept_memory, sort, sort_by_key
from . import _libraries

__all__ = ["argpartition", "argsort", "kept_memory", "partition", "release_memory", "segmented_sort", "set_kept_memory", "sort",
           "sort_by_key", "top_p", "topk"]


def segmented_sort(keys, offsets, values=None, *, descending=False, threads=None):
    """A copy of `keys` in which each segment is sorted, and with `values` a tuple of both copies.

    keys: one dimension, of a type that sort() takes, but no times. offsets: whole numbers that do not fall, from 0 to the
    number of keys; segment s is keys[offsets[s]:offsets[s + 1]], and may be empty. Keys before the first offset and from
    the last one on stay. values: one for each key, of any type without Python objects; those of equal keys keep their
    order. NaN comes last in its segment, also in descending order.
    Arrays of PyTorch and CuPy on a GPU, with keys of 4 or 8 bytes, are sorted there; the call does not wait. Offsets may
    be on the GPU, too. Then they are not checked: wrong ones give undefined results, but touch no other memory.
    Raises TypeError, ValueError, MemoryError.
    """
    return _libraries.segmented_sort(keys, offsets, values, descending, threads)


def topk(a, k, axis=-1, largest=True, sorted=True, *, out=None, threads=None, stream=None):
    """The k largest items along an axis and their indices (int64): a tuple of two arrays, as torch.topk() returns them.

    a: what sort() takes, but no times: an array of NumPy or a sequence, a tensor of PyTorch, an array of CuPy, or another
    library's array on a GPU. k: from 0 to the length of the axis. axis: None takes all items as one row.
    largest: False finds the smallest ones. NaN counts as larger than all numbers, -0.0 as less than 0.0.
    sorted: the best come first; False allows any order. Of equal items any may be found.
    out: a tuple of two arrays for the results. Of arrays that are neither NumPy's, PyTorch's nor CuPy's it is needed.
    threads, stream and the errors are those of sort(). On a GPU the call does not wait.
    """
    return _libraries.topk(a, k, axis, largest, sorted, out, threads, stream)


def top_p(a, p, k, *, out=None, stream=None):
    """The k largest weights of each row and their indices (int64), the largest first, and how many of these reach the sum p
    (int32): a tuple of three arrays. Behind the count are the next largest. If all k do not reach p, the count is k.

    a: weights of float32 or float64 on a GPU; rows lie along the last axis. Weights that are not above 0, NaN too, add
    nothing; NaN comes last. Of equal weights the first are found. p: a number, which is rounded to float32. k: from 0 to the
    length of a row. out: a tuple of three arrays for the results. Of arrays that are neither PyTorch's nor CuPy's it is needed.
    stream and the errors are those of sort(). The call does not wait.
    """
    return _libraries.top_p(a, p, k, out, stream)


def partition(a, kth, axis=-1, kind="introselect", order=None, *, threads=None):
    """A copy of an array of NumPy in which the item of place kth is where a sort would bring it, as numpy.partition() makes it.

    No item before it is greater, and none behind it is less. kth: an integer or a sequence of them; negative ones count from
    the end. NaN and NaT are the greatest. a, axis and threads are those of sort(); kind and order have NumPy's defaults alone.
    Raises TypeError, ValueError, MemoryError.
    """
    _refuse_order(kind, order)
    return _libraries.partition(a, kth, axis, threads)


def argpartition(a, kth, axis=-1, kind="introselect", order=None, *, threads=None):
    """The indices that partition an array of NumPy, as numpy.argpartition() finds them. The arguments are those of partition()."""
    _refuse_order(kind, order)
    return _libraries.argpartition(a, kth, axis, threads)


def _refuse_order(kind, order):
    if kind != "introselect":
        raise ValueError(f"kind: expected 'introselect', found {kind!r}")
    if order is not None:
        raise ValueError("order: it names fields of a structured array, which sortlab can't sort")
