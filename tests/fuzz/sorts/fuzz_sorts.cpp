// Fuzzes the CPU's sorts: several sorts sort each random input, and the results must equal
// std::stable_sort's to the byte. Buffers are next to inaccessible pages, or misaligned, with
// patterns beside them; memory without input is poisoned.
//
// It takes libFuzzer's flags, but does not use libFuzzer: it tests the optimized code that GCC
// makes for users, and random inputs find each planted fault within half a second.
#include <cstring>
#include <utility>

#include "tests/fuzz/sorts/driver.hpp"
#include "tests/fuzz/sorts/fenced.hpp"

namespace sortlab::fuzz {
namespace {

constexpr std::size_t kWorkspaceAlignment = 256;

class HostCaller : public Caller {
 public:
  std::string fault_of(Call& call, const Case& one, const Input& input) override {
    const std::size_t key_bytes = bytes_of(one.key_type);
    const std::size_t value_bytes = one.pairs ? sizeof(std::uint32_t) : 0;
    const bool alternate = call.sort.variant->info.alternate;
    Dice& dice = call.dice;
    const auto provide = [&](Fenced& memory, std::size_t bytes, std::size_t alignment) {
      std::byte* const data = memory.place(bytes, alignment, dice);
      if (bytes > 0) std::memset(data, draw_poison(dice), bytes);
      return data;
    };

    ErasedJob job{};
    job.instance = call.instance;
    job.n = one.n;
    job.threads = call.threads;
    job.isa = call.sort.isa;
    job.params = &call.params;
    job.keys = copy(input.keys().data(), input.keys().size(),
                    provide(keys_, one.n * key_bytes, key_bytes));
    if (one.pairs) {
      job.values = copy(input.values().data(), one.n * value_bytes,
                        provide(values_, one.n * value_bytes, value_bytes));
    }
    if (alternate) job.alternate_keys = provide(alternate_keys_, one.n * key_bytes, key_bytes);
    if (alternate && one.pairs) {
      job.alternate_values = provide(alternate_values_, one.n * value_bytes, value_bytes);
    }
    job.workspace = {provide(workspace_, call.workspace_bytes, kWorkspaceAlignment),
                     call.workspace_bytes};

    const bool in_data = call.instance->sort(job) == ResultIn::data;
    for (const auto& [name, memory] :
         {std::pair{"keys", &keys_}, std::pair{"values", &values_},
          std::pair{"alternate keys", &alternate_keys_},
          std::pair{"alternate values", &alternate_values_}, std::pair{"workspace", &workspace_}}) {
      if (!memory->neighbours_intact()) return std::string("wrote outside of its ") + name;
    }
    return input.fault_of(
        static_cast<const std::byte*>(in_data ? job.keys : job.alternate_keys),
        static_cast<const std::byte*>(in_data ? job.values : job.alternate_values),
        call.sort.variant->info.stable);
  }

 private:
  static std::byte* copy(const void* from, std::size_t bytes, std::byte* to) {
    if (bytes > 0) std::memcpy(to, from, bytes);
    return to;
  }

  Fenced keys_, values_, alternate_keys_, alternate_values_, workspace_;
};

}  // namespace
}  // namespace sortlab::fuzz

int main(int argc, char** argv) {
  using namespace sortlab;
  return fuzz::fuzz({.name = "fuzz_sorts",
                     .memory = Memory::host,
                     .make_caller = [] { return std::make_unique<fuzz::HostCaller>(); }},
                    argc, argv);
}
