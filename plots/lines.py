"""Draws many lines readably: six in colour with their names at their ends, the rest thin and grey.

The page of `sortlab report` chooses and draws them in the same way (plots/report/lines.js).
"""

from matplotlib.collections import LineCollection

import style
import variants

MOST = 6
RIVALS = 2
EARLY = 0.6  # of the panel's width; a line that ends earlier has its name at its end


def main_variants(times, x="n"):
    """The best, auto, the best of each other family and two rivals: at most six ids.

    times: rows with `variant`, `rate` and the column `x`. The best is the fastest at the headline's x. If there are few
    families, the variants nearest to the fastest over all x follow.
    """
    last = times[times[x] == headline(times, x)].groupby("variant").rate.max()
    near = (times.rate / times[x].map(times.groupby(x).rate.max())).groupby(times.variant).sum()
    by_nearness = list(near.sort_values(ascending=False, kind="stable").index)
    order = sorted(by_nearness, key=lambda variant: -last.get(variant, 0))
    rivals = [variant for variant in order if style.is_rival(variant)]
    own = [variant for variant in order if not style.is_rival(variant)]
    places = MOST - min(RIVALS, len(rivals))
    chosen = own[:1]
    for variant in [v for v in own if v.split("/")[1:] == ["auto", "auto"]] + own:
        families = {variants.ladder_of(v) for v in chosen}
        if len(chosen) < places and variants.ladder_of(variant) not in families:
            chosen.append(variant)
    chosen += [variant for variant in by_nearness if variant in own and variant not in chosen][:places - len(chosen)]
    return chosen + rivals[:MOST - len(chosen)]


def headline(times, x="n"):
    """The largest x at which nearly as many variants ran as at any other."""
    counts = times.groupby(x).variant.nunique()
    return counts.index[counts >= 0.7 * counts.max()].max()


def draw(axes, times, x, y, styles, main=None):
    """Draws a line for each variant. Returns those in colour."""
    main = main_variants(times, x) if main is None else [v for v in main if (times.variant == v).any()]
    grey = [line[[x, y]].sort_values(x) for variant, line in times.groupby("variant") if variant not in main]
    axes.add_collection(LineCollection(grey, colors=style.CONTEXT, linewidths=0.8, zorder=1))
    for variant in style.in_order(main):
        line = times[times.variant == variant].sort_values(x)
        many = len(line) > 40
        axes.plot(line[x], line[y], label=variant, zorder=3, markevery=max(1, len(line) // 20) if many else None,
                  **styles[variant].line())
    axes.autoscale_view()
    return main


def name_ends(axes, styles):
    """Puts each coloured line's name at the right edge, or at its early end, with a stroke from its end.

    The axes must have their limits.
    """
    gap = 1.35 * 9.5 / (72 * max(1, axes.get_figure().get_figheight() - 1.4))  # of the panel
    to_share = axes.transData + axes.transAxes.inverted()
    lines = [line for line in axes.get_lines() if line.get_label() in styles]
    ends = {line: to_share.transform((line.get_xdata()[-1], line.get_ydata()[-1])) for line in lines}
    early = [line for line in lines if ends[line][0] < EARLY]
    for group in (early, [line for line in lines if line not in early]):
        places = spread([ends[line][1] for line in group], gap, gap / 2, 1 - gap / 2)
        for line, place in zip(group, places):
            x = ends[line][0] if line in early else 1
            axes.annotate(
                style.short_name(line.get_label()), ends[line], (x + 0.03, place), xycoords=axes.transAxes,
                textcoords=axes.transAxes, color=line.get_color(), fontsize=8.5, va="center", annotation_clip=False,
                bbox={"facecolor": "white", "alpha": 0.7, "linewidth": 0, "pad": 0.5},
                arrowprops={"arrowstyle": "-", "color": line.get_color(), "linewidth": 0.7, "shrinkA": 1, "shrinkB": 4,
                            "relpos": (0, 0.5)})


def spread(wanted, gap, lowest, highest):
    """The places, moved as little as possible so that they are `gap` apart and inside."""
    order = sorted(range(len(wanted)), key=lambda i: wanted[i])
    places = list(wanted)
    floor = lowest
    for i in order:
        places[i] = max(places[i], floor)
        floor = places[i] + gap
    ceiling = highest
    for i in reversed(order):
        places[i] = min(places[i], ceiling)
        ceiling = places[i] - gap
    return places


def best_rivals(times):
    """The rate of the fastest rival at each n."""
    return times[times.variant.map(style.is_rival).astype(bool)].groupby("n").rate.max()


def finding(times):
    """The fastest variant at the largest n that most variants ran, and its lead over the best rival."""
    n = headline(times)
    here = times[times.n == n].set_index("variant").rate.sort_values(ascending=False)
    best = here.index[0]
    text = f"{best} sorts {style.rate_text(here[best])} at n = {style.power_label(n)}"
    rivals = [variant for variant in here.index if style.is_rival(variant)]
    if not rivals:
        return text
    if rivals[0] == best:
        return f"{text}, the fastest here"
    return f"{text}: {style.gain_label(here[best] / here[rivals[0]])} the best rival, {rivals[0]}"
