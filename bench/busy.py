#!/usr/bin/env python3
"""CPU sorts on a machine that other programs use too: makes the load itself.

    bench/busy.py build/release/sortlab busy.csv                  all loads, about four minutes
    bench/busy.py build/release/sortlab busy.csv --loads 0,50% --filter 'cpu/auto/auto' --n 1M

A load is the number of CPUs that are taken by programs that do nothing but compute, as a count or as a
part of those that this process may use; with a `t` behind it they compute for 50 ms and sleep for 50 ms.
Sorts and loads take turns. A row is one sort at one size under one load: the median over the rounds of
each round's median, and of the ratio of its 90th percentile to its median.
"""

import argparse
import collections
import csv
import json
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import tempfile
import time

COMPUTES = "while True: pass"
COMES_AND_GOES = """
import time
while True:
    end = time.monotonic() + 0.05
    while time.monotonic() < end: pass
    time.sleep(0.05)
"""
COLUMNS = ["cpu", "cpus", "git_revision", "load", "variant", "key_type", "value_bytes", "n", "threads",
           "rounds", "mkeys_per_s", "p90_over_median"]


def cpus_of(load, cpus):
    """How many CPUs a load like 4, 25% or 8t takes."""
    number = load.rstrip("t")
    return round(float(number[:-1]) / 100 * cpus) if number.endswith("%") else int(number)


class Load:
    def __init__(self, load, cpus):
        code = COMES_AND_GOES if load.endswith("t") else COMPUTES
        self.processes = [subprocess.Popen([sys.executable, "-c", code])
                          for _ in range(cpus_of(load, cpus))]

    def __enter__(self):
        time.sleep(0.2)

    def __exit__(self, *_):
        for process in self.processes:
            process.kill()
        for process in self.processes:
            process.wait()


def samples_of(sortlab, arguments):
    """Each configuration's times in ns, the CPU and the revision that were measured."""
    times = collections.defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "busy.csv"
        run = subprocess.run([sortlab, "run", *arguments, "--csv", path], stdout=subprocess.DEVNULL,
                             stderr=subprocess.PIPE, text=True)
        if run.returncode != 0:
            sys.exit(f"busy.py: sortlab run {' '.join(arguments)}: {run.stderr.strip()}")
        cpu = ""
        for row in csv.DictReader(path.open()):
            key = tuple(row[c] for c in ("variant", "key_type", "value_bytes", "n", "threads"))
            times[key].append(float(row["total_ns"]))
            cpu = row["device"]
        build = next(iter(json.loads(path.with_suffix(".run.json").read_text()).values()))["build"]
    return times, {"cpu": cpu, "git_revision": build["git_revision"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sortlab")
    parser.add_argument("csv", help="where the rows go")
    parser.add_argument("--loads", default="0,25%,50%,75%,50%t")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--filter", action="append")
    parser.add_argument("--type", default="u32")
    parser.add_argument("--n", default="100K,1M,16M")
    parser.add_argument("--time", default="0.35")
    parser.add_argument("--pairs", action="store_true")
    args = parser.parse_args()
    cpus = len(os.sched_getaffinity(0))
    filters = args.filter or ["cpu/auto/auto", "cpu/baselines/tbb_parallel_sort",
                              "cpu/baselines/gnu_parallel_sort", "cpu/baselines/boost_block_indirect_sort",
                              "cpu/std_sort/parallel"]
    common = ["--dist", "uniform", "--type", args.type, "--n", args.n, "--time", args.time, "--max-samples", "3000"]
    common += ["--pairs"] if args.pairs else []
    runs = [["--filter", f, "--threads", str(cpus), *common] for f in filters]
    runs.append(["--filter", filters[0], "--threads", "1", *common])
    rates, tails, machine = collections.defaultdict(list), collections.defaultdict(list), {}
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    for done in range(args.rounds):
        for load in args.loads.split(","):
            with Load(load, cpus):
                for arguments in runs if done % 2 == 0 else reversed(runs):
                    times, machine = samples_of(args.sortlab, arguments)
                    for key, ns in times.items():
                        ns.sort()
                        median = statistics.median(ns)
                        rates[load, *key].append(int(key[3]) / median * 1e3)
                        tails[load, *key].append(ns[int(0.9 * len(ns))] / median)
        with open(args.csv, "w", newline="") as file:  # after each round: a run that is cut keeps its rounds
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(COLUMNS)
            for key in sorted(rates, key=lambda k: (cpus_of(k[0], cpus), k[0], k[2], int(k[4]), k[1], k[5])):
                load = f"{cpus_of(key[0], cpus)}{'t' if key[0].endswith('t') else ''}"
                writer.writerow([machine["cpu"], cpus, machine["git_revision"], load, *key[1:], len(rates[key]),
                                 round(statistics.median(rates[key])), f"{statistics.median(tails[key]):.2f}"])


if __name__ == "__main__":
    main()
