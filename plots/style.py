"""How everything looks: one colour, marker and line for a variant, in every figure of every run.

The algorithm gives the hue (Okabe and Ito's palette, told apart by colour-blind readers), the rung
gives lightness and marker, the side gives the line: whole with filled markers for cpu/, dashed with
hollow ones for gpu/. Baselines, the yardsticks, are muted and dotted. Looks depend on the id alone, so
a CSV of three variants shows them as a CSV of thirty does.
"""

import json
import math
import zlib
from dataclasses import dataclass
from pathlib import Path
from textwrap import shorten

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.colors import to_hex, to_rgb
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

import variants
from standings import ONE_THREAD

# Colours and markers: data, since the page of `sortlab report` has them too. The ladders come from the variants.
LOOKS = json.loads(Path(__file__).with_name("looks.json").read_text(encoding="utf-8"))
HUES = LOOKS["hues"]
OTHER_HUES = LOOKS["other_hues"]
BASELINE_TONES = LOOKS["baseline_tones"]
MARKERS = [marker["matplotlib"] for marker in LOOKS["markers"]]
RUNGS = LOOKS["rungs"]
LADDERS = variants.ladders(variants.of_sources())
for guest in LOOKS["guests"]:
    LADDERS[variants.ladder_of(guest)].append(guest.rsplit("/", 1)[-1])
FORMATS = ("png", "svg")
INK = "#222222"
CONTEXT = "#E3E3E3"


@dataclass(frozen=True)
class Style:
    color: str
    marker: str
    linestyle: str
    on_gpu: bool

    def line(self):
        hollow = {"markerfacecolor": "white", "markeredgecolor": self.color}
        filled = {"markerfacecolor": self.color, "markeredgecolor": "white", "markeredgewidth": 0.5}
        return {"color": self.color, "marker": self.marker, "linestyle": self.linestyle} | (
            hollow if self.on_gpu else filled)

    def bar(self):
        return {"facecolor": self.color, "edgecolor": "white", "hatch": "///" if self.on_gpu else "", "linewidth": 0}


def styles_of(ids):
    return {variant: style_of(variant) for variant in ids}


