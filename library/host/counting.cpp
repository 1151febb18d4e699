#include "library/host/counting.hpp"

#include <algorithm>
#include <cstring>

#include "common/threads/team.hpp"
#include "library/host/auto_sort.hpp"
#include "library/host/narrow_keys.hpp"

namespace sortlab::library {
namespace {

using SmallCount = std::uint32_t;
using LargeCount = std::uint64_t;

/// So many keys are worth the counts of another thread.
constexpr std::size_t kKeysPerThread = std::size_t{1} << 18;

std::size_t bins_of(Keys type) { return std::size_t{1} << (8 * type.bytes()); }

/// The same key in a row would wait for its count, so several tables take turns.
constexpr std::size_t tables_for(std::size_t key_bytes) { return key_bytes == 1 ? 4 : 2; }

int most_threads(std::size_t n, int threads) {
  const std::size_t most = std::max<std::size_t>(n / kKeysPerThread, 1);
  return static_cast<int>(std::min<std::size_t>(most, static_cast<std::size_t>(threads)));
}

/// `Count`: an integer that can number all keys. Small ones take less of a cache.
template <class Code, class Count>
class CountingSort {
 public:
  using Bits = typename Code::Bits;

  CountingSort(const SortCall& call, Code code, int threads, Count* counts)
      : keys_(static_cast<Bits*>(call.keys)),
        n_(call.n),
        code_(code),
        threads_(threads),
        counts_(counts),
        ends_(counts_of(threads)) {}

  void run() const {
    threads::on_all_threads(threads_, [&](int t) { count(t); });
    add_up();
    threads::for_each_chunk(n_, threads_,
                            [&](std::size_t first, std::size_t last) { write(first, last); });
  }

 private:
  static constexpr std::size_t kBins = std::size_t{1} << (8 * sizeof(Bits));
  static constexpr std::size_t kTables = tables_for(sizeof(Bits));
  static constexpr std::size_t kAtOnce = 32 / sizeof(Bits);

  Count* counts_of(int t) const { return counts_ + static_cast<std::size_t>(t) * kTables * kBins; }

  void count(int t) const {
    Count* const counts = counts_of(t);
    std::memset(counts, 0, kTables * kBins * sizeof(Count));
    std::size_t i = threads::chunk_begin(n_, threads_, t);
    const std::size_t last = threads::chunk_begin(n_, threads_, t + 1);
    for (; i + kTables <= last; i += kTables) {
      for (std::size_t table = 0; table < kTables; ++table) {
        ++counts[table * kBins + keys_[i + table]];
      }
    }
    for (; i < last; ++i) ++counts[keys_[i]];
  }

  /// The key of a place in the result's order.
  Bits key_at(std::size_t place) const {
    const auto number = static_cast<Bits>(place);
    return code_.key(code_.order == Order::ascending ? number : static_cast<Bits>(~number));
  }

  /// Where each key ends in the result, by place.
  void add_up() const {
    Count sum = 0;
    for (std::size_t place = 0; place < kBins; ++place) {
      const Bits key = key_at(place);
      for (const Count* counts = counts_; counts != ends_; counts += kBins) sum += counts[key];
      ends_[place] = sum;
    }
  }

  /// Most keys are few, so the first of them are written by one store, which may go beyond their end: the next
  /// keys overwrite that.
  void write(std::size_t first, std::size_t last) const {
    const Count* end_of_key = std::upper_bound(ends_, ends_ + kBins, first);
    for (std::size_t at = first; at < last; ++end_of_key) {
      const Bits key = key_at(static_cast<std::size_t>(end_of_key - ends_));
      const std::size_t end = std::min<std::size_t>(*end_of_key, last);
      if (last - at >= kAtOnce) {
        std::fill_n(keys_ + at, kAtOnce, key);
        at += kAtOnce;
      }
      if (at < end) std::fill(keys_ + at, keys_ + end, key);
      at = end;
    }
  }

  Bits* keys_;
  std::size_t n_;
  Code code_;
  int threads_;
  Count* counts_;
  Count* ends_;
};

}  // namespace

bool is_worth_counting(Keys type, std::size_t n) {
  return type.is_narrow() && n >= (type.bytes() == 1 ? 2048 : std::size_t{1} << 18);
}

std::size_t counting_bytes(const SortCall& call, std::size_t most_small_counts) {
  const auto crew = static_cast<std::size_t>(most_threads(call.n, call.settings.threads));
  const std::size_t counts = (crew * tables_for(call.type.bytes()) + 1) * bins_of(call.type);
  return aligned(counts * (call.n <= most_small_counts ? sizeof(SmallCount) : sizeof(LargeCount)));
}

void count_and_write(const SortCall& call, std::byte* scratch, std::size_t most_small_counts) {
  const int most = most_threads(call.n, call.settings.threads);
  const int threads = most == 1 ? 1 : team::at_hand(most);
  visit_narrow(call.type, call.settings, [&](auto code) {
    const auto run = [&]<class Count>(Count* counts) {
      CountingSort(call, code, threads, counts).run();
    };
    if (call.n <= most_small_counts) return run(reinterpret_cast<SmallCount*>(scratch));
    run(reinterpret_cast<LargeCount*>(scratch));
  });
}

}  // namespace sortlab::library
