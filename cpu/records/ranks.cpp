// Records over ranks: sample sort that exchanges whole records once.
//
//     rank 0: sort  * . * . *            [ < s1 | < s2 | rest ]            runs of 0, 1, 2   merge
//     rank 1: sort  * . * . *   samples  [ < s1 | < s2 | rest ]  exchange  runs of 0, 1, 2   merge
//     rank 2: sort  * . * . *      ->    [ < s1 | < s2 | rest ]     ->     runs of 0, 1, 2   merge
//
// Over cpu/records/prefix: memory and bandwidth of several hosts. A sample is the bytes of a key with the rank
// and the place that it comes from, both with their highest byte first, so that memcmp compares samples. Equal
// keys are cut between ranks by rank and place, as in cpu/ranks/sample, with the same bound for the largest part.
// The runs that arrive are merged as pairs of prefix and number; the records themselves move once more.
// Passes: each rank gathers its records twice, and sends (P-1)/P of them. Stable.
// Limits: 2^32 - 1 records in a rank; P^2 k samples of key_bytes + 12 bytes on every rank.
// Source: Shi, Schaeffer, "Parallel Sorting by Regular Sampling", JPDC 1992; for prefixes: cpu/records/prefix.
#include <numeric>

#include "common/contract/records.hpp"
#include "cpu/primitives/parts/merge_received.hpp"
#include "cpu/primitives/parts/regular_samples.hpp"
#include "cpu/primitives/records/key_order.hpp"

namespace sortlab {
namespace {

using namespace cpu::parts;
using cpu::records::KeyOrder;
using cpu::records::Records;

/// Places in the order of all records: key, rank and place in the rank, compared byte by byte.
class Samples {
 public:
  explicit Samples(std::size_t key_bytes) : key_bytes_(key_bytes) {}

  std::size_t bytes() const { return key_bytes_ + kRank + kPlace; }

  void write(std::byte* to, const std::byte* key, int rank, std::size_t place) const {
    std::memcpy(to, key, key_bytes_);
    const std::uint32_t rank_first = __builtin_bswap32(static_cast<std::uint32_t>(rank));
    const std::uint64_t place_first = __builtin_bswap64(place);
    std::memcpy(to + key_bytes_, &rank_first, kRank);
    std::memcpy(to + key_bytes_ + kRank, &place_first, kPlace);
  }

  /// How many of a rank's sorted records come before the sample.
  std::size_t records_before(const Records& sorted, std::size_t n, int rank,
                             const std::byte* sample) const {
    std::vector<std::byte> own(bytes());
    std::size_t low = 0, high = n;
    while (low < high) {
      const std::size_t mid = low + (high - low) / 2;
      write(own.data(), sorted[mid], rank, mid);
      std::memcmp(own.data(), sample, bytes()) < 0 ? low = mid + 1 : high = mid;
    }
    return low;
  }

 private:
  static constexpr std::size_t kRank = sizeof(std::uint32_t), kPlace = sizeof(std::uint64_t);
  std::size_t key_bytes_;
};

/// The samples of all ranks.
struct AllSamples {
  std::vector<std::byte> bytes;
  std::vector<const std::byte*> sorted;
};

AllSamples all_samples(const RecordPartJob& job, const Records& sorted, const Samples& samples) {
  const std::size_t wanted = samples_wanted(job.parts.parts(), job.params);
  const std::size_t taken = std::min(wanted, job.n);
  std::vector<std::byte> own(wanted * samples.bytes());
  for (std::size_t i = 0; i < taken; ++i) {
    const std::size_t at = job.n / taken * i + job.n % taken * i / taken;
    samples.write(own.data() + i * samples.bytes(), sorted[at], job.parts.part(), at);
  }
  const auto counts = gathered(job.parts, taken);
  AllSamples all{gathered(job.parts, std::span<const std::byte>(own)), {}};
  for (std::size_t rank = 0; rank < counts.size(); ++rank) {
    for (std::size_t i = 0; i < counts[rank]; ++i) {
      all.sorted.push_back(all.bytes.data() + (rank * wanted + i) * samples.bytes());
    }
  }
  std::sort(all.sorted.begin(), all.sorted.end(), [&](const std::byte* a, const std::byte* b) {
    return std::memcmp(a, b, samples.bytes()) < 0;
  });
  return all;
}

/// How many of this rank's sorted records go to each rank.
Counts counts_to_send(const RecordPartJob& job, const Records& sorted) {
  const Samples samples(job.shape.key_bytes);
  const AllSamples all = all_samples(job, sorted, samples);
  const auto parts = static_cast<std::size_t>(job.parts.parts());
  Counts counts(parts);
  std::size_t begin = 0;
  for (std::size_t part = 0; part < parts; ++part) {
    std::size_t end = job.n;
    if (part + 1 < parts && !all.sorted.empty()) {
      const std::byte* const splitter = all.sorted[all.sorted.size() * (part + 1) / parts];
      end = samples.records_before(sorted, job.n, job.parts.part(), splitter);
    }
    counts[part] = end - begin;
    begin = end;
  }
  return counts;
}

struct RecordRanks {
  using JobKind = RankParts;
  static constexpr Info info{.summary = "records over ranks: sample sort, whole records sent once",
                             .source = "Shi and Schaeffer 1992",
                             .after = "cpu/records/prefix",
                             .stable = true,
                             .alternate = true,
                             .parallel = true,
                             .isas = kEveryIsa,
                             .params = kSampleParams};

  static PartNeeds needs(const PartRequest& request) {
    const std::size_t capacity = most_by_samples(request);
    return {capacity, KeyOrder::workspace_bytes(capacity, request.threads)};
  }

  static PartResult sort(const RecordPartJob& job) {
    if (job.capacity > UINT32_MAX) throw std::runtime_error("more than 2^32 - 1 records in a rank");
    KeyOrder order({job.records, job.shape}, job.capacity, job.workspace, job.threads, job.isa);
    order.sort(job.n);
    order.gather(job.n, job.alternate);

    const Counts send_counts = counts_to_send(job, {job.alternate, job.shape});
    const CountsOfAll counts(job, send_counts);
    counts.check();
    const Counts received = counts.received();
    job.parts.all_to_all(job.alternate, send_counts, job.records, received, job.shape.bytes);

    const std::size_t n = total(received);
    order.number(n);
    merge_received(order.job(), order.buffers(), received);
    order.finish_ties(0, n, KeyOrder::kWord);
    order.gather(n, job.alternate);
    return {ResultIn::alternate, n};
  }
};
SORTLAB_REGISTER(RecordRanks, RecordKeys, KeysOnly);

}  // namespace
}  // namespace sortlab
