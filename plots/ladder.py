"""The ladders: how fast each rung is, and what it gained over the nearest rung below it that was measured.

All rungs at one n, the largest that most of them ran; uniform keys. Which rung stands on which comes from the variants
themselves.
"""

import matplotlib.pyplot as plt
from matplotlib.ticker import FuncFormatter

import style
import variants


def figures(times):
    """One figure for each kind of keys and side that has uniform keys and a ladder of two rungs."""
    after = variants.of_sources()
    uniform = times[(times.dist == "uniform") & ~times.variant.map(_is_no_rung).astype(bool)]
    sides = uniform.variant.str.split("/").str[0]
    for (keys, side), group in uniform.groupby(["keys", sides], sort=False):
        counts = group.groupby("n").variant.nunique()
        n = counts[counts >= 0.7 * counts.max()].index.max()
        rates = n / group[group.n == n].set_index("variant").seconds
        if len(rates) > 1:
            name = keys.replace(" + ", "_").replace(" ", "_")
            yield f"ladder_{side}_{name}", _bars(rates, keys, side, n, after)


def _is_no_rung(variant):
    """Rivals, and the suite's own choice, which calls rungs."""
    return style.is_rival(variant) and "/std_sort/" not in variant or "/auto/" in variant


def below(variant, measured, after):
    """The nearest rung below that was measured; "" where there is none."""
    seen = set()
    while variant := after.get(variant, ""):
        if variant in measured or variant in seen:
            return variant if variant in measured else ""
        seen.add(variant)
    return ""


def _bars(rates, keys, side, n, after):
    rungs = style.in_order(rates.index)
    figure, axes = plt.subplots(figsize=(8.5, 0.3 * len(rungs) + 1.6), layout="constrained")
    styles = style.styles_of(rungs)
    gains = {}
    for place, variant in enumerate(rungs):
        rate, parent = rates[variant], below(variant, rates.index, after)
        axes.barh(place, rate, height=0.75, **styles[variant].bar())
        if parent:
            gains[variant] = rate / rates[parent], parent
        gain = f"   {style.gain_label(gains[variant][0])} {parent.rsplit('/', 1)[-1]}" if parent else ""
        axes.text(rate, place, f" {style.rate_label(rate)}{gain}", va="center", fontsize=8)
    style.mark_rows(axes, rungs)
    axes.set_xlim(0, 1.35 * rates.max())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda rate, _: style.rate_label(rate) if rate else "0"))
    axes.set_xlabel("keys per second")
    best = max(gains, key=lambda variant: gains[variant][0], default=None)
    style.title(figure, f"The largest step is {best}: {style.gain_label(gains[best][0])} as fast as {gains[best][1]}" if best
                else f"{rates.idxmax()} is the fastest rung",
                f"{side.upper()} ladders, {style.power_label(n)} {keys}, uniform; each gain is over the rung named")
    return figure
