"""`sortlab ladder`, `trace` and `new`, the lessons that quote them, and the figures that they show."""

import os
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "plots"))
import ladder_records  # noqa: E402
import lessons  # noqa: E402
import variants  # noqa: E402

SORTLAB = Path(os.environ["SORTLAB_BIN"]) / "sortlab"
FAULTY = Path(os.environ["SORTLAB_FAULTY"])
STARTER = ROOT / "tests" / "starter" / "cpu" / "mine" / "first.cpp"
SVG = "{http://www.w3.org/2000/svg}"
LADDERS = [f"{side}/{algorithm}" for side in ("cpu", "gpu")
           for algorithm in ("bitonic", "merge", "quick", "radix", "std_sort")]


class Command(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def call(self, *arguments, program=SORTLAB, expect=0):
        environment = os.environ | {"COLUMNS": "100", "NO_COLOR": "1"}
        done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, env=environment,
                              cwd=self.folder, timeout=300)
        self.assertEqual(done.returncode, expect, done.stderr)
        return done.stdout if expect != 2 else done.stderr

    def refused(self, *arguments, names):
        said = self.call(*arguments, expect=2)
        self.assertEqual(said.count("\n"), 1, said)
        for name in names:
            self.assertIn(name, said)


class Ladder(Command):
    def test_every_rung_has_its_place_idea_and_file(self):
        after = variants.of_sources()
        for ladder in LADDERS:
            text = self.call("ladder", ladder, "--recorded")
            for rung in (v for v in after if variants.ladder_of(v) == ladder):
                name = rung.rsplit("/", 1)[-1]
                self.assertRegex(text, rf"(?m)^(?:[│ ]*[└├]─ )?{name}(?: |$)", ladder)
                self.assertRegex(text, rf"(?m)^{name}: {rung}\.cp?p?u?, \d+ lines\n    \S", ladder)

    def test_siblings_are_branches(self):
        rows = self.call("ladder", "gpu/bitonic", "--recorded").splitlines()
        branches = [re.match(r"([│ ]*[└├]─ )?(\w+)", row).groups() for row in rows[4:11]]
        self.assertEqual(branches[4:], [
            ("         └─ ", "v3_warp_register"), ("            ├─ ", "two_phase"), ("            └─ ", "v4_multi_step")])
        shown = self.call("show", "cpu/radix/hybrid")
        self.assertIn("└─ [cpu/radix/hybrid]\n", shown)
        self.assertRegex(shown, r"├─ cpu/radix/pairs\n +└─ cpu/radix/simd\n")

    def test_recorded_figures_are_those_of_the_csv(self):
        rows = {row["variant"]: row for row in ladder_records.rows_of(ladder_records.RECORDS) if row["machine"] == "h200"}
        text = self.call("ladder", "gpu/merge", "--recorded")
        self.assertIn("128M uniform u32 keys, NVIDIA H200\nfrom results/h200, revisions ", text)
        for name in ("coarsened", "block_merge"):
            row = rows[f"gpu/merge/{name}"]
            rate = float(row["n"]) / float(row["median_ns"]) * 1e3
            self.assertRegex(text, rf"─ {name} +{rate:.0f} +{float(row['gain']):.2f}x +{row['launches']} ")
            self.assertIn(row["revision"], text)

    def test_measures_here_what_can_run_here(self):
        text = self.call("ladder", "cpu/radix", "--n", "1000")
        self.assertRegex(text, r"cpu/radix: 1000 uniform u32 keys, .*\nmeasured now, revision \w+.*, each result verified\n")
        self.assertRegex(text, r"─ optimized +[\d.]+ +\d+ % +[\d.]+x")
        self.assertRegex(text, r"─ pairs +not measured: ")
        self.assertNotIn("results/", text)

    def test_nothing_measured_is_said(self):
        text = self.call("ladder", "cpu/std_sort", "--n", "1e14", expect=3)
        self.assertIn("no rung was measured: choose another --n", text)
        self.assertNotIn("measured now", text)

    def test_a_wrong_result_is_said(self):
        text = self.call("ladder", "cpu/mine", "--n", "1000", program=FAULTY, expect=1)
        self.assertRegex(text, r"first +FAILED: ")

    def test_diff(self):
        text = self.call("ladder", "gpu/bitonic", "--diff", "v1", "v2_shared")
        self.assertTrue(text.startswith("--- gpu/bitonic/v1_fused.cu\n+++ gpu/bitonic/v2_shared.cu\n@@ "), text[:200])
        self.assertIn("\n+  gpu::copy_items(s_tile, data.from(first), count);\n", text)
        self.assertEqual(self.call("ladder", "cpu/merge", "--diff", "naive", "cpu/merge/naive"), "")

    def test_bad_input_is_one_line(self):
        self.refused("ladder", "gpu/bitonc", names=["unknown ladder 'gpu/bitonc'", "nearest: gpu/bitonic"])
        self.refused("ladder", "cpu/baselines", names=["unknown ladder"])
        self.refused("ladder", "cpu/radix", "--n", "0", names=["--n"])
        self.refused("ladder", "cpu/radix", "--n", "many", names=["'many' is not a count"])
        self.refused("ladder", "cpu/radix", "--recorded", "--n", "1K", names=["--n"])
        self.refused("ladder", "gpu/bitonic", "--diff", "v", "v1", names=["rung 'v'", "v0_step_per_launch, v1_fused"])
        self.refused("ladder", "gpu/bitonic", "--diff", "v1", "v9", names=["unknown rung 'v9'", "nearest: "])
        self.refused("ladder", names=["LADDER"])


