#include "common/harness/rig/workspace.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <new>
#include <thread>
#include <utility>

#include "common/contract/usable_cpus.hpp"
#include "common/harness/machine/cpu_share.hpp"
#include "common/threads/team.hpp"
#include "common/utils.hpp"

namespace sortlab {
namespace {
constexpr std::byte kRedZoneByte{0x5C};
constexpr std::byte kPoisonByte{0xA5};
constexpr std::size_t kPage = 4096;
constexpr std::size_t kWorthAThread = std::size_t{4} << 20;  // bytes to fill
constexpr std::size_t kWorthATeam = std::size_t{64} << 20;   // bytes to copy

std::size_t parts_of(std::size_t bytes, std::size_t worth_a_thread) {
  return std::clamp<std::size_t>(bytes / worth_a_thread, 1,
                                 static_cast<std::size_t>(usable_cpus()));
}

/// Calls work(offset, share) for `bytes` bytes in all, in so many parts, each on a thread of the team. New threads would
/// take CPUs from the team's, which spin between two sorts. Then it waits for the 5 ms that these still spin, because a
/// sort with other threads would lose its CPUs to them.
template <class Work>
void in_parts(std::size_t bytes, std::size_t parts, Work work) {
  const std::size_t share = round_up(ceil_div(bytes, parts), kPage);
  threads::on_all_threads(static_cast<int>(parts), [&](int part) {
    const std::size_t offset = static_cast<std::size_t>(part) * share;
    if (offset < bytes) work(offset, std::min(share, bytes - offset));
  });
  if (parts > 1) std::this_thread::sleep_for(std::chrono::milliseconds(6));
}

bool all_equal(const std::byte* begin, const std::byte* end, std::byte expected) {
  return std::all_of(begin, end, [=](std::byte b) { return b == expected; });
}

/// The bytes that fault on either side of a buffer. Where `ulimit -v` counts addresses, the guards of
/// 256 small inputs must not take all of them.
std::size_t guard_bytes() {
#if defined(SORTLAB_SANITIZE_THREAD)
  return 0;
#else
  static const std::size_t bytes = addresses_are_limited() ? kPage : std::size_t{512} << 10;
  return bytes;
#endif
}

/// Readable and writable pages between guard pages.
std::byte* map_guarded(std::size_t bytes) {
  const std::size_t guard = guard_bytes();
  void* const mapped =
      mmap(nullptr, bytes + 2 * guard, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  std::byte* const usable = static_cast<std::byte*>(mapped) + guard;
  if (mprotect(usable, bytes, PROT_READ | PROT_WRITE) != 0) {
    munmap(mapped, bytes + 2 * guard);
    throw std::bad_alloc();
  }
  // Only advice, so errors don't matter: FILE.run.json records whether the system has huge pages.
  (void)madvise(usable, bytes, MADV_HUGEPAGE);
  return usable;
}

void unmap_guarded(std::byte* usable, std::size_t bytes) {
  munmap(usable - guard_bytes(), bytes + 2 * guard_bytes());
}

/// Asks for huge pages in place of the small ones of a mapped file, which hold its data. Linux 6.1 does so even where it
/// gives new files none (transparent_hugepage/shmem_enabled: never).
void collapse_pages(std::byte* begin, std::size_t bytes) {
  constexpr int kCollapse = 25;  // MADV_COLLAPSE, which older headers lack
  (void)madvise(begin, bytes, kCollapse);
}

thread_local KeepMappings* keeper = nullptr;

constexpr std::size_t kMoreThanAnyCache = std::size_t{512} << 20;
std::vector<unsigned char> other_data;

}  // namespace

//   no access | guard | file ... | guard | no access      the file begins at a multiple of a huge page
std::byte* map_file(int file, std::size_t bytes, std::size_t guard) {
  constexpr std::size_t kHugePage = std::size_t{2} << 20;
  bytes = round_up(bytes, kPage);
  const std::size_t reserved = bytes + 2 * guard + kHugePage;
  void* const mapped = mmap(nullptr, reserved, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  const auto first = reinterpret_cast<std::uintptr_t>(mapped) + guard;
  const std::size_t lead = round_up(first, kHugePage) - first;
  std::byte* const begin = static_cast<std::byte*>(mapped) + lead + guard;
  if (mmap(begin, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) == MAP_FAILED) {
    munmap(mapped, reserved);
    return nullptr;
  }
  if (lead > 0) munmap(mapped, lead);
  munmap(begin + bytes + guard, kHugePage - lead);
  (void)madvise(begin, bytes, MADV_HUGEPAGE);
  return begin;
}

KeepMappings::KeepMappings() : outer_(std::exchange(keeper, this)) {}

KeepMappings::~KeepMappings() {
  clear();
  keeper = outer_;
}

std::byte* KeepMappings::take(std::size_t bytes) {
  const auto found = kept_.find(bytes);
  if (found == kept_.end()) return nullptr;
  kept_bytes_ -= bytes;
  return kept_.extract(found).mapped();
}

bool KeepMappings::keep(std::byte* mapping, std::size_t bytes) {
  constexpr std::size_t kMostBytes = std::size_t{64} << 20;
  if (bytes > kMostBytes) return false;
  if (kept_bytes_ + bytes > kMostBytes) clear();
  kept_.emplace(bytes, mapping);
  kept_bytes_ += bytes;
  return true;
}

void KeepMappings::clear() {
  for (const auto& [bytes, mapping] : kept_) unmap_guarded(mapping, bytes);
  kept_.clear();
  kept_bytes_ = 0;
}

GuardedBuffer::GuardedBuffer(std::size_t bytes, std::size_t misalign)
    : bytes_(bytes),
      misalign_(misalign),
      mapped_(round_up(bytes + misalign, kPage) + 2 * kRedZone) {
  if (keeper != nullptr) base_ = keeper->take(mapped_);
  if (base_ == nullptr) base_ = map_guarded(mapped_);
  prepare();
}

GuardedBuffer GuardedBuffer::in_a_file(std::size_t bytes) {
  GuardedBuffer buffer;
  buffer.bytes_ = bytes;
  buffer.mapped_ = round_up(bytes, kPage) + 2 * kRedZone;
  buffer.file_ = memfd_create("buffer", MFD_CLOEXEC);
  if (buffer.file_ < 0 || ftruncate(buffer.file_, static_cast<off_t>(buffer.mapped_)) != 0) {
    throw std::bad_alloc();
  }
  buffer.base_ = map_file(buffer.file_, buffer.mapped_, guard_bytes());
  if (buffer.base_ == nullptr) throw std::bad_alloc();
  buffer.prepare();
  collapse_pages(buffer.base_, buffer.mapped_);
  return buffer;
}

void GuardedBuffer::prepare() {
  std::memset(base_, static_cast<int>(kRedZoneByte), kRedZone + misalign_);
  std::byte* const end = data() + bytes_;
  std::memset(end, static_cast<int>(kRedZoneByte), static_cast<std::size_t>(base_ + mapped_ - end));
  poison();
}

GuardedBuffer::~GuardedBuffer() {
  if (file_ >= 0) close(file_);
  if (base_ == nullptr) return;
  if (file_ >= 0 || keeper == nullptr || !keeper->keep(base_, mapped_))
    unmap_guarded(base_, mapped_);
}

GuardedBuffer::GuardedBuffer(GuardedBuffer&& other) noexcept { *this = std::move(other); }

GuardedBuffer& GuardedBuffer::operator=(GuardedBuffer&& other) noexcept {
  std::swap(base_, other.base_);
  std::swap(bytes_, other.bytes_);
  std::swap(misalign_, other.misalign_);
  std::swap(mapped_, other.mapped_);
  std::swap(file_, other.file_);
  return *this;
}

void GuardedBuffer::poison() const {
  in_parts(bytes_, parts_of(bytes_, kWorthAThread), [this](std::size_t offset, std::size_t bytes) {
    std::memset(data() + offset, static_cast<int>(kPoisonByte), bytes);
  });
}

bool GuardedBuffer::red_zones_intact() const {
  return base_ == nullptr || (all_equal(base_, data(), kRedZoneByte) &&
                              all_equal(data() + bytes_, base_ + mapped_, kRedZoneByte));
}

void copy_bytes(std::byte* to, const std::byte* from, std::size_t bytes) {
  if (bytes == 0) return;  // and no null pointer for memcpy
  const std::size_t parts = bytes < kWorthATeam ? 1 : static_cast<std::size_t>(usable_cpus());
  in_parts(bytes, parts, [=](std::size_t offset, std::size_t share) {
    std::memcpy(to + offset, from + offset, share);
  });
}

void flush_caches() {
  static unsigned char turn = 0;
  other_data.resize(kMoreThanAnyCache);
  std::memset(other_data.data(), ++turn, other_data.size());
}

std::size_t bytes_to_flush_caches() { return other_data.empty() ? kMoreThanAnyCache : 0; }

}  // namespace sortlab
