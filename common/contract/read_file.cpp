#include "common/contract/read_file.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "common/contract/errors.hpp"

namespace sortlab {
namespace {

/// Files of results are much smaller, and a pipe may never end.
constexpr std::size_t kMostBytes = std::size_t{1} << 30;

class OpenFile {
 public:
  /// Opens the file without waiting for a pipe's writer.
  explicit OpenFile(const std::string& path)
      : path_(path), descriptor_(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)) {
    if (descriptor_ < 0) fail();
  }
  ~OpenFile() { close(descriptor_); }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  /// For a pipe: waits a while for its writer and its first bytes.
  void wait_for_writer() const {
    constexpr int kPatience_ms = 1000;
    pollfd readable{descriptor_, POLLIN, 0};
    poll(&readable, 1, kPatience_ms);
  }

  /// The number of bytes read into `block`; 0 at the end, and for a pipe without a writer.
  std::size_t read(std::string& block) const {
    while (true) {
      const auto count = ::read(descriptor_, block.data(), block.size());
      if (count >= 0) return static_cast<std::size_t>(count);
      if (errno == EAGAIN) {
        pollfd readable{descriptor_, POLLIN, 0};
        poll(&readable, 1, -1);
      } else if (errno != EINTR) {
        fail();
      }
    }
  }

 private:
  [[noreturn]] void fail() const { throw BadInput(path_ + ": " + std::strerror(errno)); }

  std::string path_;
  int descriptor_;
};

}  // namespace

std::string read_file(const std::string& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) throw BadInput(path + ": " + error.message());
  if (std::filesystem::is_directory(status)) throw BadInput(path + ": is a folder");
  if (!std::filesystem::is_regular_file(status) && !std::filesystem::is_fifo(status)) {
    throw BadInput(path + ": neither a regular file nor a pipe");
  }
  const OpenFile file(path);
  const bool is_pipe = std::filesystem::is_fifo(status);
  if (is_pipe) file.wait_for_writer();
  std::string text;
  std::string block(std::size_t{1} << 16, '\0');
  while (const std::size_t count = file.read(block)) {
    text.append(block, 0, count);
    if (text.size() > kMostBytes) throw BadInput(path + ": longer than 1 GiB");
  }
  if (is_pipe && text.empty()) {
    throw BadInput(path + ": a pipe that holds nothing and that nobody writes to");
  }
  return text;
}

void require_no_pipe(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_fifo(path, error)) return;
  throw BadInput(path + ": is a pipe, and it is read more than once: save it as a file first");
}

}  // namespace sortlab
