"""How far the sorts over ranks scale: a model in a few constants, measured on one machine or assumed of a network.

    python3 plots/ranks_model.py CONSTANTS.csv                     the tables of docs/scaling.md
    python3 plots/ranks_model.py --fit SAMPLES.csv CPUS CONSTANTS.csv   constants from samples of `sortlab run`

A constant is a row of CONSTANTS.csv: name, value, unit, kind (measured or assumed), source. So the constants of
another machine or network are another file. docs/scaling.md says what the model leaves out.
"""

import math
import sys
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from model_constants import BadFile, read_constants, time_text, write_constants
from packed import PackError, rows_of

KEY_BYTES = 4
PROBES = 32  # for each splitter and round: cpu/primitives/parts/histogram_sort.cpp
OVERSAMPLING = 8  # cpu/ranks/sample
SAMPLE, SAMPLE_ROUNDS = 1 << 14, 3  # items of each rank, and rounds on them: cpu/primitives/parts/partition_sort.cpp
PLACE_BYTES, AROUND_BYTES, COUNT_BYTES = 24, 16, 8  # what ranks tell all others: a sample, a splitter, a count
RUNGS = ("gather", "sample", "histogram", "partition", "hierarchical")  # on several hosts shared is partition
PARTITIONS = ("partition", "shared", "hierarchical")  # first, then sort
NODES = (64, 256, 1024, 4096)
LEAST_GAIN = 1.5  # of twice the nodes
MEASURED = {  # what fit() finds, and its units
    "cpus": "CPUs", "sort": "s per key, a rank of 2^20 keys", "sort_doubling": "s per key, for twice the keys",
    "merge": "keys/s of a CPU and pass", "partition": "s per key, for twice the parts", "host_bandwidth": "bytes/s of a rank",
    "host_latency": "s", "sample_step": "s per sample and comparison",
    "imbalance_sample": "largest part / mean", "imbalance_histogram": "largest part / mean",
    "imbalance_partition": "largest part / mean", "crowding": "time of a full node / of two CPUs"}
ASSUMED = ("node_cpus", "search_step", "splitter_step", "memory", "ethernet_bandwidth", "ethernet_latency",
           "infiniband_bandwidth", "infiniband_latency")
NETWORKS = {"ethernet": "100 Gbit/s Ethernet", "infiniband": "HDR InfiniBand, 200 Gbit/s"}


@dataclass(frozen=True)
class Place:
    """Where ranks run, and what a message costs there. A node's ranks share its link and its CPUs."""

    nodes: int
    cpus: int  # of a node
    ranks_per_node: int
    threads: int  # of a rank
    bandwidth: float  # bytes/s of a rank between nodes; of one node: within it
    latency: float

    @property
    def ranks(self):
        return self.nodes * self.ranks_per_node


def read(path):
    """The constants by name. Throws BadFile."""
    return read_constants(path, (*MEASURED, *ASSUMED))


def network(constants, name, rung, nodes):
    """The place of a rung on so many nodes: a rank for each CPU, or one for each node."""
    cpus = int(constants["node_cpus"])
    ranks, threads = (1, cpus) if rung == "hierarchical" else (cpus, 1)
    return Place(nodes, cpus, ranks, threads, constants[f"{name}_bandwidth"] / ranks, constants[f"{name}_latency"])


def host(constants, ranks):
    """The place of ranks of one thread on the machine where the constants were measured."""
    return Place(1, int(constants["cpus"]), ranks, 1, constants["host_bandwidth"], constants["host_latency"])


def seconds(rung, n, place, constants):
    """The terms of the time for n keys of 4 bytes, in seconds: {"local sort": ..., "splitters": ..., ...}. What the
    CPUs of a node share slows all of them but a network: from one busy CPU on linearly with the busy CPUs."""
    busy = 1 if rung == "gather" else min(place.ranks_per_node * place.threads, place.cpus)
    slower = 1 + (constants["crowding"] - 1) * (busy - 1) / max(place.cpus - 1, 1)
    return {term: s if term == "exchange" and place.nodes > 1 else slower * s
            for term, s in _uncrowded(rung, n, place, constants).items()}


def _uncrowded(rung, n, place, constants):
    ranks, own = place.ranks, n / place.ranks
    cpus_of_rank = min(place.threads, place.cpus / place.ranks_per_node)
    merge_rate = constants["merge"] * cpus_of_rank
    levels = math.ceil(math.log2(ranks)) if ranks > 1 else 0
    if rung == "gather":
        moved = 2 * (n - own) * KEY_BYTES / place.bandwidth + 2 * (ranks - 1) * place.latency
        # Rank 0 sorts alone: no other rank takes its CPU.
        return {"local sort": sort_seconds(n, constants), "splitters": 0.0, "exchange": moved, "merge": 0.0}
    largest = own * constants[_imbalance(rung)] if ranks > 1 else own
    exchange = (ranks - 1) * place.latency + largest * (ranks - 1) / ranks * KEY_BYTES / place.bandwidth
    splitters = _splitters(rung, own, place, constants)
    if rung in PARTITIONS:
        in_shared_memory = place.nodes == 1 and rung != "partition"
        return {"local sort": sort_seconds(largest, constants) / cpus_of_rank, "splitters": splitters,
                "partition": levels * own * constants["partition"] / cpus_of_rank,
                "exchange": 0.0 if in_shared_memory else exchange}
    return {"local sort": sort_seconds(own, constants) / cpus_of_rank, "splitters": splitters, "exchange": exchange,
            "merge": levels * largest / merge_rate}


def _imbalance(rung):
    return "imbalance_partition" if rung in PARTITIONS else f"imbalance_{rung}"


def _splitters(rung, own, place, constants):
    """Finding and telling splitters. Each rank tells all others something about each rank: the square of the ranks."""
    ranks = place.ranks
    if ranks == 1:
        return 0.0
    slow = max(1.0, place.ranks_per_node / place.cpus)  # more ranks than CPUs
    sent, rounds = COUNT_BYTES * ranks**2, 2
    if rung == "sample":
        samples = OVERSAMPLING * ranks**2
        sent += PLACE_BYTES * samples
        work = samples * math.log2(samples) * constants["sample_step"]
    else:
        probes = PROBES * (ranks - 1)
        sent += AROUND_BYTES * ranks**2 + 2 * 8 * probes
        work = ranks**2 * constants["splitter_step"]
        if rung in PARTITIONS:  # in a sample that is in a cache
            rounds += 2 * SAMPLE_ROUNDS
            sent += 2 * 8 * probes * (SAMPLE_ROUNDS - 1)
            work += (SAMPLE + SAMPLE_ROUNDS * probes) * math.log2(SAMPLE) * constants["sample_step"]
        else:
            rounds += 2  # the sums of one round: keys that spread evenly need no more
            work += probes * math.log2(max(own, 2)) * constants["search_step"]
    return rounds * math.log2(ranks) * place.latency + sent / place.bandwidth + slow * work


def memory_of_node(rung, n, place):
    """Bytes: two buffers of keys on each rank, and what all ranks have sent it."""
    ranks = place.ranks
    if rung == "gather":
        return 2 * KEY_BYTES * n
    sent = COUNT_BYTES + (PLACE_BYTES * OVERSAMPLING if rung == "sample" else AROUND_BYTES)
    return 2 * KEY_BYTES * n / place.nodes + place.ranks_per_node * sent * ranks**2


def sort_seconds(n, constants):
    """Of one CPU: the cost of a key grows with each doubling of n, as passes and cache misses do."""
    return n * max(constants["sort"] + math.log2(max(n, 1) / 2**20) * constants["sort_doubling"], constants["sort"] / 4)


def total(terms):
    return sum(terms.values())


def efficiency(rung, n, place, constants):
    """Of all CPUs together, against their local sorts alone."""
    cpus = place.cpus * place.nodes
    return sort_seconds(n / cpus, constants) / total(seconds(rung, n, place, constants))


def stop(rung, per_node, name, constants):
    """(nodes, why): the last doubling that pays leads to so many nodes: twice the keys at 1.5 times the speed or more. Why:
    the term that grows most in the next one, or the memory of a node. (4096, "") where all pay up to there."""
    nodes, before, last, why = 2, None, 2, ""
    while nodes <= NODES[-1]:
        place, n = network(constants, name, rung, nodes), per_node * nodes
        if memory_of_node(rung, n, place) > constants["memory"]:
            return last, why or "memory of a node"
        terms = seconds(rung, n, place, constants)
        if before and total(terms) / total(before) <= 2 / LEAST_GAIN:
            last, why = nodes, ""
        elif before and not why:
            why = max(terms, key=lambda term: terms[term] - before[term])
        nodes, before = 2 * nodes, terms
    return last, why


