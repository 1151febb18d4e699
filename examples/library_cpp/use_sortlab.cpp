// Sorts keys, keys with values, indices, and items of your own type; finds the best of many.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <random>
#include <sortlab/segments.hpp>
#include <sortlab/sort.hpp>
#include <sortlab/top_k.hpp>
#include <string>
#include <vector>

struct City {
  std::string name;
  double latitude;
};

int main() {
  std::mt19937_64 random(12345);
  std::vector<std::uint64_t> keys(1'000'000);
  for (auto& key : keys) key = random();
  sortlab::sort(keys);
  std::printf("smallest of %zu keys: %llu\n", keys.size(),
              static_cast<unsigned long long>(keys[0]));

  std::vector<float> prices = {9.5f, 1.25f, 4.0f};
  std::vector<std::string> names = {"pear", "plum", "fig"};
  std::vector<unsigned> order(prices.size());
  sortlab::argsort(prices, order);
  for (const unsigned i : order) std::printf("%s %.2f\n", names[i].c_str(), prices[i]);

  std::vector<City> cities = {{"Oslo", 59.9}, {"Quito", -0.2}, {"Tunis", 36.8}};
  const double home = 40;
  sortlab::sort(cities, [home](const City& a, const City& b) {
    return std::abs(a.latitude - home) < std::abs(b.latitude - home);
  });
  std::printf("nearest latitude: %s\n", cities[0].name.c_str());
  sortlab::sort(cities, &City::latitude);
  std::printf("southernmost: %s\n", cities[0].name.c_str());

  std::vector<int> scores = {3, 1, 2, 9, 8};  // of three players, one of whom has none
  sortlab::segmented_sort(scores, std::vector<int>{0, 3, 3, 5});
  std::printf("lowest scores: %d and %d\n", scores[0], scores[3]);

  std::vector<float> best(2);
  sortlab::top_k(prices, 2, best, order, {.order = sortlab::Order::descending});
  std::printf("dearest: %s %.2f, %s %.2f\n", names[order[0]].c_str(), best[0],
              names[order[1]].c_str(), best[1]);
}
