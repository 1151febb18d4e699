#include "common/tool/list/facts.hpp"

#include <fmt/format.h>

#include "common/harness/rig/device.hpp"

namespace sortlab {
namespace {

std::vector<std::string> types_of(const Variant& variant, bool pairs) {
  std::vector<std::string> names;
  for (int i = 0; i <= kKeyTypeCount; ++i) {  // records are behind the numbers
    const auto type = static_cast<KeyType>(i);
    for (const std::size_t bytes : kValueWidths) {
      if (pairs == (bytes != 0) && variant.instance(type, bytes, Order::ascending) != nullptr) {
        names.push_back(name_of_types(name_of(type), bytes));
      }
    }
  }
  return names;
}

}  // namespace

std::vector<std::string> key_types(const Variant& variant) { return types_of(variant, false); }

std::vector<std::string> pair_types(const Variant& variant) { return types_of(variant, true); }

std::string isas(const Variant& variant) {
  if (variant.info.memory == Memory::device) return "";
  if (!variant.plugin_file.empty()) return variant.isa_name(variant);
  if (variant.isa_name != nullptr) return "library's choice";
  std::string names;
  for (const Isa isa : kIsasOfBuild) {
    if (variant.info.isas.has(isa))
      names += fmt::format("{}{}", names.empty() ? "" : ",", name_of(isa));
  }
  return names;
}

std::string why_not_here(const Variant& variant) {
  if (std::string reason = variant.unavailable(); !reason.empty()) return reason;
  return variant.info.memory == Memory::host ? "" : device_unavailable();
}

std::string parallel(const Variant& variant) {
  if (variant.info.memory == Memory::device) return "-";
  return variant.info.parallel ? "yes" : "no";
}

std::string where(const Variant& variant, bool Traits::*trait) {
  std::vector<std::string> with, without;
  for (const Instance& i : variant.instances) {
    const std::string types = name_of_types(name_of(i.key_type), i.value_bytes);
    auto& names = i.traits.*trait ? with : without;
    if (names.empty() || names.back() != types) names.push_back(types);
  }
  if (without.empty()) return "yes";
  if (with.empty()) return "no";
  return fmt::format("{}; not {}", fmt::join(with, " "), fmt::join(without, " "));
}

}  // namespace sortlab
