#!/usr/bin/env python3
"""Measures the exhibits of `sortlab reproduce` in parts, for machines that are had for minutes only.

    bench/exhibits.py predict                            seconds that each part may take, from an earlier run's summary
    bench/exhibits.py measure papers --seconds 540       measures for so long at most; the same command resumes
    bench/exhibits.py together papers --cpus 0-15 --alone 16,18,20      the same in half the time
    bench/exhibits.py gpus papers-h100 papers-h200       whether Fraidakis' versions gain alike on two GPUs

A part is a folder of sorts; `measure --part 'gpu/bitonic/*'` measures one. `measure` interrupts sortlab when the time is
over: the configuration that it is at is measured anew by the next call, so no configuration may take longer than that.
Exit code 0: all is measured; 1: the time is over, and the same command resumes; 2: something else, which stderr names.

`together` runs the CPU's sorts of one thread at the same time, shared among the CPUs of --alone and each pinned to one of
them. Then come the GPU's sorts and the CPU's of many threads, by themselves, with the CPUs of --cpus.
"""

import argparse
import csv
import json
import signal
import subprocess
import sys
import time
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "plots"))
from packed import rows_of  # noqa: E402

EARLIER = ROOT / "results" / "h200" / "papers" / "samples.summary.csv.xz"
SLOW_S, SAMPLES, SLOW_SAMPLES = 5, 5, 3  # as sortlab reproduce takes them
LEAST_S = 0.7  # of a configuration: half a second of samples, and its worker
AROUND_S = {"cpu": 6e-9, "gpu": 2e-9}  # per key and sort: the input is restored and the result is verified


def seconds_of(side, median_s, n):
    """What a configuration takes, with the untimed sort before its samples."""
    samples = SLOW_SAMPLES if median_s >= SLOW_S else SAMPLES
    return max(LEAST_S, (samples + 1) * (median_s + AROUND_S[side] * n))


def predicted(earlier):
    """A configuration of the earlier run in each: its row, and the seconds that it takes."""
    return [(row, seconds_of(row["variant"][:3], float(row["median_ns"]) * 1e-9, int(row["n"])))
            for row in rows_of(earlier) if row["median_ns"]]


def predict(earlier):
    parts = defaultdict(list)
    for row, seconds in predicted(earlier):
        parts[row["variant"].rsplit("/", 1)[0]].append(seconds)
    for part, seconds in sorted(parts.items()):
        print(f"{part + '/*':<20} {sum(seconds):6.0f} s  {len(seconds):4d} configurations, the longest {max(seconds):.0f} s")
    print(f"{'all':<20} {sum(map(sum, parts.values())):6.0f} s, without configurations that {earlier.name} does not have")


def shares(earlier, number):
    """The CPU's sorts of one thread in `number` lists that take about as long, each with its seconds: the longest first."""
    seconds = defaultdict(float)
    for row, taken in predicted(earlier):
        if row["threads"] == "1":
            seconds[row["variant"]] += taken
    lists = [([], 0.0) for _ in range(number)]
    for variant in sorted(seconds, key=seconds.get, reverse=True):
        least = min(range(number), key=lambda i: lists[i][1])
        lists[least] = (lists[least][0] + [variant], lists[least][1] + seconds[variant])
    return [(variants, taken) for variants, taken in lists if variants]


def held(path):
    return rows_of(path) if path.exists() else []


