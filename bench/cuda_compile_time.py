#!/usr/bin/env python3
"""CPU seconds that nvcc takes for a program that sorts by a comparison of its own with sortlab::cuda.

    bench/cuda_compile_time.py REVISION=PREFIX/include... > cuda_compile_time.csv

Each argument names installed headers and the revision that they are of. A row is a program: the median of the user
and system time of nvcc and all that it starts, over rounds in which the headers take turns.
"""

import argparse
import csv
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile

ITEM = """#include <sortlab/cuda.cuh>
struct Item {{ float number; unsigned rest[{words}]; }};
struct Less {{ __device__ bool operator()(const Item& a, const Item& b) const {{ return a.number < b.number; }} }};
cudaError_t sort_items(Item* items, std::size_t n) {{ return sortlab::cuda::sort(items, n, Less{{}}); }}
"""
PROGRAMS = {
    "CUDA's headers alone": "#include <cuda_runtime.h>\n",
    "sortlab/cuda.cuh alone": "#include <sortlab/cuda.cuh>\n",
    "struct of 12 bytes": ITEM.format(words=2),
    "struct of 16 bytes": ITEM.format(words=3),
    "struct of 40 bytes": ITEM.format(words=9),
    "u32, comparison with state": """#include <sortlab/cuda.cuh>
struct Less { unsigned mask; __device__ bool operator()(unsigned a, unsigned b) const { return (a ^ mask) < (b ^ mask); } };
cudaError_t sort_items(unsigned* keys, std::size_t n) { return sortlab::cuda::sort(keys, n, Less{5}); }
""",
}


def machine():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return "unknown"


def compile_seconds(nvcc, arch, headers, source, folder):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([nvcc, "-std=c++20", "--expt-relaxed-constexpr", "-O3", f"-arch={arch}", f"-I{headers}", "-c",
                    source, "-o", folder / "out.o"], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("headers", nargs="+", metavar="REVISION=FOLDER")
    parser.add_argument("--nvcc", default="nvcc")
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    version = subprocess.run([options.nvcc, "--version"], check=True, capture_output=True, text=True).stdout
    nvcc = version.split("release ")[1].split(",")[0]
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["machine", "nvcc", "arch", "revision", "program", "median_cpu_s", "least_cpu_s", "rounds"])
    headers = [argument.split("=", 1) for argument in options.headers]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for program, text in PROGRAMS.items():
            source = folder / "program.cu"
            source.write_text(text)
            seconds = {revision: [] for revision, _ in headers}
            for _ in range(options.rounds):
                for revision, path in headers:
                    seconds[revision].append(compile_seconds(options.nvcc, options.arch, path, source, folder))
            for revision, took in seconds.items():
                out.writerow([machine(), nvcc, options.arch, revision, program, f"{statistics.median(took):.2f}",
                              f"{min(took):.2f}", len(took)])


if __name__ == "__main__":
    main()
