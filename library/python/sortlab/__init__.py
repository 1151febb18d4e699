"""Fast sorts of NumPy arrays, with the results of NumPy's own sorts."""

from ._sortlab import __version__, argsort, kept_memory, release_memory, set_kept_memory, sort, sort_by_key

__all__ = ["argsort", "kept_memory", "release_memory", "segmented_sort", "set_kept_memory", "sort", "sort_by_key"]


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
    from . import _libraries  # it needs NumPy, which other calls may not
    return _libraries.segmented_sort(keys, offsets, values, descending, threads)
