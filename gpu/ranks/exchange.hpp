// What ranks agree on, and what they send to each other, once each has counted its shares.
//
// An exchange has a round for each piece. In a round each rank sends every other rank its items of one share, and
// gets those of its own share, each run at its last place.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "common/contract/parts.hpp"
#include "gpu/parts/exchange_plan.hpp"

namespace sortlab::gpu::ranks {

/// The plan of all ranks, the same on each: counts[share] are the items of this rank. Throws
/// std::runtime_error, on all ranks, if one of them would get more than it has room for.
template <class Job>
parts::ExchangePlan agreed_plan(const Job& job, parts::Cut cut,
                                const std::vector<std::size_t>& counts) {
  parts::ExchangePlan plan(cut, gathered(job.parts, std::span<const std::size_t>(counts)));
  plan.require_room(gathered(job.parts, job.capacity));
  return plan;
}

/// What a rank sends and gets in one round. Pairs are two messages: keys, then values.
class Round {
 public:
  template <class Key, class Value>
  void send(std::size_t part, Items<Key, Value> from, std::size_t count) {
    if (count == 0) return;
    out_.push_back({static_cast<int>(part), from.keys, count * sizeof(Key)});
    if constexpr (Items<Key, Value>::kPairs) {
      out_.push_back({static_cast<int>(part), from.values, count * sizeof(Value)});
    }
  }

  template <class Key, class Value>
  void receive(std::size_t part, Items<Key, Value> to, std::size_t count) {
    if (count == 0) return;
    in_.push_back({static_cast<int>(part), to.keys, count * sizeof(Key)});
    if constexpr (Items<Key, Value>::kPairs) {
      in_.push_back({static_cast<int>(part), to.values, count * sizeof(Value)});
    }
  }

  void exchange(DeviceExchange& ranks, Stream stream) const { ranks.exchange(out_, in_, stream); }

 private:
  std::vector<Outgoing> out_;
  std::vector<Incoming> in_;
};

/// Whether a rank's own items are part of a round, or are in their place already.
enum class OwnItems : bool { in_place, sent };

/// The round of one piece on rank `own`, whose items of a share lie at from(share). What it gets goes to the
/// places of the plan in `to`.
template <class From, class Key, class Value>
Round round_of(const parts::ExchangePlan& plan, parts::Cut cut, std::size_t own, std::size_t piece,
               OwnItems own_items, From from, Items<Key, Value> to) {
  Round round;
  const std::size_t own_share = own * cut.pieces + piece;
  for (std::size_t other = 0; other < cut.parts; ++other) {
    if (other == own && own_items == OwnItems::in_place) continue;
    const std::size_t share = other * cut.pieces + piece;
    round.send(other, from(share), plan.count(own, share));
    round.receive(other, to.from(plan.place(other, own_share)), plan.count(other, own_share));
  }
  return round;
}

}  // namespace sortlab::gpu::ranks
