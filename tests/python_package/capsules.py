#!/usr/bin/env python3
"""What the Python package reads of a capsule of DLPack: by a module without CUDA, which it builds over the wheel's nanobind."""

import importlib.util
import os
import pathlib
import sys
import sysconfig
import tempfile
import unittest

import nanobind
import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from python_package.wheel import FOLDER, ROOT, run  # noqa: E402


def build_module(folder):
    """The module of dlpack_module.cpp."""
    path = pathlib.Path(folder) / "dlpack_module.so"
    (library,) = (FOLDER / "build").rglob("libnanobind-static*.a")
    stable_abi = ["-DPy_LIMITED_API=0x030C0000"] if "abi3" in library.name else []
    includes = (sysconfig.get_paths()["include"], nanobind.include_dir(), ROOT)
    run(os.environ.get("SORTLAB_CXX", "c++"), "-std=c++20", "-O0", "-fPIC", "-shared", "-fno-strict-aliasing", "-fvisibility=hidden", *stable_abi,
        *(f"-I{folder}" for folder in includes), ROOT / "tests/python_package/dlpack_module.cpp", library, "-o", path)
    spec = importlib.util.spec_from_file_location("dlpack_module", path)
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)  # must live as long as its functions
    spec.loader.exec_module(module)
    return module


class Capsules(unittest.TestCase):
    """NumPy's capsules are as those of arrays on a GPU."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.read = staticmethod(build_module(folder.name).of_dlpack)

    def test_types_shapes_and_places(self):
        for dtype in ("i1", "u2", "i4", "u8", "f2", "f4", "f8", "?"):
            a = np.zeros((2, 3), dtype)
            name = f"{a.dtype.kind}{a.dtype.itemsize}"
            self.assertEqual(self.read(a.__dlpack__()), (a.ctypes.data, name, (2, 3), True, False, 0))
        self.assertEqual(self.read(np.zeros(3, "c8").__dlpack__())[1], "c8")

    def test_strides(self):
        a = np.zeros((4, 6), "f4")
        self.assertFalse(self.read(a.T.__dlpack__())[3])
        self.assertEqual(self.read(a[1:, 2:].__dlpack__())[:4], (a.ctypes.data + 32, "f4", (3, 4), False))
        self.assertTrue(self.read(a[2:].__dlpack__())[3])

    def test_others(self):
        capsule = np.zeros(3).__dlpack__()
        self.assertEqual(self.read(capsule), self.read(capsule))  # does not take the array over
        for other in ("a", 3):
            with self.assertRaisesRegex(TypeError, "no capsule of DLPack"):
                self.read(other)


if __name__ == "__main__":
    unittest.main()
