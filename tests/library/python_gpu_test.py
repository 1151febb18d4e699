#!/usr/bin/env python3
"""The Python package with arrays of other libraries than NumPy: CuPy, PyTorch, and protocols of arrays on a GPU.

Without a GPU, stand-ins for CuPy and for the sorts show that each array reaches its sort, with its types, axes, streams
and devices; PyTorch's tensors on the CPU are tested where PyTorch is installed. The rest needs a GPU, and a build of
sortlab with CUDA.
"""

import gc
import importlib
import importlib.util
import itertools
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import types
import unittest
from unittest import mock

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from python_package.wheel import ROOT, built_wheel, run, skip_if_incomplete, unpack  # noqa: E402

skip_if_incomplete()

import numpy as np  # noqa: E402
from python_package.fakes import FakeCuda, fake_cupy  # noqa: E402
from python_package.keys import TYPES, counts_to, is_top, keys_of, rng, stable_order  # noqa: E402

SIZES = [0, 1, 2, 3, 100, 1000, 4097, 70_000]
# Rows for each kernel and way: at both ends of what it takes (library/cuda/rows).
ROWS = [(2, 1), (1000, 1), (1001, 2), (777, 3), (513, 7), (300, 16), (129, 17), (100, 32), (65, 33), (40, 100), (33, 256),
        (30, 257), (21, 300), (17, 512), (9, 513), (8, 1000), (7, 1024), (6, 1025), (5, 4096), (4, 4097), (4, 9000),
        (3, 14_336), (4, 14_337), (3, 16_384), (4, 16_385), (5, 40_000), (2, 70_000), (3, 170_000)]


