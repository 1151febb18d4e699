"""How fast the sorts over several GPUs of a host are: a model in a few constants, measured on one GPU and on two.

    python3 plots/devices_model.py CONSTANTS.csv          a table: Gkeys/s of each rung on 1, 2, 4 and 8 GPUs
    python3 plots/devices_model.py --fit FILE...          constants from samples and breakdowns of `sortlab run`, into
                                                          devices_model.csv beside the first file
    python3 plots/devices_model.py --predict CONSTANTS.csv   as CSV, what bench/over_gpus.json is to measure on 4 and 8 GPUs

A constant is a row of CONSTANTS.csv, as for plots/ranks_model.py. NEEDED says which run brings each of them. Keys are
uniform; a GPU holds as many before the sort as any other. They are u32 where nothing else is said; of u64 keys and of pairs,
u32 with u32 values, the model knows gather and fused alone.

    merge      sort | splitters | exchange | log2 P merge passes
    partition  splitters | count | deal | piece 0 arrives | sort of piece 0 | sort of piece 1 ...
                                                          | piece 1 arrives | ...
    fused      plan | count | scatter, piece 0 stored     | count, scatter, leaves of piece 0 | of piece 1 ...
                                                          | piece 1 arrives | ...
    over ranks the same steps one after the other: NCCL's kernels and those of a sort, side by side, take as long as in turn
    (results/h200/attempts/fused.4.txt)
    pairs      as in partition; fused stores some of their pieces
"""

import csv
import math
import sys
from collections import defaultdict
from pathlib import Path
from statistics import median
from typing import NamedTuple

from model_constants import BadFile, read_constants, time_text, write_constants
from packed import PackError, open_text

GPUS = (1, 2, 4, 8)


class Items(NamedTuple):
    """What is sorted, and what its constants' names begin with."""
    prefix: str
    key_type: str
    value_bytes: int
    bytes: int  # of an item
    sizes: tuple  # numbers of items whose local sort is a constant


def _powers(*exponents):
    return tuple(1 << exponent for exponent in exponents)


U32 = Items("", "u32", 0, 4, _powers(20, 22, 24, 26, 27, 28, 30))
U64 = Items("u64_", "u64", 0, 8, _powers(24, 26, 27, 28, 29, 30))
PAIRS = Items("pairs_", "u32", 4, 8, _powers(24, 26, 27, 29, 30))
OTHERS = (U64, PAIRS)
RUNGS = ("multi/gather", "multi/merge", "multi/partition", "multi/fused", "ranks/merge", "ranks/partition")
# gpu/parts/partition.cuh: cut_for()
MOST_OF_PIECE, LEAST_OF_PIECE, ENOUGH_PIECES = 1 << 27, 1 << 24, 4
MOST_OF_PAIRS_PIECE = MOST_OF_PIECE // 2
# gpu/parts/bins.cuh: cut_into_bins()
BINS_PIECES, BINS_PIECES_FROM = 3, 1 << 27
STORED_OF = 4  # gpu/multi/fused.cu: of so many pieces of pairs one is stored
MULTI = "sortlab run --filter 'gpu/multi/*' --devices 2 --n 1G"


def _sorted_by_one(items, flags, sizes):
    run = f"sortlab run --filter gpu/auto/stable{flags} --n {sizes}"
    return {f"{items.prefix}sort_{n}": ("s", run) for n in items.sizes}


def _bins(items, run):
    return {items.prefix + name: ("keys/s of a GPU", run) for name in ("count_bins", "scatter_bins", "leaves")}


