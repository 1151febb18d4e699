// Ranks over MPI: the one file that sees mpi.h. Any MPI of version 3 will do. A build without MPI says so.
#if defined(SORTLAB_HAVE_MPI)
  #include <mpi.h>
  #include <unistd.h>

  #include <algorithm>
  #include <climits>
  #include <cstdlib>
  #include <numeric>
  #include <vector>
#endif
#include <stdexcept>

#include "common/harness/ranks/ranks.hpp"

namespace sortlab {

#if defined(SORTLAB_HAVE_MPI)
namespace {

/// MPI ends the program by itself when a call fails: MPI_ERRORS_ARE_FATAL is its default.
class MpiRanks : public Ranks {
 public:
  explicit MpiRanks(std::size_t most_counted) : most_counted_(most_counted) {
    MPI_Init(nullptr, nullptr);
    MPI_Comm_size(MPI_COMM_WORLD, &parts_);
    MPI_Comm_rank(MPI_COMM_WORLD, &part_);
    MPI_Comm host;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, part_, MPI_INFO_NULL, &host);
    first_on_host_ = part_;
    MPI_Bcast(&first_on_host_, 1, MPI_INT, 0, host);
    MPI_Comm_free(&host);
  }
  ~MpiRanks() override { MPI_Finalize(); }
  MpiRanks(const MpiRanks&) = delete;
  MpiRanks& operator=(const MpiRanks&) = delete;

  int parts() const override { return parts_; }
  int part() const override { return part_; }
  int first_on_host() const override { return first_on_host_; }

  void barrier() override { MPI_Barrier(MPI_COMM_WORLD); }

  void all_gather(const void* from, std::size_t bytes, void* to) override {
    MPI_Allgather(from, static_cast<int>(bytes), MPI_BYTE, to, static_cast<int>(bytes), MPI_BYTE,
                  MPI_COMM_WORLD);
  }

  void all_sum(std::span<std::uint64_t> values) override {
    MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_UINT64_T,
                  MPI_SUM, MPI_COMM_WORLD);
  }

  void all_to_all(const void* from, std::span<const std::size_t> send_counts, void* to,
                  std::span<const std::size_t> receive_counts, std::size_t item_bytes) override {
    const std::size_t own = std::max(total(send_counts), total(receive_counts));
    std::uint64_t most = own;
    MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
    if (most > most_counted_) {
      in_messages(static_cast<const std::byte*>(from), send_counts, static_cast<std::byte*>(to),
                  receive_counts, item_bytes);
      return;
    }
    MPI_Datatype item;
    MPI_Type_contiguous(static_cast<int>(item_bytes), MPI_BYTE, &item);
    MPI_Type_commit(&item);
    const Blocks send(send_counts), receive(receive_counts);
    MPI_Alltoallv(from, send.counts.data(), send.offsets.data(), item, to, receive.counts.data(),
                  receive.offsets.data(), item, MPI_COMM_WORLD);
    MPI_Type_free(&item);
  }

  std::string hear_rank_0(const std::string& own) override {
    auto length = static_cast<std::uint64_t>(own.size());
    MPI_Request request;
    MPI_Ibcast(&length, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD, &request);
    for (int done = 0; MPI_Test(&request, &done, MPI_STATUS_IGNORE), done == 0;) usleep(200);
    std::string text = own;
    text.resize(length);
    MPI_Bcast(text.data(), static_cast<int>(length), MPI_BYTE, 0, MPI_COMM_WORLD);
    return text;
  }

  void abort() override { MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE); }

 private:
  struct Blocks {
    std::vector<int> counts, offsets;
    explicit Blocks(std::span<const std::size_t> sizes)
        : counts(sizes.begin(), sizes.end()), offsets(sizes.size()) {
      std::exclusive_scan(counts.begin(), counts.end(), offsets.begin(), 0);
    }
  };

  /// The same in messages, whatever the counts. Each pair of ranks sends them in order, so that they need no
  /// numbers.
  void in_messages(const std::byte* from, std::span<const std::size_t> send_counts, std::byte* to,
                   std::span<const std::size_t> receive_counts, std::size_t item_bytes) {
    const std::size_t most_bytes = std::min(most_counted_, std::size_t{1} << 30);
    std::vector<MPI_Request> requests;
    const auto post = [&](std::span<const std::size_t> counts, auto* block, auto call) {
      for (int other = 0; other < parts_; ++other) {
        const std::size_t bytes = counts[static_cast<std::size_t>(other)] * item_bytes;
        for (std::size_t begin = 0; begin < bytes; begin += most_bytes) {
          const int count = static_cast<int>(std::min(most_bytes, bytes - begin));
          call(block + begin, count, MPI_BYTE, other, 0, MPI_COMM_WORLD, &requests.emplace_back());
        }
        block += bytes;
      }
    };
    post(receive_counts, to, MPI_Irecv);
    post(send_counts, from, MPI_Isend);
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  }

  static std::size_t total(std::span<const std::size_t> counts) {
    return std::accumulate(counts.begin(), counts.end(), std::size_t{0});
  }

  std::size_t most_counted_;
  int parts_ = 1;
  int part_ = 0;
  int first_on_host_ = 0;
};

}  // namespace

std::string mpi_missing() { return ""; }

std::unique_ptr<Ranks> join_ranks(std::size_t most_counted) {
  return std::make_unique<MpiRanks>(most_counted);
}

#else
std::string mpi_missing() {
  return "this build has no MPI: install libopenmpi-dev and openmpi-bin, then build again";
}

std::unique_ptr<Ranks> join_ranks(std::size_t) { throw std::runtime_error(mpi_missing()); }
#endif

}  // namespace sortlab
