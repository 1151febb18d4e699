"""Each file that is pasted into several namespaces (*.inl.hpp) can be opened alone.

An editor's language server (clangd) compiles an open file alone. So this test compiles each of these files in the same
way: as the only named file.
"""

import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COMPILER = next(filter(None, map(shutil.which, ("clang++", "g++"))), None)
PASTED = sorted((ROOT / "cpu").rglob("*.inl.hpp"))
FLAGS = ["-std=c++20", "-fopenmp", "-Wall", "-I", str(ROOT), "-I", str(ROOT / "library/include")]
SKIPPED = 77


def compiled(*arguments):
    return subprocess.run([COMPILER, *FLAGS, "-x", "c++-header", *arguments], check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout


class PastedFiles(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        """Compiles the common includes once, as a language server does."""
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.shared = Path(cls.folder.name, "shared.hpp")
        cls.shared.write_text('#include "cpu/primitives/simd/lanes.hpp"\n')
        compiled(cls.shared, "-o", f"{cls.shared}.gch")

    def errors_of(self, text):
        """The compiler's messages for a header with this text, "" if none."""
        alone = Path(self.folder.name, "alone.hpp")
        alone.write_text(text)
        return compiled("-include", self.shared, "-fsyntax-only", alone)

    def test_there_are_some(self):
        self.assertGreater(len(PASTED), 20)

    def test_each_opens_alone(self):
        for path in PASTED:
            with self.subTest(path=path.relative_to(ROOT)):
                self.assertEqual(self.errors_of(f'#include "{path}"\n'), "")

    def test_an_error_would_be_seen(self):
        self.assertIn("error", self.errors_of("template <class K> struct S { Missing<K> lanes; };\n"))


if __name__ == "__main__":
    if COMPILER is None:
        print("no compiler that opens a file alone")
        sys.exit(SKIPPED)
    unittest.main()
