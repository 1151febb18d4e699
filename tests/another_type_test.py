"""A key type is one row of a table (common/contract/key_types.hpp), and appears everywhere.

The program sortlab_another_type is sortlab with the row of tests/another_type/i16.hpp, and with a few of its sorts.
"""

import json
import os
import struct
import unittest
from pathlib import Path

from cli_test import ROOT, SORTLAB, CommandLine, npy, read_text

PROGRAM = os.environ["SORTLAB_ANOTHER_TYPE"]
SHORT = ["--time", "0.001", "--min-samples", "2", "--max-samples", "3"]
ROW = Path(ROOT) / "tests" / "another_type" / "i16.hpp"


class AnotherType(CommandLine):
    def call(self, *arguments, program=PROGRAM, **options):
        return super().call(*arguments, program=program, **options)

    def test_is_one_row(self):
        self.assertEqual([line for line in read_text(ROW).splitlines() if not line.startswith("//")],
                         ['#define SORTLAB_MORE_KEY_TYPES(ROW) ROW(i16, std::int16_t, "int16 int16_t short smallint")'])
        for file in (Path(ROOT) / "common").rglob("*.?pp"):
            self.assertNotRegex(read_text(file), r"\bi16\b", file)

    def test_the_others_are_in_the_glossary(self):
        sort, = json.loads(self.call("list", "--json", "--filter", "cpu/std_sort/naive", program=SORTLAB).stdout)
        self.assertIn(f"\n| key types | {', '.join(sort['key_types'])}:", read_text(Path(ROOT) / "docs" / "glossary.md"))

    def test_is_listed(self):
        for variant in json.loads(self.call("list", "--json").stdout):
            self.assertEqual((variant["key_types"][-1], variant["pair_types"][-1]), ("i16", "i16+u32"), variant["id"])
        self.assertIn("i16", self.call("complete", "run", "--type", "i").stdout.split())
        self.refused("run", "--type", "i17", names=["i17", "i16"])

    def test_is_sorted_by_every_sort(self):
        done = self.call("verify", "--type", "smallint", "--n", "0,1,2,1000")
        self.assertIn(" 0 failed", done.stdout)
        self.assertGreater(int(done.stdout.split(" passed")[0].split()[-1]), 1000, done.stdout)

    def test_is_measured(self):
        for row in self.run_to_csv("--type", "short", "--pairs", "--n", "1K", *SHORT):
            self.assertEqual((row["status"], row["key_type"], row["value_bytes"]), ("ok", "i16", "4"), row["variant"])

    def test_is_read_from_files(self):
        keys = struct.pack("<4h", 5, -32768, 0, 32767)
        for name, content, arguments in (("a.npy", npy("<i2", keys, 4), []), ("a.raw", keys, ["--type", "i16"]),
                                         ("a.txt", b"5\n-32768\n0\n32767\n", ["--type", "int16"])):
            rows = self.run_to_csv("--input", self.write(name, content), *arguments, *SHORT, name=f"{name}.csv")
            self.assertEqual({(row["status"], row["key_type"], row["n"]) for row in rows}, {("ok", "i16", "4")}, name)
        self.refused("run", "--input", self.write("b.txt", "32768\n"), "--type", "i16", names=["b.txt", "32768"])


if __name__ == "__main__":
    unittest.main()
