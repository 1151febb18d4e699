// Which sorts and which of their configurations are run: filters, and why a configuration can't run or is not worth it.
//
// A filter is a glob over ids, or a group, which selects variants by their properties: "@auto" selects the sorts that
// choose and the candidates that they may choose; "cpu/@auto" and "gpu/@auto" select those of one side. A comparison
// with such a filter follows the code: it includes a new candidate without a change of the matrix file. It includes a
// candidate only for the types and the n for which it may be chosen.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "common/contract/variant.hpp"
#include "common/harness/config.hpp"

namespace sortlab {

/// Whether a filter, a glob or a group, names the variant.
bool names(const std::string& filter, const Variant& variant);

/// Whether the filters name the variant for these types and n. Without filters all are named.
bool any_names(const std::vector<std::string>& filters, const Variant& variant, KeyType type,
               std::size_t value_bytes, std::size_t n);

/// The facts about the user's file that decide which configurations can run.
struct FileFacts {
  std::size_t keys = 0;
  bool needs_total_order = false;  // it holds a NaN or -0
};

/// "" when the configuration is to be run. `file` counts for the user's own keys only.
std::string skip_reason(const Variant& variant, const Config& config, const FileFacts& file);

}  // namespace sortlab
