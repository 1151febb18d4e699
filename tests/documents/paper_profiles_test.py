"""What docs/reproduce.md says of the profiles beside the timed samples, from results/h200/papers."""

import csv
import lzma
import statistics
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PAGE = " ".join((ROOT / "docs/reproduce.md").read_text(encoding="utf-8").split())


def rows(name, n, variant, **fields):
    fields |= {"variant": "gpu/bitonic/" + variant, "n": str(n), "key_type": "i32", "host_mem": "pageable"}
    with lzma.open(ROOT / "results/h200/papers" / name, "rt", encoding="utf-8") as file:
        return [row for row in csv.DictReader(file) if all(row[key] == value for key, value in fields.items())]


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

    def test_copies_and_shares_at_2_to_28_keys(self):
        shares = {}
        said = []
        for variant in ("v1_fused", "v2_shared"):
            compare_swap, kernels, copies, timed = self.of(2**28, variant, 0)
            of_each = [float(row["h2d_ns"]) + float(row["d2h_ns"]) for row in timed]
            said.append((copies, statistics.median(of_each)))
            by_time = sorted(compare_swap / kernels * float(row["kernel_ns"]) / (float(row["kernel_ns"]) + of_copies)
                             for row, of_copies in zip(timed, of_each))
            shares[variant] = (by_time[0], by_time[-1], compare_swap / (kernels + copies))
        (v1, timed_v1), (v2, timed_v2) = [[f"{ns / 1e6:.0f}" for ns in pair] for pair in said]
        self.assert_said(f"{v1} ms and {timed_v1} in V1, {v2} and {timed_v2} in V2")
        one, two = shares["v1_fused"], shares["v2_shared"]
        self.assert_said(f"{two[0] / one[1]:.2f} to {two[1] / one[0]:.2f} times that in V1, where the profiles have "
                      f"{two[2] / one[2]:.2f}")


if __name__ == "__main__":
    unittest.main()
