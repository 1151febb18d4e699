#include "tests/fuzz/sorts/fenced.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "common/utils.hpp"

namespace sortlab::fuzz {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kPatternBytes = 1024;  // on either side, if there is room
constexpr std::byte kPattern{0x5C};
constexpr std::size_t kMostMisaligned = 64;  // in bytes, from a multiple of 1024

/// The free bytes between these two places that are next to the buffer.
std::size_t pattern_bytes(const std::byte* begin, const std::byte* end) {
  return std::min(kPatternBytes, static_cast<std::size_t>(end - begin));
}

}  // namespace

Fenced::~Fenced() {
  if (mapping_ != nullptr) munmap(mapping_ - kPage, mapped_ + 2 * kPage);
}

void Fenced::grow(std::size_t bytes) {
  if (bytes <= mapped_) return;
  if (mapping_ != nullptr) munmap(mapping_ - kPage, mapped_ + 2 * kPage);
  mapping_ = nullptr;
  mapped_ = round_up(2 * bytes, kPage);
  void* const mapped =
      mmap(nullptr, mapped_ + 2 * kPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  mapping_ = static_cast<std::byte*>(mapped) + kPage;
  if (mprotect(mapping_, mapped_, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
}

std::byte* Fenced::place(std::size_t bytes, std::size_t alignment, Dice& dice) {
  grow(bytes + 2 * kPatternBytes + kPage);
  std::byte* const end = mapping_ + mapped_;
  bytes_ = bytes;
  switch (dice.below(4)) {
    case 0:
      data_ = mapping_;
      break;
    case 1:
      data_ = mapping_ + kPatternBytes + alignment * dice.below(1 + kMostMisaligned / alignment);
      break;
    default:
      data_ = end - round_up(bytes, alignment);
  }
  const std::size_t before = pattern_bytes(mapping_, data_);
  std::memset(data_ - before, static_cast<int>(kPattern), before);
  std::memset(data_ + bytes, static_cast<int>(kPattern), pattern_bytes(data_ + bytes, end));
  return data_;
}

bool Fenced::neighbours_intact() const {
  if (mapping_ == nullptr) return true;
  const std::byte* const data = data_;
  const std::byte* const behind = data + bytes_;
  const auto intact = [](std::byte b) { return b == kPattern; };
  return std::all_of(data - pattern_bytes(mapping_, data), data, intact) &&
         std::all_of(behind, behind + pattern_bytes(behind, mapping_ + mapped_), intact);
}

}  // namespace sortlab::fuzz
