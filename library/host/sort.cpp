// Sorts keys alone. Few narrow keys are sorted as integers of 4 bytes; many are counted.
#include "library/host/auto_sort.hpp"
#include "library/host/calls.hpp"
#include "library/host/counting.hpp"
#include "library/host/narrow_keys.hpp"
#include "library/host/passes.hpp"

namespace sortlab::library {
namespace {

AutoSort wide_sort(const SortCall& call, void* keys) {
  return {call.type.wide(), call.settings.order, keys, nullptr, call.n, call.settings.threads};
}

template <class Float>
void put_nans_last(Float* keys, std::size_t n) {
  std::rotate(keys, keys + nans_in_front(keys, n), keys + n);
}

}  // namespace

std::size_t SortCall::scratch_bytes() const {
  if (is_worth_counting(type, n)) return counting_bytes(*this);
  const std::size_t widened = type.is_narrow() ? aligned(n * sizeof(std::uint32_t)) : 0;
  return widened + wide_sort(*this, keys).scratch_bytes();
}

void SortCall::run(std::byte* scratch, std::size_t scratch_bytes) const {
  if (is_worth_counting(type, n)) return count_and_write(*this, scratch);
  if (type.is_narrow()) {
    const std::size_t widened = aligned(n * sizeof(std::uint32_t));
    widen(type, settings, scratch, keys, n);
    wide_sort(*this, scratch).run(scratch + widened, scratch_bytes - widened);
    narrow(type, settings, keys, scratch, n);
    return;
  }
  wide_sort(*this, keys).run(scratch, scratch_bytes);
  if (!settings.nans_last) return;
  if (type.type == SORTLAB_TYPE_F32) put_nans_last(static_cast<float*>(keys), n);
  if (type.type == SORTLAB_TYPE_F64) put_nans_last(static_cast<double*>(keys), n);
}

}  // namespace sortlab::library
