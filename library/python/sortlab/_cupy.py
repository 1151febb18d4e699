"""CuPy's arrays: sorted on CuPy's current stream, with memory of CuPy's pool."""

import contextlib

import cupy
import numpy as np

from ._gpu import KEY_TYPES, Gpu, handle_of

_KEY_TYPES = {character: KEY_TYPES.get(np.dtype(character).name) for character in "?bBhHiIlLqQefd"}


class _Cupy(Gpu):
    index, count = np.dtype(np.int64), np.dtype(np.int32)

    def is_own(self, a):
        return isinstance(a, cupy.ndarray)

    def on_gpu(self, a, like):
        return cupy.asarray(a)

    def check(self, a, name):
        if not isinstance(a, cupy.ndarray):
            raise TypeError(f"{name}: expected a CuPy array, found {type(a).__name__}")

    def index_dtype(self, dtype):
        dtype = np.dtype(dtype)
        if dtype.kind not in "iu" or dtype.itemsize not in (4, 8):
            return None
        return dtype, dtype.itemsize, np.iinfo(dtype).max

    def key_type(self, a):
        return _KEY_TYPES.get(a.dtype.char)

    def type_name(self, a):
        return a.dtype

    def item_bytes(self, a):
        return a.itemsize

    def address(self, a):
        return a.data.ptr

    def device(self, a):
        return a.data.device_id

    def is_current(self, a):
        return a.data.device_id == cupy.cuda.runtime.getDevice()

    def stream(self, a):
        return cupy.cuda.get_current_stream().ptr

    def is_contiguous(self, a):
        return a.flags.c_contiguous

    def contiguous(self, a):
        return cupy.ascontiguousarray(a)

    def copy(self, a):
        return a.copy()

    def empty(self, shape, a, dtype=None):
        return cupy.ndarray(shape, a.dtype if dtype is None else dtype)

    def move_axis(self, a, source, destination):
        return cupy.moveaxis(a, source, destination)

    def flat(self, a):
        return a.reshape(-1)

    def assign(self, out, a):
        out[...] = a

    def allocate(self, a):
        return _allocate

    @contextlib.contextmanager
    def on(self, a, stream):
        with cupy.cuda.Device(self.device(a)):
            if stream is None:
                yield
            else:
                with cupy.cuda.ExternalStream(handle_of(stream)):
                    yield


def _allocate(size):
    memory = cupy.cuda.alloc(size)
    return memory.ptr, memory


_calls = _Cupy()
sort, argsort, sort_by_key = _calls.sort, _calls.argsort, _calls.sort_by_key
segmented_sort, top_p, topk = _calls.segmented_sort, _calls.top_p, _calls.topk
