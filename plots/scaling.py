"""Draws keys per second against n.

There are three views of each kind of keys. The field: on the first distribution, six lines among all others, in keys
per second and as a ratio to the best rival. The ladders: one column per algorithm, one row per distribution, the
algorithm's own rungs over all others in grey. Their axes are logarithmic, because naive and fast rungs differ by orders
of magnitude.
"""

import matplotlib.pyplot as plt
from matplotlib.collections import LineCollection
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

import lines
import style


def figures(times, styles):
    for keys, of_keys in times.groupby("keys", sort=False):
        yield f"scaling_{_file(keys)}_all", _field(keys, of_keys, styles)
        yield f"scaling_{_file(keys)}_rate", _ladders(keys, of_keys, styles)


def _file(keys):
    return keys.replace(" + ", "_").replace(" ", "_")


def _field(keys, times, styles):
    dist = times.dist.iloc[0]
    times = times[times.dist == dist]
    rivals = lines.best_rivals(times)
    held = times[times.n.isin(rivals.index)].copy()
    held["ratio"] = held.rate / held.n.map(rivals)
    panels = [("rate", "keys per second", style.rate_label, times)]
    if held.n.nunique() > 1 and held.variant.nunique() > 1:
        panels.append(("ratio", "times the best rival", lambda ratio: f"{ratio:g}x", held))
    figure, grid = plt.subplots(1, len(panels), squeeze=False, layout="constrained", figsize=(7.4 * len(panels), 5))
    main = lines.main_variants(times)
    for axes, (column, name, label, rows) in zip(grid[0], panels):
        lines.draw(axes, rows, "n", column, styles, main)
        style.log_size_axis(axes, rows.n)
        style.value_axis(axes, label)
        if column == "ratio":
            axes.axhline(1, color=style.INK, linewidth=2.2, zorder=2)
        axes.set_title(name, loc="left")
        axes.set_xlabel("n (logarithmic)")
        lines.name_ends(axes, styles)
    grey = times.variant.nunique() - len(main)
    style.title(figure, lines.finding(times), f"{keys}, {dist}" + (f"; grey: {grey} more" if grey > 0 else "") + _gpu_note(times))
    return figure


def _ladders(keys, times, styles):
    sizes = times.groupby("dist", sort=False).n.nunique()
    dists = [dist for dist in sizes.index if sizes[dist] > 1] or [sizes.index[0]]  # others have no line to draw
    ladders = list(dict.fromkeys(_column(v) for v in style.in_order(times.variant.unique())))
    figure, grid = plt.subplots(
        len(dists), len(ladders), squeeze=False, sharex=True, sharey=True, layout="constrained",
        figsize=(max(6, 2.6 * len(ladders) + 0.6), 2.0 * len(dists) + 1.9))
    for row, dist in zip(grid, dists):
        of_dist = times[times.dist == dist]
        for axes, ladder in zip(row, ladders):
            own = of_dist.variant.map(_column) == ladder
            others = [line[["n", "rate"]] for _, line in of_dist[~own].sort_values("n").groupby("variant")]
            axes.add_collection(LineCollection(others, colors=style.CONTEXT, linewidths=0.8, zorder=1))
            for variant in style.in_order(of_dist[own].variant.unique()):
                line = of_dist[of_dist.variant == variant].sort_values("n")
                axes.plot(line.n, line.rate, label=variant, zorder=3, **styles[variant].line())
        row[0].set_ylabel(dist, fontweight="bold", fontsize=10)
    for axes, ladder in zip(grid[0], ladders):
        axes.set_title(ladder)
    _legends_under(grid, times, ladders, styles)
    style.log_size_axis(grid[0][0], times[times.dist.isin(dists)].n, ticks=4)
    grid[0][0].set_yscale("log")
    grid[0][0].yaxis.set_major_locator(LogLocator(base=10, numticks=8))
    grid[0][0].yaxis.set_minor_locator(NullLocator())
    grid[0][0].yaxis.set_major_formatter(FuncFormatter(lambda rate, _: style.rate_label(rate)))
    style.title(figure, _fastest_rungs(times),
                f"keys per second over n (both logarithmic), {keys}; a row a distribution; grey: all other sorts" + _gpu_note(times))
    return figure


def _column(variant):
    """Rivals share one."""
    return "rivals" if style.is_rival(variant) else variant.split("/")[1]


def _fastest_rungs(times):
    """On how many inputs each ladder holds the fastest rung."""
    own = times[~times.variant.map(style.is_rival).astype(bool) & ~times.variant.str.contains("/auto/")]
    if own.empty:
        return "The rivals"
    best = own.loc[own.groupby(["dist", "n"]).rate.idxmax()].variant.map(_column).value_counts()
    return f"The fastest rung is one of {best.index[0]} in {best.iloc[0]} of {best.sum()} measured cases"


def _legends_under(grid, times, ladders, styles):
    """Each column has the legend of its own lines below its last panel, for all rows."""
    for axes, ladder in zip(grid[-1], ladders):
        names = [v for v in style.in_order(times.variant.unique()) if _column(v) == ladder]
        handles = [plt.Line2D([], [], **styles[v].line()) for v in names]
        axes.legend(handles, names, loc="upper left", bbox_to_anchor=(-0.05, -0.16), fontsize=7.5,
                    borderaxespad=0, handlelength=2.4)


def _gpu_note(times):
    on_gpu = times.variant.str.startswith("gpu/").any()
    return "; GPU sorts: their kernels' own time" if on_gpu else ""
