#include "library/host/compare_indices.hpp"

#include <sortlab/detail/calls.hpp>

#include "library/host/passes.hpp"

namespace sortlab::library {
namespace {

template <class Key>
void sort_by(const Key* keys, Order order, std::uint64_t* index, std::size_t n, int threads,
             std::byte* scratch) {
  const auto bits = [keys](std::uint64_t i) {
    if constexpr (sizeof(Key) < 4) {
      return keys[i];
    } else {
      return to_ordered_bits(keys[i]);
    }
  };
  // The index decides between equal keys, so an unstable sort is enough.
  auto less = [bits, order](std::uint64_t a, std::uint64_t b) {
    const auto key_a = bits(a), key_b = bits(b);
    if (key_a == key_b) return a < b;
    return (key_a < key_b) == (order == Order::ascending);
  };
  number(index, n, threads);
  const Options options{.threads = threads, .scratch = {scratch, n * sizeof(std::uint64_t)}};
  detail::sort_items_by(index, n, less, options, nullptr);
}

}  // namespace

void sort_indices_by_comparison(Keys type, Order order, const void* keys, std::uint64_t* index,
                                std::size_t n, int threads, std::byte* scratch) {
  const auto sort = [&](auto key) {
    sort_by(static_cast<const decltype(key)*>(keys), order, index, n, threads, scratch);
  };
  switch (type.type) {
    case SORTLAB_TYPE_U8:
      return sort(std::uint8_t{});
    case SORTLAB_TYPE_I8:
      return sort(std::int8_t{});
    case SORTLAB_TYPE_U16:
      return sort(std::uint16_t{});
    case SORTLAB_TYPE_I16:
      return sort(std::int16_t{});
    default:
      visit_key_type(type.wide(), sort);
  }
}

}  // namespace sortlab::library
