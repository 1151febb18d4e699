"""Pictures of real output of commands: the tables of compare, recommend and reproduce, and a terminal."""

import importlib.util
import os
import re
import shlex
import subprocess
import sys
import unittest
import xml.etree.ElementTree as ET

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "tool"))
from cli_test import SMALL, SORTLAB, TWO, CommandLine, read_text, table

PLOTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir, "plots")
MISSING = [name for name in ("matplotlib", "numpy", "pandas") if importlib.util.find_spec(name) is None]
SVG = "{http://www.w3.org/2000/svg}"
SMALL_ENOUGH = 60_000  # bytes


class Pictures(CommandLine):
    def script(self, name, *arguments, expect=0):
        """A script of plots/ in the test's folder."""
        return self.call(os.path.join(PLOTS, name), *arguments, program=sys.executable, expect=expect, timeout=600)

    def texts(self, name):
        """All words of a file that must be an SVG."""
        path = self.path(name)
        self.assertLess(os.path.getsize(path), SMALL_ENOUGH)
        root = ET.parse(path).getroot()
        self.assertEqual(root.tag, SVG + "svg")
        return ["".join(text.itertext()) for text in root.iter(SVG + "text")]


class Terminal(Pictures):
    def test_holds_what_was_printed(self):
        # One run, drawn and kept: what doctor says changes with the load, even from one call to the next.
        command = f"{shlex.quote(SORTLAB)} doctor | tee printed.txt"
        done = self.script("terminal.py", "--typed", "sortlab doctor", "doctor.svg", "sh", "-c", command)
        self.assertEqual(done.stdout, "doctor.svg\n")
        texts = self.texts("doctor.svg")
        self.assertEqual(texts[0], "$ sortlab doctor")
        printed = read_text(self.path("printed.txt"))
        self.assertEqual(len(texts), 1 + sum(1 for line in printed.splitlines() if line.strip()))
        self.assertIn("prefers-color-scheme: dark", read_text(self.path("doctor.svg")))

    def test_columns_stay_where_they_are(self):
        self.script("terminal.py", "out.svg", sys.executable, "-c", "print('a   b <&>\\n\\n    c')")
        a, c = list(ET.parse(self.path("out.svg")).getroot().iter(SVG + "text"))[1:]
        self.assertEqual((a.text, c.text), ("a   b <&>", "c"))
        advance = float(a.get("textLength")) / len(a.text)
        self.assertAlmostEqual((float(c.get("x")) - float(a.get("x"))) / advance, 4, 1)

    def test_some_lines_of_many(self):
        self.script("terminal.py", "--lines", "1..2", "--lines", "5..5", "out.svg", "seq", "9")
        self.assertEqual(self.texts("out.svg"), ["$ seq 9", "1", "2", "...", "5", "..."])

    def test_what_was_printed_elsewhere(self):
        self.write("saved.txt", "take cpu/x\n")
        self.script("terminal.py", "--typed", "sortlab recommend --n 1", "out.svg", "cat", "saved.txt")
        self.assertEqual(self.texts("out.svg"), ["$ sortlab recommend --n 1", "take cpu/x"])

    def test_a_command_that_found_something_is_drawn_too(self):
        self.script("terminal.py", "out.svg", "sh", "-c", "echo slower; exit 1")
        self.assertEqual(self.texts("out.svg"), ["$ sh -c 'echo slower; exit 1'", "slower"])

    def test_mistakes_are_one_line(self):
        for arguments in (["out.svg"], ["out.svg", "no-such-program"], ["out.svg", "false"],
                          ["--lines", "x", "out.svg", "seq", "9"]):
            with self.subTest(arguments):
                done = self.script("terminal.py", *arguments, expect=2)
                self.assertEqual((done.stdout, done.stderr.count("\n")), ("", 1), done.stderr)
                self.assertFalse(os.path.exists(self.path("out.svg")))


