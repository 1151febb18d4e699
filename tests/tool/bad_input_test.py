"""Bad input gives one line that names the file and the line or key, or the flag, and exit code 2; nothing is lost. Runs
that measured nothing give exit code 3."""

import csv
import json
import os
import resource
import shutil
import subprocess
import tempfile
import unittest

from cli_test import SORTLAB, CommandLine
from report_command_test import PLOTLY

BITONIC = os.path.join(os.environ["SORTLAB_BIN"], "bitonic")
BENCHMARK = os.path.join(os.environ["SORTLAB_BIN"], "sortlab_benchmark")
ONE = ["--filter", "cpu/std_sort/naive", "--n", "1K", "--time", "0.01", "--max-samples", "6"]


def few_files():
    resource.setrlimit(resource.RLIMIT_NOFILE, (5, 5))


class Folder(CommandLine):
    def contents(self):
        """All files with their bytes; devices and pipes are left out."""
        files = {}
        for name in os.listdir(os.fsencode(self.folder)):
            path = os.path.join(os.fsencode(self.folder), name)
            if os.path.isfile(path) and os.path.getsize(path) < 1 << 20:
                with open(path, "rb") as file:
                    files[name] = file.read()
        return files

    def call(self, *arguments, environment=None, **options):
        cache = {"XDG_CACHE_HOME": self.path("cache")}
        return super().call(*arguments, environment={**cache, **(environment or {})}, errors="replace", **options)

    def refused(self, *arguments, names=(), **options):
        """Expects exit code 2, one line on stderr that holds `names` and no library's words, and no changed file."""
        before = self.contents()
        done = self.call(*arguments, expect=2, **options)
        self.assertEqual(before, self.contents(), arguments)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        for name in names:
            self.assertIn(name, done.stderr, arguments)
        for word in ("json.exception", "stod", "stou", "stoi", "std::", "filesystem error", "Could not convert",
                     "but received"):
            self.assertNotIn(word, done.stderr, arguments)


class Environment(Folder):
    def test_instruction_sets(self):
        for command in (["list"], ["show", "cpu/radix/naive"], ["dists"], ["trace", "cpu/radix"], ["doctor"], ["run", *ONE]):
            self.refused(*command, environment={"SORTLAB_ISA": "sse9"}, names=["SORTLAB_ISA", "'sse9'", "scalar"])
        self.call("list", "--help", environment={"SORTLAB_ISA": "sse9"})

    def test_choices(self):
        for command in (["list"], ["doctor"], ["run", "--filter", "cpu/auto/auto", *ONE[2:]]):
            self.refused(*command, environment={"SORTLAB_TUNE": self.path("missing.json")}, names=["missing.json"])


