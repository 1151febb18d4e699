"""Checks the documents: their links exist, their spelling is right, and their sentences are plain.

Links and spelling are checked in all pages, the prose in all pages except docs/lab/, which are logs. The help of every
command is checked like a page, and the sources' spelling is checked, too. Without codespell (docs/requirements.txt) the
spelling is skipped.
"""

import functools
import importlib.util
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from urllib.parse import unquote

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "plots"))
import front  # noqa: E402

PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").rglob("*.md")])
LOGS = ROOT / "docs" / "lab"
WORDS = ROOT / "docs" / "words.txt"
SOURCES = ("common", "cpu", "gpu", "bench", "library", "include", "examples", "peers", "plots", "run", ".ci", "cmake")
SORTLAB = (Path(os.environ["SORTLAB_BIN"]) / "sortlab").resolve()
MOST_LINES = 200  # of README
MOST_WORDS = 30  # of a sentence; most should have less than 25
MOST_COLUMNS = 8  # of a table

CODE_BLOCK = re.compile(r"^( *)```.*?^\1```$", re.DOTALL | re.MULTILINE)
CODE = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)", re.DOTALL)
LINK = re.compile(r'!?\[(?:[^\[\]]|\[[^\]]*\])*\]\(<?([^\s)>]+)>?[^)]*\)|(?:src|srcset|href)="([^"]+)"')
# Private words and phrases that are not English. docs/glossary.md defines our other words.
AVOIDED = {
    r"\broofs?\b": "copy bandwidth, limit",
    r"\b(?:lends?|lent)\b": "provide, allocate",
    r"\bred zones?\b": "guard zone",
    r"\bawake\b": "",
    r"\bdear(?:er|est)?\b": "expensive, costly",
    r"\banew\b": "again",
    r"\bforeign\b": "of another format, unknown",
    r"\bgo(?:es)? on where\b": "resumes",
    r"\b(?:row|key|line|rung|thread|second|block) an? (?:row|key|sample|line|cell|claim|digit|thread|bucket|segment|variant)\b":
        "one ... per ...",
    r"\b(?:keys|pairs|sorts|bytes) an? (?:second|key|thread)\b": "per",
    r"\bby (?:a )?drivers? of (?:its|their) own\b": "in a separate test program",
    r"(?:^|[.:;] )What (?:is of|are of|was tried|comes?,|came,|drifts)": "begin with the subject",
    r"\bstands? beside\b": "is next to",
}


def prose(text):
    """The text without code, tables, pictures and comments; of links only the text."""
    text = CODE_BLOCK.sub("", text)
    text = re.sub(r"<!--.*?-->|<[^>]+>", "", text, flags=re.DOTALL)
    text = CODE.sub("CODE", text)
    text = re.sub(r"!?\[((?:[^\[\]]|\[[^\]]*\])*)\]\([^)]*\)", r"\1", text)
    return re.sub(r"^\|.*$", "", text, flags=re.MULTILINE)


def sentences(text):
    """The sentences of each paragraph, list item and heading."""
    for block in re.split(r"\n\s*\n|\n(?=\s*(?:[-*]|\d+\.|#+) )", prose(text)):
        block = re.sub(r"^\s*(?:[-*]|\d+\.|#+) ", "", " ".join(block.split()))
        yield from filter(None, re.split(r"(?<=[.!?:;])\)? (?=[\w*(])", block))


def too_long(text):
    return [sentence for sentence in sentences(text) if len(sentence.split()) > MOST_WORDS]


def avoided(text):
    """Each phrase to avoid, with its replacement."""
    found = []
    for pattern, instead in AVOIDED.items():
        found += [f"'{match[0].strip()}': {instead}" for match in re.finditer(pattern, " ".join(prose(text).split()))]
    return found


def too_wide(text):
    return [line for line in CODE_BLOCK.sub("", text).splitlines() if re.match(r"\|(?:\s*:?-+:?\s*\|)+$", line)
            and line.count("|") - 1 > MOST_COLUMNS]


@functools.cache
def anchors(page):
    """The anchors of a page's headings, as GitHub makes them."""
    names = []
    for line in CODE_BLOCK.sub("", page.read_text(encoding="utf-8")).splitlines():
        if heading := re.match(r"#+ (.*)", line):
            words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading[1])
            name = re.sub(r"[^\w\- ]", "", words.lower()).replace(" ", "-")
            names.append(f"{name}-{names.count(name)}" if name in names else name)
    return names


