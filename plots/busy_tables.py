"""The tables of docs/results/xeon16.md for a machine on which other programs compute, by the number of CPUs that they
use."""

import csv

from medians import ROOT, mega

LOADS = {"0": "0", "4": "4", "8": "8", "12": "12", "8:50/50": "8, every other 50 ms"}
SIZES = {"100K": 102400, "1M": 1 << 20, "16M": 1 << 24}
OURS, PARLAY = "cpu/auto/auto", "plugin/parlay/integer_sort"


def rows_of(name):
    with open(ROOT / "results" / "xeon16" / "busy" / name, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def rate(summary, variant, n, load):
    """The figures of the one row with 16 threads, in Mkeys/s."""
    (row,) = [row for row in summary if (row["variant"], row["n"], row["load"], row["threads"]) == (variant, str(n), load, "16")]
    return mega(float(row["median_ns"]), n)


def of_script(rows, n, load, **more):
    """The same from a file that is not a summary of sortlab."""
    wanted = {"variant": OURS, "n": str(n), "load": load, "threads": "16"} | more
    (row,) = [row for row in rows if all(row[column] == value for column, value in wanted.items())]
    return row["mkeys_per_s"]


def busy_keys():
    before, now = rows_of("before.csv"), rows_of("matrix.summary.csv")
    rows = [["CPUs taken", *(f"{size}: before / now / ParlayLib" for size in SIZES)]]
    for load, label in LOADS.items():
        rows.append([label] + [f"{of_script(before, n, load.replace(':50/50', 't'))} / **{rate(now, OURS, n, load)}** / {rate(now, PARLAY, n, load)}"
                               for n in SIZES.values()])
    return rows


def busy_items():
    columns = [("u64", "100K"), ("u64", "16M"), ("u32_pairs", "16M"), ("u64_pairs", "16M")]
    rows = [["CPUs taken", *(f"{kind.replace('_', ' ')}, {size}: now / ParlayLib" for kind, size in columns)]]
    for load, label in LOADS.items():
        row = [label]
        for kind, size in columns:
            summary = rows_of(f"{kind}.summary.csv")
            row.append(f"**{rate(summary, OURS, SIZES[size], load)}** / {rate(summary, PARLAY, SIZES[size], load)}")
        rows.append(row)
    return rows


def busy_in_a_row():
    """One call after the other, without and with 200 us between them."""
    measured = rows_of("in_a_row.csv")
    rows = [["CPUs taken", *SIZES, *(f"{size}, 200 µs apart" for size in SIZES)]]
    for label, load, threads_of in [*((label, load, "team") for load, label in LOADS.items()), ("0, OpenMP's threads", "0", "OpenMP")]:
        rows.append([label] + [of_script(measured, n, load, threads_of=threads_of, gap_us=gap) for gap in ("0", "200")
                               for n in SIZES.values()])
    return rows


TABLES = {"busy-keys": busy_keys, "busy-items": busy_items, "busy-in-a-row": busy_in_a_row}
