// Plug-ins that were compiled against version 1 of the interface.
//
// Its structures are laid out as its header had them. A sort had one function for all of its types,
// one set of traits, values of 4 bytes, no state, and a workspace that could not fail.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "common/harness/plugin/code.hpp"
#include "common/harness/plugin/description.hpp"

namespace sortlab {
namespace version_1 {

struct Job {
  std::uint32_t key_type;  // as today
  std::int32_t descending;
  std::size_t n;
  void* keys;
  std::uint32_t* values;
  void* alternate_keys;
  std::uint32_t* alternate_values;
  void* workspace;
  std::size_t workspace_bytes;
  std::int32_t threads;
  CUstream_st* stream;
  char* message;
  std::size_t message_bytes;
};

struct Sort {
  const char* name;
  const char* summary;
  std::uint32_t key_types;
  std::uint32_t traits;
  std::int32_t (*sort)(const Job* job);
  std::size_t (*workspace_bytes)(std::size_t n, std::size_t key_bytes, std::size_t value_bytes,
                                 std::int32_t threads);
};

struct Plugin {
  const char* name;
  const char* version;
  const Sort* sorts;
  std::size_t sort_count;
};

}  // namespace version_1

/// The plug-in's description of itself. Throws BadInput, with the reason, when it breaks a rule.
PluginDescription checked(const version_1::Plugin& plugin);

std::unique_ptr<PluginCode> code_of(const version_1::Sort& sort);

}  // namespace sortlab
