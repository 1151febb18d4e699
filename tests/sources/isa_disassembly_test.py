"""The instructions in the program belong to the namespace of their function, and a CPU that lacks some gets others.

Functions in a namespace avx2 (avx512) use ymm (zmm) registers, which proves that the code forced by SORTLAB_ISA runs.
They need no other feature of the CPU than those for which isa.cpp asks; functions elsewhere need none, so that the
program starts on any x86-64 CPU. Libraries that choose themselves, such as Highway, are left out. Where qemu-x86_64 is
(Debian's qemu-user), sorts run on CPUs without one feature each.
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
REGISTER = re.compile(r"%([yz])mm")
JUMP = re.compile(r"(call|j\w+|bnd jmp) +[0-9a-f]+$")
HEADER = os.path.join(os.path.dirname(__file__), "..", "..", "common", "contract", "isa_region.hpp")


def object_of(target, algorithm, name):
    """The object file of cpu/<algorithm>/<name>.cpp, or of a unit of that folder, which this CMake target compiles."""
    folder = os.path.join(BIN, "CMakeFiles", f"{target}.dir")
    path = os.path.join(folder, "cpu", algorithm, f"{name}.cpp.o")
    return path if os.path.exists(path) else os.path.join(folder, "units", "cpu", algorithm, f"{name}.cpp.o")


def disassembly(path):
    """{demangled function: its instructions}, without the names of functions in them."""
    listing = subprocess.run(["objdump", "-d", "--no-show-raw-insn", path], check=True, stdout=subprocess.PIPE, text=True,
                             errors="replace").stdout
    functions = [part.partition(">:\n") for part in re.split(r"^[0-9a-f]+ <", listing, flags=re.MULTILINE)[1:]]
    names = subprocess.run(["c++filt"], check=True, input="\n".join(name for name, _, _ in functions),
                           stdout=subprocess.PIPE, text=True).stdout.split("\n")
    found = defaultdict(set)
    for name, (_, _, code) in zip(names, functions):
        found[name].update(text.rstrip() for text in re.findall(r"\t([^#<\n]+)", code))
    return found


def registers_by_function(functions):
    """{function: {"y", "z"}}, an empty set if it uses neither."""
    return {name: set(REGISTER.findall("\n".join(texts))) for name, texts in functions.items()}


def features_asked_for():
    """{namespace: features of the CPU}, from the list that isa.cpp and the compiler get."""
    with open(HEADER, encoding="utf-8") as file:
        text = file.read()
    avx2, more = re.search(r'_AVX2_FEATURES "(.*)"\n.*_AVX512_FEATURES \\\n +SORTLAB_AVX2_FEATURES "(.*)"\n', text).groups()
    # Elsewhere, xgetbv and endbr64 do no harm, nor does tzcnt: that is bsf for older CPUs.
    return {"": ["xsave", "ibt", "bmi"], "avx2": avx2.split(","), "avx512": (avx2 + more).split(",")}


def refused(instructions, features):
    """{instruction: message} for those that the assembler knows only with more features than these."""
    lines = sorted(instructions)
    done = subprocess.run(["as", "-march=" + "+".join(["generic64", *features]), "-o", os.devnull],
                          input="\n".join(lines) + "\n", capture_output=True, text=True, check=False)
    return {lines[int(number) - 1]: message for number, message in
            re.findall(r"^\{standard input\}:(\d+): (?:Error|Warning): (.*)", done.stderr, re.MULTILINE)
            if "is not supported on" in message}


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
        functions = disassembly(os.path.join(BIN, "sortlab"))
        cls.program = registers_by_function(functions)
        cls.instructions = {"avx2": {}, "avx512": {}, "": {}}  # each with a function that has it
        for function, texts in functions.items():
            namespace = next((name for name in cls.instructions if f"{name}::" in own_name(function)), "")
            if not FOREIGN.search(function):
                cls.instructions[namespace].update((text, function) for text in texts if not JUMP.match(text))

    def test_symbols_are_there(self):
        self.assertGreater(len(self.program), 1000)

    def test_the_cpu_is_asked_for_all_that_they_need(self):
        for namespace, features in features_asked_for().items():
            instructions = self.instructions[namespace]
            with self.subTest(namespace):
                wrong = refused(instructions, features)
                self.assertEqual([(text, instructions[text]) for text in wrong][:5], [])

    def test_a_feature_that_is_not_asked_for_would_be_seen(self):
        asked = features_asked_for()
        for namespace, feature, mnemonic in (("avx2", "lzcnt", "lzcnt"), ("avx2", "bmi2", "shlx"),
                                             ("avx512", "lzcnt", "lzcnt"), ("avx512", "avx512dq", "kmovb")):
            fewer = [name for name in asked[namespace] if name != feature]
            self.assertIn(mnemonic, {text.split()[0] for text in refused(self.instructions[namespace], fewer)})

    def test_avx2_uses_its_registers_in_each_algorithm(self):
        for algorithm in ("bitonic", "merge", "quick", "radix"):
            with self.subTest(algorithm):
                path = object_of("sortlab_cpu", algorithm, "parallel")
                functions = inside(registers_by_function(disassembly(path)), "avx2")
                self.assertIn({"y"}, functions.values())

    def test_simd_sorts_use_the_registers_of_each_set(self):
        kernels = {
            ("bitonic", "simd"): ("sort_rows", "pass", "clean_tiles"),
            ("merge", "simd"): ("look", "sort_rows", "merge_jobs"),
            ("quick", "simd"): ("take_out", "distribute_raw", "gather"),
        }
        for width in ("32", "64"):
            kernels["primitives", f"simd/{width}"] = ("look", "sort_raw", "sort_rows", "partition")
            kernels["radix", f"simd/{width}"] = ("look", "range_of")
            kernels["radix", f"buckets/{width}"] = ("sort_rows", "write")
            kernels["radix", f"pair_leaf/{width}"] = ("sort_rows",)
        for (algorithm, name), names in kernels.items():
            functions = registers_by_function(disassembly(object_of("sortlab_fast", algorithm, name)))
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


@unittest.skipIf(shutil.which("qemu-x86_64") is None, "qemu-x86_64 is missing (qemu-user)")
class Cpus(unittest.TestCase):
    def check(self, *arguments):
        """QEMU has all features of AVX2, and none of AVX-512 (isa_test.cpp has those)."""
        for lacking in ("abm", "avx", "avx2", "bmi1", "bmi2", "fma", "popcnt", "sse4.2", "ssse3", "xsave"):
            with self.subTest(lacking):
                # The C library's own AVX2 code does not ask for BMI1.
                fewer = {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-BMI2"} if lacking == "bmi1" else {}
                done = subprocess.run(["qemu-x86_64", "-cpu", f"max,-{lacking}", os.path.join(BIN, "sortlab"), "verify",
                                       "--in-process", "--dist", "uniform", *arguments], env={**os.environ, **fewer}, timeout=600,
                                      capture_output=True, text=True, check=False)
                self.assertRegex(done.stdout, r"^[1-9]\d* passed, 0 failed", done.stderr)

    def test_without_one_feature(self):
        self.check("--filter", "cpu/auto/auto", "--n", "100,300,5K", "--type", "u32,f64", "--order", "asc")

    @unittest.skipIf(os.environ.get("SORTLAB_MATRIX") != "full", "only with --full")
    def test_all_sorts_without_one_feature(self):
        # Without VQSort, which crashes without POPCNT, SSSE3 or XSAVE (Highway 1.0.3).
        ours = ",".join(f"cpu/{ladder}/*" for ladder in ("auto", "bitonic", "library", "merge", "quick", "radix"))
        self.check("--filter", ours, "--n", "100,300,5K", "--threads", "1,2")


if __name__ == "__main__":
    if shutil.which("objdump") is None:
        print("objdump is missing (binutils)")
        sys.exit(SKIPPED)
    unittest.main()
