#!/usr/bin/env python3
"""Loads of `sortlab run`: each sort is measured under its own load, and no process remains. Ctrl-Z stops all processes
of a run."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
import unittest

from cli_test import FAULTY, SORTLAB, CommandLine, read_text, table

ONE = ["--filter", "cpu/std_sort/naive"]
SHORT = ["--n", "1K", "--time", "0.01", "--min-samples", "2", "--max-samples", "2"]
HANGS = ["run", "--filter", "cpu/std_sort/naive,tests/faulty/never_ends", *SHORT]


def fields_of(pid):
    """Fields of /proc/PID/stat: the state, the parent, the process group."""
    state, parent, group = read_text(f"/proc/{pid}/stat").rpartition(")")[2].split()[:3]
    return state, int(parent), int(group)


class Processes(CommandLine):
    def start(self, *arguments, program=SORTLAB, **options):
        process = subprocess.Popen([program, *arguments], cwd=self.folder,
                                   **{"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, **options})
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def children(self, pid, kind):
        """The processes that were started as `sortlab KIND ...`."""
        found = []
        for child in read_text(f"/proc/{pid}/task/{pid}/children").split():
            try:
                if read_text(f"/proc/{child}/cmdline").split("\0")[1] == kind:
                    found.append(int(child))
            except (OSError, IndexError):  # it has ended, or not begun
                pass
        return found


class Loads(Processes):
    def is_there(self, pid):
        try:
            return fields_of(pid)[0] != "Z"
        except OSError:
            return False

    def start_with_load(self):
        """A run with a load and a sort that never ends, and the load's processes."""
        run = self.start(*HANGS, "--load", "2", "--csv", "-", program=FAULTY, stdout=subprocess.PIPE)
        self.addCleanup(run.stdout.close)
        for _ in range(3):  # the header and the two samples of the sort that ends
            self.assertTrue(run.stdout.readline())
        self.assertEqual(len(self.children(run.pid, "load")), 2)
        return run, self.children(run.pid, "load")

    def test_a_row_says_under_which_load(self):
        rows = self.run_to_csv(*ONE, *SHORT, "--load", "0,1,1:5/5", "--rounds", "2")
        self.assertEqual([row["load"] for row in rows], [load for load in ("0", "1", "1:5/5") * 2 for _ in "12"])
        self.assertEqual(len({row["config_id"] for row in rows}), 3)
        for row in rows:
            self.assertTrue(0 <= float(row["free_cpus"]) <= len(os.sched_getaffinity(0)))
        summary = table(read_text(self.path("run.summary.csv")))
        self.assertEqual([(line["load"], line["n_kept"]) for line in summary],
                         [("0", "4"), ("1", "4"), ("1:5/5", "4")])

        before = read_text(self.path("run.csv"))
        self.assertIn("3 of 3 configurations are in run.csv already",
                      self.call("run", *ONE, *SHORT, "--load", "0,1,1:5/5", "--rounds", "2", "--csv", "run.csv").stderr)
        done = self.call("run", *ONE, *SHORT, "--load", "2", "--csv", "run.csv")
        self.assertTrue(read_text(self.path("run.csv")).startswith(before))
        self.assertIn("uniform (million keys per second)\n", done.stdout)
        for title in ("uniform, load 1 (million", "uniform, load 1:5/5 (million", "load 2 (million"):
            self.assertIn(f"{title} keys per second; 90th percentile of the times over their median)", done.stdout)

    def test_compare_pairs_no_loads(self):
        self.run_to_csv(*ONE, *SHORT, "--load", "0,1", name="base.csv")
        self.run_to_csv(*ONE, *SHORT, "--load", "1,2", name="new.csv")
        done = self.call("compare", "base.csv", "new.csv", "--threshold", "9", "--csv", "both.csv")
        self.assertIn("1 configuration in both", done.stdout)
        self.assertEqual([row["load"] for row in table(read_text(self.path("both.csv"))) if row["ratio"]], ["1"])

    def test_the_matrix(self):
        planned = self.call("run", "--matrix", "busy", "--dry-run").stdout.splitlines()
        self.assertTrue(any(line.endswith("/load:1:50/50") or ":50/50" in line for line in planned))
        self.write("m.json", json.dumps({"runs": [{"filter": "cpu/std_sort/naive", "n": "1K", "load": ["0", "1:5/5"]}]}))
        rows = self.run_to_csv("--matrix", "m.json", *SHORT)
        self.assertEqual({row["load"] for row in rows}, {"0", "1:5/5"})
        rows = self.run_to_csv("--matrix", "m.json", *SHORT, "--load", "1", name="other.csv")
        self.assertEqual({row["load"] for row in rows}, {"1"})

    def test_how_openmp_waits_is_described(self):
        self.run_to_csv(*ONE, *SHORT, environment={"OMP_WAIT_POLICY": "passive", "GOMP_SPINCOUNT": "0"})
        (run,) = json.loads(read_text(self.path("run.run.json"))).values()
        self.assertEqual(run["environment"], {"OMP_WAIT_POLICY": "passive", "GOMP_SPINCOUNT": "0"})

    def test_bad_loads(self):
        for load in ("8t", "50%:50", "-1", "all"):
            self.refused("run", *ONE, "--load", load, "--csv", "run.csv", names=[f"'{load}' is no load: expected CPUs"])
        self.refused("run", *ONE, "--load", "1", "--breakdown", names=["--breakdown measures without a --load"])

    def test_the_processes_are_the_parents_own(self):
        run, load = self.start_with_load()
        (worker,) = self.children(run.pid, "worker")
        groups = {fields_of(pid)[2] for pid in load}
        self.assertEqual(groups, {load[0]}, "one group")
        self.assertEqual(len({*groups, fields_of(worker)[2], fields_of(run.pid)[2]}), 3)
        self.assertEqual(self.children(worker, "load"), [])

    def test_none_is_left_at_the_end(self):
        run, load = self.start_with_load()
        end = time.monotonic() + 300
        while run.poll() is None and time.monotonic() < end:
            for worker in self.children(run.pid, "worker"):  # the one of the sort that never ends may start later
                with contextlib.suppress(ProcessLookupError):
                    os.kill(worker, signal.SIGKILL)
            time.sleep(0.05)
        self.assertEqual(run.wait(timeout=300), 0)
        self.assertFalse(any(map(self.is_there, load)))

    def test_none_is_left_after_ctrl_c(self):
        run, load = self.start_with_load()
        run.send_signal(signal.SIGINT)
        self.assertEqual(run.wait(timeout=300), 130)
        self.assertFalse(any(map(self.is_there, load)))

    def test_none_is_left_when_the_program_is_killed(self):
        for how in (signal.SIGKILL, signal.SIGSEGV):
            run, load = self.start_with_load()
            run.send_signal(how)
            self.assertEqual(run.wait(timeout=300), -how)
            self.wait_until(lambda: not any(map(self.is_there, load)))

    def test_a_process_that_somebody_ends_is_started_again(self):
        run = self.start("run", *ONE, "--n", "1K,2K", "--time", "1.5", "--accuracy", "0", "--max-samples", "1000000",
                         "--load", "1")
        self.wait_until(lambda: self.children(run.pid, "worker") and self.children(run.pid, "load"))
        (first,) = self.children(run.pid, "load")
        os.kill(first, signal.SIGKILL)
        self.wait_until(lambda: self.children(run.pid, "load") not in ([], [first]))
        self.assertEqual(run.wait(timeout=300), 0)


class Pausing(Processes):
    def test_all_stop_and_go_on(self):
        run = self.start("run", *ONE, "--n", "16K", "--time", "3", "--accuracy", "0", "--max-samples", "1000000",
                         "--timeout", "6", "--load", "1", "--csv", "run.csv")
        self.wait_until(lambda: self.children(run.pid, "worker") and self.children(run.pid, "load"))
        time.sleep(0.3)
        ours = [run.pid, *self.children(run.pid, "worker"), *self.children(run.pid, "load")]
        self.assertEqual(len(ours), 3)
        run.send_signal(signal.SIGTSTP)
        self.wait_until(lambda: {fields_of(pid)[0] for pid in ours} == {"T"})
        time.sleep(6)  # as long as the time limit
        run.send_signal(signal.SIGCONT)
        self.assertEqual(run.wait(timeout=300), 0)
        rows = table(read_text(self.path("run.csv")))
        self.assertEqual({row["status"] for row in rows}, {"ok"})
        self.assertLess(max(int(row["total_ns"]) for row in rows), 2e9, "a sample that the pause is part of")
        self.assertEqual(rows[-1]["reason"], "time limit")

    def test_who_ignores_it_goes_on(self):
        run = self.start("run", *ONE, "--n", "1K", "--time", "2", "--accuracy", "0", "--max-samples", "1000000",
                         "--load", "1", preexec_fn=lambda: signal.signal(signal.SIGTSTP, signal.SIG_IGN))
        self.wait_until(lambda: self.children(run.pid, "load"))
        run.send_signal(signal.SIGTSTP)
        self.assertEqual(run.wait(timeout=300), 0)


if __name__ == "__main__":
    sys.exit(unittest.main())
