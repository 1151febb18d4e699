"""Rivals: plug-in, build and document agree. Nothing is built or downloaded."""

import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PEERS = ROOT / "peers"


def packages():
    """{name: packages, as "Debian: a, b" or "PyPI: a 1.0"} of the CMake file and the lists of wheels."""
    found = re.findall(r"^sortlab_peer_of_(debian|wheel)\((\w+)([\w. -]*)\)$", (PEERS / "CMakeLists.txt").read_text(), re.MULTILINE)
    return {name: f"Debian: {', '.join(names.split())}" if kind == "debian" else f"PyPI: {wheel(name).replace('==', ' ')}"
            for kind, name, names in found}


def wheel(name):
    return (PEERS / f"{name}-requirements.txt").read_text().strip()


def rows():
    """{name: cells} of the document's table."""
    lines = re.findall(r"^\| `(\w+)` \|(.*)\|$", (ROOT / "docs" / "peers.md").read_text(), re.MULTILINE)
    return {name: [cell.strip() for cell in cells.split("|")] for name, cells in lines}


def glue(name):
    """The facts in the plug-in's first comment, by their label."""
    [file] = PEERS.glob(f"{name}.c*")
    return dict(re.findall(r"^// (\w+) {2,}(.+)$", file.read_text().split("#include")[0], re.MULTILINE))


class Recipes(unittest.TestCase):
    def test_each_has_a_plugin_and_a_row(self):
        self.assertGreaterEqual(len(packages()), 2)
        self.assertEqual(sorted(rows()), sorted(packages()))
        self.assertEqual({file.stem for file in PEERS.glob("*.c*")}, set(packages()))

    def test_packages_and_licence_are_the_same_everywhere(self):
        for name, said in packages().items():
            with self.subTest(name):
                comment, row = glue(name), rows()[name]
                self.assertEqual(row[1], said)
                self.assertTrue(comment["licence"].startswith(re.split("[;,]", row[2])[0]), comment["licence"])
                self.assertTrue(comment["threads"])
                for word in said.split(": ")[1].replace(",", "").split():
                    self.assertIn(word, comment["source"])

    def test_the_packages_are_brought(self):
        script, gathers = (ROOT / "run").read_text(), (ROOT / "cmake" / "deps.sh").read_text()
        for name, said in packages().items():
            if said.startswith("Debian"):
                for package in said.split(": ")[1].split(", "):
                    self.assertIn(f"'{package} have_header", script)
            else:
                self.assertRegex(wheel(name), r"\A[\w-]+==[\d.]+\Z")
                self.assertIn(f"peers/{name}-requirements.txt", gathers)

    def test_a_recipe_fetches_no_sources(self):
        for file in PEERS.iterdir():
            self.assertNotRegex(file.read_text(), r"(?i)github\.com|FetchContent|ExternalProject|GIT_REPOSITORY|git clone", file)


if __name__ == "__main__":
    unittest.main()
