// A file that only one program at a time may add to.
#pragma once

#include <string>

namespace sortlab {

/// Reserves `path` for its lifetime by a lock on the file `path`.lock, which names the holder. The
/// system releases the lock whenever the program ends, so the lock file of a killed program does
/// not block others. `path` itself is not locked, because resuming replaces it.
class FileLock {
 public:
  /// Throws BadInput, with the process id, when another program holds it, and when the lock file
  /// can't be written.
  explicit FileLock(const std::string& path);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  std::string name_;
  int descriptor_ = -1;
};

}  // namespace sortlab
