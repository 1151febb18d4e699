"""The documents' tables agree with the files in results/, and differences are found."""

import os
import re
import subprocess
import sys
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir)
SCRIPT = os.path.join(ROOT, "plots", "tables.py")
sys.path.insert(0, os.path.dirname(SCRIPT))
import medians  # noqa: E402
import tables  # noqa: E402


class Tables(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.text = ""
        for document in tables.DOCUMENTS:
            with open(os.path.join(ROOT, document), encoding="utf-8") as file:
                cls.text += file.read()

    def test_documents_say_what_was_measured(self):
        done = subprocess.run([sys.executable, SCRIPT, "--check"], capture_output=True, text=True, timeout=300)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_every_table_is_in_a_document(self):
        self.assertEqual(sorted(tables.TABLES), sorted(match[1] for match in tables.MARKED.finditer(self.text)))

    def test_a_changed_figure_is_found_in_each(self):
        for match in tables.MARKED.finditer(self.text):
            figure = list(re.finditer(r"\| (\d+\.?\d*)", match[0]))[-1]
            start, end = match.start() + figure.start(1), match.start() + figure.end(1)
            text = self.text[:start] + "9" + self.text[start:end] + self.text[end:]
            renewed, changed = tables.renew(text)
            self.assertEqual(changed, [match[1]])
            self.assertEqual(renewed, self.text)

    def test_a_missing_figure_is_an_empty_cell(self):
        measured = medians.Medians("h200/radix")
        self.assertIsNone(measured.ns("gpu/radix/onesweep", "u32", 12345))
        self.assertEqual(medians.mega(None, 12345), "")

    def test_unknown_table_is_one_line(self):
        with self.assertRaises(SystemExit) as stopped:
            tables.renew("<!-- table: gpu-nonsense -->\n| a |\n")
        self.assertIn("gpu-nonsense", str(stopped.exception))

    def test_bad_argument_is_exit_code_2(self):
        done = subprocess.run([sys.executable, SCRIPT, "--chekc"], capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 2)


if __name__ == "__main__":
    unittest.main()
