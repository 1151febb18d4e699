"""Text files of results, packed (*.xz) or not."""

import csv
import lzma
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PackError = lzma.LZMAError


def open_text(path):
    return (lzma.open if str(path).endswith(".xz") else open)(path, "rt", newline="", encoding="utf-8")


def rows_of(path):
    """The rows of a CSV, each by the names of its columns."""
    with open_text(path) as file:
        return list(csv.DictReader(file))
