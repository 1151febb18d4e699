// Reads numbers and lists as users write them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

}  // namespace sortlab
