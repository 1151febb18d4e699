"""Draws the gain from threads: keys per second against n on one thread and on all, and against the number of threads.

It shows CPU sorts only, on the first distribution. Sorts that have only one thread are among those on one. Without a
sort that ran on several numbers of threads, there is neither figure.
"""

import matplotlib.pyplot as plt

import lines
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
    figure, panels = plt.subplots(1, 2, layout="constrained", figsize=(14.8, 5))
    findings = []
    for axes, threads in zip(panels, (1, most)):
        here = times[times.threads == threads]
        lines.draw(axes, here, "n", "rate", styles)
        style.log_size_axis(axes, times.n)
        style.value_axis(axes, style.rate_label)
        lines.name_ends(axes, styles)
        name = "one thread" if threads == 1 else f"{threads} threads"
        axes.set_title(name, loc="left")
        axes.set_xlabel("n (logarithmic)")
        best = here.loc[here.rate.idxmax()]
        findings.append(f"{best.variant} reaches {style.rate_text(best.rate)} on {name}")
    style.title(figure, "; ".join(findings), f"keys per second, {keys}, {times.dist.iloc[0]}; the panels' axes differ; grey: all other sorts")
    return figure


def _against_threads(keys, times, n, styles):
    figure, axes = plt.subplots(layout="constrained", figsize=(8.2, 4.8))
    lines.draw(axes, times, "threads", "rate", styles)
    counts = sorted(times.threads.unique())
    axes.set_xticks(counts, counts)
    axes.set_xlim(0, max(counts) * 1.02)
    style.value_axis(axes, style.rate_label)
    axes.set_xlabel("threads")
    lines.name_ends(axes, styles)
    table = times.pivot(index="threads", columns="variant", values="rate")
    gains = (table.iloc[-1] / table.iloc[0]).dropna().sort_values()
    text = (f"{gains.index[-1]} gains most from {table.index[-1]} threads: {style.gain_label(gains.iloc[-1])} its speed on "
            f"{'one' if table.index[0] == 1 else table.index[0]}" if len(gains) else "No sort ran on the fewest and the most threads")
    style.title(figure, text, f"keys per second over threads; n = {style.power_label(n)}, {keys}, {times.dist.iloc[0]}")
    return figure
