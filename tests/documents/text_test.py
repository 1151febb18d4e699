"""The text of the documents: links lead somewhere, commands exist, words are spelt right, citations have an entry.

The help of every command is checked like a page. Without codespell (docs/requirements.txt) the spelling is skipped.
"""

import functools
import importlib.util
import json
import os
import re
import subprocess
import sys
import unittest
from pathlib import Path
from urllib.parse import unquote

ROOT = Path(__file__).resolve().parent.parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").rglob("*.md")])
WORDS = ROOT / "docs" / "words.txt"
SOURCES = ("common", "cpu", "gpu", "bench", "library", "include", "examples", "peers", "plots", "run", ".ci", "cmake", "tool")
SORTLAB = (Path(os.environ["SORTLAB_BIN"]) / "sortlab").resolve()

CODE_BLOCK = re.compile(r"^( *)```.*?^\1```$", re.DOTALL | re.MULTILINE)
CODE = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)", re.DOTALL)
LINK = re.compile(r'!?\[(?:[^\[\]]|\[[^\]]*\])*\]\(<?([^\s)>]+)>?[^)]*\)|(?:src|srcset|href)="([^"]+)"')
SOURCE = re.compile(r'\.source\s*=\s*((?:"[^"]*"\s*)+)')


def text_of(path):
    return path.read_text(encoding="utf-8")


@functools.cache
def anchors(page):
    """The anchors of a page's headings, as GitHub makes them."""
    names = []
    for line in CODE_BLOCK.sub("", text_of(page)).splitlines():
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


def printed_by(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=300).stdout


@functools.cache
def run_help():
    return printed_by(ROOT / "run", "--help")


@functools.cache
def helps():
    """The help of each command; that of the program as ""."""
    names = [name for name in printed_by(SORTLAB, "complete", "").split() if name.isalpha()]
    return {"": printed_by(SORTLAB, "--help")} | {name: printed_by(SORTLAB, name, "--help") for name in names}


def misspelled(*files, text=None):
    """The output of codespell for files, or for the text if "-"."""
    done = subprocess.run([sys.executable, "-m", "codespell_lib", "--ignore-words", WORDS, *files], input=text,
                          capture_output=True, text=True, timeout=300)
    return done.stdout + done.stderr


def paper_names():
    """The first cell of each row of docs/papers.md."""
    rows = re.finditer(r"^\| ([^|]+?) \|", text_of(ROOT / "docs" / "papers.md"), re.MULTILINE)
    return {row[1] for row in rows} - {"short name", "---"}


def without_entry(code, names):
    """The parts of each Info::source in this code that are no paper's name, with or without a section."""
    cited = ("".join(re.findall(r'"([^"]*)"', match[1])) for match in SOURCE.finditer(code))
    return [part for source in cited for part in source.split("; ")
            if part != "our own" and not any(re.match(re.escape(name) + r"(?:,|$)", part) for name in names)]


speller = unittest.skipUnless(importlib.util.find_spec("codespell_lib"), "no codespell: docs/requirements.txt")


class Documents(unittest.TestCase):
    def none_in(self, files, check):
        found = {str(file.relative_to(ROOT)): wrong for file in files if (wrong := check(file, text_of(file)))}
        self.assertEqual(found, {})

    def test_links_lead_somewhere(self):
        self.none_in(PAGES, broken_links)

    def test_every_page_is_in_the_index_of_its_folder(self):
        for index in (ROOT / "docs" / "README.md", ROOT / "docs" / "results" / "README.md"):
            linked = {(index.parent / match[1]).resolve() for match in LINK.finditer(text_of(index)) if match[1]} | {index}
            self.assertEqual([page for page in PAGES if page.parent == index.parent and page not in linked], [])

    def test_commands_are_those_of_the_program(self):
        self.none_in(PAGES, lambda _, text: unknown(text))

    def test_the_sections_of_the_report_are_explained(self):
        titles = re.findall(r'^ +\[\s*"\w+", "([^"]+)",', text_of(ROOT / "plots" / "report" / "main.js"), re.MULTILINE)
        page = text_of(ROOT / "docs" / "report.md").split("| section |")[1].split("\n\n")[0]
        self.assertEqual(re.findall(r"^\| ([^|]+?) \|", page, re.MULTILINE), titles)

    def test_the_version_is_the_same_everywhere(self):
        version = re.search(r"project\(sortlab VERSION ([\d.]+)", text_of(ROOT / "CMakeLists.txt"))[1]
        self.assertIn(f"\nversion: {version}\n", text_of(ROOT / "CITATION.cff"))
        self.assertRegex(text_of(ROOT / "CHANGELOG.md"), rf"(?m)^## .*\b{re.escape(version)}\b")

    def test_citations_have_an_entry(self):
        self.none_in([*(ROOT / "cpu").rglob("*.?pp"), *(ROOT / "gpu").rglob("*.cu*")],
                     lambda _, code: without_entry(code, paper_names()))
        for file in (ROOT / "bench" / "papers").glob("*.json"):
            row = re.search(rf"^\| ([^|]+?) \|.*`bench/papers/{file.name}`", text_of(ROOT / "docs" / "papers.md"), re.MULTILINE)
            self.assertTrue(row and json.loads(text_of(file))["cite"].startswith(row[1]), file)

    @speller
    def test_spelling(self):
        self.assertEqual(misspelled(*PAGES, *(ROOT / source for source in SOURCES)), "")
        self.assertEqual(misspelled("-", text="".join(helps().values())), "")


class Faults(unittest.TestCase):
    """The checks find each of these faults."""

    def test_links(self):
        page = ROOT / "docs" / "README.md"
        text = "[a](gone.md) [b](../README.md#no-such-heading) [c](#documentation) [d](https://example.org/x) `[e](f.md)`"
        text += ' <img src="pictures/gone.svg"> [g `h`](install.md) ![i](../../outside.svg)'
        self.assertEqual(broken_links(page, text), ["gone.md", "../README.md#no-such-heading", "pictures/gone.svg", "../../outside.svg"])
        self.assertIn("fit-the-choices-to-your-machine-sortlab-tune", anchors(ROOT / "docs" / "choose.md"))

    def test_commands(self):
        text = "```\n$ ./run buld --cuda\n$ SORTLAB_ISA=avx2 sortlab run --filtr x --n 1  # --gone\n```\n`sortlab compair`, `./run --coda test`"
        self.assertEqual(unknown(text), ["./run buld", "sortlab run --filtr", "sortlab compair", "./run --coda"])
        self.assertEqual(unknown("sortlab then lists them; `sortlab --help`, `build/release/sortlab verify --filter x`"), [])
        self.assertLessEqual({"run", "compare", "recommend", "doctor"}, set(helps()))

    def test_a_citation_without_an_entry(self):
        self.assertEqual(without_entry('.source = "Fraidakis 2025, V1; Nobody "\n    "1999; our own"', paper_names()), ["Nobody 1999"])

    @speller
    def test_a_misspelled_word(self):
        self.assertIn("teh ==> the", misspelled("-", text="teh sort\n"))


if __name__ == "__main__":
    unittest.main()
