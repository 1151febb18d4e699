"""What ranks give: the speed against the number of processes, and how much of it each thread keeps.

Sorts over several processes only, on the first distribution. The efficiency of a sort is its speed per thread, over
that of its own run on the fewest threads. Records are counted in bytes, keys one by one. A file in which no sort ran on several
numbers of ranks has no figure.
"""

import re

import matplotlib.pyplot as plt

import lines
import style


def figures(by_ranks, styles):
    for keys, times in by_ranks.groupby("keys", sort=False):
        times = times[times.dist == times.dist.iloc[0]]
        scaled = times[times.groupby(["variant", "n"]).ranks.transform("nunique") > 1]
        if scaled.empty:
            continue
        cells = scaled.groupby("n").size()
        n = cells.index[cells == cells.max()].max()
        yield f"ranks_{keys.replace(' + ', '_').replace(' ', '_')}", _figure(keys, efficient(scaled[scaled.n == n]), n, styles)


def efficient(times):
    """The same rows with a column `efficiency`."""
    fewest = times.loc[times.groupby("variant").all_threads.idxmin()].set_index("variant")
    of_fewest = times.variant.map(fewest.rate / fewest.all_threads)
    return times.assign(efficiency=times.rate / times.all_threads / of_fewest)


def _figure(keys, times, n, styles):
    record = re.match(r"r(\d+):", keys)
    if record:
        times = times.assign(rate=times.rate * int(record[1]))
    unit = "B/s" if record else "keys/s"
    figure, panels = plt.subplots(1, 2, layout="constrained", figsize=(14.8, 4.8))
    for axes, column, name, label in ((panels[0], "rate", f"speed, {unit}", style.rate_label),
                                      (panels[1], "efficiency", "efficiency: speed per thread, over that on the fewest threads",
                                       lambda share: f"{100 * share:.0f} %")):
        lines.draw(axes, times, "ranks", column, styles)
        counts = sorted(times.ranks.unique())
        axes.set_xticks(counts, counts)
        axes.set_xlim(0, max(counts) * 1.02)
        style.value_axis(axes, label)
        axes.set_xlabel("ranks (processes)")
        axes.set_title(name, loc="left")
        lines.name_ends(axes, styles)
    style.title(figure, finding(times, unit), f"speed and efficiency over ranks; n = {style.power_label(n)}, {keys}, {times.dist.iloc[0]}")
    return figure


def finding(times, unit):
    """Who is the fastest on the most ranks, and its efficiency there."""
    most = times[times.ranks == times.ranks.max()]
    best = most.loc[most.rate.idxmax()]
    rate = style.rate_text(best.rate).replace("keys/s", unit)
    fewest = times[times.variant == best.variant].all_threads.min()
    text = f"{best.variant} reaches {rate} on {best.ranks} ranks"
    if fewest == best.all_threads:
        return text
    return f"{text}, an efficiency of {100 * best.efficiency:.0f} % against {fewest} thread{'s' if fewest > 1 else ''}"
