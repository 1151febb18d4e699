#!/usr/bin/env python3
"""The library as its users get it: its exports, its dependencies, its size, its package and the examples."""

import _ctypes
import ctypes
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = pathlib.Path(os.environ["SORTLAB_BIN"])
COMPILERS = {"CC": os.environ.get("CC", "cc"), "CXX": os.environ["SORTLAB_CXX"]}
EXPECTED = """nearest latitude: Tunis"""
PLUGIN = """
#include <algorithm>
#include <sortlab/sort.hpp>
#include <vector>

extern "C" int version_that_sorts() {
  std::vector<double> keys(200'000), items(20'000);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<double>(i * 7919 % 200'003);
  std::copy_n(keys.begin(), items.size(), items.begin());
  sortlab::sort(keys, {.threads = 2});
  sortlab::sort(items, [](double a, double b) { return a < b; }, {.threads = 2});
  sortlab::end_threads();
  sortlab::release_memory();
  return std::is_sorted(keys.begin(), keys.end()) && std::is_sorted(items.begin(), items.end()) ? VERSION : -1;
}
"""


def run(*command, **options):
    """The output of a command; raises an error with it if the command fails."""
    environment = {**os.environ, **COMPILERS, **options.pop("env", {})}
    done = subprocess.run([str(part) for part in command], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, env=environment, **options)
    if done.returncode != 0:
        raise AssertionError(f"{command} failed:\n{done.stdout}")
    return done.stdout


def code_blocks(language):
    """The blocks of docs/library.md in a language."""
    return re.findall(rf"```{language}\n(.*?)```", (ROOT / "docs/library.md").read_text(), re.DOTALL)


