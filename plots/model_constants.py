"""The constants of a model: a CSV with a row for each, name, value, unit, kind (measured or assumed) and source. So the
constants of another machine are another file."""

import csv
import math
from pathlib import Path

COLUMNS = ("name", "value", "unit", "kind", "source")


class BadFile(Exception):
    """One line for the user."""


def read_constants(path, needed):
    """The constants by name, those of `needed` among them. Throws BadFile."""
    values = {}
    try:
        with open(path, newline="", encoding="utf-8") as file:
            for line, row in enumerate(csv.DictReader(file), 2):
                try:
                    values[row["name"]] = float(row["value"])
                except (KeyError, TypeError, ValueError):
                    raise BadFile(f"{path}:{line}: value: expected a number") from None
                if not values[row["name"]] > 0 or math.isinf(values[row["name"]]):
                    raise BadFile(f"{path}:{line}: {row['name']}: expected a number above 0")
    except OSError as error:
        raise BadFile(f"{path}: {error.strerror}") from error
    missing = [name for name in needed if name not in values]
    if missing:
        raise BadFile(f"{path}: no row for {missing[0]}")
    return values


def write_constants(path, constants, units, source):
    """Replaces the rows of these measured constants in a file, and keeps the others."""
    kept = []
    if Path(path).exists():
        with open(path, newline="", encoding="utf-8") as file:
            kept = [row for row in csv.DictReader(file) if row.get("name") not in constants]
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows({"name": name, "value": f"{value:.6g}", "unit": units[name], "kind": "measured", "source": source}
                         for name, value in constants.items())
        writer.writerows(kept)


def constants_table(path):
    """A row per constant, for a document."""
    rows = [["constant", "value", "unit", "kind", "source"]]
    with open(path, newline="", encoding="utf-8") as file:
        rows += [[f"`{row['name']}`", f"{float(row['value']):.3g}", row["unit"], row["kind"], row["source"]]
                 for row in csv.DictReader(file)]
    return rows


def time_text(value):
    """Seconds with three digits, in the largest unit that leaves a whole number."""
    for scale, unit in ((1, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if value >= 0.9995 * scale or unit == "µs":
            return f"{value / scale:.3g} {unit}"
