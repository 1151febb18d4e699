"""The tables of README: the headlines, our sorts beside the best rival of each size, and the list of sorts."""

import functools
import json
import re

import variants
from medians import ROOT, giga, mega
from standings import beside, size_label, standings

GPU, CPU = ("h200/rivals", 0), ("xeon16/rivals", 16)  # the runs with all rivals, and their threads
SECOND_GPU = ("h100/rivals", 0)
HEADLINES = [("GPU", GPU, "u32", 27), ("GPU", GPU, "u32 + u32", 27), ("CPU, 16 threads", CPU, "u32", 24),
             ("CPU, 16 threads", CPU, "u64", 24)]


@functools.cache
def beside_rivals(run, threads):
    """The standings on uniform keys, by keys and n."""
    return {(standing.input.keys, standing.input.n): standing for standing in standings(samples_of(run))[threads]
            if standing.input.dist == "uniform" and not standing.input.more}


def samples_of(run):
    return ROOT / "results" / f"{run}.csv.xz"


def revision_of(run):
    runs = json.loads(beside(samples_of(run), ".run.json").read_text(encoding="utf-8")).values()
    builds = {run["build"]["git_revision"] + (" with changes" if run["build"]["git_dirty"] else "") for run in runs}
    return ", ".join(sorted(builds))


def rate(ns, n, threads):
    """In Gkeys/s for a GPU, in Mkeys/s for CPUs."""
    return mega(ns, n) if threads else giga(ns, n)


def headlines():
    rows = [["sort", "sortlab", "best rival", "gain", "samples, revision"]]
    for place, (run, threads), keys, exponent in HEADLINES:
        n = 1 << exponent
        standing = beside_rivals(run, threads)[keys, n]
        unit = "Mkeys/s" if threads else "Gkeys/s"
        sorted_keys = keys.replace(" +", " keys with") + " values" if "+" in keys else f"{keys} keys"
        rows.append([f"{size_label(n)} {sorted_keys}, {place}",
                     f"{rate(standing.ours_ns, n, threads)} {unit}",
                     f"{rate(standing.rivals[standing.best], n, threads)}, {standing.best}", f"{standing.ratio:.2f}x",
                     f"[{run}](results/{run}.csv.xz), [{revision_of(run)}](results/{run}.run.json)"])
    return rows


def over_the_best_rival(run, threads, corner, exponents):
    """One row per kind of keys: our rate at each size, and its ratio to the best rival's."""
    found = beside_rivals(run, threads)
    rows = [[corner] + [size_label(1 << exponent) for exponent in exponents]]
    for keys in dict.fromkeys(keys for keys, _ in sorted(found, key=lambda at: ("+" in at[0], "f" in at[0], at[0]))):
        at = [found[keys, 1 << exponent] for exponent in exponents]
        rows.append([keys] + [f"{rate(s.ours_ns, s.input.n, threads)} ({s.ratio:.2f}x)" for s in at])
    return rows


def inside():
    """The rungs of each ladder from the first one on; v0_one and v1_two as v0 to v1."""
    ladders = variants.ladders(variants.of_sources())
    algorithms = sorted({ladder.split("/")[1] for ladder in ladders} - {"auto", "baselines", "library"}) + ["auto"]
    rows = [["algorithm", "sorts", "on the CPU", "on the GPU"]]
    for algorithm in algorithms:
        sides = [ladders.get(f"{side}/{algorithm}", []) for side in ("cpu", "gpu")]
        rows.append([algorithm, str(sum(map(len, sides)))] + [in_short(rungs) for rungs in sides])
    return rows


def in_short(rungs):
    numbered = [rung for rung in rungs if re.match(r"v\d_", rung)]
    names = [rung for rung in rungs if rung not in numbered]
    return ", ".join(names + ([f"{numbered[0][:2]} to {numbered[-1][:2]}"] if numbered else []))


TABLES = {
    "headlines": headlines,
    "over-rivals-gpu": lambda: over_the_best_rival(*GPU, "GPU, Gkeys/s", (20, 22, 24, 27)),
    "over-rivals-h100": lambda: over_the_best_rival(*SECOND_GPU, "H100, Gkeys/s", (20, 22, 24, 27)),
    "over-rivals-cpu": lambda: over_the_best_rival(*CPU, "CPU, 16 threads, Mkeys/s", (16, 20, 24)),
    "inside": inside,
}
