#!/usr/bin/env python3
"""Includes follow the flow: each room uses only itself and the rooms below it."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "plots"))
import rooms  # noqa: E402


class Arrows(unittest.TestCase):
    def test_every_source_file_has_a_room(self):
        for file in rooms.source_files(ROOT):
            self.assertIsNotNone(rooms.room_of(file), file)

    def test_no_include_against_the_flow(self):
        self.assertEqual(rooms.against_the_flow(ROOT), [])

    def test_an_include_against_the_flow_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for file, text in {"common/contract/a.hpp": '#include "tool/b.hpp"\n',
                               "tool/b.hpp": '#include "common/contract/a.hpp"\n',
                               "cpu/radix/c.cpp": '#include "cpu/radix/d.hpp"\n'}.items():
                (root / file).parent.mkdir(parents=True, exist_ok=True)
                (root / file).write_text(text)
            self.assertEqual(rooms.against_the_flow(root), [
                "common/contract/a.hpp includes tool/b.hpp: contract may not use tool",
                "cpu/radix/c.cpp includes cpu/radix/d.hpp, which is not there"])

    def test_rooms_use_each_other_in_one_direction(self):
        for room, used in rooms.USES.items():
            for other in used:
                self.assertNotIn(room, rooms.USES[other], f"{room} and {other} use each other")

    def test_top_folders_do_not_include_each_other(self):
        """But for the sort that is the library on a GPU, which is called as a sort of gpu/ is."""
        self.assertEqual(rooms.folders_both_ways(ROOT), {
            ("gpu", "library"): ["gpu/library/sort.cu includes library/include/sortlab/cuda.cuh"]})

    def test_the_page_shows_the_picture_of_today(self):
        self.assertEqual((ROOT / rooms.PAGE).read_text(), rooms.page_with_picture(ROOT),
                         "plots/rooms.py --write mends it")
        self.assertIn("  tool --> harness", rooms.mermaid(ROOT).splitlines())

    def test_the_tool_casts_no_pointers(self):
        """cmake/sanitizers.cmake leaves out the check of their alignment."""
        for file in rooms.source_files(ROOT):
            if rooms.room_of(file) in ("choose", "tool"):
                self.assertNotRegex((ROOT / file).read_text(), r"reinterpret_cast|static_cast<[^<>]*\*>", file)

    def test_the_contract_needs_no_library(self):
        for file in rooms.source_files(ROOT):
            if rooms.room_of(file) != "contract":
                continue
            found = re.findall(r"#include <(fmt/|nlohmann/|CLI/|cuda|benchmark/)", (ROOT / file).read_text())
            self.assertEqual(found, [], file)


class FilesToOpen(unittest.TestCase):
    """Upper bounds: whoever makes a number smaller lowers its bound."""

    def test_a_reader_of_a_sort_opens_few_files(self):
        most = {"gpu/radix/msd_hybrid.cu": (24, 3530), "gpu/radix/top_sweep.cu": (24, 3700),
                "gpu/radix/small.cu": (23, 4270), "gpu/merge/multiway.cu": (23, 3670),
                "cpu/radix/simd.cpp": (21, 2730), "cpu/radix/pairs.cpp": (13, 2510), "cpu/quick/simd.cpp": (20, 2680)}
        for sort in rooms.SORTS:
            opened = rooms.opened_for(ROOT, sort)
            self.assertLessEqual(len(opened), most[sort][0], sort)
            self.assertLessEqual(sum(rooms.lines_of(ROOT, file) for file in opened), most[sort][1], sort)

    def test_few_headers_have_one_includer_and_few_files_are_small(self):
        self.assertLessEqual(len(rooms.with_one_includer(ROOT)), 40)
        self.assertLessEqual(len(rooms.small_files(ROOT)), 24)

    def test_what_is_counted(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for file, text in {"cpu/radix/simd.cpp": '#include "cpu/a.hpp"\n#include "common/contract/known.hpp"\n',
                               "cpu/radix/simd/keys.cpp": '#include "cpu/b.hpp"\n#define SORTLAB_KERNELS "cpu/d.inl.hpp"\n',
                               "cpu/d.inl.hpp": "//\n" * 30,
                               "cpu/a.hpp": '#include "cpu/b.hpp"\n#include <vector>\n' + "//\n" * 30,
                               "cpu/b.hpp": "//\n", "cpu/c.hpp": "//\n", "common/contract/known.hpp": "//\n",
                               "tests/cpu/c_test.cpp": '#include "cpu/c.hpp"\n'}.items():
                (root / file).parent.mkdir(parents=True, exist_ok=True)
                (root / file).write_text(text)
            self.assertEqual(rooms.opened_for(root, "cpu/radix/simd.cpp"),
                             {"cpu/radix/simd.cpp", "cpu/radix/simd/keys.cpp", "cpu/a.hpp", "cpu/b.hpp", "cpu/d.inl.hpp"})
            self.assertEqual(rooms.with_one_includer(root), ["common/contract/known.hpp", "cpu/a.hpp", "cpu/c.hpp"])
            self.assertNotIn("cpu/a.hpp", rooms.small_files(root))
            self.assertIn("cpu/b.hpp", rooms.small_files(root))


def gpu_faults(includes):
    """A line for each pair (file, included file) below gpu/ that breaks a rule of its folders: a primitive
    uses none of a higher level, and the folder of a rung is used by that rung alone."""
    levels = ["thread", "warp", "block", "grid"]
    borrowers = {"gpu/auto/auto_sort.cuh": "gpu/merge/multiway",  # for a user's own comparison
                 "library/include/sortlab/detail/cuda/item_sort.cuh": "gpu/merge/multiway",
                 "library/cuda/rungs.cu": "gpu/radix/small",  # it leaves its input as it is
                 "library/cuda/rows/by_block.cuh": "gpu/radix/small",  # a row is what a block of small sorts
                 "gpu/segments/by_class/blocks.cuh": "gpu/radix/small",  # and so is a segment
                 "gpu/segments/by_class/slots.cuh": "gpu/radix/small",  # the range of a warp's keys
                 "gpu/topk/select.cu": "gpu/radix/small",  # many of a row are sorted in one launch
                 "gpu/topk/tournament/finish.cuh": "gpu/radix/small"}  # fewer by a block
    faults = []
    for file, target in includes:
        source, used = file.split("/"), target.split("/")
        if used[0] != "gpu" or len(used) < 4:
            continue
        if used[1] != "primitives":
            rung = "/".join(used[:3])
            if not file.startswith((rung + "/", rung + ".")) and borrowers.get(file) != rung:
                faults.append(f"{file} includes {target}, which is {rung}'s own")
        elif source[1] == "primitives" and source[2] in levels and used[2] in levels:
            if levels.index(source[2]) < levels.index(used[2]):
                faults.append(f"{file} includes {target}, which is of a higher level")
    return faults


class GpuFolders(unittest.TestCase):
    def test_rungs_and_levels_keep_to_themselves(self):
        self.assertEqual(gpu_faults((file, target) for file, target, _, _ in rooms.includes(ROOT)), [])

    def test_what_does_not_is_found(self):
        self.assertEqual(gpu_faults([
            ("gpu/radix/onesweep.cu", "gpu/radix/small/team.cuh"),
            ("gpu/radix/small/team.cuh", "gpu/radix/small/block.cuh"),
            ("gpu/primitives/warp/lanes.cuh", "gpu/primitives/block/tile.cuh"),
            ("gpu/primitives/block/tile.cuh", "gpu/primitives/warp/lanes.cuh")]), [
                "gpu/radix/onesweep.cu includes gpu/radix/small/team.cuh, which is gpu/radix/small's own",
                "gpu/primitives/warp/lanes.cuh includes gpu/primitives/block/tile.cuh, which is of a higher level"])


class PastedFiles(unittest.TestCase):
    """An editor's language server opens a file alone, also one that is pasted into several namespaces (*.inl.hpp)."""

    def errors_of(self, text):
        with tempfile.NamedTemporaryFile("w", suffix=".hpp") as file:
            file.write(text)
            file.flush()
            return subprocess.run(["g++", "-std=c++20", "-fopenmp", "-fsyntax-only", "-I", ROOT, "-I", ROOT / "include", "-I", ROOT / "library/include", "-x", "c++-header",
                                   file.name], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout

    @unittest.skipUnless(os.environ.get("SORTLAB_MATRIX") == "full" and shutil.which("g++"), "only with --full, and with g++")
    def test_each_opens_alone(self):
        self.assertIn("error", self.errors_of("template <class K> struct S { Missing<K> lanes; };\n"))
        for path in sorted((ROOT / "cpu").rglob("*.inl.hpp")):
            with self.subTest(path=path.relative_to(ROOT)):
                self.assertEqual(self.errors_of(f'#include "{path}"\n'), "")


if __name__ == "__main__":
    unittest.main()
