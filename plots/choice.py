"""Draws the result of `sortlab recommend --csv`: the best candidates, fastest first, and the distances between them."""

import matplotlib.pyplot as plt

import style
from load import read_table
from standings import types_of

TIMES = ("time_ns", "time_low_ns", "time_high_ns")
MOST = 10
WIDEST = 10  # times the fastest; longer bars would leave no room for the others


def load(path):
    return read_table(path, ("answer", "name", "variant", "key_type", "value_bytes", "order", "n", "dist",
                             "dist_param", "device"), ("ratio", *TIMES))


def figures(rows):
    if len(rows):
        yield "recommendation", _bars(_shown(rows))


def note(rows):
    """The note below the figure."""
    more = len(rows) - len(_shown(rows))
    return f"Slower, and only in the CSV: {more} more." if more else ""


def _shown(rows):
    return rows[rows.ratio <= WIDEST].head(MOST).reset_index(drop=True)


def _bars(rows):
    figure, axes = plt.subplots(layout="constrained", figsize=(8.5, 0.32 * len(rows) + 1.5))
    unit_ns, unit = _unit(rows.time_ns.max())
    for y, row in enumerate(rows.itertuples()):
        axes.barh(y, row.time_ns / unit_ns, 0.65, **style.style_of(row.variant).bar())
        axes.hlines(y, row.time_low_ns / unit_ns, row.time_high_ns / unit_ns, color=style.INK, linewidth=1.5)
        end = max(row.time_ns, row.time_high_ns) / unit_ns
        axes.annotate(f"{style.time_label(row.time_ns * 1e-9)}, {_margin(row.ratio)}" +
                      (f": {row.answer}" if row.answer else ""),
                      (end, y), (5, 0), textcoords="offset points", va="center", fontsize=8.5,
                      fontweight="bold" if y == 0 else "normal")
    axes.set_xlim(0, 1.25 * max(rows.time_ns.max(), rows.time_high_ns.max()) / unit_ns)
    style.mark_rows(axes, rows.name)
    axes.set_xlabel(f"time in {unit}, with the median's 95 % interval")
    best, others = rows.iloc[0], rows[rows.ratio > 1]
    lead = f"; the next takes {_margin(others.ratio.min())}" if len(others) else ""
    style.title(figure, f"{best['name']} is the fastest, with {style.time_label(best.time_ns * 1e-9)}{lead}", _question(best))
    return figure


def _unit(ns):
    return next((size, unit) for size, unit in ((1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1, "ns")) if ns >= size)


def _margin(ratio):
    return "the fastest" if ratio == 1 else f"{100 * (ratio - 1):.3g} % longer" if ratio < 2 else f"{ratio:.3g}x the time"


def _question(row):
    dist = f"{row.dist}:{row.dist_param}" if row.dist_param else row.dist
    keys = types_of(row.key_type, row.value_bytes)
    return f"{row.n} items of {keys}, {dist}, {row.order}ending, on {row.device}"