NEEDED = {  # unit, and the run that brings it
    **_sorted_by_one(U32, "", "1M,4M,16M,64M,128M,256M,1G"),
    "splitters": ("s", "sortlab run --filter gpu/multi/merge --devices 2 --n 128K"),
    "merge": ("keys/s of a GPU and pass", f"{MULTI} --breakdown"),
    "count": ("keys/s of a GPU", f"{MULTI} --breakdown"),
    "deal": ("keys/s of a GPU", f"{MULTI} --breakdown"),
    "plan": ("s", "sortlab run --filter gpu/multi/fused --devices 2 --n 2M"),
    **_bins(U32, f"{MULTI} --breakdown"),
    "copy_link": ("bytes/s that a GPU sends by copy engines", f"{MULTI} --breakdown"),
    "store_link": ("bytes/s that a GPU sends by stores",
                   "sortlab run --filter gpu/multi/fused --devices 2 --n 1G --param stored=64, with and without --breakdown"),
    "nccl_link": ("bytes/s that a GPU sends over NCCL", "sortlab run --filter gpu/ranks/merge --ranks 2 --n 1G"),
    "imbalance": ("largest part / mean", MULTI),
    **_sorted_by_one(U64, " --type u64", "16M,64M,128M,256M,512M,1G"),
    **_bins(U64, "sortlab run --filter gpu/multi/fused --devices 2 --type u64 --n 1G --breakdown"),
    **_sorted_by_one(PAIRS, " --pairs", "16M,64M,128M,512M,1G"),
    **{f"pairs_{name}": ("pairs/s of a GPU", "sortlab run --filter gpu/multi/fused --devices 2 --pairs --n 512M --breakdown")
       for name in ("count", "deal")},
    **{f"host_{memory}": ("bytes/s each way of a GPU, of two",
                          f"sortlab run --filter gpu/host/spread --devices 2 --host-mem {memory} --n 1G")
       for memory in ("pinned", "staged")}}
ASSUMED = {"host_memory": ("bytes/s each way of all GPUs of a host", 1.55e11)}  # unit, and the value without a row
UNITS = {name: unit for name, (unit, _) in (NEEDED | ASSUMED).items()}
PLACES = ("variant", "key_type", "value_bytes", "order", "dist", "n", "host_mem", "launch", "devices", "ranks", "params")
OUTPUT = "devices_model.csv"


def sort_seconds(n, constants, items=U32):
    """Of one GPU. Between two sizes that were measured the cost of an item changes linearly with log2 n; beyond them it
    stays."""
    if n == 0:
        return 0.0
    below = max((size for size in items.sizes if size <= n), default=items.sizes[0])
    above = min((size for size in items.sizes if size >= n), default=items.sizes[-1])
    per_item = [constants[f"{items.prefix}sort_{size}"] / size for size in (below, above)]
    if below >= above:
        return n * per_item[0]
    share = math.log2(n / below) / math.log2(above / below)
    return n * (per_item[0] + share * (per_item[1] - per_item[0]))


