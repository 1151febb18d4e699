#!/usr/bin/env python3
"""Sorts over ranks: processes that mpirun starts, or that started sortlab; ranks that die, hang and lack memory; without
MPI, rows that say so."""

import os
import subprocess
import unittest

from cli_test import FAULTY, SORTLAB, CommandLine as Cli, read_text, table

LADDER = {"cpu/ranks/gather", "cpu/ranks/sample", "cpu/ranks/histogram", "cpu/ranks/hierarchical"}
SHORT = ["--time", "0.01", "--min-samples", "2", "--max-samples", "2"]
DEAD = "tests/faulty_ranks/dies,tests/faulty_ranks/lacks_memory,tests/faulty_ranks/hangs,cpu/ranks/sample"


def has_ranks():
    done = subprocess.run([SORTLAB, "run", "--filter", "cpu/ranks/gather", "--ranks", "1", "--dry-run"],
                          capture_output=True, text=True, check=True)
    return "skipped" not in done.stdout


def processes_of(program):
    """The numbers of the processes that run a program as a rank."""
    found = []
    for number in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{number}/cmdline", "rb") as file:
                words = file.read().split(b"\0")
        except OSError:  # it has ended
            continue
        if words[:2] == [os.path.realpath(program).encode(), b"rank"]:
            found.append(number)
    return found


class CommandLine(Cli):
    def setUp(self):
        super().setUp()
        # Ranks that wait must let the others run: there may be more of them than CPUs.
        self.environment = {"OMPI_MCA_mpi_yield_when_idle": "1"}

    def ranks(self, *arguments, **options):
        return self.run_to_csv(*arguments, *SHORT, environment=self.environment, **options)


class WithoutRanks(CommandLine):
    def test_a_row_says_what_is_missing(self):
        for arguments, reason in ((["--filter", "cpu/ranks/*"], "say how many with --ranks N"),
                                  (["--filter", "cpu/ranks/gather", "--ranks", "2"], "no ")):
            done = self.call("run", *arguments, "--n", "100", "--csv", "run.csv", expect=3,
                             environment={"PATH": "/nowhere"})
            rows = table(read_text(self.path("run.csv")))
            self.assertEqual({row["status"] for row in rows}, {"skipped"})
            self.assertIn(reason, rows[-1]["reason"])
            self.assertIn(reason, done.stderr)

    def test_they_are_listed(self):
        listed = self.call("list", "--filter", "cpu/ranks/*").stdout
        for rung in LADDER:
            self.assertIn(rung, listed)

    def test_bad_counts(self):
        for count, named in (("0", "--ranks 0"), ("1e9", "--ranks 1e9"), ("x", "x"), ("-1", "-1"), ("2,,3", "")):
            self.refused("run", "--filter", "cpu/ranks/*", f"--ranks={count}", "--n", "100", names=[named])


@unittest.skipUnless(has_ranks(), "no MPI")
class Ranks(CommandLine):
    def test_every_rung_is_measured(self):
        rows = self.ranks("--filter", "cpu/ranks/*", "--ranks", "1,3", "--n", "0,1000", "--pairs")
        self.assertEqual({(row["variant"], row["ranks"], row["n"]) for row in rows if row["status"] == "ok"},
                         {(rung, ranks, n) for rung in LADDER for ranks in "13" for n in ("0", "1000")})
        for row in rows:
            self.assertEqual((row["sorted_ok"], row["permutation_ok"], row["stable_ok"]), ("1", "1", "1"))
            self.assertGreaterEqual(float(row["imbalance"]), 1)
            self.assertGreaterEqual(int(row["total_ns"]), int(row["exchange_ns"]))
            self.assertEqual(int(row["exchange_bytes"]) > 0, row["ranks"] == "3" and row["n"] == "1000")
        self.assertEqual(self.call("compare", "run.csv", "run.csv").returncode, 0)

    def test_they_are_verified(self):
        said = self.call("verify", "--filter", "cpu/ranks/*", "--ranks", "2", "--n", "0,1,1000", "--dist", "equal,special",
                         "--type", "f64", environment=self.environment).stdout
        self.assertIn("48 passed, 0 failed, 0 skipped", said)

    def test_one_that_goes_wrong_costs_one_row(self):
        rows = self.ranks("--filter", DEAD, "--ranks", "2", "--n", "100", "--timeout", "5", program=FAULTY, expect=1)
        reasons = {row["variant"].rsplit("/", 1)[1]: (row["status"], row["reason"]) for row in rows}
        self.assertEqual(reasons["dies"], ("failed", "rank 1: crashed: Segmentation fault"))
        self.assertEqual(reasons["lacks_memory"], ("oom", "rank 1: an allocation failed"))
        self.assertEqual(reasons["hangs"], ("timeout", "not done after 5 s"))
        self.assertEqual(reasons["sample"][0], "ok")
        self.assertEqual(processes_of(FAULTY), [], "ranks that outlive the run")

    def test_any_launcher_may_start_the_ranks(self):
        launched = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                    "OMPI_MCA_rmaps_base_oversubscribe": "1", **self.environment}
        self.call("-n", "3", SORTLAB, "run", "--filter", "cpu/ranks/sample,cpu/std_sort/naive", "--n", "1000", *SHORT,
                  "--csv", "run.csv", program="mpirun", environment=launched)
        rows = table(read_text(self.path("run.csv")))
        self.assertEqual([(row["variant"], row["ranks"]) for row in rows],
                         2 * [("cpu/ranks/sample", "3")] + 2 * [("cpu/std_sort/naive", "")])
        self.call("-n", "2", SORTLAB, "run", "--filter", "cpu/ranks/sample", "--ranks", "3", "--n", "9",
                  program="mpirun", environment=launched, expect=2)

    def test_a_launcher_that_fails_is_quoted(self):
        self.write("mpirun", "#!/bin/sh\necho no slots today\nexit 7\n")
        os.chmod(self.path("mpirun"), 0o755)
        done = self.call("run", "--filter", "cpu/ranks/gather", "--ranks", "2", "--n", "9", "--csv", "other.csv",
                         environment={"PATH": self.folder + ":" + os.environ["PATH"]}, expect=1)
        row, = table(read_text(self.path("other.csv")))
        self.assertEqual((row["status"], row["reason"]),
                         ("failed", "no ranks: the launcher exited with 7: no slots today"))
        self.assertIn("no slots today", done.stderr)


if __name__ == "__main__":
    unittest.main()
