// The kernels of gpu/segments/by_class on the CPU: lists of classes, the partition of large segments over several levels
// and blocks, and the sorts of warps and blocks; segments of all lengths, with gaps, and ones that are wrong.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <string>

#include "tests/on_cpu/device_on_cpu.hpp"
// The words of CUDA come first.
#include "gpu/segments/by_class/large.cuh"

namespace sortlab::gpu::segments {
namespace {

using tests::Block;
using tests::Turns;

struct Barrier {
  void sync() const { Block::wait_in_grid(Block::arrive_in_grid()); }
};

constexpr unsigned kBlocks = 3;

/// An array that ends where a page ends that nobody may touch.
template <class T>
class GuardedArray {
 public:
  explicit GuardedArray(const std::vector<T>& items) : count_(items.size()) {
    const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t used = (count_ * sizeof(T) + page - 1) / page * page;
    bytes_ = used + page;
    memory_ = static_cast<std::byte*>(
        mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    mprotect(memory_ + used, page, PROT_NONE);
    items_ = reinterpret_cast<T*>(memory_ + used) - count_;
    std::copy(items.begin(), items.end(), items_);
  }
  ~GuardedArray() { munmap(memory_, bytes_); }
  GuardedArray(const GuardedArray&) = delete;
  GuardedArray& operator=(const GuardedArray&) = delete;
  T* data() const { return items_; }
  std::vector<T> items() const { return {items_, items_ + count_}; }

 private:
  std::size_t count_;
  std::size_t bytes_;
  std::byte* memory_;
  T* items_;
};

template <class Bits, class Value>
struct Case {
  static constexpr bool kPairs = Items<Bits, Value>::kPairs;
  std::vector<Bits> keys;
  std::vector<std::uint32_t> values;
  std::vector<std::uint32_t> begins, ends;
  bool are_numbered = false;
  bool are_floats = false;  // keys in order, as bits
  bool are_wide = false;    // numbers of 64 bits
  bool are_far = false;     // of these, numbers beyond the items are 2^32 larger

  /// What is expected of both arrays.
  void sort_on_host(std::vector<Bits>& k, std::vector<std::uint32_t>& v) const {
    for (std::size_t s = 0; s < begins.size(); ++s) {
      std::vector<std::uint32_t> order(ends[s] - begins[s]);
      std::iota(order.begin(), order.end(), 0u);
      std::stable_sort(order.begin(), order.end(), [&](unsigned a, unsigned b) {
        return keys[begins[s] + a] < keys[begins[s] + b];
      });
      for (std::size_t i = 0; i < order.size(); ++i) {
        k[begins[s] + i] = keys[begins[s] + order[i]];
        v[begins[s] + i] = are_numbered ? order[i] : values[begins[s] + order[i]];
      }
    }
  }

  void sort(Turns turns) {
    const std::size_t n = keys.size();
    const GuardedArray guarded_keys(keys), other_keys(std::vector<Bits>(n, 1));
    const GuardedArray guarded_values(values), other_values(std::vector<std::uint32_t>(n, 1));
    Cut cut;
    cut.count = begins.size();
    const bool are_offsets = std::equal(begins.begin() + 1, begins.end(), ends.begin());
    std::vector<std::uint32_t> numbers = begins;
    numbers.insert(numbers.end(), are_offsets ? ends.end() - 1 : ends.begin(), ends.end());
    std::vector<std::uint64_t> wide(numbers.begin(), numbers.end());
    for (auto& number : wide) {
      if (are_far && number > n) number += std::uint64_t{1} << 32;
    }
    const std::size_t first_end = are_offsets ? 1 : cut.count;
    cut.begins = are_wide ? static_cast<const void*>(wide.data()) : numbers.data();
    cut.ends = are_wide ? static_cast<const void*>(&wide[first_end]) : &numbers[first_end];
    cut.is_wide = are_wide;
    const auto items = [](const auto& k, [[maybe_unused]] const auto& v) {
      Items<Bits, Value> all;
      all.keys = k.data();
      if constexpr (kPairs) all.values = v.data();
      return all;
    };
    const Items<Bits, Value> data = items(guarded_keys, guarded_values);
    const Value* source_values = nullptr;
    if constexpr (kPairs) source_values = are_numbered ? nullptr : guarded_values.data();
    using TheLists = Lists<Bits, Value>;
    std::vector<std::byte> workspace(TheLists(nullptr, n, cut.count, n, false).bytes + 256,
                                     std::byte{0xa5});
    auto* const at = reinterpret_cast<std::byte*>(
        (reinterpret_cast<std::uintptr_t>(workspace.data()) + 255) / 256 * 256);
    constexpr Bits kZero = Bits{1} << (8 * sizeof(Bits) - 1);
    const KeyScale<Bits> scale = {are_floats ? kZero : 0, !are_floats         ? 0u
                                                          : sizeof(Bits) == 8 ? 52u
                                                                              : 23u};
    const Members<Bits, Value> members{
        {data.keys, source_values, data, items(other_keys, other_values), n, {}, scale, nullptr},
        cut,
        TheLists(at, n, cut.count, n, false),
        kNoClass};
    Block::run_grid(kBlocks, kLargeThreads, turns,
                    [&] { list_segments<Barrier, Bits, Value>(members); });
    sort_short_on_blocks<0>(members, turns);
    sort_short_on_blocks<1>(members, turns);
    sort_short_on_blocks<2>(members, turns);
    keys = guarded_keys.items();
    values = guarded_values.items();
  }

