"""Draws the ladders as steps: the speed of each rung, and its gain over the rung before.

There is one panel per ladder, with its own linear axis. Lines lead from a rung to those that build on it, so branches
are visible. If the rung before was not measured, the nearest measured one below it counts. All rungs have one n, the
largest that most of them ran; uniform keys.
"""

import matplotlib.pyplot as plt
from matplotlib.ticker import FuncFormatter

import style
import variants

ROW = 0.3  # inches


def figures(times):
    """One figure for each kind of keys and each side with uniform keys and a ladder of two rungs."""
    after = variants.of_sources()
    uniform = times[(times.dist == "uniform") & ~times.variant.map(_is_no_rung).astype(bool)]
    sides = uniform.variant.str.split("/").str[0]
    for (keys, side), group in uniform.groupby(["keys", sides], sort=False):
        counts = group.groupby("n").variant.nunique()
        n = counts[counts >= 0.7 * counts.max()].index.max()
        rates = n / group[group.n == n].set_index("variant").seconds
        if ladders := ladders_of(rates.index, after):
            name = keys.replace(" + ", "_").replace(" ", "_")
            yield f"ladder_{side}_{name}", _steps(rates, ladders, keys, side, n)


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


def ladders_of(measured, after):
    """The rows of each ladder of two rungs or more: (rung, the rung before or ""), each below that one."""
    rungs = {}
    for variant in style.in_order(measured):
        rungs.setdefault(variants.ladder_of(variant), []).append(variant)
    return {ladder: _rows(own, after) for ladder, own in rungs.items() if len(own) > 1}


def _rows(rungs, after):
    before = {rung: below(rung, rungs, after) for rung in rungs}

    def tree(parent):
        for rung in rungs:
            if before[rung] == parent:
                yield rung, parent
                yield from tree(rung)

    return list(tree(""))


def _steps(rates, ladders, keys, side, n):
    heights = [len(rows) + 1.6 for rows in ladders.values()]
    figure, panels = plt.subplots(len(ladders), figsize=(8.5, ROW * sum(heights) + 1.1), layout="constrained",
                                  height_ratios=heights, squeeze=False)
    for axes, (ladder, rows) in zip(panels[:, 0], ladders.items()):
        _draw(axes, ladder, rows, rates)
    panels[-1, 0].set_xlabel("keys per second; each ladder has a scale of its own")
    style.title(figure, finding(rates, ladders),
                f"{side.upper()} ladders, {style.power_label(n)} {keys}, uniform; a line leads from a rung to those that build "
                "on it, with their gain over it")
    return figure


def finding(rates, ladders):
    """The largest step upwards; if there is none, the fastest rung."""
    gains = {rung: rates[rung] / rates[before] for rows in ladders.values() for rung, before in rows if before}
    best = max(gains, key=gains.get, default=None)
    if best is None or gains[best] <= 1:
        return f"{rates.idxmax()} is the fastest rung"
    before = next(before for rows in ladders.values() for rung, before in rows if rung == best)
    return f"The largest step is {best}: {style.gain_label(gains[best])} as fast as {before}"


def _draw(axes, ladder, rows, rates):
    styles = style.styles_of([rung for rung, _ in rows])
    places = {rung: place for place, (rung, _) in enumerate(rows)}
    for rung, before in rows:
        place, rate, look = places[rung], rates[rung], styles[rung]
        if before:
            axes.plot([rates[before]] * 2 + [rate], [places[before], place, place], color="#999999", linewidth=1, zorder=1)
        gain = f"   {style.gain_label(rate / rates[before])} {before.rsplit('/', 1)[-1]}" if before else ""
        axes.plot(rate, place, label=rung, **look.line() | {"linestyle": "", "markersize": 6})
        right = max(rate, rates[before]) if before else rate  # of the line that leads here
        axes.annotate(f"{style.rate_label(rate)}{gain}", (right, place), (8, 0), textcoords="offset points", va="center",
                      fontsize=8)
    style.mark_rows(axes, [rung for rung, _ in rows])
    axes.set_xlim(0, 1.35 * max(rates[rung] for rung, _ in rows))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda rate, _: style.rate_label(rate) if rate else "0"))
    axes.set_title(ladder, loc="left")
