// Facts about this build. CMake generates the definitions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sortlab {

extern const char* const kVersion;        // "0.1.0"
extern const char* const kSourceDir;      // of the checkout that this was built from
extern const char* const kGitRevision;    // at the time of the build; "unknown" outside a checkout
extern const bool kGitDirty;              // whether files differed from that revision
extern const char* const kCompiler;       // "GNU 12.2.0"
extern const char* const kCompilerFlags;  // as used for this build type
extern const char* const kBuildType;
extern const char* const kCudaCompiler;  // "NVIDIA 13.0.48", "" for a CPU-only build

/// A library that the suite can use, and how to install it when the build did not find it.
struct Dependency {
  std::string_view name;
  std::string_view version;  // "" when it was not found
  std::string_view used_for;
  std::string_view package;  // Debian's and Ubuntu's
};
const std::vector<Dependency>& dependencies();

}  // namespace sortlab
