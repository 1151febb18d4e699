// The sorts of this folder as functions: for the suite's variants, for sorts that sort parts with them, and for the
// library.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>

#include "common/contract/variant.hpp"

namespace sortlab::cpu::fastest {

/// A sort's code for one combination of types. Its job needs no instance and no parameters.
using Code = ResultIn (*)(const ErasedJob& job);

/// Has it sort n items, with a second buffer of them. `values` are null for keys alone.
inline ResultIn sort(Code code, void* keys, void* values, void* other_keys, void* other_values,
                     std::size_t n, std::span<std::byte> workspace, int threads, Isa isa) {
  return code({.instance = nullptr,
               .keys = keys,
               .values = values,
               .alternate_keys = other_keys,
               .alternate_values = other_values,
               .n = n,
               .workspace = workspace,
               .threads = threads,
               .isa = isa,
               .stream = nullptr,
               .params = nullptr});
}
template <class AnyItems>
ResultIn sort(Code code, AnyItems items, AnyItems other, std::size_t n,
              std::span<std::byte> workspace, int threads, Isa isa) {
  return sort(code, items.keys, items.values, other.keys, other.values, n, workspace, threads, isa);
}

/// The code for each combination; null where there is none.
class Codes {
 public:
  /// That of `Sort`, for all keys and these values.
  template <class Sort, class... Values>
  static constexpr Codes of(TypeList<Values...> values) {
    return [values]<class... Keys>(TypeList<Keys...>) {
      Codes codes;
      (codes.add<Sort, Keys>(values), ...);
      return codes;
    }(AllKeys{});
  }
  Code operator()(KeyType type, std::size_t value_bytes, Order order) const {
    return of_types_[type_place(type, value_bytes, order)];
  }

 private:
  template <class Sort, class Key, class... Values>
  constexpr void add(TypeList<Values...>) {
    (add<Sort, Job<Key, Values, Order::ascending>>(), ...);
    (add<Sort, Job<Key, Values, Order::descending>>(), ...);
  }
  template <class Sort, class Job>
  constexpr void add() {
    of_types_[type_place(key_type_of<typename Job::Key>(), kValueBytes<typename Job::Value>,
                         Job::kOrder)] = &Sort::template sort_erased<Job>;
  }

  std::array<Code, kTypePlaces> of_types_{};
};

/// The best instruction set that this CPU has and SORTLAB_ISA allows. A wrong SORTLAB_ISA is ignored: the tool has refused it
/// before, and programs that use the library shall not fail by it.
Isa isa_of_process();

/// What a sort takes for n items; enough for any instruction set where none is named.
using WorkspaceBytes = std::size_t(std::size_t n, std::size_t key_bytes, std::size_t value_bytes,
                                   int threads, std::optional<Isa> isa);

/// Of any array, stably: cpu/auto/auto.
namespace stable {
extern const Codes codes;
WorkspaceBytes workspace_bytes;
}  // namespace stable

/// Of pairs whose equal keys may change places: cpu/auto/any_order.
namespace any_order {
extern const Codes codes;
WorkspaceBytes workspace_bytes;
}  // namespace any_order

}  // namespace sortlab::cpu::fastest
