#!/usr/bin/env python3
"""Includes follow the flow: each room uses only itself and the rooms below it."""

import pathlib
import re
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
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
            for file, text in {"common/contract/a.hpp": '#include "common/tool/b.hpp"\n',
                               "common/tool/b.hpp": '#include "common/contract/a.hpp"\n',
                               "cpu/radix/c.cpp": '#include "cpu/radix/d.hpp"\n'}.items():
                (root / file).parent.mkdir(parents=True, exist_ok=True)
                (root / file).write_text(text)
            self.assertEqual(rooms.against_the_flow(root), [
                "common/contract/a.hpp includes common/tool/b.hpp: contract may not use tool",
                "cpu/radix/c.cpp includes cpu/radix/d.hpp, which is not there"])

    def test_rooms_use_each_other_in_one_direction(self):
        for room, used in rooms.USES.items():
            for other in used:
                self.assertNotIn(room, rooms.USES[other], f"{room} and {other} use each other")

    def test_the_contract_needs_no_library(self):
        for file in rooms.source_files(ROOT):
            if rooms.room_of(file) != "contract":
                continue
            found = re.findall(r"#include <(fmt/|nlohmann/|CLI/|cuda|benchmark/)", (ROOT / file).read_text())
            self.assertEqual(found, [], file)


if __name__ == "__main__":
    unittest.main()
