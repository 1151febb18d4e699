#!/usr/bin/env python3
"""The Python package: its sorts are compared with NumPy's. python_package_test.py has the package itself. python_package/wheel.py builds the wheel."""

import ctypes
import importlib.util
import itertools
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time
import timeit
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from python_package.wheel import ROOT, built_wheel, skip_if_incomplete, unpack  # noqa: E402

skip_if_incomplete()

import numpy as np  # noqa: E402
from python_package.keys import TYPES, is_top, keys_of, rng, stable_order  # noqa: E402


class Sortlab(unittest.TestCase):
    def same(self, found, expected):
        """The same bits."""
        self.assertIs(type(found), np.ndarray)
        self.assertEqual((found.dtype, found.shape), (expected.dtype, expected.shape))
        self.assertEqual(found.tobytes(), expected.tobytes())

    def same_numbers(self, found, expected):
        self.assertEqual(found.dtype, expected.dtype)
        np.testing.assert_array_equal(found, expected)


class Results(Sortlab):
    def test_all_types_and_sizes(self):
        sizes = [0, 1, 2, 3, 7, 16, 100, 255, 1000, 1025, 3000, 100_000]
        for dtype, n in itertools.product(TYPES, sizes):
            with self.subTest(dtype=dtype, n=n):
                a = keys_of(dtype, n)
                before = a.tobytes()
                order, falling = np.argsort(a, kind="stable"), stable_order(a, descending=True)
                self.same_numbers(sortlab.sort(a), np.sort(a, kind="stable"))
                self.same_numbers(sortlab.sort(a, descending=True), a[falling])
                self.same(sortlab.sort(a, stable=True), np.sort(a, kind="stable"))
                self.same(sortlab.sort(a, stable=True, descending=True), a[falling])
                self.same(sortlab.argsort(a), order)
                self.same(sortlab.argsort(a, descending=True), falling)
                for keys, values in (sortlab.sort_by_key(a, np.arange(n, dtype="u4")),
                                     sortlab.sort_by_key(a, np.arange(n, dtype="f8"), threads=1)):
                    self.same(keys, a[order])
                    self.same(values, order.astype(values.dtype))
                found, indices = sortlab.sort(a, return_indices=True)
                self.same_numbers(found, np.sort(a, kind="stable"))
                self.same(a[indices], found)
                for direction in (False, True):
                    stable = sortlab.sort(a, return_indices=True, stable=True, descending=direction)
                    self.same(stable[0], a[falling if direction else order])
                    self.same(stable[1], falling if direction else order)
                self.assertEqual(a.tobytes(), before)

    def test_each_small_size(self):
        for n in range(300):
            for a in (keys_of("u4", n), keys_of("f8", n)):
                self.same_numbers(sortlab.sort(a), np.sort(a))
                self.same(sortlab.argsort(a), np.argsort(a, kind="stable"))

    def test_minus_zero_comes_first_unless_stable(self):
        a = np.array([0.0, -0.0, -1.0, 0.0, -0.0])
        self.same(sortlab.sort(a), np.array([-1.0, -0.0, -0.0, 0.0, 0.0]))
        self.same(sortlab.sort(a, descending=True), np.array([0.0, 0.0, -0.0, -0.0, -1.0]))
        self.same(sortlab.sort(a, stable=True), np.array([-1.0, 0.0, -0.0, 0.0, -0.0]))

    def test_more_nans_than_numbers(self):
        for dtype, n in itertools.product(("f4", "f8"), range(2, 40)):
            a = np.where(rng.random(n) < 0.7, np.nan, rng.standard_normal(n))
            a = np.copysign(a, rng.choice([1, -1], n)).astype(dtype)
            self.same_numbers(sortlab.sort(a), np.sort(a))
            self.same_numbers(sortlab.sort(a, descending=True), a[stable_order(a, descending=True)])

    def test_indices_of_ties(self):
        """Equal keys with equal bits keep their order."""
        a = np.array([2.0, 1.0, 2.0, 1.0, 0.0, -0.0])
        found, indices = sortlab.sort(a, return_indices=True, descending=True)
        self.same(found, np.array([2.0, 2.0, 1.0, 1.0, 0.0, -0.0]))
        self.same(indices, np.array([0, 2, 1, 3, 4, 5]))

    def test_threads_change_nothing(self):
        a = keys_of("f4", 1_000_000)
        expected, order = np.sort(a), np.argsort(a, kind="stable")
        for threads in (1, 2, 3, 1000, None):
            self.same_numbers(sortlab.sort(a, threads=threads), expected)
            self.same(sortlab.argsort(a, threads=threads), order)
            found, indices = sortlab.sort(a, threads=threads, return_indices=True)
            self.same(a[indices], found)

    def test_calls_from_several_threads(self):
        arrays = [keys_of("u8", 50_000) for _ in range(8)]
        found = [None] * len(arrays)

        def work(i):
            found[i] = sortlab.sort(arrays[i])
        workers = [threading.Thread(target=work, args=(i,)) for i in range(len(arrays))]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        for a, result in zip(arrays, found):
            self.same(result, np.sort(a))

    def test_the_lock_is_released(self):
        """Another thread counts while a long sort runs, which is one call of C."""
        a, counts = rng.integers(0, 2**64, 4_000_000, "u8"), [0]
        done = threading.Event()

        def count():
            while not done.is_set():
                counts[0] += 1
                time.sleep(0)  # releases the lock
        interval = sys.getswitchinterval()
        worker = threading.Thread(target=count)
        worker.start()
        try:
            sys.setswitchinterval(1000)  # no thread is asked to release the lock
            before = after = counts[0]
            for _ in range(50):  # a busy machine may not run the other thread at once
                sortlab.sort(a, threads=1, out=a)
                after = counts[0]
                if after > before:
                    break
        finally:
            sys.setswitchinterval(interval)
            done.set()
            worker.join()
        self.assertGreater(after, before)


