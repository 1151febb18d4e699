#!/usr/bin/env python3
"""How many mechanisms do the same, and how much code there is, in revisions side by side.

    plots/effort.py [REVISION...]    prints a table with a column per revision (default: HEAD)
"""

import io
import pathlib
import re
import subprocess
import sys
import tarfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
C_ENDINGS = {".cpp", ".hpp", ".cu", ".cuh", ".h", ".c", ".in", ".js"}
SCRIPT_ENDINGS = {".py", ".sh", ".cmake", ".txt"}
FOLDERS = ("bench", "cmake", "common", "cpu", "examples", "gpu", "include", "library", "peers", "plots", "tool")
# What is counted: where a pattern occurs in the code of common/, once per file and place.
COUNTED = {
    "macros that register": r"#\s*define\s+SORTLAB_REGISTER\w*\(",
    "sorting functions of an Instance": r"^  \w*SortFunction \w+(?: = nullptr)?;(?=(?:(?!^\};)[\s\S])*\};\n\nstruct Variant)",
    "comparisons of a result with its input": r"(?:fingerprint\b.*|\ball) == expected\b|\bbefore == after\b",
    "loops that measure until a stop rule": r"\brule\.after\(",
}


def files_of(revision):
    """Path and text of each source file of a revision."""
    there = subprocess.run(["git", "ls-tree", "--name-only", revision, "CMakeLists.txt", *FOLDERS], cwd=ROOT, capture_output=True,
                           check=True, text=True).stdout.split()
    archive = subprocess.run(["git", "archive", revision, "--", *there], cwd=ROOT, capture_output=True, check=True).stdout
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        for member in tar:
            path = pathlib.PurePath(member.name)
            if member.isfile() and path.suffix in C_ENDINGS | SCRIPT_ENDINGS:
                yield path, tar.extractfile(member).read().decode()


def code_of(path, text):
    """The text without comments."""
    if path.suffix in C_ENDINGS:
        return re.sub(r'("(?:\\.|[^"\\\n])*")|//[^\n]*|/\*.*?\*/', lambda found: found[1] or "", text, flags=re.S)
    text = re.sub(r'^\s*""".*?"""', "", text, flags=re.S | re.M)
    return re.sub(r"^\s*#.*", "", text, flags=re.M)


def counts_of(revision):
    counts = dict.fromkeys([*COUNTED, "lines of code"], 0)
    for path, text in files_of(revision):
        code = code_of(path, text)
        counts["lines of code"] += sum(1 for line in code.splitlines() if line.strip())
        if path.parts[0] in ("common", "tool"):
            for name, pattern in COUNTED.items():
                counts[name] += len(re.findall(pattern, code, flags=re.M))
    return counts


def main():
    revisions = sys.argv[1:] or ["HEAD"]
    columns = [counts_of(revision) for revision in revisions]
    print("| | " + " | ".join(revisions) + " |")
    print("|---" * (len(revisions) + 1) + "|")
    for name in columns[0]:
        print(f"| {name} | " + " | ".join(str(column[name]) for column in columns) + " |")


if __name__ == "__main__":
    main()
