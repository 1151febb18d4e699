// Parts that are threads of the test, for sorts over several parts without processes and MPI.
#pragma once

#include <barrier>
#include <cstring>
#include <functional>
#include <numeric>
#include <span>
#include <stdexcept>
#include <thread>
#include <vector>

#include "common/contract/communicator.hpp"

namespace sortlab {

class ThreadPart : public Communicator {
 public:
  /// The shared state of all parts.
  struct Meeting {
    explicit Meeting(int parts) : arrived(parts), sent(static_cast<std::size_t>(parts)) {}
    struct Sent {
      const std::byte* data;
      std::span<const std::size_t> counts;
    };
    std::barrier<> arrived;
    std::vector<Sent> sent;
  };

  ThreadPart(Meeting& meeting, int part) : meeting_(meeting), part_(part) {}

  int parts() const override { return static_cast<int>(meeting_.sent.size()); }
  int part() const override { return part_; }
  void barrier() override { meeting_.arrived.arrive_and_wait(); }

  void all_gather(const void* from, std::size_t bytes, void* to) override {
    send(from, {});
    auto* out = static_cast<std::byte*>(to);
    for (const auto& sent : meeting_.sent) {
      if (bytes != 0) std::memcpy(out, sent.data, bytes);
      out += bytes;
    }
    barrier();
  }

  void all_sum(std::span<std::uint64_t> values) override {
    const auto all = gathered(*this, std::span<const std::uint64_t>(values));
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = 0;
      for (std::size_t at = i; at < all.size(); at += values.size()) values[i] += all[at];
    }
  }

  void all_to_all(const void* from, std::span<const std::size_t> send_counts, void* to,
                  std::span<const std::size_t> receive_counts, std::size_t item_bytes) override {
    send(from, send_counts);
    auto* out = static_cast<std::byte*>(to);
    for (std::size_t p = 0; p < meeting_.sent.size(); ++p) {
      const auto& [data, counts] = meeting_.sent[p];
      const auto me = static_cast<std::size_t>(part_);
      const std::size_t offset =
          std::accumulate(counts.begin(), counts.begin() + part_, std::size_t{0});
      const std::size_t bytes = counts[me] * item_bytes;
      if (counts[me] != receive_counts[p]) throw std::logic_error("counts that do not agree");
      if (bytes != 0) std::memcpy(out, data + offset * item_bytes, bytes);
      out += bytes;
    }
    barrier();
  }

 private:
  void send(const void* data, std::span<const std::size_t> counts) {
    meeting_.sent[static_cast<std::size_t>(part_)] = {static_cast<const std::byte*>(data), counts};
    barrier();
  }

  Meeting& meeting_;
  int part_;
};

/// Calls work(communicator) for each part, concurrently.
inline void on_parts(int parts, const std::function<void(Communicator&)>& work) {
  ThreadPart::Meeting meeting(parts);
  std::vector<std::jthread> threads;
  for (int p = 0; p < parts; ++p) {
    threads.emplace_back([&, p] {
      ThreadPart part(meeting, p);
      work(part);
    });
  }
}

}  // namespace sortlab
