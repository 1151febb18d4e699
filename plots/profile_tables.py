"""The tables of the GPU ladders' pages that the profiler's counters fill: the CSV of bench/profile_kernels.py."""

import csv
from collections import defaultdict

from medians import ROOT, power

PROFILES = ROOT / "results" / "h200" / "profiles.csv"
SORTS = 2  # in a profiled run
HEAD = ("", "keys", "kernel", "of the time", "occupancy", "DRAM, of its peak", "bank conflicts per 1000", "atomics per sort")


def profile(ladder, path=PROFILES):
    """The rows of one ladder: a kernel of a sort in each."""
    with open(path, newline="", encoding="utf-8") as file:
        found = [row for row in csv.DictReader(file) if row["variant"].startswith(f"gpu/{ladder}/")]
    whole = defaultdict(float)
    for row in found:
        whole[row["variant"], row["params"], row["n"]] += float(row["ns"])
    return [list(HEAD)] + [
        [" ".join(part for part in (row["variant"].rsplit("/", 1)[-1], row["params"]) if part), power(int(row["n"])), row["kernel"],
         f"{100 * float(row['ns']) / whole[row['variant'], row['params'], row['n']]:.0f} %", f"{float(row['occupancy_pct']):.0f} %",
         f"{float(row['dram_pct']):.0f} %", row["conflicts_per_1000_wavefronts"], f"{int(row['atomics']) // SORTS}"]
        for row in found]


TABLES = {f"profile-{ladder}": lambda ladder=ladder: profile(ladder) for ladder in ("bitonic", "merge", "quick", "radix")}
