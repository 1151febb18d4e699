"""What docs/reproduce.md says of profiles, copies and predicted times, from results/h200/papers."""

import functools
import statistics
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "bench"))

import exhibits  # noqa: E402

PAGE = " ".join((ROOT / "docs/reproduce.md").read_text(encoding="utf-8").split())


@functools.cache
def of_bitonic(name):
    rows = exhibits.rows_of(ROOT / "results/h200/papers" / name)
    return [row for row in rows if row["variant"].startswith("gpu/bitonic/")]


def rows(name, n, variant, **fields):
    fields |= {"variant": "gpu/bitonic/" + variant, "n": str(n), "key_type": "i32", "host_mem": "pageable"}
    return [row for row in of_bitonic(name) if all(row[key] == value for key, value in fields.items())]


class Profiles(unittest.TestCase):
    def assert_said(self, text):
        self.assertTrue(text in PAGE, "docs/reproduce.md does not say: " + text)

    def of(self, n, variant, scheme):
        """ns per sort of compare_swap, of all kernels and of the copies; the timed samples."""
        params = f"threads=1024;scheme={scheme};wait=0"
        compare_swap = kernels = copies = 0
        for row in rows("samples.breakdown.csv.xz", n, variant, params=params):
            ns = float(row["ns_per_sort"])
            compare_swap += ns * row["activity"].endswith("::compare_swap")
            copies += ns * row["activity"].startswith("copy ")
            kernels += ns * (not row["activity"].startswith("copy "))
        timed = rows("samples.csv.xz", n, variant, params=params, temp_policy="prealloc")
        return compare_swap, kernels, copies, timed

    def test_launches_overlap_with_kernels(self):
        _, kernels, _, timed = self.of(2**20, "v0_step_per_launch", 1)
        sort = statistics.median(float(row["kernel_ns"]) for row in timed)
        self.assert_said(f"{kernels / 1e6:.2f} ms of kernels in V0's {sort / 1e6:.2f} ms")

    def test_copies_take_another_time_than_the_timed_ones(self):
        quotients = []
        for n in (2**k for k in range(24, 30)):
            for variant in ("v0_step_per_launch", "v1_fused", "v2_shared"):
                _, _, copies, timed = self.of(n, variant, 0)
                quotients.append(copies / statistics.median(float(row["h2d_ns"]) + float(row["d2h_ns"]) for row in timed))
        self.assert_said(f"take {min(quotients):.2f} to {max(quotients):.2f} times as long as the timed ones")

    def test_the_predicted_seconds(self):
        seconds = {"gpu": 0, "cpu": 0, "naive": 0}
        for row, taken in exhibits.predicted(exhibits.EARLIER):
            seconds[row["variant"][:3]] += taken
            seconds["naive"] += taken * (row["variant"] == "cpu/bitonic/naive" and row["n"] == str(2**27))
        gpu, cpu, naive = (round(seconds[part], -1) for part in ("gpu", "cpu", "naive"))
        self.assert_said(f"{gpu:.0f} seconds for the GPU sorts and {cpu:.0f} for the CPU sorts of the H200's machine, of which one "
                         f"configuration, the naive bitonic sort of 2^27 keys, takes {naive:.0f}")


if __name__ == "__main__":
    unittest.main()
