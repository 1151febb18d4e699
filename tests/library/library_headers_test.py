"""The library's headers call no function of a user's that only has the same name as one of theirs: every name that they
call or declare is planted in the namespace of the items, as functions that must not be chosen. And what a project's flags do to the headers."""

import os
import pathlib
import re
import subprocess
import tempfile
import unittest

HEADERS = pathlib.Path(__file__).resolve().parent.parent.parent / "include"
CXX = os.environ.get("SORTLAB_CXX", "c++")

# swap is for users to define: the standard's sorts call it.
NO_NAMES = set("""alignas alignof asm bool catch consteval constexpr decltype defined delete explicit for if noexcept operator requires
    new return sizeof static_assert static_cast switch swap throw typeid while const_cast reinterpret_cast""".split())

PROGRAM = """
#include <algorithm>
#include <cstdint>
#include <execution>
#include <functional>
#include <span>
#include <tuple>
#include <vector>

namespace shop {
struct Item { unsigned price, id, stock; };
struct Cheaper {
  bool operator()(const Item& a, const Item& b) const { return a.price < b.price; }
};
enum class Size : std::uint8_t { small, large };
#define PLANT(name)                                                              \\
  template <class A, class... B> void name(A&&, B&&...) = delete;                \\
  template <class... B> void name(Item*, B&&...) = delete;                       \\
  template <class... B> void name(const Item*, B&&...) = delete;                 \\
  template <class... B> void name(Size*, B&&...) = delete;                       \\
  template <class... B> void name(std::vector<Item>&, B&&...) = delete;          \\
  template <class... B> void name(const std::vector<Item>&, B&&...) = delete;    \\
  template <class... B> void name(std::span<Item>, B&&...) = delete;             \\
  template <class... B> void name(Cheaper&, B&&...) = delete;
NAMES
}

#include <sortlab/execution.hpp>

int main() {
  std::vector<shop::Item> items(10);
  std::vector<shop::Size> sizes(10);
  std::vector<unsigned> numbers(10);
  shop::Cheaper cheaper;
  std::sort(items.begin(), items.end(), cheaper);
  std::stable_sort(items.begin(), items.end(), cheaper);
#ifndef CONTROL_ONLY
  sortlab::sort(items, cheaper);
  sortlab::sort(items, cheaper, {.order = sortlab::Order::descending});
  sortlab::sort(items.begin(), items.end(), cheaper);
  sortlab::stable_sort(items, cheaper);
  sortlab::stable_sort(items.begin(), items.end(), cheaper);
  sortlab::sort(items, &shop::Item::price);
  sortlab::stable_sort(items, [](const shop::Item& item) { return std::tie(item.price, item.id, item.stock); });
  sortlab::sort(items.begin(), items.end(), {}, &shop::Item::id);
  sortlab::sort(items, cheaper, std::identity());
  sortlab::sort(sizes);
  sortlab::sort(sizes.begin(), sizes.end(), {.threads = 1});
  sortlab::stable_sort(sizes);
  sortlab::sort(sizes, std::less<>());
  sortlab::sort_by_key(sizes, items);
  sortlab::sort_by_key(numbers.begin(), numbers.end(), items.begin());
  sortlab::argsort(sizes, numbers);
  sortlab::Sorter sorter;
  sorter.sort(items, cheaper);
  sorter.sort(items, &shop::Item::stock);
  sorter.sort(sizes);
  sorter.sort_by_key(sizes, items);
  sorter.argsort(sizes, numbers);
  sortlab::sort(std::execution::par, items, cheaper);
  sortlab::stable_sort(std::execution::seq, items.begin(), items.end(), cheaper);
  sortlab::sort(std::execution::par, sizes);
  sortlab::sort_by_key(std::execution::par, sizes, items);
#endif
}
"""


def names():
    """What stands before a parenthesis in a header, perhaps with template arguments between."""
    found = set()
    for header in (HEADERS / "sortlab").glob("**/*.hpp"):
        if "cuda" in str(header.relative_to(HEADERS)):
            continue
        text = re.sub(r"//.*|^ *#.*", "", header.read_text(encoding="utf-8"), flags=re.MULTILINE)
        found.update(re.findall(r"\b([a-z]\w*)(?:<[\w:, ]*>)?\(", text))
    return sorted(found - NO_NAMES)


