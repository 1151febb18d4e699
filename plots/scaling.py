"""Time and keys a second against n, both axes logarithmic.

Two views of each kind of keys. The ladders: a column an algorithm, a row a distribution, the
algorithm's own rungs in colour over all the others in grey, so that thirty lines stay readable.
The whole field: every variant in one panel, on the first distribution.
"""

import matplotlib.pyplot as plt
from matplotlib.collections import LineCollection

import style

METRICS = (
    ("seconds", "time", "time", style.time_label),
    ("rate", "rate", "keys a second", style.rate_label),
)


def figures(times, styles):
    for keys, of_keys in times.groupby("keys", sort=False):
        for metric in METRICS:
            yield f"scaling_{_file(keys)}_{metric[1]}", _ladders(keys, of_keys, metric, styles)
        yield f"scaling_{_file(keys)}_all", _field(keys, of_keys, styles)


def _file(keys):
    return keys.replace(" + ", "_").replace(" ", "_")


def _ladders(keys, times, metric, styles):
    column, _, name, label = metric
    dists = list(dict.fromkeys(times.dist))
    ladders = list(dict.fromkeys(v.split("/")[1] for v in style.in_order(times.variant.unique())))
    figure, grid = plt.subplots(
        len(dists), len(ladders), squeeze=False, sharex=True, sharey=True, layout="constrained",
        figsize=(max(6, 2.6 * len(ladders) + 0.6), 2.0 * len(dists) + 1.9))
    for row, dist in zip(grid, dists):
        of_dist = times[times.dist == dist]
        for axes, ladder in zip(row, ladders):
            own = of_dist.variant.str.split("/").str[1] == ladder
            others = [line[["n", column]] for _, line in of_dist[~own].sort_values("n").groupby("variant")]
            axes.add_collection(LineCollection(others, colors=style.CONTEXT, linewidths=0.8, zorder=1))
            _plot(axes, of_dist[own], column, styles)
        row[0].set_ylabel(dist, fontweight="bold", fontsize=10)
    for axes, ladder in zip(grid[0], ladders):
        axes.set_title(ladder)
    _legends_under(grid, times, ladders, styles)
    style.log_size_axis(grid[0][0], times.n)
    style.log_value_axis(grid[0][0], label)
    style.title(figure, f"{name.capitalize()} against n, {keys}",
                "A column an algorithm, a row a distribution; grey: the other algorithms' variants. "
                "Dotted: baselines." + _gpu_note(times))
    return figure


def _legends_under(grid, times, ladders, styles):
    """Each column explains its own lines below its last panel, whichever rows they appear in."""
    for axes, ladder in zip(grid[-1], ladders):
        names = [v for v in style.in_order(times.variant.unique()) if v.split("/")[1] == ladder]
        handles = [plt.Line2D([], [], **styles[v].line()) for v in names]
        axes.legend(handles, names, loc="upper left", bbox_to_anchor=(-0.05, -0.16), fontsize=7.5,
                    borderaxespad=0, handlelength=2.4)


def _field(keys, times, styles):
    dist = times.dist.iloc[0]
    times = times[times.dist == dist]
    figure, panels = plt.subplots(1, 2, layout="constrained",
                                  figsize=(13.5, max(5.8, 0.2 * times.variant.nunique() + 0.5)))
    for axes, (column, _, name, label) in zip(panels, METRICS):
        _plot(axes, times, column, styles)
        style.log_size_axis(axes, times.n)
        style.log_value_axis(axes, label)
        axes.set_title(name, loc="left")
        axes.set_xlabel("n")
    # The legend runs as the lines end: the fastest at the largest n on top.
    last = times.sort_values("n").groupby("variant").last().sort_values("rate", ascending=False)
    handles = {line.get_label(): line for line in panels[1].get_lines()}
    panels[1].legend([handles[v] for v in last.index], last.index, loc="center left",
                     bbox_to_anchor=(1.01, 0.5), fontsize=8, handlelength=2.6)
    style.title(figure, f"Every variant, {keys}, {dist}",
                "Legend: fastest first at the largest n it ran. Dotted: baselines." + _gpu_note(times))
    return figure


def _plot(axes, times, column, styles):
    for variant in style.in_order(times.variant.unique()):
        line = times[times.variant == variant].sort_values("n")
        axes.plot(line.n, line[column], label=variant, zorder=3, **styles[variant].line())


def _gpu_note(times):
    on_gpu = times.variant.str.startswith("gpu/").any()
    return " Dashed: GPU, its kernels' own time without the copies." if on_gpu else ""