class Arrays:
    """Tests for the arrays of one library. A subclass makes them: array(a) from NumPy's, numpy(a) to NumPy's."""

    types = TYPES
    sizes = SIZES

    def same(self, found, expected):
        """The same bits, in an array of the library."""
        self.assertIs(type(found), type(self.array(expected)))
        found = self.numpy(found)
        self.assertEqual((found.dtype, found.shape), (expected.dtype, expected.shape))
        self.assertEqual(found.tobytes(), expected.tobytes())

    def same_numbers(self, found, expected):
        self.assertIs(type(found), type(self.array(expected)))
        found = self.numpy(found)
        self.assertEqual(found.dtype, expected.dtype)
        np.testing.assert_array_equal(found, expected)

    def test_all_types_and_sizes(self):
        for dtype, n in itertools.product(self.types, self.sizes):
            with self.subTest(dtype=dtype, n=n):
                given = keys_of(dtype, n)
                a = self.array(given)
                for descending in (False, True):
                    order = stable_order(given, descending)
                    self.same_numbers(sortlab.sort(a, descending=descending), given[order])
                    self.same(sortlab.sort(a, descending=descending, stable=True), given[order])
                    self.same(sortlab.argsort(a, descending=descending), order)
                    found, indices = sortlab.sort(a, descending=descending, return_indices=True)
                    self.same_numbers(found, given[order])
                    self.same(found, given[self.numpy(indices)])
                    found, indices = sortlab.sort(a, descending=descending, return_indices=True, stable=True)
                    self.same(found, given[order])
                    self.same(indices, order)
                    self.assertEqual(self.numpy(a).tobytes(), given.tobytes())

    def test_pairs(self):
        n = 5000
        for dtype, value_type in itertools.product(("i4", "i8", "f4"), ("i4", "f8", "u1", "i2")):
            for width in ((), (3,), (2, 2)):
                with self.subTest(dtype=dtype, value_type=value_type, width=width):
                    keys = rng.integers(0, 100, n).astype(dtype)
                    values = rng.integers(0, 100, (n, *width)).astype(value_type)
                    for descending in (False, True):
                        order = stable_order(keys, descending)
                        found, moved = sortlab.sort_by_key(self.array(keys), self.array(values), descending=descending)
                        self.same(found, keys[order])
                        self.same(moved, values[order])

    def test_segments(self):
        bounds = np.array([2, 2, 5, 5, 6, 100, 1300, 5000, 30_000, 30_000, 30_003])
        n = bounds[-1] + 4
        for dtype in (t for t in self.types if np.dtype(t).itemsize >= 4 and np.dtype(t).kind in "iuf"):
            for descending in (False, True):
                with self.subTest(dtype=dtype, descending=descending):
                    # Equal floats are in the order of their bits.
                    a = keys_of(dtype, n) if np.dtype(dtype).kind != "f" else rng.permutation(n).astype(dtype)
                    order = np.arange(n)
                    for begin, end in zip(bounds, bounds[1:]):
                        order[begin:end] = begin + stable_order(a[begin:end], descending)
                    keys = self.array(a)
                    for offsets in (bounds, list(bounds), self.array(bounds.astype("i4")), self.array(bounds)):
                        self.same(sortlab.segmented_sort(keys, offsets, descending=descending), a[order])
                    for values in (np.arange(n, dtype="u1"), np.arange(n, dtype="i4"),
                                   np.arange(2 * n, dtype="i8").reshape(n, 2)):
                        found = sortlab.segmented_sort(keys, bounds, self.array(values), descending=descending)
                        self.same(found[0], a[order])
                        self.same(found[1], values[order])
                    self.same(keys, a)

    def test_bad_segments(self):
        keys = self.array(np.arange(5, dtype="i4"))
        for offsets in ([0, 3, 2], [0, 6], [-1, 3]):
            with self.assertRaisesRegex(ValueError, "offsets"):
                sortlab.segmented_sort(keys, offsets)
        for offsets in ([], [0.0, 3.0], [[0, 3]]):
            with self.assertRaisesRegex(TypeError, "offsets"):
                sortlab.segmented_sort(keys, np.array(offsets))
        with self.assertRaisesRegex(ValueError, "values"):
            sortlab.segmented_sort(keys, [0, 5], self.array(np.arange(4)))
        with self.assertRaisesRegex(ValueError, "keys"):
            sortlab.segmented_sort(self.array(np.arange(6).reshape(2, 3)), [0, 6])

    def top(self, given, k, axis=-1, largest=True, is_sorted=True):
        a = self.array(given)
        found = sortlab.topk(a, k, axis, largest, is_sorted)
        for each in found:
            self.assertIs(type(each), type(a))
        values, indices = (self.numpy(each) for each in found)
        if axis is None:
            given, axis = given.reshape(-1), 0
        self.assertTrue(is_top(given, k, axis, largest, is_sorted, values, indices), (given.dtype, given.shape, k, axis))
        return found

    def test_top(self):
        for dtype in self.types:
            for shape, k in (((1,), 1), ((5000,), 50), ((5000,), 5000), ((30, 257), 8), ((3, 9000), 2500), ((4, 7), 0), ((0, 7), 3),
                             ((70_000,), 300)):
                given = keys_of(dtype, int(np.prod(shape))).reshape(shape)
                for largest, is_sorted in itertools.product((True, False), (True, False)):
                    with self.subTest(dtype=dtype, shape=shape, k=k, largest=largest, is_sorted=is_sorted):
                        self.top(given, k, -1, largest, is_sorted)

    def test_top_along_axes(self):
        given = keys_of("f4", 6 * 35 * 4).reshape(6, 35, 4)
        for axis in (0, 1, 2, -2, None):
            self.top(given, 3, axis)
        view = self.array(given).swapaxes(0, 2)[::2, 1::3]
        values, indices = sortlab.topk(view, 2, 1)
        self.assertTrue(is_top(given.swapaxes(0, 2)[::2, 1::3], 2, 1, True, True, self.numpy(values), self.numpy(indices)))

    def test_top_with_out(self):
        given = keys_of("i4", 600).reshape(3, 200)
        a = self.array(given)
        for axis, shape in ((1, (3, 5)), (0, (2, 200))):
            out = self.array(np.zeros(shape, "i4")), self.array(np.zeros(shape, "i8"))
            k = shape[axis]
            self.assertIs(sortlab.topk(a, k, axis, out=out), out)
            self.assertTrue(is_top(given, k, axis, True, True, self.numpy(out[0]), self.numpy(out[1])))
        values, indices = (self.array(np.zeros((3, 5), t)) for t in ("i4", "i8"))
        for wrong in (values, (values,), [values, indices]):
            with self.assertRaisesRegex(TypeError, "out: expected a tuple"):
                sortlab.topk(a, 5, out=wrong)
        with self.assertRaisesRegex(TypeError, r"out\[1\]"):
            sortlab.topk(a, 5, out=(values, values))
        with self.assertRaisesRegex(ValueError, r"out\[0\]"):
            sortlab.topk(a, 4, out=(values, indices))

    def test_top_p(self):
        for dtype, (shape, k) in itertools.product(("f4", "f8"), (((1000,), 50), ((7, 300), 300), ((3, 2, 5000), 20), ((4, 9), 0),
                                                                  ((0, 5), 2))):
            given = rng.integers(-2, 1000, shape).astype(dtype)  # with ties; sums are exact
            rows = given.reshape(-1, shape[-1])
            order = np.argsort(-rows, axis=-1, kind="stable")[:, :k]
            best = np.take_along_axis(rows, order, -1)
            for p in (0, 1, 4000, 1e9):
                with self.subTest(dtype=dtype, shape=shape, p=p):
                    expected = (best.reshape(*shape[:-1], k), order.reshape(*shape[:-1], k),
                                counts_to(best, p).reshape(shape[:-1]))
                    found = sortlab.top_p(self.array(given), p, k)
                    out = tuple(self.array(np.zeros_like(each)) for each in expected)
                    self.assertIs(sortlab.top_p(self.array(given), p, k, out=out), out)
                    for each, target, wanted in zip(found, out, expected):
                        self.same(each, wanted)
                        self.same(target, wanted)

    def test_bad_top_p(self):
        a = self.array(np.arange(5, dtype="f4"))
        with self.assertRaisesRegex(ValueError, "k is 6: expected 0 to 5"):
            sortlab.top_p(a, 1, 6)
        with self.assertRaisesRegex(TypeError, "expected float32 or float64"):
            sortlab.top_p(self.array(np.arange(5, dtype="i4")), 1, 2)
        with self.assertRaisesRegex(TypeError, "out: expected a tuple of three"):
            sortlab.top_p(a, 1, 2, out=(a, a))
        with self.assertRaisesRegex(TypeError, "expected an array on a GPU"):
            sortlab.top_p(np.arange(5.0), 1, 2)

    def test_bad_top(self):
        a = self.array(np.arange(5, dtype="i4"))
        for k in (-1, 6):
            with self.assertRaisesRegex(ValueError, f"k is {k}: expected 0 to 5"):
                sortlab.topk(a, k)
        with self.assertRaises(TypeError):
            sortlab.topk(a, 1.5)
        with self.assertRaises(np.exceptions.AxisError):
            sortlab.topk(a, 1, 1)
        with self.assertRaisesRegex(TypeError, "largest: expected True or False"):
            sortlab.topk(a, 1, largest="no")
        with self.assertRaisesRegex(ValueError, "threads"):
            sortlab.topk(a, 1, threads=0)
        with self.assertRaisesRegex(TypeError, "a is of type"):
            sortlab.partition(a, 1)

    def test_types_of_indices(self):
        given = keys_of("i2", 5000)
        for dtype in ("i4", "i8", np.int32, np.int64):
            self.same(sortlab.argsort(self.array(given), dtype=dtype), stable_order(given).astype(dtype))

    def test_layouts_and_axes(self):
        given = keys_of("f4", 6 * 35 * 4).reshape(6, 35, 4)
        views = {"in C order": lambda a: a, "transposed": lambda a: a.swapaxes(0, 2), "strided": lambda a: a[::2, 1::3],
                 "without items": lambda a: a[:, :0]}
        for (name, view), axis in itertools.product(views.items(), (-3, -2, -1, 0, 1, 2, None)):
            with self.subTest(name, axis=axis):
                a, plain = view(self.array(given)), np.ascontiguousarray(view(given))
                expected = np.sort(plain, axis, kind="stable")
                self.same_numbers(sortlab.sort(a, axis=axis), expected)
                self.same(sortlab.sort(a, axis=axis, stable=True), expected)
                self.same(sortlab.argsort(a, axis=axis), np.argsort(plain, axis, kind="stable"))
                out = self.array(np.zeros_like(expected))
                self.assertIs(sortlab.sort(a, axis=axis, out=out), out)
                self.same_numbers(out, expected)
                if axis is not None:
                    a = view(self.array(given))
                    self.assertIs(sortlab.sort(a, axis=axis, out=a), a)
                    np.testing.assert_array_equal(self.numpy(a), expected)

    def test_rows_of_one_key_and_none(self):
        """They come back as a new array in C order."""
        for shape, axes, axis in (((4, 3, 1), (0, 1), 2), ((4, 3, 1), (0, 2), 0), ((4, 0, 3), (0, 2), 1)):
            given = rng.integers(0, 9, shape).astype("f4")
            for view in (lambda a: a, lambda a: a.swapaxes(*axes)):
                a, plain = view(self.array(given)), np.ascontiguousarray(view(given))
                if plain.shape[axis] > 1:
                    continue
                found = sortlab.sort(a, axis=axis)
                self.assertIsNot(found, a)
                self.same(found, plain)
                in_c_order = found.is_contiguous() if hasattr(found, "is_contiguous") else found.flags.c_contiguous
                self.assertTrue(in_c_order, (shape, axis))

    def test_in_place_and_out(self):
        given = keys_of("i4", 3000)
        a = self.array(given)
        sortlab.sort(a, out=a)
        self.same(a, np.sort(given))
        values = keys_of("i8", 3000)
        order = stable_order(given)
        keys, moved = self.array(given), self.array(values)
        out = keys, moved
        self.assertIs(sortlab.sort_by_key(keys, moved, out=out), out)
        self.same(keys, given[order])
        self.same(moved, values[order])
        keys, moved = self.array(values), self.array(rng.integers(0, 9, 3000))
        others = self.numpy(moved).copy()
        sortlab.sort_by_key(keys, moved, out=(moved, keys))  # the results change places
        self.same(moved, np.sort(values))
        self.same(keys, others[stable_order(values)])

    def test_out_that_overlaps(self):
        given = keys_of("i4", 1000)
        a = self.array(given)
        sortlab.sort(a[1:], out=a[:-1])
        np.testing.assert_array_equal(self.numpy(a)[:-1], np.sort(given[1:]))
        a, values = self.array(given), self.array(given)
        sortlab.sort_by_key(a[1:], values[1:], out=(a[:-1], values[:-1]))
        np.testing.assert_array_equal(self.numpy(values)[:-1], np.sort(given[1:]))

    def test_misaligned_starts(self):
        """A view begins at any item, while new arrays begin at multiples of 256 bytes."""
        for dtype, begin in itertools.product(("u1", "i4", "f8"), (1, 2, 3)):
            given = keys_of(dtype, 5000)
            self.same_numbers(sortlab.sort(self.array(given)[begin:]), np.sort(given[begin:]))
            self.same(sortlab.argsort(self.array(given)[begin:]), stable_order(given[begin:]))

    def refused(self, error, text, function, *arguments, **named):
        with self.subTest(text), self.assertRaisesRegex(error, text):
            function(*arguments, **named)

    def test_errors(self):
        a = self.array(np.arange(6.0))
        one = self.array(np.arange(6, dtype="i8"))
        complex_keys = self.array(np.zeros(3, "c8"))
        for function in (sortlab.sort, sortlab.argsort, lambda a: sortlab.sort_by_key(a, a)):
            self.refused(TypeError, "cannot sort .*complex64", function, complex_keys)
        self.refused(np.exceptions.AxisError, "out of bounds", sortlab.sort, a, axis=1)
        self.refused(np.exceptions.AxisError, "out of bounds", sortlab.argsort, a, axis=-2)
        self.refused(TypeError, "integer", sortlab.sort, a, axis=0.5)
        self.refused(ValueError, r"shape \(5,\): expected \(6,\)", sortlab.sort, a, out=a[:5])
        self.refused(TypeError, "expected .*float64", sortlab.sort, a, out=one)
        self.refused(TypeError, "expected a", sortlab.sort, a, out=[0.0] * 6)
        self.refused(TypeError, "tuple of two", sortlab.sort_by_key, a, one, out=a)
        self.refused(ValueError, "one value for each", sortlab.sort_by_key, a, one[:5])
        self.refused(TypeError, "list", sortlab.sort_by_key, a, [1, 2])
        self.refused(ValueError, "expected 1", sortlab.sort_by_key, a.reshape(2, 3), one)
        self.refused(TypeError, "dtype is", sortlab.argsort, a, dtype="i2")
        self.refused(ValueError, "at least 1", sortlab.sort, a, threads=0)


