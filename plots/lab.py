#!/usr/bin/env python3
"""The logs of experiments, docs/lab/<id>.md: checks their tables against one schema and writes the index.

    plots/lab.py          writes docs/lab/README.md
    plots/lab.py --check  writes nothing; prints faults, and exits with 1 if there are any

A table of attempts has the columns of COLUMNS. Any other table in a log is a result in any form.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
COLUMNS = ["date", "machine", "n", "idea", "expected", "measured", "kept", "log"]
MACHINES = {
    "h200": "one NVIDIA H200 (132 SMs, PCIe 5 x16) with CUDA 13.0, and its host",
    "h100": "one NVIDIA H100 80GB HBM3 (132 SMs) with CUDA 13.0, and its host",
    "xeon16": "16 CPUs of an Intel Emerald Rapids Xeon (AVX-512, 2 MiB L2 per core), most likely 8 cores with two threads "
              "each; a virtual machine beside the H200",
    "amd2": "two cores of an AMD EPYC with AVX-512, busy with other work (most logs: Zen 5)",
    "emr2": "two shared cores of an Intel Emerald Rapids Xeon (AVX-512)",
    "spr2": "two shared cores of an Intel Xeon with AVX-512 and AMX (2 MiB L2 per core), most likely Sapphire Rapids",
    "zen5": "two cores of an AMD EPYC (Zen 5, 1 MB L2, AVX-512)",
    "zen4": "one thread of an AMD Zen 4 (1 MB L2, AVX-512)",
}


def logs(root):
    """The logs, by id: docs/lab/gpu/radix/small.md is that of gpu/radix/small."""
    folder = root / "docs" / "lab"
    return {path.relative_to(folder).with_suffix("").as_posix(): path
            for path in sorted(folder.rglob("*.md")) if path.parent != folder}


def cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def attempts(text):
    """(line number, row) of all tables with the columns of COLUMNS."""
    found, inside = [], False
    for number, line in enumerate(text.splitlines(), 1):
        if not line.startswith("|"):
            inside = False
        elif cells(line) == COLUMNS:
            inside = True
        elif inside and not re.match(r"[|\s:]*--", line):
            found.append((number, line))
    return found


def named_logs(cell):
    return [] if cell == "-" else cell.split(", ")


def is_there(results, name):
    """`name` is a path below results/, and may hold * and [...]; a CSV may have been compressed since."""
    return any(results.glob(name)) or any(results.glob(name + ".xz"))


def faults_of_row(row, results):
    if len(row) != len(COLUMNS):
        return [f"{len(row)} cells, not {len(COLUMNS)}"]
    cell = dict(zip(COLUMNS, row))
    faults = [f"machine '{name}' is not in MACHINES" for name in cell["machine"].split(", ")
               if name not in MACHINES and cell["machine"] != "-"]
    if not re.match(r"(yes|no|in part|-)(:|$)", cell["kept"]):
        faults.append(f"kept begins with yes, no, in part or -, not '{cell['kept']}'")
    faults += [f"no log results/{name}" for name in named_logs(cell["log"]) if not is_there(results, name)]
    return faults


def faults(root):
    """One line per fault in a log."""
    found = []
    for variant, path in logs(root).items():
        text = path.read_text(encoding="utf-8")
        name = path.relative_to(root).as_posix()
        if variant.startswith(("cpu/", "gpu/")) and not any(root.glob(variant + ".c*")):
            found.append(f"{name}: there is no variant {variant}")
        if not attempts(text):
            found.append(f"{name}: no table of attempts")
        for line, row in attempts(text):
            found += [f"{name}:{line}: {fault}" for fault in faults_of_row(cells(row), root / "results")]
    return found


def index(root):
    """docs/lab/README.md."""
    text = [
        "# Experiments",
        "",
        "One log per variant: each idea, the result expected before the run, the measured result, and whether it was kept.",
        "`plots/lab.py` writes this page; do not edit it. `plots/lab.py --check` checks the schema of every log.",
        "",
        "| log | attempts | kept | in part | first | last |",
        "| --- | ---: | ---: | ---: | --- | --- |",
    ]
    for name, path in logs(root).items():
        rows = [dict(zip(COLUMNS, cells(row))) for _, row in attempts(path.read_text(encoding="utf-8"))]
        dates = sorted(row["date"] for row in rows if row["date"] != "-") or ["-"]
        kept = sum(row["kept"].startswith("yes") for row in rows)
        partly = sum(row["kept"].startswith("in part") for row in rows)
        text.append(f"| [{name}]({name}.md) | {len(rows)} | {kept} | {partly} | {dates[0]} | {dates[-1]} |")
    text += [
        "",
        "## Columns",
        "",
        "- **date**: the day of the log file; without one, the day on which the row was written.",
        "- **machine**: a name from the list below. **n**: the number of items, and the types (`u32+u32`: u32 keys with u32 values).",
        "- **idea**: the change. \"The same\" continues the row above.",
        "- **expected**: written down before the run. **measured**: in the unit that the section names.",
        "  \"A vs B\" is with and without the idea in the same run, \"A → B\" before and after.",
        "- **kept**: yes, no, or in part, and why.",
        "- **log**: the output of the test program, below `results/`; `*` for a series. Unknown is \"-\".",
        "",
        "## Machines",
        "",
        "| name | machine |",
        "| --- | --- |",
    ]
    text += [f"| {name} | {what} |" for name, what in MACHINES.items()]
    return "\n".join(text) + "\n"


def main(arguments):
    if arguments not in ([], ["--check"]):
        print(__doc__, file=sys.stderr)
        return 2
    page = ROOT / "docs" / "lab" / "README.md"
    wrong = faults(ROOT)
    if not arguments:
        page.write_text(index(ROOT), encoding="utf-8")
    elif not page.exists() or page.read_text(encoding="utf-8") != index(ROOT):
        wrong.append("docs/lab/README.md: not what plots/lab.py writes")
    print(*wrong, sep="\n", end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
