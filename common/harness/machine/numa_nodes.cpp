#include "common/harness/machine/numa_nodes.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "common/contract/numbers.hpp"

namespace sortlab {
namespace {

namespace fs = std::filesystem;

/// The numbers of a list as Linux writes it: "0-3,8". Those that it can't be are left out.
std::vector<int> numbers_of(std::string_view list) {
  std::vector<int> numbers;
  while (!list.empty()) {
    const std::string_view part = list.substr(0, list.find(','));
    list.remove_prefix(std::min(list.size(), part.size() + 1));
    const auto dash = part.find('-');
    const auto first = parse_whole(part.substr(0, dash));
    const auto last = dash == part.npos ? first : parse_whole(part.substr(dash + 1));
    if (!first || !last || *last > 1'000'000) continue;
    for (auto number = *first; number <= *last; ++number) {
      numbers.push_back(static_cast<int>(number));
    }
  }
  return numbers;
}

std::string line_of(const fs::path& file) {
  std::string line;
  std::getline(std::ifstream(file) >> std::ws, line);
  return line;
}

}  // namespace

std::vector<Cpus> numa_nodes(const Cpus& allowed, const fs::path& root) {
  const fs::path folder = root / "sys/devices/system/node";
  std::vector<Cpus> nodes;
  for (const int node : numbers_of(line_of(folder / "online"))) {
    Cpus cpus = numbers_of(line_of(folder / ("node" + std::to_string(node)) / "cpulist")), own;
    std::sort(cpus.begin(), cpus.end());
    std::set_intersection(cpus.begin(), cpus.end(), allowed.begin(), allowed.end(),
                          std::back_inserter(own));
    if (!own.empty()) nodes.push_back(std::move(own));
  }
  if (nodes.empty()) nodes.push_back(allowed);
  return nodes;
}

Cpus cpus_of_rank(const std::vector<Cpus>& nodes, int rank, int ranks) {
  const int count = static_cast<int>(nodes.size());
  if (ranks % count == 0) return nodes[static_cast<std::size_t>(rank / (ranks / count))];
  if (count % ranks != 0) return {};
  const int each = count / ranks;
  Cpus cpus;
  for (int node = rank * each; node < (rank + 1) * each; ++node) {
    const Cpus& own = nodes[static_cast<std::size_t>(node)];
    cpus.insert(cpus.end(), own.begin(), own.end());
  }
  std::sort(cpus.begin(), cpus.end());
  return cpus;
}

}  // namespace sortlab
