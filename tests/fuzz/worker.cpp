// Fuzzes the messages of a worker process to its parent; a sort that writes to the socket may send
// any bytes.
#include <sys/socket.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "common/harness/config.hpp"
#include "common/harness/measure/sample.hpp"
#include "common/harness/measure/statistics.hpp"
#include "common/harness/plugin/description.hpp"
#include "common/harness/record/record.hpp"
#include "common/harness/worker/channel.hpp"
#include "tests/fuzz/fuzzing.hpp"

using namespace sortlab;
using namespace sortlab::fuzzing;
using nlohmann::json;

namespace {

/// The value of `name` in a message, read as the parent and the worker do. An accepted value must
/// be the same after it was sent again.
template <class Value, class Use>
void try_value(const json& message, const char* name, Use use) try {
  const auto value = message.at(name).get<Value>();
  use(value);
  const json sent = value;
  require(json(json::parse(sent.dump()).get<Value>()) == sent, "a value that its JSON changes");
} catch (const json::exception&) {
} catch (const ForeignMessage&) {
}

/// The parent must be able to read each row that it has written.
void record(const Sample& sample, const std::string& path) {
  Config config;
  config.variant = "cpu/test/plain";
  Recorder(path, "run").add_sample(config, sample);
  (void)read_csv(path);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  int ends[2];
  require(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0, "socketpair");
  Channel channel(ends[0]);
  const bool sent = send(ends[1], data, size, MSG_DONTWAIT) == static_cast<ssize_t>(size);
  close(ends[1]);
  if (!sent) return -1;  // longer than the socket's buffer

  const std::string path = folder() + "/samples.csv";
  unlink(path.c_str());
  try {
    while (channel.receive(-1) == Received::something) {
      while (const auto message = channel.take()) {
        try_value<Outcome>(*message, "outcome", [](const Outcome& o) { (void)name_of(o.status); });
        try_value<Sample>(*message, "sample", [&](const Sample& s) {
          if (is_possible(s)) record(s, path);
        });
        try_value<Config>(*message, "measure", [](const Config& c) { (void)c.benchmark_name(); });
        try_value<StopSettings>(*message, "stop", [](const StopSettings&) {});
        try_value<PluginDescription>(*message, "description", [](const PluginDescription&) {});
      }
    }
  } catch (const json::exception&) {
  } catch (const ForeignMessage&) {
  }
  return 0;
}
