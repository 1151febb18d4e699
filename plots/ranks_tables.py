"""The tables of docs/scaling.md, what the model of sorts over ranks says from the constants of one machine; and what
that machine measured, in docs/ranks.md."""

import csv
import statistics

import ranks_model
from medians import ROOT, giga, mega, times
from model_constants import constants_table

MACHINE = ROOT / "results" / "xeon16"
CONSTANTS, SAMPLES = MACHINE / "ranks_model.csv", MACHINE / "ranks.csv.xz"
LATER_SAMPLES = MACHINE / "ranks_shared.csv.xz"  # not seen by the fit
PER_NODE = 1 << 30


def by_ranks():
    """Medians, a row per rung; cpu/auto on as many threads."""
    medians, n, counts = {}, 1 << 27, ("1", "2", "4", "8", "16")
    with open(MACHINE / "ranks_shared.summary.csv", newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["status"] == "ok" and (row["key_type"], row["n"]) == ("u32", str(n)):
                medians[row["variant"], row["ranks"] or row["threads"]] = float(row["median_ns"])
    rows = [["ranks, or threads of `cpu/auto`", *counts]]
    for variant in [f"cpu/ranks/{rung}" for rung in ("gather", "sample", "histogram", "partition", "shared", "hierarchical")] + ["cpu/auto/auto"]:
        rows.append([f"`{variant}`", *(mega(medians.get((variant, count)), n) for count in counts)])
    return [row for row in rows if any(row[1:])]


RIVALS = {"ams": ("KaDiS", "AMS, its own exchange"), "ams_mpi": ("KaDiS", "AMS, exchange by `MPI_Alltoallv`"),
          "rquick": ("KaDiS", "RQuick"), "hss": ("KaDiS", "HSS"), "kamping": ("KaMPIng", "its example of a sample sort"),
          "kamping_ips4o": ("KaMPIng", "its example, with IPS4o in place of `std::sort`")}


def by_rivals():
    """A row per sort of other people on 16 ranks, the fastest first, and by how much ours are faster."""
    seconds, n = {}, 1 << 27
    with open(MACHINE / "ranks_rivals.csv", newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if (row["type"], row["n"], row["ranks"], row["ok"]) == ("u32", str(n), "16", "1"):
                seconds.setdefault(row["algo"], []).append(float(row["seconds"]))
    with open(MACHINE / "ranks_shared.summary.csv", newline="", encoding="utf-8") as file:
        ours = {row["variant"]: float(row["median_ns"]) for row in csv.DictReader(file) if row["ranks"] == "16"}
    rows = [["library", "sort", "time", "Mkeys/s", "`hierarchical` is faster", "`shared` is faster"]]
    for algo, found in sorted(seconds.items(), key=lambda item: statistics.median(item[1])):
        ns = statistics.median(found) * 1e9
        rows.append([*RIVALS[algo], f"{ns * 1e-6:.0f} ms", mega(ns, n),
                     *(times(ns, ours[f"cpu/ranks/{rung}"]) for rung in ("hierarchical", "shared"))])
    return rows


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
    "ranks-rivals": by_rivals,
    "records-measured": of_records,
    "ranks-stops": of_constants(lambda constants: ranks_model.stops_table(constants, (1 << 27, PER_NODE))),
    "ranks-ethernet": of_constants(lambda constants: ranks_model.scaling_table(constants, "ethernet", PER_NODE)),
    "ranks-infiniband": of_constants(lambda constants: ranks_model.scaling_table(constants, "infiniband", PER_NODE)),
    "ranks-constants": lambda: constants_table(CONSTANTS),
    "ranks-errors": of_constants(lambda constants: ranks_model.errors_table(SAMPLES, constants)),
    "ranks-errors-later": of_constants(lambda constants: ranks_model.errors_table(LATER_SAMPLES, constants)),
}
