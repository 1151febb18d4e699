"""The plots against small CSVs made here: python -m unittest discover -s tests/plots -p 'plots_test.py'."""

import contextlib
import io
import json
import lzma
import re
import sys
import tempfile
import unittest
from pathlib import Path
from xml.etree import ElementTree

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "plots"))

try:
    import plot
except SystemExit as reason:  # its one line on what is missing
    print(f"skipped: {reason}")
    sys.exit(77)

import ladder
import matplotlib.pyplot as plt
import pandas as pd
import papers
import rivals_map
import style
from load import COLUMNS, load
from matplotlib.colors import to_hex
from standings import Input, Standing

HEADER = ",".join(COLUMNS)
VARIANTS = ("cpu/radix/naive", "cpu/radix/optimized", "cpu/quick/naive", "cpu/quick/parallel", "cpu/baselines/qsort")
PNG = b"\x89PNG\r\n\x1a\n"


def row(variant, n=1024, rep=0, **other):
    fields = dict.fromkeys(HEADER.split(","), "")
    fields |= {
        "schema_version": 1, "run_id": "r", "status": "ok", "variant": variant, "algorithm": variant.split("/")[1],
        "key_type": "u32", "value_bytes": 0, "order": "asc", "n": n, "dist": "uniform", "seed": 12345,
        "threads": 1, "load": 0, "rep": rep, "total_ns": n * 10, "sorted_ok": 1, "permutation_ok": 1,
    } | other
    fields.setdefault("config_id", "")
    fields["config_id"] = "-".join(str(fields[key]) for key in ("variant", "key_type", "dist", "n", "threads"))
    return ",".join(str(value) for value in fields.values())


def matrix(variants=VARIANTS, sizes=(1024, 4096, 16384), dists=("uniform", "sorted"), **other):
    return [
        row(variant, n, rep, dist=dist, total_ns=n * (10 + place) + rep, **other)
        for place, variant in enumerate(variants) for dist in dists for n in sizes for rep in range(3)
    ]


