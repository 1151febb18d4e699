// The fastest CPU sort of this suite for the input: one entry for users.
//
//     n, widths, threads, instruction set, a look at a few keys  ->  a registered sort's code
//
// Over the rungs: the caller needs no knowledge of them. `auto` moves no key itself. It looks up the
// fastest known sort for this size and type and calls it: a few comparisons and one indirect call, 0 to
// 5 ns for few keys (amd2, 16 to 200 keys; docs/lab/cpu/auto/auto.md). The table of thresholds is
// measured: the built-in one (intel.json and amd.json say where; arm.json was not measured), or the one
// that `sortlab tune` wrote on this CPU (common/choose/tune_file.hpp).
// The rung gets this sort's buffers. The workspace is as large as the most demanding rung that may be
// chosen for n, because the choice also depends on the keys and, if it is not given, on the instruction
// set. A rung without code for the instruction set runs the best code that it has.
// Few items get one thread even if the caller offers more, because a second thread costs more than
// it gains. Three kinds of keys get a different sort than other keys (first_look.hpp): keys in a
// few long runs (ascending or descending), keys with one value that makes up at least half, and
// keys with few distinct values.
// Stable: pairs go to stable rungs only. The chosen sorts detect ordered input themselves.
// Limits: takes the alternate buffer although some rungs need none. The thresholds are for uniform
// keys, except for the first look.
// Source: our own.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <optional>
#include <string>

#include "common/choose/cpu_choice.hpp"
#include "common/contract/errors.hpp"
#include "common/contract/made_once.hpp"
#include "common/contract/variant.hpp"
#include "cpu/auto/first_look.hpp"
#include "cpu/auto/sorts.hpp"

namespace sortlab {
namespace {

/// For keys in long runs, for keys of mostly one value, and for few distinct keys
/// (docs/lab/cpu/auto/auto.md).
constexpr std::string_view kForRuns = "cpu/merge/simd", kForOneKey = "cpu/quick/simd",
                           kForFewKeys = "cpu/radix/simd";
constexpr int kManyThreads = 8;  // on AMD's CPUs, where fewer were not measured

/// From this n on a first look at the keys helps to choose: whether few keys are distinct, and from
/// `kWorthALongLook` on everything that it can find.
constexpr std::size_t kWorthALook = std::size_t{1} << 17, kWorthALongLook = std::size_t{1} << 20;

/// All choices on this machine.
struct Chosen {
  CpuChoiceTables by_size{cpu_choices_in_use()};
  std::optional<ChoiceTable> for_runs = table_of(kForRuns), for_one_key = table_of(kForOneKey),
                             for_few_keys = table_of(kForFewKeys);
  int for_runs_from_threads = kind_of_this_cpu() == CpuKind::amd ? kManyThreads : 1;

  /// One rung for keys alone, for all n; empty if the build lacks it.
  static std::optional<ChoiceTable> table_of(std::string_view id) {
    const Variant* const rung = find_variant(id);
    if (rung == nullptr) return {};
    return std::optional<ChoiceTable>(
        std::in_place,
        [&](KeyType, std::size_t value_bytes) {
          return value_bytes == 0 ? std::vector{FitStep{0, rung}} : std::vector<FitStep>{};
        },
        cpu::fastest::isa_of_process());
  }
};

constinit MadeOnce<const Chosen> all_choices;

const Chosen& chosen() {
  return all_choices.get([] { return Chosen(); });
}

bool may_look(std::size_t n, bool pairs) { return !pairs && n >= kWorthALook; }

bool may_be_runs(int threads) {
  return chosen().for_runs && threads >= chosen().for_runs_from_threads;
}

/// The choices for few items that all numbers of threads share. They take one or two cache lines,
/// and a choice reads nothing else: more would slow down a sort of 100 ns.
struct alignas(64) ForFew {
  std::atomic<std::size_t> until_n = 0;  // 0: unknown
  Isa isa = Isa::scalar;                 // for which it is valid
  std::array<ChosenCode, 3> codes;
  std::atomic<pid_t> filler = 0;  // the process whose thread fills this

  /// Whether the calling thread is the one to fill it. Others need not wait. A child that was forked meanwhile finds
  /// its parent's number here, and begins again.
  bool is_mine_to_fill() {
    pid_t other = filler.load(std::memory_order_relaxed);
    const pid_t process = getpid();
    return other != process &&
           filler.compare_exchange_strong(other, process, std::memory_order_relaxed);
  }