def broken_links(page, text):
    """The links of a text to files or headings that do not exist; links to the web are not followed."""
    broken = []
    for match in LINK.finditer(CODE.sub("", CODE_BLOCK.sub("", text))):
        target = unquote(match[1] or match[2])
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        if not file.exists() or not file.is_relative_to(ROOT):
            broken.append(target)
        elif anchor and (file.suffix != ".md" or anchor not in anchors(file)):
            broken.append(target)
    return broken


def commands(text):
    """(program, command, its flags) of each call of sortlab or ./run in code."""
    code = "\n".join([*(match[0] for match in CODE_BLOCK.finditer(text)),
                      *(match[0] for match in CODE.finditer(CODE_BLOCK.sub("", text)))])
    for line in code.splitlines():
        for match in re.finditer(r"(?:^\s*|\$ |[;&|] |\bdo |=\S* |[`/])(sortlab|\./run) ((?:--[a-z-]+ )*)([a-z]+)\b([^#;&|`]*)", line):
            yield match[1], match[3], re.findall(r"(?<![\w-])--[a-z][a-z-]*", match[2] + match[4])


def unknown(text):
    """The commands and flags of such calls that are not in the program's help."""
    found = []
    for program, command, flags in commands(text):
        if program == "sortlab":
            found += [f"sortlab {command}"] if command not in helps() else [
                f"sortlab {command} {flag}" for flag in flags if not re.search(rf"{flag}\b(?!-)", helps()[command])]
        else:
            found += [f"./run {word}" for word in (command, *flags) if not re.search(rf"(?<![\w-]){word}\b(?!-)", run_help())]
    return found


def misspelled(*files, text=None):
    """The output of codespell for files, or for the text if "-"."""
    done = subprocess.run([sys.executable, "-m", "codespell_lib", "--ignore-words", WORDS, *files], input=text,
                          capture_output=True, text=True, timeout=300)
    return done.stdout + done.stderr


speller = unittest.skipUnless(importlib.util.find_spec("codespell_lib"), "no codespell: docs/requirements.txt")


@functools.cache
def run_help():
    return subprocess.run([ROOT / "run", "--help"], capture_output=True, text=True, check=True, timeout=300).stdout


@functools.cache
def helps():
    """The help of each command; that of the program as ""."""
    def help_of(*command):
        return subprocess.run([SORTLAB, *command, "--help"], capture_output=True, text=True, check=True, timeout=300).stdout

    commands = subprocess.run([SORTLAB, "complete", ""], capture_output=True, text=True, check=True, timeout=300).stdout.split()
    return {"": help_of()} | {command: help_of(command) for command in commands if command.isalpha()}


class Documents(unittest.TestCase):
    def each(self, check, pages=PAGES):
        found = {str(page.relative_to(ROOT)): wrong for page in pages if (wrong := check(page.read_text(encoding="utf-8")))}
        self.assertEqual(found, {})

    def test_links_lead_somewhere(self):
        found = {str(page.relative_to(ROOT)): wrong for page in PAGES
                 if (wrong := broken_links(page, page.read_text(encoding="utf-8")))}
        self.assertEqual(found, {})

    def test_every_page_is_in_the_index_of_its_folder(self):
        for index in (ROOT / "docs" / "README.md", ROOT / "docs" / "results" / "README.md"):
            links = LINK.finditer(index.read_text(encoding="utf-8"))
            linked = {(index.parent / match[1]).resolve() for match in links if match[1]} | {index}
            self.assertEqual([page for page in PAGES if page.parent == index.parent and page not in linked], [])

    def test_commands_are_those_of_the_program(self):
        self.each(unknown)

    def test_the_sections_of_the_report_are_explained(self):
        script = (ROOT / "plots" / "report" / "main.js").read_text(encoding="utf-8")
        titles = re.findall(r'^ +\[\s*"\w+", "([^"]+)",', script, re.MULTILINE)
        page = (ROOT / "docs" / "report.md").read_text(encoding="utf-8").split("| section |")[1].split("\n\n")[0]
        self.assertEqual(re.findall(r"^\| ([^|]+?) \|", page, re.MULTILINE), titles)

    def test_the_version_is_the_same_everywhere(self):
        version = re.search(r"project\(sortlab VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
        self.assertIn(f"\nversion: {version}\n", (ROOT / "CITATION.cff").read_text())
        self.assertRegex((ROOT / "CHANGELOG.md").read_text(), rf"(?m)^## .*\b{re.escape(version)}\b")

    def test_the_front_page_is_short(self):
        self.assertLessEqual(len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()), MOST_LINES)

    def test_sentences_are_short(self):
        self.each(too_long, READ)

    def test_phrases_that_are_avoided(self):
        self.each(avoided, READ)

    def test_tables_are_narrow(self):
        self.each(too_wide, READ)

    def test_a_page_begins_with_what_it_is_for(self):
        for page in READ:
            lines = [line for line in page.read_text(encoding="utf-8").splitlines() if line]
            self.assertRegex(lines[0], "^# ", page)
            self.assertRegex(lines[1], r"^[A-Z\[`]", page)

    @speller
    def test_spelling(self):
        self.assertEqual(misspelled(*PAGES, *(ROOT / source for source in SOURCES)), "")

    @speller
    def test_spelling_of_the_help(self):
        self.assertEqual(misspelled("-", text="".join(helps().values())), "")

    def test_phrases_of_the_help(self):
        self.assertEqual({command: found for command, text in helps().items() if (found := avoided(text))}, {})

    def test_the_picture_of_compare_is_what_it_prints(self):
        with tempfile.TemporaryDirectory() as folder:
            drawn = Path(folder) / "compare.svg"
            files = ["results/amd2/table1.csv.xz", "results/h200/cpu.csv.xz"]
            done = subprocess.run([sys.executable, "plots/terminal.py", drawn, SORTLAB, "compare", *files, "--filter", "cpu/radix/*"],
                                  cwd=ROOT, capture_output=True, text=True, timeout=300)
            if "can't read .xz files" in (text := drawn.read_text(encoding="utf-8") if drawn.exists() else done.stderr):
                self.skipTest("built without liblzma")
            self.assertEqual((ROOT / "docs" / "pictures" / "compare.svg").read_text(encoding="utf-8"), text)

    def test_the_chart_shows_the_figures(self):
        self.assertEqual(list(front.wrong()), [])


