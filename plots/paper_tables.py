"""The tables of docs/reproduce.md: the verdicts on the sources' claims, from the CSVs of `sortlab reproduce`."""

import csv

import packed
from medians import ROOT

FOLDER = ROOT / "results" / "h200" / "papers"
FLAGS = ROOT / "results" / "h200" / "papers_flags.csv"  # of `sortlab compare`: another build's flags beside ours
VERDICTS = ("confirmed", "refuted", "can't tell here")
PAPERS = ("cuda-blog", "daskalopoulos", "fraidakis", "goralija")  # how their exhibits' names begin
MOST_CHECKS = 3  # whose figures are shown one by one


def rows_of(paper):
    for path in sorted(FOLDER.glob(f"{paper}-*.csv*")):
        yield from packed.rows_of(path)


def claims(paper):
    """Each claim of a paper with its checks: rows of the CSVs."""
    found = []
    for row in rows_of(paper):
        if row["column"] == "verdict":
            found.append((row, []))
        elif found and row["row"].startswith(found[-1][0]["row"] + ": "):
            found[-1][1].append(row)
    return found


def number(text):
    return f"{float(text):.0f}" if abs(float(text)) >= 1000 else f"{float(text):.3g}"


def figure(check):
    """With its unit, unless its column names that."""
    unit = check["unit"]
    return number(check["measured"]) + ("" if unit == check["column"] else unit if unit == "x" else f" {unit}")


def here(verdict, checks):
    """What was measured: each figure, or where there are many how many hold and their range."""
    measured = [check for check in checks if check["measured"]]
    if not measured:
        return verdict["reason"]
    start = len(verdict["row"]) + 2
    if len(checks) <= MOST_CHECKS:
        return "; ".join(f"{check['row'][start:]}, {check['column']}: {figure(check)}" for check in measured)
    if len({check["unit"] for check in measured}) > 1:
        return verdict["reason"]
    in_order = sorted(measured, key=lambda check: float(check["measured"]))
    return f"{verdict['reason']}; from {figure(in_order[0])} to {figure(in_order[-1])}"


def of_paper(paper):
    rows = [["claim", "verdict", "here"]]
    for verdict, checks in claims(paper):
        edition = verdict["source"].rpartition(", ")[2] if verdict["source"].endswith(" edition") else ""
        text = verdict["row"] + (f" ({edition.removesuffix(' edition')})" if edition else "")
        rows.append([cell.replace("|", "\\|") for cell in (text, verdict["status"], here(verdict, checks))])
    return rows


def counts():
    tally = {}
    for row in (row for paper in PAPERS for row in rows_of(paper)):
        if row["column"] == "verdict":
            for source in (row["source"], "all"):
                tally.setdefault(source, dict.fromkeys(VERDICTS, 0))[row["status"]] += 1
    tally["all"] = tally.pop("all")  # at last
    return [["source", *VERDICTS, "claims"]] + [[source, *map(str, of.values()), str(sum(of.values()))] for source, of in tally.items()]


def flags():
    """Table I's sorts by two builds."""
    with open(FLAGS, newline="", encoding="utf-8") as file:
        rows = sorted(csv.DictReader(file), key=lambda row: row["variant"])
    return [["sort", "threads", "this build, ms", "the source's flags, ms", "gain of the flags", "interval"]] + [
        [row["variant"], row["new_threads"], number(float(row["base_median_ns"]) / 1e6), number(float(row["new_median_ns"]) / 1e6),
         f"{1 / float(row['ratio']):.2f}x", f"{1 / float(row['ratio_high']):.2f}x .. {1 / float(row['ratio_low']):.2f}x"]
        for row in rows]


TABLES = {"paper-verdicts": counts, "paper-flags": flags} | {f"claims-{paper}": lambda paper=paper: of_paper(paper) for paper in PAPERS}
