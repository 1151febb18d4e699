#!/usr/bin/env python3
"""Measures the exhibits of `sortlab reproduce` in parts, for machines that are had for minutes only.

    bench/exhibits.py predict                            seconds that each part may take, from an earlier run's summary
    bench/exhibits.py measure papers --seconds 540       measures for so long at most; the same command resumes
    bench/exhibits.py control papers papers-native       Table I beside the same from a build with the source's flags
    bench/exhibits.py gpus papers-h100 papers-h200       whether Fraidakis' versions gain alike on two GPUs

A part is a folder of sorts; `measure --part 'gpu/bitonic/*'` measures one. `measure` interrupts sortlab when the time is
over: the configuration that it is at is measured anew by the next call, so no configuration may take longer than that.

The control is a build with the flags that Goralija et al. name, without CUDA:

    cmake -S . -B build/native -G Ninja -DCMAKE_BUILD_TYPE=Release -DSORTLAB_CUDA=OFF "-DCMAKE_CXX_FLAGS=-O3 -march=native -mavx2"
    build/native/sortlab reproduce goralija-table-1 --out papers-native
"""

import argparse
import csv
import lzma
import signal
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EARLIER = ROOT / "results" / "h200" / "papers" / "samples.summary.csv.xz"
SLOW_S, SAMPLES, SLOW_SAMPLES = 5, 5, 3  # as sortlab reproduce takes them
LEAST_S = 0.7  # of a configuration: half a second of samples, and its worker
PER_SAMPLE = 1.9  # times a sort: the input is restored and the result is verified (8 minutes of CPU sorts had 253 s of sorting)


def rows_of(path):
    with (lzma.open if path.suffix == ".xz" else open)(path, "rt", newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def seconds_of(median_s):
    """What a configuration takes, with the untimed sort before its samples."""
    samples = SLOW_SAMPLES if median_s >= SLOW_S else SAMPLES
    return max(LEAST_S, (samples + 1) * PER_SAMPLE * median_s)


def predict(earlier):
    parts = defaultdict(list)
    for row in rows_of(earlier):
        if row["median_ns"]:
            parts[row["variant"].rsplit("/", 1)[0]].append(seconds_of(float(row["median_ns"]) * 1e-9))
    for part, seconds in sorted(parts.items()):
        print(f"{part + '/*':<20} {sum(seconds):6.0f} s  {len(seconds):4d} configurations, the longest {max(seconds):.0f} s")
    print(f"{'all':<20} {sum(map(sum, parts.values())):6.0f} s, without configurations that {earlier.name} does not have")


def measure(sortlab, out, part, seconds):
    """Whether all is measured: sortlab came to its end."""
    command = [sortlab, "reproduce", "all", "--out", out, *(["--filter", part] if part else [])]
    with subprocess.Popen(command) as running:
        try:
            running.wait(seconds)
        except subprocess.TimeoutExpired:
            running.send_signal(signal.SIGINT)
            running.wait()
            print("exhibits: time is over; the same command resumes", file=sys.stderr)
            return False
    return running.returncode == 0


def control(own, native):
    """The cells of Table I from two builds, as a table in Markdown."""
    builds = [{(row["row"], row["column"]): row for row in rows_of(Path(folder) / "goralija-table-1.csv")} for folder in (own, native)]
    print("| | unit | published | this build | -O3 -march=native -mavx2 | gain of the flags |\n|---|---|---|---|---|---|")
    for place, cell in builds[0].items():
        here, there = (build.get(place, {}).get("measured", "") for build in builds)
        gain = ""
        if here and there:
            gain = f"{float(there) / float(here) if cell['unit'] == 'x' else float(here) / float(there):.2f}x"
        print(f"| {', '.join(place)} | {cell['unit']} | {cell['published']} | {here} | {there} | {gain} |")


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
    of_measure.add_argument("out", help="folder, as sortlab reproduce --out")
    of_measure.add_argument("--sortlab", default=str(ROOT / "build" / "release" / "sortlab"))
    of_measure.add_argument("--part", default="", help="only these variants: a glob on ids")
    of_measure.add_argument("--seconds", type=float, default=540)
    of_control = commands.add_parser("control")
    of_control.add_argument("own", help="folder of goralija-table-1.csv")
    of_control.add_argument("native", help="the same, made by the build with the source's flags")
    of_gpus = commands.add_parser("gpus")
    of_gpus.add_argument("folders", nargs=2, help="folders of fraidakis-total-times.csv")
    given = parser.parse_args(words)
    if given.command == "gpus":
        gpus(given.folders)
    elif given.command == "predict":
        predict(given.earlier)
    elif given.command == "control":
        control(given.own, given.native)
    else:
        return 0 if measure(given.sortlab, given.out, given.part, given.seconds) else 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
