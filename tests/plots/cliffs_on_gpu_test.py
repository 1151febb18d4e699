"""gpu/auto has no cliffs (plots/cliffs.py): a part of --matrix auto-steps, twice."""

import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir)
sys.path.insert(0, os.path.join(ROOT, "plots"))
import cliffs  # noqa: E402

SORTLAB = os.path.join(os.environ["SORTLAB_BIN"], "sortlab")
TUNED_FOR = "NVIDIA H200"
SKIPPED = 77


class Cliffs(unittest.TestCase):
    def measure(self, folder, name):
        csv = os.path.join(folder, name)
        done = subprocess.run([SORTLAB, "run", "--matrix", "auto-steps", "--part", "gpu", "--type", "u32", "--n", "256K..16M*1.05",
                               "--csv", csv], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300,
                              env={**os.environ, "SORTLAB_TUNE": ""})
        self.assertEqual(done.returncode, 0, done.stdout)
        return csv

    def test_time_grows_evenly(self):
        with tempfile.TemporaryDirectory() as folder:
            runs = [self.measure(folder, name) for name in ("run.csv", "again.csv")]
            said = io.StringIO()
            with contextlib.redirect_stdout(said):
                code = cliffs.main(runs)
        self.assertEqual((code, said.getvalue()), (0, "0 cliffs in 6 series of 510 steps\n"), said.getvalue())


if __name__ == "__main__":
    machine = json.loads(subprocess.run([SORTLAB, "doctor", "--format", "json"], capture_output=True, text=True).stdout)
    gpu = (machine["gpu"] or {}).get("name")
    if gpu != TUNED_FOR:
        print(f"gpu/auto was tuned for an {TUNED_FOR}; here is {gpu or 'no GPU'}")
        sys.exit(SKIPPED)
    unittest.main()
