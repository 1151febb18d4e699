"""The model of sorts over several GPUs: its arithmetic, the constants that it finds in samples and breakdowns, bad input."""

import contextlib
import csv
import io
import math
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "plots"))
import devices_model as model  # noqa: E402
from model_constants import COLUMNS  # noqa: E402

RATE = 80e9  # keys/s of the local sort, at any size
CONSTANTS = {f"sort_{n}": n / RATE for n in model.SORTED} | {
    "splitters": 1e-4, "merge": 200e9, "count": 1000e9, "deal": 400e9, "copy_link": 380e9, "store_link": 350e9,
    "nccl_link": 300e9, "imbalance": 1.01}
HEADER = ("status", *model.PLACES, "kernel_ns", "exchange_bytes", "exchange_ns", "imbalance")
BREAKDOWN = (*model.PLACES, "activity", "launches_per_sort", "ns_per_sort")


def place(variant, n, gpus, params=""):
    over_ranks = variant.startswith("gpu/ranks/")
    many = str(gpus) if variant.startswith(("gpu/multi/", "gpu/ranks/")) else ""
    return (variant, "u32", 0, "asc", "uniform", n, "none", "stream", "" if over_ranks else many, many if over_ranks else "", params)


class Arithmetic(unittest.TestCase):
    def test_one_gpu_only_sorts(self):
        for rung in model.RUNGS:
            self.assertAlmostEqual(model.seconds(rung, 1 << 27, 1, CONSTANTS), (1 << 27) / RATE)

    def test_between_two_sizes_the_cost_of_a_key_is_between(self):
        constants = CONSTANTS | {"sort_16777216": 2 * (1 << 24) / RATE}
        self.assertAlmostEqual(model.sort_seconds(1 << 25, constants), 1.5 * (1 << 25) / RATE)
        self.assertAlmostEqual(model.sort_seconds(1 << 32, constants), (1 << 32) / RATE)
        self.assertAlmostEqual(model.sort_seconds(1000, constants), 1000 / RATE)
        self.assertEqual(model.sort_seconds(0, constants), 0)

    def test_terms_by_hand(self):
        own = 1 << 27
        part, n = own * 1.01, 4 * own
        sent = part * 4 * 3 / 4
        self.assertAlmostEqual(model.seconds("multi/gather", n, 4, CONSTANTS), 2 * 3 * own * 4 / 380e9 + n / RATE)
        for rung, link in (("multi/merge", 380e9), ("ranks/merge", 300e9)):
            self.assertAlmostEqual(model.seconds(rung, n, 4, CONSTANTS), own / RATE + 1e-4 + sent / link + 2 * part / 200e9)
        # Four pieces: the sort of one takes longer than the next one's way, so that only the first one's shows.
        begun = 1e-4 + own / 1000e9 + own / 400e9
        self.assertAlmostEqual(model.seconds("multi/partition", n, 4, CONSTANTS), begun + sent / 4 / 380e9 + part / RATE)
        self.assertAlmostEqual(model.seconds("multi/fused", n, 4, CONSTANTS),
                               1e-4 + own / 1000e9 + max(own / 400e9, sent / 4 / 350e9) + part / RATE)

    def test_a_slow_link_shows_in_every_piece(self):
        constants = CONSTANTS | {"copy_link": 1e9}
        own = 1 << 27
        sent = own * 1.01 * 4 / 2
        least = sent / 1e9
        self.assertGreater(model.seconds("multi/partition", 2 * own, 2, constants), least)
        self.assertAlmostEqual(model._sorts(4, 0, 3.0, 1.0), 13.0)
        self.assertAlmostEqual(model._sorts(4, 1, 3.0, 1.0), 10.0)
        self.assertAlmostEqual(model._sorts(2, 2, 3.0, 1.0), 2.0)

    def test_pieces_are_those_of_the_sorts(self):
        source = (Path(__file__).resolve().parent.parent / "gpu/parts/partition.cuh").read_text(encoding="utf-8")
        for line in ("kMostOfPiece = std::size_t{1} << 27", "kLeastOfPiece = std::size_t{1} << 24, kEnough = 4"):
            self.assertIn(line, source)
        self.assertEqual([model.pieces_of(n) for n in (0, 1 << 20, 1 << 25, 1 << 27, 1 << 30)], [1, 1, 2, 4, 8])


class Files(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def file(self, name, header, rows):
        path = self.folder / name
        with open(path, "w", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerows([header, *rows])
        return str(path)

    def constants(self, name="constants.csv", **other):
        return self.file(name, COLUMNS, [(name, value, "", "", "") for name, value in (CONSTANTS | other).items() if value])

    def call(self, *arguments):
        """Exit code, and both outputs."""
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            return model.main(arguments), out.getvalue(), err.getvalue()

    def measured(self, n=1 << 31):
        """Files as two GPUs with CONSTANTS would leave them."""
        def sample(variant, n, gpus, kernel_s, params="", sent=None, exchange_s=None, imbalance=1.01):
            return ("ok", *place(variant, n, gpus, params), kernel_s * 1e9, sent, exchange_s and exchange_s * 1e9, imbalance)

        rows = [sample("gpu/auto/stable", size, 1, size / RATE) for size in model.SORTED]
        rows += [("failed", *place("gpu/auto/stable", 1 << 20, 1), 1, "", "", "")]
        rows += [sample("gpu/multi/merge", 1 << 17, 2, 1e-4), sample("gpu/multi/partition", n, 2, 30e-3, sent=4e9),
                 sample("gpu/multi/fused", n, 2, 30e-3, "stored=64", sent=4e9),
                 sample("gpu/ranks/merge", n, 2, 30e-3, sent=4e9, exchange_s=2e9 / 300e9)]
        parts = [(*place(variant, n, 2, params), activity, 1, ns) for variant, params, activity, ns in (
            ("gpu/multi/merge", "", "sortlab::gpu::parts::merge_pair", n / 200),
            ("gpu/multi/partition", "stored=0", "sortlab::gpu::parts::count_shares", n / 1000),
            ("gpu/multi/partition", "stored=0", "sortlab::gpu::parts::deal_shares", n / 400),
            ("gpu/multi/partition", "stored=0", "copy between GPUs", 4e9 / 380),
            ("gpu/multi/fused", "stored=64", "sortlab::gpu::parts::deal_shares", 4e9 / 350),
            ("gpu/multi/fused", "stored=0", "sortlab::gpu::parts::deal_shares", 1))]
        return [self.file("samples.csv", HEADER, rows), self.file("samples.breakdown.csv", BREAKDOWN, parts)]

    def test_known_constants_are_found(self):
        found = model.fit(model.Measured(self.measured()))
        self.assertEqual(set(found), set(model.NEEDED))
        for name, value in CONSTANTS.items():
            self.assertTrue(math.isclose(found[name], value, rel_tol=1e-9), f"{name}: {found[name]}")

    def test_one_command_fits_and_says_its_error(self):
        files = self.measured()
        for _ in range(2):  # its own output is none of its input
            code, out, err = self.call("--fit", *files, *map(str, self.folder.glob(model.OUTPUT)))
            self.assertEqual((code, err), (0, ""))
            self.assertRegex(out, r"`gpu/multi/fused` \| 2 \| 2147483648 \| 30 ms")
            self.assertIn("| `gpu/ranks/partition` |", out)
        self.assertEqual(self.call(str(self.folder / model.OUTPUT))[0], 0)

    def test_older_files_have_fewer_columns(self):
        file = self.file("old.csv", ("status", *model.PLACES[:8], "kernel_ns"), [("ok", *place("gpu/auto/stable", 1 << 24, 1)[:8], 2e5)])
        self.assertEqual(model.fit(model.Measured([file])), {"sort_16777216": 2e-4})

    def test_the_run_that_brings_a_constant_is_named(self):
        for missing, run in (("nccl_link", "gpu/ranks/merge --ranks 2"), ("sort_16777216", "gpu/auto/stable"), ("deal", "--breakdown")):
            code, out, err = self.call(self.constants(**{missing: None}))
            self.assertEqual((code, out, err.count("\n")), (2, "", 1))
            self.assertIn(f"no row for {missing}: sortlab run", err)
            self.assertIn(run, err)
        samples, _ = self.measured()
        code, _, err = self.call("--fit", samples)
        self.assertEqual((code, err.count("\n")), (2, 1))
        self.assertIn("--breakdown", err)

    def test_bad_input_is_one_line(self):
        words = self.constants("words.csv", merge="fast")
        for arguments, named in (([], "usage"), (["nowhere.csv"], "nowhere.csv"), (["--fit", "nowhere.csv"], "nowhere.csv"), ([words], "words.csv:")):
            code, _, err = self.call(*arguments)
            self.assertEqual((code, err.count("\n")), (2, 1), err)
            self.assertIn(named, err)


if __name__ == "__main__":
    unittest.main()
