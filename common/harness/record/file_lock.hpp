// A file that only one program at a time may add to.
#pragma once

#include <string>

namespace sortlab {

/// Holds `path` for as long as it lives, by a lock on `path`.lock, a file that says whose it is. The system
/// gives the lock back when the program ends, however it ends; what a killed program leaves of the file
/// hinders nobody. `path` itself is not locked, since it is replaced when it is resumed.
class FileLock {
 public:
  /// Throws BadInput when another holds it, with its process id, and when the lock can't be written.
  explicit FileLock(const std::string& path);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  std::string name_;
  int descriptor_ = -1;
};

}  // namespace sortlab
