// The memory that this process can still get.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string_view>

namespace sortlab {

struct AvailableMemory {
  std::size_t bytes;
  std::string_view limited_by;  // "" for the machine's own memory
};

/// The smallest of three amounts: the machine's free memory without swapping, the memory that the
/// control groups leave, and the addresses that `ulimit -v` leaves. `root` holds proc/ and sys/.
AvailableMemory available_memory(const std::filesystem::path& root = "/");

/// Whether `ulimit -v` limits the addresses of this process.
bool addresses_are_limited();

}  // namespace sortlab
