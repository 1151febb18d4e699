"""Builds the module of dlpack_module.cpp."""

import importlib.util
import os
import pathlib
import sysconfig

import nanobind

from .wheel import ROOT, run


def build_dlpack_module(folder):
    path = pathlib.Path(folder) / "dlpack_module.so"
    source = pathlib.Path(nanobind.source_dir())
    includes = (sysconfig.get_paths()["include"], nanobind.include_dir(), source.parent / "ext" / "robin_map" / "include", ROOT)
    run(os.environ.get("SORTLAB_CXX", "c++"), "-std=c++20", "-O0", "-fPIC", "-shared", "-fno-strict-aliasing",
        *(f"-I{folder}" for folder in includes), source / "nb_combined.cpp", ROOT / "tests/python_package/dlpack_module.cpp", "-o", path)
    spec = importlib.util.spec_from_file_location("dlpack_module", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
