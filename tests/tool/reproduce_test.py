"""`sortlab reproduce` as users call it: the list, all exhibits at small scale, resuming, mistakes."""

import json
import os
import signal
import subprocess
import time
import unittest

from cli_test import SORTLAB, CommandLine, ends_configuration, read_text, table

COLUMNS = ("exhibit,source,table,row,column,unit,published,measured,low,high,ratio,status,reason,"
           "machine,revision").split(",")


class Reproduce(CommandLine):
    # Spinning threads would take cores from other tests.
    environment = {"OMP_WAIT_POLICY": "passive"}

    def reproduce(self, *arguments, **options):
        return self.call("reproduce", *arguments, environment=self.environment, timeout=300,
                         **options)

    def cells(self, exhibit, folder="out"):
        return table(read_text(self.path(os.path.join(folder, exhibit + ".csv"))))

    def ids(self):
        lines = self.reproduce().stdout.split("\n\n")[0].splitlines()[1:]
        return [line.split()[0] for line in lines]

    def test_list(self):
        text = self.reproduce().stdout
        self.assertRegex(text, r"goralija-table-1 +CPU +Goralija et al\. ")
        self.assertRegex(text, r"goralija-table-3 +CPU\+GPU ")
        self.assertRegex(text, r"fraidakis-table-5 +GPU ")
        self.assertEqual(os.listdir(self.folder), [])

    def test_all_at_small_scale_and_again(self):
        printed = self.reproduce("all", "--scale", "small", "--out", "out").stdout
        ids = self.ids()
        self.assertEqual(len(ids), 26)
        for exhibit in ids:
            self.assertIn(f"\n{exhibit}: ", printed)
            cells = self.cells(exhibit)
            self.assertEqual(list(cells[0]), COLUMNS)
            markdown = read_text(self.path(f"out/{exhibit}.md"))
            self.assertTrue(markdown.startswith("# "), exhibit)
            for cell in cells:
                self.assertEqual(cell["exhibit"], exhibit)
                if cell["column"] == "verdict":
                    self.assertIn(cell["status"], ("confirmed", "refuted", "can't tell here"))
                    self.assertIn(cell["row"], markdown)
                elif cell["status"] == "ok":
                    self.assertGreaterEqual(float(cell["measured"]), 0, cell)
                    self.assertLessEqual(float(cell["low"]), float(cell["measured"]), cell)
                    self.assertGreaterEqual(float(cell["high"]), float(cell["measured"]), cell)
                    self.assertTrue(cell["machine"] and cell["revision"], cell)
                else:
                    self.assertEqual((cell["status"], cell["measured"]), ("skipped", ""), cell)
                if cell["measured"] == "" or cell["status"] != "ok":
                    self.assertTrue(cell["reason"], cell)

        self.assertRegex(printed, r"\nVerdicts:\n +confirmed +refuted +can't tell here\n")
        self.assertRegex(printed, r"\n +all +\d+ +\d+ +\d+ +of \d+ claims\n")
        verdicts = [c for e in ids for c in self.cells(e) if c["column"] == "verdict"]
        page = read_text(self.path("out/verdicts.md"))
        for verdict in verdicts:
            self.assertIn(f"| {verdict['source']} | ", page)
        counted = page.split("| all | ")[1].split(" |\n")[0].split(" | ")
        self.assertEqual(int(counted[-1]), len(verdicts))
        self.assertIn("## Contradictions within the sources", page)

        measured_on_cpu = self.cells("goralija-table-1")
        self.assertEqual(len(measured_on_cpu), 6 * 4)
        for cell in measured_on_cpu:
            if cell["status"] == "skipped":
                self.assertRegex(cell["reason"], "needs oneTBB in this build", cell)
                continue
            self.assertEqual(cell["status"], "ok", cell)
            self.assertIn("in place of", cell["reason"])
            self.assertEqual(cell["ratio"] != "", cell["unit"] == "x", cell)
        per_key = [c for c in self.cells("daskalopoulos-normalized") if c["column"] == "qsort"]
        for cell in per_key:
            self.assertAlmostEqual(float(cell["ratio"]),
                                   float(cell["measured"]) / float(cell["published"]), delta=0.01)

        # Each configuration once, and a second time not at all.
        samples = read_text(self.path("out/samples.csv"))
        ends = [row["config_id"] for row in table(samples)
                if row["status"] != "ok" or row["reason"]]
        self.assertEqual(len(ends), len(set(ends)))
        before = {name: read_text(self.path(f"out/{name}")) for name in os.listdir(self.path("out"))}
        self.assertEqual(
            self.reproduce("all", "--scale", "small", "--out", "out").stdout, printed)
        for name, text in before.items():
            self.assertEqual(read_text(self.path(f"out/{name}")), text, name)
        self.assertIn("samples.run.json", before)
        self.assertEqual(len(json.loads(before["samples.run.json"])), 1)
        self.assertIn("samples.summary.csv", before)

    def test_one_exhibit_in_two_halves(self):
        half = ("goralija-table-1", "--scale", "small", "--out", "out", "--filter")
        self.reproduce(*half, "cpu/radix/*,cpu/merge/*")
        status = {(c["row"], c["column"]): c["status"] for c in self.cells("goralija-table-1")}
        self.assertEqual(status["Radix sort", "Speedup"], "ok")
        self.assertEqual(status["Quick sort", "Naive"], "skipped")
        self.reproduce(*half, "cpu/quick/*", "--time", "0.01")
        status = {(c["row"], c["column"]): c["status"] for c in self.cells("goralija-table-1")}
        self.assertEqual(status["Radix sort", "Speedup"], "ok")
        self.assertEqual(status["Quick sort", "Naive"], "ok")
        self.assertEqual(status["std::sort", "Naive"], "skipped")

    def test_again_measures_anew(self):
        one = ("goralija-table-1", "--scale", "small", "--out", "out", "--filter", "cpu/std_sort/naive,cpu/radix/naive")
        def runs():
            return {row["variant"]: row["run_id"] for row in table(read_text(self.path("out/samples.csv")))}
        self.reproduce(*one)
        first = runs()
        self.reproduce(*one)
        self.assertEqual(runs(), first)
        self.reproduce(*one[:-1], "cpu/radix/naive", "--again")
        self.assertEqual(runs()["cpu/std_sort/naive"], first["cpu/std_sort/naive"])
        self.assertNotEqual(runs()["cpu/radix/naive"], first["cpu/radix/naive"])

    def test_rounds_take_turns(self):
        self.reproduce("goralija-table-1", "--scale", "small", "--out", "out", "--filter", "cpu/radix/naive,cpu/radix/optimized", "--rounds", "2")
        order = [row["variant"] for row in table(read_text(self.path("out/samples.csv"))) if ends_configuration(row)]
        self.assertEqual(order, ["cpu/radix/naive", "cpu/radix/optimized"] * 2)

    def test_judge_measures_nothing(self):
        half = ("goralija-table-1", "--scale", "small", "--out", "out")
        self.refused("reproduce", *half, "--judge", names=["out/samples.csv", "no such file"])
        self.reproduce(*half, "--filter", "cpu/radix/naive,cpu/radix/parallel")
        def folder():
            return {name: read_text(self.path(f"out/{name}")) for name in os.listdir(self.path("out"))}

        def measured(files):
            return files["samples.csv"], [row for row in table(files["goralija-table-1.csv"]) if row["status"] == "ok"]

        before = folder()
        self.reproduce(*half, "--judge")
        judged = folder()  # it does not say what this build lacks: the samples may be of another one
        self.assertEqual(measured(judged), measured(before))
        self.assertTrue(measured(before)[1])
        os.remove(self.path("out/goralija-table-1.md"))
        os.remove(self.path("out/samples.summary.csv"))
        self.reproduce(*half, "--judge")
        self.assertEqual(folder(), judged)
        for flag in (["--again"], ["--time", "1"], ["--filter", "cpu/radix/naive"]):
            self.refused("reproduce", *half, "--judge", *flag, names=["--judge", flag[0]])

    def test_a_name_that_is_a_folder_is_told_before_measuring(self):
        for name in ("verdicts.md", "goralija-table-1.csv", "goralija-table-1.md"):
            os.makedirs(self.path(f"{name}.out/{name}"))
            self.refused("reproduce", "goralija-table-1", "--scale", "small", "--out", f"{name}.out", names=[f"{name}.out/{name}"])
            self.assertEqual(os.listdir(self.path(f"{name}.out")), [name])

    def test_an_interrupt_keeps_what_is_measured(self):
        command = ("goralija-table-1", "--scale", "small", "--out", "out", "--filter", "cpu/radix/*")
        process = subprocess.Popen([SORTLAB, "reproduce", *command, "--time", "2"], cwd=self.folder, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, **self.environment})
        path = self.path("out/samples.csv")
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline and (not os.path.exists(path) or not any(map(ends_configuration, table(read_text(path))))):
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        printed, said = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, said)
        self.assertIn("interrupted; the same command resumes\n", said)
        self.assertIn("written to out", printed)
        done = {c["status"] for c in self.cells("goralija-table-1")}
        self.assertEqual(done, {"ok", "skipped"})
        before = [row for row in table(read_text(path)) if ends_configuration(row)]
        self.reproduce(*command)
        rows = table(read_text(path))
        ends = [row["config_id"] for row in rows if ends_configuration(row)]
        self.assertEqual(len(ends), 3)
        self.assertEqual(len(ends), len(set(ends)))
        for row in before:
            self.assertIn(row, rows)

    def test_default_folder(self):
        self.reproduce("goralija-table-1", "--scale", "small", "--filter", "cpu/std_sort/naive")
        self.assertEqual(os.listdir(self.folder), ["papers-small"])

    def test_mistakes(self):
        self.refused("reproduce", "goralija-table-9",
                     names=["goralija-table-9", "nearest: goralija-table-1"])
        self.refused("reproduce", "all", "--scale", "tiny", names=["scale", "tiny", "small"])
        self.refused("reproduce", "all", "--filter", "cpu/bogo/*", names=["cpu/bogo/*"])
        self.refused("reproduce", "goralija-table-1", "--filter", "cpu/radix/naive,cpu/radix/simd",
                     names=["--filter", "cpu/radix/simd"])
        self.assertEqual(os.listdir(self.folder), [])
        self.refused("reproduce", "all", "--time", "-1", names=["--time"])
        self.refused("reproduce", "all", "--timeout", "0", names=["--timeout"])
        self.refused("reproduce", "all", "--nonsense", names=["--nonsense"])
        self.write("file", "not a folder")
        self.refused("reproduce", "goralija-table-1", "--out", "file", names=["file"])

    def test_a_foreign_csv_is_left_alone(self):
        os.mkdir(self.path("out"))
        self.write("out/samples.csv", "a,b\n1,2\n")
        self.refused("reproduce", "goralija-table-1", "--scale", "small", "--out", "out",
                     names=["out/samples.csv", "schema"])
        self.assertEqual(read_text(self.path("out/samples.csv")), "a,b\n1,2\n")
        self.assertEqual(os.listdir(self.path("out")), ["samples.csv"])


if __name__ == "__main__":
    unittest.main()
