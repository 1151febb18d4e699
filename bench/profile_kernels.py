#!/usr/bin/env python3
"""What the GPU's counters say of the papers' kernels: occupancy, memory, bank conflicts, atomics (Nsight Compute, `ncu`).

    bench/profile_kernels.py --sortlab build/release/sortlab > profiles.csv

One row per sort and kernel, over all its launches in a run, which is an untimed sort and one sample: the launches, their
time, the achieved occupancy and the DRAM throughput (% of the peak, weighted by time), the DRAM bytes, the bank conflicts
of shared memory per 1000 of its wavefronts, and the atomics that reach L2. The profiler leaves the clocks alone, and
flushes the caches before each launch, so the times differ from those of a sort. Exit code 3 where the machine refuses
counters.
"""

import argparse
import csv
import io
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COLUMNS = ("variant", "params", "n", "device", "revision", "kernel", "launches", "ns", "occupancy_pct", "dram_pct", "dram_bytes",
           "conflicts_per_1000_wavefronts", "atomics")
NS, OCCUPANCY, DRAM_PCT, DRAM_READ, DRAM_WRITE, CONFLICTS, WAVEFRONTS, ATOMS, REDUCTIONS = METRICS = (
    "gpu__time_duration.sum",
    "sm__warps_active.avg.pct_of_peak_sustained_active",
    "dram__throughput.avg.pct_of_peak_sustained_elapsed",
    "dram__bytes_read.sum",
    "dram__bytes_write.sum",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
    "lts__t_requests_srcunit_tex_op_atom.sum",
    "lts__t_requests_srcunit_tex_op_red.sum",
)
# The sorts of the papers, their parameters there, and their kernels.
SORTS = (
    ("gpu/bitonic/v0_step_per_launch", "threads=1024,scheme=1", "compare_swap"),
    ("gpu/bitonic/v1_fused", "threads=1024,scheme=1", "compare_swap|first_stages|lower_steps"),
    ("gpu/bitonic/v2_shared", "threads=1024,scheme=1", "compare_swap|first_stages|lower_steps"),
    ("gpu/bitonic/v3_warp_register", "threads=1024", "compare_swap|sort_tiles|merge_tiles"),
    ("gpu/bitonic/two_phase", "", "sort_blocks|stride_step"),
    ("gpu/merge/per_element", "", "sort_tiles_of_512|merge_elements"),
    ("gpu/merge/per_element", "items=8", "sort_tiles_of_512|merge_elements"),
    ("gpu/merge/coarsened", "", "sort_tiles_of_512|merge_coarsened"),
    ("gpu/merge/block_merge", "", "sort_tiles_of_512|merge_blocks"),
    ("gpu/quick/batched", "", "split_level|start_level"),
    ("gpu/quick/fat", "", "split_level|sort_leaves"),
    ("gpu/quick/iterative", "", "sort_tasks"),
    ("gpu/quick/iterative", "aggregate=0", "sort_tasks"),
    ("gpu/radix/ballot_1bit", "threads=256", "count_zeros|scan_counts|scatter"),
)


class NoCounters(Exception):
    pass


def number(text):
    return float(text.replace(",", "") or 0)


def kernels_of(report):
    """ncu's page of raw metrics: a dict of the metrics per launch, by the kernel's name and device."""
    lines = [line for line in report.splitlines() if line.startswith('"')]
    if not lines:
        raise NoCounters(next((line for line in report.splitlines() if "ERR_" in line or "==ERROR==" in line), "no kernel was profiled"))
    rows = csv.DictReader(io.StringIO("\n".join(lines)))
    launches = defaultdict(list)
    for row in rows:
        if row["ID"]:  # the row of units has none
            name = row["Kernel Name"].split("<")[0].split("(")[0].split("::")[-1].split(" ")[-1]
            launches[name, row.get("Device", "")].append({metric: number(row.get(metric) or "") for metric in METRICS})
    return launches


def summed(launches):
    """The columns from `launches` on, of all launches of one kernel."""
    total = {metric: sum(launch[metric] for launch in launches) for metric in METRICS}

    def by_time(metric):
        return sum(launch[metric] * launch[NS] for launch in launches) / total[NS]

    conflicts = f"{1000 * total[CONFLICTS] / total[WAVEFRONTS]:.1f}" if total[WAVEFRONTS] else ""
    return (len(launches), f"{total[NS]:.0f}", f"{by_time(OCCUPANCY):.1f}", f"{by_time(DRAM_PCT):.1f}",
            f"{total[DRAM_READ] + total[DRAM_WRITE]:.0f}", conflicts, f"{total[ATOMS] + total[REDUCTIONS]:.0f}")


def revision_of(sortlab):
    said = subprocess.run([sortlab, "--version"], capture_output=True, text=True, check=True).stdout
    return re.search(r"revision ([^,)]+)", said)[1]


def name_of(smi, device):
    """The GPU's name, where ncu has its number."""
    return subprocess.run([smi, f"--id={device}", "--query-gpu=name", "--format=csv,noheader"], capture_output=True, text=True, check=True).stdout.strip()


def profile(ncu, sortlab, variant, params, kernels, n):
    sort = [sortlab, "run", "--in-process", "--filter", variant, "--type", "i32", "--n", str(n), "--min-samples", "1",
            "--max-samples", "1", "--time", "0", *(["--param", params] if params else [])]
    command = [ncu, "--csv", "--page", "raw", "--print-units", "base", "--clock-control", "none", "--metrics", ",".join(METRICS), "--kernel-name",
               f"regex:^({kernels})", *sort]
    done = subprocess.run(command, capture_output=True, text=True, timeout=1800)
    return kernels_of(done.stdout + done.stderr)


def main(words):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sortlab", default=str(ROOT / "build" / "release" / "sortlab"))
    parser.add_argument("--ncu", default="ncu")
    parser.add_argument("--smi", default="nvidia-smi")
    parser.add_argument("--n", type=int, default=1 << 24, help="keys (default 2^24)")
    parser.add_argument("--only", default="", help="only variants that begin so")
    given = parser.parse_args(words)
    try:
        revision = revision_of(given.sortlab)
    except OSError as error:
        print(f"profile_kernels: {error.filename}: {error.strerror}", file=sys.stderr)
        return 2
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(COLUMNS)
    for variant, params, kernels in SORTS:
        if not variant.startswith(given.only):
            continue
        try:
            found = profile(given.ncu, given.sortlab, variant, params, kernels, given.n)
            names = {device: name_of(given.smi, device) for _, device in found}
        except (NoCounters, OSError, subprocess.CalledProcessError) as reason:
            print(f"profile_kernels: {variant}: {reason}", file=sys.stderr)
            return 3
        for (kernel, device), launches in sorted(found.items()):
            out.writerow((variant, params, given.n, names[device], revision, kernel, *summed(launches)))
        sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
