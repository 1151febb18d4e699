"""Fast sorts of NumPy arrays, with the results of NumPy's own sorts."""

from ._sortlab import __version__, argsort, kept_memory, release_memory, set_kept_memory, sort, sort_by_key

__all__ = ["argsort", "kept_memory", "release_memory", "set_kept_memory", "sort", "sort_by_key"]
