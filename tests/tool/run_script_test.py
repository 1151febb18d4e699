"""`./run` calls CMake and ctest as it says, builds GPU code only where a GPU is or when asked, and refuses bad input in
one line. Programs that only print their arguments take the place of CMake, ctest, nvcc and nvidia-smi."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


class Run(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "bin").mkdir()
        for name in ("cmake", "ctest", "nvcc"):
            self.program(name, f'echo "{name} $*" >&2')
        self.program("nvidia-smi", "exit 9")
        shutil.copy(ROOT / "run", self.folder)

    def program(self, name, line):
        (self.folder / "bin" / name).write_text(f"#!/bin/sh\n{line}\n")
        (self.folder / "bin" / name).chmod(0o755)

    def cache(self, *lines):
        (self.folder / "build" / "release").mkdir(parents=True)
        (self.folder / "build" / "release" / "CMakeCache.txt").write_text(
            "\n".join(["CMAKE_CXX_COMPILER:FILEPATH=/bin/sh", *lines]))

    def call(self, *words, expect=0):
        """The lines of the output, without those about packages that this machine lacks."""
        environment = {name: value for name, value in os.environ.items() if name != "CUDACXX"}
        done = subprocess.run([self.folder / "run", *words], capture_output=True, text=True, timeout=60,
                              env={**environment, "PATH": f"{self.folder / 'bin'}:{environment['PATH']}"})
        self.assertEqual(done.returncode, expect, done.stderr)
        return [line for line in (done.stdout + done.stderr).splitlines() if "going on without" not in line]

    def test_without_a_gpu(self):
        first, *others = self.call("--no-install", "build", "release", "sortlab")
        self.assertRegex(first, r"^run: no GPU here: .*\./run --cuda build \.\.\. ")
        self.assertEqual(others, ["cmake --preset release", "cmake --build --preset release --target=sortlab"])

    def test_gpu_code_stays_once_asked_for(self):
        asked = ["cmake --preset release -DSORTLAB_CUDA=ON", "cmake --build --preset release"]
        self.assertEqual(self.call("--no-install", "--cuda", "build"), asked)
        self.cache(f"CMAKE_HOME_DIRECTORY:INTERNAL={self.folder}", "SORTLAB_CUDA:STRING=ON")
        self.assertEqual(self.call("--no-install", "build"), asked)
        self.assertEqual(self.call("--no-install", "build", "asan"), ["cmake --preset asan", "cmake --build --preset asan"])

    def test_with_a_gpu(self):
        self.program("nvidia-smi", "exit 0")
        self.assertEqual(self.call("--no-install", "test", "-R", "quick sort"),
                         ["cmake --preset release -DSORTLAB_CUDA=AUTO", "cmake --build --preset release",
                          "ctest --preset release -R quick sort"])

    def test_a_build_of_another_place_begins_again(self):
        self.cache("CMAKE_HOME_DIRECTORY:INTERNAL=/nowhere")
        self.assertIn("cmake --preset release --fresh", self.call("--no-install", "build"))

    def test_a_compiler_that_was_missing_is_found(self):
        self.cache(f"CMAKE_HOME_DIRECTORY:INTERNAL={self.folder}", "CMAKE_CUDA_COMPILER:FILEPATH=CMAKE_CUDA_COMPILER-NOTFOUND")
        self.assertIn("cmake --preset release -DSORTLAB_CUDA=ON --fresh", self.call("--no-install", "--cuda", "build"))

    def test_bench_says_where_everything_is(self):
        (self.folder / "build" / "release").mkdir(parents=True)
        (self.folder / "plots").mkdir()
        self.program("../build/release/sortlab", 'echo "sortlab $*" >&2; if [ $1 = run ]; then echo row >"$3"; else echo page >"$4"; fi')
        (self.folder / "plots" / "plot.py").write_text("import os, sys\nos.makedirs(sys.argv[3], exist_ok=True)\n")
        said = self.call("--no-install", "bench", "--n", "1K")
        [measured] = [line for line in said if line.startswith("sortlab run")]
        self.assertRegex(measured, r"--csv \S+/results/local/\S+/bench\.csv --top 10 --matrix default --n 1K$")
        for line, name in zip(said[-3:], ("rows:  ", "plots: ", "page:  "), strict=True):
            self.assertTrue(line.startswith(f"run: {name}"), line)
            self.assertTrue(Path(line.removeprefix(f"run: {name}")).exists(), line)
        csv = said[-3].removeprefix("run: rows:  ")
        said = self.call("--no-install", "bench", "--resume", "--matrix", "mine.json")
        self.assertIn(f"sortlab run --csv {csv} --top 10 --matrix mine.json", said)

    def test_failures_are_passed_on(self):
        self.program("ctest", "exit 8")
        self.call("--no-install", "test", expect=8)
        self.program("cmake", "exit 1")
        self.assertEqual(len(self.call("--no-install", "test", expect=1)), 1)

    def test_bad_input_is_one_line(self):
        for words, said in {("frob",): "no command 'frob'", ("--frob", "test"): "no option '--frob'", ("build", "relase"): "'relase'",
                            ("test", "--preset"): "--preset needs", ("bench", "--csv"): "--csv needs",
                            ("bench", "--resume"): "nothing to resume"}.items():
            [line] = self.call("--no-install", *words, expect=2)
            self.assertIn(said, line)


if __name__ == "__main__":
    unittest.main()
