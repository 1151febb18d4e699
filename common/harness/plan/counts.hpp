// Reads numbers, lists and values of parameters as users write them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/contract/variant.hpp"

namespace sortlab {

/// "a,b" -> "a", "b"; an empty text is one empty part.
std::vector<std::string_view> split(std::string_view text, char separator);

/// "16K" -> 16384, "1e6" -> 1000000, "1000". K, M, G are powers of 1024. Empty for any other text.
std::optional<std::size_t> count_in(std::string_view text);

/// The same. Throws BadInput for any other text.
std::size_t parse_count(std::string_view text);

/// The inverse where it is short: "16K", "1000".
std::string count_text(std::size_t n);

/// A value of --threads: a count from 1 to 4096, or "all" (the CPUs that may be used). Throws BadInput.
int parse_thread_count(std::string_view text);

/// "1K,3K..24K,1e6..8e6*2": values, and ranges that grow by doublings or by the factor given.
std::vector<std::size_t> parse_sizes(std::string_view text);

// --param: values for the parameters of variants.

using Assignments = std::map<std::string, std::int64_t, std::less<>>;

/// "a=1,b=2". Throws BadInput.
Assignments parse_assignments(const std::string& text);

/// Throws BadInput unless every parameter that is set belongs to one of the variants, and fits it.
void check_assignments(const Assignments& assignments, const std::vector<const Variant*>& variants);

/// "name=value;..." of all the variant's parameters: the values set, or else the defaults.
std::string params_text(const Variant& variant, const Assignments& assignments);

}  // namespace sortlab
