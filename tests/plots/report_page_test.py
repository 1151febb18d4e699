"""The page of `sortlab report` in a headless Chromium: its drawings, compared with the CSV."""

import csv
import hashlib
import io
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PLOTS = Path(__file__).resolve().parent.parent.parent / "plots"
sys.path.insert(0, str(PLOTS))

from browser import NoBrowser, browser, open_report  # noqa: E402

try:
    import style
except ImportError:
    style = None  # no matplotlib: the colours are not compared

SORTLAB = os.path.join(os.environ["SORTLAB_BIN"], "sortlab")
COLUMNS = (PLOTS / "columns.txt").read_text(encoding="utf-8").split()
CONFIG = COLUMNS[COLUMNS.index("algorithm"):COLUMNS.index("rep")]
EXHIBIT = "exhibit,source,table,row,column,unit,published,measured,ratio,status,reason,machine,revision".split(",")
SAMPLES = 5
CPU = ("cpu/radix/naive", "cpu/radix/optimized", "cpu/radix/parallel", "cpu/baselines/qsort")
# With these a recommendation is possible, and more lines are measured than are named.
FIELD = {"cpu/auto/auto": 1.5, "cpu/baselines/vqsort": 4.5, "cpu/std_sort/naive": 5.2, "cpu/merge/naive": 14, "cpu/quick/naive": 20}  # ns per key
GPU = ("gpu/bitonic/v0_step_per_launch", "gpu/bitonic/v1_fused", "gpu/baselines/cub_radix")
SIZES = (1024, 16384, 262144)
DISTS = ("uniform", "sorted")

# The drawn marks of a figure, and the points that the pointer can reach: elements of the SVG, not the input.
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
        "cache": "hot", "launch": "stream", "load": "0", "alloc_ns": 1000} | fields
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
            for variant, cost in FIELD.items():
                yield from sample_rows(variant, n, n * cost + 500, dist)
            for i, variant in enumerate(GPU):
                yield from sample_rows(variant, n, n * (0.5 - 0.1 * i) + 20000, dist, gpu_J=n * 1e-8)
                yield from sample_rows(variant, n, n * (1.2 - 0.1 * i) + 40000, dist, host_mem="pinned",
                                       h2d_ns=n, d2h_ns=n, host_ns=100)
    for i, variant in enumerate(CPU[:3]):
        yield from sample_rows(variant, SIZES[-1], SIZES[-1] * (20 - i), device="Other CPU", run_id="other")


def breakdown_rows():
    for variant, parts in ((GPU[0], 3), (GPU[1], 10)):
        base = next(iter(sample_rows(variant, SIZES[-1], 1)))
        for i in range(parts):
            yield base | {"activity": f"kernel<{i}>", "launches_per_sort": 2, "ns_per_sort": 1000 * (i + 1), "share": 0.1, "revision": ""}


RUNS = """{"run": {"cpu": {"model": "Acme 9000", "threads": 1}, "gpu": {"name": "Acme G1"},
  "roofs": {"copy_bytes_per_s_all_threads": 2e10}, "gpu_roofs": {"device_copy_bytes_per_s": 1e12}},
  "other": {"cpu": {"model": "Other CPU", "threads": 1}}}"""


class Page(unittest.TestCase):
    """All tests share one browser, and one tab per page, because resetting a tab is faster than loading it."""

    tabs = {}  # by page: the tab, and its messages and network requests

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
        folder = Page.folder / name
        folder.mkdir()
        (folder / f"{name}.csv").write_text(cls.csv_text(COLUMNS, rows))
        for file, text in (others or {}).items():
            (folder / file).write_text(text)
        page = Page.folder / f"{name}.html"
        done = subprocess.run([SORTLAB, "report", str(folder), "-o", str(page)], capture_output=True, text=True, timeout=300)
        if done.returncode != 0 or done.stderr:
            raise AssertionError(f"{name}: {done.returncode}\n{done.stderr}")
        return page

    def open(self, page, width=1280, scheme="light"):
        """A tab with the page as it opens, which must have no errors and no network requests."""
        is_new = page not in Page.tabs
        if is_new:
            Page.tabs[page] = self.load(page)
        tab, said = Page.tabs[page]
        self.addCleanup(self.expect_silence, said)
        if is_new and (width, scheme) == (1280, "light"):
            return tab
        tab.mouse.move(0, 0)
        tab.set_viewport_size({"width": width, "height": 900})
        tab.emulate_media(color_scheme=scheme)
        tab.evaluate("() => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")  # the page has seen both
        tab.evaluate("""() => {
            if (location.hash) location.hash = "";  // what a test chose is in the address
            scrollTo(0, 0); }""")
        self.wait_for(tab, lambda: tab.evaluate("Object.keys(sortlabReport.state.local).length > 0 && !CHOSEN.size"), True)
        return tab

    def expect_silence(self, said):
        messages = said[:]
        said.clear()
        self.assertEqual(messages, [])

    def open_at(self, page, address):
        """A second tab, whose address stores a view."""
        tab, said = self.load(page, address)
        self.addCleanup(tab.context.close)
        self.addCleanup(self.expect_silence, said)
        return tab

    @staticmethod
    def load(page, address=""):
        context = Page.chromium.new_context(viewport={"width": 1280, "height": 900}, color_scheme="light")
        context.set_default_timeout(300_000)  # of a busy machine
        said = []
        context.on("console", lambda message: said.append(f"{message.type}: {message.text}"))
        context.on("weberror", lambda error: said.append(str(error.error)))
        context.on("request", lambda request: request.url.startswith(("http:", "https:")) and said.append(f"asks for {request.url}"))
        return open_report(context, page, address), said

    def marks(self, tab, name):
        return tab.evaluate(MARKS, name)

    def wait_for(self, tab, value, expected):
        for _ in range(4000):  # of 50 ms
            if value() == expected:
                return
            tab.wait_for_timeout(50)
        self.assertEqual(value(), expected)

    @staticmethod
    def pick(tab, section, label, text):
        tab.locator(f"#{section}").get_by_label(label, exact=True).select_option(label=text)

    @staticmethod
    def section_text(tab, section):
        return tab.locator(f"#{section}").inner_text()


