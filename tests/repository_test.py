"""The tracked files: small, packed if possible, and each one used by a document."""

import lzma
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MOST_BYTES = 20_000_000  # of all tracked files together
SAMPLES = b"schema_version,run_id,"
PACKED = b"\xfd7zXZ\0"
PICTURES = (".png", ".svg", ".html")
SKIPPED = 77


def tracked(root):
    """The tracked files that exist; None without git's data, as in a copy without history."""
    listed = subprocess.run(["git", "-C", root, "ls-files", "-z"], capture_output=True)
    if listed.returncode != 0:
        return None
    names = [name for name in listed.stdout.decode().split("\0") if name]
    return [name for name in names if (Path(root) / name).is_file()]


def too_large(root, files, most=MOST_BYTES):
    """"" or the size of all files, with the largest."""
    sizes = {file: (Path(root) / file).stat().st_size for file in files}
    if sum(sizes.values()) <= most:
        return ""
    largest = sorted(files, key=sizes.get, reverse=True)[:5]
    named = ", ".join(f"{file} {sizes[file] / 1e6:.1f} MB" for file in largest)
    return f"{sum(sizes.values()) / 1e6:.1f} MB of {most / 1e6:.0f}: {named}"


def unpacked_samples(root, files):
    """CSVs of samples, and files that only claim to be packed."""
    wrong = []
    for file in files:
        with open(Path(root) / file, "rb") as content:
            start = content.read(len(SAMPLES))
        if start == SAMPLES or (file.endswith(".xz") and not start.startswith(PACKED)):
            wrong.append(file)
    return wrong


def not_shown(root, files):
    """Pictures and pages in results/ that no document names."""
    documents = "\n".join((Path(root) / file).read_text(encoding="utf-8") for file in files if file.endswith(".md"))
    return [file for file in files
            if file.startswith("results/") and file.endswith(PICTURES) and file not in documents]


def dangling(root, files):
    """Files in results/ that a text outside of it names, but that do not exist, packed or not."""
    found, there = [], set(files)
    for file in files:
        if file.startswith(("results/", "tests/")) or file.endswith(".png"):
            continue
        text = (Path(root) / file).read_text(encoding="utf-8")
        for name in re.findall(r"(?<!docs/)\bresults/[\w./-]*\w\.(?:csv\.xz|csv|json|txt|log|md|png|svg|html)\b", text):
            beside = (Path(file).parent / name).as_posix()  # docs/README.md may link to results/h200.md
            if not name.startswith("results/local/") and there.isdisjoint({name, name + ".xz", beside}):
                found.append(f"{file}: {name}")
    return found


class Tracked(unittest.TestCase):
    def test_it_is_small(self):
        self.assertEqual(too_large(ROOT, FILES), "")

    def test_samples_are_packed(self):
        measured = [file for file in FILES if not file.startswith("tests/fuzz/corpus/")]  # those are inputs
        self.assertEqual(unpacked_samples(ROOT, measured), [])

    def test_packed_files_are_whole(self):
        for file in FILES:
            if file.endswith(".xz"):
                with lzma.open(ROOT / file) as content:
                    self.assertTrue(content.read().endswith(b"\n"), file)

    def test_pictures_are_shown(self):
        self.assertEqual(not_shown(ROOT, FILES), [])

    def test_named_results_are_there(self):
        self.assertEqual(dangling(ROOT, FILES), [])


class Faults(unittest.TestCase):
    """The checks find each of these faults."""

    def setUp(self):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        self.root = Path(folder)
        (self.root / "results").mkdir()
        for name, content in {"results/a.csv": SAMPLES + b"x\n", "results/b.csv.xz": b"no xz", "results/c.svg": b"<svg/>",
                              "results/d.svg": b"<svg/>", "README.md": b"![](results/d.svg) results/gone.csv"}.items():
            (self.root / name).write_bytes(content)
        self.files = [str(path.relative_to(self.root)) for path in self.root.rglob("*") if path.is_file()]

    def test_a_large_tree(self):
        self.assertRegex(too_large(self.root, self.files, 50), r"of 0: README\.md|of 0: results")

    def test_samples_that_are_not_packed(self):
        self.assertEqual(sorted(unpacked_samples(self.root, self.files)), ["results/a.csv", "results/b.csv.xz"])

    def test_a_picture_that_nobody_shows(self):
        self.assertEqual(not_shown(self.root, self.files), ["results/c.svg"])

    def test_a_file_that_is_gone(self):
        self.assertEqual(dangling(self.root, self.files), ["README.md: results/gone.csv"])


FILES = tracked(ROOT)

if __name__ == "__main__":
    if FILES is None:
        print("no git checkout")
        sys.exit(SKIPPED)
    unittest.main()
