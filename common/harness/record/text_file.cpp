#include "common/harness/record/text_file.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <new>
#include <string_view>
#include <utility>

#include "common/contract/errors.hpp"
#include "common/contract/read_file.hpp"

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
  throw BadInput(
      fmt::format("{}: this build can't read .xz files: liblzma-dev was missing when it "
                  "was configured. Unpack it first: xz -dk {}",
                  path, path));
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
  throw BadInput(
      fmt::format("{}: .xz files are read, not written. Name {}, and pack it with xz "
                  "once it is whole",
                  path, unpacked_name(path)));
}

}  // namespace sortlab
