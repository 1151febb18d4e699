// One configuration of the benchmark matrix: all settings of a sample.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/contract/key_types.hpp"
#include "common/contract/record_shape.hpp"
#include "common/contract/variant.hpp"
#include "common/harness/input/distributions.hpp"
#include "common/harness/input/key_file.hpp"
#include "common/harness/input/lengths.hpp"
#include "common/harness/input/wanted.hpp"
#include "common/harness/load.hpp"
#include "common/harness/modes.hpp"
#include "common/harness/record/csv.hpp"

namespace sortlab {

// The GPUs of a sort over several of them, as users write them and as the CSV has them.

/// CUDA's numbers of the GPUs, one for each part. A number may come more than once: several parts on one GPU.
using Devices = std::vector<int>;

inline constexpr int kMostDeviceParts = 64;

/// "2": the GPUs 0 and 1. "0,2" or "0+2": these two. Throws BadInput.
Devices parse_devices(std::string_view text);

/// "2" for the GPUs 0 and 1, else "0+2": a list without a comma. "" for none.
std::string devices_text(const Devices& devices);

struct Config {
  std::string variant;
  std::string device;  // name of the CPU or GPU that sorts
  std::string isa;     // instruction set, or the library's own choice; empty for a GPU
  std::string lib_version;
  bool stable = false;
  bool in_place = false;
  KeyType key_type = KeyType::u32;
  RecordShape record;  // where key_type is that of records
  std::size_t value_bytes = 0;
  Order order = Order::ascending;
  std::size_t n = 0;
  Distribution dist;  // or {"file", "<name>@<hash>"} for the user's own keys
  std::uint64_t seed = 12345;
  int threads = 1;  // 0 for a GPU; of each rank
  int ranks = 0;    // processes that share the items; 0: the items are in one memory
  Devices
      devices;  // GPUs that share the items, one for each part; none: the items are in one memory
  bool pinned = false;
  std::string params;  // "name=value;..." of all the variant's parameters
  HostMem host_mem = HostMem::none;
  std::size_t gpu_mem =
      0;  // the most bytes of GPU memory that a sort may take; 0: all that is free
  TempPolicy temp_policy = TempPolicy::prealloc;
  CacheState cache = CacheState::hot;
  Launch launch = Launch::stream;
  Load load;  // that sortlab makes while it measures
  Lengths
      lengths;  // of the segments that are sorted each for itself; none: the array is sorted as a whole
  Wanted top;  // of a top-k or a partial sort

  // The file with the user's keys. It has no column, because dist holds a hash of the keys.
  std::string input_path;
  FileFormat input_format = FileFormat::automatic;

  // Measure these too. No columns, as they change no other measurement.
  bool energy = false;
  bool counters = false;

  bool has_pairs() const { return value_bytes != 0; }
  bool on_device() const { return threads == 0; }
  /// Whether a GPU sorts, or helps.
  bool uses_gpu() const { return on_device() || variant.starts_with("gpu/"); }
  /// Whether the keys are on the GPU before and after the sort.
  bool resident() const { return on_device() && host_mem == HostMem::none; }
  /// Whether they are on several GPUs, each of which makes its own part of the input.
  bool over_device_parts() const { return resident() && !devices.empty(); }
  /// "u32", or "r100:10" for records of 100 bytes with keys of 10.
  std::string key_name() const;
  /// Of a key in the sort's buffers: a record lies there as a whole.
  std::size_t key_bytes() const;
  /// "radix" of "cpu/radix/naive".
  std::string algorithm() const;

  /// The configuration's columns of the CSV, by name, in their order there.
  std::vector<std::pair<std::string, std::string>> columns() const;

  /// 16 hex digits: config_id(columns()). Equal ids mean the same measurement.
  std::string id() const;

  /// "cpu/radix/naive/u32+u32/asc/zipf:0.75/n:1048576/threads:1": its name in messages.
  std::string benchmark_name() const;

  /// The variant's parameters as `params` says.
  Params parsed_params(const Variant& owner) const;
};

/// "u32" for 4: the name of values of this width.
std::string name_of_values(std::size_t bytes);
/// "keys", "pairs" and the names of wider values: what users call the widths of kValueWidths, in their order.
std::vector<std::string> value_names();
/// "u32", or with values "u32+u32".
std::string name_of_types(std::string_view key_type, std::size_t value_bytes,
                          std::string_view plus = "+");

/// A hash of all of a configuration's columns.
std::string config_id(const std::vector<std::pair<std::string, std::string>>& columns);

/// The benchmark_name() of the configuration that a row of the CSV is about.
std::string configuration_name(const CsvRow& columns);

void to_json(nlohmann::json& json, const Config& config);
void from_json(const nlohmann::json& json, Config& config);

}  // namespace sortlab