class Flags(Folder):
    def test_numbers(self):
        for flag, value in [
                ("--time", "inf"), ("--time", "nan"), ("--time", "-1"), ("--time", "x"),
                ("--accuracy", "inf"), ("--accuracy", "nan"),
                ("--seed", "-1"), ("--seed", "18446744073709551616"), ("--seed", "0x10"), ("--seed", "1e3"),
                ("--rounds", "1000000000"), ("--rounds", "1001"), ("--rounds", "0"), ("--rounds", "-1"),
                ("--min-samples", "0"), ("--max-samples", "99999999999"), ("--device", "-1")]:
            with self.subTest(flag=flag, value=value):
                self.refused("run", *ONE[:4], "--csv", "run.csv", flag, value, names=[f"{flag} {value}: a "])
        self.refused("run", *ONE[:2], "--accuracy", "2", names=["accuracy 2: a share, from 0 to 1"])
        self.refused("run", *ONE[:2], "--n", "1K,0", names=["n is 0: run needs 1 or more keys"])
        self.refused("run", "--filter", "cpu/topk/filter", "--n", "1K", "--best", "0", names=["best is 0: run needs 1 or more"])
        self.refused("recommend", "--n", "1K", "--best", "0", names=["--best: 1 or more"])
        for flag, value, said in (("--launch", "bogus", "'bogus'"), ("--devices", "99", "--devices 99: a count"),
                                  ("--launch", "graph", "--launch graph has no effect")):
            self.refused("run", *ONE, flag, value, names=[said])  # beside a CPU sort
        self.refused("recommend", "--n", "1K", "--time", "inf", names=["--time inf"])
        self.refused("reproduce", "table-1", "--time", "inf", names=["--time inf"])
        self.refused("verify", "--filter", "cpu/std_sort/naive", "--seed", "-1", names=["--seed -1"])

    def test_limits_of_time(self):
        for command in (["run", *ONE[:2]], ["verify", *ONE[:2]], ["reproduce", "goralija-table-1"]):
            for value in ("0", "-1", "nan", "inf", "x"):
                self.refused(*command, "--timeout", value, names=[f"--timeout {value}: a number above 0"])

    def test_counts_of_threads(self):
        for value in ("0", "-1", "x", "1.5", "4097", "99999999999999999999"):
            for command in (["run", *ONE[:2]], ["recommend", "--n", "1K"]):
                self.refused(*command, f"--threads={value}", names=[f"--threads {value}: a count from 1 to 4096, or all"])

    def test_an_empty_value(self):
        """As of a script's variable that is not set: `run --csv "$FILE"` must not measure for nothing."""
        for command, flags in ((["run", *ONE], ("--csv", "--matrix", "--input", "--plugin", "--filter", "--type", "--n")),
                               (["recommend", "--n", "1K"], ("--csv", "--max-memory", "--input", "--results", "--type")),
                               (["compare", "a.csv", "b.csv"], ("--csv", "--threshold")), (["tune"], ("--out", "--from")),
                               (["reproduce", "all"], ("--out",)), (["trace", "cpu/merge"], ("-o", "--keys"))):
            for flag in flags:
                self.refused(*command, flag, "", names=[": the value is empty"])
        self.refused("compare", "", "b.csv", names=["BASE: the value is empty"])

    def test_too_many_values_and_too_few(self):
        self.refused("run", *ONE[:2], "--time", "1", "--time", "2", names=["--time is given 2 times, but takes a value"])
        self.refused("run", *ONE[:2], "--n", names=["--n needs a value: N|typical"])
        self.refused("ladder", "cpu/merge", "--diff", "naive", names=["--diff needs 2 values"])
        self.refused("run", *ONE[:2], "--cold=x", names=["--cold takes no value"])

    def test_a_leading_zero_is_no_octal(self):
        self.call("run", *ONE, "--csv", "run.csv", "--seed", "010")
        self.assertEqual({row["seed"] for row in rows_of(self.path("run.csv"))}, {"10"})

    def test_most_rounds(self):
        self.call("run", *ONE, "--rounds", "1000", "--dry-run")


