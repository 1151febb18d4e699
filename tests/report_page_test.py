"""The page of `sortlab report` in a headless Chromium: what it draws, against the CSV it was made of."""

import csv
import hashlib
import io
import os
import re
import statistics
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "plots"))

from browser import NoBrowser, browser, open_report  # noqa: E402

try:
    import style
except ImportError:
    style = None  # no matplotlib: the colours are not compared

SORTLAB = os.path.join(os.environ["SORTLAB_BIN"], "sortlab")
SHOTS = Path(os.environ["SORTLAB_BIN"]) / "report-screenshots"
COLUMNS = (
    "schema_version,run_id,config_id,ts_utc,status,reason,"
    "algorithm,variant,device,isa,lib_version,stable,in_place,key_type,value_bytes,order,n,dist,"
    "dist_param,seed,threads,pinned_threads,params,host_mem,temp_policy,cache,launch,"
    "rep,total_ns,alloc_ns,h2d_ns,kernel_ns,host_ns,d2h_ns,launches,"
    "peak_temp_bytes,gpu_J,cpu_J,sm_mhz,sorted_ok,permutation_ok,stable_ok").split(",")
CONFIG = COLUMNS[COLUMNS.index("algorithm"):COLUMNS.index("rep")]
EXHIBIT = "exhibit,source,table,row,column,unit,published,measured,ratio,status,reason,machine,revision".split(",")
SAMPLES = 5
CPU = ("cpu/radix/naive", "cpu/radix/optimized", "cpu/radix/parallel", "cpu/baselines/qsort")
GPU = ("gpu/bitonic/v0_step_per_launch", "gpu/bitonic/v1_fused", "gpu/baselines/cub_radix")
SIZES = (1024, 16384, 262144)
DISTS = ("uniform", "sorted")

# What a figure has drawn, and what the pointer can reach: elements of the SVG, not what was asked for.
MARKS = """name => {
  const chart = document.querySelector(`[id="figure-${name}"] .chart`);
  const count = (selector) => [...chart.querySelectorAll(selector)].filter((e) => e.getBoundingClientRect().width > 0).length;
  return {points: count('.scatterlayer .points path'), bars: count('.barlayer .point path'),
          notes: count('.annotation-text')};
}"""


def sample_rows(variant, n, time_ns, dist="uniform", device=None, **fields):
    on_gpu = variant.startswith("gpu/")
    row = dict.fromkeys(COLUMNS, "") | {
        "schema_version": "1", "run_id": "run", "ts_utc": "2026-01-01T00:00:00Z", "status": "ok",
        "algorithm": variant.split("/")[1], "variant": variant, "device": device or ("Acme G1" if on_gpu else "Acme 9000"),
        "key_type": "u32", "value_bytes": "0", "order": "asc", "n": n, "dist": dist, "seed": "12345",
        "threads": 0 if on_gpu else 1, "pinned_threads": "0", "host_mem": "none", "temp_policy": "prealloc",
        "cache": "hot", "launch": "stream", "alloc_ns": 1000} | fields
    row["config_id"] = hashlib.sha1(repr([row[c] for c in CONFIG]).encode()).hexdigest()[:16]
    for rep in range(SAMPLES if row["status"] == "ok" else 1):
        # Samples scatter around the time asked for, which is their median.
        total = int(time_ns * (0.98 + 0.01 * rep))
        yield row | {"rep": rep, "total_ns": total} | ({"kernel_ns": total} if on_gpu else {})


def golden_rows():
    """Two machines; on the first all CPU and GPU variants, on two distributions, with copies too."""
    for dist in DISTS:
        for n in SIZES:
            for i, variant in enumerate(CPU):
                yield from sample_rows(variant, n, n * (10 - 2 * i) + 500, dist)
            for i, variant in enumerate(GPU):
                yield from sample_rows(variant, n, n * (0.5 - 0.1 * i) + 20000, dist, gpu_J=n * 1e-8)
                yield from sample_rows(variant, n, n * (3 - 0.1 * i) + 40000, dist, host_mem="pinned",
                                       h2d_ns=n, d2h_ns=n, host_ns=100)
    for i, variant in enumerate(CPU[:3]):
        yield from sample_rows(variant, SIZES[-1], SIZES[-1] * (20 - i), device="Other CPU", run_id="other")


