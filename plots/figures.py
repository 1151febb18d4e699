"""Saves every figure of a page that `sortlab report` wrote: python plots/figures.py REPORT.html DIR.

It saves the figures that the page shows at first, as PNG and SVG, in light colours. Prints the written files, one per
line. Exit code 2, with one line, if there is no such page or no browser.
"""

import argparse
import base64
import sys
from pathlib import Path
from urllib.parse import unquote_to_bytes

from browser import NoBrowser, browser, open_report

WIDTH, HEIGHT = 1200, 900
FORMATS = ("png", "svg")


def main(arguments=None):
    parser = argparse.ArgumentParser(description="Save the figures of a report as PNG and SVG.")
    parser.add_argument("report", metavar="REPORT.html", help="the page that `sortlab report` wrote")
    parser.add_argument("folder", metavar="DIR", help="where the figures go")
    options = parser.parse_args(arguments)
    if not _is_report(Path(options.report)):
        print(f"figures: {options.report}: not a page of `sortlab report`", file=sys.stderr)
        return 2
    try:
        for path in save_figures(options.report, options.folder):
            print(path)
    except NoBrowser as error:
        print(f"figures: {error}", file=sys.stderr)
        return 2
    return 0


def save_figures(report, folder):
    """Yields the paths as they are written."""
    folder = Path(folder)
    with browser() as chromium:
        folder.mkdir(parents=True, exist_ok=True)
        context = chromium.new_context(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light")
        tab = open_report(context, report)
        for name in tab.evaluate("sortlabReport.figures()"):
            for kind in FORMATS:
                url = tab.evaluate("([name, kind]) => sortlabReport.image(name, kind)", [name, kind])
                path = folder / f"{name}.{kind}"
                path.write_bytes(_content(url))
                yield path


def _is_report(path):
    return path.is_file() and b"sortlab report" in path.read_bytes()[:4096]


def _content(url):
    """The bytes of a data: URL."""
    head, body = url.split(",", 1)
    return base64.b64decode(body) if head.endswith(";base64") else unquote_to_bytes(body)


if __name__ == "__main__":
    sys.exit(main())
