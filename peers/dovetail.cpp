// DovetailSort: a parallel stable radix sort that sets frequent keys apart (Dong et al. 2024).
//
// source    github.com/ucrparlay/DovetailSort, commit f4630a26 of 2025-03-15, a fork of ParlayLib
// licence   MIT
// threads   any number; ParlayLib's scheduler is the sort's state
// orders    u32 and u64, ascending: one more type costs a minute of compiling
// pairs     packed into items
// memory    its allocator keeps what it got once, for the life of the process
#include <parlay/integer_sort.h>
#include <parlay/parallel.h>

#include "parlay_scheduler.hpp"

namespace {

struct Dovetail {
  static constexpr auto sort = [](auto first, auto last) {
    parlay::integer_sort_inplace2(parlay::make_slice(first, last), peers::OrderedBits{});
  };
};

constexpr uint32_t kTraits = SORTLAB_STABLE | SORTLAB_KEEPS_MEMORY;
constexpr auto kInstances =
    peers::both(peers::keys_of<peers::Parlay<Dovetail>, uint32_t, uint64_t>(kTraits),
                peers::pairs_of<peers::Parlay<Dovetail>, uint32_t, uint64_t>(kTraits));

const sortlab_sort sorts[] = {peers::parlay_sort(
    "integer_sort", "parlay::integer_sort_inplace2 of DovetailSort", kInstances)};

}  // namespace

SORTLAB_PLUGIN("dovetail", PEER_VERSION, sorts)
