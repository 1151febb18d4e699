#include "common/contract/isa.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "common/contract/errors.hpp"

#ifdef SORTLAB_X86
  #include <cpuid.h>
#endif

namespace sortlab {
namespace {

#ifdef SORTLAB_X86
struct Feature {
  std::string_view name;  // the compilers'
  unsigned CpuFeatures::*word;
  int bit;
};
constexpr Feature kFeatures[] = {
    {"sse3", &CpuFeatures::leaf_1_ecx, 0},        {"ssse3", &CpuFeatures::leaf_1_ecx, 9},
    {"fma", &CpuFeatures::leaf_1_ecx, 12},        {"sse4.1", &CpuFeatures::leaf_1_ecx, 19},
    {"sse4.2", &CpuFeatures::leaf_1_ecx, 20},     {"popcnt", &CpuFeatures::leaf_1_ecx, 23},
    {"avx", &CpuFeatures::leaf_1_ecx, 28},        {"f16c", &CpuFeatures::leaf_1_ecx, 29},
    {"bmi", &CpuFeatures::leaf_7_ebx, 3},         {"avx2", &CpuFeatures::leaf_7_ebx, 5},
    {"bmi2", &CpuFeatures::leaf_7_ebx, 8},        {"avx512f", &CpuFeatures::leaf_7_ebx, 16},
    {"avx512dq", &CpuFeatures::leaf_7_ebx, 17},   {"avx512cd", &CpuFeatures::leaf_7_ebx, 28},
    {"avx512bw", &CpuFeatures::leaf_7_ebx, 30},   {"avx512vl", &CpuFeatures::leaf_7_ebx, 31},
    {"lzcnt", &CpuFeatures::leaf_80000001_ecx, 5}};

// Register states in XCR0.
constexpr unsigned kSse = 1u << 1, kAvx = 1u << 2, kAvx512 = 7u << 5;

/// The features with these names, which commas separate.
consteval CpuFeatures features_of(std::string_view names, unsigned register_states) {
  CpuFeatures features{.xcr0 = register_states};
  while (!names.empty()) {
    const std::string_view name = names.substr(0, names.find(','));
    names.remove_prefix(std::min(name.size() + 1, names.size()));
    const Feature* feature = kFeatures;
    while (feature->name != name) ++feature;  // beyond the last one: an error of compilation
    features.*feature->word |= 1u << feature->bit;
  }
  return features;
}

constexpr bool has_all(const CpuFeatures& cpu, const CpuFeatures& wanted) {
  const auto has = [&](unsigned CpuFeatures::*word) { return (wanted.*word & ~(cpu.*word)) == 0; };
  return has(&CpuFeatures::leaf_1_ecx) && has(&CpuFeatures::leaf_7_ebx) &&
         has(&CpuFeatures::leaf_80000001_ecx) && has(&CpuFeatures::xcr0);
}

CpuFeatures features_of_this_cpu() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  CpuFeatures cpu;
  if (__get_cpuid_count(1, 0, &a, &b, &c, &d) != 0) cpu.leaf_1_ecx = c;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) != 0) cpu.leaf_7_ebx = b;
  if (__get_cpuid_count(0x80000001, 0, &a, &b, &c, &d) != 0) cpu.leaf_80000001_ecx = c;
  constexpr unsigned kOsXsave = 1u << 27;
  if ((cpu.leaf_1_ecx & kOsXsave) != 0) asm volatile("xgetbv" : "=a"(cpu.xcr0), "=d"(d) : "c"(0));
  return cpu;
}

Isa detect() { return best_isa_of(features_of_this_cpu()); }
#else
Isa detect() { return kIsasOfBuild.back(); }
#endif

}  // namespace

#ifdef SORTLAB_X86
Isa best_isa_of(const CpuFeatures& cpu) {
  constexpr CpuFeatures kForAvx2 = features_of(SORTLAB_AVX2_FEATURES, kSse | kAvx);
  constexpr CpuFeatures kForAvx512 = features_of(SORTLAB_AVX512_FEATURES, kSse | kAvx | kAvx512);
  if (has_all(cpu, kForAvx512)) return Isa::avx512;
  return has_all(cpu, kForAvx2) ? Isa::avx2 : Isa::scalar;
}
#endif

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
