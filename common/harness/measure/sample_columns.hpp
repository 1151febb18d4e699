// The columns of a sample. The CSV, its checks and the worker's messages go by this list.
#pragma once

#include <cstddef>

#include "common/harness/measure/sample.hpp"

namespace sortlab {

/// Calls f(name, member) for each, in their order in the CSV.
template <class SampleRef, class F>
void for_each_column(SampleRef& s, F f) {
  f("rep", s.rep);
  f("total_ns", s.total_ns);
  f("alloc_ns", s.alloc_ns);
  f("h2d_ns", s.h2d_ns);
  f("kernel_ns", s.kernel_ns);
  f("host_ns", s.host_ns);
  f("d2h_ns", s.d2h_ns);
  f("exchange_ns", s.exchange_ns);
  f("exchange_bytes", s.exchange_bytes);
  f("imbalance", s.imbalance);
  f("launches", s.launches);
  f("peak_temp_bytes", s.peak_temp_bytes);
  f("gpu_J", s.gpu_joules);
  f("cpu_J", s.cpu_joules);
  for (std::size_t i = 0; i < kCounterNames.size(); ++i) f(kCounterNames[i], s.counters[i]);
  f("sm_mhz", s.sm_mhz);
  f("load_1min", s.around.load_1min);
  f("cpu_quota", s.around.cpu_quota);
  f("cpu_list", s.around.cpu_list);
  f("free_cpus", s.free_cpus);
  f("sorted_ok", s.verdict.sorted);
  f("permutation_ok", s.verdict.permutation);
  f("stable_ok", s.verdict.stable);
}

}  // namespace sortlab
