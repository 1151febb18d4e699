"""What the scripts for sorts over ranks by other people have in common: inputs, checks, rows of sortlab's CSV.

A script calls measure() on all ranks, with its own sort and the collective operations of its library.
"""

import argparse
import csv
import os
import statistics
import sys
import time
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Callable

import numpy as np

from numpy_sort import COLUMNS, COMMON, TYPES, cpu_model, uniform


@dataclass
class Ranks:
    """This process among all of them."""

    rank: int
    count: int
    barrier: Callable  # ()
    gather: Callable  # (anything) -> a list of what all ranks gave, on all ranks


@dataclass
class Place:
    """Where the keys lie before and after the sort."""

    device: str  # its name
    threads: int  # 0 for a GPU
    put: Callable  # (NumPy array) -> a copy of the keys there
    get: Callable  # (part) -> NumPy array
    wait: Callable  # (): until the sort has ended there


HOST = Place(cpu_model(), 1, lambda own: own.copy(), lambda part: part, lambda: None)


def options(description, more=None):
    """The command line, which is the same in all scripts; more(parser) adds to it. Ends the program with exit code 2 for
    bad input."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("csv", metavar="CSV", help="where rank 0 appends the samples")
    parser.add_argument("--type", choices=TYPES, default="u32")
    parser.add_argument("--n", nargs="+", type=_count, default=[1 << 20], help="keys of all ranks together")
    parser.add_argument("--samples", type=_count, default=5)
    if more:
        more(parser)
    return parser.parse_args()


def _count(text):
    if not text.isdigit() or not 0 < int(text) <= 1 << 40:
        raise argparse.ArgumentTypeError(f"'{text}': expected a whole number from 1 to 2^40")
    return int(text)


def measure(ranks, given, variant, version, sort, place=HOST):
    """Times sort(own keys) -> sorted part on all ranks, checks each result, and appends the rows. Exit code: 1 after a
    wrong result, 2 where the CSV is another program's, else 0."""
    faults = [_fault_of(given.csv) if ranks.rank == 0 else ""]
    fault = ranks.gather(faults[0])[0]
    if fault:
        if ranks.rank == 0:
            print(f"{variant.rsplit('/', 1)[-1]}: {fault}", file=sys.stderr)
        return 2
    wrong = False
    for n in given.n:
        begin, end = n * ranks.rank // ranks.count, n * (ranks.rank + 1) // ranks.count
        own = uniform(TYPES[given.type], end - begin, [12345, ranks.rank])
        rows = []
        sort(place.put(own))  # warms caches, pages and connections
        for rep in range(given.samples):
            keys = place.put(own)
            place.wait()
            ranks.barrier()
            start = time.perf_counter_ns()
            part = sort(keys)
            place.wait()
            total_ns = max(ranks.gather(time.perf_counter_ns() - start))
            sorted_ok, permutation_ok, imbalance = judge(ranks, place.get(part), own)
            last = "sample limit" if rep + 1 == given.samples else ""
            is_wrong = not (sorted_ok and permutation_ok)
            rows.append(COMMON | {
                "config_id": f"{variant}-{given.type}-{n}-{ranks.count}",
                "ts_utc": datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
                "status": "failed" if is_wrong else "ok", "reason": "wrong result" if is_wrong else last,
                "algorithm": variant.split("/")[1], "variant": variant, "device": place.device, "lib_version": version,
                "key_type": given.type, "n": n, "threads": place.threads, "ranks": ranks.count, "rep": rep,
                "total_ns": total_ns, "kernel_ns": "" if place.threads else total_ns,  # nothing else is timed on a GPU
                "imbalance": f"{imbalance:.4f}",
                "load_1min": round(os.getloadavg()[0], 2), "sorted_ok": int(sorted_ok), "permutation_ok": int(permutation_ok)})
            if is_wrong:
                wrong = True
                break
        if ranks.rank == 0:
            _append(given.csv, rows)
            times = [row["total_ns"] for row in rows]
            print(f"{variant}, {given.type}, {ranks.count} ranks, n = {n}: {n / statistics.median(times) * 1e3:.1f} Mkeys/s"
                  f"{', wrong result' if wrong else ''}")
    return 1 if wrong else 0


def judge(ranks, part, own):
    """(sorted, a permutation, imbalance) of all parts together: each in order, the borders between them in order, the
    same count, sum and xor of hashed bits as before."""
    ends = (part[0], part[-1]) if len(part) else None
    inside = bool(np.all(part[:-1] <= part[1:]))
    findings = ranks.gather((inside, ends, _fingerprint(part), _fingerprint(own)))
    borders = [ends for _, ends, _, _ in findings if ends]
    in_order = all(inside for inside, *_ in findings) and all(a[1] <= b[0] for a, b in zip(borders, borders[1:]))
    after, before = _together(findings, 2), _together(findings, 3)
    largest = max(one[2][0] for one in findings)
    return in_order, after == before, largest * ranks.count / max(before[0], 1)


def _fingerprint(keys):
    bits = keys.view(f"u{keys.itemsize}").astype(np.uint64)
    bits ^= bits >> np.uint64(31)
    bits = (bits + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    bits ^= bits >> np.uint64(32)
    return len(keys), int(bits.sum(dtype=np.uint64)), int(np.bitwise_xor.reduce(bits, initial=np.uint64(0)))


def _together(findings, at):
    count = sum(one[at][0] for one in findings)
    total = sum(one[at][1] for one in findings) % 2**64
    mixed = 0
    for one in findings:
        mixed ^= one[at][2]
    return count, total, mixed


def _fault_of(path):
    """Why rows can't be appended to the file, or ""."""
    if path.endswith(".xz"):
        return f"{path}: .xz files are read, not written: name {path[:-3]}"
    try:
        with open(path, newline="", encoding="utf-8") as file:
            header = next(csv.reader(file), COLUMNS)
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        return f"{path}: {error}"
    return "" if header == COLUMNS else f"{path}: line 1: not a CSV of this schema; it is left untouched"


def _append(path, rows):
    is_new = not os.path.exists(path) or os.path.getsize(path) == 0
    with open(path, "a", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n", restval="")
        if is_new:
            writer.writeheader()
        writer.writerows(rows)
