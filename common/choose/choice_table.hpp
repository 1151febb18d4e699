// The table in which a sort that chooses looks up its choice. For each combination of types it says
// from which n on which sort is called.
//
// A choice must take almost no time beside the shortest sorts. So names, limits, parameters and
// files are resolved when a table is made, and a call only compares n a few times.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/choose/choices.hpp"
#include "common/contract/variant.hpp"

namespace sortlab {

// The sorts that gpu/auto and cpu/auto may choose and `sortlab tune` measures: those whose Info holds a
// Candidate.

/// The registered candidates of one side, by rank.
std::vector<const Variant*> candidates(Memory memory);

/// null when there is no such candidate in this program.
const Variant* find_candidate(Memory memory, std::string_view id);

/// Whether to measure a candidate: it has code for the types, and may be chosen for n.
bool is_candidate_at(const Variant& variant, KeyType type, std::size_t value_bytes, std::size_t n);

/// From this n on the table uses this sort, which is registered and can sort such inputs.
struct FitStep {
  std::size_t from_n;
  const Variant* rung;
  int most_threads = std::numeric_limits<int>::max();
};

/// The answers of `choose(n)`, which returns a registered sort, as steps. They change only at
/// `sizes`.
template <class Choose>
std::vector<FitStep> fit_steps_at(const std::set<std::size_t>& sizes, Choose choose) {
  std::vector<FitStep> fit;
  for (const std::size_t n : sizes) {
    const Variant& rung = choose(n);
    if (fit.empty() || fit.back().rung != &rung) fit.push_back({n, &rung});
  }
  return fit;
}

/// A sort that may be chosen, and its default parameters.
struct ChosenRung {
  explicit ChosenRung(const Variant& registered)
      : variant(&registered), params(registered.info.params) {}
  const Variant* variant;
  Params params;
};

/// A sort's code for one combination of types, with everything that a call needs. It is chosen
/// below `until_n`.
struct ChosenCode {
  std::size_t until_n = 0;
  SortFunction call = nullptr;
  const Instance* instance = nullptr;
  const Params* params = nullptr;
  const ChosenRung* rung = nullptr;
  int most_threads = 0;
  Isa isa = Isa::scalar;

  /// Lets it do the job of the sort that chose it.
  template <class Job>
  ResultIn sort(const Job& job) const {
    return sort(ErasedJob{nullptr, job.data.keys, job.data.values, job.alternate.keys,
                          job.alternate.values, job.n, job.workspace, job.threads, job.isa,
                          job.stream, nullptr, job.host_clock});
  }
  ResultIn sort(ErasedJob job) const {
    job.instance = instance;
    job.threads = std::min(job.threads, most_threads);
    job.isa = isa;
    job.params = params;
    return call(&job);
  }
  /// The workspace, for a request to the sort that chose.
  std::size_t workspace_bytes(const WorkspaceRequest& request) const {
    return rung->variant->workspace_bytes({request.n, request.key_bytes, request.value_bytes,
                                           std::min(request.threads, most_threads), rung->params,
                                           nullptr, isa});
  }
};

class ChoiceTable {
 public:
  /// `fit_steps(type, value_bytes)` are the steps for those types, the first from n = 0. Sorts run
  /// the best code that they have up to `isa`.
  template <class FitSteps>
  explicit ChoiceTable(FitSteps fit_steps, Isa isa = Isa::scalar) {
    for (const KeyType type : kKeyTypes) {
      for (const std::size_t value_bytes : kValueWidths) {
        const std::vector<FitStep> steps = fit_steps(type, value_bytes);
        for (const Order order : {Order::ascending, Order::descending}) {
          auto& codes = codes_[type_place(type, value_bytes, order)];
          for (std::size_t i = 0; i < steps.size(); ++i) {
            const Variant& variant = *steps[i].rung;
            const ChosenRung& rung = rungs_.try_emplace(variant.id, variant).first->second;
            const Instance* const instance = variant.instance(type, value_bytes, order);
            codes.push_back({i + 1 < steps.size() ? steps[i + 1].from_n : kAnyN, instance->function,
                             instance, &rung.params, &rung, steps[i].most_threads,
                             best_of(variant.info.isas, isa)});
          }
        }
      }
    }
  }
  ChoiceTable(ChoiceTable&&) = default;

  const ChosenCode& code(KeyType type, std::size_t value_bytes, Order order, std::size_t n) const {
    const ChosenCode* code = codes_[type_place(type, value_bytes, order)].data();
    while (n >= code->until_n) ++code;  // no n is kAnyN
    return *code;
  }
  template <class Job>
  const ChosenCode& code_for(const Job& job) const {
    return code(key_type_of<typename Job::Key>(), kValueBytes<typename Job::Value>, Job::kOrder,
                job.n);
  }
  /// A sort that knows only the widths of the types.
  const ChosenCode& code_for(const WorkspaceRequest& request) const {
    const KeyType any_of_width = number_type(NumberKind::unsigned_integer, request.key_bytes);
    return code(any_of_width, request.value_bytes, Order::ascending, request.n);
  }

 private:
  static constexpr std::size_t kAnyN = std::numeric_limits<std::size_t>::max();

  std::map<std::string, ChosenRung> rungs_;                 // by id
  std::array<std::vector<ChosenCode>, kTypePlaces> codes_;  // each up to any n
};

}  // namespace sortlab
