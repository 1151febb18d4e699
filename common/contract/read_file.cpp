#include "common/contract/read_file.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "common/contract/errors.hpp"

namespace sortlab {
namespace {

/// No file of ours is near this, and a pipe may never end.
constexpr std::size_t kMostBytes = std::size_t{1} << 30;

}  // namespace

std::string read_file(const std::string& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) throw BadInput(path + ": " + error.message());
  if (std::filesystem::is_directory(status)) throw BadInput(path + ": is a folder");
  if (!std::filesystem::is_regular_file(status) && !std::filesystem::is_fifo(status)) {
    throw BadInput(path + ": neither a regular file nor a pipe");
  }
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  if (!in) throw BadInput(path + ": " + std::strerror(errno));
  std::string text;
  std::string block(std::size_t{1} << 16, '\0');
  do {
    in.read(block.data(), static_cast<std::streamsize>(block.size()));
    text.append(block, 0, static_cast<std::size_t>(in.gcount()));
    if (text.size() > kMostBytes) throw BadInput(path + ": longer than 1 GiB");
  } while (in);
  if (in.bad()) throw BadInput(path + ": " + std::strerror(errno));
  return text;
}

void require_no_pipe(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_fifo(path, error)) return;
  throw BadInput(path + ": is a pipe, and it is read more than once: save it as a file first");
}

}  // namespace sortlab
