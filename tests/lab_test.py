#!/usr/bin/env python3
"""The logs of experiments follow their schema, and faults in them are found."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "plots"))
import lab  # noqa: E402

HEADER = "| " + " | ".join(lab.COLUMNS) + " |\n" + "| --- " * len(lab.COLUMNS) + "|\n"
ROW = "| 2026-11-21 | h200 | 2^27 u32 | larger tiles | 1.2 | 1.1 | no: spills | h200/attempts/a.*.txt |\n"


def faults_in(log, variant="gpu/radix/a"):
    """The messages about a repository with only this log of gpu/radix/a."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for file, text in {f"docs/lab/{variant}.md": log, "gpu/radix/a.cu": "",
                           "results/h200/attempts/a.1.txt": "", "results/h200/a.csv.xz": ""}.items():
            (root / file).parent.mkdir(parents=True, exist_ok=True)
            (root / file).write_text(text)
        return "\n".join(lab.faults(root))


class Logs(unittest.TestCase):
    def test_logs_follow_the_schema_and_the_index_is_new(self):
        done = subprocess.run([sys.executable, ROOT / "plots" / "lab.py", "--check"], capture_output=True, text=True,
                              timeout=300)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_a_good_row_has_no_fault(self):
        self.assertEqual(faults_in(HEADER + ROW), "")
        self.assertEqual(faults_in(HEADER + ROW.replace("attempts/a.*.txt", "a.csv")), "")
        self.assertEqual(faults_in(HEADER + "| - | - | - | idea | - | 1.1 | yes | - |\n"), "")

    def test_a_result_table_is_free_in_form(self):
        self.assertEqual(faults_in(HEADER + ROW + "\n| n | ms |\n| --- | --- |\n| 2^14 | 3 |\n"), "")

    def test_a_fault_is_found(self):
        for wrong, said in {
            HEADER + ROW.replace("2026-11-21", "Nov 21"): "date 'Nov 21'",
            HEADER + ROW.replace("| h200 |", "| laptop |"): "machine 'laptop'",
            HEADER + ROW.replace("no: spills", "perhaps"): "kept begins with",
            HEADER + ROW.replace("a.*.txt", "b.1.txt"): "no log results/h200/attempts/b.1.txt",
            HEADER + ROW.replace("| 1.2 ", ""): "7 cells, not 8",
            HEADER + ROW.replace("1.1", ""): "'measured' is empty",
            HEADER + ROW.replace("larger", "much larger, " * 60): "more than 600",
            HEADER + ROW + "\n" + ROW: "rows without a header",
            HEADER + ROW + "\n| idea | kept |\n| --- | --- |\n| x | no |\n": "columns are not",
            "Nothing was tried.\n": "no table of attempts",
        }.items():
            self.assertIn(said, faults_in(wrong))
        self.assertIn("there is no variant gpu/radix/b", faults_in(HEADER + ROW, variant="gpu/radix/b"))

    def test_bad_argument_is_exit_code_2(self):
        done = subprocess.run([sys.executable, ROOT / "plots" / "lab.py", "--chekc"], capture_output=True, text=True,
                              timeout=300)
        self.assertEqual(done.returncode, 2)


if __name__ == "__main__":
    unittest.main()
