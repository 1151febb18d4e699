"""The tables of docs/results/h200.md: the fastest sorts beside CUB and Thrust, small inputs, copies, and the first rungs."""

from medians import Medians, giga, micro, power, times

CUB = ["gpu/baselines/cub_radix", "gpu/baselines/cub_radix_int", "gpu/baselines/cub_merge", "gpu/baselines/cub_merge_native"]
PEERS = CUB + ["gpu/baselines/thrust_sort", "gpu/baselines/thrust_stable_sort", "gpu/baselines/thrust_sort_cached"]


def gpu_beside(name, peers, corner, columns, lines):
    """One row per input: the fastest peer, then each of our sorts with its ratio. Gkeys/s."""
    medians = Medians(name)
    rows = [["", corner] + list(columns)]
    for label, keys, n, rest in lines:
        peer = medians.fastest(peers, keys, n, **rest)
        row = [label, giga(peer, n)]
        for variant in columns.values():
            own = medians.ns(variant, keys, n, **rest)
            row.append(f"{giga(own, n)} ({times(peer, own)})" if own and peer else "")
        rows.append(row)
    return [row for row in rows if any(row[1:])]


def gpu_radix(run="h200/radix"):
    columns = {"gpu/auto": "gpu/auto/auto", "msd_hybrid": "gpu/radix/msd_hybrid", "top_sweep": "gpu/radix/top_sweep",
               "onesweep": "gpu/radix/onesweep", "low_memory": "gpu/radix/low_memory"}
    lines = [(f"{keys}, {power(n)}", keys, n, {}) for keys in ("u32", "u64") for n in (1 << 24, 1 << 27, 1 << 30)]
    lines += [(f"{keys.replace('+', ' with ')} values, {power(n)}, stable", keys, n, {})
              for keys, n in (("u32+u32", 1 << 24), ("u32+u32", 1 << 27), ("u64+u32", 1 << 24), ("u64+u32", 1 << 27))]
    lines += [(f"{keys}, 2^27 (peer: CUB's radix sort)", keys, 1 << 27, {}) for keys in ("i32", "f32", "i64", "f64")]
    return gpu_beside(run, PEERS, "fastest peer", columns, lines)


def gpu_small(run="h200/radix"):
    """Microseconds as launches and as a replayed graph, with the gain over the fastest peer."""
    medians = Medians(run)
    kinds = ("u32", "u64", "u32+u32")
    rows = [["n"] + [f"{keys.replace('+', ' + ')}, {who}" for keys in kinds for who in ("small", "fastest peer")]]
    for n in [1 << exponent for exponent in range(10, 21, 2)]:
        row = [power(n)]
        for keys in kinds:
            own = [medians.ns("gpu/radix/small", keys, n, launch=launch) for launch in ("stream", "graph")]
            peer = [medians.fastest(CUB, keys, n, launch=launch) for launch in ("stream", "graph")]
            row += [f"{' / '.join(map(micro, own))} ({' / '.join(map(times, peer, own))})", " / ".join(map(micro, peer))]
        rows.append(row)
    return rows


def gpu_comparison():
    columns = {"merge/multiway": "gpu/merge/multiway", "quick/sample": "gpu/quick/sample",
               "bitonic/v4_multi_step": "gpu/bitonic/v4_multi_step"}
    lines = [(f"{keys}, {power(n)}", keys, n, {}) for keys, exponents in
             (("u32", (14, 16, 18, 20, 22, 24, 26, 27, 28, 30)), ("u64", (14, 16, 18, 20, 22, 24, 26, 27, 28)))
             for n in [1 << exponent for exponent in exponents]]
    lines += [(f"{keys.replace('+', ' with ')} values, {power(n)}", keys, n, {})
              for keys in ("u32+u32", "u64+u32") for n in (1 << 20, 1 << 27)]
    return gpu_beside("h200/comparison", ["gpu/baselines/cub_merge", "gpu/baselines/cub_merge_native"], "CUB merge", columns, lines)


LADDERS = {
    "bitonic": ("v0_step_per_launch", "v1_fused", "v2_shared", "v3_warp_register", "two_phase"),
    "merge": ("per_element", "coarsened", "block_merge"),
    "quick": ("batched", "fat", "iterative"),
    "radix": ("ballot_1bit",),
    "baselines": ("cub_merge", "thrust_sort", "thrust_stable_sort", "thrust_sort_cached", "cub_radix"),
}


def gpu_ladder():
    """The rungs that follow the publications; the gain is over the row above."""
    medians, n = Medians("h200/ladder"), 1 << 27
    rows = [["rung", "Gkeys/s", "gain", "of copy bandwidth", "from and to pinned host memory, ms"]]
    for ladder, rungs in LADDERS.items():
        above = None
        for rung in rungs:
            variant = f"gpu/{ladder}/{rung}"
            own, pinned = medians.ns(variant, "u32", n), medians.ns(variant, "u32", n, host_mem="pinned")
            share = float(medians.row(variant, "u32", n)["pct_of_copy_bandwidth"])
            rows.append([variant, f"{n / own:.2f}", times(above, own), f"{share:.2f} %", f"{pinned / 1e6:.1f}"])
            above = own if ladder != "baselines" else None
    return rows


def gpu_copies():
    """Milliseconds from host to host."""
    medians, n, ways = Medians("h200/staged"), 1 << 27, ("pinned", "pageable", "staged")
    rows = [["2^27 u32 keys, ms", *ways]]
    for variant in ("gpu/radix/onesweep", "gpu/baselines/cub_radix"):
        rows.append([variant] + [f"{medians.ns(variant, 'u32', n, host_mem=way) / 1e6:.1f}" for way in ways])
    return rows


TABLES = {
    "gpu-radix": gpu_radix,
    "gpu-radix-h100": lambda: gpu_radix("h100/radix"),
    "gpu-small": gpu_small,
    "gpu-small-h100": lambda: gpu_small("h100/radix"),
    "gpu-comparison": gpu_comparison,
    "gpu-ladder": gpu_ladder,
    "gpu-copies": gpu_copies,
}
