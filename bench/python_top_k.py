"""Measures sortlab.partition, argpartition and topk on a CPU beside NumPy and PyTorch: python bench/python_top_k.py CSV.

The calls of a case take turns in one process; a figure is the median of the rounds, of whole Python calls with new arrays
for the results. Every result is verified. `one` is on one thread, `all` on --threads; NumPy has one thread. Without
PyTorch, topk is measured beside numpy.argpartition, whose best are then sorted.
"""

import argparse
import csv
import os
import statistics
import sys
import time

try:
    import numpy as np
    import sortlab
except ImportError as error:
    sys.exit(f"python_top_k: {error}: pip install . in a checkout of sortlab")
try:
    import torch
except ImportError:
    torch = None

from numpy_sort import cpu_model
from python_sort import revision

COLUMNS = "revision,cpu,versions,call,dtype,dist,shape,k,other,other_one_us,other_all_us,sortlab_one_us,sortlab_all_us,verified".split(",")
DTYPES = ("f4", "f8", "i8", "u4")
DISTS = {
    "uniform": lambda rng, n: rng.random(n),
    "normal": lambda rng, n: rng.standard_normal(n) / 8 + 0.5,
    "sorted": lambda rng, n: np.arange(n) / n,
    "reverse": lambda rng, n: np.arange(n, 0, -1) / n,
    "equal": lambda rng, n: np.full(n, 0.5),
    "organpipe": lambda rng, n: np.minimum(np.arange(n), np.arange(n, 0, -1)) / n,
    "nearly": lambda rng, n: np.where(rng.random(n) < 0.01, rng.random(n), np.arange(n) / n),
    "dups16": lambda rng, n: rng.integers(0, 16, n) / 16,
}
SHAPES = ((100_000, 16, 4), (4096, 256, 8), (1024, 1024, 32), (64, 131_072, 50), (8, 32_768, 50))


