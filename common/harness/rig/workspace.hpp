// Host memory that the harness allocates for a variant, between two guard zones and two
// inaccessible areas.
#pragma once

#include <cstddef>
#include <map>
#include <span>

namespace sortlab {

/// Page-aligned memory (plus `misalign` bytes), with a guard zone on either side that no sort may
/// write. Beyond each guard zone half a MiB can't be read or written: an access that far out of
/// bounds faults. The constructor touches all of the memory, in huge pages if the system has them,
/// so that a sort that scatters over 2^27 keys waits for memory, not for page tables. The guard
/// zones also prevent that two large buffers lie a power of two apart, which costs some CPUs half
/// their speed.
///
///   no access | guard zone | misalign | data | guard zone | no access
class GuardedBuffer {
 public:
  GuardedBuffer() = default;
  /// Throws std::bad_alloc when the system has no address space left.
  explicit GuardedBuffer(std::size_t bytes, std::size_t misalign = 0);
  /// One in a file that has no name, which other processes of this user can map (SharedBuffer). Throws
  /// std::bad_alloc.
  static GuardedBuffer in_a_file(std::size_t bytes);
  ~GuardedBuffer();
  GuardedBuffer(GuardedBuffer&& other) noexcept;
  GuardedBuffer& operator=(GuardedBuffer&& other) noexcept;

  std::byte* data() const { return base_ == nullptr ? nullptr : base_ + kRedZone + misalign_; }
  std::size_t size() const { return bytes_; }
  std::span<std::byte> span() const { return {data(), size()}; }

  /// Fills the memory with a pattern that is no plausible key.
  void poison() const;
  bool red_zones_intact() const;

  /// That file, or -1, and where the buffer begins there.
  int file() const { return file_; }
  static constexpr std::size_t offset_in_file() { return kRedZone; }

 private:
  void prepare();

  static constexpr std::size_t kRedZone = 4096;

  std::byte* base_ = nullptr;  // where the first guard zone begins
  std::size_t bytes_ = 0;
  std::size_t misalign_ = 0;
  std::size_t mapped_ = 0;  // without the guards
  int file_ = -1;
};

/// Maps a file where huge pages can hold it, readable and writable, between inaccessible areas of `guard` bytes; null
/// when there is no address space. To be unmapped with both areas.
std::byte* map_file(int file, std::size_t bytes, std::size_t guard);

/// While one exists, its thread keeps the memory of destroyed buffers, up to 64 MiB, and reuses it
/// for new buffers of the same number of pages. It serves checks of many small inputs: mapping and
/// unmapping their memory takes longer than sorting 1,000 keys. Each buffer still gets new guard
/// zones and new poison. Measurements use none, because they count the time to get memory.
class KeepMappings {
 public:
  KeepMappings();
  ~KeepMappings();
  KeepMappings(const KeepMappings&) = delete;
  KeepMappings& operator=(const KeepMappings&) = delete;

 private:
  friend class GuardedBuffer;
  std::byte* take(std::size_t bytes);                // null when there is none
  bool keep(std::byte* mapping, std::size_t bytes);  // false when it is too large
  void clear();

  KeepMappings* outer_;
  std::multimap<std::size_t, std::byte*> kept_;
  std::size_t kept_bytes_ = 0;
};

/// Copies with all threads; a plain memcpy when it is small.
void copy_bytes(std::byte* to, const std::byte* from, std::size_t bytes);

/// Overwrites memory larger than the last-level cache, so that nothing else stays in the cache.
void flush_caches();

/// The bytes that the next call of flush_caches() takes: none after the first.
std::size_t bytes_to_flush_caches();

}  // namespace sortlab
