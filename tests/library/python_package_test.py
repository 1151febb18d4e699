#!/usr/bin/env python3
"""The Python package as programs meet it: what its wheel holds and is called, its signatures, and its calls from other
processes, threads and interpreters. python_test.py has the sorts. python_package/wheel.py builds the wheel."""

import copy
import doctest
import importlib
import importlib.util
import inspect
import os
import pathlib
import pickle
import re
import subprocess
import sys
import tempfile
import unittest
import zipfile
from unittest import mock

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from python_package.wheel import CUDA, ROOT, built_wheel, run, skip_if_incomplete, unpack  # noqa: E402

skip_if_incomplete()


def run_python(program):
    """Runs a program from a file, with the package. A hang is an error."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "program.py"
        path.write_text(program)
        return subprocess.run([sys.executable, path], text=True, capture_output=True, timeout=60, env={**os.environ, "PYTHONPATH": str(SITE)})


class Package(unittest.TestCase):
    def test_holds_the_package_alone(self):
        with zipfile.ZipFile(WHEEL) as wheel:
            files = {re.sub(r"\.(cpython-\w+-[\w-]+|abi3)\.so$", ".so", name) for name in wheel.namelist()
                     if ".dist-info/" not in name}
        modules = ("__init__", "_arrays", "_cupy", "_gpu", "_interface", "_libraries", "_segments", "_top", "_torch")
        self.assertEqual(files - ({"sortlab/_cuda.so"} if CUDA else set()),
                         {"sortlab/__init__.pyi", "sortlab/_sortlab.so", "sortlab/py.typed", *(f"sortlab/{module}.py" for module in modules)})
        if not CUDA:
            self.assertLess(WHEEL.stat().st_size, 3 << 20)

    def test_the_checkout_alone_builds_it(self):
        """CMake accepts the settings of pyproject.toml, and SORTLAB_CUDA=ON, which is for all GPUs. It does not compile,
        which would take minutes."""
        text = (ROOT / "pyproject.toml").read_text()
        defines = re.findall(r"^(SORTLAB_\w+) = (true|false)$", text, re.MULTILINE)
        self.assertIn(("SORTLAB_BUILD_PYTHON", "true"), defines)
        target = re.search(r'build.targets = \["(\w+)"\]', text)[1]
        cuda = ["-DSORTLAB_CUDA=ON"] if CUDA else []
        with tempfile.TemporaryDirectory() as build, mock.patch.dict(os.environ):
            for name in ("CUDAARCHS", "CUDAFLAGS"):
                os.environ.pop(name, None)
            run("cmake", "-S", ROOT, "-B", build, "-G", "Ninja", f"-DPython_EXECUTABLE={sys.executable}",
                f"-Dnanobind_DIR={importlib.import_module('nanobind').cmake_dir()}",
                *(f"-D{name}={value}" for name, value in defines), *cuda)
            steps = run("ninja", "-C", build, "-t", "commands", target)
        for part in ["python/extension.cpp"] + (["python/cuda/extension.cpp", "-arch=all-major", "libcudart_static.a"] if CUDA else []):
            self.assertIn(part, steps)
        if CUDA:
            compiles = next(step for step in steps.splitlines() if step.endswith("python/cuda/extension.cpp"))
            for folder in ("include", "library/include"):
                self.assertIn(f"-I{ROOT / folder} ", compiles)
        self.assertNotIn("/tool/", steps)

    def test_its_name_says_which_python_it_serves(self):
        version = f"cp3{sys.version_info[1]}"
        tags = f"{version}-{version}" if sys.version_info < (3, 12) else "cp312-abi3"
        self.assertRegex(WHEEL.name, rf"^sortlab_python-{re.escape(sortlab.__version__)}-{tags}-linux_x86_64\.whl$")

    def test_stubs_name_the_same_arguments(self):
        stubs = (SITE / "sortlab/__init__.pyi").read_text()
        for name in sortlab.__all__:
            signature = str(inspect.signature(getattr(sortlab, name)))
            overloads = re.findall(rf"^def {name}\((.*?)\) ->", stubs, re.DOTALL | re.MULTILINE)
            self.assertGreater(len(overloads), 0 if "memory" in name or "partition" in name or name == "top_p" else 1)
            for stub in overloads:
                named = re.findall(r"^\s*(\*|\w+)(?=,$|:)", stub, re.MULTILINE) or re.findall(r"(\w+):", stub)
                self.assertEqual(named, [each.partition("=")[0] for each in signature[1:-1].split(", ") if each], name)

    def test_functions_go_to_other_processes(self):
        for name in sortlab.__all__:
            function = getattr(sortlab, name)
            self.assertIs(pickle.loads(pickle.dumps(function)), function)
            self.assertIs(copy.deepcopy(function), function)
            self.assertEqual((function.__module__, function.__name__), ("sortlab", name))
        done = run_python("""