class Library(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.prefix = pathlib.Path(cls.folder.name) / "prefix"
        run("cmake", "--install", BUILD, "--component", "library", "--prefix", cls.prefix)
        cls.lib = next(cls.prefix.rglob("libsortlab.so")).parent

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def new_folder(self, name):
        folder = pathlib.Path(self.folder.name) / name
        folder.mkdir()
        return folder

    def test_installs_its_own_files_alone(self):
        files = [path.relative_to(self.prefix).as_posix() for path in self.prefix.rglob("*") if path.is_file()]
        for file in files:
            self.assertRegex(file, r"^include/sortlab/|/cmake/sortlab/sortlab-|/pkgconfig/sortlab\.pc$|/libsortlab\."
                                   r"|^share/doc/libsortlab-dev/copyright$")
        headers = {file for file in files if file.startswith("include/")}
        self.assertIn("include/sortlab/sort.hpp", headers)
        self.assertIn("include/sortlab/sortlab.h", headers)

    def test_uninstalls_its_own_files_alone(self):
        folder = self.new_folder("uninstall")
        prefix, other = folder / "sortlab", folder / "sortlab/include/other.h"
        shutil.copytree(self.prefix, prefix)
        files = [path for path in prefix.rglob("*") if not path.is_dir()]
        (folder / "install_manifest_library.txt").write_text("\n".join(map(str, files)))
        other.write_text("")
        self.assertIn("uninstall:", run("cmake", "--build", BUILD, "--target", "help"))
        uninstall = "cmake", "-D", f"BUILD={folder}", "-P", ROOT / "cmake/uninstall.cmake"
        run(*uninstall)
        self.assertEqual([path for path in prefix.rglob("*") if not path.is_dir()], [other])
        self.assertFalse((prefix / "include/sortlab").exists())
        with self.assertRaisesRegex(AssertionError, r"nothing\s+was installed"):
            run(*uninstall)

    def test_exports_the_c_interface_alone(self):
        symbols = run("nm", "-D", "--defined-only", "--without-symbol-versions", self.lib / "libsortlab.so")
        exported = {line.split()[2] for line in symbols.splitlines()} - {"SORTLAB_1"}
        header = "".join((ROOT / f"include/sortlab/{name}.h").read_text() for name in ("sortlab", "segments", "top_k"))
        self.assertEqual(exported, set(re.findall(r"^SORTLAB_API [^(]*?(sortlab_\w+)\(", header, re.MULTILINE)))

    def test_needs_no_lock_and_no_destructor(self):
        """A forked child may find a lock taken by a thread that it lacks, and other threads sort until the process ends."""
        needed = set(re.findall(r" U (\w+)", run("nm", self.lib / "libsortlab.a")))
        self.assertIn("pthread_create", needed)
        self.assertEqual({name for name in needed if re.match(r"__cxa_(guard|atexit|thread_atexit)|.*once|.*mutex", name)}, set())

    def test_reloads_as_a_part_of_a_plugin(self):
        folder = self.new_folder("plugin")
        for version in 1, 2:
            (folder / "plugin.cpp").write_text(PLUGIN)
            run(COMPILERS["CXX"], "-std=c++20", "-O1", "-fPIC", "-shared", f"-DVERSION={version}", f"-I{self.prefix}/include",
                folder / "plugin.cpp", self.lib / "libsortlab.a", "-o", folder / "new.so")
            self.assertNotRegex(run("nm", "-D", "--defined-only", folder / "new.so"), r" u | T sortlab_")
            os.replace(folder / "new.so", folder / "plugin.so")
            plugin = ctypes.CDLL(str(folder / "plugin.so"))
            self.assertEqual(plugin.version_that_sorts(), version)
            _ctypes.dlclose(plugin._handle)
            self.assertNotIn(str(folder), pathlib.Path("/proc/self/maps").read_text())

    def test_links_the_language_libraries_alone_and_is_small(self):
        needed = run("readelf", "-d", self.lib / "libsortlab.so")
        found = set(re.findall(r"NEEDED.*\[([\w+-]+)\.so", needed))
        self.assertLessEqual(found, {"libstdc++", "libm", "libgcc_s", "libc", "libpthread", "ld-linux-x86-64"})
        self.assertIn("NODELETE", needed)

    def test_is_as_small_as_the_docs_say(self):
        def most(file):
            return int(re.search(rf"^\| `?{file}.* \| (\d+) MB \|", (ROOT / "docs/library.md").read_text(), re.MULTILINE)[1])
        shared, program = self.new_folder("small") / "libsortlab.so", self.new_folder("program") / "program"
        run("strip", "-o", shared, self.lib / "libsortlab.so")
        (program.parent / "first.cpp").write_text(code_blocks("cpp")[0])
        run(COMPILERS["CXX"], "-std=c++20", "-s", f"-I{self.prefix}/include", program.parent / "first.cpp",
            self.lib / "libsortlab.a", "-o", program)
        self.assertLess(shared.stat().st_size, most(r"libsortlab\.so") * 10**6)
        self.assertLess((self.lib / "libsortlab.a").stat().st_size, most(r"libsortlab\.a") * 10**6)
        self.assertLess(program.stat().st_size, most("a program") * 10**6)
        functions = int(re.search(r"(\d+) exported functions", (ROOT / "docs/library.md").read_text())[1])
        self.assertEqual(len(re.findall(r" T sortlab_", run("nm", "-D", self.lib / "libsortlab.so"))), functions)

    def test_holds_each_sort_that_may_be_chosen(self):
        candidates = {path.relative_to(ROOT).as_posix() for path in ROOT.glob("cpu/*/*.cpp")
                      if ".candidate =" in path.read_text()}
        listed = re.search(r"sortlab_variants\(sortlab_fast ([^)]*)\)", (ROOT / "CMakeLists.txt").read_text())
        self.assertEqual(set(listed[1].split()), candidates | {"cpu/auto/any_order.cpp", "cpu/auto/auto.cpp", "cpu/segments/auto.cpp", "cpu/segments/columns.cpp",
                                                          "cpu/topk/filter.cpp"})

    def build_example(self, name, *flags, env={}):
        folder = self.new_folder(name)
        shutil.copytree(ROOT / "examples" / name, folder / "source")
        run("cmake", "-S", folder / "source", "-B", folder / "build", "-G", "Ninja",
            f"-DCMAKE_PREFIX_PATH={self.prefix}", "-DCMAKE_BUILD_TYPE=Release", *flags, env=env)
        run("cmake", "--build", folder / "build", env=env)
        return run(folder / "build/use_sortlab")

    def test_example_in_cpp(self):
        self.assertIn(EXPECTED, self.build_example("library_cpp"))

    def test_example_in_c(self):
        self.assertEqual(self.build_example("library_c"), "-10: 1\n20: 2\n30: 3\n")

    def test_example_with_fetchcontent(self):
        folder = self.new_folder("fetched")
        run("cmake", "-S", ROOT / "examples/library_fetchcontent", "-B", folder, "-G", "Ninja",
            "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_CXX_FLAGS=-ffast-math -Wsign-conversion -Werror")
        targets = run("ninja", "-C", folder, "-t", "targets", "all")
        made = {line.split(":")[0] for line in targets.splitlines() if line.endswith(": phony")}
        ours = {name for name in made if "/" not in name and "." not in name and "cmake" not in name}
        ours -= {"all", "use_sortlab", "edit_cache", "rebuild_cache", "list_install_components", "install",
                 "codegen", "clean", "help", "test"}
        self.assertTrue(ours)
        self.assertEqual({name for name in ours if not re.match(r"(lib)?sortlab", name)}, set())
        cache = (folder / "CMakeCache.txt").read_text()
        for package in ("fmt", "CLI11", "GTest", "benchmark", "nlohmann_json", "TBB", "Boost", "OpenMP", "plotly"):
            self.assertNotRegex(cache, rf"(?i)\b{package}_")
        commands = run("ninja", "-C", folder, "-t", "commands", "use_sortlab")
        own = next(line for line in commands.splitlines() if "use_sortlab.cpp.o -c" in line)
        self.assertNotRegex(own, r"-Wall|-fopenmp|-w\b|-fno-fast-math")
        for line in commands.splitlines():  # the flags of that project would make our code wrong, or not compile
            if " -c " in line and line != own:
                self.assertRegex(line, r" -ffast-math .* -fno-fast-math .*-w ")
        if os.environ.get("SORTLAB_MATRIX") != "full":
            return  # the library would be compiled again
        run("cmake", "--build", folder, "--target", "use_sortlab")
        self.assertIn(EXPECTED, run(folder / "use_sortlab"))

    def compile_with_pkg_config(self, source, program, compiler, *flags):
        found = run("pkg-config", "--cflags", "--libs", "sortlab",
                    env={"PKG_CONFIG_PATH": str(self.lib / "pkgconfig")})
        run(compiler, *flags, source, *found.split(), f"-Wl,-rpath,{self.lib}", "-o", program)

    @unittest.skipUnless(shutil.which("pkg-config"), "no pkg-config")
    def test_headers_and_interface_compile_as_strict_c(self):
        program = self.new_folder("c") / "program"
        self.compile_with_pkg_config(ROOT / "tests/library/c_program.c", program, COMPILERS["CC"], "-std=c11",
                                     "-pedantic-errors", "-Wall", "-Wextra", "-Werror", "-Wconversion")
        self.assertEqual(run(program), "sorted\n")

    def test_goes_with_the_plugin_header(self):
        flags = ("-fsyntax-only", "-Wall", "-Wextra", "-Werror", f"-I{self.prefix}/include", f"-I{ROOT}/include",
                 ROOT / "tests/library/both_headers.c")
        for order in (), ("-DPLUGIN_FIRST",):
            run(COMPILERS["CC"], "-std=c11", *order, *flags)
            run(COMPILERS["CXX"], "-std=c++20", "-x", "c++", *order, *flags)

    def run_with_flags(self, name, compiler, *flags, argument=()):
        """What tests/library/other_flags.cpp prints, compiled with a program's own flags and linked with the static library."""
        program = pathlib.Path(self.folder.name) / name
        if not program.exists():
            run(compiler, *flags, f"-I{self.prefix}/include", ROOT / "tests/library/other_flags.cpp", self.lib / "libsortlab.a",
                "-o", program)
        return subprocess.run([program, *argument], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300,
                              check=False).stdout

    def check_with_flags(self, *call):
        self.assertEqual(self.run_with_flags(*call), "right\n")

    def test_goes_with_the_flags_of_other_people(self):
        self.check_with_flags("fast", COMPILERS["CXX"], "-std=gnu++2b", "-O1", "-flto", "-ffast-math", "-march=native",
                              "-D_GLIBCXX_ASSERTIONS")
        if os.environ.get("SORTLAB_MATRIX") == "full" and shutil.which("clang++"):
            self.check_with_flags("clang_fast", "clang++", "-std=c++20", "-O2", "-ffast-math", "-march=native", "-fno-rtti")

    def test_goes_with_the_sanitizers_of_other_people(self):
        """The library in these programs is not instrumented."""
        compilers = [COMPILERS["CXX"]]
        if os.environ.get("SORTLAB_MATRIX") == "full" and shutil.which("clang++"):
            compilers.append("clang++")
        for number, compiler in enumerate(compilers):
            with self.subTest(compiler):
                call = f"races{number}", compiler, "-std=c++20", "-O0", "-fsanitize=thread", "-fno-rtti", "-funsigned-char"
                self.check_with_flags(*call)
                if len(os.sched_getaffinity(0)) > 1:
                    self.assertIn("ThreadSanitizer: data race", self.run_with_flags(*call, argument=["race"]))
                self.check_with_flags(f"checked{number}", compiler, "-std=c++20", "-O0", "-fsanitize=address,undefined",
                                      "-D_GLIBCXX_DEBUG")

    @unittest.skipUnless(shutil.which("pkg-config"), "no pkg-config")
    def test_examples_of_the_docs(self):
        folder = self.new_folder("first")
        for example, output in zip(code_blocks("cpp"), ["1 2 3\n", "Bo Cy Ann "], strict=True):
            (folder / "first.cpp").write_text(example)
            self.compile_with_pkg_config(folder / "first.cpp", folder / "first", COMPILERS["CXX"], "-std=c++20",
                                         "-Wall", "-Wextra", "-Werror", "-Wconversion", "-Wshadow")
            self.assertEqual(run(folder / "first"), output)

    @unittest.skipUnless(shutil.which("rustc"), "no rustc")
    def test_example_in_rust(self):
        folder = self.new_folder("rust")
        (folder / "sort.rs").write_text(code_blocks("rust")[0])
        run("rustc", "-L", self.lib, "-C", f"link-arg=-Wl,-rpath,{self.lib}", folder / "sort.rs", "-o", folder / "sort")
        self.assertEqual(run(folder / "sort"), "[1, 2, 3]\n")

    @unittest.skipUnless(shutil.which("go"), "no go")
    def test_example_in_go(self):
        folder = self.new_folder("go")
        (folder / "sort.go").write_text(code_blocks("go")[0])
        run("go", "build", "-o", folder / "sort", folder / "sort.go",
            env={"PKG_CONFIG_PATH": str(self.lib / "pkgconfig"), "CGO_LDFLAGS": f"-Wl,-rpath,{self.lib}",
                 "GOCACHE": str(folder / "cache"), "GOFLAGS": "-mod=mod", "GO111MODULE": "off"})
        self.assertEqual(run(folder / "sort"), "[1 2 3]\n")


if __name__ == "__main__":
    unittest.main()
