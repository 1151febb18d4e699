"""The rank of the suite's own choice among its rivals, from a small summary made here."""

import contextlib
import io
import json
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "plots"))
import rivals  # noqa: E402
from standings import ANY_ORDER, KEYS, STABLE, contests, finding, score, standings  # noqa: E402

HEADER = ("variant,stable,device,key_type,value_bytes,order,n,dist,dist_param,threads,host_mem,cache,launch,load,status,reason,median_ns")
RUN = {"id": {"build": {"git_revision": "0123456789ab", "git_dirty": False},
              "cpu": {"model": "Some CPU", "threads": 16}, "gpu": {"name": "Some GPU"}}}


def row(variant, dist, threads, median_ns, status="ok", reason="", **other):
    fields = {"variant": variant, "stable": 0, "device": "Some CPU", "key_type": "u32", "value_bytes": 0, "order": "asc", "n": 1024, "dist": dist,
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


def pairs(variant, median_ns, threads=16, stable=1, dist="morton", **other):
    return row(variant, dist, threads, median_ns, value_bytes=4, stable=stable, **other)


class Grid(unittest.TestCase):
    def setUp(self):
        self.samples = Path(self.enterContext(tempfile.TemporaryDirectory())) / "grid.csv"

    def write(self, rows):
        self.samples.with_name("grid.summary.csv").write_text("\n".join([HEADER, *rows, ""]), encoding="utf-8")
        self.samples.with_name("grid.run.json").write_text(json.dumps(RUN), encoding="utf-8")

    def ratios(self, rows):
        self.write(rows)
        return {threads: {contest: [(s.ours_ns, s.best, s.ratio, s.choice) for s in group] for contest, group in groups.items()}
                for threads, groups in contests(self.samples).items()}

    def said(self, *arguments):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = rivals.main([*map(str, arguments)])
        return code, out.getvalue(), err.getvalue()

    def test_pairs_are_compared_with_stable_sorts_and_with_all(self):
        rows = [pairs("gpu/auto/auto", 100, 0, 0), pairs("gpu/auto/stable", 120, 0), pairs("gpu/radix/onesweep", 60, 0),
                pairs("gpu/radix/small", 80, 0, 0), pairs("plugin/libcusort/radix", 90, 0), pairs("plugin/s/hybrid", 50, 0, 0)]
        self.assertEqual(self.ratios(rows), {0: {STABLE: [(120, "libcusort/radix", 0.75, 0.5)],
                                                 ANY_ORDER: [(100, "s/hybrid", 0.5, 0.6)]}})

    def test_a_choice_that_is_stable_stands_for_any_order_until_there_is_another(self):
        rows = [pairs("cpu/auto/auto", 100), pairs("plugin/p/stable", 200), pairs("plugin/p/loose", 80, stable=0)]
        self.assertEqual(self.ratios(rows)[16], {STABLE: [(100, "p/stable", 2, 1)], ANY_ORDER: [(100, "p/loose", 0.8, 1)]})
        rows.append(pairs("cpu/auto/any", 40, stable=0))
        self.assertEqual(self.ratios(rows)[16], {STABLE: [(100, "p/stable", 2, 1)], ANY_ORDER: [(40, "p/loose", 2, 1)]})

    def test_keys_are_a_contest_of_their_own(self):
        rows = [*MANY, pairs("cpu/auto/auto", 100), pairs("plugin/p/stable", 200)]
        self.assertEqual([contest for contest in self.ratios(rows)[16]], [KEYS, STABLE, ANY_ORDER])
        self.assertEqual(self.ratios(rows)[16][KEYS], [(100, "ips4o/parallel", 0.4, 1), (100, "vqsort (1 thread)", 1.5, 0.1)])

    def test_the_noise_of_cpus_is_no_lead(self):
        self.assertEqual(score([1.2, 0.98, 0.97], 16), (2, 0.97, 0.98))
        self.assertEqual(score([1.2, 1.0, 0.99, 0.5], 0), (2, 0.5, 0.995))

    def test_it_says_per_type_and_per_kind(self):
        self.write([*MANY, row("cpu/auto/auto", "text", 16, 100, key_type="f64"), row("plugin/a/b", "text", 16, 300, key_type="f64"),
                    row("cpu/quick/simd", "text", 16, 80, key_type="f64")])
        code, text, _ = self.said("--grid", self.samples)
        self.assertEqual(code, 0)
        many = text.split("## 16 threads")[1]
        self.assertIn("**Keys alone: ahead on 2 of 3 cells; worst 0.40 times the best rival, on morton, u32, 1K; median 1.50. "
                      "Auto over our best: 0 of 2 cells at least 0.95; worst 0.10, on text, u32, 1K; median 0.45.**", many)
        for line in ("| all | 3 | 2 | 0.40 | 1.50 | 2 | 0.40 | 0.10 |", "| u32 | 2 | 1 | 0.40 | 0.95 | 1 | 0.40 | 0.10 |",
                     "| f64 | 1 | 1 | 3.00 | 3.00 | 1 | 3.75 | 0.80 |", "| 1024 | 3 | 2 | 0.40 | 1.50 | 2 | 0.40 | 0.10 |",
                     "| text | 2 | 2 | 1.50 | 2.25 | 2 | 3.75 | 0.10 |",
                     "| 3.00 | text | f64 | 1K | 10240 | a/b 3413 | quick/simd 12800 | 0.80 |"):
            self.assertIn(line, many)
        self.assertEqual([line.split(" |")[0] for line in many.splitlines() if line.startswith("| 0.") or line.startswith("| 1.")],
                         ["| 0.40", "| 1.50", "| 1.50"], "and the worst choices")
        self.assertIn("The worst choices:\n\n| ours / best | input | keys | n | ours, Mkeys/s | best rival | our best | auto over it |\n"
                      "|---|---|---|---|---|---|---|---|\n| 1.50 | text | u32 | 1K | 10240 | vqsort (1 thread) 6827 | radix/simd 102400 | 0.10 |\n"
                      "| 3.00 |", many)
        self.assertLess(many.index("| morton | 1"), many.index("| text | 2"), "the worst first")

    def test_it_counts_the_good_choices(self):
        self.write([line for dist, own in (("text", 95), ("runs", 94), ("gaps", 99), ("heavy", 200))
                    for line in (row("gpu/auto/auto", dist, 0, 100), row("gpu/radix/onesweep", dist, 0, own), row("plugin/a/b", dist, 0, 120))])
        self.assertIn("median 1.20. Auto over our best: 3 of 4 cells at least 0.95; worst 0.94, on runs, u32, 1K; median 0.97.**",
                      self.said("--grid", self.samples)[1])
        self.write([row("gpu/auto/auto", "text", 0, 100), row("plugin/a/b", "text", 0, 120)])
        self.assertIn("median 1.20.**", self.said("--grid", self.samples)[1])

    def test_it_names_the_rivals_that_are_missing(self):
        self.write(MANY)
        one, many = self.said("--grid", self.samples)[1].split("## 16 threads")
        self.assertIn("**The grid is incomplete, without x86_simd_sort/qsort_openmp, ips2ra/parallel, parlay/integer_sort.**", many)
        self.assertRegex(one, r"\*\*The grid is incomplete, without x86_simd_sort/qsort, highway/vqsort, .*\*stable_sort\.\*\*")
        self.write([*MANY, *(row(f"plugin/{name}", "text", 16, 999) for name in
                             ("x86_simd_sort/qsort_openmp", "ips2ra/parallel", "parlay/integer_sort"))])
        self.assertNotIn("incomplete", self.said("--grid", self.samples)[1].split("## 16 threads")[1])

    def test_bad_input_is_one_line(self):
        for arguments, complaint in [(["--grid"], "usage"), (["--grid", "a", "b", "c"], "usage"), (["grid.csv"], "usage"),
                                     (["--grid", "missing.csv"], "No such file"), (["--grid", self.samples], "no cell")]:
            self.write([row("cpu/auto/auto", "text", 16, 10)])
            code, out, err = self.said(*arguments)
            self.assertEqual((code, out, err.count("\n")), (2, "", 1), err)
            self.assertIn(complaint, err)

    def test_files_of_other_programs_are_refused_in_one_line(self):
        summary, run = (self.samples.with_name(f"grid.{ending}") for ending in ("summary.csv", "run.json"))
        cell = [row("cpu/auto/auto", "text", 16, 10), row("plugin/p/sort", "text", 16, 10)]
        for text in (bytes(range(256)) * 40, b"a,b\n1,2\n", b'"' + b"x" * 200_000):
            self.write(cell)
            summary.write_bytes(text)
            self.check_refused()
        for text in ("[]", "text", '{"a": []}', '{"a": {"cpu": null, "build": {}}}'):
            self.write(cell)
            run.write_text(text, encoding="utf-8")
            self.check_refused()

    def check_refused(self):
        code, out, err = self.said("--grid", self.samples)
        self.assertEqual((code, out, err.count("\n")), (2, "", 1), err)
        self.assertLess(len(err), 500)
        self.assertIn("grid.csv: no summary and run.json of sortlab beside it: ", err)


if __name__ == "__main__":
    unittest.main()
