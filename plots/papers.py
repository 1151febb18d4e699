"""Draws the papers' published values against our measurements: the CSVs of `sortlab reproduce --out`.

For a folder it draws one figure of all exhibits, with each cell as a point at measured over published. For each exhibit
it draws one figure of its cells, both values on one logarithmic axis per unit. Only cells with a ratio are drawn;
without a ratio, the two values are for different sizes. A figure of a paper whose rows are sizes is drawn as the paper
draws it, and also where it prints no figures: time over n on two logarithmic axes.
"""

import re
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import style
from load import BadCsv, first_column, read_table

TIMES = ("s", "ms", "us", "µs", "ns")
IN_MS = {"s": 1e3, "ms": 1, "us": 1e-3}
SIZE = re.compile(r"(?:k = |2\^)(?P<power>\d+)|(?P<count>\d+)(?P<unit>[KMG])")
LEAST_SIZES = 3  # of a figure over n
CURVE_HUES = [style.HUES[name] for name in ("bitonic", "merge", "quick", "radix", "std_sort")]
NAMES = {"x": "factor", "": "number"}  # of units whose names are unclear on an axis
COLUMNS = ("exhibit", "source", "table", "row", "column", "unit", "status", "reason", "machine")
NUMBERS = ("published", "measured", "ratio")
PUBLISHED, HERE = style.BASELINE_TONES[1], style.HUES["bitonic"]
OTHER = style.HUES["quick"]
LONGEST_NAME = 60
MOST = 80


def load(path):
    if not Path(path).is_dir():
        return read_table(path, COLUMNS, NUMBERS)
    files = [file for file in sorted(Path(path).glob("*.csv*")) if file.name.endswith((".csv", ".csv.xz")) and first_column(file) == "exhibit"]
    if not files:
        raise BadCsv(f"{path}: no exhibit of sortlab reproduce in this folder")
    return pd.concat([read_table(file, COLUMNS, NUMBERS) for file in files], ignore_index=True)


def figures(cells):
    pairs = _pairs(cells)
    if pairs.exhibit.nunique() > 1:
        yield "papers", _overview(pairs)
    for exhibit, group in cells.groupby("exhibit", sort=False):
        if not (curves := _curves(group)).empty:
            yield exhibit, _over_n(exhibit, curves)
        elif 0 < len(group := _pairs(group)) <= MOST:
            yield exhibit, _exhibit(exhibit, group)


def note(cells):
    """The note below the figure."""
    alone = cells.published.notna().sum() > len(_pairs(cells))
    return "A published value with nothing measured beside it at its size is not drawn; the CSV says why." if alone else ""


def _pairs(cells):
    return cells[(cells.published > 0) & (cells.measured > 0) & (cells.ratio > 0)]


def size_of(row):
    """The n that a row's name tells: k = 20, 2^20, 16K; None if it tells none."""
    match = SIZE.fullmatch(row)
    if match is None:
        return None
    if match["power"]:
        return 1 << int(match["power"])
    return int(match["count"]) * {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}[match["unit"]]


def _curves(cells):
    """The cells of a paper's figure of times over n, with n and both times in ms; none for another exhibit."""
    sizes = cells.row.map(size_of)
    if not (cells.table.str.contains("figure", case=False) & sizes.notna() & cells.unit.isin(IN_MS)).all():
        return cells[:0]
    here = cells.measured.where(~cells.reason.fillna("").str.contains("in place of"))  # not of another size
    factor = cells.unit.map(IN_MS)
    curves = cells.assign(n=sizes.astype("int64"), published=cells.published * factor, measured=here * factor)
    return curves if curves[curves.measured > 0].n.nunique() >= LEAST_SIZES else cells[:0]


def _over_n(exhibit, cells):
    figure, axes = plt.subplots(layout="constrained", figsize=(8.5, 5))
    for color, (column, line) in zip(CURVE_HUES, cells.groupby("column", sort=False)):
        axes.plot(line.n, line.measured, color=color, marker="D", markeredgecolor="white", label=f"{column}, here")
        if (line.published > 0).any():
            axes.plot(line.n, line.published, color=color, linestyle=":", marker="o", markerfacecolor="white",
                      label=f"{column}, published")
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.minorticks_off()
    axes.xaxis.set_major_formatter(lambda n, _: style.power_label(n))
    axes.yaxis.set_major_formatter(lambda ms, _: style.time_label(ms / 1e3))
    axes.set_xlabel("keys (logarithmic)")
    axes.set_ylabel("time (logarithmic)")
    axes.legend(fontsize=8.5)
    first = cells.iloc[0]
    both = _pairs(cells)
    found = (f"here over published is {(both.measured / both.published).median():.3g}x in the median of {len(both)} times"
            if len(both) else "the paper prints no figures, only curves")
    style.title(figure, f"{first.source}, {first.table}: {found}", f"{exhibit}; measured on {_machines(cells)}")
    return figure


