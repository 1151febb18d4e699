#include "library/host/memory.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <new>

#include <sys/mman.h>

#include "common/threads/thread_sanitizer.hpp"

namespace sortlab::library {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;
/// More mappings than a program usually sorts in at once.
constexpr std::size_t kSlots = 16;

constexpr std::size_t in_huge_pages(std::size_t bytes) {
  return (bytes + kHugePage - 1) / kHugePage * kHugePage;
}

/// A place for one kept mapping. It has no lock, which a forked child could find locked for ever.
class Slot {
 public:
  std::size_t bytes() const {
    const std::size_t bytes = bytes_.load();
    return bytes == kInUse ? 0 : bytes;
  }
  /// The mapping, which then belongs to the caller; none if the slot is empty.
  Mapping take() {
    std::size_t bytes = this->bytes();
    if (bytes == 0 || !bytes_.compare_exchange_strong(bytes, kInUse)) return {};
    const Mapping taken{data_, bytes};
    thread_sanitizer::acquire(data_);
    bytes_.store(0);
    return taken;
  }
  /// False if the slot is not empty.
  bool put(Mapping mapping) {
    std::size_t empty = 0;
    if (!bytes_.compare_exchange_strong(empty, kInUse)) return false;
    data_ = mapping.data;
    thread_sanitizer::release(data_);
    bytes_.store(mapping.bytes);
    return true;
  }

 private:
  static constexpr std::size_t kInUse = 1;  // a thread reads or writes data_

  std::atomic<std::size_t> bytes_ = 0;  // 0: empty
  std::byte* data_ = nullptr;
};

constinit std::array<Slot, kSlots> slots;
constinit std::atomic<std::size_t> limit = std::size_t{1} << 30;

void unmap(Mapping mapping) noexcept {
  if (mapping.data != nullptr) munmap(mapping.data, mapping.bytes);
}

/// New memory of whole huge pages; none if the system has none.
Mapping map(std::size_t bytes) {
  void* const all =
      mmap(nullptr, bytes + kHugePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (all == MAP_FAILED) return {};
  auto* const begin = static_cast<std::byte*>(all);
  const std::size_t before = -reinterpret_cast<std::uintptr_t>(all) % kHugePage;
  unmap({before != 0 ? begin : nullptr, before});
  unmap({begin + before + bytes, kHugePage - before});
  const Mapping mapping{begin + before, bytes};
  (void)madvise(mapping.data, mapping.bytes, MADV_HUGEPAGE);
  // A forked child gets empty pages: to share them with the parent costs both a copy of each.
  (void)madvise(mapping.data, mapping.bytes, MADV_WIPEONFORK);
  return mapping;
}

}  // namespace

Mapping take_mapping(std::size_t bytes) {
  if (bytes > SIZE_MAX / 2) throw std::bad_alloc();
  const std::size_t rounded = in_huge_pages(bytes);
  for (Slot& slot : slots) {
    const Mapping kept = slot.take();
    if (kept.bytes >= rounded) return kept;
    unmap(kept);  // too small: the new one will be kept in its place
  }
  const Mapping made = map(rounded);
  if (made.data == nullptr) throw std::bad_alloc();
  return made;
}

void give_back(Mapping mapping, std::size_t used) noexcept {
  if (kept_bytes() + mapping.bytes <= limit.load() &&
      madvise(mapping.data, in_huge_pages(used), MADV_FREE) == 0) {
    for (Slot& slot : slots) {
      if (!slot.put(mapping)) continue;
      // Other threads may have kept theirs or lowered the limit meanwhile.
      if (kept_bytes() > limit.load()) release_kept();
      return;
    }
  }
  unmap(mapping);
}

std::size_t kept_bytes() noexcept {
  std::size_t bytes = 0;
  for (const Slot& slot : slots) bytes += slot.bytes();
  return bytes;
}

void keep_at_most(std::size_t bytes) noexcept {
  limit.store(bytes);
  release_kept();
}

void release_kept() noexcept {
  for (Slot& slot : slots) unmap(slot.take());
}

}  // namespace sortlab::library
