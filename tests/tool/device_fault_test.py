"""A faulty GPU sort costs only its own row: the next configuration is measured as usual."""

import csv
import os
import subprocess
import sys
import tempfile
import unittest

FAULTY = os.environ["SORTLAB_FAULTY"]
SKIPPED = 77


def run(*arguments):
    return subprocess.run([FAULTY, *arguments], capture_output=True, text=True, timeout=300)


def rows_of(*arguments):
    """Measures 1024 u32 keys with the variants of the filter, and returns the CSV's rows."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "rows.csv")
        done = run("run", "--n", "1K", "--max-samples", "5", "--csv", path, *arguments)
        with open(path, newline="") as file:
            return done, list(csv.DictReader(file))


class DeviceFaults(unittest.TestCase):
    def check(self, faulty, status, reason):
        # All in one plan: configurations run in the order of their variants' ids, sizes first.
        done, rows = rows_of("--filter", f"tests/faulty_device/{faulty},gpu/bitonic/two_phase",
                             "--n", "2K")
        self.assertEqual(done.returncode, 1, done.stderr)
        bad = [row for row in rows if row["variant"].startswith("tests/")]
        good = [row for row in rows if row["variant"].startswith("gpu/")]
        self.assertEqual(len(bad), 2, bad)
        for row in bad:
            self.assertEqual(row["status"], status)
            self.assertIn(reason, row["reason"])
        self.assertEqual({row["n"] for row in good if row["status"] == "ok"}, {"1024", "2048"})
        return bad

    def test_a_kernel_that_faults(self):
        for row in self.check("traps", "failed", "tests/faulty_device/traps at n = "):
            self.assertIn(row["n"], row["reason"])

    def test_a_launch_that_fails(self):
        self.check("launches_badly", "failed", "launch of nothing: ")

    def test_a_key_past_the_end(self):
        self.check("overruns", "failed", "wrote outside of its keys")

    def test_a_breakdown_of_nothing(self):
        done = run("run", "--filter", "cpu/std_sort/naive", "--n", "1K", "--breakdown")
        if "--breakdown: " in done.stderr:
            self.skipTest(done.stderr)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("nothing was recorded", done.stderr)

    def test_a_breakdown_keeps_the_rows_of_others(self):
        with tempfile.TemporaryDirectory() as folder:
            for n in ["1K", "2K", "1K"]:
                done = run("run", "--filter", "gpu/bitonic/two_phase", "--n", n, "--breakdown", "--csv", f"{folder}/run.csv")
                if "--breakdown: " in done.stderr:
                    self.skipTest(done.stderr)
                self.assertEqual(done.returncode, 0, done.stderr)
            with open(f"{folder}/run.breakdown.csv", encoding="utf-8") as text:
                rows = [(row["n"], row["activity"]) for row in csv.DictReader(text)]
        self.assertEqual({n for n, activity in rows}, {"1024", "2048"})
        self.assertEqual(len(rows), len(set(rows)))

    def test_lanes_that_rank_backwards_are_repaired(self):
        for values in ([], ["--pairs"]):
            done, rows = rows_of("--filter", "tests/faulty_device/scrambles_lanes", *values,
                                 "--n", "33,769,100003", "--type", "u32,f64",
                                 "--dist", "uniform,reverse,dups16,equal")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual({row["status"] for row in rows}, {"ok"})
            self.assertEqual({row["n"] for row in rows}, {"33", "769", "1024", "100003"})


if __name__ == "__main__":
    doctor = run("doctor").stdout
    if "\nGPU          none in use" in doctor:
        print("no GPU to try it on")
        sys.exit(SKIPPED)
    unittest.main()