class Speed(unittest.TestCase):
    """Calls that would take many times as long as NumPy's with a call per row, or with arrays made in Python."""

    def assert_at_most(self, times, ours, theirs):
        least = [math.inf, math.inf]
        for _ in range(7):  # in turns
            for i, call in enumerate((ours, theirs)):
                least[i] = min(least[i], timeit.timeit(call, number=1))
        self.assertLess(least[0], times * least[1])

    def test_short_rows(self):
        for dtype, (shape, axis) in itertools.product(("u1", "i8"), (((50_000, 3), 1), ((3, 50_000), 0), ((50_000, 2), 1))):
            with self.subTest(dtype, shape=shape):
                a = rng.integers(0, 200, shape).astype(dtype)
                self.assert_at_most(2, lambda: sortlab.sort(a, axis=axis, threads=1), lambda: np.sort(a, axis))

    def test_few_keys_that_are_copied(self):
        def repeat(function, a, axis):
            return lambda: [function(a, axis=axis) for _ in range(300)]
        for a, axis in (([3, 1, 2], -1), (np.arange(20)[::-2], -1), (rng.random((3, 3)), 0), (np.arange(9, 0, -1).astype(">i8"), -1)):
            with self.subTest(type(a), axis=axis):
                self.assert_at_most(3, repeat(sortlab.sort, a, axis), repeat(np.sort, a, axis))


class Memory(Sortlab):
    def test_memory_of_large_sorts_is_kept_and_released(self):
        a = rng.integers(0, 2**64, 5 << 20, "u8")
        sortlab.set_kept_memory(1 << 30)
        self.assertEqual(sortlab.kept_memory(), 0)
        expected = np.sort(a)
        self.same(sortlab.sort(a), expected)
        self.assertGreaterEqual(sortlab.kept_memory(), a.nbytes)
        sortlab.release_memory()
        self.assertEqual(sortlab.kept_memory(), 0)
        sortlab.set_kept_memory(0)
        self.same(sortlab.sort(a), expected)
        self.assertEqual(sortlab.kept_memory(), 0)
        sortlab.set_kept_memory(1 << 30)
        with self.assertRaises(TypeError):
            sortlab.set_kept_memory(-1)


