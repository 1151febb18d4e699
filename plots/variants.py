"""The suite's sorts, read from its source tree: their list, and the order of each ladder's rungs.

A variant's id is its file's path; its Info names the rung before it. So the plots know a new sort from its file alone,
without the program.

    python3 plots/variants.py --write SORTLAB     writes the table of docs/variants.md
    python3 plots/variants.py --check SORTLAB     exit code 1 and a line for each wrong row
"""

import re
import subprocess
import sys

from packed import ROOT

PAGE = ROOT / "docs" / "variants.md"
AFTER = re.compile(r'\.after =\s*"([^"]*)"')
TABLE = re.compile(r"(?<=<!-- variants -->\n)(?:\|.*\n)+(?=<!-- /variants -->)")


def of_sources(*roots):
    """The rung before each variant, by id; "" for a first one."""
    after = {}
    for root in roots or (ROOT,):
        for file in sorted([*root.glob("cpu/*/*.cpp"), *root.glob("gpu/*/*.cu")]):
            found = AFTER.search(file.read_text(encoding="utf-8"))
            after[file.relative_to(root).with_suffix("").as_posix()] = found[1] if found else ""
    return after


def ladder_of(variant):
    return variant.rsplit("/", 1)[0]


def ladders(after):
    """The names of each ladder's rungs from the first one on; rungs of the same height are ordered by name."""
    def height(variant):
        below, steps = after[variant], 0
        while below in after and ladder_of(below) == ladder_of(variant) and steps < len(after):
            below, steps = after[below], steps + 1
        return steps

    rungs = {}
    for variant in sorted(after, key=lambda variant: (height(variant), variant)):
        rungs.setdefault(ladder_of(variant), []).append(variant.rsplit("/", 1)[-1])
    return rungs


def rows_by_id(table):
    return {row.split("|")[1].strip(): row for row in table.splitlines()}


def renewed_table(old, listed, sources):
    """The table as the program lists it. Rows of variants that this build lacks stay unchanged while their files
    exist."""
    head, rows = listed.splitlines()[:2], rows_by_id(listed)
    kept = {variant: row for variant, row in rows_by_id(old).items() if variant in sources}
    return "\n".join([*head, *(row for _, row in sorted((kept | {v: rows[v] for v in rows if v in sources}).items()))]) + "\n"


def main(arguments):
    if len(arguments) != 2 or arguments[0] not in ("--write", "--check"):
        print("variants: --write SORTLAB | --check SORTLAB", file=sys.stderr)
        return 2
    listed = subprocess.run([arguments[1], "list", "--format", "markdown"], capture_output=True, text=True, check=True).stdout
    text = PAGE.read_text(encoding="utf-8")
    old = TABLE.search(text)[0]
    new = renewed_table(old, listed, of_sources())
    if arguments[0] == "--check":
        differing = sorted(set(old.splitlines()) ^ set(new.splitlines()))
        for row in differing:
            print(f"variants: docs/variants.md {'has' if row in old.splitlines() else 'lacks'}: {row}")
        return 1 if differing else 0
    PAGE.write_text(text.replace(old, new), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
