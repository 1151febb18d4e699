// The library, called as its users call it: sortlab::sort and sortlab::sort_by_key (docs/library.md).
//
// Over cpu/auto, which it calls: it checks the options, gets memory from the stack or the heap, and
// passes the types as numbers. The difference between the two is the cost of this.
// Limits: allocates in each call, but keeps memory of 8 MB and more for the next one; takes the
// instruction set of its first call in a process.
// Source: our own.
#include <sortlab/sort.hpp>
#include <span>
#include <string>

#include "common/contract/variant.hpp"

namespace sortlab {
namespace {

struct LibrarySort {
  static constexpr Info info{.summary = "sortlab::sort, the library's call",
                             .source = "our own",
                             .after = "cpu/auto/auto",
                             .stable = true,
                             .parallel = true,
                             .temp_policy = TempPolicy::per_call};

  static std::string isa_name() { return std::string(name_of(usable_isa())); }

  template <class Job>
  static ResultIn sort(const Job& job) {
    const Options options{.order = Job::kOrder, .threads = job.threads};
    const std::span keys(job.data.keys, job.n);
    if constexpr (Job::kPairs) {
      sortlab::sort_by_key(keys, std::span(job.data.values, job.n), options);
    } else {
      sortlab::sort(keys, options);
    }
    return ResultIn::data;
  }
};
SORTLAB_REGISTER(LibrarySort, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab
