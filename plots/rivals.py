"""Compares the suite's own choice with its rivals, worst first: the sections of docs/rivals.md, and a heat map for
each.

    python3 plots/rivals.py                 writes them from the files in results/
    python3 plots/rivals.py --check         exit code 1 and a line for each section that differs from its file
    python3 plots/rivals.py RUN.csv DIR     prints the sections of your own run; its heat maps go into DIR

A section is between `<!-- rivals: NAME -->` and `<!-- /rivals -->`. If its run is missing, it says so.
"""

import os
import re
import sys
from pathlib import Path

from medians import giga, markdown, mega
from standings import beside, finding, machine, ratio_label, size_label, standings, threads_label

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "rivals.md"
MARKED = re.compile(r"(<!-- rivals: (\S+) -->\n)(.*?)(<!-- /rivals -->)", re.DOTALL)
NOT_MEASURED = "Not measured yet.\n"
MOST = 40  # inputs that a section shows
NO_CODE = "has no code for "  # begins the reason of a sort that lacks these types


def on_gpu(of):
    return of.threads == 0


def on_many_threads(of):
    return of.threads > 1


def on_one_thread(of):
    return of.threads == 1


def not_uniform(of):
    """The runs of distributions also have a sweep over the sizes, which other tables show."""
    return of.dist != "uniform"


# The run in results/, and which of its inputs.
SECTIONS = {
    "real_gpu": ("h200/real", on_gpu),
    "real_gpu_1m": ("h200/real_1m", on_gpu),
    "real_gpu_512k": ("h200/real_512k", on_gpu),
    "real_gpu_h100": ("h100/real", on_gpu),
    "real_gpu_1m_h100": ("h100/real_1m", on_gpu),
    "real_gpu_512k_h100": ("h100/real_512k", on_gpu),
    "real_cpu": ("xeon16/real", on_many_threads),
    "real_one_thread": ("emr2/real", on_one_thread),
    "real_one_thread_amd": ("zen5/real", on_one_thread),
    "uniform_gpu": ("h200/rivals", on_gpu),
    "uniform_gpu_h100": ("h100/rivals", on_gpu),
    "uniform_cpu": ("xeon16/rivals", on_many_threads),
    "uniform_cpu_again": ("xeon16/rivals_again", on_many_threads),
    "uniform_one_thread": ("emr2/rivals", on_one_thread),
    "uniform_one_thread_amd": ("zen5/rivals", on_one_thread),
    "patterns_gpu": ("h200/radix", lambda of: on_gpu(of) and not_uniform(of)),
    "patterns_gpu_h100": ("h100/patterns", on_gpu),
    "patterns_cpu": ("xeon16/cpu", lambda of: on_many_threads(of) and not_uniform(of)),
}


def samples_of(run):
    return ROOT / "results" / f"{run}.csv.xz"


def picture_of(name):
    return samples_of(SECTIONS[name][0]).parent / "plots" / f"{name}.svg"


def group_of(name):
    """The standings of a section; none if its run is missing."""
    run, belongs = SECTIONS[name]
    if not beside(samples_of(run), ".summary.csv").is_file():
        return []
    return [standing for group in standings(samples_of(run)).values() for standing in group if belongs(standing.input)]


def table(group):
    rate, unit = (giga, "Gkeys/s") if on_gpu(group[0].input) else (mega, "Mkeys/s")
    rows = [["ours / best", "input", "keys", "n", f"ours, {unit}", "best rival", "second best", "ran"]]
    for standing in group:
        of = standing.input
        best, second = ([f"{rival} {rate(ns, of.n)}" for rival, ns in standing.rivals.items()] + [""])[:2]
        rows.append([ratio_label(standing.ratio), ", ".join(filter(None, (of.dist, of.more))), of.keys, size_label(of.n),
                     rate(standing.ours_ns, of.n) or standing.why_not, best, second, str(len(standing.rivals))])
    return markdown(rows)


