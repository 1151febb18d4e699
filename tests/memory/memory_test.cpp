// The stack and the memory that calls of the library take: no more than docs/library.md says. CTest runs it once for
// each instruction set.
#include <gtest/gtest.h>
#include <malloc.h>
#include <pthread.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <map>
#include <sortlab/sort.hpp>
#include <sstream>
#include <string>
#include <vector>

namespace {

/// The memory from malloc() that is in use since the count began, and the most of it.
std::atomic<bool> is_counting = false;
std::atomic<std::ptrdiff_t> in_use = 0, most_in_use = 0;

void* counted(void* memory) {
  if (is_counting) {
    in_use += static_cast<std::ptrdiff_t>(malloc_usable_size(memory));
    most_in_use = std::max(most_in_use.load(), in_use.load());
  }
  return memory;
}

}  // namespace

#ifdef __GLIBC__
// The C library's, under the names that are left when a program replaces them.
extern "C" {
void* __libc_malloc(std::size_t bytes);
void* __libc_memalign(std::size_t alignment, std::size_t bytes);
void __libc_free(void* memory);

void* malloc(std::size_t bytes) { return counted(__libc_malloc(bytes)); }
void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  return counted(__libc_memalign(alignment, bytes));
}
void free(void* memory) {
  if (is_counting) in_use -= static_cast<std::ptrdiff_t>(malloc_usable_size(memory));
  __libc_free(memory);
}
}
#endif

namespace sortlab::tests {
namespace {

/// A row of the table: KB of stack, bytes per item for keys of 1, 2, 4 and 8 bytes, and MB per thread beside them.
struct Promise {
  double stack_kb = 0, bytes_per_item[4] = {}, mb_per_thread = 0;

