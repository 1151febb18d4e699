"""Stand-ins for a GPU and for CuPy, in the memory of the CPU, so that sortlab's calls on GPU arrays run without one.

They keep to what the code may rely on: an address belongs to one device, CuPy allocates on the current device, and all
work of a call goes to one stream.
"""

import ctypes
import types

import numpy as np

from python_package.keys import counts_to, stable_order

NAMES = {1: "u1", 2: "i1", 3: "u2", 4: "i2", 5: "u4", 6: "i4", 7: "u8", 8: "i8", 9: "f4", 10: "f8", 11: "f2"}


def _items(address, count, dtype):
    dtype = np.dtype(dtype)
    return np.frombuffer((ctypes.c_char * (count * dtype.itemsize)).from_address(address), dtype)


class FakeCuda:
    """The functions of sortlab._cuda. `calls` has (device, stream) of each."""

    def __init__(self):
        self.calls = []

    def _enqueue(self, device, stream, allocate):
        self.calls.append((device, stream))
        if allocate is not None:
            address, owner = allocate(64)
            _items(address, 64, "u1")[:] = 0xAA
            del owner

    def sort_rows(self, keys, out, rows, n, type, descending, device, stream, allocate):
        self._enqueue(device, stream, allocate)
        a = _items(keys, rows * n, NAMES[type]).reshape(rows, n)
        result = np.take_along_axis(a, stable_order(a, descending), -1)
        _items(out, rows * n, NAMES[type])[:] = result.reshape(-1)

    def argsort_rows(self, keys, order, rows, n, type, index_bytes, descending, device, stream, allocate):
        self._enqueue(device, stream, allocate)
        a = _items(keys, rows * n, NAMES[type]).reshape(rows, n)
        _items(order, rows * n, f"i{index_bytes}")[:] = stable_order(a, descending).reshape(-1)

    def sort_rows_with_indices(self, keys, out, order, rows, n, type, descending, device, stream, allocate):
        self.argsort_rows(keys, order, rows, n, type, 8, descending, device, stream, allocate)
        self.sort_rows(keys, out, rows, n, type, descending, device, stream, allocate)

    def sort_segments(self, keys, out, values, out_values, value_bytes, n, offsets, offset_bytes, segments, type,
                      descending, device, stream, allocate):
        self._enqueue(device, stream, allocate)
        a, result = _items(keys, n, NAMES[type]), _items(out, n, NAMES[type])
        bounds = _items(offsets, segments + 1, f"i{offset_bytes}")
        for begin, end in zip(bounds, bounds[1:]):
            order = begin + stable_order(a[begin:end], descending)
            result[begin:end] = a[order]
            if value_bytes > 0:
                moved = _items(values, n * value_bytes, "u1").reshape(n, value_bytes)[order]
                _items(out_values, n * value_bytes, "u1").reshape(n, value_bytes)[begin:end] = moved

    def top_k(self, keys, best, places, rows, n, k, type, largest, sorted, device, stream, allocate):
        self._enqueue(device, stream, allocate)
        a = _items(keys, rows * n, NAMES[type]).reshape(rows, n)
        order = np.argsort(a, axis=-1, kind="stable")
        order = (order[:, ::-1] if largest else order)[:, :k]
        _items(best, rows * k, NAMES[type])[:] = np.take_along_axis(a, order, -1).reshape(-1)
        _items(places, rows * k, "i8")[:] = order.reshape(-1)

    def top_p(self, weights, best, places, counts, rows, n, k, type, p, device, stream, allocate):
        self._enqueue(device, stream, allocate)
        a = _items(weights, rows * n, NAMES[type]).reshape(rows, n)
        order = np.argsort(-a, axis=-1, kind="stable")[:, :k]  # NaN comes last
        found = np.take_along_axis(a, order, -1)
        _items(best, rows * k, NAMES[type])[:] = found.reshape(-1)
        _items(places, rows * k, "i8")[:] = order.reshape(-1)
        _items(counts, rows, "i4")[:] = counts_to(found, p)

    def sort_pairs(self, keys, out_keys, values, out_values, n, type, value_bytes, descending, device, stream, allocate):
        self._enqueue(device, stream, allocate)
        a = _items(keys, n, NAMES[type])
        order = stable_order(a, descending)
        sorted_keys = a[order]
        if value_bytes > 0:
            moved = _items(values, n * value_bytes, "u1").reshape(n, value_bytes)[order]
            _items(out_values, n * value_bytes, "u1")[:] = moved.reshape(-1)
        _items(out_keys, n, NAMES[type])[:] = sorted_keys

    def gather_rows(self, source, out, item_bytes, order, rows, n, device, stream):
        self._enqueue(device, stream, None)
        a = _items(source, rows * n, f"u{item_bytes}").reshape(rows, n)
        result = np.take_along_axis(a, _items(order, rows * n, "i8").reshape(rows, n), -1)
        _items(out, rows * n, f"u{item_bytes}")[:] = result.reshape(-1)

    def device_of(self, address):
        return 0

    def wait(self, device, waiting, other):
        self.calls.append(("wait", waiting, other))

    def synchronize(self, device, stream):
        self.calls.append(("synchronize", stream))


def fake_cupy():
    """A module with what sortlab uses of CuPy, for two devices."""
    current = types.SimpleNamespace(device=0, stream={0: 0, 1: 0})

    class ndarray(np.ndarray):
        def __new__(cls, shape, dtype):
            made = super().__new__(cls, shape, dtype)
            made.place = current.device
            return made

        def __array_finalize__(self, source):
            self.place = getattr(source, "place", current.device)

        @property
        def data(self):
            return types.SimpleNamespace(ptr=self.ctypes.data, device_id=self.place)

    class Restores:
        def __exit__(self, *_):
            setattr(current, *self.before)

    class Device(Restores):
        def __init__(self, number):
            self.number = number

        def __enter__(self):
            self.before = "device", current.device
            current.device = self.number

    class ExternalStream(Restores):
        def __init__(self, address):
            self.ptr = address

        def __enter__(self):
            self.before = "stream", dict(current.stream)
            current.stream[current.device] = self.ptr

    def alloc(size):
        memory = ndarray(size, np.uint8)
        memory.ptr = memory.ctypes.data
        return memory

    return types.SimpleNamespace(
        ndarray=ndarray, ascontiguousarray=lambda a: np.array(a, order="C", subok=True), moveaxis=np.moveaxis,
        asarray=lambda a: np.asarray(a).copy().view(ndarray), asnumpy=lambda a: np.asarray(a),
        cuda=types.SimpleNamespace(
            Device=Device, ExternalStream=ExternalStream, alloc=alloc,
            get_current_stream=lambda: types.SimpleNamespace(ptr=current.stream[current.device]),
            runtime=types.SimpleNamespace(getDevice=lambda: current.device)))