def compile_program(planted, *flags):
    """The program above, with these names planted."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "names.cpp")
        file.write_text(PROGRAM.replace("NAMES", "\n".join(f"PLANT({name})" for name in planted)), encoding="utf-8")
        return subprocess.run([CXX, "-fsyntax-only", "-D_GLIBCXX_USE_TBB_PAR_BACKEND=0", f"-I{HEADERS}", *flags, str(file)],
                              capture_output=True, text=True, check=False)


class Names(unittest.TestCase):
    def test_are_not_called_in_the_items_namespace(self):
        planted = names()
        self.assertGreater(len(planted), 60)
        self.assertTrue({"size_of", "sort_keys", "sort_items", "merge", "on_team"} <= set(planted), planted)
        control = compile_program(planted, "-std=c++20", "-DCONTROL_ONLY")
        self.assertEqual(control.returncode, 0, control.stderr)
        done = compile_program(planted, "-std=c++20")
        self.assertEqual(done.returncode, 0, done.stderr)


FEW = """
#include <array>
#include <cstdlib>
#include <sortlab/sort.hpp>

int sortlab_sort(void*, size_t, int, const sortlab_options*) { std::abort(); }
int sortlab_sort_pairs(void*, void*, size_t, int, size_t, const sortlab_options*) { std::abort(); }
int sortlab_argsort(const void*, void*, size_t, int, size_t, const sortlab_options*) { std::abort(); }
const char* sortlab_error_text(int) { std::abort(); }

int main() {
  std::array<unsigned, 8> keys = {7, 3, 1, 6, 2, 5, 4, 0}, order, values = keys;
  std::array<double, 2> two = {2, 1};
  sortlab::argsort(keys, order);
  sortlab::sort(keys);
  sortlab::sort_by_key(values, order, {.order = sortlab::Order::descending, .threads = 1});
  sortlab::sort(two.begin(), two.end(), {.floats = sortlab::Floats::nans_last});
  for (unsigned i = 0; i < 8; ++i) {
    if (keys[i] != i || values[i] != 7 - i) return 1;
  }
  return two[0] != 1;
}
"""


class FewKeys(unittest.TestCase):
    def test_are_sorted_without_a_call_of_the_library(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "few.cpp")
            file.write_text(FEW, encoding="utf-8")
            subprocess.run([CXX, "-std=c++20", f"-I{HEADERS}", str(file), "-o", folder + "/few"], check=True)
            self.assertEqual(subprocess.run([folder + "/few"], check=False).returncode, 0)


class Flags(unittest.TestCase):
    """What can't work is one error that says what to do."""

    def errors(self, header, *flags):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "flags.cpp")
            file.write_text(f"#include <sortlab/{header}>\n", encoding="utf-8")
            done = subprocess.run([CXX, "-fsyntax-only", f"-I{HEADERS}", *flags, str(file)], capture_output=True, text=True,
                                  check=False)
        return [line for line in done.stderr.splitlines() if "error:" in line]

    def test_of_other_languages(self):
        for header in ("sort.hpp", "execution.hpp"):
            for flags, word in ((["-std=c++17"], "needs C++20"), (["-std=c++14"], "needs C++20"),
                                (["-std=c++20", "-fno-exceptions"], "works with -fno-exceptions")):
                with self.subTest(header=header, flags=flags):
                    errors = self.errors(header, *flags)
                    self.assertEqual(len(errors), 1, errors)
                    self.assertIn(word, errors[0])

    def test_of_a_careful_project(self):
        """A project's warnings hold for headers that it includes, too."""
        careful = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wsign-conversion", "-Wshadow", "-Wold-style-cast",
                   "-Wnull-dereference", "-Wundef", "-Wcast-align", "-Wdouble-promotion", "-Wfloat-equal", "-Werror"]
        for flags in (["-std=c++20", "-fno-rtti", "-ffast-math", *careful], ["-std=gnu++2b", "-funsigned-char", *careful],
                      ["-std=c++20", "-D_GLIBCXX_DEBUG", "-D_GLIBCXX_ASSERTIONS"]):
            with self.subTest(flags):
                done = compile_program([], *flags)
                self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
