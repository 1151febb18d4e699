"""Which input suits which sort: variant by distribution, the keys per second over those of the best rival, at one n.

The n is the largest one with nearly all cells. So a quadratic rung that ends early leaves a few cells empty and does
not reduce the n of the whole map.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import Normalize
from matplotlib.ticker import FuncFormatter

import style

NEARLY_ALL = 0.85
WIDEST = 4  # times as fast or slow; beyond it the colour stays the same


def figures(times):
    for keys, of_keys in times.groupby("keys", sort=False):
        n = largest_common_n(of_keys)
        yield f"heatmap_{keys.replace(' + ', '_').replace(' ', '_')}", _map(keys, of_keys[of_keys.n == n], n)


def largest_common_n(times):
    cells = times.groupby("n").size()
    return cells.index[cells >= NEARLY_ALL * cells.max()].max()


def _map(keys, times, n):
    rivals = times.variant.map(style.is_rival).astype(bool)
    # Inputs without a rival are left out. In a file without any rivals, each input's fastest sort replaces the rival.
    base = times[rivals if rivals.any() else times.rate > 0].groupby("dist").rate.max()
    rates = times.pivot(index="variant", columns="dist", values="rate")
    ratios = (rates / base)[[dist for dist in dict.fromkeys(times.dist) if dist in base.index]].dropna(how="all")
    # Variants measured on most inputs first, and among these the fastest first.
    mean, few = np.log(ratios).mean(axis=1), 2 * ratios.notna().sum(axis=1) < len(ratios.columns)
    ratios = ratios.loc[sorted(ratios.index, key=lambda variant: (few[variant], -mean[variant]))]
    cells, widest = ratios.to_numpy(), np.log2(WIDEST)
    shades = np.clip(np.log2(cells), -widest, widest)

    figure, axes = plt.subplots(
        layout="constrained", figsize=(max(7.5, 0.55 * len(ratios.columns) + 3.6), 0.3 * len(ratios) + 2.8))
    colors = plt.get_cmap("PuOr").with_extremes(bad="#F2F2F2")
    norm = Normalize(-widest, widest)
    image = axes.pcolormesh(np.ma.masked_invalid(shades), cmap=colors, norm=norm, edgecolors="white",
                           linewidth=1)
    for row, column in np.ndindex(cells.shape):
        red, green, blue, _ = colors(norm(shades[row, column]))
        _annotate(axes, cells[row, column], 0.299 * red + 0.587 * green + 0.114 * blue < 0.5, row, column)
    axes.invert_yaxis()
    axes.set_xticks(np.arange(len(ratios.columns)) + 0.5, ratios.columns, rotation=45, ha="left", rotation_mode="anchor")
    axes.set_yticks(np.arange(len(ratios)) + 0.5, ratios.index)
    axes.xaxis.tick_top()
    axes.tick_params(length=0, labelcolor=style.INK)
    axes.grid(False)
    axes.spines[:].set_visible(False)
    ticks = FuncFormatter(lambda power, _: f"{2.0 ** power:.3g}x")
    bar = figure.colorbar(image, ax=axes, location="bottom", shrink=0.5, aspect=30, pad=0.03, ticks=[-2, -1, 0, 1, 2], format=ticks)
    bar.outline.set_visible(False)
    style.title(figure, _finding(ratios, rivals.any()),
                f"keys per second over those of {'the best rival' if rivals.any() else 'the fastest'} on the same input; {keys}, "
                f"n = {style.power_label(n)}; – : not measured at this n")
    return figure


def _finding(ratios, has_rivals):
    best = ratios.index[0]
    if not has_rivals:
        return f"{best} is the fastest over all inputs"
    own = ratios[[not style.is_rival(variant) for variant in ratios.index]]
    if own.empty:
        return f"{best} is the fastest rival over all inputs"
    ahead = int((own.max() > 1).sum())
    return f"A sort of the suite is ahead of all rivals on {ahead} of {len(ratios.columns)} inputs; {own.index[0]} is best overall"


def _annotate(axes, ratio, dark, row, column):
    if np.isnan(ratio):
        text, color = "–", "#999999"
    else:
        text, color = f"{ratio:.{1 if 0.095 <= ratio < 9.95 else 0}f}" if ratio >= 0.095 else f"{ratio:.1g}", "white" if dark else "black"
    axes.text(column + 0.5, row + 0.5, text, ha="center", va="center", fontsize=8, color=color)
