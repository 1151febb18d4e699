#!/usr/bin/env python3
"""Puts the help of every command into docs/cli.md: python3 plots/cli_page.py build/release/sortlab

The text outside of the two markers is written by hand.
"""

import os
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).resolve().parent.parent / "docs" / "cli.md"
BEGIN = "<!-- commands: written by plots/cli_page.py -->\n"
END = "<!-- end of commands -->\n"


def page_with_help(text, program):
    """The page with the current help between its markers."""
    before, rest = text.split(BEGIN)
    return before + BEGIN + commands(program) + END + rest.split(END)[1]


def commands(program):
    text = ""
    for command in printed_by(program, "complete", "").split():
        text += f"\n### sortlab {command}\n\n```text\n{printed_by(program, 'help', command)}```\n"
    return text


def printed_by(program, *words):
    environment = {**os.environ, "COLUMNS": "100"}
    return subprocess.run([program, *words], capture_output=True, text=True, check=True, env=environment).stdout


def main(words):
    if len(words) != 1:
        sys.exit("usage: plots/cli_page.py build/release/sortlab")
    PAGE.write_text(page_with_help(PAGE.read_text(encoding="utf-8"), words[0]), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
