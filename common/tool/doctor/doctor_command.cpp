#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "common/contract/isa.hpp"
#include "common/harness/machine/available_memory.hpp"
#include "common/harness/machine/build_info.hpp"
#include "common/harness/machine/cpu_share.hpp"
#include "common/harness/machine/machine.hpp"
#include "common/harness/rig/device.hpp"
#include "common/tool/commands.hpp"
#include "common/tool/help.hpp"

namespace sortlab {
namespace {

void print_gpu() {
  if (const auto& reason = device_unavailable(); !reason.empty()) {
    fmt::print("GPU          none in use: {}\n", reason);
    return;
  }
  const auto gpu = describe_gpu();
  fmt::print("GPU          {}, sm {}, {} SMs, {:.1f} GiB, driver {} (CUDA {})\n", gpu_name(),
             gpu["compute_capability"].get<std::string>(), gpu["sms"].get<int>(),
             gpu["memory_bytes"].get<double>() / (1u << 30), gpu.value("driver", "unknown"),
             gpu["cuda_driver"].get<std::string>());
}

void print_memory(double of_machine) {
  constexpr double kGib = 1u << 30;
  const auto [available, limited_by] = available_memory();
  fmt::print("memory       {:.1f} GiB, {:.1f} GiB are available{}{}\n", of_machine / kGib,
             static_cast<double>(available) / kGib, limited_by.empty() ? "" : ": ", limited_by);
}

int doctor_command() {
  const auto machine = describe_machine();
  const auto& cpu = machine["cpu"];
  fmt::print("CPU          {}, {} threads usable\n", cpu["model"].get<std::string>(),
             cpu["threads"].get<int>());
  if (const std::string remark = remark_on(cpu_share()); !remark.empty()) {
    fmt::print("CPUs         {}\n", remark);
  }
  fmt::print("instructions {} (in use: {})\n", cpu["isa_best"].get<std::string>(),
             cpu["isa_used"].get<std::string>());
  for (const auto& cache : cpu["caches"]) {
    fmt::print("cache        L{} {} {}\n", cache["level"].get<std::string>(),
               cache["type"].get<std::string>(), cache["size"].get<std::string>());
  }
  print_memory(machine["memory_bytes"].get<double>());
  fmt::print("system       {}, {}\n", machine["os"]["name"].get<std::string>(),
             machine["os"]["kernel"].get<std::string>());
  fmt::print("build        {}{}, {}, {}\n", kGitRevision, kGitDirty ? " with changes" : "",
             kCompiler, kBuildType);

  std::string missing_packages;
  for (const auto& dependency : dependencies()) {
    const bool found = !dependency.version.empty();
    fmt::print("{:12} {}: {}\n", dependency.name, found ? dependency.version : "missing",
               dependency.used_for);
    if (!found && !dependency.package.empty())
      missing_packages += fmt::format(" {}", dependency.package);
  }
  if (std::string_view(kCudaCompiler).empty()) {
    fmt::print("CUDA         no compiler: a CPU-only build. `./run --cuda build` brings one.\n");
  } else {
    fmt::print("CUDA         compiler {}\n", kCudaCompiler);
  }
  print_gpu();
  if (missing_packages.empty()) {
    fmt::print("\nnothing is missing\n");
  } else {
    fmt::print("\nto install what is missing: sudo apt-get install{}\n", missing_packages);
  }
  return 0;
}

}  // namespace

void add_doctor_command(CLI::App& app, CommandContext& context) {
  auto* doctor = app.add_subcommand("doctor", "Tell what this machine has and what is missing");
  add_examples(*doctor, context, {"doctor"});
  doctor->callback([&context] { context.exit_code = doctor_command(); });
}

}  // namespace sortlab
