"""The model of sorts over ranks: its arithmetic, the constants that it finds in samples, and bad input."""

import contextlib
import csv
import io
import math
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "plots"))
import ranks_model as model  # noqa: E402
from model_constants import COLUMNS  # noqa: E402

CONSTANTS = {
    "cpus": 16, "node_cpus": 16, "sort": 8e-9, "sort_doubling": 0.5e-9, "merge": 4e8, "partition": 1e-9, "crowding": 1, "host_bandwidth": 5e9, "host_latency": 2e-6, "sample_step": 4e-9,
    "imbalance_sample": 1.1, "imbalance_histogram": 1.03, "imbalance_partition": 1.02, "search_step": 1e-8, "splitter_step": 1e-9, "memory": 256e9,
    "ethernet_bandwidth": 12.5e9, "ethernet_latency": 2e-5, "infiniband_bandwidth": 25e9, "infiniband_latency": 1.5e-6}


def seconds(rung, nodes, per_node=1 << 27, **other):
    constants = CONSTANTS | other
    return model.seconds(rung, per_node * nodes, model.network(constants, "infiniband", rung, nodes), constants)


class Arithmetic(unittest.TestCase):
    def test_terms_by_hand(self):
        terms = seconds("histogram", 64)
        own = (1 << 27) / 16
        self.assertAlmostEqual(terms["local sort"], own * 9.5e-9, msg="2^23 keys a rank: three doublings")
        self.assertAlmostEqual(terms["merge"], 10 * own * 1.03 / 4e8)
        self.assertAlmostEqual(terms["exchange"], 1023 * 1.5e-6 + own * 1.03 * 1023 / 1024 * 4 / (25e9 / 16))
        few = seconds("hierarchical", 64)
        own = 1 << 27
        self.assertAlmostEqual(few["local sort"], own * 1.02 * (11.5e-9 + 0.5e-9 * math.log2(1.02)) / 16)
        self.assertAlmostEqual(few["partition"], 6 * own * 1e-9 / 16, msg="64 parts")
        self.assertNotIn("merge", few)

    def test_memory_takes_the_place_of_an_exchange_on_one_host(self):
        terms = {rung: model.seconds(rung, 1 << 27, model.host(CONSTANTS, 16), CONSTANTS) for rung in model.PARTITIONS}
        self.assertEqual(terms["shared"], terms["hierarchical"])
        self.assertEqual(terms["shared"]["exchange"], 0)
        self.assertGreater(terms["partition"]["exchange"], 0)
        self.assertGreater(seconds("hierarchical", 64)["exchange"], 0)

    def test_a_full_node_is_slower_and_its_network_is_not(self):
        quiet, crowded = (seconds("partition", 64, crowding=crowding) for crowding in (1, 1.5))
        for term in quiet:
            self.assertAlmostEqual(crowded[term], quiet[term] * (1 if term == "exchange" else 1.5), msg=term)
        half = model.seconds("shared", 1 << 27, model.host(CONSTANTS | {"crowding": 1.5}, 8), CONSTANTS | {"crowding": 1.5})
        self.assertAlmostEqual(half["partition"], 3 * (1 << 24) * 1e-9 * (1 + 0.5 * 7 / 15))

    def test_one_rank_only_sorts(self):
        for rung in (*model.RUNGS, "shared"):
            terms = model.seconds(rung, 1000, model.host(CONSTANTS, 1), CONSTANTS)
            self.assertEqual(model.total(terms), terms["local sort"], rung)
        terms = model.seconds("hierarchical", 1 << 27, model.network(CONSTANTS, "ethernet", "hierarchical", 1), CONSTANTS)
        self.assertAlmostEqual(model.total(terms), (1 << 27) * 11.5e-9 / 16)

    def test_splitters_grow_with_the_square_of_the_ranks(self):
        for rung in ("sample", "histogram"):
            self.assertGreater(seconds(rung, 4096)["splitters"], 12 * seconds(rung, 1024)["splitters"], rung)

    def test_more_ranks_than_cpus_gain_nothing(self):
        constants = CONSTANTS | {"cpus": 2, "sort_doubling": 1e-13}
        sorts = [model.seconds("sample", 1 << 20, model.host(constants, ranks), constants)["local sort"] for ranks in (1, 2, 4)]
        self.assertAlmostEqual(sorts[0], 2 * sorts[1], places=6)
        self.assertAlmostEqual(sorts[1], sorts[2], places=6)

    def test_where_it_stops(self):
        self.assertEqual(model.stop("gather", 1 << 30, "infiniband", CONSTANTS), (2, "local sort"))
        nodes, why = model.stop("sample", 1 << 27, "infiniband", CONSTANTS)
        self.assertEqual(why, "splitters")
        few, _ = model.stop("hierarchical", 1 << 27, "infiniband", CONSTANTS)
        self.assertGreater(few, nodes)
        self.assertEqual(model.stop("sample", 1 << 27, "infiniband", CONSTANTS | {"memory": 1.2e9})[1], "memory of a node")

    def test_tables_name_every_rung(self):
        for name in model.NETWORKS:
            rows = model.scaling_table(CONSTANTS, name, 1 << 30)
            self.assertEqual(len(rows), 1 + len(model.RUNGS) * len(model.NODES))
            self.assertTrue(all(len(row) == len(rows[0]) for row in rows))
        self.assertEqual(len(model.stops_table(CONSTANTS, (1 << 27,))), 1 + len(model.RUNGS))


