#include "common/harness/rig/heap_meter.hpp"

#if defined(SORTLAB_SANITIZED)

namespace sortlab {
void HeapMeter::start() {}
std::optional<std::size_t> HeapMeter::peak_bytes() { return std::nullopt; }
HeapMeter::Pause::Pause() = default;
HeapMeter::Pause::~Pause() = default;
}  // namespace sortlab

#else

  #include <malloc.h>

  #include <atomic>
  #include <cerrno>

// glibc's own functions, behind the names that this file replaces.
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void __libc_free(void*);
}

namespace {

std::atomic<bool> metering{false};
std::atomic<long long> bytes_in_use{0};
std::atomic<long long> peak{0};

void count(void* block, int sign) {
  if (block == nullptr) return;
  const auto bytes = static_cast<long long>(malloc_usable_size(block)) * sign;
  const long long now = bytes_in_use.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  long long highest = peak.load(std::memory_order_relaxed);
  while (now > highest && !peak.compare_exchange_weak(highest, now, std::memory_order_relaxed)) {
  }
}

bool on() { return metering.load(std::memory_order_relaxed); }

void* counted(void* block) {
  if (on()) count(block, +1);
  return block;
}

}  // namespace

extern "C" {
void* malloc(std::size_t bytes) { return counted(__libc_malloc(bytes)); }
void* calloc(std::size_t count, std::size_t bytes) { return counted(__libc_calloc(count, bytes)); }
void* memalign(std::size_t align, std::size_t bytes) {
  return counted(__libc_memalign(align, bytes));
}
void* aligned_alloc(std::size_t align, std::size_t bytes) { return memalign(align, bytes); }
int posix_memalign(void** block, std::size_t align, std::size_t bytes) {
  *block = memalign(align, bytes);
  return *block == nullptr ? ENOMEM : 0;
}
void* realloc(void* block, std::size_t bytes) {
  if (on()) count(block, -1);
  return counted(__libc_realloc(block, bytes));
}
void free(void* block) {
  if (on()) count(block, -1);
  __libc_free(block);
}
}

namespace sortlab {

void HeapMeter::start() {
  bytes_in_use = 0;
  peak = 0;
  metering = true;
}

std::optional<std::size_t> HeapMeter::peak_bytes() {
  metering = false;
  return static_cast<std::size_t>(peak.load());
}

HeapMeter::Pause::Pause() : was_on_(metering.exchange(false)) {}
HeapMeter::Pause::~Pause() { metering = was_on_; }

}  // namespace sortlab

#endif
