"""Measures sorts of an array's rows on a GPU beside PyTorch and CuPy, and writes a CSV: python bench/python_rows.py CSV.

A time is the median of 7 whole calls between two CUDA events, Python's share and the new arrays included. `gain` is how
many times as fast as the faster of the others a call of sortlab is. Each result is verified: keys against torch.sort,
indices by what they gather and by the order of equal keys.
"""

import argparse
import csv
import pathlib
import statistics
import subprocess
import sys

try:
    import sortlab
    import torch
except ImportError as error:
    sys.exit(f"python_rows: {error}: pip install . in a checkout of sortlab, and PyTorch")
try:
    import cupy
except ImportError:
    cupy = None

SHAPES = ("1x100,2x100,100x1,10x10,100x100,1000x10,1000000x2,100000x3,1048576x8,100000x17,1048576x32,100000x33,10000x100,"
          "1000000x100,262144x128,4096x256,100000x300,65536x512,20000x700,1024x1024,1000x1025,512x1953,30x3000,8192x4096,"
          "1000x5000,2048x8192,1000x14000,1000x16384,1000x16500,512x32768,2x50000,30x100000,64x131072,200x150000,"
          "100x170000,2048x65536,512x195312,3x10000000")
TYPES = {"f32": torch.float32, "f64": torch.float64, "i32": torch.int32, "i64": torch.int64, "u8": torch.uint8,
         "f16": torch.float16, "bf16": torch.bfloat16, "i16": torch.int16}
CALLS = ("indices", "keys", "argsort")
COLUMNS = "revision,gpu,versions,call,shape,key_type,sortlab_ms,torch_ms,cupy_ms,gain,verified".split(",")
WARM, TIMES = 2, 7


def random_rows(key_type, rows, n):
    a = torch.empty(rows, n, dtype=TYPES[key_type], device="cuda")
    generator = torch.Generator(device="cuda").manual_seed(12345)
    if a.dtype.is_floating_point:
        return a.normal_(generator=generator)
    limits = torch.iinfo(a.dtype)
    return a.random_(limits.min // 2, limits.max // 2, generator=generator)


def median_ms(call):
    times = []
    for _ in range(WARM + TIMES):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        torch.cuda.synchronize()
        begin.record()
        result = call()
        end.record()
        end.synchronize()
        del result
        times.append(begin.elapsed_time(end))
    return statistics.median(times[WARM:])


def sorts(call, a):
    """The call of each library by its name."""
    if call == "indices":
        found = {"sortlab": lambda: sortlab.sort(a, return_indices=True), "torch": lambda: torch.sort(a)}
    elif call == "keys":
        found = {"sortlab": lambda: sortlab.sort(a), "torch": lambda: torch.sort(a)}
    else:
        found = {"sortlab": lambda: sortlab.argsort(a), "torch": lambda: torch.argsort(a)}
    if cupy is not None and call != "indices" and a.dtype != torch.bfloat16:
        c = cupy.from_dlpack(a)
        found["cupy"] = (lambda: cupy.sort(c, axis=1)) if call == "keys" else (lambda: cupy.argsort(c, axis=1))
    return found


def is_right(call, a, result):
    keys, order = result if call == "indices" else (result, None) if call == "keys" else (None, result)
    expected = torch.sort(a).values
    if keys is not None and not torch.equal(keys, expected):
        return False
    if order is None:
        return True
    equal = expected[:, 1:] == expected[:, :-1]
    if a.dtype.is_floating_point:
        equal &= expected[:, 1:] != 0  # sort(return_indices=True) parts -0 from 0
    return torch.equal(torch.gather(a, 1, order), expected) and bool(((order[:, 1:] > order[:, :-1]) | ~equal).all())


def revision():
    git = subprocess.run(["git", "-C", pathlib.Path(__file__).parent, "rev-parse", "--short=12", "HEAD"],
                         capture_output=True, text=True)
    return git.stdout.strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("csv", type=pathlib.Path, help="the file to write")
    parser.add_argument("--shapes", default=SHAPES, help="ROWSxKEYS, with commas between")
    parser.add_argument("--types", default=",".join(TYPES))
    parser.add_argument("--calls", default=",".join(CALLS))
    arguments = parser.parse_args()
    versions = f"PyTorch {torch.__version__}" + (f", CuPy {cupy.__version__}" if cupy else "")
    wrong = 0
    with arguments.csv.open("w", newline="", encoding="utf-8") as file:
        rows = csv.DictWriter(file, COLUMNS)
        rows.writeheader()
        for call in arguments.calls.split(","):
            for shape in arguments.shapes.split(","):
                for key_type in arguments.types.split(","):
                    a = random_rows(key_type, *map(int, shape.split("x")))
                    right = is_right(call, a, sorts(call, a)["sortlab"]())
                    wrong += not right
                    ms = {name: median_ms(sort) for name, sort in sorts(call, a).items()}
                    gain = min(ms[name] for name in ms if name != "sortlab") / ms["sortlab"]
                    rows.writerow({"revision": revision(), "gpu": torch.cuda.get_device_name(), "versions": versions, "call": call,
                                   "shape": shape, "key_type": key_type, "gain": f"{gain:.3f}",
                                   "verified": "yes" if right else "no",
                                   **{f"{name}_ms": f"{time:.5f}" for name, time in ms.items()}})
                    file.flush()
                    print(f"{call:8} {shape:>14} {key_type:>4}  {gain:.2f} times as fast{'' if right else ', WRONG'}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