def _fastest_of(path):
    """By (rung, ranks, threads, params, n): time, exchange, bytes sent and imbalance of the fastest sample. What other programs do
    only makes a sample slower."""
    samples = defaultdict(list)
    try:
        for row in rows_of(path):
            if row["status"] == "ok" and row["variant"].startswith("cpu/ranks/") and row["key_type"] == "u32":
                rung = row["variant"].rsplit("/", 1)[1]
                where = rung, int(row["ranks"]), int(row["threads"]), row["params"], int(row["n"])
                samples[where].append([float(row[c]) for c in ("total_ns", "exchange_ns", "exchange_bytes", "imbalance")])
    except OSError as error:
        raise BadFile(f"{path}: {error.strerror}") from error
    except (KeyError, ValueError, PackError) as error:
        raise BadFile(f"{path}: not a CSV of samples over ranks: {error}") from error
    return {where: min(rows) for where, rows in samples.items()}


def fit(path, cpus):
    """The measured constants that samples of cpu/ranks/* on u32 with one thread tell: on 1 and 2 ranks of a large n. From
    a small n, too: host_latency; from several of 2^16 keys and more: sort_doubling; from sample with --param
    oversampling=1024: sample_step; from as many ranks as CPUs: crowding. Throws BadFile."""
    found = _fastest_of(path)

    def row(rung, ranks, n, oversampling=OVERSAMPLING):
        """None if there is none."""
        with_params = [where for where in found if where[:3] == (rung, ranks, 1) and where[4] == n
                       and (rung != "sample" or where[3] == f"oversampling={oversampling}")]
        return found[min(with_params)] if with_params else None

    def needed(rung, ranks, n):
        if row(rung, ranks, n) is None:
            raise BadFile(f"{path}: no sample of cpu/ranks/{rung} on {ranks} ranks, n = {n}")
        return row(rung, ranks, n)

    sizes = sorted(n for rung, ranks, threads, _, n in found if (rung, ranks, threads) == ("histogram", 2, 1))
    if not sizes:
        raise BadFile(f"{path}: no sample of cpu/ranks/histogram on 2 ranks")
    least, most = sizes[0], sizes[-1]
    alone = {n: needed("histogram", 1, n) for n in sizes if n > 1 << 15}
    if not alone:
        raise BadFile(f"{path}: no sample of cpu/ranks/histogram on 1 rank for n above 2^15")
    sort = _sort_of({n: (total_ns - exchange_ns) * 1e-9 / n for n, (total_ns, exchange_ns, *_) in alone.items()})
    total_ns, exchange_ns, sent, imbalance = needed("histogram", 2, most)
    merge = (total_ns - exchange_ns) * 1e-9 - sort_seconds(most / 2, sort)
    total_ns, exchange_of_partition_ns, *_ = needed("partition", 2, most)
    partition = (total_ns - exchange_of_partition_ns) * 1e-9 - sort_seconds(most / 2, sort)
    if min(merge, partition) <= 0:
        raise BadFile(f"{path}: two ranks sort more than twice as fast as one: measure again on a quiet machine")
    result = {"cpus": cpus, **sort, "merge": most / 2 * imbalance / merge, "partition": partition / (most / 2),
              "host_bandwidth": sent / 2 / (exchange_ns * 1e-9)}
    for rung in ("sample", "histogram", "partition"):
        result[_imbalance(rung)] = max([found[where][3] for where in found if where[1] > 1 and where[4] == most and (
            where[0] == rung or where[0] in PARTITIONS and rung == "partition") and where[3] != "oversampling=1024"], default=1.0)
    if least < 1 << 15:
        result["host_latency"] = row("histogram", 2, least)[0] * 1e-9 / 5  # 4 sums, and one exchange
        many = 1024 * 2**2
        if row("sample", 2, least) and row("sample", 2, least, 1024):
            more_ns = row("sample", 2, least, 1024)[0] - row("sample", 2, least)[0]
            result["sample_step"] = max(more_ns * 1e-9 / (many * math.log2(many)), 1e-10)
    full = {rung: row(rung, cpus, most) for rung in ("sample", "histogram", *PARTITIONS)}
    if cpus <= 2:
        result["crowding"] = 1.0
    elif any(full.values()):
        quiet = {"crowding": 1.0, "host_latency": 1e-9, "sample_step": 1e-9, "search_step": 1e-9, "splitter_step": 1e-9} | result
        ratios = sorted(measured[0] * 1e-9 / total(seconds(rung, most, host(quiet, cpus), quiet))
                        for rung, measured in full.items() if measured)
        result["crowding"] = max(ratios[len(ratios) // 2], 1.0)
    return result


def _sort_of(per_key):
    """The line through the least and the largest n; a flat one if there is a single n."""
    least, most = min(per_key), max(per_key)
    doubling = max((per_key[most] - per_key[least]) / math.log2(most / least), 1e-13) if most > least else 1e-13
    return {"sort": per_key[least] + math.log2(2**20 / least) * doubling, "sort_doubling": doubling}


def errors(path, constants):
    """Rows of (rung, ranks, n, measured seconds, seconds of the model), for sorts of one thread a rank and n from 2^20 on."""
    rows = []
    for (rung, ranks, threads, params, n), (total_ns, *_) in sorted(_fastest_of(path).items()):
        if threads == 1 and n >= 1 << 20 and params != "oversampling=1024":
            rows.append((rung, ranks, n, total_ns * 1e-9, total(seconds(rung, n, host(constants, ranks), constants))))
    return rows


def scaling_table(constants, name, per_node):
    """A row per rung and number of nodes: time, rate, efficiency, largest term."""
    rows = [["rung", "nodes", "ranks", "time", "Gkeys/s", "of the local sorts' speed", "largest term beside the local sort"]]
    for rung in RUNGS:
        for nodes in NODES:
            place = network(constants, name, rung, nodes)
            n = per_node * nodes
            if memory_of_node(rung, n, place) > constants["memory"]:
                rows.append([f"`{rung}`", str(nodes), str(place.ranks), "does not fit into a node's memory", "", "", ""])
                continue
            terms = seconds(rung, n, place, constants)
            others = {term: s for term, s in terms.items() if term != "local sort"}
            largest = max(others, key=others.get)
            rows.append([f"`{rung}`", str(nodes), str(place.ranks), time_text(total(terms)), f"{n / total(terms) * 1e-9:.3g}",
                         f"{100 * efficiency(rung, n, place, constants):.0f} %", f"{largest}, {time_text(others[largest])}"])
    return rows


def stops_table(constants, per_nodes):
    """A row per rung: on how many nodes it stops scaling, and why."""
    rows = [["rung", *(f"{NETWORKS[name]}, 2^{per_node.bit_length() - 1} keys a node"
                       for name in NETWORKS for per_node in per_nodes)]]
    for rung in RUNGS:
        row = [f"`{rung}`"]
        for name in NETWORKS:
            for per_node in per_nodes:
                nodes, why = stop(rung, per_node, name, constants)
                row.append(f"{nodes or 'none'}: {why}" if why else f"{nodes}, the most that was asked")
        rows.append(row)
    return rows


def errors_table(path, constants):
    rows = [["rung", "ranks", "n", "measured", "model", "model over measured"]]
    for rung, ranks, n, measured, modelled in errors(path, constants):
        rows.append([f"`{rung}`", str(ranks), str(n), time_text(measured), time_text(modelled), f"{modelled / measured:.2f}"])
    return rows


def main(arguments):
    from medians import markdown
    try:
        if len(arguments) == 4 and arguments[0] == "--fit" and arguments[2].isdigit() and int(arguments[2]) > 0:
            write_constants(arguments[3], fit(arguments[1], int(arguments[2])), MEASURED, Path(arguments[1]).name)
            return 0
        if len(arguments) != 1 or arguments[0].startswith("-"):
            print("ranks_model: usage: ranks_model.py CONSTANTS.csv | --fit SAMPLES.csv CPUS CONSTANTS.csv", file=sys.stderr)
            return 2
        constants = read(arguments[0])
        print(markdown(stops_table(constants, (1 << 27, 1 << 30))))
        for name, title in NETWORKS.items():
            print(f"{title}, 2^30 keys a node\n\n{markdown(scaling_table(constants, name, 1 << 30))}")
    except BadFile as error:
        print(f"ranks_model: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
