"""Draws every figure of a CSV that `sortlab run --csv` wrote: python plots/plot.py CSV [--out DIR].

Prints the files written, one a line. Exit code 2, with one line, where the CSV can't be read.
"""

import argparse
import sys
from pathlib import Path

try:
    import heatmap
    import ladder
    import scaling
    import speedup
    import style
    from load import BadCsv, load
except ImportError as error:
    sys.exit(f"plots: {error}: install plots/requirements.txt, or let ./run plots do it")


def main(arguments=None):
    parser = argparse.ArgumentParser(description="Draw the plots of a CSV of samples, as PNG and SVG.")
    parser.add_argument("csv", metavar="CSV", help="the file that `sortlab run --csv` wrote")
    parser.add_argument("--out", metavar="DIR", help="folder for the figures (default: plots/ beside the CSV)")
    options = parser.parse_args(arguments)
    try:
        results = load(options.csv)
    except BadCsv as error:
        print(f"plots: {error}", file=sys.stderr)
        return 2
    if results.times.empty:
        print(f"plots: {options.csv}: nothing to draw, no row with status ok", file=sys.stderr)
        return 0

    folder = Path(options.out) if options.out else Path(options.csv).parent / "plots"
    folder.mkdir(parents=True, exist_ok=True)
    style.use_house_style()
    for name, figure in figures(results.times):
        for path in style.save(figure, results, folder, name):
            print(path)
    return 0


def figures(times):
    """Every figure with its name, in the order a reader looks at them."""
    styles = style.styles_of(times.variant.unique())
    for kind in (scaling, speedup, heatmap):
        yield from kind.figures(times, styles)
    yield from ladder.figures(times)


if __name__ == "__main__":
    sys.exit(main())
