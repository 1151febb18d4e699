"""Results packed as .csv.xz: every command reads them like the CSV itself, and none writes them."""

import csv
import io
import json
import lzma
import os
import re
import subprocess
import unittest

from cli_test import COLUMNS, SMALL, SORTLAB, TWO, CommandLine, read_text, table

DOCTOR = subprocess.run([SORTLAB, "doctor"], capture_output=True, text=True, timeout=300).stdout
READS = not re.search(r"^liblzma +missing", DOCTOR, re.MULTILINE)
CONFIG = COLUMNS[COLUMNS.index("algorithm"):COLUMNS.index("rep")]


class Packed(CommandLine):
    def setUp(self):
        super().setUp()
        self.run_to_csv(*TWO, *SMALL, "--n", "1K,2K")
        self.text = read_text(self.path("run.csv"))

    def pack(self, name, text):
        return self.write(name + ".xz", lzma.compress(text.encode()))

    def only_packed(self):
        """run.csv.xz in the place of run.csv."""
        self.pack("run.csv", self.text)
        os.remove(self.path("run.csv"))


@unittest.skipUnless(READS, "this build has no liblzma")
class Readers(Packed):
    def test_compare(self):
        plain = self.call("compare", "run.csv", "run.csv").stdout
        self.assertIn("4 configurations in both", plain)
        self.only_packed()
        self.assertEqual(self.call("compare", "run.csv.xz", "run.csv.xz").stdout, plain)

    def test_what_is_cut_in_a_row_is_told_as_for_a_plain_file(self):
        self.pack("cut.csv", self.text[:-20])
        said = self.call("compare", "run.csv", "cut.csv.xz").stderr
        self.assertRegex(said, r"^cut\.csv\.xz: line \d+: cut in the middle of a row")

    def test_recommend_takes_files_and_folders(self):
        plain = self.call("recommend", "--n", "2K", "--results", "run.csv").stdout
        self.only_packed()
        for results in ("run.csv.xz", self.folder):
            self.assertEqual(self.call("recommend", "--n", "2K", "--results", results).stdout, plain)

    def test_tune(self):
        self.only_packed()
        self.refused("tune", "--check", "run.csv.xz", names=["no sort that chooses"])
        done = self.call("tune", "--from", "run.csv.xz", "--out", "tune.json", expect=2)
        self.assertNotIn("run.json", done.stderr, "it finds run.run.json")

    def test_report_with_what_lies_beside(self):
        row = {**table(self.text)[0], "activity": "packed_kernel", "launches_per_sort": "1",
               "ns_per_sort": "5", "share": "1.00000", "revision": ""}
        text = io.StringIO()
        writer = csv.DictWriter(text, ["schema_version", "config_id", *CONFIG, "activity", "launches_per_sort",
                                       "ns_per_sort", "share", "revision"], extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerow(row)
        self.pack("run.breakdown.csv", text.getvalue())
        self.only_packed()
        for results in ("run.csv.xz", self.folder):
            done = self.call("report", results)
            self.assertIn("report.html: 4 configurations", done.stdout)
            self.assertEqual(done.stderr, "")
            page = read_text(self.path("report.html"))
            self.assertIn("packed_kernel", page)
            model = next(iter(json.loads(read_text(self.path("run.run.json"))).values()))["cpu"]["model"]
            self.assertIn(model, page)

    def test_a_file_that_lies_there_unpacked_too_counts_once(self):
        plain = self.call("recommend", "--n", "2K", "--results", "run.csv").stdout
        self.call("report", "run.csv", "-o", "plain.html")
        self.pack("run.csv", self.text)
        self.assertEqual(self.call("recommend", "--n", "2K", "--results", self.folder).stdout, plain)
        self.call("report", self.folder, "-o", "both.html")
        both, alone = (re.sub(r'"made":"[^"]*"', "", read_text(self.path(name))) for name in ("both.html", "plain.html"))
        self.assertEqual(both, alone)

    def test_no_whole_xz_file(self):
        packed = lzma.compress(self.text.encode())
        for name, content in [("half.csv.xz", packed[:len(packed) // 2]), ("text.csv.xz", self.text.encode()),
                              ("nothing.csv.xz", b"")]:
            self.write(name, content)
            self.refused("compare", name, "run.csv", names=[name, "not a whole xz file"])

    def test_two_packed_parts_are_one_file(self):
        half = self.text.index("\n", len(self.text) // 2) + 1
        self.write("run.csv.xz", lzma.compress(self.text[:half].encode()) + lzma.compress(self.text[half:].encode()))
        self.assertIn("4 configurations in both", self.call("compare", "run.csv", "run.csv.xz").stdout)


class WithoutTheLibrary(Packed):
    @unittest.skipIf(READS, "this build has liblzma")
    def test_says_what_to_do(self):
        self.pack("run.csv", self.text)
        self.refused("compare", "run.csv.xz", "run.csv", names=["liblzma-dev", "xz -dk run.csv.xz"])


class Writers(Packed):
    def test_packed_names_are_refused(self):
        self.refused("run", *TWO, *SMALL, "--csv", "new.csv.xz", names=["new.csv.xz", "Name new.csv,"])
        self.refused("compare", "run.csv", "run.csv", "--csv", "new.csv.xz", names=["Name new.csv,"])
        self.refused("recommend", "--n", "2K", "--results", "run.csv", "--csv", "new.csv.xz", names=["Name new.csv,"])

    def test_a_packed_run_is_not_begun_anew_by_accident(self):
        self.only_packed()
        self.refused("run", *TWO, *SMALL, "--csv", "run.csv", names=["run.csv.xz", "xz -d"])
        os.mkdir(self.path("out"))
        self.pack("out/samples.csv", self.text)
        self.refused("reproduce", "goralija-table-1", "--scale", "small", "--out", "out",
                     names=["out/samples.csv.xz", "xz -d"])
        self.assertEqual(os.listdir(self.path("out")), ["samples.csv.xz"])


if __name__ == "__main__":
    unittest.main()