def main():
    parser = argparse.ArgumentParser(description="Measure sortlab's partition, argpartition and topk beside NumPy and PyTorch.")
    parser.add_argument("csv", metavar="CSV", help="where the medians go; rows are appended to an existing file")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)), help="of `all` (default: all CPUs)")
    parser.add_argument("--dists", nargs="+", choices=DISTS, default=["uniform"], help="of the arrays (default: uniform)")
    parser.add_argument("--types", nargs="+", choices=DTYPES, default=DTYPES)
    parser.add_argument("--sizes", nargs="*", type=float, default=[1e4, 1e6, 1e7], help="of arrays (default: 1e4 1e6 1e7)")
    parser.add_argument("--rows", action="store_true", help="measure rows, too")
    parser.add_argument("--rounds", type=int, default=9, help="of each case at most (default 9)")
    parser.add_argument("--revision", default=revision(), help="of sortlab (default: that of this checkout)")
    options = parser.parse_args()
    versions = f"NumPy {np.__version__}" + (f", PyTorch {torch.__version__}" if torch is not None else "")
    about = {"revision": options.revision, "cpu": cpu_model(), "versions": versions}
    wrong = 0
    is_new = not os.path.exists(options.csv)
    with open(options.csv, "a", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        if is_new:
            writer.writeheader()
        for case in cases(options):
            row = about | measure(case, options)
            wrong += row["verified"] != "yes"
            writer.writerow(row)
            file.flush()
            print(*(row[name] for name in COLUMNS[3:]), flush=True)
    return 1 if wrong else 0


def cases(options):
    if options.rows:
        for rows, columns, k in SHAPES:
            for dtype in ("f4", "bf16") if torch is not None else ("f4",):
                yield from calls_on(dtype, "uniform", (rows, columns), [k])
    for n in map(int, options.sizes):
        for dtype in options.types:
            for dist in options.dists:
                yield from calls_on(dtype, dist, (n,), [10, n // 2])


def calls_on(dtype, dist, shape, ks):
    keys = keys_of(dtype, dist, shape)
    if dtype != "bf16":
        for k in ks:
            yield "partition", dtype, dist, shape, k, keys
            yield "argpartition", dtype, dist, shape, k, keys
    yield "topk", dtype, dist, shape, min(50, ks[0]) if len(shape) == 2 else 50, keys


def keys_of(dtype, dist, shape):
    n = int(np.prod(shape))
    numbers = DISTS[dist](np.random.default_rng(12345), n).reshape(shape)
    if dtype == "bf16":
        return torch.from_numpy(numbers).to(torch.bfloat16)
    return (numbers * (2**31 if dtype[0] in "iu" else 1)).astype(dtype)


def measure(case, options):
    call, dtype, dist, shape, k, keys = case
    other, others, own = others_of(call, keys, k, options.threads)
    found = own(1)()
    verified = all(is_right(call, keys, k, result) for result in (found, own(options.threads)()))
    sorts = {"other_one_us": others(1), "sortlab_one_us": own(1), "sortlab_all_us": own(options.threads)}
    if other == "torch":
        sorts["other_all_us"] = others(options.threads)
    batch = max(1, min(200, int(20_000 / np.prod(shape))))
    times = {name: [] for name in sorts}
    began = time.monotonic()
    for _ in range(options.rounds):
        for name, sort in sorts.items():
            if torch is not None:
                torch.set_num_threads(1 if "one" in name else options.threads)
            sort()
            start = time.perf_counter_ns()
            for _ in range(batch):
                sort()
            times[name].append((time.perf_counter_ns() - start) / batch)
        if time.monotonic() - began > 1.2:
            break
    medians = {name: round(statistics.median(found) / 1000, 1) for name, found in times.items()}
    return {"call": call, "dtype": dtype, "dist": dist, "shape": "x".join(map(str, shape)), "k": k, "other": other,
            "other_all_us": "", "verified": "yes" if verified else "NO"} | medians


def others_of(call, keys, k, threads):
    """The name of the other call, the call for a number of threads, and sortlab's."""
    if call != "topk":
        rival, own = getattr(np, call), getattr(sortlab, call)
        return "numpy", lambda _: lambda: rival(keys, k), lambda threads: lambda: own(keys, k, threads=threads)
    if torch is None or keys.dtype == np.uint32:
        rival = lambda _: lambda: numpy_topk(keys, k)
        return "numpy", rival, lambda threads: lambda: sortlab.topk(keys, k, threads=threads)
    tensor = keys if isinstance(keys, torch.Tensor) else torch.from_numpy(keys)
    return "torch", lambda _: lambda: torch.topk(tensor, k), lambda threads: lambda: sortlab.topk(tensor, k, threads=threads)


def numpy_topk(keys, k):
    n = keys.shape[-1]
    best = np.argpartition(keys, n - k, -1)[..., n - k:]
    values = np.take_along_axis(keys, best, -1)
    order = np.argsort(values, -1)[..., ::-1]
    return np.take_along_axis(values, order, -1), np.take_along_axis(best, order, -1)


def as_numpy(a):
    if isinstance(a, np.ndarray):
        return a
    return (a.float() if a.dtype == torch.bfloat16 else a).numpy()


def is_right(call, keys, k, found):
    if call == "topk":
        keys, values, places = as_numpy(keys), *map(as_numpy, found)
        n = keys.shape[-1]
        best = np.sort(np.partition(keys, n - k, -1)[..., n - k:], -1)[..., ::-1]
        return bool((values == best).all() and (np.take_along_axis(keys, places, -1) == values).all())
    taken = found if call == "partition" else np.take_along_axis(keys, found, -1)
    is_permutation = call == "partition" or bool((np.sort(found, -1) == np.arange(keys.shape[-1])).all())
    at = taken[..., k:k + 1]
    return is_permutation and bool((at == np.partition(keys, k, -1)[..., k:k + 1]).all() and (taken[..., :k] <= at).all() and
                                   (taken[..., k:] >= at).all())


if __name__ == "__main__":
    sys.exit(main())
