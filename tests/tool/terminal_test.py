#!/usr/bin/env python3
"""The output on a terminal: the width of the window, colours, the progress line, tables and conclusions."""

import contextlib
import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import termios
import unittest

from cli_test import SORTLAB, CommandLine, read_text

THREE = ["--filter", "cpu/radix/naive,cpu/std_sort/naive,cpu/baselines/std_stable_sort", "--time", "0.01", "--threads", "1"]
CODES = re.compile(r"\x1b\[[0-9;]*[mK]")


class AtATerminal(CommandLine):
    def seen(self, *words, columns=80, program=SORTLAB, **environment):
        """The whole output to a terminal of that width, stdout and stderr."""
        main, side = pty.openpty()
        fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("4H", 24, columns, 0, 0))
        settings = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS")}
        process = subprocess.Popen([program, *words], cwd=self.folder, stdout=side, stderr=side,
                                   env={**settings, "TERM": "xterm", **environment})
        os.close(side)
        text = b""
        with contextlib.suppress(OSError):  # the terminal's other end is closed
            while part := os.read(main, 65536):
                text += part
        os.close(main)
        self.assertEqual(process.wait(), 0, text)
        return text.decode()

    def test_nothing_is_wider_than_the_window(self):
        self.run_to_csv(*THREE, "--n", "1K..16K", "--dist", "uniform,zipf:1.0")
        for columns in (60, 80, 200):
            for words in (["run", *THREE, "--n", "1K..16K", "--csv", "run.csv"], ["list"], ["help", "tune"],
                          ["run", "--filter", "cpu/ranks/gather,cpu/std_sort/naive", "--n", "1K", "--time", "0", "--counters"],
                          ["verify", "--filter", "cpu/ranks/gather,cpu/std_sort/naive", "--n", "1K"],
                          ["compare", "run.csv", "run.csv"], ["show", "cpu/radix/parallel"], ["dists"], ["doctor"],
                          ["tune", "--show"], ["recommend", "--n", "1K", "--results", "run.csv"],
                          *([["ladder", "gpu/bitonic", "--recorded"]] if columns >= 80 else [])):
                text = CODES.sub("", self.seen(*words, columns=columns))
                for part in re.split(r"[\r\n]+", text):
                    is_command = part.startswith("  sortlab ") or " " not in part.removeprefix("file:").strip(" \\")
                    if not is_command:
                        self.assertLessEqual(len(part), columns, part)

    def test_colours(self):
        self.run_to_csv(*THREE, "--n", "1K")
        again = ["run", *THREE, "--n", "1K", "--csv", "run.csv"]
        self.assertRegex(self.seen(*again), r"\x1b\[3[23]m +\d.*\*")
        for words, environment in ((again, {"NO_COLOR": "1"}), ([*again, "--color", "never"], {}), (again, {"TERM": "dumb"})):
            self.assertNotRegex(self.seen(*words, **environment), r"\x1b\[\d+m")
        self.assertNotIn("\x1b", self.call(*again).stdout)
        self.assertIn("\x1b[", self.call(*again, "--color", "always").stdout)
        self.refused(*again, "--color", "some", names=["'some'; nearest: "])

    def test_a_progress_line_that_moves_and_goes(self):
        text = self.seen("run", "--filter", "cpu/std_sort/naive", "--n", "1K,2K", "--time", "2.5", "--accuracy", "0",
                         "--max-samples", "1000000", columns=70)
        lines = text.split("\r\x1b[K")
        shown = [line for line in lines if line.startswith("[")]
        self.assertTrue(all(len(line) < 70 for line in shown), shown)
        first = [line for line in shown if "] 1/2 " in line]
        self.assertGreaterEqual(len(first), 2, "it moves within a configuration")
        self.assertNotEqual(first[0], first[-1])
        self.assertTrue(any(re.search(r"\[#{10}\.{10}\] 2/2 \d+ s, about \d+ s left", line) for line in shown), shown)
        self.assertFalse(lines[-1].startswith("["))
        wide = self.seen("verify", "--filter", "cpu/radix/naive", "--n", "1000", columns=200)
        self.assertIn(" | cpu/radix/naive/", wide)
        self.assertRegex(wide.split("\r\x1b[K")[-1], r"^\d+ passed, 0 failed")


