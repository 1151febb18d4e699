"""The ladders: how fast each rung is, and what it gained over the rung before.

All rungs at one n, the largest that most of them ran; uniform keys.
"""

import matplotlib.pyplot as plt

import style


def figures(times):
    """One figure for each kind of keys and side that has uniform keys and a ladder of two rungs."""
    uniform = times[times.dist == "uniform"]
    sides = uniform.variant.str.split("/").str[0]
    for (keys, side), group in uniform.groupby(["keys", sides], sort=False):
        counts = group.groupby("n").variant.nunique()
        n = counts[counts >= 0.7 * counts.max()].index.max()
        rates = n / group[group.n == n].set_index("variant").seconds
        if len(rates) > 1:
            name = keys.replace(" + ", "_").replace(" ", "_")
            yield f"ladder_{side}_{name}", _bars(rates, keys, side, n)


def _bars(rates, keys, side, n):
    variants = style.in_order(rates.index)
    figure, axes = plt.subplots(figsize=(8.5, 0.3 * len(variants) + 1.3), layout="constrained")
    styles = style.styles_of(variants)
    before = {}
    for place, variant in enumerate(variants):
        ladder = variant.rsplit("/", 1)[0]
        rate = rates[variant]
        axes.barh(place, rate, height=0.75, **styles[variant].bar())
        gain = "" if ladder.endswith("baselines") or ladder not in before else f"   {rate / before[ladder]:.2f}×"
        axes.text(rate, place, f" {style.rate_label(rate)}{gain}", va="center", fontsize=8)
        before[ladder] = rate
    axes.set_yticks(range(len(variants)), variants)
    for label, variant in zip(axes.get_yticklabels(), variants):
        label.set_color(styles[variant].color)
    axes.invert_yaxis()
    axes.grid(axis="y", visible=False)
    axes.set_xscale("log")
    axes.set_xlim(rates.min() / 1.5, rates.max() * 5)
    axes.set_xlabel("keys per second (logarithmic)")
    style.title(figure, f"The {side.upper()} ladders, {keys}",
                f"{style.power_label(n)} uniform keys. The factor is the gain over the rung above it.")
    return figure
