// Top-k on CPUs as a function with plain arguments, for the suite's variant and for the library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "common/contract/key_map.hpp"
#include "common/contract/top_k.hpp"

namespace sortlab::cpu::topk {

/// Rows whose best items are wanted.
struct Call {
  KeyKind kind;
  const void* keys = nullptr;  // stay as they are
  Rows rows;
  Top top;
  // Of row r: from r times room() on. Each may be null. With places, rows have at most 2^32 keys.
  void* best = nullptr;
  std::uint32_t* places = nullptr;
  std::uint64_t* wide_places = nullptr;
  bool nans_last = false;   // behind the numbers in both orders, whatever their sign
  bool nans_first = false;  // before them
  std::span<std::byte> workspace = {};
  int threads = 1;
  Isa isa = Isa::scalar;

  std::size_t room() const { return top.k < rows.length ? top.k : rows.length; }
  std::size_t k_of(std::size_t r) const {
    return top.ks == nullptr || top.ks[r] > room() ? room() : top.ks[r];
  }
  bool has_places() const { return places != nullptr || wide_places != nullptr; }
};

/// Of equal keys always the first places; sorted where top.is_sorted says so.
namespace filter {
std::size_t workspace_bytes(std::size_t key_bytes, bool has_places, const Rows& rows, std::size_t k,
                            int threads);
void find(const Call& call);
}  // namespace filter

}  // namespace sortlab::cpu::topk
