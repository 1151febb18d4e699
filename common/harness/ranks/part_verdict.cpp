#include "common/harness/ranks/part_verdict.hpp"

#include <utility>

namespace sortlab {
namespace {

/// What a part tells the others beside the keys of its ends.
struct ToldOfItems {
  Fingerprint before, after;
  std::uint64_t first_number, last_number;
  bool sorted;
  std::optional<bool> stable;
};

}  // namespace

Verdict judged(Communicator& parts, const Findings& own, const Fingerprint& before) {
  const auto told = gathered(parts, ToldOfItems{before, own.fingerprint, own.first.number,
                                                own.last.number, own.sorted, own.stable});
  std::vector<std::byte> own_keys = own.first.key;  // as long as those of the other parts
  own_keys.insert(own_keys.end(), own.last.key.begin(), own.last.key.end());
  const auto keys = gathered(parts, std::span<const std::byte>(own_keys));
  auto key = keys.begin();
  const auto next_end = [&](std::uint64_t number) {
    const auto size = static_cast<std::ptrdiff_t>(own.first.key.size());
    const auto begin = std::exchange(key, key + size);
    return End{{begin, key}, number};
  };
  std::vector<Findings> found;
  Fingerprint expected;
  for (const ToldOfItems& part : told) {
    expected = together(expected, part.before);
    Findings& of_part = found.emplace_back(Findings{part.after, part.sorted, part.stable});
    of_part.first = next_end(part.first_number);
    of_part.last = next_end(part.last_number);
  }
  return judged(found, expected);
}

}  // namespace sortlab
