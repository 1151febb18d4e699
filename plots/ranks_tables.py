"""The tables of docs/scaling.md, what the model of sorts over ranks says from the constants of one machine; and what
that machine measured, in docs/ranks.md."""

import csv

import ranks_model
from medians import ROOT, giga, mega
from model_constants import constants_table

MACHINE = ROOT / "results" / "xeon16"
CONSTANTS, SAMPLES = MACHINE / "ranks_model.csv", MACHINE / "ranks.csv.xz"
PER_NODE = 1 << 30


def by_ranks():
    """Medians, a row per rung; cpu/auto on as many threads."""
    medians, n, counts = {}, 1 << 27, ("1", "2", "4", "8", "16")
    with open(MACHINE / "ranks.summary.csv", newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["status"] == "ok" and (row["key_type"], row["n"]) == ("u32", str(n)):
                medians[row["variant"], row["ranks"] or row["threads"]] = float(row["median_ns"])
    rows = [["ranks, or threads of `cpu/auto`", *counts]]
    for variant in [f"cpu/ranks/{rung}" for rung in ("gather", "sample", "histogram", "partition", "shared", "hierarchical")] + ["cpu/auto/auto"]:
        rows.append([f"`{variant}`", *(mega(medians.get((variant, count)), n) for count in counts)])
    return [row for row in rows if any(row[1:])]


def of_records():
    """A row per way to share the CPUs out."""
    rows = [["sort", "ranks", "threads of each", "GB/s", "time"]]
    with open(MACHINE / "records.summary.csv", newline="", encoding="utf-8") as file:
        for row in sorted(csv.DictReader(file), key=lambda row: float(row["median_ns"])):
            ns, record_bytes = float(row["median_ns"]), int(row["key_type"][1:].split(":")[0])
            rows.append([f"`{row['variant']}`", row["ranks"], row["threads"], giga(ns, int(row["n"]) * record_bytes), f"{ns * 1e-6:.0f} ms"])
    return rows


def of_constants(table):
    return lambda: table(ranks_model.read(CONSTANTS))


TABLES = {
    "ranks-measured": by_ranks,
    "records-measured": of_records,
    "ranks-stops": of_constants(lambda constants: ranks_model.stops_table(constants, (1 << 27, PER_NODE))),
    "ranks-ethernet": of_constants(lambda constants: ranks_model.scaling_table(constants, "ethernet", PER_NODE)),
    "ranks-infiniband": of_constants(lambda constants: ranks_model.scaling_table(constants, "infiniband", PER_NODE)),
    "ranks-constants": lambda: constants_table(CONSTANTS),
    "ranks-errors": of_constants(lambda constants: ranks_model.errors_table(SAMPLES, constants)),
}