def _overview(pairs):
    exhibits = list(dict.fromkeys(pairs.exhibit))
    figure, axes = plt.subplots(layout="constrained", figsize=(8.5, 0.3 * len(exhibits) + 1.7))
    places = pairs.exhibit.map(exhibits.index)
    is_time = pairs.unit.str.split("/").str[0].isin(TIMES)
    for which, shift, color, label in ((is_time, -0.15, HERE, "a time: left of 1 is faster here"),
                                       (~is_time, 0.15, OTHER, "a rate, gain or count: right of 1 is more here")):
        if which.any():
            _ticks(axes, pairs.ratio[which], places[which] + shift, color=color, label=label)
    style.mark_rows(axes, exhibits)
    axes.grid(axis="y", visible=True)
    style.ratio_axis(axes)
    axes.set_xlabel("measured here over published (logarithmic)")
    _legend_above(axes)
    style.title(figure, _finding(pairs, is_time),
                f"a mark for each published value that was measured here: {_machines(pairs)}")
    return figure


def _finding(pairs, is_time):
    """The median ratio of the times."""
    times = pairs[is_time]
    if times.empty:
        return f"{len(pairs)} published values were measured here"
    median = times.ratio.median()
    how = f"{1 / median:.3g}x faster" if median < 1 else f"{median:.3g}x slower"
    return f"In the median of {len(times)} times, this machine is {how} than what the papers published"


def _legend_above(axes, *entries):
    axes.legend(*entries, loc="lower right", bbox_to_anchor=(1, 1), ncols=2, fontsize=8.5)


def _ticks(axes, xs, ys, **look):
    """Draws short vertical strokes as one line with gaps, because hundreds of markers would make an SVG large."""
    gaps = np.full(len(xs), np.nan)
    axes.plot(np.column_stack([xs, xs, gaps]).ravel(), np.column_stack([ys - 0.13, ys + 0.13, gaps]).ravel(),
              solid_capstyle="butt", **look)


def _exhibit(exhibit, pairs):
    groups = list(pairs.groupby("unit", sort=False))
    figure, panels = plt.subplots(
        len(groups), 1, squeeze=False, layout="constrained",
        height_ratios=[len(group) + 1.5 for _, group in groups],
        figsize=(8.5, 0.23 * len(pairs) + 0.75 * len(groups) + 1.1))
    for axes, (unit, group) in zip(panels[:, 0], groups):
        _dumbbells(axes, unit, group)
    handles = [plt.Line2D([], [], linestyle="", marker=marker, markersize=6, markeredgecolor=edge, markerfacecolor=face)
               for marker, edge, face in (("o", PUBLISHED, "white"), ("D", "white", HERE))]
    _legend_above(panels[0, 0], handles, ["published", "measured here"])
    first, unit = pairs.iloc[0], pairs.unit.mode()[0]
    median = pairs[pairs.unit == unit].ratio.median()
    style.title(figure, f"{first.source}, {first.table}: here over published is {median:.3g}x in the median ({NAMES.get(unit, unit)})",
                f"{exhibit}; measured on {_machines(pairs)}")
    return figure


def _dumbbells(axes, unit, pairs):
    rows = range(len(pairs))
    axes.hlines(rows, pairs.published, pairs.measured, color="#CCCCCC", linewidth=2, zorder=1)
    dot = {"linestyle": "", "marker": "o", "markersize": 6}
    axes.plot(pairs.published, rows, markerfacecolor="white", markeredgecolor=PUBLISHED, **dot)
    axes.plot(pairs.measured, rows, markerfacecolor=HERE, markeredgecolor="white", **dot | {"marker": "D"})
    for row, ratio in zip(rows, pairs.ratio):
        axes.text(1.01, row, f"{ratio:.3g}x", transform=axes.get_yaxis_transform(), va="center", fontsize=8.5)
    axes.margins(x=0.05)
    style.mark_rows(axes, [_name(cell) for cell in pairs.itertuples()])
    style.log_row_axis(axes, lambda value: f"{value:,.10g}")
    axes.set_xlabel(f"{NAMES.get(unit, unit)} (logarithmic); on the right: here over published")


def _name(cell):
    name = ", ".join(part for part in (cell.row, cell.column) if part)
    return name if len(name) <= LONGEST_NAME else name[:LONGEST_NAME - 1] + "…"


def _machines(pairs):
    return "; ".join(dict.fromkeys(machine for machine in pairs.machine.dropna() if machine)) or "an unknown machine"
