// The fastest CPU sort of this suite for pairs whose equal keys may change places.
//
// Over cpu/auto/auto: may choose cpu/quick/pairs, which is not stable. It does so on one thread; on more
// threads, where there is no such sort, both choose the same. From 1024 pairs to 1 M, and on AMD's CPUs
// for all that are more, it looks at up to 256 keys first: where they are spread evenly and seldom repeat, a
// digit separates them faster than pivots do, and auto's choice sorts them.
// measured: 1 thread, 100,003 pairs, us: uniform u32 288 (auto's) vs 428 (cpu/quick/pairs); experts u32 518
// vs 175; spr2, results/spr2/any_order.csv
// Limits: pairs alone; keys without values have no order to keep. Takes the alternate buffer although some
// rungs need none.
// Source: our own.
#include <algorithm>
#include <limits>
#include <string>
#include <string_view>

#include "common/choose/cpu_choice.hpp"
#include "common/contract/key_map.hpp"
#include "common/contract/made_once.hpp"
#include "common/contract/variant.hpp"
#include "cpu/auto/first_look.hpp"
#include "cpu/auto/sorts.hpp"

namespace sortlab {
namespace {

/// Even keys get auto's choice in place of this one: up to so many pairs, and on AMD's CPUs always.
/// measured: 1,000,003 uniform pairs, 1 thread, us: u64 7611 (auto's) vs 15,035 (cpu/quick/pairs), u32 5666 vs
/// 6508, Zen 4, amd2/attempts/any_order.1.txt.xz; u64 8039 vs 9663, u32 5389 vs 6825, Xeon,
/// xeon16/attempts/any_order.1.txt.
constexpr std::size_t kMostEven = std::size_t{1} << 20;

constexpr std::string_view kByPivots = "cpu/quick/pairs";

struct Chosen {
  CpuChoiceTables any_order{cpu_choices_in_use(), true}, stable{cpu_choices_in_use()};
  const Variant* by_pivots = find_variant(kByPivots);
  std::size_t most_even =
      kind_of_this_cpu() == CpuKind::amd ? std::numeric_limits<std::size_t>::max() : kMostEven;
};

/// Whether threads of the job would have nothing to do. A table for one thread also serves a few more, and may
/// name a sort that has one.
bool wastes_threads(const ChosenCode& code, int threads) {
  return std::min(threads, code.most_threads) > 1 && !code.rung->variant->info.parallel;
}

constinit MadeOnce<const Chosen> all_choices;
const Chosen& chosen() {
  return all_choices.get([] { return Chosen(); });
}

using Values = TypeList<std::uint32_t>;

struct AnyOrder {
  static constexpr Info info{.summary = "the fastest of all rungs for pairs in any order",
                             .source = "our own",
                             .after = "cpu/auto/auto",
                             .alternate = true,
                             .parallel = true,
                             .isas = kEveryIsa};

  static std::size_t workspace_bytes(const WorkspaceRequest& request) {
    std::size_t most = 0;
    const auto add = [&](const CpuChoiceTables& tables, Isa isa) {
      const ChoiceTable& table = tables.table(isa, request.threads, request.n);
      most = std::max(most, table.code_for(request).workspace_bytes(request));
    };
    for (const Isa isa : kIsasOfBuild) {
      if (request.isa.value_or(isa) != isa) continue;
      add(chosen().any_order, isa);
      add(chosen().stable, isa);
    }
    return most;
  }

  template <class Job>
  static ResultIn sort_erased(const ErasedJob& job) {
    using Key = typename Job::Key;
    const Chosen& all = chosen();
    const auto code_of = [&](const CpuChoiceTables& tables) -> const ChosenCode& {
      return tables.table(job.isa, job.threads, job.n)
          .code(key_type_of<Key>(), kValueBytes<typename Job::Value>, Job::kOrder, job.n);
    };
    const ChosenCode& code = code_of(all.any_order);
    if (wastes_threads(code, job.threads)) return code_of(all.stable).sort(job);
    if (job.n >= kWorthALookForEvenness && job.n <= all.most_even &&
        code.rung->variant == all.by_pivots) {
      using Bits = BitsOf<Key>;
      const auto map = KeyMap<Bits>::of({key_type_of<Key>(), Job::kOrder});
      if (looks_even(static_cast<const Bits*>(job.keys), job.n,
                     [&](Bits key) { return map.ordered(key); })) {
        return code_of(all.stable).sort(job);
      }
    }
    return code.sort(job);
  }

  /// Never unavailable. But commands that plan call this first, so it reports errors in the file of
  /// choices.
  static std::string unavailable() {
    check_cpu_choices();
    return "";
  }

  static std::string details() { return describe_cpu_choices(); }
};
SORTLAB_REGISTER(AnyOrder, AllKeys, Values);

}  // namespace

namespace cpu::fastest::any_order {

constinit const Codes codes = Codes::of<AnyOrder>(Values{});
std::size_t workspace_bytes(std::size_t n, std::size_t key_bytes, std::size_t value_bytes,
                            int threads, std::optional<Isa> isa) {
  const Params none;
  return AnyOrder::workspace_bytes({n, key_bytes, value_bytes, threads, none, nullptr, isa});
}

}  // namespace cpu::fastest::any_order
}  // namespace sortlab
