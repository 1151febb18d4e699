"""The program as users call it: commands, files, signals, mistakes, and faulty sorts."""

import csv
import fnmatch
import glob
import io
import json
import os
import re
import signal
import struct
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

BIN = os.environ["SORTLAB_BIN"]
SORTLAB = os.path.join(BIN, "sortlab")
FAULTY = os.environ["SORTLAB_FAULTY"]
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir)
DATA_PAGE = os.path.join(ROOT, "docs", "data.md")
CORPUS = os.path.join(ROOT, "tests", "fuzz", "corpus")
TWO = ["--filter", "cpu/radix/naive,cpu/std_sort/naive"]
SMALL = ["--n", "1K", "--time", "0.01", "--max-samples", "6"]
COLUMNS = Path(ROOT, "plots", "columns.txt").read_text(encoding="utf-8").split()
SCHEMA = "1"
MARK = "SORTLAB_TEST"  # a variable that a test gives to its processes
COUNTED_BY_THE_CPU = ["cycles", "instructions", "branch_misses", "cache_misses"]
COUNTERS = [*COUNTED_BY_THE_CPU, "page_faults", "context_switches"]

# The choices and the measurements that the user of this machine keeps bear on no test.
HOME = tempfile.TemporaryDirectory()
os.environ.update(XDG_CONFIG_HOME=os.path.join(HOME.name, "config"), XDG_CACHE_HOME=os.path.join(HOME.name, "cache"))
os.environ.pop("SORTLAB_TUNE", None)


def read_text(path):
    with open(path, encoding="utf-8", newline="") as file:
        return file.read()


def table(text):
    return list(csv.DictReader(io.StringIO(text)))


