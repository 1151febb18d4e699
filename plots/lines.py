"""Lines that stay readable among many: six in colour with their names at their ends, the rest thin and grey.

The page of `sortlab report` chooses and draws them alike (plots/report/lines.js).
"""

from matplotlib.collections import LineCollection

import style
import variants

MOST = 6
RIVALS = 2


def main_variants(times, x="n"):
    """The best, auto, the best of each other family and two rivals: at most six ids.

    times: rows with `variant`, `rate` and the column `x`. The best is the nearest to the fastest over all x. Of the
    rivals, the one that `finding` names comes first.
    """
    best = times.groupby(x).rate.max()
    near = (times.rate / times[x].map(best)).groupby(times.variant).sum().sort_values(ascending=False, kind="stable")
    rivals = [variant for variant in near.index if style.is_rival(variant)]
    last = times[times[x] == headline(times, x)].sort_values("rate", ascending=False).variant
    rivals.sort(key=lambda variant: variant != next(filter(style.is_rival, last), None))
    own = [variant for variant in near.index if not style.is_rival(variant)]
    places = MOST - min(RIVALS, len(rivals))
    chosen = own[:1]
    for variant in [v for v in own if v.split("/")[1:] == ["auto", "auto"]] + own:
        families = {variants.ladder_of(v) for v in chosen}
        if len(chosen) < places and variants.ladder_of(variant) not in families:
            chosen.append(variant)
    chosen += rivals[:MOST - len(chosen)]
    return chosen + [variant for variant in own if variant not in chosen][:MOST - len(chosen)]


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
    """Each coloured line's name at the right edge, with a stroke from its end. The axes must have their limits."""
    lines = [line for line in axes.get_lines() if line.get_label() in styles]
    height = axes.get_figure().get_figheight() - 1.4
    gap = 9.5 / (72 * max(1, height))  # of the panel
    to_share = axes.transData + axes.transAxes.inverted()
    ends = [(line.get_xdata()[-1], line.get_ydata()[-1]) for line in lines]
    wanted = [to_share.transform(end)[1] for end in ends]
    for line, end, place in zip(lines, ends, spread(wanted, 1.35 * gap, gap / 2, 1 - gap / 2)):
        color = line.get_color()
        axes.annotate(style.short_name(line.get_label()), end, (1.03, place), textcoords=axes.transAxes, color=color,
                      fontsize=8.5, va="center", annotation_clip=False,
                      arrowprops={"arrowstyle": "-", "color": color, "linewidth": 0.7, "shrinkA": 1, "shrinkB": 4,
                                  "relpos": (0, 0.5)})


def spread(wanted, gap, lowest, highest):
    """The wanted places, moved as little as keeps them `gap` apart and inside."""
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
    """Who is ahead at the largest n that most variants ran, and by how much over the best rival."""
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
