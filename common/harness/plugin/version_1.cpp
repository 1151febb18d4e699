#include "common/harness/plugin/version_1.hpp"

#include "common/contract/errors.hpp"
#include "common/harness/plugin/checks.hpp"

namespace sortlab {
namespace {

constexpr std::uint32_t kPairs = 8, kDescending = 16, kAllTraits = 1023;

constexpr struct {
  std::uint32_t then, now;
} kTraitsOfInstances[] = {{1, SORTLAB_STABLE},      {2, SORTLAB_IN_PLACE},
                          {32, SORTLAB_ALTERNATE},  {128, SORTLAB_CAPTURABLE},
                          {256, SORTLAB_ALLOCATES}, {512, SORTLAB_TOTAL_ORDER}},
  kTraitsOfSorts[] = {{4, SORTLAB_PARALLEL}, {64, SORTLAB_DEVICE}};

std::uint32_t as_today(std::uint32_t traits, const auto& table) {
  std::uint32_t today = 0;
  for (const auto& [then, now] : table) {
    if ((traits & then) != 0) today |= now;
  }
  return today;
}

PluginSortFacts checked(const version_1::Sort& sort, const std::string& version) {
  PluginSortFacts facts;
  facts.name = checked_name("a sort's", sort.name);
  facts.summary = checked_line("summary of " + facts.name, sort.summary);
  facts.version = version;
  if (sort.sort == nullptr) throw BadInput(facts.name + " has no function to sort with");
  check_bits(facts.name, "key types", sort.key_types, SORTLAB_ALL_KEYS, false);
  check_bits(facts.name, "traits", sort.traits, kAllTraits, true);
  facts.traits = as_today(sort.traits, kTraitsOfSorts);
  facts.instances = {
      {sort.key_types,
       (sort.traits & kPairs) != 0 ? SORTLAB_NO_VALUES | SORTLAB_VALUES_4 : SORTLAB_NO_VALUES,
       (sort.traits & kDescending) != 0 ? SORTLAB_ASCENDING | SORTLAB_DESCENDING
                                        : SORTLAB_ASCENDING,
       as_today(sort.traits, kTraitsOfInstances)}};
  return facts;
}

class CodeOfVersion1 : public PluginCode {
 public:
  explicit CodeOfVersion1(const version_1::Sort& sort) : sort_(sort) {}

  std::int32_t sort(std::size_t, const sortlab_job& job) const override {
    const version_1::Job then{job.key_type,
                              job.order == SORTLAB_DESCENDING,
                              job.n,
                              job.keys,
                              static_cast<std::uint32_t*>(job.values),
                              job.alternate_keys,
                              static_cast<std::uint32_t*>(job.alternate_values),
                              job.workspace,
                              job.workspace_bytes,
                              job.threads,
                              job.stream,
                              job.message,
                              job.message_bytes};
    return sort_.sort(&then);
  }

  std::int32_t workspace_bytes(const sortlab_job& job, std::size_t& bytes) const override {
    constexpr std::uint32_t kWide = SORTLAB_U64 | SORTLAB_I64 | SORTLAB_F64;
    const std::size_t key_bytes = (job.key_type & kWide) != 0 ? 8 : 4;
    if (sort_.workspace_bytes != nullptr) {
      bytes = sort_.workspace_bytes(job.n, key_bytes, job.value_bytes, job.threads);
    }
    return SORTLAB_OK;
  }

  std::int32_t create(const sortlab_job&, void*&) const override { return SORTLAB_OK; }
  void destroy(void*) const override {}

 private:
  const version_1::Sort& sort_;
};

}  // namespace

PluginDescription checked(const version_1::Plugin& plugin) {
  PluginDescription description = begin_description(
      plugin.name, plugin.version, plugin.sorts == nullptr ? 0 : plugin.sort_count);
  for (std::size_t i = 0; i < plugin.sort_count; ++i) {
    add_sort(description, checked(plugin.sorts[i], description.version));
  }
  return description;
}

std::unique_ptr<PluginCode> code_of(const version_1::Sort& sort) {
  return std::make_unique<CodeOfVersion1>(sort);
}

}  // namespace sortlab
