#include "common/harness/plugin/library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "common/harness/bad_input.hpp"
#include "common/harness/json_value.hpp"

namespace sortlab {
namespace {

constexpr std::size_t kLongestName = 64;
constexpr std::size_t kMostSorts = 1000;
constexpr std::uint32_t kAllValues =
    SORTLAB_NO_VALUES | SORTLAB_VALUES_4 | SORTLAB_VALUES_8 | SORTLAB_VALUES_16;
constexpr std::uint32_t kAllOrders = SORTLAB_ASCENDING | SORTLAB_DESCENDING;
constexpr std::uint32_t kAllInstanceTraits = 2 * SORTLAB_KEEPS_MEMORY - 1;
constexpr std::uint32_t kAllSortTraits = SORTLAB_PARALLEL | SORTLAB_DEVICE;
constexpr std::size_t kMostInstances = 6 * 4 * 2;  // one per combination

/// A name becomes a part of ids, so it must not hold commas or characters of globs. `whose` begins
/// the message.
std::string checked_name(std::string_view whose, const char* text) {
  const std::string name = text == nullptr ? "" : text;
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
  };
  if (name.empty() || name.size() > kLongestName || !std::all_of(name.begin(), name.end(), fits)) {
    throw bad_input("{} name {} is not 1 to {} letters, digits, '_', '-' and '.'", whose,
                    nlohmann::json(name.substr(0, 2 * kLongestName))
                        .dump(-1, ' ', true, nlohmann::json::error_handler_t::replace),
                    kLongestName);
  }
  return name;
}

/// One line of UTF-8; "" for a null pointer.
std::string checked_line(std::string_view what, const char* text) {
  const std::string line = text == nullptr ? "" : text;
  const bool control =
      std::any_of(line.begin(), line.end(), [](unsigned char c) { return c < ' ' || c == 0x7f; });
  if (control) throw bad_input("the {} is no single line", what);
  if (!is_utf8(line)) throw bad_input("the {} is no UTF-8", what);
  return line;
}

/// Checks that `bits` are some of `known`: "<sort> has no key types (0x0)", "... unknown key types
/// (0x40)".
void check_bits(const std::string& sort, std::string_view what, std::uint32_t bits,
                std::uint32_t known, bool none_will_do) {
  const bool none = bits == 0;
  if ((none && none_will_do) || (!none && (bits & ~known) == 0)) return;
  throw bad_input("{} has {} {} ({:#x})", sort, none ? "no" : "unknown", what, bits);
}

void check_size(const char* structure, std::size_t size, std::size_t expected) {
  if (size == expected) return;
  throw bad_input("its {} has {} bytes, that of version {} has {}", structure, size,
                  SORTLAB_PLUGIN_ABI, expected);
}

PluginInstanceFacts checked(const std::string& sort, const sortlab_instance& instance) {
  if (instance.sort == nullptr) throw BadInput(sort + " has an instance without a function");
  check_bits(sort, "key types", instance.key_types, SORTLAB_ALL_KEYS, false);
  check_bits(sort, "values", instance.values, kAllValues, true);
  check_bits(sort, "orders", instance.orders, kAllOrders, true);
  check_bits(sort, "traits", instance.traits, kAllInstanceTraits, true);
  return {instance.key_types, instance.values == 0 ? SORTLAB_NO_VALUES : instance.values,
          instance.orders == 0 ? SORTLAB_ASCENDING : instance.orders, instance.traits};
}

bool overlap(const PluginInstanceFacts& a, const PluginInstanceFacts& b) {
  return (a.key_types & b.key_types) != 0 && (a.values & b.values) != 0 &&
         (a.orders & b.orders) != 0;
}

void check_functions(const std::string& name, const sortlab_plugin_sort& sort) {
  if ((sort.create == nullptr) != (sort.destroy == nullptr)) {
    throw BadInput(name + " has create() or destroy(), but not both");
  }
  if (sort.instances == nullptr || sort.instance_count == 0 ||
      sort.instance_count > kMostInstances) {
    throw bad_input("{} has {} instances, not 1 to {}", name,
                    sort.instances == nullptr ? 0 : sort.instance_count, kMostInstances);
  }
}

PluginSortFacts checked(const sortlab_plugin_sort& sort, const std::string& library_version) {
  PluginSortFacts facts;
  facts.name = checked_name("a sort's", sort.name);
  facts.summary = checked_line("summary of " + facts.name, sort.summary);
  facts.version = checked_line("version of " + facts.name, sort.version);
  if (sort.version == nullptr) facts.version = library_version;
  facts.isa = checked_line("instruction set of " + facts.name, sort.isa);
  check_bits(facts.name, "traits", sort.traits, kAllSortTraits, true);
  facts.traits = sort.traits;
  check_functions(facts.name, sort);
  for (std::size_t i = 0; i < sort.instance_count; ++i) {
    const PluginInstanceFacts instance = checked(facts.name, sort.instances[i]);
    for (std::size_t other = 0; other < i; ++other) {
      if (!overlap(facts.instances[other], instance)) continue;
      throw bad_input("the instances {} and {} of {} cover the same types and order", other + 1,
                      i + 1, facts.name);
    }
    facts.instances.push_back(instance);
  }
  return facts;
}

/// dlerror() begins with the path, and so do our messages.
BadInput loading_failed(const std::string& path) {
  std::string text = dlerror();
  if (text.starts_with(path + ": ")) text.erase(0, path.size() + 2);
  return BadInput(text);
}

template <class Function>
Function* symbol(void* library, const char* name) {
  void* const found = dlsym(library, name);
  if (found == nullptr) {
    throw bad_input("it has no symbol {} (sortlab_plugin.h says what it needs)", name);
  }
  return reinterpret_cast<Function*>(found);
}

/// Loads the library; its description is unchecked.
const sortlab_plugin& plugin_at(const std::string& path) {
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw loading_failed(path);
  const int abi = symbol<decltype(sortlab_plugin_abi)>(library, "sortlab_plugin_abi")();
  if (abi != SORTLAB_PLUGIN_ABI) {
    throw bad_input("it was made for version {} of the plug-in ABI, this program has {}", abi,
                    SORTLAB_PLUGIN_ABI);
  }
  const sortlab_plugin* const plugin =
      symbol<decltype(sortlab_plugin_describe)>(library, "sortlab_plugin_describe")();
  if (plugin == nullptr) throw BadInput("sortlab_plugin_describe() returned NULL");
  return *plugin;
}

}  // namespace

