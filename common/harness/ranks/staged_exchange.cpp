#include "common/harness/ranks/staged_exchange.hpp"

#include <numeric>
#include <vector>

namespace sortlab {
namespace {

/// Messages in the order of their parts: where each lies among all bytes, and the bytes of each part.
struct Packed {
  std::vector<std::size_t> places, bytes_of_part;

  template <class Messages>
  Packed(const Messages& messages, int parts) : bytes_of_part(static_cast<std::size_t>(parts)) {
    for (const auto& message : messages) {
      bytes_of_part[static_cast<std::size_t>(message.part)] += message.bytes;
    }
    std::vector<std::size_t> next(bytes_of_part.size());
    std::exclusive_scan(bytes_of_part.begin(), bytes_of_part.end(), next.begin(), std::size_t{0});
    for (const auto& message : messages) {
      std::size_t& place = next[static_cast<std::size_t>(message.part)];
      places.push_back(place);
      place += message.bytes;
    }
  }

  std::size_t bytes() const {
    return std::accumulate(bytes_of_part.begin(), bytes_of_part.end(), std::size_t{0});
  }
};

}  // namespace

void StagedExchange::exchange(std::span<const Outgoing> out, std::span<const Incoming> in,
                              Stream stream) {
  const Packed sent(out, parts_.parts()), received(in, parts_.parts());
  std::vector<std::byte> from(sent.bytes()), to(received.bytes());
  for (std::size_t i = 0; i < out.size(); ++i) {
    copy_(from.data() + sent.places[i], out[i].from, out[i].bytes, stream);
  }
  parts_.all_to_all(from.data(), sent.bytes_of_part, to.data(), received.bytes_of_part, 1);
  for (std::size_t i = 0; i < in.size(); ++i) {
    copy_(in[i].to, to.data() + received.places[i], in[i].bytes, stream);
  }
}

}  // namespace sortlab
