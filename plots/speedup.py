"""Draws how many times faster than its naive rung each rung is, at the largest n that both ran.

Each side has its own naive rung: gpu/radix/... is compared with gpu/radix/naive.
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
        len(dists), 1, squeeze=False, sharex=True, layout="constrained",
        figsize=(max(7.5, 0.62 * bars + 1), 1.9 * len(dists) + 2.2))
    panels = panels[:, 0]
    places = _places(gains)
    for axes, dist in zip(panels, dists):
        _panel(axes, gains[gains.dist == dist], places, gains.n.max(), styles)
        axes.set_ylabel(dist, fontweight="bold", fontsize=10)
    panels[-1].set_xticks(list(places.values()), list(places), rotation=40, ha="right", rotation_mode="anchor")
    best = gains.loc[gains.gain.idxmax()]
    style.title(figure, f"{best.variant} is up to {style.gain_label(best.gain)} as fast as its ladder's naive rung",
                f"times as fast as naive, {keys}; n = {style.power_label(gains.n.max())}, or the n named in the panel where "
                "the naive rung ends sooner; the panels' axes differ")
    return figure


def _places(gains):
    """The place of each variant's bar in all panels, with a gap between two ladders."""
    places, x, before = {}, 0, None
    for variant in style.in_order(gains.variant.unique()):
        ladder = variant.rsplit("/", 1)[0]
        x += 1 if before in (None, ladder) else 2
        places[variant], before = x, ladder
    return places


def _panel(axes, gains, places, largest, styles):
    for bar in gains.itertuples():
        axes.bar(places[bar.variant], bar.gain, BAR, label=bar.variant, **styles[bar.variant].bar())
        note = f"\nn = {style.power_label(bar.n)}" if bar.n != largest else ""
        axes.annotate(style.gain_label(bar.gain) + note, (places[bar.variant], bar.gain), (0, 2),
                      textcoords="offset points", ha="center", va="bottom", fontsize=7.5)
    axes.set_ylim(0, 1.3 * max(1, gains.gain.max()))
    axes.axhline(1, color=style.INK, linewidth=1)
    axes.set_xlim(min(places.values()) - 1, max(places.values()) + 1)
    axes.grid(axis="x", visible=False)
    axes.tick_params(axis="x", length=0)
