#include "common/contract/isa.hpp"

#include <atomic>
#include <cstdlib>
#include <string>
#include <vector>

#include "common/contract/errors.hpp"

#ifdef SORTLAB_X86
  #include <cpuid.h>
#endif

namespace sortlab {
namespace {

#ifdef SORTLAB_X86
struct Registers {
  unsigned a = 0, b = 0, c = 0, d = 0;
};

Registers cpuid(unsigned leaf) {
  Registers r;
  __get_cpuid_count(leaf, 0, &r.a, &r.b, &r.c, &r.d);
  return r;
}

/// The register states that the operating system saves on a context switch.
unsigned xcr0() {
  unsigned low = 0, high = 0;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}

constexpr bool all_of(unsigned word, unsigned bits) { return (word & bits) == bits; }

Isa detect() {
  const Registers leaf1 = cpuid(1);
  constexpr unsigned kOsXsave = 1u << 27, kAvx = 1u << 28, kFma = 1u << 12, kPopcnt = 1u << 23;
  if (!all_of(leaf1.c, kOsXsave | kAvx | kFma | kPopcnt)) return Isa::scalar;

  constexpr unsigned kSseState = 1u << 1, kAvxState = 1u << 2, kAvx512State = 7u << 5;
  const unsigned saved = xcr0();
  const Registers leaf7 = cpuid(7);
  constexpr unsigned kBmi1 = 1u << 3, kAvx2 = 1u << 5, kBmi2 = 1u << 8;
  if (!all_of(saved, kSseState | kAvxState) || !all_of(leaf7.b, kBmi1 | kAvx2 | kBmi2)) {
    return Isa::scalar;
  }

  constexpr unsigned kAvx512 =
      (1u << 16) | (1u << 17) | (1u << 28) | (1u << 30) | (1u << 31);  // F DQ CD BW VL
  if (!all_of(saved, kAvx512State) || !all_of(leaf7.b, kAvx512)) return Isa::avx2;
  return Isa::avx512;
}
#else
Isa detect() { return kIsasOfBuild.back(); }
#endif

}  // namespace

Isa best_isa_of_cpu() {
  static constinit std::atomic<int> known = -1;  // CPUID is slow in a virtual machine
  int best = known.load(std::memory_order_relaxed);
  if (best < 0) known.store(best = static_cast<int>(detect()), std::memory_order_relaxed);
  return static_cast<Isa>(best);
}

std::optional<Isa> isa_from_name(std::string_view name) {
  for (int i = 0; i < kIsaCount; ++i) {
    if (name_of(static_cast<Isa>(i)) == name) return static_cast<Isa>(i);
  }
  return std::nullopt;
}

Isa usable_isa() {
  const Isa best = best_isa_of_cpu();
  const char* forced = std::getenv("SORTLAB_ISA");
  if (forced == nullptr || *forced == '\0') return best;
  const auto isa = isa_from_name(forced);
  if (!isa) {
    std::vector<std::string> known;
    for (const Isa some : kIsasOfBuild) known.emplace_back(name_of(some));
    throw unknown_name("instruction set in SORTLAB_ISA", forced, known);
  }
  if (!has_isa(best, *isa)) {
    throw BadInput("SORTLAB_ISA=" + std::string(forced) + ": this CPU has no such instructions, " +
                   "its best are " + std::string(name_of(best)));
  }
  return *isa;
}

Isa best_of(IsaSet set, Isa ceiling) {
  for (int i = kIsaCount - 1; i > 0; --i) {
    const auto isa = static_cast<Isa>(i);
    if (set.has(isa) && has_isa(ceiling, isa)) return isa;
  }
  return Isa::scalar;
}

}  // namespace sortlab
