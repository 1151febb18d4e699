#include "common/harness/plugin/library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

#include "common/contract/errors.hpp"
#include "common/harness/utf8.hpp"

namespace sortlab {
namespace {

constexpr std::size_t kLongestName = 64;
constexpr std::size_t kMostSorts = 1000;
constexpr std::uint32_t kAllTraits = 2 * SORTLAB_TOTAL_ORDER - 1;

/// dlerror() begins with the path, which our own messages begin with too.
BadInput loading_failed(const std::string& path) {
  std::string text = dlerror();
  if (text.starts_with(path + ": ")) text.erase(0, path.size() + 2);
  return BadInput(text);
}

template <class Function>
Function* symbol(void* library, const char* name) {
  void* const found = dlsym(library, name);
  if (found == nullptr) {
    throw BadInput(fmt::format("it has no symbol {} (sortlab_plugin.h tells what it needs)", name));
  }
  return reinterpret_cast<Function*>(found);
}

/// The library's own description, not looked at yet.
const sortlab_plugin& load(const std::string& path) {
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw loading_failed(path);
  const int abi = symbol<decltype(sortlab_plugin_abi)>(library, "sortlab_plugin_abi")();
  if (abi != SORTLAB_PLUGIN_ABI) {
    throw BadInput(fmt::format("it was made for version {} of the plug-in ABI, this program has {}",
                               abi, SORTLAB_PLUGIN_ABI));
  }
  const auto* const plugin =
      symbol<decltype(sortlab_plugin_describe)>(library, "sortlab_plugin_describe")();
  if (plugin == nullptr) throw BadInput("sortlab_plugin_describe() returned NULL");
  return *plugin;
}

/// A name becomes a part of ids, which are globbed for and listed with commas.
std::string checked_name(std::string_view whose, const char* text) {
  const std::string name = text == nullptr ? "" : text;
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
  };
  if (name.empty() || name.size() > kLongestName || !std::all_of(name.begin(), name.end(), fits)) {
    throw BadInput(fmt::format("{} name {} is not 1 to {} letters, digits, '_', '-' and '.'", whose,
                               nlohmann::json(name.substr(0, 2 * kLongestName))
                                   .dump(-1, ' ', true, nlohmann::json::error_handler_t::replace),
                               kLongestName));
  }
  return name;
}

std::string checked_line(std::string_view what, const char* text) {
  const std::string line = text == nullptr ? "" : text;
  const bool control =
      std::any_of(line.begin(), line.end(), [](unsigned char c) { return c < ' ' || c == 0x7f; });
  if (control) throw BadInput(fmt::format("the {} is no single line", what));
  if (!is_utf8(line)) throw BadInput(fmt::format("the {} is no UTF-8", what));
  return line;
}

PluginSortFacts checked(const sortlab_sort& sort) {
  PluginSortFacts facts{checked_name("a sort's", sort.name), "", sort.key_types, sort.traits};
  facts.summary = checked_line("summary of " + facts.name, sort.summary);
  if (sort.sort == nullptr) throw BadInput(facts.name + " has no function to sort with");
  if (sort.key_types == 0 || (sort.key_types & ~SORTLAB_ALL_KEYS) != 0) {
    throw BadInput(fmt::format("{} has {} key types ({:#x})", facts.name,
                               sort.key_types == 0 ? "no" : "unknown", sort.key_types));
  }
  if ((sort.traits & ~kAllTraits) != 0) {
    throw BadInput(fmt::format("{} has unknown traits ({:#x})", facts.name, sort.traits));
  }
  return facts;
}

}  // namespace

PluginDescription checked(const sortlab_plugin& plugin) {
  PluginDescription description{
      checked_name("its", plugin.name), checked_line("version", plugin.version), {}};
  if (plugin.sorts == nullptr || plugin.sort_count == 0 || plugin.sort_count > kMostSorts) {
    throw BadInput(fmt::format("it has {} sorts, not 1 to {}",
                               plugin.sorts == nullptr ? 0 : plugin.sort_count, kMostSorts));
  }
  std::set<std::string> names;
  for (std::size_t i = 0; i < plugin.sort_count; ++i) {
    description.sorts.push_back(checked(plugin.sorts[i]));
    const std::string& name = description.sorts.back().name;
    if (!names.insert(name).second) throw BadInput(fmt::format("it has two sorts '{}'", name));
  }
  return description;
}

PluginDescription describe_library(const std::string& path) { return checked(load(path)); }

const sortlab_sort& sort_of_library(const std::string& path, const std::string& name) {
  const sortlab_plugin& plugin = load(path);
  (void)checked(plugin);
  for (std::size_t i = 0; i < plugin.sort_count; ++i) {
    if (name == plugin.sorts[i].name) return plugin.sorts[i];
  }
  throw BadInput(fmt::format("{} has no sort '{}' any more", path, name));
}

}  // namespace sortlab
