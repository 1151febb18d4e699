#!/usr/bin/env python3
"""Sorts over ranks: processes that mpirun starts, or that started sortlab; ranks that die, hang and lack memory; without
MPI, rows that say so."""

import os
import shutil
import subprocess
import unittest

from cli_test import FAULTY, MARK, SORTLAB, CommandLine as Cli, processes_marked, read_text, table

LADDER = {f"cpu/ranks/{rung}" for rung in ("gather", "sample", "histogram", "partition", "shared", "hierarchical")}
FULL = os.environ.get("SORTLAB_MATRIX") == "full"
SHORT = ["--time", "0.01", "--min-samples", "2", "--max-samples", "2"]
DEAD = ",".join(f"tests/faulty_ranks/{fault}" for fault in ("dies", "is_killed", "lacks_memory", "hangs"))


def has_ranks():
    done = subprocess.run([SORTLAB, "run", "--filter", "cpu/ranks/gather", "--ranks", "1", "--dry-run"],
                          capture_output=True, text=True, check=True)
    return "skipped" not in done.stdout


class TwoHosts:
    """Two network namespaces with a cable between them, as if they were two hosts. `mpirun` reaches the second one by
    `agent`, in place of ssh."""

    ADDRESSES = ("10.213.7.1", "10.213.7.2")

    def __init__(self, folder):
        self.names = [f"sortlab-{os.getpid()}-{side}" for side in "ab"]
        self.agent = os.path.join(folder, "agent")
        with open(self.agent, "w", encoding="ascii") as file:
            file.write(f'#!/bin/sh\nshift\nexec {" ".join(self.inside(1))} sh -c "$*"\n')
        os.chmod(self.agent, 0o755)

    def inside(self, side):
        return ["ip", "netns", "exec", self.names[side], "unshare", "--uts"]

    def lay_cable(self):
        """False where this is not allowed."""
        ends = [f"sl{os.getpid()}{side}" for side in "ab"]
        commands = [f"ip netns add {name}" for name in self.names]
        commands.append(f"ip link add {ends[0]} type veth peer name {ends[1]}")
        for name, end, address in zip(self.names, ends, self.ADDRESSES):
            commands += [f"ip link set {end} netns {name}", f"ip -n {name} addr add {address}/24 dev {end}",
                         f"ip -n {name} link set {end} up", f"ip -n {name} link set lo up"]
        commands.append(" ".join(self.inside(0)) + " true")
        return all(subprocess.run(command.split(), capture_output=True, check=False).returncode == 0
                   for command in commands)

    def remove(self):
        for name in self.names:
            subprocess.run(["ip", "netns", "del", name], capture_output=True, check=False)


