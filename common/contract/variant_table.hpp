// The table of the variants that a program holds. CMake generates it from the files that it found.
//
// cmake/variants.cmake writes one table for each set of sorts that programs link. A variant that is
// in no table is not linked, and a table names each variant's function: nothing registers itself,
// and no linker can drop a variant unnoticed.
#pragma once

#include <span>
#include <string_view>

namespace sortlab {

struct Variant;

/// Describes a variant, as its file does. SORTLAB_REGISTER defines it.
using DescribeVariant = void (*)(Variant&);

/// A variant whose file exists but is not in this build.
struct LeftOutVariant {
  std::string_view id;
  std::string_view reason;
};

struct VariantTable {
  std::span<const DescribeVariant> variants;  // by id
  std::span<const LeftOutVariant> left_out;   // by id
};

/// The table of this program.
const VariantTable& variant_table();

}  // namespace sortlab
