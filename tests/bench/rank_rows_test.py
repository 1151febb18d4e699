"""The rows of bench/'s scripts for sorts over ranks: right results are taken, wrong ones are found, over several ranks too.

Stand-ins take the place of mpi4py and PyTorch, so that neither must be there."""

import contextlib
import io
import os
import sys
import tempfile
import threading
import types
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir, "bench"))
try:
    import numpy as np
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)
import rank_rows  # noqa: E402
from numpy_sort import COLUMNS  # noqa: E402


def on_ranks(count, work):
    """Calls work(ranks) on so many threads; returns what each returned."""
    arrived, told, results = threading.Barrier(count), [None] * count, [None] * count

    def gather(rank, own):
        told[rank] = own
        arrived.wait()
        everything = list(told)
        arrived.wait()
        return everything

    def run(rank):
        ranks = rank_rows.Ranks(rank, count, arrived.wait, lambda own: gather(rank, own))
        results[rank] = work(ranks)

    threads = [threading.Thread(target=run, args=(rank,)) for rank in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def keys(*values):
    return np.array(values, np.uint32)


class Verdicts(unittest.TestCase):
    def verdict(self, parts, inputs):
        verdicts = on_ranks(len(parts), lambda ranks: rank_rows.judge(ranks, parts[ranks.rank], inputs[ranks.rank]))
        self.assertEqual(len(set(verdicts)), 1, "all ranks say the same")
        return verdicts[0]

    def test_what_is_right(self):
        self.assertEqual(self.verdict([keys(1, 2), keys(), keys(2, 3)], [keys(3), keys(2, 2), keys(1)]), (True, True, 1.5))

    def test_faults(self):
        inputs = [keys(1, 4), keys(3, 2)]
        self.assertEqual(self.verdict([keys(1, 3), keys(2, 4)], inputs)[:2], (False, True), "a border")
        self.assertEqual(self.verdict([keys(2, 1), keys(3, 4)], inputs)[:2], (False, True), "within a part")
        self.assertEqual(self.verdict([keys(1, 2), keys(3, 3)], inputs)[:2], (True, False), "another key")
        self.assertEqual(self.verdict([keys(1, 2), keys(3)], inputs)[:2], (True, False), "a lost key")
        self.assertEqual(self.verdict([keys(2, 2)], [keys(1, 3)])[:2], (True, False), "the same sum")


class Rows(unittest.TestCase):
    def setUp(self):
        self.csv = os.path.join(self.enterContext(tempfile.TemporaryDirectory()), "ranks.csv")

    def measure(self, sort, n=(100,), count=1):
        given = types.SimpleNamespace(csv=self.csv, type="u32", n=n, samples=2)
        self.said = io.StringIO()
        with contextlib.redirect_stdout(self.said), contextlib.redirect_stderr(self.said):
            return on_ranks(count, lambda ranks: rank_rows.measure(ranks, given, "cpu/baselines/some", "Some 1", sort))

    def rows(self):
        with open(self.csv, encoding="utf-8") as file:
            lines = [line.rstrip("\n").split(",") for line in file]
        self.assertEqual(lines[0], COLUMNS)
        return [dict(zip(COLUMNS, line)) for line in lines[1:]]

    def test_rows_of_a_right_sort(self):
        self.assertEqual(self.measure(np.sort, (1, 100)), [0])
        self.assertEqual([(row["n"], row["rep"], row["status"], row["ranks"], row["sorted_ok"], row["reason"]) for row in self.rows()],
                         [(n, rep, "ok", "1", "1", reason) for n in ("1", "100") for rep, reason in (("0", ""), ("1", "sample limit"))])

    def test_a_wrong_result_is_a_failed_row(self):
        self.assertEqual(self.measure(lambda own: own, count=2), [1, 1])
        row, = self.rows()
        self.assertEqual((row["status"], row["reason"], row["sorted_ok"]), ("failed", "wrong result", "0"))

    def test_a_file_of_others_is_left_untouched(self):
        with open(self.csv, "w", encoding="utf-8") as file:
            file.write("a,b\n")
        self.assertEqual(self.measure(np.sort, count=2), [2, 2])
        self.assertEqual(self.said.getvalue().count("\n"), 1)
        with open(self.csv, encoding="utf-8") as file:
            self.assertEqual(file.read(), "a,b\n")


if __name__ == "__main__":
    unittest.main()
