// Finds the order of keys without moving them: it sorts a copy of the keys with their indices.
#include "library/host/auto_sort.hpp"
#include "library/host/calls.hpp"
#include "library/host/narrow_keys.hpp"
#include "library/host/passes.hpp"

namespace sortlab::library {
namespace {

constexpr std::size_t kWideIndexBytes = sizeof(std::uint64_t);

AutoSort index_sort(const ArgsortCall& call, void* keys, void* index) {
  return {call.type.wide(),      call.settings.order,    keys, index, call.n,
          call.settings.threads, call.settings.any_order};
}

/// The first part of the scratch memory, before the sort's part.
struct ArgsortLayout {
  std::size_t keys, index;

  explicit ArgsortLayout(const ArgsortCall& call)
      : keys(aligned(call.n * bytes_of(call.type.wide()))),
        index(call.index_bytes == kWideIndexBytes ? aligned(call.n * sizeof(std::uint32_t)) : 0) {}
  std::size_t bytes() const { return keys + index; }
};

/// All NaNs become the NaN that sorts last, and -0 becomes +0, so that these compare equal.
template <class Float>
void copy_with_nans_last(void* to, const void* from, std::size_t n, Order order, int threads) {
  using Bits = BitsOf<Float>;
  const Bits last = order == Order::ascending ? static_cast<Bits>(~kSignBit<Float>) : ~Bits{0};
  for_items(n, threads, [&](std::size_t first, std::size_t end) {
    for (std::size_t i = first; i < end; ++i) {
      const Bits bits = static_cast<const Bits*>(from)[i];
      static_cast<Bits*>(to)[i] = is_nan<Float>(bits) ? last : bits == kSignBit<Float> ? 0 : bits;
    }
  });
}

/// A copy of the keys in a type that cpu/auto sorts.
void copy_keys(const ArgsortCall& call, std::byte* to) {
  const int threads = call.settings.threads;
  if (call.type.is_narrow()) {
    widen_equals(call.type, call.settings, to, call.keys, call.n);
  } else if (call.settings.nans_last && call.type.type == SORTLAB_TYPE_F32) {
    copy_with_nans_last<float>(to, call.keys, call.n, call.settings.order, threads);
  } else if (call.settings.nans_last && call.type.type == SORTLAB_TYPE_F64) {
    copy_with_nans_last<double>(to, call.keys, call.n, call.settings.order, threads);
  } else {
    copy(to, call.keys, call.n * call.type.bytes(), threads);
  }
}

}  // namespace

std::size_t ArgsortCall::scratch_bytes() const {
  if (n > most_indexed) {
    return aligned(n * bytes_of(type.wide())) + aligned(n * kWideIndexBytes);
  }
  int any = 0;  // a non-null address means that there are values
  return ArgsortLayout(*this).bytes() + index_sort(*this, &any, &any).scratch_bytes();
}

void ArgsortCall::run(std::byte* scratch, std::size_t scratch_bytes) const {
  const int threads = settings.threads;
  copy_keys(*this, scratch);
  if (n > most_indexed) {
    std::byte* const rest = scratch + aligned(n * bytes_of(type.wide()));
    const Keys wide{type.is_narrow() ? SORTLAB_TYPE_U32 : type.type};
    sort_indices_by_comparison(wide, settings, scratch, static_cast<std::uint64_t*>(order), n,
                               rest);
    return;
  }
  const ArgsortLayout layout(*this);
  auto* const index = index_bytes == kWideIndexBytes
                          ? reinterpret_cast<std::uint32_t*>(scratch + layout.keys)
                          : static_cast<std::uint32_t*>(order);
  number(index, n, threads);
  index_sort(*this, scratch, index).run(scratch + layout.bytes(), scratch_bytes - layout.bytes());
  if (index_bytes == kWideIndexBytes) {
    convert(static_cast<std::uint64_t*>(order), index, n, threads);
  }
}

}  // namespace sortlab::library
