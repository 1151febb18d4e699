"""`sortlab report` as users call it: its output, and its messages about unusable files."""

import os
import re
import subprocess
import sys
import unittest

from cli_test import SMALL, SORTLAB, TWO, CommandLine, read_text

PLOTLY = not re.search(r"^plotly\.js +missing", subprocess.run(
    [SORTLAB, "doctor"], capture_output=True, text=True, timeout=300).stdout, re.MULTILINE)


@unittest.skipUnless(PLOTLY, "this build holds no plotly.js")
class Report(CommandLine):
    def measure(self, name="run.csv"):
        self.run_to_csv(*TWO, *SMALL, name=name)
        return self.path(name)

    def test_one_page_that_needs_nothing_else(self):
        csv = self.measure()
        done = self.call("report", csv)
        self.assertRegex(done.stdout, r"^report\.html: 2 configurations of 1 machine, [\d.]+ MB\n$")
        self.assertEqual(done.stderr, "")
        page = read_text(self.path("report.html"))
        self.assertLess(len(page), 6_000_000)
        self.assertIn("cpu/radix/naive", page)
        own = page[:page.index("plotly.js v")] + page[page.index("function decode"):]
        self.assertNotRegex(own, r"<script[^>]+src=|<link|@import|fetch\(")
        self.assertNotIn(self.folder, page)  # nobody's paths

    def test_folders_and_the_place_of_the_page(self):
        self.measure("a.csv")
        done = self.call("report", ".", "-o", "page.html")
        self.assertIn("page.html: 2 configurations", done.stdout)
        self.assertFalse([name for name in os.listdir(self.folder) if ".part" in name])

    def test_what_is_whole_is_used(self):
        csv = self.measure()
        with open(csv, "a", encoding="utf-8") as file:
            file.write("1,half,a")
        lines = len(read_text(csv).splitlines())
        self.write("foreign.csv", "who,what\nme,this\n")
        self.write("empty.csv", "")
        said = self.call("report", csv, "foreign.csv", "empty.csv").stderr.splitlines()
        self.assertEqual(len(said), 3, said)
        self.assertEqual(said[0], "1 file is not of sortlab run, skipped: foreign.csv")
        self.assertIn(f"run.csv: line {lines}: cut in the middle of a row", said[1])
        self.assertIn("empty.csv: line 1: the file is empty", said[2])
        self.assertTrue(os.path.exists(self.path("report.html")))

    def test_foreign_files_are_one_line(self):
        csv = self.measure()
        os.mkdir(self.path("attempts"))
        for name in "abcde":
            self.write(f"attempts/{name}.csv", "who,what\nme,this\n")
        done = self.call("report", csv, "attempts")
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertIn("5 files are not of sortlab run, skipped: attempts/a.csv, attempts/b.csv, attempts/c.csv, attempts/d.csv "
                      "and 1 more", done.stderr)
        self.refused("report", "attempts", names=["5 files are not of sortlab run"])

    def test_refusals(self):
        csv = self.measure()
        self.write("empty.csv", "")
        os.mkdir(self.path("folder"))
        self.refused("report", "absent.csv", names=["absent.csv: no such file"])
        self.refused("report", "empty.csv", names=["empty.csv: line 1"])
        self.refused("report", "folder", names=["nothing to report"])
        self.refused("report", names=["RESULTS"])
        self.refused("report", csv, "-o", "folder", names=["folder: is a folder"])
        self.refused("report", csv, "-o", csv, names=["run.csv: a page is written"])
        self.refused("report", csv, "-o", "nowhere/page.html", names=["nowhere/page.html"])
        self.write("notes.txt", "mine")
        self.refused("report", csv, "-o", "notes.txt", names=["notes.txt: holds something other than a page"])
        self.assertEqual(read_text(self.path("notes.txt")), "mine")


class Help(CommandLine):
    def test_help_has_examples(self):
        self.assertIn("report bench.csv -o report.html", self.call("report", "--help").stdout)

    @unittest.skipIf(PLOTLY, "this build holds plotly.js")
    def test_without_plotly_it_says_what_to_do(self):
        self.run_to_csv(*TWO, *SMALL)
        self.refused("report", "run.csv", names=["plotly"])


if __name__ == "__main__":
    sys.exit(unittest.main())
