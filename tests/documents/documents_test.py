"""What a reader of the documents would notice, in one process: the tests of the folder documents/."""

import os
import sys
import unittest

FOLDER = os.path.dirname(os.path.abspath(__file__))

if __name__ == "__main__":
    sys.path.insert(0, os.path.join(FOLDER, os.pardir, os.pardir, "plots"))
    unittest.main(module=None, argv=[sys.argv[0], "discover", "-s", FOLDER, "-p", "*_test.py", *sys.argv[1:]])
