"""What scripts write into the documents is what the program and the files in results/ say today."""

import contextlib
import importlib
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "plots"))
import cli_page  # noqa: E402
import front  # noqa: E402
import lab  # noqa: E402
import rivals  # noqa: E402
import tables  # noqa: E402
import variants  # noqa: E402
from standings import finding, grid_finding, ratio_label  # noqa: E402

SORTLAB = (Path(os.environ["SORTLAB_BIN"]) / "sortlab").resolve()


def printed(*command, **options):
    return subprocess.run([SORTLAB, *command], capture_output=True, text=True, check=True, timeout=300, **options).stdout


class Documents(unittest.TestCase):
    def test_scripts_would_write_the_same(self):
        for name, *arguments in (["tables"], ["rivals"], ["front"], ["lab"], ["variants", str(SORTLAB)]):
            said = io.StringIO()
            with self.subTest(name), contextlib.redirect_stdout(said):
                code = importlib.import_module(name).main(["--check", *arguments])
                self.assertEqual((code, said.getvalue()), (0, ""))

    def test_the_page_of_commands_has_the_help_of_today(self):
        page = cli_page.PAGE.read_text(encoding="utf-8")
        self.assertEqual(page, cli_page.page_with_help(page, SORTLAB), "plots/cli_page.py mends it")

    def test_it_names_the_fields_of_the_json(self):
        page = set(re.findall(r"`([a-z0-9_]+)`", cli_page.PAGE.read_text(encoding="utf-8")))
        for words in (["doctor"], ["show", "cpu/radix/naive"],
                      ["run", "--filter", "cpu/radix/naive", "--n", "1K", "--time", "0", "--min-samples", "2"]):
            answer = json.loads(printed(*words, "--format", "json"))
            own = set(answer)
            if words[0] == "run":
                own |= set(answer["contests"][0]) | {key for key, value in answer["rows"][0].items()
                                                     if isinstance(value, (bool, float, list))}
            if words[0] == "doctor":
                own |= set(answer["findings"][0])
            self.assertLessEqual(own, page)

    def test_every_table_and_section_is_in_a_document(self):
        text = "".join((ROOT / document).read_text(encoding="utf-8") for document in tables.DOCUMENTS)
        self.assertEqual(sorted(tables.TABLES), sorted(match[1] for match in tables.MARKED.finditer(text)))
        page = rivals.PAGE.read_text(encoding="utf-8")
        self.assertEqual([match[2] for match in rivals.MARKED.finditer(page)], [*rivals.GRIDS, *rivals.SECTIONS])

    def test_the_heat_maps_are_of_these_figures(self):
        for name in rivals.SECTIONS:
            group = rivals.group_of(name)
            drawn = rivals.picture_of(name).read_text(encoding="utf-8")
            self.assertIn(f">{finding(group)}</text>", drawn)
            self.assertEqual(re.findall(r"font-weight: 700; font-size: 8px[^>]*>([\d.]+)<", drawn),
                             [ratio_label(standing.ratio) for standing in group[:rivals.MOST]])
        for name in rivals.GRIDS:
            for contest, group in rivals.grid_of(name).items():
                self.assertIn(f">{contest}: {grid_finding(group)}</text>", rivals.grid_picture(name, contest).read_text(encoding="utf-8"))

    def test_the_readme_says_the_same_of_rivals(self):
        lines = (ROOT / "README.md").read_text(encoding="utf-8").split("## Results\n")[1].split("##")[0].splitlines()
        cells = {line.split(" | ")[0].strip("| "): line.strip("| ").split(" | ")[1:] for line in lines if line.startswith("| ")}
        for row, names in {"uniform": ("uniform_gpu", "uniform_gpu_h100", "uniform_cpu", "uniform_one_thread", "uniform_one_thread_amd"),
                           "of [programs](docs/inputs.md)": ("real_gpu", "real_gpu_h100", "real_cpu", "real_one_thread", "real_one_thread_amd")}.items():
            for name, cell in zip(names, cells[row], strict=True):
                said = finding(rivals.group_of(name))
                for figure in re.search(r"leads on (\d+ of \d+) .*?worst ([\d.]+) .*median ([\d.]+)", said).groups():
                    self.assertRegex(cell, rf"(?<![\d.]){re.escape(figure)}(?![\d.]\d)", f"{row}: {said}")

    def test_the_picture_of_compare_is_what_it_prints(self):
        with tempfile.TemporaryDirectory() as folder:
            drawn = Path(folder) / "compare.svg"
            files = ["results/amd2/table1.csv.xz", "results/h200/cpu.csv.xz"]
            done = subprocess.run([sys.executable, "plots/terminal.py", drawn, SORTLAB, "compare", *files, "--filter", "cpu/radix/*"],
                                  cwd=ROOT, capture_output=True, text=True, timeout=300)
            if "can't read .xz files" in (text := drawn.read_text(encoding="utf-8") if drawn.exists() else done.stderr):
                self.skipTest("built without liblzma")
            self.assertEqual((ROOT / "docs" / "pictures" / "compare.svg").read_text(encoding="utf-8"), text)


