"""A user's own sorts from shared libraries: good ones, faulty ones, and files that are not plug-ins.

plugin_examples_test.py tests the examples for users."""

import json
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import time
import unittest
from pathlib import Path

from cli_test import (BIN, MARK, SMALL, SORTLAB, CommandLine, ends_configuration, processes_marked, read_text,
                      table)

ROOT = Path(__file__).resolve().parent.parent.parent
PLUGINS = Path(os.environ["SORTLAB_PLUGINS"])


def plugin(name):
    return ["--plugin", str(PLUGINS / f"plugin_{name}.so")]


class Good(CommandLine):
    def test_list_and_show(self):
        done = self.call("list", "--format", "json", *plugin("good"), "--filter", "plugin/*")
        everything, _, mixed, plain = json.loads(done.stdout)
        self.assertEqual(everything["id"], "plugin/good/everything")
        self.assertEqual(everything["algorithm"], "good")
        self.assertEqual(everything["summary"], "sorts indices, in C++ ünïcode")
        self.assertEqual(everything["lib_version"], '2.5, "final"')
        self.assertEqual(len(everything["key_types"]), 6)
        self.assertEqual(len(everything["pair_types"]), 6)
        self.assertEqual([everything[trait] for trait in ("stable", "parallel", "total_order", "in_place")],
                         [True, True, True, False])
        self.assertEqual((plain["key_types"], plain["pair_types"]), (["u32"], []))
        self.assertEqual([plain[trait] for trait in ("stable", "parallel", "total_order")], [False] * 3)
        self.assertEqual([(sort["isa"], sort["lib_version"]) for sort in (everything, plain)],
                         [("unknown", '2.5, "final"'), ("avx7", "its own")])
        self.assertEqual((mixed["key_types"], mixed["pair_types"]), (["u32"], ["u64+u32"]))
        text = self.call("show", *plugin("good"), "plugin/good/plain").stdout
        self.assertIn("plugin_good.so", text)
        self.assertIn("std::sort", text)
        self.assertNotIn("-0", text, "it sorts no floats")
        self.assertEqual(text, self.call("show", "plugin/good/plain", *plugin("good")).stdout)

    def test_list_marks_parallel_sorts(self):
        header, *lines = self.call("list", *plugin("good"), "--filter", "plugin/*").stdout.splitlines()
        begin = header.index("threads")
        self.assertEqual({line.split()[0].split("/")[-1]: line[begin:].split()[0] for line in lines[:4]},
                         {"everything": "many", "plain": "1", "mixed": "1", "keeps": "1"})

    def test_show_tells_for_which_types_a_trait_holds(self):
        text = self.call("show", *plugin("good"), "plugin/good/mixed").stdout
        self.assertRegex(text, r"in place: +u32; not u64\+u32 f64\+u64 f64\+u128\n")
        self.assertRegex(text, r"stable: +u64\+u32; not u32 ")
        self.assertRegex(self.call("show", *plugin("good"), "plugin/good/everything").stdout, "stable: +yes\n")

    def test_verify_everything(self):
        everything = [*plugin("good"), "--filter", "plugin/good/everything"]
        for order, sizes in (("asc", "0,1,2,3,100,1000"), ("desc", "0,1,1000")):
            text = self.call("verify", *everything, "--n", sizes, "--order", order).stdout
            self.assertRegex(text, r"^[1-9]\d+ passed, 0 failed, 0 skipped")

    def test_each_reason_to_skip_is_counted(self):
        few = ["--n", "10,20", "--dist", "uniform,equal"]
        text = self.call("verify", *plugin("good"), "--filter", "plugin/good/mixed", *few, "--type", "u32,f64").stdout
        self.assertEqual(text, "4 passed, 0 failed, 12 skipped\n"
                               "4 skipped: has no code for f64\n"
                               "4 skipped: has no code for f64 pairs with values of 4 bytes, only of 8\n"
                               "4 skipped: has no code for u32 pairs\n")
        text = self.call("verify", *plugin("good"), "--filter", "plugin/good/plain", *few, "--type", "u32",
                         "--values", "keys", "--order", "desc", expect=3).stdout
        self.assertEqual(text, "0 passed, 0 failed, 4 skipped: has no code for u32 in descending order\n")
        text = self.call("run", *plugin("good"), "--filter", "plugin/good/plain,plugin/good/everything", *SMALL,
                         "--type", "u32,i32").stdout
        self.assertIn("\n\n1 skipped: has no code for i32\n\n", text)

    def test_verify_does_what_its_help_says(self):
        text = self.call("verify", "--help").stdout
        for default in ("their name (default all)", "f64 (default all)", "(default all patterns of `dists`)"):
            self.assertIn(default, " ".join(text.split()))
        counts = [self.call("verify", *plugin("good"), "--filter", "plugin/good/everything", "--n", "10", "--dist",
                            "uniform", *values).stdout for values in ([], ["--values", "keys,pairs"])]
        self.assertEqual(counts, [f"{6 * 2} passed, 0 failed, 0 skipped\n"] * 2)

    def test_in_process(self):
        for mode in ([], ["--in-process"]):
            self.call("verify", *plugin("good"), "--filter", "plugin/*", "--n", "100", *mode)
        rows = self.run_to_csv(*plugin("good"), "--filter", "plugin/*", *SMALL, "--in-process")
        self.assertEqual({row["status"] for row in rows}, {"ok"})

    def test_rows_beside_built_in_sorts(self):
        rows = self.run_to_csv(*plugin("good"), "--filter", "plugin/*,cpu/radix/naive", *SMALL,
                               "--threads", "1,2", "--type", "u32,f64", "--pairs")
        ends = {(row["variant"], row["key_type"], row["threads"]): row
                for row in rows if ends_configuration(row)}
        self.assertEqual(len(ends), 2 * ((2 + 1 + 1 + 1) + 1))
        for (variant, key_type, _), row in ends.items():
            wanted = "ok" if variant.endswith(("/everything", "/naive")) else "skipped"
            self.assertEqual(row["status"], wanted, (variant, key_type))
        mine = ends["plugin/good/everything", "f64", "2"]
        self.assertEqual([mine[column] for column in ("algorithm", "isa", "lib_version", "stable", "stable_ok")],
                         ["good", "unknown", '2.5, "final"', "1", "1"])
        self.assertEqual(ends["plugin/good/plain", "u32", "1"]["reason"], "has no code for u32 pairs")
        # An alternate buffer of keys and values, and four bytes of workspace for each.
        self.assertGreaterEqual(int(mine["peak_temp_bytes"]), 1024 * (8 + 4 + 4))

    def test_columns_of_each_sort_and_type(self):
        wanted = ("plugin/good/plain", "plugin/good/mixed")
        rows = self.run_to_csv(*plugin("good"), "--filter", ",".join(wanted), *SMALL)
        rows += self.run_to_csv(*plugin("good"), "--filter", wanted[1], *SMALL, "--type", "u64", "--pairs",
                                name="pairs.csv")
        columns = ("variant", "key_type", "isa", "lib_version", "stable", "in_place", "temp_policy", "peak_temp_bytes")
        found = {tuple(row[column] for column in columns) for row in rows}
        # A workspace of 16 bytes for each pair, and the allocations of std::stable_sort.
        peak_of_pairs = next(row["peak_temp_bytes"] for row in rows if row["key_type"] == "u64")
        self.assertGreater(int(peak_of_pairs), 16 * 1024)
        self.assertEqual(found, {
            ("plugin/good/plain", "u32", "avx7", "its own", "0", "0", "prealloc", "0"),
            ("plugin/good/mixed", "u32", "unknown", '2.5, "final"', "0", "1", "prealloc", "0"),
            ("plugin/good/mixed", "u64", "unknown", '2.5, "final"', "1", "0", "per_call", peak_of_pairs)})

    def test_memory_that_a_sort_keeps_counts_each_time(self):
        """Larger first, because the smaller sort could reuse existing memory."""
        rows = self.run_to_csv(*plugin("good"), "--filter", "plugin/good/keeps", "--n", "64K,1K", "--time", "0.01",
                               "--max-samples", "5")
        for row in rows:
            n = int(row["n"])
            self.assertEqual((row["status"], row["temp_policy"]), ("ok", "cached"))
            self.assertGreaterEqual(int(row["peak_temp_bytes"]), 4 * n)
            self.assertLess(int(row["peak_temp_bytes"]), 4 * n + 8192)
        self.assertEqual({row["n"] for row in rows}, {"1024", "65536"})

    def test_goes_on_where_it_stopped(self):
        arguments = [*plugin("good"), "--filter", "plugin/good/everything,plugin/good/plain", *SMALL]
        self.run_to_csv(*arguments)
        before = read_text(self.path("run.csv"))
        self.run_to_csv(*arguments)
        self.assertEqual(read_text(self.path("run.csv")), before)
        rows = self.run_to_csv("--filter", "cpu/radix/naive", *SMALL)
        self.assertEqual(len({row["variant"] for row in rows}), 3)

    def test_joins_a_matrix(self):
        matrix = self.write("m.json", json.dumps({"runs": [{"filter": ["cpu/radix/naive"], "n": "1K"}]}))
        quick = ["--matrix", matrix, "--time", "0.01", "--max-samples", "5", *plugin("good")]
        variants = {row["variant"] for row in self.run_to_csv(*quick)}
        self.assertEqual(variants, {"cpu/radix/naive"} | {
            f"plugin/good/{name}" for name in ("everything", "plain", "mixed", "keeps")})
        rows = self.run_to_csv(*quick, "--filter", "cpu/radix/naive", name="filtered.csv")
        self.assertEqual({row["variant"] for row in rows}, {"cpu/radix/naive"})

    def test_a_matrix_names_those_that_it_lacks(self):
        block = {"filter": ["cpu/radix/naive", "plugin/good/plain", "plugin/other/fast"], "n": "1K"}
        lacking = {"filter": ["plugin/other/fast", "plugin/other/slow"], "n": "2K"}
        matrix = self.write("m.json", json.dumps({"runs": [block, lacking]}))
        dry = ["run", "--matrix", matrix, "--dry-run"]
        done = self.call(*dry)
        self.assertEqual({line.split("/u32/")[0] for line in done.stdout.splitlines()}, {"cpu/radix/naive"})
        self.assertRegex(done.stderr, r"^matrix \S+: incomplete, without plugin/good/plain, plugin/other/fast, plugin/other/slow: "
                                      r"--plugin loads such sorts\n$")
        self.assertRegex(self.call(*dry, *plugin("good")).stderr, "without plugin/other/fast, plugin/other/slow: [^\n]*\n$")
        self.assertEqual(self.call(*dry, "--filter", "cpu/radix/naive").stderr, "")
        only = self.write("only.json", json.dumps({"runs": [lacking]}))
        self.refused("run", "--matrix", only, names=["only.json: incomplete, without plugin/other/fast, plugin/other/slow"])

    def test_drivers_take_them_too(self):
        rows = self.run_to_csv(*plugin("good"), "--filter", "cpu/*naive,plugin/good/plain", *SMALL,
                               program=os.path.join(BIN, "radix"))
        self.assertEqual({row["variant"] for row in rows if row["status"] == "ok"},
                         {"cpu/radix/naive", "plugin/good/plain"})

    def test_several(self):
        ids = [v["id"] for v in json.loads(self.call(
            "list", "--format", "json", *plugin("good"), *plugin("faulty"), "--filter", "plugin/*").stdout)]
        self.assertIn("plugin/good/plain", ids)
        self.assertIn("plugin/faulty/hangs", ids)

    def test_several_after_one_flag(self):
        """As a shell expands --plugin *.so."""
        both = [str(PLUGINS / f"plugin_{name}.so") for name in ("good", "faulty")]
        ids = {v["id"].split("/")[1] for v in json.loads(self.call(
            "list", "--format", "json", "--plugin", *both, "--filter", "plugin/*").stdout)}
        self.assertEqual(len(ids), 2)

    def test_relative_path(self):
        shutil.copy(PLUGINS / "plugin_good.so", self.path("lib.so"))
        rows = self.run_to_csv("--plugin", "lib.so", "--filter", "plugin/good/plain", *SMALL)
        self.assertEqual({row["status"] for row in rows}, {"ok"})


