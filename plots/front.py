"""The chart at the top of README: the suite's own choice beside the best rival of each size, on a GPU and on CPUs.

    python3 plots/front.py            draws it, for light and for dark pages, from the files in results/
    python3 plots/front.py --check    exit code 1 and a line for each picture that differs from the files

The picture's metadata has the points, too, so that the check needs no libraries.
"""

import json
import sys
from pathlib import Path

from front_tables import CPU, GPU, beside_rivals
from medians import ROOT
from standings import size_label

PICTURES = {theme: ROOT / "docs" / "pictures" / f"fastest_{theme}.svg" for theme in ("light", "dark")}
# The panels, and in each the kinds of keys with the sizes that were measured.
PANELS = (
    ("GPU: NVIDIA H200", GPU, {"u32": (20, 22, 24, 27), "u64": (20, 22, 24, 27)}),
    ("CPU: 16 threads, Intel Xeon", CPU, {"u32": (16, 20, 24)}),
)
INKS = {"light": ("#1f2328", "#59636e", "#d1d9e0"), "dark": ("#f0f6fc", "#9198a1", "#3d444d")}
HUES = {"light": {"u32": "#0072B2", "u64": "#B5539A"}, "dark": {"u32": "#56B4E9", "u64": "#E39BCB"}}


def points():
    """By panel and keys: n, ours and the best rival's Gkeys/s, how many times as fast ours is, the rival's name."""
    found = {}
    for panel, run, kinds in PANELS:
        for keys, exponents in kinds.items():
            rows = []
            for exponent in exponents:
                standing = beside_rivals(*run)[keys, 1 << exponent]
                n = standing.input.n
                rows.append([n, round(n / standing.ours_ns, 3), round(n / standing.rivals[standing.best], 3),
                             round(standing.ratio, 2), standing.best])
            found[f"{panel}, {keys}"] = rows
    return found


def described():
    """The picture's points, in the form of its metadata."""
    return json.dumps(points(), separators=(", ", ": "))


def labels():
    """The labels at the ends of the lines."""
    for name, rows in points().items():
        keys = name.rsplit(", ", 1)[1]
        _, ours, theirs, *_ = rows[-1]
        yield f"{keys}, sortlab {ours:.3g}", f"{keys}, best rival {theirs:.3g}"


def wrong():
    """One line for each picture with other figures."""
    for path in PICTURES.values():
        text = path.read_text(encoding="utf-8") if path.is_file() else ""
        texts = [label for pair in labels() for label in pair]
        if described() not in text or any(f">{label}</text>" not in text for label in texts):
            yield f"{path.relative_to(ROOT)}: not what the files in results/ say; plots/front.py draws it"


def draw(theme, path):
    import matplotlib.pyplot as plt

    import style

    style.use_house_style()
    ink, pale, grid = INKS[theme]
    figure, panels = plt.subplots(1, 2, figsize=(10, 3.7), layout="constrained", width_ratios=(5, 4))
    named = iter(labels())
    for axes, (title, run, kinds) in zip(panels, PANELS):
        for keys in kinds:
            rows = points()[f"{title}, {keys}"]
            sizes = [row[0] for row in rows]
            hue = HUES[theme][keys]
            for column, (label, look) in enumerate(zip(next(named), ({"color": hue}, {"color": pale, "linestyle": "--"})), 1):
                axes.plot(sizes, [row[column] for row in rows], marker="o", linewidth=2.2, **look)
                axes.annotate(label, (sizes[-1], rows[-1][column]), xytext=(8, 0), textcoords="offset points", va="center",
                              color=look["color"], fontsize=10, fontweight="bold" if column == 1 else "normal")
            for (n, ours, _, gain, _), (_, _, dashed, *_) in zip(rows, points()[f"{title}, u32"]):
                axes.annotate(f"{gain:.2f}×", (n, ours), xytext=(0, 7 if ours > dashed else -14),  # off the dashed line
                              textcoords="offset points", ha="center", color=hue, fontsize=8.5)
        axes.set_xscale("log", base=2)
        axes.set_xticks(sizes, [size_label(n) for n in sizes])
        axes.minorticks_off()
        axes.set_ylim(0, 1.14 * axes.get_ylim()[1])
        axes.set_xlim(sizes[0] / 1.5, sizes[-1] * (sizes[-1] / sizes[0]) ** 0.75)
        axes.set_title(title, loc="left", color=ink)
        axes.set_facecolor("none")
        axes.grid(color=grid)
        axes.tick_params(colors=pale, length=0)
        axes.spines[:].set_visible(False)
    panels[0].set_ylabel("billion keys per second", color=pale)
    figure.supxlabel("uniform keys (M: 2^20); at each point: sortlab over the best rival of that size", color=pale, fontsize=9)
    figure.patch.set_alpha(0)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, metadata={"Date": None, "Description": described()})
    plt.close(figure)


def main(arguments):
    if arguments not in ([], ["--check"]):
        print("front: usage: front.py [--check]", file=sys.stderr)
        return 2
    if arguments:
        found = list(wrong())
        print("".join(line + "\n" for line in found), end="")
        return 1 if found else 0
    for theme, path in PICTURES.items():
        draw(theme, path)
        print(path.relative_to(ROOT))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