class Records(unittest.TestCase):
    def test_they_are_what_the_results_say(self):
        text = ladder_records.text_of(ladder_records.records(ROOT / "results", variants.of_sources()))
        self.assertEqual(ladder_records.RECORDS.read_text(encoding="utf-8"), text,
                         "python3 plots/ladder_records.py rewrites it")

    def test_a_gain_is_over_the_rung_before_from_one_file_where_one_holds_both(self):
        def median(ns, file, revision):
            return ladder_records.Median(ns, 0, "GPU", file, revision, "")

        medians = {("b", 1024): [median(50.0, "new", "r2"), median(80.0, "old", "r1")], ("a", 1024): [median(160.0, "old", "r1")],
                   ("c", 1024): [median(10.0, "new", "r2")], ("c", 2048): [median(10.0, "new", "r2")]}
        self.assertEqual(ladder_records.gain_over("a", "b", 1024, medians, {}), (1024, 2.0, "r1"))
        self.assertEqual(ladder_records.gain_over("unmeasured", "c", 2048, medians, {"unmeasured": "a"}), (1024, 16.0, "r2 r1"))
        self.assertIsNone(ladder_records.gain_over("nothing", "b", 1024, medians, {}))
        self.assertEqual(ladder_records.common_size(["a", "b", "c"], medians), 1024)


class Trace(Command):
    def test_text(self):
        head, _, first, *steps = self.call("trace", "gpu/bitonic", "--keys", "4,3,2,1").splitlines()
        self.assertEqual(head, "bitonic, 4 keys: 3 steps, 6 comparisons, 8 moves")
        self.assertEqual(first.split(), ["input", "4", "3", "2", "1"])
        self.assertEqual(re.findall(r"\d+", steps[-1])[-4:], ["1", "2", "3", "4"])
        self.assertEqual(self.call("trace", "cpu/merge/simd"), self.call("trace", "gpu/merge"))

    def test_the_picture_moves_each_key_to_its_place(self):
        for algorithm in lessons.TRACED:
            self.call("trace", f"cpu/{algorithm}", "--n", "9", "-o", "steps.svg")
            tree = xml.parse(self.folder / "steps.svg")
            self.assertEqual(tree.findall(f".//{SVG}script"), [])
            keys = {}
            for group in tree.findall(f".//{SVG}g[@class='key']"):
                move = group.find(f"{SVG}animateTransform")
                places = [int(place.split()[0]) for place in move.get("values").split(";")]
                times = [float(time) for time in move.get("keyTimes").split(";")]
                self.assertEqual(len(places), len(times), algorithm)
                self.assertEqual(times, sorted(times), algorithm)
                self.assertEqual((times[0], times[-1]), (0, 1), algorithm)
                keys[places[-1]] = int(group.find(f"{SVG}text").text)
            self.assertEqual(len(keys), 9, algorithm)
            in_place = [keys[place] for place in sorted(keys)]
            self.assertEqual(in_place, sorted(in_place), algorithm)

    def test_bad_input_is_one_line(self):
        self.refused("trace", "cpu/std_sort", names=["cpu/std_sort", "nearest: "])
        for n in ("0", "65", "x", "-1"):
            self.refused("trace", "cpu/merge", "--n", n, names=["--n", "1 to 64"])
        self.refused("trace", "cpu/merge", "--keys", "1,100", names=["--keys 100", "0 to 99"])
        self.refused("trace", "cpu/merge", "--keys", "1,,2", names=["--keys"])
        self.refused("trace", "cpu/merge", "--keys", ",".join(["1"] * 65), names=["at most 64"])
        (self.folder / "kept.csv").write_text("n\n1\n")
        self.refused("trace", "cpu/merge", "-o", "kept.csv", names=["kept.csv: holds something other than a picture"])
        self.assertEqual((self.folder / "kept.csv").read_text(), "n\n1\n")
        self.refused("trace", "cpu/merge", "-o", "no/such/folder/x.svg", names=["no/such/folder/x.svg"])


class New(Command):
    def test_it_is_the_file_that_compiles_here_and_fails(self):
        (self.folder / "cpu").mkdir()
        said = self.call("new", "cpu/mine/first", "--root", self.folder)
        self.assertIn("verify --filter cpu/mine/first", said)
        written = (self.folder / "cpu" / "mine" / "first.cpp").read_text(encoding="utf-8")
        self.assertEqual(written, STARTER.read_text(encoding="utf-8"))
        failed = self.call("verify", "--filter", "cpu/mine/first", "--type", "u32", "--n", "1000", "--dist", "uniform",
                           program=FAULTY, expect=1)
        self.assertIn("FAILED cpu/mine/first", failed)

    def test_one_expression_mends_it(self):
        def sort_of(file):
            return file.read_text(encoding="utf-8").split("const typename Job::Less less;")[1].split("return")[0]

        sound = next((ROOT / "tests" / "dropin").rglob("*.cpp"))
        self.assertNotEqual(sort_of(STARTER), sort_of(sound))
        self.assertEqual(sort_of(STARTER).replace("i + 1 < job.n", "i < job.n"), sort_of(sound))

    def test_bad_input_is_one_line(self):
        for wrong in ("mine", "gpu/mine/first", "cpu/mine/First", "cpu/../first", "cpu/mine/first.cpp"):
            self.refused("new", wrong, "--root", self.folder, names=[wrong, "cpu/mine/first"])
        self.refused("new", "cpu/mine/first", "--root", self.folder, names=["not a source tree"])
        (self.folder / "cpu" / "mine").mkdir(parents=True)
        (self.folder / "cpu" / "mine" / "first.cpp").write_text("mine", encoding="utf-8")
        self.refused("new", "cpu/mine/first", "--root", self.folder, names=["first.cpp is there already"])


class Lessons(unittest.TestCase):
    def test_outputs_quotes_and_pictures_are_true(self):
        pages = sorted(lessons.LESSONS.glob("*.md"))
        self.assertEqual([page.stem for page in pages], ["bitonic", "merge", "quick", "radix", "std_sort"])
        self.assertEqual([fault for page in pages for fault in lessons.faults(page, SORTLAB)], [])
        for file, svg in lessons.pictures(SORTLAB).items():
            self.assertEqual(file.read_text(encoding="utf-8"), svg, file)

    def test_each_has_five_steps_with_all_that_a_step_needs(self):
        for page in lessons.LESSONS.glob("*.md"):
            steps = re.split(r"(?m)^## ", page.read_text(encoding="utf-8"))[1:]
            steps = [step for step in steps if step.startswith("Step ")]
            self.assertEqual(len(steps), 5, page.name)
            for step in steps:
                for part in ("**Idea.**", "```text\n", "**The lines", "```cpp\n", "**Predict the gain.**", "**See it.**",
                             "```console\n$ sortlab ", "**What the profiler shows.**", "**Exercise.**"):
                    self.assertIn(part, step, f"{page.name}: {step.splitlines()[0]}")

    def test_what_is_not_true_is_found(self):
        text = ("It gains 1.73x, not 9.99x.\n\n```console\n$ sortlab --version\n1.73x\n```\n\n"
                "```cpp\n// cpu/merge/optimized.cpp\n      std::swap(from, to);\n  no_such_line();\n```\n")
        self.assertEqual(lessons.unknown_factors(text), ["9.99x"])
        self.assertEqual([fault.split(": ")[-1] for fault in lessons.untrue_quotes(text)], ["no_such_line();"])
        self.assertNotEqual(lessons.renewed(text, SORTLAB), text)
        self.assertTrue(lessons.missing_lines(ROOT / "no_such_file", "x"))


if __name__ == "__main__":
    unittest.main()