class PlotsTest(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.addCleanup(plt.close, "all")

    def csv(self, rows, header=HEADER):
        path = self.folder / "bench.csv"
        path.write_text("\n".join([header, *rows, ""]), encoding="utf-8")
        return path

    def draw(self, rows, header=HEADER):
        """Exit code, lines on stdout, text on stderr."""
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = plot.main([str(self.csv(rows, header)), "--out", str(self.folder / "plots")])
        return code, out.getvalue().split(), err.getvalue()

    def assert_refused(self, word, rows, header=HEADER):
        code, files, said = self.draw(rows, header)
        self.assertEqual((code, files), (2, []))
        self.assertEqual(said.count("\n"), 1, said)
        self.assertIn(word, said)
        self.assertFalse((self.folder / "plots").exists())

    def test_every_figure_is_written_as_png_and_svg(self):
        code, files, said = self.draw(matrix())
        self.assertEqual((code, said), (0, ""))
        names = {Path(file).name for file in files}
        figures = ("scaling_u32_rate", "scaling_u32_all", "speedup_u32", "heatmap_u32", "ladder_cpu_u32")
        self.assertEqual(names, {f"{figure}.{suffix}" for figure in figures for suffix in ("png", "svg")})
        for file in map(Path, files):
            if file.suffix == ".png":
                self.assertEqual(file.read_bytes()[:8], PNG)
            else:
                text = file.read_text(encoding="utf-8")
                shown = {"speedup": ("cpu/radix/optimized", "cpu/quick/parallel"), "ladder": VARIANTS[:-1]}
                for variant in shown.get(file.stem.split("_")[0], VARIANTS):
                    name = style.short_name(variant) if file.stem.endswith("_all") else variant
                    self.assertIn(name, text, file.name)

    def test_a_variant_has_one_colour_and_marker_in_all_figures(self):
        colors, markers = {}, {}
        for _, figure in plot.figures(load(self.csv(matrix()))):
            for axes in figure.axes:
                for line in axes.get_lines():
                    colors.setdefault(line.get_label(), set()).add(to_hex(line.get_color()))
                    markers.setdefault(line.get_label(), set()).add(line.get_marker())
                for bars in axes.containers:
                    colors.setdefault(bars.get_label(), set()).add(to_hex(bars[0].get_facecolor()))
        for variant in VARIANTS:
            self.assertEqual(len(colors[variant]), 1, variant)
            self.assertEqual(len(markers[variant]), 1, variant)

    def test_a_ladder_is_drawn_with_its_branches(self):
        after = {"gpu/a/foot": "", "gpu/a/left": "gpu/a/foot", "gpu/a/top": "gpu/a/left", "gpu/a/right": "gpu/a/foot"}
        rates = pd.Series({"gpu/a/right": 5.0, "gpu/a/top": 1.0, "gpu/a/foot": 2.0, "gpu/b/alone": 9.0})
        rows = ladder.ladders_of(rates.index, after)
        self.assertEqual(list(rows), ["gpu/a"])
        self.assertEqual(rows["gpu/a"][0], ("gpu/a/foot", ""))
        self.assertEqual(set(rows["gpu/a"][1:]), {("gpu/a/top", "gpu/a/foot"), ("gpu/a/right", "gpu/a/foot")},
                         "left was not measured")
        self.assertEqual(ladder.finding(rates, rows), "The largest step is gpu/a/right: 2.50x as fast as gpu/a/foot")
        rates["gpu/a/right"] = 1.5
        self.assertEqual(ladder.finding(rates, rows), "gpu/b/alone is the fastest rung")

    def test_looks_differ_between_known_variants_and_depend_on_the_id_alone(self):
        known = [f"{ladder}/{rung}" for ladder, rungs in style.LADDERS.items() for rung in rungs]
        self.assertIn("cpu/radix/simd", known)
        styles = style.styles_of(known)
        self.assertEqual(len({look.mark for look in styles.values()}), len(known))
        unknown = ["cpu/shell/naive", "cpu/baselines/another", "gpu/merge/newest"]
        self.assertEqual(style.styles_of(known + unknown), styles | style.styles_of(unknown))

    def test_sorts_that_copy_from_the_host_do_not_stand_for_those_that_do_not(self):
        copying = row("gpu/radix/naive", host_mem="pinned", total_ns=9000, kernel_ns=1000, params="p")
        on_device = row("gpu/radix/naive", host_mem="none", total_ns=2000, kernel_ns=2000)
        results = load(self.csv([copying.replace("gpu/radix/naive-", "other-"), on_device]))
        self.assertEqual(list(results.times.seconds.round(9)), [2000e-9])

    def test_a_point_is_the_median_of_samples_then_the_fastest_setting(self):
        rows = [row("cpu/radix/parallel", 1000, rep, threads=1, total_ns=ns) for rep, ns in enumerate((100, 200, 900))]
        rows += [row("cpu/radix/parallel", 1000, rep, threads=2, total_ns=ns) for rep, ns in enumerate((80, 50, 60))]
        results = load(self.csv(rows))
        self.assertEqual(len(results.times), 1)
        self.assertAlmostEqual(results.times.seconds[0], 60e-9)
        self.assertTrue(results.merged)

    def test_thread_counts_are_drawn_where_there_are_several(self):
        parallel = [row("cpu/quick/parallel", n, threads=threads, total_ns=n * 100 // threads)
                    for n in (1024, 4096) for threads in (1, 2, 4) if n == 4096 or threads != 2]
        alone = [row("cpu/radix/naive", n) for n in (1024, 4096)]
        code, files, _ = self.draw(parallel + alone)
        self.assertEqual(code, 0)
        names = {Path(file).name for file in files}
        self.assertLessEqual({"one_and_all_u32.png", "threads_u32.png"}, names)
        drawn = dict(plot.figures(load(self.csv(parallel + alone))))
        one, all_threads = drawn["one_and_all_u32"].axes
        self.assertEqual({line.get_label() for line in one.get_lines()}, {"cpu/quick/parallel", "cpu/radix/naive"})
        self.assertEqual([line.get_label() for line in all_threads.get_lines()], ["cpu/quick/parallel"])
        (line,) = drawn["threads_u32"].axes[0].get_lines()
        self.assertEqual([list(line.get_xdata()), list(line.get_ydata())], [[1, 2, 4], [1e7, 2e7, 4e7]])

    def test_ranks_are_drawn_with_their_efficiency(self):
        seconds = {("sample", 1, 1): 1.0, ("sample", 2, 1): 0.5, ("sample", 4, 1): 0.5, ("hierarchical", 1, 2): 0.8,
                   ("hierarchical", 2, 2): 0.5}
        for keys, scale, unit in (("u32", 1, "keys/s"), ("r100:10", 100, "B/s")):
            rows = [row(f"cpu/ranks/{rung}", 1 << 20, key_type=keys, threads=threads, ranks=ranks, total_ns=int(s * 1e9))
                    for (rung, ranks, threads), s in seconds.items()]
            rows.append(row("cpu/radix/naive", 1 << 20, key_type=keys))
            name = f"ranks_{keys}"
            results = load(self.csv(rows))
            self.assertEqual(set(results.by_threads.variant), {"cpu/radix/naive"}, "threads of each rank are no threads of a sort")
            figure = dict(plot.figures(results))[name]
            rate, share = ({line.get_label(): (list(line.get_xdata()), [float(y) for y in line.get_ydata()])
                            for line in axes.get_lines()} for axes in figure.axes)
            n = (1 << 20) * scale
            self.assertEqual(rate["cpu/ranks/sample"], ([1, 2, 4], [n / 1.0, n / 0.5, n / 0.5]))
            self.assertEqual(share["cpu/ranks/sample"], ([1, 2, 4], [1.0, 1.0, 0.5]))
            self.assertEqual(share["cpu/ranks/hierarchical"], ([1, 2], [1.0, 0.8]))
            title = figure.get_suptitle()
            self.assertIn("cpu/ranks/sample reaches", title)
            self.assertIn(f"{unit} on 4 ranks, an efficiency of 50 % against 1 thread", title)
        code, files, said = self.draw(rows)
        self.assertEqual((code, said), (0, ""))
        self.assertIn("ranks_r100_10.png", {Path(file).name for file in files})

    def test_gpus_are_drawn_with_their_efficiency(self):
        seconds = {("fused", "1"): 1.0, ("fused", "2"): 0.625, ("fused", "0+1+2+3"): 0.5, ("fused", "0+0+0"): 0.001,
                   ("gather", "1"): 1.0, ("gather", "0+2"): 2.0}
        rows = [row(f"gpu/multi/{rung}", 1 << 20, threads=0, host_mem="none", devices=gpus, kernel_ns=int(s * 1e9))
                for (rung, gpus), s in seconds.items()]
        rows += [row("gpu/ranks/merge", 1 << 20, threads=0, host_mem="none", ranks=ranks, kernel_ns=int(s * 1e9))
                 for ranks, s in ((1, 1.0), (2, 0.8))]
        rows.append(row("gpu/radix/naive", 1 << 20, threads=0, host_mem="none", kernel_ns=10**9))
        figure = dict(plot.figures(load(self.csv(rows))))["devices_u32"]
        rate, share = ({line.get_label(): (list(line.get_xdata()), [float(y) for y in line.get_ydata()])
                        for line in axes.get_lines()} for axes in figure.axes)
        n = 1 << 20
        self.assertEqual(rate, {"gpu/multi/fused": ([1, 2, 4], [n / 1.0, n / 0.625, n / 0.5]), "gpu/multi/gather": ([1, 2], [n / 1.0, n / 2.0]),
                                "gpu/ranks/merge": ([1, 2], [n / 1.0, n / 0.8])})
        self.assertEqual(share["gpu/multi/fused"], ([1, 2, 4], [1.0, 0.8, 0.5]))
        self.assertIn("on 4 GPUs, an efficiency of 50 % against 1 GPU", figure.get_suptitle())

    def test_a_library_of_one_thread_is_marked_among_those_of_many(self):
        serial, many = "cpu/baselines/qsort", "cpu/baselines/tbb_parallel_sort"
        rows = [row(serial), row("cpu/radix/naive"), row(many, threads=8), row("plugin/mine/sort", total_ns=5)]
        marked = {f"{serial} (1 thread)", "plugin/mine/sort (1 thread)", "cpu/radix/naive", many}
        self.assertEqual(set(load(self.csv(rows)).times.variant), marked)
        self.assertEqual(style.style_of(f"{serial} (1 thread)"), style.style_of(serial))
        self.assertEqual(set(load(self.csv([row(serial), row(many)])).times.variant), {serial, many})

    def test_rivals_are_drawn_worst_first_with_the_finding(self):
        rivals = {f"library_{i}": 10.0 * 2 ** i for i in range(9)}
        group = [Standing(Input("morton", "u32", 1024, "", 16, ""), 40, rivals=rivals),
                 Standing(Input("text", "u64 + u32", 4096, "", 16, ""), 5, rivals={"library_0": 10.0}),
                 Standing(Input("heavy", "u32", 1024, "", 16, ""), 2, rivals={"library_0": 10.0})]
        run = {"id": {"build": {"git_revision": "abc", "git_dirty": True}, "cpu": {"model": "Some CPU", "threads": 16}}}
        (self.folder / "real.run.json").write_text(json.dumps(run), encoding="utf-8")
        rivals_map.save(self.folder / "real.csv", group, 2, self.folder / "map.svg", "ours leads")
        texts = ["".join(text.itertext()) for text in ElementTree.parse(self.folder / "map.svg").iter("{http://www.w3.org/2000/svg}text")]
        for words in (["library_0", "library_8"], ["morton, u32, 1K", "text, u64 + u32, 4K"], ["0.25", "64", "2.00", "–"],
                      ["ours leads"],
                      ["Data: real.csv; Some CPU, 16 CPUs, revision abc with changes; medians of one run"], ["and 1 more, with better ratios, all in the CSV"]):
            for word in words:
                self.assertIn(word, texts)
        self.assertNotIn("heavy, u32, 1K", texts)

    def test_the_grid_is_drawn_with_all_cells_the_worst_kind_first(self):
        cells = {("text", "u64", 1100009): (100, 150, 80), ("text", "i32", 4300007): (100, 110, 300), ("morton", "u32", 1100009): (100, 40, None),
                 ("morton", "u64", 1100009): (100, 500, 125), ("heavy", "u32 + u32", 1100009): (None, 70, 70)}
        group = [Standing(Input(dist, keys, n, "", 0, ""), ours, rivals={"a/b": rival}, own={"radix/own": own} if own else {})
                 for (dist, keys, n), (ours, rival, own) in cells.items()]
        run = {"id": {"build": {"git_revision": "abc", "git_dirty": False}, "cpu": {}, "gpu": {"name": "Some GPU"}}}
        (self.folder / "grid.run.json").write_text(json.dumps(run), encoding="utf-8")

        def texts(of):
            rivals_map.save_grid(self.folder / "grid.csv", of, self.folder / "map.svg", "the finding")
            return ["".join(text.itertext()) for text in ElementTree.parse(self.folder / "map.svg").iter("{http://www.w3.org/2000/svg}text")]

        said = texts(group)
        over_rivals, over_own = (said[:said.index("over the best rival")], said[said.index("over the best rival"):])
        columns = ["u32, 1100009", "u32 + u32, 1100009", "i32, 4300007", "u64, 1100009"]
        for panel, kinds, ratios in ((over_rivals, ["heavy", "morton", "text"], ["0.00", "0.40", "5.00", "1.10", "1.50"]),
                                     (over_own, ["heavy", "text", "morton"], ["0.00", "3.00", "0.80", "1.25"])):
            self.assertEqual([text for text in panel if text in columns], columns)
            self.assertEqual([text for text in panel if text in kinds], kinds)
            self.assertEqual([text for text in panel if re.fullmatch(r"\d\.\d\d", text)], ratios)
        for words in ("the finding", "over the fastest other sort of ours", "Data: grid.csv; Some GPU, revision abc; medians of one run"):
            self.assertIn(words, said)
        self.assertNotIn("over the fastest other sort of ours", texts(group[2:3]))

    def test_a_gpu_sort_counts_its_kernels(self):
        results = load(self.csv([
            row(variant, threads=0, total_ns=5000, kernel_ns=2000) for variant in ("gpu/radix/naive", "plugin/my/gpu_sort")
        ] + [row("cpu/radix/naive")]))
        seconds = results.times.set_index("variant").seconds
        self.assertAlmostEqual(seconds["gpu/radix/naive"], 2e-6)
        self.assertAlmostEqual(seconds["plugin/my/gpu_sort"], 2e-6)
        self.assertAlmostEqual(seconds["cpu/radix/naive"], 10.24e-6)

    def test_plug_ins_are_drawn_beside_the_others(self):
        code, paths, _ = self.draw(matrix(("cpu/radix/naive", "plugin/mine/my_sort")))
        self.assertEqual(code, 0)
        svg = next(Path(path) for path in paths if path.endswith("all.svg")).read_text(encoding="utf-8")
        self.assertIn("mine/my_sort", svg)

    def test_rows_without_a_result_are_named_and_not_drawn(self):
        rows = matrix() + [
            row("cpu/std_sort/parallel", status="skipped", reason="no oneTBB", total_ns="", sorted_ok="", permutation_ok=""),
            row("cpu/merge/naive", sorted_ok=0),
        ]
        results = load(self.csv(rows))
        self.assertNotIn("cpu/std_sort/parallel", set(results.times.variant))
        self.assertNotIn("cpu/merge/naive", set(results.times.variant))
        code, files, _ = self.draw(rows)
        self.assertEqual(code, 0)
        for svg in (Path(file).read_text(encoding="utf-8") for file in files if file.endswith(".svg")):
            self.assertIn("cpu/std_sort/parallel skipped in 1: no oneTBB", svg)
            self.assertIn("cpu/merge/naive wrong result in 1", svg)

    def test_one_variant_at_one_n_is_drawn(self):
        code, files, _ = self.draw([row("cpu/quick/naive")])
        self.assertEqual(code, 0)
        self.assertFalse([file for file in files if "speedup" in file])
        self.assertEqual(len(files), 6)

    def test_speedup_is_taken_where_naive_still_runs(self):
        import speedup

        rows = matrix(("cpu/quick/naive",), sizes=(1024,)) + matrix(("cpu/quick/parallel",))
        gains = speedup.gains_over_naive(load(self.csv(rows)).times)
        self.assertEqual(set(gains.n), {1024})
        self.assertEqual(set(gains.variant), {"cpu/quick/parallel"})

    def test_pairs_and_descending_are_kinds_of_their_own(self):
        results = load(self.csv([row("cpu/quick/naive"), row("cpu/quick/naive", value_bytes=4, order="desc")]))
        self.assertEqual(list(results.times["keys"]), ["u32", "u32 + u32 desc"])

    def test_a_papers_figure_of_times_is_drawn_over_n(self):
        def cells(rows, **other):
            fields = {"exhibit": "e", "source": "s", "table": "Figure 1", "unit": "ms", "status": "ok", "reason": "", "machine": "m"}
            return pd.DataFrame([fields | {"row": row, "column": column, "published": 2.0 * i, "measured": 1.0 * i, "ratio": 0.5} | other
                                 for i, row in enumerate(rows, 1) for column in ("V0", "V1")])

        self.assertEqual([papers.size_of(row) for row in ("k = 20", "2^20", "16K", "1G", "V0", "")], [1 << 20, 1 << 20, 1 << 14, 1 << 30, None, None])
        (name, figure), = papers.figures(cells(("k = 20", "k = 21", "k = 22")))
        axes, = figure.axes
        self.assertEqual((name, axes.get_xscale(), axes.get_yscale()), ("e", "log", "log"))
        self.assertEqual(sorted(line.get_label() for line in axes.get_lines()), [f"{v}, {what}" for v in ("V0", "V1") for what in ("here", "published")])
        self.assertEqual(list(axes.get_lines()[0].get_ydata()), [1, 2, 3])
        (_, figure), = papers.figures(cells(("16K", "64K", "1M"), published=float("nan"), ratio=float("nan"), unit="s"))
        self.assertEqual(list(figure.axes[0].get_lines()[0].get_ydata()), [1000, 2000, 3000])
        self.assertEqual(len(figure.axes[0].get_lines()), 2)
        self.assertEqual(list(papers.figures(cells(("16K", "64K", "1M"), reason="n = 2^10 in place of 2^14", ratio=float("nan")))), [])
        (_, figure), = papers.figures(cells(("Merge sort", "Quick sort", "Radix sort")))
        self.assertNotIn("here", " ".join(line.get_label() for line in figure.axes[0].get_lines()))

    def test_nothing_to_draw_is_one_line(self):
        for rows in ([], [row("cpu/quick/naive", status="oom", reason="n does not fit", total_ns="")]):
            code, files, said = self.draw(rows)
            self.assertEqual((code, files, said.count("\n")), (0, [], 1))

    def test_bad_files_are_refused_in_one_line(self):
        self.assert_refused("no column", ["1,2"], "a,b")
        self.assert_refused("schema_version '2', not 1", [row("cpu/quick/naive", schema_version=2)])
        self.assert_refused("line 3", [row("cpu/quick/naive"), row("cpu/quick/naive", n="many")])
        self.assert_refused("line 2", [row("cpu/quick/naive", total_ns="")])
        self.assert_refused("line 3", [row("cpu/quick/naive"), row("cpu/quick/naive") + ",,,"])
        self.assert_refused("line 3", [row("cpu/quick/naive"), "1,r,half a ro"])

    def test_what_was_measured_under_a_load_is_another_input(self):
        dists = list(load(self.csv(matrix() + matrix(load="8:50/50"))).times.dist.unique())
        alone = list(load(self.csv(matrix())).times.dist.unique())
        self.assertEqual(dists, alone + [f"{dist}, load 8:50/50" for dist in alone])

    def test_a_packed_csv_is_drawn_as_the_csv_itself(self):
        plain = load(self.csv(matrix()))
        packed = self.folder / "bench.csv.xz"
        packed.write_bytes(lzma.compress((self.folder / "bench.csv").read_bytes()))
        self.assertTrue(load(packed).times.equals(plain.times))
        err = io.StringIO()
        packed.write_bytes(packed.read_bytes()[:-40])
        with contextlib.redirect_stderr(err):
            self.assertEqual(plot.main([str(packed)]), 2)
        self.assertEqual(err.getvalue().count("\n"), 1)

    def test_no_such_file(self):
        err = io.StringIO()
        with contextlib.redirect_stderr(err):
            self.assertEqual(plot.main([str(self.folder / "absent.csv")]), 2)
        self.assertEqual(err.getvalue().count("\n"), 1)


if __name__ == "__main__":
    unittest.main()
