"""The tables of docs/top_k.md: the grid of shapes beside CUB and PyTorch on an H200."""

import functools
from statistics import median

import packed
from medians import ROOT

RATIOS = ["cells", "as fast or faster", "worst", "median", "best"]


@functools.cache
def cells():
    """Each shape, with the microseconds of ours, of the faster CUB and of PyTorch."""
    found = []
    for row in packed.rows_of(ROOT / "results/h200/top_k_grid.csv.xz"):
        cell = {name[:-3]: float(us) for name, us in row.items() if name.endswith("_us") and us}
        cell["cub"] = min((us for name, us in cell.items() if name.startswith("cub")), default=None)
        found.append(cell | {name: int(row[name]) for name in ("rows", "columns", "k")} | {"keys": row["keys"]})
    return found


def grid():
    return [cell for cell in cells() if cell["keys"] != "normal"]


def ratios(label, others, own, among):
    """How many times as fast ours are as the fastest of the others."""
    gains = [min(cell[other] for other in others) / cell[own] for cell in among]
    return [label, f"{len(gains)}", f"{sum(gain >= 1 for gain in gains)}", f"{min(gains):.2f}", f"{median(gains):.2f}",
            f"{max(gains):.1f}"]


def rivals():
    return [["ours, and the other", *RATIOS],
            ratios("unsorted keys; CUB", ["cub"], "unsorted", grid()),
            ratios("sorted, with places, first at ties; `torch.topk`", ["torch_sorted"], "sorted", grid()),
            ratios("unsorted keys; `torch.topk`, sorted or not", ["torch_sorted", "torch_unsorted"], "unsorted", grid())]


def over_cub(corner, group, label):
    """A row per group of the cells."""
    rows = [[corner, *RATIOS]]
    for one in sorted({group(cell) for cell in grid()}):
        rows.append(ratios(label(one), ["cub"], "unsorted", [cell for cell in grid() if group(cell) == one]))
    return rows


def by_keys():
    def group(cell):
        exponent = (cell["rows"] * cell["columns"] - 1).bit_length()
        return 17 if exponent <= 17 else 22 if exponent <= 22 else 27

    names = {17: "up to 2^17", 22: "2^18 to 2^22", 27: "2^23 to 2^27"}
    return over_cub("keys in all", group, names.get)


def by_columns():
    return over_cub("columns", lambda cell: cell["columns"], lambda columns: f"{columns:,}")


def shapes():
    """Microseconds of normally distributed keys."""
    rows = [["rows x columns", "k", "ours unsorted, us", "ours sorted, us", "CUB, us", "torch.topk, us"]]
    for cell in cells():
        if cell["keys"] == "normal":
            times = (cell.get(name) for name in ("unsorted", "sorted", "cub", "torch_sorted"))
            rows.append([f"{cell['rows']:,} x {cell['columns']:,}", f"{cell['k']:,}",
                         *("" if us is None else f"{us:.0f}" for us in times)])
    return rows


TABLES = {"top_k-rivals": rivals, "top_k-by-keys": by_keys, "top_k-by-columns": by_columns, "top_k-shapes": shapes}
