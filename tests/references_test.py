#!/usr/bin/env python3
"""References resolve: papers by name to docs/papers.md, documents and logs by path to files of the repository."""

import json
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
SUFFIXES = {".cpp", ".hpp", ".cu", ".cuh", ".h"}
MACHINES = "|".join(sorted(path.name for path in (ROOT / "results").iterdir() if path.is_dir()))
NUMBERED_PAPER = re.compile(r"papers? 00\d|\b00\d, (?:section|algorithm|III|IV)|Source: 00\d|; 00\d\b")
FILE = re.compile(rf"(?<![\w/])(?:docs/[\w/.-]+\.md|(?:results/)?(?:{MACHINES})/[\w/.-]*\w\.(?:txt|csv|log|json))")
SOURCE = re.compile(r'\.source\s*=\s*((?:"[^"]*"\s*)+)')


def sources():
    return sorted(path for top in ("common", "cpu", "gpu") for path in (ROOT / top).rglob("*")
                  if path.suffix in SUFFIXES)


def joined(text):
    """Joins each comment to one line, so that references across lines are found."""
    return re.sub(r"\n\s*///? ?", " ", text)


def short_names(page):
    """The first cell of each row of docs/papers.md."""
    return {row[1] for row in re.finditer(r"^\| ([^|]+?) \|", page, re.MULTILINE)} - {"short name", "---"}


def unresolved(source, names):
    """The parts of an Info::source that are no entry's name, with or without a section."""
    return [part for part in source.split("; ")
            if part != "our own" and not any(re.match(re.escape(name) + r"(?:,|$)", part) for name in names)]


def missing(reference):
    path = reference if reference.startswith(("docs/", "results/")) else "results/" + reference
    return not (ROOT / path).exists() and not (ROOT / (path + ".xz")).exists()


class References(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.page = (ROOT / "docs" / "papers.md").read_text(encoding="utf-8")
        cls.names = short_names(cls.page)

    def test_no_paper_is_cited_by_a_number(self):
        for path in sources():
            self.assertIsNone(NUMBERED_PAPER.search(joined(path.read_text(encoding="utf-8"))), path)

    def test_a_number_would_be_found(self):
        for text in ('"paper 004: V0"', "papers 001 and\n// 004", "// Source: 004, section III.D", "x; 003\n// (V1)"):
            self.assertIsNotNone(NUMBERED_PAPER.search(joined(text)), text)

    def test_each_source_of_a_variant_is_an_entry(self):
        found = 0
        for path in (path for path in sources() if ROOT / "common" not in path.parents):
            for match in SOURCE.finditer(path.read_text(encoding="utf-8")):
                found += 1
                self.assertEqual(unresolved("".join(re.findall(r'"([^"]*)"', match[1])), self.names), [], path)
        self.assertGreater(found, 50)

    def test_an_unknown_source_would_be_found(self):
        self.assertEqual(unresolved("Fraidakis 2025, V1; Nobody 1999; our own", self.names), ["Nobody 1999"])

    def test_the_measured_papers_are_those_of_the_published_figures(self):
        for file in (ROOT / "bench" / "papers").glob("*.json"):
            row = re.search(rf"^\| ([^|]+?) \|.*`bench/papers/{file.name}`", self.page, re.MULTILINE)
            self.assertIsNotNone(row, file)
            self.assertTrue(json.loads(file.read_text(encoding="utf-8"))["cite"].startswith(row[1]), file)

    def test_files_that_comments_and_documents_name_are_there(self):
        pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
        for path in sources() + pages:
            for match in FILE.finditer(joined(path.read_text(encoding="utf-8"))):
                self.assertFalse(missing(match[0]), f"{path.relative_to(ROOT)}: {match[0]}")

    def test_a_missing_file_would_be_found(self):
        self.assertTrue(missing(FILE.search("see docs/lab/gpu/radix/none.md.")[0]))
        self.assertTrue(missing(FILE.search("(h200/attempts/none.1.txt)")[0]))
        self.assertFalse(missing(FILE.search("h200/attempts/slots.1.txt")[0]))


if __name__ == "__main__":
    unittest.main()
