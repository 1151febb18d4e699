// Keys with values. Keys of 4 or 8 bytes with values of 4 bytes go directly to cpu/auto. For values
// of other widths an index is sorted with the keys; then the values are gathered once.
#include "library/host/auto_sort.hpp"
#include "library/host/calls.hpp"
#include "library/host/narrow_keys.hpp"
#include "library/host/passes.hpp"

namespace sortlab::library {
namespace {

constexpr std::size_t kIndexBytes = sizeof(std::uint32_t);

bool is_index_wide(const PairsCall& call) { return call.n > call.most_indexed; }

/// Whether cpu/auto moves the values.
bool moves_values(const PairsCall& call) { return call.are_values_words; }

AutoSort pair_sort(const PairsCall& call, void* keys, void* values) {
  return {call.type.wide(),      call.settings.order,    keys, values, call.n,
          call.settings.threads, call.settings.any_order};
}

/// The first part of the scratch memory. The rest is for the sort, and later for the gathered
/// values.
struct PairsLayout {
  std::size_t keys, index;

  explicit PairsLayout(const PairsCall& call)
      : keys(call.type.is_narrow() ? aligned(call.n * sizeof(std::uint32_t)) : 0),
        index(moves_values(call) ? 0 : aligned(call.n * kIndexBytes)) {}
  std::size_t bytes() const { return keys + index; }
};

/// For more items than 4 bytes can number, the indices are sorted by comparisons.
void run_wide(const PairsCall& call, std::byte* scratch) {
  auto* const index = reinterpret_cast<std::uint64_t*>(scratch);
  std::byte* const rest = scratch + aligned(call.n * sizeof(std::uint64_t));
  const int threads = call.settings.threads;
  sort_indices_by_comparison(call.type, call.settings, call.keys, index, call.n, rest);
  const auto move = [&](void* items, std::size_t bytes) {
    gather(rest, items, index, call.n, bytes, threads);
    copy(items, rest, call.n * bytes, threads);
  };
  move(call.values, call.value_bytes);
  move(call.keys, call.type.bytes());
}

std::size_t wide_scratch_bytes(const PairsCall& call) {
  const std::size_t most = std::max({sizeof(std::uint64_t), call.value_bytes, call.type.bytes()});
  return aligned(call.n * sizeof(std::uint64_t)) + aligned(call.n * most);
}

template <class Float>
void put_nans_last(const PairsCall& call) {
  auto* const keys = static_cast<Float*>(call.keys);
  auto* const values = static_cast<std::byte*>(call.values);
  const std::size_t nans = nans_in_front(keys, call.n);
  std::rotate(keys, keys + nans, keys + call.n);
  std::rotate(values, values + nans * call.value_bytes, values + call.n * call.value_bytes);
}

}  // namespace

std::size_t PairsCall::scratch_bytes() const {
  if (is_index_wide(*this)) return wide_scratch_bytes(*this);
  int no_values = 0;  // a non-null address means that there are values
  const std::size_t of_sort = pair_sort(*this, keys, &no_values).scratch_bytes();
  const std::size_t gathered = moves_values(*this) ? 0 : aligned(n * value_bytes);
  return PairsLayout(*this).bytes() + std::max(of_sort, gathered);
}

void PairsCall::run(std::byte* scratch, std::size_t scratch_bytes) const {
  const int threads = settings.threads;
  if (is_index_wide(*this)) {
    run_wide(*this, scratch);
  } else {
    const PairsLayout layout(*this);
    std::byte* const rest = scratch + layout.bytes();
    void* sorted_keys = keys;
    void* moved = values;
    if (type.is_narrow()) {
      sorted_keys = scratch;
      widen(type, settings, sorted_keys, keys, n);
    }
    if (!moves_values(*this)) {
      moved = scratch + layout.keys;
      number(static_cast<std::uint32_t*>(moved), n, threads);
    }
    pair_sort(*this, sorted_keys, moved).run(rest, scratch_bytes - layout.bytes());
    if (type.is_narrow()) narrow(type, settings, keys, sorted_keys, n);
    if (!moves_values(*this)) {
      gather(rest, values, static_cast<const std::uint32_t*>(moved), n, value_bytes, threads);
      copy(values, rest, n * value_bytes, threads);
    }
  }
  if (!settings.nans_last) return;
  if (type.type == SORTLAB_TYPE_F32) put_nans_last<float>(*this);
  if (type.type == SORTLAB_TYPE_F64) put_nans_last<double>(*this);
}

}  // namespace sortlab::library
