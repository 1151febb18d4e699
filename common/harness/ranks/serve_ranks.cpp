
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>

#include "common/contract/usable_cpus.hpp"
#include "common/harness/machine/machine.hpp"
#include "common/harness/ranks/launch.hpp"
#include "common/harness/ranks/part_measure.hpp"
#include "common/harness/ranks/part_of_task.hpp"
#include "common/harness/ranks/rank_gpus.hpp"
#include "common/harness/ranks/ranks.hpp"
#include "common/harness/run/interrupt.hpp"
#include "common/harness/worker/ask.hpp"
#include "common/harness/worker/channel.hpp"
#include "common/notes.hpp"

namespace sortlab {
namespace {

using nlohmann::json;

int call(const std::string& meeting) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  meeting.copy(address.sun_path, sizeof address.sun_path - 1);
  const int caller = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (caller < 0 || connect(caller, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    throw std::runtime_error(fmt::format("{}: {}", meeting, std::strerror(errno)));
  }
  return caller;
}

/// "" or which memory of the host is missing. Ranks on one host share its memory.
Outcome with_host_memory(const Task& task, Ranks& ranks, int versions) {
  struct Need {
    int host;
    std::size_t bytes;
  };
  const std::size_t own = PartOfTask(task, ranks.parts(), ranks.part()).bytes_needed(versions);
  std::size_t needed = 0;
  for (const Need& need : gathered(ranks, Need{ranks.first_on_host(), own})) {
    if (need.host == ranks.first_on_host()) needed += need.bytes;
  }
  const std::string reason = lacks_host_memory(needed);
  return first_trouble(ranks,
                       {reason.empty() ? Status::ok : Status::skipped, "its host " + reason});
}

/// Where sortlab starts the ranks, it tells Open MPI to bind none to a CPU: a container's CPUs are not the
/// first ones. On a machine of several NUMA nodes each rank keeps to its share of them.
void keep_to_own_nodes() {
  const auto launched = launched_as();
  const auto nodes = numa_nodes(allowed_cpus());
  if (!launched || nodes.size() == 1) return;
  CpuSet set;
  const Cpus own = cpus_of_rank(nodes, launched->rank, launched->ranks);
  for (const int cpu : own) set.add(cpu);
  if (!own.empty()) set.apply();  // a rank may run anywhere else, slower
}

class RankServer {
 public:
  /// `asker` is rank 0's alone.
  RankServer(Ranks& ranks, Channel* asker) : ranks_(ranks), asker_(asker) {}

  void serve() {
    for (std::string request; !(request = ranks_.hear_rank_0(next_request())).empty();) {
      const Outcome outcome = answer(json::parse(request));
      if (asker_ != nullptr) asker_->send({{"outcome", outcome}});
    }
  }

 private:
  /// "" when nobody asks any more.
  std::string next_request() {
    if (asker_ == nullptr) return "";
    while (true) {
      if (const auto request = asker_->take()) return request->dump();
      if (asker_->receive(-1) == Received::end_of_stream) return "";
    }
  }

  Outcome answer(const json& request) {
    const auto [config, stop] = request.get<TaskRequest>();
    const bool measures = stop.has_value();
    const Task task(config);
    const int versions = measures ? versions_of(task.config) : 1;
    if (task.on_device()) {
      if (const Outcome trouble = with_gpu(measures); trouble.status != Status::ok) return trouble;
    }
    if (const Outcome trouble = with_memory(task, versions); trouble.status != Status::ok) {
      return trouble;
    }
    DeviceExchange* const on_device = gpu_.exchange.get();
    if (!measures) return check_parts(task, ranks_, on_device);
    return measure_parts(
        task, ranks_, *stop,
        [&](const Sample& sample) {
          asker_->send({{"sample", sample}});
        },
        on_device);
  }

  /// Joins the GPUs of all ranks, for the first sort on them.
  Outcome with_gpu(bool measures) {
    if (!joined_gpus_) joined_gpus_ = join_gpus(ranks_, gpu_);
    if (joined_gpus_->status != Status::ok || !measures || gpu_.sharers == 1) return *joined_gpus_;
    return {
        Status::skipped,
        fmt::format("{} ranks on one GPU, where NCCL wants a GPU for each; `sortlab verify` takes "
                    "the way through host memory",
                    gpu_.sharers)};
  }

  Outcome with_memory(const Task& task, int versions) {
    if (!task.on_device()) return with_host_memory(task, ranks_, versions);
    const Outcome own = outcome_of([&]() -> Outcome {
      const std::size_t bytes =
          PartOfTask(task, ranks_.parts(), ranks_.part()).bytes_needed(versions);
      const std::string reason = gpu_lacks_memory(bytes, gpu_.sharers);
      return {reason.empty() ? Status::ok : Status::skipped, reason};
    });
    return first_trouble(ranks_, own);
  }

  Ranks& ranks_;
  Channel* asker_;
  std::optional<Outcome> joined_gpus_;
  RankGpu gpu_;
};

}  // namespace

int rank_main(int count, int socket, const std::string& meeting) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // a launcher that is killed can't end its ranks
  std::signal(SIGINT, SIG_IGN);      // who asks hears Ctrl-C and decides
  watch_for_pauses();
  std::ofstream("/proc/self/oom_score_adj") << 1000;  // if memory runs out, end this one first
  const bool started_by_sortlab = socket < 0 && !meeting.empty();
  if (started_by_sortlab) keep_to_own_nodes();
  const auto ranks = join_ranks();
  std::optional<Channel> asker;
  if (ranks->part() == 0) asker.emplace(socket >= 0 ? socket : call(meeting));
  if (ranks->parts() != count) {
    note("{}", last_words(ranks->part(),
                          {Status::failed,
                           fmt::format("the launcher started {} of {} ranks: it is another MPI's "
                                       "than the one that sortlab was built with",
                                       ranks->parts(), count)}));
    return 1;
  }
  // What goes wrong here may go wrong on this rank alone, and the others wait for it.
  const Outcome end = outcome_of([&]() -> Outcome {
    RankServer(*ranks, asker ? &*asker : nullptr).serve();
    return {};
  });
  if (end.status == Status::ok) return 0;
  note("{}", last_words(ranks->part(), end));
  ranks->abort();
  return 1;
}

std::optional<int> serve_as_rank() {
  const auto launched = launched_as();
  if (!launched || launched->rank == 0 || !mpi_missing().empty()) return std::nullopt;
  return rank_main(launched->ranks, -1, "");
}

}  // namespace sortlab