def setUpModule():
    Page.folder = Path(unittest.enterModuleContext(tempfile.TemporaryDirectory()))
    Page.chromium = unittest.enterModuleContext(browser())


class GoldenPage(Page):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.golden = cls.make("golden", golden_rows(), {
            "golden.run.json": RUNS, "golden.breakdown.csv": cls.csv_text(
                ["schema_version", "config_id", *CONFIG, "activity", "launches_per_sort", "ns_per_sort", "share", "revision"],
                breakdown_rows()),
            "exhibit.csv": cls.csv_text(EXHIBIT, [
                dict(zip(EXHIBIT, ("table-1", "A <b>paper</b>", "Table I", f"2^{k}", "time", "ms", "10", str(k), str(k / 10), "measured", "", "Acme G1", "abc")))
                for k in (20, 21, 22)] + [
                dict(zip(EXHIBIT, ("table-1", "A <b>paper</b>", "Table I", "2^31", "time", "ms", "99", "", "", "skipped", "too large", "Acme G1", "abc")))])})

    def test_every_chart_draws_each_of_its_marks(self):
        tab = self.open(self.golden)
        self.assertEqual(
            set(tab.evaluate("sortlabReport.figures()")),
            {"throughput", "ladders", "crossover", "phases", "kernels", "heatmap", "roofline", "energy", "machines", "exhibit-table-1-1"})
        self.pick(tab, "throughput", "Where", "host sorts")
        self.assertEqual(self.marks(tab, "throughput")["points"], 6 * len(SIZES))  # grey lines have none
        self.pick(tab, "ladders", "Where", "GPU sorts, data on the GPU")
        self.assertEqual(self.marks(tab, "ladders")["bars"], len(GPU) - 1)  # the baseline is no rung
        self.assertEqual(self.marks(tab, "crossover")["points"], 3 * len(SIZES))  # host, device, pinned
        self.pick(tab, "phases", "Where", "host to host, GPU sorts with their copies")
        self.assertEqual(self.marks(tab, "phases")["bars"], 5 * len(GPU))  # every phase
        self.assertEqual(self.marks(tab, "kernels")["bars"], 3 + 10)
        self.pick(tab, "heatmap", "Where", "host sorts")
        self.assertEqual(self.marks(tab, "heatmap")["notes"], len([*CPU, *FIELD]) * len(DISTS))  # a cell has its text
        self.pick(tab, "roofline", "Where", "host sorts")
        self.assertEqual(self.marks(tab, "roofline")["bars"], len([*CPU, *FIELD]))
        self.assertEqual(self.marks(tab, "energy")["bars"], len(GPU))
        self.assertEqual(self.marks(tab, "machines")["bars"], 2 * 3)
        self.assertEqual(self.marks(tab, "exhibit-table-1-1")["points"], 2 * 3)  # the skipped cell has none

    def test_points_lie_where_the_csv_says(self):
        tab = self.open(self.golden)
        self.pick(tab, "throughput", "Where", "host sorts")
        drawn = tab.evaluate("document.querySelector('#figure-throughput .chart').data.map(t => [t.name, t.x, t.y])")
        medians = {}
        for row in golden_rows():
            if row["variant"] in (*CPU, *FIELD) and row["dist"] == "uniform" and row["run_id"] == "run":
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
        self.assertIn(f"{gain:.2f}x naive", " ".join(tab.locator("#figure-ladders .annotation-text").all_text_contents()))

    def test_legend_toggles_by_mouse_and_by_keyboard(self):
        tab = self.open(self.golden)
        count = lambda: self.marks(tab, "crossover")["points"]
        everything = count()
        entry = tab.locator("#figure-crossover .legend .traces[tabindex]", has_text="best host sort")
        entry.locator(".legendtoggle").click()
        self.wait_for(tab, count, everything - len(SIZES))  # Plotly waits for a second click first
        entry.focus()
        tab.keyboard.press("Enter")
        self.wait_for(tab, count, everything)

    def test_hover_tells_median_and_interval(self):
        tab = self.open(self.golden)
        self.pick(tab, "throughput", "Where", "host sorts")
        self.point_at(tab, "cpu/radix/parallel", 1)
        text = tab.locator("#figure-throughput .hoverlayer").text_content()
        self.assertIn("cpu/radix/parallel", text)
        self.assertRegex(text, r"median [\d.]+ µs, 95 % interval [\d.]+ µs to [\d.]+ µs")
        self.assertRegex(text, r"0\.\d+x the best rival, cpu/baselines/qsort|1\.\d+x the best rival")

    @staticmethod
    def point_at(tab, variant, i):
        """Moves the pointer to a point of the throughput figure, and waits for the hover text."""
        tab.locator("#figure-throughput").scroll_into_view_if_needed()
        x, y = tab.evaluate("""([variant, i]) => {
            const chart = document.querySelector('#figure-throughput .chart');
            const line = chart.data.find((trace) => trace.name === variant);
            const {xaxis, yaxis} = chart._fullLayout;
            const box = chart.getBoundingClientRect();
            return [box.left + xaxis._offset + xaxis.d2p(line.x[i]), box.top + yaxis._offset + yaxis.d2p(line.y[i])]; }""",
                            [variant, i])
        tab.mouse.move(x, y)
        tab.wait_for_selector("#figure-throughput .hoverlayer .hovertext")

    COLOR = """variant => document.querySelector('#figure-throughput .chart').data.find(t => t.name === variant).line.color"""

    def test_a_grey_line_has_its_colour_under_the_pointer_and_by_search(self):
        tab = self.open(self.golden)
        self.pick(tab, "throughput", "Where", "host sorts")
        variant = "cpu/radix/naive"  # slower than its ladder's best, so not among the six
        self.pick(tab, "throughput", "Scale", "keys per second, logarithmic")  # points far from others
        grey, own = tab.evaluate(f"[GREY[false], sortlabReport.styleOf('{variant}', false).color]")
        self.assertEqual(tab.evaluate(self.COLOR, variant), grey)
        self.point_at(tab, variant, 2)
        self.wait_for(tab, lambda: tab.evaluate(self.COLOR, variant), own)
        tab.mouse.move(1, 1)
        self.wait_for(tab, lambda: tab.evaluate(self.COLOR, variant), grey)
        tab.get_by_label("Find a sort").fill("RADIX naive")
        self.assertEqual(tab.evaluate(self.COLOR, variant), own)
        self.assertEqual(self.end_labels(tab), ["radix/naive"])
        self.assertTrue(tab.evaluate("document.activeElement.type === 'search'"))  # the user can continue typing

    @staticmethod
    def end_labels(tab):
        return tab.locator("#figure-throughput .annotation-text").all_text_contents()

    def test_six_lines_are_named_at_their_ends(self):
        tab = self.open(self.golden)
        self.pick(tab, "throughput", "Where", "host sorts")
        labels = self.end_labels(tab)
        self.assertEqual(len(labels), 6)
        self.assertLessEqual({"auto", "radix/parallel", "merge/naive", "quick/naive", "qsort", "vqsort"}, set(labels))

    def test_a_scale_relative_to_the_best_rival(self):
        tab = self.open(self.golden)
        self.pick(tab, "throughput", "Where", "host sorts")
        self.pick(tab, "throughput", "Scale", "times the best rival")
        chart = tab.evaluate("""(() => { const c = document.querySelector('#figure-throughput .chart');
            return {lines: c.data.map(t => [t.name, t.y]), type: c.layout.yaxis.type, range: c.layout.yaxis.range,
                    one: c.layout.shapes.filter(s => s.y0 === 1 && s.y1 === 1).map(s => s.line.width)}; })()""")
        lines = dict(chart["lines"])
        self.assertEqual((chart["type"], chart["range"][0], chart["one"]), ("linear", 0, [3]))
        best = [max(rates) for rates in zip(*(lines[v] for v in ("cpu/baselines/qsort", "cpu/baselines/vqsort", "cpu/std_sort/naive")))]
        self.assertEqual(best, [1] * len(SIZES))
        self.assertAlmostEqual(lines["cpu/auto/auto"][-1], (4 * SIZES[-1] + 500) / (1.5 * SIZES[-1] + 500), delta=0.02)

    def test_cards_answer_first(self):
        for width in (1280, 400):
            tab = self.open(self.golden, width)
            cards = tab.locator(".card")
            text = cards.first.inner_text()
            self.assertIn("256K u32, 1 thread", text)
            self.assertIn("cpu/auto/auto", text)
            self.assertRegex(text, r"\d+ Mkeys/s")
            self.assertRegex(text, r"2\.6\dx the best rival, qsort")
            self.assertLess(cards.first.bounding_box()["y"] + cards.first.bounding_box()["height"], 844)  # a phone's height
        self.assertEqual(tab.locator("#machine details[open]").count(), 0)

    def test_the_view_is_in_the_address(self):
        tab = self.open(self.golden)
        tab.get_by_label("Distribution", exact=True).first.select_option(label="sorted")
        self.pick(tab, "throughput", "Where", "host sorts")
        self.pick(tab, "throughput", "Scale", "times the best rival")
        self.pick(tab, "ladders", "n", "16K")
        tab.get_by_label("Find a sort").fill("merge")
        other = self.open_at(self.golden, tab.evaluate("location.hash") + "&at=ladders")
        for what in ("sortlabReport.state.input", "sortlabReport.state.local.scale", "String(sortlabReport.state.local['ladders-n'])",
                     "document.querySelector('[type=search]').value", "document.querySelector('#figure-throughput .sub').textContent"):
            self.assertEqual(other.evaluate(what), tab.evaluate(what), what)
        self.assertLess(abs(other.locator("#ladders").bounding_box()["y"]), 150)
        other.evaluate("location.hash = '#machine=nowhere&keys=u999&ladders-n=x&at=nothing&scale=%3Cb%3E'")
        self.wait_for(other, lambda: other.evaluate("sortlabReport.state.local.scale"), "rate")
        self.assertEqual(other.evaluate("sortlabReport.state.keys"), "u32")

    def test_a_card_leads_to_its_chart(self):
        tab = self.open(self.golden)
        tab.locator(".card").first.click()
        self.wait_for(tab, lambda: tab.evaluate("sortlabReport.state.local['throughput-where']"), "host")
        self.assertIn("at=throughput", tab.evaluate("location.hash"))

    def test_table_of_choices(self):
        tab = self.open(self.golden)
        self.pick(tab, "choice", "Where", "host sorts")
        rows = tab.locator("#choice tbody tr").all_text_contents()
        self.assertEqual(len(rows), len(DISTS))  # auto, made the fastest here, wins at every n
        self.assertIn("1K to 256K", rows[0])
        self.assertIn("cpu/auto/auto", rows[0])
        self.pick(tab, "choice", "Distribution", "sorted")
        self.assertEqual(tab.locator("#choice tbody tr").count(), 1)
        self.pick(tab, "choice", "Where", "GPU sorts, data on the GPU")
        self.assertIn("not measured", self.section_text(tab, "choice").lower())
        self.assertIn("gpu/auto/auto, 2 more rivals", tab.locator("#choice details").text_content())

    def test_crossover_is_told(self):
        tab = self.open(self.golden)
        text = self.section_text(tab, "crossover")
        self.assertRegex(text, r"With the data on the GPU, the GPU is ahead of the best host sort from n = about [\d.]+K on")
        self.assertRegex(text, r"With the copies there and back, the GPU is ahead of the best host sort from n = about [\d.]+K on")

    def test_filters_change_what_is_drawn(self):
        tab = self.open(self.golden)
        tab.get_by_label("Machine", exact=True).select_option(label="Other, 1 thread")
        self.assertIn("No GPU sort was measured", self.section_text(tab, "crossover"))
        self.assertEqual(self.marks(tab, "throughput")["points"], 3)
        self.assertIn("Not a recommendation: not measured are cpu/auto/auto, 3 more rivals", self.section_text(tab, "cards"))

    def test_numbers_are_there_for_those_who_cannot_see_the_chart(self):
        tab = self.open(self.golden)
        for chart in tab.locator(".chart").all():
            self.assertGreater(len(chart.get_attribute("aria-label")), 20)
        self.pick(tab, "throughput", "Where", "host sorts")
        tab.locator("#figure-throughput summary").click()
        tab.wait_for_selector("#figure-throughput tbody tr")  # made when it opens
        self.assertEqual(tab.locator("#figure-throughput tbody tr").count(), len([*CPU, *FIELD]) * len(SIZES))

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
        tab = self.open(self.golden)
        for name in tab.evaluate("sortlabReport.figures()"):
            self.assertIn("svg", tab.evaluate("name => sortlabReport.image(name, 'svg')", name)[:40], name)
        figures = Path(__file__).resolve().parent.parent.parent / "plots" / "figures.py"
        folder = self.folder / "figures"
        page = self.make("one", list(sample_rows(CPU[0], 1024, 5000)))
        done = subprocess.run([sys.executable, str(figures), str(page), str(folder)], capture_output=True, text=True, timeout=600)
        self.assertEqual(done.returncode, 0, done.stderr)
        names = ("throughput", "ladders", "phases")
        self.assertEqual({p.name for p in folder.iterdir()}, {f"{name}.{kind}" for name in names for kind in ("png", "svg")})
        for path in folder.iterdir():
            self.assertEqual(path.read_bytes()[:4], b"\x89PNG" if path.suffix == ".png" else b"<svg", path)
        done = subprocess.run([sys.executable, str(figures), str(self.folder / "golden" / "golden.csv"), str(folder)], capture_output=True, text=True, timeout=300)
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)

    @unittest.skipIf(style is None, "no matplotlib")
    def test_looks_are_those_of_the_plots(self):
        tab = self.open(self.golden)
        known = [f"{ladder}/{rung}" for ladder, rungs in style.LADDERS.items() for rung in rungs]
        shown = [*known, "cpu/shell/naive", "gpu/mine/of_tomorrow", "cpu/radix/unheard_of", *(f"plugin/library{i}/sort" for i in range(12))]
        here = tab.evaluate("ids => [...sortlabReport.looksOf(ids)].map(([id, [hue, marker]]) => [id, hue[0], marker])", shown)
        there = style.styles_of(shown)
        self.assertEqual({variant: (color, style.MARKERS[marker]) for variant, color, marker in here},
                         {variant: (look.color, look.marker) for variant, look in there.items()})

    def test_colours_stand_out_light_and_dark(self):
        tab = self.open(self.golden)
        lowest = tab.evaluate("""variants => Math.min(...variants.flatMap(v => [false, true].map(dark =>
            contrast(sortlabReport.styleOf(v, dark).color, theme(dark).card))))""", [*CPU, *GPU, "gpu/merge/naive"])
        self.assertGreaterEqual(lowest, 3)

    def test_all_columns_of_the_choices_are_seen_on_a_desk(self):
        """Long names are wrapped there; on a phone each row is a card, the answer on top."""
        names = ("cpu/baselines/boost_parallel_stable_sort", "cpu/baselines/boost_block_indirect_sort",
                 "cpu/baselines/gnu_parallel_sort")
        rows = []
        for i, n in enumerate(SIZES):
            for j, name in enumerate((*names, "cpu/auto/auto")):  # the same winner at every n, the others take turns behind it
                per_key = (3, 3.01 if i % 2 else 9, 9 if i % 2 else 3.01, 20)[j]
                rows += sample_rows(name, n, n * per_key + 500, value_bytes=4, threads=16)
        page = self.make("long_names", rows)
        for width, scheme in ((1280, "light"), (1280, "dark"), (360, "light"), (360, "dark")):
            tab = self.open(page, width, scheme)
            for name in names:
                self.assertIn(name.split("/")[-1], tab.locator("#choice tbody").text_content())
            wide, seen, whole = tab.evaluate("""(() => { const box = document.querySelector('#choice .scroll');
                return [box.scrollWidth, box.clientWidth, document.documentElement.scrollWidth]; })()""")
            self.assertLessEqual(wide, seen, f"{wide} of {seen} pixels at {width}")
            self.assertLessEqual(whole, width)
            tops = tab.evaluate("""Object.fromEntries(['keys', 'fastest'].map(title =>
                [title, document.querySelector(`#choice td[data-title="${title}"]`).getBoundingClientRect().top]))""")
            self.assertEqual(tops["fastest"] < tops["keys"], width == 360)

    def test_light_dark_and_phone(self):
        for name, width, scheme in (("light", 1280, "light"), ("dark", 1280, "dark"), ("phone", 360, "light")):
            tab = self.open(self.golden, width, scheme)
            widths = tab.evaluate("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
            self.assertLessEqual(widths[0], widths[1], f"{name}: the page scrolls sideways")
        background = "getComputedStyle(document.body).backgroundColor"
        dark = self.open(self.golden, scheme="dark")
        before = dark.evaluate(background)
        dark.locator("#theme").click()
        self.assertNotEqual(dark.evaluate(background), before)


class Threads(Page):
    def test_a_sort_of_one_thread_is_marked_beside_others(self):
        one, many = "cpu/baselines/vqsort", "cpu/baselines/tbb_parallel_sort"
        rows = [row for n in SIZES for threads in (1, 16) for row in sample_rows(many, n, n * 20 / threads, threads=threads)]
        slow = {"cpu/auto/auto": (1, 16), "cpu/std_sort/parallel": (16,)}  # what a recommendation needs besides
        rows += [row for n in SIZES for v, counts in slow.items() for t in counts for row in sample_rows(v, n, n * 90 / t, threads=t)]
        tab = self.open(self.make("threads", rows + [row for n in SIZES for row in sample_rows(one, n, n * 5)]))
        marked = f"{one} (1 thread)"
        drawn = tab.evaluate("document.querySelector('#figure-throughput .chart').data.map(t => t.name)")
        self.assertEqual(set(drawn), {many, marked, *slow})
        for figure in ("heatmap", "phases"):
            self.assertIn(marked, tab.locator(f"#figure-{figure} .yaxislayer-above text, #figure-{figure} .ytick text")
                          .all_text_contents(), figure)
        at_most = tab.locator("#choice").get_by_label("Host threads, at most", exact=True)
        at_most.select_option(label="16")
        rows = tab.locator("#choice tbody tr")
        self.assertIn(f"{many} (16 threads)", rows.first.text_content())
        self.assertIn("vqsort (1 thread)", rows.first.text_content())


# Pairs of texts of a figure that overlap.
OVERLAPS = """name => {
  const texts = [...document.querySelectorAll(`[id="figure-${name}"] .chart text`)].filter(e => e.textContent.trim())
                    .map(e => ({e, box: e.getBoundingClientRect()})).filter(t => t.box.width > 0);
  const turned = (t) => /rotate\\((?!0[,)])/.test(t.e.getAttribute('transform') || '');
  const upright = texts.filter(t => !turned(t) || t.box.width < 20);  // the box of a slanted text is larger than it
  const pairs = [];
  upright.forEach((a, i) => upright.slice(i + 1).forEach((b) => {
    if (a.e.contains(b.e) || b.e.contains(a.e)) return;
    const wide = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left);
    const high = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top);
    if (wide > 1 && high > 3) pairs.push(`${a.e.textContent} | ${b.e.textContent}`);
  }));
  return pairs;
}"""


class ManyVariants(Page):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        variants = [f"cpu/family{i}/rung{j}" for i in range(5) for j in range(4)] + [*CPU, *FIELD]
        dists = ["uniform", *(f"a_long_name_of_an_input_{i}" for i in range(20))]
        cls.many = cls.make("many", [row for i, v in enumerate(variants) for n in SIZES for row in sample_rows(v, n, n * (3 + i % 7 / 50))] +
                            [row for v in (*CPU, *FIELD) for d in dists[1:] for row in sample_rows(v, SIZES[-1], SIZES[-1] * 3, d)])

    def test_no_text_lies_on_another(self):
        for width in (1400, 400):
            tab = self.open(self.many, width)
            self.pick(tab, "heatmap", "n", "256K")
            for name in tab.evaluate("sortlabReport.figures()"):
                self.assertEqual(tab.evaluate(OVERLAPS, name), [], f"{name} at {width} pixels")
                outside = tab.evaluate("""name => { const box = document.querySelector(`[id="figure-${name}"] .chart`).getBoundingClientRect();
                    return [...document.querySelectorAll(`[id="figure-${name}"] .chart text`)].filter(e => {
                        const b = e.getBoundingClientRect();
                        return b.width > 0 && (b.right > box.right + 1 || b.left < box.left - 1 || b.bottom > box.bottom + 1); })
                      .map(e => e.textContent); }""", name)
                self.assertEqual(outside, [], f"{name} at {width} pixels")

    def test_a_phone_lists_the_inputs(self):
        tab = self.open(self.many, 400)
        self.pick(tab, "heatmap", "n", "256K")
        self.assertEqual(tab.locator("#heatmap tbody tr").count(), 21)
        box = tab.evaluate("(() => { const b = document.querySelector('#heatmap .scroll'); return [b.scrollWidth, b.clientWidth]; })()")
        self.assertLessEqual(box[0], box[1])


class WorstFirst(Page):
    def test_inputs_begin_with_those_on_which_the_suite_gains_least(self):
        rows = [row for dist, ours in (("uniform", 2), ("sorted", 8), ("reverse", 4)) for variant, ns in
                (("cpu/auto/auto", ours), ("cpu/quick/naive", 9), ("cpu/baselines/vqsort", 6)) for row in sample_rows(variant, 1024, 1024 * ns, dist)]
        listed = self.open(self.make("worst", rows), 400).locator("#heatmap tbody tr")
        self.assertEqual([text.split("\t")[0].split("\n")[0] for text in listed.all_inner_texts()], ["sorted", "reverse", "uniform"])


class History(Page):
    def files_of_run(self, name, day, rows, machine="Acme 9000", gpu=None):
        """The files of a run on that day; its name, a letter, is its revision's, too."""
        run = {"cpu": {"model": machine, "threads": 1, "family": "26", "model_number": "2"},
               "build": {"git_revision": name * 12, "git_dirty": False}} | ({"gpu": {"name": gpu}} if gpu else {})
        rows = [row | {"run_id": name, "ts_utc": f"2026-01-0{day}T00:00:00Z"} for row in rows]
        return {f"{name}.csv": self.csv_text(COLUMNS, rows), f"{name}.run.json": json.dumps({name: run})}

    def test_runs_of_one_machine_are_a_line(self):
        files = {}
        for day, name in enumerate("abc", 1):
            files |= self.files_of_run(name, day, [row for v in CPU for row in sample_rows(v, SIZES[0], SIZES[0] * 10 / day)])
        tab = self.open(self.make("history", [], files))
        lines = tab.evaluate("document.querySelector('#figure-history .chart').data.map(t => [t.name, t.x, t.y])")
        self.assertEqual({name for name, *_ in lines}, set(CPU))
        for _, x, y in lines:
            self.assertEqual(x, [0, 1, 2])
            self.assertAlmostEqual(y[2] / y[0], 3, places=1)
        text = self.section_text(tab, "history")
        self.assertRegex(text, r"is now (2\.9\d|3\.0\d)x as fast as at first")
        self.assertIn("2026-01-03, ccccccc", text)
        self.assertIn("c.csv (ccccccc)", self.section_text(tab, "throughput"))
        self.assertIn("Acme 9000 (Zen 5), 1 thread", tab.locator("#filters").inner_text())

    def test_a_line_is_of_its_newest_revision(self):
        """The newer of two revisions measured two sorts at two n of three, and one sort at a single n."""
        auto, merge, rung = "cpu/auto/auto", "cpu/merge/naive", "cpu/radix/optimized"
        cost = dict.fromkeys(CPU, 10) | FIELD
        wins = (merge, SIZES[2], "uniform")  # at the n that only the older revision measured
        before = [row for v in cost for n in SIZES for d in DISTS for row in sample_rows(v, n, n * (1 if (v, n, d) == wins else cost[v]), d)]
        after = [row for v in (auto, merge) for n in SIZES[:2] for d in DISTS for row in sample_rows(v, n, n * cost[v] * 0.9, d)]
        after += sample_rows(rung, SIZES[0], SIZES[0] * 9)
        tab = self.open(self.make("revisions", [], self.files_of_run("a", 1, before) | self.files_of_run("b", 2, after)))
        lines = {name: (tuple(x), color) for name, x, color in tab.evaluate(
            "document.querySelector('#figure-throughput .chart').data.map(t => [t.name, t.x, t.line.color])")}
        grey, own = tab.evaluate(f"[GREY[false], sortlabReport.styleOf('{auto}', false).color]")
        self.assertEqual((lines[auto], lines[f"{auto}, aaaaaaa"]), ((SIZES[:2], own), (SIZES[2:], grey)))
        self.assertEqual((lines[rung][0], lines[f"{rung}, bbbbbbb"][0]), (SIZES[1:], SIZES[:1]))  # one n is no line
        self.assertEqual(lines["cpu/baselines/qsort"][0], SIZES)
        self.assertEqual(len(lines), len(cost) + 3)
        text = self.section_text(tab, "throughput")
        self.assertRegex(text, r"thin grey, older ones: cpu/(auto/auto|merge/naive) \(aaaaaaa\), cpu/(auto/auto|merge/naive) \(aaaaaaa\)\n")
        tab.locator("#figure-throughput summary").click()
        tab.wait_for_selector("#figure-throughput tbody tr")
        self.assertEqual(tab.locator("#figure-throughput tbody tr", has_text="an older revision: aaaaaaa").count(), 2)
        cards = tab.locator(".card").all_inner_texts()
        self.assertRegex(cards[0], r"(?s)256K u32, 1 thread.*merge/naive.*measured by an older revision, aaaaaaa")
        self.assertRegex(cards[1], r"(?s)16K u32, sorted, 1 thread.*auto/auto")
        self.assertNotIn("older", cards[1])
        self.pick(tab, "choice", "Distribution", "uniform")
        rows = tab.locator("#choice tbody tr").all_inner_texts()
        self.assertEqual([("†" in row, auto in row) for row in rows], [(False, True), (True, False)])
        self.pick(tab, "ladders", "n", "1K")
        self.assertIn("different revisions: cpu/radix/optimized (bbbbbbb) over naive (aaaaaaa)", self.section_text(tab, "ladders"))


class Opening(Page):
    def machine_of(self, tab):
        return tab.get_by_label("Machine", exact=True).evaluate("list => list.selectedOptions[0].text")

    files_of_run = History.files_of_run

    def cpu_rows(self, sizes):
        return [row for v in CPU for n in sizes for row in sample_rows(v, n, n * 5)]

    def test_on_the_machine_with_the_most_and_newest_results(self):
        files = {}
        for letter, machine, day, sizes in (("a", "Early", 1, SIZES[:1]), ("b", "Big", 2, SIZES), ("c", "Last", 3, SIZES[:2]), ("d", "Tiny", 4, SIZES[:1])):
            files |= self.files_of_run(letter, day, self.cpu_rows(sizes), machine)
        tab = self.open(self.make("machines", [], files))
        self.assertIn("Last", self.machine_of(tab))  # newer than Big, which has more; Tiny has less than half as much
        self.assertIn("Big", tab.evaluate("""DATA.machines[openingMachine({machines: DATA.machines, points: DATA.points.filter(
            (p) => !DATA.machines[p.machine].name.includes("Last"))})].name"""))

    def test_rather_on_one_with_cpu_and_gpu(self):
        files = self.files_of_run("a", 2, self.cpu_rows(SIZES))
        files |= self.files_of_run("b", 1, [*sample_rows(CPU[0], 1024, 5000), *sample_rows(GPU[0], 1024, 9000)], "Small", "Acme G1")
        tab = self.open(self.make("both", [], files))
        self.assertIn("Acme G1 + Small", self.machine_of(tab))
        tab.get_by_label("Machine", exact=True).select_option(index=0)
        self.assertIn("Acme 9000", self.section_text(tab, "throughput"))

    def test_on_a_chart_with_lines_and_an_answer(self):
        """Most was measured of u64 keys, at one n; auto has a line for f32, and for u32, which can be answered."""
        rows = [row for v in (*CPU, *FIELD) for d in ("uniform", *map(str, range(9))) for row in sample_rows(v, 1024, 5000, d, key_type="u64")]
        rows += [row for v in ("cpu/auto/auto", CPU[0]) for n in (*SIZES, 4096, 8192) for row in sample_rows(v, n, n * 9, key_type="f32")]
        rows += [row for v, cost in ({v: 10 for v in CPU} | FIELD).items() for n in SIZES[:2] for row in sample_rows(v, n, n * cost, "sorted")]
        rows += [row for v in CPU for n in SIZES for row in sample_rows(v, n, n * 3, "sorted", key_type="f64")]
        tab = self.open(self.make("opening", rows))
        self.assertEqual(tab.evaluate("[sortlabReport.state.keys, sortlabReport.state.input]"), ["u32", "sorted"])
        self.assertEqual(self.marks(tab, "throughput")["points"], 6 * 2)
        tab.locator("#filters").get_by_label("Keys", exact=True).select_option(label="f64")
        self.assertEqual(tab.evaluate("[sortlabReport.state.keys, sortlabReport.state.input]"), ["f64", "sorted"])


class PagesWithGaps(Page):
    def charts(self, tab):
        return set(tab.evaluate("sortlabReport.figures()"))

    def test_no_gpu_rows(self):
        tab = self.open(self.make("no_gpu", [row for v in CPU[:2] for n in SIZES for row in sample_rows(v, n, n * 3)]))
        self.assertEqual(self.charts(tab), {"throughput", "ladders", "phases"})
        self.assertIn("No GPU sort was measured", self.section_text(tab, "crossover"))
        self.assertIn("No kernel was timed", self.section_text(tab, "kernels"))
        self.assertIn("No copy bandwidth is known", self.section_text(tab, "roofline"))
        self.assertIn("No energy was measured", self.section_text(tab, "energy"))
        self.assertIn("results of one machine", self.section_text(tab, "machines"))
        self.assertIn("No exhibit", self.section_text(tab, "exhibits"))

    def test_a_single_variant(self):
        tab = self.open(self.make("single", list(sample_rows(CPU[0], 1024, 5000))))
        self.assertIn("No range can be answered", self.section_text(tab, "choice"))
        self.assertIn("1K u32, uniform: the fastest of 1 sort", self.section_text(tab, "cards"))
        self.assertIn("no gain to tell", self.section_text(tab, "ladders"))
        self.assertEqual(self.marks(tab, "throughput")["points"], 1)
        self.assertEqual(self.marks(tab, "ladders")["bars"], 1)

    def test_failures_only(self):
        rows = [row for n in SIZES for row in sample_rows(GPU[0], n, 0, status="skipped", reason="no GPU in this machine")]
        tab = self.open(self.make("failures", rows))
        self.assertEqual(self.charts(tab), set())
        self.assertIn("No sort was timed", self.section_text(tab, "choice"))
        self.assertIn("No time was measured", self.section_text(tab, "throughput"))
        self.assertIn("no GPU in this machine", tab.locator("#failures").text_content())
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
        counts = tab.get_by_label("Verdicts by source").locator("tbody tr").last.inner_text().split()
        self.assertEqual(counts, ["all", "1", "0", "0", "1"])

    def test_a_figure_of_times_over_n_is_drawn_as_the_papers_draw_it(self):
        folder = self.folder / "curves"
        folder.mkdir()
        rows = [dict.fromkeys(EXHIBIT, "") | {"exhibit": "curves", "table": "figure 1", "row": f"k = {k}", "column": column, "unit": "ms",
                                              "published": str(2 ** k) if column == "V0" else "", "measured": str(k), "status": "ok"}
                for k in (20, 21, 22) for column in ("V0", "V1")]
        (folder / "curves.csv").write_text(self.csv_text(EXHIBIT, rows))
        page = self.folder / "curves.html"
        subprocess.run([SORTLAB, "report", str(folder), "-o", str(page)], check=True, capture_output=True)
        tab = self.open(page)
        self.assertEqual(self.charts(tab), {"exhibit-curves-over-n"})
        self.assertEqual(self.marks(tab, "exhibit-curves-over-n")["points"], 9)  # V1 is not published


def why_skipped():
    """"" if this machine and this build have everything needed, else the reason."""
    try:
        with browser():
            pass
    except NoBrowser as reason:
        return str(reason)
    found = subprocess.run([SORTLAB, "doctor"], capture_output=True, text=True, timeout=300).stdout
    return "this build holds no plotly.js" if re.search(r"^plotly\.js +missing", found, re.MULTILINE) else ""


if __name__ == "__main__":
    if reason := why_skipped():
        print(f"skipped: {reason}")
        sys.exit(77)
    unittest.main()
