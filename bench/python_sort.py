"""Measures sortlab's Python package against NumPy, PyTorch and CuPy, and writes a CSV: python bench/python_sort.py CSV.

The sorts of a case take turns in one process; a figure is the median of the rounds. Every result is verified. Cases of a
library that is not installed, or that finds no GPU, are left out. Times are those of the whole Python call, with a new
array for the result. On the GPU a time ends when the GPU has finished; `queue` is a call's share of many that are
enqueued before the program waits once.
"""

import argparse
import csv
import os
import pathlib
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Callable

try:
    import numpy as np
    import sortlab
except ImportError as error:
    sys.exit(f"python_sort: {error}: pip install . in a checkout of sortlab")
try:
    import torch
except ImportError:
    torch = None
try:
    import cupy
    cupy.cuda.runtime.getDevice()
except Exception:  # not installed, or without a GPU, which is an exception of CuPy's
    cupy = None

from numpy_sort import TYPES as WIDE_TYPES, cpu_model, uniform

TYPES = WIDE_TYPES | {"u8": np.uint8, "u16": np.uint16, "f16": np.float16}
COLUMNS = ("ts_utc,revision,cpu,gpu,versions,call,sort,threads,key_type,n,rounds,median_ns,least_ns,most_ns,mkeys_per_s,"
           "over_first,goal,load_1min").split(",")
BATCH_NS = 2_000_000  # short calls are timed together
POOL_KEYS = 1 << 16   # short calls take turns on inputs of so many keys in all


@dataclass
class Sort:
    """One of the sorts of a case. `goal`: by which factor it is to be faster than the case's first sort."""

    name: str
    call: Callable
    threads: str = ""
    goal: float = 0


@dataclass
class Case:
    call: str
    key_type: str
    inputs: list  # arrays of the same size; short calls take turns on them
    sorts: list
    verify: Callable  # (input, result) -> whether it is right
    finish: Callable = lambda: None  # waits for the GPU
    batch: int = 0  # calls before each finish(); 0: as many as take BATCH_NS, for the CPU