class Files(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def file(self, name, header, rows):
        path = self.folder / name
        with open(path, "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(header)
            writer.writerows(rows)
        return path

    def constants(self, name="constants.csv", **other):
        return self.file(name, COLUMNS, [(name, value, "", "", "") for name, value in (CONSTANTS | other).items()])

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
            place = model.host(CONSTANTS, ranks)
            slower = {"histogram": 2, "partition": 1.5, "sample": 1.2}[rung]
            add(rung, ranks, params, n, slower * model.total(model.seconds(rung, n, place, CONSTANTS)))
        add("sample", 2, "oversampling=8", n, 1, imbalance=1.1)
        add("histogram", 2, "", 2, 1e-5)
        add("sample", 2, "oversampling=8", 2, 1e-5)
        add("sample", 2, "oversampling=1024", 2, 1e-5 + 4096 * 12 * 4e-9)
        return self.file("samples.csv", header, rows)

    def test_known_constants_are_found(self):
        found = model.fit(self.samples(), 16)
        for name in model.MEASURED:
            expected = 1.5 if name == "crowding" else CONSTANTS[name]  # the median
            self.assertTrue(math.isclose(found[name], expected, rel_tol=2e-2 if name == "crowding" else 1e-6), f"{name}: {found[name]}")

    def test_what_the_samples_do_not_tell_stays(self):
        header = "status,variant,key_type,ranks,threads,params,n,total_ns,exchange_ns,exchange_bytes,imbalance".split(",")
        n = 1 << 22
        samples = self.file("large.csv", header, [
            ("ok", f"cpu/ranks/{rung}", "u32", ranks, 1, "", n, n * ns, 1e6, 1e6, 1)
            for rung, ranks, ns in (("histogram", 1, 9), ("histogram", 2, 6), ("partition", 2, 5))])
        path = self.constants(host_latency=3e-6, sample_step=7e-9, crowding=1.25)
        self.assertEqual(model.main(["--fit", str(samples), "16", str(path)]), 0)
        constants = model.read(path)
        self.assertEqual([constants[name] for name in ("host_latency", "sample_step", "crowding")], [3e-6, 7e-9, 1.25])

    def test_errors_are_those_of_all_rows_of_one_thread(self):
        rows = model.errors(self.samples(), CONSTANTS)
        self.assertEqual(len(rows), 8, "those of many keys")
        (one,) = [row for row in rows if row[:3] == ("histogram", 1, 1 << 22)]
        self.assertAlmostEqual(one[3] - 1e-3, one[4], msg="but for what a rank sends to itself")

    def test_fit_keeps_what_is_assumed(self):
        path = self.constants(sort=1.0, search_step=7e-9)
        self.assertEqual(model.main(["--fit", str(self.samples()), "16", str(path)]), 0)
        constants = model.read(path)
        self.assertEqual(constants["search_step"], 7e-9)
        self.assertAlmostEqual(constants["sort"], 8e-9)

    def test_bad_input_is_one_line(self):
        good = str(self.constants())
        for arguments, named in (([], "usage"), (["nowhere.csv"], "nowhere.csv"), (["--fit", good, "2", good], "samples over ranks"),
                                 ([str(self.constants("words.csv", sort="fast"))], "words.csv:4"), ([str(self.constants("zero.csv", merge=0))], "merge"),
                                 ([str(self.file("few.csv", COLUMNS, [("sort", 1, "", "", "")]))], "no row for cpus")):
            said = io.StringIO()
            with contextlib.redirect_stderr(said):
                self.assertEqual(model.main(arguments), 2)
            self.assertEqual(said.getvalue().count("\n"), 1)
            self.assertIn(named, said.getvalue())


if __name__ == "__main__":
    unittest.main()