class Tables(CommandLine):
    def test_a_conclusion(self):
        text = self.call("run", *THREE, "--n", "1K,16K", "--csv", "run.csv").stdout
        self.assertRegex(text, r"\n +1K +16K\n")
        self.assertRegex(text, r"\ncpu/radix/naive +\d[\d.]*\*?!? +±\d")
        self.assertRegex(text, r"\nFastest:\nu32, uniform\n  1K.*: cpu/.*million keys per second ±.*"
                               r"(faster than|a tie with)")
        self.assertRegex(text, r"\nsamples: run\.csv\nmedians: run\.summary\.csv\nmachine: run\.run\.json\n$")
        top = self.call("run", *THREE, "--n", "1K,16K", "--csv", "run.csv", "--top", "1").stdout
        self.assertIn("... and 2 slower ones\n", top)
        by_id = self.call("run", *THREE, "--n", "1K,16K", "--csv", "run.csv", "--sort", "id").stdout
        ids = re.findall(r"^(cpu/\S+) ", by_id, re.MULTILINE)
        self.assertEqual(ids, sorted(ids))
        self.refused("run", *THREE, "--sort", "size", names=["'size'; nearest: "])

    def test_why_rows_were_skipped_stands_below(self):
        text = self.call("run", "--filter", "cpu/radix/pairs,cpu/radix/naive", "--n", "1K", "--time", "0").stdout
        self.assertRegex(text, r"cpu/radix/pairs.* +skipped\n")
        self.assertIn("\n1 skipped: has no code for u32\n", text)

    def test_json(self):
        done = self.call("run", *THREE, "--n", "1K", "--format", "json", "--csv", "run.csv")
        answer = json.loads(done.stdout)
        self.assertEqual({row["variant"] for row in answer["rows"]}, set(THREE[1].split(",")))
        self.assertTrue(all(row["n"] == 1024 and row["median_ns"] > 0 for row in answer["rows"]))
        (contest,) = answer["contests"]
        self.assertEqual(contest["fastest"], min(answer["rows"], key=lambda row: row["median_ns"])["config_id"])
        self.assertGreaterEqual(contest["times_as_fast_as_rival"], 1)
        compared = json.loads(self.call("compare", "run.csv", "run.csv", "--format", "json").stdout)
        self.assertEqual({row["verdict"] for row in compared["rows"]}, {"identical"})
        self.assertIs(compared["got_worse"], False)
        self.refused("run", *THREE, "--format", "json", "--csv", "-", names=["--format json"])
        self.refused("run", *THREE, "--format", "yaml", names=["'yaml'; nearest: "])

    def test_rows_of_another_revision(self):
        words = ["run", *THREE, "--n", "1K", "--csv", "run.csv"]
        self.call(*words)
        self.assertNotIn("--again", self.call(*words).stderr)
        described = read_text(self.path("run.run.json"))
        self.write("run.run.json", re.sub(r'("git_revision": )"\w+"', r'\1"0123456789ab"', described))
        before = read_text(self.path("run.csv"))
        self.assertIn("3 of them: measured by revision 0123456789ab", self.call(*words).stderr)
        self.assertEqual(read_text(self.path("run.csv")), before)
        self.assertNotIn("0123456789ab", self.call(*words, "--again").stderr)
        self.assertFalse(set(before.splitlines()[1:]) & set(read_text(self.path("run.csv")).splitlines()))

    def test_what_would_spoil_a_measurement(self):
        answer = json.loads(self.call("doctor", "--format", "json").stdout)
        load = answer["findings"][0]
        self.assertEqual(load["name"], "load")
        self.assertRegex(load["found"], r"^other programs keep \d+\.\d of \d+ CPUs busy")
        self.assertIn("What bears on measurements here\nload ", self.call("doctor").stdout)

    def test_what_cannot_run_here(self):
        listed = json.loads(self.call("list", "--format", "json").stdout)
        text = self.call("list").stdout
        for variant in listed:
            line = next(line for line in text.splitlines() if line.startswith(variant["id"] + " "))
            self.assertEqual("can't run here: " in line, variant["unavailable"] != "")
        if not any(variant["id"].startswith("gpu/") for variant in listed):
            self.assertRegex(text, r"\nnot in this build: \d+ sorts of the GPU: it has no CUDA \(\./run --cuda build\)\n")


if __name__ == "__main__":
    unittest.main()
