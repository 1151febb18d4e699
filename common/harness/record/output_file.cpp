#include "common/harness/record/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <new>
#include <optional>
#include <random>
#include <string_view>
#include <utility>

#include "common/contract/read_file.hpp"
#include "common/harness/bad_input.hpp"

#ifdef SORTLAB_HAVE_LZMA
  #include <lzma.h>
#endif

namespace sortlab {
namespace {

constexpr std::string_view kEnding = ".xz";

#ifdef SORTLAB_HAVE_LZMA
std::string unpack(const std::string& path, const std::string& packed) {
  lzma_stream stream = LZMA_STREAM_INIT;
  if (lzma_stream_decoder(&stream, UINT64_MAX, LZMA_CONCATENATED) != LZMA_OK) {
    throw std::bad_alloc();
  }
  stream.next_in = reinterpret_cast<const std::uint8_t*>(packed.data());
  stream.avail_in = packed.size();
  std::string text;
  std::string block(1 << 20, '\0');
  lzma_ret state = LZMA_OK;
  while (state == LZMA_OK) {
    stream.next_out = reinterpret_cast<std::uint8_t*>(block.data());
    stream.avail_out = block.size();
    state = lzma_code(&stream, LZMA_FINISH);
    text.append(block, 0, block.size() - stream.avail_out);
  }
  lzma_end(&stream);
  if (state == LZMA_MEM_ERROR) throw std::bad_alloc();
  if (state != LZMA_STREAM_END) throw BadInput(path + ": not a whole xz file");
  return text;
}
#else
std::string unpack(const std::string& path, const std::string&) {
  throw bad_input(
      "{}: this build can't read .xz files: liblzma-dev was missing when it "
      "was configured. Unpack it first: xz -dk {}",
      path, path);
}
#endif

/// The text as sortlab writes it. Spreadsheets, Python's csv module and git on Windows end lines with CR LF (RFC 4180), and
/// some put a byte order mark in front.
std::string in_our_form(const std::string& path, std::string text) {
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) {
    throw BadInput(path + ": is UTF-16; save it as UTF-8");
  }
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\r' || i + 1 == text.size() || text[i + 1] != '\n') text[kept++] = text[i];
  }
  text.resize(kept);
  return text;
}

namespace fs = std::filesystem;

std::string last_error(const std::string& path) {
  return fmt::format("{}: {}", path, std::strerror(errno));
}

std::optional<struct stat> facts_of(const std::string& path) {
  struct stat facts {};
  return stat(path.c_str(), &facts) == 0 ? std::optional(facts) : std::nullopt;
}

/// A file open for writing, by its descriptor.
class OpenFile {
 public:
  OpenFile(std::string path, int flags, mode_t mode = 0) : path_(std::move(path)) {
    descriptor_ = open(path_.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY | flags, mode);
    if (descriptor_ < 0) throw BadInput(last_error(path_));
  }
  ~OpenFile() { close(descriptor_); }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  /// The owner is set first, because a change of owner clears permissions. A lack of permission
  /// (EPERM) is no error: only root may change owners, and some file systems have no permissions.
  void take_owner_and_permissions(const struct stat& from) {
    const auto went_wrong = [](int result) { return result != 0 && errno != EPERM; };
    if (went_wrong(fchown(descriptor_, from.st_uid, from.st_gid)) ||
        went_wrong(fchmod(descriptor_, from.st_mode & 07777u))) {
      fail();
    }
  }

  void write_all(std::string_view text) {
    while (!text.empty()) {
      const auto count = write(descriptor_, text.data(), text.size());
      if (count < 0 && errno != EINTR) fail();
      if (count > 0) text.remove_prefix(static_cast<std::size_t>(count));
    }
  }

  /// The text must be on the disk before the file gets its name.
  void flush_to_disk() {
    if (fsync(descriptor_) != 0) fail();
  }

 private:
  [[noreturn]] void fail() const { throw std::runtime_error(last_error(path_)); }

  std::string path_;
  int descriptor_;
};

/// A temporary file beside the target, which it will replace. Its name is unique, because two
/// programs may write the same file at once. The destructor removes it unless it has replaced the
/// target.
class Aside {
 public:
  explicit Aside(const std::string& path)
      : target_(behind_links(path)),
        old_(facts_of(target_)),
        part_(fmt::format("{}.part-{}-{:08x}", target_, getpid(), std::random_device{}())),
        file_(part_of_writable(), kNew, mode()) {}
  ~Aside() {
    if (!in_place_) unlink(part_.c_str());
  }
  Aside(const Aside&) = delete;
  Aside& operator=(const Aside&) = delete;