def processes_marked(folder):
    """The processes that come from the test with this folder, which has set MARK. Other tests run at the same time."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", "rb") as file:
                if f"{MARK}={folder}".encode() in file.read().split(b"\0"):
                    found.append(int(pid))
        except OSError:  # it has ended
            pass
    return found


def cpus_of(text):
    """The CPUs of a list as Linux writes it: "0-3,8"."""
    ends = [part.split("-") for part in text.split(",")]
    return {cpu for part in ends for cpu in range(int(part[0]), int(part[-1]) + 1)}


def ends_configuration(row):
    return row["status"] != "ok" or row["reason"] != ""


class CommandLine(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, content):
        with open(self.path(name), "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())
        return self.path(name)

    def call(self, *arguments, program=SORTLAB, expect=0, environment=None, timeout=300, **options):
        """Runs a command in its own folder, and expects this exit code."""
        done = subprocess.run(
            [program, *arguments], cwd=self.folder, capture_output=True, text=True, timeout=timeout,
            env={**os.environ, **(environment or {})}, **options)
        self.assertEqual(done.returncode, expect, f"{arguments}\n{done.stdout}\n{done.stderr}")
        return done

    def run_to_csv(self, *arguments, name="run.csv", **options):
        self.call("run", *arguments, "--csv", name, **options)
        return table(read_text(self.path(name)))

    def wait_until(self, reached):
        deadline = time.monotonic() + 300
        while not reached():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)

    def refused(self, *arguments, names=(), **options):
        """Expects exit code 2, one line on stderr that holds `names`, nothing on stdout, and no written file."""
        before = {name: os.stat(self.path(name)).st_mtime_ns for name in os.listdir(self.folder)}
        done = self.call(*arguments, expect=2, **options)
        after = {name: os.stat(self.path(name)).st_mtime_ns for name in os.listdir(self.folder)}
        self.assertEqual(before, after, arguments)
        self.assertEqual(done.stdout, "", arguments)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        for name in names:
            self.assertIn(name, done.stderr, arguments)
        return done.stderr


class ListAndShow(CommandLine):
    def test_list(self):
        text = self.call("list").stdout
        for algorithm in ("bitonic", "merge", "quick", "radix", "std_sort"):
            for rung in ("naive", "optimized", "parallel"):
                self.assertIn(f"cpu/{algorithm}/{rung} ", text)

    def test_list_json(self):
        variants = {v["id"]: v for v in json.loads(self.call("list", "--format", "json").stdout)}
        naive = variants["cpu/radix/naive"]
        self.assertEqual(naive["algorithm"], "radix")
        self.assertEqual(naive["key_types"], ["u32", "i32", "u64", "i64", "f32", "f64"])
        self.assertIs(naive["stable"], True)
        self.assertEqual(variants["cpu/radix/optimized"]["after"], "cpu/radix/naive")

    def test_list_filter(self):
        ids = [v["id"] for v in json.loads(
            self.call("list", "--format", "json", "--filter", "cpu/merge/*").stdout)]
        self.assertEqual(ids, ["cpu/merge/naive", "cpu/merge/optimized", "cpu/merge/parallel",
                               "cpu/merge/simd"])
        self.refused("list", "--filter", "cpu/merg/*", names=["cpu/merg/*", "cpu/merge/"])

    def test_what_this_build_lacks(self):
        if any(v["memory"] == "device" for v in json.loads(self.call("list", "--format", "json").stdout)):
            self.skipTest("a build with CUDA has all sorts")
        for words in (["show", "gpu/radix/naive"], ["run", "--filter", "gpu/*"], ["list", "--filter", "gpu/radix/*"]):
            self.refused(*words, names=[words[-1], "not in this build", "CUDA"])

    def test_show(self):
        text = self.call("show", "cpu/radix/optimized").stdout
        self.assertRegex(text, r"cpu/radix/naive\n +└─ \[cpu/radix/optimized\]\n +└─ cpu/radix/parallel\n")
        self.assertIn(os.path.join("cpu", "radix", "optimized.cpp"), text)
        self.refused("show", "cpu/radix/optimised",
                     names=["cpu/radix/optimised", "nearest: cpu/radix/optimized"])

    def test_version_and_help(self):
        overview = self.call().stdout
        self.assertEqual(overview, self.call("help").stdout)
        self.assertIn("Usage: sortlab COMMAND", overview)
        self.assertEqual(self.call("help", "run").stdout, self.call("run", "--help").stdout)
        self.refused("help", "rnu", names=["'rnu'; nearest: run"])
        for flag in ("--version", "-V"):
            self.assertRegex(self.call(flag).stdout, r"^sortlab \d+\.\d+\.\d+ \(revision \S+.*\)\n$")

    def test_help_fits_the_window(self):
        for columns in (40, 60, 80, 200):
            for command in ("run", "tune", "recommend"):
                text = self.call(command, "--help", environment={"COLUMNS": str(columns)}).stdout
                for line in text.splitlines():
                    if not line.startswith("  sortlab ") and " " in line.strip():
                        self.assertLessEqual(len(line), columns, line)

    def test_unknown_flags_of_every_command(self):
        for words, nearest in [(["tune", "--shw"], "--show"), (["recommend", "--jsn"], "--csv"), (["list", "--fiter", "x"], "--filter"),
                               (["verify", "--tpye", "u32"], "--type"), (["compare", "--thresold", "1"], "--threshold"),
                               (["doctor", "--formt"], "--format"), (["--versoin"], "--version")]:
            self.refused(*words, names=["unknown argument", nearest])
        self.refused("compare", "a.csv", names=["compare: NEW is required (usage: sortlab compare BASE NEW"])
        self.refused("reproduce", "--scale", "tiny", names=["'tiny'; nearest: "])
        self.refused("show", "cpu/radix/naive", "cpu/radix/simd", names=["unexpected argument 'cpu/radix/simd'"])

    def test_usual_names_of_types(self):
        for name, own in (("uint32", "u32"), ("int", "i32"), ("int64_t", "i64"), ("float", "f32"), ("double", "f64")):
            planned = self.call("run", "--filter", "cpu/radix/naive", "--type", name, "--dry-run").stdout
            self.assertTrue(planned.startswith(f"cpu/radix/naive/{own}/"), planned)

    def test_help(self):
        self.assertIn("run", self.call("--help").stdout)
        self.assertIn("--dry-run", self.call("run", "--help").stdout)

    def test_doctor(self):
        self.assertIn("CPU", self.call("doctor").stdout)

    def test_verify(self):
        text = self.call("verify", *TWO, "--type", "u32", "--n", "0,1,1000").stdout
        self.assertRegex(text, r"\d+ passed, 0 failed")
        done = self.call("verify", "--filter", "tests/faulty/answers_wrong", "--type", "u32", "--n",
                         "1000", "--dist", "uniform", "--values", "keys", program=FAULTY, expect=1)
        self.assertIn("FAILED tests/faulty/answers_wrong", done.stdout)

    def test_programs_of_one_algorithm(self):
        for algorithm in ("bitonic", "merge", "quick", "radix", "std_sort"):
            program = os.path.join(BIN, algorithm)
            variants = json.loads(self.call("list", "--format", "json", program=program).stdout)
            self.assertEqual({v["algorithm"] for v in variants}, {algorithm})
            self.assertGreaterEqual(len(variants), 3)
        self.refused("show", "cpu/merge/naive", program=os.path.join(BIN, "quick"),
                     names=["cpu/merge/naive", "nearest: cpu/quick"])


class RunToFile(CommandLine):
    def test_rows_and_what_lies_beside(self):
        rows = self.run_to_csv(*TWO, *SMALL, "--type", "u32,f64", "--dist", "uniform,zipf:1.0",
                               "--pairs")
        self.assertEqual(read_text(self.path("run.csv")).splitlines()[0].split(","), COLUMNS, "plots/cli_page.py mends it")
        self.assertEqual(len({row["config_id"] for row in rows}), 2 * 2 * 2)
        for row in rows:
            self.assertEqual((row["status"], row["sorted_ok"], row["permutation_ok"]),
                             ("ok", "1", "1"))
            self.assertEqual(row["stable_ok"], row["stable"].replace("0", ""))
            self.assertEqual((row["n"], row["value_bytes"], row["order"]), ("1024", "4", "asc"))
            self.assertGreater(int(row["total_ns"]), 0)
            self.assertEqual((row["devices"], row["exchange_ns"]), ("", ""))
            self.assertGreaterEqual(float(row["load_1min"]), 0)
            self.assertEqual(row["load"], "0")
            self.assertTrue(0 <= float(row["free_cpus"]) <= len(os.sched_getaffinity(0)), row["free_cpus"])
            self.assertEqual(cpus_of(row["cpu_list"]), os.sched_getaffinity(0))

        summary = table(read_text(self.path("run.summary.csv")))
        self.assertEqual({s["config_id"] for s in summary}, {row["config_id"] for row in rows})
        for line in summary:
            times = sorted(int(row["total_ns"]) for row in rows
                           if row["config_id"] == line["config_id"])
            self.assertEqual(int(line["n_kept"]), len(times))
            self.assertEqual((float(line["min_ns"]), float(line["max_ns"])), (times[0], times[-1]))
            self.assertLessEqual(float(line["ci95_low_ns"]), float(line["median_ns"]))
            self.assertLessEqual(float(line["median_ns"]), float(line["ci95_high_ns"]))
            self.assertLessEqual(float(line["median_ns"]), float(line["p90_ns"]))
            self.assertLessEqual(float(line["p90_ns"]), times[-1])
            self.assertIn(line["stop_reason"], ("accuracy", "time limit", "sample limit"))

        described = json.loads(read_text(self.path("run.run.json")))
        self.assertEqual(set(described), {row["run_id"] for row in rows})
        self.assertIn("arguments", next(iter(described.values())))

    def test_the_documents_explain_every_column(self):
        section = re.split(r"^#+ ", read_text(DATA_PAGE).split("## Samples\n")[1], flags=re.MULTILINE)[0]
        first_cells = re.findall(r"^\| (`[^|]*`) \|", section, re.MULTILINE)
        self.assertEqual([name.strip("` ") for cell in first_cells for name in cell.split(",")], COLUMNS)

    def test_the_corpus_of_the_fuzzer_is_of_this_schema(self):
        rows = read_text(os.path.join(CORPUS, "csv", "two_samples")).split("\n", 1)[1]
        corpus = self.write("corpus.csv", ",".join(COLUMNS) + "\n" + rows)
        self.assertIn("1 configuration in both: 1 identical", self.call("compare", corpus, corpus).stdout)

    def test_gpus_that_are_not_there_are_rows_with_a_reason(self):
        if not any(v["id"].startswith("gpu/multi/") for v in json.loads(self.call("list", "--format", "json").stdout)):
            self.skipTest("a build without CUDA")
        rows = self.run_to_csv("--filter", "gpu/multi/gather,gpu/multi/fused", "--n", "1K", "--devices", "62,63",
                               "--devices", "64", expect=3)
        self.assertEqual([(row["variant"], row["devices"], row["status"]) for row in rows],
                         [(f"gpu/multi/{rung}", gpus, "skipped") for rung in ("fused", "gather") for gpus in ("62+63", "64")])
        for row in rows:
            self.assertRegex(row["reason"], "there is no GPU|no NVIDIA driver|sees no GPU|can't access")
        again = self.run_to_csv("--filter", "gpu/multi/gather", "--n", "1K", name="none.csv", expect=3)
        self.assertEqual(len(again), 1)

    def test_ranks_that_have_no_gpu_are_rows_with_a_reason(self):
        if not any(v["id"].startswith("gpu/ranks/") for v in json.loads(self.call("list", "--format", "json").stdout)):
            self.skipTest("a build without CUDA")
        rows = self.run_to_csv("--filter", "gpu/ranks/*", "--n", "1K", "--ranks", "2", "--host-mem", "pinned", expect=3)
        self.assertEqual([(row["variant"], row["ranks"], row["threads"], row["status"]) for row in rows],
                         [(f"gpu/ranks/{rung}", "2", "0", "skipped") for rung in ("merge", "partition")])
        for row in rows:
            self.assertRegex(row["reason"], "no NVIDIA driver|sees no GPU|has no MPI|no mpirun|begin and end on the GPUs")

    def test_again_adds_nothing(self):
        arguments = [*TWO, *SMALL, "--dist", "uniform,sorted"]
        self.run_to_csv(*arguments)
        before = read_text(self.path("run.csv"))
        self.run_to_csv(*arguments)
        self.assertEqual(read_text(self.path("run.csv")), before)
        rows = self.run_to_csv(*TWO, *SMALL, "--dist", "uniform,sorted,reverse")
        self.assertTrue(read_text(self.path("run.csv")).startswith(before))
        self.assertEqual(len({row["config_id"] for row in rows}), 6)

    def test_a_file_of_another_schema_is_refused_and_stays(self):
        rows = self.run_to_csv(*TWO, *SMALL)
        columns = [*COLUMNS[:-3], "colour", *COLUMNS[-3:]]
        other = io.StringIO()
        writer = csv.DictWriter(other, columns, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        later = read_text(self.path("run.csv")).replace(f"\n{SCHEMA},", f"\n{int(SCHEMA) + 1},", 1)
        for text, said in ((other.getvalue(), "line 1: not a CSV of this schema; it is left untouched"),
                           (later, f"line 2: schema version '{int(SCHEMA) + 1}', not {SCHEMA}")):
            self.write("other.csv", text)
            self.refused("run", *TWO, *SMALL, "--csv", "other.csv", names=[f"other.csv: {said}"])
            self.assertEqual(read_text(self.path("other.csv")), text)

    def test_counters(self):
        plain = self.run_to_csv(*TWO, *SMALL)
        self.assertEqual({row[c] for row in plain for c in COUNTERS}, {""})
        done = self.call("run", *TWO, *SMALL, "--counters", "--csv", "run.csv")
        self.assertIn("2 of them: measured without counters; --again", done.stderr)
        self.assertEqual(table(read_text(self.path("run.csv"))), plain)

        done = self.call("run", *TWO, *SMALL, "--counters", "--csv", "run.csv", "--again")
        rows = table(read_text(self.path("run.csv")))
        self.assertEqual({row["config_id"] for row in rows}, {row["config_id"] for row in plain}, "comparable")
        told = re.findall("^counters: no (.*?): .*$", done.stderr, re.MULTILINE)
        missing = told[0].split(", ") if told else []
        for name in COUNTERS:
            for row in rows:
                self.assertEqual(row[name] == "", name in missing, name)
        self.assertIn("page faults", done.stdout)
        self.assertEqual("instructions" in done.stdout, "instructions" not in missing)
        self.assertEqual("counters     no " in self.call("doctor").stdout, missing != [])
        for line in table(read_text(self.path("run.summary.csv"))):
            self.assertGreaterEqual(float(line["page_faults"]), 0)
        again = self.call("run", *TWO, *SMALL, "--counters", "--csv", "run.csv", "--format", "json")
        self.assertNotIn("without counters", again.stderr)
        for row in json.loads(again.stdout)["rows"]:
            self.assertEqual(list(row["counters"]), [name for name in COUNTERS if name not in missing])

    def test_the_cpus_that_a_sort_may_use_are_recorded(self):
        one = min(os.sched_getaffinity(0))
        rows = self.run_to_csv(*TWO, *SMALL, "--threads", "1", "--pin")
        self.assertEqual({row["cpu_list"] for row in rows}, {str(one)})

    def test_overlapping_blocks_of_a_matrix_are_one(self):
        block = {"filter": "cpu/radix/naive", "n": "1K"}
        matrix = self.write("m.json", json.dumps({"runs": [block, {**block, "n": "1K,2K"}]}))
        rows = self.run_to_csv("--matrix", matrix, "--time", "0.01", "--min-samples", "2",
                               "--max-samples", "2")
        self.assertEqual([row["n"] for row in rows if ends_configuration(row)], ["1024", "2048"])

    def test_slow_sorts_are_not_measured_at_larger_n(self):
        block = {"filter": TWO[1].split(","), "n": ["1K,2K,4K"]}
        matrix = self.write("m.json", json.dumps({"skip-slow": 1e-9, "runs": [block]}))
        for _ in range(2):  # the second one resumes
            rows = self.run_to_csv("--matrix", matrix, "--time", "0.01", "--rounds", "2")
            self.assertEqual({row["n"] for row in rows if row["status"] == "ok"}, {"1024"})
            skipped = [row for row in rows if row["status"] == "skipped"]
            self.assertEqual([row["n"] for row in skipped], ["2048"] * 2 + ["4096"] * 2)
            self.assertEqual({row["reason"] for row in skipped}, {"slow: more than 1e-09 s per sort at a smaller n"})
        rows = self.run_to_csv("--matrix", matrix, "--time", "0.01", "--skip-slow", "0", name="all.csv")
        self.assertEqual({row["status"] for row in rows}, {"ok"})

    def test_runs_of_a_matrix_that_need_a_gpu(self):
        no_gpu = {"environment": {"CUDA_VISIBLE_DEVICES": ""}}
        on_gpu = {"needs_gpu": True, "filter": "gpu/*"}
        both = self.write("both.json", json.dumps({"runs": [{"filter": "cpu/radix/naive", "n": "1K"}, on_gpu]}))
        done = self.call("run", "--matrix", both, "--csv", "run.csv", **no_gpu)
        self.assertEqual({row["variant"] for row in table(read_text(self.path("run.csv")))}, {"cpu/radix/naive"})
        self.assertRegex(done.stderr, r"both.json: 1 of 2 runs need a GPU: .*\./run --cuda bench.*\n$")
        self.refused("run", "--matrix", self.write("gpu.json", json.dumps({"runs": [on_gpu]})),
                     names=["gpu.json", "need a GPU"], **no_gpu)

    def test_parts_of_a_matrix(self):
        blocks = [{"part": part, "filter": "cpu/radix/naive", "n": n}
                  for part, n in (("small", "1K"), ("large", "2K"), ("small", "3K"))]
        parted = self.write("parted.json", json.dumps({"runs": blocks}))
        whole = self.write("whole.json", json.dumps({"runs": [{"n": "1K"}]}))
        for part, sizes in (("small", {"1024", "3072"}), ("large", {"2048"})):
            said = self.call("run", "--matrix", parted, "--part", part, "--dry-run").stdout
            self.assertEqual(set(re.findall(r"/n:(\d+)/", said)), sizes)
        for arguments, named in ((["--matrix", parted, "--part", "smal"], ["unknown part 'smal'", "small"]),
                                 (["--matrix", whole, "--part", "small"], ["--part small: the matrix has no parts"]),
                                 (["--part", "small"], ["--part goes with --matrix"])):
            self.refused("run", *arguments, names=named)

    def test_the_program_has_the_matrices_of_today(self):
        for path in glob.glob(os.path.join(ROOT, "bench", "*.json")):
            named, read = (subprocess.run([SORTLAB, "run", "--matrix", matrix, "--dry-run"], capture_output=True, text=True).stdout
                           for matrix in (os.path.basename(path).removesuffix(".json"), path))
            self.assertEqual(named, read, "a build embeds them again")

    def test_the_default_matrix_without_a_gpu(self):
        done = self.call("run", "--matrix", "default", "--dry-run", environment={"CUDA_VISIBLE_DEVICES": ""})
        measured = {line.split("/u32/")[0] for line in done.stdout.splitlines() if "/u32/" in line}
        ids = [v["id"] for v in json.loads(self.call("list", "--format", "json", "--filter", "cpu/*").stdout)]
        self.assertEqual(measured, {i for i in ids if not i.startswith(("cpu/ranks/", "cpu/records/"))})
        self.assertRegex(done.stderr, r"^matrix default: \d of \d runs need a GPU: .*\./run --cuda bench.*\n$")

    def test_the_default_matrix_with_a_gpu(self):
        with open(os.path.join(ROOT, "bench", "default.json"), encoding="utf-8") as file:
            runs = json.load(file)["runs"]
        ids = [os.path.splitext(path)[0] for path in glob.glob("gpu/*/*.cu", root_dir=ROOT)]
        measured = set()
        for run in runs:
            on_gpu = [f for f in run["filter"] if f.startswith("gpu/")]
            self.assertTrue(not on_gpu or run["needs_gpu"], run)
            for pattern in on_gpu:
                self.assertNotEqual(fnmatch.filter(ids, pattern), [], pattern)
                measured.update(fnmatch.filter(ids, pattern))
        self.assertEqual(measured, {i for i in ids if not i.startswith(("gpu/host/", "gpu/multi/", "gpu/ranks/"))})

    def test_rounds_take_the_sorts_in_turn(self):
        rows = self.run_to_csv(*TWO, "--n", "1K", "--time", "0.01", "--min-samples", "2",
                               "--max-samples", "2", "--rounds", "3")
        ended = [row["variant"] for row in rows if ends_configuration(row)]
        self.assertEqual(ended, ended[:2] * 3)
        self.assertEqual(len(set(ended)), 2)
        for variant in set(ended):
            self.assertEqual([int(row["rep"]) for row in rows if row["variant"] == variant],
                             list(range(6)))

    def test_killed_half_way(self):
        arguments = [*TWO, "--n", "8K,16K,32K,64K", "--dist", "uniform,sorted,reverse", "--accuracy", "0"]
        whole = {row["config_id"] for row in self.run_to_csv(*arguments, "--time", "0.01", name="whole.csv")}
        self.assertEqual(len(whole), 24)

        # Those that are left take 5 seconds, so that a busy machine does not end them before the kill.
        killed = subprocess.Popen([SORTLAB, "run", *arguments, "--time", "0.3", "--csv", "killed.csv"],
                                  cwd=self.folder, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL)
        csv_file = self.path("killed.csv")
        deadline = time.monotonic() + 300
        while time.monotonic() < deadline:
            done = table(read_text(csv_file)) if os.path.exists(csv_file) else []
            if sum(1 for row in done if row.get("reason")) >= 8:
                break
            time.sleep(0.005)
        killed.kill()
        killed.wait()
        complete = {row["config_id"] for row in table(read_text(csv_file)) if row.get("reason")}
        self.assertTrue(complete and complete < whole, "killed too early or too late")

        rows = self.run_to_csv(*arguments, "--time", "0.01", name="killed.csv")
        self.assertEqual({row["config_id"] for row in rows}, whole)
        ended = [row["config_id"] for row in rows if ends_configuration(row)]
        self.assertEqual(sorted(ended), sorted(whole), "each once, to its end")
        for config_id in whole:
            own = [row for row in rows if row["config_id"] == config_id]
            self.assertEqual([int(row["rep"]) for row in own], list(range(len(own))))
            self.assertEqual(len({row["run_id"] for row in own}), 1)

    def interrupt(self, *extra):
        process = subprocess.Popen(
            [SORTLAB, "run", *TWO, "--n", "8K,16K,32K,64K", "--time", "0.3", "--accuracy", "0",
             "--csv", "run.csv", *extra], cwd=self.folder, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE)
        csv_file = self.path("run.csv")
        deadline = time.monotonic() + 300
        while time.monotonic() < deadline:
            rows = table(read_text(csv_file)) if os.path.exists(csv_file) else []
            if any(row.get("reason") for row in rows):
                break
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=300)
        self.assertEqual(process.returncode, 130)
        text = read_text(csv_file)
        self.assertTrue(text.endswith("\n"))
        rows = list(csv.reader(io.StringIO(text)))
        self.assertEqual({len(row) for row in rows}, {len(COLUMNS)})
        done = {row["config_id"] for row in table(text) if ends_configuration(row)}
        self.assertTrue(0 < len(done) < 8)
        summary = table(read_text(self.path("run.summary.csv")))
        self.assertLessEqual(done, {line["config_id"] for line in summary})

    def test_ctrl_c(self):
        self.interrupt()

    def test_ctrl_c_in_process(self):
        self.interrupt("--in-process")

    def test_ctrl_c_in_the_middle_of_a_configuration(self):
        for mode in ([], ["--in-process"]):
            process = subprocess.Popen(
                [SORTLAB, "run", "--filter", "cpu/std_sort/naive", "--n", "1M", "--time", "60", "--accuracy", "0",
                 "--max-samples", "1000000", *mode], cwd=self.folder, stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE, text=True)
            process.stderr.readline()  # it has begun
            time.sleep(0.2)
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(timeout=300), 130)
            process.stderr.close()

    def test_in_process(self):
        rows = self.run_to_csv(*TWO, *SMALL, "--in-process")
        self.assertEqual({row["status"] for row in rows}, {"ok"})
        self.assertEqual(len({row["config_id"] for row in rows}), 2)

    def test_too_large_for_memory(self):
        rows = self.run_to_csv("--filter", "cpu/std_sort/optimized", "--n", "1K,1000G,2K",
                               "--time", "0.01", "--max-samples", "6")
        by_size = {row["n"]: row for row in rows}
        self.assertEqual(by_size[str(1000 * 2**30)]["status"], "skipped")
        self.assertIn("GiB", by_size[str(1000 * 2**30)]["reason"])
        self.assertEqual((by_size["1024"]["status"], by_size["2048"]["status"]), ("ok", "ok"))

    def test_order_threads_seed_and_parameters_are_recorded(self):
        rows = self.run_to_csv("--filter", "cpu/quick/parallel", "--threads", "1,2",
                               "--order", "desc", "--seed", "7", "--cold", "--pin", *SMALL)
        self.assertEqual({row["threads"] for row in rows}, {"1", "2"})
        self.assertEqual({(row["order"], row["seed"], row["cache"], row["pinned_threads"])
                          for row in rows}, {("desc", "7", "cold", "1")})
        self.assertNotEqual(rows[0]["params"], "")

    def test_forced_instruction_set_is_recorded(self):
        rows = self.run_to_csv("--filter", "cpu/bitonic/parallel", *SMALL,
                               environment={"SORTLAB_ISA": "scalar"})
        self.assertEqual({row["isa"] for row in rows}, {"scalar"})
        self.refused("run", "--filter", "cpu/bitonic/parallel", *SMALL, "--csv", "new.csv",
                     environment={"SORTLAB_ISA": "sse9"}, names=["sse9", "scalar"])


class RunToStdout(CommandLine):
    def test_nothing_but_csv(self):
        done = self.call("run", *TWO, *SMALL, "--csv", "-")
        lines = list(csv.reader(io.StringIO(done.stdout)))
        self.assertEqual(lines[0], COLUMNS)
        self.assertEqual({len(line) for line in lines}, {len(COLUMNS)})
        self.assertEqual(os.listdir(self.folder), [])
        self.assertIn("million keys", done.stderr)

    def test_without_csv_a_table(self):
        done = self.call("run", *TWO, *SMALL)
        self.assertIn("cpu/radix/naive", done.stdout)
        self.assertEqual(os.listdir(self.folder), [])


class DryRun(CommandLine):
    def test_prints_the_configurations_and_does_nothing(self):
        done = self.call("run", *TWO, *SMALL, "--dist", "uniform,special", "--dry-run", "--csv", "run.csv")
        names = done.stdout.splitlines()
        self.assertEqual(len(names), 4)
        self.assertTrue(names[0].startswith("cpu/radix/naive/u32/asc/uniform/n:1024"))
        self.assertTrue(names[3].endswith("(skipped: for correctness only: sortlab verify)"))
        self.assertEqual(os.listdir(self.folder), [])


class BadInput(CommandLine):
    def test_names_and_numbers(self):
        run = ["run", "--csv", "run.csv"]
        for arguments, names in [
                (["--filter", "cpu/radix/niave"], ["cpu/radix/niave", "cpu/radix/naive"]),
                (["--type", "u23"], ["u23", "u32"]),
                (["--dist", "unifrom"], ["unifrom", "uniform"]),
                (["--dist", "uniform:3"], ["uniform"]),
                (["--dist", "zipf:x"], ["zipf"]),
                (["--n", "16K..1K"], ["16K..1K"]),
                (["--n", "16Q"], ["16Q"]),
                (["--n", ""], []),
                (["--threads", "0"], ["0"]),
                (["--threads", "two"], ["two"]),
                (["--order", "up"], ["up", "asc"]),
                (["--seed", "x"], ["seed"]),
                (["--filter", "cpu/quick/parallel", "--param", "nonsense=3"], ["nonsense"]),
                (["--filter", "cpu/radix/naive", "--param", "x"], ["x"]),
                (["--matrix", "defualt"], ["defualt"]),
                (["--rounds", "0"], ["--rounds"]),
                (["--benchmark_filter=radix"], ["--benchmark_filter=radix"]),
                (["--min-samples", "0"], ["--min-samples"]),
                (["--time", "-1"], ["--time"]),
                (["--timeout", "0"], ["--timeout"]),
                (["--nonsense"], ["--nonsense"]),
                (["nonsense"], ["nonsense"]),
        ]:
            with self.subTest(arguments):
                self.refused(*run, *arguments, names=names)

    def test_commands(self):
        self.refused("rnu", names=["rnu"])
        self.refused("show")

    def test_key_files(self):
        header = b"\x93NUMPY\x01\x00\x76\x00"
        for name, content, names in [
                ("words.txt", "1\n2\nthree\n", ["words.txt", "3", "three"]),
                ("short.npy", header + b"{", ["short.npy"]),
                ("short.sosd.bin", struct.pack("<Q", 100) + b"123", ["short.sosd.bin"]),
        ]:
            with self.subTest(name):
                self.refused("run", *TWO, "--input", self.write(name, content), "--csv", "run.csv",
                             names=names)
        self.refused("run", *TWO, "--input", "missing.txt", "--csv", "run.csv",
                     names=["missing.txt", "No such file"])
        keys = self.write("keys.npy", npy("<u4", struct.pack("<3I", 3, 1, 2), 3))
        self.refused("run", *TWO, "--input", keys, "--type", "f64", "--csv", "run.csv",
                     names=["keys.npy"])

    def test_foreign_csv(self):
        self.write("foreign.csv", "a,b\n1,2\n")
        self.refused("run", *TWO, *SMALL, "--csv", "foreign.csv", names=["foreign.csv"])
        self.assertEqual(read_text(self.path("foreign.csv")), "a,b\n1,2\n")

    def test_csv_that_cannot_be(self):
        self.refused("run", *TWO, *SMALL, "--csv", "no/such/folder.csv",
                     names=["no/such/folder.csv"])
        self.refused("run", *TWO, *SMALL, "--csv", self.folder, names=["folder"])


def npy(dtype, data, count):
    """A NumPy file of one dimension, version 1."""
    header = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': ({count},), }}".encode()
    header = header.ljust(117) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + data


class RealKeys(CommandLine):
    def sorts(self, path, key_type, n, *arguments):
        rows = self.run_to_csv("--filter", "cpu/merge/*", "--input", path, "--time", "0.01",
                               "--max-samples", "6", *arguments)
        for row in rows:
            self.assertEqual((row["status"], row["key_type"], row["n"], row["dist"]),
                             ("ok", key_type, str(n), "file"))
            self.assertTrue(row["dist_param"].startswith(os.path.basename(path) + "@"))
        self.assertEqual(len({row["variant"] for row in rows}), 4)

    def test_text(self):
        numbers = "".join(f"{(i * 7919) % 1009 - 500}\n" for i in range(900))
        self.sorts(self.write("sizes.txt", numbers), "i64", 900)

    def test_text_as_a_type(self):
        self.sorts(self.write("sizes.txt", "3.5\n-1\n2e3\n"), "f32", 3, "--type", "f32")

    def test_npy(self):
        self.sorts(self.write("ages.npy", npy("<f8", struct.pack("<4d", 1.5, -0.0, 2.0, 0.0), 4)),
                   "f64", 4)

    def test_npy_of_numpy(self):
        try:
            import numpy
        except ImportError:
            self.skipTest("numpy is missing")
        numpy.save(self.path("made.npy"), numpy.arange(1000, dtype=numpy.int32)[::-1].copy())
        self.sorts(self.path("made.npy"), "i32", 1000)

    def test_sosd(self):
        keys = [(i * 2654435761) % 2**40 for i in range(500)]
        self.sorts(self.write("books_uint64", struct.pack("<501Q", len(keys), *keys)), "u64", 500)

    def test_raw(self):
        self.sorts(self.write("keys.raw", struct.pack("<5I", 5, 4, 3, 2, 1)), "u32", 5,
                   "--type", "u32")


class SortsThatGoWrong(CommandLine):
    def rows(self, *arguments, expect=1):
        rows = self.run_to_csv("--filter", "tests/faulty/*", "--filter", "cpu/std_sort/naive",
                               *arguments, program=FAULTY, expect=expect)
        return {row["variant"]: row for row in rows if ends_configuration(row)}

    def test_each_is_a_row_and_the_rest_runs(self):
        rows = self.rows(*SMALL, "--timeout", "2")
        expected = {
            "cpu/std_sort/naive": ("ok", ""),
            "tests/faulty/crashes": ("failed", "crashed: Segmentation fault"),
            "tests/faulty/never_ends": ("timeout", "2 s"),
            "tests/faulty/answers_wrong": ("failed", "not a permutation"),
            "tests/faulty/overruns": ("failed", "wrote outside of its keys"),
            "tests/faulty/eats_memory": ("oom", "allocation"),
        }
        self.assertEqual(set(rows), set(expected))
        for variant, (status, reason) in expected.items():
            self.assertEqual(rows[variant]["status"], status, variant)
            self.assertIn(reason, rows[variant]["reason"], variant)
        wrong = rows["tests/faulty/answers_wrong"]
        self.assertEqual((wrong["sorted_ok"], wrong["permutation_ok"]), ("1", "0"))

        before = read_text(self.path("run.csv"))
        self.rows(*SMALL, "--timeout", "2", expect=0)
        self.assertEqual(read_text(self.path("run.csv")), before, "failures are not run again")

    def test_later_configurations_run_after_each_failure(self):
        rows = self.run_to_csv(
            "--filter", "tests/faulty/crashes,cpu/std_sort/naive,cpu/radix/naive", "--n",
            "1K,2K,4K", "--time", "0.01", "--min-samples", "2", "--max-samples", "2",
            program=FAULTY, expect=1)
        ok = {(row["variant"], row["n"]) for row in rows if row["status"] == "ok"}
        failed = [row["n"] for row in rows if row["status"] == "failed"]
        self.assertEqual(len(ok), 2 * 3)
        self.assertEqual(failed, ["1024", "2048", "4096"])

    def test_a_wrong_result_in_process(self):
        rows = self.run_to_csv("--filter", "tests/faulty/answers_wrong", *SMALL, "--in-process",
                               program=FAULTY, expect=1)
        self.assertEqual([row["status"] for row in rows], ["failed"])


if __name__ == "__main__":
    unittest.main()
