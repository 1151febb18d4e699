#include "common/harness/plugin/description.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <exception>
#include <new>
#include <stdexcept>

#include "common/contract/variant.hpp"
#include "common/harness/bad_input.hpp"
#include "common/harness/plugin/library.hpp"
#include "common/harness/rig/heap_meter.hpp"

namespace sortlab {
namespace {

/// More than any machine has; sums with it don't overflow.
constexpr std::size_t kMostWorkspace = std::size_t{1} << 50;

struct PluginSort;

/// One instance of a registered sort.
struct PluginInstance {
  PluginSort* sort;
  std::size_t index;  // in PluginSortFacts::instances
};

/// A registered sort. Its texts live as long as the program, as an Info requires.
struct PluginSort {
  std::string file;
  PluginSortFacts facts;
  std::deque<PluginInstance> instances = {};
  const sortlab_plugin_sort* code = nullptr;

  bool has(std::uint32_t trait) const { return (facts.traits & trait) != 0; }

  const sortlab_plugin_sort& loaded() {
    if (code == nullptr) code = &sort_in_library(file, facts.name);
    return *code;
  }
};

std::string as_one_line(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  }
  return text;
}

/// Throws the exception for a plug-in's answer, with the plug-in's message if there is one.
[[noreturn]] void throw_failure(std::string_view function, std::int32_t returned,
                                const std::string& message) {
  if (returned == SORTLAB_NO_MEMORY) throw std::bad_alloc();
  if (returned == SORTLAB_UNSUPPORTED) {
    throw BadInput(message.empty() ? "the plug-in can't sort this" : as_one_line(message));
  }
  throw std::runtime_error(message.empty()
                               ? fmt::format("the plug-in's {} returned {}", function, returned)
                               : as_one_line(message));
}

/// Calls a function of the plug-in with the job and a buffer for a message. Returns an answer from
/// SORTLAB_OK to `highest`; throws for all other answers.
template <class Call>
std::int32_t answer_of(std::string_view function, sortlab_job job, std::int32_t highest,
                       Call call) {
  char message[256];
  message[0] = '\0';
  job.message = message;
  job.message_bytes = sizeof message;
  std::int32_t returned = SORTLAB_FAILED;
  try {
    returned = call(job);
  } catch (const std::exception&) {
    throw;
  } catch (...) {
    throw std::runtime_error("the plug-in threw something that is no std::exception");
  }
  message[sizeof message - 1] = '\0';
  if (returned < SORTLAB_OK || returned > highest) throw_failure(function, returned, message);
  return returned;
}

/// A job without buffers, as workspace_bytes() and create() get it.
sortlab_job bare_job(const Instance& instance, std::size_t n, int threads, Stream stream) {
  sortlab_job job{};
  job.size = sizeof job;
  job.key_type = std::uint32_t{1} << static_cast<int>(instance.key_type);
  job.order = instance.order == Order::ascending ? SORTLAB_ASCENDING : SORTLAB_DESCENDING;
  job.n = n;
  job.value_bytes = instance.value_bytes;
  job.threads = threads;
  job.stream = stream;
  return job;
}

/// The sort's loaded code, and the state that its create() made for one configuration.
class PluginState : public SortState {
 public:
  explicit PluginState(const PluginInstance& instance)
      : instance_(instance), code_(instance.sort->loaded()) {}
  ~PluginState() override {
    if (created_ && code_.destroy != nullptr) code_.destroy(state_);
  }
  PluginState(const PluginState&) = delete;
  PluginState& operator=(const PluginState&) = delete;

  void create(const ErasedJob& e) {
    if (code_.create != nullptr) {
      (void)answer_of("create()", bare_job(*e.instance, e.n, e.threads, e.stream), SORTLAB_OK,
                      [&](const sortlab_job& job) { return code_.create(&job, &state_); });
    }
    created_ = true;
  }

  ResultIn sort(const ErasedJob& e) const {
    sortlab_job job = bare_job(*e.instance, e.n, e.threads, e.stream);
    job.keys = e.keys;
    job.values = e.values;
    job.alternate_keys = e.alternate_keys;
    job.alternate_values = e.alternate_values;
    job.workspace = e.workspace.data();
    job.workspace_bytes = e.workspace.size();
    job.state = state_;
    const auto sort = code_.instances[instance_.index].sort;
    const std::int32_t returned = answer_of("sort()", job, SORTLAB_IN_ALTERNATE,
                                            [&](const sortlab_job& full) { return sort(&full); });
    if (returned == SORTLAB_IN_KEYS) return ResultIn::data;
    if (e.instance->traits.alternate) return ResultIn::alternate;
    throw std::runtime_error("returned SORTLAB_IN_ALTERNATE without SORTLAB_ALTERNATE");
  }

