"""Reduces a CSV of samples to one time per configuration, or gives the reason in one line if it can't.

The plots read only the CSV: one row per sample, with the columns below. Rows with another status than ok, or with a
wrong result, are kept separately, so that a figure can name them.
"""

import json
import lzma
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from standings import ONE_THREAD, beside, types_of

SCHEMA_VERSION = "1"
COLUMNS = Path(__file__).with_name("columns.txt").read_text(encoding="utf-8").split()
LATER = ("lengths", "segments", "best")  # older files of this schema lack them
NUMBERS = ("value_bytes", "n")
TIMES = ("total_ns", "kernel_ns")


class BadCsv(Exception):
    """The file can't be plotted; the message is one line for the user."""


@dataclass
class Results:
    """times: one row for each keys x dist x variant x n, with `seconds` and `rate` (keys per second).

    by_threads: the same of CPU sorts in one process, for each number of `threads`.
    by_ranks: the same of sorts over several processes, for each number of `ranks`, with the `all_threads` of them.
    by_devices: the same of sorts over several GPUs, for each number of `devices`.
    left_out: one line for each variant that has configurations without a time.
    merged: whether a point is the fastest of several configurations (threads, parameters, ...).
    machine: the machine as text; "" if FILE.run.json beside the CSV does not name it.
    source: the file and the revision that made it.

    A library that ran only on one thread, among sorts with more, has a mark behind its name.
    """

    times: pd.DataFrame
    by_threads: pd.DataFrame
    by_ranks: pd.DataFrame
    by_devices: pd.DataFrame
    left_out: list[str]
    merged: bool
    machine: str
    source: str


def load(path):
    rows = _read(path)
    rows["keys"] = [
        types_of(key_type, value_bytes) + (" desc" if order == "desc" else "")
        for key_type, value_bytes, order in zip(rows.key_type, rows.value_bytes, rows.order)
    ]
    rows["dist"] = (rows.dist + " " + rows.dist_param).str.strip()
    # Measured while other programs used CPUs, so not the time of the sort alone.
    rows["dist"] += rows.load.map(lambda load: "" if load == "0" else f", load {load}")

    rows["dist"] += rows.lengths.map(lambda lengths: f", segments {lengths}" if lengths else "")
    rows["dist"] += rows.best.map(lambda best: f", best {best}" if best else "")

    rows["variant"] += _marks(rows)
    wrong = (rows[["sorted_ok", "permutation_ok", "stable_ok"]] == "0").any(axis=1)
    usable = (rows.status == "ok") & ~wrong & (rows.n > 0) & (rows.seconds > 0)
    times, merged = _fastest_medians(rows[usable])
    on_cpu = rows[usable & (rows.threads != "0")].astype({"threads": "int64"})
    over_ranks = on_cpu.ranks != ""
    by_threads, _ = _fastest_medians(on_cpu[~over_ranks], "threads")
    runs = _runs(Path(path))
    sides = [side for side, used in (("gpu", (times.variant.str.startswith("gpu/")).any()), ("cpu", len(on_cpu) > 0)) if used]
    return Results(times, by_threads, _by_ranks(on_cpu[over_ranks]), _by_devices(rows[usable]), _name_left_out(rows[(rows.status != "ok") | wrong]), merged,
                   machine_of(runs, sides), source_of(path, runs))


def _by_ranks(rows):
    rows = rows.assign(ranks=pd.to_numeric(rows.ranks))
    times, _ = _fastest_medians(rows.assign(all_threads=rows.ranks * rows.threads), "ranks", "all_threads")
    return times.loc[times.groupby(["keys", "dist", "variant", "n", "ranks"]).seconds.idxmin()]


def _by_devices(rows):
    """A configuration's GPUs are "2" (the first two) or "0+2", or one for each rank. Several parts on one GPU are no
    measurement."""
    gpus = rows.devices.where((rows.devices != "") | (rows.threads != "0"), rows.ranks)
    lists = [text.split("+") for text in gpus]
    apart = pd.Series([text != "" and len(set(numbers)) == len(numbers) for text, numbers in zip(gpus, lists)], rows.index, bool)
    counts = [int(numbers[0] or 0) if len(numbers) == 1 else len(numbers) for numbers in lists]
    times, _ = _fastest_medians(rows.assign(devices=counts)[apart], "devices")
    return times


def machine_of(runs, sides=("gpu", "cpu")):
    """"NVIDIA H200 + Intel Xeon (Emerald Rapids), 16 threads": those parts that were used."""
    names = []
    for run in runs:
        gpu, cpu = run.get("gpu", {}).get("name", ""), _cpu_name(run.get("cpu", {}))
        names.append(" + ".join(filter(None, (gpu if "gpu" in sides else "", cpu if "cpu" in sides else ""))))
    return "; ".join(dict.fromkeys(filter(None, names)))


def source_of(path, runs):
    """"Data: cpu.csv.xz, revision ef1e88faef53"."""
    builds = [run.get("build", {}) for run in runs]
    revisions = [build["git_revision"] + (" with changes" if build.get("git_dirty") else "") for build in builds if build.get("git_revision")]
    return ", revision ".join(filter(None, (f"Data: {Path(path).name}", " and ".join(dict.fromkeys(revisions)))))


