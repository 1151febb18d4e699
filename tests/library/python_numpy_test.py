#!/usr/bin/env python3
"""NumPy's own tests of sort and argsort, which its wheel has, run with the Python package in NumPy's place.

Each `x.sort` and `x.argsort` in the sources of these tests becomes a call of replaced(), which sends arrays of the types
that sortlab takes to sortlab. NumPy keeps the others, and the heap sorts that its tests compare with."""

import ast
import importlib.util
import pathlib
import re
import sys
import tempfile
import types

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from python_package.wheel import SKIPPED, built_wheel, skip_if_incomplete, unpack  # noqa: E402

skip_if_incomplete()
if importlib.util.find_spec("pytest") is None:
    print("no pytest: tests/requirements.txt")
    sys.exit(SKIPPED)

import numpy as np  # noqa: E402
import pytest  # noqa: E402

FILES = ["test_multiarray.py", "test_datetime.py", "test_regression.py"]
TYPES = "?bBhHiIlLqQefdmM"


class Replace(ast.NodeTransformer):
    def visit_Attribute(self, node):
        self.generic_visit(node)
        if node.attr not in ("sort", "argsort"):
            return node
        call = ast.parse("sortlab_replaces.replaced(owner, name)", mode="eval").body
        call.args = [node.value, ast.Constant(node.attr)]
        return ast.copy_location(call, node)


class Run:
    """A plugin of pytest, and the counts."""

    def __init__(self):
        self.sorts = self.left = self.passed = 0
        self.failed = []

    def replaced(self, owner, name):
        original = getattr(owner, name)
        if owner is not np and not isinstance(owner, np.ndarray):
            return original

        def sort(*arguments, **named):
            a = arguments[0] if owner is np else owner
            kind = named.get("kind")
            if type(a) is not np.ndarray or a.dtype.char not in TYPES or (isinstance(kind, str) and kind[:1] == "h"):
                self.left += 1
                return original(*arguments, **named)
            self.sorts += 1
            if owner is np:
                return getattr(sortlab, name)(*arguments, **named)
            if name == "argsort":
                return sortlab.argsort(owner, *arguments, **named)
            sortlab.sort(owner, *arguments, out=owner, **named)
        return sort

    def pytest_collection_modifyitems(self, items):
        """Tests of sorts, but not for each of 511 lengths N."""
        def is_wanted(item):
            arguments = item.callspec.params if hasattr(item, "callspec") else {}
            return re.search(r"(?<!lex)sort(?!er|ed)", item.originalname) and int(arguments.get("N", 0)) % 32 in (0, 1, 2, 17)
        items[:] = filter(is_wanted, items)

    def pytest_runtest_logreport(self, report):
        if report.failed:
            self.failed.append(f"{report.nodeid}\n{report.longreprtext}")
        elif report.when == "call" and report.passed:
            self.passed += 1


def rewritten(folder):
    """NumPy's tests in a folder, with the calls replaced."""
    core = "_core" if np.__version__ >= "2" else "core"
    for name in FILES:
        source = pathlib.Path(np.__file__).parent / core / "tests" / name
        if not source.exists():
            print(f"this NumPy has no {source}")
            sys.exit(SKIPPED)
        tree = Replace().visit(ast.parse(source.read_text()))
        tree.body.insert(0, ast.parse("import sortlab_replaces").body[0])
        path = pathlib.Path(folder) / f"{name.removesuffix('.py')}_by_sortlab.py"
        path.write_text(ast.unparse(ast.fix_missing_locations(tree)))
        yield str(path)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        unpack(built_wheel(), pathlib.Path(folder) / "site")
        import sortlab
        run = Run()
        sys.modules["sortlab_replaces"] = types.SimpleNamespace(replaced=run.replaced)
        code = pytest.main([*rewritten(folder), "-qqq", "-Wignore", "--noconftest", "--tb=short", f"--rootdir={folder}",
                            "-pno:cacheprovider"], plugins=[run])
        print(f"NumPy {np.__version__}: {run.passed} tests passed, {len(run.failed)} failed; "
              f"{run.sorts} sorts by sortlab, {run.left} by NumPy")
        print(*run.failed[:5], sep="\n")
        sys.exit(code or run.passed < 100 or run.sorts < 100)
