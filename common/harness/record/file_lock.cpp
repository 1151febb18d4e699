#include "common/harness/record/file_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "common/harness/bad_input.hpp"
#include "common/harness/record/output_file.hpp"

namespace sortlab {
namespace {

/// The previous holder may have removed the file between our opening and our locking it.
bool is_still_named(int descriptor, const std::string& name) {
  struct stat opened {
  }, named{};
  return fstat(descriptor, &opened) == 0 && stat(name.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

BadInput in_use(const std::string& path, const std::string& lock) {
  std::string holder;
  std::getline(std::ifstream(lock), holder);
  return bad_input("{}: another run is adding to it{}; wait for its end, or name another file",
                   path, holder.empty() ? "" : fmt::format(" (process {})", holder));
}

}  // namespace

FileLock::FileLock(const std::string& path) : name_(behind_links(path).string() + ".lock") {
  do {
    if (descriptor_ >= 0) close(descriptor_);
    descriptor_ = open(name_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (descriptor_ < 0) throw bad_input("{}: {}", path, std::strerror(errno));
    // On a file system without locks sortlab measures without one.
    if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      close(descriptor_);
      throw in_use(path, name_);
    }
  } while (!is_still_named(descriptor_, name_));
  std::ofstream(name_, std::ios::trunc) << getpid() << '\n';
}

FileLock::~FileLock() {
  unlink(name_.c_str());
  close(descriptor_);
}

}  // namespace sortlab
