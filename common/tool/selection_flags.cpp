#include "common/tool/selection_flags.hpp"

#include <climits>
#include <cstdint>

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

void add_selection(CLI::App& command, Selection& s) {
  command
      .add_option("--filter", s.filters,
                  "Variants, as globs on their ids; @auto: what `auto` may choose")
      ->delimiter(',')
      ->type_name("VARIANT");
  command
      .add_option("--type", s.types,
                  "Key types: u32 i32 u64 i64 f32 f64 (default: as `sortlab dists` says, else u32)")
      ->type_name("TYPE");
  command
      .add_option(
          "--dist", s.dists,
          "Distributions: uniform, zipf:1.0, ...; @real: those of programs (default uniform)")
      ->type_name("DIST");
  command
      .add_option("--n", s.sizes, "Numbers of keys; typical: as programs have them (default 1M)")
      ->type_name("N|typical");
  command.add_option("--threads", s.threads, "Thread counts: 1,2,4 or all (default all)")
      ->type_name("N|all");
  command.add_option("--order", s.order, "Ascending or descending (default asc)")
      ->type_name("asc|desc");
  add_whole<std::uint64_t>(command, "--seed", s.seed, 0, UINT64_MAX,
                           "Seed of all randomness (default 12345)");
  command
      .add_option("--launch", s.launch,
                  "GPU sorts: stream, or graph (captured once, then replayed)")
      ->type_name("stream|graph");
  add_device_flag(command);
  command.add_option("--param", s.params, "Parameters: name=value,...; repeated: a sweep")
      ->take_all()
      ->type_name("NAME=N");
  add_plugin_flag(command);
}

}  // namespace sortlab