def main():
    parser = argparse.ArgumentParser(description="Measure sortlab's Python package against NumPy, PyTorch and CuPy.")
    parser.add_argument("csv", metavar="CSV", help="where the medians go; rows are appended to an existing file")
    parser.add_argument("--only", nargs="+", choices=CASES, default=list(CASES), help="parts to measure (default: all)")
    parser.add_argument("--threads", type=int, default=min(16, len(os.sched_getaffinity(0))),
                        help="of sortlab's calls on many CPUs (default 16, or all CPUs)")
    parser.add_argument("--rounds", type=int, default=7, help="of each case (default 7; 3 where a round takes seconds)")
    parser.add_argument("--most", type=int, default=1 << 27, help="leave out larger inputs (default 2^27)")
    parser.add_argument("--revision", default=revision(), help="of sortlab (default: that of this checkout)")
    options = parser.parse_args()
    if options.threads < 1 or options.rounds < 1:
        parser.error("--threads and --rounds must be at least 1")
    about = {"revision": options.revision, "cpu": cpu_model(), "gpu": gpu_model(), "versions": versions()}
    print(" ".join(f"{name}: {text};" for name, text in about.items()), flush=True)
    is_new = not os.path.exists(options.csv) or os.path.getsize(options.csv) == 0
    wrong = 0
    with open(options.csv, "a", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        if is_new:
            writer.writeheader()
        for part in options.only:
            for case in CASES[part](options):
                wrong += measure(case, options.rounds, writer, about)
                file.flush()
    return 1 if wrong else 0


def measure(case, rounds, writer, about):
    """Writes a row for each sort. Returns how many gave wrong results."""
    wrong = [sort.name for sort in case.sorts if not case.verify(case.inputs[0], sort.call(case.inputs[0]))]
    for name in wrong:
        print(f"WRONG RESULT: {case.call} {case.key_type} n = {case.inputs[0].size}: {name}", flush=True)
    batches = [case.batch or batch_of(case, sort) for sort in case.sorts]
    times = [[] for _ in case.sorts]
    began = time.monotonic()
    while len(times[0]) < rounds and not (len(times[0]) >= 3 and time.monotonic() - began > 4):
        for sort, batch, found in zip(case.sorts, batches, times):
            found.append(time_of(case, sort, batch))
    n = len(case.inputs[0])
    first = statistics.median(times[0])
    for sort, found in zip(case.sorts, times):
        median = statistics.median(found)
        verdict = "" if not sort.goal else f"goal {sort.goal}x: {'met' if first / median >= sort.goal else 'MISSED'}"
        print(f"{case.call:22} {case.key_type} {n:>10} {sort.name:20} {sort.threads:>3} {median / 1000:12.2f} us "
              f"{n / median * 1000:9.1f} Mkeys/s {first / median:7.2f}x {verdict}", flush=True)
        if sort.name not in wrong:
            writer.writerow(about | {
                "ts_utc": datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"), "call": case.call, "sort": sort.name,
                "threads": sort.threads, "key_type": case.key_type, "n": n, "rounds": len(found),
                "median_ns": round(median), "least_ns": round(min(found)), "most_ns": round(max(found)),
                "mkeys_per_s": f"{n / median * 1000:.1f}", "over_first": f"{first / median:.3f}", "goal": sort.goal or "",
                "load_1min": round(os.getloadavg()[0], 2)})
    return len(wrong)


def batch_of(case, sort):
    """As many calls as take BATCH_NS, in whole turns over the inputs."""
    turns = len(case.inputs)
    once = min(time_of(case, sort, turns) for _ in range(3))
    return turns * max(1, round(BATCH_NS / (once * turns)))


def time_of(case, sort, batch):
    """Nanoseconds per call."""
    call, inputs = sort.call, case.inputs
    case.finish()
    if len(inputs) == 1:
        start = time.perf_counter_ns()
        for _ in range(batch):
            result = call(inputs[0])
    else:
        start = time.perf_counter_ns()
        for _ in range(max(1, batch // len(inputs))):
            for a in inputs:
                result = call(a)
    case.finish()
    total = time.perf_counter_ns() - start
    del result
    return total / batch


def pool(key_type, n):
    def keys(seed):  # NumPy makes no random halves
        return uniform(np.float32, n, seed).astype(np.float16) if key_type == "f16" else uniform(TYPES[key_type], n, seed)
    return [keys([12345, i]) for i in range(max(1, min(64, POOL_KEYS // n)))]


def is_sorted_form(a, found):
    return np.array_equal(found, np.sort(a))


def is_order(a, order):
    """Whether `order` sorts `a`."""
    taken = a[order]
    return bool(np.all(taken[:-1] <= taken[1:])) and len(np.unique(order)) == len(a)


def numpy_cases(options):
    for key_type in ("u32", "u64", "f32", "f64"):
        for n in (1, 1000, 1 << 16, 1 << 20, 1 << 24):  # one key: what a call costs
            if n > options.most:
                continue
            sorts = [Sort("numpy.sort", np.sort, "1"),
                     Sort("sortlab.sort", lambda a: sortlab.sort(a, threads=1), "1", 1.3 if n > 1 else 0)]
            if n >= 1 << 16 and options.threads > 1:
                sorts.append(Sort("sortlab.sort", lambda a: sortlab.sort(a, threads=options.threads), str(options.threads),
                                  10 if n == 1 << 24 else 0))
            yield Case("sort", key_type, pool(key_type, n), sorts, is_sorted_form)
    for key_type in ("u8", "u16", "f16"):
        for n in (1000, 1 << 16, 1 << 20, 1 << 24):
            if n <= options.most:
                yield Case("sort", key_type, pool(key_type, n), [
                    Sort("numpy.sort", np.sort, "1"), Sort("sortlab.sort", lambda a: sortlab.sort(a, threads=1), "1")],
                    is_sorted_form)
    for key_type in ("u32", "f64"):
        n = 1 << 24
        if n <= options.most:
            yield Case("argsort", key_type, pool(key_type, n), [
                Sort("numpy.argsort", np.argsort, "1"),
                Sort("sortlab.argsort", lambda a: sortlab.argsort(a, threads=1), "1"),
                *([Sort("sortlab.argsort", lambda a: sortlab.argsort(a, threads=options.threads), str(options.threads), 20)]
                  if options.threads > 1 else []),
            ], is_order)


def torch_cpu_cases(options):
    if torch is None:
        return
    torch.set_num_threads(options.threads)
    for key_type, n in (("f32", 1000), ("f32", 1 << 20), ("f32", 1 << 24), ("i64", 1 << 24)):
        if n <= options.most:
            inputs = [torch.from_numpy(a) for a in pool(key_type, n)]
            yield Case("sort with indices", key_type, inputs, [
                Sort("torch.sort", torch.sort, str(options.threads)),
                Sort("sortlab.sort", lambda a: sortlab.sort(a, return_indices=True, threads=options.threads),
                     str(options.threads), 100 if n == 1 << 24 else 0),
            ], is_torch_result)


def is_torch_result(a, found):
    values, indices = found
    return torch.equal(a[indices], values) and bool((values[:-1] <= values[1:]).all())


def on_gpu(a):
    """Whether sortlab takes arrays on a GPU; a line if not."""
    try:
        sortlab.sort(a)
    except TypeError as error:
        print(f"python_sort: {error}", file=sys.stderr)
        return False
    return True


def cupy_cases(options):
    if cupy is None or not on_gpu(cupy.arange(2)):
        return
    finish = cupy.cuda.Device().synchronize

    def is_same(a, found):
        return bool((found == cupy.sort(a)).all())

    def is_same_order(a, order):
        return bool((a[order] == cupy.sort(a)).all()) and bool((cupy.bincount(order, minlength=len(a)) == 1).all())
    for key_type in ("u32", "u64", "f32", "f64"):
        for n in (1000, 1 << 20, 1 << 24, 1 << 27):
            if n > options.most:
                continue
            a = cupy.asarray(uniform(TYPES[key_type], n, 12345))
            goal = 2 if n in (1000, 1 << 27) else 0
            for call, batch in (("cupy sort", 1), ("cupy sort, queue", 200)):
                if batch == 1 or n == 1000:
                    yield Case(call, key_type, [a], [Sort("cupy.sort", cupy.sort), Sort("sortlab.sort", sortlab.sort, "", goal)],
                               is_same, finish, batch)
            if key_type in ("u32", "f32", "u64"):
                yield Case("cupy argsort", key_type, [a], [
                    Sort("cupy.argsort", cupy.argsort), Sort("sortlab.argsort", sortlab.argsort, "", 1.5)],
                    is_same_order, finish, 1)
    del a
    cupy.get_default_memory_pool().free_all_blocks()


def torch_gpu_cases(options):
    if torch is None or not torch.cuda.is_available() or not on_gpu(torch.arange(2, device="cuda")):
        return

    def with_indices(a):
        return sortlab.sort(a, return_indices=True)
    for key_type in ("f32", "i64"):
        for n in (1000, 1 << 20, 1 << 24, 1 << 27):
            if n > options.most:
                continue
            a = torch.from_numpy(uniform(TYPES[key_type], n, 12345)).cuda()
            for call, batch in (("torch cuda sort", 1), ("torch cuda sort, queue", 200)):
                if batch == 1 or n == 1000:
                    yield Case(call, key_type, [a], [Sort("torch.sort", torch.sort), Sort("sortlab.sort", with_indices, "", 1.5)],
                               is_torch_result, torch.cuda.synchronize, batch)


def revision():
    """The revision of this checkout, marked if its files differ from it."""
    folder = pathlib.Path(__file__).resolve().parent
    done = subprocess.run(["git", "-C", str(folder), "describe", "--always", "--dirty", "--abbrev=12"], text=True,
                          capture_output=True)
    return done.stdout.strip() if done.returncode == 0 else f"sortlab {sortlab.__version__}"


def gpu_model():
    if torch is not None and torch.cuda.is_available():
        return torch.cuda.get_device_name()
    return "" if cupy is None else cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()


def versions():
    found = [f"Python {sys.version.split()[0]}", f"NumPy {np.__version__}"]
    found += [f"PyTorch {torch.__version__}"] if torch is not None else []
    return ", ".join(found + ([f"CuPy {cupy.__version__}"] if cupy is not None else []))


CASES = {"numpy": numpy_cases, "torch": torch_cpu_cases, "cupy": cupy_cases, "torch-cuda": torch_gpu_cases}

if __name__ == "__main__":
    sys.exit(main())
