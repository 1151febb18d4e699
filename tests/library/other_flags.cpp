// A program that other people's flags compile (tests/library/library_test.py): each call of the library once, on two threads,
// with results that it checks by bits. With an argument its comparison has a data race.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sortlab/sort.hpp>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

namespace {

constexpr unsigned kMany = 8192;

// Of the data race.
int comparisons = 0;
const std::thread::id main_thread = std::this_thread::get_id();
std::atomic<bool> has_other_thread = false;

struct Record {
  char kind;
  std::uint64_t key;
  std::string text;
};

void require(bool is_right, const char* call) {
  if (is_right) return;
  std::printf("wrong: %s\n", call);
  std::exit(1);
}

std::vector<Record> records() {
  std::vector<Record> all(kMany);
  for (unsigned i = 0; i < kMany; ++i) {
    all[i] = {static_cast<char>(i % 7), (i + 1) * 2654435761u, std::to_string(i * 7919 % kMany)};
  }
  return all;
}

void sort_items(bool has_race) {
  auto items = records();
  const auto by_text = [=](const Record& a, const Record& b) {
    if (has_race) {
      // Both threads sleep between their comparisons, so that neither is done before the other begins.
      if (++comparisons % 256 == 0) std::this_thread::sleep_for(std::chrono::microseconds(100));
      if (std::this_thread::get_id() != main_thread) {
        has_other_thread.store(true, std::memory_order_relaxed);
      }
    }
    return a.text < b.text;
  };
  sortlab::sort(items, by_text, {.threads = 2});
  require(std::is_sorted(items.begin(), items.end(), by_text), "sort by a comparison");
  sortlab::stable_sort(items, &Record::key, {.threads = 2});
  require(std::ranges::is_sorted(items, {}, &Record::key), "sort by a key");
  const auto kind_and_key = [](const Record& r) { return std::tie(r.kind, r.key); };
  sortlab::sort(items, kind_and_key, {.threads = 2});
  require(std::ranges::is_sorted(items, {}, kind_and_key), "sort by a tuple");
}

void sort_keys(std::size_t n) {
  std::vector<char> keys(n);
  std::vector<std::uint64_t> values(n), order(n);
  for (std::size_t i = 0; i < n; ++i) keys[i] = static_cast<char>((i + 1) * 2654435761u);
  const auto before = keys;
  sortlab::argsort(keys, order, {.threads = 2});
  for (std::size_t i = 0; i < n; ++i) values[i] = i;
  sortlab::sort_by_key(keys, values, {.threads = 2});
  require(std::is_sorted(keys.begin(), keys.end()) && values == order, "sort by key, argsort");
  for (std::size_t i = 0; i < n; ++i) require(before[values[i]] == keys[i], "values");
  keys = before;
  sortlab::sort(keys, {.order = sortlab::Order::descending, .threads = 2});
  require(std::is_sorted(keys.rbegin(), keys.rend()), "descending keys");
}

void put_nans_last(std::size_t n) {
  constexpr std::uint64_t kMinusNan = 0xFFF8000000000000;
  std::vector<double> keys(n);
  for (std::size_t i = 0; i < n; ++i) keys[i] = static_cast<double>(n - i);
  std::memcpy(&keys[n / 2], &kMinusNan, sizeof kMinusNan);
  sortlab::sort(keys, {.floats = sortlab::Floats::nans_last});
  std::uint64_t last;
  std::memcpy(&last, &keys[n - 1], sizeof last);
  require(last == kMinusNan, "NaNs last");
  require(std::is_sorted(keys.begin(), keys.end() - 1), "numbers before NaNs");
}

void sort_all() {
  sort_items(false);
  for (const std::size_t n : {std::size_t{5}, std::size_t{70'000}}) {
    sort_keys(n);
    put_nans_last(n);
  }
}

}  // namespace

int main(int arguments, char**) {
  if (arguments > 1) {
    int on_both_threads = 0;
    for (int i = 0; i < 1000 && on_both_threads < 10; ++i) {
      sort_items(true);
      on_both_threads += has_other_thread.exchange(false, std::memory_order_relaxed);
    }
    return 0;
  }
  sort_all();
  std::array<std::thread, 2> threads;
  for (auto& thread : threads) thread = std::thread(sort_all);
  for (auto& thread : threads) thread.join();
  sortlab::end_threads();
  sort_items(false);
  std::puts("right");
}