def breakdown_rows():
    for variant, parts in ((GPU[0], 3), (GPU[1], 10)):
        base = next(iter(sample_rows(variant, SIZES[-1], 1)))
        for i in range(parts):
            yield base | {"activity": f"kernel<{i}>", "launches_per_sort": 2, "ns_per_sort": 1000 * (i + 1), "share": 0.1}


RUNS = """{"run": {"cpu": {"model": "Acme 9000", "threads": 1}, "gpu": {"name": "Acme G1"},
  "roofs": {"copy_bytes_per_s_all_threads": 2e10}, "gpu_roofs": {"device_copy_bytes_per_s": 1e12}},
  "other": {"cpu": {"model": "Other CPU", "threads": 1}}}"""


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.chromium = cls.enterClassContext(browser())
        cls.golden = cls.make("golden", golden_rows(), {
            "golden.run.json": RUNS, "golden.breakdown.csv": cls.csv_text(
                ["schema_version", "config_id", *CONFIG, "activity", "launches_per_sort", "ns_per_sort", "share"],
                breakdown_rows()),
            "exhibit.csv": cls.csv_text(EXHIBIT, [
                dict(zip(EXHIBIT, ("table-1", "A <b>paper</b>", "Table I", f"2^{k}", "time", "ms", "10", str(k), str(k / 10), "measured", "", "Acme G1", "abc")))
                for k in (20, 21, 22)] + [
                dict(zip(EXHIBIT, ("table-1", "A <b>paper</b>", "Table I", "2^31", "time", "ms", "99", "", "", "skipped", "too large", "Acme G1", "abc")))])})

    @staticmethod
    def csv_text(columns, rows):
        text = io.StringIO()
        writer = csv.DictWriter(text, columns, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        return text.getvalue()

    @classmethod
    def make(cls, name, rows, others=None):
        """The page of these samples and further files."""
        folder = cls.folder / name
        folder.mkdir()
        (folder / f"{name}.csv").write_text(cls.csv_text(COLUMNS, rows))
        for file, text in (others or {}).items():
            (folder / file).write_text(text)
        page = cls.folder / f"{name}.html"
        done = subprocess.run([SORTLAB, "report", str(folder), "-o", str(page)], capture_output=True, text=True, timeout=60)
        if done.returncode != 0 or done.stderr:
            raise AssertionError(f"{name}: {done.returncode}\n{done.stderr}")
        return page

    def open(self, page, width=1280, scheme="light"):
        """A tab with the page, which must neither complain nor ask the network for anything."""
        context = self.chromium.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
        context.set_default_timeout(10_000)
        self.addCleanup(context.close)
        said = []
        context.on("console", lambda message: said.append(f"{message.type}: {message.text}"))
        context.on("weberror", lambda error: said.append(str(error.error)))
        context.on("request", lambda request: request.url.startswith(("http:", "https:")) and said.append(f"asks for {request.url}"))
        tab = open_report(context, page)
        self.addCleanup(self.assertEqual, said, [])
        return tab

    def marks(self, tab, name):
        return tab.evaluate(MARKS, name)

    def wait_for_points(self, tab, count):
        for _ in range(100):
            if self.marks(tab, "throughput")["points"] == count:
                return
            tab.wait_for_timeout(50)
        self.assertEqual(self.marks(tab, "throughput")["points"], count)

    @staticmethod
    def pick(tab, section, label, text):
        tab.locator(f"#{section}").get_by_label(label, exact=True).select_option(label=text)

    @staticmethod
    def section_text(tab, section):
        return tab.locator(f"#{section}").inner_text()


class GoldenPage(Page):
    def test_every_chart_draws_each_of_its_marks(self):
        tab = self.open(self.golden)
        self.assertEqual(
            set(tab.evaluate("sortlabReport.figures()")),
            {"throughput", "ladders", "crossover", "phases", "kernels", "heatmap", "roofline", "energy", "machines", "exhibit-table-1-1"})
        self.pick(tab, "throughput", "Where", "host sorts")
        self.assertEqual(self.marks(tab, "throughput")["points"], len(CPU) * len(SIZES))
        self.pick(tab, "ladders", "Where", "GPU sorts, data on the GPU")
        self.assertEqual(self.marks(tab, "ladders")["bars"], len(GPU))
        self.assertEqual(self.marks(tab, "crossover")["points"], 3 * len(SIZES))  # host, device, pinned
        self.pick(tab, "phases", "Where", "host to host, GPU sorts with their copies")
        self.assertEqual(self.marks(tab, "phases")["bars"], 5 * len(GPU))  # every phase
        self.assertEqual(self.marks(tab, "kernels")["bars"], 3 + 10)
        self.pick(tab, "heatmap", "Where", "host sorts")
        self.assertEqual(self.marks(tab, "heatmap")["notes"], len(CPU) * len(DISTS))  # a cell has its text
        self.pick(tab, "roofline", "Where", "host sorts")
        self.assertEqual(self.marks(tab, "roofline")["bars"], len(CPU))
        self.assertEqual(self.marks(tab, "energy")["bars"], len(GPU))
        self.assertEqual(self.marks(tab, "machines")["bars"], 2 * 3)
        self.assertEqual(self.marks(tab, "exhibit-table-1-1")["points"], 2 * 3)  # the skipped cell has none

    def test_points_lie_where_the_csv_says(self):
        tab = self.open(self.golden)
        self.pick(tab, "throughput", "Where", "host sorts")
        drawn = tab.evaluate("document.querySelector('#figure-throughput .chart').data.map(t => [t.name, t.x, t.y])")
        medians = {}
        for row in golden_rows():
            if row["variant"] in CPU and row["dist"] == "uniform" and row["run_id"] == "run":
                medians.setdefault((row["variant"], row["n"]), []).append(row["total_ns"])
        expected = {key: key[1] / (statistics.median(times) * 1e-9) for key, times in medians.items()}
        found = {(name, n): rate for name, xs, ys in drawn for n, rate in zip(xs, ys)}
        self.assertEqual(found.keys(), expected.keys())
        for key, rate in expected.items():
            self.assertAlmostEqual(found[key] / rate, 1, places=4, msg=key)

    def test_gains_are_written_beside_the_bars(self):
        tab = self.open(self.golden)
        self.pick(tab, "ladders", "Where", "host sorts")
        self.pick(tab, "ladders", "n", "16K")
        n = 16384
        gain = (n * 10 + 500) / (n * 8 + 500)
        self.assertIn(f"×{gain:.2f}", " ".join(tab.locator("#figure-ladders .annotation-text").all_text_contents()))

    def test_legend_toggles_by_mouse_and_by_keyboard(self):
        tab = self.open(self.golden)
        self.pick(tab, "throughput", "Where", "host sorts")
        everything = self.marks(tab, "throughput")["points"]
        entry = tab.locator("#figure-throughput .legend .traces[tabindex]", has_text=CPU[1])
        entry.locator(".legendtoggle").click()
        self.wait_for_points(tab, everything - len(SIZES))  # Plotly waits for a second click first
        entry.focus()
        tab.keyboard.press("Enter")
        self.wait_for_points(tab, everything)

    def test_hover_tells_median_and_interval(self):
        tab = self.open(self.golden)
        self.pick(tab, "throughput", "Where", "host sorts")
        tab.locator("#figure-throughput").scroll_into_view_if_needed()
        box = tab.locator("#figure-throughput .scatterlayer .trace").nth(0).locator(".points path").nth(1).bounding_box()
        tab.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        tab.wait_for_selector("#figure-throughput .hoverlayer .hovertext")
        text = tab.locator("#figure-throughput .hoverlayer").text_content()
        self.assertIn("cpu/radix/", text)
        self.assertRegex(text, r"median [\d.]+ µs, 95 % interval [\d.]+ µs to [\d.]+ µs")

    def test_table_of_choices(self):
        tab = self.open(self.golden)
        self.pick(tab, "choice", "Where", "host sorts")
        rows = tab.locator("#choice tbody tr").all_text_contents()
        self.assertEqual(len(rows), len(DISTS))  # qsort, made the fastest here, wins at every n
        self.assertIn("1K to 256K", rows[0])
        self.assertIn("cpu/baselines/qsort", rows[0])
        self.pick(tab, "choice", "Distribution", "sorted")
        self.assertEqual(tab.locator("#choice tbody tr").count(), 1)

    def test_crossover_is_told(self):
        tab = self.open(self.golden)
        text = self.section_text(tab, "crossover")
        self.assertRegex(text, r"With the data on the GPU, the GPU is ahead of the best host sort from about n = [\d.]+K on")
        self.assertRegex(text, r"With the copies there and back, the GPU is ahead of the best host sort from about n = [\d.]+K on")

    def test_filters_change_what_is_drawn(self):
        tab = self.open(self.golden)
        tab.get_by_label("Machine", exact=True).select_option(label="Other, 1 thread")
        self.assertIn("No GPU sort was measured", self.section_text(tab, "crossover"))
        self.assertEqual(self.marks(tab, "throughput")["points"], 3)

    def test_numbers_are_there_for_those_who_cannot_see_the_chart(self):
        tab = self.open(self.golden)
        for chart in tab.locator(".chart").all():
            self.assertGreater(len(chart.get_attribute("aria-label")), 20)
        self.pick(tab, "throughput", "Where", "host sorts")
        tab.locator("#figure-throughput summary").click()
        tab.wait_for_selector("#figure-throughput tbody tr")  # made when it opens
        self.assertEqual(tab.locator("#figure-throughput tbody tr").count(), len(CPU) * len(SIZES))

    def test_names_are_not_taken_for_markup(self):
        tab = self.open(self.golden)
        self.assertIn("A <b>paper</b>", self.section_text(tab, "exhibits"))
        self.assertIn("too large", self.section_text(tab, "exhibits"))

    def test_buttons_save_images(self):
        tab = self.open(self.golden)
        for kind, head in (("PNG", b"\x89PNG"), ("SVG", b"<svg")):
            with tab.expect_download() as download:
                tab.locator("#figure-energy").get_by_role("button", name=f"as {kind}").click()
            self.assertEqual(Path(download.value.path()).read_bytes()[:4], head)

    def test_figures_saves_each_as_png_and_svg(self):
        figures = Path(__file__).resolve().parent.parent / "plots" / "figures.py"
        folder = self.folder / "figures"
        done = subprocess.run([sys.executable, str(figures), str(self.golden), str(folder)], capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        names = self.open(self.golden).evaluate("sortlabReport.figures()")
        self.assertEqual({p.name for p in folder.iterdir()}, {f"{name}.{kind}" for name in names for kind in ("png", "svg")})
        for path in folder.iterdir():
            self.assertEqual(path.read_bytes()[:4], b"\x89PNG" if path.suffix == ".png" else b"<svg", path)
        done = subprocess.run([sys.executable, str(figures), str(self.folder / "golden" / "golden.csv"), str(folder)], capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)

    @unittest.skipIf(style is None, "no matplotlib")
    def test_looks_are_those_of_the_plots(self):
        tab = self.open(self.golden)
        known = [f"{ladder}/{rung}" for ladder, rungs in style.LADDERS.items() for rung in rungs]
        for variant in [*known, *CPU, "cpu/shell/naive", "gpu/mine/of_tomorrow", "cpu/radix/unheard_of"]:
            here = tab.evaluate("v => sortlabReport.baseColor(v, false)", variant)
            there = style.style_of(variant).color
            for i in (1, 3, 5):
                self.assertLessEqual(abs(int(here[i:i + 2], 16) - int(there[i:i + 2], 16)), 1, (variant, here, there))

    def test_colours_stand_out_light_and_dark(self):
        tab = self.open(self.golden)
        lowest = tab.evaluate("""variants => Math.min(...variants.flatMap(v => [false, true].map(dark =>
            contrast(sortlabReport.styleOf(v, dark).color, theme(dark).card))))""", [*CPU, *GPU, "gpu/merge/naive"])
        self.assertGreaterEqual(lowest, 3)

    def test_all_columns_of_the_choices_are_seen_on_a_desk(self):
        """Long names are wrapped there; on a phone the table scrolls in its own box."""
        names = ("cpu/baselines/boost_parallel_stable_sort", "cpu/baselines/boost_block_indirect_sort",
                 "cpu/baselines/gnu_parallel_sort")
        rows = []
        for i, n in enumerate(SIZES):
            for j, name in enumerate(names):  # the same winner at every n, the others take turns behind it
                per_key = (3, 3.01 if i % 2 else 9, 9 if i % 2 else 3.01)[j]
                rows += sample_rows(name, n, n * per_key + 500, value_bytes=4, threads=16)
        page = self.make("long_names", rows)
        for width, scheme in ((1280, "light"), (1280, "dark"), (360, "light"), (360, "dark")):
            tab = self.open(page, width, scheme)
            for name in names:
                self.assertIn(name, tab.locator("#choice tbody").text_content())
            wide, seen, whole = tab.evaluate("""(() => { const box = document.querySelector('#choice .scroll');
                return [box.scrollWidth, box.clientWidth, document.documentElement.scrollWidth]; })()""")
            self.assertEqual(wide > seen, width == 360, f"{wide} of {seen} pixels at {width}")
            self.assertLessEqual(whole, width)
            SHOTS.mkdir(exist_ok=True)
            tab.locator("#choice").screenshot(path=SHOTS / f"choices-{width}-{scheme}.png")

    def test_light_dark_and_phone(self):
        SHOTS.mkdir(exist_ok=True)
        for name, width, scheme in (("light", 1280, "light"), ("dark", 1280, "dark"), ("phone", 360, "light")):
            tab = self.open(self.golden, width, scheme)
            widths = tab.evaluate("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
            self.assertLessEqual(widths[0], widths[1], f"{name}: the page scrolls sideways")
            tab.screenshot(path=SHOTS / f"{name}.png", full_page=True)
        background = "getComputedStyle(document.body).backgroundColor"
        dark = self.open(self.golden, scheme="dark")
        before = dark.evaluate(background)
        dark.locator("#theme").click()
        self.assertNotEqual(dark.evaluate(background), before)


class Threads(Page):
    def test_a_sort_of_one_thread_is_marked_beside_others(self):
        one, many = "cpu/baselines/vqsort", "cpu/baselines/tbb_parallel_sort"
        rows = [row for n in SIZES for threads in (1, 16) for row in sample_rows(many, n, n * 20 / threads, threads=threads)]
        tab = self.open(self.make("threads", rows + [row for n in SIZES for row in sample_rows(one, n, n * 5)]))
        marked = f"{one} (1 thread)"
        drawn = tab.evaluate("document.querySelector('#figure-throughput .chart').data.map(t => t.name)")
        self.assertEqual(sorted(drawn), [many, marked])
        for figure in ("heatmap", "ladders", "phases"):
            self.assertIn(marked, tab.locator(f"#figure-{figure} .yaxislayer-above text, #figure-{figure} .ytick text")
                          .all_text_contents(), figure)
        at_most = tab.locator("#choice").get_by_label("Host threads, at most", exact=True)
        at_most.select_option(label="16")
        rows = tab.locator("#choice tbody tr")
        self.assertIn(f"{many} (16 threads)", rows.first.text_content())
        self.assertIn(marked, rows.first.text_content())
        at_most.select_option(label="1")
        self.assertNotIn("thread)", rows.first.text_content())


class ManyVariants(Page):
    def test_long_legends_are_whole(self):
        variants = [f"gpu/family{i}/rung{j}" for i in range(6) for j in range(5)]
        page = self.make("many", [row for v in variants for n in SIZES[:2] for row in sample_rows(v, n, n * 3)])
        for width in (1280, 360):
            tab = self.open(page, width)
            self.assertEqual(self.marks(tab, "throughput")["points"], 2 * len(variants))
            bars = tab.evaluate("""[...document.querySelectorAll('#figure-throughput .legend .scrollbar')]
                .filter(bar => bar.getBoundingClientRect().height > 5).length""")
            self.assertEqual(bars, 0, f"at {width} pixels the legend is cut")
            lowest = tab.evaluate("""(() => {
                const bottom = (e) => e.getBoundingClientRect().bottom;
                const entries = [...document.querySelectorAll('#figure-throughput .legendtext')];
                return bottom(document.querySelector('#figure-throughput .chart')) - Math.max(...entries.map(bottom)); })()""")
            self.assertGreater(lowest, 0, f"at {width} pixels the legend leaves the chart")


class PagesWithGaps(Page):
    def charts(self, tab):
        return set(tab.evaluate("sortlabReport.figures()"))

    def test_no_gpu_rows(self):
        tab = self.open(self.make("no_gpu", [row for v in CPU[:2] for n in SIZES for row in sample_rows(v, n, n * 3)]))
        self.assertEqual(self.charts(tab), {"throughput", "ladders", "phases", "heatmap"})
        self.assertIn("No GPU sort was measured", self.section_text(tab, "crossover"))
        self.assertIn("No kernel was timed", self.section_text(tab, "kernels"))
        self.assertIn("No copy bandwidth is known", self.section_text(tab, "roofline"))
        self.assertIn("No energy was measured", self.section_text(tab, "energy"))
        self.assertIn("results of one machine", self.section_text(tab, "machines"))
        self.assertIn("No exhibit", self.section_text(tab, "exhibits"))

    def test_a_single_variant(self):
        tab = self.open(self.make("single", list(sample_rows(CPU[0], 1024, 5000))))
        self.assertIn("nothing else was measured", self.section_text(tab, "choice"))
        self.assertIn("no gain to tell", self.section_text(tab, "ladders"))
        self.assertEqual(self.marks(tab, "throughput")["points"], 1)
        self.assertEqual(self.marks(tab, "ladders")["bars"], 1)

    def test_failures_only(self):
        rows = [row for n in SIZES for row in sample_rows(GPU[0], n, 0, status="skipped", reason="no GPU in this machine")]
        tab = self.open(self.make("failures", rows))
        self.assertEqual(self.charts(tab), set())
        self.assertIn("No sort was timed", self.section_text(tab, "choice"))
        self.assertIn("No time was measured", self.section_text(tab, "throughput"))
        self.assertIn("no GPU in this machine", self.section_text(tab, "failures"))
        self.assertEqual(tab.locator("#failures tbody tr").count(), 1)

    def test_exhibits_only(self):
        folder = self.folder / "papers"
        folder.mkdir()
        row = dict.fromkeys(EXHIBIT, "") | {"exhibit": "claims", "table": "text", "row": "CPU wins under 1M", "column": "verdict", "status": "confirmed"}
        (folder / "claims.csv").write_text(self.csv_text(EXHIBIT, [row]))
        page = self.folder / "papers.html"
        subprocess.run([SORTLAB, "report", str(folder), "-o", str(page)], check=True, capture_output=True)
        tab = self.open(page)
        self.assertEqual(self.charts(tab), set())
        self.assertIn("confirmed", tab.get_by_label("The claims of the papers").inner_text())


def why_skipped():
    """"" where this machine and this build have what is needed."""
    try:
        with browser():
            pass
    except NoBrowser as reason:
        return str(reason)
    found = subprocess.run([SORTLAB, "doctor"], capture_output=True, text=True, timeout=60).stdout
    return "this build holds no plotly.js" if re.search(r"^plotly\.js +missing", found, re.MULTILINE) else ""


if __name__ == "__main__":
    if reason := why_skipped():
        print(f"skipped: {reason}")
        sys.exit(77)
    unittest.main()
