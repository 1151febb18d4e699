"""What threads give: keys a second against n on one thread and on all, and against the number of threads.

CPU sorts only, on the first distribution. Sorts that have but one thread are among those on one. A
file in which no sort ran on several numbers of threads has neither figure.
"""

import matplotlib.pyplot as plt

import style


def figures(by_threads, styles):
    for keys, times in by_threads.groupby("keys", sort=False):
        name = keys.replace(" + ", "_").replace(" ", "_")
        times = times[times.dist == times.dist.iloc[0]]
        counts = times.groupby("variant").threads.nunique()
        if counts.max() < 2:
            continue
        yield f"one_and_all_{name}", _one_and_all(keys, times, styles)
        if counts.max() > 2:
            scaled = times[times.variant.isin(counts.index[counts > 2])]
            cells = scaled.groupby("n").size()
            n = cells.index[cells == cells.max()].max()
            yield f"threads_{name}", _against_threads(keys, scaled[scaled.n == n], n, styles)


def _one_and_all(keys, times, styles):
    most = times.threads.max()
    figure, panels = plt.subplots(1, 2, sharey=True, layout="constrained",
                                  figsize=(12, max(4.6, 0.2 * times.variant.nunique() + 0.5)))
    for axes, threads in zip(panels, (1, most)):
        _lines(axes, times[times.threads == threads], "n", styles)
        style.log_size_axis(axes, times.n)
        axes.set_title("one thread" if threads == 1 else f"{threads} threads", loc="left")
        axes.set_xlabel("n")
    style.log_value_axis(panels[0], style.rate_label)
    _legend(figure, panels, styles)
    style.title(figure, f"Keys a second on one thread and on all, {keys}, {times.dist.iloc[0]}", "Dotted: baselines.")
    return figure


def _against_threads(keys, times, n, styles):
    figure, axes = plt.subplots(layout="constrained", figsize=(7.5, 4.6))
    _lines(axes, times, "threads", styles)
    axes.set_xscale("log", base=2)
    counts = sorted(times.threads.unique())
    axes.set_xticks(counts, counts)
    axes.minorticks_off()
    style.log_value_axis(axes, style.rate_label)
    axes.set_xlabel("threads")
    _legend(figure, [axes], styles)
    style.title(figure, f"Keys a second against threads, {keys}, {times.dist.iloc[0]}",
                f"n = {style.power_label(n)}. Dotted: baselines.")
    return figure


def _lines(axes, times, column, styles):
    for variant in style.in_order(times.variant.unique()):
        line = times[times.variant == variant].sort_values(column)
        axes.plot(line[column], line.rate, label=variant, zorder=3, **styles[variant].line())


def _legend(figure, panels, styles):
    names = style.in_order({line.get_label() for axes in panels for line in axes.get_lines()})
    handles = [plt.Line2D([], [], **styles[name].line()) for name in names]
    figure.legend(handles, names, loc="outside right center", fontsize=8, handlelength=2.6)
