// What a plug-in says of itself, as the C structures of include/sortlab_plugin.h.
#include <fuzzer/FuzzedDataProvider.h>

#include <deque>
#include <nlohmann/json.hpp>

#include "common/harness/plugin/library.hpp"
#include "tests/fuzz/fuzzing.hpp"

using namespace sortlab;
using namespace sortlab::fuzzing;

namespace {

std::int32_t sorts_nothing(const sortlab_job*) { return SORTLAB_FAILED; }

/// The texts of a description, or null; a deque, which never moves what it holds.
class Texts {
 public:
  explicit Texts(FuzzedDataProvider& input) : input_(input) {}
  const char* next() {
    if (input_.ConsumeIntegral<std::uint8_t>() == 0) return nullptr;
    return texts_.emplace_back(input_.ConsumeRandomLengthString(200)).c_str();
  }

 private:
  FuzzedDataProvider& input_;
  std::deque<std::string> texts_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  FuzzedDataProvider input(data, size);
  Texts texts(input);
  sortlab_plugin plugin{};
  plugin.name = texts.next();
  plugin.version = texts.next();
  std::vector<sortlab_sort> sorts;
  const auto count = input.ConsumeIntegralInRange(0, 4);
  for (int i = 0; i < count; ++i) {
    sortlab_sort sort{};
    sort.name = texts.next();
    sort.summary = texts.next();
    sort.key_types = input.ConsumeIntegral<std::uint8_t>();
    sort.traits = input.ConsumeIntegral<std::uint16_t>();
    if (input.ConsumeIntegral<std::uint8_t>() != 0) sort.sort = &sorts_nothing;
    sorts.push_back(sort);
  }
  plugin.sorts = input.ConsumeIntegral<std::uint8_t>() == 0 ? nullptr : sorts.data();
  plugin.sort_count = sorts.size();

  accepts("", [&] {
    const nlohmann::json described = checked(plugin);
    const auto again = nlohmann::json::parse(described.dump()).get<PluginDescription>();
    require(nlohmann::json(again) == described, "a description that its JSON changes");
  });
  return 0;
}
