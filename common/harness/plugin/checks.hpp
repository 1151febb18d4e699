// The rules for the description of a plug-in, in all versions of the interface. Each function
// throws BadInput, with the reason, if a description breaks a rule.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "common/harness/plugin/description.hpp"

namespace sortlab {

/// A name becomes a part of ids, so it must not hold commas or characters of globs. `whose` begins
/// the message.
std::string checked_name(std::string_view whose, const char* text);

/// One line of UTF-8; "" for a null pointer.
std::string checked_line(std::string_view what, const char* text);

/// A description without sorts yet; `count` is how many there will be, 0 for a null pointer to them.
PluginDescription begin_description(const char* name, const char* version, std::size_t count);

/// Adds a sort, whose name must be new.
void add_sort(PluginDescription& description, PluginSortFacts sort);

/// Checks that `bits` are some of `known`: "<sort> has no key types (0x0)", "... unknown key types
/// (0x40)".
void check_bits(const std::string& sort, std::string_view what, std::uint32_t bits,
                std::uint32_t known, bool none_will_do);

}  // namespace sortlab
