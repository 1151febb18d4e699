"""The medians of a run in results/, and the format of cells in the documents' tables."""

import re
import sys

from packed import ROOT
from standings import summary, types_of



class Medians:
    """The rows of one summary that have a time, and their medians in nanoseconds."""

    def __init__(self, name):
        self.rows = {}
        for row in summary(ROOT / "results" / f"{name}.csv"):
            if row["status"] == "ok":
                keys = types_of(row["key_type"], row["value_bytes"], "+")
                dist = ":".join(filter(None, (row["dist"], row["dist_param"])))
                dist += f", {row['lengths']}" if row.get("lengths") else ""
                dist += f", best {row['best']}" if row.get("best") else ""
                where = (row["variant"], keys, int(row["n"]), dist, row["threads"], row["launch"], row["host_mem"])
                where += (row["order"],)
                if where in self.rows:
                    sys.exit(f"medians: {name}.summary.csv has two rows for {where}: a sweep is no table")
                self.rows[where] = row

    def row(self, variant, keys, n, dist="uniform", threads=0, launch="stream", host_mem="none", order="asc"):
        return self.rows.get((variant, keys, n, dist, str(threads), launch, host_mem, order))

    def ns(self, *where, **rest):
        row = self.row(*where, **rest)
        return float(row["median_ns"]) if row else None

    def has_one_thread(self, variant):
        """Whether it ran only on one thread."""
        return {where[4] for where in self.rows if where[0] == variant} == {"1"}

    def fastest(self, variants, keys, n, **rest):
        found = [ns for ns in (self.ns(variant, keys, n, **rest) for variant in variants) if ns]
        return min(found, default=None)


def short(count):
    """2^10 .. 2^19 as 1K .. 512K, and so on."""
    for shift, unit in ((20, "M"), (10, "K")):
        if count >= 1 << shift:
            return f"{count >> shift}{unit}"
    return str(count)


def power(count):
    return f"2^{count.bit_length() - 1}"


def mega(ns, n):
    return f"{n / ns * 1e3:.0f}" if ns else ""


def giga(ns, n):
    return f"{n / ns:.{2 if n / ns < 10 else 1}f}" if ns else ""


def micro(ns):
    return f"{ns / 1e3:.1f}" if ns else ""


def times(peer, own):
    return f"{peer / own:.2f}x" if peer and own else ""


def markdown(rows):
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    lines.insert(1, "|" + "---|" * len(rows[0]))
    return "".join(re.sub(r" +(?= \|)", "", line) + "\n" for line in lines)