class Layouts(Sortlab):
    def arrays(self):
        a = keys_of("f4", 6 * 35 * 4).reshape(6, 35, 4)
        yield "in C order", a
        yield "transposed", a.T
        yield "strided", a[::2, ::-3, 1:]
        yield "of the other byte order", a.astype(">f4")
        yield "read-only", np.broadcast_to(a[0], (3, 35, 4))
        yield "misaligned", np.frombuffer(bytearray(b"x" + a.tobytes()), "u1")[1:].view("f4").reshape(a.shape)
        yield "of fields", np.rec.fromarrays([a, a])["f1"]
        yield "without items", a[:, :0]

    def test_each_axis(self):
        for (name, a), axis in itertools.product(self.arrays(), (-3, -2, -1, 0, 1, 2, None, np.int64(1))):
            with self.subTest(name, axis=axis):
                order = np.argsort(a, axis, kind="stable")
                self.same(sortlab.sort(a, axis=axis, stable=True), np.sort(a, axis, kind="stable"))
                self.same_numbers(sortlab.sort(a, axis=axis), np.sort(a, axis))
                self.same(sortlab.argsort(a, axis=axis), order)
                out = np.zeros_like(a if axis is not None else a.reshape(-1), subok=False)
                self.assertIs(sortlab.sort(a, axis=axis, out=out), out)
                self.same_numbers(out, np.sort(a, axis))
                found, indices = sortlab.sort(a, axis=axis, return_indices=True)
                self.same_numbers(found, np.sort(a, axis))
                flat = a if axis is not None else a.reshape(-1)
                self.same(np.take_along_axis(flat, indices, -1 if axis is None else axis), found)

    def test_in_place(self):
        for (name, a), axis in itertools.product(self.arrays(), (0, 1, -1)):
            if not a.flags.writeable:
                continue
            with self.subTest(name, axis=axis):
                rng.shuffle(a, axis)
                expected = np.sort(a, axis)
                self.assertIs(sortlab.sort(a, axis=axis, out=a), a)
                self.same_numbers(a, expected)

    def test_out_that_overlaps(self):
        a = keys_of("i4", 1000)
        expected = np.sort(a[1:])
        sortlab.sort(a[1:], out=a[:-1])
        self.same(a[:-1], expected)

    def test_sequences_and_subclasses(self):
        self.same(sortlab.sort([3, 1, 2]), np.array([1, 2, 3]))
        self.same(sortlab.argsort((3.0, 1.0)), np.array([1, 0]))
        matrix = np.arange(6)[::-1].reshape(2, 3).view(np.matrix)
        self.same(sortlab.sort(matrix), np.array([[3, 4, 5], [0, 1, 2]]))

    def test_types_of_indices(self):
        a = keys_of("i2", 5000)
        for dtype in ("i4", "u4", "i8", "u8", int, np.intp):
            self.same(sortlab.argsort(a, dtype=dtype), np.argsort(a, kind="stable").astype(dtype))


    def test_short_rows(self):
        """Many rows at once, along each axis, by each instruction set. One that the CPU lacks, or nobody has, is ignored."""
        for isa in ("scalar", "avx2", "avx512", "sse9"):
            with self.subTest(isa):
                self.check_short_rows(isa)

    def check_short_rows(self, isa):
        done = subprocess.run([sys.executable, "-c", """
import numpy as np, sortlab, sys
sys.path.append(sys.argv[1])
from python_package.keys import TYPES, keys_of, stable_order
shapes = [(70, n) for n in (0, 1, 2, 3, 5, 8, 16, 17, 33, 64)] + [(3, 300), (5, 7, 3), (2, 40, 9), (9, 33, 2)]
for dtype in TYPES + [">i4", ">f8"]:
    for shape in shapes:
        a = keys_of(np.dtype(dtype).newbyteorder("="), int(np.prod(shape))).reshape(shape).astype(dtype)
        for axis, descending in ((-1, False), (0, True), (1, False), (1, True)):
            order = np.moveaxis(stable_order(np.moveaxis(a, axis, -1), descending), -1, axis)
            stable = np.take_along_axis(a, order, axis)
            plain = sortlab.sort(a, axis, descending=descending)
            np.testing.assert_array_equal(plain, stable)
            assert (np.sort(plain.view("u1"), None) == np.sort(a.view("u1"), None)).all()  # NaNs of all kinds
            assert sortlab.sort(a, axis, "stable", descending=descending).tobytes() == stable.tobytes()
            for index in (np.intp, "u4"):
                assert (sortlab.argsort(a, axis, descending=descending, dtype=index) == order).all()
            found, indices = sortlab.sort(a, axis, return_indices=True, descending=descending)
            assert np.take_along_axis(a, indices, axis).tobytes() == found.tobytes()
""", str(ROOT / "tests")], text=True, capture_output=True, env={**os.environ, "PYTHONPATH": str(SITE), "SORTLAB_ISA": isa})
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_the_word_for_little_endian(self):
        for a in (np.asarray((ctypes.c_int * 3)(3, 1, 2)), np.array([3, 1, 2]).astype(np.dtype("f4").newbyteorder("<")),
                  np.array([3, 1, 2]).astype(np.dtype("M8[s]").newbyteorder("<"))):
            self.same_numbers(sortlab.sort(a), np.sort(a))
            self.same(sortlab.sort(a, return_indices=True)[1], np.argsort(a))
            self.same(sortlab.sort_by_key(a, np.arange(3))[1], np.argsort(a))


