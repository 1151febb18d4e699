"""How fast the sorts over several GPUs of a host are: a model in a few constants, measured on one GPU and on two.

    python3 plots/devices_model.py CONSTANTS.csv          a table: Gkeys/s of each rung on 1, 2, 4 and 8 GPUs
    python3 plots/devices_model.py --fit FILE...          constants from samples and breakdowns of `sortlab run`, into
                                                          devices_model.csv beside the first file
    python3 plots/devices_model.py --predict CONSTANTS.csv   as CSV, what bench/over_gpus.json is to measure on 4 and 8 GPUs

A constant is a row of CONSTANTS.csv, as for plots/ranks_model.py. NEEDED says which run brings each of them. Keys are
u32, uniform; a GPU holds as many before the sort as any other.

    merge      sort | splitters | exchange | log2 P merge passes
    partition  splitters | count | deal | piece 0 arrives | sort of piece 0 | sort of piece 1 ...
                                                          | piece 1 arrives | ...
    over ranks, the same by a few bins, and two levels and leaves for the sort of a piece
    fused      plan | count | scatter, piece 0 stored     | count, scatter, leaves of piece 0 | of piece 1 ...
                                                          | piece 1 arrives | ...
"""

import csv
import lzma
import math
import sys
from collections import defaultdict
from pathlib import Path
from statistics import median

from model_constants import BadFile, read_constants, time_text, write_constants

KEY_BYTES = 4
GPUS = (1, 2, 4, 8)
RUNGS = ("multi/gather", "multi/merge", "multi/partition", "multi/fused", "ranks/merge", "ranks/partition")
# gpu/parts/partition.cuh: cut_for()
MOST_OF_PIECE, LEAST_OF_PIECE, ENOUGH_PIECES = 1 << 27, 1 << 24, 4
SORTED = tuple(1 << power for power in (20, 22, 24, 26, 27, 28, 30))  # keys whose local sort is a constant
# gpu/parts/bins.cuh: cut_into_bins()
BINS_PIECES, BINS_PIECES_FROM = 3, 1 << 27
MOST_FEW_BINS, FEW_PIECES = 8, 2  # gpu/parts/few_bins.cuh; gpu/ranks/partition.cu: cut_into_few()
MULTI = "sortlab run --filter 'gpu/multi/*' --devices 2 --n 1G"
NEEDED = {  # unit, and the run that brings it
    **{f"sort_{n}": ("s", "sortlab run --filter gpu/auto/stable --n 1M,4M,16M,64M,128M,256M,1G") for n in SORTED},
    "splitters": ("s", "sortlab run --filter gpu/multi/merge --devices 2 --n 128K"),
    "merge": ("keys/s of a GPU and pass", f"{MULTI} --breakdown"),
    "count": ("keys/s of a GPU", f"{MULTI} --breakdown"),
    "deal": ("keys/s of a GPU", f"{MULTI} --breakdown"),
    "plan": ("s", "sortlab run --filter gpu/multi/fused --devices 2 --n 2M"),
    "count_bins": ("keys/s of a GPU", f"{MULTI} --breakdown"),
    "scatter_bins": ("keys/s of a GPU", f"{MULTI} --breakdown"),
    "leaves": ("keys/s of a GPU", f"{MULTI} --breakdown"),
    "few": ("keys/s of a GPU, counted and scattered",
            "sortlab run --filter gpu/multi/fused --devices 2 --n 512M --dist zipf --breakdown"),
    "copy_link": ("bytes/s that a GPU sends by copy engines", f"{MULTI} --breakdown"),
    "store_link": ("bytes/s that a GPU sends by stores",
                   "sortlab run --filter gpu/multi/fused --devices 2 --n 1G --param stored=64, with and without --breakdown"),
    "nccl_link": ("bytes/s that a GPU sends over NCCL", "sortlab run --filter gpu/ranks/merge --ranks 2 --n 1G"),
    "imbalance": ("largest part / mean", MULTI)}
UNITS = {name: unit for name, (unit, _) in NEEDED.items()}
PLACES = ("variant", "key_type", "value_bytes", "order", "dist", "n", "host_mem", "launch", "devices", "ranks", "params")
OUTPUT = "devices_model.csv"


