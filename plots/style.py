"""The style of all figures: one colour, marker and line per variant, in every figure of every run.

The algorithm gives the hue and the rung gives the marker: filled for cpu/, hollow for gpu/. Rivals (baselines,
std::sort, plug-ins) have dotted lines. The hues are fixed, and any two differ clearly for readers with normal,
deuteranopic and protanopic sight. Styles depend only on the id, so a variant looks the same in
a CSV of three variants as in one of thirty. Only a variant that is not in the source tree may change its style to
differ from the others in its figure.
"""

import json
import math
import re
import zlib
from dataclasses import dataclass
from pathlib import Path
from textwrap import fill, shorten

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

import variants
from standings import ONE_THREAD

# Colours and markers are data, because the page of `sortlab report` uses them too. The ladders come from the variants.
LOOKS = json.loads(Path(__file__).with_name("looks.json").read_text(encoding="utf-8"))
HUES = {name: light for name, (light, _) in LOOKS["hues"].items()}
BASELINE_TONES = [light for light, _ in LOOKS["baseline_tones"]] + [HUES["other"]]
# For sorts that are not in the tree: the hues of ladders come last.
COLORS = [HUES["other"], *BASELINE_TONES[1::-1], *reversed(HUES.values())]
MARKERS = [marker["matplotlib"] for marker in LOOKS["markers"]]
RUNGS = LOOKS["rungs"]
LADDERS = variants.ladders(variants.of_sources())
FORMATS = ("png", "svg")
INK = "#222222"
MUTED = "#666666"
CONTEXT = "#CCD1D8"  # lines for comparison
SUB = "sub"  # the id of a figure's second line


@dataclass(frozen=True)
class Style:
    color: str
    marker: str
    linestyle: str
    on_gpu: bool

    @property
    def mark(self):
        return self.color, self.marker, self.on_gpu

    def line(self):
        hollow = {"markerfacecolor": "white", "markeredgecolor": self.color}
        filled = {"markerfacecolor": self.color, "markeredgecolor": "white", "markeredgewidth": 0.5}
        return {"color": self.color, "marker": self.marker, "linestyle": self.linestyle} | (
            hollow if self.on_gpu else filled)

    def bar(self):
        return {"facecolor": self.color, "edgecolor": "white", "hatch": "///" if self.on_gpu else "", "linewidth": 0}


def styles_of(ids):
    """Styles by id. If the style of a variant outside of the source tree is taken, it gets the next marker."""
    known = {variant: style_of(variant) for variant in ids if _is_known(variant)}
    styles, taken = dict(known), {style.mark for style in known.values()}
    for variant in sorted(set(ids) - set(known)):
        first = style_of(variant)
        at = MARKERS.index(first.marker)
        free = [Style(color, MARKERS[(at + i) % len(MARKERS)], first.linestyle, first.on_gpu)
                for color in (first.color, *COLORS) for i in range(len(MARKERS))]
        styles[variant] = next((style for style in free if style.mark not in taken), first)
        taken.add(styles[variant].mark)
    return styles


