#!/usr/bin/env python3
"""Sorts pass on keys from every source. docs/inputs.md agrees with the program: the names, the shapes, and the
measurements of `--matrix real`."""

import collections
import csv
import io
import json
import os
import pathlib
import re
import struct
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SORTLAB = os.path.join(os.environ["SORTLAB_BIN"], "sortlab")


def call(*arguments):
    return subprocess.run([SORTLAB, *arguments], capture_output=True, text=True, check=False)


def real_inputs():
    """{name: the line that says who has such keys}, as `sortlab dists` prints them."""
    second_part = call("dists").stdout.split("Keys of programs", 1)[1]
    return dict(re.findall(r"^(\S+) +\S.*\n {13}(\S.*)$", second_part, re.MULTILINE))


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.page = (ROOT / "docs" / "inputs.md").read_text(encoding="utf-8")

    def test_names_every_real_input(self):
        section = self.page.split("## Keys of programs\n", 1)[1].split("\n## ", 1)[0]
        rows = re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)
        self.assertEqual(rows, list(real_inputs()))

    def test_shows_the_shapes_of_today(self):
        shown = re.search(r"^\$ sortlab (dists --shape .*)\n((?:.*\n)+?)```", self.page, re.MULTILINE)
        self.assertEqual(call(*shown[1].split()).stdout, shown[2], "paste what the command prints")

    def test_flags_without_shape_are_refused(self):
        done = call("dists", "--n", "1K")
        self.assertEqual((done.returncode, done.stderr), (2, "sortlab: --n goes with --shape\n"))


