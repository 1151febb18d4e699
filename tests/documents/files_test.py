"""The tracked files: small, samples packed, and what texts name is there."""

import lzma
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
MOST_BYTES = 22_500_000  # of all tracked files together
SAMPLES = b"schema_version,run_id,"
MACHINES = "|".join(sorted(path.name for path in (ROOT / "results").iterdir() if path.is_dir()))
NAMED = re.compile(rf"(?<![\w/])(?:docs/[\w/.-]+\.md|(?:results/|(?=(?:{MACHINES})/))"
                   r"[\w./-]*\w\.(?:csv\.xz|csv|json|txt|log|md|png|svg|html))\b")


def tracked():
    """The tracked files that exist; none without git's data, as in a copy without history."""
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-z"], capture_output=True).stdout.decode()
    return [name for name in listed.split("\0") if name and (ROOT / name).is_file()]


def too_large(root, files, most):
    """"" or the size of all files, with the largest."""
    sizes = {file: (root / file).stat().st_size for file in files}
    largest = ", ".join(f"{file} {sizes[file] / 1e6:.1f} MB" for file in sorted(files, key=sizes.get, reverse=True)[:5])
    return f"{sum(sizes.values()) / 1e6:.1f} MB: {largest}" if sum(sizes.values()) > most else ""


def badly_packed(root, files):
    """CSVs of samples that are not packed, and packed files that can't be read to their end."""
    wrong = []
    for file in files:
        if file.endswith(".xz"):
            try:
                with lzma.open(root / file) as content:
                    whole = content.read().endswith(b"\n")
            except (lzma.LZMAError, EOFError):
                whole = False
        else:
            with open(root / file, "rb") as content:
                whole = content.read(len(SAMPLES)) != SAMPLES
        if not whole:
            wrong.append(file)
    return wrong


def not_shown(root, files):
    """Pictures and pages in results/ that no document names."""
    documents = "\n".join((root / file).read_text(encoding="utf-8") for file in files if file.endswith(".md"))
    return [file for file in files if file.startswith("results/") and file.endswith((".png", ".svg", ".html")) and file not in documents]


def dangling(root, files):
    """Files that a text names, but that do not exist, packed or not."""
    found, there = [], set(files)
    for file in files:
        if file.startswith(("results/", "tests/")) or file.endswith(".png"):
            continue
        for match in NAMED.finditer((root / file).read_text(encoding="utf-8")):
            name = match[0] if match[0].startswith(("docs/", "results/")) else "results/" + match[0]
            beside = (Path(file).parent / name).as_posix()  # docs/README.md may link to results/h200.md
            if not name.startswith("results/local/") and there.isdisjoint({name, name + ".xz", beside}):
                found.append(f"{file}: {match[0]}")
    return found


FILES = tracked()


@unittest.skipUnless(FILES, "no git checkout")
class Tracked(unittest.TestCase):
    def test_they_are_small(self):
        self.assertEqual(too_large(ROOT, FILES, MOST_BYTES), "")

    def test_samples_are_packed_and_whole(self):
        self.assertEqual(badly_packed(ROOT, [file for file in FILES if not file.startswith("tests/fuzz/corpus/")]), [])

    def test_pictures_are_shown(self):
        self.assertEqual(not_shown(ROOT, FILES), [])

    def test_named_files_are_there(self):
        self.assertEqual(dangling(ROOT, FILES), [])


class Faults(unittest.TestCase):
    def test_they_are_found(self):
        root = Path(self.enterContext(tempfile.TemporaryDirectory()))
        (root / "results").mkdir()
        for name, content in {"results/a.csv": SAMPLES + b"x\n", "results/b.csv.xz": b"no xz", "results/c.svg": b"<svg/>",
                              "results/d.svg": b"<svg/>", "results/e.csv.xz": lzma.compress(b"x\n")[:-9], "results/f.csv.xz": lzma.compress(b"x\n"),
                              "README.md": b"![](results/d.svg) results/gone.csv; docs/gone.md, h200/gone.1.txt and results/f.csv"}.items():
            (root / name).write_bytes(content)
        files = sorted(str(path.relative_to(root)) for path in root.rglob("*") if path.is_file())
        self.assertRegex(too_large(root, files, 50), r"MB: README\.md")
        self.assertEqual(badly_packed(root, files), ["results/a.csv", "results/b.csv.xz", "results/e.csv.xz"])
        self.assertEqual(not_shown(root, files), ["results/c.svg"])
        self.assertEqual(dangling(root, files), ["README.md: results/gone.csv", "README.md: docs/gone.md", "README.md: h200/gone.1.txt"])


if __name__ == "__main__":
    unittest.main()