def forget_cupy():
    """The next array of CuPy, or of its stand-in, imports sortlab's module for it anew."""
    sys.modules.pop("sortlab._cupy", None)
    vars(sortlab).pop("_cupy", None)


class StandIns(Arrays, unittest.TestCase):
    """CuPy and the sorts are stand-ins: all of sortlab's Python code runs."""

    sizes = SIZES[:-2]  # which the stand-ins sort all alike

    @classmethod
    def setUpClass(cls):
        cls.cupy, cls.cuda = fake_cupy(), FakeCuda()
        patches = [mock.patch.dict(sys.modules, {"cupy": cls.cupy}), mock.patch.object(sortlab._gpu, "_cuda", cls.cuda),
                   mock.patch.object(sortlab._interface, "_cuda", cls.cuda)]
        forget_cupy()
        for patch in patches:
            patch.start()
            cls.addClassCleanup(patch.stop)

    def setUp(self):
        self.cuda.calls.clear()

    def array(self, a):
        return self.cupy.asarray(a)

    def numpy(self, a):
        return self.cupy.asnumpy(a)

    def test_current_stream(self):
        a = self.array(keys_of("f4", 100))
        with self.cupy.cuda.ExternalStream(7):
            sortlab.sort(a)
            sortlab.sort(a, stable=True)
            sortlab.argsort(a)
            sortlab.sort_by_key(a, a)
        self.assertEqual(self.cuda.calls, [(0, 7)] * 5)

    def test_stream_argument(self):
        a = self.array(keys_of("f4", 100))
        streams = (9, self.cupy.cuda.ExternalStream(9), types.SimpleNamespace(cuda_stream=9),
                   types.SimpleNamespace(__cuda_stream__=lambda: (0, 9)))
        for stream in streams:
            sortlab.sort(a, stream=stream)
            sortlab.argsort(a, stream=stream)
            sortlab.sort_by_key(a, a, stream=stream)
        self.assertEqual(self.cuda.calls, [(0, 9)] * 3 * len(streams))
        self.assertEqual(self.cupy.cuda.get_current_stream().ptr, 0)
        self.refused(TypeError, "expected a CUDA stream", sortlab.sort, a, stream="main")

    def test_another_device(self):
        with self.cupy.cuda.Device(1):
            a = self.array(keys_of("f4", 100))
        result = sortlab.sort(a)
        self.assertEqual(self.cuda.calls, [(1, 0)])
        self.assertEqual(result.data.device_id, 1)
        self.assertEqual(self.cupy.cuda.runtime.getDevice(), 0)
        self.refused(ValueError, "GPU 0: expected 1", sortlab.sort, a, out=self.array(np.zeros(100, "f4")))
        self.refused(ValueError, "device 0: expected 1", sortlab.sort_by_key, a, self.array(np.zeros(100)))

    def test_interface(self):
        """An array that tells no more of itself than the interface has."""
        given = keys_of("i4", 500)
        a, out = self.interface(given, stream=5), self.interface(np.zeros_like(given), stream=6)
        self.assertIs(sortlab.sort(a, out=out), out)
        np.testing.assert_array_equal(out.memory, np.sort(given))
        self.assertEqual(self.cuda.calls, [("wait", 6, 5), ("wait", 6, 6), (0, 6), ("synchronize", 6)])
        sortlab.sort(a, out=a, stream=8)
        np.testing.assert_array_equal(a.memory, np.sort(given))
        self.assertEqual(self.cuda.calls[-2:], [(0, 8), ("synchronize", 8)])
        keys, values = self.interface(given), self.interface(np.arange(500))
        sortlab.sort_by_key(keys, values, out=(keys, values))
        np.testing.assert_array_equal(values.memory, stable_order(given))

    def test_interface_errors(self):
        a = self.interface(keys_of("i4", 500))
        for function in (sortlab.sort, sortlab.argsort, lambda a: sortlab.sort_by_key(a, a)):
            self.refused(TypeError, "can't make an array of type .*: pass out=", function, a)
        self.refused(ValueError, "read-only", sortlab.sort, a, out=self.interface(a.memory, data=(a.memory.ctypes.data, True)))
        jax_array = type("ArrayImpl", (), {"__module__": "jaxlib._jax"})()
        jax_array.__cuda_array_interface__ = a.__cuda_array_interface__
        self.refused(ValueError, "read-only", sortlab.sort, a, out=jax_array)
        self.refused(ValueError, "read-only", sortlab.sort, jax_array, out=jax_array)
        self.refused(ValueError, "C order", sortlab.sort, a, out=self.interface(a.memory, strides=(8,)))
        self.refused(TypeError, "masked", sortlab.sort, a, out=self.interface(a.memory, mask=a))
        self.refused(TypeError, "holds float32: expected int32", sortlab.sort, a, out=self.interface(a.memory, typestr="<f4"))
        self.refused(TypeError, "list", sortlab.sort, a, out=[1])
        complexes = self.interface(a.memory, typestr="<c8")
        self.refused(TypeError, "cannot sort complex64", sortlab.sort, complexes, out=complexes)
        rows = self.interface(a.memory.reshape(5, 100))
        self.refused(ValueError, "last axis", sortlab.sort, rows, axis=0, out=rows)

    @staticmethod
    def interface(a, **changes):
        interface = {"shape": a.shape, "typestr": a.dtype.str, "data": (a.ctypes.data, False), "version": 3, "strides": None,
                     "stream": None, **changes}
        return types.SimpleNamespace(__cuda_array_interface__=interface, memory=a)


