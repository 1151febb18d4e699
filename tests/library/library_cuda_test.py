#!/usr/bin/env python3
"""sortlab::cuda as its users get it: what is installed, the example, the flags, and what a wrong call says."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = pathlib.Path(os.environ["SORTLAB_BIN"])
NVCC = os.environ["SORTLAB_NVCC"]
ARCHITECTURES = os.environ["SORTLAB_CUDA_ARCHITECTURES"]
NO_GPU = 77  # the example's exit code


def attempt(*command, **options):
    done = subprocess.run([str(part) for part in command], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, **options)
    return done.returncode, done.stdout


def run(*command, **options):
    """The output of a command; raises an error with it if the command fails."""
    code, output = attempt(*command, **options)
    if code != 0:
        raise AssertionError(f"{command} failed:\n{output}")
    return output


# A call that can't be compiled, and the one line that says why.
WRONG_CALLS = {
    "sortlab::cuda::sort_keys(p, 9);": "a key is an integer of 1 to 8 bytes, an enumeration without an operator< of its own",
    "sortlab::cuda::argsort(k, f, 9);": "an index is an integer of 4 or 8 bytes",
    "sortlab::cuda::sort(p, 9, &on_host);": "a pointer to a host function can't be called on the GPU",
    "sortlab::cuda::sort(p, 9, NotConst{});": "is its operator() const",
    "sortlab::cuda::sort(p, 9, Owner{});": "a comparison must be trivially copyable",
    "sortlab::cuda::sort(o, 9, ByOwner{});": "an item must be trivially copyable",
    "sortlab::cuda::sort_pairs(k, o, 9);": "a value must be trivially copyable",
}
DECLARATIONS = """#include <sortlab/cuda.cuh>
#include <string>
struct Point { float x, y; };
struct Named { std::string name; };
struct NotConst { __device__ bool operator()(const Point& a, const Point& b) { return a.x < b.x; } };
struct Owner {
  std::string name;
  __host__ __device__ bool operator()(const Point& a, const Point& b) const { return a.x < b.x; }
};
struct ByOwner { __device__ bool operator()(const Named&, const Named&) const { return false; } };
bool on_host(const Point& a, const Point& b) { return a.x < b.x; }
Point* p; int* k; float* f; Named* o;
"""


# Names of functions in the namespace of a program's types, which no call in the headers may reach.
PLANTED = """#include <cuda_runtime.h>
#include <cstdint>
namespace shop {
struct Item { unsigned price, id, stock; };
struct Large { unsigned price, rest[40]; };
struct Cheaper {
  template <class T>
  __host__ __device__ bool operator()(const T& a, const T& b) const { return a.price < b.price; }
};
enum class Size : std::uint8_t { small, large };
#define PLANT_FOR(name, type) template <class... B> __host__ __device__ void name(type, B&&...) = delete;
#define PLANT(name)                                                           \\
  template <class A, class... B> __host__ __device__ void name(A&&, B&&...) = delete; \\
  PLANT_FOR(name, Item*) PLANT_FOR(name, const Item*) PLANT_FOR(name, Large*)         \\
  PLANT_FOR(name, const Large*) PLANT_FOR(name, Size*) PLANT_FOR(name, const Size*)   \\
  PLANT_FOR(name, const Cheaper&)                                                     \\
  template <template <class...> class W, class... A, class... B>                      \\
  __host__ __device__ void name(W<Item, A...>&, B&&...) = delete;                     \\
  template <template <class...> class W, class... A, class... B>                      \\
  __host__ __device__ void name(const W<Item, A...>&, B&&...) = delete;
NAMES
}
#include <sortlab/cuda.cuh>
#ifndef CONTROL_ONLY
void sort(shop::Item* items, shop::Large* large, shop::Size* sizes, unsigned* numbers, void* temp, std::size_t bytes,
          std::size_t n) {
  const shop::Cheaper less;
  sortlab::cuda::sort_keys(temp, bytes, sizes, sizes, n);
  sortlab::cuda::sort_keys(sizes, n);
  sortlab::cuda::sort_pairs(sizes, items, n);
  sortlab::cuda::sort_pairs(numbers, large, n);
  sortlab::cuda::argsort(sizes, numbers, n);
  sortlab::cuda::sort(items, n, less);
  sortlab::cuda::sort(large, n, less);
  sortlab::cuda::stable_sort(items, n, less);
  sortlab::cuda::sort_pairs(items, large, n, less);
  sortlab::cuda::argsort(large, numbers, n, less);
}
#endif
"""
NO_NAMES = set("""alignas alignof asm bool catch const_cast consteval constexpr decltype defined delete double explicit float
    for if int new noexcept operator reinterpret_cast requires return sizeof static_assert static_cast switch template throw
    typeid unsigned void volatile while""".split())


class LibraryCuda(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.prefix = pathlib.Path(cls.folder.name) / "prefix"
        for component in "library", "cuda":
            run("cmake", "--install", BUILD, "--component", component, "--prefix", cls.prefix)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def new_folder(self, name):
        folder = pathlib.Path(self.folder.name) / name
        folder.mkdir()
        return folder

    def test_installs_headers_under_sortlab_alone(self):
        headers = self.prefix / "include"
        self.assertEqual([entry.name for entry in headers.iterdir()], ["sortlab"])
        self.assertTrue((headers / "sortlab/cuda.cuh").exists())
        for header in headers.rglob("*"):
            if header.is_file():
                for name in re.findall(r'#include "([^"]+)"', header.read_text()):
                    self.assertTrue((headers / name).exists(), f"{header} includes {name}")

    def test_the_host_library_is_installed_without_it(self):
        prefix = self.new_folder("host")
        run("cmake", "--install", BUILD, "--component", "library", "--prefix", prefix)
        self.assertEqual([path.name for path in prefix.rglob("*cuda*")], [])

    def test_example_with_an_installed_library(self):
        folder = self.new_folder("example")
        shutil.copytree(ROOT / "examples/library_cuda", folder / "source")
        run("cmake", "-S", folder / "source", "-B", folder / "build", "-G", "Ninja",
            f"-DCMAKE_PREFIX_PATH={self.prefix}", "-DCMAKE_BUILD_TYPE=Release",
            f"-DCMAKE_CUDA_ARCHITECTURES={ARCHITECTURES}", f"-DCMAKE_CUDA_COMPILER={NVCC}")
        run("cmake", "--build", folder / "build")
        code, output = attempt(folder / "build/use_sortlab")
        self.assertIn("16777216 keys take ", output)
        self.assertIn(code, (0, NO_GPU), output)
        if code == 0:
            self.assertIn("nearest latitude: Tunis\n10: 0.1\n20: 0.2\n30: 0.3\nsegments: 1 2 3 | 8 9\n", output)

    def test_headers_leave_out_what_takes_long_to_compile(self):
        source = self.new_folder("light") / "light.cu"
        source.write_text("#include <sortlab/cuda.cuh>\n")
        files = run(NVCC, "-std=c++20", "--expt-relaxed-constexpr", "-M", f"-I{self.prefix}/include", source).split()
        heavy = [file for file in files if re.search(
            r"/(cooperative_groups\.h|cuda/atomic|cuda/std/functional|c\+\+/[\d.]+/(algorithm|functional|map|mutex))$",
            file)]
        self.assertIn(f"{self.prefix}/include/sortlab/cuda.cuh", files)
        self.assertEqual(heavy, [])

    def test_example_compiles_for_the_oldest_and_the_newest_gpus(self):
        flags = ("-std=c++20", "--expt-relaxed-constexpr", "--extended-lambda", f"-I{self.prefix}/include", "-c")
        out = self.new_folder("others") / "out.o"
        for virtual in "compute_75", "compute_120":
            run(NVCC, *flags, f"-arch={virtual}", "-Xcicc", "-O0", "-o", out,
                ROOT / "examples/library_cuda/use_sortlab.cu")

    def test_a_wrong_call_is_explained_in_one_line(self):
        folder = self.new_folder("wrong")
        for number, (call, reason) in enumerate(WRONG_CALLS.items()):
            source = folder / f"wrong{number}.cu"
            source.write_text(f"{DECLARATIONS}int main() {{ {call} }}\n")
            code, output = attempt(NVCC, "-std=c++20", "--expt-relaxed-constexpr", "-arch=compute_90", "-ptx",
                                   "-o", folder / "out", f"-I{self.prefix}/include", source)
            self.assertNotEqual(code, 0, call)
            lines = [line for line in output.splitlines() if "sortlab::cuda: " in line]
            self.assertTrue(any(reason in line for line in lines), f"{call}:\n{output}")

    def test_no_function_of_a_program_is_called_for_its_name(self):
        folder = self.new_folder("names")
        flags = ("-std=c++20", "--expt-relaxed-constexpr", "-arch=compute_90", f"-I{self.prefix}/include")
        source = folder / "names.cu"
        source.write_text("#include <sortlab/cuda.cuh>\n")
        names = set()
        for header in run(NVCC, *flags, "-M", source).split():
            if header.startswith(f"{self.prefix}/"):
                text = re.sub(r"//.*|^ *#.*", "", pathlib.Path(header).read_text(), flags=re.MULTILINE)
                names.update(re.findall(r"\b([a-z]\w*)(?:<[\w:, ]*>)?\(", text))
        names = {name for name in names - NO_NAMES if not name.startswith("__")}
        self.assertTrue({"at_lane", "launch_team", "start_copy", "copy"} < names, names)
        source.write_text(PLANTED.replace("NAMES", "\n".join(f"PLANT({name})" for name in sorted(names))))
        for control in (("-DCONTROL_ONLY",), ()):
            run(NVCC, *flags, *control, "-ptx", "-Xcicc", "-O0", "-o", folder / "out", source)


if __name__ == "__main__":
    unittest.main()