def pieces_of(part, items=U32):
    """How many shares a GPU has that gets `part` items."""
    most = MOST_OF_PAIRS_PIECE if items.value_bytes else MOST_OF_PIECE
    return max(math.ceil(part / most), min(ENOUGH_PIECES, part // LEAST_OF_PIECE), 1)


def seconds(rung, n, gpus, constants, items=U32):
    """The time of a sort of n items over so many GPUs, 2^21 or more."""
    if gpus == 1:
        return sort_seconds(n, constants, items)
    own, part = n / gpus, n / gpus * constants["imbalance"]
    link = constants["nccl_link" if rung.startswith("ranks/") else "copy_link"]
    sent = part * items.bytes * (gpus - 1) / gpus
    if rung == "multi/gather":
        return 2 * (n - own) * items.bytes / link + sort_seconds(n, constants, items)
    if rung.endswith("/merge"):
        passes = math.ceil(math.log2(gpus))
        return sort_seconds(own, constants) + constants["splitters"] + sent / link + passes * part / constants["merge"]
    if items != PAIRS and rung in ("multi/fused", "ranks/partition"):
        pieces = BINS_PIECES if n >= BINS_PIECES_FROM else 1
        count, scatter, leaves = (constants[items.prefix + name] for name in ("count_bins", "scatter_bins", "leaves"))
        levels = part * (1 / count + 1 / scatter + 1 / leaves)
        if rung == "ranks/partition":
            return constants["splitters"] + own / count + own / scatter + sent / link + levels
        begun = constants["plan"] + own / count + max(own / scatter, sent / pieces / constants["store_link"])
        return begun + _sorts(pieces, 1, sent / pieces / link, levels / pieces)
    pieces = pieces_of(math.ceil(own), items)
    stored = math.ceil(pieces / STORED_OF) if rung == "multi/fused" else 0
    deal = max(own / constants[f"{items.prefix}deal"], stored * sent / pieces / constants["store_link"])
    begun = constants["splitters"] + own / constants[f"{items.prefix}count"] + deal
    return begun + _sorts(pieces, stored, sent / pieces / link, sort_seconds(part / pieces, constants, items))


def spread_seconds(n, gpus, memory, constants):
    """gpu/host/spread: keys cross the links twice in each direction, both directions at the same time."""
    rate = min(gpus * constants[f"host_{memory}"], constants["host_memory"])
    return 2 * n * U32.bytes / rate


def _sorts(pieces, stored, copy, sort):
    """From the end of the pass that deals: the stored pieces are there, each of the others takes `copy` to arrive; a GPU sorts one
    after the other."""
    end = 0.0
    for piece in range(pieces):
        arrived = max(0, piece + 1 - stored) * copy
        end = max(end, arrived) + sort
    return end


def table(constants, per_gpu):
    """A row per rung: Gkeys/s on each number of GPUs."""
    rows = [["rung", *(f"{gpus} GPU" + "s" * (gpus > 1) for gpus in GPUS)]]
    for rung in RUNGS:
        rates = [f"{gpus * per_gpu / seconds(rung, gpus * per_gpu, gpus, constants) * 1e-9:.3g}" for gpus in GPUS]
        rows.append([f"`gpu/{rung}`", *rates])
    return rows


def predictions(constants):
    """A row per sort that bench/over_gpus.json runs on 4 or 8 GPUs, which nobody has measured: Gkeys/s."""
    rows = [["variant", "key_type", "value_bytes", "n", "devices", "host_mem", "gkeys_per_s"]]

    def add(variant, items, n, gpus, memory, taken):
        rows.append([variant, items.key_type, str(items.value_bytes), str(n), str(gpus), memory, f"{n / taken * 1e-9:.3g}"])

    runs = [(rung, U32, (31, 32, 33)) for rung in RUNGS]
    runs += [(rung, items, (30, 31)) for items in OTHERS for rung in ("multi/gather", "multi/fused")]
    for rung, items, exponents in runs:
        for n in _powers(*exponents):
            for gpus in (4, 8):
                if n <= gpus << 31:
                    add(f"gpu/{rung}", items, n, gpus, "none", seconds(rung, n, gpus, constants, items))
    for memory in ("pinned", "staged"):
        for n in _powers(30, 31, 32):
            add("gpu/host/spread", U32, n, 4, memory, spread_seconds(n, 4, memory, constants))
    return rows


def read(path):
    """The constants by name. Throws BadFile, which names the run that brings what is missing."""
    constants = read_constants(path, ())
    for name, (_, run) in NEEDED.items():
        if name not in constants:
            raise BadFile(f"{path}: no row for {name}: {run} brings it, then --fit")
    for name, (_, value) in ASSUMED.items():
        constants.setdefault(name, value)
    return constants


def _rows(path):
    try:
        with open_text(path) as file:
            reader = csv.DictReader(file)
            rows = list(reader)
    except (OSError, PackError, UnicodeDecodeError, csv.Error) as error:
        raise BadFile(f"{path}: {error}") from error
    return reader.fieldnames or (), rows


class Measured:
    """Medians of samples, and the parts of breakdowns, of uniform keys; they begin and end on the GPUs unless `host_mem` says
    otherwise."""

    def __init__(self, paths, items=U32, host_mem="none"):
        self.plain = {"key_type": items.key_type, "value_bytes": str(items.value_bytes), "order": "asc", "dist": "uniform",
                      "host_mem": host_mem, "launch": "stream"}
        samples, self.parts = defaultdict(list), {}
        for path in paths:
            fields, rows = _rows(path)
            if absent := [column for column in PLACES if column not in fields]:
                raise BadFile(f"{path}: no samples and no breakdown: no column {absent[0]}")
            for row in rows:
                if not self._counts(row):
                    continue
                if "activity" in fields:
                    self.parts[self._place(row) + (row["activity"].rsplit("::", 1)[-1],)] = float(row["ns_per_sort"]) * 1e-9
                elif row.get("status") == "ok" and row.get("kernel_ns" if row["host_mem"] == "none" else "total_ns"):
                    samples[self._place(row)].append(row)
        self.samples = samples

    def _counts(self, row):
        return all(row[column] == value for column, value in self.plain.items()) and row["variant"].startswith("gpu/")

    @staticmethod
    def _place(row):
        """(variant, GPUs, n, params), of 1 GPU where there is no list of them."""
        devices = row["devices"].split("+")
        gpus = int(row["ranks"] or (len(devices) if len(devices) > 1 else devices[0] or 1))
        return row["variant"], gpus, int(row["n"]), row["params"]

    def median(self, column, variant, gpus, n):
        """Over all samples of a variant, without those that store all pieces where there are others; None without any."""
        found = {where[3]: rows for where, rows in self.samples.items() if where[:3] == (variant, gpus, n)}
        usual = {params: rows for params, rows in found.items() if "stored=64" not in params} or found
        values = [float(row[column]) for rows in usual.values() for row in rows if row.get(column)]
        return median(values) if values else None

    def sizes(self, variant, gpus):
        return sorted({n for name, count, n, _ in self.samples if (name, count) == (variant, gpus)})

    def part(self, variant, gpus, activity, params=""):
        """(n, seconds over all GPUs) of an activity at the largest n; None without a breakdown."""
        found = [(n, s) for (name, count, n, set_to, what), s in self.parts.items()
                 if (name, count, what) == (variant, gpus, activity) and params in set_to]
        return max(found, default=None)


def fit(paths):
    """The constants that these files tell, on one GPU and on two."""
    measured = Measured(paths)
    found = _of_one(measured, U32)
    small = [n for n in measured.sizes("gpu/multi/merge", 2) if n <= 1 << 18]
    if small:
        found["splitters"] = _seconds(measured.median("kernel_ns", "gpu/multi/merge", 2, small[-1]))
    found["merge"] = _rate(measured, "gpu/multi/merge", "merge_pair")
    found |= _of_shares(measured, U32, "gpu/multi/partition")
    copies = measured.part("gpu/multi/partition", 2, "copy between GPUs")
    sent = copies and measured.median("exchange_bytes", "gpu/multi/partition", 2, copies[0])
    if sent:
        found["copy_link"] = sent / copies[1]
    found["plan"] = _seconds(measured.median("kernel_ns", "gpu/multi/fused", 2, 1 << 21))
    found |= _of_bins(measured, U32)
    stored = measured.part("gpu/multi/fused", 2, "scatter_keys", "stored=64")
    sent = stored and measured.median("exchange_bytes", "gpu/multi/fused", 2, stored[0])
    if sent and "scatter_bins" in found:
        found["store_link"] = sent / (stored[1] - stored[0] / found["scatter_bins"])
    for n in measured.sizes("gpu/ranks/merge", 2)[-1:]:
        sent, ns = (measured.median(column, "gpu/ranks/merge", 2, n) for column in ("exchange_bytes", "exchange_ns"))
        found["nccl_link"] = sent / 2 / (ns * 1e-9)
    for n in measured.sizes("gpu/multi/partition", 2)[-1:]:
        found["imbalance"] = max(measured.median("imbalance", "gpu/multi/partition", 2, n), 1.0)
    of_u64, of_pairs = (Measured(paths, items) for items in OTHERS)
    found |= _of_one(of_u64, U64) | _of_bins(of_u64, U64) | _of_one(of_pairs, PAIRS)
    found |= _of_shares(of_pairs, PAIRS, "gpu/multi/fused")
    for memory in ("pinned", "staged"):
        from_host = Measured(paths, host_mem=memory)
        for n in from_host.sizes("gpu/host/spread", 2)[-1:]:
            found[f"host_{memory}"] = n * U32.bytes / _seconds(from_host.median("total_ns", "gpu/host/spread", 2, n))
    return {name: value for name, value in found.items() if value}


def _of_one(measured, items):
    return {f"{items.prefix}sort_{n}": _seconds(measured.median("kernel_ns", "gpu/auto/stable", 1, n)) for n in items.sizes}


def _rate(measured, variant, activity):
    """Items per second of a GPU: the work of both GPUs is summed up, and so are their items."""
    part = measured.part(variant, 2, activity)
    return part and part[0] / part[1]


def _of_shares(measured, items, variant):
    return {items.prefix + name: _rate(measured, variant, activity)
            for name, activity in (("count", "count_shares"), ("deal", "deal_shares"))}


def _of_bins(measured, items):
    """The constants of a breakdown of fused. Two passes count, and two scatter."""
    found = {}
    for name, activities, passes in (("count_bins", ("count_digits",), 2), ("scatter_bins", ("scatter_keys",), 2),
                                     ("leaves", ("plan_buckets", "sort_small"), 1)):
        parts = [measured.part("gpu/multi/fused", 2, activity, "stored=0") for activity in activities]
        if all(parts):
            found[items.prefix + name] = passes * parts[0][0] / sum(taken for _, taken in parts)
    return found


def _seconds(ns):
    return ns and ns * 1e-9


def errors(paths, constants):
    """Rows of (rung, items, GPUs, n, measured seconds, seconds of the model), for 2^20 items and more on each GPU."""
    rows = []
    for items, rungs in ((U32, RUNGS), *((others, ("multi/gather", "multi/fused")) for others in OTHERS)):
        measured = Measured(paths, items)
        for rung in rungs:
            for gpus in GPUS:
                for n in measured.sizes(f"gpu/{rung}", gpus):
                    if n >= gpus << 20:
                        taken = measured.median("kernel_ns", f"gpu/{rung}", gpus, n) * 1e-9
                        rows.append((rung, items, gpus, n, taken, seconds(rung, n, gpus, constants, items)))
    return rows


def errors_table(paths, constants):
    rows = [["rung", "GPUs", "n", "measured", "model", "model over measured"]]
    for rung, items, gpus, n, taken, modelled in errors(paths, constants):
        name = f"`gpu/{rung}`" + {U32: "", U64: ", u64", PAIRS: ", u32 + u32"}[items]
        rows.append([name, str(gpus), str(n), time_text(taken), time_text(modelled), f"{modelled / taken:.2f}"])
    return rows


def main(arguments):
    from medians import markdown
    try:
        if len(arguments) > 1 and arguments[0] == "--fit":
            files = [path for path in arguments[1:] if Path(path).name != OUTPUT]
            path = Path(arguments[1]).with_name(OUTPUT)
            write_constants(path, fit(files), UNITS, ", ".join(sorted({Path(file).name for file in files})))
            constants = read(path)
            print(markdown(errors_table(files, constants)))
        elif len(arguments) == 2 and arguments[0] == "--predict":
            csv.writer(sys.stdout, lineterminator="\n").writerows(predictions(read(arguments[1])))
            return 0
        elif len(arguments) == 1 and not arguments[0].startswith("-"):
            constants = read(arguments[0])
        else:
            print("devices_model: usage: devices_model.py CONSTANTS.csv | --fit FILE... | --predict CONSTANTS.csv", file=sys.stderr)
            return 2
        for per_gpu in (1 << 27, 1 << 30):
            print(f"2^{per_gpu.bit_length() - 1} u32 keys per GPU, Gkeys/s\n\n{markdown(table(constants, per_gpu))}")
    except BadFile as error:
        print(f"devices_model: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
