// Measures the library's partial sorts, selections and top-k beside std's, VQSelect and VQPartialSort (Highway), and
// x86-simd-sort's qselect, partial_qsort and argselect, which are NumPy's. One thread; all calls of a cell take turns.
//
//   g++ -O3 -std=c++20 -Iinclude bench/partial_rivals.cpp -o partial_rivals -ldl
//   partial_rivals TYPE NS DISTS libsortlab.so[,older libsortlab.so] [RIVALS.so ..]      writes CSV to stdout
//
// A rival is a shared object with C functions (keys, n, k) named select_u32, partial_u32 and so on, for u32, u64, f32 and
// f64, and args_u32 with (keys, places, n, k); those of Highway have vq in front. What is missing has an empty column.
#include <dlfcn.h>
#include <sortlab/top_k.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <numeric>
#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  std::stringstream stream(text);
  for (std::string part; std::getline(stream, part, ',');) parts.push_back(part);
  return parts;
}

const char* const kDists[] = {"uniform",     "sorted",   "reverse",   "equal",    "organpipe",
                              "sawtooth",    "nearly",   "zipf",      "gaussian", "dups16",
                              "exponential", "rootdups", "twovalues", "staggered"};

/// Key i as a number of 32 bits.
std::vector<std::uint32_t> numbers(const std::string& dist, std::size_t n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::uint32_t> keys(n);
  const double step = 4294967295.0 / static_cast<double>(n);
  const auto root = static_cast<std::size_t>(std::sqrt(static_cast<double>(n)));
  std::normal_distribution<double> normal(2147483648.0, 3e8);
  std::exponential_distribution<double> exponential(10);
  for (std::size_t i = 0; i < n; ++i) {
    const double at = static_cast<double>(i) * step;
    double x = static_cast<double>(random() >> 32);
    if (dist == "sorted") x = at;
    if (dist == "reverse") x = 4294967295.0 - at;
    if (dist == "equal") x = 12345;
    if (dist == "organpipe") x = i < n / 2 ? at : 4294967295.0 - at;
    if (dist == "sawtooth") x = static_cast<double>(i % 1000) * 4e6;
    if (dist == "nearly" && random() % 100 != 0) x = at;
    if (dist == "zipf") x = 1e4 / (static_cast<double>(random() >> 40) / 16777216.0 + 1e-5);
    if (dist == "gaussian") x = std::clamp(normal(random), 0.0, 4294967295.0);
    if (dist == "dups16") x = static_cast<double>(random() % 16) * 1e6;
    if (dist == "exponential") x = std::min(exponential(random), 1.0) * 4294967295.0;
    if (dist == "rootdups") x = static_cast<double>(i % (root + 1));
    if (dist == "twovalues") x = static_cast<double>(random() % 2);
    if (dist == "staggered") x = i < n / 4 ? at : at / 4 + static_cast<double>(random() % 1000);
    keys[i] = static_cast<std::uint32_t>(x);
  }
  return keys;
}

template <class Key>
struct Names;
template <>
struct Names<std::uint32_t> {
  static constexpr const char* kName = "u32";
  static constexpr int kType = SORTLAB_TYPE_U32;
};
template <>
struct Names<std::uint64_t> {
  static constexpr const char* kName = "u64";
  static constexpr int kType = SORTLAB_TYPE_U64;
};
template <>
struct Names<float> {
  static constexpr const char* kName = "f32";
  static constexpr int kType = SORTLAB_TYPE_F32;
};
template <>
struct Names<double> {
  static constexpr const char* kName = "f64";
  static constexpr int kType = SORTLAB_TYPE_F64;
};

template <class Key>
std::vector<Key> keys_of(const std::string& dist, std::size_t n, std::uint64_t seed) {
  const std::vector<std::uint32_t> from = numbers(dist, n, seed);
  std::vector<Key> keys(n);
  for (std::size_t i = 0; i < n; ++i) {
    const bool has_few = dist == "equal" || dist == "dups16" || dist == "twovalues" ||
                         dist == "rootdups" || dist == "sawtooth";
    const std::uint64_t wide =
        std::uint64_t{from[i]} << 20 | (has_few ? 0 : i * 2654435761u >> 12 & 0xFFFFF);
    keys[i] = sizeof(Key) == 4 ? static_cast<Key>(from[i]) : static_cast<Key>(wide);
  }
  return keys;
}

template <class Key>
using InPlace = void (*)(Key*, std::size_t, std::size_t);
template <class Key>
using OfPlaces = void (*)(const Key*, std::size_t*, std::size_t, std::size_t);

