"""The tables of docs/results/ for CPUs: the fastest sorts by size, threads and distribution, and the first rungs."""

import json

from medians import ROOT, Medians, mega, short
from standings import ONE_THREAD

OURS = ["cpu/auto/auto", "cpu/radix/simd", "cpu/quick/simd", "cpu/quick/in_place", "cpu/merge/simd", "cpu/bitonic/simd",
        "cpu/radix/hybrid"]
EARLIER = ["cpu/radix/parallel", "cpu/quick/parallel", "cpu/merge/parallel", "cpu/bitonic/parallel"]
LIBRARIES = ["cpu/baselines/boost_block_indirect_sort", "cpu/baselines/gnu_parallel_sort", "cpu/baselines/tbb_parallel_sort",
             "cpu/std_sort/parallel"]
VQSORT = "cpu/baselines/vqsort"


def points(keys, *exponents, threads):
    """The keys, n and threads of each column."""
    return [(keys, 1 << exponent, threads) for exponent in exponents]


def rates(run, corner, columns, variants):
    """A row per variant, in Mkeys/s. A header names keys and threads where they differ from the column before's."""
    medians = Medians(run)
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


def all_threads(keys, *exponents):
    return rates("xeon16/cpu", "keys", points(keys, *exponents, threads=16), OURS + EARLIER + LIBRARIES)


def one_thread(keys, *exponents):
    return rates("xeon16/cpu", "keys", points(keys, *exponents, threads=1), OURS + [VQSORT])


def pairs(threads, *columns):
    columns = [column for keys, exponents in columns for column in points(keys, *exponents, threads=threads)]
    return rates("xeon16/cpu", "pairs with u32 values", columns, ["cpu/auto/auto", "cpu/radix/pairs", "cpu/radix/hybrid"])


def zen5(keys, one, two):
    return rates("zen5/cpu", "keys", points(keys, *one, threads=1) + points(keys, *two, threads=2), OURS + [VQSORT])


def by_threads():
    medians, n, counts = Medians("xeon16/cpu"), 1 << 26, (1, 2, 4, 8, 16)
    rows = [["threads"] + [str(count) for count in counts]]
    for variant in ("cpu/radix/simd", "cpu/quick/simd", "cpu/merge/simd"):
        rows.append([variant] + [mega(medians.ns(variant, "u32", n, threads=count), n) for count in counts])
    return rows


DISTRIBUTIONS = {
    "sorted": "sorted", "reversed": "reverse", "equal": "equal", "nearly sorted": "nearly", "organ pipe": "organpipe",
    "sawtooth": "sawtooth", "16 values": "dups16", "95 % one value": "p5", "root dups": "rootdups",
    "eight dups": "eightdups", "Zipf": "zipf:0.75", "exponential": "exponential", "normal": "gaussian",
    "staggered": "staggered", "AND of 3 words": "entropy3", "median-of-3 killer": "killer3",
}


def distributions(keys):
    """Our figure, and the fastest library's with its name."""
    medians, n = Medians("xeon16/cpu"), 1 << 26
    ours = {"auto": "cpu/auto/auto", "radix/simd": "cpu/radix/simd", "quick/simd": "cpu/quick/simd",
            "in_place": "cpu/quick/in_place", "merge/simd": "cpu/merge/simd"}
    peers = {"Boost": LIBRARIES[0], "GNU": LIBRARIES[1], "VQSort": VQSORT}
    rows = [["", *ours, "fastest library"]]
    for label, dist in DISTRIBUTIONS.items():
        cells = [mega(medians.ns(variant, keys, n, dist, 16), n) for variant in ours.values()]
        times = {}
        for name, variant in peers.items():
            alone = medians.has_one_thread(variant)
            if ns := medians.ns(variant, keys, n, dist, 1 if alone else 16):
                times[ns] = f"{mega(ns, n)}, {name}{ONE_THREAD if alone else ''}"
        if any(cells):
            rows.append([label, *cells, times[min(times)] if times else ""])
    return rows


def first_rungs():
    """Milliseconds of naive, optimized and parallel, as published and on two machines, and how much faster the later ones are."""
    published = json.loads((ROOT / "bench/papers/goralija.json").read_text(encoding="utf-8"))
    table = next(exhibit for exhibit in published["exhibits"] if exhibit["id"] == "goralija-table-1")
    source = {row["variant"][0].split("/")[1]: row["published"][:3] for row in table["rows"] if "n" not in row}
    machines = {"2 threads": (Medians("amd2/table1"), 2), "16 threads": (Medians("h200/cpu"), 16)}
    rows = [["", "source, ms", *(f"{machine}, ms" for machine in machines), "optimized over naive", "parallel over naive"]]
    for algorithm, values in source.items():
        times = [values]
        for medians, threads in machines.values():
            times.append([medians.ns(f"cpu/{algorithm}/{rung}", "u32", 1 << 24, threads=threads if rung == "parallel" else 1) / 1e6
                          for rung in ("naive", "optimized", "parallel")])
        rows.append([algorithm, *(" / ".join(f"{ms:.0f}" for ms in row) for row in times),
                     *(" / ".join(f"{row[0] / row[rung]:.1f}x" for row in times) for rung in (1, 2))])
    return rows


