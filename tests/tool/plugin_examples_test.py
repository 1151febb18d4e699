"""The plug-ins that users read first, built by the commands of the documents: examples/plugin_*, and the one in
docs/your-own-sort.md."""

import json
import os
import re
import shutil
import subprocess
import unittest
from pathlib import Path

from cli_test import BIN, SMALL, CommandLine, ends_configuration, read_text, table

ROOT = Path(__file__).resolve().parent.parent.parent


def compiler(name):
    return unittest.skipUnless(shutil.which(name), f"there is no {name}")


class Examples(CommandLine):
    def build(self, *command):
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr, "")

    def sorts(self, library, *filters):
        rows = self.run_to_csv("--plugin", library, "--filter", ",".join(filters), *SMALL)
        return {row["variant"]: row for row in rows if ends_configuration(row)}

    @compiler("cc")
    def test_cpu(self):
        self.build("cc", "-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-O2", "-shared", "-fPIC", "-I",
                   ROOT / "include", ROOT / "examples/plugin_cpu/shell_sort.c", "-o", "lib.so")
        text = self.call("verify", "--plugin", "lib.so", "--filter", "plugin/*", "--type", "u32",
                         "--values", "keys").stdout
        self.assertRegex(text, r"^[1-9]\d+ passed, 0 failed, 0 skipped")
        self.assertEqual(self.sorts("lib.so", "plugin/*")["plugin/mine/shell_sort"]["status"], "ok")

    @compiler("c++")
    def test_threads(self):
        self.build("c++", "-std=c++20", "-Wall", "-Wextra", "-Werror", "-O2", "-shared", "-fPIC", "-pthread", "-I",
                   ROOT / "include", ROOT / "examples/plugin_threads/merge_sort.cpp", "-o", "lib.so")
        text = self.call("verify", "--plugin", "lib.so", "--filter", "plugin/*", "--type", "u32,u64,f32,f64",
                         "--threads", "1,2,3", "--n", "0,1,2,3,1000").stdout
        self.assertRegex(text, r"^[1-9]\d+ passed, 0 failed, \d+ skipped: does not order -0")
        self.assertEqual(self.sorts("lib.so", "plugin/*")["plugin/example_threads/merge_sort"]["status"], "ok")

    @compiler("c++")
    @compiler("cmake")
    def test_threads_with_cmake(self):
        self.build("cmake", "-S", ROOT / "examples/plugin_threads", "-B", "build", "-G", "Ninja")
        self.build("cmake", "--build", "build")
        self.assertEqual(len(self.sorts("build/libmerge_sort.so", "plugin/*")), 1)

    @compiler("cc")
    @compiler("cmake")
    def test_cpu_with_cmake(self):
        self.build("cmake", "-S", ROOT / "examples/plugin_cpu", "-B", "build", "-G", "Ninja")
        self.build("cmake", "--build", "build")
        self.assertEqual(len(self.sorts("build/libshell_sort.so", "plugin/*")), 1)

    @compiler("cc")
    @compiler("cmake")
    def test_with_the_installed_header(self):
        self.build("cmake", "--install", Path(BIN), "--prefix", self.path("there"))
        self.build("cc", "-shared", "-fPIC", "-I", "there/include", ROOT / "examples/plugin_cpu/shell_sort.c",
                   "-o", "lib.so")
        self.call("list", "--plugin", "lib.so", program=self.path("there/bin/sortlab"))

    @compiler("nvcc")
    def test_gpu(self):
        arch = "native" if shutil.which("nvidia-smi") else "sm_90"
        self.build("nvcc", "-O3", f"-arch={arch}", "-shared", "-Xcompiler", "-fPIC,-Wall,-Wextra", "-I",
                   ROOT / "include", ROOT / "examples/plugin_gpu/bitonic_flip.cu", "-o", "lib.so")
        listed = json.loads(self.call("list", "--format", "json", "--plugin", "lib.so", "--filter", "plugin/*").stdout)
        self.assertEqual([(v["id"], v["memory"]) for v in listed],
                         [("plugin/example_gpu/bitonic_flip", "device")])
        row = self.sorts("lib.so", "plugin/*", "cpu/std_sort/naive")["plugin/example_gpu/bitonic_flip"]
        self.assertEqual((row["threads"], row["isa"], row["lib_version"]), ("0", "", "1.0"))
        if row["status"] == "skipped":
            self.assertRegex(row["reason"], "CUDA|GPU|driver|device")
            text = self.call("verify", "--plugin", "lib.so", "--filter", "plugin/*", "--n", "1000", expect=3).stdout
            self.assertRegex(text, rf"^0 passed, 0 failed, \d+ skipped: {re.escape(row['reason'])}\n$")
            self.skipTest(f"can't be run, only built, loaded and listed: {row['reason']}")
        self.assertEqual(row["status"], "ok")
        text = self.call("verify", "--plugin", "lib.so", "--filter", "plugin/*", "--type", "u32,u64",
                         "--values", "keys").stdout
        self.assertRegex(text, r"^[1-9]\d+ passed, 0 failed, 0 skipped")

    @compiler("cc")
    def test_a_plugin_written_from_the_page(self):
        """Runs the commands of the section unchanged."""
        section = read_text(ROOT / "docs" / "your-own-sort.md").split("## In two minutes\n")[1].split("\n## ", 1)[0]
        code = re.search(r"```c\n(.*?)```", section, re.DOTALL)[1]
        self.assertLessEqual(len(code.splitlines()), 30)
        self.write("mysort.c", code)
        commands = re.search(r"```sh\n(.*?)```", section, re.DOTALL)[1]
        done = subprocess.run(
            ["bash", "-e", "-c", commands], cwd=self.folder, capture_output=True, text=True, timeout=600,
            env={**os.environ, "SORTLAB": str(ROOT), "PATH": f"{BIN}:{os.environ['PATH']}"})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"[1-9]\d+ passed, 0 failed")
        rows = table(read_text(self.path("mine.csv")))
        mine = [row for row in rows if row["variant"] == "plugin/mine/my_sort"]
        self.assertTrue(mine)
        self.assertEqual({row["status"] for row in rows}, {"ok"})


if __name__ == "__main__":
    unittest.main()
