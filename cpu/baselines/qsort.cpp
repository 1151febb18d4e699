// Baseline: the C library's qsort.
//
// Type-erased: every comparison is a call through a pointer, every move a copy of a size known at
// run time. The algorithm depends on glibc: up to 2.36 it is a merge sort with its own buffer
// (malloc above 1 KiB), later versions differ. So it guarantees neither stability nor sorting in
// place. Keys alone are sorted in place; pairs through packed_items.hpp. One thread.
// Source: C standard, 7.22.5.2; glibc.
#include <cstdlib>

#include "common/contract/variant.hpp"
#include "cpu/primitives/library/packed_items.hpp"

namespace sortlab {
namespace {
using namespace cpu::primitives::library;

template <class T, class Less>
int compare(const void* left, const void* right) {
  const T& a = *static_cast<const T*>(left);
  const T& b = *static_cast<const T*>(right);
  return Less{}(b, a) - Less{}(a, b);
}

struct CQsort : MapsPairs<CQsort> {
  static constexpr Info info{
      .summary = "qsort of the C library",
      .source = "glibc",
      .lib_version = "glibc " SORTLAB_TEXT(__GLIBC__) "." SORTLAB_TEXT(__GLIBC_MINOR__),
      .temp_policy = TempPolicy::per_call};

  template <class Job>
  static ResultIn sort(const Job& job) {
    if (job.n == 0) return ResultIn::data;
    return sort_by_library(job, []<class T, class Less>(T* first, T* last, Less) {
      std::qsort(first, static_cast<std::size_t>(last - first), sizeof(T), compare<T, Less>);
    });
  }
};
SORTLAB_REGISTER(CQsort, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab
