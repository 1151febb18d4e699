#!/usr/bin/env python3
"""docs/cli.md has the current help, and names every field of the JSON that commands print."""

import json
import os
import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "plots"))
import cli_page  # noqa: E402

SORTLAB = os.path.join(os.environ["SORTLAB_BIN"], "sortlab")


class Page(unittest.TestCase):
    def test_it_holds_the_help_of_today(self):
        page = cli_page.PAGE.read_text(encoding="utf-8")
        self.assertEqual(page, cli_page.page_with_help(page, SORTLAB), "plots/cli_page.py mends it")
        for command in ("run", "compare", "recommend", "help"):
            self.assertIn(f"\nUsage: sortlab {command}", page)

    def test_it_names_the_fields_of_the_json(self):
        page = set(re.findall(r"`([a-z0-9_]+)`", cli_page.PAGE.read_text(encoding="utf-8")))
        for words in (["doctor"], ["show", "cpu/radix/naive"],
                      ["run", "--filter", "cpu/radix/naive", "--n", "1K", "--time", "0", "--min-samples", "2"]):
            done = subprocess.run([SORTLAB, *words, "--format", "json"], capture_output=True, text=True, check=True)
            answer = json.loads(done.stdout)
            self.assertEqual((answer["command"], answer["schema"]), (words[0], 1))
            own = set(answer)
            if words[0] == "run":
                own |= set(answer["contests"][0]) | {key for key, value in answer["rows"][0].items()
                                                     if isinstance(value, (bool, float, list))}
            if words[0] == "doctor":
                own |= set(answer["findings"][0])
            self.assertLessEqual(own, page)


if __name__ == "__main__":
    unittest.main()