  void fill(Isa for_isa, KeyType type, std::size_t value_bytes, Order order) {
    isa = for_isa;
    std::size_t until = 0;
    bool agreed = true;
    for (auto place = codes.begin(); agreed && place != codes.end(); ++place) {
      *place = chosen().by_size.table(isa, 1, until).code(type, value_bytes, order, until);
      std::size_t next = std::min(place->until_n, kWorthALook);
      chosen().by_size.for_each_table(isa, [&](const ChoiceTable& table) {
        const ChosenCode& code = table.code(type, value_bytes, order, until);
        agreed = agreed && code.call == place->call;
        next = std::min(next, code.until_n);
      });
      if (agreed) until = next;
      agreed = agreed && next == place->until_n;
      place->until_n = next;
    }
    until_n.store(std::max<std::size_t>(until, 1), std::memory_order_release);
  }

  const ChosenCode& code(std::size_t n) const {
    const ChosenCode* code = codes.data();
    while (n >= code->until_n) ++code;
    return *code;
  }
};
template <class Job>
constinit ForFew for_few;

/// Takes only the instruction set, so that the caller keeps its job in registers.
template <class Job>
[[gnu::noinline]] void fill_for_few(Isa isa) {
  chosen();  // may throw
  if (!for_few<Job>.is_mine_to_fill()) return;
  for_few<Job>.fill(isa, key_type_of<typename Job::Key>(), kValueBytes<typename Job::Value>,
                    Job::kOrder);
}

/// Not inlined, so that sorts of few items do not save and restore its registers.
template <class Job>
[[gnu::noinline]] ResultIn sort_many(const ErasedJob& job) {
  if (for_few<Job>.until_n.load(std::memory_order_acquire) == 0) fill_for_few<Job>(job.isa);
  const ChoiceTable* table = &chosen().by_size.table(job.isa, job.threads, job.n);
  using Key = typename Job::Key;
  if (may_look(job.n, Job::kPairs)) {
    const auto* const keys = static_cast<const Key*>(job.keys);
    const typename Job::Less less;
    const bool long_look = job.n >= kWorthALongLook;
    if (long_look && may_be_runs(job.threads) && looks_like_runs(keys, job.n, less)) {
      table = &*chosen().for_runs;
    } else if (long_look && chosen().for_one_key && looks_like_one_key(keys, job.n, less)) {
      table = &*chosen().for_one_key;
    } else if (!long_look && chosen().for_few_keys && looks_like_few_keys(keys, job.n, less)) {
      table = &*chosen().for_few_keys;
    }
  }
  return table->code(key_type_of<Key>(), kValueBytes<typename Job::Value>, Job::kOrder, job.n)
      .sort(job);
}

struct Auto {
  static constexpr Info info{.summary = "the fastest of all rungs for the input",
                             .source = "our own",
                             .stable = true,
                             .alternate = true,
                             .parallel = true,
                             .isas = kEveryIsa};

  static std::size_t workspace_bytes(const WorkspaceRequest& request) {
    std::size_t most = 0;
    const auto add = [&](const ChoiceTable& table) {
      most = std::max(most, table.code_for(request).workspace_bytes(request));
    };
    for (const Isa isa : kIsasOfBuild) {
      if (request.isa.value_or(isa) != isa) continue;
      add(chosen().by_size.table(isa, request.threads, request.n));
    }
    if (may_look(request.n, request.value_bytes != 0)) {
      if (may_be_runs(request.threads)) add(*chosen().for_runs);
      if (chosen().for_one_key) add(*chosen().for_one_key);
      if (chosen().for_few_keys) add(*chosen().for_few_keys);
    }
    return most;
  }

  template <class Job>
  static ResultIn sort_erased(const ErasedJob& job) {
    const ForFew& few = for_few<Job>;
    if (job.n < few.until_n.load(std::memory_order_acquire) && job.isa == few.isa) {
      return few.code(job.n).sort(job);
    }
    return sort_many<Job>(job);
  }

  /// Never unavailable. But commands that plan call this first, so it reports errors in the file of
  /// choices.
  static std::string unavailable() {
    check_cpu_choices();
    return "";
  }

  static std::string details() { return describe_cpu_choices(); }
};
SORTLAB_REGISTER(Auto, AllKeys, KeysAndPairs);

}  // namespace

Isa cpu::fastest::isa_of_process() {
  try {
    return usable_isa();
  } catch (const BadInput&) {
    return best_isa_of_cpu();
  }
}

namespace cpu::fastest::stable {

constinit const Codes codes = Codes::of<Auto>(KeysAndPairs{});
std::size_t workspace_bytes(std::size_t n, std::size_t key_bytes, std::size_t value_bytes,
                            int threads, std::optional<Isa> isa) {
  const Params none;
  return Auto::workspace_bytes({n, key_bytes, value_bytes, threads, none, nullptr, isa});
}

}  // namespace cpu::fastest::stable
}  // namespace sortlab
