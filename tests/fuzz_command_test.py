"""`./run fuzz`: its list of fuzzers, and mistakes. No fuzzer is built here."""

import re
import subprocess
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FUZZ = ROOT / "tests" / "fuzz"


def fuzz(*args):
    return subprocess.run([ROOT / "run", "--no-install", "fuzz", *args], capture_output=True, text=True, timeout=300)


class FuzzCommand(unittest.TestCase):
    def test_lists_the_fuzzers(self):
        done = fuzz()
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        entry = re.compile("LLVMFuzzerTestOneInput")
        programs = [file.stem for file in FUZZ.glob("*.cpp") if entry.search(file.read_text())]
        programs += [file.stem.removeprefix("fuzz_") for file in FUZZ.glob("sorts/fuzz_*.cpp")]
        self.assertEqual(sorted(done.stdout.split()), sorted(programs))

    def test_each_has_a_corpus_and_no_other_has(self):
        self.assertEqual(sorted(fuzz().stdout.split()), sorted(folder.name for folder in (FUZZ / "corpus").iterdir()))
        for file in FUZZ.glob("*.dict"):
            self.assertIn(file.stem, fuzz().stdout.split())

    def test_mistakes_are_one_line(self):
        for args, said in {("cvs",): "csv is the nearest", ("csv", "--time", "1e3"): "1e3", ("csv", "--time", "0"): "'0'",
                           ("csv", "--time"): "number of seconds", ("--tmie", "3"): "--tmie",
                           ("csv", "tune"): "'tune'"}.items():
            done = fuzz(*args)
            self.assertEqual((done.returncode, done.stdout, len(done.stderr.splitlines())), (2, "", 1), args)
            self.assertIn(said, done.stderr)


if __name__ == "__main__":
    unittest.main()
