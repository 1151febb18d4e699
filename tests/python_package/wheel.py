"""The wheel of `pip install .`, over the library that the build under test has compiled: that takes less time."""

import importlib.util
import os
import pathlib
import subprocess
import sys
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SKIPPED = 77
NEEDED = {"pip": "pip", "numpy": "NumPy", "nanobind": "nanobind", "scikit_build_core": "scikit-build-core"}


def skip_if_incomplete():
    missing = [name for module, name in NEEDED.items() if importlib.util.find_spec(module) is None]
    if missing:
        print(f"no {', '.join(missing)}: library/python/requirements.txt")
        sys.exit(SKIPPED)


def run(*command):
    done = subprocess.run([str(part) for part in command], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          env={**os.environ, "CXX": os.environ.get("SORTLAB_CXX", "c++")})
    if done.returncode != 0:
        sys.exit(f"{command} failed:\n{done.stdout}")
    return done.stdout


def build_wheel(folder, cuda=False):
    """Returns the path of the wheel."""
    for component in ("library", "cuda") if cuda else ("library",):
        run("cmake", "--install", os.environ["SORTLAB_BIN"], "--component", component, "--prefix", folder / "prefix")
    settings = ["cmake.source-dir=library/python", f"build-dir={folder / 'build'}",
                f"cmake.define.sortlab_ROOT={folder / 'prefix'}", "cmake.define.CMAKE_CXX_FLAGS=-Werror",
                f"cmake.define.SORTLAB_CUDA={'ON' if cuda else 'OFF'}"]
    run(sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps",
        "--no-build-isolation", "--no-index", "--wheel-dir", folder / "wheel",
        *(f"--config-settings={setting}" for setting in settings), ROOT)
    return next((folder / "wheel").glob("*.whl"))


def unpack(wheel, site):
    """Makes `import sortlab` find the wheel's package."""
    with zipfile.ZipFile(wheel) as files:
        files.extractall(site)
    sys.path.insert(0, str(site))