 private:
  const PluginInstance& instance_;
  const sortlab_plugin_sort& code_;
  void* state_ = nullptr;
  bool created_ = false;
};

SortState* make_state(const ErasedJob& e) {
  auto state = [&] {
    const HeapMeter::Pause ours;  // only create()'s allocations count
    return std::make_unique<PluginState>(*static_cast<const PluginInstance*>(e.instance->context));
  }();
  state->create(e);
  return state.release();
}

ResultIn sort_by_plugin(const void* job) {
  const auto& e = *static_cast<const ErasedJob*>(job);
  return static_cast<const PluginState*>(e.state)->sort(e);
}

Traits traits_of(const PluginInstanceFacts& instance) {
  const auto has = [&](std::uint32_t trait) { return (instance.traits & trait) != 0; };
  return {has(SORTLAB_STABLE),
          has(SORTLAB_IN_PLACE),
          has(SORTLAB_ALTERNATE),
          has(SORTLAB_TOTAL_ORDER),
          has(SORTLAB_CAPTURABLE),
          has(SORTLAB_KEEPS_MEMORY) ? TempPolicy::cached
          : has(SORTLAB_ALLOCATES)  ? TempPolicy::per_call
                                    : TempPolicy::prealloc};
}

/// The traits that all instances share. Instances may differ, so code that has an Instance uses its
/// own traits.
Info info_of(const PluginSort& sort) {
  const auto& instances = sort.facts.instances;
  const auto all = [&](bool Traits::*trait) {
    return std::all_of(instances.begin(), instances.end(),
                       [&](const auto& instance) { return traits_of(instance).*trait; });
  };
  Info info;
  info.summary = sort.facts.summary;
  info.source = "plug-in";
  info.memory = sort.has(SORTLAB_DEVICE) ? Memory::device : Memory::host;
  info.stable = all(&Traits::stable);
  info.in_place = all(&Traits::in_place);
  info.alternate = std::any_of(instances.begin(), instances.end(),
                               [](const auto& i) { return traits_of(i).alternate; });
  info.parallel = sort.has(SORTLAB_PARALLEL);
  info.total_order = all(&Traits::total_order);
  info.capturable = all(&Traits::capturable);
  info.lib_version = sort.facts.version;
  for (const auto& instance : instances) {
    info.temp_policy = std::max(info.temp_policy, traits_of(instance).temp_policy);
  }
  return info;
}

/// The instance for each combination of types and order that the plug-in supports.
void expand(const PluginInstanceFacts& facts, PluginInstance& context,
            std::vector<Instance>& instances) {
  constexpr std::pair<std::uint32_t, std::size_t> kValues[] = {{SORTLAB_NO_VALUES, 0},
                                                               {SORTLAB_VALUES_4, 4},
                                                               {SORTLAB_VALUES_8, 8},
                                                               {SORTLAB_VALUES_16, 16}};
  constexpr std::pair<std::uint32_t, Order> kOrders[] = {{SORTLAB_ASCENDING, Order::ascending},
                                                         {SORTLAB_DESCENDING, Order::descending}};
  for (int i = 0; i < kKeyTypeCount; ++i) {
    if ((facts.key_types >> i & 1) == 0) continue;
    for (const auto& [values, value_bytes] : kValues) {
      if ((facts.values & values) == 0) continue;
      for (const auto& [bit, order] : kOrders) {
        if ((facts.orders & bit) == 0) continue;
        instances.push_back({static_cast<KeyType>(i), value_bytes, order, &sort_by_plugin,
                             traits_of(facts), &context});
      }
    }
  }
}

std::vector<Instance> instances_of(PluginSort& sort) {
  std::vector<Instance> instances;
  for (const auto& facts : sort.facts.instances) {
    sort.instances.push_back({&sort, sort.instances.size()});
    expand(facts, sort.instances.back(), instances);
  }
  return instances;
}

/// The workspace that the plug-in asks for.
std::size_t workspace_of(const WorkspaceRequest& request) {
  const sortlab_plugin_sort& code =
      static_cast<const PluginInstance*>(request.instance->context)->sort->loaded();
  if (code.workspace_bytes == nullptr) return 0;
  std::size_t bytes = 0;
  const sortlab_job job = bare_job(*request.instance, request.n, request.threads, nullptr);
  (void)answer_of("workspace_bytes()", job, SORTLAB_OK,
                  [&](const sortlab_job& bare) { return code.workspace_bytes(&bare, &bytes); });
  if (bytes > kMostWorkspace) {
    throw std::runtime_error(fmt::format("asks for a workspace of {} bytes", bytes));
  }
  return bytes;
}

std::string isa_of_variant(const Variant& variant) {
  const void* const context = variant.instances.front().context;
  const std::string& isa = static_cast<const PluginInstance*>(context)->sort->facts.isa;
  return isa.empty() ? "unknown" : isa;
}

Variant variant_of(PluginSort& sort, std::string id) {
  return {.id = std::move(id),
          .extension = "",
          .info = info_of(sort),
          .instances = instances_of(sort),
          .kind = &OneArray::kKind,
          .write_needs =
              [](const void* request, void* needs) {
                *static_cast<std::size_t*>(needs) =
                    workspace_of(*static_cast<const WorkspaceRequest*>(request));
              },
          .capacity = [] { return Limit{}; },
          .patience = [](std::string_view) { return Limit{}; },
          .unavailable = []() -> std::string { return ""; },
          .isa_name = &isa_of_variant,
          .plugin_file = sort.file,
          .make_state = &make_state};
}

}  // namespace

void register_plugin(const std::string& path, const PluginDescription& description) {
  static std::deque<PluginSort> sorts;  // which never moves what it holds
  for (const PluginSortFacts& facts : description.sorts) {
    const std::string id = fmt::format("plugin/{}/{}", description.name, facts.name);
    if (const Variant* const taken = find_variant(id)) {
      throw bad_input("{} is there already, from {}", id, taken->plugin_file);
    }
    sorts.push_back({path, facts});
    register_variant(variant_of(sorts.back(), id));
  }
}

}  // namespace sortlab
