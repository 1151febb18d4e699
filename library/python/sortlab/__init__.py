"""Fast sorts of NumPy arrays, with the results of NumPy's own sorts."""

from ._segments import segmented_sort
from ._sortlab import __version__, argsort, kept_memory, release_memory, set_kept_memory, sort, sort_by_key

__all__ = ["argsort", "kept_memory", "release_memory", "segmented_sort", "set_kept_memory", "sort", "sort_by_key"]