def sort_seconds(n, constants):
    """Of one GPU. Between two sizes that were measured the cost of a key changes linearly with log2 n; beyond them it
    stays."""
    if n == 0:
        return 0.0
    below = max((size for size in SORTED if size <= n), default=SORTED[0])
    above = min((size for size in SORTED if size >= n), default=SORTED[-1])
    per_key = [constants[f"sort_{size}"] / size for size in (below, above)]
    if below >= above:
        return n * per_key[0]
    share = math.log2(n / below) / math.log2(above / below)
    return n * (per_key[0] + share * (per_key[1] - per_key[0]))


def pieces_of(part):
    """How many shares a GPU has that gets `part` keys."""
    return max(math.ceil(part / MOST_OF_PIECE), min(ENOUGH_PIECES, part // LEAST_OF_PIECE), 1)


def seconds(rung, n, gpus, constants):
    """The time of a sort of n u32 keys over so many GPUs, 2^21 or more."""
    if gpus == 1:
        return sort_seconds(n, constants)
    own, part = n / gpus, n / gpus * constants["imbalance"]
    link = constants["nccl_link" if rung.startswith("ranks/") else "copy_link"]
    sent = part * KEY_BYTES * (gpus - 1) / gpus
    if rung == "multi/gather":
        return 2 * (n - own) * KEY_BYTES / link + sort_seconds(n, constants)
    if rung.endswith("/merge"):
        passes = math.ceil(math.log2(gpus))
        return sort_seconds(own, constants) + constants["splitters"] + sent / link + passes * part / constants["merge"]
    if rung == "multi/fused":
        pieces = BINS_PIECES if n >= BINS_PIECES_FROM else 1
        scatter = max(own / constants["scatter_bins"], sent / pieces / constants["store_link"])
        begun = constants["plan"] + own / constants["count_bins"] + scatter
        levels = part / pieces * sum(1 / constants[step] for step in ("count_bins", "scatter_bins", "leaves"))
        return begun + _sorts(pieces, 1, sent / pieces / link, levels)
    pieces = pieces_of(math.ceil(own))
    if rung == "ranks/partition" and gpus <= MOST_FEW_BINS:
        pieces = min(pieces, FEW_PIECES, MOST_FEW_BINS // gpus)
        levels = part / pieces * (2 / constants["count_bins"] + 2 / constants["scatter_bins"] + 1 / constants["leaves"])
        return constants["splitters"] + own / constants["few"] + _sorts(pieces, 0, sent / pieces / link, levels)
    begun = constants["splitters"] + own / constants["count"] + own / constants["deal"]
    return begun + _sorts(pieces, 0, sent / pieces / link, sort_seconds(part / pieces, constants))


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
    """A row per rung, number of u32 keys and of GPUs that nobody has measured: Gkeys/s."""
    rows = [["variant", "n", "devices", "gkeys_per_s"]]
    for rung in RUNGS:
        for n in (1 << power for power in (31, 32, 33)):
            for gpus in (4, 8):
                if n <= gpus << 31:
                    rows.append([f"gpu/{rung}", str(n), str(gpus), f"{n / seconds(rung, n, gpus, constants) * 1e-9:.3g}"])
    return rows


def read(path):
    """The constants by name. Throws BadFile, which names the run that brings what is missing."""
    constants = read_constants(path, ())
    for name, (_, run) in NEEDED.items():
        if name not in constants:
            raise BadFile(f"{path}: no row for {name}: {run} brings it, then --fit")
    return constants


def _rows(path):
    try:
        with (lzma.open if str(path).endswith(".xz") else open)(path, "rt", newline="", encoding="utf-8") as file:
            reader = csv.DictReader(file)
            rows = list(reader)
    except (OSError, lzma.LZMAError, UnicodeDecodeError, csv.Error) as error:
        raise BadFile(f"{path}: {error}") from error
    return reader.fieldnames or (), rows


class Measured:
    """Medians of samples, and the parts of breakdowns, of u32 keys, uniform, that begin and end on the GPUs."""

    def __init__(self, paths):
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
                elif row.get("status") == "ok" and row.get("kernel_ns"):
                    samples[self._place(row)].append(row)
        self.samples = samples

    @staticmethod
    def _counts(row):
        plain = {"key_type": "u32", "value_bytes": "0", "order": "asc", "dist": "uniform", "host_mem": "none", "launch": "stream"}
        if row.get("activity", "").endswith("_few"):  # the same for any keys; even ones have no need of it
            del plain["dist"]
        return all(row[column] == value for column, value in plain.items()) and row["variant"].startswith("gpu/")

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


def fit(measured):
    """The constants that these files tell, on one GPU and on two."""
    found = {f"sort_{n}": _seconds(measured.median("kernel_ns", "gpu/auto/stable", 1, n)) for n in SORTED}
    small = [n for n in measured.sizes("gpu/multi/merge", 2) if n <= 1 << 18]
    if small:
        found["splitters"] = _seconds(measured.median("kernel_ns", "gpu/multi/merge", 2, small[-1]))
    for name, variant, activity in (("merge", "gpu/multi/merge", "merge_pair"), ("count", "gpu/multi/partition", "count_shares"),
                                    ("deal", "gpu/multi/partition", "deal_shares")):
        if part := measured.part(variant, 2, activity):
            found[name] = part[0] / part[1]  # the work of both GPUs is summed up, and so are their keys
    few = [measured.part("gpu/multi/fused", 2, activity) for activity in ("count_few", "scatter_few")]
    if all(few):
        found["few"] = few[0][0] / sum(taken for _, taken in few)
    copies = measured.part("gpu/multi/partition", 2, "copy between GPUs")
    sent = copies and measured.median("exchange_bytes", "gpu/multi/partition", 2, copies[0])
    if sent:
        found["copy_link"] = sent / copies[1]
    found["plan"] = _seconds(measured.median("kernel_ns", "gpu/multi/fused", 2, 1 << 21))
    found |= _of_bins(measured)
    for n in measured.sizes("gpu/ranks/merge", 2)[-1:]:
        sent, ns = (measured.median(column, "gpu/ranks/merge", 2, n) for column in ("exchange_bytes", "exchange_ns"))
        found["nccl_link"] = sent / 2 / (ns * 1e-9)
    for n in measured.sizes("gpu/multi/partition", 2)[-1:]:
        found["imbalance"] = max(measured.median("imbalance", "gpu/multi/partition", 2, n), 1.0)
    return {name: value for name, value in found.items() if value}


def _of_bins(measured):
    """What a breakdown of fused tells. Two passes count, and two scatter, of which the first one of all pieces stores over the link
    where they are all stored."""
    found = {}

    def part(activity, params):
        return measured.part("gpu/multi/fused", 2, activity, params)

    for name, activities, passes in (("count_bins", ("count_digits",), 2), ("scatter_bins", ("scatter_keys",), 2),
                                     ("leaves", ("plan_buckets", "sort_small"), 1)):
        parts = [part(activity, "stored=0") for activity in activities]
        if all(parts):
            found[name] = passes * parts[0][0] / sum(taken for _, taken in parts)
    stored = part("scatter_keys", "stored=64")
    sent = stored and measured.median("exchange_bytes", "gpu/multi/fused", 2, stored[0])
    if sent and "scatter_bins" in found:
        found["store_link"] = sent / (stored[1] - stored[0] / found["scatter_bins"])
    return found


def _seconds(ns):
    return ns and ns * 1e-9


def errors(measured, constants):
    """Rows of (rung, GPUs, n, measured seconds, seconds of the model), for 2^20 keys and more on each GPU."""
    rows = []
    for rung in RUNGS:
        for gpus in GPUS:
            for n in measured.sizes(f"gpu/{rung}", gpus):
                if n >= gpus << 20:
                    taken = measured.median("kernel_ns", f"gpu/{rung}", gpus, n) * 1e-9
                    rows.append((rung, gpus, n, taken, seconds(rung, n, gpus, constants)))
    return rows


def errors_table(measured, constants):
    rows = [["rung", "GPUs", "n", "measured", "model", "model over measured"]]
    for rung, gpus, n, taken, modelled in errors(measured, constants):
        rows.append([f"`gpu/{rung}`", str(gpus), str(n), time_text(taken), time_text(modelled), f"{modelled / taken:.2f}"])
    return rows


def main(arguments):
    from medians import markdown
    try:
        if len(arguments) > 1 and arguments[0] == "--fit":
            files = [path for path in arguments[1:] if Path(path).name != OUTPUT]
            path = Path(arguments[1]).with_name(OUTPUT)
            measured = Measured(files)
            write_constants(path, fit(measured), UNITS, ", ".join(sorted({Path(file).name for file in files})))
            constants = read(path)
            print(markdown(errors_table(measured, constants)))
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
