"""The rest of the suite knows a variant only by its own description, so a rung in one new file appears everywhere.

The program sortlab_dropin is sortlab with one more file, tests/dropin/cpu/radix/dropped_in.cpp.
"""

import importlib.util
import json
import os
import platform
import sys
import unittest
from pathlib import Path

from cli_test import CommandLine, read_text

ROOT = Path(__file__).resolve().parent.parent.parent
DROPIN = os.environ["SORTLAB_DROPIN"]
NEW = "cpu/radix/dropped_in"
VECTORS = "neon" if platform.machine() == "aarch64" else "avx2"

sys.path.insert(0, str(ROOT / "plots"))
import variants  # noqa: E402

MISSING = importlib.util.find_spec("matplotlib") is None


class Sources(CommandLine):
    def test_say_what_the_program_says(self):
        after = variants.of_sources()
        ladders = variants.ladders(after)
        listed = json.loads(self.call("list", "--format", "json").stdout)
        self.assertLessEqual({v["id"] for v in listed}, set(after))
        for v in listed:
            self.assertEqual(after[v["id"]], v["after"], v["id"])
            self.assertEqual(ladders[v["ladder"]][v["rung"]], v["id"].rsplit("/", 1)[-1])


class Matrices(unittest.TestCase):
    def test_name_only_variants_that_exist(self):
        known = variants.of_sources()
        for file in (ROOT / "bench").glob("*.json"):
            for run in json.loads(read_text(file))["runs"]:
                for name in run["filter"]:
                    if not set(name) & set("*?[@") and not name.startswith("plugin/"):
                        self.assertIn(name, known, file.name)


class DroppedIn(CommandLine):
    def call(self, *arguments, program=DROPIN, **options):
        return super().call(*arguments, program=program, **options)

    def test_is_one_file(self):
        files = [path for path in (ROOT / "tests" / "dropin").rglob("*") if path.is_file()]
        self.assertEqual(files, [ROOT / "tests" / "dropin" / f"{NEW}.cpp"])
        for room in ("bench", "cmake", "common", "cpu", "gpu", "include", "plots", "tool"):
            for file in (ROOT / room).rglob("*"):
                if file.suffix in (".hpp", ".cpp", ".cuh", ".cu", ".py", ".js", ".json", ".cmake"):
                    self.assertNotIn("dropped_in", read_text(file), file)

    def test_is_listed_with_its_place_and_all_about_it(self):
        listed = {v["id"]: v for v in json.loads(self.call("list", "--format", "json").stdout)}
        new = listed[NEW]
        rungs = sorted((v["rung"], v["id"]) for v in listed.values() if v["ladder"] == "cpu/radix")
        self.assertEqual(rungs[-1], (len(rungs) - 1, NEW))
        self.assertEqual((new["after"], new["maker"], new["unavailable"]), ("cpu/radix/simd", "ours", ""))
        self.assertEqual(new["candidate"]["most_n"], 1024)
        self.assertRegex(self.call("show", NEW).stdout, r"└─ cpu/radix/simd\n +└─ \[cpu/radix/dropped_in\]\n")

    def test_is_completed_and_verified(self):
        self.assertEqual(self.call("complete", "show", "cpu/radix/dr").stdout.split(), [NEW])
        self.assertIn("0 failed", self.call("verify", "--filter", NEW, "--n", "0,1,1000").stdout)

    def test_is_measured_by_the_matrix_of_what_auto_may_choose(self):
        self.call("run", "--matrix", "cpu-auto", "--n", "64", "--rounds", "1", "--time", "0.001", "--type", "u32",
                  "--min-samples", "1", "--max-samples", "2", "--csv", "run.csv")
        rows = read_text(self.path("run.csv")).splitlines()
        header = rows[0].split(",")
        cells = [dict(zip(header, row.split(","))) for row in rows[1:]]
        self.assertEqual({row["value_bytes"] for row in cells if row["variant"] == NEW and row["status"] == "ok"}, {"0", "4"})

    def test_is_chosen_where_it_was_the_fastest(self):
        self.call("run", "--filter", "cpu/@auto", "--n", "64,256", "--threads", "1", "--time", "0.001", "--min-samples", "2",
                  "--max-samples", "4", "--csv", "run.csv", environment={"SORTLAB_ISA": VECTORS})
        rows = read_text(self.path("run.csv")).splitlines()
        place = rows[0].split(",").index("total_ns")
        for i, row in enumerate(rows):
            if f",{NEW}," in row:
                cells = row.split(",")
                cells[place] = "1"
                rows[i] = ",".join(cells)
        self.write("run.csv", "\n".join(rows) + "\n")
        self.call("tune", "--from", "run.csv", "--out", "tune.json")
        self.assertIn(NEW, read_text(self.path("tune.json")))
        chosen = self.call("show", "cpu/auto/auto", environment={"SORTLAB_TUNE": "tune.json"}).stdout
        self.assertIn(NEW, chosen)
        self.call("verify", "--filter", "cpu/auto/auto", "--n", "64", environment={"SORTLAB_TUNE": "tune.json"})

    def test_gets_a_row_in_the_table(self):
        sources = variants.of_sources(ROOT, ROOT / "tests" / "dropin")
        table = variants.TABLE.search(read_text(variants.PAGE))[0]
        new = variants.renewed_table(table, self.call("list", "--format", "markdown").stdout, sources)
        self.assertEqual([row for row in new.splitlines() if row not in table.splitlines()],
                         [f"| {NEW} | 6 | 6 | host | no | yes | scalar | insertion sort, dropped in |"])

    def test_has_a_place_on_the_page_of_the_report(self):
        self.call("run", "--filter", f"{NEW},cpu/radix/simd", "--n", "64", "--time", "0.001", "--min-samples", "2",
                  "--max-samples", "4", "--csv", "run.csv")
        self.call("report", "run.csv", "-o", "page.html")
        page = read_text(self.path("page.html"))
        looks = json.loads(page.split('id="looks">')[1].split("</script>")[0])
        self.assertEqual(looks["ladders"]["cpu/radix"][-2:], ["simd", "dropped_in"])

    @unittest.skipIf(MISSING, "no matplotlib: plots/requirements.txt")
    def test_looks_unlike_any_other(self):
        import style

        after = variants.of_sources(ROOT, ROOT / "tests" / "dropin")
        before = style.LADDERS
        self.addCleanup(setattr, style, "LADDERS", before)
        style.LADDERS = before | variants.ladders(after)
        looks = style.styles_of(after)
        self.assertEqual(looks[NEW].linestyle, "-")
        for other, look in looks.items():
            if other != NEW:
                self.assertNotEqual(look.mark, looks[NEW].mark, other)


if __name__ == "__main__":
    unittest.main()
