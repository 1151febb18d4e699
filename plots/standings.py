"""Ranks the suite's own choice among the rivals: for each input of a run, its speed over each rival's.

Ours is gpu/auto/auto or cpu/auto/auto; rivals are the baselines, std::sort and the plug-ins. All come from the
summary of one run, so that they sorted the same keys in turns. Sorts of the GPU, of many CPU threads and of one thread
are never mixed, with one exception: a sort that has only one thread is listed beside those with many, with a mark.

contests() does the same for the grid (`sortlab run --matrix grid`), with keys, stable sorts of pairs and sorts of pairs
in any order apart.
"""

import json
import re
from dataclasses import dataclass, field

from packed import rows_of

OURS = ("gpu/auto/auto", "cpu/auto/auto")
CHOOSES = re.compile(r"[cg]pu/auto/\w+")
KEYS, STABLE, ANY_ORDER = CONTESTS = ("keys alone", "pairs, sorted stably", "pairs, in any order")
RIVAL = re.compile(r"(?:[cg]pu/baselines/|[cg]pu/(?=std_sort/)|plugin/)(.+)")
ONE_THREAD = " (1 thread)"
USUAL = {"order": "asc", "host_mem": "none", "cache": "hot", "launch": "stream", "load": "0"}


@dataclass(frozen=True)
class Input:
    """What was sorted, by how many threads (0: a GPU), and on which device."""

    dist: str
    keys: str
    n: int
    more: str  # how it was run, if not in the usual way
    threads: int
    device: str


@dataclass
class Standing:
    """The medians for one input, in nanoseconds, fastest first; and why the others have none."""

    input: Input
    ours_ns: float | None = None
    why_not: str = ""
    rivals: dict[str, float] = field(default_factory=dict)
    absent: dict[str, str] = field(default_factory=dict)
    own: dict[str, float] = field(default_factory=dict)  # our other sorts, of which ours is to choose the fastest

    def ratio_to(self, rival):
        """Our keys per second over the rival's: above 1, ours is faster. 0 if ours has no time."""
        return self.rivals[rival] / self.ours_ns if self.ours_ns else 0.0

    @property
    def choice(self):
        """Our speed over that of the fastest of our other sorts: below 1, another choice would be faster."""
        return min(self.own.values(), default=self.ours_ns) / self.ours_ns if self.ours_ns else 0.0

    @property
    def ratio_of_our_best(self):
        """The speed of our fastest sort, be it ours or another, over the best rival's."""
        times = [*self.own.values(), *([self.ours_ns] if self.ours_ns else [])]
        return self.rivals[self.best] / min(times) if times else 0.0

    @property
    def best(self):
        return next(iter(self.rivals))

    @property
    def ratio(self):
        return self.ratio_to(self.best)


def beside(samples, suffix):
    """The file that `sortlab run` wrote beside its samples: real.summary.csv beside real.csv or real.csv.xz."""
    return samples.with_name(re.sub(r"\.csv(\.xz)?$", "", samples.name) + suffix)


def standings(samples):
    """The standings of all inputs for which a rival has a time, the worst first, by number of threads."""
    return _standings_of(summary(samples), OURS)


def contests(samples):
    """{threads: {contest: standings}} of all that were measured. Pairs are compared twice: our stable choice with stable
    sorts, and the choice for those who need no stability with all sorts."""
    rows = summary(samples)
    pairs = [row for row in rows if row["value_bytes"] != "0"]
    stable = [row for row in pairs if row["stable"] == "1"]
    chosen = {row["variant"]: row["stable"] for row in pairs if CHOOSES.fullmatch(row["variant"])}
    unstable = {variant for variant, is_stable in chosen.items() if is_stable == "0"}
    sides = {variant[:3] for variant in unstable}
    groups = {KEYS: _standings_of([row for row in rows if row["value_bytes"] == "0"], OURS),
              STABLE: _standings_of(stable, chosen),
              ANY_ORDER: _standings_of(pairs, unstable | {variant for variant in chosen if variant[:3] not in sides})}
    counts = sorted({threads for of_contest in groups.values() for threads, group in of_contest.items() if group})
    return {threads: {contest: groups[contest][threads] for contest in CONTESTS if groups[contest].get(threads)}
            for threads in counts}


def score(ratios, threads):
    """On how many ahead, the worst and the median. The clocks of CPUs are too noisy to tell 0.98 from 1."""
    ratios = sorted(ratios)
    return (sum(ratio >= (0.98 if threads else 1.0) for ratio in ratios), ratios[0],
            (ratios[len(ratios) // 2] + ratios[~(len(ratios) // 2)]) / 2)


def summary_file(samples):
    """The summary of a run, which may be packed."""
    plain = beside(samples, ".summary.csv")
    return plain if plain.is_file() else beside(samples, ".summary.csv.xz")


def summary(samples):
    return rows_of(summary_file(samples))


def _standings_of(rows, ours):
    most_threads = {}
    for row in rows:
        most_threads[row["variant"]] = max(most_threads.get(row["variant"], 0), int(row["threads"]))
    found = {}
    for row in rows:
        if row["variant"] in ours:
            _add_ours(found.setdefault(input_of(row), Standing(input_of(row))), row)
    for row in rows:
        if not RIVAL.fullmatch(row["variant"]) and not CHOOSES.fullmatch(row["variant"]):
            if row["status"] == "ok" and (standing := found.get(input_of(row))):
                own = row["variant"][4:]
                standing.own[own] = min(float(row["median_ns"]), standing.own.get(own, float("inf")))
        if name := RIVAL.fullmatch(row["variant"]):
            for standing in _those_it_belongs_to(row, most_threads[row["variant"]], found):
                marked = row["threads"] == "1" and standing.input.threads > 1
                _add_rival(standing, name[1] + (ONE_THREAD if marked else ""), row)
    measured = {standing.input.threads for standing in found.values() if standing.ours_ns}
    groups = {threads: [] for threads in sorted(measured)}
    for standing in found.values():
        if standing.rivals and standing.input.threads in groups:
            standing.rivals = dict(sorted(standing.rivals.items(), key=lambda rival: rival[1]))
            groups[standing.input.threads].append(standing)
    return {threads: sorted(group, key=lambda s: (s.ratio, s.input.dist, s.input.keys)) for threads, group in groups.items()}


def finding(group):
    """One line: on how many inputs ours leads, and where it is worst."""
    ratios = [standing.ratio for standing in group]
    name = OURS[group[0].input.threads > 0].removesuffix("/auto")
    median = (ratios[len(ratios) // 2] + ratios[~(len(ratios) // 2)]) / 2  # they are sorted
    worst = group[0]
    text = (f"{name} leads on {sum(ratio > 1 for ratio in ratios)} of {len(group)} inputs; worst {ratio_label(worst.ratio)} "
            f"times the best rival, on {input_label(worst.input)}; median {ratio_label(median)}")
    failures = sum(standing.ours_ns is None for standing in group)
    return text + (f"; {failures} without a time of ours" if failures else "")


def grid_finding(group):
    """One line on a contest of the grid."""
    threads = group[0].input.threads
    ahead, worst, median = score([standing.ratio for standing in group], threads)
    failures = sum(standing.ours_ns is None for standing in group)
    return (f"ahead on {ahead} of {len(group)} cells; worst {ratio_label(worst)} times the best rival, on "
            f"{input_label(group[0].input)}; median {ratio_label(median)}"
            + (f"; {failures} without a time of ours" if failures else ""))


def choice_finding(chosen):
    """Half a line on the choice, from the standings that have other sorts of ours, the worst choice first."""
    if not chosen:
        return ""
    _, worst, median = score([standing.choice for standing in chosen], chosen[0].input.threads)
    return (f". Auto over our best: {sum(standing.choice >= 0.95 for standing in chosen)} of {len(chosen)} cells at least 0.95; "
            f"worst {ratio_label(worst)}, on {input_label(chosen[0].input)}; median {ratio_label(median)}")


def machine(samples, threads):
    """The device, the CPUs and the revision, as the run.json has them."""
    parts = []
    for run in json.loads(beside(samples, ".run.json").read_text(encoding="utf-8")).values():
        cpu, build = run["cpu"], run["build"]
        device = run["gpu"]["name"] if threads == 0 else f"{cpu['model']}, {cpu['threads']} CPU{'' if cpu['threads'] == 1 else 's'}"
        parts.append(f"{device}, revision {build['git_revision']}{' with changes' if build['git_dirty'] else ''}")
    return "; ".join(dict.fromkeys(parts))


def ratio_label(ratio):
    return f"{ratio:.2f}" if ratio < 9.995 else f"{ratio:.0f}"


def size_label(n):
    """Sizes as the command line writes them: K, M, G are powers of 1024."""
    for unit, size in (("G", 1 << 30), ("M", 1 << 20), ("K", 1 << 10)):
        if n and n % size == 0:
            return f"{n // size}{unit}"
    return str(n)


def input_label(of):
    return ", ".join(filter(None, (of.dist, of.keys, size_label(of.n), of.more)))


def types_of(key_type, value_bytes, plus=" + "):
    """"u32", or with values "u32 + u32"."""
    return key_type + (f"{plus}u{8 * int(value_bytes)}" if int(value_bytes) else "")


def threads_label(threads):
    return "GPU" if threads == 0 else "one thread" if threads == 1 else f"{threads} threads"


def input_of(row, threads=None):
    keys = types_of(row["key_type"], row["value_bytes"])
    more = [row[column] for column, usual in USUAL.items() if row[column] != usual]
    if row["load"] != "0":
        more[-1] = "load " + more[-1]
    return Input(":".join(filter(None, (row["dist"], row["dist_param"]))), keys, int(row["n"]), ", ".join(more),
                 int(row["threads"]) if threads is None else threads, row["device"])


def _those_it_belongs_to(row, most_threads, found):
    """The input with this many threads; for a sort that has only one, also the inputs with more."""
    threads = {int(row["threads"])} | ({key.threads for key in found if key.threads > 1} if most_threads == 1 else set())
    keys = (input_of(row, count) for count in threads)
    return [found[key] for key in keys if key in found]


def _add_ours(standing, row):
    if row["status"] == "ok":
        standing.ours_ns = min(float(row["median_ns"]), standing.ours_ns or float("inf"))
    else:
        standing.why_not = f"{row['status']}: {row['reason']}"


def _add_rival(standing, name, row):
    """A rival that ran in several settings counts with its fastest."""
    if row["status"] == "ok":
        standing.rivals[name] = min(float(row["median_ns"]), standing.rivals.get(name, float("inf")))
        standing.absent.pop(name, None)
    elif name not in standing.rivals:
        standing.absent[name] = row["reason"] if row["status"] == "skipped" else f"{row['status']}: {row['reason']}"