class Capsules(unittest.TestCase):
    def test_in_a_process_of_their_own(self):
        run(sys.executable, ROOT / "tests" / "python_package" / "capsules.py")


class WithoutCuda(unittest.TestCase):
    def test_an_array_on_a_gpu_is_refused(self):
        array = StandIns.interface(np.zeros(3))
        with mock.patch.object(sortlab._gpu, "_cuda", None):
            for function in (sortlab.sort, sortlab.argsort, lambda a: sortlab.sort_by_key(a, a)):
                with self.assertRaisesRegex(TypeError, "^an array of type types.SimpleNamespace is on a GPU, and this sortlab "
                                            "was built without CUDA: pip install"):
                    function(array)

    def test_a_stream_for_numpy_is_refused(self):
        for function in (sortlab.sort, sortlab.argsort, lambda a, **named: sortlab.sort_by_key(a, a, **named)):
            with self.assertRaisesRegex(ValueError, "stream: an array in the CPU's memory has none"):
                function(np.zeros(3), stream=1)

    def test_cuda_needs_no_gpu_to_be_imported(self):
        """Python finds no GPU, and says so in a call alone."""
        if sortlab._gpu._cuda is None:
            self.skipTest("the build has no CUDA")
        done = subprocess.run([sys.executable, "-c", """
import numpy as np, sortlab, types
print(sortlab.sort([2, 1]))
a = types.SimpleNamespace(__cuda_array_interface__=dict(shape=(3,), typestr="<f4", data=(4096, False), version=3))
try:
    sortlab.sort(a, out=a)
except RuntimeError as error:
    print(error)
"""], text=True, capture_output=True, env={**os.environ, "PYTHONPATH": str(SITE), "CUDA_VISIBLE_DEVICES": ""})
        self.assertRegex(done.stdout, r"^\[1 2\]\nCUDA: .*\n$", done.stderr)