  template <unsigned kShape>
  static void sort_short_on_blocks(const Members<Bits, Value>& members, Turns turns) {
    using Kernel = ShortKernel<kShape, Bits, Value>;
    static_assert(Kernel::kBytes <= sizeof(s_dynamic));
    Block::run_grid(
        2, Kernel::Shape::kThreads, turns,
        [&] { sort_short<kShape, Bits, Value>(members, kShape == 2); }, Kernel::kBytes);
  }
};

template <class Bits>
std::vector<Bits> keys_of(const std::string& kind, std::size_t n) {
  std::mt19937_64 random(n);
  std::vector<Bits> keys(n);
  for (auto& key : keys) {
    const std::uint64_t word = random();
    key = static_cast<Bits>(
        kind == "random"                    ? word
        : kind == "few"                     ? word % 3
        : kind == "floats" && word % 4 == 0 ? std::uint64_t{1} << (8 * sizeof(Bits) - 1)  // 0
        : kind == "floats"                  ? word
        : kind == "equal"                   ? 7
        : kind == "sentinel" ? (word % 64 == 0 ? ~std::uint64_t{0} : (word >> 32) % 64)
                             : word >> (word % (8 * sizeof(Bits))));
  }
  return keys;
}

template <class Bits, class Value>
void expect_sorted(const std::vector<std::size_t>& lengths, const std::string& kind, Turns turns,
                   std::size_t gaps = 3) {
  for (const bool are_numbered : {false, true}) {
    if (are_numbered && !Case<Bits, Value>::kPairs) continue;
    Case<Bits, Value> one;
    one.are_numbered = are_numbered;
    one.are_wide = turns == Turns::downwards;
    one.are_floats = kind == "floats";
    std::uint32_t at = 3;
    for (const std::size_t length : lengths) {
      one.begins.push_back(at);
      one.ends.push_back(at + static_cast<std::uint32_t>(length));
      at += static_cast<std::uint32_t>(length) + static_cast<std::uint32_t>(length % gaps);
    }
    one.keys = keys_of<Bits>(kind, at + 5);
    one.values.resize(one.keys.size());
    std::iota(one.values.begin(), one.values.end(), 100u);
    auto keys = one.keys;
    auto values = one.values;
    one.sort_on_host(keys, values);
    one.sort(turns);
    const std::string name = kind + ", " + std::to_string(sizeof(Bits)) + " bytes, numbered " +
                             std::to_string(are_numbered);
    EXPECT_EQ(one.keys, keys) << name;
    if (Case<Bits, Value>::kPairs) {
      EXPECT_EQ(one.values, values) << name;
    }
    if (testing::Test::HasFailure()) return;
  }
}

const std::vector<std::size_t> kShortLengths = {0,  1,  2,  3,   7,   8,   9,   8,    8,    16,
                                                17, 31, 33, 64,  65,  100, 128, 129,  255,  256,
                                                0,  1,  5,  257, 300, 600, 700, 2048, 2049, 4096};

TEST(SegmentsByClass, SortsShortOnes) {
  for (const char* kind : {"random", "few", "equal", "floats"}) {
    expect_sorted<std::uint32_t, NoValue>(kShortLengths, kind, Turns::upwards);
    expect_sorted<std::uint32_t, std::uint32_t>(kShortLengths, kind, Turns::downwards);
    expect_sorted<std::uint64_t, std::uint32_t>(kShortLengths, kind, Turns::alternating);
  }
  // Far from the other keys, which differ in their lowest bits alone.
  expect_sorted<std::uint64_t, std::uint32_t>(kShortLengths, "sentinel", Turns::upwards);
}

/// A warp takes those of its threads in one piece, if some have 5 to 8 items.
TEST(SegmentsByClass, SortsShortOnesWithoutGaps) {
  std::vector<std::size_t> lengths;
  std::mt19937 random(7);
  for (int s = 0; s < 700; ++s) lengths.push_back(random() % (s / 100 * 3 + 2));
  for (int s = 0; s < 1500; ++s) lengths.push_back(s < 300 ? 8 : 4 + random() % 5 - random() % 2);
  lengths[1800] = 9;
  // More than the blocks take at a step.
  for (int s = 0; s < 6000; ++s) lengths.push_back(s % 1000 < 700 ? random() % 4 : random() % 12);
  for (const char* kind : {"random", "few", "floats"}) {
    expect_sorted<std::uint32_t, NoValue>(lengths, kind, Turns::upwards, 1);
    expect_sorted<std::uint32_t, std::uint32_t>(lengths, kind, Turns::downwards, 1);
    expect_sorted<std::uint64_t, NoValue>(lengths, kind, Turns::downwards, 1);
    expect_sorted<std::uint64_t, std::uint32_t>(lengths, kind, Turns::alternating, 1);
  }
}

TEST(SegmentsByClass, SortsTheLongestOfABlock) {
  for (const char* kind : {"random", "few", "equal", "skewed"}) {
    const std::vector<std::size_t> lengths = {8192, 8193, 3, 12'345, 16'384};
    expect_sorted<std::uint32_t, NoValue>(lengths, kind, Turns::alternating);
  }
}

TEST(SegmentsByClass, PartitionsLargeOnes) {
  // Floats of any exponent: doubles have 2048 octaves.
  for (const char* kind : {"random", "few", "equal", "skewed", "floats"}) {
    const std::vector<std::size_t> lengths = {20'000, 5, 60'000, 16'385, 100, 33'000};
    expect_sorted<std::uint32_t, NoValue>(lengths, kind, Turns::upwards);
    expect_sorted<std::uint32_t, std::uint32_t>(lengths, kind, Turns::downwards);
    expect_sorted<std::uint64_t, NoValue>(lengths, kind, Turns::downwards);
    expect_sorted<std::uint64_t, std::uint32_t>(lengths, kind, Turns::alternating);
  }
}

TEST(SegmentsByClass, StaysInsideItsArraysWhateverTheSegments) {
  std::mt19937 random(3);
  for (const std::uint32_t most : {40'000u, 90'000u, ~0u}) {
    Case<std::uint32_t, std::uint32_t> one;
    const std::size_t n = 40'000;
    one.keys = keys_of<std::uint32_t>("random", n);
    one.values.resize(n);
    for (int s = 0; s < 200; ++s) {
      one.begins.push_back(random() % most);
      one.ends.push_back(random() % most);
    }
    const auto sort = [&](Turns turns) {  // an access behind the arrays ends the test
      for (const bool is_wide : {false, true}) {
        one.are_wide = one.are_far = is_wide;
        one.sort(turns);
        EXPECT_EQ(one.keys.size(), n);
      }
    };
    sort(Turns::upwards);
    // Each begins where the one before ends; the last ones at the end of the numbers.
    for (int s = 0; s < 200; ++s) {
      if (s >= 150) one.begins[s] = ~0u - 5 * (200 - s);
      if (s > 0) one.ends[s - 1] = one.begins[s];
    }
    sort(Turns::downwards);
  }
}

}  // namespace
}  // namespace sortlab::gpu::segments
