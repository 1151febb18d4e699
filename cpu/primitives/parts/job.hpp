// The job of one part, for the sorts of cpu/ranks. It has one C++ type per width of keys and values; the key type and
// the order are data. So each sort has 4 instances instead of 24.
#pragma once

#include "common/contract/key_map.hpp"
#include "common/contract/parts.hpp"

namespace sortlab::cpu::parts {

template <class Bits, class Value>
struct RankJob : PartOfSort<Bits, Value> {
  KeyKind keys;
  KeyMap<Bits> map = KeyMap<Bits>::of(keys);
};

/// Calls sort(job) with the job of the right widths.
template <class Sort>
PartResult with_job(const ErasedPartJob& e, Sort sort) {
  const Instance& types = *e.instance;
  return visit_widths(
      bytes_of(types.key_type), types.value_bytes, [&]<class Bits, class Value>(Bits, Value) {
        return sort(
            RankJob<Bits, Value>{PartOfSort<Bits, Value>::of(e), {types.key_type, types.order}});
      });
}

}  // namespace sortlab::cpu::parts
