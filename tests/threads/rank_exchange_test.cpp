// The exchange of sorts over ranks with a GPU each, without GPUs: threads are the ranks, their memory is the host's.
// Through host memory every message arrives at its place; and what ranks agree on, and send by it, sorts.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "common/harness/ranks/rank_gpus.hpp"
#include "common/harness/ranks/staged_exchange.hpp"
#include "gpu/ranks/exchange.hpp"
#include "tests/thread_parts.hpp"

namespace sortlab {
namespace {

using gpu::parts::Cut;
using gpu::parts::ExchangePlan;
using gpu::parts::Splitter;
using gpu::ranks::OwnItems;
using Pair = std::pair<std::uint32_t, std::uint32_t>;

void copy(void* to, const void* from, std::size_t bytes, Stream) { std::memcpy(to, from, bytes); }

TEST(StagedExchange, TakesEveryMessageToItsPlace) {
  constexpr int kParts = 3;
  on_parts(kParts, [](Communicator& part) {
    const auto text = [](int from, int to, int number) {
      return std::string(static_cast<std::size_t>(1 + from + number), 'a') + std::to_string(from) +
             std::to_string(to) + std::to_string(number);
    };
    std::vector<std::string> sent, got, expected;
    std::vector<std::pair<int, int>> order;  // part and number, the parts not in their order
    for (const int number : {0, 1}) {
      for (const int other : {2, 0, 1}) order.emplace_back(other, number);
    }
    for (const auto& [other, number] : order) {
      sent.push_back(text(part.part(), other, number));
      expected.push_back(text(other, part.part(), number));
      got.emplace_back(expected.back().size(), '?');
    }
    std::vector<Outgoing> out;
    std::vector<Incoming> in;
    for (std::size_t i = 0; i < order.size(); ++i) {
      out.push_back({order[i].first, sent[i].data(), sent[i].size()});
      in.push_back({order[i].first, got[i].data(), got[i].size()});
    }
    StagedExchange exchange(part, copy);
    exchange.exchange(out, in, nullptr);
    exchange.exchange({}, {}, nullptr);
    EXPECT_EQ(got, expected);
  });
}

TEST(RankGpus, AreSharedOutOnEachHost) {
  const std::vector<int> hosts = {0, 0, 2, 0, 2};  // the first rank of each rank's host
  std::vector<int> numbers;
  for (int part = 0; part < 5; ++part) numbers.push_back(number_on_host(hosts, part));
  EXPECT_EQ(numbers, (std::vector{0, 1, 0, 2, 1}));
}

TEST(RankGpus, AreTheSameOnTheSameHostAlone) {
  const GpuIdentity a{0, {'a'}}, b{0, {'b'}}, a_elsewhere{1, {'a'}};
  EXPECT_EQ(most_on_a_gpu(std::vector{a, b, a_elsewhere}), 1);
  EXPECT_EQ(most_on_a_gpu(std::vector{a, b, b, a_elsewhere, b}), 3);
}

/// What gpu/ranks needs of a job to agree.
struct AgreeingJob {
  Communicator& parts;
  std::size_t capacity;
};

TEST(AgreedPlan, IsTheSameOnAllRanksOrThrowsOnAll) {
  const std::vector<std::vector<std::size_t>> counts = {{1, 2}, {3, 4}};
  on_parts(2, [&](Communicator& part) {
    const auto& own = counts[static_cast<std::size_t>(part.part())];
    const ExchangePlan plan = gpu::ranks::agreed_plan(AgreeingJob{part, 6}, {2, 1}, own);
    EXPECT_EQ(plan.received(0), 4u);
    EXPECT_EQ(plan.received(1), 6u);
    EXPECT_EQ(plan.run_ends(1), (std::vector<std::size_t>{2, 6}));
    const AgreeingJob without_room{part, part.part() == 1 ? 5u : 6u};
    EXPECT_THROW((void)gpu::ranks::agreed_plan(without_room, {2, 1}, own), std::runtime_error);
  });
}

/// The splitters of even shares, from all items.
std::vector<Splitter<std::uint32_t>> even_splitters(const std::vector<std::vector<Pair>>& ranks,
                                                    std::size_t shares) {
  std::vector<std::tuple<std::uint32_t, std::size_t, std::size_t>> all;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    for (std::size_t i = 0; i < ranks[rank].size(); ++i) {
      all.emplace_back(ranks[rank][i].first, rank, i);
    }
  }
  std::sort(all.begin(), all.end());
  std::vector<Splitter<std::uint32_t>> splitters;
  for (std::size_t s = 0; s + 1 < shares; ++s) {
    const auto& [key, rank, place] = all[gpu::parts::splitter_rank(all.size(), shares, s)];
    splitters.push_back({key, rank, place});
  }
  return splitters;
}

/// The items of one rank.
struct Held {
  std::vector<std::uint32_t> keys, values;

