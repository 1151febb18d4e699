"""The instructions in the program belong to the namespace of their function.

Functions in a namespace avx2 (avx512) use ymm (zmm) registers, which proves that the code forced by SORTLAB_ISA runs.
Functions elsewhere use none, so that the program starts on any x86-64 CPU. Libraries that choose themselves, such as
Highway, are left out.
"""

import os
import re
import shutil
import subprocess
import sys
import unittest
from collections import defaultdict

BIN = os.environ["SORTLAB_BIN"]
SKIPPED = 77
FOREIGN = re.compile(r"\bhwy::")
FUNCTION = re.compile(r"^[0-9a-f]+ <(.*)>:$")
REGISTER = re.compile(r"%([yz])mm")


def object_of(target, algorithm, name):
    """The object file of cpu/<algorithm>/<name>.cpp, which this CMake target compiles."""
    return os.path.join(BIN, "CMakeFiles", f"{target}.dir", "cpu", algorithm, f"{name}.cpp.o")


def registers_by_function(path):
    """{demangled name: {"y", "z"}}, an empty set if a function uses neither."""
    listing = subprocess.run(["objdump", "-d", "-C", "--no-show-raw-insn", path], check=True,
                             stdout=subprocess.PIPE, text=True, errors="replace").stdout
    registers = defaultdict(set)
    function = None
    for line in listing.splitlines():
        if header := FUNCTION.match(line):
            function = header.group(1)
        if function is not None:
            registers[function].update(REGISTER.findall(line))
    return registers


def own_name(demangled):
    """The qualified name of a function, without template arguments, parameters and return type."""
    text = re.sub(r"\[clone [^]]*\]", "", demangled).replace("(anonymous namespace)", "anonymous")
    text = re.sub(r"operator(<<|<=>|<=|<|>>|>=|->|>)", "operator", text)
    depth, kept = 0, ""
    for letter in text:
        depth += letter == "<"
        if depth == 0:
            kept += letter
        depth -= letter == ">"
    return kept.split("(")[0].split(" ")[-1]


def inside(registers, namespace):
    return {name: used for name, used in registers.items()
            if f"{namespace}::" in own_name(name) and not FOREIGN.search(name)}


class Instructions(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.program = registers_by_function(os.path.join(BIN, "sortlab"))

    def test_symbols_are_there(self):
        self.assertGreater(len(self.program), 1000)

    def test_avx2_uses_its_registers_in_each_algorithm(self):
        for algorithm in ("bitonic", "merge", "quick", "radix"):
            with self.subTest(algorithm):
                path = object_of("sortlab_cpu", algorithm, "parallel")
                functions = inside(registers_by_function(path), "avx2")
                self.assertIn({"y"}, functions.values())

    def test_simd_sorts_use_the_registers_of_each_set(self):
        kernels = {
            ("bitonic", "simd"): ("sort_rows", "pass", "clean_tiles"),
            ("merge", "simd"): ("look", "sort_rows", "merge_jobs"),
            ("quick", "simd"): ("look", "sort_raw", "sort_rows", "distribute_raw", "gather"),
            ("radix", "simd/keys_32"): ("look", "sort_rows"),
            ("radix", "simd/keys_64"): ("look", "sort_rows"),
        }
        for (algorithm, name), names in kernels.items():
            functions = registers_by_function(object_of("sortlab_fast", algorithm, name))
            for namespace, register in (("avx2", "y"), ("avx512", "z")):
                for kernel in names:
                    with self.subTest(algorithm, name=name, namespace=namespace, kernel=kernel):
                        found = [used for name, used in inside(functions, namespace).items()
                                 if own_name(name).endswith(f"::{kernel}")]
                        self.assertNotEqual(found, [])
                        self.assertEqual([used for used in found if register not in used], [])

    def test_avx2_leaves_zmm_alone(self):
        functions = inside(self.program, "avx2")
        self.assertEqual([name for name, used in functions.items() if "z" in used], [])

    def test_nothing_else_uses_any(self):
        regions = {**inside(self.program, "avx2"), **inside(self.program, "avx512")}
        using = [name for name, used in self.program.items()
                 if used and name not in regions and not FOREIGN.search(name)]
        self.assertEqual(using, [])


if __name__ == "__main__":
    if shutil.which("objdump") is None:
        print("objdump is missing (binutils)")
        sys.exit(SKIPPED)
    unittest.main()
