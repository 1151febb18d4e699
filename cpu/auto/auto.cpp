// The sort that is the fastest for the input, of all CPU rungs here: one entry for users.
//
//     n, widths, threads, instruction set, a look at a few keys  ->  a rung's registered code
//
// Over the rungs: nobody has to know them. Nothing of its own moves a key: a choice is a few
// comparisons (choice.hpp) and one indirect call. The rung gets this sort's buffers, of which the
// workspace is as large as any rung needs that may be chosen for n: which one it is hangs on the
// keys and on the instruction set, too. A rung without code for the instruction set runs the best
// that it has. Stable: pairs are always the radix sort's, which is.
// The chosen sorts notice input in order themselves.
// Limits: the thresholds were measured on two machines, an Intel and an AMD CPU; takes the alternate
// buffer although cpu/bitonic/simd needs none.
// Source: our own.
#include <algorithm>
#include <array>
#include <initializer_list>
#include <string>

#include "common/variant.hpp"
#include "cpu/auto/choice.hpp"

namespace sortlab {
namespace {
using namespace cpu_auto;

/// A rung, and its parameters as nobody sets them. A copy of what was registered: later
/// registrations move the variants about.
struct Known {
  Variant variant;
  Params params;
};

/// All rungs that this build has.
class Rungs {
 public:
  Rungs() {
    for (int i = 0; i < kRungs; ++i) {
      const Variant* const variant = find_variant(kIds[i]);
      if (variant == nullptr) continue;
      known_[i] = {*variant, Params(variant->info.params)};
      there_.add(static_cast<Rung>(i));
    }
  }
  RungSet there() const { return there_; }
  const Known& operator[](Rung rung) const { return known_[static_cast<int>(rung)]; }

 private:
  std::array<Known, kRungs> known_;
  RungSet there_;
};

const Rungs& rungs() {
  static const Rungs all;
  return all;
}

bool is_amd() {
  static const bool amd = __builtin_cpu_is("amd");
  return amd;
}

/// A rung's code for one combination of types, all that a sort needs of it.
struct Code {
  const Instance* instance = nullptr;
  const Params* params = nullptr;
  IsaSet isas;
};

template <class Job>
const std::array<Code, kRungs>& code_for() {
  static const auto code = [] {
    std::array<Code, kRungs> all;
    for (int i = 0; i < kRungs; ++i) {
      if (!rungs().there().has(static_cast<Rung>(i))) continue;
      const auto& [variant, params] = rungs()[static_cast<Rung>(i)];
      all[i] = {variant.instance(key_type_of<typename Job::Key>(), kValueBytes<typename Job::Value>,
                                 Job::kOrder),
                &params, variant.info.isas};
    }
    return all;
  }();
  return code;
}

/// Whether the keys seem to be in the opposite order: neighbours at 64 places, and those places. It
/// ends at the first two keys that are not, for most inputs at once.
template <class Job>
bool looks_reversed(const Job& job) {
  constexpr std::size_t kPlaces = 64;
  const typename Job::Less less;
  const auto* const keys = job.data.keys;
  const std::size_t step = job.n / kPlaces;
  for (std::size_t i = 0; i + step < job.n; i += step) {
    if (less(keys[i], keys[i + 1]) || less(keys[i + 1], keys[i + step])) return false;
  }
  return less(keys[job.n - 1], keys[0]);  // or all are equal
}

struct Auto {
  static constexpr Info info{.summary = "the fastest of all rungs for the input",
                             .source = "our own",
                             .stable = true,
                             .alternate = true,
                             .parallel = true,
                             .isas = kScalarToAvx512};

  static std::string unavailable() {
    for (const Rung rung : {Rung::quick, Rung::hybrid}) {
      if (!rungs().there().has(rung)) {
        return "needs " + std::string(kIds[static_cast<int>(rung)]) +
               ", which is not in this build";
      }
    }
    return "";
  }

  static std::size_t workspace_bytes(const WorkspaceRequest& request) {
    std::size_t most = 0;
    for (const Isa isa : {Isa::scalar, Isa::avx2, Isa::avx512}) {
      for (const bool reversed : {false, true}) {
        const Rung rung = choose({request.n, request.key_bytes, request.value_bytes != 0,
                                  request.threads, isa, is_amd(), reversed},
                                 rungs().there());
        const auto& [variant, params] = rungs()[rung];
        most =
            std::max(most, variant.workspace_bytes({request.n, request.key_bytes,
                                                    request.value_bytes, request.threads, params}));
      }
    }
    return most;
  }

  template <class Job>
  static ResultIn sort(const Job& job) {
    Situation situation{job.n,   sizeof(typename Job::Key), Job::kPairs, job.threads, job.isa,
                        is_amd()};
    if constexpr (!Job::kPairs) {
      if (job.n >= kWorthALook && job.threads >= kManyThreads) {
        situation.reversed = looks_reversed(job);
      }
    }
    const Rung rung = choose(situation, rungs().there());
    const Code& code = code_for<Job>()[static_cast<int>(rung)];
    const ErasedJob erased{code.instance,      job.data.keys,        job.data.values,
                           job.alternate.keys, job.alternate.values, job.n,
                           job.workspace,      job.threads,          best_of(code.isas, job.isa),
                           job.stream,         code.params};
    return code.instance->sort(erased);
  }
};
SORTLAB_REGISTER(Auto, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab
