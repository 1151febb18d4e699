#!/usr/bin/env python3
"""`--best` as users call it: every top-k and partial sort on rows and arrays, names, a matrix, bad input."""

import json
import unittest

from cli_test import CommandLine

SHORT = ["--time", "0.001", "--min-samples", "2", "--max-samples", "2"]
TOP_K = "cpu/topk/*"
PARTIAL = "cpu/partial/*,cpu/baselines/std_nth_element,cpu/baselines/std_partial_sort"
HEAP = ["--filter", "cpu/topk/heap"]


class TopK(CommandLine):
    def verify(self, *arguments):
        done = self.call("verify", "--in-process", *arguments)
        self.assertIn(" 0 failed", done.stdout)
        self.assertRegex(done.stdout, r"(?m)^[1-9][0-9]* passed")

    def test_rows_and_arrays_are_verified(self):
        for cut in ([], ["--segments", "rows:1,rows:40,rows:1500,strided:300"]):
            for values in ("keys", "pairs"):
                self.verify("--filter", TOP_K, *cut, "--values", values, "--best", "0,1,7:sorted,60,1-99:first,300:sorted:first,9999",
                            "--type", "u32,f64", "--dist", "special,equal,sorted", "--n", "0,1,3001", "--threads", "1,3")

    def test_long_rows_are_shared_by_threads(self):
        self.verify("--filter", "cpu/topk/filter", "--best", "5:sorted:first,3000:first,70000", "--values", "pairs", "--type", "i32,u64",
                    "--dist", "uniform,reverse,dups16", "--n", "300007", "--threads", "4")

    def test_partial_sorts_are_verified(self):
        self.verify("--filter", PARTIAL, "--best", "0,1,100:sorted,1000,4099,5000:sorted", "--values", "keys", "--type",
                    "u32,i64,f32", "--dist", "special,equal,sorted,organpipe,uniform", "--n", "0,1,2,4099")
        self.verify("--filter", "cpu/partial/*", "--best", "10,2000:sorted", "--values", "pairs", "--type", "f32,u64",
                    "--dist", "special,zipf", "--n", "4099", "--order", "desc")
        self.verify("--filter", "cpu/partial/simd", "--best", "1,50000,99999", "--values", "keys", "--dist",
                    "uniform,sorted,equal,p5,zipf", "--type", "u32,f64", "--n", "100003")

    def test_they_ask_how_many(self):
        for sort in ("cpu/topk/heap", "cpu/partial/heap"):
            done = self.call("run", "--filter", sort, "--n", "100", *SHORT, expect=3)
            self.assertIn("--best K", done.stdout + done.stderr)

    def test_rows_of_a_file_name_what_was_asked(self):
        rows = self.run_to_csv(*HEAP, "--best", "5:sorted,1-9", "--segments", "rows:8", "--n", "1000", "--pairs", *SHORT)
        self.assertEqual({(row["best"], row["lengths"]) for row in rows}, {("5:sorted", "rows:8"), ("1-9", "rows:8")})
        for row in rows:
            self.assertEqual((row["status"], row["sorted_ok"], row["permutation_ok"]), ("ok", "1", "1"))
        self.assertEqual(self.call("compare", "run.csv", "run.csv").returncode, 0)

    def test_they_are_no_answer_to_who_wants_a_sort(self):
        self.run_to_csv("--filter", "cpu/topk/heap,cpu/merge/naive", "--best", "1", "--n", "10K", "--threads", "1", *SHORT)
        said = self.call("recommend", "--results", "run.csv", "--n", "10K", "--threads", "1", "--format", "json").stdout
        self.assertIn("cpu/merge/naive", said)
        self.assertNotIn("cpu/topk/heap", said)

    def test_they_are_recommended_to_who_asks_for_the_best(self):
        def asked(*arguments, expect=0):
            return self.call("recommend", "--n", "20K", "--type", "f32", "--threads", "1", "--time", "0.05", *arguments,
                             expect=expect, environment={"XDG_CACHE_HOME": self.path("cache")})

        for arguments, folders in ((["--best", "9:sorted", "--pairs", "--segments", "rows:2000"], {"cpu/topk"}),
                                   (["--best", "500"], {"cpu/topk"}),
                                   (["--best", "500", "--in-place"], {"cpu/partial", "cpu/baselines"})):
            said = json.loads(asked(*arguments, "--format", "json").stdout)
            self.assertIn("best " + arguments[1], said["question"])
            variants = {candidate["variant"] for candidate in said["candidates"]}
            self.assertEqual({variant.rpartition("/")[0] for variant in variants}, folders)
            self.assertNotIn("measuring", asked(*arguments).stderr)  # it is known now
        self.assertNotRegex(asked().stdout, "cpu/(topk|partial)/")
        for wrong in (["--in-place"], ["--best", "5", "--in-place", "--segments", "rows:5"]):
            self.assertIn("--in-place goes with --best", asked(*wrong, expect=2).stderr)
        self.assertIn("--best", asked("--best", "many", expect=2).stderr)

    def test_a_matrix_names_them(self):
        self.write("m.json", json.dumps({"runs": [{"filter": ["cpu/topk/heap"], "best": ["5"], "n": ["10"]}]}))
        self.assertIn("/best:5", self.call("run", "--matrix", "m.json", "--dry-run").stdout)

    def test_bad_input(self):
        for best in ("", "-1", "5-2", "5:most", "x"):
            self.refused("run", *HEAP, f"--best={best}", names=["--best"])
        self.refused("run", "--filter", "cpu/merge/*", "--best", "5", "--n", "100", names=["no chosen sort finds the best K items"])

    def test_what_a_kind_cannot_do_is_said(self):
        for sort, flags, said in (("cpu/partial/heap", ["--best", "5:first"], "without :first"),
                                  ("cpu/partial/heap", ["--best", "1-5"], "not LEAST-MOST"),
                                  ("cpu/topk/heap", ["--best", "5", "--segments", "power:9"], "not power")):
            done = self.call("run", "--filter", sort, *flags, "--n", "100", *SHORT, expect=3)
            self.assertIn(said, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
