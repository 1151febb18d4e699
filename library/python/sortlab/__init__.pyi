from typing import Any, Literal, Protocol, SupportsFloat, SupportsIndex, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

__all__ = ["argpartition", "argsort", "kept_memory", "partition", "release_memory", "segmented_sort", "set_kept_memory", "sort",
           "sort_by_key", "top_p", "topk"]
__version__: str

class _HasDlpack(Protocol):
    def __dlpack_device__(self) -> Any: ...

class _HasInterface(Protocol):
    @property
    def __cuda_array_interface__(self) -> Any: ...

# An array of NumPy, PyTorch, CuPy or another library. The results are of the same library.
_Array = TypeVar("_Array", bound=_HasDlpack | _HasInterface)
_Values = TypeVar("_Values", bound=_HasDlpack | _HasInterface)

@overload
def sort(
    a: _Array,
    axis: SupportsIndex | None = -1,
    kind: str | bytes | None = None,
    order: None = None,
    *,
    out: _Array | None = None,
    descending: bool | np.bool_ = False,
    stable: bool | np.bool_ | None = None,
    return_indices: Literal[False] = False,
    threads: SupportsIndex | None = None,
    stream: Any = None,
) -> _Array: ...
@overload
def sort(
    a: ArrayLike,
    axis: SupportsIndex | None = -1,
    kind: str | bytes | None = None,
    order: None = None,
    *,
    out: NDArray[Any] | None = None,
    descending: bool | np.bool_ = False,
    stable: bool | np.bool_ | None = None,
    return_indices: Literal[False] = False,
    threads: SupportsIndex | None = None,
    stream: None = None,
) -> NDArray[Any]: ...
@overload
def sort(
    a: NDArray[Any],
    axis: SupportsIndex | None = -1,
    kind: str | bytes | None = None,
    order: None = None,
    *,
    out: NDArray[Any] | None = None,
    descending: bool | np.bool_ = False,
    stable: bool | np.bool_ | None = None,
    return_indices: Literal[True],
    threads: SupportsIndex | None = None,
    stream: None = None,
) -> tuple[NDArray[Any], NDArray[np.intp]]: ...
@overload
def sort(
    a: _Array,
    axis: SupportsIndex | None = -1,
    kind: str | bytes | None = None,
    order: None = None,
    *,
    out: _Array | None = None,
    descending: bool | np.bool_ = False,
    stable: bool | np.bool_ | None = None,
    return_indices: Literal[True],
    threads: SupportsIndex | None = None,
    stream: Any = None,
) -> tuple[_Array, _Array]: ...
@overload
def sort(
    a: ArrayLike,
    axis: SupportsIndex | None = -1,
    kind: str | bytes | None = None,
    order: None = None,
    *,
    out: NDArray[Any] | None = None,
    descending: bool | np.bool_ = False,
    stable: bool | np.bool_ | None = None,
    return_indices: Literal[True],
    threads: SupportsIndex | None = None,
    stream: None = None,
) -> tuple[NDArray[Any], NDArray[np.intp]]: ...
@overload
def argsort(
    a: NDArray[Any],
    axis: SupportsIndex | None = -1,
    kind: str | bytes | None = None,
    order: None = None,
    *,
    descending: bool | np.bool_ = False,
    stable: bool | np.bool_ | None = None,
    threads: SupportsIndex | None = None,
    dtype: DTypeLike | None = None,
    stream: None = None,
) -> NDArray[np.integer[Any]]: ...
@overload
def argsort(
    a: _Array,
    axis: SupportsIndex | None = -1,
    kind: str | bytes | None = None,
    order: None = None,
    *,
    descending: bool | np.bool_ = False,
    stable: bool | np.bool_ | None = None,
    threads: SupportsIndex | None = None,
    dtype: Any = None,
    stream: Any = None,
) -> _Array: ...
@overload
def argsort(
    a: ArrayLike,
    axis: SupportsIndex | None = -1,
    kind: str | bytes | None = None,
    order: None = None,
    *,
    descending: bool | np.bool_ = False,
    stable: bool | np.bool_ | None = None,
    threads: SupportsIndex | None = None,
    dtype: DTypeLike | None = None,
    stream: None = None,
) -> NDArray[np.integer[Any]]: ...
@overload
def sort_by_key(
    keys: _Array,
    values: _Values,
    *,
    descending: bool | np.bool_ = False,
    threads: SupportsIndex | None = None,
    out: tuple[_Array, _Values] | None = None,
    stream: Any = None,
    stable: bool | np.bool_ | None = None,
) -> tuple[_Array, _Values]: ...
@overload
def sort_by_key(
    keys: ArrayLike,
    values: ArrayLike,
    *,
    descending: bool | np.bool_ = False,
    threads: SupportsIndex | None = None,
    out: tuple[NDArray[Any], NDArray[Any]] | None = None,
    stream: None = None,
    stable: bool | np.bool_ | None = None,
) -> tuple[NDArray[Any], NDArray[Any]]: ...
@overload
def segmented_sort(
    keys: ArrayLike,
    offsets: ArrayLike,
    values: None = None,
    *,
    descending: bool | np.bool_ = False,
    threads: SupportsIndex | None = None,
) -> NDArray[Any]: ...
@overload
def segmented_sort(
    keys: ArrayLike,
    offsets: ArrayLike,
    values: ArrayLike,
    *,
    descending: bool | np.bool_ = False,
    threads: SupportsIndex | None = None,
) -> tuple[NDArray[Any], NDArray[Any]]: ...
@overload
def topk(
    a: NDArray[Any],
    k: SupportsIndex,
    axis: SupportsIndex | None = -1,
    largest: bool | np.bool_ = True,
    sorted: bool | np.bool_ = True,
    *,
    out: tuple[NDArray[Any], NDArray[Any]] | None = None,
    threads: SupportsIndex | None = None,
    stream: None = None,
) -> tuple[NDArray[Any], NDArray[np.int64]]: ...
@overload
def topk(
    a: _Array,
    k: SupportsIndex,
    axis: SupportsIndex | None = -1,
    largest: bool | np.bool_ = True,
    sorted: bool | np.bool_ = True,
    *,
    out: tuple[Any, Any] | None = None,
    threads: SupportsIndex | None = None,
    stream: Any = None,
) -> tuple[_Array, _Array]: ...
@overload
def topk(
    a: ArrayLike,
    k: SupportsIndex,
    axis: SupportsIndex | None = -1,
    largest: bool | np.bool_ = True,
    sorted: bool | np.bool_ = True,
    *,
    out: tuple[NDArray[Any], NDArray[Any]] | None = None,
    threads: SupportsIndex | None = None,
    stream: None = None,
) -> tuple[NDArray[Any], NDArray[np.int64]]: ...
def top_p(
    a: _Array,
    p: SupportsFloat,
    k: SupportsIndex,
    *,
    out: tuple[Any, Any, Any] | None = None,
    stream: Any = None,
) -> tuple[_Array, _Array, _Array]: ...
def partition(
    a: ArrayLike,
    kth: SupportsIndex | ArrayLike,
    axis: SupportsIndex | None = -1,
    kind: Literal["introselect"] = "introselect",
    order: None = None,
    *,
    threads: SupportsIndex | None = None,
) -> NDArray[Any]: ...
def argpartition(
    a: ArrayLike,
    kth: SupportsIndex | ArrayLike,
    axis: SupportsIndex | None = -1,
    kind: Literal["introselect"] = "introselect",
    order: None = None,
    *,
    threads: SupportsIndex | None = None,
) -> NDArray[np.intp]: ...
def set_kept_memory(bytes: int) -> None: ...
def kept_memory() -> int: ...
def release_memory() -> None: ...
