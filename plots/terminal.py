"""Draws a picture of a command's output: python plots/terminal.py OUT.svg COMMAND [ARGS...].

It runs the command and keeps its output lines unchanged. Only the first line, the command, is shown without the folder
of the program. The picture is a terminal with text only, a few KB, without an embedded font; it is light or dark like
the reader's screen. --typed TEXT replaces the first line, for output that was saved elsewhere and is shown by cat.
--lines 3..9 keeps those lines of many (the first is 1); each gap becomes a line with three dots. Exit code 2, with one
line, if there is no such program or it printed nothing. Otherwise 0, even if the command's own exit code is another
one, because some commands return their result with it.
"""

import argparse
import os
import shlex
import subprocess
import sys
from html import escape
from pathlib import Path

SIZE = 13  # of the font, in pixels
ADVANCE = 0.602 * SIZE  # of a letter, in most fixed fonts
LEADING = 1.4 * SIZE
MARGIN = 14
MOST_LINES = 100
GAP = "  ..."

STYLE = f"""
  .page {{ fill: #f6f8fa; stroke: #d0d7de; }}
  text {{ font: {SIZE}px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; fill: #1f2328; white-space: pre; }}
  text:first-of-type {{ font-weight: bold; }}
  @media (prefers-color-scheme: dark) {{
    .page {{ fill: #161b22; stroke: #30363d; }}
    text {{ fill: #e6edf3; }}
  }}
"""


def main(arguments=None):
    parser = argparse.ArgumentParser(description="Draw what a command prints, as SVG.")
    parser.add_argument("--lines", metavar="A..B", action="append", default=[], help="only these; repeatable")
    parser.add_argument("--typed", metavar="TEXT", help="shown in place of COMMAND")
    parser.add_argument("picture", metavar="OUT.svg")
    parser.add_argument("command", metavar="COMMAND", nargs=argparse.REMAINDER)
    options = parser.parse_args(arguments)
    try:
        ranges = [tuple(map(int, text.split(".."))) for text in options.lines]
        lines = chosen(printed_by(options.command), ranges)
    except (OSError, ValueError) as error:
        print(f"terminal: {shlex.join(options.command)}: {error}", file=sys.stderr)
        return 2
    picture = Path(options.picture)
    picture.parent.mkdir(parents=True, exist_ok=True)
    picture.write_text(svg("$ " + (options.typed or as_typed(options.command)), lines), encoding="utf-8")
    print(picture)
    return 0


def printed_by(command):
    if not command:
        raise ValueError("no command given")
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    lines = done.stdout.strip("\n").splitlines()
    if not lines:
        raise ValueError(f"it printed nothing, and ended with {done.returncode}")
    return lines


def chosen(lines, ranges):
    """The lines of the ranges (first and last, from 1), or all lines without ranges; gaps are marked."""
    ranges = ranges or [(1, min(len(lines), MOST_LINES))]
    kept, last = [], 0
    for begin, end in ranges:
        if begin > last + 1:
            kept.append(GAP)
        kept += lines[begin - 1:end]
        last = end
    return kept + ([GAP] if last < len(lines) else [])


def as_typed(command):
    return " ".join([os.path.basename(command[0]), *map(_quoted, command[1:])])


def _quoted(word):
    return word if all(c.isalnum() or c in "_@%+=:,./-^" for c in word) else f"'{word}'"


def svg(typed, lines):
    """Every line has its width set, so that columns stay aligned in any font."""
    columns = max(map(len, [typed, *lines]))
    width, height = columns * ADVANCE + 2 * MARGIN, (len(lines) + 1) * LEADING + 2 * MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" role="img" aria-label="{escape(typed[2:])}">',
        f"<style>{STYLE}</style>",
        f'<rect class="page" x="0.5" y="0.5" width="{width - 1:.0f}" height="{height - 1:.0f}" rx="6"/>',
    ]
    for row, line in enumerate([typed, *lines]):
        text = line.strip()
        if text:
            x = MARGIN + (len(line) - len(line.lstrip())) * ADVANCE
            parts.append(
                f'<text x="{x:.1f}" y="{MARGIN + (row + 0.75) * LEADING:.1f}" textLength="{len(text) * ADVANCE:.1f}"'
                f' xml:space="preserve">{escape(text)}</text>')
    return "\n".join([*parts, "</svg>", ""])


if __name__ == "__main__":
    sys.exit(main())