class TorchArrays(Arrays):
    types = ["?", "i1", "u1", "i2", "i4", "i8", "f2", "f4", "f8"]
    device = "cpu"

    def array(self, a):
        return torch.from_numpy(np.array(a, order="C")).to(self.device)

    def numpy(self, a):
        return a.cpu().numpy()

    def test_same_as_torch(self):
        for dtype in ("i4", "f4", "f8", "i8"):
            a = self.array(keys_of(dtype, 5000))
            if a.dtype.is_floating_point:
                a = a.abs()  # PyTorch, too, takes -0 and 0 as equal, but keeps the order of these only if it is told to
                a = torch.where(a.isnan(), torch.nan, a)  # on a GPU abs() may keep a NaN's sign, and the sort look at it
            for descending in (False, True):
                if descending and a.dtype.is_floating_point:
                    a = a.nan_to_num()  # in descending order PyTorch has NaNs first
                values, indices = sortlab.sort(a, return_indices=True, descending=descending)
                expected = torch.sort(a, stable=True, descending=descending)
                torch.testing.assert_close(values, expected.values, rtol=0, atol=0, equal_nan=True)
                self.assertEqual(indices.dtype, torch.int64)
                torch.testing.assert_close(sortlab.argsort(a, descending=descending), expected.indices, rtol=0, atol=0)

    def test_top_as_torch_finds_it(self):
        for dtype, largest in itertools.product(("f2", "f4", "f8", "i4", "i8", "u1"), (True, False)):
            a = self.array(keys_of(dtype, 3 * 2000).reshape(3, 2000))
            if a.dtype.is_floating_point:
                a = torch.where(a.isnan(), torch.nan, a)  # on a GPU PyTorch sorts NaNs by their sign, too
            for k in (0, 1, 100, 2000):
                with self.subTest(dtype=dtype, largest=largest, k=k):
                    expected, found = torch.topk(a, k, largest=largest), sortlab.topk(a, k, largest=largest)
                    self.assertEqual((found[0].dtype, found[1].dtype, found[0].device), (expected[0].dtype, torch.int64, a.device))
                    torch.testing.assert_close(found[0], expected[0], rtol=0, atol=0, equal_nan=True)
        a = torch.randn(3, 1000, device=a.device).bfloat16()
        found = sortlab.topk(a, 10)
        self.assertTrue(torch.equal(found[0], torch.topk(a, 10)[0]))
        self.assertTrue(torch.equal(found[0], a.gather(1, found[1])))
        out = torch.zeros(3, 10, dtype=torch.bfloat16, device=a.device), torch.zeros(3, 10, dtype=torch.int64, device=a.device)
        sortlab.topk(a, 10, out=out)
        self.assertTrue(torch.equal(out[0], found[0]))

    def test_torch_index_types(self):
        a = self.array(keys_of("i4", 100))
        self.assertEqual(sortlab.argsort(a, dtype=torch.int32).dtype, torch.int32)
        self.refused(TypeError, "expected", sortlab.argsort, a, dtype=torch.float32)

    def test_torch_errors(self):
        a = self.array(np.arange(4.0))
        self.refused(TypeError, "cannot sort torch.complex64", sortlab.sort, a.to(torch.complex64))
        self.refused(ValueError, r"detach\(\)", sortlab.sort, a.clone().requires_grad_())
        self.refused(TypeError, "layout", sortlab.sort, a.to_sparse())
        self.refused(TypeError, "expected a PyTorch tensor, found ndarray", sortlab.sort, a, out=np.zeros(4))
        self.refused(ValueError, "is on meta", sortlab.sort, torch.empty(4, device="meta"))


@unittest.skipIf(importlib.util.find_spec("torch") is None, "PyTorch is not installed")
class TorchOnCpu(TorchArrays, unittest.TestCase):
    test_bad_top_p = None

    def test_top_p(self):
        with self.assertRaisesRegex(TypeError, "^a: expected a tensor on a GPU$"):
            sortlab.top_p(torch.ones(3, 5), 0.5, 2)

    def test_the_memory_is_shared(self):
        a = torch.arange(10, 0, -1)
        address = a.data_ptr()
        sortlab.sort(a, out=a)
        self.assertEqual((a.data_ptr(), a.tolist()), (address, list(range(1, 11))))

    def test_stream(self):
        self.refused(ValueError, "CPU's memory", sortlab.sort, torch.zeros(3), stream=1)

    def test_brain_floats(self):
        given = keys_of("f4", 2000)
        for a in (torch.from_numpy(given).bfloat16(), torch.from_numpy(given).bfloat16()[::2]):
            order = torch.from_numpy(stable_order(a.float().numpy()))
            bits = a[order].view(torch.int16)
            self.assertTrue(torch.equal(sortlab.sort(a, stable=True).view(torch.int16), bits))
            self.assertTrue(torch.equal(sortlab.argsort(a), order))
            keys, values = sortlab.sort_by_key(a, a)
            self.assertTrue(torch.equal(keys.view(torch.int16), bits) and torch.equal(values.view(torch.int16), bits))
            found, indices = sortlab.sort(a, return_indices=True, kind="stable")
            self.assertTrue(torch.equal(found.view(torch.int16), bits) and torch.equal(indices, order))
            out = torch.empty_like(bits.view(torch.bfloat16))
            self.assertIs(sortlab.sort(a, out=out, stable=True), out)
            self.assertTrue(torch.equal(out.view(torch.int16), bits))
            self.refused(TypeError, "out holds torch.int16: expected torch.bfloat16", sortlab.sort, a, out=bits)

    def test_no_dimensions(self):
        a = torch.tensor(3.0)
        self.assertEqual((sortlab.argsort(a).tolist(), sortlab.sort(a, None).tolist()), ([0], [3.0]))
        self.refused(np.exceptions.AxisError, "out of bounds", sortlab.sort, a)


