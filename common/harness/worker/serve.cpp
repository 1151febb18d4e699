#include "common/harness/worker/worker.hpp"

#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <vector>

#include "common/harness/machine/machine.hpp"
#include "common/harness/plugin/description.hpp"
#include "common/harness/plugin/library.hpp"
#include "common/harness/rig/device.hpp"
#include "common/harness/run/interrupt.hpp"
#include "common/harness/verify/check.hpp"
#include "common/harness/worker/ask.hpp"
#include "common/harness/worker/channel.hpp"

namespace sortlab {
namespace {

using nlohmann::json;

/// Sends samples to the parent. The parent processes each one and so takes a CPU from the next
/// sort. So samples of short sorts are sent when the configuration is done.
class SampleSender {
 public:
  explicit SampleSender(Channel& channel) : channel_(channel) {}
  ~SampleSender() { send_all(); }
  SampleSender(const SampleSender&) = delete;
  SampleSender& operator=(const SampleSender&) = delete;

  void operator()(const Sample& sample) {
    samples_.push_back(sample);
    if (sample.total_ns >= kLong_ns) send_all();
  }

 private:
  static constexpr std::int64_t kLong_ns = 100'000'000;  // such a sort is hardly affected

  void send_all() {
    for (const auto& sample : samples_) channel_.send({{"sample", sample}});
    samples_.clear();
  }

  Channel& channel_;
  std::vector<Sample> samples_;
};

class Server {
 public:
  explicit Server(int socket) : channel_(socket) {}

  int serve() {
    while (true) {
      while (const auto request = channel_.take()) {
        const Outcome outcome = outcome_of([&] { return answer(*request); });
        if (is_spoilt(*request, outcome)) {
          channel_.send({{"outcome", outcome}, {"ends", true}});
          return 1;
        }
        channel_.send({{"outcome", outcome}});
      }
      if (channel_.receive(-1) == Received::end_of_stream) return 0;
    }
  }

 private:
  Outcome answer(const json& request) {
    if (request.contains("describe")) {
      channel_.send({{"description", describe_library(request.at("describe"))}});
      return {};
    }
    if (request.contains("roofs")) {
      const bool of_gpu = request.at("roofs") == "gpu";
      channel_.send({{"roofs", of_gpu ? measure_gpu_roofs() : measure_roofs()}});
      return {};
    }
    const auto [config, stop] = request.get<TaskRequest>();
    if (request.contains("plugin") && find_variant(config.variant) == nullptr) {
      const std::string path = request.at("plugin");
      register_plugin(path, describe_library(path));
    }
    if (!stop) return InProcessMeasurer({}).check(config);
    SampleSender send(channel_);
    return measure(config, *stop, inputs_, std::ref(send));
  }

  /// Whether a sort may harm later ones: it may have overwritten any of this process's memory, may
  /// keep memory that no measurement counts, or may have left the GPU unusable.
  static bool is_spoilt(const json& request, const Outcome& outcome) {
    if (request.contains("plugin")) {
      if (outcome.status == Status::failed) return true;
      const auto [config, stop] = request.get<TaskRequest>();
      if (stop && config.temp_policy == TempPolicy::cached) return true;
    }
    return device_is_broken();
  }

  Channel channel_;
  InputPool inputs_;
};

void end_group(int) {
  if (getpgrp() == getpid()) kill(0, SIGKILL);
  _exit(1);
}

}  // namespace

int worker_main(int socket) {
  // The parent has ended: end too, with all processes that the sorts have started.
  std::signal(SIGHUP, end_group);
  prctl(PR_SET_PDEATHSIG, SIGHUP);
  std::signal(SIGINT, SIG_IGN);  // the parent hears Ctrl-C and decides
  // A process group that is not the terminal's own would stop when a sort writes to it or reads.
  std::signal(SIGTTOU, SIG_IGN);
  std::signal(SIGTTIN, SIG_IGN);
  watch_for_pauses();
  std::ofstream("/proc/self/oom_score_adj") << 1000;  // if memory runs out, end this one first
  return Server(socket).serve();
}

}  // namespace sortlab
