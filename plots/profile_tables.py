"""The tables of the GPU ladders' pages that the profiler's counters fill: the CSV of bench/profile_kernels.py.

There are none as long as no machine that permits counters has made the file.
"""

import csv

from medians import ROOT

PROFILES = ROOT / "results" / "h200" / "profiles.csv"
HEAD = ("", "kernel", "launches", "occupancy", "DRAM, of its peak", "DRAM", "bank conflicts per 1000", "atomics")


def profile(ladder, path=PROFILES):
    """The rows of one ladder: a kernel of a sort in each."""
    with open(path, newline="", encoding="utf-8") as file:
        found = [row for row in csv.DictReader(file) if row["variant"].startswith(f"gpu/{ladder}/")]
    return [list(HEAD)] + [
        [" ".join(part for part in (row["variant"].rsplit("/", 1)[-1], row["params"]) if part), row["kernel"], row["launches"],
         f"{float(row['occupancy_pct']):.0f} %", f"{float(row['dram_pct']):.0f} %", f"{float(row['dram_bytes']) / 1e9:.2f} GB",
         row["conflicts_per_1000_wavefronts"], row["atomics"]]
        for row in found]


LADDERS = ("bitonic", "merge", "quick", "radix") if PROFILES.exists() else ()
TABLES = {f"profile-{ladder}": lambda ladder=ladder: profile(ladder) for ladder in LADDERS}
