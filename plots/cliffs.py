"""Finds the cliffs of sorts: n at which a few keys more take much longer, or fewer keys longer than more.

    python3 plots/cliffs.py RUN.csv AGAIN.csv

Takes two runs of `sortlab run --matrix auto-steps`, prints the cliffs that both have, the worst first, and exits with 1
if there are any. A cell without a time in one of them counts as well.
"""

import csv
import sys
from pathlib import Path

from standings import input_of, summary, threads_label

GROWTH = 1.2  # times as long as the step before, at most
LONGER = 1.03  # times as long as a step with more keys, at most
WIDEST = 1.11  # times as many keys as the step before, at most: with wider steps, more growth is no cliff
MOST = 40  # lines that are printed


def times(samples):
    """{sort and kind of keys: {n: its median in nanoseconds, or None}}"""
    found = {}
    for row in summary(samples):
        of = input_of(row)
        series = ", ".join(filter(None, (row["variant"], of.dist, of.keys, of.more, threads_label(of.threads))))
        found.setdefault(series, {})[of.n] = float(row["median_ns"]) if row["status"] == "ok" else None
    return found


def cliffs(run, again):
    """[(by how much, a line that says so)], the worst first. How much is the smaller one of both runs."""
    found = []
    for series in {**run, **again}:
        both = (run.get(series, {}), again.get(series, {}))
        steps = sorted({*both[0], *both[1]})
        for n, more in zip(steps, steps[1:]):
            if more > WIDEST * n:
                raise ValueError(f"{series}: from {n} to {more} keys is too far for a step")
        timed = [n for n in steps if all(of_run.get(n) for of_run in both)]
        found += [(float("inf"), f"{series}: {n} keys have no time") for n in steps if n not in timed]

        def ratio(n, to):
            return min(of_run[n] / of_run[to] for of_run in both)

        for at, n in enumerate(timed):
            if at and ratio(n, timed[at - 1]) > GROWTH:
                found.append((ratio(n, timed[at - 1]), f"{series}: {n} keys take {{:.2f}} times as long as {timed[at - 1]}"))
            more = max(timed[at + 1:], key=lambda to: ratio(n, to), default=n)
            if ratio(n, more) > LONGER:
                found.append((ratio(n, more), f"{series}: {n} keys take {{:.2f}} times as long as {more}"))
    return sorted(((by, line.format(by)) for by, line in found), reverse=True)


def main(arguments):
    if len(arguments) != 2:
        print("cliffs: usage: cliffs.py RUN.csv AGAIN.csv", file=sys.stderr)
        return 2
    try:
        run, again = (times(Path(argument)) for argument in arguments)
        found = cliffs(run, again)
        steps = sum(len(of_series) - 1 for of_series in run.values())
        if steps == 0:
            raise ValueError("no step")
    except OSError as error:
        print(f"cliffs: {error.filename}: {error.strerror}", file=sys.stderr)
        return 2
    except (AttributeError, KeyError, TypeError, ValueError, csv.Error) as error:
        print(f"cliffs: these are no runs of --matrix auto-steps: {type(error).__name__}: {error}", file=sys.stderr)
        return 2
    for _, line in found[:MOST]:
        print(line)
    if len(found) > MOST:
        print(f"... and {len(found) - MOST} more")
    print(f"{len(found)} cliffs in {len(run)} series of {steps} steps")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
