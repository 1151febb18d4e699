#include "common/harness/plugin/registration.hpp"

#include <fmt/format.h>

#include <deque>
#include <exception>
#include <new>
#include <stdexcept>

#include "common/contract/errors.hpp"
#include "common/contract/variant.hpp"
#include "common/harness/plugin/library.hpp"

namespace sortlab {
namespace {

/// More than any machine has; sums with it don't overflow.
constexpr std::size_t kMostWorkspace = std::size_t{1} << 50;

/// A registered sort. Its texts live as long as the program, as those of an Info must.
struct PluginSort {
  std::string file;
  std::string version;
  PluginSortFacts facts;
  const sortlab_sort* code = nullptr;

  bool has(std::uint32_t trait) const { return (facts.traits & trait) != 0; }

  const sortlab_sort& loaded() {
    if (code == nullptr) code = &sort_of_library(file, facts.name);
    return *code;
  }
};

std::string as_one_line(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  }
  return text;
}

/// What a sort returned, as the harness knows it.
ResultIn result_in(std::int32_t returned, const PluginSort& sort, const std::string& message) {
  const auto or_message = [&](std::string text) {
    return message.empty() ? std::move(text) : as_one_line(message);
  };
  switch (returned) {
    case SORTLAB_IN_KEYS:
      return ResultIn::data;
    case SORTLAB_IN_ALTERNATE:
      if (sort.has(SORTLAB_ALTERNATE)) return ResultIn::alternate;
      throw std::runtime_error("returned SORTLAB_IN_ALTERNATE without SORTLAB_ALTERNATE");
    case SORTLAB_UNSUPPORTED:
      throw BadInput(or_message("the plug-in can't sort this"));
    case SORTLAB_NO_MEMORY:
      throw std::bad_alloc();
    default:
      throw std::runtime_error(or_message(fmt::format("the plug-in returned {}", returned)));
  }
}

ResultIn sort_by_plugin(const ErasedJob& e) {
  auto& sort = *static_cast<PluginSort*>(e.instance->context);
  char message[256];
  message[0] = '\0';
  const sortlab_job job{std::uint32_t{1} << static_cast<int>(e.instance->key_type),
                        e.instance->order == Order::descending,
                        e.n,
                        e.keys,
                        static_cast<std::uint32_t*>(e.values),
                        e.alternate_keys,
                        static_cast<std::uint32_t*>(e.alternate_values),
                        e.workspace.data(),
                        e.workspace.size(),
                        e.threads,
                        e.stream,
                        message,
                        sizeof message};
  std::int32_t returned = SORTLAB_FAILED;
  try {
    returned = sort.loaded().sort(&job);
  } catch (const std::exception&) {
    throw;
  } catch (...) {
    throw std::runtime_error("the plug-in threw something that is no std::exception");
  }
  message[sizeof message - 1] = '\0';
  return result_in(returned, sort, message);
}

Info info_of(const PluginSort& sort) {
  Info info;
  info.summary = sort.facts.summary;
  info.source = "plug-in";
  info.memory = sort.has(SORTLAB_DEVICE) ? Memory::device : Memory::host;
  info.stable = sort.has(SORTLAB_STABLE);
  info.in_place = sort.has(SORTLAB_IN_PLACE);
  info.alternate = sort.has(SORTLAB_ALTERNATE);
  info.parallel = sort.has(SORTLAB_PARALLEL);
  info.total_order = sort.has(SORTLAB_TOTAL_ORDER);
  info.capturable = sort.has(SORTLAB_CAPTURABLE);
  info.lib_version = sort.version;
  if (sort.has(SORTLAB_ALLOCATES)) info.temp_policy = TempPolicy::per_call;
  return info;
}

std::vector<Instance> instances_of(PluginSort& sort) {
  std::vector<Instance> instances;
  for (int i = 0; i < kKeyTypeCount; ++i) {
    if ((sort.facts.key_types >> i & 1) == 0) continue;
    for (const std::size_t value_bytes : {std::size_t{0}, sizeof(std::uint32_t)}) {
      if (value_bytes != 0 && !sort.has(SORTLAB_PAIRS)) continue;
      for (const Order order : {Order::ascending, Order::descending}) {
        if (order == Order::descending && !sort.has(SORTLAB_DESCENDING)) continue;
        instances.push_back({static_cast<KeyType>(i), value_bytes, order, &sort_by_plugin, &sort});
      }
    }
  }
  return instances;
}

/// The workspace that the plug-in asks for; 0 without a function to ask.
std::size_t workspace_of(PluginSort& sort, const WorkspaceRequest& request) {
  const auto ask = sort.loaded().workspace_bytes;
  if (ask == nullptr) return 0;
  const std::size_t bytes = ask(request.n, request.key_bytes, request.value_bytes, request.threads);
  if (bytes > kMostWorkspace) {
    throw std::runtime_error(fmt::format("asks for a workspace of {} bytes", bytes));
  }
  return bytes;
}

Variant variant_of(PluginSort& sort, std::string id) {
  return {std::move(id),
          "",
          info_of(sort),
          instances_of(sort),
          [&sort](const WorkspaceRequest& request) { return workspace_of(sort, request); },
          [] { return Limit{}; },
          [](std::string_view) { return Limit{}; },
          []() -> std::string { return ""; },
          []() -> std::string { return "unknown"; },
          sort.file};
}

}  // namespace

void register_plugin(const std::string& path, const PluginDescription& description) {
  static std::deque<PluginSort> sorts;  // which never moves what it holds
  for (const PluginSortFacts& facts : description.sorts) {
    const std::string id = fmt::format("plugin/{}/{}", description.name, facts.name);
    if (const Variant* const taken = find_variant(id)) {
      throw BadInput(fmt::format("{} is there already, from {}", id, taken->plugin_file));
    }
    sorts.push_back({path, description.version, facts});
    register_variant(variant_of(sorts.back(), id));
  }
}

}  // namespace sortlab
