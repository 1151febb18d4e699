#include "library/host/calls.hpp"

#include <sortlab/detail/calls.hpp>

#include "library/host/narrow_keys.hpp"
#include "library/host/passes.hpp"

namespace sortlab::library {
namespace {

/// `number_of(key)`: an unsigned number in the order of the keys.
template <class Key, class Number>
void sort_by(const Key* keys, Number number_of, const Settings& settings, std::uint64_t* index,
             std::size_t n, std::byte* scratch) {
  // The index decides between equal keys, so an unstable sort is enough.
  auto less = [=, order = settings.order](std::uint64_t a, std::uint64_t b) {
    const auto key_a = number_of(keys[a]), key_b = number_of(keys[b]);
    if (key_a == key_b) return a < b;
    return (key_a < key_b) == (order == Order::ascending);
  };
  number(index, n, settings.threads);
  const Options options{.threads = settings.threads,
                        .scratch = {scratch, n * sizeof(std::uint64_t)}};
  detail::sort_items_by(index, n, less, options, nullptr);
}

}  // namespace

void sort_indices_by_comparison(Keys type, const Settings& settings, const void* keys,
                                std::uint64_t* index, std::size_t n, std::byte* scratch) {
  if (type.is_narrow()) {
    return visit_narrow(type, settings, [&]<class Code>(const Code code) {
      sort_by(
          static_cast<const typename Code::Bits*>(keys), [=](auto key) { return code.number(key); },
          settings, index, n, scratch);
    });
  }
  visit_key_type(type.wide(), [&]<class Key>(Key) {
    sort_by(
        static_cast<const Key*>(keys), [](Key key) { return to_ordered_bits(key); }, settings,
        index, n, scratch);
  });
}

}  // namespace sortlab::library
