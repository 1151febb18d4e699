#include "tool/report/machines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "common/choose/embedded.hpp"
#include "common/contract/errors.hpp"
#include "common/contract/numbers.hpp"
#include "common/harness/record/run_files.hpp"
#include "tool/report/files.hpp"

namespace sortlab::report {

std::string core_name(const std::string& family, const std::string& model) {
  static const auto cores = nlohmann::json::parse(embedded_file("plots/cores.json")).at("cores");
  if (family.empty() || model.empty()) return "";
  const double f = number_or(family, -1), m = number_or(model, -1);
  for (const auto& core : cores) {  // family, first model, last model, name
    if (core[0] == f && core[1] <= m && m <= core[2]) return core[3].get<std::string>();
  }
  return fmt::format("family {}, model {}", family, model);
}

namespace {

using nlohmann::json;
using Pointer = json::json_pointer;

/// The value at `path` as text; "" when there is none.
std::string text_at(const json& description, const char* path) {
  const Pointer pointer(path);
  if (!description.is_object() || !description.contains(pointer)) return "";
  const json& value = description.at(pointer);
  return value.is_string() ? value.get<std::string>() : value.dump();
}

double number_at(const json& description, const char* path) {
  const Pointer pointer(path);
  if (!description.is_object() || !description.contains(pointer)) return 0;
  const json& value = description.at(pointer);
  return value.is_number() ? value.get<double>() : 0;
}

std::string caches(const json& description) {
  std::string text;
  for (const auto& cache : description.value(Pointer("/cpu/caches"), json::array())) {
    if (text_at(cache, "/type") == "Instruction") continue;
    text += fmt::format("{}L{} {}", text.empty() ? "" : ", ", text_at(cache, "/level"),
                        text_at(cache, "/size"));
  }
  return text;
}

/// "family 26, model 2"; "" if the run does not say.
std::string core_of(const json& description) {
  const std::string family = text_at(description, "/cpu/family");
  const std::string model = text_at(description, "/cpu/model_number");
  return family.empty() || model.empty() ? "" : fmt::format("family {}, model {}", family, model);
}

/// "Zen 5"; "" if the run does not say.
std::string core_name_of(const json& description) {
  return core_name(text_at(description, "/cpu/family"), text_at(description, "/cpu/model_number"));
}

/// Adds a fact unless it is unknown or already there.
class Facts {
 public:
  explicit Facts(Machine& machine) : facts_(machine.facts) {}
  void add(const std::string& name, const std::string& value) {
    const auto known = [&](const auto& fact) { return fact.first == name; };
    if (!value.empty() && std::none_of(facts_.begin(), facts_.end(), known)) {
      facts_.emplace_back(name, value);
    }
  }
  void add(const std::string& name, double value, double unit, const char* unit_name) {
    if (value > 0) add(name, fmt::format("{:.4g} {}", value / unit, unit_name));
  }
  /// For facts that differ between the runs on one machine.
  void append(const std::string& name, const std::string& value) {
    add(name, value);
    for (auto& [known, values] : facts_) {
      if (known == name && values.find(value) == std::string::npos) values += ", " + value;
    }
  }

 private:
  std::vector<std::pair<std::string, std::string>>& facts_;
};

void add_cpu_facts(Facts& facts, const json& d) {
  facts.add("CPU", text_at(d, "/cpu/model"));
  const std::string core = core_of(d), name = core_name_of(d);
  facts.add("Core", name == core ? core : fmt::format("{} ({})", name, core));
  facts.add("Host threads", text_at(d, "/cpu/threads"));
  facts.add("Instruction set", text_at(d, "/cpu/isa_used"));
  facts.add("Caches", caches(d));
  facts.add("Memory", number_at(d, "/memory_bytes"), 1 << 30, "GiB");
  facts.add("Host copy bandwidth", number_at(d, "/roofs/copy_bytes_per_s_all_threads"), 1e9,
            "GB/s");
  facts.add("Host copy bandwidth, one thread", number_at(d, "/roofs/copy_bytes_per_s_one_thread"),
            1e9, "GB/s");
}

void add_gpu_facts(Facts& facts, const json& d) {
  facts.add("GPU", text_at(d, "/gpu/name"));
  facts.add("Multiprocessors", text_at(d, "/gpu/sms"));
  facts.add("GPU memory", number_at(d, "/gpu/memory_bytes"), 1 << 30, "GiB");
  facts.add("GPU clock", number_at(d, "/gpu/sm_mhz_max"), 1, "MHz");
  facts.add("GPU power limit", number_at(d, "/gpu/power_limit_mW"), 1000, "W");
  facts.add("GPU driver", text_at(d, "/gpu/driver"));
  facts.add("CUDA runtime", text_at(d, "/gpu/cuda_runtime"));
  facts.add("Device copy bandwidth", number_at(d, "/gpu_roofs/device_copy_bytes_per_s"), 1e9,
            "GB/s");
  for (const char* way : {"h2d_pinned", "d2h_pinned", "h2d_pageable", "d2h_pageable"}) {
    const std::string path = fmt::format("/gpu_roofs/{}_bytes_per_s", way);
    facts.add(fmt::format("Copies {} {}, {}", way[0] == 'h' ? "to" : "from", "the GPU", way + 4),
              number_at(d, path.c_str()), 1e9, "GB/s");
  }
}

void add_software_facts(Facts& facts, const json& d) {
  facts.add("System", text_at(d, "/os/name"));
  facts.add("Kernel", text_at(d, "/os/kernel"));
  facts.add("Compiler", text_at(d, "/build/compiler"));
  facts.add("CUDA compiler", text_at(d, "/build/cuda_compiler"));
  facts.add("Compiler flags", text_at(d, "/build/flags"));
  if (const auto revision = revision_in(d); !revision.empty()) facts.append("Revision", revision);
}

/// "Intel(R) Xeon(R) Processor" -> "Intel Xeon"
std::string short_cpu(std::string model) {
  for (const std::string_view noise : {"(R)", "(TM)", "(r)", "(tm)", " Processor", " CPU"}) {
    for (auto at = model.find(noise); at != std::string::npos; at = model.find(noise)) {
      model.erase(at, noise.size());
    }
  }
  return model;
}

std::string name_of(const Machine& machine) {
  std::string name = machine.gpu;
  if (!machine.cpu.empty()) name += (name.empty() ? "" : " + ") + short_cpu(machine.cpu);
  if (!machine.core_name.empty()) name += fmt::format(" ({})", machine.core_name);
  if (machine.threads > 0) {
    name += fmt::format(", {} thread{}", machine.threads, machine.threads == 1 ? "" : "s");
  }
  return name;
}

}  // namespace

void Machines::add_runs(const std::string& csv, std::vector<std::string>& warnings) {
  const std::string path = beside(csv, ".run.json");
  json runs;
  try {
    runs = read_run_json(path);
  } catch (const BadInput& error) {
    warnings.push_back(fmt::format("{}; its machine is known by its device alone", error.what()));
    return;
  }
  // Runs with a GPU first, so that those without one find the machine to join.
  for (const bool with_gpu : {true, false}) {
    for (const auto& [run_id, description] : runs.items()) {
      if (text_at(description, "/gpu/name").empty() == with_gpu) continue;
      descriptions_[run_id] = description;
      machine_of_run_[run_id] = machine_of_description(description);
    }
  }
}

std::size_t Machines::machine_of_description(const json& description) {
  const std::string cpu = text_at(description, "/cpu/model");
  const std::string gpu = text_at(description, "/gpu/name");
  const std::string core = core_of(description);
  const int threads = clamped<int>(number_at(description, "/cpu/threads"));
  auto found = std::find_if(machines_.begin(), machines_.end(), [&](const Machine& m) {
    return m.cpu == cpu && m.threads == threads && m.core == core &&
           (m.gpu == gpu || m.gpu.empty() || gpu.empty());
  });
  if (found == machines_.end()) {
    found = machines_.insert(machines_.end(), Machine{});
    found->cpu = cpu;
    found->threads = threads;
    found->core = core;
    found->core_name = core_name_of(description);
  }
  if (found->gpu.empty()) found->gpu = gpu;
  Facts facts(*found);
  add_cpu_facts(facts, description);
  add_gpu_facts(facts, description);
  add_software_facts(facts, description);
  return static_cast<std::size_t>(found - machines_.begin());
}

std::size_t Machines::machine_of(const std::string& run_id, const std::string& device,
                                 bool on_gpu) {
  if (const auto known = machine_of_run_.find(run_id); known != machine_of_run_.end()) {
    return known->second;
  }
  const auto member = on_gpu ? &Machine::gpu : &Machine::cpu;
  auto found = std::find_if(machines_.begin(), machines_.end(),
                            [&](const Machine& m) { return m.*member == device; });
  if (found == machines_.end()) {
    found = machines_.insert(machines_.end(), Machine{});
    (*found).*member = device;
    found->facts.emplace_back(on_gpu ? "GPU" : "CPU", device);
  }
  return static_cast<std::size_t>(found - machines_.begin());
}

std::string Machines::revision_of(const std::string& run_id) const {
  const auto known = descriptions_.find(run_id);
  return known == descriptions_.end() ? "" : revision_in(known->second);
}

CopyBandwidth Machines::bandwidth_of(const std::string& run_id) const {
  const auto known = descriptions_.find(run_id);
  if (known == descriptions_.end()) return {};
  return {.host = number_at(known->second, "/roofs/copy_bytes_per_s_all_threads"),
          .device = number_at(known->second, "/gpu_roofs/device_copy_bytes_per_s")};
}

void Machines::add_file(std::size_t machine, const std::string& csv) {
  auto& files = machines_[machine].files;
  const std::string name = file_name(csv);
  if (std::find(files.begin(), files.end(), name) == files.end()) files.push_back(name);
}

std::vector<Machine> Machines::take() {
  std::set<std::string> names;
  for (auto& machine : machines_) {
    const std::string name = name_of(machine);
    machine.name = name;
    for (int i = 2; !names.insert(machine.name).second; ++i) {
      machine.name = fmt::format("{} ({})", name, i);
    }
  }
  return std::move(machines_);
}

}  // namespace sortlab::report
