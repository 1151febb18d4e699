"""The models of sorts over ranks and over several GPUs, whose figures the documents show: their arithmetic, the constants
that they find in samples, and bad input."""

import contextlib
import csv
import io
import math
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "plots"))
import devices_model  # noqa: E402
import ranks_model  # noqa: E402
from model_constants import COLUMNS  # noqa: E402

RANKS = {
    "cpus": 16, "node_cpus": 16, "sort": 8e-9, "sort_doubling": 0.5e-9, "merge": 4e8, "partition": 1e-9, "crowding": 1, "host_bandwidth": 5e9, "host_latency": 2e-6, "sample_step": 4e-9,
    "imbalance_sample": 1.1, "imbalance_histogram": 1.03, "imbalance_partition": 1.02, "search_step": 1e-8, "splitter_step": 1e-9, "memory": 256e9,
    "ethernet_bandwidth": 12.5e9, "ethernet_latency": 2e-5, "infiniband_bandwidth": 25e9, "infiniband_latency": 1.5e-6}
RATE = 80e9  # keys/s of the local sort, at any size
U32, U64, PAIRS = devices_model.U32, devices_model.U64, devices_model.PAIRS
SORTS = {U32: RATE, U64: 40e9, PAIRS: 36e9}
GPUS = {f"{items.prefix}sort_{n}": n / rate for items, rate in SORTS.items() for n in items.sizes} | {
    "splitters": 1e-4, "merge": 200e9, "count": 1000e9, "deal": 400e9, "plan": 2e-4,
    "count_bins": 1000e9, "scatter_bins": 400e9, "leaves": 300e9, "copy_link": 380e9, "store_link": 350e9,
    "nccl_link": 300e9, "imbalance": 1.01, "u64_count_bins": 500e9, "u64_scatter_bins": 200e9, "u64_leaves": 150e9,
    "pairs_count": 900e9, "pairs_deal": 190e9, "host_pinned": 50e9, "host_staged": 20e9, "host_memory": 150e9}
HEADER = ("status", *devices_model.PLACES, "kernel_ns", "total_ns", "exchange_bytes", "exchange_ns", "imbalance")
BREAKDOWN = (*devices_model.PLACES, "activity", "launches_per_sort", "ns_per_sort")


def seconds_of_ranks(rung, nodes, per_node=1 << 27, **other):
    constants = RANKS | other
    return ranks_model.seconds(rung, per_node * nodes, ranks_model.network(constants, "infiniband", rung, nodes), constants)


def place(variant, n, gpus, params="", items=U32, host_mem="none"):
    over_ranks = variant.startswith("gpu/ranks/")
    many = str(gpus) if variant.startswith(("gpu/multi/", "gpu/ranks/", "gpu/host/")) else ""
    return (variant, items.key_type, items.value_bytes, "asc", "uniform", n, host_mem, "stream", "" if over_ranks else many,
            many if over_ranks else "", params)