class Faults(unittest.TestCase):
    """The checks find each of these faults."""

    def test_links(self):
        page = ROOT / "docs" / "README.md"
        text = "[a](gone.md) [b](../README.md#no-such-heading) [c](#documentation) [d](https://example.org/x) `[e](f.md)`"
        text += ' <img src="pictures/gone.svg"> [g `h`](install.md) ![i](../../outside.svg)'
        self.assertEqual(broken_links(page, text), ["gone.md", "../README.md#no-such-heading", "pictures/gone.svg", "../../outside.svg"])

    def test_anchors_are_those_of_github(self):
        self.assertIn("how-well-does-it-choose", anchors(ROOT / "docs" / "choose.md"))
        self.assertIn("fit-the-choices-to-your-machine-sortlab-tune", anchors(ROOT / "docs" / "choose.md"))

    def test_commands(self):
        text = "```\n$ ./run buld --cuda\n$ SORTLAB_ISA=avx2 sortlab run --filtr x --n 1  # --gone\n```\n`sortlab compair`, `./run --coda test`"
        self.assertEqual(unknown(text), ["./run buld", "sortlab run --filtr", "sortlab compair", "./run --coda"])
        self.assertEqual(unknown("sortlab then lists them; `sortlab --help`, `build/release/sortlab verify --filter x`"), [])

    def test_a_long_sentence(self):
        words = "word " * MOST_WORDS
        self.assertEqual(too_long(f"Short. {words}more.\n\n- {words}\n\n| {words} {words} |\n"), [f"{words}more."])
        self.assertEqual(too_long(f"```\n{words * 3}\n```\n`{words * 3}` is code."), [])

    def test_a_wide_table(self):
        self.assertEqual([len(too_wide("| a |\n|" + "---|" * columns + "\n")) for columns in (8, 9)], [0, 1])

    def test_phrases(self):
        for text in ("A row a sample.", "It takes 8 keys a\nsecond.", "Memory is lent.", "near the roof", "What comes, on two cores",
                     "measured by a driver of its own", "It goes on where it stopped."):
            self.assertEqual(len(avoided(text)), 1, text)
        self.assertEqual(avoided("`roof` is code; the NVIDIA driver is not.\n\n| a roof |\n"), [])

    @speller
    def test_a_misspelled_word(self):
        self.assertIn("teh ==> the", misspelled("-", text="teh sort\n"))

    def test_the_help_is_that_of_all_commands(self):
        self.assertLessEqual({"run", "compare", "recommend", "doctor"}, set(helps()))

    def test_a_chart_of_other_figures(self):
        before = front.described
        self.addCleanup(setattr, front, "described", before)
        front.described = lambda: before().replace("1", "2")
        self.assertEqual(len(list(front.wrong())), len(front.PICTURES))


READ = [page for page in PAGES if not page.is_relative_to(LOGS)]

if __name__ == "__main__":
    unittest.main()
