"""What measures the exhibits in parts, and what profiles the papers' kernels: bench/exhibits.py, bench/profile_kernels.py."""

import contextlib
import csv
import io
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "bench"), str(ROOT / "plots")]
import exhibits  # noqa: E402
import profile_kernels  # noqa: E402
import profile_tables  # noqa: E402

SORTLAB = Path(os.environ["SORTLAB_BIN"]) / "sortlab"
REPORT = """==PROF== Connected to process 7
"ID","Kernel Name","Device","{metrics}"
"","","","{units}"
"0","void sortlab::gpu::bitonic::compare_swap<1, sortlab::KeyLess<unsigned int>>(Items<unsigned int>, unsigned long)","GPU","{first}"
"1","compare_swap","GPU","{second}"
"""


class Script(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def printed(self, script, *words, expect=0):
        with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err:
            self.assertEqual(script.main(list(map(str, words))), expect)
        return out.getvalue() + err.getvalue()

    def program(self, name, text):
        path = self.folder / name
        path.write_text(text)
        path.chmod(0o755)
        return path


class Exhibits(Script):
    def test_slow_sorts_are_predicted_with_fewer_samples(self):
        self.assertEqual(exhibits.seconds_of(0.001), exhibits.LEAST_S)
        self.assertAlmostEqual(exhibits.seconds_of(1), 6 * exhibits.PER_SAMPLE)
        self.assertAlmostEqual(exhibits.seconds_of(10), 4 * 10 * exhibits.PER_SAMPLE)
        text = self.printed(exhibits, "predict")
        self.assertRegex(text, r"cpu/bitonic/\* +\d+ s +\d+ configurations, the longest \d+ s\n")
        self.assertRegex(text, r"all +\d+ s, ")

    def test_what_is_not_done_in_time_is_resumed(self):
        call = ("measure", self.folder / "out", "--sortlab", SORTLAB, "--part", "cpu/quick/parallel", "--seconds", "2")
        done = subprocess.run([sys.executable, ROOT / "bench" / "exhibits.py", *map(str, call)], capture_output=True, text=True, timeout=200)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("the same command resumes", done.stderr)
        self.assertTrue((self.folder / "out" / "samples.csv").exists())

    def test_a_control_build_is_shown_beside_ours(self):
        for folder, ms, times in (("own", 100, 3), ("native", 80, 2)):
            (self.folder / folder).mkdir()
            (self.folder / folder / "goralija-table-1.csv").write_text(
                f"row,column,unit,published,measured\nMerge sort,Naive,ms,26266,{ms}\nMerge sort,Speedup,x,9.5,{times}\n")
        lines = self.printed(exhibits, "control", self.folder / "own", self.folder / "native").splitlines()
        self.assertEqual(lines[2:], ["| Merge sort, Naive | ms | 26266 | 100 | 80 | 1.25x |", "| Merge sort, Speedup | x | 9.5 | 3 | 2 | 0.67x |"])


    def test_two_gpus_gain_alike_or_not(self):
        for folder, v1 in (("a", 10), ("b", 20)):
            (self.folder / folder).mkdir()
            (self.folder / folder / "fraidakis-total-times.csv").write_text(
                f"row,column,measured,reason\n2^20,V0,40,\n2^20,V1,{v1},\n2^20,V2,{v1 / 2},\n2^21,V0,9,n = 2^10 in place of 2^21\n")
        text = self.printed(exhibits, "gpus", self.folder / "a", self.folder / "b")
        self.assertIn("| 2^20 | V1 over V0 | 4.00x | 2.00x | no |\n| all | V1 over V0 | | | refuted: 0 of 1 |", text)
        self.assertIn("| all | V2 over V1 | | | confirmed: 1 of 1 |", text)
        self.assertIn("| all | V3 over V2 | | | nothing to tell: 0 of 0 |", text)


class Profiles(Script):
    def report(self):
        return REPORT.format(metrics='","'.join(profile_kernels.METRICS), units='","'.join(["u"] * 9),
                             first='","'.join(["1,000", "50", "20", "300", "200", "5", "100", "7", "1"]),
                             second='","'.join(["3000", "90", "40", "100", "100", "5", "100", "0", "0"]))

    def test_launches_of_a_kernel_are_summed(self):
        (place, launches), = profile_kernels.kernels_of(self.report()).items()
        self.assertEqual(place, ("compare_swap", "GPU"))
        self.assertEqual(profile_kernels.summed(launches), (2, "4000", "80.0", "35.0", "700", "50.0", "8"))

    def test_a_csv_and_its_table(self):
        ncu = self.program("ncu", f"#!/bin/sh\ncat <<'END'\n{self.report()}END\n")
        text = self.printed(profile_kernels, "--ncu", ncu, "--only", "gpu/bitonic/v0")
        row, = csv.DictReader(io.StringIO(text))
        self.assertEqual((row["variant"], row["kernel"], row["launches"]), ("gpu/bitonic/v0_step_per_launch", "compare_swap", "2"))
        path = self.folder / "profiles.csv"
        path.write_text(text)
        self.assertEqual(profile_tables.profile("bitonic", path)[1][:5], ["v0_step_per_launch threads=1024,scheme=1", "compare_swap", "2", "80 %", "35 %"])
        self.assertEqual(len(profile_tables.profile("merge", path)), 1)

    def test_refused_counters_are_told(self):
        ncu = self.program("ncu", "#!/bin/sh\necho '==ERROR== ERR_NVGPUCTRPERM - no permission'\nexit 1\n")
        self.assertIn("ERR_NVGPUCTRPERM", self.printed(profile_kernels, "--ncu", ncu, expect=3))
        self.printed(profile_kernels, "--ncu", self.folder / "none", expect=3)

    def test_sorts_parameters_and_kernels_exist(self):
        sources = "".join(path.read_text() for path in (ROOT / "gpu").rglob("*.cu*"))
        launched = set(re.findall(r'launch\("(\w+)"', sources)) | {"sort_leaves"}
        for variant, params, kernels in profile_kernels.SORTS:
            text = (ROOT / f"{variant}.cu").read_text()
            self.assertLessEqual(set(kernels.split("|")), launched, variant)
            for param in filter(None, params.split(",")):
                name = param.split("=")[0]
                self.assertTrue(f'"{name}"' in text or "kParams" in text, f"{variant} {name}")


if __name__ == "__main__":
    unittest.main()