def runs_of(folder):
    path = folder / "samples.run.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def run_all(commands, seconds):
    """Runs the commands at the same time and interrupts them when the time is over. The exit code."""
    deadline = time.monotonic() + seconds
    running = [subprocess.Popen(list(map(str, command))) for command in commands]
    in_time = True
    for one in running:
        try:
            one.wait(max(0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            in_time = False
            for other in running:
                other.send_signal(signal.SIGINT)
    for one in running:
        one.wait()
    if not in_time:
        print("exhibits: time is over; the same command resumes", file=sys.stderr)
        return 1
    return 2 if any(one.returncode for one in running) else 0


def measure(sortlab, out, part, seconds):
    """The exit code."""
    return run_all([[sortlab, "reproduce", "all", "--out", out, *(["--filter", part] if part else [])]], seconds)


def merge(folder, sides):
    """Puts what was measured in the sides into the folder, in place of what it had from them."""
    runs = {run: of for side in sides for run, of in runs_of(side).items()}
    rows = [row for row in held(folder / "samples.csv") if row["run_id"] not in runs]
    rows += [row for side in sides for row in held(side / "samples.csv")]
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "samples.csv", "w", newline="", encoding="utf-8") as file:
        out = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        out.writeheader()
        out.writerows(rows)
    (folder / "samples.run.json").write_text(json.dumps(runs_of(folder) | runs, indent=2) + "\n", encoding="utf-8")


def together(sortlab, out, cpus, alone, seconds):
    """As measure(), with the CPU's sorts of one thread at the same time."""
    end = time.monotonic() + seconds
    folder = Path(out)
    parts = list(zip(alone, shares(EARLIER, len(alone))))
    sides = [folder / f"side-{i}" for i in range(len(parts))]
    commands = [["taskset", "-c", cpu, sortlab, "reproduce", "all", "--out", side, "--filter", ",".join(variants)]
                for side, (cpu, (variants, _)) in zip(sides, parts)]
    if failed := run_all(commands, seconds):
        return failed
    merge(folder, sides)
    return run_all([["taskset", "-c", cpus, sortlab, "reproduce", "all", "--out", folder]], end - time.monotonic())


def gpus(folders):
    """The gain of each of Fraidakis' versions over the one before it, on each GPU; alike: within a tenth at most sizes."""
    times = [{(row["row"], row["column"]): float(row["measured"]) for row in rows_of(Path(folder) / "fraidakis-total-times.csv")
              if row["measured"] and "in place of" not in row["reason"]} for folder in folders]
    print("| n | gain | " + " | ".join(folders) + " | alike |\n|---|---|---|---|---|")
    for before, after in (("V0", "V1"), ("V1", "V2"), ("V2", "V3"), ("V3", "CUB")):
        sizes = [n for n, version in times[0] if version == after and all({(n, before), (n, after)} <= set(of) for of in times)]
        alike = []
        for n in sizes:
            gains = [of[n, before] / of[n, after] for of in times]
            alike.append(max(gains) <= 1.1 * min(gains))
            print(f"| {n} | {after} over {before} | {gains[0]:.2f}x | {gains[1]:.2f}x | {'yes' if alike[-1] else 'no'} |")
        verdict = "nothing to tell" if not alike else "confirmed" if 2 * sum(alike) > len(alike) else "refuted"
        print(f"| all | {after} over {before} | | | {verdict}: {sum(alike)} of {len(alike)} |")


def main(words):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    of_predict = commands.add_parser("predict")
    of_predict.add_argument("--earlier", type=Path, default=EARLIER, help="a samples.summary.csv of sortlab reproduce")
    of_measure = commands.add_parser("measure")
    of_measure.add_argument("--part", default="", help="only these variants: a glob on ids")
    of_together = commands.add_parser("together")
    of_together.add_argument("--cpus", required=True, help="CPUs of the GPU's sorts and of those of many threads, as of taskset")
    of_together.add_argument("--alone", required=True, type=lambda text: text.split(","), help="CPUs of the sorts of one thread")
    for of_both in (of_measure, of_together):
        of_both.add_argument("out", help="folder, as sortlab reproduce --out")
        of_both.add_argument("--sortlab", default=str(ROOT / "build" / "release" / "sortlab"))
        of_both.add_argument("--seconds", type=positive, default=540)
    of_gpus = commands.add_parser("gpus")
    of_gpus.add_argument("folders", nargs=2, help="folders of fraidakis-total-times.csv")
    given = parser.parse_args(words)
    if given.command == "gpus":
        gpus(given.folders)
    elif given.command == "predict":
        predict(given.earlier)
    elif given.command == "measure":
        return measure(given.sortlab, given.out, given.part, given.seconds)
    else:
        return together(given.sortlab, given.out, given.cpus, given.alone, given.seconds)
    return 0


def positive(text):
    value = float(text)
    if not 0 < value < float("inf"):
        raise ValueError
    return value


def run(words):
    """main(), with one line for a file or program that is not there."""
    try:
        return main(words)
    except OSError as error:
        print(f"exhibits: {error.filename}: {error.strerror}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
