"""The wheel of `pip install .`, over the library that the build under test has compiled: that takes less time.

As a program it builds the wheel, which the tests library/python_*.py then use (a fixture of CTest)."""

import importlib.util
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import sysconfig
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FOLDER = pathlib.Path(os.environ["SORTLAB_BIN"]) / "tests" / "python_package"
CUDA = os.environ.get("SORTLAB_CUDA") == "1"
SKIPPED = 77
NEEDED = {"pip": "pip", "numpy": "NumPy", "nanobind": "nanobind", "scikit_build_core": "scikit-build-core"}


def skip_if_incomplete():
    missing = [name for module, name in NEEDED.items() if importlib.util.find_spec(module) is None]
    if not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")):
        missing.append("Python.h (python3-dev)")
    if missing:
        print(f"no {', '.join(missing)}: library/python/requirements.txt")
        sys.exit(SKIPPED)


def run(*command):
    done = subprocess.run([str(part) for part in command], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          env={**os.environ, "CXX": os.environ.get("SORTLAB_CXX", "c++")})
    if done.returncode != 0:
        sys.exit(f"{command} failed:\n{done.stdout}")
    return done.stdout


def build_wheel():
    shutil.rmtree(FOLDER / "dist", ignore_errors=True)
    for component in ("library", "cuda") if CUDA else ("library",):
        run("cmake", "--install", os.environ["SORTLAB_BIN"], "--component", component, "--prefix", FOLDER / "prefix")
    settings = ["cmake.source-dir=library/python", f"build-dir={FOLDER / 'build'}",
                f"cmake.define.sortlab_ROOT={FOLDER / 'prefix'}", "cmake.define.CMAKE_CXX_FLAGS=-Werror",
                f"cmake.define.SORTLAB_CUDA={'ON' if CUDA else 'OFF'}"]
    run(sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps",
        "--no-build-isolation", "--no-index", "--wheel-dir", FOLDER / "dist",
        *(f"--config-settings={setting}" for setting in settings), ROOT)


def built_wheel():
    wheels = list((FOLDER / "dist").glob("*.whl"))
    if len(wheels) != 1:
        sys.exit(f"no wheel in {FOLDER}: ctest -R python builds it")
    return wheels[0]


def unpack(wheel, site):
    """Makes `import sortlab` find the wheel's package."""
    with zipfile.ZipFile(wheel) as files:
        files.extractall(site)
    sys.path.insert(0, str(site))


if __name__ == "__main__":
    skip_if_incomplete()
    build_wheel()
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"built {built_wheel().name} in {spent.ru_utime + spent.ru_stime:.0f} CPU s")