def style_of(variant):
    """The style of an id, whatever else is drawn. Unknown names get one by their hash."""
    algorithm, step = _algorithm(variant), _step(variant)
    on_gpu = variant.startswith("gpu/")
    marker = MARKERS[(step + step // len(MARKERS)) % len(MARKERS)]
    if algorithm == "baselines":
        return Style(BASELINE_TONES[step % len(BASELINE_TONES)], marker, ":", on_gpu)
    hue = HUES.get(algorithm) or OTHER_HUES[_hash(algorithm) % len(OTHER_HUES)]
    return Style(_tone(hue, _height(variant)), marker, "--" if on_gpu else "-", on_gpu)


def in_order(ids):
    """The order of legends and rows: by algorithm, baselines last, a ladder from its foot."""
    def place(variant):
        algorithm = _algorithm(variant)
        return algorithm == "baselines", algorithm, variants.ladder_of(variant), _step(variant), variant

    return sorted(ids, key=place)


def _algorithm(variant):
    return variant.split("/")[1] if "/" in variant else variant


def _rungs(variant):
    return LADDERS.get(variants.ladder_of(variant), RUNGS)


def _height(variant):
    """On its ladder, from 0 to 1; half way where there is one rung."""
    last = len(_rungs(variant)) - 1
    return min(1, _step(variant) / last) if last else (1 if _step(variant) else 0.5)


def _step(variant):
    """A rung's place on its ladder; unknown ones stand above the known."""
    rungs = _rungs(variant)
    rung = variant.removesuffix(ONE_THREAD).rsplit("/", 1)[-1]
    return rungs.index(rung) if rung in rungs else len(rungs) + _hash(variant) % len(MARKERS)


def _hash(text):
    return zlib.crc32(text.encode())


def _tone(hue, height):
    """From a pale foot (0) over the pure hue half way to a dark top (1)."""
    if height < 0.5:
        return _blend(hue, "white", 0.9 * (0.5 - height))
    return _blend(hue, "black", 0.9 * (height - 0.5))


def _blend(color, other, share):
    return to_hex([(1 - share) * a + share * b for a, b in zip(to_rgb(color), to_rgb(other))])


def use_house_style():
    plt.rcParams.update({
        "figure.dpi": 110,
        "savefig.dpi": 150,
        "figure.facecolor": "white",
        "font.sans-serif": ["DejaVu Sans", "Verdana", "Arial"],  # an SVG names them in each of its texts
        "font.size": 9,
        "text.color": INK,
        "axes.titlesize": 10,
        "axes.titleweight": "bold",
        "axes.labelcolor": INK,
        "axes.edgecolor": "#BBBBBB",
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.grid": True,
        "axes.axisbelow": True,
        "grid.color": "#EEEEEE",
        "xtick.color": "#555555",
        "ytick.color": "#555555",
        "legend.frameon": False,
        "lines.linewidth": 1.5,
        "lines.markersize": 4.5,
        "svg.fonttype": "none",
        "svg.hashsalt": "sortlab",
    })


def power_label(n):
    """Sizes as the command line writes them: K, M, G are powers of 1024."""
    n = int(n)
    for unit, size in (("G", 1 << 30), ("M", 1 << 20), ("K", 1 << 10)):
        if n >= size:
            return f"{n / size:.4g}{unit}"
    return str(n)


def rate_label(rate):
    for unit, size in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if rate >= size:
            return f"{rate / size:.3g}{unit}"
    return f"{rate:.3g}"


def time_label(seconds):
    for unit, size in (("s", 1), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size * 0.9999:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def log_size_axis(axes, sizes):
    axes.set_xscale("log", base=2)
    low, high = min(sizes), max(sizes)
    axes.set_xlim(low / 1.5, high * 1.5)
    ticks = sorted(set(sizes))
    axes.set_xticks(ticks[:: max(1, -(-len(ticks) // 4))])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda n, _: power_label(round(n))))


def log_value_axis(axes, label):
    axes.set_yscale("log")
    _log_ticks(axes.yaxis, *axes.get_ylim(), label)


def log_row_axis(axes, label):
    """The axis along the rows of a panel."""
    axes.set_xscale("log")
    _log_ticks(axes.xaxis, *axes.get_xlim(), label)


def _log_ticks(axis, low, high, label):
    decades = math.log10(high / low)
    fine, finest = (1, 1.5, 2, 3, 5, 7), (1, 1.1, 1.2, 1.3, 1.5, 1.7, 2, 2.5, 3, 4, 5, 6, 7, 8, 9)
    steps = finest if decades < 0.5 else fine if decades < 1 else (1, 2, 5) if decades < 2.2 else (1,)
    axis.set_major_locator(LogLocator(base=10, subs=steps, numticks=12))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda value, _: label(value)))


def ratio_axis(axes):
    log_row_axis(axes, lambda ratio: f"{ratio:g}×")
    axes.axvline(1, color="#888888", linewidth=1, zorder=1)


def mark_rows(axes, labels):
    """Rows of a panel, from the top down, with their names."""
    axes.set_yticks(range(len(labels)), labels)
    axes.set_ylim(len(labels) - 0.4, -0.6)
    axes.grid(axis="y", visible=False)
    axes.tick_params(axis="y", length=0, labelcolor=INK)


def title(figure, text, sub):
    figure.suptitle(f"{text}\n", x=0.01, ha="left", fontsize=13, fontweight="bold")
    figure.text(0.01, 1 - 0.32 / figure.get_figheight(), sub, ha="left", va="top", fontsize=9, color="#666666")


def footnotes(results):
    """What a reader must know that the figure can't show."""
    lines = []
    if results.merged:
        lines.append("Where a variant ran with several settings (threads, parameters, ...), the fastest is drawn.")
    if results.left_out:
        lines.append("Not drawn (in how many configurations):")
        lines += ["  " + shorten(line, 150, placeholder=" ...") for line in results.left_out[:6]]
        if len(results.left_out) > 6:
            lines.append(f"  and {len(results.left_out) - 6} more, all in the CSV")
    return "\n".join(lines)


def save(figure, note, folder, name, formats=FORMATS):
    if note:
        figure.text(0.01, -0.08 / figure.get_figheight(), note, ha="left", va="top", fontsize=7.5, color="#777777")
    # Laid out once for both formats: the layout of thirty panels takes longer than their drawing.
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    paths = []
    for suffix in formats:
        path = Path(folder) / f"{name}.{suffix}"
        metadata = {"Date": None} if suffix == "svg" else None
        figure.savefig(path, bbox_inches="tight", pad_inches=0.15, metadata=metadata)
        paths.append(path)
    plt.close(figure)
    return paths