def _runs(path):
    """The runs' descriptions in FILE.run.json; empty if it is missing or broken."""
    try:
        return list(json.loads(beside(path, ".run.json").read_text(encoding="utf-8")).values())
    except (OSError, ValueError, AttributeError):
        return []


def _cpu_name(cpu):
    """"AMD EPYC (Zen 5), 2 threads"; as tool/report/machines.cpp names it."""
    name = cpu.get("model", "")
    for noise in ("(R)", "(TM)", "(r)", "(tm)", " Processor", " CPU"):
        name = name.replace(noise, "")
    core = _core_name(cpu.get("family", ""), cpu.get("model_number", ""))
    threads = cpu.get("threads", 0)
    return name and name + (f" ({core})" if core else "") + (f", {threads} thread{'s' if threads != 1 else ''}" if threads else "")


def _core_name(family, model):
    if not family or not model:
        return ""
    cores = json.loads(Path(__file__).with_name("cores.json").read_text(encoding="utf-8"))["cores"]
    return next((name for of, first, last, name in cores if str(of) == family and model.isdigit() and first <= int(model) <= last),
                f"family {family}, model {model}")


def _marks(rows):
    threads = pd.to_numeric(rows.threads, errors="coerce")
    library = rows.variant.str.contains("/baselines/|^plugin/")
    alone = threads.groupby(rows.variant).transform("max") == 1
    return (library & alone & (threads.max() > 1)).map({True: ONE_THREAD, False: ""})


def first_column(path):
    """The first field of the header, which distinguishes the kinds of CSV that sortlab writes."""
    return next(iter(_read_texts(path).columns), "")


def read_table(path, columns, numbers):
    """A CSV other than one of samples: all columns as text, except `numbers`, which are nan if empty."""
    rows = _read_texts(path)
    _require(path, rows, columns, "a CSV that sortlab writes")
    for column in numbers:
        filled = rows.index[rows[column] != ""]
        rows[column] = _numbers(path, rows, column, filled).reindex(rows.index).astype(float)
    return rows


def _require(path, rows, columns, what):
    absent = [column for column in columns if column not in rows.columns]
    if absent:
        raise BadCsv(f"{path}: not {what}: no column {absent[0]}")


def _read_texts(path):
    """All columns of a CSV, packed or not: pandas recognizes .csv.xz by its name."""
    try:
        return pd.read_csv(path, dtype=str, keep_default_na=False, index_col=False)
    except OSError as error:
        raise BadCsv(f"{path}: {error.strerror}") from error
    except (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeDecodeError, lzma.LZMAError, EOFError) as error:
        raise BadCsv(f"{path}: no CSV: {' '.join(str(error).split())}") from error


def _read(path):
    rows = _read_texts(path)
    for column in LATER:
        if column not in rows.columns:
            rows[column] = ""
    _require(path, rows, COLUMNS, "a CSV of sortlab's samples")
    foreign = rows.schema_version != SCHEMA_VERSION
    if foreign.any():
        line = _line_of_first(foreign)
        found = rows.schema_version[foreign].iloc[0]
        raise BadCsv(f"{path}: line {line}: schema_version '{found}', not {SCHEMA_VERSION}")

    for column in NUMBERS:
        rows[column] = _numbers(path, rows, column, rows.index).astype("int64")
    ok = rows.index[rows.status == "ok"]
    on_gpu = rows.threads == "0"  # a plug-in sorts there, too
    # A GPU sort's own time is its kernels'; host to host, with the copies, is total_ns.
    own = [_numbers(path, rows, column, ok[on_gpu[ok] == gpu]) for column, gpu in zip(TIMES, (0, 1))]
    rows["seconds"] = pd.concat(own) * 1e-9
    return rows


def _numbers(path, rows, column, where):
    values = pd.to_numeric(rows.loc[where, column], errors="coerce")
    if values.isna().any():
        bad = values.index[values.isna()][0]
        raise BadCsv(f"{path}: line {bad + 2}: '{rows.loc[bad, column]}' in column {column} is not a number")
    return values


def _line_of_first(mask):
    return mask.idxmax() + 2  # the header is line 1


def _fastest_medians(rows, *columns):
    """Median over a configuration's samples, then the fastest configuration of a point (and `columns`).

    Sorts of data on the GPU are not merged with sorts that copy: in the latter the host prepares its launches during
    the copy, so kernel_ns is less meaningful.
    """
    resident = rows.host_mem.isin(["", "none"])
    if resident.any():
        rows = rows[resident]
    point = ["keys", "dist", "algorithm", "variant", "n", *columns]
    medians = rows.groupby([*point, "config_id"], as_index=False, sort=False).seconds.median()
    times = medians.groupby(point, as_index=False, sort=False).seconds.min()
    times["rate"] = times.n / times.seconds
    return times, len(times) < len(medians)


def _name_left_out(rows):
    lines = []
    for (variant, status), group in rows.groupby(["variant", "status"]):
        reasons = [reason for reason in group.reason.unique() if reason]
        why = f": {reasons[0]}" + (", ..." if len(reasons) > 1 else "") if reasons else ""
        status = "wrong result" if status == "ok" else status
        lines.append(f"{variant} {status} in {group.config_id.nunique()}{why}")
    return lines
