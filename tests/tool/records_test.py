#!/usr/bin/env python3
"""`--record` as users call it: rows, table, resuming, comparing, verifying; a planted fault; bad shapes."""

import json
import unittest

from cli_test import FAULTY, read_text, table
from ranks_test import SHORT, CommandLine, has_ranks

PREFIX = ["--filter", "cpu/records/prefix", "--threads", "1"]


class Records(CommandLine):
    def test_rows_name_the_shape(self):
        rows = self.run_to_csv(*PREFIX, "--record", "100:10,16:16", "--n", "1,1000", *SHORT)
        self.assertEqual({(row["key_type"], row["n"], row["value_bytes"], row["status"]) for row in rows},
                         {(shape, n, "0", "ok") for shape in ("r100:10", "r16:16") for n in ("1", "1000")})
        for row in rows:
            self.assertEqual((row["sorted_ok"], row["permutation_ok"]), ("1", "1"))
            self.assertEqual(row["stable_ok"], "1" if row["key_type"] == "r100:10" else "", "16:16 has no number in it")
        summary = {(row["key_type"], row["n"]): row for row in table(read_text(self.path("run.summary.csv")))}
        row = summary["r100:10", "1000"]
        self.assertAlmostEqual(float(row["bytes_per_s"]) / float(row["keys_per_s"]), 200, places=3)
        self.assertEqual(self.call("compare", "run.csv", "run.csv").returncode, 0)

    def test_the_table_counts_gigabytes(self):
        said = self.call("run", *PREFIX, "--record", "100:10", "--type", "u32", "--n", "1000", *SHORT).stdout
        self.assertIn("r100:10, uniform (GB per second)", said)
        self.assertIn("u32, uniform (million keys per second)", said)

    def test_it_resumes(self):
        first = self.run_to_csv(*PREFIX, "--record", "100:10", "--n", "100", *SHORT)
        both = self.run_to_csv(*PREFIX, "--record", "100:10,100:9", "--n", "100", *SHORT)
        self.assertEqual(both[:len(first)], first)
        self.assertEqual({row["key_type"] for row in both[len(first):]}, {"r100:9"})

    def test_a_matrix_names_shapes(self):
        self.write("m.json", json.dumps({"runs": [{"filter": ["cpu/records/prefix"], "record": ["32:8"], "n": ["10"]}]}))
        said = self.call("run", "--matrix", "m.json", "--dry-run").stdout
        self.assertIn("cpu/records/prefix/r32:8/asc/uniform/n:10", said)
        said = self.call("run", "--matrix", "m.json", "--record", "48:8", "--dry-run").stdout
        self.assertIn("/r48:8/", said)
        self.assertNotIn("/r32:8/", said)

    def test_what_it_does_not_fit_is_skipped_with_the_reason(self):
        for arguments, reason in ((["--n", "9"], "sorts records: say which with --record"),
                                  (["--n", "9", "--record", "100:10", "--order", "desc"], "in descending order"),
                                  (["--n", "9", "--record", "100:10", "--pairs"], "r100:10 pairs")):
            self.assertIn(reason, self.call("run", *PREFIX, *arguments, expect=3).stdout)
        said = self.call("run", "--filter", "cpu/radix/simd", "--record", "100:10", "--n", "9", expect=3).stdout
        self.assertIn("has no code for r100:10", said)

    def test_bad_shapes(self):
        for shape in ("100", "15:4", "4097:10", "100:0", "100:101", "a:b", "100:10:1", ":", "1e2:10", "-100:10"):
            self.refused("run", *PREFIX, f"--record={shape}", "--n", "9", names=["BYTES:KEY"])
        self.write("keys.txt", "1\n")
        self.refused("run", *PREFIX, "--record", "100:10", "--input", "keys.txt", names=["--record"])

    def test_it_is_verified(self):
        said = self.call("verify", *PREFIX, "--record", "100:10", "--n", "0,1,1000", "--dist", "equal,d20").stdout
        self.assertIn("6 passed, 0 failed, 0 skipped", said)


@unittest.skipUnless(has_ranks(), "no MPI")
class OverRanks(CommandLine):
    def test_rows(self):
        rows = self.ranks("--filter", "cpu/records/*", "--record", "100:10", "--ranks", "3", "--n", "1,3,1000", "--threads", "1")
        self.assertEqual({(row["variant"], row["ranks"], row["status"]) for row in rows},
                         {("cpu/records/prefix", "", "ok"), ("cpu/records/ranks", "3", "ok")})
        for row in rows:
            self.assertEqual((row["sorted_ok"], row["permutation_ok"], row["stable_ok"]), ("1", "1", "1"))
            if row["ranks"] and row["n"] == "1000":
                self.assertGreater(int(row["exchange_bytes"]), 100 * 1000 // 2)

    def test_a_changed_record_is_found(self):
        rows = self.ranks("--filter", "tests/faulty_ranks/changes_a_record", "--record", "100:10", "--ranks", "2", "--n", "100",
                          "--dist", "sorted", program=FAULTY, expect=1)
        self.assertEqual([(row["status"], row["reason"], row["sorted_ok"], row["permutation_ok"]) for row in rows],
                         [("failed", "wrong result: not a permutation of the input", "1", "0")])


if __name__ == "__main__":
    unittest.main()