  explicit Held(std::size_t n) : keys(n), values(n) {}
  explicit Held(const std::vector<Pair>& pairs) {
    for (const auto& [key, value] : pairs) {
      keys.push_back(key);
      values.push_back(value);
    }
  }
  Items<std::uint32_t, std::uint32_t> items() { return {keys.data(), values.data()}; }
};

/// One rank's part of the sort of gpu/ranks/partition, with the host's means.
std::vector<Pair> sorted_part(Communicator& part, const std::vector<std::vector<Pair>>& ranks,
                              Cut cut) {
  const auto own = static_cast<std::size_t>(part.part());
  const auto splitters = even_splitters(ranks, cut.shares());
  std::vector<std::vector<Pair>> shares(cut.shares());
  for (std::size_t i = 0; i < ranks[own].size(); ++i) {
    std::size_t share = 0;
    for (const auto& splitter : splitters) {
      const auto key = ranks[own][i].first;
      share += splitter.key < key ||
               (splitter.key == key && gpu::parts::first_behind(splitter, own) <= i);
    }
    shares[share].push_back(ranks[own][i]);
  }
  std::vector<std::size_t> counts;
  std::vector<Held> dealt;
  for (const auto& share : shares) {
    counts.push_back(share.size());
    dealt.emplace_back(share);
  }
  const ExchangePlan plan = gpu::ranks::agreed_plan(AgreeingJob{part, 1000}, cut, counts);
  Held received(plan.received(own));
  StagedExchange exchange(part, copy);
  std::vector<Pair> sorted;
  for (std::size_t piece = 0; piece < cut.pieces; ++piece) {
    const auto from = [&](std::size_t share) { return dealt[share].items(); };
    gpu::ranks::round_of(plan, cut, own, piece, OwnItems::sent, from, received.items())
        .exchange(exchange, nullptr);
    const std::size_t share = own * cut.pieces + piece;
    for (std::size_t i = plan.begin_of(share); i < plan.end_of(share); ++i) {
      sorted.emplace_back(received.keys[i], received.values[i]);
    }
    std::stable_sort(
        sorted.end() - static_cast<std::ptrdiff_t>(plan.end_of(share) - plan.begin_of(share)),
        sorted.end(), [](const Pair& a, const Pair& b) { return a.first < b.first; });
  }
  return sorted;
}

TEST(Rounds, BringEveryItemToItsRankInOrder) {
  std::mt19937 random(3);
  for (const std::vector<std::size_t>& sizes :
       {std::vector<std::size_t>{100, 100}, {101, 0, 57}, {1, 0, 0, 0}, {64, 63, 63, 63}}) {
    for (const std::uint32_t distinct : {1u, 5u, 1u << 31}) {
      std::vector<std::vector<Pair>> ranks;
      std::vector<Pair> all;
      for (const std::size_t n : sizes) {
        auto& rank = ranks.emplace_back();
        for (std::size_t i = 0; i < n; ++i) {
          rank.emplace_back(static_cast<std::uint32_t>(random()) % distinct,
                            static_cast<std::uint32_t>(all.size()));
          all.push_back(rank.back());
        }
      }
      std::sort(all.begin(), all.end());
      for (const std::size_t pieces : {1u, 3u}) {
        std::vector<std::vector<Pair>> parts(sizes.size());
        on_parts(static_cast<int>(sizes.size()), [&](Communicator& part) {
          parts[static_cast<std::size_t>(part.part())] =
              sorted_part(part, ranks, {sizes.size(), pieces});
        });
        std::vector<Pair> joined;
        for (const auto& part : parts) joined.insert(joined.end(), part.begin(), part.end());
        EXPECT_EQ(joined, all) << sizes.size() << " ranks, " << pieces << " pieces";
      }
    }
  }
}

TEST(Rounds, LeaveOutWhatIsInPlace) {
  on_parts(2, [](Communicator& part) {
    const auto own = static_cast<std::size_t>(part.part());
    const ExchangePlan plan({2, 1}, {1, 1, 1, 1});
    std::vector<std::uint32_t> keys = {10 * (static_cast<std::uint32_t>(own) + 1), 7}, to = {5, 5};
    const auto from = [&](std::size_t) { return Items<std::uint32_t, NoValue>{keys.data()}; };
    StagedExchange exchange(part, copy);
    gpu::ranks::round_of(plan, {2, 1}, own, 0, OwnItems::in_place, from,
                         Items<std::uint32_t, NoValue>{to.data()})
        .exchange(exchange, nullptr);
    EXPECT_EQ(to[own], 5u);
    EXPECT_EQ(to[1 - own], own == 0 ? 20u : 10u);
  });
}

}  // namespace
}  // namespace sortlab
