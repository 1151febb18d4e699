#include "common/harness/config_fields.hpp"

#include <climits>
#include <cstdint>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "common/choose/json_reading.hpp"

namespace sortlab {
namespace {

using nlohmann::json;

std::string text_of(bool value) { return value ? "1" : "0"; }
std::string text_of(const std::string& value) { return value; }
std::string text_of(const Devices& devices) { return devices_text(devices); }
template <class T>
std::string text_of(const T& value) {
  if constexpr (std::is_enum_v<T>) {
    return std::string(name_of(value));
  } else {
    return std::to_string(value);
  }
}

template <class T>
json json_of(const T& value) {
  return value;
}
json json_of(const Load& load) { return text_of(load); }

/// `most`: the largest value of an enumeration, or of a number; 0: any number of its type.
template <class T>
void read_from(const json& given, T& value, auto most) {
  if constexpr (std::is_enum_v<T>) {
    value = static_cast<T>(whole_of<int>(given, 0, static_cast<int>(most)));
  } else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    value = whole_of<T>(given, 0, most != 0 ? most : std::numeric_limits<T>::max());
  } else {
    given.get_to(value);
  }
}
void read_from(const json& given, Load& load, int) {
  load = parse_load(given.get<std::string>(), 0);
}
json json_of(const Lengths& lengths) { return text_of(lengths); }
void read_from(const json& given, Lengths& lengths, int) {
  const auto text = given.get<std::string>();
  lengths = text.empty() ? Lengths{} : parse_lengths(text);
}
json json_of(const Wanted& wanted) { return text_of(wanted); }
void read_from(const json& given, Wanted& wanted, int) {
  const auto text = given.get<std::string>();
  wanted = text.empty() ? Wanted{} : parse_wanted(text);
}
void read_from(const json& given, Devices& devices, int) {
  devices.clear();
  for (const json& number : given) {
    devices.push_back(whole_of<int>(number, 0, kMostDeviceParts - 1));
  }
}

/// Of a member; `kMost` as for read_from().
template <auto kMember, auto kMost = 0>
constexpr FieldValue of_member = {
    [](const Config& config) { return text_of(std::invoke(kMember, config)); },
    [](json& sent, const Config& config) { sent = json_of(std::invoke(kMember, config)); },
    [](const json& sent, Config& config) { read_from(sent, std::invoke(kMember, config), kMost); }};

/// Of a number that is 0 where it means nothing.
template <auto kMember>
constexpr FieldValue of_count = {[](const Config& config) {
                                   const auto number = std::invoke(kMember, config);
                                   return number == 0 ? "" : std::to_string(number);
                                 },
                                 of_member<kMember>.write, of_member<kMember>.read};

constexpr FieldValue kKeyType = {
    [](const Config& config) { return config.key_name(); },
    [](json& sent, const Config& config) {
      sent = {config.key_type, config.record.bytes, config.record.key_bytes};
    },
    [](const json& sent, Config& config) {
      read_from(sent.at(0), config.key_type, KeyType::record);
      if (config.key_type != KeyType::record) return;
      const auto bytes =
          whole_of<std::size_t>(sent.at(1), RecordShape::kLeastBytes, RecordShape::kMostBytes);
      config.record = {bytes, whole_of<std::size_t>(sent.at(2), 1, bytes)};
    }};

constexpr std::uint64_t kMostKeys = 9'000'000'000'000'000;  // as --n takes

// clang-format off
constexpr Field kFields[] = {
    {.name = "algorithm", .value = {[](const Config& config) { return config.algorithm(); }}},
    {.name = "variant", .value = of_member<&Config::variant>,
     .flag = "--filter", .wish = &Selection::filters, .key = "filter", .takes = "VARIANT",
     .help = "Variants, as globs on their ids; @auto: what `auto` may choose", .splits = true},
    {.name = "device", .value = of_member<&Config::device>},
    {.name = "isa", .value = of_member<&Config::isa>},
    {.name = "lib_version", .value = of_member<&Config::lib_version>},
    {.name = "stable", .value = of_member<&Config::stable>},
    {.name = "in_place", .value = of_member<&Config::in_place>},
    {.name = "key_type", .value = kKeyType,
     .flag = "--type", .wish = &Selection::types, .key = "type", .takes = "TYPE",
     .help = "Key types: u32 i32 u64 i64 f32 f64", .fallback = "as `sortlab dists` says, else u32"},
    {.has_column = false,
     .flag = "--record", .wish = &Selection::records, .key = "record", .takes = "BYTES:KEY",
     .help = "Records in place of keys, as the sort benchmarks have them: 100:10 is records of 100 bytes that begin "
             "with keys of 10"},
    {.name = "value_bytes", .value = of_member<&Config::value_bytes, kValueWidths.back()>, .most = INT_MAX,
     .flag = "--values", .wish = &Selection::values, .key = "values", .takes = "VALUES",
     .help = "What travels with the keys: keys (nothing), pairs (u32 values), or wider values by their name", .splits = true},
    {.has_column = false,
     .flag = "--pairs", .wish = &Selection::values, .sets = "pairs",
     .help = "The same as --values pairs"},
    {.name = "order", .value = of_member<&Config::order, Order::descending>,
     .flag = "--order", .wish = &Selection::order, .key = "order", .takes = "asc|desc",
     .help = "Ascending or descending", .fallback = "asc"},
    {.name = "n", .value = of_member<&Config::n>, .most = kMostKeys,
     .flag = "--n", .wish = &Selection::sizes, .key = "n", .takes = "N|typical",
     .help = "Numbers of keys; typical: as programs have them", .fallback = "1M"},
    {.name = "dist", .value = of_member<[](auto& config) -> auto& { return config.dist.name; }>,
     .flag = "--dist", .wish = &Selection::dists, .key = "dist", .takes = "DIST",
     .help = "Distributions: uniform, zipf:1.0, ...; @real: those of programs", .fallback = "uniform"},
    {.name = "dist_param", .value = of_member<[](auto& config) -> auto& { return config.dist.param; }>},
    {.name = "seed", .value = of_member<&Config::seed>, .most = UINT64_MAX, .may_be_empty = true,
     .flag = "--seed", .wish = &Selection::seed, .key = "seed",
     .help = "Seed of all randomness", .fallback = "12345"},
    {.name = "threads", .value = of_member<&Config::threads>, .most = INT_MAX, .in_name = InName{"threads:", "0"},
     .flag = "--threads", .wish = &Selection::threads, .key = "threads", .takes = "N|all",
     .help = "Thread counts: 1,2,4 or all", .fallback = "all"},
    {.name = "pinned_threads", .value = of_member<&Config::pinned>,
     .flag = "--pin", .wish = &Selection::pin, .key = "pin",
     .help = "Confine each sort to as many CPUs as it has threads"},
    {.name = "params", .value = of_member<&Config::params>, .in_name = InName{""},
     .flag = "--param", .wish = &Selection::params, .key = "param", .takes = "NAME=N",
     .help = "Parameters: name=value,...; repeated: a sweep"},
    {.name = "host_mem", .value = of_member<&Config::host_mem, HostMem::staged>, .in_name = InName{"", "none"},
     .flag = "--host-mem", .wish = &Selection::host_mem, .key = "host_mem", .takes = "none|pageable|pinned|staged",
     .help = "GPU sorts: none (data on the GPU), or from and to the host's pageable or pinned memory, or pageable "
             "memory staged by several threads", .fallback = "none; gpu/host/*: pinned"},
    {.name = "temp_policy", .value = of_member<&Config::temp_policy, TempPolicy::cached>},
    {.name = "cache", .value = of_member<&Config::cache, CacheState::cold>,
     .flag = "--cold", .wish = &Selection::cache, .key = "cache", .sets = "cold",
     .help = "Flush the caches before each sort"},
    {.name = "launch", .value = of_member<&Config::launch, Launch::graph>, .in_name = InName{"", "stream"},
     .flag = "--launch", .wish = &Selection::launch, .key = "launch", .takes = "stream|graph",
     .help = "GPU sorts: stream, or graph (captured once, then replayed)"},
    {.name = "devices", .value = of_member<&Config::devices>, .in_name = InName{"devices:"},
     .flag = "--devices", .wish = &Selection::devices, .key = "devices", .takes = "N|LIST",
     .help = "GPUs of sorts over several GPUs (gpu/multi/*, gpu/host/spread): 2 (the first two) or 0,2; repeated: "
             "each after the other"},
    {.name = "ranks", .value = of_count<&Config::ranks>, .in_name = InName{"ranks:"},
     .flag = "--ranks", .wish = &Selection::ranks, .key = "ranks", .takes = "N|all|nodes",
     .help = "Processes of each sort over ranks: 2,4, all (one per CPU) or nodes (one per NUMA node)"},
    {.name = "memory_limit_bytes", .value = of_count<&Config::gpu_mem>, .in_name = InName{"gpu_mem:"},
     .flag = "--gpu-mem", .wish = &Selection::gpu_mem, .key = "gpu_mem", .takes = "BYTES",
     .help = "The most GPU memory that a sort may take, in bytes: 8G,512M (default: all that is free)"},
    {.name = "load", .value = of_member<&Config::load>, .in_name = InName{"load:", "0"},
     .flag = "--load", .wish = &Selection::load, .key = "load", .takes = "8|25%|50%:50/50",
     .help = "CPUs that sortlab keeps busy meanwhile: a count or a share of the CPUs; :ON/OFF: its programs compute "
             "for ON ms, then sleep for OFF ms", .fallback = "0"},
    {.name = "lengths", .value = of_member<&Config::lengths>, .in_name = InName{""}, .is_later = true,
     .flag = "--segments", .wish = &Selection::segments, .key = "segments", .takes = "RULE:MEAN",
     .help = "Segments of sorts that sort each for itself (*/segments/*): a rule for their lengths (rows strided ragged fixed "
             "exponential power giant empty apart; of programs: tiles matrix lists series) and the mean; :wide behind it: "
             "offsets of 64 bits"},
    {.name = "segments", .value = {[](const Config& config) {
       return config.lengths.rule.empty() ? "" : std::to_string(segments_of(config.lengths, config.n));
     }}, .is_later = true},
    {.name = "best", .value = of_member<&Config::top>, .in_name = InName{"best:"}, .is_later = true,
     .flag = "--best", .wish = &Selection::best, .key = "best", .takes = "K",
     .help = "How many items of each row or array a top-k or a partial sort finds: 50, or 1-50 for rows with a number of their own; "
             ":sorted behind it: the best first; :first: of equal keys those in the first places"},
    {.name = "input_path", .value = of_member<&Config::input_path>, .has_column = false,
     .flag = "--input", .wish = &Selection::input, .takes = "FILE",
     .help = "Sort the keys in this file: .npy, SOSD, raw, text"},
    {.name = "input_format", .value = of_member<&Config::input_format, FileFormat::text>, .has_column = false,
     .flag = "--input-format", .wish = &Selection::input_format, .takes = "auto|npy|sosd|raw|text",
     .help = "Format of that file", .fallback = "auto"},
    {.name = "energy", .value = of_member<&Config::energy>, .has_column = false,
     .flag = "--energy", .wish = &Selection::energy,
     .help = "Measure energy too: takes seconds more per configuration"},
    {.name = "counters", .value = of_member<&Config::counters>, .has_column = false,
     .flag = "--counters", .wish = &Selection::counters,
     .help = "CPU sorts: count cycles, instructions, branch and cache misses, page faults and context switches too, "
             "apart from the samples"},
};
// clang-format on

}  // namespace

std::span<const Field> config_fields() { return kFields; }

bool is_later_column(std::string_view name) {
  for (const Field& field : kFields) {
    if (field.name == name) return field.is_later;
  }
  return false;
}

}  // namespace sortlab