def rows_of(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


class Measured(Folder):
    """Bad files beside the CSV of a run."""

    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([SORTLAB, "run", *ONE, "--csv", "run.csv"], cwd=folder, check=True, capture_output=True)
            cls.files = {}
            for name in ("run.csv", "run.run.json"):
                with open(os.path.join(folder, name), "rb") as file:
                    cls.files[name] = file.read()
        cls.rows = list(csv.DictReader(cls.files["run.csv"].decode().splitlines()))

    def setUp(self):
        super().setUp()
        for name, content in self.files.items():
            self.write(name, content)

    def save(self, name, rows):
        with open(self.path(name), "w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, self.rows[0], lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)

    def test_numbers_in_a_csv(self):
        for column, text in [
                ("total_ns", "1e-320"), ("kernel_ns", "1e-320"), ("total_ns", "1e40"), ("total_ns", ""),
                ("n", ".5"), ("n", "1e5"), ("n", "1e24"), ("n", "99999999999999999999"), ("n", "-1"), ("n", ""),
                ("threads", "99999999999"), ("threads", "x"), ("value_bytes", ".5"), ("value_bytes", "1e5"),
                ("seed", "-1"), ("rep", "1.5"), ("alloc_ns", "0x10"), ("launches", "inf"),
                ("peak_temp_bytes", "99999999999999999999"), ("sm_mhz", "1e9"), ("cpu_J", "nan"),
                ("cycles", "-1"), ("page_faults", "few"),
                ("gpu_J", "1e400"), ("load_1min", "-1"), ("free_cpus", "all"), ("cpu_quota", "two")]:
            with self.subTest(column=column, text=text):
                self.save("run.csv", [self.rows[0], {**self.rows[1], column: text}, *self.rows[2:]])
                self.write("run.run.json", self.files["run.run.json"])
                fault = f"run.csv: line 3: {column} is '{text}', not a"
                self.refused("run", *ONE, "--csv", "run.csv", names=[fault])
                said = self.call("compare", "run.csv", "run.csv").stderr
                self.assertIn(fault, said)
        reads = [["recommend", "--n", "1K", "--threads", "1", "--results", "run.csv"]]
        for command in reads + ([["report", "run.csv"]] if PLOTLY else []):
            self.assertIn(fault, self.call(*command).stderr)

    def test_shapes_of_run_json(self):
        for text, fault in [
                ("", "not JSON"), ('{"a": {"cpu"', "not JSON"), ("[1]", "expected an object"),
                ('{"a": 5}', "a: expected an object {...}, found 5"),
                ('{"a": {"cpu": 3}}', "a.cpu: expected an object {...}, found 3"),
                ('{"a": {"cpu": {"model": 7}}}', "a.cpu.model: expected a string, found 7"),
                ('{"a": {"cpu": {"threads": 1e24}}}', "a.cpu.threads: expected a whole number"),
                ('{"a": {"cpu": [1], "gpu": []}}', "a.cpu: expected an object {...}, found [1]"),
                ('{"a": {"cpu": {"caches": {}}}}', "a.cpu.caches: expected a list [...], found {}"),
                ('{"a": {"roofs": {"copy_bytes_per_s_all_threads": "fast"}}}',
                 'a.roofs.copy_bytes_per_s_all_threads: expected a number, found "fast"'),
                ('{"a": {"gpu": {"sms": "132"}}}', 'a.gpu.sms: expected a whole number')]:
            with self.subTest(text):
                self.write("run.run.json", text)
                fault = f"run.run.json: {fault}"
                self.refused("recommend", "--n", "1K", "--results", "run.csv", names=[fault])
                self.refused("tune", "--from", "run.csv", "--out", "tune.json", names=[fault])
                if not PLOTLY:
                    continue
                said = self.call("report", "run.csv").stderr
                self.assertIn(f"{fault}", said)
                self.assertIn("its machine is known by its device alone", said)
                os.remove(self.path("report.html"))
        said = self.call("run", *ONE, "--seed", "7", "--csv", "run.csv").stderr
        self.assertIn(f"{fault}", said)
        self.assertIn("it is run.run.json.broken now, and a new one begins", said)
        with open(self.path("run.run.json.broken")) as file:
            self.assertEqual(file.read(), text)

    def test_breakdown(self):
        names = list(self.rows[0])
        config = names[names.index("algorithm"):names.index("load") + 1]
        header = ["schema_version", "config_id", *config, "activity", "launches_per_sort", "ns_per_sort", "share",
                  "revision"]
        row = {**self.rows[0], "activity": "sort", "launches_per_sort": "1", "ns_per_sort": "fast", "share": "1",
               "revision": ""}
        os.mkdir(self.path("papers-small"))
        self.write("papers-small/samples.breakdown.csv", ",".join(header) + "\n" + ",".join(
            f'"{row[name]}"' for name in header) + "\n")
        self.refused("reproduce", "goralija-table-1", "--scale", "small",
                     names=["samples.breakdown.csv: line 2: ", "'fast'"])
        if not PLOTLY:
            return
        os.rename(self.path("papers-small/samples.breakdown.csv"), self.path("run.breakdown.csv"))
        said = self.call("report", "run.csv").stderr
        self.assertEqual(said, "run.breakdown.csv: line 2: ns_per_sort is 'fast', not a number; it is left out\n")

    def test_what_never_ends(self):
        for command in (["compare", "/dev/zero", "run.csv"], ["compare", "run.csv", "/dev/zero"],
                        ["report", "/dev/zero"], ["recommend", "--n", "1K", "--results", "/dev/zero"],
                        ["tune", "--check", "/dev/zero"]):
            with self.subTest(command):
                self.refused(*command, names=["/dev/zero: neither a regular file nor a pipe"])
        self.refused("tune", "--show", environment={"SORTLAB_TUNE": "/dev/zero"}, names=["/dev/zero: neither"])

    def test_a_pipe_that_would_be_read_twice(self):
        os.mkfifo(self.path("pipe"))
        for command in (["report", "pipe"], ["tune", "--from", "pipe", "--out", "tune.json"]):
            self.refused(*command, names=["pipe: is a pipe, and it is read more than once"])

    def test_a_pipe_is_read_to_its_end(self):
        self.call("compare", "/dev/stdin", "run.csv", input=self.files["run.csv"].decode())
        for slow in ("cat run.csv", "head -c 100 run.csv; sleep 0.1; tail -c +101 run.csv"):
            done = subprocess.run(["bash", "-c", f"{SORTLAB} compare <({slow}) <(sleep 0.1; cat run.csv)"],
                                  cwd=self.folder, capture_output=True, text=True, timeout=300, check=False)
            self.assertEqual((done.returncode, done.stderr), (0, ""), slow)

    def test_a_pipe_without_a_writer(self):
        os.mkfifo(self.path("pipe"))
        for arguments in (["pipe", "run.csv"], ["run.csv", "pipe"]):
            self.refused("compare", *arguments, timeout=100,
                         names=["pipe: a pipe that holds nothing and that nobody writes to"])
        with subprocess.Popen(["bash", "-c", "sleep 0.1; cat run.csv > pipe"], cwd=self.folder):
            self.call("compare", "pipe", "run.csv")


class Matrices(Folder):
    def test_shapes(self):
        for text, fault in [
                ("", "not JSON"), ("[]", "expected an object {...}, found []"), ("{}", '"runs" must be a list'),
                ('{"runs": 5}', "runs: expected a list [...], found 5"),
                ('{"runs": {"n": "1K"}}', 'runs: expected a list [...], found {"n":"1K"}'),
                ('{"runs": []}', '"runs" must be a list with at least one run'),
                ('{"runs": [3]}', "runs[0]: expected an object {...}, found 3"),
                ('{"runs": [{}, {"n": 5}]}', "runs[1].n: expected a string or a list of strings, found 5"),
                ('{"runs": [{"n": ["1K", 5]}]}', "runs[0].n[1]: expected a string, found 5"),
                ('{"runs": [{"pin": "yes"}]}', 'runs[0].pin: expected true or false, found "yes"'),
                ('{"runs": [{"seed": -1}]}', "runs[0].seed: expected a whole number"),
                ('{"runs": [{"filtre": "a"}]}', "runs[0]: unknown key 'filtre'; nearest: filter"),
                ('{"runs": [{}], "stop": [1, 2]}', "stop: expected an object {...}, found [1,2]"),
                ('{"runs": [{}], "stop": {"time": "1"}}', 'stop.time: expected a number, found "1"'),
                ('{"runs": [{}], "round": 3}', "unknown key 'round'; nearest: rounds"),
                ('{"runs": [{}], "rounds": 1e9}', "rounds: expected a whole number from 1 to 1000")]:
            with self.subTest(text):
                self.write("m.json", text)
                self.refused("run", "--matrix", "m.json", "--csv", "run.csv", names=["m.json: " + fault])


class Files(Folder):
    def test_keys_beyond_the_memory(self):
        with open(self.path("big.raw"), "wb") as file:
            file.truncate(1 << 40)
        self.refused("run", *ONE, "--type", "u32", "--input", "big.raw", "--csv", "run.csv",
                     names=["big.raw: needs 1024.0 GiB of memory"])

    def test_keys_beyond_the_address_space(self):
        with open(self.path("big.raw"), "wb") as file:
            file.truncate(1 << 30)
        self.refused("run", *ONE, "--type", "u32", "--input", "big.raw", "--csv", "run.csv",
                     names=["big.raw: needs 1.0 GiB of memory"],
                     preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30)))

    def test_beyond_the_address_space(self):
        def little_memory():
            resource.setrlimit(resource.RLIMIT_AS, (200 << 20, 200 << 20))

        with open(self.path("big.csv"), "wb") as file:
            file.truncate(1 << 29)
        self.refused("compare", "big.csv", "run.csv", preexec_fn=little_memory,
                     names=["big.csv: needs more memory than this process may have"])
        done = self.call("run", "--dry-run", "--n", "1..1G*1.01", "--type", "u32,i32,u64,i64,f32,f64", "--dist",
                         "uniform,sorted", expect=1, preexec_fn=little_memory)
        self.assertEqual(done.stderr, "sortlab: out of memory: more is needed than this process may have\n")

    def test_a_name_that_is_no_utf8(self):
        with open(os.path.join(os.fsencode(self.folder), b"x\xff.txt"), "w", encoding="utf-8") as file:
            file.write("3\n1\n2\n")
        self.refused("run", *ONE, "--input", b"x\xff.txt", "--csv", "run.csv", names=["no UTF-8"])
        folder = os.path.join(os.fsencode(self.folder), b"y\xff")
        os.mkdir(folder)
        shutil.copy(os.path.join(os.environ["SORTLAB_PLUGINS"], "plugin_good.so"), os.path.join(folder, b"good.so"))
        self.refused("list", "--plugin", b"y\xff/good.so", names=["--plugin y", "no UTF-8"])
        # Other names are only told.
        self.call("run", *ONE, "--csv", b"y\xff/run.csv", environment={"OMP_PLACES": b"\xff"})
        with open(os.path.join(folder, b"run.run.json"), encoding="utf-8") as file:
            self.assertIn("y\ufffd/run.csv", json.dumps(json.load(file), ensure_ascii=False))

    @unittest.skipUnless(os.geteuid() == 0, "only root can become somebody else")
    def test_a_folder_that_may_not_be_read(self):
        os.chmod(self.folder, 0o755)
        os.mkdir(self.path("closed"), 0o700)
        program = shutil.copy(SORTLAB, self.path("sortlab"))  # the build may be in a home that is closed, too
        os.chmod(program, 0o755)
        self.refused("run", *ONE, "--csv", "closed/x.csv", names=["closed/x.csv: Permission denied"],
                     program=program, user=65534, group=65534, extra_groups=[])

    def test_few_open_files(self):
        done = self.call("run", *ONE, "--csv", "run.csv", expect=2, preexec_fn=few_files)
        self.assertIn("Too many open files", done.stderr)


