#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "common/choose/tune_file.hpp"
#include "common/contract/isa.hpp"
#include "common/harness/machine/build_info.hpp"
#include "common/harness/machine/cpu_share.hpp"
#include "common/harness/machine/machine.hpp"
#include "common/harness/machine/spoilers.hpp"
#include "common/harness/record/run_files.hpp"
#include "common/harness/rig/counters.hpp"
#include "common/harness/rig/device.hpp"
#include "common/harness/terminal/window.hpp"
#include "tool/flags.hpp"
#include "tool/help.hpp"
#include "tool/output_format.hpp"

namespace sortlab {
namespace {

constexpr std::size_t kIndent = 13;

/// A fact behind its name, wrapped to the window.
void print_fact(std::string_view name, std::string_view fact) {
  fmt::print("{}\n",
             wrapped(fmt::format("{:12} {}", name, fact), room_for_text(STDOUT_FILENO), kIndent));
}

void print_gpu() {
  if (const auto& reason = device_unavailable(); !reason.empty()) {
    print_fact("GPU", "none in use: " + reason);
    return;
  }
  const auto gpu = describe_gpu();
  print_fact("GPU",
             fmt::format("{}, sm {}, {} SMs, {:.1f} GiB, driver {} (CUDA {})", gpu_name(),
                         gpu["compute_capability"].get<std::string>(), gpu["sms"].get<int>(),
                         gpu["memory_bytes"].get<double>() / (1u << 30),
                         gpu.value("driver", "unknown"), gpu["cuda_driver"].get<std::string>()));
}

void print_memory(double of_machine) {
  constexpr double kGib = 1u << 30;
  const auto [available, limited_by] = available_memory();
  print_fact("memory", fmt::format("{:.1f} GiB, {:.1f} GiB are available{}{}", of_machine / kGib,
                                   static_cast<double>(available) / kGib,
                                   limited_by.empty() ? "" : ": ", limited_by));
}

/// Whether `run --counters` can count everything. Missing counters spoil no other figure.
Finding counters_finding() {
  const auto [names, why, mend] = missing_counters();
  return {"counters", names.empty() ? "all" : fmt::format("no {}: {}", names, why), false, "",
          mend};
}

/// Conditions of this machine that would spoil a measurement, and their remedies.
std::vector<Finding> all_findings() {
  std::vector<Finding> findings = machine_findings();
  findings.insert(findings.begin(), load_finding());
  findings.push_back(counters_finding());
  return findings;
}

/// A remedy for root is a command to paste, any other one is prose.
std::string wrapped_mend(const std::string& mend) {
  const std::size_t room = room_for_text(STDOUT_FILENO);
  constexpr std::size_t kBegin = kIndent + std::string_view("mend: ").size();
  return mend.find("sudo ") == std::string::npos ? wrapped(mend, room, kIndent, kBegin)
                                                 : wrapped_command(mend, room, kIndent, kBegin);
}

void print_findings() {
  fmt::print("\n{}\n", painted(Tone::strong, "What bears on measurements here"));
  for (const auto& [name, found, spoils, why, mend] : all_findings()) {
    const std::string text =
        wrapped(fmt::format("{:12} {}{}", name, found, spoils ? ": " + why : ""),
                room_for_text(STDOUT_FILENO), kIndent);
    fmt::print("{}\n", spoils ? painted(Tone::doubtful, text) : text);
    if (!mend.empty()) fmt::print("{:{}}mend: {}\n", "", kIndent, wrapped_mend(mend));
  }
}

std::vector<std::string> missing_packages() {
  std::vector<std::string> packages;
  for (const auto& dependency : dependencies()) {
    if (!dependency.version.empty() || dependency.package.empty()) continue;
    packages.emplace_back(dependency.package);
  }
  return packages;
}

void print_doctors_json() {
  nlohmann::ordered_json json = {{"machine", describe_machine()}};
  json["gpu"] = device_unavailable().empty() ? describe_gpu() : nlohmann::json(nullptr);
  json["no_gpu_because"] = device_unavailable();
  json["missing_packages"] = missing_packages();
  json["findings"] = nlohmann::ordered_json::array();
  for (const auto& [name, found, spoils, why, mend] : all_findings()) {
    json["findings"].push_back(
        {{"name", name}, {"found", found}, {"spoils", spoils}, {"why", why}, {"mend", mend}});
  }
  print_json("doctor", json);
}

void print_hardware() {
  const auto machine = describe_machine();
  const auto& cpu = machine["cpu"];
  print_fact("CPU", fmt::format("{}, {} threads usable", cpu["model"].get<std::string>(),
                                cpu["threads"].get<int>()));
  if (const std::string remark = remark_on(cpu_share()); !remark.empty()) {
    print_fact("CPUs", remark);
  }
  print_fact("instructions", fmt::format("{} (in use: {})", cpu["isa_best"].get<std::string>(),
                                         cpu["isa_used"].get<std::string>()));
  for (const auto& cache : cpu["caches"]) {
    print_fact("cache",
               fmt::format("L{} {} {}", cache["level"].get<std::string>(),
                           cache["type"].get<std::string>(), cache["size"].get<std::string>()));
  }
  print_memory(machine["memory_bytes"].get<double>());
  print_fact("system", fmt::format("{}, {}", machine["os"]["name"].get<std::string>(),
                                   machine["os"]["kernel"].get<std::string>()));
}

void print_software() {
  print_fact("build", fmt::format("{}, {}, {}", this_revision(), kCompiler, kBuildType));
  for (const auto& dependency : dependencies()) {
    const bool found = !dependency.version.empty();
    print_fact(dependency.name,
               fmt::format("{}: {}", found ? dependency.version : "missing", dependency.used_for));
  }
  if (std::string_view(kCudaCompiler).empty()) {
    print_fact("CUDA", "not in this build: `./run --cuda build` adds it");
  } else {
    print_fact("CUDA", fmt::format("compiler {}", kCudaCompiler));
  }
}

int doctor_command(OutputFormat& format, const CommandContext&) {
  (void)gpu_tuning_in_use();  // a file of choices that can't be read is refused
  (void)cpu_tuning_in_use();
  if (format == OutputFormat::json) {
    print_doctors_json();
    return 0;
  }
  print_hardware();
  print_software();
  print_gpu();
  print_findings();
  if (const auto packages = missing_packages(); packages.empty()) {
    fmt::print("\nno package is missing\n");
  } else {
    const auto command = fmt::format("sudo apt-get install {}", fmt::join(packages, " "));
    fmt::print("\nto install what is missing:\n  {}\n",
               wrapped_command(command, room_for_text(STDOUT_FILENO), 4, 2));
  }
  return 0;
}

}  // namespace

void add_doctor_command(CLI::App& app, CommandContext& context) {
  auto [doctor, format] =
      add_command(app, context, "doctor",
                  "Show what this machine has, what is missing, and what would spoil measurements",
                  doctor_command);
  add_format_flag(doctor, format);
  add_examples(doctor, context, {"doctor", "doctor --format json"});
}

}  // namespace sortlab