class Arguments(Sortlab):
    """NumPy's arguments mean what they mean to NumPy."""

    def test_same_as_numpy(self):
        a = keys_of("f8", 60).reshape(6, 10)
        for arguments, named in (((0,), {}), ((None,), {}), ((np.int8(0), "stable"), {}), ((-1, None, None), {}), ((0, "Quick", None), {}),
                                 ((), {"kind": "m"}), ((), {"kind": b"heapsort"}), ((), {"order": None})):
            with self.subTest(arguments=arguments, **named):
                self.same_numbers(sortlab.sort(a, *arguments, **named), np.sort(a, *arguments, **named))
                self.same(sortlab.argsort(a, *arguments, **named), np.argsort(a, arguments[0] if arguments else -1, "stable"))
        for stable in (True, False, None, np.True_, np.False_, 1):
            self.same_numbers(sortlab.sort(a, stable=stable), np.sort(a, kind="stable"))
            self.same(sortlab.argsort(a, stable=stable), np.argsort(a, kind="stable"))
        self.same(sortlab.sort(a, kind="stable"), np.sort(a, kind="stable"))
        whole = keys_of("i4", 60).reshape(6, 10)  # return_indices=True parts -0.0 from 0.0
        self.same(sortlab.sort(whole, descending=np.True_, return_indices=np.True_)[1], sortlab.argsort(whole, descending=True))
        self.same(sortlab.argsort(a, dtype=None, threads=np.int64(1)), np.argsort(a, kind="stable"))

    def test_no_dimensions(self):
        a = np.float32(1)
        self.same(sortlab.sort(a, axis=None), np.sort(a, axis=None))
        for axis in (-1, 0, None):
            self.same(sortlab.argsort(a, axis), np.argsort(a, axis))
        for axis in (-1, 0):
            with self.assertRaises(np.exceptions.AxisError):
                sortlab.sort(a, axis)

    def test_refused_in_one_line(self):
        a = np.arange(3)
        for error, text, arguments, named in (
                (ValueError, "kind: expected 'quicksort'.*'x'", (), {"kind": "x"}), (ValueError, "kind: .*''", (), {"kind": ""}),
                (TypeError, "kind: expected a string", (), {"kind": 3}), (ValueError, "order: .*fields", (), {"order": "x"}),
                (ValueError, "kind.*same time", (), {"kind": "stable", "stable": False}),
                (TypeError, "descending: expected True or False", (), {"descending": "no"}),
                (TypeError, "threads: expected an integer", (), {"threads": 1.5}),
                (TypeError, "unexpected keyword argument 'key'", (), {"key": 1}),
                (TypeError, "multiple values for argument 'axis'", (0,), {"axis": 0}),
                (TypeError, "at most 4 positional", (0, None, None, None), {})):
            for function in (sortlab.sort, sortlab.argsort):
                with self.subTest(text), self.assertRaisesRegex(error, f"^[^\\n]*{text}[^\\n]*$"):
                    function(a, *arguments, **named)
        with self.assertRaisesRegex(TypeError, "missing the argument 'values'"):
            sortlab.sort_by_key(a)

    def test_times(self):
        for unit, n in itertools.product(("M8[s]", "m8[ns]", ">M8[D]"), (5, 300, 20_000)):
            a = rng.integers(-50, 50, n).astype(unit.lstrip(">")).astype(unit)
            a[rng.random(n) < 0.2] = "NaT"
            order = np.argsort(a, kind="stable")
            falling = np.lexsort((np.arange(n), -a.astype("i8"), np.isnat(a)))
            for direction, expected in ((False, order), (True, falling)):
                for shape in ((n,), (-1, 5)):
                    if len(shape) == 2:
                        self.same_numbers(sortlab.sort(a.reshape(shape), 0), np.sort(a.reshape(shape), 0))
                        self.same(sortlab.argsort(a.reshape(shape)), np.argsort(a.reshape(shape), kind="stable"))
                self.same(sortlab.sort(a, descending=direction), a[expected])
                self.same(sortlab.argsort(a, descending=direction), expected)
                self.same(sortlab.argsort(a, descending=direction, dtype="i4"), expected.astype("i4"))
                self.same(sortlab.sort(a, descending=direction, return_indices=True)[1], expected)
                keys, values = sortlab.sort_by_key(a, np.arange(n), descending=direction)
                self.same(keys, a[expected])
                self.same(values, expected)

    @unittest.skipIf(importlib.util.find_spec("ml_dtypes") is None, "ml_dtypes is not installed")
    def test_brain_floats(self):
        import ml_dtypes
        a = keys_of("f4", 3000).astype(ml_dtypes.bfloat16)
        order = np.argsort(a.astype("f4"), kind="stable")
        self.same(sortlab.sort(a, stable=True), a[order])
        self.same_numbers(sortlab.sort(a).astype("f4"), a[order].astype("f4"))
        self.same(sortlab.argsort(a), order)
        self.same(sortlab.sort(a, return_indices=True)[1], order)
        for found, expected in zip(sortlab.sort_by_key(a, np.arange(3000)), (a[order], order)):
            self.same(found, expected)
        self.assertIs(sortlab.sort(a, out=a), a)


