"""PyTorch's tensors. Those on a GPU are sorted on PyTorch's current stream of their device, with memory of PyTorch's
allocator; those on the CPU share their memory with NumPy, whose memory for results is faster to get (huge pages)."""

import contextlib
import functools

import numpy as np
import torch

from . import _arrays, _top
from ._gpu import KEY_TYPES, Gpu, handle_of

_KEY_TYPES = {getattr(torch, name): number for name, number in KEY_TYPES.items() if hasattr(torch, name)}
_INDEX_TYPES = {torch.int32: (torch.int32, 4, 2**31 - 1), torch.int64: (torch.int64, 8, 2**63 - 1)}


def sort(a, axis, out, descending, stable, return_indices, threads, stream):
    if a.is_cuda:
        return _on_gpu.sort(a, axis, out, descending, stable, return_indices, threads, stream)
    keys, target = _host_keys(a, "a"), None
    if out is not None:
        target = _host_out(out, a, "out")
    is_wide = a.dtype == torch.bfloat16  # NumPy's memory is then not that of the tensor
    found = _arrays.sort(keys, axis, None if is_wide else target, descending, stable, return_indices, threads, stream)
    values, indices = found if return_indices else (found, None)
    if is_wide:
        values = _narrowed(values, target)
    if out is None:
        out = _tensor(values, a)
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
    host_keys, host_values, targets = _host_keys(keys, "keys"), _host_array(values, "values"), None
    if out is not None:
        if not isinstance(out, tuple) or len(out) != 2:
            raise TypeError("out: expected a tuple of two tensors, for keys and values")
        targets = _host_out(out[0], keys, "out[0]"), _host_out(out[1], values, "out[1]")
    is_wide = keys.dtype == torch.bfloat16
    wide_targets = targets if targets is None or not is_wide else (np.empty_like(host_keys), targets[1])
    sorted_keys, moved = _arrays.sort_by_key(host_keys, host_values, descending, threads, wide_targets, stream)
    if is_wide:
        sorted_keys = _narrowed(sorted_keys, targets[0] if targets else None)
    return out or (_tensor(sorted_keys, keys), _tensor(moved, values))


def segmented_sort(keys, offsets, values, descending, threads):
    if keys.is_cuda:
        return _on_gpu.segmented_sort(keys, offsets, values, descending, threads)
    from . import _segments
    host_values = None if values is None else _host_array(values, "values")
    if isinstance(offsets, torch.Tensor):
        offsets = _host_array(offsets, "offsets")
    found = _segments.segmented_sort(_host_keys(keys, "keys"), offsets, host_values, descending, threads)
    sorted_keys = found if values is None else found[0]
    if keys.dtype == torch.bfloat16:
        sorted_keys = _narrowed(sorted_keys, None)
    return _tensor(sorted_keys, keys) if values is None else (_tensor(sorted_keys, keys), _tensor(found[1], values))


def topk(a, k, axis, largest, sorted, out, threads, stream):
    if a.is_cuda:
        return _on_gpu.topk(a, k, axis, largest, sorted, out, threads, stream)
    keys, is_wide = _host_keys(a, "a"), a.dtype == torch.bfloat16
    targets = None
    if out is not None:
        _top.check_pair(out)
        targets = [_host_out(out[0], a, "out[0]"), _host_array(out[1], "out[1]")]
        best = targets[0]
        if is_wide:  # NumPy's memory is then not that of the tensor
            targets[0] = np.empty(best.shape, np.float32)
    values, indices = _top.topk(keys, k, axis, largest, sorted, targets and tuple(targets), threads, stream)
    if out is None:
        return _tensor(_narrowed(values, None) if is_wide else values, a), torch.from_numpy(indices)
    if is_wide:
        _narrowed(values, best)
    return out


class _Torch(Gpu):
    index, count = torch.int64, torch.int32

    def is_own(self, a):
        return isinstance(a, torch.Tensor) and a.is_cuda

    def on_gpu(self, a, like):
        return torch.from_numpy(a).to(like.device)

    def check(self, a, name):
        _check_tensor(a, name)
        if not a.is_cuda:
            raise ValueError(f"{name} is on {a.device}: expected a CUDA device, as the keys")

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
    """NumPy's view of a tensor; of a bfloat16 as int16."""
    _check_tensor(a, name)
    if a.device.type != "cpu":
        raise ValueError(f"{name} is on {a.device}: expected cpu or cuda, and the same for all arguments")
    if a.dtype == torch.bfloat16:
        return a.view(torch.int16).numpy()
    try:
        return a.numpy()
    except RuntimeError:  # its numbers are kept with the other sign
        return a.resolve_neg().numpy()
    except TypeError:  # NumPy has no such type
        raise _wrong_type(a, name) from None


def _host_keys(a, name):
    keys = _host_array(a, name)
    if a.dtype not in _KEY_TYPES:
        raise _wrong_type(a, name)
    return _arrays.widened(keys) if a.dtype == torch.bfloat16 else keys


def _host_out(out, like, name):
    array = _host_array(out, name)
    if out.dtype != like.dtype:
        raise TypeError(f"{name} holds {out.dtype}: expected {like.dtype}")
    return array


def _tensor(array, like):
    tensor = torch.from_numpy(array)
    return tensor.view(torch.bfloat16) if like.dtype == torch.bfloat16 else tensor


def _narrowed(wide, out):
    """The bfloat16 of float32 keys, in `out` if it is an array."""
    narrow = _arrays.narrowed(wide, np.int16)
    if out is None:
        return narrow
    if out.shape != narrow.shape:
        raise ValueError(f"out has the shape {out.shape}: expected {narrow.shape}")
    out[...] = narrow
    return out


def _wrong_type(a, name):
    return TypeError(f"{name}: cannot sort {a.dtype}; expected integers, bool, float16, bfloat16, float32 or float64")


def _index_dtype(dtype):
    """The type, its bytes and its largest number, or None."""
    if not isinstance(dtype, torch.dtype):
        dtype = getattr(torch, np.dtype(dtype).name, None)
    return _INDEX_TYPES.get(dtype)


def _wrong_index_dtype(dtype):
    return TypeError(f"dtype is {dtype}: expected torch.int32 or torch.int64")


_on_gpu = _Torch()


def top_p(a, p, k, out, stream):
    if not a.is_cuda:
        raise TypeError("a: expected a tensor on a GPU")
    return _on_gpu.top_p(a, p, k, out, stream)
