"""The documents' tables of measured figures, written from the files in results/.

    python3 plots/tables.py            writes them into the documents
    python3 plots/tables.py --check    exit code 1 and a line for each that differs from its file

A table is below a line `<!-- table: NAME -->` and ends at the next empty line. A cell is empty if the file has no such
row.
"""

import csv
import functools
import re
import sys

import busy_tables
import cpu_tables
import devices_tables
import front_tables
import gpu_tables
import paper_tables
import profile_tables
import ranks_tables
import top_k_tables
import use_tables
from medians import ROOT, markdown

DOCUMENTS = ("README.md", "docs/choose.md", "docs/host.md", "docs/ladders/bitonic.md", "docs/ladders/merge.md", "docs/ladders/quick.md", "docs/ladders/radix.md", "docs/library.md", "docs/library_cuda.md", "docs/library_python.md", "docs/multi.md", "docs/ranks.md", "docs/reliability.md", "docs/reproduce.md", "docs/scaling.md", "docs/segments.md", "docs/top_k.md", *(f"docs/results/{page}.md" for page in ("amd2", "h100", "h200", "xeon16", "zen5")))
MARKED = re.compile(r"<!-- table: (\S+) -->\n(?:\|.*\n)+")

FUZZED = {
    "key_file": "key files: NumPy, SOSD, raw, text",
    "csv": "samples: read, summed up, compared, recommended from, resumed twice",
    "matrix": "matrix files, up to the plan",
    "selection": "sizes, distributions, types, threads, parameters as typed",
    "tune": "`tune.json`: read, written, read again",
    "plugin": "what a plug-in says of itself",
    "worker": "messages between sortlab and its worker process",
    "breakdown": "the CSV of kernels and copies",
    "report": "a folder for `sortlab report`: samples, `run.json`, breakdown, exhibits",
}


def fuzzers():
    rows = [["fuzzer", "input", "runs", "seconds", "faults mended", "revision"]]
    with open(ROOT / "results/fuzz/host.csv", newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            rows.append([f"`{row['fuzzer']}`", FUZZED[row["fuzzer"]], f"{int(row['runs']):,}", row["seconds"],
                         row["faults"], row["git_revision"]])
    return rows


TABLES = front_tables.TABLES | cpu_tables.TABLES | devices_tables.TABLES | busy_tables.TABLES | gpu_tables.TABLES | paper_tables.TABLES | profile_tables.TABLES | ranks_tables.TABLES | top_k_tables.TABLES | use_tables.TABLES | {"fuzzers": fuzzers}


@functools.cache
def written(name):
    if name not in TABLES:
        sys.exit(f"tables: no table '{name}', there are: {', '.join(TABLES)}")
    return f"<!-- table: {name} -->\n{markdown(TABLES[name]())}"


def renew(text):
    """The text with every marked table updated, and the names of those that changed."""
    changed = []

    def table(match):
        name = match[1]
        new = written(name)
        if new != match[0]:
            changed.append(name)
        return new

    return MARKED.sub(table, text), changed


def main(arguments):
    if arguments not in ([], ["--check"]):
        print("tables: usage: tables.py [--check]", file=sys.stderr)
        return 2
    wrong = False
    for document in DOCUMENTS:
        text, changed = renew((ROOT / document).read_text(encoding="utf-8"))
        wrong = wrong or bool(changed)
        if arguments:
            for name in changed:
                print(f"{document}: the table {name} is not what its file in results/ says")
        else:
            (ROOT / document).write_text(text, encoding="utf-8")
    return 1 if arguments and wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