def style_of(variant):
    """The style of an id, which depends only on the id. Unknown names get one by their hash."""
    on_gpu, line = variant.startswith("gpu/"), ":" if is_rival(variant) else "-"
    colors, step = _colors_and_step(variant)
    return Style(colors[step // len(MARKERS) % len(colors)], MARKERS[step % len(MARKERS)], line, on_gpu)


def _colors_and_step(variant):
    """When the markers are used up, the next colour follows."""
    algorithm, step = _algorithm(variant), _step(variant)
    if algorithm == "baselines":
        return BASELINE_TONES, step
    if variant.startswith("plugin/"):
        return [HUES["plugin"]], _hash(variant.removesuffix(ONE_THREAD))
    hue, first = LOOKS["same_hue"].get(algorithm, (algorithm, 0))
    if hue in HUES:
        return [HUES[hue], HUES["other"]], first + step
    return [HUES["other"]], step + _hash(algorithm)


def is_rival(variant):
    """Whether this is another project's sort: a baseline, std::sort or a plug-in's."""
    return variant.startswith("plugin/") or _algorithm(variant) in ("baselines", "std_sort")


def short_name(variant):
    """A name for the end of a line: radix/simd, auto, vqsort."""
    name = variant.split("/", 1)[-1]
    return {"auto/auto": "auto"}.get(name, name.removeprefix("baselines/"))


def in_order(ids):
    """The order of rows: by algorithm, rivals last, a ladder from its first rung on."""
    def place(variant):
        return is_rival(variant), _algorithm(variant), variants.ladder_of(variant), _step(variant), variant

    return sorted(ids, key=place)


def _algorithm(variant):
    return variant.split("/")[1] if "/" in variant else variant


def _rungs(variant):
    return LADDERS.get(variants.ladder_of(variant), RUNGS)


def _rung(variant):
    return variant.removesuffix(ONE_THREAD).rsplit("/", 1)[-1]


def _is_known(variant):
    return _rung(variant) in _rungs(variant)


def _step(variant):
    """A rung's place on its ladder; unknown rungs are above the known ones."""
    rungs = _rungs(variant)
    return rungs.index(_rung(variant)) if _is_known(variant) else len(rungs) + _hash(variant) % len(MARKERS)


def _hash(text):
    return zlib.crc32(text.encode())


def use_house_style():
    plt.rcParams.update({
        "figure.dpi": 110,
        "savefig.dpi": 150,
        "figure.facecolor": "white",
        "font.sans-serif": ["DejaVu Sans", "Verdana", "Arial"],
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


def rate_text(rate):
    """With its unit: 3.46 Gkeys/s."""
    label = rate_label(rate)
    return f"{label[:-1]} {label[-1]}keys/s" if label[-1] in "GMk" else f"{label} keys/s"


def gain_label(gain):
    """1.66x, 12.3x; never in powers of ten."""
    return f"{gain:.{2 if gain < 9.995 else 1 if gain < 99.95 else 0}f}x"


def time_label(seconds):
    for unit, size in (("s", 1), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size * 0.9999:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def log_size_axis(axes, sizes, ticks=8):
    """The axis of n, whose sizes span decades: ticks at powers of two."""
    axes.set_xscale("log", base=2)
    low, high = min(sizes), max(sizes)
    axes.set_xlim(low / 1.2, high * 1.1)
    powers = range(math.ceil(math.log2(low)), math.floor(math.log2(high)) + 1)
    step = max(1, -(-len(powers) // ticks))
    shown = [2 ** power for power in powers if power % step == 0]
    axes.set_xticks(shown if len(shown) > 1 else sorted({low, high}))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda n, _: power_label(round(n))))


def value_axis(axes, label):
    """The vertical axis, from 0 on."""
    axes.set_ylim(0, 1.06 * axes.get_ylim()[1])
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: label(value) if value else "0"))


def log_row_axis(axes, label):
    """The axis along the rows of a panel, logarithmic: its title must say so."""
    axes.set_xscale("log")
    decades = math.log10(axes.get_xlim()[1] / axes.get_xlim()[0])
    fine, finest = (1, 1.5, 2, 3, 5, 7), (1, 1.1, 1.2, 1.3, 1.5, 1.7, 2, 2.5, 3, 4, 5, 6, 7, 8, 9)
    steps = finest if decades < 0.5 else fine if decades < 1 else (1, 2, 5) if decades < 2.2 else (1,)
    axes.xaxis.set_major_locator(LogLocator(base=10, subs=steps, numticks=12))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: label(value)))


def ratio_axis(axes):
    log_row_axis(axes, lambda ratio: f"{ratio:g}x")
    axes.axvline(1, color=INK, linewidth=1.5, zorder=1)


def mark_rows(axes, labels):
    """Rows of a panel, from the top down, with their names."""
    axes.set_yticks(range(len(labels)), labels)
    axes.set_ylim(len(labels) - 0.4, -0.6)
    axes.grid(axis="y", visible=False)
    axes.tick_params(axis="y", length=0, labelcolor=INK)


def title(figure, text, sub):
    """The finding, and below it units and conditions; `name_machine` adds the machine."""
    wide = int(11.5 * figure.get_figwidth())
    lines = fill(text, wide)
    rows = lines.count("\n") + 1
    figure.suptitle(lines + "\n ", x=0.01, ha="left", fontsize=13, fontweight="bold")
    figure.text(0.01, 1 - (0.1 + 0.22 * rows) / figure.get_figheight(), sub, ha="left", va="top", fontsize=9, color=MUTED, gid=SUB)


def name_machine(figure, machine):
    for text in figure.texts:
        if text.get_gid() == SUB and machine:
            text.set_text("; ".join(filter(None, (text.get_text().rstrip("."), machine))))


def footnotes(results):
    """The note below the figure, with facts that the figure can't show."""
    lines = [results.source]
    if results.merged:
        lines.append("Where a variant ran with several settings (threads, parameters, ...), the fastest is drawn.")
    if results.left_out:
        lines.append("Not drawn (in how many configurations):")
        lines += ["  " + shorten(line, 150, placeholder=" ...") for line in results.left_out[:6]]
        if len(results.left_out) > 6:
            lines.append(f"  and {len(results.left_out) - 6} more, all in the CSV")
    return "\n".join(lines)


def make_small(svg):
    """Coordinates to hundredths of a point, which nobody sees, and fonts once instead of in each text: a third of a picture's
    bytes goes."""
    text = svg.read_text(encoding="utf-8")
    in_tag = lambda tag: re.sub(r"\d+\.\d{3,}", lambda number: f"{float(number[0]):.2f}", tag[0])  # noqa: E731
    text = re.sub(r"<[^>]+>", in_tag, text)
    fonts = re.search(r"font-family: [^;]+; ", text)
    if fonts:
        text = text.replace(fonts[0], "").replace("</style>", f" text{{{fonts[0].rstrip('; ')}}}</style>", 1)
    svg.write_text(text, encoding="utf-8")


def save(figure, note, folder, name, formats=FORMATS):
    if note:
        figure.text(0.01, -0.08 / figure.get_figheight(), note, ha="left", va="top", fontsize=7.5, color="#777777")
    # The layout is computed once for both formats, because for thirty panels it takes longer than the drawing.
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    paths = []
    for suffix in formats:
        path = Path(folder) / f"{name.replace(':', '_')}.{suffix}"  # records are r100:10
        metadata = {"Date": None} if suffix == "svg" else None
        figure.savefig(path, bbox_inches="tight", pad_inches=0.15, metadata=metadata)
        if path.suffix == ".svg":
            make_small(path)
        paths.append(path)
    plt.close(figure)
    return paths
