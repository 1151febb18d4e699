"""The rank of the suite's own choice among its rivals, from a small summary made here."""

import json
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "plots"))
import rivals  # noqa: E402
from standings import finding, standings  # noqa: E402

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


if __name__ == "__main__":
    unittest.main()