import multiprocessing, sortlab
if __name__ == "__main__":
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        print(pool.map(sortlab.sort, [[3, 1, 2]]))
""")
        self.assertEqual(done.stdout, "[array([1, 2, 3])]\n", done.stderr)

    def test_daemon_threads_at_exit(self):
        """They wait for Python's lock in each kind of call when the program ends."""
        for call in ("sort(a)", "argsort(a)", "sort_by_key(a, a)", "sort(a, out=out)", "sort(a, return_indices=True)", "sort(a[::2])"):
            with self.subTest(call):
                done = run_python(f"""
import threading, time, numpy as np, sortlab
a = np.random.default_rng(1).random(30_000)
out = np.empty_like(a)
def work():
    while True:
        sortlab.{call}
for _ in range(3):
    threading.Thread(target=work, daemon=True).start()
time.sleep(0.05)
""")
                self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_first_calls_of_several_threads(self):
        """A call that imports the rest of the package lets the others run."""
        done = run_python("""
import sys, threading, sortlab
sys.setswitchinterval(1e-6)
barrier = threading.Barrier(8)
def work():
    barrier.wait()
    sortlab.sort([3, 1, 2], return_indices=True)
for _ in range(8):
    threading.Thread(target=work).start()
""")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_the_main_interpreter_alone(self):
        interpreters = next(filter(importlib.util.find_spec, ("_interpreters", "_xxsubinterpreters")), None)
        if interpreters is None:
            self.skipTest("this Python has no module for it")
        done = run_python(f"""
import {interpreters} as interpreters
interpreters.run_string(interpreters.create(), '''
try:
    import sortlab
except ImportError as error:
    print(error, flush=True)
''')
""")
        self.assertRegex(done.stdout, r"^sortlab works in .* main interpreter alone\n$|does not support loading in subinterpreters")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_example(self):
        done = subprocess.run([sys.executable, ROOT / "examples/library_python/use_sortlab.py"], text=True,
                              capture_output=True, env={**os.environ, "PYTHONPATH": str(SITE)})
        self.assertEqual(done.stdout, "[ 7 19 41]\n[1 2 0]\n[ 7 19 41] ['Bo' 'Cy' 'Ada']\n[1 2 3 8 9]\n[41 19] [0 2]\n", done.stderr)

    def test_examples_of_its_page(self):
        for name, least in (("library_python.md", 2), ("segments.md", 1), ("top_k.md", 1)):
            blocks = re.findall(r"```pycon\n(.*?)```", (ROOT / "docs" / name).read_text(), re.DOTALL)
            self.assertGreaterEqual(len(blocks), least)
            test = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, name, None, 0)
            wrong = []
            doctest.DocTestRunner(verbose=False).run(test, out=wrong.append)
            self.assertEqual(wrong, [])


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        WHEEL = built_wheel()
        SITE = pathlib.Path(folder) / "site"
        unpack(WHEEL, SITE)
        import sortlab
        unittest.main()
