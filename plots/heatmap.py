"""Which input suits which sort: variant by distribution, keys a second at one n.

The n is the largest that has nearly all the cells: a quadratic rung that stops early leaves a few
of them empty rather than pulling the whole map down to its size.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import LogNorm

import style

NEARLY_ALL = 0.85


def figures(times, styles):
    for keys, of_keys in times.groupby("keys", sort=False):
        n = largest_common_n(of_keys)
        yield f"heatmap_{keys.replace(' + ', '_').replace(' ', '_')}", _map(keys, of_keys[of_keys.n == n], n, styles)


def largest_common_n(times):
    cells = times.groupby("n").size()
    return cells.index[cells >= NEARLY_ALL * cells.max()].max()


def _map(keys, times, n, styles):
    variants = style.in_order(times.variant.unique())
    dists = list(dict.fromkeys(times.dist))
    rates = times.pivot(index="variant", columns="dist", values="rate").loc[variants, dists].to_numpy()
    low, high = np.nanmin(rates), np.nanmax(rates)
    norm = LogNorm(low, high if high > low else low * 1.01)

    figure, axes = plt.subplots(
        layout="constrained", figsize=(max(5.5, 0.95 * len(dists) + 3.2), 0.33 * len(variants) + 1.6))
    colors = plt.get_cmap("viridis").with_extremes(bad="#F2F2F2")
    image = axes.pcolormesh(np.ma.masked_invalid(rates), cmap=colors, norm=norm, edgecolors="white", linewidth=1)
    for row, column in np.ndindex(rates.shape):
        _annotate(axes, rates[row, column], row, column, norm)
    axes.invert_yaxis()
    axes.set_xticks(np.arange(len(dists)) + 0.5, dists)
    axes.set_yticks(np.arange(len(variants)) + 0.5, variants)
    for label, variant in zip(axes.get_yticklabels(), variants):
        label.set_color(styles[variant].color)
        label.set_fontweight("bold")
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    axes.grid(False)
    axes.spines[:].set_visible(False)
    _rule_between_ladders(axes, variants)
    if len(variants) > 4:  # on a lower map the bar is too short to read, and the cells say it all
        bar = figure.colorbar(image, ax=axes, shrink=0.6, aspect=30, pad=0.02)
        style.log_value_axis(bar.ax, style.rate_label)
        bar.outline.set_visible(False)
    style.title(figure, f"Keys a second by input, {keys}", f"n = {style.power_label(n)}; – : not measured at this n")
    return figure


def _annotate(axes, rate, row, column, norm):
    if np.isnan(rate):
        text, color = "–", "#999999"
    else:
        text, color = style.rate_label(rate), "white" if norm(rate) < 0.6 else "black"
    axes.text(column + 0.5, row + 0.5, text, ha="center", va="center", fontsize=8, color=color)


def _rule_between_ladders(axes, variants):
    ladders = [variant.rsplit("/", 1)[0] for variant in variants]
    for row in range(1, len(ladders)):
        if ladders[row] != ladders[row - 1]:
            axes.axhline(row, color="white", linewidth=4)
