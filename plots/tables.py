"""The documents' tables of measured figures, written from the files in results/.

    python3 plots/tables.py            write them anew into the documents
    python3 plots/tables.py --check    exit code 1 and a line for each that is not what its file says

A table stands below a line `<!-- table: NAME -->` and ends at the next empty line. A cell is empty where the file has
no such row.
"""

import csv
import functools
import json
import re
import sys
from pathlib import Path

import variants
from standings import ONE_THREAD, beside, size_label, standings

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = ("README.md", "docs/reliability.md", "docs/results/h200.md", "docs/results/xeon16.md", "docs/results/zen5.md")
MARKED = re.compile(r"<!-- table: (\S+) -->\n(?:\|.*\n)+")

CUB = ["gpu/baselines/cub_radix", "gpu/baselines/cub_radix_int", "gpu/baselines/cub_merge",
       "gpu/baselines/cub_merge_native"]
PEERS = CUB + ["gpu/baselines/thrust_sort", "gpu/baselines/thrust_stable_sort", "gpu/baselines/thrust_sort_cached"]


class Medians:
    """The medians of one summary, in nanoseconds."""

    def __init__(self, name):
        self.rows = {}
        with open(ROOT / "results" / f"{name}.summary.csv", newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                if row["status"] == "ok":
                    keys = row["key_type"] + (f"+u{8 * int(row['value_bytes'])}" if row["value_bytes"] != "0" else "")
                    dist = ":".join(filter(None, (row["dist"], row["dist_param"])))
                    where = (row["variant"], keys, int(row["n"]), dist, row["threads"], row["launch"], row["host_mem"])
                    where += (row["order"],)
                    if where in self.rows:
                        sys.exit(f"tables: {name}.summary.csv has two rows for {where}: a sweep is no table")
                    self.rows[where] = float(row["median_ns"])

    def ns(self, variant, keys, n, dist="uniform", threads=0, launch="stream", host_mem="none", order="asc"):
        return self.rows.get((variant, keys, n, dist, str(threads), launch, host_mem, order))

    def has_one_thread(self, variant):
        """Whether it ran on one thread only."""
        return {where[4] for where in self.rows if where[0] == variant} == {"1"}

    def fastest(self, variants, keys, n, **rest):
        found = [ns for ns in (self.ns(variant, keys, n, **rest) for variant in variants) if ns]
        return min(found, default=None)


def short(count):
    """2^10 .. 2^19 as 1K .. 512K, and so on."""
    for shift, unit in ((20, "M"), (10, "K")):
        if count >= 1 << shift:
            return f"{count >> shift}{unit}"
    return str(count)


def power(count):
    return f"2^{count.bit_length() - 1}"


def mega(ns, n):
    return f"{n / ns * 1e3:.0f}" if ns else ""


def giga(ns, n):
    return f"{n / ns:.{2 if n / ns < 10 else 1}f}" if ns else ""


def micro(ns):
    return f"{ns / 1e3:.1f}" if ns else ""


def times(peer, own):
    return f"{peer / own:.2f}x" if peer and own else ""


def points(keys, *exponents, threads):
    """Columns of a CPU's table: the keys, n and threads of each."""
    return [(keys, 1 << exponent, threads) for exponent in exponents]


def cpu_rates(name, corner, columns, variants):
    """A row a variant. A header names keys and threads where they differ from the column before's."""
    medians = Medians(name)
    header, before = [corner], (None, None)
    for keys, n, threads in columns:
        words = [keys.split("+")[0]] if keys != before[0] else []
        if threads != before[1]:
            words.append("one thread" if threads == 1 else f"{threads} threads")
        header.append((", ".join(words) + ": " if words else "") + short(n))
        before = (keys, threads)
    body = [[variant] + [mega(medians.ns(variant, keys, n, threads=threads), n) for keys, n, threads in columns]
            for variant in variants]
    return [header] + [row for row in body if any(row[1:])]


OURS_ON_CPU = ["cpu/auto/auto", "cpu/radix/simd", "cpu/quick/simd", "cpu/quick/in_place", "cpu/merge/simd",
               "cpu/bitonic/simd", "cpu/radix/hybrid"]


def cpu_all_threads():
    columns = points("u32", 16, 18, 20, 22, 24, 26, 27, threads=16) + points("u64", 20, 24, 27, threads=16)
    before = ["cpu/radix/parallel", "cpu/quick/parallel", "cpu/merge/parallel", "cpu/bitonic/parallel"]
    peers = ["cpu/baselines/boost_block_indirect_sort", "cpu/baselines/gnu_parallel_sort",
             "cpu/baselines/tbb_parallel_sort", "cpu/std_sort/parallel"]
    return cpu_rates("xeon16/cpu", "keys", columns, OURS_ON_CPU + before + peers)


def cpu_one_thread():
    columns = points("u32", 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, threads=1) + points("u64", 10, 16, 24, threads=1)
    return cpu_rates("xeon16/cpu", "keys", columns, OURS_ON_CPU + ["cpu/baselines/vqsort"])


def cpu_pairs():
    columns = (points("u32+u32", 16, 20, 24, 27, threads=16) + points("u64+u32", 20, 24, 27, threads=16)
               + points("u32+u32", 16, 24, threads=1) + points("u64+u32", 16, 24, threads=1))
    variants = ["cpu/auto/auto", "cpu/radix/pairs", "cpu/radix/hybrid"]
    return cpu_rates("xeon16/cpu", "pairs with u32 values", columns, variants)


def cpu_amd():
    columns = (points("u32", 8, 12, 16, 20, 24, threads=1) + points("u32", 20, 24, threads=2)
               + points("u64", 12, 16, 20, 24, threads=1) + points("u64", 24, threads=2))
    return cpu_rates("zen5/cpu", "keys", columns, OURS_ON_CPU + ["cpu/baselines/vqsort"])


DISTRIBUTIONS = {
    "sorted": "sorted", "reversed": "reverse", "equal": "equal", "nearly sorted": "nearly", "organ pipe": "organpipe",
    "sawtooth": "sawtooth", "16 values": "dups16", "95 % one value": "p5", "root dups": "rootdups",
    "eight dups": "eightdups", "Zipf": "zipf:0.75", "exponential": "exponential", "normal": "gaussian",
    "staggered": "staggered", "AND of 3 words": "entropy3", "median-of-3 killer": "killer3",
}


def cpu_distributions(keys):
    medians = Medians("xeon16/cpu")
    n = 1 << 26
    ours = {"auto": "cpu/auto/auto", "radix/simd": "cpu/radix/simd", "quick/simd": "cpu/quick/simd",
            "in_place": "cpu/quick/in_place", "merge/simd": "cpu/merge/simd"}
    peers = {"Boost": "cpu/baselines/boost_block_indirect_sort", "GNU": "cpu/baselines/gnu_parallel_sort",
             "VQSort": "cpu/baselines/vqsort"}
    threads = {label: 1 if medians.has_one_thread(variant) else 16 for label, variant in (ours | peers).items()}
    rows = [[""] + [label + (ONE_THREAD if count == 1 else "") for label, count in threads.items()]]
    for label, dist in DISTRIBUTIONS.items():
        rows.append([label] + [mega(medians.ns(variant, keys, n, dist, threads[name]), n)
                               for name, variant in (ours | peers).items()])
    return [row for row in rows if any(row[1:])]


def gpu_beside(name, peers, corner, columns, lines):
    """A row an input: the fastest peer, then each of ours with its ratio. Gkeys/s."""
    medians = Medians(name)
    rows = [["", corner] + list(columns)]
    for label, keys, n, rest in lines:
        peer = medians.fastest(peers, keys, n, **rest)
        row = [label, giga(peer, n)]
        for variant in columns.values():
            own = medians.ns(variant, keys, n, **rest)
            row.append(f"{giga(own, n)} ({times(peer, own)})" if own and peer else "")
        rows.append(row)
    return [row for row in rows if any(row[1:])]


def gpu_radix():
    columns = {"gpu/auto": "gpu/auto/auto", "msd_hybrid": "gpu/radix/msd_hybrid", "top_sweep": "gpu/radix/top_sweep",
               "onesweep": "gpu/radix/onesweep", "low_memory": "gpu/radix/low_memory"}
    lines = [(f"{keys}, {power(n)}", keys, n, {}) for keys in ("u32", "u64") for n in (1 << 24, 1 << 27, 1 << 30)]
    lines += [(f"{keys.replace('+', ' with ')} values, {power(n)}, stable", keys, n, {})
              for keys, n in (("u32+u32", 1 << 24), ("u32+u32", 1 << 27), ("u64+u32", 1 << 24), ("u64+u32", 1 << 27))]
    lines += [(f"{keys}, 2^27 (peer: CUB's radix sort)", keys, 1 << 27, {}) for keys in ("i32", "f32", "i64", "f64")]
    return gpu_beside("h200/radix", PEERS, "fastest peer", columns, lines)


def gpu_small():
    medians = Medians("h200/radix")
    rows = [["n"]]
    for keys in ("u32", "u64", "u32+u32"):
        rows[0] += [f"{keys.replace('+', ' + ')}: small", "fastest peer", ""]
    for n in [1 << exponent for exponent in range(10, 21, 2)]:
        row = [power(n)]
        for keys in ("u32", "u64", "u32+u32"):
            own = [medians.ns("gpu/radix/small", keys, n, launch=launch) for launch in ("stream", "graph")]
            peer = [medians.fastest(CUB, keys, n, launch=launch) for launch in ("stream", "graph")]
            row += [" / ".join(map(micro, own)), " / ".join(map(micro, peer)), " / ".join(map(times, peer, own))]
        rows.append(row)
    return rows


def gpu_comparison():
    columns = {"merge/multiway": "gpu/merge/multiway", "quick/sample": "gpu/quick/sample",
               "bitonic/v4_multi_step": "gpu/bitonic/v4_multi_step"}
    lines = [(f"{keys}, {power(n)}", keys, n, {}) for keys, exponents in
             (("u32", (14, 16, 18, 20, 22, 24, 26, 27, 28, 30)), ("u64", (14, 16, 18, 20, 22, 24, 26, 27, 28)))
             for n in [1 << exponent for exponent in exponents]]
    lines += [(f"{keys.replace('+', ' with ')} values, {power(n)}", keys, n, {})
              for keys in ("u32+u32", "u64+u32") for n in (1 << 20, 1 << 27)]
    return gpu_beside("h200/comparison", ["gpu/baselines/cub_merge", "gpu/baselines/cub_merge_native"], "CUB merge", columns, lines)


FUZZED = {
    "key_file": "key files: NumPy, SOSD, raw, text",
    "csv": "samples: read, summed up, compared, recommended from, resumed twice",
    "matrix": "matrix files, up to the plan",
    "selection": "sizes, distributions, types, threads, parameters as typed",
    "tune": "`tune.json`: read, written, read again",
    "plugin": "what a plug-in says of itself",
    "worker": "messages between sortlab and its worker process",
    "breakdown": "the CSV of kernels and copies",
    "report": "a folder for `sortlab report`: samples, `run.json`, breakdown, exhibits",
}


def fuzzers():
    rows = [["fuzzer", "input", "runs", "seconds", "faults mended", "revision"]]
    with open(ROOT / "results/fuzz/host.csv", newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            rows.append([f"`{row['fuzzer']}`", FUZZED[row["fuzzer"]], f"{int(row['runs']):,}", row["seconds"],
                         row["faults"], row["git_revision"]])
    return rows


GPU, CPU = ("h200/rivals", 0), ("xeon16/rivals", 16)  # the runs with all rivals, and their threads
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
    """A row a kind of keys: ours at each size, and how many times the best rival's that is."""
    found = beside_rivals(run, threads)
    rows = [[corner] + [size_label(1 << exponent) for exponent in exponents]]
    for keys in dict.fromkeys(keys for keys, _ in sorted(found, key=lambda at: ("+" in at[0], "f" in at[0], at[0]))):
        at = [found[keys, 1 << exponent] for exponent in exponents]
        rows.append([keys] + [f"{rate(s.ours_ns, s.input.n, threads)} ({s.ratio:.2f}x)" for s in at])
    return rows


def inside():
    """The rungs of each ladder from its foot; v0_one and v1_two as v0 to v1."""
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
    "inside": inside,
    "headlines": headlines,
    "over-rivals-gpu": lambda: over_the_best_rival(*GPU, "GPU, Gkeys/s", (20, 22, 24, 27)),
    "over-rivals-cpu": lambda: over_the_best_rival(*CPU, "CPU, 16 threads, Mkeys/s", (16, 20, 24)),
    "cpu-16-threads": cpu_all_threads,
    "cpu-one-thread": cpu_one_thread,
    "cpu-pairs": cpu_pairs,
    "cpu-distributions-u32": lambda: cpu_distributions("u32"),
    "cpu-amd": cpu_amd,
    "gpu-radix": gpu_radix,
    "gpu-small": gpu_small,
    "gpu-comparison": gpu_comparison,
    "fuzzers": fuzzers,
}


def markdown(rows):
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    lines.insert(1, "|" + "---|" * len(rows[0]))
    return "".join(re.sub(r" +(?= \|)", "", line) + "\n" for line in lines)


def renew(text):
    """The text with every marked table written anew, and the names of those that changed."""
    changed = []

    def table(match):
        name = match[1]
        if name not in TABLES:
            sys.exit(f"tables: no table '{name}', there are: {', '.join(TABLES)}")
        new = f"<!-- table: {name} -->\n{markdown(TABLES[name]())}"
        if new != match[0]:
            changed.append(name)
        return new

    return MARKED.sub(table, text), changed


def main(arguments):
    if arguments not in ([], ["--check"]):
        print("tables: usage: tables.py [--check]", file=sys.stderr)
        return 2
    wrong = False
    for document in DOCUMENTS:
        text, changed = renew((ROOT / document).read_text(encoding="utf-8"))
        wrong = wrong or bool(changed)
        if arguments:
            for name in changed:
                print(f"{document}: the table {name} is not what its file in results/ says")
        else:
            (ROOT / document).write_text(text, encoding="utf-8")
    return 1 if arguments and wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