class Pairs(Sortlab):
    def test_values_of_any_kind(self):
        n = 3000
        keys = keys_of("i1", n)
        order = np.argsort(keys, kind="stable")
        numbers = np.arange(n)
        for values in (numbers.astype("u1"), numbers.astype("c16"), numbers.astype("M8[s]"), numbers.astype("S7"),
                       numbers.astype(">i4"), np.arange(3 * n).reshape(n, 3), np.arange(2 * n)[::2],
                       np.rec.fromarrays([numbers, numbers.astype("i2")]).view(np.ndarray), np.zeros((n, 0)),
                       np.asfortranarray(np.arange(4 * n).reshape(n, 2, 2))):
            with self.subTest(values.dtype):
                sorted_keys, moved = sortlab.sort_by_key(keys, values)
                self.same(sorted_keys, keys[order])
                self.same(moved, values[order])

    def test_keys_of_any_layout(self):
        for keys in (keys_of("f8", 3000)[::-3], keys_of("f4", 1000).astype(">f4"), np.array([2.0, 0.0, -0.0, 1.0]),
                     np.zeros(0), [3, 1, 2]):
            keys, order = np.asarray(keys), np.argsort(keys, kind="stable")
            sorted_keys, moved = sortlab.sort_by_key(keys, np.arange(len(keys)))
            self.same(sorted_keys, keys[order])
            self.same(moved, order)

    def test_in_place_and_out(self):
        for stride in (1, 2):
            keys, values = keys_of("u4", 2000)[::stride], rng.random(2000)[::stride]
            order = np.argsort(keys, kind="stable")
            expected = keys[order], values[order]
            out = np.empty_like(keys), np.empty_like(values)
            self.assertIs(sortlab.sort_by_key(keys, values, out=out), out)
            for found, wanted in zip(out, expected):
                self.same(found, wanted)
            sortlab.sort_by_key(keys, values, out=(keys, values))
            self.same(keys.copy(), expected[0])
            self.same(values.copy(), expected[1])

    def test_out_that_is_the_other_input(self):
        keys, values = keys_of("i8", 500), keys_of("i8", 500)
        order = np.argsort(keys, kind="stable")
        expected = keys[order], values[order]
        sortlab.sort_by_key(keys, values, out=(values, keys))
        self.same(values, expected[0])
        self.same(keys, expected[1])


    def test_stable_false_allows_any_order_of_equal_keys(self):
        for dtype in ("u4", "i4", "f4", "u8", "i8", "f8", "i2"):
            for n in (0, 1, 9, 300, 20_000):
                a = rng.integers(0, 50, n).astype(dtype)
                for descending in (False, True):
                    expected = np.sort(a)[::-1] if descending else np.sort(a)
                    keys, numbers = sortlab.sort_by_key(a, np.arange(n, dtype="u4"), stable=False, threads=1,
                                                        descending=descending)
                    order = sortlab.argsort(a, stable=False, threads=1, descending=descending)
                    self.same(keys, expected)
                    for found in (numbers, order):
                        self.same(a[found], expected)
                        np.testing.assert_array_equal(np.sort(found), np.arange(n))
        a = rng.integers(0, 50, 20_000)
        for stable in (None, True):
            self.same(sortlab.sort_by_key(a, np.arange(len(a)), stable=stable)[1], np.argsort(a, kind="stable"))
            self.same(sortlab.argsort(a, stable=stable), np.argsort(a, kind="stable"))


