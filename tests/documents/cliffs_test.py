"""The cliffs of two runs, from small summaries made here with cliffs in them."""

import contextlib
import io
import random
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "plots"))
import cliffs  # noqa: E402
from standings_test import HEADER, row  # noqa: E402

STEPS = [round(1000 * 1.05 ** step) for step in range(60)]
KIND = "gpu/auto/auto, heavy, u32, GPU"
CLEAN = {n: 10_000 + n for n in STEPS}


class Cliffs(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def path(self, name, rows):
        (self.folder / f"{name}.summary.csv").write_text("\n".join([HEADER, *rows, ""]), encoding="utf-8")
        return str(self.folder / f"{name}.csv")

    def said(self, run, again):
        """The exit code and the lines of two runs, each {n: median} of the same kind of keys."""
        files = [self.path(name, [row("gpu/auto/auto", "heavy", 0, ns, n=n) for n, ns in of_run.items()])
                 for name, of_run in (("run", run), ("again", again))]
        return self.judged(*files)

    def judged(self, *files):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = cliffs.main(list(files))
        return code, out.getvalue().splitlines() + err.getvalue().splitlines()

    def test_none(self):
        self.assertEqual(self.said(CLEAN, CLEAN), (0, ["0 cliffs in 1 series of 59 steps"]))

    def test_a_step_that_takes_much_longer(self):
        after = {n: ns * (1.3 if n >= STEPS[30] else 1) for n, ns in CLEAN.items()}
        code, lines = self.said(after, CLEAN | {n: ns * 1.25 for n, ns in after.items()})
        self.assertEqual((code, lines), (1, [f"{KIND}: {STEPS[30]} keys take 1.32 times as long as {STEPS[29]}",
                                             "1 cliffs in 1 series of 59 steps"]))
        flat = {n: 10_000 * (1.19 if n >= STEPS[30] else 1) for n in STEPS}
        self.assertEqual(self.said(flat, flat)[0], 0)

    def test_a_step_that_takes_longer_than_one_with_more_keys(self):
        high = CLEAN | {STEPS[20]: 1.04 * CLEAN[STEPS[21]]}
        self.assertEqual(self.said(high, high), (1, [f"{KIND}: {STEPS[20]} keys take 1.04 times as long as {STEPS[21]}",
                                                     "1 cliffs in 1 series of 59 steps"]))
        last = CLEAN[STEPS[50]]  # less than each of the nine steps before
        code, lines = self.said(CLEAN | {STEPS[59]: last}, CLEAN | {STEPS[59]: last})
        slower = [n for n in STEPS[:59] if CLEAN[n] > 1.03 * last]
        self.assertEqual((code, len(slower)), (1, 7))
        self.assertEqual([line.split(" keys take ")[0] for line in lines[:-1]], [f"{KIND}: {n}" for n in reversed(slower)])
        self.assertTrue(all(line.endswith(f" times as long as {STEPS[59]}") for line in lines[:-1]), lines)
        high = CLEAN | {STEPS[20]: 1.02 * CLEAN[STEPS[21]]}
        self.assertEqual(self.said(high, high)[0], 0)

    def test_what_one_run_alone_has_is_noise(self):
        high = CLEAN | {STEPS[20]: 2 * CLEAN[STEPS[20]], STEPS[40]: 0.5 * CLEAN[STEPS[40]]}
        self.assertEqual(self.said(high, high)[0], 1)
        for runs in ((high, CLEAN), (CLEAN, high)):
            self.assertEqual(self.said(*runs), (0, ["0 cliffs in 1 series of 59 steps"]))

    def test_a_step_is_slower_than_the_same_longer_one_in_both(self):
        def with_low(at):
            return dict(zip(STEPS, [10_000] * 20 + [11_000] * 5 + [12_000] * 35)) | {STEPS[at]: 10_500}

        self.assertEqual(self.said(with_low(25), with_low(25))[0], 1)
        self.assertEqual(self.said(with_low(25), with_low(26))[0], 0)

    def test_noise_of_a_percent_is_none(self):
        rng = random.Random(12345)
        runs = [{n: 10_000 * rng.uniform(0.99, 1.005) for n in STEPS} for _ in range(2)]
        self.assertEqual(self.said(*runs)[0], 0)

    def test_kinds_of_keys_are_not_mixed_and_the_worst_comes_first(self):
        rows = [row("gpu/auto/auto", dist, 0, ns * slower, n=n, value_bytes=values)
                for dist, values, slower in (("heavy", 0, 1), ("heavy", 4, 3), ("gaps", 0, 9)) for n, ns in CLEAN.items()]
        self.assertEqual(self.judged(self.path("run", rows), self.path("again", rows)), (0, ["0 cliffs in 3 series of 177 steps"]))
        planted = [line.replace(str(3 * CLEAN[STEPS[9]]), "99999").replace(str(9 * CLEAN[STEPS[7]]), "999999") for line in rows]
        code, lines = self.judged(self.path("run", planted), self.path("again", planted))
        self.assertEqual(code, 1)
        self.assertEqual([line.split(" keys take ")[0] for line in lines], [
            f"gpu/auto/auto, gaps, u32, GPU: {STEPS[7]}", f"gpu/auto/auto, gaps, u32, GPU: {STEPS[7]}",
            f"gpu/auto/auto, heavy, u32 + u32, GPU: {STEPS[9]}", f"gpu/auto/auto, heavy, u32 + u32, GPU: {STEPS[9]}",
            "4 cliffs in 3 series of 177 steps"])

    def test_a_cell_without_a_time(self):
        failed = [row("gpu/auto/auto", "heavy", 0, *((ns,) if n != STEPS[3] else ("", "failed", "wrong result")), n=n)
                  for n, ns in CLEAN.items()]
        whole = self.path("whole", [row("gpu/auto/auto", "heavy", 0, ns, n=n) for n, ns in CLEAN.items()])
        for again in (self.path("failed", failed), self.path("cut", failed[:3] + failed[4:])):
            for files in ((whole, again), (again, whole)):
                self.assertEqual(self.judged(*files)[1][0], f"{KIND}: {STEPS[3]} keys have no time")
                self.assertEqual(self.judged(*files)[0], 1)

    def test_bad_input_is_one_line(self):
        wide = {1000: 10, 1200: 10}
        for said, complaint in ((self.judged("one.csv"), "usage"), (self.judged("one.csv", "two.csv"), "No such file"),
                                (self.said(wide, wide), "from 1000 to 1200 keys is too far for a step"),
                                (self.said({}, {}), "no step"), (self.said({1000: 10}, {1000: 10}), "no step"),
                                (self.judged(self.path("text", ["a,b"]), self.path("text", ["a,b"])), "no runs of")):
            self.assertEqual((said[0], len(said[1])), (2, 1), said)
            self.assertIn(complaint, said[1][0])


if __name__ == "__main__":
    unittest.main()
