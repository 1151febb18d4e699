#include "common/harness/plugin/library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include "common/contract/errors.hpp"
#include "common/harness/plugin/version_1.hpp"
#include "common/harness/plugin/version_2.hpp"

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

/// Loads the library and calls f with its unchecked description: the structure of its version of
/// the interface.
template <class F>
auto with_plugin(const std::string& path, F f) {
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw loading_failed(path);
  const int abi = symbol<decltype(sortlab_plugin_abi)>(library, "sortlab_plugin_abi")();
  if (abi != 1 && abi != SORTLAB_PLUGIN_ABI) {
    throw BadInput(
        fmt::format("it was made for version {} of the plug-in ABI, this program has 1 to {}", abi,
                    SORTLAB_PLUGIN_ABI));
  }
  const void* const plugin = symbol<const void*()>(library, "sortlab_plugin_describe")();
  if (plugin == nullptr) throw BadInput("sortlab_plugin_describe() returned NULL");
  return abi == 1 ? f(*static_cast<const version_1::Plugin*>(plugin))
                  : f(*static_cast<const sortlab_plugin*>(plugin));
}

}  // namespace

PluginDescription describe_library(const std::string& path) {
  return with_plugin(path, [](const auto& plugin) { return checked(plugin); });
}

std::unique_ptr<PluginCode> code_in_library(const std::string& path, const std::string& name) {
  return with_plugin(path, [&](const auto& plugin) {
    (void)checked(plugin);
    for (std::size_t i = 0; i < plugin.sort_count; ++i) {
      if (name == plugin.sorts[i].name) return code_of(plugin.sorts[i]);
    }
    throw BadInput(fmt::format("{} has no sort '{}' any more", path, name));
  });
}

}  // namespace sortlab