class AllSkipped(Folder):
    ARGUMENTS = ["--filter", "cpu/std_sort/naive", "--n", "1000G", "--type", "u32"]

    def test_run(self):
        done = self.call("run", *self.ARGUMENTS, "--csv", "run.csv", expect=3)
        self.assertIn("nothing was measured: every configuration was skipped, the first because: needs", done.stderr)
        self.assertEqual([row["status"] for row in rows_of(self.path("run.csv"))], ["skipped"])
        self.call("run", *self.ARGUMENTS, "--csv", "run.csv", expect=3)  # and when it is all there
        self.call("run", *self.ARGUMENTS, "--n", "1K", "--time", "0.01", "--csv", "run.csv")

    def test_nothing_planned(self):
        done = self.call("run", "--filter", "cpu/@auto", "--n", "1G", program=BITONIC, expect=3)
        self.assertIn("nothing was measured: no sort that --filter names takes these types and sizes", done.stderr)

    def test_verify(self):
        done = self.call("verify", "--filter", "cpu/std_sort/naive", "--values", "pairs", "--type", "u32",
                         "--dist", "uniform", "--n", "5G", expect=3)
        self.assertEqual(done.stdout,
                         "0 passed, 0 failed, 1 skipped: u32 values number no more than 2^32 - 1 items\n")

    def test_help(self):
        for command in ("run", "verify"):
            self.assertIn("3 when every", " ".join(self.call(command, "--help").stdout.split()))


class Benchmarks(Folder):
    def test_a_filter_that_measures_nothing(self):
        for pattern in ("(", "*", "[", "nothing"):
            self.call(f"--benchmark_filter={pattern}", program=BENCHMARK, expect=2)

    def test_the_environment_names_no_benchmarks(self):
        done = self.call("--benchmark_filter=^cpu/std_sort/naive/u32/n:1024/", "--benchmark_min_time=0.001",
                         "--benchmark_format=json", program=BENCHMARK,
                         environment={"BENCHMARK_FILTER": "nothing", "BENCHMARK_LIST_TESTS": "true"})
        self.assertEqual(len(json.loads(done.stdout)["benchmarks"]), 1)
        all_names = self.call("--benchmark_list_tests", program=BENCHMARK).stdout
        some = self.call("--benchmark_list_tests", program=BENCHMARK, environment={"BENCHMARK_FILTER": "merge"}).stdout
        self.assertEqual(some, all_names)


if __name__ == "__main__":
    unittest.main()
