"""Draws the result of `sortlab compare --csv`: one row per configuration, the ratio of the medians with its interval.

The rows are in the table's order, the worst first. A point left of 1 is faster than the base, right of it slower; the
verdict beside it also considers the interval.
"""

import matplotlib.pyplot as plt
import numpy as np

import style
from load import read_table

RATIOS = ("ratio", "ratio_low", "ratio_high")
CONFIG = ("key_type", "value_bytes", "order", "n", "dist", "dist_param", "host_mem", "cache", "launch")
MAY_DIFFER = ("device", "threads", "isa", "lib_version")
MOST = 60
VERDICT_COLORS = {"slower": "#B5480A", "failed": "#B5480A", "faster": "#007A57"}


def load(path):
    sides = [f"{side}_{column}" for column in (*MAY_DIFFER, "params") for side in ("base", "new")]
    return read_table(path, ("verdict", "variant", *sides, *CONFIG, "load"), RATIOS)


def figures(rows):
    if len(rows):
        yield "comparison", _forest(rows.head(MOST).reset_index(drop=True))


def note(rows):
    """The note below the figure."""
    return f"and {len(rows) - MOST} more, all in the CSV" if len(rows) > MOST else ""


def _forest(rows):
    figure, axes = plt.subplots(layout="constrained", figsize=(8.5, 0.26 * len(rows) + 1.5))
    # An interval of a few samples may be infinite, so the medians set the range of the axis.
    lowest, highest = min(1, rows.ratio.min()), max(1, rows.ratio.max())
    room = max(highest / lowest, 1.2) ** 0.15
    left, right = lowest / room, highest * room
    axes.set_xlim(left, right)
    for y, row in enumerate(rows.itertuples()):
        look = style.style_of(row.variant)
        if row.ratio > 0:
            axes.hlines(y, max(row.ratio_low, left), min(row.ratio_high, right), color=look.color,
                        linewidth=2.5, alpha=0.5)
            axes.plot(row.ratio, y, **{**look.line(), "linestyle": ""}, markersize=6)
        axes.text(1.01, y, _outcome(row.ratio, row.verdict), transform=axes.get_yaxis_transform(), va="center", fontsize=8.5,
                  color=VERDICT_COLORS.get(row.verdict, "#555555"))
    style.ratio_axis(axes)
    style.mark_rows(axes, _names(rows))
    axes.set_xlabel("time of the new run over that of the base, with its 95 % interval (logarithmic; left of 1: faster)")
    style.title(figure, _finding(rows), _what(rows))
    return figure


def _outcome(ratio, verdict):
    """"8.0x faster", "1.25x slower", "can't tell, 1.02x the time", or only the verdict if there is no ratio."""
    if not ratio > 0 or verdict == "failed":
        return verdict
    if verdict in ("faster", "slower"):
        return f"{max(ratio, 1 / ratio):.3g}x {verdict}"
    return f"{verdict}, {ratio:.3g}x the time"


def _finding(rows):
    """The number of each verdict, and the largest change."""
    counts = rows.verdict.value_counts()
    text = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
    changed = rows[rows.verdict.isin(("faster", "slower")) & (rows.ratio > 0)]
    if changed.empty:
        return text[:1].upper() + text[1:]
    largest = changed.loc[np.log(changed.ratio).abs().idxmax()]
    return f"{text}; the largest change: {largest.variant}, {_outcome(largest.ratio, largest.verdict)}"


def _what(rows):
    """The values that all rows share, and the differences between the runs."""
    parts = [rows[column].iloc[0] for column in ("key_type", "dist") if rows[column].nunique() == 1]
    if rows.n.nunique() == 1:
        parts.append(f"n = {style.power_label(rows.n.iloc[0])}")
    for column in MAY_DIFFER:
        differing = rows[rows[f"base_{column}"] != rows[f"new_{column}"]]
        pairs = list(differing.groupby([f"base_{column}", f"new_{column}"], sort=False).groups)
        if len(pairs) == 1:
            parts.append(f"{column}: {pairs[0][0] or 'none'} in the base, {pairs[0][1] or 'none'} in the new run")
        elif pairs:
            parts.append(f"{column} differs")
    return "; ".join(parts)


def _names(rows):
    """The variant, and the other values that distinguish a row."""
    columns = [column for column in (*CONFIG, "load", "new_threads") if rows[column].nunique() > 1]
    if rows.groupby("variant").new_params.nunique().max() > 1:
        columns.append("new_params")
    names = []
    for _, row in rows.iterrows():
        parts = [_part(column, row[column]) for column in columns if row[column]]
        names.append(", ".join(filter(None, [row.variant, *parts])))
    return names


def _part(column, value):
    if column == "n":
        return style.power_label(value)
    if column == "value_bytes":
        return "keys" if value == "0" else f"u{8 * int(value)} values"
    if column == "load":
        return f"load {value}"
    if column == "new_threads":
        return "" if value == "0" else "1 thread" if value == "1" else f"{value} threads"
    return value
