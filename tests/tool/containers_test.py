"""The program in small containers, with limits of memory and CPUs from control groups, `ulimit` and affinity masks."""

import contextlib
import json
import os
import re
import resource
import shutil
import subprocess
import unittest

from cli_test import SMALL, SORTLAB, TWO, CommandLine, ends_configuration, read_text, table

GROUPS = "/sys/fs/cgroup"
MIB = 2**20


def version_2():
    return os.path.exists(f"{GROUPS}/cgroup.controllers")


def own_group(controller):
    """The folder of this process's group, None where it is not mounted."""
    with open("/proc/self/cgroup", encoding="utf-8") as lines:
        for line in lines:
            _, names, path = line.strip().split(":", 2)
            if version_2() if names == "" else controller in names.split(","):
                top = GROUPS if names == "" else f"{GROUPS}/{names}"
                return next((f for f in (top + path, top) if os.path.isdir(f)), None)
    return None


@contextlib.contextmanager
def group(controller, **limits):
    """A group with these limits below this process's own. Skips the test where none can be made."""
    parent = own_group(controller)
    folder = f"{parent}/sortlab_test_{os.getpid()}"
    try:
        os.mkdir(folder)
    except OSError as error:
        raise unittest.SkipTest(f"no control group can be made: {error}")
    try:
        try:
            for name, value in limits.items():
                with open(f"{folder}/{name.replace('__', '.')}", "w", encoding="utf-8") as file:
                    file.write(str(value))
        except OSError as error:
            raise unittest.SkipTest(f"no limit can be set: {error}")
        yield folder
    finally:
        os.rmdir(folder)


def memory_group(limit):
    return group("memory", **{"memory__max" if version_2() else "memory__limit_in_bytes": limit})


def cpu_group(quota):
    if version_2():
        return group("cpu", cpu__max=f"{int(quota * 100000)} 100000")
    return group("cpu", cpu__cfs_period_us=100000, cpu__cfs_quota_us=int(quota * 100000))


class Containers(CommandLine):
    def call_in(self, folder, *arguments, expect=0, before=None):
        """Like call(), in a control group, after before()."""
        def enter():
            if folder is not None:
                with open(f"{folder}/cgroup.procs", "w", encoding="utf-8") as file:
                    file.write("0")
            if before is not None:
                before()
        done = subprocess.run([SORTLAB, *arguments], cwd=self.folder, capture_output=True, text=True, timeout=300,
                              preexec_fn=enter)
        self.assertEqual(done.returncode, expect, f"{arguments}\n{done.stdout}\n{done.stderr}")
        return done

    def ends(self, name="run.csv"):
        return {(row["variant"].split("/", 1)[1], int(row["n"])): row for row in table(read_text(self.path(name)))
                if ends_configuration(row)}

    def roofs(self):
        return next(iter(json.loads(read_text(self.path("run.run.json"))).values()))["roofs"]


