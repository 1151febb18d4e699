#include "common/tool/selection_flags.hpp"

#include <fmt/format.h>

#include <climits>
#include <cstdint>
#include <string_view>

#include "common/harness/rig/device.hpp"
#include "common/tool/number_flags.hpp"
#include "common/tool/plugin/plugin_flag.hpp"

namespace sortlab {

void add_device_flag(CLI::App& command) {
  const auto choose = [](const std::string& text) {
    choose_device(static_cast<int>(whole_number("--device", text, 0, INT_MAX)));
  };
  command.add_option_function<std::string>("--device", choose, "Which GPU (default 0)")
      ->type_name("N");
}

namespace {

/// The keys that are sorted.
void add_keys(CLI::App& command, Selection& s, const SelectionDefaults& defaults) {
  const auto with_default = [](std::string_view text, const std::string& value) {
    return fmt::format("{} (default {})", text, value);
  };
  command
      .add_option("--type", s.types,
                  with_default("Key types: u32 i32 u64 i64 f32 f64", defaults.types))
      ->type_name("TYPE");
  command
      .add_option(
          "--record", s.records,
          "Records in place of keys, as the sort benchmarks have them: 100:10 is records of "
          "100 bytes that begin with keys of 10")
      ->type_name("BYTES:KEY");
  command
      .add_option("--dist", s.dists,
                  with_default("Distributions: uniform, zipf:1.0, ...; @real: those of programs",
                               defaults.dists))
      ->type_name("DIST");
  command
      .add_option("--n", s.sizes,
                  with_default("Numbers of keys; typical: as programs have them", defaults.sizes))
      ->type_name("N|typical");
}

/// Who sorts, and in which way.
void add_ways(CLI::App& command, Selection& s) {
  command.add_option("--threads", s.threads, "Thread counts: 1,2,4 or all (default all)")
      ->type_name("N|all");
  command
      .add_option("--ranks", s.ranks,
                  "Processes of each sort over ranks: 2,4, all (one per CPU) or nodes (one per "
                  "NUMA node)")
      ->type_name("N|all|nodes");
  command
      .add_option("--devices", s.devices,
                  "GPUs of sorts over several GPUs (gpu/multi/*, gpu/host/spread): 2 (the first "
                  "two) or 0,2; repeated: each after the other")
      ->take_all()
      ->type_name("N|LIST");
  command.add_option("--order", s.order, "Ascending or descending (default asc)")
      ->type_name("asc|desc");
  add_whole<std::uint64_t>(command, "--seed", s.seed, 0, UINT64_MAX,
                           "Seed of all randomness (default 12345)");
  command
      .add_option("--launch", s.launch,
                  "GPU sorts: stream, or graph (captured once, then replayed)")
      ->type_name("stream|graph");
  add_device_flag(command);
  command
      .add_option(
          "--gpu-mem", s.gpu_mem,
          "The most GPU memory that a sort may take, in bytes: 8G,512M (default: all that is free)")
      ->type_name("BYTES");
}

}  // namespace

void add_selection(CLI::App& command, Selection& s, const SelectionDefaults& defaults) {
  command
      .add_option("--filter", s.filters,
                  "Variants, as globs on their ids; @auto: what `auto` may choose")
      ->delimiter(',')
      ->type_name("VARIANT");
  add_keys(command, s, defaults);
  add_ways(command, s);
  command.add_option("--param", s.params, "Parameters: name=value,...; repeated: a sweep")
      ->take_all()
      ->type_name("NAME=N");
  add_plugin_flag(command);
}

}  // namespace sortlab
