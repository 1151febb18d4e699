#include "common/tool/selection_flags.hpp"

#include "common/harness/rig/device.hpp"
#include "common/tool/plugin/plugin_flag.hpp"

namespace sortlab {

void add_selection(CLI::App& command, Selection& s) {
  command
      .add_option("--filter", s.filters,
                  "Variants, as globs on their ids; @auto: what `auto` may choose")
      ->delimiter(',')
      ->type_name("VARIANT");
  command.add_option("--type", s.types, "Key types: u32 i32 u64 i64 f32 f64 (default u32)")
      ->type_name("TYPE");
  command.add_option("--dist", s.dists, "Distributions: uniform, zipf:1.0, ... (default uniform)")
      ->type_name("DIST");
  command.add_option("--n", s.sizes, "Numbers of keys (default 1M)")->type_name("N");
  command.add_option("--threads", s.threads, "Thread counts: 1,2,4 or all (default all)")
      ->type_name("N|all");
  command.add_option("--order", s.order, "Ascending or descending (default asc)")
      ->type_name("asc|desc");
  command.add_option("--seed", s.seed, "Seed of all randomness");
  command
      .add_option("--launch", s.launch,
                  "GPU sorts: stream, or graph (captured once, then replayed)")
      ->type_name("stream|graph");
  command.add_option_function<int>("--device", choose_device, "Which GPU (default 0)");
  command.add_option("--param", s.params, "Parameters: name=value,...; repeated: a sweep")
      ->take_all()
      ->type_name("NAME=N");
  add_plugin_flag(command);
}

}  // namespace sortlab
