// A folder for temporary files.
#pragma once

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace sortlab {

/// A folder that only this user can enter. The destructor removes it with its files.
class TemporaryFolder {
 public:
  /// Throws std::runtime_error when none can be made.
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "sortlab-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) {
      throw std::runtime_error(name + ": " + std::strerror(errno));
    }
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace sortlab
