"""The colours of the plots and of the page: any two marks that may be in one figure differ for all readers.

They differ by their marker (shape, or hollow against filled), or by at least 15 in CIEDE2000 for normal, deuteranopic
and protanopic sight. The sights are those of Machado, Oliveira and Fernandes (2009), at full severity.
"""

import itertools
import json
import math
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "plots"))

try:
    import style
except ImportError as reason:
    print(f"skipped: {reason}")
    sys.exit(77)

import variants

LEAST = 15
LEAST_CONTRAST = 3  # WCAG's for graphics
SIGHTS = {
    "normal": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "deuteranopic": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "protanopic": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
}
TO_XYZ = ((0.4124564, 0.3575761, 0.1804375), (0.2126729, 0.7151522, 0.0721750), (0.0193339, 0.1191920, 0.9503041))
WHITE = (0.95047, 1, 1.08883)
PAGES = ("#ffffff", "#1b1f26")  # light and dark, as theme.js has them


def times(matrix, vector):
    return [sum(a * b for a, b in zip(row, vector)) for row in matrix]


def linear(color):
    parts = [int(color[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    return [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in parts]


def lab(color, sight):
    seen = [min(1, max(0, v)) for v in times(SIGHTS[sight], linear(color))]
    x, y, z = (v / w for v, w in zip(times(TO_XYZ, seen), WHITE))
    f = [v ** (1 / 3) if v > 216 / 24389 else (24389 / 27 * v + 16) / 116 for v in (x, y, z)]
    return 116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])


def ciede2000(one, other):
    """The difference of two CIELAB colours; names as in Sharma, Wu and Dalal (2005)."""
    (l1, a1, b1), (l2, a2, b2) = one, other
    mean = (math.hypot(a1, b1) + math.hypot(a2, b2)) / 2
    g = 0.5 * (1 - math.sqrt(mean ** 7 / (mean ** 7 + 25 ** 7)))
    a1, a2 = (1 + g) * a1, (1 + g) * a2
    c1, c2 = math.hypot(a1, b1), math.hypot(a2, b2)
    h1, h2 = math.degrees(math.atan2(b1, a1)) % 360, math.degrees(math.atan2(b2, a2)) % 360
    turn = (h2 - h1 + 180) % 360 - 180 if c1 * c2 else 0
    dl, dc, dh = l2 - l1, c2 - c1, 2 * math.sqrt(c1 * c2) * math.sin(math.radians(turn / 2))
    lm, cm = (l1 + l2) / 2, (c1 + c2) / 2
    hm = h1 + h2 if not c1 * c2 else (h1 + h2 + (360 if h1 + h2 < 360 else -360)) / 2 if abs(h1 - h2) > 180 else (h1 + h2) / 2
    t = (1 - 0.17 * math.cos(math.radians(hm - 30)) + 0.24 * math.cos(math.radians(2 * hm)) +
         0.32 * math.cos(math.radians(3 * hm + 6)) - 0.2 * math.cos(math.radians(4 * hm - 63)))
    sl = 1 + 0.015 * (lm - 50) ** 2 / math.sqrt(20 + (lm - 50) ** 2)
    sc, sh = 1 + 0.045 * cm, 1 + 0.015 * cm * t
    rt = -2 * math.sqrt(cm ** 7 / (cm ** 7 + 25 ** 7)) * math.sin(math.radians(60 * math.exp(-((hm - 275) / 25) ** 2)))
    return math.sqrt((dl / sl) ** 2 + (dc / sc) ** 2 + (dh / sh) ** 2 + rt * dc / sc * dh / sh)


def difference(one, other):
    """The least difference over all kinds of colour vision."""
    return min(ciede2000(lab(one, sight), lab(other, sight)) for sight in SIGHTS)


def luminance(color):
    return times(TO_XYZ, linear(color))[1]


def contrast(one, other):
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def too_alike(styles):
    """Pairs of ids with indistinguishable marks."""
    marks = {}
    for variant, look in styles.items():
        marks.setdefault((look.marker, look.on_gpu), []).append((look.color, variant))
    pairs = (pair for group in marks.values() for pair in itertools.combinations(group, 2))
    return [(one, other) for (a, one), (b, other) in pairs if a == b or difference(a, b) < LEAST]


class Formula(unittest.TestCase):
    def test_it_is_that_of_the_standard(self):
        """Pairs 1, 7, 17 and 25 of Sharma, Wu and Dalal's table of test data."""
        for one, other, expected in (((50, 2.6772, -79.7751), (50, 0, -82.7485), 2.0425),
                                     ((50, 0, 0), (50, -1, 2), 2.3669),
                                     ((50, 2.5, 0), (73, 25, -18), 27.1492),
                                     ((60.2574, -34.0099, 36.2677), (60.4626, -34.1751, 39.4387), 1.2644)):
            self.assertAlmostEqual(ciede2000(one, other), expected, places=4)

    def test_sights_confuse_what_they_should(self):
        red, green = lab("#c00000", "deuteranopic"), lab("#707000", "deuteranopic")
        self.assertLess(ciede2000(red, green), ciede2000(lab("#c00000", "normal"), lab("#707000", "normal")) / 2)


class Palette(unittest.TestCase):
    def colors(self):
        looks = json.loads((ROOT / "plots" / "looks.json").read_text(encoding="utf-8"))
        pairs = [*looks["hues"].values(), *looks["baseline_tones"]]
        return [[pair[page] for pair in pairs] for page in (0, 1)]

    def test_any_two_colours_differ_on_both_pages(self):
        for page in self.colors():
            for one, other in itertools.combinations(page, 2):
                self.assertGreaterEqual(difference(one, other), LEAST, (one, other))

    def test_they_stand_out_from_their_page(self):
        for background, page in zip(PAGES, self.colors()):
            for color in page:
                self.assertGreaterEqual(contrast(color, background), LEAST_CONTRAST, color)

    def test_nothing_in_it_names_a_variant(self):
        text = (ROOT / "plots" / "looks.json").read_text(encoding="utf-8")
        self.assertEqual([v for v in variants.of_sources() if v in text], [])


class Marks(unittest.TestCase):
    known = [f"{ladder}/{rung}" for ladder, rungs in style.LADDERS.items() for rung in rungs]

    def test_any_two_variants_of_the_tree_differ(self):
        self.assertEqual(too_alike(style.styles_of(self.known)), [])

    def test_so_do_sorts_that_the_tree_lacks(self):
        others = [f"plugin/library{i}/sort" for i in range(20)] + ["cpu/shell/naive", "cpu/baselines/numpy_sort", "gpu/merge/newest"]
        styles = style.styles_of(self.known + others)
        self.assertEqual(too_alike(styles), [])
        self.assertEqual({v: styles[v] for v in self.known}, style.styles_of(self.known))

    def test_a_new_rival_and_a_new_rung_have_a_place(self):
        after = variants.of_sources() | {f"cpu/baselines/new{i}": "" for i in range(8)} | {"gpu/radix/new": "gpu/radix/onesweep"}
        self.addCleanup(setattr, style, "LADDERS", style.LADDERS)
        style.LADDERS = variants.ladders(after)
        self.assertEqual(too_alike(style.styles_of(after)), [])


if __name__ == "__main__":
    unittest.main()