/// What one library offers.
template <class Key>
struct Rival {
  std::string name;
  std::function<void(Key*, std::size_t, std::size_t)> select, partial;
  std::function<void(Key*, std::size_t*, std::size_t, std::size_t)> places;
  std::function<void(const Key*, Key*, std::size_t, std::size_t)> top;
  std::function<void(const Key*, Key*, std::uint64_t*, std::size_t, std::size_t)> top_places;
};

void* load(const std::string& path) {
  void* const found = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (found == nullptr) std::fprintf(stderr, "%s\n", dlerror());
  return found;
}
template <class F>
F symbol(void* from, const std::string& name) {
  return from == nullptr ? nullptr : reinterpret_cast<F>(dlsym(from, name.c_str()));
}

template <class Key>
Rival<Key> ours(const std::string& name, const std::string& path) {
  void* const library = load(path);
  static sortlab_options options{};
  options.size = sizeof options;
  options.threads = 1;
  constexpr int kType = Names<Key>::kType;
  const auto select = symbol<decltype(&sortlab_nth_element)>(library, "sortlab_nth_element");
  const auto partial = symbol<decltype(&sortlab_partial_sort)>(library, "sortlab_partial_sort");
  const auto top = symbol<decltype(&sortlab_top_k)>(library, "sortlab_top_k");
  using Argpartition =
      int (*)(const void*, void*, size_t, int, size_t, size_t, const sortlab_options*);
  const auto places = symbol<Argpartition>(library, "sortlab_argpartition");
  Rival<Key> rival{name, {}, {}, {}, {}, {}};
  if (select == nullptr) return rival;
  rival.select = [=](Key* keys, std::size_t n, std::size_t k) {
    select(keys, n, kType, k, &options);
  };
  rival.partial = [=](Key* keys, std::size_t n, std::size_t k) {
    partial(keys, n, kType, k, &options);
  };
  const auto call_top = [=](const Key* keys, Key* best, std::uint64_t* to, std::size_t n,
                            std::size_t k) {
    const sortlab_rows rows{sizeof(sortlab_rows), 1, n, n};
    sortlab_top asked{};
    asked.size = sizeof asked;
    asked.k = k;
    top(keys, kType, &rows, &asked, best, to, 8, &options);
  };
  rival.top = [=](const Key* keys, Key* best, std::size_t n, std::size_t k) {
    call_top(keys, best, nullptr, n, k);
  };
  rival.top_places = call_top;
  if (places != nullptr) {
    rival.places = [=](Key* keys, std::size_t* to, std::size_t n, std::size_t k) {
      places(keys, to, n, kType, k, 8, &options);
    };
  }
  return rival;
}

/// The top-k of those that select in place: in a copy.
template <class Key>
void add_top(Rival<Key>& rival) {
  if (rival.select) {
    rival.top = [select = rival.select](const Key* keys, Key* best, std::size_t n, std::size_t k) {
      static std::vector<Key> copy;
      copy.resize(n);
      std::copy_n(keys, n, copy.data());
      select(copy.data(), n, k - 1);
      std::copy_n(copy.data(), k, best);
    };
  }
  if (rival.places) {
    rival.top_places = [places = rival.places](const Key* keys, Key* best, std::uint64_t* to,
                                               std::size_t n, std::size_t k) {
      static std::vector<std::size_t> order;
      order.resize(n);
      places(const_cast<Key*>(keys), order.data(), n, k - 1);
      for (std::size_t i = 0; i < k; ++i) {
        to[i] = order[i];
        best[i] = keys[order[i]];
      }
    };
  }
}