def gpu_is_there():
    return subprocess.run(["nvidia-smi", "-L"], capture_output=True).returncode == 0


def needs_gpu(library):
    try:
        missing = "" if gpu_is_there() else "no GPU"
    except FileNotFoundError:
        missing = "no GPU"
    if not missing and importlib.util.find_spec(library) is None:
        missing = f"{library} is not installed"
    return unittest.skipIf(missing, missing)


class OnGpu:
    """What a library on a GPU must do besides: work in the order of streams, on several devices, from several threads."""

    def setUp(self):
        if sortlab._gpu._cuda is None:
            self.skipTest("the build has no CUDA")

    def test_large(self):
        """Sizes of all kinds of sorts, with as many items as thread blocks divide and don't divide."""
        for dtype, n in itertools.product(("u4", "f4", "f8", "i8"), (1 << 16, 300_001, 1 << 20, 5_000_011, 9_000_011)):
            with self.subTest(dtype=dtype, n=n):
                given = keys_of(dtype, n)
                a = self.array(given)
                order = stable_order(given)
                self.same_numbers(sortlab.sort(a), given[order])
                self.same(sortlab.argsort(a), order)
                found, indices = sortlab.sort(a, return_indices=True)
                self.same(found, given[self.numpy(indices)])
                self.same_numbers(found, given[order])

    def check_rows(self, given, axis=-1):
        a = self.array(given)
        for descending in (False, True):
            order = np.moveaxis(stable_order(np.moveaxis(given, axis, -1), descending), -1, axis)
            expected = np.take_along_axis(given, order, axis)
            self.same_numbers(sortlab.sort(a, axis, descending=descending), expected)
            self.same(sortlab.sort(a, axis, descending=descending, stable=True), expected)
            self.same(sortlab.argsort(a, axis, descending=descending), order)
            self.same(sortlab.argsort(a, axis, descending=descending, dtype="i4"), order.astype("i4"))
            found, indices = sortlab.sort(a, axis, descending=descending, return_indices=True)
            self.same_numbers(found, expected)
            self.same(found, np.take_along_axis(given, self.numpy(indices), axis))
            if given.dtype.kind != "f":
                self.same(indices, order)
            found, indices = sortlab.sort(a, axis, descending=descending, return_indices=True, stable=True)
            self.same(found, expected)
            self.same(indices, order)
        self.assertEqual(self.numpy(a).tobytes(), given.tobytes())
        self.assertIs(sortlab.sort(a, axis, out=a), a)
        self.same_numbers(a, np.take_along_axis(given, np.moveaxis(stable_order(np.moveaxis(given, axis, -1)), -1, axis), axis))

    def test_rows(self):
        for dtype, shape in itertools.product(self.types, ROWS):
            with self.subTest(dtype=dtype, shape=shape):
                self.check_rows(keys_of(dtype, shape[0] * shape[1]).reshape(shape))

    def test_rows_of_few_values(self):
        for dtype, shape, values in itertools.product(("u1", "i2", "f2", "i4", "f4", "i8", "f8"), ROWS, (1, 2, 20)):
            with self.subTest(dtype=dtype, shape=shape, values=values):
                self.check_rows(rng.integers(0, values, shape).astype(dtype))

    def test_uneven_rows(self):
        """Keys that lie close together, but for a few; keys in order; a row of NaNs."""
        for dtype, shape in itertools.product(("u1", "i2", "i4", "f4", "i8", "f8"), ROWS):
            with self.subTest(dtype=dtype, shape=shape):
                crowded = rng.integers(0, 100, shape).astype(dtype)
                crowded[:, ::97] = keys_of("i1", shape[0] * len(range(0, shape[1], 97))).reshape(shape[0], -1)
                self.check_rows(crowded)
                self.check_rows(np.sort(keys_of(dtype, shape[0] * shape[1]).reshape(shape)))
                if np.dtype(dtype).kind == "f":
                    given = keys_of(dtype, shape[0] * shape[1]).reshape(shape)
                    given[::2] = np.nan
                    self.check_rows(given)

    def test_rows_along_axes(self):
        for dtype, shape in itertools.product(("u1", "f2", "f4", "i8"), ((7, 40, 33), (5, 600, 11), (1100, 3, 2), (3, 2, 5000))):
            given = keys_of(dtype, shape[0] * shape[1] * shape[2]).reshape(shape)
            for axis in (-3, -2, -1, 0, 1, 2):
                with self.subTest(dtype=dtype, shape=shape, axis=axis):
                    self.check_rows(given, axis)

    def test_misaligned_rows(self):
        for dtype, begin, n in itertools.product(("u1", "i2", "i4", "f8"), (1, 2, 3), (3, 100, 513, 3001, 20_001)):
            given = keys_of(dtype, 5 * n + begin)
            a = self.array(given)[begin:].reshape(5, n)
            self.same_numbers(sortlab.sort(a), np.sort(given[begin:].reshape(5, n)))
            self.same(sortlab.argsort(a), stable_order(given[begin:].reshape(5, n)))

    def test_many_rows(self):
        """More rows than one launch of a warp's blocks; more keys than are sorted at once (row_sort.cpp)."""
        for dtype, shape in (("i4", (1_000_003, 3)), ("u1", (1_000_003, 100)), ("f4", (200_003, 129)), ("i8", (20_001, 1500)),
                             ("u1", (8000, 17_000)), ("i4", (8000, 17_000)), ("i8", (8000, 17_000))):
            with self.subTest(dtype=dtype, shape=shape):
                given = rng.integers(-128, 127, shape, "i1").view("u1").astype(dtype) if dtype != "i8" \
                    else rng.integers(-1 << 62, 1 << 62, shape)
                a = self.array(given)
                found, indices = sortlab.sort(a, return_indices=True)
                expected = np.sort(given)
                self.same(found, expected)
                indices = self.numpy(indices)
                np.testing.assert_array_equal(np.take_along_axis(given, indices, -1), expected)
                equal = expected[:, 1:] == expected[:, :-1]
                self.assertTrue((indices[:, 1:] > indices[:, :-1])[equal].all())  # stable
                del indices
                self.same(sortlab.sort(a), expected)

    def test_threads(self):
        given = [keys_of("u8", 50_000 + i) for i in range(8)]
        found = [None] * len(given)

        def work(i):
            with self.new_stream():
                a = self.array(given[i])
                for _ in range(20):
                    found[i] = self.numpy(sortlab.sort(a))
        workers = [threading.Thread(target=work, args=(i,)) for i in range(len(given))]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        for a, result in zip(given, found):
            np.testing.assert_array_equal(result, np.sort(a))

    def test_order_in_streams(self):
        """The sort comes after a copy that waits behind other work on its stream, and before the copy that follows."""
        given, later = keys_of("u4", 1_000_000), keys_of("u4", 1_000_000)
        source, others, a = self.array(given), self.array(later), self.array(np.zeros_like(given))
        self.synchronize()
        for argument in (False, True):
            stream = self.new_stream()
            with stream:
                self.keep_busy()
                a[...] = source
                if not argument:
                    result = sortlab.sort(a)
            if argument:
                result = sortlab.sort(a, stream=stream)
            with stream:
                a[...] = others
                copy = self.numpy(result)
            np.testing.assert_array_equal(copy, np.sort(given))

    def test_two_devices(self):
        if self.devices() < 2:
            self.skipTest("one GPU")
        given = keys_of("f4", 100_000)
        a = self.on_device(1, given)
        result = sortlab.sort(a)
        self.assertEqual(self.device_of(result), 1)
        np.testing.assert_array_equal(self.numpy(result), np.sort(given))
        np.testing.assert_array_equal(self.numpy(sortlab.argsort(a)), stable_order(given))
        self.assertEqual(self.current_device(), 0)
        self.refused(ValueError, "expected", sortlab.sort, a, out=self.array(given))
        self.refused(ValueError, "expected", sortlab.sort_by_key, a, self.array(given))

    def test_memory_goes_back(self):
        a = self.array(keys_of("u4", 1 << 22))
        sortlab.sort(a)
        before = self.used()
        for _ in range(10):
            sortlab.sort(a)
            sortlab.argsort(a)
        gc.collect()
        self.assertEqual(self.used(), before)


