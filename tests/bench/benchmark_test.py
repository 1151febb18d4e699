"""The sorts under Google Benchmark: names, figures, its flags, and sorts that go wrong."""

import json
import os
import subprocess
import unittest

SORTLAB = os.path.join(os.environ["SORTLAB_BIN"], "sortlab")
BENCHMARK = os.path.join(os.environ["SORTLAB_BIN"], "sortlab_benchmark")
FAULTY = os.path.join(os.path.dirname(os.environ["SORTLAB_FAULTY"]), "sortlab_benchmark_faulty")


def call(*arguments, program=BENCHMARK):
    return subprocess.run([program, *arguments], capture_output=True, text=True, timeout=300)


def measure(pattern, *arguments, program=BENCHMARK, expect=0):
    done = call(f"--benchmark_filter={pattern}", "--benchmark_min_time=0.001",
                "--benchmark_format=json", *arguments, program=program)
    assert done.returncode == expect, f"{done.returncode}\n{done.stdout}\n{done.stderr}"
    return json.loads(done.stdout)


class Benchmarks(unittest.TestCase):
    def test_one_per_variant_and_type_with_an_argument_for_each_size(self):
        names = call("--benchmark_list_tests").stdout.splitlines()
        self.assertEqual(len(names), len(set(names)))
        listed = subprocess.run([SORTLAB, "list", "--format", "json", "--filter", "cpu/radix/naive"], capture_output=True, check=True).stdout
        for key_type in json.loads(listed)[0]["key_types"]:
            for n in (1 << 10, 1 << 14, 1 << 18, 1 << 22):
                self.assertIn(f"cpu/radix/naive/{key_type}/n:{n}/manual_time", names)

    def test_figures(self):
        report = measure("^cpu/(radix/naive|merge/simd)/(u32|u64)/n:1024/")
        for fact in ("git_revision", "cpu", "num_cpus", "library_build_type"):
            self.assertIn(fact, report["context"])
        by_name = {b["name"]: b for b in report["benchmarks"]}
        self.assertEqual(len(by_name), 4)
        for name, figures in by_name.items():
            self.assertEqual(figures["time_unit"], "us", name)
            self.assertGreater(figures["iterations"], 0, name)
            keys_per_s = 1024 / (figures["real_time"] * 1e-6)
            self.assertAlmostEqual(figures["keys/s"] / keys_per_s, 1, places=3, msg=name)
            width = 8 if "/u64/" in name else 4
            self.assertAlmostEqual(figures["bytes/s"] / figures["keys/s"], width, places=3, msg=name)

    def test_repetitions(self):
        report = measure("^cpu/radix/naive/u32/n:1024/", "--benchmark_repetitions=3")
        kinds = [b["run_type"] for b in report["benchmarks"]]
        self.assertEqual(kinds.count("iteration"), 3)
        self.assertIn("median", [b.get("aggregate_name") for b in report["benchmarks"]])

    def test_a_sort_that_goes_wrong(self):
        report = measure("^(tests/faulty/(answers_wrong|overruns)|cpu/std_sort/naive)/u32/n:1024/",
                         program=FAULTY, expect=1)
        errors = {b["name"].split("/u32")[0]: b.get("error_message") for b in report["benchmarks"]}
        self.assertEqual(errors, {
            "cpu/std_sort/naive": None,
            "tests/faulty/answers_wrong": "wrong result: not a permutation of the input",
            "tests/faulty/overruns": "wrote outside of its keys"})

    def test_mistakes(self):
        self.assertEqual(call("--benchmark_fliter=x").returncode, 2)
        self.assertEqual(call("--benchmark_filter=cpu/radix/niave").returncode, 2)


if __name__ == "__main__":
    unittest.main()