class Memory(Containers):
    def test_a_group_of_400_mb(self):
        with memory_group(400 * MIB) as folder:
            self.call_in(folder, "run", *TWO, "--n", "1K,4M,80M", "--time", "0.01", "--min-samples", "2",
                         "--max-samples", "2", "--csv", "run.csv")
        ends = self.ends()
        for sort in ("radix/naive", "std_sort/naive"):
            self.assertEqual([ends[sort, n]["status"] for n in (1024, 4 * MIB)], ["ok", "ok"])
            end = ends[sort, 80 * MIB]
            self.assertEqual(end["status"], "skipped")
            self.assertRegex(end["reason"], r"^needs \S+ GiB, 0\.3\d GiB are available: limit of the control group$")
        bandwidth = self.roofs().get("copy_bytes_per_s_all_threads")
        if bandwidth is not None:
            self.assertGreater(bandwidth, 1e8)
            self.assertLess(self.roofs()["copy_buffer_bytes"], 101 * MIB)

    def test_what_fits_just_so_is_not_killed(self):
        with memory_group(400 * MIB) as folder:
            self.call_in(folder, "run", "--filter", "cpu/std_sort/naive", "--n", "46M", "--dist", "sorted",
                         "--time", "0.01", "--min-samples", "1", "--max-samples", "1", "--csv", "run.csv")
        self.assertEqual(self.ends()["std_sort/naive", 46 * MIB]["status"], "ok")

    def test_verify_skips(self):
        line = r"^0 passed, 0 failed, 1 skipped: needs \S+ GiB, \S+ GiB are available{}$"
        one = ["verify", "--filter", "cpu/std_sort/naive", "--type", "u32", "--dist", "uniform", "--values", "keys"]
        for mode in ([], ["--in-process"]):
            done = self.call(*one, "--n", "1e12", *mode, expect=3)
            self.assertRegex(done.stdout, line.format(".*"))
        with memory_group(400 * MIB) as folder:
            done = self.call_in(folder, *one, "--n", "100M", expect=3)
            self.assertRegex(done.stdout, line.format(": limit of the control group"))

    def test_the_bandwidth_is_left_out_where_memory_is_short(self):
        with memory_group(40 * MIB) as folder:
            done = self.call_in(folder, "run", *TWO, *SMALL, "--csv", "run.csv")
        self.assertIn("the memory bandwidth is not measured", done.stderr)
        self.assertNotIn("copy_bytes_per_s_all_threads", self.roofs())
        self.assertEqual({end["status"] for end in self.ends().values()}, {"ok"})

    def test_doctor_tells_the_limit(self):
        with memory_group(400 * MIB) as folder:
            done = self.call_in(folder, "doctor")
        self.assertRegex(done.stdout, r"\nmemory .*, 0\.4 GiB are available: limit of the control group\n")

    def limited(self, limit, kib, *arguments, **options):
        return self.call_in(None, *arguments, before=lambda: resource.setrlimit(limit, (kib * 1024, kib * 1024)),
                            **options)

    def test_ulimit_v(self):
        self.limited(resource.RLIMIT_AS, 200000, "run", *TWO, "--n", "1K,1M,80M", "--time", "0.01", "--max-samples",
                     "5", "--threads", "1,2", "--csv", "run.csv")
        ends = self.ends()
        for sort in ("radix/naive", "std_sort/naive"):
            self.assertEqual([ends[sort, n]["status"] for n in (1024, MIB)], ["ok", "ok"])
            self.assertRegex(ends[sort, 80 * MIB]["reason"], r"^needs .* are available: ulimit -v$")

    def test_a_small_stack(self):
        self.limited(resource.RLIMIT_STACK, 64, "run", "--filter", "cpu/std_sort/naive", *SMALL, "--csv", "run.csv")
        self.assertEqual(self.ends()["std_sort/naive", 1024]["status"], "ok")


class NoProc(Containers):
    """As in a bare chroot."""
    def call_without_proc(self, *arguments, **options):
        hide = "mount -t tmpfs none /proc && exec \"$@\""
        return subprocess.run(["unshare", "-m", "sh", "-c", hide, "sh", *arguments], cwd=self.folder, capture_output=True,
                              text=True, timeout=100, check=False, **options)

    def setUp(self):
        super().setUp()
        if shutil.which("unshare") is None or self.call_without_proc("true").returncode != 0:
            self.skipTest("nothing can be mounted")

    def test_what_needs_no_worker_works(self):
        for command in ("list", "dists", "doctor"):
            done = self.call_without_proc(SORTLAB, command)
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_what_needs_one_says_so(self):
        done = self.call_without_proc(SORTLAB, "run", *TWO, *SMALL, "--csv", "run.csv")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr.splitlines()[-1],
                         "sortlab: cannot start the worker from /proc/self/exe: No such file or directory")


