#!/usr/bin/env python3
"""bench/busy.py: measures under each load, and leaves no process behind."""

import csv
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
SORTLAB = os.path.join(os.environ["SORTLAB_BIN"], "sortlab")


class Busy(unittest.TestCase):
    def busy(self, *arguments):
        return subprocess.run([sys.executable, ROOT / "bench/busy.py", *arguments], capture_output=True,
                              text=True, timeout=60)

    def test_a_row_for_each_load_and_size(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "busy.csv")
            done = self.busy(SORTLAB, path, "--filter", "cpu/auto/auto", "--n", "1K,2K", "--loads", "0,1,1t",
                             "--rounds", "1", "--time", "0.01")
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(path, encoding="utf-8") as file:
                rows = list(csv.DictReader(file))
        self.assertEqual({(row["load"], row["n"]) for row in rows},
                         {(load, n) for load in ("0", "1", "1t") for n in ("1024", "2048")})
        for row in rows:
            self.assertGreater(int(row["mkeys_per_s"]), 0)
            self.assertGreaterEqual(float(row["p90_over_median"]), 1)
            self.assertNotEqual(row["git_revision"], "")

    def test_a_sort_that_is_none(self):
        done = self.busy(SORTLAB, os.devnull, "--filter", "cpu/nothing", "--loads", "0", "--rounds", "1")
        self.assertEqual(done.returncode, 1)
        self.assertIn("cpu/nothing", done.stderr)


if __name__ == "__main__":
    unittest.main()