  void put_in_place(std::string_view text) {
    if (old_) file_.take_owner_and_permissions(*old_);
    file_.write_all(text);
    file_.flush_to_disk();
    in_place_ = rename(part_.c_str(), target_.c_str()) == 0;
    if (!in_place_) throw std::runtime_error(last_error(target_));
  }

 private:
  static constexpr int kNew = O_CREAT | O_EXCL;  // not an existing file or link

  std::string part_of_writable() const {
    const fs::path folder = fs::path(target_).parent_path();
    if (access(old_ ? target_.c_str() : folder.empty() ? "." : folder.c_str(), W_OK) != 0) {
      throw BadInput(last_error(target_));
    }
    if (old_ && is_kept_by_its_folder()) {
      throw BadInput(target_ +
                     ": is another user's, and only its owner can replace it in this folder");
    }
    return part_;
  }
  /// In a sticky folder such as /tmp only root and the owners of the file and of the folder may.
  bool is_kept_by_its_folder() const {
    const fs::path folder = fs::path(target_).parent_path();
    const auto facts = facts_of(folder.empty() ? "." : folder);
    const uid_t user = geteuid();
    return facts && (facts->st_mode & S_ISVTX) != 0 && user != 0 && user != old_->st_uid &&
           user != facts->st_uid;
  }
  mode_t mode() const { return old_ ? 0600 : 0666; }

  std::string target_;
  std::optional<struct stat> old_;
  std::string part_;
  OpenFile file_;
  bool in_place_ = false;
};

}  // namespace

bool is_packed(const std::string& path) { return path.ends_with(kEnding); }

std::string unpacked_name(const std::string& path) {
  return is_packed(path) ? path.substr(0, path.size() - kEnding.size()) : path;
}

std::string read_text(const std::string& path) try {
  std::string text = read_file(path);
  if (is_packed(path)) text = unpack(path, text);
  return in_our_form(path, std::move(text));
} catch (const std::bad_alloc&) {
  throw BadInput(path + ": needs more memory than this process may have");
}

void require_unpacked_name(const std::string& path) {
  if (!is_packed(path)) return;
  throw bad_input(
      "{}: .xz files are read, not written. Name {}, and pack it with xz "
      "once it is whole",
      path, unpacked_name(path));
}

void write_file(const std::string& path, std::string_view text) {
  if (is_stdout(path)) {
    std::fwrite(text.data(), 1, text.size(), stdout);
    if (std::fflush(stdout) != 0) throw std::runtime_error(last_error(path));
  } else if (is_replaceable(path)) {
    Aside(path).put_in_place(text);
  } else {
    OpenFile(path, 0).write_all(text);
  }
}

void require_writable(const std::string& path) {
  if (is_stdout(path)) return;
  if (is_replaceable(path)) {
    const Aside probe(path);
  } else if (access(path.c_str(), W_OK) != 0) {
    throw BadInput(last_error(path));
  }
}

bool begins_with(const std::string& path, std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";  // spreadsheets write one, and quotes
  std::string begin(kByteOrderMark.size() + 1 + text.size(), '\0');
  std::ifstream(path, std::ios::binary)
      .read(begin.data(), static_cast<std::streamsize>(begin.size()));
  std::string_view rest = begin;
  if (rest.starts_with(kByteOrderMark)) rest.remove_prefix(kByteOrderMark.size());
  if (rest.starts_with('"')) rest.remove_prefix(1);
  return rest.starts_with(text);
}

void require_place_for(const std::string& path, std::string_view begin, std::string_view what) {
  if (is_stdout(path) || !is_replaceable(path) || !fs::exists(path)) return;
  if (fs::file_size(path) == 0 || begins_with(path, begin)) return;
  throw bad_input("{}: holds something other than {}; it is left untouched", path, what);
}

void make_folder_of(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  std::error_code error;
  if (!folder.empty()) fs::create_directories(folder, error);
  if (error) throw bad_input("{}: {}", folder.string(), error.message());
}

bool is_replaceable(const std::string& path) {
  const auto facts = facts_of(path);
  if (!facts && errno != ENOENT) throw BadInput(last_error(path));
  if (facts && S_ISDIR(facts->st_mode)) throw BadInput(path + ": is a folder");
  return !facts || S_ISREG(facts->st_mode);
}

bool is_stdout(const std::string& path) {
  struct stat out {};
  const auto facts = facts_of(path);
  return facts && fstat(STDOUT_FILENO, &out) == 0 && !S_ISCHR(out.st_mode) &&
         facts->st_dev == out.st_dev && facts->st_ino == out.st_ino;
}

fs::path behind_links(fs::path path) {
  constexpr int kMostLinks = 40;  // Linux follows no more
  std::error_code none;
  for (int i = 0; i < kMostLinks && fs::is_symlink(path, none); ++i) {
    path = path.parent_path() / fs::read_symlink(path);
  }
  return path;
}

}  // namespace sortlab
