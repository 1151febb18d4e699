"""A key type and a width of values are one row of a table each (common/contract/key_types.hpp), and appear everywhere.

The program sortlab_another_type is sortlab with the rows of tests/another_type, and with a few of its sorts.
"""

import json
import os
import struct
import unittest
from pathlib import Path

from cli_test import ROOT, SORTLAB, CommandLine, npy, read_text

PROGRAM = os.environ["SORTLAB_ANOTHER_TYPE"]
SHORT = ["--time", "0.001", "--min-samples", "2", "--max-samples", "3"]
ROWS = Path(ROOT) / "tests" / "another_type"


def row_of(file):
    return [line for line in read_text(ROWS / file).splitlines() if not line.startswith("//")]


class Another(CommandLine):
    def call(self, *arguments, program=PROGRAM, **options):
        return super().call(*arguments, program=program, **options)


class AnotherType(Another):
    def test_is_one_row(self):
        self.assertEqual(row_of("i16.hpp"),
                         ['#define SORTLAB_MORE_KEY_TYPES(ROW) ROW(i16, std::int16_t, "int16 int16_t short smallint")'])
        for file in (file for room in ("common", "tool") for file in (Path(ROOT) / room).rglob("*.?pp")):
            self.assertNotRegex(read_text(file), r"\bi16\b", file)

    def test_the_others_are_in_the_glossary(self):
        sort, = json.loads(self.call("list", "--format", "json", "--filter", "cpu/std_sort/naive", program=SORTLAB).stdout)
        self.assertIn(f"\n| key types | {', '.join(sort['key_types'])}:", read_text(Path(ROOT) / "docs" / "glossary.md"))

    def test_is_listed(self):
        for variant in json.loads(self.call("list", "--format", "json").stdout):
            self.assertEqual((variant["key_types"][-1], variant["pair_types"][-2]), ("i16", "i16+u32"), variant["id"])
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


class AnotherWidth(Another):
    def test_is_one_row(self):
        self.assertEqual(row_of("u64_values.hpp"), ["#define SORTLAB_MORE_VALUES , std::uint64_t"])
        users = [file.name for room in ("common", "tool") for file in (Path(ROOT) / room).rglob("*.?pp")
                 if "SORTLAB_MORE_VALUES" in read_text(file)]
        self.assertEqual(users, ["key_types.hpp"])

    def test_is_listed(self):
        for variant in json.loads(self.call("list", "--format", "json").stdout):
            self.assertEqual(variant["pair_types"][1], "u32+u64", variant["id"])
        for command in ("run", "verify"):
            self.assertEqual(self.call("complete", command, "--values", "").stdout.split(), ["keys", "pairs", "u64"])
        self.refused("run", "--values", "u65", names=["u65", "u64"])

    def test_is_sorted_by_every_sort(self):
        done = self.call("verify", "--values", "u64", "--type", "u32,f64,i16", "--n", "0,1,2,1000")
        self.assertIn(" 0 failed", done.stdout)
        self.assertGreater(int(done.stdout.split(" passed")[0].split()[-1]), 1000, done.stdout)

    def test_is_measured(self):
        rows = self.run_to_csv("--values", "keys,pairs,u64", "--n", "1K", *SHORT)
        self.assertEqual({(row["status"], row["value_bytes"]) for row in rows}, {("ok", "0"), ("ok", "4"), ("ok", "8")})
        self.assertEqual({row["stable_ok"] for row in rows if row["value_bytes"] == "8" and row["stable"] == "1"}, {"1"})

    def test_is_in_titles(self):
        self.assertIn("u32 + u64, uniform", self.call("run", "--values", "u64", "--n", "1K", *SHORT).stdout)


if __name__ == "__main__":
    unittest.main()