class Segments(Sortlab):
    OFFSETS = np.cumsum([2, 0, 1, 2, 3, 8, 9, 16, 17, 40, 64, 65, 0, 0, 300, 5000])

    def test_rows_of_all_lengths(self):
        for dtype, columns in itertools.product(TYPES, (1, 2, 3, 8, 16, 33, 64, 65, 200)):
            with self.subTest(dtype=dtype, columns=columns):
                a = keys_of(dtype, 40 * columns).reshape(40, columns)
                order = np.argsort(a, axis=1, kind="stable")
                self.same_numbers(sortlab.sort(a), np.sort(a, axis=1, kind="stable"))
                self.same(sortlab.argsort(a), order)
                for threads in (1, 3):
                    self.same(sortlab.sort(a, threads=threads, stable=True), np.sort(a, axis=1, kind="stable"))
                    rows = [stable_order(row, descending=True) for row in a]
                    self.same(sortlab.argsort(a, threads=threads, descending=True), np.array(rows))

    def test_segments_as_numpy_sorts_each(self):
        for dtype, width in itertools.product(TYPES, ("i4", "u4", "i8", "u8", ">i8", "i2")):
            if np.dtype(dtype).kind in "mM":
                continue
            with self.subTest(dtype=dtype, width=width):
                a = keys_of(dtype, int(self.OFFSETS[-1]) + 3)
                expected, moved = a.copy(), np.arange(len(a), dtype="u8")
                for begin, end in zip(self.OFFSETS, self.OFFSETS[1:]):
                    order = np.argsort(a[begin:end], kind="stable")
                    expected[begin:end] = a[begin:end][order]
                    moved[begin:end] = begin + order
                offsets = self.OFFSETS.astype(width)
                self.same_numbers(sortlab.segmented_sort(a, offsets), expected)
                if np.dtype(dtype).kind == "f":
                    continue  # the order of equal floats is that of their bits
                keys, values = sortlab.segmented_sort(a, offsets, np.arange(len(a), dtype="u8"))
                self.same_numbers(keys, expected)
                self.same(values, moved)

    def test_bad_segments_are_refused(self):
        a = np.arange(5)
        for offsets in ([0, 3, 2], [0, 6], [-1, 3]):
            with self.assertRaisesRegex(ValueError, "offsets"):
                sortlab.segmented_sort(a, offsets)
        for offsets in ([], [0.0, 3.0], [[0, 3]]):
            with self.assertRaisesRegex(TypeError, "offsets"):
                sortlab.segmented_sort(a, np.array(offsets))
        with self.assertRaisesRegex(ValueError, "values"):
            sortlab.segmented_sort(a, [0, 5], np.arange(4))
        with self.assertRaisesRegex(ValueError, "keys"):
            sortlab.segmented_sort(a.reshape(1, 5), [0, 5])
        with self.assertRaisesRegex(TypeError, "keys"):
            sortlab.segmented_sort(a.astype("M8[s]"), [0, 5])
        for keys in (a.astype(complex), a.astype(object), np.ma.array(a, mask=a == 2)):
            with self.assertRaisesRegex(TypeError, "keys"):
                sortlab.segmented_sort(keys, [0, 5])
        with self.assertRaisesRegex(TypeError, "values: masked"):
            sortlab.segmented_sort(a, [0, 5], np.ma.array(a, mask=a == 2))
        for threads, error in ((-1, ValueError), (0, ValueError), (1.5, TypeError)):
            with self.assertRaisesRegex(error, "threads"):
                sortlab.segmented_sort(a, [0, 5], threads=threads)
        with self.assertRaisesRegex(TypeError, "descending"):
            sortlab.segmented_sort(a, [0, 5], descending="x")

    def test_segments_of_unusual_items(self):
        keys = np.array([3, 1, 2, 9, 8])
        found, nothing = sortlab.segmented_sort(keys, [0, 3, 5], np.zeros((5, 0)))
        self.same(found, np.array([1, 2, 3, 8, 9]))
        self.assertEqual(nothing.shape, (5, 0))

    @unittest.skipIf(importlib.util.find_spec("ml_dtypes") is None, "ml_dtypes is not installed")
    def test_segments_of_bfloat16(self):
        import ml_dtypes
        keys = np.array([3, 1, 2, 9, 8])
        found = sortlab.segmented_sort(keys.astype(ml_dtypes.bfloat16), [0, 3, 5])
        self.same(found, np.array([1, 2, 3, 8, 9]).astype(ml_dtypes.bfloat16))


