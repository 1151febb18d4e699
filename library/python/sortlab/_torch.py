"""PyTorch's tensors. Those on a GPU are sorted on PyTorch's current stream of their device, with memory of PyTorch's
allocator; those on the CPU share their memory with NumPy, whose memory for results is faster to get (huge pages)."""

import contextlib
import functools

import numpy as np
import torch

from . import _arrays
from ._gpu import KEY_TYPES, Gpu, handle_of

_KEY_TYPES = {getattr(torch, name): number for name, number in KEY_TYPES.items() if hasattr(torch, name)}
_HOST_KEY_TYPES = _KEY_TYPES.keys() - {torch.bfloat16}
_INDEX_TYPES = {torch.int32: (torch.int32, 4, 2**31 - 1), torch.int64: (torch.int64, 8, 2**63 - 1)}


def sort(a, axis, out, descending, stable, return_indices, threads, stream):
    if a.is_cuda:
        return _on_gpu.sort(a, axis, out, descending, stable, return_indices, threads, stream)
    host_out = None if out is None else _host_array(out, "out")
    found = _arrays.sort(_host_keys(a, "a"), axis, host_out, descending, stable, return_indices, threads, stream)
    values, indices = found if return_indices else (found, None)
    if out is None:
        out = torch.from_numpy(values)
    return (out, torch.from_numpy(indices)) if return_indices else out


def argsort(a, axis, descending, threads, dtype, stream):
    if a.is_cuda:
        return _on_gpu.argsort(a, axis, descending, threads, dtype, stream)
    keys = _host_keys(a, "a")
    index = _index_dtype(dtype)
    if index is None:
        raise _wrong_index_dtype(dtype)
    return torch.from_numpy(_arrays.argsort(keys, axis, descending, threads, f"i{index[1]}", stream))


def sort_by_key(keys, values, descending, threads, out, stream):
    if keys.is_cuda:
        return _on_gpu.sort_by_key(keys, values, descending, threads, out, stream)
    host_keys, host_values, host_out = _host_keys(keys, "keys"), _host_array(values, "values"), None
    if out is not None:
        if not isinstance(out, tuple) or len(out) != 2:
            raise TypeError("out: expected a tuple of two tensors, for keys and values")
        host_out = tuple(_host_array(each, f"out[{i}]") for i, each in enumerate(out))
    found = _arrays.sort_by_key(host_keys, host_values, descending, threads, host_out, stream)
    return tuple(torch.from_numpy(each) for each in found) if out is None else out


class _Torch(Gpu):
    index = torch.int64

    def check(self, a, name):
        _check_tensor(a, name)
        if not a.is_cuda:
            raise ValueError(f"{name} is on {a.device}: expected a CUDA device, as the keys")

    def check_out(self, out, a, name):
        self.check(out, name)
        if out.dtype != a.dtype:
            raise TypeError(f"{name} holds {out.dtype}: expected {a.dtype}")
        if out.shape != a.shape:
            raise ValueError(f"{name} has the shape {tuple(out.shape)}: expected {tuple(a.shape)}")
        if out.device != a.device:
            raise ValueError(f"{name} is on {out.device}: expected {a.device}")

    def index_dtype(self, dtype):
        return _index_dtype(dtype)

    def key_type(self, a):
        return _KEY_TYPES.get(a.dtype)

    def type_name(self, a):
        return a.dtype

    def item_bytes(self, a):
        return a.element_size()

    def address(self, a):
        return a.data_ptr()

    def device(self, a):
        return a.get_device()

    def is_current(self, a):
        return True  # PyTorch's calls follow their arguments

    def stream(self, a):
        return _raw_stream(a.get_device())

    def is_contiguous(self, a):
        return a.is_contiguous() and not a.is_neg()

    def contiguous(self, a):
        return _or_memory_error(a.resolve_neg().contiguous)

    def copy(self, a):
        return _or_memory_error(a.clone)

    def empty(self, shape, a, dtype=None):
        return _or_memory_error(torch.empty, shape, dtype=a.dtype if dtype is None else dtype, device=a.device)

    def move_axis(self, a, source, destination):
        return a.movedim(source, destination)

    def flat(self, a):
        return _or_memory_error(a.reshape, -1)

    def assign(self, out, a):
        out.copy_(a)

    def allocate(self, a):
        return _allocate_on(a.device)

    @contextlib.contextmanager
    def on(self, a, stream):
        with torch.cuda.stream(torch.cuda.ExternalStream(handle_of(stream), device=a.device)):
            yield


@functools.lru_cache(maxsize=None)
def _allocate_on(device):
    def allocate(size):
        memory = _or_memory_error(torch.empty, size, dtype=torch.uint8, device=device)
        return memory.data_ptr(), memory
    return allocate


def _or_memory_error(function, *arguments, **named):
    try:
        return function(*arguments, **named)
    except torch.cuda.OutOfMemoryError as error:
        raise MemoryError(str(error)) from None


def _current_stream(device):
    return torch.cuda.current_stream(device).cuda_stream


# The number alone, without an object around it; Triton and PyTorch's own compiled code call it, too.
_raw_stream = getattr(torch._C, "_cuda_getCurrentRawStream", _current_stream)


def _check_tensor(a, name):
    if not isinstance(a, torch.Tensor):
        raise TypeError(f"{name}: expected a PyTorch tensor, found {type(a).__name__}")
    if a.layout is not torch.strided:
        raise TypeError(f"{name}: cannot sort a tensor with the layout {a.layout}")
    if a.requires_grad:
        raise ValueError(f"{name} requires a gradient, and these sorts have none: pass {name}.detach()")


def _host_array(a, name):
    """NumPy's view of a tensor."""
    _check_tensor(a, name)
    if a.device.type != "cpu":
        raise ValueError(f"{name} is on {a.device}: expected cpu or cuda, and the same for all arguments")
    try:
        return a.resolve_neg().numpy()
    except TypeError:  # NumPy has no such type
        raise TypeError(f"{name}: cannot sort {a.dtype}; expected integers, bool, float16, float32 or float64") from None


def _host_keys(a, name):
    keys = _host_array(a, name)
    if a.dtype not in _HOST_KEY_TYPES:
        raise TypeError(f"{name}: cannot sort {a.dtype}; expected integers, bool, float16, float32 or float64")
    return keys


def _index_dtype(dtype):
    """The type, its bytes and its largest number, or None."""
    if not isinstance(dtype, torch.dtype):
        dtype = getattr(torch, np.dtype(dtype).name, None)
    return _INDEX_TYPES.get(dtype)


def _wrong_index_dtype(dtype):
    return TypeError(f"dtype is {dtype}: expected torch.int32 or torch.int64")


_on_gpu = _Torch()