  double memory(std::size_t n, std::size_t key_bytes, int threads) const {
    const int column = key_bytes == 8 ? 3 : key_bytes == 4 ? 2 : static_cast<int>(key_bytes) - 1;
    return bytes_per_item[column] * static_cast<double>(n) + mb_per_thread * 1e6 * threads;
  }
};

/// The table "most-memory" of docs/library.md, by the call.
const std::map<std::string, Promise>& promises() {
  static const auto read = [] {
    std::map<std::string, Promise> rows;
    std::ifstream file(SORTLAB_LIBRARY_PAGE);
    for (std::string line; std::getline(file, line);) {
      std::istringstream cells(line);
      std::string cell, call;
      Promise row;
      std::getline(std::getline(cells, cell, '`'), call, '`');
      std::getline(cells, cell, '|');
      char bar;
      auto& [a, b, c, d] = row.bytes_per_item;
      if (cells >> row.stack_kb >> bar >> a >> bar >> b >> bar >> c >> bar >> d >> bar >>
          row.mb_per_thread) {
        rows[call] = row;
      }
    }
    return rows;
  }();
  return read;
}

struct Use {
  double stack_bytes, memory_bytes;
};

/// Runs calls on a thread whose stack is painted.
class PaintedStack {
 public:
  PaintedStack()
      : stack_(static_cast<unsigned char*>(
            mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {}
  ~PaintedStack() { munmap(stack_, kBytes); }
  PaintedStack(const PaintedStack&) = delete;
  PaintedStack& operator=(const PaintedStack&) = delete;

  Use use_of(const std::function<void()>& call) {
    call_ = &call;
    std::memset(stack_, kPaint, kBytes);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstack(&attributes, stack_, kBytes);
    pthread_t thread;
    EXPECT_EQ(pthread_create(&thread, &attributes, run, this), 0);
    pthread_join(thread, nullptr);
    pthread_attr_destroy(&attributes);
    const auto is_used = [](unsigned char byte) { return byte != kPaint; };
    const auto* const lowest = std::find_if(stack_, stack_ + kBytes, is_used);
    return {static_cast<double>(begin_ - lowest),
            static_cast<double>(most_in_use.load()) + static_cast<double>(kept_memory())};
  }

 private:
  static constexpr std::size_t kBytes = std::size_t{256} << 10;
  static constexpr unsigned char kPaint = 0xA5;

  static void* run(void* erased) {
    auto* const self = static_cast<PaintedStack*>(erased);
    self->begin_ = static_cast<unsigned char*>(__builtin_frame_address(0));
    release_memory();
    in_use = most_in_use = 0;
    is_counting = true;
    (*self->call_)();
    is_counting = false;
    return nullptr;
  }

  unsigned char* stack_;
  const unsigned char* begin_ = nullptr;
  const std::function<void()>* call_ = nullptr;
};

enum class Spread { even, uneven, few_values, one_value, repeated };

template <class Key>
std::vector<Key> keys_of(std::size_t n, Spread spread) {
  std::vector<Key> keys(n);
  std::uint64_t state = 1;
  for (Key& key : keys) {
    state = state * 6364136223846793005 + 1442695040888963407;
    const std::uint64_t random = state >> 16;
    switch (spread) {
      case Spread::even:
        key = static_cast<Key>(random >> (48 - 6 * sizeof(Key)));
        break;
      case Spread::uneven:
        key = static_cast<Key>(std::exp(static_cast<double>(random % 1024) * sizeof(Key) / 200));
        break;
      case Spread::few_values:
        key = static_cast<Key>(random % 20);
        break;
      case Spread::one_value:
        key = static_cast<Key>(random % 4 != 0 ? 7 : random % 251);
        break;
      case Spread::repeated:
        key = static_cast<Key>(random % (n / 8 + 1));
        break;
    }
  }
  return keys;
}

/// First of all, as the team's threads stay.
TEST(Memory, OfTheCallThatStartsThreadsIsWithinWhatTheDocumentSays) {
  auto keys = keys_of<std::uint8_t>(30'000, Spread::even);
  PaintedStack stack;
  const Use use = stack.use_of([&] {
    sortlab::sort(keys, [](std::uint8_t a, std::uint8_t b) { return a < b; }, {.threads = 2});
  });
  EXPECT_LE(use.stack_bytes, 1000 * promises().at("sort(items, less)").stack_kb);
}

template <class Key>
struct MemoryTest : testing::Test {};
using KeyTypes =
    testing::Types<std::uint8_t, std::uint16_t, std::uint32_t, std::int64_t, float, double>;
TYPED_TEST_SUITE(MemoryTest, KeyTypes);

TYPED_TEST(MemoryTest, IsWithinWhatTheDocumentSays) {
  using Key = TypeParam;
  ASSERT_EQ(promises().size(), 5u);
  std::vector<Key> first = {2, 1};
  sortlab::sort(first);  // makes the tables of choices
  PaintedStack stack;
  const auto check = [&](const std::string& call, std::size_t n, int threads, const auto& body) {
    const Promise& promise = promises().at(call);
    const Use use = stack.use_of(body);
    EXPECT_LE(use.stack_bytes, 1000 * promise.stack_kb) << call << ", n = " << n;
    EXPECT_LE(use.memory_bytes, promise.memory(n, sizeof(Key), threads)) << call << ", n = " << n;
  };
  for (const std::size_t n : {2, 100, 300, 1000, 4000, 30'000, 120'000}) {
    for (const Spread spread :
         {Spread::even, Spread::uneven, Spread::few_values, Spread::one_value, Spread::repeated}) {
      const auto keys = keys_of<Key>(n, spread);
      std::vector<std::uint32_t> order(n);
      std::vector<double> values(n);
      const auto less = [](Key a, Key b) { return a < b; };
      for (const int threads : {1, 2}) {
        if (threads == 2 && n < 30'000) continue;
        const Options options{.threads = threads};
        auto sorted = keys;
        check("sort(keys)", n, threads, [&] { sortlab::sort(sorted, options); });
        sorted = keys;
        check("sort_by_key(keys, values)", n, threads,
              [&] { sortlab::sort_by_key(sorted, values, options); });
        sorted = keys;
        check("sort_by_key(keys, values)", n, threads,
              [&] { sortlab::sort_by_key(sorted, order, options); });
        check("argsort(keys, order)", n, threads, [&] { sortlab::argsort(keys, order, options); });
        const Options any_order{.threads = threads, .any_order = true};
        sorted = keys;
        check("sort_by_key(keys, values)", n, threads,
              [&] { sortlab::sort_by_key(sorted, order, any_order); });
        check("argsort(keys, order)", n, threads,
              [&] { sortlab::argsort(keys, order, any_order); });
        sorted = keys;
        check("sort(items, less)", n, threads, [&] { sortlab::sort(sorted, less, options); });
        sorted = keys;
        check("stable_sort(items, less)", n, threads,
              [&] { sortlab::stable_sort(sorted, less, options); });
      }
    }
  }
}

TYPED_TEST(MemoryTest, OfEachCountIsWithinWhatTheDocumentSays) {
  using Key = TypeParam;
  for (const int run : {1, 2, 16, 64, -1, -2, -64}) {  // threads; less than 0: in any order
    const bool any_order = run < 0;
    const int threads = std::abs(run);
    const Options options{.threads = threads, .any_order = any_order};
    for (std::size_t n = 2; n < std::size_t{1} << 36; n += n / 8 + 1) {
      const auto check = [&](const char* call, std::size_t bytes) {
        EXPECT_LE(static_cast<double>(bytes), promises().at(call).memory(n, sizeof(Key), threads))
            << call << ", n = " << n << ", threads = " << threads;
      };
      check("sort(keys)", scratch_bytes<Key>(n, options));
      check("sort_by_key(keys, values)", scratch_bytes<Key, std::uint32_t>(n, options));
      check("sort_by_key(keys, values)", scratch_bytes<Key, double>(n, options));
      check("argsort(keys, order)", argsort_scratch_bytes<Key, std::uint64_t>(n, options));
    }
  }
}

}  // namespace
}  // namespace sortlab::tests
