#!/usr/bin/env python3
"""The packages that cpack makes from this build: their content, their dependencies, and their use."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = os.environ["SORTLAB_BIN"]
LIBRARY_FILES = {"include/sortlab/sort.hpp", "include/sortlab/sortlab.h", "lib/libsortlab.a", "lib/libsortlab.so",
                 "lib/libsortlab.so.1", "lib/cmake/sortlab/sortlab-config.cmake", "lib/pkgconfig/sortlab.pc",
                 "share/doc/libsortlab-dev/copyright"}
SKIPPED = 77


def run(*command, **environment):
    """The output of a command; raises an error with it if the command fails."""
    done = subprocess.run([str(part) for part in command], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, env={**os.environ, **environment})
    if done.returncode != 0:
        raise AssertionError(f"{command} failed:\n{done.stdout}")
    return done.stdout


def make_packages(generator, folder, *components):
    """The packages of these components, in a new folder."""
    run("cpack", "--config", f"{BUILD}/CPackConfig.cmake", "-G", generator, "-B", folder,
        "-D", f"CPACK_COMPONENTS_ALL={';'.join(components)}")
    return {file.name for file in folder.iterdir() if file.is_file()}


class Packages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.debs = {file.split("_")[0]: cls.folder / "deb" / file
                    for file in make_packages("DEB", cls.folder / "deb", "library", "program", "plugin")}

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def field(self, package, name):
        return run("dpkg-deb", "--field", self.debs[package], name).strip()

    def files(self, package):
        listed = run("dpkg-deb", "--contents", self.debs[package])
        return {re.search(r" \./usr/(\S+)", line)[1] for line in listed.splitlines() if not line.startswith("d")}

    def test_debian_packages_hold_their_own_files(self):
        self.assertEqual(set(self.debs), {"libsortlab-dev", "sortlab", "sortlab-plugin-dev"})
        library = self.files("libsortlab-dev")
        self.assertLessEqual(LIBRARY_FILES, library)
        for file in library:
            self.assertRegex(file, r"^(include/sortlab|lib/libsortlab\.|lib/(cmake/sortlab|pkgconfig)/|share/doc/)")
        self.assertEqual(self.files("sortlab"), {"bin/sortlab", "share/doc/sortlab/copyright"})
        self.assertEqual(self.files("sortlab-plugin-dev"),
                         {"include/sortlab_plugin.h", "share/doc/sortlab-plugin-dev/copyright"})

    @unittest.skipUnless(shutil.which("dpkg-shlibdeps"), "no dpkg-dev")
    def test_debian_packages_depend_on_what_they_link(self):
        depends = {part.split()[0] for part in self.field("libsortlab-dev", "Depends").split(",")}
        self.assertLessEqual({"libc6", "libstdc++6"}, depends)
        self.assertLessEqual(depends, {"libc6", "libstdc++6", "libgcc-s1"})
        self.assertIn("libstdc++6", self.field("sortlab", "Depends"))
        self.assertEqual(self.field("sortlab-plugin-dev", "Depends"), "")
        self.assertEqual(self.field("sortlab-plugin-dev", "Architecture"), "all")

    def test_programs_that_link_the_library_find_their_package(self):
        abi = re.search(r"define SORTLAB_ABI_VERSION (\d+)",
                        (ROOT / "include/sortlab/sortlab.h").read_text())[1]
        self.assertRegex(run("dpkg-deb", "--info", self.debs["libsortlab-dev"], "shlibs"),
                         rf"^libsortlab {abi} libsortlab-dev")
        self.assertIn("ldconfig", run("dpkg-deb", "--info", self.debs["libsortlab-dev"], "postinst"))

    def test_tarball_works_in_any_folder(self):
        tarball, = make_packages("TGZ", self.folder / "tgz", "library")
        prefix = self.folder / "any folder"
        shutil.unpack_archive(self.folder / "tgz" / tarball, prefix)
        flags = run("pkg-config", "--cflags", "--libs", "sortlab", PKG_CONFIG_PATH=f"{prefix}/lib/pkgconfig")
        compiler = os.environ.get("CC", "cc")
        program = self.folder / "use_sortlab"
        run("sh", "-c", f"{compiler} '{ROOT}/examples/library_c/use_sortlab.c' -o '{program}' {flags}")
        self.assertEqual(run(program, LD_LIBRARY_PATH=f"{prefix}/lib"), "-10: 1\n20: 2\n30: 3\n")

    def test_plugin_header_is_enough_for_a_plugin(self):
        run("dpkg-deb", "--extract", self.debs["sortlab-plugin-dev"], self.folder / "plugin")
        run(os.environ.get("CC", "cc"), "-fsyntax-only", f"-I{self.folder}/plugin/usr/include",
            ROOT / "examples/plugin_cpu/shell_sort.c")


if __name__ == "__main__":
    missing = [tool for tool in ("cpack", "dpkg-deb", "pkg-config") if not shutil.which(tool)]
    if missing:
        print("no", *missing)
        sys.exit(SKIPPED)
    unittest.main()
