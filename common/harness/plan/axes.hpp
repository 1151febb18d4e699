// The axes of a selection: its lists parsed, with the defaults filled in.
#pragma once

#include <cstddef>
#include <vector>

#include "common/harness/plan/counts.hpp"
#include "common/harness/plan/plan.hpp"
#include "common/harness/plan/selection.hpp"

namespace sortlab {

/// Keys of a type, or records of a shape.
struct KeysOf {
  KeyType type;
  RecordShape record = {};
};

/// No list is empty. If the user lets the distributions decide an axis, its list has the values of
/// all of them, and holds() says which values belong to which distribution.
struct Axes {
  std::vector<const Variant*> variants;
  std::vector<std::size_t> sizes;
  std::vector<KeysOf> types;
  std::vector<Distribution> dists;
  std::vector<std::size_t> value_sizes;  // 0 for keys alone
  std::vector<Assignments> sweep;
  std::vector<int> threads;           // of parallel host sorts
  std::vector<int> ranks;             // of sorts over ranks; 0: none were asked for
  std::vector<Devices> devices;       // of sorts over several GPUs; none: none were asked for
  std::vector<HostMem> host_mems;     // of sorts that use a GPU
  std::vector<std::size_t> gpu_mems;  // of those, in bytes; 0: no cap
  std::vector<Launch> launches;       // of device sorts
  std::vector<Load> loads;
  std::vector<Lengths> lengths;  // of sorts of segments; none: none were asked for
  std::vector<Wanted> tops;      // of top-k and partial sorts; none: none were asked for
  bool pin = false;              // host sorts
  Config common;                 // the common values of all configurations
  FileFacts file;
  bool own_sizes = false, own_types = false, own_values = false;
  bool own_threads = false;  // all CPUs: the ranks of a host share its CPUs

  bool holds(std::size_t n, KeyType type, const Distribution& dist, std::size_t value_bytes) const;
};

/// Throws BadInput for unknown names and malformed numbers.
Axes parse(const Selection& selection);

}  // namespace sortlab