class Faulty(CommandLine):
    EXPECTED = {
        "crashes": ("failed", "crashed: Segmentation fault"),
        "hangs": ("timeout", "not done after 2 s"),
        "writes_first_after": ("failed", "wrote outside of its keys"),
        "writes_first_before": ("failed", "wrote outside of its keys"),
        "writes_1000_after": ("failed", "wrote outside of its keys"),
        "writes_1000_before": ("failed", "wrote outside of its keys"),
        "writes_far_after": ("failed", "crashed: Segmentation fault"),
        "writes_far_before": ("failed", "crashed: Segmentation fault"),
        "overruns_workspace": ("failed", "wrote outside of its workspace"),
        "does_nothing": ("failed", "wrong result: not sorted"),
        "loses_a_key": ("failed", "wrong result: not a permutation of the input"),
        "fails_with_words": ("failed", "the disk is \N{REPLACEMENT CHARACTER} full"),
        "fails_silently": ("failed", "the plug-in's sort() returned -77"),
        "unsupported": ("skipped", "only powers of three"),
        "no_memory": ("oom", "an allocation failed"),
        "says_alternate": ("failed", "returned SORTLAB_IN_ALTERNATE without SORTLAB_ALTERNATE"),
        "exits": ("failed", "the worker exited with 3"),
        "throws": ("failed", "out of ideas"),
        "throws_an_int": ("failed", "the plug-in threw something that is no std::exception"),
        "closes_all_files": ("failed", "the worker hung up and went on"),
        "writes_to_the_socket": ("failed", "wrote into what is not its own"),
        "ends_in_its_own_name": ("failed", "wrote into what is not its own"),
        "invents_a_status": ("failed", "wrote into what is not its own"),
        "counts_statuses": ("failed", "wrote into what is not its own"),
        "floods_the_socket": ("failed", "wrote into what is not its own"),
        "forks_and_hangs": ("timeout", "not done after 2 s"),
        "forks_and_crashes": ("failed", "crashed: Aborted"),
        "workspace_crashes": ("failed", "crashed: Segmentation fault"),
        "workspace_of_everything": ("failed", f"asks for a workspace of {2**64 - 1} bytes"),
        "workspace_fails": ("failed", "no temporary storage for n = 1024"),
        "workspace_unknown": ("skipped", "the plug-in can't sort this"),
        "create_fails": ("failed", "the plug-in's create() returned 7"),
        "create_lacks_memory": ("oom", "an allocation failed"),
        "create_throws": ("failed", "no context"),
        "create_hangs": ("timeout", "not done after 2 s"),
        "destroy_crashes": ("failed", "crashed: Segmentation fault"),
        "fails_with_state": ("failed", "wrong result: not sorted"),
    }

    def test_each_is_a_row_and_verify_tells_it(self):
        """Both at once, as each waits for the sorts that hang."""
        verify = subprocess.Popen([SORTLAB, "verify", *plugin("faulty"), "--filter", "plugin/*,cpu/std_sort/naive", "--type", "u32",
                                   "--n", "1000", "--dist", "uniform", "--values", "keys", "--timeout", "2"],
                                  cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        rows = self.run_to_csv(*plugin("faulty"), "--filter", "plugin/*,cpu/std_sort/naive",
                               *SMALL, "--timeout", "2", expect=1)
        found = {row["variant"].removeprefix("plugin/faulty/"): (row["status"], row["reason"])
                 for row in rows if ends_configuration(row)}
        self.assertEqual(found.pop("cpu/std_sort/naive")[0], "ok")
        self.assertEqual(found.pop("forks_and_sorts")[0], "ok")
        self.assertEqual(found.pop("leaves_a_daemon")[0], "ok")
        self.assertEqual(found.pop("sorts_with_state")[0], "ok")
        self.assertEqual(found.pop("unstable")[0], "failed")
        self.assertEqual(found, self.EXPECTED)
        self.assertEqual(len(table(read_text(self.path("run.summary.csv")))), len(self.EXPECTED) + 5)

        lines = verify.communicate(timeout=300)[0].splitlines()
        self.assertEqual(verify.returncode, 1)
        failed = {re.match(r"FAILED plugin/faulty/(\w+)/u32/\S+: .", line)[1] for line in lines[:-4]}
        skipped = {"unsupported", "workspace_unknown", "no_memory", "create_lacks_memory"}
        self.assertEqual(failed, set(self.EXPECTED) - skipped | {"unstable"})
        self.assertEqual(lines[-4:], [f"4 passed, {len(failed)} failed, 4 skipped",
                                      "2 skipped: out of memory: an allocation failed",
                                      "1 skipped: only powers of three", "1 skipped: the plug-in can't sort this"])

    def test_verify_has_no_memory(self):
        done = self.call("verify", *plugin("faulty"), "--filter", "plugin/faulty/no_memory", "--type", "u32", "--n",
                         "1000", "--dist", "uniform", "--values", "keys", expect=3)
        self.assertEqual(done.stdout, "0 passed, 0 failed, 1 skipped: out of memory: an allocation failed\n")

    def test_each_state_is_destroyed(self):
        """One for each configuration, also after a failed sort, in a worker and in this process."""
        for sort, code in (("sorts_with_state", 0), ("fails_with_state", 1)):
            for mode in ([], ["--in-process"]):
                with self.subTest(sort=sort, mode=mode):
                    states = self.path("states.txt")
                    Path(states).unlink(missing_ok=True)
                    self.call("run", *plugin("faulty"), "--filter", f"plugin/faulty/{sort}", "--n", "1K,2K", "--time",
                              "0.01", "--max-samples", "5", *mode, expect=code,
                              environment={"SORTLAB_TEST_STATES": states})
                    self.assertEqual(read_text(states).split(), ["created", "destroyed"] * 2)

    def test_unstable(self):
        rows = self.run_to_csv(*plugin("faulty"), "--filter", "plugin/faulty/unstable", *SMALL,
                               "--pairs", "--dist", "equal", expect=1)
        self.assertEqual((rows[-1]["status"], rows[-1]["reason"], rows[-1]["stable_ok"]),
                         ("failed", "wrong result: equal keys changed places", "0"))

    def test_what_comes_after_a_crash_is_measured(self):
        rows = self.run_to_csv(*plugin("faulty"), *plugin("good"), "--filter",
                               "plugin/faulty/crashes,plugin/good/plain", "--n", "1K,2K,4K", "--time",
                               "0.01", "--max-samples", "5", expect=1)
        ends = [(row["variant"], row["n"], row["status"]) for row in rows if ends_configuration(row)]
        self.assertEqual(len([end for end in ends if end[2] == "ok"]), 3)
        self.assertEqual(len([end for end in ends if end[2] == "failed"]), 3)


class Forking(CommandLine):
    """All processes that a sort has started end with its worker, however the worker ends."""

    def setUp(self):
        super().setUp()
        self.addCleanup(lambda: [os.kill(pid, signal.SIGKILL) for pid in self.marked()])

    def marked(self):
        return processes_marked(self.folder)

    def arguments(self, sort, timeout):
        return ["run", *plugin("faulty"), "--filter", f"plugin/faulty/{sort}", *SMALL, "--timeout", timeout]

    def environment(self):
        return {MARK: self.folder}

    def start(self, sort):
        """A run that has forked."""
        run = subprocess.Popen([SORTLAB, *self.arguments(sort, "60")], cwd=self.folder, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, env={**os.environ, **self.environment()})
        self.wait_until(lambda: len(self.marked()) == 2 + 5)
        return run

    def test_none_is_left(self):
        for sort, code in (("forks_and_hangs", 1), ("forks_and_crashes", 1), ("forks_and_sorts", 0)):
            with self.subTest(sort):
                self.call(*self.arguments(sort, "2"), expect=code, environment=self.environment())
                self.wait_until(lambda: not self.marked())

    def test_no_daemon_is_left(self):
        self.call(*self.arguments("leaves_a_daemon", "10"), environment=self.environment())
        self.assertEqual(self.marked(), [])

    def test_what_the_shell_has_started_is_left_alone(self):
        """A shell that becomes sortlab passes its children on to it."""
        arguments = " ".join(self.arguments("leaves_a_daemon", "10"))
        done = subprocess.run(["bash", "-c", f"sleep 1000 & exec {SORTLAB} {arguments}"], cwd=self.folder, timeout=300,
                              env={**os.environ, **self.environment()}, stdout=subprocess.DEVNULL)
        self.assertEqual(done.returncode, 0)
        self.assertEqual(len(self.marked()), 1, "the sleep alone")

    def test_a_crash_is_seen_at_once(self):
        begin = time.monotonic()
        self.call(*self.arguments("forks_and_crashes", "50"), expect=1)
        self.assertLess(time.monotonic() - begin, 40)

    def test_none_is_left_after_ctrl_c(self):
        run = self.start("forks_and_hangs")
        run.send_signal(signal.SIGINT)
        self.assertEqual(run.wait(timeout=300), 130)
        self.wait_until(lambda: not self.marked())

    def test_none_is_left_when_the_program_is_killed(self):
        run = self.start("forks_and_hangs")
        run.kill()
        run.wait(timeout=300)
        self.wait_until(lambda: not self.marked())

    def test_ctrl_c_on_a_terminal(self):
        """The terminal's signal goes only to the program, which must kill the worker's own group."""
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(self.folder)
            os.execve(SORTLAB, [SORTLAB, *self.arguments("forks_and_hangs", "60")],
                      {**os.environ, **self.environment()})
        self.wait_until(lambda: len(self.marked()) == 2 + 5)
        os.write(terminal, b"\x03")
        ended = []

        def has_ended():
            try:  # what it prints must be read
                while select.select([terminal], [], [], 0)[0] and os.read(terminal, 4096):
                    pass
            except OSError:
                pass
            ended.append(os.waitpid(pid, os.WNOHANG) if not any(e[0] for e in ended) else ended[-1])
            return ended[-1][0] == pid

        self.wait_until(has_ended)
        os.close(terminal)
        self.assertEqual(os.waitstatus_to_exitcode(ended[-1][1]), 130)
        self.wait_until(lambda: not self.marked())


class NoPlugin(CommandLine):
    def test_one_line_and_nothing_begun(self):
        hangs = subprocess.Popen([SORTLAB, "run", *plugin("bad"), "--csv", "run.csv", *SMALL], cwd=self.folder, stderr=subprocess.PIPE,
                                 text=True, env={**os.environ, "SORTLAB_TEST_FAULT": "hangs_in_constructor"})
        for name, reason in {
                "other_abi": "version 2 of the plug-in ABI, this program has 1",
                "null_description": "returned NULL",
                "no_sorts": "0 sorts",
                "bad_name": "a*b",
                "bad_sort_name": "a/b",
                "long_name": "64 letters",
                "same_name_twice": "two sorts 'first'",
                "no_key_types": "first has no key types",
                "unknown_key_type": "first has unknown key types (0x40)",
                "unknown_trait": "first has unknown traits (0x100000)",
                "no_function": "first has an instance without a function",
                "unknown_values": "first has unknown values (0x2)",
                "unknown_orders": "first has unknown orders (0x4)",
                "unknown_trait_of_sort": "first has unknown traits (0x4)",
                "no_instances": "first has 0 instances, not 1 to 48",
                "same_types_twice": "the instances 1 and 2 of first cover the same types and order",
                "create_without_destroy": "first has create() or destroy(), but not both",
                "size_of_plugin": "its sortlab_plugin has 48 bytes, that of version 1 has 56",
                "size_of_sort": "its sortlab_plugin_sort has 88 bytes, that of version 1 has 80",
                "size_of_instance": "its sortlab_instance has 0 bytes, that of version 1 has 24",
                "isa_of_two_lines": "the instruction set of first is no single line",
                "two_lines": "the summary of first is no single line",
                "no_utf8": "the summary of first is no UTF-8",
                "crashes_in_constructor": "can't be loaded: crashed: Segmentation fault",
                "exits_in_constructor": "can't be loaded: the worker exited with 0",
                "crashes_when_described": "can't be loaded: crashed: Segmentation fault",
                "throws_when_described": "can't be loaded: no words",
        }.items():
            with self.subTest(name):
                self.refused("run", *plugin("bad"), "--csv", "run.csv", *SMALL, names=["plugin_bad.so: ", reason],
                             environment={"SORTLAB_TEST_FAULT": name})
        for name, reason in {"no_abi": "no symbol sortlab_plugin_abi",
                             "no_description": "no symbol sortlab_plugin_describe",
                             "no_function": "undefined symbol: this_function_is_nowhere"}.items():
            self.refused("run", *plugin(name), "--csv", "run.csv", *SMALL, names=[f"plugin_{name}.so: ", reason])
        self.assertRegex(hangs.communicate(timeout=300)[1], r"^[^\n]*plugin_bad\.so: can't be loaded: not done after 10 s[^\n]*\n$")
        self.assertEqual((hangs.returncode, os.listdir(self.folder)), (2, []))

    def test_files_that_are_no_libraries(self):
        for path, reason in ((self.write("text.so", "no library"), "text.so: file too short"),
                             (self.write("long.so", "no library" * 1000), "long.so: invalid ELF header"),
                             (self.folder, "directory"),
                             ("missing.so", "missing.so: cannot open shared object file: No such file")):
            for command in (["list"], ["show", "cpu/radix/naive"], ["verify"], ["run"]):
                self.refused(*command, "--plugin", path, names=[reason])

    def test_given_twice(self):
        self.refused("list", *plugin("good"), *plugin("good"),
                     names=["plugin/good/everything is there already, from ", "plugin_good.so"])

    def test_not_given(self):
        self.refused("run", "--filter", "plugin/good/plain", names=["plugin/good/plain"])
        self.refused("list", "--plugin")

    def test_gone_when_the_worker_loads_it(self):
        """The described file no longer exists when its turn comes."""
        shutil.copy(PLUGINS / "plugin_good.so", self.path("lib.so"))
        run = subprocess.Popen(
            [SORTLAB, "run", "--plugin", "lib.so", "--filter", "cpu/std_sort/naive,plugin/good/plain", "--n",
             "1K", "--time", "1", "--accuracy", "0", "--max-samples", "1000000", "--csv", "run.csv"],
            cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while run.poll() is None and not (os.path.exists(self.path("run.csv")) and len(read_text(self.path("run.csv"))) >= 1000):
            time.sleep(0.01)
        os.remove(self.path("lib.so"))
        self.assertEqual(run.wait(timeout=300), 0)
        ends = {row["variant"]: row for row in table(read_text(self.path("run.csv"))) if ends_configuration(row)}
        self.assertEqual(ends["cpu/std_sort/naive"]["status"], "ok")
        self.assertEqual(ends["plugin/good/plain"]["status"], "skipped")
        self.assertIn("No such file", ends["plugin/good/plain"]["reason"])


if __name__ == "__main__":
    unittest.main()
