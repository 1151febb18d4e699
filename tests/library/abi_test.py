#!/usr/bin/env python3
"""The shared library keeps the C interface of existing programs, which tests/library/abi_N.c lists."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
HEADER = ROOT / "include/sortlab/sortlab.h"
LIBRARY = pathlib.Path(os.environ["SORTLAB_BIN"]) / "library/host/libsortlab.so"
VERSION = re.search(r"define SORTLAB_ABI_VERSION (\d+)", HEADER.read_text())[1]
LIST = ROOT / f"tests/library/abi_{VERSION}.c"
COMPILE = (os.environ.get("CC", "cc"), "-std=c11", "-pedantic-errors", "-Wall", "-Wextra", "-Werror")
WHAT_TO_DO = f"""
Programs that were compiled against ABI {VERSION} would no longer work. Put back what they use. Or raise
SORTLAB_ABI_VERSION in {HEADER.relative_to(ROOT)} and the name in library/host/exports.map, and write
{LIST.relative_to(ROOT).with_stem(f"abi_{int(VERSION) + 1}")} in place of {LIST.name}: docs/library.md, "Versions".
"""

# One fault per kind of promise: the replaced text of the header, and the name in the compiler's message.
FAULTS = {
    "a parameter's type": ("size_t n, int type, const", "unsigned n, int type, const", "sortlab_sort"),
    "a new member in the middle": ("  int32_t floats; ", "  int64_t added;\n  int32_t floats; ", "options.floats"),
    "a member's type": ("  int32_t threads; ", "  uint32_t threads; ", "options.threads"),
    "a constant's value": ("SORTLAB_TYPE_I64 = 8", "SORTLAB_TYPE_I64 = 11", "SORTLAB_TYPE_I64"),
}


def output_of(*command):
    return subprocess.run([str(part) for part in command], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)


class Abi(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def test_a_program_of_this_abi_compiles_links_and_sorts(self):
        self.assertTrue(LIST.exists(), WHAT_TO_DO)
        program = self.folder / "program"
        built = output_of(*COMPILE, f"-I{HEADER.parent.parent}", LIST, LIBRARY, f"-Wl,-rpath,{LIBRARY.parent}",
                          "-o", program)
        self.assertEqual(built.returncode, 0, built.stdout + WHAT_TO_DO)
        self.assertEqual(output_of(program).returncode, 0, WHAT_TO_DO)

    def test_the_list_names_each_symbol_and_its_version(self):
        listed = set(re.findall(r"\(function\)(sortlab_\w+)", LIST.read_text()))
        exported = {line.split()[2] for line in output_of("nm", "-D", "--defined-only", LIBRARY).stdout.splitlines()}
        version = f"SORTLAB_{VERSION}"
        self.assertEqual(exported - {version}, {f"{name}@@{version}" for name in listed},
                         f"{LIST.name} lists what is exported; a new function is added there." + WHAT_TO_DO)
        self.assertIn(f"[libsortlab.so.{VERSION}]", output_of("readelf", "-d", LIBRARY).stdout)

    def test_what_changes_the_header_is_found(self):
        shutil.copytree(HEADER.parent, self.folder / "sortlab")
        for fault, (text, replacement, named) in FAULTS.items():
            with self.subTest(fault):
                self.assertEqual(HEADER.read_text().count(text), 1)
                (self.folder / "sortlab/sortlab.h").write_text(HEADER.read_text().replace(text, replacement))
                built = output_of(*COMPILE, f"-I{self.folder}", LIST, LIBRARY, "-o", self.folder / "program")
                self.assertNotEqual(built.returncode, 0)
                self.assertIn(named, built.stdout)

    def test_a_function_that_the_library_lacks_is_found(self):
        linked = output_of(*COMPILE, f"-I{HEADER.parent.parent}", LIST, "-o", self.folder / "program")
        self.assertIn("sortlab_end_threads", linked.stdout)
        self.assertNotEqual(linked.returncode, 0)


if __name__ == "__main__":
    unittest.main()
