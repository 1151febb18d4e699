"""Draws a heat map of the standings: one row per input, the worst first; one column per rival; cells have the factor by
which ours is faster."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import Normalize
from matplotlib.ticker import FuncFormatter

import style
from standings import input_label, machine, ratio_label

WIDEST = 8  # times as fast or slow; beyond it the colour stays the same


def save(samples, group, most, path, said):
    """Draws the `most` worst of a group of standings into an SVG, or another kind of file, by the path's end."""
    style.use_house_style()
    figure = _map(group[:most], said)
    left = len(group) - most
    note = f"Data: {samples.name}; {machine(samples, group[0].input.threads)}; medians of one run"
    if left > 0:
        note = f"and {left} more, with better ratios, all in the CSV\n" + note
    style.title(figure, said, "Ours over the rival in keys per second: above 1, ours is faster. –: did not run.")
    style.save(figure, note, path.parent, path.stem, (path.suffix[1:],))


def _map(group, said):
    rivals = _strongest_first(group)
    cells = np.array([[standing.ratio] + [standing.ratio_to(rival) if rival in standing.rivals else np.nan for rival in rivals]
                      for standing in group])
    widest = np.log2(WIDEST)
    shades = np.clip(np.log2(np.where(cells == 0, 1 / WIDEST, cells)), -widest, widest)
    norm = Normalize(-widest, widest)

    wide = max(9, 0.62 * cells.shape[1] + 4.2, len(said) / 11.5 + 0.01)  # the title needs one line
    figure, axes = plt.subplots(layout="constrained", figsize=(wide, 0.25 * len(group) + 2.6))
    colors = plt.get_cmap("PuOr").with_extremes(bad="#F2F2F2")
    image = axes.pcolormesh(np.ma.masked_invalid(shades), cmap=colors, norm=norm, edgecolors="white", linewidth=1,
                           rasterized=True)  # a third of the SVG's bytes
    for row, column in np.ndindex(cells.shape):
        _annotate(axes, cells[row, column], abs(shades[row, column]) > 0.55 * widest, row, column)
    axes.axvline(1, color="white", linewidth=4)
    axes.invert_yaxis()
    axes.set_xticks(np.arange(len(rivals) + 1) + 0.5, ["best rival", *rivals], rotation=40, ha="left", rotation_mode="anchor")
    axes.set_yticks(np.arange(len(group)) + 0.5, [input_label(standing.input) for standing in group])
    axes.xaxis.tick_top()
    axes.get_xticklabels()[0].set_fontweight("bold")
    axes.tick_params(length=0, labelcolor=style.INK)
    axes.grid(False)
    axes.spines[:].set_visible(False)
    ticks = FuncFormatter(lambda power, _: f"{2 ** power:.3g}x")
    bar = figure.colorbar(image, ax=axes, location="bottom", shrink=0.4, aspect=30, pad=0.02, format=ticks)
    bar.outline.set_visible(False)
    return figure


def _strongest_first(group):
    """Sorted by the median of ours over theirs, where they ran."""
    names = dict.fromkeys(rival for standing in group for rival in standing.rivals)
    return sorted(names, key=lambda rival: np.median([s.ratio_to(rival) for s in group if rival in s.rivals]))


def _annotate(axes, ratio, dark, row, column):
    text, color = ("–", "#999999") if np.isnan(ratio) else (ratio_label(ratio), "white" if dark else "black")
    axes.text(column + 0.5, row + 0.5, text, ha="center", va="center", fontsize=8, color=color,
              fontweight="bold" if column == 0 else "normal")