class Models(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def file(self, name, header, rows):
        path = self.folder / name
        with open(path, "w", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerows([header, *rows])
        return str(path)

    def constants(self, name, values):
        return self.file(name, COLUMNS, [(name, value, "", "", "") for name, value in values.items() if value is not None])

    def refused(self, model, arguments, *named):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            self.assertEqual(model.main(arguments), 2)
        self.assertEqual((out.getvalue(), err.getvalue().count("\n")), ("", 1))
        for word in named:
            self.assertIn(word, err.getvalue())


class Ranks(Models):
    def test_terms_by_hand(self):
        terms = seconds_of_ranks("histogram", 64)
        own = (1 << 27) / 16
        self.assertAlmostEqual(terms["local sort"], own * 9.5e-9, msg="2^23 keys a rank: three doublings")
        self.assertAlmostEqual(terms["merge"], 10 * own * 1.03 / 4e8)
        self.assertAlmostEqual(terms["exchange"], 1023 * 1.5e-6 + own * 1.03 * 1023 / 1024 * 4 / (25e9 / 16))
        few = seconds_of_ranks("hierarchical", 64)
        own = 1 << 27
        self.assertAlmostEqual(few["local sort"], own * 1.02 * (11.5e-9 + 0.5e-9 * math.log2(1.02)) / 16)
        self.assertAlmostEqual(few["partition"], 6 * own * 1e-9 / 16, msg="64 parts")
        self.assertNotIn("merge", few)

    def test_one_rank_only_sorts(self):
        for rung in (*ranks_model.RUNGS, "shared"):
            terms = ranks_model.seconds(rung, 1000, ranks_model.host(RANKS, 1), RANKS)
            self.assertEqual(ranks_model.total(terms), terms["local sort"], rung)
        terms = ranks_model.seconds("hierarchical", 1 << 27, ranks_model.network(RANKS, "ethernet", "hierarchical", 1), RANKS)
        self.assertAlmostEqual(ranks_model.total(terms), (1 << 27) * 11.5e-9 / 16)

    def test_where_it_stops(self):
        self.assertEqual(ranks_model.stop("gather", 1 << 30, "infiniband", RANKS), (2, "local sort"))
        nodes, why = ranks_model.stop("sample", 1 << 27, "infiniband", RANKS)
        self.assertEqual(why, "splitters")
        few, _ = ranks_model.stop("hierarchical", 1 << 27, "infiniband", RANKS)
        self.assertGreater(few, nodes)
        self.assertEqual(ranks_model.stop("sample", 1 << 27, "infiniband", RANKS | {"memory": 1.2e9})[1], "memory of a node")

    def samples(self):
        """Of a machine whose constants are known; on two ranks the small sort takes 10 us."""
        header = "status,variant,key_type,ranks,threads,params,n,total_ns,exchange_ns,exchange_bytes,imbalance".split(",")
        n, rows = 1 << 22, []
        sort_of_half = n / 2 * 8.5e-9

        def add(rung, ranks, params, n, total, exchange=0.0, sent=0, imbalance=1.0):
            rows.extend(("ok", f"cpu/ranks/{rung}", "u32", ranks, 1, params, n, total * 1e9, exchange * 1e9, sent, imbalance)
                        for _ in range(3))

        add("histogram", 1, "", n, n * 9e-9 + 1e-3, 1e-3)
        add("histogram", 1, "", 1 << 16, (1 << 16) * 6e-9)
        add("histogram", 2, "", 1 << 16, 1)
        add("histogram", 2, "", n, sort_of_half + n / 2 * 1.03 / 4e8 + 1e-3, 1e-3, 10e6, 1.03)
        add("partition", 2, "sample=16384", n, sort_of_half + n / 2 * 1e-9 + 1e-3, 1e-3, 10e6, 1.01)
        add("shared", 2, "sample=16384", n, 1, imbalance=1.02)
        for rung, ranks, params in (("histogram", 16, ""), ("partition", 16, "sample=16384"), ("sample", 16, "oversampling=8")):
            place = ranks_model.host(RANKS, ranks)
            slower = {"histogram": 2, "partition": 1.5, "sample": 1.2}[rung]
            add(rung, ranks, params, n, slower * ranks_model.total(ranks_model.seconds(rung, n, place, RANKS)))
        add("sample", 2, "oversampling=8", n, 1, imbalance=1.1)
        add("histogram", 2, "", 2, 1e-5)
        add("sample", 2, "oversampling=8", 2, 1e-5)
        add("sample", 2, "oversampling=1024", 2, 1e-5 + 4096 * 12 * 4e-9)
        return self.file("samples.csv", header, rows)

    def test_known_constants_are_found(self):
        found = ranks_model.fit(self.samples(), 16)
        for name in ranks_model.MEASURED:
            expected = 1.5 if name == "crowding" else RANKS[name]  # the median
            self.assertTrue(math.isclose(found[name], expected, rel_tol=2e-2 if name == "crowding" else 1e-6), f"{name}: {found[name]}")

    def test_fit_keeps_what_is_assumed(self):
        path = self.constants("constants.csv", RANKS | {"sort": 1.0, "search_step": 7e-9})
        self.assertEqual(ranks_model.main(["--fit", self.samples(), "16", path]), 0)
        constants = ranks_model.read(Path(path))
        self.assertEqual(constants["search_step"], 7e-9)
        self.assertAlmostEqual(constants["sort"], 8e-9)

    def test_bad_input_is_one_line(self):
        good = self.constants("constants.csv", RANKS)
        for arguments, named in (([], "usage"), (["nowhere.csv"], "nowhere.csv"), (["--fit", good, "2", good], "samples over ranks"),
                                 ([self.constants("words.csv", RANKS | {"sort": "fast"})], "words.csv:4"),
                                 ([self.constants("zero.csv", RANKS | {"merge": 0})], "merge"),
                                 ([self.file("few.csv", COLUMNS, [("sort", 1, "", "", "")])], "no row for cpus")):
            self.refused(ranks_model, arguments, named)


class Devices(Models):
    def test_one_gpu_only_sorts(self):
        for rung in devices_model.RUNGS:
            self.assertAlmostEqual(devices_model.seconds(rung, 1 << 27, 1, GPUS), (1 << 27) / RATE)

    def test_terms_by_hand(self):
        own = 1 << 27
        part, n = own * 1.01, 4 * own
        sent = part * 4 * 3 / 4
        self.assertAlmostEqual(devices_model.seconds("multi/gather", n, 4, GPUS), 2 * 3 * own * 4 / 380e9 + n / RATE)
        for rung, link in (("multi/merge", 380e9), ("ranks/merge", 300e9)):
            self.assertAlmostEqual(devices_model.seconds(rung, n, 4, GPUS), own / RATE + 1e-4 + sent / link + 2 * part / 200e9)
        # Four pieces: the sort of one takes longer than the next one's way, so that only the first one's shows.
        begun = 1e-4 + own / 1000e9 + own / 400e9
        self.assertAlmostEqual(devices_model.seconds("multi/partition", n, 4, GPUS), begun + sent / 4 / 380e9 + part / RATE)
        # Three pieces of bins: storing the first one over the link takes longer than the scatter, and the way of each of the others
        # longer than the levels of the piece before.
        levels = part * (1 / 1000e9 + 1 / 400e9 + 1 / 300e9)
        self.assertAlmostEqual(devices_model.seconds("multi/fused", n, 4, GPUS),
                               2e-4 + own / 1000e9 + max(own / 400e9, sent / 3 / 350e9) + 2 * sent / 3 / 380e9 + levels / 3)
        # Over ranks nothing is hidden.
        self.assertAlmostEqual(devices_model.seconds("ranks/partition", n, 4, GPUS), 1e-4 + own / 1000e9 + own / 400e9 + sent / 300e9 + levels)
        # Four pieces of pairs; the first one is stored.
        sent *= 2
        self.assertAlmostEqual(devices_model.seconds("multi/fused", n, 4, GPUS, PAIRS),
                               1e-4 + own / 900e9 + max(own / 190e9, sent / 4 / 350e9) + max(3 * sent / 4 / 380e9 + part / 4 / 36e9, part / 36e9))
        levels = part * (1 / 500e9 + 1 / 200e9 + 1 / 150e9)
        self.assertAlmostEqual(devices_model.seconds("multi/fused", n, 4, GPUS, U64),
                               2e-4 + own / 500e9 + max(own / 200e9, sent / 3 / 350e9) + 2 * sent / 3 / 380e9 + levels / 3)
        self.assertAlmostEqual(devices_model.spread_seconds(1 << 32, 2, "pinned", GPUS), (1 << 35) / 100e9)
        self.assertAlmostEqual(devices_model.spread_seconds(1 << 32, 4, "pinned", GPUS), (1 << 35) / 150e9)

    def test_pieces_are_those_of_the_sorts(self):
        source = (ROOT / "gpu/parts/partition.cuh").read_text(encoding="utf-8")
        for line in ("kMostOfPiece = std::size_t{1} << 27", "kLeastOfPiece = std::size_t{1} << 24, kEnough = 4"):
            self.assertIn(line, source)
        self.assertIn("kMostOfPairsPiece = kMostOfPiece / 2", source)
        self.assertIn(f"ceil_div(pieces, std::size_t{{{devices_model.STORED_OF}}})", (ROOT / "gpu/multi/fused.cu").read_text(encoding="utf-8"))
        source = (ROOT / "gpu/parts/bins.cuh").read_text(encoding="utf-8")
        self.assertIn("all_n < std::size_t{1} << 27 ? 1 : 3", source)
        self.assertEqual([devices_model.pieces_of(n) for n in (0, 1 << 20, 1 << 25, 1 << 27, 1 << 30)], [1, 1, 2, 4, 8])
        self.assertEqual(devices_model.pieces_of(1 << 30, PAIRS), 16)

    def measured(self, n=1 << 31):
        """Files as two GPUs with GPUS would leave them."""
        def sample(variant, n, gpus, kernel_s, params="", sent=None, exchange_s=None, imbalance=1.01, items=U32):
            return ("ok", *place(variant, n, gpus, params, items), kernel_s * 1e9, "", sent, exchange_s and exchange_s * 1e9, imbalance)

        rows = [sample("gpu/auto/stable", size, 1, size / rate, items=items) for items, rate in SORTS.items() for size in items.sizes]
        rows += [("ok", *place("gpu/host/spread", n, 2, host_mem=memory), "", 4 * n / rate, "", "", "")
                 for memory, rate in (("pinned", 50), ("staged", 20))]
        rows += [("failed", *place("gpu/auto/stable", 1 << 20, 1), 1, "", "", "", "")]
        rows += [sample("gpu/multi/merge", 1 << 17, 2, 1e-4), sample("gpu/multi/partition", n, 2, 30e-3, sent=4e9),
                 sample("gpu/multi/fused", 1 << 21, 2, 2e-4), sample("gpu/multi/fused", n, 2, 30e-3, "stored=64", sent=4e9),
                 sample("gpu/ranks/merge", n, 2, 30e-3, sent=4e9, exchange_s=2e9 / 300e9)]
        msd = "sortlab::gpu::radix::msd_hybrid::"
        parts = [(*place(variant, n, 2, params), activity, 1, ns) for variant, params, activity, ns in (
            ("gpu/multi/merge", "", "sortlab::gpu::parts::merge_pair", n / 200),
            ("gpu/multi/partition", "stored=0", "sortlab::gpu::parts::count_shares", n / 1000),
            ("gpu/multi/partition", "stored=0", "sortlab::gpu::parts::deal_shares", n / 400),
            ("gpu/multi/partition", "stored=0", "copy between GPUs", 4e9 / 380),
            ("gpu/multi/fused", "stored=0", f"{msd}count_digits", 2 * n / 1000),
            ("gpu/multi/fused", "stored=0", f"{msd}scatter_keys", 2 * n / 400),
            ("gpu/multi/fused", "stored=0", f"{msd}plan_buckets", n / 3000),
            ("gpu/multi/fused", "stored=0", f"{msd}sort_small", n / 300 - n / 3000),
            ("gpu/multi/fused", "stored=64", f"{msd}scatter_keys", n / 400 + 4e9 / 350))]
        parts += [(*place("gpu/multi/fused", n, 2, "stored=0", items), activity, 1, ns) for items, activity, ns in (
            (U64, f"{msd}count_digits", 2 * n / 500), (U64, f"{msd}scatter_keys", 2 * n / 200),
            (U64, f"{msd}plan_buckets", n / 3000), (U64, f"{msd}sort_small", n / 150 - n / 3000),
            (PAIRS, "sortlab::gpu::parts::count_shares", n / 900), (PAIRS, "sortlab::gpu::parts::deal_shares", n / 190))]
        return [self.file("samples.csv", HEADER, rows), self.file("samples.breakdown.csv", BREAKDOWN, parts)]

    def test_known_constants_are_found(self):
        found = devices_model.fit(self.measured())
        self.assertEqual(set(found), set(devices_model.NEEDED))
        for name in devices_model.NEEDED:
            value = GPUS[name]
            self.assertTrue(math.isclose(found[name], value, rel_tol=1e-9), f"{name}: {found[name]}")

    def test_one_command_fits_and_says_its_error(self):
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            self.assertEqual(devices_model.main(["--fit", *self.measured()]), 0)
            self.assertEqual(devices_model.main([str(self.folder / devices_model.OUTPUT)]), 0)
        self.assertRegex(said.getvalue(), r"`gpu/multi/fused` \| 2 \| 2147483648 \| 30 ms")

    def test_bad_input_is_one_line(self):
        samples, _ = self.measured()
        for arguments, *named in (([], "usage"), (["nowhere.csv"], "nowhere.csv"), (["--fit", "nowhere.csv"], "nowhere.csv"),
                                  (["--fit", samples], "--breakdown"), (["--fit", self.file("other.csv", ("a", "b"), [(1, 2)])], "no column variant"),
                                  ([self.constants("words.csv", GPUS | {"merge": "fast"})], "words.csv:"),
                                  ([self.constants("few.csv", GPUS | {"nccl_link": None})],
                                   "no row for nccl_link: sortlab run", "gpu/ranks/merge --ranks 2")):
            self.refused(devices_model, arguments, *named)

    def test_predictions_are_of_more_gpus_than_were_measured(self):
        rows = devices_model.predictions(GPUS)
        n = 1 << 31
        for rung, items in (("multi/gather", U32), ("multi/fused", U64), ("multi/fused", PAIRS)):
            self.assertIn([f"gpu/{rung}", items.key_type, str(items.value_bytes), str(n), "4", "none",
                           f"{n / devices_model.seconds(rung, n, 4, GPUS, items) * 1e-9:.3g}"], rows)
        self.assertIn(["gpu/host/spread", "u32", "0", str(n), "4", "staged", f"{n / devices_model.spread_seconds(n, 4, 'staged', GPUS) * 1e-9:.3g}"],
                      rows)
        self.assertEqual({row[4] for row in rows[1:]}, {"4", "8"})


if __name__ == "__main__":
    unittest.main()
