#!/usr/bin/env python3
"""No command loses existing files or its own measurements: with special files, two runs at once, full disks, closed
standard files, kills, and inputs that change."""

import fcntl
import json
import os
import pty
import re
import signal
import stat
import subprocess
import sys
import time
import unittest

from cli_test import (FAULTY, SORTLAB, TWO, CommandLine as Cli, ends_configuration, read_text, table)

ONE = ["--filter", "cpu/std_sort/naive"]
SHORT = ["--n", "1K", "--time", "0.01", "--min-samples", "2", "--max-samples", "2"]
HANGS = ["--filter", "cpu/std_sort/naive,tests/faulty/never_ends"]  # after its first sort is measured


class CommandLine(Cli):
    def shell(self, arguments, expect):
        """Runs sortlab with redirections."""
        done = subprocess.run(["bash", "-c", f"exec {SORTLAB} {arguments}"], cwd=self.folder, timeout=300,
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, expect, f"{arguments}\n{done.stdout}\n{done.stderr}")
        return done

    def start(self, *arguments, program=SORTLAB):
        process = subprocess.Popen([program, *arguments], cwd=self.folder, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def wait_for(self, name, rows):
        deadline = time.monotonic() + 300
        while time.monotonic() < deadline:
            if os.path.exists(self.path(name)) and read_text(self.path(name)).count("\n") > rows:
                return
            time.sleep(0.01)
        self.fail(f"{name}: fewer than {rows} rows")

    def device(self, name="null"):
        """A device like /dev/null in the test's folder."""
        try:
            os.mknod(self.path(name), 0o666 | stat.S_IFCHR, os.makedev(1, 3))
            with open(self.path(name), "w", encoding="utf-8") as file:
                file.write("x")
        except OSError as error:
            self.skipTest(f"no devices here: {error}")
        return name

    def is_device(self, name):
        return stat.S_ISCHR(os.stat(self.path(name)).st_mode)


class WhatIsNoFile(CommandLine):
    def test_a_device_stays_one(self):
        null = self.device()
        self.run_to_csv(*ONE, *SHORT)
        self.call("run", *ONE, *SHORT, "--csv", null)
        self.call("report", "run.csv", "-o", null, expect=0 if self.has_page() else 2)
        self.call("compare", "run.csv", "run.csv", "--csv", null)
        self.assertTrue(self.is_device(null))
        self.assertEqual([name for name in os.listdir(self.folder) if name.startswith("null")], ["null"])

    def has_page(self):
        return "this build" not in subprocess.run(
            [SORTLAB, "report", "run.csv", "-o", "page.html"], cwd=self.folder, capture_output=True,
            text=True, check=False).stderr

    def test_a_device_through_a_link(self):
        os.symlink(self.device(), self.path("link"))
        self.call("run", *ONE, *SHORT, "--csv", "link")
        self.assertTrue(os.path.islink(self.path("link")) and self.is_device("null"))

    def test_a_pipe_is_refused(self):
        os.mkfifo(self.path("pipe"))
        said = self.refused("run", *ONE, *SHORT, "--csv", "pipe", names=["pipe"], timeout=100)
        self.assertIn("stdout", said)
        self.assertTrue(stat.S_ISFIFO(os.stat(self.path("pipe")).st_mode))

    def test_stdout_by_its_path(self):
        done = self.call("run", *ONE, *SHORT, "--csv", "/dev/stdout")
        self.assertEqual([row["status"] for row in table(done.stdout)], ["ok", "ok"])
        self.shell(f"run {' '.join(ONE + SHORT)} --csv /dev/stdout > out.csv", 0)
        self.assertEqual([row["status"] for row in table(read_text(self.path("out.csv")))], ["ok", "ok"])
        self.assertEqual(os.listdir(self.folder), ["out.csv"])

    def test_links_are_followed_and_permissions_kept(self):
        os.symlink("real.csv", self.path("link.csv"))
        self.run_to_csv(*ONE, *SHORT, name="link.csv")
        os.chmod(self.path("real.csv"), 0o600)
        os.chmod(self.path("link.summary.csv"), 0o640)
        self.run_to_csv(*TWO, *SHORT, name="link.csv")
        self.assertTrue(os.path.islink(self.path("link.csv")))
        self.assertEqual(len(table(read_text(self.path("real.csv")))), 4)
        self.assertEqual(os.stat(self.path("real.csv")).st_mode & 0o777, 0o600)
        self.assertEqual(os.stat(self.path("link.summary.csv")).st_mode & 0o777, 0o640)


class TwoRuns(CommandLine):
    def test_one_file_has_one_run(self):
        first = self.start("run", *HANGS, *SHORT, "--csv", "run.csv", program=FAULTY)
        self.wait_for("run.csv", 2)
        said = self.call("run", *TWO, *SHORT, "--csv", "run.csv", expect=2).stderr
        self.assertEqual(said.count("\n"), 1, said)
        self.assertIn(f"process {first.pid}", said)
        self.assertIn("run.csv", said)
        os.symlink("run.csv", self.path("link.csv"))
        self.call("run", *TWO, *SHORT, "--csv", "link.csv", expect=2)
        os.remove(self.path("link.csv"))
        first.kill()
        first.wait()
        rows = self.run_to_csv(*ONE, *SHORT)  # a killed run does not block this one
        self.assertEqual(len(rows), 2)
        self.assertEqual(sorted(os.listdir(self.folder)), ["run.csv", "run.run.json", "run.summary.csv"])

    def test_csvs_of_one_stem_keep_apart(self):
        self.run_to_csv(*ONE, *SHORT, name="st.a")
        self.run_to_csv(*TWO, *SHORT, name="st.b")
        for name, configurations in [("st.a", 1), ("st.b", 2)]:
            self.assertEqual(len(table(read_text(self.path(name + ".summary.csv")))), configurations)
            self.assertEqual(len(json.loads(read_text(self.path(name + ".run.json")))), 1)


    def test_two_csvs_whose_other_files_are_the_same(self):
        for first, second in [("a", "a.csv"), ("b.csv", "b"), ("c.csv.xz", "c")]:
            self.write(first, b"schema_version," if first.startswith("c") else b"")
            if not first.startswith("c"):
                self.run_to_csv(*ONE, *SHORT, name=first)
            said = self.refused("run", *ONE, *SHORT, "--csv", second, names=[f"{second}: ", f" {first}"])
            self.assertIn(second[0] + ".run.json", said)
            self.assertFalse(os.path.exists(self.path(second)))
        self.write("d", "a program, say")
        self.run_to_csv(*ONE, *SHORT, name="d.csv")

    def test_one_page_from_two_programs(self):
        """Each writes to a temporary file with a unique name."""
        self.run_to_csv(*TWO, *SHORT)
        first, second = (self.start("compare", "run.csv", "run.csv", "--csv", "table.csv") for _ in range(2))
        self.assertEqual((first.wait(timeout=300), second.wait(timeout=300)), (0, 0))
        self.assertEqual(len(table(read_text(self.path("table.csv")))), 2)
        self.assertFalse([name for name in os.listdir(self.folder) if ".part" in name])


class Tables(CommandLine):
    """A table replaces an older one of its command, and no other file."""

    def test_no_measurement_is_overwritten(self):
        self.run_to_csv(*TWO, *SHORT)
        self.write("notes.txt", "mine")
        compare = ["compare", "run.csv", "run.csv", "--csv"]
        recommend = ["recommend", "--n", "1K", "--results", "run.csv", "--csv"]
        for command, other in ((compare, "answers.csv"), (recommend, "compared.csv")):
            self.call(*compare, "compared.csv")
            self.call(*recommend, "answers.csv")
            for name in ("run.csv", "run.summary.csv", "notes.txt", other):
                self.refused(*command, name, names=[f"{name}: holds something other than a table of this command"])
        for command, own in ((compare, "compared.csv"), (recommend, "answers.csv")):
            before = read_text(self.path(own))
            self.write(own, before + "an older line\n")
            self.call(*command, own)
            self.assertEqual(read_text(self.path(own)), before)
            self.write(own, "")
            self.call(*command, own)
            self.assertEqual(read_text(self.path(own)), before)


class FilesBesideTheCsv(CommandLine):
    def descriptions(self):
        return json.loads(read_text(self.path("run.run.json")))

    def test_an_argument_that_is_no_utf_8(self):
        self.run_to_csv(*ONE, *SHORT)
        self.write(b"bad\xff.txt".decode(errors="surrogateescape"), "3\n1\n2\n")
        done = subprocess.run([SORTLAB, "run", *ONE, "--input", b"bad\xff.txt", "--time", "0.01", "--csv", "run.csv"],
                              cwd=self.folder, capture_output=True, timeout=300, check=False)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertNotIn(b"json.exception", done.stderr)
        self.assertEqual(len(self.descriptions()), 1)

    def test_no_summary_of_others_is_overwritten(self):
        self.write("run.summary.csv", "mine\n")
        self.refused("run", *ONE, *SHORT, "--csv", "run.csv", names=["run.summary.csv: holds something other than a summary"])
        self.assertEqual(read_text(self.path("run.summary.csv")), "mine\n")
        self.assertFalse(os.path.exists(self.path("run.csv")))
        for name in ["a.summary.csv", "a.breakdown.csv", "a.summary.csv.xz", "a.run.json"]:
            self.refused("run", *ONE, *SHORT, "--csv", name, names=[name, "name another file"])

    def test_no_file_of_others_becomes_a_breakdown(self):
        for text in ["mine\n", "mine"]:
            self.write("run.breakdown.csv", text)
            self.refused("run", *ONE, "--breakdown", "--csv", "run.csv", names=["run.breakdown.csv: line 1: not a breakdown"])
            self.assertEqual(read_text(self.path("run.breakdown.csv")), text)

    def test_a_summary_that_a_spreadsheet_saved_is_replaced(self):
        self.run_to_csv(*ONE, *SHORT)
        ours = read_text(self.path("run.summary.csv"))
        for begin in ["\ufeff", "\ufeff\""]:
            self.write("run.summary.csv", begin + ours)
            self.call("run", *ONE, *SHORT, "--csv", "run.csv")
            self.assertEqual(read_text(self.path("run.summary.csv")), ours)

    def test_a_broken_description_is_kept(self):
        self.run_to_csv(*ONE, *SHORT)
        cut = read_text(self.path("run.run.json"))[:-4]
        for times, name in enumerate(["run.run.json.broken", "run.run.json.broken2"]):
            self.write("run.run.json", cut)
            done = self.call("run", *ONE, *SHORT, "--n", f"{times + 2}K", "--csv", "run.csv")
            self.assertIn(name, done.stderr)
            self.assertEqual(read_text(self.path(name)), cut)
            self.assertEqual(len(self.descriptions()), 1)

    def test_a_full_disk_is_an_error(self):
        os.symlink("/dev/full", self.path("run.run.json"))
        done = self.call("run", *ONE, *SHORT, "--csv", "run.csv", expect=1)
        self.assertIn("run.run.json: No space left on device", done.stderr)
        os.remove(self.path("run.run.json"))
        os.symlink("/dev/full", self.path("run.summary.csv"))
        done = self.call("run", *ONE, *SHORT, "--csv", "run.csv", expect=1)
        self.assertIn("run.summary.csv: No space left on device", done.stderr)
        self.assertEqual(len(table(read_text(self.path("run.csv")))), 2)

    def test_what_can_not_be_replaced_is_as_it_was(self):
        """A limit on the size of files simulates a full disk."""
        self.run_to_csv(*ONE, *SHORT)
        before = read_text(self.path("run.run.json"))
        done = subprocess.run(
            ["bash", "-c", f"trap '' XFSZ; ulimit -f 2; exec {SORTLAB} run {' '.join(ONE)} --n 3K --time 0.01 "
             "--csv run.csv"], cwd=self.folder, capture_output=True, text=True, timeout=300, check=False)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(read_text(self.path("run.run.json")), before)
        self.assertFalse([name for name in os.listdir(self.folder) if ".part" in name])


class StandardFiles(CommandLine):
    RUN = "run " + " ".join(TWO + SHORT) + " --csv run.csv"

    def rows(self):
        return [row["status"] for row in table(read_text(self.path("run.csv")))]

    def test_without_stderr(self):
        for closed in ["0<&- 2>&-", "2>/dev/full", "2> >(true)"]:
            with self.subTest(closed):
                self.shell(f"{self.RUN} {closed}", 0)
                self.assertEqual(self.rows(), ["ok"] * 4)
                os.remove(self.path("run.csv"))

    def test_without_stdout(self):
        self.run_to_csv(*TWO, *SHORT)
        for command in [self.RUN, "list", "dists", "--help", "compare run.csv run.csv", "run --dry-run --n 1K",
                        "completion bash", f"run {' '.join(ONE + SHORT)} --csv -"]:
            for closed in [">/dev/full", "1>&-"]:
                with self.subTest(command, closed=closed):
                    said = self.shell(f"{command} {closed}", 1).stderr
                    self.assertEqual(len(re.findall("^sortlab: ", said, re.MULTILINE)), 1, said)
        self.assertEqual(self.rows(), ["ok"] * 4)

    def test_nobody_hears_of_a_mistake(self):
        for closed in ["2>/dev/full", "1>&- 2>&-"]:
            self.shell(f"nonsense {closed}", 2)

    def test_a_terminal_that_goes_away(self):
        ours, theirs = pty.openpty()
        process = subprocess.Popen(
            [FAULTY, "run", "--filter", "cpu/std_sort/naive,tests/faulty/answers_wrong", "--n", "1K,2K", "--time",
             "0.2", "--max-samples", "50", "--csv", "run.csv"],
            cwd=self.folder, stdout=subprocess.DEVNULL, stderr=theirs,
            preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        os.close(theirs)
        self.wait_for("run.csv", 1)
        os.close(ours)
        self.assertEqual(process.wait(timeout=300), 1, "sorts that fail are named on stderr")
        ended = [row["status"] for row in table(read_text(self.path("run.csv"))) if ends_configuration(row)]
        self.assertEqual(ended, ["ok", "failed"] * 2)
        self.assertTrue(os.path.exists(self.path("run.summary.csv")))


class Resuming(CommandLine):
    def test_rounds_that_are_missing(self):
        arguments = [*TWO, *SHORT, "--rounds", "3"]
        text = self.run_to_csv(*arguments) and read_text(self.path("run.csv"))
        lines = text.splitlines(keepends=True)  # a header, then 3 rounds x 2 sorts x 2 samples
        self.assertEqual(len(lines), 13)
        for kept in (4, 7, 11):
            with self.subTest(kept=kept):
                self.write("run.csv", "".join(lines[:kept]))
                rows = self.run_to_csv(*arguments)
                for variant in ("cpu/radix/naive", "cpu/std_sort/naive"):
                    own = [row for row in rows if row["variant"] == variant]
                    self.assertEqual([int(row["rep"]) for row in own], list(range(6)))
                    self.assertEqual([bool(row["reason"]) for row in own], [False, True] * 3)
        self.assertIn("2 of 2 configurations are in run.csv already",
                      self.call("run", *arguments, "--csv", "run.csv").stderr)
        self.assertEqual(len(self.run_to_csv(*TWO, *SHORT)), 12, "one round of three is there")

    def test_what_was_killed_is_measured_again(self):
        process = self.start("run", *HANGS, *SHORT, "--csv", "run.csv", program=FAULTY)
        self.wait_for("run.csv", 2)
        (worker,) = subprocess.run(["pgrep", "-P", str(process.pid)], capture_output=True, text=True,
                                   check=True).stdout.split()
        os.kill(int(worker), signal.SIGKILL)
        process.wait(timeout=300)
        self.assertEqual(table(read_text(self.path("run.csv")))[-1]["status"], "oom")
        before = read_text(self.path("run.csv"))
        others = self.run_to_csv("--filter", "cpu/radix/naive", *SHORT)
        self.assertTrue(read_text(self.path("run.csv")).startswith(before), "another selection keeps the row")
        self.assertEqual(len(others), before.count("\n") + 1)  # a header less, two rows more
        rows = self.run_to_csv(*HANGS, *SHORT, "--timeout", "0.3", program=FAULTY, expect=1)
        self.assertEqual([(row["variant"], row["status"]) for row in rows],
                         [("cpu/std_sort/naive", "ok")] * 2 + [("cpu/radix/naive", "ok")] * 2 +
                         [("tests/faulty/never_ends", "timeout")])

    def test_an_input_that_changes(self):
        self.write("keys.txt", "".join(f"{i * 7919 % 10007}\n" for i in range(5000)))
        process = self.start("run", "--filter", "cpu/radix/naive,cpu/std_sort/naive", "--input", "keys.txt",
                             "--pin", "--threads", "1", "--time", "5", "--accuracy", "0", "--csv", "run.csv",
                             "--timeout", "20", "--filter", "cpu/merge/naive,cpu/quick/parallel")
        self.wait_for("run.csv", 3)
        (worker,) = subprocess.run(["pgrep", "-P", str(process.pid)], capture_output=True, text=True,
                                   check=True).stdout.split()
        self.write("keys.txt", "".join(f"{i}\n" for i in range(5000)))
        os.kill(int(worker), signal.SIGKILL)  # the next one reads the file again
        self.assertEqual(process.wait(timeout=300), 1)
        rows = table(read_text(self.path("run.csv")))
        failed = [row for row in rows if row["status"] == "failed"]
        self.assertIn(len(failed), (2, 3))  # the worker may be killed as it ends the first sort
        for row in failed:
            self.assertIn("keys.txt: holds other keys", row["reason"])
        self.assertEqual(len({row["variant"] for row in rows if row["status"] == "ok"}), 1)


class OtherOutputs(CommandLine):
    def test_tune_looks_before_it_measures(self):
        self.write("other.json", '{"a": 1}')
        for out in ["other.json", "other.json/tune.json", ".", "/proc/tune.json"]:
            said = self.refused("tune", "--cpu", "--quick", "--out", out, names=[out.split("/")[0]])
            self.assertNotIn("configurations", said, "it has begun to measure")

    def test_recommend_answers_without_a_cache(self):
        ask = ["recommend", "--n", "64", "--threads", "1", "--time", "0.01"]
        self.write("file", "")
        for cache in ["/proc", self.path("file")]:
            done = self.call(*ask, environment={"XDG_CACHE_HOME": cache})
            self.assertIn("the rows are not kept", done.stderr)
            self.assertIn("cpu/", done.stdout)

    def test_recommend_gives_rounds_to_those_near_the_best(self):
        done = self.call("recommend", "--n", "100K", "--type", "u32", "--threads", "1", "--time", "0.3", "--measure", "--format",
                         "json", environment={"XDG_CACHE_HOME": self.folder})
        first, *others = json.loads(done.stdout)["candidates"]
        self.assertGreaterEqual(first["rounds"], 5)
        slow = [sort for sort in others if sort["times_the_first"] > 8]
        self.assertTrue(slow)
        for sort in slow:
            self.assertLessEqual(sort["rounds"], 1, sort["name"])

    def test_recommend_and_a_cache_in_use(self):
        ask = ["recommend", "--n", "64", "--threads", "1", "--time", "0.01"]
        self.call(*ask, environment={"XDG_CACHE_HOME": self.folder})
        (cache,) = [name for name in os.listdir(self.path("sortlab")) if name.endswith(".csv")]
        before = read_text(self.path("sortlab/" + cache))
        with open(self.path(f"sortlab/{cache}.lock"), "w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            done = self.call(*ask, "--measure", environment={"XDG_CACHE_HOME": self.folder})
        self.assertIn("the rows are not kept", done.stderr)
        self.assertIn("cpu/", done.stdout)
        self.assertEqual(read_text(self.path("sortlab/" + cache)), before)


if __name__ == "__main__":
    sys.exit(unittest.main())