template <class Key>
Rival<Key> standard() {
  Rival<Key> rival{"std", {}, {}, {}, {}, {}};
  rival.select = [](Key* keys, std::size_t n, std::size_t k) {
    std::nth_element(keys, keys + k, keys + n);
  };
  rival.partial = [](Key* keys, std::size_t n, std::size_t k) {
    std::partial_sort(keys, keys + k, keys + n);
  };
  rival.places = [](Key* keys, std::size_t* to, std::size_t n, std::size_t k) {
    std::iota(to, to + n, std::size_t{0});
    std::nth_element(to, to + k, to + n,
                     [keys](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
  };
  add_top(rival);
  return rival;
}

template <class Key>
Rival<Key> other(const std::string& path) {
  void* const library = load(path);
  const bool is_vq = path.find("vq") != std::string::npos;
  const std::string front = is_vq ? "vq" : "", type = std::string("_") + Names<Key>::kName;
  Rival<Key> rival{is_vq ? "vqselect" : "x86_simd_sort", {}, {}, {}, {}, {}};
  if (const auto call = symbol<InPlace<Key>>(library, front + "select" + type)) rival.select = call;
  if (const auto call = symbol<InPlace<Key>>(library, front + "partial" + type))
    rival.partial = call;
  if (const auto call = symbol<OfPlaces<Key>>(library, front + "args" + type)) {
    rival.places = [call](Key* keys, std::size_t* to, std::size_t n, std::size_t k) {
      std::iota(to, to + n, std::size_t{0});
      call(keys, to, n, k);
    };
  }
  add_top(rival);
  return rival;
}

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double median(std::vector<double> times) {
  if (times.empty()) return 0;
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

/// Lets the processor reach its clock for wide vectors, before the first cell.
template <class Key>
void warm_up(const std::vector<Rival<Key>>& rivals) {
  const std::vector<Key> keys = keys_of<Key>("uniform", 10'000, 1);
  std::vector<Key> work(keys.size());
  const Clock::time_point start = Clock::now();
  while (seconds_since(start) < 0.1) {
    for (const Rival<Key>& rival : rivals) {
      std::copy(keys.begin(), keys.end(), work.begin());
      if (rival.select) rival.select(work.data(), work.size(), work.size() / 2);
    }
  }
}

/// One cell: the calls of all rivals in turns. `check` says whether the result of the last call is right.
template <class Key, class Prepare, class Check>
void measure(const std::vector<Rival<Key>>& rivals, const char* op, const std::string& dist,
             std::size_t n, std::size_t k, int rounds,
             const std::vector<std::function<void(int)>>& calls, Prepare prepare, Check check) {
  std::vector<std::vector<double>> times(rivals.size());
  std::string wrong;
  const Clock::time_point begin = Clock::now();
  for (int round = n >= 10'000'000 ? 0 : -1; round < rounds; ++round) {
    if (round > 1 && seconds_since(begin) > 1.5) break;
    for (std::size_t turn = 0; turn < rivals.size(); ++turn) {
      // Each is the first at times: the first copy of an input leaves less of it in the caches.
      const std::size_t r = (turn + static_cast<std::size_t>(round + 1)) % rivals.size();
      if (!calls[r]) continue;
      prepare(round + 1);
      const Clock::time_point start = Clock::now();
      calls[r](round + 1);
      const double time = seconds_since(start);
      if (round >= 0) times[r].push_back(time);
      if (round == 0 && !check(round + 1)) wrong += rivals[r].name + " ";
    }
  }
  std::printf("%s,%s,%s,%zu,%zu", op, Names<Key>::kName, dist.c_str(), n, k);
  for (const auto& found : times)
    found.empty() ? std::printf(",") : std::printf(",%.2f", median(found) * 1e6);
  std::printf(",%s\n", wrong.empty() ? "yes" : wrong.c_str());
  std::fflush(stdout);
}

template <class Key>
void measure_cells(const std::vector<Rival<Key>>& rivals, const std::string& dist, std::size_t n) {
  const int versions = n <= 100'000 ? 8 : 1;
  std::vector<std::vector<Key>> inputs;
  for (int v = 0; v < versions; ++v)
    inputs.push_back(keys_of<Key>(dist, n, 12345u + static_cast<unsigned>(v)));
  std::vector<std::vector<Key>> sorted = inputs;
  for (auto& keys : sorted) std::sort(keys.begin(), keys.end());
  const auto at = [&](int round) { return static_cast<std::size_t>(round % versions); };
  std::vector<Key> work(n), best(n);
  std::vector<std::size_t> places(n);
  const int rounds = n <= 10'000 ? 25 : n <= 100'000 ? 7 : n <= 1'000'000 ? 4 : 2;
  for (const std::size_t k : {std::size_t{1}, std::size_t{50}, n / 100, n / 8, n / 2}) {
    if (n >= 10'000'000 && (k == 1 || k == n / 100)) continue;  // as 50
    const auto restore = [&](int round) { std::copy_n(inputs[at(round)].data(), n, work.data()); };
    // The same caches for all: else the second of two calls finds what the first has read and written.
    const auto refresh = [&](int round) {
      if (n > 100'000) return;
      restore(round);
      std::fill(places.begin(), places.end(), 0);
    };
    std::vector<std::function<void(int)>> calls(rivals.size());
    const auto each = [&](auto make) {
      for (std::size_t r = 0; r < rivals.size(); ++r) calls[r] = make(rivals[r]);
    };
    using Call = std::function<void(int)>;

    each([&](const Rival<Key>& rival) {
      return !rival.select ? Call() : Call([&](int) { rival.select(work.data(), n, k); });
    });
    measure(rivals, "nth_element", dist, n, k, rounds, calls, restore, [&](int round) {
      const Key key = sorted[at(round)][k];
      bool is_right = work[k] == key;
      for (std::size_t i = 0; i < n; ++i)
        is_right = is_right && (i < k ? work[i] <= key : work[i] >= key);
      return is_right;
    });

    if (k <= n / 8 || n <= 100'000) {
      each([&](const Rival<Key>& rival) {
        const bool is_slow = rival.name == "std" && k * n > 20'000'000'000u;
        return !rival.partial || is_slow ? Call()
                                         : Call([&](int) { rival.partial(work.data(), n, k); });
      });
      measure(rivals, "partial_sort", dist, n, k, rounds, calls, restore, [&](int round) {
        return std::equal(work.begin(), work.begin() + static_cast<std::ptrdiff_t>(k),
                          sorted[at(round)].begin());
      });
    }

    const auto are_best = [&](int round) {
      const std::vector<Key>& order = sorted[at(round)];
      const Key key = order[k - 1];
      const auto less = static_cast<std::size_t>(std::lower_bound(order.begin(), order.end(), key) -
                                                 order.begin());
      std::size_t found = 0;
      bool is_right = true;
      for (std::size_t i = 0; i < k; ++i) {
        found += best[i] < key ? 1 : 0;
        is_right = is_right && best[i] <= key;
      }
      return is_right && found == less;
    };
    each([&](const Rival<Key>& rival) {
      return !rival.top
                 ? Call()
                 : Call([&](int round) { rival.top(inputs[at(round)].data(), best.data(), n, k); });
    });
    measure(rivals, "top_k", dist, n, k, rounds, calls, refresh, are_best);
    if (n >= 100'000'000) continue;  // the rivals' places take minutes

    each([&](const Rival<Key>& rival) {
      return !rival.top_places ? Call() : Call([&](int round) {
        rival.top_places(inputs[at(round)].data(), best.data(), places.data(), n, k);
      });
    });
    measure(rivals, "top_k+places", dist, n, k, rounds, calls, refresh, [&](int round) {
      bool is_right = are_best(round);
      for (std::size_t i = 0; i < k; ++i)
        is_right = is_right && inputs[at(round)][places[i]] == best[i];
      return is_right;
    });

    each([&](const Rival<Key>& rival) {
      return !rival.places ? Call() : Call([&](int round) {
        rival.places(inputs[at(round)].data(), places.data(), n, k);
      });
    });
    measure(rivals, "argpartition", dist, n, k, rounds, calls, refresh, [&](int round) {
      const std::vector<Key>& keys = inputs[at(round)];
      const Key key = sorted[at(round)][k];
      std::vector<bool> seen(n);
      bool is_right = true;
      for (std::size_t i = 0; i < n && is_right; ++i) {
        const std::size_t place = places[i];
        is_right = place < n && !seen[place] &&
                   (i < k   ? keys[place] <= key
                    : i > k ? keys[place] >= key
                            : keys[place] == key);
        if (is_right) seen[place] = true;
      }
      return is_right;
    });
  }
}

template <class Key>
void run(char** arguments) {
  std::vector<Rival<Key>> rivals;
  for (const std::string& path : split(arguments[4])) {
    rivals.push_back(ours<Key>(rivals.empty() ? "sortlab" : "older", path));
  }
  rivals.push_back(standard<Key>());
  for (char** path = arguments + 5; *path != nullptr; ++path) rivals.push_back(other<Key>(*path));
  warm_up(rivals);
  std::printf("call,key_type,distribution,n,k");
  for (const Rival<Key>& rival : rivals) std::printf(",%s_us", rival.name.c_str());
  std::printf(",verified\n");
  std::vector<std::string> dists = split(arguments[3]);
  if (dists == std::vector<std::string>{"all"}) dists.assign(std::begin(kDists), std::end(kDists));
  for (const std::string& n : split(arguments[2])) {
    for (const std::string& dist : dists) measure_cells(rivals, dist, std::stoull(n));
  }
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 5)
    return std::fprintf(stderr, "partial_rivals TYPE NS DISTS LIBRARY[,OLDER] [RIVAL ..]\n"), 2;
  const std::string type = arguments[1];
  if (type == "u32") run<std::uint32_t>(arguments);
  if (type == "u64") run<std::uint64_t>(arguments);
  if (type == "f32") run<float>(arguments);
  if (type == "f64") run<double>(arguments);
}
