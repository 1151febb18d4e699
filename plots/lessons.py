"""Checks that the lessons of docs/ladders/ quote the program's real output and the real sources.

    python3 plots/lessons.py SORTLAB             writes outputs and pictures into the documents
    python3 plots/lessons.py SORTLAB --check     exit code 1 and a line for each difference

In a block `console` the line `$ sortlab ...` is a command, which may go through grep or head, and the other lines are its
output. A block `cpp` begins with the name of a file, from which the other lines are; `// ...` stands for lines left out.
A factor in the text, "1.73x", must be in one of the page's outputs.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from packed import ROOT

LESSONS = ROOT / "docs" / "ladders"
PICTURES = ROOT / "docs" / "pictures"
TRACED = ("bitonic", "merge", "quick", "radix")
CONSOLE = re.compile(r"(?<=^```console\n)\$ (.+)\n((?:(?!```).*\n)*)(?=```$)", re.MULTILINE)
QUOTE = re.compile(r"^```cpp\n// (\S+)\n((?:(?!```).*\n)+)```$", re.MULTILINE)
BLOCK = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
FACTOR = re.compile(r"\b\d+(?:\.\d+)?x\b")


def output_of(command, sortlab):
    """The output of a shell command, without trailing spaces."""
    environment = os.environ | {"PATH": f"{Path(sortlab).parent}:{os.environ['PATH']}", "COLUMNS": "100", "NO_COLOR": "1"}
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, env=environment, cwd=folder, timeout=300)
    if done.stderr:
        raise RuntimeError(f"{command}: {done.stderr.strip()}")
    return "".join(line.rstrip() + "\n" for line in done.stdout.splitlines())


def renewed(text, sortlab):
    return CONSOLE.sub(lambda match: f"$ {match[1]}\n{output_of(match[1], sortlab)}", text)


def missing_lines(file, quoted):
    """The quoted lines that are not in the file, in their order."""
    lines = [line.strip() for line in file.read_text(encoding="utf-8").splitlines()] if file.is_file() else []
    missing, at = [], 0
    for line in filter(None, map(str.strip, quoted.splitlines())):
        if line == "// ...":
            continue
        if line in lines[at:]:
            at = lines.index(line, at) + 1
        else:
            missing.append(line)
    return missing


def untrue_quotes(text):
    return [f"{match[1]} has no line (any more, or here): {line}" for match in QUOTE.finditer(text)
            for line in missing_lines(ROOT / match[1], match[2])]


def unknown_factors(text):
    """Factors of the prose that are in no output on the page."""
    outputs = " ".join(match[2] for match in CONSOLE.finditer(text))
    return sorted(set(FACTOR.findall(BLOCK.sub("", text))) - set(FACTOR.findall(outputs)))


def pictures(sortlab):
    """The animated picture of each algorithm, by its file."""
    drawn = {}
    with tempfile.TemporaryDirectory() as folder:
        for algorithm in TRACED:
            file = Path(folder) / "trace.svg"
            subprocess.run([sortlab, "trace", f"cpu/{algorithm}", "-o", file], check=True, capture_output=True, timeout=300)
            drawn[PICTURES / f"trace_{algorithm}.svg"] = file.read_text(encoding="utf-8")
    return drawn


def faults(page, sortlab):
    text = page.read_text(encoding="utf-8")
    found = untrue_quotes(text) + [f"no output shows {factor}" for factor in unknown_factors(text)]
    found += [f"another output: {match[1]}" for match in CONSOLE.finditer(text) if output_of(match[1], sortlab) != match[2]]
    return [f"{page.name}: {fault}" for fault in found]


def main(arguments):
    if len(arguments) not in (1, 2) or arguments[1:] not in ([], ["--check"]):
        print("lessons: SORTLAB [--check]", file=sys.stderr)
        return 2
    sortlab, pages = os.path.abspath(arguments[0]), sorted(LESSONS.glob("*.md"))
    if arguments[1:] == ["--check"]:
        found = [fault for page in pages for fault in faults(page, sortlab)]
        found += [f"{file.name}: another picture" for file, svg in pictures(sortlab).items()
                  if not file.exists() or file.read_text(encoding="utf-8") != svg]
        for fault in found:
            print(f"lessons: {fault}")
        return 1 if found else 0
    for page in pages:
        page.write_text(renewed(page.read_text(encoding="utf-8"), sortlab), encoding="utf-8")
    for file, svg in pictures(sortlab).items():
        file.write_text(svg, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