class Cpus(Containers):
    PARALLEL = ["run", "--filter", "cpu/radix/parallel", *SMALL, "--csv", "run.csv"]

    def test_a_quota(self):
        for quota, threads in ((0.5, 1), (1.5, 2)):
            if threads > len(os.sched_getaffinity(0)):
                continue
            with cpu_group(quota) as folder:
                done = self.call_in(folder, *self.PARALLEL)
                row = self.ends()["radix/parallel", 1024]
                self.assertEqual((row["threads"], row["cpu_quota"]), (str(threads), str(quota)))
                if threads < os.cpu_count():
                    words = rf"{threads} of {os.cpu_count()} CPUs may be used \((affinity mask: \S+, )?quota of the control group: {quota}\)"
                    self.assertRegex(done.stderr, words + r"; other processes keep \d\.\d of CPUs \S+ busy now(: expect noise)?\n")
                    self.assertRegex(self.call_in(folder, "doctor").stdout, "\nCPUs +" + words)
            os.remove(self.path("run.csv"))

    def test_an_affinity_mask(self):
        one = min(os.sched_getaffinity(0))
        if os.cpu_count() == 1:
            self.skipTest("there is one CPU")
        words = rf"1 of {os.cpu_count()} CPUs may be used \(affinity mask: {one}\)"
        pin = {"before": lambda: os.sched_setaffinity(0, {one})}
        self.assertRegex(self.call_in(None, *self.PARALLEL, **pin).stderr, words)
        self.assertRegex(self.call_in(None, "doctor", **pin).stdout, "\nCPUs +" + words)
        row = self.ends()["radix/parallel", 1024]
        self.assertEqual((row["threads"], row["cpu_list"]), ("1", str(one)))
        self.write("cached.csv", read_text(self.path("run.csv")))
        done = self.call_in(None, "recommend", "--n", "1K", "--results", "cached.csv", **pin)
        self.assertRegex(done.stderr, words)

    def as_another_user(self, *command, home="/nonexistent"):
        program = self.path("sortlab")
        if not os.path.exists(program):
            shutil.copy(SORTLAB, program)
            os.chmod(program, 0o755)
            os.chmod(self.folder, 0o777)
        environment = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")} | {"HOME": home}
        return subprocess.run([program, *command], cwd=self.folder, env=environment, user=65534, group=65534,
                              extra_groups=[], capture_output=True, text=True, timeout=100, check=False)

    @unittest.skipIf(os.geteuid() != 0, "only root can become another user")
    def test_another_users_home(self):
        """Containers with --user, su without a login: HOME is kept, and may not be read. Then it has no settings."""
        home = self.path("home")
        settings = os.path.join(home, ".config", "sortlab")
        os.makedirs(settings)
        self.write(os.path.join(settings, "tune.json"), "not to be read")
        for closed in (home, os.path.join(home, ".config"), settings, os.path.join(settings, "tune.json")):
            os.chmod(closed, 0o700)
            for command in (["list", "--filter", "cpu/radix/naive"],
                            ["run", "--filter", "cpu/auto/auto", "--n", "1K", "--time", "0.01"],
                            ["recommend", "--n", "1K", "--time", "0.1"], ["doctor"]):
                with self.subTest(closed=closed, command=command):
                    done = self.as_another_user(*command, home=home)
                    self.assertEqual(done.returncode, 0, done.stderr)
            os.chmod(closed, 0o755)

    @unittest.skipIf(os.geteuid() != 0, "only root can become another user")
    def test_another_users_results(self):
        quick = ("run", "--filter", "cpu/radix/naive", "--time", "0.01", "--max-samples", "5")
        for folder, of_folder, of_file, reason in (("closed", 0o755, 0o666, "Permission denied"),
                                                   ("sticky", 0o1777, 0o666, "only its owner can replace it"),
                                                   ("read_only", 0o777, 0o644, "Permission denied"),
                                                   ("private", 0o777, 0o600, "Permission denied")):
            os.mkdir(self.path(folder))
            path = os.path.join(folder, "run.csv")
            self.run_to_csv(*quick[1:], "--n", "1K", name=path)
            before = read_text(self.path(path))
            os.chmod(self.path(folder), of_folder)
            os.chmod(self.path(path), of_file)
            with self.subTest(folder=folder):
                done = self.as_another_user(*quick, "--n", "2K", "--csv", path)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertRegex(done.stderr, rf"^sortlab: {path}.*: .*{reason}[^\n]*\n$")
                self.assertEqual(read_text(self.path(path)), before)
                self.assertEqual([name for name in os.listdir(self.path(folder)) if "part" in name or "lock" in name], [])

    @unittest.skipIf(os.cpu_count() == 1, "there is one CPU")
    def test_the_load_of_others(self):
        one = min(os.sched_getaffinity(0))
        spins = [subprocess.Popen(["sh", "-c", "while :; do :; done"],
                                  preexec_fn=lambda: os.sched_setaffinity(0, {one}))]
        try:
            done = self.call_in(None, "doctor", before=lambda: os.sched_setaffinity(0, {one}))
        finally:
            for spin in spins:
                spin.kill()
                spin.wait()
        busy = re.search(rf"; other processes keep (\d\.\d) of CPUs {one} busy now", done.stdout)
        self.assertGreaterEqual(float(busy[1]), 0.5)


if __name__ == "__main__":
    unittest.main()