def zen4_radix():
    """Mkeys/s on one thread and on two."""
    medians, n = Medians("amd2/radix"), 1 << 24
    kinds = ("u32", "u64", "f32", "f64", "u32+u32", "u64+u32")
    rows = [["", *(kind.replace("+", " + ") for kind in kinds)]]
    for variant in ("cpu/radix/optimized", "cpu/radix/parallel", "cpu/radix/hybrid", VQSORT, "cpu/baselines/tbb_parallel_sort"):
        alone = medians.has_one_thread(variant)
        counts = (1,) if alone else (1, 2)
        rows.append([variant + (ONE_THREAD if alone else "")] +
                    [" / ".join(mega(medians.ns(variant, kind, n, threads=count), n) for count in counts) for kind in kinds])
    return rows


def zen4_distributions():
    medians, n = Medians("amd2/radix"), 1 << 24
    columns = [(name, keys) for keys in ("u32", "u64") for name in ("parallel", "hybrid")]
    rows = [[""] + [f"cpu/radix/{name}, {keys}" for name, keys in columns]]
    for dist in ("sorted", "reverse", "equal", "nearly", "organpipe", "zipf:1.0", "gaussian", "exponential", "entropy3", "dups16"):
        rows.append([dist] + [mega(medians.ns(f"cpu/radix/{name}", keys, n, dist, 2), n) for name, keys in columns])
    return rows


def segments():
    """Mkeys/s on one thread."""
    medians, n = Medians("amd2/segments"), 1 << 20
    rows = [["lengths", "std::sort in a loop", "one_sort", "loop", "columns", "auto", "auto, u64"]]
    variants = ("baselines/std_sort_segments", "segments/one_sort", "segments/loop", "segments/columns", "segments/auto")
    for lengths in ("rows:4", "rows:8", "rows:16", "rows:32", "rows:64", "exponential:16", "exponential:1000", "giant:10"):
        cells = [("u32", variant) for variant in variants] + [("u64", "segments/auto")]
        rows.append([f"`{lengths}`"] + [mega(medians.ns(f"cpu/{variant}", keys, n, f"uniform, {lengths}", 1), n)
                                        for keys, variant in cells])
    return rows


def segments_16_threads():
    """Mkeys/s on 16 threads, and how many times as fast as one."""
    medians, counts = Medians("xeon16/segments"), (1 << 20, 1 << 24)
    sorts = ("baselines/std_sort_segments_openmp", "segments/columns", "segments/auto")
    rows = [["lengths", *(f"{short(n)}: {name}" for n in counts for name in ("std::sort", "columns", "auto")), "auto over one thread"]]
    for lengths in ("rows:8", "rows:64", "rows:1000", "exponential:16", "exponential:1000", "exponential:16000", "power:100", "giant:10"):
        ns = {(variant, n, threads): medians.ns(f"cpu/{variant}", "u32", n, f"uniform, {lengths}", threads)
              for n in counts for variant in sorts for threads in (1, 16)}
        auto = sorts[-1]
        rows.append([f"`{lengths}`", *(mega(ns[variant, n, 16], n) for n in counts for variant in sorts),
                     ", ".join(f"{ns[auto, n, 1] / ns[auto, n, 16]:.1f}" for n in counts)])
    return rows


TABLES = {
    "cpu-16-threads-u32": lambda: all_threads("u32", 16, 18, 20, 22, 24, 26, 27),
    "cpu-16-threads-u64": lambda: all_threads("u64", 20, 24, 27),
    "cpu-one-thread-small": lambda: one_thread("u32", 6, 8, 10, 12, 14),
    "cpu-one-thread-large": lambda: one_thread("u32", 16, 18, 20, 22, 24, 26),
    "cpu-one-thread-u64": lambda: one_thread("u64", 10, 16, 24),
    "cpu-pairs-16-threads": lambda: pairs(16, ("u32+u32", (16, 20, 24, 27)), ("u64+u32", (20, 24, 27))),
    "cpu-pairs-one-thread": lambda: pairs(1, ("u32+u32", (16, 24)), ("u64+u32", (16, 24))),
    "cpu-by-threads": by_threads,
    "cpu-distributions-u32": lambda: distributions("u32"),
    "zen5-u32": lambda: zen5("u32", (8, 12, 16, 20, 24), (20, 24)),
    "zen5-u64": lambda: zen5("u64", (12, 16, 20, 24), (24,)),
    "first-rungs": first_rungs,
    "zen4-radix": zen4_radix,
    "zen4-distributions": zen4_distributions,
    "segments": segments,
    "segments-16-threads": segments_16_threads,
}
