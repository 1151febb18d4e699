"""What ranks or GPUs give: the speed against their number, and how much of it each thread or GPU keeps.

Sorts over several processes or GPUs only, on the first distribution. The efficiency of a sort is its speed per thread
or GPU, over that of its own run on the fewest of them. Records are counted in bytes, keys one by one. A file in which
no sort ran on several numbers of ranks or GPUs has no figure.
"""

import re
from dataclasses import dataclass

import matplotlib.pyplot as plt

import lines
import style


@dataclass(frozen=True)
class Parts:
    """What a sort is spread over: the column with their number, the column with the number of workers in all of them, and
    their names."""

    column: str
    workers: str
    label: str
    name: str
    worker: str


RANKS = Parts("ranks", "all_threads", "ranks (processes)", "ranks", "thread")
DEVICES = Parts("devices", "devices", "GPUs", "GPUs", "GPU")


def figures(by_parts, styles, parts=RANKS):
    for keys, times in by_parts.groupby("keys", sort=False):
        times = times[times.dist == times.dist.iloc[0]]
        scaled = times[times.groupby(["variant", "n"])[parts.column].transform("nunique") > 1]
        if scaled.empty:
            continue
        cells = scaled.groupby("n").size()
        n = cells.index[cells == cells.max()].max()
        yield (f"{parts.column}_{keys.replace(' + ', '_').replace(' ', '_')}",
               _figure(keys, efficient(scaled[scaled.n == n], parts), n, styles, parts))


def efficient(times, parts=RANKS):
    """The same rows with a column `efficiency`."""
    fewest = times.loc[times.groupby("variant")[parts.workers].idxmin()].set_index("variant")
    of_fewest = times.variant.map(fewest.rate / fewest[parts.workers])
    return times.assign(efficiency=times.rate / times[parts.workers] / of_fewest)


def _figure(keys, times, n, styles, parts):
    record = re.match(r"r(\d+):", keys)
    if record:
        times = times.assign(rate=times.rate * int(record[1]))
    unit = "B/s" if record else "keys/s"
    figure, panels = plt.subplots(1, 2, layout="constrained", figsize=(14.8, 4.8))
    for axes, column, name, label in ((panels[0], "rate", f"speed, {unit}", style.rate_label),
                                      (panels[1], "efficiency", f"efficiency: speed per {parts.worker}, over that on the fewest",
                                       lambda share: f"{100 * share:.0f} %")):
        lines.draw(axes, times, parts.column, column, styles)
        counts = sorted(times[parts.column].unique())
        axes.set_xticks(counts, counts)
        axes.set_xlim(0, max(counts) * 1.02)
        style.value_axis(axes, label)
        axes.set_xlabel(parts.label)
        axes.set_title(name, loc="left")
        lines.name_ends(axes, styles)
    style.title(figure, finding(times, unit, parts),
                f"speed and efficiency over {parts.name}; n = {style.power_label(n)}, {keys}, {times.dist.iloc[0]}")
    return figure


def finding(times, unit, parts=RANKS):
    """Who is the fastest on the most ranks or GPUs, and its efficiency there."""
    most = times[times[parts.column] == times[parts.column].max()]
    best = most.loc[most.rate.idxmax()]
    rate = style.rate_text(best.rate).replace("keys/s", unit)
    fewest = times[times.variant == best.variant][parts.workers].min()
    text = f"{best.variant} reaches {rate} on {best[parts.column]} {parts.name}"
    if fewest == best[parts.workers]:
        return text
    return f"{text}, an efficiency of {100 * best.efficiency:.0f} % against {fewest} {parts.worker}{'s' if fewest > 1 else ''}"
