#!/usr/bin/env python3
"""Puts the help of every command into docs/cli.md, and the names of the CSV's columns into plots/columns.txt.

    python3 plots/cli_page.py build/release/sortlab

The text of the page outside of the two markers is written by hand.
"""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

PAGE = Path(__file__).resolve().parent.parent / "docs" / "cli.md"
BEGIN = "<!-- commands: written by plots/cli_page.py -->\n"
END = "<!-- end of commands -->\n"
COLUMNS = Path(__file__).with_name("columns.txt")


def page_with_help(text, program):
    """The page with the current help between its markers."""
    before, rest = text.split(BEGIN)
    return before + BEGIN + commands(program) + END + rest.split(END)[1]


def commands(program):
    text = ""
    for command in printed_by(program, "complete", "").split():
        text += f"\n### sortlab {command}\n\n```text\n{printed_by(program, 'help', command)}```\n"
    return text


def columns(program):
    """The names in the header of the CSV, in lines."""
    header = printed_by(program, "run", "--filter", "cpu/std_sort/naive", "--n", "1", "--time", "0", "--csv", "-").splitlines()[0]
    return textwrap.fill(header.replace(",", " "), 120) + "\n"


def printed_by(program, *words):
    environment = {**os.environ, "COLUMNS": "100"}
    return subprocess.run([program, *words], capture_output=True, text=True, check=True, env=environment).stdout


def main(words):
    if len(words) != 1:
        sys.exit("usage: plots/cli_page.py build/release/sortlab")
    PAGE.write_text(page_with_help(PAGE.read_text(encoding="utf-8"), words[0]), encoding="utf-8")
    COLUMNS.write_text(columns(words[0]), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
