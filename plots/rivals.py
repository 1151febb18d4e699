"""Compares the suite's own choice with its rivals, worst first: the sections of docs/rivals.md, and a heat map for
each.

    python3 plots/rivals.py                 writes them from the files in results/
    python3 plots/rivals.py --check         exit code 1 and a line for each section that differs from its file
    python3 plots/rivals.py RUN.csv DIR     prints the sections of your own run; its heat maps go into DIR
    python3 plots/rivals.py --grid GRID.csv [DIR]
                                            the same for a run of --matrix grid; heat maps only with a DIR

A section is between `<!-- rivals: NAME -->` and `<!-- /rivals -->`. If its run is missing, it says so.
"""

import csv
import fnmatch
import json
import os
import re
import sys
from pathlib import Path

from medians import giga, markdown, mega
from packed import ROOT
from standings import (ONE_THREAD, RIVAL, choice_finding, contests, finding, grid_finding, machine, ratio_label, score,
                       size_label, standings, summary_file, threads_label)

PAGE = ROOT / "docs" / "rivals.md"
MARKED = re.compile(r"(<!-- rivals: (\S+) -->\n)(.*?)(<!-- /rivals -->)", re.DOTALL)
NOT_MEASURED = "Not measured yet.\n"
MOST = 40  # inputs that a section shows
FEW = 10  # choices that a grid shows
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
    "uniform_gpu": ("h200/uniform", on_gpu),
    "uniform_gpu_h100": ("h100/rivals", on_gpu),
    "uniform_cpu": ("xeon16/rivals", on_many_threads),
    "uniform_cpu_again": ("xeon16/rivals_again", on_many_threads),
    "uniform_one_thread": ("emr2/rivals", on_one_thread),
    "uniform_one_thread_amd": ("zen5/rivals", on_one_thread),
    "patterns_gpu": ("h200/radix", lambda of: on_gpu(of) and not_uniform(of)),
    "patterns_gpu_h100": ("h100/patterns", on_gpu),
    "patterns_cpu": ("xeon16/cpu", lambda of: on_many_threads(of) and not_uniform(of)),
}


# The runs of --matrix grid in results/, and on how many threads: a GPU (0), many, or one.
GRIDS = {
    "grid_gpu": ("h200/grid", on_gpu),
    "grid_threads": ("xeon16/grid", on_many_threads),
    "grid_one_thread": ("xeon16/grid", on_one_thread),
    "grid_one_thread_amd": ("amd2/grid", on_one_thread),
}


def samples_of(run):
    return ROOT / "results" / f"{run}.csv.xz"


def picture_of(name):
    return samples_of(SECTIONS[name][0]).parent / "plots" / f"{name}.svg"


def group_of(name):
    """The standings of a section; none if its run is missing."""
    run, belongs = SECTIONS[name]
    if not summary_file(samples_of(run)).is_file():
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


def grid_of(name):
    """The contests of a grid's section; none if its run is missing."""
    run, belongs = GRIDS[name]
    if not summary_file(samples_of(run)).is_file():
        return {}
    return next((groups for groups in contests(samples_of(run)).values() if belongs(next(iter(groups.values()))[0].input)), {})


def scores(group):
    """One row for all cells, for each type, for each n and for each kind of keys, the worst kind first."""
    rows = [["cells", "number", "auto ahead", "worst", "median", "our best ahead", "worst", "auto over our best, worst"]]

    def add(label, of):
        ahead, worst, median = score([standing.ratio for standing in of], of[0].input.threads)
        best_ahead, best_worst, _ = score([standing.ratio_of_our_best for standing in of], of[0].input.threads)
        choice = [standing.choice for standing in of if standing.own]
        rows.append([label, str(len(of)), str(ahead), *map(ratio_label, (worst, median)), str(best_ahead),
                     ratio_label(best_worst), ratio_label(min(choice)) if choice else ""])

    add("all", group)
    for key in (lambda of: of.keys, lambda of: of.n, lambda of: of.dist):  # the group is sorted, the worst first
        for value in dict.fromkeys(key(standing.input) for standing in group):
            add(str(value), [standing for standing in group if key(standing.input) == value])
    return markdown(rows)


def cells(group):
    rate, unit = (giga, "Gkeys/s") if on_gpu(group[0].input) else (mega, "Mkeys/s")
    rows = [["ours / best", "input", "keys", "n", f"ours, {unit}", "best rival", "our best", "auto over it"]]
    for standing in group:
        of = standing.input
        own = min(standing.own, key=standing.own.get, default="")
        rows.append([ratio_label(standing.ratio), of.dist, of.keys, size_label(of.n),
                     rate(standing.ours_ns, of.n) or standing.why_not,
                     f"{standing.best} {rate(standing.rivals[standing.best], of.n)}",
                     f"{own} {rate(standing.own[own], of.n)}" if own else "", ratio_label(standing.choice) if own else ""])
    return markdown(rows)


def missing(groups):
    """The rivals that bench/grid.json names and that have no time in any contest."""
    threads = next(iter(groups.values()))[0].input.threads
    part = "gpu" if threads == 0 else "one-thread" if threads == 1 else "threads"
    runs = json.loads((ROOT / "bench" / "grid.json").read_text(encoding="utf-8"))["runs"]
    globs = [RIVAL.fullmatch(glob) for run in runs if run["part"] == part for glob in run["filter"]]
    named = dict.fromkeys(glob[1] for glob in globs if glob)
    ran = {rival.removesuffix(ONE_THREAD) for group in groups.values() for standing in group for rival in standing.rivals}
    return [glob for glob in named if not fnmatch.filter(ran, glob)]


def grid_section(samples, groups, pictures):
    """The text of a grid; `pictures` are the relative paths of its heat maps by contest."""
    parts = []
    if absent := missing(groups):
        parts.append(f"**The grid is incomplete, without {', '.join(absent)}.**\n")
    for contest, group in groups.items():
        chosen = sorted((standing for standing in group if standing.own), key=lambda standing: standing.choice)
        parts.append(f"**{contest[0].upper()}{contest[1:]}: {grid_finding(group)}{choice_finding(chosen)}.**\n")
        if contest in pictures:
            parts.append(f"![{contest}: our choice over the best rival and over our other sorts, worst first]({pictures[contest]})\n")
        parts += [scores(group), f"The worst cells, {min(MOST, len(group))} of {len(group)}:\n", cells(group[:MOST])]
        if chosen:
            parts += ["The worst choices:\n", cells(chosen[:FEW])]
        parts.append(takers(group))
        if why := reasons(group):
            parts.append("Did not run:\n\n" + why)
    return "\n" + "\n".join([*parts, source(samples, next(iter(groups.values())))]) + "\n"


def source(samples, group):
    where = samples.relative_to(ROOT).as_posix() if samples.is_relative_to(ROOT) else samples.name
    return f"{machine(samples, group[0].input.threads)}; `{where}`.\n"


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
    parts.append(source(samples, group))
    return "\n" + "\n".join(parts) + "\n"


def renew(text):
    """The page with all sections updated, and the names of those that changed."""
    changed = []

    def written(match):
        name = match[2]
        if name in GRIDS:
            groups = grid_of(name)
            pictures = {contest: os.path.relpath(grid_picture(name, contest), PAGE.parent) for contest in groups}
            new = grid_section(samples_of(GRIDS[name][0]), groups, pictures) if groups else NOT_MEASURED
        elif name in SECTIONS:
            group = group_of(name)
            picture = os.path.relpath(picture_of(name), PAGE.parent)
            new = section(samples_of(SECTIONS[name][0]), group, picture) if group else NOT_MEASURED
        else:
            sys.exit(f"rivals: no section '{name}', there are: {', '.join([*GRIDS, *SECTIONS])}")
        if new != match[3]:
            changed.append(name)
        return match[1] + new + match[4]

    return MARKED.sub(written, text), changed


def grid_picture(name, contest, folder=None):
    """The file of a contest's heat map: grid_gpu_keys_alone.svg."""
    file = f"{name}_{contest.replace(',', '').replace(' ', '_')}.svg"
    return (folder or samples_of(GRIDS[name][0]).parent / "plots") / file


def maps():
    """The module that draws the heat maps; the text alone needs no matplotlib."""
    try:
        import rivals_map
    except ImportError as error:
        sys.exit(f"rivals: {error}: install plots/requirements.txt")
    return rivals_map


def draw(samples, group, picture):
    maps().save(samples, group, MOST, picture, finding(group))


def draw_grid(samples, contest, group, picture):
    maps().save_grid(samples, group, picture, f"{contest}: {grid_finding(group)}")


def show(samples, folder):
    """Prints the sections of any run, and draws their maps."""
    groups = standings(samples)
    folder.mkdir(parents=True, exist_ok=True)
    for threads, group in groups.items():
        if group:
            picture = folder / f"rivals_{threads_label(threads).replace(' ', '_').lower()}.svg"
            draw(samples, group, picture)
            print(section(samples, group, picture.name))


def show_grid(samples, folder=None):
    """Prints the sections of a grid, and draws its maps if there is a folder for them."""
    found = contests(samples)
    if not found:
        raise ValueError("no cell with a time of ours and of a rival")
    for threads, groups in found.items():
        pictures = {}
        for contest, group in groups.items() if folder else ():
            folder.mkdir(parents=True, exist_ok=True)
            picture = grid_picture(f"grid_{threads_label(threads).replace(' ', '_').lower()}", contest, folder)
            draw_grid(samples, contest, group, picture)
            pictures[contest] = picture.name
        print(f"\n## {threads_label(threads)}\n{grid_section(samples, groups, pictures)}")


def main(arguments):
    is_grid = arguments[:1] == ["--grid"]
    files = [Path(argument) for argument in arguments[is_grid:]]
    if arguments not in ([], ["--check"]) and (len(files) == 2 or is_grid and len(files) == 1):
        try:
            (show_grid if is_grid else show)(*files)
        except OSError as error:
            print(f"rivals: {error.filename}: {error.strerror}", file=sys.stderr)
            return 2
        except (AttributeError, KeyError, TypeError, ValueError, csv.Error) as error:
            print(f"rivals: {files[0]}: no summary and run.json of sortlab beside it: {type(error).__name__}: {error}",
                  file=sys.stderr)
            return 2
        return 0
    if arguments not in ([], ["--check"]):
        print("rivals: usage: rivals.py [--check | RUN.csv DIR | --grid GRID.csv [DIR]]", file=sys.stderr)
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
    for name in GRIDS:
        for contest, group in grid_of(name).items():
            draw_grid(samples_of(GRIDS[name][0]), contest, group, grid_picture(name, contest))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