class EverySource(unittest.TestCase):
    """A verdict assumes of values that they number the items, wherever the keys come from. Each of these keys comes
    twice, so that a stable sort fails if its values do not number the items."""

    STABLE = "cpu/merge/naive,cpu/radix/optimized,cpu/auto/auto"
    UNSTABLE = "cpu/quick/naive,cpu/std_sort/naive"

    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())
        keys = [i * 7919 % 300 for i in range(600)]
        files = {
            "text.txt": "".join(f"{key}\n" for key in keys).encode(),
            "sosd.bin": struct.pack(f"<Q{len(keys)}I", len(keys), *keys),
            "raw.raw": struct.pack(f"<{len(keys)}I", *keys),
        }
        for name, content in files.items():
            pathlib.Path(self.folder, name).write_bytes(content)
        self.sources = {name: ["--input", os.path.join(self.folder, name), "--type", "u32"] for name in files}
        self.sources |= {dist: ["--dist", dist, "--n", "600", "--type", "u32"] for dist in ("zipf:1.0", "rootdups")}

    def rows(self, *arguments):
        done = call("run", *arguments, "--max-samples", "2", "--min-samples", "1", "--time", "0.001", "--csv", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        return list(csv.DictReader(io.StringIO(done.stdout)))

    def test_passes(self):
        for source, flags in self.sources.items():
            for sorts in (self.STABLE, self.UNSTABLE):
                for more in ([], ["--pairs"], ["--pairs", "--order", "desc"], ["--pairs", "--load", "1"]):
                    with self.subTest(source=source, sorts=sorts, more=more):
                        rows = self.rows(*flags, "--filter", sorts, "--threads", "2", *more)
                        self.assertEqual({row["reason"] for row in rows if row["status"] != "ok"}, set())
                        self.assertEqual({row["variant"] for row in rows}, set(sorts.split(",")))
                        self.assertEqual({row["stable_ok"] for row in rows},
                                         {"1"} if more and sorts == self.STABLE else {""})

    def test_is_recommended_for(self):
        for source in ("text.txt", "sosd.bin"):
            with self.subTest(source):
                done = call("recommend", *self.sources[source], "--pairs", "--stable", "--time", "1")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertNotIn("failed", done.stderr)


class MatrixReal(unittest.TestCase):
    def test_takes_each_input_as_its_programs_have_it(self):
        measured = collections.defaultdict(set)
        for line in call("run", "--matrix", "real", "--dry-run", "--filter", "cpu/auto/auto").stdout.splitlines():
            kind, dist, n = re.match(r"cpu/auto/auto/(\S+?)/asc/([\w:.]+)/n:(\d+)/", line).groups()
            measured[dist].add((kind, int(n)))
        for name, usage in real_inputs().items():
            types, values, count, unit = re.search(r"; ([\w, ]+?)( with.*)?, (\d+)([KM])$", usage).groups()
            kinds = set()
            for key_type in types.split(", "):
                if values != " with values":
                    kinds.add(key_type)
                if values:
                    kinds.add(key_type + "+u32")
            typical = int(count) << {"K": 10, "M": 20}[unit]
            self.assertEqual(measured[name], {(kind, n) for kind in kinds for n in (typical, 512 << 10)}, name)
        self.assertEqual(set(measured) - set(real_inputs()), {"p5", "zipf:1.0", "nearly"})

    def test_adds_plugins(self):
        plugin = os.path.join(os.environ["SORTLAB_PLUGINS"], "plugin_good.so")
        done = call("run", "--matrix", "real", "--dry-run", "--plugin", plugin)
        self.assertIn("plugin/good/", done.stdout)
        self.assertIn("cpu/baselines/", done.stdout)


class MatrixGrid(unittest.TestCase):
    """The grid leaves no cell out: each kind of keys in each type, keys and pairs, at each n of its part."""

    PLUGINS = ("x86_simd_sort/qsort_openmp", "ips4o/parallel", "ips2ra/parallel", "parlay/integer_sort")
    NO_GPU = {**os.environ, "CUDA_VISIBLE_DEVICES": ""}

    def planned(self, *arguments):
        done = subprocess.run([SORTLAB, "run", "--matrix", "grid", "--dry-run", *arguments], capture_output=True, text=True,
                              env=self.NO_GPU, check=True)
        line = re.compile(r"^(\w+/\w+/\w+)/(\S+?)/asc/([\w:.]+)/n:(\d+)/\S*?threads:(\d+)", re.MULTILINE)
        return line.findall(done.stdout), done.stderr

    def test_has_every_cell(self):
        auto, = json.loads(call("list", "--format", "json", "--filter", "cpu/auto/auto").stdout)
        kinds = {*auto["key_types"], *auto["pair_types"]}
        for part, sizes in (("threads", ("100003", "1000003", "8000009")), ("one-thread", ("100003", "1000003"))):
            planned, _ = self.planned("--part", part)
            cells = {cell[1:4] for cell in planned if cell[0] == "cpu/auto/auto"}
            self.assertEqual(cells, {(kind, dist, n) for kind in kinds for dist in ("uniform", *real_inputs()) for n in sizes}, part)
            own = {cell[0] for cell in planned}
            self.assertLessEqual({"cpu/radix/simd", "cpu/quick/simd", "cpu/radix/pairs"}, own)
            self.assertEqual({cell[4] for cell in planned} - {"1"} == set(), part == "one-thread" or os.cpu_count() == 1)

    def test_the_part_of_the_gpu_has_the_same_cells(self):
        runs = json.loads((ROOT / "bench" / "grid.json").read_text(encoding="utf-8"))["runs"]
        self.assertEqual({(run["dist"][0], run["type"][0]) for run in runs}, {("uniform,@real", "u32,i32,f32,u64,i64,f64")})
        on_gpu = [run for run in runs if run["part"] == "gpu"]
        self.assertEqual([run["values"] for run in on_gpu], [["keys"], ["pairs"]])
        for run in on_gpu:
            self.assertEqual((run["needs_gpu"], run["n"]), (True, "1100009,4300007,16777217"))
            self.assertLessEqual({"gpu/baselines/cub_radix_int", "plugin/cub/radix", "plugin/libcusort/radix"}, set(run["filter"]))
        self.assertIn("gpu/auto/*", on_gpu[1]["filter"], "gpu/auto/stable, too")

    def test_names_the_rivals_that_are_missing(self):
        _, said = self.planned("--part", "threads")
        self.assertEqual(said.count("\n"), 1)
        for name in self.PLUGINS:
            self.assertIn(f"plugin/{name}", said)
        self.assertIn("matrix grid: incomplete, without ", said)


if __name__ == "__main__":
    unittest.main()
