"""The tables of docs/multi.md and docs/scaling.md about several GPUs: what two of them measured, and what the model says of more."""


import devices_model
from medians import ROOT, power
from packed import rows_of
from standings import summary

MACHINE = ROOT / "results" / "h200"
SAMPLES, BREAKDOWN, CONSTANTS = MACHINE / "fused.csv.xz", MACHINE / "fused.breakdown.csv.xz", MACHINE / "devices_model.csv"
KEYS = {"u32": 0, "f32": 1, "u64": 2, "f64": 3}
PER_GPU = 1 << 30


def of_two():
    """A row per job that one GPU measured and fused on two: uniform keys, then the other distributions by their gain."""
    medians, largest = {}, _largest_parts()
    for row in summary(MACHINE / "fused.csv"):
        if row["status"] == "ok" and "stored=64" not in row["params"]:
            job = (row["key_type"], row["value_bytes"], int(row["n"]), row["dist"])
            medians.setdefault(job, {})[row["variant"]] = job[2] / float(row["median_ns"])
    rows = []
    for (keys, value_bytes, n, dist), of in medians.items():
        one, two = of.get("gpu/auto/stable"), of.get("gpu/multi/fused")
        if one and two and n >= 1 << 24:
            is_uniform = dist == "uniform"
            name = f"{power(n)} {keys}" + " + u32" * (value_bytes != "0") + f", {dist}" * (not is_uniform)
            place = (not is_uniform, value_bytes, KEYS[keys], -n) if is_uniform else (True, "", 0, -two / one)
            others = [f"{of[variant]:.1f}" if variant in of else "" for variant in ("gpu/multi/merge_cub", "gpu/multi/gather")]
            part = largest[keys, value_bytes, n, dist]
            rows.append((place, [name, f"{one:.1f}", f"{two:.1f}", f"{two / one:.2f}x", f"{part:.3f}", *others]))
    head = ["keys", "one GPU", "`fused`, two GPUs", "gain", "largest part / mean", "`merge_cub`", "`gather`"]
    return [head, *(row for _, row in sorted(rows))]


def _largest_parts():
    """Of each job of fused, the largest of all samples."""
    largest = {}
    for row in rows_of(SAMPLES):
        if row["variant"] == "gpu/multi/fused" and row["imbalance"]:
            job = (row["key_type"], row["value_bytes"], int(row["n"]), row["dist"])
            largest[job] = max(largest.get(job, 0), float(row["imbalance"]))
    return largest


def model():
    return devices_model.table(devices_model.read(CONSTANTS), PER_GPU)


def errors():
    return devices_model.errors_table([SAMPLES, BREAKDOWN], devices_model.read(CONSTANTS))


TABLES = {"devices-measured": of_two, "devices-model": model, "devices-errors": errors}