class CommandLine(Cli):
    def setUp(self):
        super().setUp()
        # Ranks that wait must let the others run: there may be more of them than CPUs.
        self.environment = {"OMPI_MCA_mpi_yield_when_idle": "1", MARK: self.folder}

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
        rows = self.ranks("--filter", "cpu/ranks/*", "--ranks", "1,3", "--n", "1,1000", "--pairs")
        self.assertEqual({(row["variant"], row["ranks"], row["n"]) for row in rows if row["status"] == "ok"},
                         {(rung, ranks, n) for rung in LADDER for ranks in "13" for n in ("1", "1000")})
        for row in rows:
            self.assertEqual((row["sorted_ok"], row["permutation_ok"], row["stable_ok"]), ("1", "1", "1"))
            self.assertGreaterEqual(float(row["imbalance"]), 1)
            self.assertGreaterEqual(int(row["total_ns"]), int(row["exchange_ns"]))
            if row["n"] == "1000" or row["ranks"] == "1":  # one key may stay or go
                self.assertEqual(int(row["exchange_bytes"]) > 0, row["ranks"] == "3")
        self.assertEqual(self.call("compare", "run.csv", "run.csv").returncode, 0)

    def test_they_are_verified(self):
        said = self.call("verify", "--filter", "cpu/ranks/*", "--ranks", "2", "--n", "0,1,1000", "--dist", "equal,special",
                         "--type", "f64", environment=self.environment).stdout
        self.assertIn("72 passed, 0 failed, 0 skipped", said)

    def test_one_that_goes_wrong_costs_one_row(self):
        rows = self.ranks("--filter", DEAD + ",cpu/ranks/sample", "--ranks", "2", "--n", "100", "--timeout", "3", program=FAULTY, expect=1)
        reasons = {row["variant"].rsplit("/", 1)[1]: (row["status"], row["reason"]) for row in rows}
        self.assertEqual(reasons["dies"], ("failed", "rank 1: crashed: Segmentation fault"))
        self.assertEqual(reasons["is_killed"], ("oom", "rank 1: killed, most likely for lack of memory"))
        self.assertEqual(reasons["lacks_memory"], ("oom", "rank 1: an allocation failed"))
        self.assertEqual(reasons["hangs"], ("timeout", "not done after 3 s"))
        self.assertEqual(reasons["sample"][0], "ok")
        self.assertEqual(processes_marked(self.folder), [], "ranks that outlive the run")

    def test_a_fault_between_two_ranks_is_found(self):
        for fault, dist, reason in ((0, "sorted", ""), (1, "sorted", "wrong result: not a permutation of the input"),
                                    (2, "sorted", "wrong result: not a permutation of the input"),
                                    (3, "sorted", "wrong result: not sorted"),
                                    (3, "equal", "wrong result: equal keys changed places")):
            rows = self.ranks("--filter", "tests/faulty_ranks/errs_at_a_border", "--ranks", "3", "--n", "100", "--dist", dist,
                              "--pairs", "--param", f"fault={fault}", program=FAULTY, name=f"{fault}{dist}.csv",
                              expect=int(fault > 0))
            self.assertEqual([row["reason"] for row in rows if row["status"] != "ok"], [reason] if fault else [])

    def test_more_than_memory_holds_costs_one_row(self):
        rows = self.ranks("--filter", "cpu/ranks/shared", "--ranks", "2", "--n", "100,4e12")
        self.assertEqual([(row["n"], row["status"]) for row in rows], 2 * [("100", "ok")] + [("4000000000000", "skipped")])
        self.assertRegex(rows[-1]["reason"], "rank 0: its host needs .* GiB are available")

    def test_ranks_for_cpus_and_nodes(self):
        for word in ("all", "nodes"):
            said = self.call("run", "--filter", "cpu/ranks/hierarchical", "--ranks", word, "--n", "9", "--dry-run").stdout
            self.assertRegex(said, "ranks:[1-9]")
        self.refused("run", "--filter", "cpu/ranks/*", "--ranks", "node", "--n", "100", names=["--ranks node", "nodes"])

    @unittest.skipUnless(FULL, "only with --full")
    def test_more_ranks_than_cpus(self):
        dists = ("uniform,reverse,equal,staggered:16,bucketsorted:16,ggroup:16,mirrored:16,alltoone:16,deterdups,"
                 "randdups:16")
        for ranks in ("8", "16"):
            said = self.call("verify", "--filter", "cpu/ranks/*", "--ranks", ranks, "--n", f"0,1,{int(ranks) + 1},300000",
                             "--dist", dists, "--type", "u32,f64", environment=self.environment, timeout=3600).stdout
            self.assertIn("960 passed, 0 failed, 0 skipped", said)

    def test_over_tcp(self):
        self.environment["OMPI_MCA_btl"] = "tcp,self"
        rows = self.ranks("--filter", "cpu/ranks/sample,cpu/ranks/partition", "--ranks", "3", "--n", "100003")
        self.assertEqual({(row["status"], row["sorted_ok"]) for row in rows}, {("ok", "1")})

    @unittest.skipUnless(os.geteuid() == 0 and shutil.which("ip") and shutil.which("unshare"), "no network namespaces")
    def test_over_a_network(self):
        if not shutil.which("ompi_info"):
            self.skipTest("the words for mpirun are those of Open MPI")
        hosts = TwoHosts(self.folder)
        self.addCleanup(hosts.remove)
        if not hosts.lay_cable():
            self.skipTest("network namespaces are not allowed")
        network = hosts.ADDRESSES[0].rsplit(".", 1)[0] + ".0/24"
        words = [*hosts.inside(0), "mpirun", "--allow-run-as-root", "--host", ",".join(f"{a}:1" for a in hosts.ADDRESSES)]
        for name, value in (("plm_rsh_agent", hosts.agent), ("btl", "tcp,self"), ("btl_tcp_if_include", network),
                            ("oob_tcp_if_include", network), ("hwloc_base_binding_policy", "none"),
                            ("mpi_yield_when_idle", "1")):
            words += ["--mca", name, value]
        self.call(*words[1:], "-n", "2", SORTLAB, "run", "--filter", "cpu/ranks/histogram,cpu/ranks/partition", "--n", "100003",
                  *SHORT, "--csv", "run.csv", program=words[0],
                  environment={"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"})
        rows = table(read_text(self.path("run.csv")))
        self.assertEqual({(row["status"], row["sorted_ok"], row["ranks"]) for row in rows}, {("ok", "1", "2")})
        with open(self.path("sent"), "wb") as file:
            subprocess.run([*hosts.inside(0), "cat", "/proc/net/dev"], stdout=file, check=True)
        sent = sum(int(line.split()[9]) for line in read_text(self.path("sent")).splitlines() if "sl" in line)
        self.assertGreater(sent, 4 * 50_000, "half of the keys went over the cable")

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

    def test_a_launcher_that_starts_nothing(self):
        self.write("mpirun", "#!/bin/sh\nexec sleep 60\n")
        os.chmod(self.path("mpirun"), 0o755)
        self.call("run", "--filter", "cpu/ranks/gather", "--ranks", "2", "--n", "9", "--csv", "other.csv", "--timeout", "1",
                  environment={"PATH": self.folder + ":" + os.environ["PATH"]}, expect=1)
        row, = table(read_text(self.path("other.csv")))
        self.assertEqual((row["status"], row["reason"]), ("failed", "no ranks after 1 s"))

    @unittest.skipUnless(os.geteuid() == 0, "not root")
    def test_a_launcher_that_refuses_root(self):
        refusing = {"OMPI_ALLOW_RUN_AS_ROOT": "", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "",
                    "PRTE_ALLOW_RUN_AS_ROOT": "", "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM": ""}
        said = subprocess.run(["mpirun", "--version"], capture_output=True, text=True, env={**os.environ, **refusing},
                              check=False).stdout
        if "Open MPI" not in said and "Open RTE" not in said:
            self.skipTest("a launcher that lets root")
        self.call("run", "--filter", "cpu/ranks/gather", "--ranks", "2", "--n", "9", "--csv", "other.csv",
                  environment=refusing, expect=1)
        row, = table(read_text(self.path("other.csv")))
        self.assertEqual((row["status"], row["reason"]),
                         ("failed", "no ranks: the launcher exited with 1: mpirun has detected an attempt to run as root."))


if __name__ == "__main__":
    unittest.main()
