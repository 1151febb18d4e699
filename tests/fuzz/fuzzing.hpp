// The common part of the fuzzers: the definition of a fault, and files for the readers under test.
//
// A fuzzer is one file with libFuzzer's entry, LLVMFuzzerTestOneInput. Bad input must end in BadInput; a
// crash, a sanitizer's report and any other exception end the fuzzer, which keeps the input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "common/contract/errors.hpp"

namespace sortlab::fuzzing {

/// Ends the fuzzer with this line unless `is_so`.
void require(bool is_so, const std::string& fault);

/// This process's own folder, in memory if the system has such a place. It is removed at the end of
/// the process.
const std::string& folder();

/// Puts `text` into the file `name` of folder(). Returns its path.
std::string write(const std::string& name, std::string_view text);

std::string read(const std::string& path);

/// A CSV of the project: a first line "samples", "breakdown" or "exhibits" stands for today's header, so
/// that fuzzers change rows and not 500 bytes of names.
std::string with_header(std::string_view text);

/// Reads bad or good input. Returns whether it was good; if not, BadInput must have named `path`.
template <class Read>
bool accepts(const std::string& path, Read read) {
  try {
    read();
    return true;
  } catch (const BadInput& error) {
    const std::string_view line = error.what();
    require(line.find(path) != line.npos, "no file name in: " + std::string(line));
    return false;
  }
}

/// The bytes from libFuzzer, as text.
inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

}  // namespace sortlab::fuzzing
