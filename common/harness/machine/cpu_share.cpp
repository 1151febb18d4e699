#include "common/harness/machine/cpu_share.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <sstream>
#include <thread>

#include "common/contract/numbers.hpp"
#include "common/contract/usable_cpus.hpp"
#include "common/harness/plan/counts.hpp"
#include "common/harness/terminal/window.hpp"

namespace sortlab {
namespace {

constexpr double kWorthALine = 0.5;  // busy CPUs; the kernel's ticks show no less than 0.2 in 50 ms

std::string limits_of(const CpuShare& share) {
  std::string text;
  if (static_cast<int>(share.allowed.size()) < share.of_machine) {
    text = fmt::format("affinity mask: {}", cpu_list(share.allowed));
  }
  if (share.quota && *share.quota < static_cast<double>(share.allowed.size())) {
    text +=
        fmt::format("{}quota of the control group: {:g}", text.empty() ? "" : ", ", *share.quota);
  }
  return text;
}

}  // namespace

std::string cpu_list(std::span<const int> cpus) {
  std::string list;
  for (std::size_t i = 0; i < cpus.size(); ++i) {
    const int first = cpus[i];
    while (i + 1 < cpus.size() && cpus[i + 1] == cpus[i] + 1) ++i;
    if (!list.empty()) list += ',';
    list += first == cpus[i] ? fmt::format("{}", first) : fmt::format("{}-{}", first, cpus[i]);
  }
  return list;
}

std::vector<int> cpus_in(std::string_view list) {
  std::vector<int> cpus;
  for (const auto part : split(list, ',')) {
    const auto dash = part.find('-');
    const auto first = parse_whole(part.substr(0, dash));
    const auto last = dash == part.npos ? first : parse_whole(part.substr(dash + 1));
    if (!first || !last || *last > 1'000'000) continue;
    for (auto cpu = *first; cpu <= *last; ++cpu) cpus.push_back(static_cast<int>(cpu));
  }
  return cpus;
}

std::optional<std::string> line_in(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string line;
  if (!std::getline(in, line)) return std::nullopt;
  return line;
}

std::vector<CpuTimes> cpu_times(const std::filesystem::path& root) {
  std::vector<CpuTimes> times;
  std::ifstream in(root / "proc/stat");
  for (std::string line; std::getline(in, line) && line.starts_with("cpu");) {
    std::istringstream words(line.substr(3));
    std::size_t cpu = 0;
    double user = 0, nice = 0, system = 0, idle = 0, waits = 0, irq = 0, soft_irq = 0, stolen = 0;
    if (line[3] == ' ' || !(words >> cpu >> user >> nice >> system >> idle)) continue;
    words >> waits >> irq >> soft_irq >> stolen;  // "stolen" by other virtual machines
    if (times.size() <= cpu) times.resize(cpu + 1);
    times[cpu] = {user + nice + system + irq + soft_irq + stolen, idle + waits};
  }
  return times;
}

std::optional<double> busy_cpus(std::span<const int> cpus, const std::vector<CpuTimes>& before,
                                const std::vector<CpuTimes>& after) {
  double sum = 0;
  bool known = false;
  for (const int number : cpus) {
    const auto cpu = static_cast<std::size_t>(number);
    if (cpu >= before.size() || cpu >= after.size()) continue;
    const double busy = std::max(0.0, after[cpu].busy - before[cpu].busy);
    const double idle = std::max(0.0, after[cpu].idle - before[cpu].idle);
    if (busy + idle == 0) continue;
    sum += busy / (busy + idle);
    known = true;
  }
  return known ? std::optional(sum) : std::nullopt;
}

CpuShare cpu_share() {
  CpuShare share{.of_machine = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN)),
                 .usable = usable_cpus(),
                 .allowed = allowed_cpus(),
                 .quota = cpu_quota(),
                 .others = {}};
  const auto before = cpu_times();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  share.others = busy_cpus(share.allowed, before, cpu_times());
  return share;
}

std::optional<double> free_cpus(const CpuShare& share) {
  if (!share.others) return std::nullopt;
  return static_cast<double>(share.allowed.size()) - *share.others;
}

std::string remark_on(const CpuShare& share) {
  const bool limited = share.usable < share.of_machine;
  if (!limited && share.others.value_or(0) < kWorthALine) return "";
  std::string text = fmt::format("{} of {} CPUs may be used", share.usable, share.of_machine);
  if (limited) text += fmt::format(" ({})", limits_of(share));
  if (share.others) {
    text +=
        fmt::format("; other processes keep {:.1f} of CPUs {} busy now{}", *share.others,
                    cpu_list(share.allowed), *share.others >= kWorthALine ? ": expect noise" : "");
  }
  return text;
}

void tell_cpu_share() {
  if (const std::string remark = remark_on(cpu_share()); !remark.empty()) {
    note_line(remark);
  }
}

Surroundings surroundings() {
  Surroundings now;
  if (double load = 0; getloadavg(&load, 1) == 1) now.load_1min = load;
  now.cpu_quota = cpu_quota();
  now.cpu_list = cpu_list(allowed_cpus());
  return now;
}

}  // namespace sortlab
