"""Draws the papers' published values against our measurements: the CSVs of `sortlab reproduce --out`.

For a folder it draws one figure of all exhibits, with each cell as a point at measured over published. For each exhibit
it draws one figure of its cells, both values on one logarithmic axis per unit. Only cells with a ratio are drawn;
without a ratio, the two values are for different sizes.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import style
from load import BadCsv, first_column, read_table

TIMES = ("s", "ms", "us", "µs", "ns")
NAMES = {"x": "factor", "": "number"}  # of units whose names are unclear on an axis
COLUMNS = ("exhibit", "source", "table", "row", "column", "unit", "status", "machine")
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
    for exhibit, group in pairs.groupby("exhibit", sort=False):
        if len(group) <= MOST:
            yield exhibit, _exhibit(exhibit, group)


def note(cells):
    """The note below the figure."""
    alone = cells.published.notna().sum() > len(_pairs(cells))
    return "A published value with nothing measured beside it at its size is not drawn; the CSV says why." if alone else ""


def _pairs(cells):
    return cells[(cells.published > 0) & (cells.measured > 0) & (cells.ratio > 0)]


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
    return "; ".join(dict.fromkeys(pairs.machine)) or "an unknown machine"
