"""Draws heat maps of the standings, the worst first; cells have the factor by which ours is faster.

Of a run: one row per input, one column per rival. Of a contest of the grid: one row per kind of keys, one column per type
and n, and a second panel for the choice among our own sorts.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import Normalize
from matplotlib.ticker import FuncFormatter

import style
from standings import input_label, machine, ratio_label, size_label

WIDEST = 8  # times as fast or slow; beyond it the colour stays the same
WIDEST_OF_GRID = 4


def save(samples, group, most, path, said):
    """Draws the `most` worst of a group of standings into an SVG, or another kind of file, by the path's end."""
    left = len(group) - most
    more = f"and {left} more, with better ratios, all in the CSV\n" if left > 0 else ""
    _save(samples, group, _map(group[:most], said), path, said,
          "Ours over the rival in keys per second: above 1, ours is faster. –: did not run.", more)


def save_grid(samples, group, path, said):
    """Draws all cells of a contest of the grid."""
    _save(samples, group, _grid(group, said), path, said,
          "Our choice over the other in keys per second: above 1, ours is faster. –: none ran.")


def _save(samples, group, figure, path, said, sub, more=""):
    note = f"{more}Data: {samples.name}; {machine(samples, group[0].input.threads)}; medians of one run"
    style.title(figure, said, sub)
    style.save(figure, note, path.parent, path.stem, (path.suffix[1:],))


def _map(group, said):
    rivals = _strongest_first(group)
    cells = np.array([[standing.ratio] + [standing.ratio_to(rival) if rival in standing.rivals else np.nan for rival in rivals]
                      for standing in group])
    figure, (axes,) = _figure(1, (max(9, 0.62 * cells.shape[1] + 4.2), 0.25 * len(group) + 2.6), said)
    _fill(axes, cells, WIDEST, [input_label(standing.input) for standing in group], ["best rival", *rivals], bold=0)
    axes.axvline(1, color="white", linewidth=4)
    axes.get_xticklabels()[0].set_fontweight("bold")
    return figure


def _grid(group, said):
    panels = {"over the best rival": {_place(standing): standing.ratio for standing in group}}
    if choices := {_place(standing): standing.choice for standing in group if standing.own}:
        panels["over the fastest other sort of ours"] = choices
    columns = sorted({column for _, column in panels["over the best rival"]},
                     key=lambda column: (column[0][1:3], "uif".find(column[0][0]), column))
    rows = len({row for row, _ in panels["over the best rival"]})
    figure, all_axes = _figure(len(panels), (0.5 * len(columns) + 2.4, len(panels) * (0.25 * rows + 1.4) + 1.2), said)
    for axes, (title, ratios) in zip(all_axes, panels.items()):
        worst = {row: min(ratio for place, ratio in ratios.items() if place[0] == row) for row, _ in ratios}
        kinds = sorted(worst, key=lambda row: (worst[row], row))
        cells = np.array([[ratios.get((row, column), np.nan) for column in columns] for row in kinds])
        _fill(axes, cells, WIDEST_OF_GRID, kinds, [f"{keys}, {size_label(n)}" for keys, n in columns])
        for edge in range(1, len(columns)):
            if columns[edge][0] != columns[edge - 1][0]:
                axes.axvline(edge, color="white", linewidth=4)
        axes.set_title(title, loc="left", fontsize=10, fontweight="bold", pad=12)
    return figure


def _place(standing):
    """The row and the column of a cell of the grid."""
    of = standing.input
    return ", ".join(filter(None, (of.dist, of.more))), (of.keys, of.n)


def _figure(panels, size, said):
    style.use_house_style()
    wide = max(size[0], len(said) / 11.5 + 0.01)  # the title needs one line
    figure, all_axes = plt.subplots(panels, layout="constrained", figsize=(wide, size[1]), squeeze=False)
    return figure, all_axes[:, 0]


def _fill(axes, cells, widest, rows, columns, bold=None):
    """Draws the cells, the names of rows and columns and the scale of colours. `bold` is the column in bold face."""
    widest = np.log2(widest)
    shades = np.clip(np.log2(np.where(cells == 0, 2 ** -widest, cells)), -widest, widest)
    colors = plt.get_cmap("PuOr").with_extremes(bad="#F2F2F2")
    image = axes.pcolormesh(np.ma.masked_invalid(shades), cmap=colors, norm=Normalize(-widest, widest), edgecolors="white",
                           linewidth=1, rasterized=True)  # a third of the SVG's bytes
    for row, column in np.ndindex(cells.shape):
        _annotate(axes, cells[row, column], abs(shades[row, column]) > 0.55 * widest, row, column, column == bold)
    axes.invert_yaxis()
    axes.set_xticks(np.arange(len(columns)) + 0.5, columns, rotation=40, ha="left", rotation_mode="anchor")
    axes.set_yticks(np.arange(len(rows)) + 0.5, rows)
    axes.xaxis.tick_top()
    axes.tick_params(length=0, labelcolor=style.INK)
    axes.grid(False)
    axes.spines[:].set_visible(False)
    ticks = FuncFormatter(lambda power, _: f"{2 ** power:.3g}x")
    bar = axes.figure.colorbar(image, ax=axes, location="bottom", shrink=0.4, aspect=30, pad=0.02, format=ticks,
                               ticks=np.arange(-widest, widest + 1))
    bar.outline.set_visible(False)


def _strongest_first(group):
    """Sorted by the median of ours over theirs, where they ran."""
    names = dict.fromkeys(rival for standing in group for rival in standing.rivals)
    return sorted(names, key=lambda rival: np.median([s.ratio_to(rival) for s in group if rival in s.rivals]))


def _annotate(axes, ratio, dark, row, column, is_bold):
    text, color = ("–", "#999999") if np.isnan(ratio) else (ratio_label(ratio), "white" if dark else "black")
    axes.text(column + 0.5, row + 0.5, text, ha="center", va="center", fontsize=8, color=color,
              fontweight="bold" if is_bold else "normal")