class Faults(unittest.TestCase):
    """The checks find each of these faults."""

    def test_a_changed_figure_in_each_table(self):
        for document in tables.DOCUMENTS:
            text = (ROOT / document).read_text(encoding="utf-8")
            # The last figure of each table.
            wrong = tables.MARKED.sub(lambda match: re.sub(r"(?s)(.*\| )(\d)", r"\g<1>9\2", match[0], count=1), text)
            self.assertEqual(tables.renew(wrong), (text, [match[1] for match in tables.MARKED.finditer(text)]))

    def test_a_changed_section_of_rivals(self):
        text = rivals.PAGE.read_text(encoding="utf-8")
        wrong = rivals.MARKED.sub(r"\1\g<3>9\4", text)
        self.assertEqual(rivals.renew(wrong), (text, [*rivals.GRIDS, *rivals.SECTIONS]))

    def test_a_chart_of_other_figures(self):
        described = front.described()
        with unittest.mock.patch.object(front, "described", lambda: described.replace("1", "2")):
            self.assertEqual(len(list(front.wrong())), len(front.PICTURES))

    def test_a_row_of_a_variant_that_is_not_true(self):
        table = variants.TABLE.search(variants.PAGE.read_text(encoding="utf-8"))[0]
        wrong = table.replace("recursive top-down merge sort", "something else")
        gone = "".join(row for row in table.splitlines(True) if "| cpu/quick/naive " not in row)
        left = table + "| cpu/quick/gone | 6 | 6 | host | no | scalar | deleted long ago |\n"
        for text in (wrong, gone, left):
            self.assertNotEqual(text, table)
            self.assertEqual(variants.renewed_table(text, printed("list", "--format", "markdown"), variants.of_sources()), table)

    def test_a_help_of_yesterday(self):
        page = cli_page.PAGE.read_text(encoding="utf-8")
        self.assertEqual(cli_page.page_with_help(page.replace("Usage: sortlab run", "Usage: sortlab walk"), SORTLAB), page)

    def test_a_log_of_experiments(self):
        header = "| " + " | ".join(lab.COLUMNS) + " |\n" + "| --- " * len(lab.COLUMNS) + "|\n"
        row = "| 2026-11-21 | h200 | 2^27 u32 | larger tiles | 1.2 | 1.1 | no: spills | h200/attempts/a.*.txt |\n"
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            for name in ("docs/lab/gpu/radix/a.md", "results/h200/attempts/a.1.txt"):
                (root / name).parent.mkdir(parents=True)
                (root / name).touch()

            def faults_in(text):
                (root / "docs/lab/gpu/radix/a.md").write_text(text, encoding="utf-8")
                return "\n".join(lab.faults(root))

            self.assertIn("there is no variant gpu/radix/a", faults_in(header + row))
            (root / "gpu/radix").mkdir(parents=True)
            (root / "gpu/radix/a.cu").touch()
            self.assertEqual(faults_in(header + row), "")
            for wrong, said in {header + row.replace("a.*.txt", "b.1.txt"): "no log results/h200/attempts/b.1.txt",
                                header + row.replace("| h200 |", "| laptop |"): "machine 'laptop'",
                                header + row.replace("no: spills", "perhaps"): "kept begins with",
                                header + row.replace("| 1.2 ", ""): "7 cells, not 8",
                                "Nothing was tried.\n": "no table of attempts"}.items():
                self.assertIn(said, faults_in(wrong))


if __name__ == "__main__":
    unittest.main()
