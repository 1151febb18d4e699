#include "common/harness/plugin/version_2.hpp"

#include <fmt/format.h>

#include "common/contract/errors.hpp"
#include "common/harness/plugin/checks.hpp"

namespace sortlab {
namespace {

constexpr std::uint32_t kAllValues =
    SORTLAB_NO_VALUES | SORTLAB_VALUES_4 | SORTLAB_VALUES_8 | SORTLAB_VALUES_16;
constexpr std::uint32_t kAllOrders = SORTLAB_ASCENDING | SORTLAB_DESCENDING;
constexpr std::uint32_t kAllInstanceTraits = 2 * SORTLAB_KEEPS_MEMORY - 1;
constexpr std::uint32_t kAllSortTraits = SORTLAB_PARALLEL | SORTLAB_DEVICE;
constexpr std::size_t kMostInstances = 6 * 4 * 2;  // one per combination

void check_size(const char* structure, std::size_t size, std::size_t expected) {
  if (size == expected) return;
  throw BadInput(fmt::format("its {} has {} bytes, that of version {} has {}", structure, size,
                             SORTLAB_PLUGIN_ABI, expected));
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
    throw BadInput(fmt::format("{} has {} instances, not 1 to {}", name,
                               sort.instances == nullptr ? 0 : sort.instance_count,
                               kMostInstances));
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
      throw BadInput(fmt::format("the instances {} and {} of {} cover the same types and order",
                                 other + 1, i + 1, facts.name));
    }
    facts.instances.push_back(instance);
  }
  return facts;
}

class CodeOfVersion2 : public PluginCode {
 public:
  explicit CodeOfVersion2(const sortlab_plugin_sort& sort) : sort_(sort) {}

  std::int32_t sort(std::size_t instance, const sortlab_job& job) const override {
    return sort_.instances[instance].sort(&job);
  }
  std::int32_t workspace_bytes(const sortlab_job& job, std::size_t& bytes) const override {
    return sort_.workspace_bytes == nullptr ? SORTLAB_OK : sort_.workspace_bytes(&job, &bytes);
  }
  std::int32_t create(const sortlab_job& job, void*& state) const override {
    return sort_.create == nullptr ? SORTLAB_OK : sort_.create(&job, &state);
  }
  void destroy(void* state) const override {
    if (sort_.destroy != nullptr) sort_.destroy(state);
  }

 private:
  const sortlab_plugin_sort& sort_;
};

}  // namespace

PluginDescription checked(const sortlab_plugin& plugin) {
  check_size("sortlab_plugin", plugin.size, sizeof(sortlab_plugin));
  check_size("sortlab_plugin_sort", plugin.sort_size, sizeof(sortlab_plugin_sort));
  check_size("sortlab_instance", plugin.instance_size, sizeof(sortlab_instance));
  PluginDescription description = begin_description(
      plugin.name, plugin.version, plugin.sorts == nullptr ? 0 : plugin.sort_count);
  for (std::size_t i = 0; i < plugin.sort_count; ++i) {
    add_sort(description, checked(plugin.sorts[i], description.version));
  }
  return description;
}

std::unique_ptr<PluginCode> code_of(const sortlab_plugin_sort& sort) {
  return std::make_unique<CodeOfVersion2>(sort);
}

}  // namespace sortlab
