"""Writes the measurements of the ladders' rungs from results/ to tool/ladder/recorded.csv, which is embedded in
the program for `sortlab ladder`.

    python3 plots/ladder_records.py            writes the file
    python3 plots/ladder_records.py --check    exit code 1 when it differs from results/

A row is a rung on a machine (a folder of results/): u32 keys alone, uniform, ascending, hot caches, all threads; sorts
over ranks with one thread of all ranks for each CPU. Its
median is at the largest n, up to 2^27, at which half of its ladder's rungs were measured, or else at the largest n at
which it was measured itself. A gain is over the rung before it (.after), or the nearest one below that was measured at
an n that they share: at the n of the median if both were measured there, else at the largest; from one file if one has
both. Launches, and the kernel that takes the longest, come from
the profiles (*.breakdown.csv); copies between host and device do not count as launches.
"""

import csv
import io
import json
import re
import sys
from collections import Counter, defaultdict, namedtuple
from pathlib import Path

import variants
from packed import ROOT, rows_of

RECORDS = ROOT / "tool" / "ladder" / "recorded.csv"
COLUMNS = ("variant", "machine", "device", "threads", "n", "median_ns", "file", "revision", "gain_n", "gain",
           "gain_revisions", "launches_n", "launches", "busiest", "busiest_share")
MEASURED_ALIKE = {"key_type": "u32", "value_bytes": "0", "dist": "uniform", "dist_param": "", "order": "asc",
                  "cache": "hot", "launch": "stream", "host_mem": "none", "load": "0", "seed": "12345", "status": "ok"}
MOST_KEYS = 1 << 27

Median = namedtuple("Median", "ns threads device file revision started")


def revision_of(summary):
    """The revision that made a summary, and the time; None if there were several or it is unknown."""
    run = Path(re.sub(r"\.summary\.csv(\.xz)?$", ".run.json", str(summary)))
    runs = json.loads(run.read_text(encoding="utf-8")).values() if run.exists() else ()
    revisions = {(r["build"]["git_revision"], r["build"]["git_dirty"]) for r in runs}
    if len(revisions) != 1 or (revision := revisions.pop())[1]:
        return None
    return revision[0], max(r["started_utc"] for r in runs)


def cpus_of(summary):
    """The CPUs of the machine that made a summary; 0 if no run.json says it."""
    run = Path(re.sub(r"\.summary\.csv(\.xz)?$", ".run.json", str(summary)))
    runs = json.loads(run.read_text(encoding="utf-8")).values() if run.exists() else ()
    return max((r["cpu"]["threads"] for r in runs), default=0)


def fills_the_machine(row, cpus):
    """Whether a row is in one process, or its ranks have one thread for each CPU."""
    return row["ranks"] == "" or int(row["ranks"]) * int(row["threads"]) == cpus


def medians_of(folder):
    """The medians of a machine by variant and n: those with the most threads first, of the newest file first."""
    medians = defaultdict(list)
    for summary in sorted(folder.glob("*.summary.csv*")):
        if summary.name.startswith("grid."):  # of odd sizes: not what ladders are compared at
            continue
        made_by = revision_of(summary)
        if made_by is None:
            continue
        rows = [row for row in rows_of(summary)
                if all(row[column] == value for column, value in MEASURED_ALIKE.items())
                and not row.get("lengths") and not row.get("best")
                and fills_the_machine(row, cpus_of(summary))]
        most_threads = max((int(row["threads"]) for row in rows), default=0)
        best = {}
        for row in rows:
            if int(row["threads"]) not in (0, 1, most_threads):
                continue
            place = row["variant"], int(row["n"])
            median = Median(float(row["median_ns"]), int(row["threads"]), row["device"], summary.name.removesuffix(".xz"),
                            *made_by)
            if place not in best or median.ns < best[place].ns:
                best[place] = median
        for place, median in best.items():
            medians[place].append(median)
    for found in medians.values():
        found.sort(key=lambda median: (median.threads, median.started), reverse=True)
    return medians


def profiles_of(folder):
    """For each variant: the n of its profile, its launches, and the kernel that takes the longest with its share."""
    rows = defaultdict(list)
    for file in sorted(folder.glob("*.breakdown.csv")):
        for row in rows_of(file):
            if not row["activity"].startswith(("copy ", "fill")):
                rows[row["variant"], int(row["n"])].append(row)
    profiles = {}
    for (variant, n), kernels in sorted(rows.items()):
        busiest = max(kernels, key=lambda row: float(row["ns_per_sort"]))
        launches = sum(float(row["launches_per_sort"]) for row in kernels)
        share = float(busiest["ns_per_sort"]) / sum(float(row["ns_per_sort"]) for row in kernels)
        profiles[variant] = n, f"{launches:g}", busiest["activity"].rsplit("::", 1)[-1], f"{share:.2f}"
    return profiles


def common_size(rungs, medians):
    """The largest n, up to MOST_KEYS, that half of the measured rungs share; 0 where none was measured."""
    counts = Counter(n for variant, n in medians if variant in rungs and n <= MOST_KEYS)
    measured = {variant for variant, _ in medians if variant in rungs}
    return max((n for n in counts if 2 * counts[n] >= len(measured)), default=0)


def gain_over(before, variant, n, medians, after):
    """The n, the gain and the revisions of the two medians; None where they share no n. A rung before that shares none
    gives its place to the one before it."""
    shared = set()
    while before and not shared:
        base, before = before, after.get(before, "")
        shared = {size for v, size in medians if v == variant} & {size for v, size in medians if v == base}
    if not shared:
        return None
    size = n if n in shared else max(shared)
    own, others = medians[variant, size], medians[base, size]
    pairs = [(a, b) for a in own for b in others if a.file == b.file] or [(own[0], others[0])]
    a, b = pairs[0]
    return size, b.ns / a.ns, " ".join(dict.fromkeys((a.revision, b.revision)))


def records(results, after):
    rungs_of = defaultdict(list)
    for variant in after:
        if "/baselines/" not in variant:
            rungs_of[variants.ladder_of(variant)].append(variant)
    for folder in sorted(path for path in results.iterdir() if path.is_dir()):
        medians, profiles = medians_of(folder), profiles_of(folder)
        for rungs in rungs_of.values():
            n = common_size(rungs, medians)
            for variant in rungs:
                sizes = [size for v, size in medians if v == variant]
                if not sizes:
                    continue
                own_n = n if n in sizes else max(sizes)
                own = medians[variant, own_n][0]
                gain = gain_over(after[variant], variant, n, medians, after) or ("", "", "")
                profile = profiles.get(variant, ("", "", "", ""))
                yield (variant, folder.name, own.device, own.threads, own_n, f"{own.ns:.0f}", own.file, own.revision,
                       gain[0], gain[1] and f"{gain[1]:.3g}", gain[2], *profile)


def text_of(rows):
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(rows)
    return out.getvalue()


def main(arguments):
    if arguments not in ([], ["--check"]):
        print("ladder_records: no argument, or --check", file=sys.stderr)
        return 2
    text = text_of(records(ROOT / "results", variants.of_sources()))
    if arguments:
        is_same = RECORDS.exists() and RECORDS.read_text(encoding="utf-8") == text
        print("" if is_same else "ladder_records: recorded.csv is not what results/ say: run it without --check")
        return 0 if is_same else 1
    RECORDS.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