class Top(Sortlab):
    def test_the_best_of_all_types(self):
        for dtype in (t for t in TYPES if np.dtype(t).kind not in "mM"):
            for shape, k, axis in (((1,), 1, 0), ((70_000,), 50, 0), ((5000,), 5000, 0), ((30, 257), 8, 1), ((40, 9, 5), 3, 0), ((3, 4), 0, 1)):
                for largest, is_sorted in itertools.product((True, False), (True, False)):
                    with self.subTest(dtype=dtype, shape=shape, k=k, largest=largest, is_sorted=is_sorted):
                        a = keys_of(dtype, math.prod(shape)).reshape(shape)
                        before = a.copy()
                        found = sortlab.topk(a, k, axis, largest, is_sorted)
                        native = a.astype(a.dtype.newbyteorder("="))
                        self.assertTrue(is_top(native, k, axis, largest, is_sorted, found[0].astype(native.dtype), found[1]))
                        self.assertEqual(found[0].dtype, a.dtype)
                        self.same(a, before)

    def test_layouts_and_sequences(self):
        self.same(sortlab.topk([3, 1, 2], 2)[0], np.array([3, 2]))
        a = keys_of("f8", 600).reshape(20, 30)
        found = sortlab.topk(a.T[::2, ::3], 4, threads=1)
        self.assertTrue(is_top(np.ascontiguousarray(a.T[::2, ::3]), 4, 1, True, True, *found))
        found = sortlab.topk(a, 7, None)
        self.assertTrue(is_top(a.reshape(-1), 7, 0, True, True, *found))

    def test_partitions(self):
        for dtype in TYPES + [">f2", ">f8"]:
            for shape, axis, kth in (((50,), -1, 7), ((5000,), 0, 4999), ((5000,), -1, (3, -1, 2500)), ((30, 300), 1, 150),
                                     ((300, 7), 0, -300), ((300,), None, 0), ((65,), 0, []), ((0, 5), 0, 3),
                                     ((5000,), -1, tuple(range(0, 5000, 100)))):
                with self.subTest(dtype=dtype, shape=shape, kth=kth):
                    self.check_partitions(keys_of(np.dtype(dtype).newbyteorder("="), math.prod(shape)).reshape(shape).astype(dtype), kth, axis)

    def check_partitions(self, a, kth, axis, threads=None):
        before, flat, along = a.copy(), a if axis is not None else a.reshape(-1), axis or 0
        ordered = np.sort(flat, along, kind="stable")
        found, order = sortlab.partition(a, kth, axis, threads=threads), sortlab.argpartition(a, kth, axis, threads=threads)
        self.assertEqual((found.dtype, found.shape, order.dtype), (a.dtype, flat.shape, np.intp))
        np.testing.assert_array_equal(np.sort(order, along), np.argsort(np.zeros_like(flat, bool), along, kind="stable"))
        for each in (found, np.take_along_axis(flat, order, along)):
            np.testing.assert_array_equal(np.sort(each, along, kind="stable"), ordered)
            each, expected = np.moveaxis(each, along, 0), np.moveaxis(ordered, along, 0)
            for k in (np.atleast_1d(kth).astype(int) if flat.size else ()):
                np.testing.assert_array_equal(each[k], expected[k])
                place = k % len(expected)
                np.testing.assert_array_equal(np.sort(each[:place], 0, kind="stable"), expected[:place])
        self.same(a, before)

    def test_random_calls(self):
        for case in range(400):
            dtype = TYPES[rng.integers(len(TYPES))]
            dimensions = int(rng.integers(1, 3))
            shape = rng.integers(1, (12, 40, 100 if dimensions == 2 else 5000)[rng.integers(3)], dimensions).tolist()
            a = keys_of(dtype, math.prod(shape)).reshape(shape)
            if rng.random() < 0.3:
                a = a.T if rng.random() < 0.5 else a[::2]
            axis = None if rng.random() < 0.1 else int(rng.integers(-a.ndim, a.ndim))
            n, threads = a.size if axis is None else a.shape[axis], int(rng.integers(1, 4))
            places = rng.integers(-n, n, rng.integers(1, 12))
            with self.subTest(case=case, dtype=dtype, shape=a.shape, axis=axis):
                self.check_partitions(a, int(places[0]) if rng.random() < 0.7 else places, axis, threads)
                k, largest, is_sorted = int(rng.integers(n + 1)), rng.random() < 0.5, rng.random() < 0.5
                found = sortlab.topk(a, k, axis, largest, is_sorted, threads=threads)
                native = a.astype(a.dtype.newbyteorder("="))
                flat, along = (native.reshape(-1), 0) if axis is None else (native, axis % a.ndim)
                self.assertTrue(is_top(flat, k, along, largest, is_sorted, found[0].astype(native.dtype), found[1]))

    def test_bad_arguments_are_refused(self):
        a = np.arange(6).reshape(2, 3)
        for function in (sortlab.partition, sortlab.argpartition):
            for kth in (3, -4, [0, 3]):
                with self.assertRaisesRegex(ValueError, "kth is -?[34]: expected -3 to 2"):
                    function(a, kth)
            for kth in (1.0, "x", [[1]]):
                with self.assertRaisesRegex(TypeError, "kth: expected an integer"):
                    function(a, kth)
            with self.assertRaisesRegex(ValueError, "kind: expected 'introselect'"):
                function(a, 1, kind="quick")
            with self.assertRaisesRegex(ValueError, "order: it names fields"):
                function(a, 1, order="x")
            with self.assertRaises(np.exceptions.AxisError):
                function(a, 1, axis=2)
            with self.assertRaisesRegex(ValueError, "threads"):
                function(a, 1, threads=0)
        for k in (-1, 4):
            with self.assertRaisesRegex(ValueError, f"k is {k}: expected 0 to 3"):
                sortlab.topk(a, k)
        for wrong in (a.astype("M8[s]"), a.astype(complex), a.astype(object), np.ma.array(a, mask=a == 2)):
            with self.assertRaisesRegex(TypeError, "a: "):
                sortlab.topk(wrong, 1)
        with self.assertRaisesRegex(ValueError, "stream"):
            sortlab.topk(a, 1, stream=1)
        with self.assertRaisesRegex(ValueError, r"out\[0\] is read-only"):
            values = np.zeros((2, 1), a.dtype)
            values.flags.writeable = False
            sortlab.topk(a, 1, out=(values, np.zeros((2, 1), "i8")))

    @unittest.skipIf(importlib.util.find_spec("ml_dtypes") is None, "ml_dtypes is not installed")
    def test_bfloat16(self):
        import ml_dtypes
        a = rng.permutation(300).astype(ml_dtypes.bfloat16)
        self.same(sortlab.topk(a, 3)[0], np.sort(a)[::-1][:3])
        self.same(sortlab.partition(a, 150)[150:151], np.sort(a)[150:151])


