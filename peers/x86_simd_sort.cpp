// x86-simd-sort: Intel's vectorised quicksort for AVX2 and AVX-512, used by NumPy and OpenJDK.
//
// source    github.com/intel/x86-simd-sort, commit 6a7a01da of 2025-09-11; its static headers, which
//           take the instruction set that this file is compiled for
// licence   BSD-3-Clause
// threads   1; the plug-in x86_simd_sort_openmp takes this file again, with OpenMP: at most 16 threads,
//           and one thread up to 100,000 keys
// orders    by `<`, both directions: floats without NaN and -0
// pairs     keys and values move in their own arrays, nothing is packed
#include <x86simdsort-static-incl.h>

#include "common.hpp"

#ifdef _OPENMP
  #include <omp.h>
#endif

namespace {

bool is_descending(const sortlab_job* job) { return job->order == SORTLAB_DESCENDING; }

/// The library asks OpenMP how many threads there are.
void set_threads([[maybe_unused]] const sortlab_job* job) {
#ifdef _OPENMP
  omp_set_num_threads(job->threads);
#endif
}

struct Sort {
  template <class Key>
  static void keys(const sortlab_job* job) {
    set_threads(job);
    x86simdsortStatic::qsort(static_cast<Key*>(job->keys), job->n, false, is_descending(job));
  }
  template <class Key>
  static void pairs(const sortlab_job* job) {
    set_threads(job);
    x86simdsortStatic::keyvalue_qsort(static_cast<Key*>(job->keys),
                                      static_cast<uint32_t*>(job->values), job->n, false,
                                      is_descending(job));
  }
};

constexpr auto kInstances = [] {
  auto all = peers::all_types<Sort>(SORTLAB_IN_PLACE, SORTLAB_IN_PLACE);
  for (auto& instance : all) instance.orders = SORTLAB_ASCENDING | SORTLAB_DESCENDING;
  return all;
}();

#ifdef _OPENMP
constexpr char kName[] = "qsort_openmp";
constexpr char kSummary[] = "x86simdsortStatic::qsort and keyvalue_qsort, OpenMP tasks";
constexpr uint32_t kTraits = SORTLAB_PARALLEL;
#else
constexpr char kName[] = "qsort";
constexpr char kSummary[] = "x86simdsortStatic::qsort and keyvalue_qsort";
constexpr uint32_t kTraits = 0;
#endif
#ifdef __AVX512DQ__
constexpr char kIsa[] = "avx512";
#else
constexpr char kIsa[] = "avx2";
#endif

const sortlab_sort sorts[] = {{.name = kName,
                               .summary = kSummary,
                               .isa = kIsa,
                               .traits = kTraits,
                               .instances = kInstances.data(),
                               .instance_count = kInstances.size()}};

}  // namespace

SORTLAB_PLUGIN("x86_simd_sort", PEER_VERSION, sorts)
