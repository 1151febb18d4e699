"""The rank of the suite's own choice among its rivals: from a small summary made here, and the page from the files in
results/."""

import contextlib
import io
import json
import re
import sys
import tempfile
import unittest
import unittest.mock
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "plots"))
import rivals  # noqa: E402
from standings import finding, ratio_label, standings  # noqa: E402

HEADER = ("variant,device,key_type,value_bytes,order,n,dist,dist_param,threads,host_mem,cache,launch,load,status,reason,median_ns")
RUN = {"id": {"build": {"git_revision": "0123456789ab", "git_dirty": False},
              "cpu": {"model": "Some CPU", "threads": 16}, "gpu": {"name": "Some GPU"}}}


def row(variant, dist, threads, median_ns, status="ok", reason="", **other):
    fields = {"variant": variant, "device": "Some CPU", "key_type": "u32", "value_bytes": 0, "order": "asc", "n": 1024, "dist": dist,
              "dist_param": "", "threads": threads, "host_mem": "none", "cache": "hot", "launch": "stream", "load": 0,
              "status": status, "reason": reason, "median_ns": median_ns} | other
    return ",".join(str(fields[column]) for column in HEADER.split(","))


def skipped(variant, dist, threads, reason="has no code for u32", status="skipped"):
    return row(variant, dist, threads, "", status, reason)


MANY = [
    row("cpu/auto/auto", "morton", 16, 100), row("cpu/auto/auto", "text", 16, 100), row("cpu/auto/auto", "morton", 1, 1000),
    row("cpu/baselines/ips4o_parallel_sort", "morton", 16, 50), row("plugin/ips4o/parallel", "morton", 16, 40),
    row("plugin/ips4o/parallel", "text", 16, 200), row("plugin/ips4o/parallel", "morton", 1, 2000),
    row("cpu/baselines/vqsort", "morton", 1, 400), row("cpu/baselines/vqsort", "text", 1, 150),
    skipped("cpu/baselines/ips4o_parallel_sort", "text", 16), row("cpu/radix/simd", "text", 16, 10),
]


class Standings(unittest.TestCase):
    def setUp(self):
        self.samples = Path(self.enterContext(tempfile.TemporaryDirectory())) / "real.csv.xz"

    def groups(self, rows):
        self.samples.with_name("real.summary.csv").write_text("\n".join([HEADER, *rows, ""]), encoding="utf-8")
        self.samples.with_name("real.run.json").write_text(json.dumps(RUN), encoding="utf-8")
        return standings(self.samples)

    def test_the_worst_input_comes_first_and_the_fastest_rival(self):
        group = self.groups(MANY)[16]
        self.assertEqual([(s.input.dist, s.best, s.ratio) for s in group],
                         [("morton", "ips4o/parallel", 0.4), ("text", "vqsort (1 thread)", 1.5)])
        self.assertEqual(list(group[0].rivals), ["ips4o/parallel", "ips4o_parallel_sort", "vqsort (1 thread)"])

    def test_one_thread_and_many_are_not_mixed(self):
        groups = self.groups(MANY)
        self.assertEqual(list(groups), [1, 16])
        self.assertEqual([s.rivals for s in groups[1]], [{"vqsort": 400, "ips4o/parallel": 2000}])

    def test_a_rival_that_did_not_run_is_named_with_the_reason(self):
        group = self.groups(MANY)[16]
        self.assertEqual(group[1].absent, {"ips4o_parallel_sort": "has no code for u32"})
        self.assertIn("- ips4o_parallel_sort (1 of 2 inputs): has no code for u32\n", rivals.reasons(group))
        failed = self.groups([*MANY, skipped("plugin/x/y", "text", 16, "crashed", "failed")])[16]
        self.assertEqual(failed[1].absent["x/y"], "failed: crashed")

    def test_an_input_that_ours_failed_on_is_the_worst(self):
        group = self.groups([*MANY, skipped("cpu/auto/auto", "logits", 16, "crashed", "failed"),
                             row("plugin/ips4o/parallel", "logits", 16, 70)])[16]
        self.assertEqual((group[0].input.dist, group[0].ratio), ("logits", 0))
        self.assertIn("| failed: crashed |", rivals.table(group))
        self.assertIn("1 without a time of ours", finding(group))

    def test_a_side_that_was_skipped_is_no_group(self):
        self.assertNotIn(0, self.groups([*MANY, skipped("gpu/auto/auto", "text", 0), row("plugin/g/g", "text", 0, 5)]))

    def test_ways_to_run_are_inputs_of_their_own(self):
        group = self.groups([row("gpu/auto/auto", "text", 0, 10), row("gpu/baselines/cub_radix", "text", 0, 20),
                             row("gpu/auto/auto", "text", 0, 10, launch="graph"),
                             row("gpu/baselines/cub_radix", "text", 0, 15, launch="graph")])[0]
        self.assertEqual([(s.input.more, s.ratio) for s in group], [("graph", 1.5), ("", 2)])

    def test_devices_are_not_mixed(self):
        other = row("cpu/baselines/tbb_parallel_sort", "text", 16, 1, device="Other CPU")
        self.assertEqual(self.groups([*MANY, other]), self.groups(MANY))

    def test_the_finding_counts(self):
        self.assertEqual(finding(self.groups(MANY)[16]), "cpu/auto leads on 1 of 2 inputs; worst 0.40 times the best rival, "
                         "on morton, u32, 1K; median 0.95")

    def test_a_section_names_the_machine_and_all_rivals(self):
        text = rivals.section(self.samples, self.groups(MANY)[16], "map.svg")
        self.assertIn("Some CPU, 16 CPUs, revision 0123456789ab; `real.csv.xz`.", text)
        self.assertIn("| 0.40 | morton | u32 | 1K | 10240 | ips4o/parallel 25600 | ips4o_parallel_sort 20480 | 3 |", text)
        self.assertIn("\n| ips4o/parallel, ips4o_parallel_sort, vqsort (1 thread) |\n", text)

    def test_types_that_a_rival_lacks_are_one_reason(self):
        self.assertEqual(rivals.in_one(["has no code for u64", "has no code for f32 pairs", "failed: crashed"]),
                         "has no code for f32 pairs, u64; failed: crashed")

    def test_mistakes_are_one_line(self):
        self.samples.with_name("cut.summary.csv").write_text("variant\ncpu/auto/auto\n", encoding="utf-8")
        for name in ("absent.csv", "cut.csv"):
            said = io.StringIO()
            with self.subTest(name), contextlib.redirect_stderr(said):
                self.assertEqual(rivals.main([str(self.samples.with_name(name)), "maps"]), 2)
                self.assertRegex(said.getvalue(), r"^rivals: [^\n]*\n$")


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.text = rivals.PAGE.read_text(encoding="utf-8")

    def test_it_says_what_was_measured(self):
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            self.assertEqual((rivals.main(["--check"]), said.getvalue()), (0, ""))

    def test_the_heat_maps_are_of_these_figures(self):
        for name in rivals.SECTIONS:
            if group := rivals.group_of(name):
                drawn = rivals.picture_of(name).read_text(encoding="utf-8")
                ratios = [ratio_label(standing.ratio) for standing in group[:rivals.MOST]]
                self.assertIn(f">{finding(group)}</text>", drawn)
                self.assertEqual(re.findall(r"font-weight: 700; font-size: 8px[^>]*>([\d.]+)<", drawn), ratios)

    def test_the_readme_says_the_same(self):
        lines = (ROOT / "README.md").read_text().split("## Results\n")[1].split("##")[0].splitlines()
        cells = {line.split(" | ")[0].strip("| "): line.strip("| ").split(" | ")[1:] for line in lines if line.startswith("| ")}
        for row, names in {"uniform": ("uniform_gpu", "uniform_gpu_h100", "uniform_cpu", "uniform_one_thread", "uniform_one_thread_amd"),
                           "of [programs](docs/inputs.md)": ("real_gpu", "real_gpu_h100", "real_cpu", "real_one_thread", "real_one_thread_amd")}.items():
            for name, cell in zip(names, cells[row], strict=True):
                said = finding(rivals.group_of(name))
                count, worst, median = re.search(r"leads on (\d+ of \d+) .*?worst ([\d.]+) .*median ([\d.]+)", said).groups()
                for figure in (count, worst, median):
                    self.assertRegex(cell, rf"(?<![\d.]){re.escape(figure)}(?![\d.]\d)", f"{row}: {said}")

    def test_every_section_is_there(self):
        self.assertEqual([match[2] for match in rivals.MARKED.finditer(self.text)], list(rivals.SECTIONS))

    def test_a_changed_figure_is_found_in_each(self):
        for match in rivals.MARKED.finditer(self.text):
            text = self.text[:match.end(3)] + "9" + self.text[match.end(3):]
            self.assertEqual(rivals.renew(text), (self.text, [match[2]]))

    def test_a_run_that_is_not_there_is_told(self):
        with unittest.mock.patch.dict(rivals.SECTIONS, {"real_gpu": ("h200/absent", rivals.on_gpu)}):
            text, _ = rivals.renew("<!-- rivals: real_gpu -->\n| 1 |\n<!-- /rivals -->")
        self.assertEqual(text, "<!-- rivals: real_gpu -->\nNot measured yet.\n<!-- /rivals -->")

    def test_unknown_section_is_one_line(self):
        with self.assertRaises(SystemExit) as stopped:
            rivals.renew("<!-- rivals: nonsense -->\n<!-- /rivals -->")
        self.assertIn("nonsense", str(stopped.exception))

    def test_bad_argument_is_exit_code_2(self):
        with contextlib.redirect_stderr(io.StringIO()):
            self.assertEqual(rivals.main(["--chekc"]), 2)


if __name__ == "__main__":
    unittest.main()