class Errors(Sortlab):
    def refused(self, error, text, function, *arguments, **named):
        with self.subTest(text), self.assertRaisesRegex(error, text):
            function(*arguments, **named)

    def test_types(self):
        for a in (np.zeros(3, "c8"), np.zeros(3, np.longdouble), np.array(["b", "a"]),
                  np.array([object()]), np.zeros(3, [("x", "i4")]), [None], "text"):
            for function in (sortlab.sort, sortlab.argsort, lambda a: sortlab.sort_by_key(a, np.zeros(len(a)))):
                self.refused(TypeError, "cannot sort.*timedelta64$", function, a)
            for function in (lambda a: sortlab.topk(a, 1), lambda a: sortlab.segmented_sort(a, [0])):
                self.refused(TypeError, "cannot sort.*bfloat16$", function, a)
        for function in (lambda a: sortlab.topk(a, 1), lambda a: sortlab.segmented_sort(a, [0, 3])):
            self.refused(TypeError, "cannot sort datetime64.*bfloat16$", function, np.zeros(3, "M8[s]"))
        self.refused(TypeError, "masked", sortlab.sort, np.ma.array([2, 1], mask=[0, 1]))
        self.refused(TypeError, "Python objects", sortlab.sort_by_key, [2, 1], np.array([[], {}], object))
        self.refused(TypeError, "integer", sortlab.sort, np.zeros((2, 2)), axis=0.5)

    def test_axis(self):
        a = np.zeros((2, 3))
        for axis in (2, -3):
            for function in (sortlab.sort, sortlab.argsort):
                self.refused(np.exceptions.AxisError, "out of bounds", function, a, axis=axis)
        self.refused(np.exceptions.AxisError, "out of bounds", sortlab.sort, np.float32(1))

    def test_out(self):
        a = np.arange(6.0)
        frozen = a.copy()
        frozen.flags.writeable = False
        self.refused(ValueError, "read-only", sortlab.sort, frozen, out=frozen)
        self.refused(ValueError, "read-only", sortlab.sort, a, out=frozen)
        self.refused(ValueError, r"shape \(5,\): expected \(6,\)", sortlab.sort, a, out=np.zeros(5))
        self.refused(TypeError, "holds float32: expected float64", sortlab.sort, a, out=a.astype("f4"))
        self.refused(TypeError, "list", sortlab.sort, a, out=[0.0] * 6)
        self.refused(TypeError, "tuple of two", sortlab.sort_by_key, a, a, out=a)

    def test_sizes(self):
        self.refused(ValueError, "one value for each", sortlab.sort_by_key, [1, 2], [1])
        self.refused(ValueError, "one value for each", sortlab.sort_by_key, np.arange(2), np.arange(3))
        self.refused(ValueError, "expected 1", sortlab.sort_by_key, np.zeros((2, 2)), np.zeros((2, 2)))

    def test_indices(self):
        self.refused(TypeError, "4 or 8 bytes", sortlab.argsort, [1], dtype="i2")
        self.refused(TypeError, "4 or 8 bytes", sortlab.argsort, [1], dtype=float)
        many = np.broadcast_to(np.int8(0), 2**31 + 1)
        self.refused(ValueError, "can't number", sortlab.argsort, many, dtype="i4")

    def test_threads(self):
        for threads in (0, -1):
            for function in (sortlab.sort, sortlab.argsort, lambda a, **named: sortlab.sort_by_key(a, a, **named)):
                self.refused(ValueError, "at least 1", function, np.arange(3), threads=threads)

    def test_memory(self):
        """In place, so that the sort's own allocation is the one that fails."""
        done = subprocess.run([sys.executable, "-c", """
import resource, numpy as np, sortlab
a = np.zeros(1 << 27, "u8")
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + (64 << 20), -1))
try:
    sortlab.sort(a, out=a, threads=1)
except MemoryError:
    print("MemoryError")
"""], text=True, capture_output=True, env={**os.environ, "PYTHONPATH": str(SITE)})
        self.assertEqual(done.stdout, "MemoryError\n", done.stderr)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        WHEEL = built_wheel()
        SITE = pathlib.Path(folder) / "site"
        unpack(WHEEL, SITE)
        import sortlab
        unittest.main()