@needs_gpu("cupy")
class CupyOnGpu(OnGpu, Arrays, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        forget_cupy()
        global cupy
        import cupy

    def array(self, a):
        return cupy.asarray(a)

    def numpy(self, a):
        return cupy.asnumpy(a)

    def new_stream(self):
        return cupy.cuda.Stream(non_blocking=True)

    def synchronize(self):
        cupy.cuda.Device().synchronize()

    def keep_busy(self):
        a = cupy.ones((3000, 3000))
        for _ in range(5):
            a = a @ a

    def devices(self):
        return cupy.cuda.runtime.getDeviceCount()

    def on_device(self, device, a):
        with cupy.cuda.Device(device):
            return cupy.asarray(a)

    def device_of(self, a):
        return a.device.id

    def current_device(self):
        return cupy.cuda.runtime.getDevice()

    def used(self):
        return cupy.get_default_memory_pool().used_bytes()

    def test_memory_error(self):
        a = cupy.zeros(1 << 24, "u8")
        pool = cupy.get_default_memory_pool()
        pool.free_all_blocks()
        limit = pool.get_limit()
        try:
            pool.set_limit(size=pool.total_bytes() + (1 << 20))
            self.refused(MemoryError, "", sortlab.sort, a)
            self.refused(MemoryError, "", sortlab.argsort, a)
        finally:
            pool.set_limit(size=limit)

    def test_interface(self):
        """Arrays that are known by __cuda_array_interface__ alone, which names a stream."""
        given = keys_of("f4", 100_000)
        stream = cupy.cuda.Stream(non_blocking=True)
        with stream:
            self.keep_busy()
            a = cupy.asarray(given)
            only = types.SimpleNamespace(__cuda_array_interface__=a.__cuda_array_interface__)
        out = cupy.empty_like(a)
        sortlab.sort(only, out=out)
        np.testing.assert_array_equal(cupy.asnumpy(out), np.sort(given))
        sortlab.sort(only, out=only)
        np.testing.assert_array_equal(cupy.asnumpy(a), np.sort(given))

    def test_dlpack(self):
        """Arrays that are known by __dlpack__ alone."""
        a, out = cupy.asarray(keys_of("i8", 10_000)), cupy.empty(10_000, "i8")
        views = [types.SimpleNamespace(__dlpack__=each.__dlpack__, __dlpack_device__=each.__dlpack_device__)
                 for each in (a, out)]
        sortlab.sort(views[0], out=views[1], descending=True)
        np.testing.assert_array_equal(cupy.asnumpy(out), np.sort(cupy.asnumpy(a))[::-1])
        views[1] = types.SimpleNamespace(__dlpack__=a[::2].__dlpack__, __dlpack_device__=a.__dlpack_device__)
        self.refused(ValueError, "C order", sortlab.sort, views[1], out=views[1])

    @unittest.skipIf(importlib.util.find_spec("jax") is None, "jax is not installed")
    def test_jax(self):
        import jax
        if not any(device.platform == "gpu" for device in jax.devices()):
            self.skipTest("jax sees no GPU")
        given = keys_of("i4", 10_000)
        a = jax.numpy.asarray(given)
        self.refused(TypeError, "cupy.from_dlpack", sortlab.sort, a)
        out = cupy.empty(10_000, "i4")
        sortlab.sort(a, out=out)
        np.testing.assert_array_equal(np.asarray(jax.dlpack.from_dlpack(out)), np.sort(given))
        self.refused(TypeError, "cupy.from_dlpack", sortlab.topk, a, 5)
        weights = jax.numpy.asarray(np.arange(5, dtype="f4"))
        out = cupy.empty(2, "f4"), cupy.empty(2, "i8"), cupy.empty((), "i4")
        sortlab.top_p(weights, 5, 2, out=out)
        self.assertEqual([each.tolist() for each in out], [[4, 3], [4, 3], 2])
        best, places = cupy.empty(5, "i4"), cupy.empty(5, "i8")
        sortlab.topk(a, 5, out=(best, places))
        self.assertTrue(is_top(given, 5, 0, True, True, cupy.asnumpy(best), cupy.asnumpy(places)))
        result = jax.dlpack.from_dlpack(sortlab.sort(cupy.from_dlpack(a)))  # as docs/library_python.md has it
        np.testing.assert_array_equal(np.asarray(result), np.sort(given))
        self.refused(ValueError, "read-only", sortlab.sort, a, out=a)


@needs_gpu("torch")
class TorchOnGpu(OnGpu, TorchArrays, unittest.TestCase):
    types = TorchArrays.types + ["u2", "u4", "u8"]
    device = "cuda"

    def test_brain_floats(self):
        a = torch.randn(10_000, device="cuda").bfloat16()
        a[::100] = torch.nan
        values, indices = sortlab.sort(a, return_indices=True, stable=True)
        expected = torch.sort(a, stable=True)
        self.assertEqual(values.dtype, torch.bfloat16)
        self.assertTrue(torch.equal(values.nan_to_num(nan=1e9), expected.values.nan_to_num(nan=1e9)))
        self.assertTrue(torch.equal(indices, expected.indices))

    def new_stream(self):
        stream = torch.cuda.Stream()
        context = torch.cuda.stream(stream)
        context.cuda_stream = stream.cuda_stream
        return context

    def synchronize(self):
        torch.cuda.synchronize()

    def keep_busy(self):
        torch.cuda._sleep(20_000_000)  # cycles

    def devices(self):
        return torch.cuda.device_count()

    def on_device(self, device, a):
        return torch.from_numpy(a).to(f"cuda:{device}")

    def device_of(self, a):
        return a.get_device()

    def current_device(self):
        return torch.cuda.current_device()

    def used(self):
        return torch.cuda.memory_allocated()

    def test_graph(self):
        """A captured sort sorts what is in its array when it is replayed."""
        first, second = keys_of("f4", 100_000), keys_of("f4", 100_000)
        a = self.array(first)
        sortlab.sort(a)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            result = sortlab.sort(a)
            order = sortlab.argsort(a)
        for given in (first, second):
            a.copy_(torch.from_numpy(given))
            graph.replay()
            self.same_numbers(result, np.sort(given))
            self.same(order, stable_order(given))

    def test_rows_in_a_graph(self):
        for shape in ((1000, 3), (50, 1000), (20, 17_000), (3, 200_000)):
            for dtype in ("f4", "i8"):
                first, second = (keys_of(dtype, shape[0] * shape[1]).reshape(shape) for _ in range(2))
                a = self.array(first)
                sortlab.sort(a, return_indices=True)
                graph = torch.cuda.CUDAGraph()
                with torch.cuda.graph(graph):
                    result, indices = sortlab.sort(a, return_indices=True)
                    order = sortlab.argsort(a)
                for given in (first, second):
                    a.copy_(torch.from_numpy(given))
                    graph.replay()
                    self.same_numbers(result, np.sort(given))
                    self.same(result, np.take_along_axis(given, self.numpy(indices), -1))
                    self.same(order, stable_order(given))

    def test_more_keys_than_2_to_the_31(self):
        for n in (513, 3):
            rows = (1 << 31) // n + 1000
            a = torch.randint(0, 256, (rows, n), dtype=torch.uint8, device="cuda")
            found = sortlab.sort(a)
            for first in (0, rows // 2, rows - 2000):
                some = slice(first, first + 2000)
                self.assertTrue(torch.equal(found[some], torch.sort(a[some]).values))
            del found
            order = sortlab.argsort(a[:, :3], dtype=torch.int32)
            self.assertTrue(torch.equal(order[-2000:].long(), torch.sort(a[-2000:, :3], stable=True).indices))
            del a, order

    def test_memory_error(self):
        a = torch.zeros(1 << 24, dtype=torch.int64, device="cuda")
        torch.cuda.empty_cache()
        try:
            torch.cuda.set_per_process_memory_fraction(0.002)
            self.refused(MemoryError, "memory", sortlab.sort, a)
        finally:
            torch.cuda.set_per_process_memory_fraction(1.0)

    def test_values_on_another_device(self):
        a = self.array(np.arange(4.0))
        self.refused(ValueError, "is on cpu", sortlab.sort_by_key, a, a.cpu())
        self.refused(ValueError, "is on cuda", sortlab.sort_by_key, a.cpu(), a)
        self.refused(ValueError, "is on cpu", sortlab.sort, a, out=a.cpu())


if __name__ == "__main__":
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # JAX takes most of the GPU's memory else
    if importlib.util.find_spec("torch") is not None:
        import torch
    with tempfile.TemporaryDirectory() as folder:
        SITE = pathlib.Path(folder) / "site"
        unpack(built_wheel(), SITE)
        import sortlab
        import sortlab._interface
        unittest.main()
