"""Measures NumPy's sort on one thread and writes a CSV like `sortlab run`: python bench/numpy_sort.py CSV.

numpy.sort is x86-simd-sort on CPUs with AVX2 or AVX-512. So this cross-checks the suite's clocks on a sort that the
suite does not contain. An existing CSV is continued, so that the plots show both. Every result is checked for order and
for being a permutation of its input.
"""

import argparse
import csv
import os
import sys
import time
import uuid
from datetime import datetime, timezone
from pathlib import Path

try:
    import numpy as np
except ImportError as error:
    sys.exit(f"numpy_sort: {error}: pip install numpy")

COLUMNS = (Path(__file__).resolve().parent.parent / "plots" / "columns.txt").read_text(encoding="utf-8").split()
TYPES = {"u32": np.uint32, "i32": np.int32, "u64": np.uint64, "i64": np.int64, "f32": np.float32, "f64": np.float64}
SIZES = [64 << 2 * i for i in range(11)]  # 64 .. 64M*4, as in bench/cpu-best.json
MOST_SAMPLES = 60  # of a configuration, as there
VERSIONS = 1 << 20  # keys in all: small inputs take turns


def main():
    parser = argparse.ArgumentParser(description="Measure numpy.sort on one thread, in sortlab's CSV.")
    parser.add_argument("csv", metavar="CSV", help="where the samples go; an existing file goes on")
    parser.add_argument("--type", nargs="+", choices=TYPES, default=["u32", "u64"])
    parser.add_argument("--n", nargs="+", type=int, default=SIZES)
    parser.add_argument("--time", type=float, default=0.1, help="seconds a configuration (default 0.1)")
    options = parser.parse_args()
    if options.csv.endswith(".xz"):
        sys.exit(f"numpy_sort: {options.csv}: .xz files are read, not written: name {options.csv[:-3]}")
    is_new = not os.path.exists(options.csv) or os.path.getsize(options.csv) == 0
    if not is_new:
        with open(options.csv, newline="", encoding="utf-8") as file:
            if next(csv.reader(file)) != COLUMNS:
                sys.exit(f"numpy_sort: {options.csv}: line 1: not a CSV of this schema; it is left untouched")
    with open(options.csv, "a", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n", restval="")
        if is_new:
            writer.writeheader()
        for key_type in options.type:
            for n in options.n:
                writer.writerows(measure(key_type, n, options.time))
                file.flush()


def measure(key_type, n, seconds):
    """The rows of one configuration; the last says why it ended."""
    inputs = [uniform(TYPES[key_type], n, 12345 + i) for i in range(max(1, min(256, VERSIONS // n)))]
    keys = np.empty_like(inputs[0])
    common = COMMON | {
        "config_id": f"numpy-{key_type}-{n}", "status": "ok", "algorithm": "baselines",
        "variant": "cpu/baselines/numpy_sort", "device": cpu_model(), "isa": isa(), "lib_version": f"NumPy {np.__version__}",
        "in_place": 1, "key_type": key_type, "n": n, "threads": 1, "sorted_ok": 1, "permutation_ok": 1,
    }
    common["load_1min"] = round(os.getloadavg()[0], 2)
    rows, began = [], time.monotonic()
    while not rows or not rows[-1]["reason"]:
        given = inputs[len(rows) % len(inputs)]
        keys[:] = given
        start = time.perf_counter_ns()
        keys.sort()
        total_ns = time.perf_counter_ns() - start
        if not is_sorted_form(keys, given):
            raise SystemExit(f"numpy_sort: wrong result: {key_type}, n = {n}")
        reason = ""
        if len(rows) >= 2 and time.monotonic() - began >= seconds:
            reason = "time limit"
        if len(rows) + 1 == MOST_SAMPLES:
            reason = "sample limit"
        rows.append(common | {"ts_utc": datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"), "rep": len(rows),
                              "total_ns": total_ns, "reason": reason})
    return rows


def is_sorted_form(keys, given):
    """In order, and the same multiset: sum and xor of hashed bits, as common/harness/verify/verify.hpp has them."""

    def fingerprint(items):
        bits = items.view(f"u{items.itemsize}").astype(np.uint64)
        bits *= np.uint64(0x9E3779B97F4A7C15)
        bits ^= bits >> np.uint64(32)
        return bits.sum(dtype=np.uint64), np.bitwise_xor.reduce(bits)

    return bool(np.all(keys[:-1] <= keys[1:])) and fingerprint(keys) == fingerprint(given)


def uniform(dtype, n, seed):
    """All bit patterns are equally likely; floats are between 0 and 1, for which < gives the order."""
    random = np.random.default_rng(seed)
    if np.issubdtype(dtype, np.floating):
        return random.random(n, dtype=dtype)
    info = np.iinfo(dtype)
    return random.integers(info.min, info.max, size=n, dtype=dtype, endpoint=True)


def cpu_model():
    with open("/proc/cpuinfo", encoding="utf-8") as lines:
        return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), "unknown CPU")


def isa():
    """The best instruction set of this CPU for which NumPy has sorts."""
    core = getattr(np, "_core", None) or np.core  # since NumPy 2, before
    has = core._multiarray_umath.__cpu_features__.get
    return "avx512" if has("AVX512_SKX") else "avx2" if has("AVX2") else "scalar"


RUN = datetime.now(timezone.utc).strftime("%Y%m%dT%H%M%SZ-") + uuid.uuid4().hex[:6]
# What rows of sorts by other people have in common.
COMMON = {
    "schema_version": 1, "run_id": RUN, "stable": 0, "in_place": 0, "value_bytes": 0, "order": "asc", "dist": "uniform",
    "seed": 12345, "pinned_threads": 0, "host_mem": "none", "temp_policy": "per_call", "cache": "hot", "launch": "stream",
    "load": 0,
}

if __name__ == "__main__":
    main()
