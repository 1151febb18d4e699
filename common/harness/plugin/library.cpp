#include "common/harness/plugin/library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include "common/contract/errors.hpp"
#include "common/harness/plugin/checks.hpp"

namespace sortlab {
namespace {

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
    throw BadInput(fmt::format("it has no symbol {} (sortlab_plugin.h tells what it needs)", name));
  }
  return reinterpret_cast<Function*>(found);
}

/// Loads the library; its description is unchecked.
const sortlab_plugin& plugin_at(const std::string& path) {
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw loading_failed(path);
  const int abi = symbol<decltype(sortlab_plugin_abi)>(library, "sortlab_plugin_abi")();
  if (abi != SORTLAB_PLUGIN_ABI) {
    throw BadInput(fmt::format("it was made for version {} of the plug-in ABI, this program has {}",
                               abi, SORTLAB_PLUGIN_ABI));
  }
  const sortlab_plugin* const plugin =
      symbol<decltype(sortlab_plugin_describe)>(library, "sortlab_plugin_describe")();
  if (plugin == nullptr) throw BadInput("sortlab_plugin_describe() returned NULL");
  return *plugin;
}

}  // namespace

PluginDescription describe_library(const std::string& path) { return checked(plugin_at(path)); }

const sortlab_plugin_sort& sort_in_library(const std::string& path, const std::string& name) {
  const sortlab_plugin& plugin = plugin_at(path);
  (void)checked(plugin);
  for (std::size_t i = 0; i < plugin.sort_count; ++i) {
    if (name == plugin.sorts[i].name) return plugin.sorts[i];
  }
  throw BadInput(fmt::format("{} has no sort '{}' any more", path, name));
}

}  // namespace sortlab
