// A communicator that measures what the sort sends through another one.
#pragma once

#include <cstdint>
#include <utility>

#include "common/contract/communicator.hpp"
#include "common/timers.hpp"

namespace sortlab {

/// Time in exchanges of items, waiting for other parts included, and bytes sent to other parts.
struct Exchanged {
  std::int64_t ns = 0;
  std::int64_t bytes = 0;
};

inline Exchanged together(const Exchanged& a, const Exchanged& b) {
  return {a.ns + b.ns, a.bytes + b.bytes};
}

class MeteredCommunicator : public Communicator {
 public:
  explicit MeteredCommunicator(Communicator& inner) : inner_(inner) {}

  /// What was exchanged since the last call.
  Exchanged take() { return std::exchange(exchanged_, {}); }

  int parts() const override { return inner_.parts(); }
  int part() const override { return inner_.part(); }
  void barrier() override { inner_.barrier(); }
  void all_gather(const void* from, std::size_t bytes, void* to) override {
    inner_.all_gather(from, bytes, to);
  }
  void all_sum(std::span<std::uint64_t> values) override { inner_.all_sum(values); }
  void all_to_all(const void* from, std::span<const std::size_t> send_counts, void* to,
                  std::span<const std::size_t> receive_counts, std::size_t item_bytes) override {
    const Stopwatch watch;
    inner_.all_to_all(from, send_counts, to, receive_counts, item_bytes);
    exchanged_.ns += watch.elapsed_ns();
    for (int p = 0; p < parts(); ++p) {
      const auto count = send_counts[static_cast<std::size_t>(p)];
      if (p != part()) exchanged_.bytes += static_cast<std::int64_t>(count * item_bytes);
    }
  }

 private:
  Communicator& inner_;
  Exchanged exchanged_;
};

}  // namespace sortlab
