// The calls of sortlab/top_k.h after their arguments are checked.
#pragma once

#include "common/contract/top_k.hpp"
#include "library/host/calls.hpp"

namespace sortlab::library {

/// Brings the best k of n keys to the front.
struct PartialCall {
  Keys type;
  Settings settings;
  void* keys;
  std::size_t n;
  std::size_t k;
  bool is_sorted;  // else the key of place k is in its place

  std::size_t scratch_bytes() const;
  void run(std::byte* scratch, std::size_t scratch_bytes) const;
};

/// The places of n keys, as PartialCall would arrange these.
struct ArgpartitionCall {
  Keys type;
  Settings settings;
  const void* keys;
  void* order;
  std::size_t n;
  std::size_t k;
  std::size_t index_bytes;  // 4 or 8

  std::size_t scratch_bytes() const;
  void run(std::byte* scratch, std::size_t scratch_bytes) const;
};

/// The best k of rows.
struct TopKCall {
  Keys type;
  Settings settings;
  const void* keys;
  Rows rows;
  Top top;
  bool nans_first;
  void* best;    // or null
  void* places;  // or null
  std::size_t place_bytes;

  std::size_t scratch_bytes() const;
  void run(std::byte* scratch, std::size_t scratch_bytes) const;
};

}  // namespace sortlab::library