@unittest.skipIf(MISSING, f"no {', '.join(MISSING)}: plots/requirements.txt")
class Tables(Pictures):
    def plot(self, source, *names):
        """Draws it, and expects these figures as PNG and SVG."""
        done = self.script("plot.py", source, "--out", "plots")
        self.assertEqual(done.stderr, "")
        expected = [f"plots/{name}.{kind}" for name in names for kind in ("png", "svg")]
        self.assertEqual(done.stdout.split(), expected)
        for name in expected:
            self.assertGreater(os.path.getsize(self.path(name)), 1000)

    def words(self, name):
        return "\n".join(self.texts(f"plots/{name}.svg"))

    def test_comparison(self):
        rows = self.run_to_csv(*TWO, *SMALL, name="base.csv")
        slow = read_text(self.path("base.csv"))
        for row in rows:
            if row["variant"] == TWO[1].split(",")[0]:
                slow = slow.replace(f",{row['total_ns']},", f",{3 * int(row['total_ns'])},")
        self.write("new.csv", slow)
        done = subprocess.run([SORTLAB, "compare", "base.csv", "new.csv", "--csv", "out.csv"], cwd=self.folder,
                              capture_output=True, text=True, check=False)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        self.plot("out.csv", "comparison")
        words = self.words("comparison")
        for row in table(read_text(self.path("out.csv"))):
            self.assertIn(row["variant"], words)
            ratio = float(row["ratio"])
            self.assertIn(f"{max(ratio, 1 / ratio):.3g}x {row['verdict']}" if row["verdict"] in ("faster", "slower")
                          else f"{row['verdict']}, {ratio:.3g}x the time", words)
        # With a few samples the intervals may be infinite.
        rows = table(read_text(self.path("out.csv")))
        unbounded = [row | {"ratio_low": "0", "ratio_high": "inf"} for row in rows]
        self.write("out.csv", "\n".join(",".join(row.values()) for row in [dict(zip(rows[0], rows[0])), *unbounded]) + "\n")
        self.plot("out.csv", "comparison")

    def test_comparison_marks_one_thread_among_many(self):
        self.run_to_csv("--filter", "cpu/quick/parallel,cpu/quick/naive", *SMALL, "--threads", "2", name="base.csv")
        subprocess.run([SORTLAB, "compare", "base.csv", "base.csv", "--csv", "out.csv"], cwd=self.folder,
                       capture_output=True, check=True)
        self.plot("out.csv", "comparison")
        words = self.words("comparison")
        self.assertIn("cpu/quick/naive, 1 thread", words)
        self.assertIn("cpu/quick/parallel, 2 threads", words)

    def test_comparison_of_a_failure(self):
        self.run_to_csv(*TWO, *SMALL, name="base.csv")
        lines = read_text(self.path("base.csv")).splitlines()
        self.write("new.csv", "\n".join(line.replace(",ok,", ",failed,") for line in lines) + "\n")
        self.call("compare", "base.csv", "new.csv", "--csv", "out.csv", expect=1)
        self.plot("out.csv", "comparison")
        self.assertIn("failed", self.words("comparison"))

    def test_recommendation(self):
        self.run_to_csv(*TWO, *SMALL)
        self.call("recommend", "--n", "1K", "--results", "run.csv", "--csv", "out.csv",
                  environment={"XDG_CACHE_HOME": self.path("cache")})
        self.plot("out.csv", "recommendation")
        words = self.words("recommendation")
        self.assertIn("1024 items of u32, uniform, ascending", words)
        self.assertRegex(words, "the fastest: (take|ahead)")  # ahead: on a busy machine it may not be sure
        self.assertRegex(words, r"is the fastest, with \S+ \w+; the next takes ")

    def test_exhibits(self):
        self.call("reproduce", "goralija-table-1", "goralija-versions", "--scale", "small", "--out", "papers",
                  environment={"OMP_WAIT_POLICY": "passive"}, timeout=300)
        self.plot("papers", "papers", "goralija-table-1", "goralija-versions")
        self.assertIn("goralija-versions", self.words("papers"))
        compared = [row for row in table(read_text(self.path("papers/goralija-table-1.csv"))) if row["ratio"]]
        words = self.words("goralija-table-1")
        self.assertTrue(compared)
        for row in compared:
            self.assertIn(f"{row['row']}, {row['column']}", words)
            self.assertIn(f"{float(row['ratio']):.3g}x", words)
        self.plot("papers/goralija-versions.csv", "goralija-versions")

    def test_mistakes_are_one_line(self):
        self.write("cut.csv", "verdict,ratio\nslower,2\n")
        self.write("words.csv", "exhibit,source,table,row,column,unit,published,measured,ratio,status,reason,machine\n"
                                "a,b,c,d,e,ms,many,1,1,ok,,f\n")
        os.mkdir(self.path("empty"))
        for source, word in (("cut.csv", "no column"), ("words.csv", "line 2"), ("absent.csv", "No such file"),
                             ("empty", "no exhibit")):
            with self.subTest(source):
                done = self.script("plot.py", source, expect=2)
                self.assertEqual((done.stdout, done.stderr.count("\n")), ("", 1), done.stderr)
                self.assertRegex(done.stderr, rf"^plots: .*{re.escape(word)}")


if __name__ == "__main__":
    unittest.main()
