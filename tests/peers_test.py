"""Recipes of rivals: plug-in, build and document agree, and mistakes of `./run peers`. Nothing is built or fetched."""

import re
import subprocess
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PEERS = ROOT / "peers"


def recipes():
    """{name: (repository, commit, date)} of the CMake file."""
    text = (PEERS / "CMakeLists.txt").read_text()
    found = re.findall(r"^sortlab_peer\((\w+) ([\w.-]+/[\w.-]+) ([0-9a-f]{40}) (\d{4}-\d\d-\d\d)\)$", text, re.MULTILINE)
    return {name: rest for name, *rest in found}


def packaged():
    """{name: packages of Debian} of the CMake file."""
    found = re.findall(r"^sortlab_peer_of_packages\((\w+) ([\w. -]+)\)$", (PEERS / "CMakeLists.txt").read_text(), re.MULTILINE)
    return {name: packages.split() for name, packages in found}


def rows():
    """{name: cells} of the document's table."""
    lines = re.findall(r"^\| `(\w+)` \|(.*)\|$", (ROOT / "docs" / "peers.md").read_text(), re.MULTILINE)
    return {name: [cell.strip() for cell in cells.split("|")] for name, cells in lines}


def glue(name):
    """What the plug-in's first comment says, by the word before it. x86_simd_sort.cpp is built twice."""
    [file] = PEERS.glob(f"{name.removesuffix('_openmp')}.c*")
    text = file.read_text()
    return dict(re.findall(r"^// (\w+) {2,}(.+)$", text.split("#include")[0], re.MULTILINE))


def call(*args):
    return subprocess.run([ROOT / "run", "--no-install", "peers", *args], capture_output=True, text=True, timeout=30)


class Recipes(unittest.TestCase):
    def test_each_has_a_plugin_and_a_row(self):
        self.assertGreaterEqual(len(recipes()), 9)
        names = [*recipes(), *packaged()]
        self.assertEqual(sorted(rows()), sorted(names))
        self.assertEqual({file.stem for file in PEERS.glob("*.c*")}, {name.removesuffix("_openmp") for name in names})

    def test_commit_date_and_licence_are_the_same_everywhere(self):
        for name, (repository, commit, date) in recipes().items():
            with self.subTest(name):
                said, row = glue(name), rows()[name]
                self.assertIn(f"github.com/{repository}, commit {commit[:8]} of {date}", said["source"])
                self.assertEqual(row[1], f"[{repository}](https://github.com/{repository}) {commit[:8]}")
                self.assertTrue(said["licence"].startswith(row[2]), said["licence"])
                self.assertTrue(said["threads"])

    def test_packages_are_the_same_everywhere(self):
        self.assertTrue(packaged())
        for name, packages in packaged().items():
            with self.subTest(name):
                said, row = glue(name), rows()[name]
                self.assertEqual(row[1], f"Debian: {', '.join(packages)}")
                for package in packages:
                    self.assertIn(package, said["source"])
                    self.assertIn(f"'{package} have_header", (ROOT / "run").read_text())
                self.assertTrue(said["licence"].startswith(row[2]), said["licence"])
                self.assertTrue(said["threads"])

    def test_mistakes_are_one_line(self):
        for args, said in {("ips4",): "no peer 'ips4': ips4o is the nearest", ("ips4o", "vqsrot"): "vqsort is the nearest",
                           ("ips4o_vqsrt",): "ips4o_vqsort is the nearest",
                           ("--from",): "--from needs a folder", ("--from", "/nowhere"): "/nowhere: no such folder",
                           ("--form", "."): "--form"}.items():
            done = call(*args)
            self.assertEqual((done.returncode, done.stdout, len(done.stderr.splitlines())), (2, "", 1), args)
            self.assertIn(said, done.stderr)


if __name__ == "__main__":
    unittest.main()
