"""What measures the exhibits in parts, and what profiles the papers' kernels: bench/exhibits.py, bench/profile_kernels.py."""

import contextlib
import csv
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
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
# A sortlab with one configuration per filter, and one more without: it measures what its CSV lacks.
SORTS_AT_ONCE = """#!/usr/bin/env python3
import json, os, signal, sys, time
from pathlib import Path
given = dict(zip(sys.argv[3::2], sys.argv[4::2]))
out, part = Path(given["--out"]), given.get("--filter", "all").replace(",", "+")
out.mkdir(parents=True, exist_ok=True)
csv, runs = out / "samples.csv", out / "samples.run.json"
text = csv.read_text() if csv.exists() else "schema_version,run_id,config_id,cpus\\n"
if f",{part}," not in text:
    if (Path(__file__).parent / "wait").exists():
        signal.signal(signal.SIGINT, lambda *_: sys.exit(130))
        time.sleep(60)
    csv.write_text(text + f"1,run of {part},{part},{min(os.sched_getaffinity(0))}\\n")
    runs.write_text(json.dumps((json.loads(runs.read_text()) if runs.exists() else {}) | {f"run of {part}": {}}))
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
        self.assertEqual(exhibits.seconds_of("cpu", 0.001, 1000), exhibits.LEAST_S)
        self.assertAlmostEqual(exhibits.seconds_of("cpu", 1, 10**8), 6 * (1 + 0.6))
        self.assertAlmostEqual(exhibits.seconds_of("gpu", 10, 10**8), 4 * (10 + 0.2))
        text = self.printed(exhibits, "predict")
        self.assertRegex(text, r"cpu/bitonic/\* +\d+ s +\d+ configurations, the longest \d+ s\n")
        self.assertRegex(text, r"all +\d+ s, ")

    def test_sorts_of_one_thread_are_shared_evenly(self):
        alone = sorted(variant for variants, _ in exhibits.shares(exhibits.EARLIER, 1) for variant in variants)
        self.assertIn("cpu/radix/naive", alone)
        self.assertNotIn("cpu/radix/parallel", alone)
        lists = exhibits.shares(exhibits.EARLIER, 3)
        self.assertEqual(sorted(variant for variants, _ in lists for variant in variants), alone)
        seconds = [taken for _, taken in lists]
        self.assertLess(max(seconds), 1.2 * min(seconds))
        self.assertEqual(len(exhibits.shares(exhibits.EARLIER, 100)), len(alone))

    def rows(self, path):
        return sorted(exhibits.rows_of(path), key=lambda row: row["config_id"])

    def together(self, *words, expect=0):
        program = self.program("sortlab", SORTS_AT_ONCE)
        return self.printed(exhibits, "together", self.folder / "out", "--sortlab", program, *words, expect=expect)

    def test_sorts_of_one_thread_run_at_once(self):
        first, last = min(os.sched_getaffinity(0)), max(os.sched_getaffinity(0))
        call = ("--cpus", first, "--alone", f"{last},{first}")
        self.together(*call)
        path = self.folder / "out" / "samples.csv"
        rows = self.rows(path)
        shares = ["+".join(variants) for variants, _ in exhibits.shares(exhibits.EARLIER, 2)]
        self.assertEqual({row["config_id"]: row["cpus"] for row in rows},
                         {shares[0]: str(last), shares[1]: str(first), "all": str(first)})
        runs = json.loads((self.folder / "out" / "samples.run.json").read_text())
        self.assertEqual(set(runs), {row["run_id"] for row in rows})
        self.together(*call)
        self.assertEqual(self.rows(path), rows)

    def test_sorts_at_once_are_interrupted_in_time(self):
        (self.folder / "wait").touch()
        self.assertIn("the same command resumes", self.together("--cpus", "0", "--alone", "0", "--seconds", "2", expect=1))
        self.assertFalse((self.folder / "out" / "samples.csv").exists())

    def test_what_is_not_done_in_time_is_resumed(self):
        call = ("measure", self.folder / "out", "--sortlab", SORTLAB, "--part", "cpu/quick/parallel", "--seconds", "2")
        done = subprocess.run([sys.executable, ROOT / "bench" / "exhibits.py", *map(str, call)], capture_output=True, text=True, timeout=200)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("the same command resumes", done.stderr)
        self.assertTrue((self.folder / "out" / "samples.csv").exists())

    def test_what_is_missing_is_named_in_one_line(self):
        def refused(*words, name):
            with contextlib.redirect_stderr(io.StringIO()) as err:
                self.assertEqual(exhibits.run(list(map(str, words))), 2)
            self.assertEqual(err.getvalue(), f"exhibits: {name}: No such file or directory\n")
        none = self.folder / "none"
        refused("predict", "--earlier", none, name=none)
        refused("measure", self.folder / "out", "--sortlab", none, name=none)
        refused("gpus", none, none, name=none / "fraidakis-total-times.csv")
        with contextlib.redirect_stderr(io.StringIO()) as err, self.assertRaises(SystemExit) as ended:
            exhibits.run(["measure", "out", "--seconds", "-1"])
        self.assertEqual(ended.exception.code, 2)
        self.assertIn("--seconds", err.getvalue())

    def test_a_refusal_of_sortlab_is_not_called_a_lack_of_time(self):
        words = ("measure", self.folder / "out", "--sortlab", SORTLAB, "--part", "cpu/bogo/*")
        done = subprocess.run([sys.executable, ROOT / "bench" / "exhibits.py", *map(str, words)], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 2)
        self.assertIn("cpu/bogo/*", done.stderr)

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
        smi = self.program("nvidia-smi", "#!/bin/sh\necho NVIDIA of $1\n")
        text = self.printed(profile_kernels, "--ncu", ncu, "--smi", smi, "--sortlab", SORTLAB, "--only", "gpu/bitonic/v0")
        row, = csv.DictReader(io.StringIO(text))
        self.assertEqual((row["variant"], row["kernel"], row["launches"]), ("gpu/bitonic/v0_step_per_launch", "compare_swap", "2"))
        self.assertEqual(row["device"], "NVIDIA of --id=GPU")
        self.assertTrue(row["revision"])
        path = self.folder / "profiles.csv"
        path.write_text(text)
        self.assertEqual(profile_tables.profile("bitonic", path)[1],
                         ["v0_step_per_launch threads=1024,scheme=1", "2^24", "compare_swap", "100 %", "80 %", "35 %", "50.0", "4"])
        self.assertEqual(len(profile_tables.profile("merge", path)), 1)

    def test_refused_counters_are_told(self):
        ncu = self.program("ncu", "#!/bin/sh\necho '==ERROR== ERR_NVGPUCTRPERM - no permission'\nexit 1\n")
        self.assertIn("ERR_NVGPUCTRPERM", self.printed(profile_kernels, "--ncu", ncu, "--sortlab", SORTLAB, expect=3))
        self.printed(profile_kernels, "--ncu", self.folder / "none", "--sortlab", SORTLAB, expect=3)

    def test_a_missing_program_is_named(self):
        none = self.folder / "none"
        self.assertEqual(self.printed(profile_kernels, "--sortlab", none, expect=2), f"profile_kernels: {none}: No such file or directory\n")

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
