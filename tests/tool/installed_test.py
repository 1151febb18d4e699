#!/usr/bin/env python3
"""The installed program needs no source tree."""

import os
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = os.environ["SORTLAB_BIN"]


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        subprocess.run(["cmake", "--install", BUILD, "--prefix", cls.folder.name, "--component", "program"],
                       capture_output=True, check=True)
        cls.program = os.path.join(cls.folder.name, "bin", "sortlab")
        # Other tests read the source tree, so it can't be removed: the program gets a path that does not exist.
        tree = str(ROOT).encode()
        binary = pathlib.Path(cls.program).read_bytes()
        cls.paths_hidden = binary.count(tree + b"\0")
        pathlib.Path(cls.program).write_bytes(binary.replace(tree, b"/" + b"-" * (len(tree) - 1)))

    def call(self, *words, expect=0):
        done = subprocess.run([self.program, *words], capture_output=True, text=True, cwd=self.folder.name, check=False)
        self.assertEqual(done.returncode, expect, done.stderr)
        return done

    def test_the_tree_is_hidden(self):
        self.assertGreater(self.paths_hidden, 0)

    def test_matrices(self):
        for file in (ROOT / "bench").glob("*.json"):
            if file.stem.startswith(("cpu", "default", "busy")):  # a build without CUDA has no sorts of the GPU
                self.assertIn("/n:", self.call("run", "--matrix", file.stem, "--dry-run").stdout, file)
        self.assertIn("default", self.call("complete", "run", "--matrix", "").stdout.split())
        self.assertIn("nearest: default", self.call("run", "--matrix", "defualt", expect=2).stderr)

    def test_what_the_heads_of_the_sources_say(self):
        for source in ("cpu/radix/simd.cpp", "cpu/merge/naive.cpp", "cpu/auto/auto.cpp"):
            head = (ROOT / source).read_text(encoding="utf-8").splitlines()[0].removeprefix("// ")
            text = self.call("show", source.removesuffix(".cpp")).stdout
            self.assertIn("\n" + head + "\n", text)
            self.assertIn(f"file:      {source} of revision ", text)

    def test_it_measures(self):
        text = self.call("run", "--filter", "cpu/radix/naive", "--n", "1K", "--time", "0", "--csv", "x.csv").stdout
        self.assertIn("cpu/radix/naive", text)
        self.call("reproduce")


if __name__ == "__main__":
    unittest.main()
