"""A kind of jobs is one file of the contract and one of the harness, and appears everywhere.

The program sortlab_another_kind is sortlab with one kind more, pieces that are sorted each for itself
(tests/another_kind), and with one sort of that kind, in which faults can be planted.
"""

import json
import os
import unittest
from pathlib import Path

from cli_test import ROOT, CommandLine, read_text

PROGRAM = os.environ["SORTLAB_ANOTHER_KIND"]
SHORT = ["--time", "0.001", "--min-samples", "2", "--max-samples", "3"]
FAULTS = {1: "not a permutation", 2: "not a permutation", 3: "not a permutation", 4: "equal keys changed places"}


class AnotherKind(CommandLine):
    def call(self, *arguments, program=PROGRAM, **options):
        return super().call(*arguments, program=program, **options)

    def test_is_three_files(self):
        folder = Path(ROOT) / "tests" / "another_kind"
        self.assertEqual(sorted(file.name for file in folder.rglob("*.?pp")),
                         ["naive.cpp", "pieces.cpp", "pieces.hpp"])
        for file in (file for room in ("common", "tool") for file in (Path(ROOT) / room).rglob("*.?pp")):
            self.assertNotIn("PiecesJob", read_text(file), file)

    def test_is_listed(self):
        variant, = json.loads(self.call("list", "--format", "json").stdout)
        self.assertEqual((variant["id"], variant["stable"]), ("cpu/pieces/naive", True))

    def test_is_verified(self):
        for pieces in (1, 7, 4096):
            done = self.call("verify", "--param", f"pieces={pieces}", "--n", "0,1,2,3,1000", "--type", "u32,f64")
            self.assertIn(" 0 failed", done.stdout)

    def test_is_measured(self):
        for row in self.run_to_csv("--n", "1K", "--pairs", "--param", "pieces=1", "--param", "pieces=7", *SHORT):
            self.assertEqual((row["status"], row["sorted_ok"], row["stable_ok"]), ("ok", "1", "1"), row["params"])

    def test_its_faults_are_found(self):
        for fault, reason in FAULTS.items():
            dist = "uniform" if fault < 3 else "equal"
            rows = self.run_to_csv("--n", "1K", "--pairs", "--dist", dist, "--param", f"fault={fault}", *SHORT,
                                   name=f"{fault}.csv", expect=1)
            self.assertEqual({row["status"] for row in rows}, {"failed"}, fault)
            self.assertIn(reason, rows[-1]["reason"], fault)


if __name__ == "__main__":
    unittest.main()
