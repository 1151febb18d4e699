#!/usr/bin/env python3
"""`--segments` as users call it: every sort of segments on every rule of lengths, rows, names, older files, bad input."""

import csv
import io
import json
import unittest

from cli_test import CommandLine, read_text, table

SHORT = ["--time", "0.001", "--min-samples", "2", "--max-samples", "2"]
SORTS = "cpu/segments/*,cpu/baselines/std_sort_segments*"
RULES = ("rows", "strided", "ragged", "fixed", "exponential", "power", "giant", "empty", "apart", "tiles", "matrix",
         "lists", "series")
LOOP = ["--filter", "cpu/segments/loop"]


def join(rows):
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


class Segments(CommandLine):
    def test_all_rules_are_verified(self):
        cuts = ",".join([f"{rule}:9" for rule in RULES] + ["power:70:wide", "giant:3", "rows:64", "ragged:300"])
        for threads in ("1", "3"):
            done = self.call("verify", "--in-process", "--filter", SORTS, "--segments", cuts, "--dist",
                             "special,equal", "--type", "u32,f32,f64", "--n", "0,1,2,4099", "--threads", threads)
            self.assertIn(" 0 failed", done.stdout)

    def test_large_segments_are_shared(self):
        done = self.call("verify", "--in-process", "--filter", "cpu/segments/auto", "--segments",
                         "giant:50,exponential:20000,apart:150000", "--dist", "uniform", "--type", "i32,u64", "--n",
                         "600000", "--threads", "1,4")
        self.assertIn(" 0 failed", done.stdout)

    def test_a_sort_of_segments_asks_for_them(self):
        done = self.call("run", *LOOP, "--n", "100", *SHORT, expect=3)
        self.assertIn("--segments RULE:MEAN", done.stdout + done.stderr)

    def test_rows_name_the_cut(self):
        rows = self.run_to_csv(*LOOP, "--segments", "rows:8,power:10", "--n", "1000", "--pairs", *SHORT)
        self.assertEqual({(row["lengths"], row["segments"]) for row in rows}, {("rows:8", "125"), ("power:10", "100")})
        for row in rows:
            self.assertEqual((row["status"], row["sorted_ok"], row["permutation_ok"], row["stable_ok"]),
                             ("ok", "1", "1", "1"))
        again = self.run_to_csv(*LOOP, "--segments", "rows:8,power:10", "--n", "1000", "--pairs", *SHORT)
        self.assertEqual(rows, again, "it resumes")
        self.assertEqual(self.call("compare", "run.csv", "run.csv").returncode, 0)

    def test_a_matrix_names_cuts(self):
        self.write("m.json", json.dumps({"runs": [{"filter": ["cpu/segments/loop"], "segments": ["giant:5"],
                                                   "n": ["10"]}]}))
        said = self.call("run", "--matrix", "m.json", "--dry-run").stdout
        self.assertIn("giant:5", said)

    def test_older_files_are_read_and_resumed(self):
        arguments = ["--filter", "cpu/merge/naive", "--n", "100", *SHORT]
        rows = self.run_to_csv(*arguments)
        header, *lines = csv.reader(io.StringIO(read_text(self.path("run.csv"))))
        kept = [i for i, name in enumerate(header) if name not in ("lengths", "segments", "best")]
        self.write("run.csv", join([[line[i] for i in kept] for line in [header, *lines]]))
        self.assertEqual(self.call("compare", "run.csv", "run.csv").returncode, 0)
        self.assertEqual(self.run_to_csv(*arguments), rows)

    def test_bad_input(self):
        for cut, name in (("row:5", "rows"), ("rows", "rows:64"), ("rows:0", "rows:64"), ("rows:5:far", "wide")):
            self.refused("run", *LOOP, "--segments", cut, names=[name])

    def test_rows_longer_than_all_items_are_not_measured(self):
        rules = ("rows:101", "strided:101", "ragged:101")
        rows = self.run_to_csv(*LOOP, "--n", "100", "--segments", ",".join(rules), *SHORT, expect=3)
        self.assertEqual({(row["status"], row["reason"]) for row in rows},
                         {("skipped", f"n is 100: no row of {rule} is whole") for rule in rules})

    def test_the_mean_may_be_a_multiple(self):
        self.assertIn("/rows:2048", self.call("run", *LOOP, "--segments", "rows:2K", "--n", "1M", "--dry-run").stdout)

    def test_they_are_recommended_for_the_cut_that_is_asked_for(self):
        self.run_to_csv(*LOOP, "--segments", "rows:8", "--n", "1000", "--threads", "1", *SHORT)

        def asked(cut):
            said = self.call("recommend", "--results", "run.csv", "--n", "1000", "--threads", "1", "--time", "0.05", "--format",
                             "json", "--segments", cut, environment={"XDG_CACHE_HOME": self.path("cache")}).stdout
            return json.loads(said)

        self.assertEqual(asked("rows:8")["answer"], "cpu/segments/loop")
        others = {candidate["variant"] for candidate in asked("rows:9")["candidates"]}  # no file knows them: it measures
        self.assertIn("cpu/segments/auto", others)
        for variant in others:
            self.assertRegex(variant, "^cpu/(segments|baselines)/.*")

    def test_where_no_sort_has_segments_they_are_refused(self):
        others = ["--filter", "cpu/merge/*", "--n", "100"]
        for flags, needs in ((["--segments", "rows:8"], "sorts segments"), (["--ranks", "2"], "sorts over ranks"),
                             (["--devices", "2"], "sorts over several GPUs"), (["--launch", "graph"], "uses a GPU")):
            for command in ("run", "verify"):
                self.refused(command, *others, *flags, names=[f"{' '.join(flags)} has no effect: no chosen sort {needs}"])
        both = self.call("run", "--filter", "cpu/merge/naive,cpu/segments/loop", "--n", "1K", "--segments", "rows:8", "--dry-run")
        self.assertIn("cpu/merge/naive", both.stdout)
        self.write("both.json", json.dumps({"runs": [{"filter": ["cpu/merge/naive"]}, {"filter": ["cpu/segments/loop"]}]}))
        self.assertIn("/rows:8", self.call("run", "--matrix", "both.json", "--segments", "rows:8", "--dry-run").stdout)


if __name__ == "__main__":
    unittest.main()
