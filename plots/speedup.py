"""How many times faster than its naive rung each rung is, at the largest n that both ran.

Each side has its own naive rung: gpu/radix/... is held against gpu/radix/naive.
"""

import matplotlib.pyplot as plt
import pandas as pd

import style

BAR = 0.8  # of the distance between two bars; the ladders stand one bar apart


def figures(times, styles):
    for keys, of_keys in times.groupby("keys", sort=False):
        gains = gains_over_naive(of_keys)
        if len(gains):
            yield f"speedup_{keys.replace(' + ', '_').replace(' ', '_')}", _bars(keys, gains, styles)


def gains_over_naive(times):
    """Rows dist, ladder, variant, n, gain: a ladder's n is its largest with a naive time and another."""
    rows = []
    ladders = times.variant.str.rsplit("/", n=1).str[0]
    for (dist, ladder), group in times.groupby(["dist", ladders], sort=False):
        table = group.pivot(index="n", columns="variant", values="seconds")
        naive = f"{ladder}/naive"
        if naive not in table or table.shape[1] < 2:
            continue
        table = table[table[naive].notna() & table.drop(columns=naive).notna().any(axis=1)]
        if table.empty:
            continue
        n, last = table.index[-1], table.iloc[-1].dropna()
        rows += [
            (dist, ladder, variant, n, last[naive] / last[variant])
            for variant in style.in_order(last.index) if variant != naive
        ]
    return pd.DataFrame(rows, columns=["dist", "ladder", "variant", "n", "gain"])


def _bars(keys, gains, styles):
    dists = list(dict.fromkeys(gains.dist))
    bars = max(len(group) + group.ladder.nunique() for _, group in gains.groupby("dist"))
    figure, panels = plt.subplots(
        len(dists), 1, squeeze=False, sharey=True, layout="constrained",
        figsize=(max(6.5, 0.62 * bars + 1), 2.3 * len(dists) + 1.2))
    panels = panels[:, 0]
    for axes, dist in zip(panels, dists):
        _panel(axes, gains[gains.dist == dist], gains.n.max(), styles)
        axes.set_ylabel(dist, fontweight="bold", fontsize=10)
    panels[0].set_ylim(min(1, gains.gain.min()) * 0.7, max(1, gains.gain.max()) * 2.2)
    style.log_value_axis(panels[0], lambda gain: f"{gain:g}×")
    names = style.in_order(gains.variant.unique())
    handles = [plt.Rectangle((0, 0), 1, 1, **styles[v].bar()) for v in names]
    figure.legend(handles, names, loc="outside right center", fontsize=8)
    style.title(figure, f"Speed-up over the naive rung, {keys}",
                f"At n = {style.power_label(gains.n.max())}, or the n named below where the naive rung "
                "ends sooner; logarithmic.")
    return figure


def _panel(axes, gains, largest, styles):
    x, ticks, labels = 0, [], []
    for ladder, group in gains.groupby("ladder", sort=False):
        first = x
        for bar in group.itertuples():
            # From 1 up for a gain, down for a loss: 1 is the naive rung itself.
            axes.bar(x, bar.gain - 1, BAR, bottom=1, label=bar.variant, **styles[bar.variant].bar())
            axes.annotate(f"{bar.gain:.3g}×", (x, max(bar.gain, 1)), (0, 2), textcoords="offset points",
                          ha="center", va="bottom", fontsize=8)
            x += 1
        ticks.append((first + x - 1) / 2)
        n = group.n.iloc[0]
        labels.append(ladder + (f"\nn = {style.power_label(n)}" if n != largest else ""))
        x += 1
    axes.axhline(1, color="#888888", linewidth=1)
    axes.set_xlim(-1, x - 1)
    axes.set_xticks(ticks, labels)
    axes.grid(axis="x", visible=False)
    axes.tick_params(axis="x", length=0)