PluginDescription checked(const sortlab_plugin& plugin) {
  check_size("sortlab_plugin", plugin.size, sizeof(sortlab_plugin));
  check_size("sortlab_plugin_sort", plugin.sort_size, sizeof(sortlab_plugin_sort));
  check_size("sortlab_instance", plugin.instance_size, sizeof(sortlab_instance));
  PluginDescription description{
      checked_name("its", plugin.name), checked_line("version", plugin.version), {}};
  const std::size_t count = plugin.sorts == nullptr ? 0 : plugin.sort_count;
  if (count == 0 || count > kMostSorts) {
    throw bad_input("it has {} sorts, not 1 to {}", count, kMostSorts);
  }
  for (std::size_t i = 0; i < count; ++i) {
    PluginSortFacts sort = checked(plugin.sorts[i], description.version);
    for (const auto& other : description.sorts) {
      if (other.name == sort.name) throw bad_input("it has two sorts '{}'", sort.name);
    }
    description.sorts.push_back(std::move(sort));
  }
  return description;
}

PluginDescription describe_library(const std::string& path) { return checked(plugin_at(path)); }

const sortlab_plugin_sort& sort_in_library(const std::string& path, const std::string& name) {
  const sortlab_plugin& plugin = plugin_at(path);
  (void)checked(plugin);
  for (std::size_t i = 0; i < plugin.sort_count; ++i) {
    if (name == plugin.sorts[i].name) return plugin.sorts[i];
  }
  throw bad_input("{} has no sort '{}' any more", path, name);
}

}  // namespace sortlab
