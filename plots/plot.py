"""Draws every figure of a CSV that sortlab wrote: python plots/plot.py CSV [--out DIR].

Prints the written files, one per line. Exit code 2, with one line, if the CSV can't be read.
"""

import argparse
import sys
from pathlib import Path

try:
    import pandas as pd

    import choice
    import forest
    import heatmap
    import ladder
    import papers
    import ranks
    import scaling
    import speedup
    import style
    import threads
    from load import BadCsv, first_column, load, source_of
except ImportError as error:
    sys.exit(f"plots: {error}: install plots/requirements.txt, or let ./run bench do it")


# The other CSVs that sortlab writes, by the first column of their headers.
TABLES = {"verdict": forest, "answer": choice, "exhibit": papers}


def main(arguments=None):
    parser = argparse.ArgumentParser(
        description="Draw the plots of what sortlab wrote, as PNG and SVG.")
    parser.add_argument("csv", metavar="CSV", help="of samples (`sortlab run --csv`), or a table that compare or "
                        "recommend (--csv) or reproduce (--out; its folder, too) wrote")
    parser.add_argument("--out", metavar="DIR", help="folder for the figures (default: plots/ beside the CSV)")
    options = parser.parse_args(arguments)
    path = Path(options.csv)
    folder = Path(options.out) if options.out else (path if path.is_dir() else path.parent) / "plots"
    try:
        drawn, note, machine = draw(path)
    except BadCsv as error:
        print(f"plots: {error}", file=sys.stderr)
        return 2

    style.use_house_style()
    empty = True
    for name, figure in drawn:
        folder.mkdir(parents=True, exist_ok=True)
        style.name_machine(figure, machine)
        for written in style.save(figure, note, folder, name):
            print(written)
        empty = False
    if empty:
        print(f"plots: {path}: nothing to draw, no row has a time", file=sys.stderr)
    return 0


def draw(path):
    """The figures with their names, one after another, the note below them, and the machine if the figures don't name
    it."""
    kind = papers if path.is_dir() else TABLES.get(first_column(path))
    if kind:
        rows = kind.load(path)
        return kind.figures(rows), "\n".join(filter(None, (source_of(path, _builds(rows)), kind.note(rows)))), ""
    results = load(path)
    return figures(results), style.footnotes(results), results.machine


def _builds(rows):
    """The revisions of a table that has them, in the form of FILE.run.json."""
    cells = rows.get("revision", pd.Series(dtype=str)).unique()
    revisions = sorted({revision for cell in cells for revision in cell.split(" or ") if revision})
    return [{"build": {"git_revision": revision.removesuffix("-dirty"), "git_dirty": revision.endswith("-dirty")}}
            for revision in revisions]


def figures(results):
    """Every figure of samples with its name, in reading order."""
    times = results.times
    styles = style.styles_of(times.variant.unique())
    yield from scaling.figures(times, styles)
    yield from threads.figures(results.by_threads, styles)
    yield from ranks.figures(results.by_ranks, styles)
    yield from ranks.figures(results.by_devices, styles, ranks.DEVICES)
    yield from speedup.figures(times, styles)
    yield from heatmap.figures(times)
    yield from ladder.figures(times)


if __name__ == "__main__":
    sys.exit(main())
