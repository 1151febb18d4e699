// Fuzzes the descriptions of plug-ins: the C structures of include/sortlab_plugin.h.
#include <fuzzer/FuzzedDataProvider.h>

#include <deque>
#include <nlohmann/json.hpp>

#include "common/harness/plugin/library.hpp"
#include "tests/fuzz/fuzzing.hpp"

using namespace sortlab;
using namespace sortlab::fuzzing;

namespace {

std::int32_t sorts_nothing(const sortlab_job*) { return SORTLAB_FAILED; }
std::int32_t creates_nothing(const sortlab_job*, void**) { return SORTLAB_OK; }
void destroys_nothing(void*) {}

/// The texts of a description, or null, and its arrays; deques, which never move what they hold.
class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : data_(data, size) {}

  bool flag() { return data_.ConsumeIntegral<std::uint8_t>() != 0; }
  std::uint32_t few_bits() { return data_.ConsumeIntegral<std::uint8_t>(); }
  std::uint32_t bits() { return data_.ConsumeIntegral<std::uint16_t>(); }
  int count() { return data_.ConsumeIntegralInRange(0, 4); }
  std::size_t size(std::size_t right) { return flag() ? right : few_bits(); }
  const char* text() {
    return flag() ? texts_.emplace_back(data_.ConsumeRandomLengthString(200)).c_str() : nullptr;
  }
  template <class T>
  const T* array(std::deque<std::vector<T>>& kept, std::vector<T> elements) {
    return flag() ? kept.emplace_back(std::move(elements)).data() : nullptr;
  }

 private:
  FuzzedDataProvider data_;
  std::deque<std::string> texts_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input(data, size);
  std::deque<std::vector<sortlab_instance>> kept_instances;
  std::deque<std::vector<sortlab_plugin_sort>> kept;
  sortlab_plugin plugin{input.size(sizeof(sortlab_plugin)),
                        input.size(sizeof(sortlab_plugin_sort)),
                        input.size(sizeof(sortlab_instance)),
                        input.text(),
                        input.text(),
                        nullptr,
                        0};
  std::vector<sortlab_plugin_sort> sorts;
  for (int i = input.count(); i > 0; --i) {
    sortlab_plugin_sort sort{};
    sort.name = input.text();
    sort.summary = input.text();
    sort.version = input.text();
    sort.isa = input.text();
    sort.traits = input.bits();
    std::vector<sortlab_instance> instances;
    for (int k = input.count(); k > 0; --k) {
      instances.push_back({input.few_bits(), input.few_bits(), input.few_bits(), input.few_bits(),
                           input.flag() ? &sorts_nothing : nullptr});
    }
    sort.instance_count = instances.size();
    sort.instances = input.array(kept_instances, std::move(instances));
    if (input.flag()) sort.create = &creates_nothing;
    if (input.flag()) sort.destroy = &destroys_nothing;
    sorts.push_back(sort);
  }
  plugin.sort_count = sorts.size();
  plugin.sorts = input.array(kept, std::move(sorts));
  accepts("", [&] {
    const nlohmann::json described = checked(plugin);
    const auto again = nlohmann::json::parse(described.dump()).get<PluginDescription>();
    require(nlohmann::json(again) == described, "a description that its JSON changes");
  });
  return 0;
}
