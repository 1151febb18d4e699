"""Fast sorts of NumPy arrays, with the results of NumPy's own sorts."""

from ._sortlab import __version__, argsort, sort, sort_by_key

__all__ = ["argsort", "sort", "sort_by_key"]