def takers(group):
    """All rivals that ran on one input at least."""
    rivals = sorted({rival for standing in group for rival in standing.rivals})
    return markdown([["rivals that ran on one of these inputs at least"], [", ".join(rivals)]])


def reasons(group):
    """Why rivals did not run: one line per rival, with its reasons and how many inputs it missed."""
    whys, missed = {}, {}
    for standing in group:
        for rival, reason in standing.absent.items():
            whys.setdefault(rival, {})[reason] = None
            missed[rival] = missed.get(rival, 0) + 1
    return "".join(f"- {rival} ({missed[rival]} of {len(group)} inputs): {in_one(list(whys[rival]))}\n" for rival in sorted(whys))


def in_one(why):
    """Reasons with the same beginning, which is then said once: "has no code for u32, u64"."""
    kinds = [reason.removeprefix(NO_CODE) for reason in why if reason.startswith(NO_CODE)]
    rest = [reason for reason in why if not reason.startswith(NO_CODE)]
    return "; ".join(([NO_CODE + ", ".join(sorted(kinds))] if kinds else []) + rest)


def section(samples, group, picture):
    """A section's text; `picture` is the relative path to its heat map."""
    left = len(group) - MOST
    parts = [f"**{finding(group)}.**\n", f"![ours over each rival, worst first]({picture})\n", table(group[:MOST])]
    if left > 0:
        parts.append(f"And {left} more, from {ratio_label(group[MOST].ratio)} on, all in the CSV.\n")
    parts.append(takers(group))
    if why := reasons(group):
        parts.append("Did not run:\n\n" + why)
    where = samples.relative_to(ROOT).as_posix() if samples.is_relative_to(ROOT) else samples.name
    parts.append(f"{machine(samples, group[0].input.threads)}; `{where}`.\n")
    return "\n" + "\n".join(parts) + "\n"


def renew(text):
    """The page with all sections updated, and the names of those that changed."""
    changed = []

    def written(match):
        name = match[2]
        if name not in SECTIONS:
            sys.exit(f"rivals: no section '{name}', there are: {', '.join(SECTIONS)}")
        group = group_of(name)
        picture = os.path.relpath(picture_of(name), PAGE.parent)
        new = section(samples_of(SECTIONS[name][0]), group, picture) if group else NOT_MEASURED
        if new != match[3]:
            changed.append(name)
        return match[1] + new + match[4]

    return MARKED.sub(written, text), changed


def draw(samples, group, picture):
    """The heat map of a section; the text alone needs no matplotlib."""
    try:
        import rivals_map
    except ImportError as error:
        sys.exit(f"rivals: {error}: install plots/requirements.txt")
    rivals_map.save(samples, group, MOST, picture)


def show(samples, folder):
    """Prints the sections of any run, and draws their maps."""
    groups = standings(samples)
    folder.mkdir(parents=True, exist_ok=True)
    for threads, group in groups.items():
        if group:
            picture = folder / f"rivals_{threads_label(threads).replace(' ', '_').lower()}.svg"
            draw(samples, group, picture)
            print(section(samples, group, picture.name))


def main(arguments):
    if len(arguments) == 2:
        try:
            show(Path(arguments[0]), Path(arguments[1]))
        except OSError as error:
            print(f"rivals: {error.filename}: {error.strerror}", file=sys.stderr)
            return 2
        except (KeyError, ValueError) as error:
            print(f"rivals: {arguments[0]}: no summary and run.json of sortlab beside it: {error!r}", file=sys.stderr)
            return 2
        return 0
    if arguments not in ([], ["--check"]):
        print("rivals: usage: rivals.py [--check | RUN.csv DIR]", file=sys.stderr)
        return 2
    text, changed = renew(PAGE.read_text(encoding="utf-8"))
    if arguments:
        for name in changed:
            print(f"{PAGE.relative_to(ROOT)}: the section {name} is not what its file in results/ says")
        return 1 if changed else 0
    PAGE.write_text(text, encoding="utf-8")
    for name in SECTIONS:
        if group := group_of(name):
            draw(samples_of(SECTIONS[name][0]), group, picture_of(name))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
