"""compare, recommend, tune and the shells' completion, as users call them."""

import csv
import functools
import json
import os
import pty
import re
import select
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

from cli_test import BIN, COLUMNS, SCHEMA, SORTLAB, TWO, CommandLine, read_text, table

RADIX = os.path.join(BIN, "radix")


@functools.cache
def printed(*words):
    return subprocess.run([SORTLAB, *words], capture_output=True, text=True, check=True, timeout=300).stdout


def commands():
    """All commands, as the program itself lists them."""
    return printed("complete", "").split()


class Measured(CommandLine):
    """Tests that begin with the files of one run, which is measured once for all of them."""

    RUN = ()
    NAME = "mine.csv"

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.files = folder.name
        subprocess.run([SORTLAB, "run", *cls.RUN, "--csv", cls.NAME], cwd=cls.files, capture_output=True, check=True, timeout=300)

    def copy_files(self):
        shutil.copytree(self.files, self.folder, dirs_exist_ok=True)
        return self.NAME


class Compare(Measured):
    RUN = (*TWO, "--n", "1K,2K", "--time", "0", "--min-samples", "8", "--max-samples", "8")
    NAME = "base.csv"

    def setUp(self):
        super().setUp()
        self.rows = table(read_text(self.path(self.copy_files())))
        self.steady = [{**row, "total_ns": str(10**6 + 100 * int(row["rep"]))}
                       for row in self.rows]
        self.save("base.csv", self.steady)

    def save(self, name, rows):
        with open(self.path(name), "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
        return self.path(name)

    def slower(self, rows, factor):
        return [{**row, "total_ns": str(int(int(row["total_ns"]) * factor))} for row in rows]

    def test_the_same(self):
        done = self.call("compare", "base.csv", "base.csv")
        self.assertIn("4 configurations in both: 4 identical, 0 slower, 0 faster, 0 same, 0 can't tell",
                      done.stdout)
        self.assertNotIn("machines", done.stdout)
        self.assertEqual(done.stderr, "")

    def test_a_planted_slow_down_closes_the_gate(self):
        planted = [row for row in self.steady if row["variant"] == "cpu/radix/naive"]
        others = [row for row in self.steady if row not in planted]
        self.save("new.csv", others + self.slower(planted, 1.1))
        done = self.call("compare", "base.csv", "new.csv", expect=1)
        lines = done.stdout.splitlines()
        self.assertEqual([line.split()[0] for line in lines[1:5]],
                         ["slower", "slower", "identical", "identical"])
        self.assertTrue(all("cpu/radix/naive" in line for line in lines[1:3]))
        self.assertIn(" 1.100x slower  1.09", lines[1])
        self.assertIn("2 identical, 2 slower, 0 faster, 0 same", lines[-1])
        self.call("compare", "base.csv", "new.csv", "--threshold", "0.2")
        self.call("compare", "base.csv", "new.csv", "--filter", "cpu/std_sort/*")
        self.save("new.csv", self.slower(self.steady, 1 / 8))
        faster = self.call("compare", "base.csv", "new.csv").stdout
        self.assertIn("4 faster", faster)
        self.assertIn(" 8.00x faster ", faster)
        self.assertNotIn("0.125", faster)

    def test_csv(self):
        self.save("new.csv", self.slower(self.steady, 1.1))
        self.call("compare", "base.csv", "new.csv", "--csv", "out.csv", expect=1)
        rows = table(read_text(self.path("out.csv")))
        self.assertEqual(len(rows), 4)
        for row in rows:
            self.assertEqual((row["verdict"], row["base_samples"]), ("slower", "8"))
            self.assertAlmostEqual(float(row["ratio"]), 1.1, 4)
            self.assertLessEqual(float(row["ratio_low"]), 1.1)
            self.assertGreaterEqual(float(row["ratio_high"]), 1.1)
            self.assertEqual(row["base_device"], row["new_device"])
        self.assertEqual({row["variant"] for row in rows}, {"cpu/radix/naive", "cpu/std_sort/naive"})

    def test_other_machines_and_what_is_in_one_only(self):
        elsewhere = [{**row, "device": "Other CPU"} for row in self.steady if row["n"] == "1024"]
        self.save("new.csv", elsewhere)
        done = self.call("compare", "base.csv", "new.csv")
        self.assertIn("different machines: device:", done.stdout)
        self.assertIn("Other CPU in the new run (2 configurations)", done.stdout)
        self.assertIn("2 identical, 0 slower, 0 faster, 0 same, 0 can't tell; only in the base 2, only in the new run 0", done.stdout)

    def test_what_fails_now_closes_the_gate(self):
        rows = [row for row in self.steady if row["n"] == "1024"]
        rows[-1] = {**rows[-1], "status": "timeout", "reason": "over 5 s", "total_ns": ""}
        self.save("new.csv", rows)
        done = self.call("compare", "base.csv", "new.csv", expect=1)
        self.assertRegex(done.stdout, r"failed +cpu/\S+ \(timeout: over 5 s\)")

    def test_a_file_that_is_cut(self):
        text = read_text(self.path("base.csv"))
        self.write("cut.csv", text[:-20])
        done = self.call("compare", "base.csv", "cut.csv")
        self.assertRegex(done.stderr, r"^cut\.csv: line 33: cut in the middle of a row; it is left "
                                      r"out, 31 whole rows are used\n$")
        lines = text.splitlines()
        self.write("hole.csv", "\n".join(lines[:5] + [lines[5][:50]] + lines[6:]) + "\n")
        done = self.call("compare", "base.csv", "hole.csv")
        self.assertRegex(done.stderr, rf"^hole\.csv: line 6: \d+ fields where {len(COLUMNS)} belong.*\n$")
        self.assertIn("4 configurations in both", done.stdout)

    def test_bad_input(self):
        self.write("empty.csv", "")
        self.write("foreign.csv", "a,b\n1,2\n")
        self.save("none.csv", [])
        self.save("other.csv", [{**row, "n": "77"} for row in self.steady])
        self.save("skipped.csv", [{**row, "status": "skipped", "total_ns": ""}
                                  for row in self.steady])
        for arguments, names in [
                (["base.csv"], ["NEW"]),
                (["base.csv", "missing.csv"], ["missing.csv", "No such file"]),
                (["base.csv", self.folder], [self.folder, "folder"]),
                (["base.csv", "empty.csv"], ["empty.csv", "line 1", "empty"]),
                (["foreign.csv", "base.csv"], ["foreign.csv", "line 1", "schema"]),
                (["base.csv", "none.csv"], ["none.csv", "no rows"]),
                (["base.csv", "other.csv"], ["base.csv", "other.csv", "4 only in the first"]),
                (["base.csv", "skipped.csv"], ["4 without samples"]),
                (["base.csv", "base.csv", "--filter", "gpu/x"], ["base.csv", "gpu/x"]),
                (["base.csv", "base.csv", "--threshold", "0"], ["--threshold"]),
                (["base.csv", "base.csv", "--threshold", "-1"], ["--threshold"]),
                (["base.csv", "base.csv", "--threshold", "nan"], ["--threshold"]),
                (["base.csv", "base.csv", "--threshold", "x"], ["--threshold", "x"]),
                (["base.csv", "base.csv", "--csv", "no/such/out.csv"], ["no/such/out.csv"]),
                (["base.csv", "base.csv", "--nonsense"], ["--nonsense"]),
        ]:
            with self.subTest(arguments):
                self.refused("compare", *arguments, names=names)


class Recommend(Measured):
    RUN = ("--filter", "cpu/radix/*", "--n", "5000", "--time", "0.02")

    def recommend(self, *arguments, expect=0, program=RADIX):
        """The call, without its messages about other tests that run at the same time."""
        done = self.call("recommend", *arguments, program=program, expect=expect,
                         environment={"XDG_CACHE_HOME": self.path("cache")})
        done.stderr = re.sub(r"\d+ of \d+ CPUs may be used.*\n", "", done.stderr)
        return done

    def cached(self):
        folder = self.path("cache/sortlab")
        (name,) = [name for name in os.listdir(folder) if name.endswith(".csv")]
        return table(read_text(os.path.join(folder, name)))

    def test_measures_once_and_remembers(self):
        asked = ["--n", "2000", "--type", "u64", "--time", "0.2"]
        done = self.recommend(*asked)
        self.assertIn("measuring; the rows go to " + self.path("cache"), done.stderr)
        self.assertRegex(done.stdout, r"For 2000 u64 keys, uniform, ascending, on the host, on .+:")
        self.assertRegex(done.stdout, r"(take|ahead) .* cpu/radix/")
        self.assertIn("measured at n = 2000", done.stdout)
        rows = self.cached()
        listed = json.loads(self.call("list", "--format", "json", "--filter", "cpu/*", program=RADIX).stdout)
        self.assertEqual({row["variant"] for row in rows},
                         {variant["id"] for variant in listed if "u64" in variant["key_types"]})
        again = self.recommend(*asked)
        self.assertEqual(again.stdout, done.stdout)
        self.assertEqual(again.stderr, "")

        forced = self.recommend(*asked, "--measure")
        self.assertIn("measuring", forced.stderr)
        newer = self.cached()
        self.assertEqual({row["config_id"] for row in newer}, {row["config_id"] for row in rows})
        self.assertNotEqual({row["run_id"] for row in newer}, {row["run_id"] for row in rows})

        self.recommend("--n", "8000", "--type", "u64", "--time", "0.2")
        between = self.recommend("--n", "4000", "--type", "u64")
        self.assertEqual(between.stderr, "")
        self.assertIn("interpolated between n = 2000 and 8000", between.stdout)

    def test_heats_and_a_final(self):
        done = self.recommend("--n", "100K", "--pairs", "--dist", "zipf:1.0", "--order", "desc",
                              "--threads", "1", "--time", "0.2")
        self.assertIn("For 102400 u32 keys with u32 values, zipf:1.0, descending", done.stdout)
        for row in self.cached():
            self.assertEqual((row["n"], row["value_bytes"], row["dist_param"], row["order"]),
                             ("102400", "4", "1.0", "desc"))
            self.assertEqual(row["threads"], "1")
        listed = done.stdout.split("\n\n")[1].splitlines()
        self.assertTrue(all("thread" not in line for line in listed), "--threads 1: nothing to tell")

    def test_more_keys_than_any_memory_holds(self):
        done = self.recommend("--n", "1e13", "--time", "0.1", expect=3)
        self.assertIn("no variant of this program could sort 10000000000000 u32 keys", done.stderr)

    def test_your_keys_your_limits_and_json(self):
        self.write("ages.txt", "".join(f"{(i * 7919) % 1009 - 500}\n" for i in range(900)))
        done = self.recommend("--input", "ages.txt", "--pairs", "--stable", "--max-memory", "1M", "--time", "0.1",
                              "--format", "json")
        answer = json.loads(done.stdout)
        self.assertRegex(answer["question"], r"^900 i64 keys with u32 values, file:ages\.txt@.*, stable, with at most 1 MiB more")
        self.assertIn(answer["certainty"], ("sure", "tie", "can't tell", "alone"))
        self.assertEqual(answer["candidates"][0]["name"], answer["answer"])
        stable = {v["id"] for v in json.loads(self.call("list", "--format", "json", program=RADIX).stdout) if v["stable"]}
        self.assertLessEqual({c["variant"] for c in answer["candidates"]}, stable)
        rows = self.cached()
        self.assertEqual({(row["dist"], row["n"], row["key_type"]) for row in rows}, {("file", "900", "i64")})
        self.assertGreater(max(int(row["threads"]) for row in rows), 1 if len(os.sched_getaffinity(0)) > 1 else 0)
        self.assertIn("1", {row["threads"] for row in rows if row["variant"] == "cpu/radix/parallel"}, "fewer threads")
        self.refused("recommend", "--input", "ages.txt", "--n", "901", names=["ages.txt holds 900 keys"])
        self.refused("recommend", "--input", "ages.txt", "--dist", "zipf", names=["--input and --dist"])

    def test_what_is_kept_expires(self):
        asked = ["--n", "2000", "--threads", "1", "--time", "0.1"]
        self.recommend(*asked)
        (described,) = [name for name in os.listdir(self.path("cache/sortlab")) if name.endswith(".run.json")]
        text = read_text(self.path("cache/sortlab/" + described))
        for pattern, instead in ((r'("git_revision": )"\w+"', r'\1"0123456789ab"'),
                                 (r'("started_utc": )"\d+', r'\1"2020')):
            self.write("cache/sortlab/" + described, re.sub(pattern, instead, text))
            again = self.recommend(*asked)
            self.assertIn("of another build, or over 30 days old", again.stderr)
            self.assertIn("measuring", again.stderr)
            self.assertEqual(self.recommend(*asked).stderr, "")

    def test_given_results_go_first(self):
        self.run_to_csv("--filter", "cpu/radix/*", "--n", "5000", "--type", "f32", "--time", "0.05",
                        "--threads", "1", name="mine.csv")
        done = self.recommend("--n", "5000", "--type", "f32", "--results", "mine.csv")
        self.assertEqual(done.stderr, "")
        self.assertFalse(os.path.exists(self.path("cache")))
        in_folder = self.recommend("--n", "5000", "--type", "f32", "--results", self.folder)
        self.assertEqual(in_folder.stdout, done.stdout)
        self.assertEqual(in_folder.stderr, "", "its summary is no CSV of samples")

    def test_names_tell_the_parameters_that_are_not_the_sorts_own(self):
        one = ["--filter", "cpu/radix/simd", "--n", "5000", "--threads", "1", "--time", "0.01"]
        self.run_to_csv(*one, name="mine.csv")
        self.run_to_csv(*one, "--param", "bucket_kib=256", name="mine.csv")
        text = self.recommend("--n", "5000", "--threads", "1", "--results", "mine.csv").stdout
        self.assertRegex(text, r"x  cpu/radix/simd\n")
        self.assertRegex(text, r"x  cpu/radix/simd, bucket_kib=256\n")

    def test_csv_has_all_candidates_in_order(self):
        self.copy_files()
        printed = self.recommend("--n", "5000", "--results", "mine.csv", "--csv", "out.csv").stdout
        rows = table(read_text(self.path("out.csv")))
        self.assertIn(rows[0]["answer"], ("take", "ahead"))  # a busy machine may change the answer
        self.assertEqual((rows[0]["ratio"], rows[0]["n"]), ("1", "5000"))
        times = [float(row["time_ns"]) for row in rows]
        self.assertEqual(times, sorted(times))
        measured = table(read_text(self.path("mine.csv")))
        self.assertEqual({row["variant"] for row in rows},
                         {row["variant"] for row in measured if row["status"] == "ok"})
        for row in rows[:5]:
            self.assertIn(row["name"], printed)
            self.assertLessEqual(float(row["time_low_ns"]), float(row["time_ns"]))
            self.assertGreaterEqual(float(row["time_high_ns"]), float(row["time_ns"]))

    def test_results_of_another_machine_do_not_count(self):
        text = read_text(self.path(self.copy_files()))
        device = table(text)[0]["device"]
        self.write("mine.csv", text.replace(device, "Other CPU"))
        self.measures_instead()
        self.write("mine.csv", text)
        described = self.path("mine.run.json")
        facts = read_text(described)
        self.write("mine.run.json", re.sub(r'("threads": )\d+', r"\g<1>12345", facts))
        self.measures_instead()

    def measures_instead(self):
        shutil.rmtree(self.path("cache"), ignore_errors=True)
        done = self.recommend("--n", "5000", "--results", "mine.csv", "--threads", "1", "--time", "0.1")
        self.assertIn("no results of this machine", done.stderr)

    def test_a_broken_file_is_named_and_the_rest_used(self):
        text = read_text(self.path(self.copy_files()))
        self.write("mine.csv", text[:-15])
        self.write("foreign.csv", "a,b\n")
        done = self.recommend("--n", "5000", "--results", "mine.csv,foreign.csv")
        self.assertEqual(done.stderr.count("\n"), 2, done.stderr)
        self.assertIn("mine.csv: line ", done.stderr)
        self.assertIn("foreign.csv: line 1: not a CSV of this schema", done.stderr)
        self.assertRegex(done.stdout, "(take|ahead)")

    def test_bad_input(self):
        for arguments, names in [
                ([], ["--n"]),
                (["--n", "0"], ["--n"]),
                (["--n", "1K,2K"], ["1K,2K"]),
                (["--n", "x"], ["x"]),
                (["--n", "1K", "--type", "u23"], ["u23", "u32"]),
                (["--n", "1K", "--dist", "unifrom"], ["unifrom", "uniform"]),
                (["--n", "1K", "--order", "up"], ["up", "asc"]),
                (["--n", "1K", "--threads", "0"], ["--threads"]),
                (["--n", "1K", "--where", "moon"], ["moon", "host"]),
                (["--n", "1K", "--time", "-1"], ["--time"]),
                (["--n", "1K", "--results", "missing.csv"], ["missing.csv"]),
                (["--n", "5000", "--results", self.copy_files(), "--csv", "no/such/out.csv"],
                 ["no/such/out.csv"]),
        ]:
            with self.subTest(arguments):
                self.refused("recommend", *arguments, names=names)

    def test_without_a_gpu(self):
        if "GPU          none in use" not in self.call("doctor").stdout:
            self.skipTest("this machine has a GPU")
        self.refused("recommend", "--n", "1M", "--where", "device", names=["--where device: "])


class Tune(CommandLine):
    """Without a GPU: choices from rows that look measured, and the file that they are kept in."""

    def setUp(self):
        super().setUp()
        self.settings = {"XDG_CONFIG_HOME": self.path("config")}

    def tune(self, *arguments, expect=0, **settings):
        return self.call("tune", *arguments, expect=expect,
                         environment={**self.settings, **settings})

    def measured(self, name="run.csv", device="GPU A", isa="", first=1024, **times):
        """A run with the given times in nanoseconds of each sort at `first`, 2 * `first`, ... keys."""
        with open(self.path(name), "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n", restval="")
            writer.writeheader()
            for sort, by_size in times.items():
                for i, ns in enumerate(by_size):
                    writer.writerow({
                        "schema_version": SCHEMA, "run_id": "r", "config_id": f"{sort}{i}",
                        "ts_utc": "2026-11-21T00:00:00Z", "status": "ok", "device": device,
                        "variant": sort.replace("__", "/"), "key_type": "u32", "value_bytes": "0",
                        "algorithm": sort.split("__")[1], "isa": isa,
                        "n": str(first << i), "order": "asc", "dist": "uniform",
                        "threads": "1" if isa else "0",
                        "host_mem": "none", "launch": "stream", "cache": "hot", "load": "0", "stable": "0",
                        "in_place": "0", "pinned_threads": "0", "rep": "0", "seed": "12345",
                        "total_ns": str(ns), "kernel_ns": str(ns),
                        "sorted_ok": "1", "permutation_ok": "1"})
        self.write(name.replace(".csv", ".run.json"), json.dumps(
            {"r": {"gpu": {"name": device, "sms": 132}, "cpu": {"model": device, "threads": 2},
                   "started_utc": "2026-11-21T00:00:00Z",
                   "build": {"git_revision": "abc"}}}))
        return name

    def test_choices_from_a_run(self):
        csv_file = self.measured(gpu__radix__small=[10, 20, 80], gpu__radix__onesweep=[20, 40, 40],
                                 gpu__baselines__cub_radix=[1, 1, 1])
        done = self.tune("--from", csv_file, "--out", "new/tune.json")
        self.assertIn("for GPU A with 132 SMs, in new/tune.json", done.stdout)
        section = json.loads(read_text(self.path("new/tune.json")))["gpu"]
        self.assertEqual((section["device"], section["revision"], section["results"]),
                         ("GPU A", "abc", ["run.csv"]))
        (choice,) = section["choices"]
        self.assertEqual([step["id"] for step in choice["from"]],
                         ["gpu/radix/small", "gpu/radix/onesweep"])
        self.assertTrue(2048 < choice["from"][1]["n"] < 4096, choice)

    def test_choices_of_a_cpu_lie_beside_those_of_a_gpu(self):
        self.tune("--from", self.measured(gpu__radix__small=[10]), "--out", "tune.json")
        times = {"cpu__quick__simd": [10, 20, 80], "cpu__merge__simd": [20, 40, 40], "cpu__baselines__vqsort": [1, 1, 1]}
        without_few = self.measured("cpu.csv", "CPU A", "avx512", **times)
        self.assertIn("at most 64", self.tune("--from", without_few, "--out", "tune.json", expect=2).stderr)
        csv_file = self.measured("cpu.csv", "CPU A", "avx512", first=64, **times)
        done = self.tune("--from", csv_file, "--out", "tune.json")
        self.assertIn("for CPU A with 2 threads, in tune.json", done.stdout)
        sections = json.loads(read_text(self.path("tune.json")))
        self.assertEqual(sections["gpu"]["device"], "GPU A")
        (choice,) = sections["cpu"]["choices"]
        self.assertEqual((choice["isa"], choice["threads"]), ("avx512", 1))
        self.assertEqual([step["id"] for step in choice["from"]],
                         ["cpu/quick/simd", "cpu/merge/simd"])
        shown = self.call("show", "cpu/auto/auto", environment={"SORTLAB_TUNE": "tune.json"})
        self.assertIn("tune.json is for CPU A", shown.stdout)
        self.assertIn("built in, measured on", shown.stdout)

    def test_check_says_where_the_choice_is_not_the_fastest(self):
        good = self.measured("good.csv", gpu__auto__auto=[102, 205], gpu__radix__small=[100, 400],
                             gpu__merge__multiway=[150, 200], gpu__baselines__cub_radix=[1, 1])
        done = self.tune("--check", good)
        self.assertEqual(done.stdout,
                         "gpu/auto/auto: within 3 % of the fastest of ours at 2 of 2 points\n")
        bad = self.measured("bad.csv", "CPU A", "avx2", cpu__auto__auto=[104, 220],
                            cpu__quick__simd=[100, 200])
        done = self.tune("--check", f"{good},{bad}", expect=1)
        self.assertIn("cpu/auto/auto/u32/asc/uniform/n:2048/threads:1: 220 ns, 200 ns by "
                      "cpu/quick/simd: 10.0 % over", done.stdout)
        self.assertIn("cpu/auto/auto: within 5 % of the fastest of ours at 1 of 2", done.stdout)
        better = self.measured("better.csv", "CPU A", "avx512", cpu__quick__simd=[1])
        self.tune("--check", f"{bad},{better}", expect=1)

    def test_the_file_to_go_by(self):
        builtin = self.tune("--show").stdout
        self.assertIn("built in, measured on NVIDIA H200", builtin)
        self.tune("--from", self.measured(gpu__radix__small=[10]))
        self.assertIn("GPU A", read_text(self.path("config/sortlab/tune.json")))
        self.tune("--from", self.measured("b.csv", "GPU B", gpu__radix__small=[10]), "--out", "b.json")
        if "GPU          none in use" not in self.call("doctor").stdout:
            return  # neither is for the GPU that is there
        self.assertIn("measured on GPU A", self.tune("--show").stdout)
        self.assertIn("b.json, measured on GPU B", self.tune("--show", SORTLAB_TUNE="b.json").stdout)
        self.assertEqual(self.tune("--show", SORTLAB_TUNE="").stdout, builtin)

    def test_what_is_measured_is_kept_when_it_is_stopped(self):
        def kept():
            names = [name for name in os.listdir(self.folder)
                     if name.startswith("t.json.cpu-quick-") and name.endswith(".csv")]
            return [row for row in table(read_text(self.path(names[0]))) if row.get("reason")] if names else []

        before = []
        for _ in range(2):
            run = subprocess.Popen([RADIX, "tune", "--cpu", "--quick", "--out", "t.json"], cwd=self.folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            deadline = time.monotonic() + 300
            while len(kept()) < len(before) + 3 and time.monotonic() < deadline:
                time.sleep(0.02)
            run.send_signal(signal.SIGINT)
            out, said = run.communicate(timeout=300)
            self.assertEqual((run.returncode, out), (130, ""))
            self.assertRegex(said, r"^\d+ configurations, about .* on an idle machine; Ctrl-C keeps")
            self.assertRegex(said, r"stopped: t\.json\.cpu-quick-\S+\.csv keeps what is measured")
            self.assertEqual(kept()[:len(before)], before)
            self.assertGreaterEqual(len(kept()), len(before) + 3)
            before = kept()
        self.assertFalse(os.path.exists(self.path("t.json")))

    def test_a_malformed_file_is_one_line(self):
        self.write("bad.json", '{"sortlab_tune": 1, "gpu": {"device": 7')
        self.write("mine.json", "{}")
        commands_that_read_it = [["tune", "--show"], ["show", "cpu/auto/auto"],
                                 ["run", "--filter", "cpu/auto/auto", "--n", "1K"]]
        if "gpu/auto/auto" in self.call("list").stdout:
            commands_that_read_it += [["list"], ["show", "gpu/auto/auto"],
                                      ["run", "--filter", "gpu/auto/auto", "--n", "1K"]]
        for command in commands_that_read_it:
            for file in ["bad.json", "mine.json", "missing.json"]:
                with self.subTest((command, file)):
                    self.refused(*command, names=[file], environment={"SORTLAB_TUNE": file})
        self.tune("--from", self.measured(gpu__radix__small=[10]), "--out", "mine.json", expect=2)
        self.assertEqual(read_text(self.path("mine.json")), "{}")

    def test_bad_input(self):
        self.measured(cpu__radix__naive=[10])
        self.measured("a.csv", gpu__radix__small=[10])
        self.measured("b.csv", "GPU B", gpu__radix__small=[10])
        self.measured("alone.csv", gpu__radix__small=[10])
        os.remove(self.path("alone.run.json"))
        for arguments, names in [
                (["--from", "missing.csv"], ["missing"]),
                (["--from", "alone.csv"], ["alone.csv", "alone.run.json"]),
                (["--from", "run.csv"], ["run.csv", "gpu/auto", "cpu/auto"]),
                (["--check", "a.csv"], ["a.csv"]),
                (["--check", "a.csv", "--cpu"], ["--check"]),
                (["--from", "a.csv,b.csv"], ["a.csv", "b.csv", "GPU A", "GPU B"]),
                (["--from", "a.csv", "--quick"], ["--quick"]),
                (["--from", "a.csv", "--cpu"], ["--cpu"]),
                (["--show", "--quick"], ["--show"]),
                (["--from", "a.csv", "--out", "a.csv/tune.json"], ["a.csv"]),
                (["--nonsense"], ["--nonsense"]),
        ]:
            with self.subTest(arguments):
                self.refused("tune", *arguments, names=names, environment=self.settings)
        if "GPU          none in use" in self.call("doctor").stdout:
            self.refused("tune", "--gpu", names=["tune: nothing to measure without a GPU: "])


class Help(CommandLine):
    def test_every_command_has_examples_that_can_be_typed(self):
        overview = self.call("--help").stdout
        for command in commands():
            with self.subTest(command):
                text = printed(command, "--help")
                examples = re.findall(rf"^  (sortlab {command}\b.*)$", text.split("Examples:")[-1],
                                      re.MULTILINE)
                self.assertTrue(examples, text)
                self.assertIn(examples[0], overview)
                flags = printed("complete", command, "--").split()
                for example in examples:
                    for word in shlex.split(example.split("  ")[0]):
                        if word.startswith("--"):
                            self.assertIn(word.split("=")[0], flags, example)


class Completion(CommandLine):
    def words(self, *words):
        return self.call("complete", *words).stdout.split()

    def test_what_the_program_offers(self):
        for words, expected in [
                (["r"], ["run", "recommend", "reproduce", "report"]),
                (["run", "--color", "al"], ["always"]),
                (["help", "com"], ["compare", "completion"]),
                (["run", "--ty"], ["--type"]),
                (["run", "--type", "u"], ["u32", "u64"]),
                (["run", "--type", "u32,i"], ["u32,i32", "u32,i64"]),
                (["run", "--type=f"], ["--type=f32", "--type=f64"]),
                (["run", "--order", ""], ["asc", "desc"]),
                (["run", "--pairs", "--order", "d"], ["desc"]),
                (["run", "--dist", "zip"], ["zipf"]),
                (["reproduce", "cuda"], ["cuda-blog-launches"]),
                (["run", "--threads", ""], ["all"]),
                (["run", "--n", ""], ["typical"]),
                (["run", "--time", ""], []),
                (["run", "--dist", "@"], ["@real"]),
                (["run", "--csv", ""], [":files"]),
                (["run", "--matrix", "def"], ["default"]),
                (["verify", "--values", "p"], ["pairs"]),
                (["show", "cpu/radix/o"], ["cpu/radix/optimized"]),
                (["compare", ""], [":files"]),
                (["compare", "base.csv", "n"], [":files"]),
                (["compare", "base.csv", "new.csv", "--thr"], ["--threshold"]),
                (["completion", ""], ["bash", "zsh"]),
                (["tune", "--"], ["--check", "--color", "--cpu", "--device", "--from", "--gpu", "--help", "--out", "--quick",
                                   "--show"]),
                (["tune", "--from", ""], [":files"]),
                (["nonsense"], []),
        ]:
            with self.subTest(words):
                self.assertCountEqual(self.words(*words), expected)

    def test_flags_are_those_of_the_help(self):
        for command in commands():
            offered = {flag for flag in printed("complete", command, "--").split() if flag.startswith("--")}
            shown = set(re.findall(r"^ +(?:-\w, *)?(--[\w-]+)",
                                   printed(command, "--help"), re.MULTILINE))
            self.assertEqual(offered, shown, command)

    def test_drivers_complete_their_own_variants(self):
        offered = self.call("complete", "show", "", program=RADIX).stdout.split()
        self.assertTrue(offered and all("/radix/" in variant for variant in offered))

    def test_other_shells(self):
        self.refused("completion", "fish", names=["fish", "bash", "zsh"])
        self.refused("completion")

    def bash(self, line, words):
        """The words that bash's function puts into COMPREPLY for a line, which bash splits into `words`."""
        script = self.path("completion.bash")
        if not os.path.exists(script):
            self.write("completion.bash", self.call("completion", "bash").stdout)
        setup = (f"source {script}; COMP_LINE={shlex.quote(line)}; COMP_POINT=${{#COMP_LINE}}; "
                 f"COMP_WORDS=({shlex.join(words)}); COMP_CWORD={len(words) - 1}; "
                 "_sortlab_completion; printf '%s\\n' \"${COMPREPLY[@]}\"")
        return subprocess.run(["bash", "--norc", "-uc", setup], capture_output=True, text=True,
                              check=True, cwd=self.folder).stdout.split()

    def test_bash(self):
        for line, words, expected in [
                ("run --ord", ["run", "--ord"], ["--order"]),
                ("run --order ", ["run", "--order", ""], ["asc", "desc"]),
                # bash treats = as a separate word, and replaces only the text after it
                ("run --order=d", ["run", "--order", "=", "d"], ["desc"]),
                ("run --filter 'cpu/radix/n", ["run", "--filter", "'cpu/radix/n"],
                 ["cpu/radix/naive"]),
                ("run --csv ", ["run", "--csv", ""], []),
        ]:
            with self.subTest(line):
                self.assertEqual(self.bash(f"{SORTLAB} {line}", [SORTLAB, *words]), expected)

    def at_a_terminal(self, shell, *setup):
        """Tab keys in a real shell complete unfinished words to a command that runs."""
        if shutil.which(shell[0]) is None:
            self.skipTest(f"{shell[0]} is not installed")
        script = self.write("script", self.call("completion", shell[0]).stdout)
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(self.folder)
            environment = {**os.environ, "PATH": BIN + ":" + os.environ["PATH"], "TERM": "dumb",
                           "INPUTRC": "/dev/null", "HOME": self.folder}
            os.execvpe(shell[0], shell, environment)
        seen = ""

        def type_and_wait(keys, text):
            nonlocal seen
            os.write(terminal, keys.encode())
            deadline = time.monotonic() + 300
            while text not in seen and time.monotonic() < deadline:
                if select.select([terminal], [], [], 0.5)[0]:
                    seen += os.read(terminal, 65536).decode(errors="replace")
            self.assertIn(text, seen)

        try:
            type_and_wait("; ".join([*setup, f"source {script}", "echo rea''dy\n"]), "ready")
            type_and_wait("sortlab sh\tcpu/radix/n\t\n", "cpu/radix/naive: LSD")
            type_and_wait("sortlab list --filter=cpu/radix/nai\t --fo\tjs\t\n", '"id": "cpu/radix/naive"')
            type_and_wait("sortlab compare scri\t nonsense\n", "script: line 1: not a CSV")
        finally:
            os.close(terminal)
            os.waitpid(pid, 0)

    def test_bash_at_a_terminal(self):
        self.at_a_terminal(["bash", "--norc", "--noprofile", "-i"])

    def test_zsh_at_a_terminal(self):
        self.at_a_terminal(["zsh", "-f", "-i"], "autoload -U compinit", "compinit -u -D")

    def test_zsh(self):
        if shutil.which("zsh") is None:
            self.skipTest("zsh is not installed")
        self.write("completion.zsh", self.call("completion", "zsh").stdout)
        for words, expected in [
                (["run", "--ord"], ["--order"]),
                (["run", "--type", "u32,i"], ["u32,i32", "u32,i64"]),
                (["run", "--csv", ""], ["files"]),
        ]:
            setup = ("compdef() {}; _files() { print files; }; compadd() { print -l -- ${(P)2}; }; "
                     f"source completion.zsh; words=({shlex.join([SORTLAB, *words])}); "
                     f"CURRENT={len(words) + 1}; _sortlab")
            done = subprocess.run(["zsh", "-fc", setup], capture_output=True, text=True,
                                  cwd=self.folder, check=True)
            self.assertEqual(done.stdout.split(), expected, done.stderr)


if __name__ == "__main__":
    unittest.main()
