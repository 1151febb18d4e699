"""Fast sorts of NumPy arrays. https://numpy.org arrays go in, and come out as NumPy's own sorts order them."""

from ._sortlab import __version__, argsort, sort, sort_by_key

__all__ = ["argsort", "sort", "sort_by_key"]
