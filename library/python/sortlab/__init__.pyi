from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

__all__ = ["argsort", "sort", "sort_by_key"]
__version__: str

def sort(
    a: ArrayLike,
    *,
    axis: SupportsIndex | None = -1,
    out: NDArray[Any] | None = None,
    descending: bool = False,
    stable: bool = False,
    threads: int | None = None,
) -> NDArray[Any]: ...
def argsort(
    a: ArrayLike,
    *,
    axis: SupportsIndex | None = -1,
    descending: bool = False,
    threads: int | None = None,
    dtype: DTypeLike = np.intp,
) -> NDArray[np.integer[Any]]: ...
def sort_by_key(
    keys: ArrayLike,
    values: ArrayLike,
    *,
    descending: bool = False,
    threads: int | None = None,
    out: tuple[NDArray[Any], NDArray[Any]] | None = None,
) -> tuple[NDArray[Any], NDArray[Any]]: ...
