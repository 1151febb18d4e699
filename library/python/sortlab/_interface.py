"""Arrays on a GPU that are known by a protocol alone, __dlpack__ or __cuda_array_interface__: those of JAX and Numba, for
instance. sortlab can't make such arrays, so the result goes to `out`, and what needs more memory is refused. Their
libraries don't know the stream of the sort, and might free an array that it still reads: a call waits for its end."""

import sys
import types

import numpy as np

from ._gpu import KEY_TYPES, Gpu, _cuda, handle_of, require_cuda

_LEGACY_STREAM = 1  # CUDA's handle of the default stream, and that of both protocols


def sort(a, axis, out, descending, stable, return_indices, threads, stream):
    require_cuda(a)
    if out is None or return_indices:
        raise _no_new_array(a, "a")
    stream = _stream_for(out, stream)
    given = _View(a, "a", stream, a is out)
    _calls.sort(given, axis, given if a is out else _View(out, "out", stream, True), descending, stable, False, None, None)
    _cuda.synchronize(given.device, stream)
    return out


def argsort(a, axis, descending, threads, dtype, stream):
    require_cuda(a)
    raise _no_new_array(a, "a")


def sort_by_key(keys, values, descending, threads, out, stream):
    require_cuda(keys)
    if not isinstance(out, tuple) or len(out) != 2:
        raise _no_new_array(keys, "keys")
    stream = _stream_for(out[0], stream)
    views = tuple(_View(each, f"out[{i}]", stream, True) for i, each in enumerate(out))
    given_keys, given_values = _View(keys, "keys", stream, False), _View(values, "values", stream, False)
    _calls.sort_by_key(given_keys, given_values, descending, None, views, None)
    _cuda.synchronize(given_keys.device, stream)
    return out


def segmented_sort(keys, offsets, values, descending, threads):
    require_cuda(keys)
    raise _no_new_array(keys, "keys")


def topk(a, k, axis, largest, sorted, out, threads, stream):
    return _to_several(a, out, 2, stream, lambda given, views: _calls.topk(given, k, axis, largest, sorted, views, None, None))


def top_p(a, p, k, out, stream):
    return _to_several(a, out, 3, stream, lambda given, views: _calls.top_p(given, p, k, views, None))


def _to_several(a, out, count, stream, call):
    require_cuda(a)
    if not isinstance(out, tuple) or len(out) != count:
        raise _no_new_array(a, "a")
    stream = _stream_for(out[0], stream)
    views = tuple(_View(each, f"out[{i}]", stream, True) for i, each in enumerate(out))
    given = _View(a, "a", stream, False)
    call(given, views)
    _cuda.synchronize(given.device, stream)
    return out


def _is_jax(a):
    """JAX's arrays never change, but its capsules (0.11) are of DLPack before 1.0, which can't say so."""
    return type(a).__module__.partition(".")[0] in ("jax", "jaxlib")


class _View:
    """What the protocols say of an array. Work on `stream` comes after what its library has enqueued so far."""

    def __init__(self, a, name, stream, is_result):
        self.stream = stream
        if hasattr(a, "__dlpack__"):
            self._read_dlpack(a, stream)
        elif hasattr(a, "__cuda_array_interface__"):
            self._read_interface(a.__cuda_array_interface__, name, stream)
        else:
            raise TypeError(f"{name} is of type {type(a).__name__}: expected an array on a GPU")
        self.ndim = len(self.shape)
        if is_result and (self.is_read_only or _is_jax(a)):
            raise ValueError(f"{name} is read-only")

    def _read_dlpack(self, a, stream):
        stream = stream or _LEGACY_STREAM  # 0 has no meaning in the protocol
        try:
            self.owner = a.__dlpack__(stream=stream, max_version=(1, 0))
        except TypeError:  # a library of before DLPack 1.0
            self.owner = a.__dlpack__(stream=stream)
        self.address, self.type, self.shape, self.is_in_c_order, self.is_read_only, self.device = _cuda.of_dlpack(self.owner)

    def _read_interface(self, interface, name, stream):
        if interface.get("mask") is not None:
            raise TypeError(f"{name}: masked arrays can't be sorted")
        self.owner = None
        self.address, self.is_read_only = interface["data"]
        dtype = np.dtype(interface["typestr"])
        self.type, self.shape = f"{dtype.kind}{dtype.itemsize}", tuple(interface["shape"])
        self.is_in_c_order = _is_in_c_order(self.shape, interface.get("strides"), dtype.itemsize)
        self.device = _cuda.device_of(self.address)
        if interface.get("stream") is not None:
            _cuda.wait(self.device, stream, interface["stream"])


class _Views(Gpu):
    index, count = "i8", "i4"

    def like(self, shape, a, dtype):
        return types.SimpleNamespace(type=a.type if dtype is None else dtype, shape=shape, device=a.device)

    def check(self, a, name):
        if not a.is_in_c_order:
            raise ValueError(f"{name}: its items are not in C order, and sortlab can't make a copy of such an array")

    def key_type(self, a):
        return KEY_TYPES.get(self.type_name(a))

    def type_name(self, a):
        try:
            return np.dtype(a.type).name
        except TypeError:  # bfloat16 for instance
            return a.type

    def item_bytes(self, a):
        return int(a.type[1:])

    def address(self, a):
        return a.address

    def device(self, a):
        return a.device

    def is_current(self, a):
        return True  # _cuda sets it

    def stream(self, a):
        return a.stream

    def is_contiguous(self, a):
        return True  # check() refuses others

    def contiguous(self, a):
        return a

    def copy(self, a):
        raise ValueError("a result shares memory with an array to sort, but does not begin where that begins")

    def empty(self, shape, a, dtype=None):
        raise ValueError("this call needs memory for indices: pass an array of CuPy or PyTorch")

    def move_axis(self, a, source, destination):
        raise ValueError("such an array can be sorted along its last axis alone")

    def flat(self, a):
        if a.ndim != 1:
            raise ValueError("such an array can be sorted along its last axis alone")
        return a

    def allocate(self, a):
        return None


def _stream_for(out, stream):
    """The stream to sort on: the one that is asked for, or the one on which the result will be used."""
    if stream is not None:
        return handle_of(stream)
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(out, torch.Tensor):
        return torch.cuda.current_stream(out.device).cuda_stream
    stream = getattr(out, "__cuda_array_interface__", {}).get("stream")
    return _LEGACY_STREAM if stream is None else stream


def _is_in_c_order(shape, strides, item_bytes):
    if strides is None or 0 in shape:
        return True
    step = item_bytes
    for length, stride in zip(reversed(shape), reversed(strides)):
        if length != 1 and stride != step:
            return False
        step *= length
    return True


def _no_new_array(a, name):
    kind = type(a)
    return TypeError(f"{name}: sortlab can't make an array of type {kind.__module__}.{kind.__qualname__} for the result: pass "
                     f"out=, or cupy.from_dlpack({name}) or cupy.asarray({name}), which share its memory")


_calls = _Views()
