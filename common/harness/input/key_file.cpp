// One reader per format. Each reads an open file and returns its type and the bytes of its keys.
//
// Formats: numpy.lib.format, "NPY format" (versions 1 to 3); SOSD: Kipf et al., "SOSD: A Benchmark
// for Learned Indexes", 2019 (its data files are a 64-bit count and the keys).
#include "common/harness/input/key_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <new>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>

#include "common/contract/usable_cpus.hpp"
#include "common/harness/bad_input.hpp"
#include "common/harness/input/random.hpp"
#include "common/harness/machine/cpu_share.hpp"
#include "common/threads/team.hpp"

static_assert(std::endian::native == std::endian::little, "key files are read as they lie");

namespace sortlab {
namespace {

namespace fs = std::filesystem;
using u64 = std::uint64_t;

constexpr std::string_view kNpyMagic = "\x93NUMPY";
constexpr u64 kSosdHeader = sizeof(u64);

struct Keys {
  KeyType type;
  std::vector<std::byte> bytes;
};

/// A file open for reading, with its path for error messages and its size for checks.
class Source {
 public:
  explicit Source(const std::string& path) : path_(path) {
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (!fs::exists(status)) throw complaint("{}", error.message());
    if (fs::is_directory(status)) throw complaint("is a folder, not a file of keys");
    if (!fs::is_regular_file(status)) throw complaint("is not a regular file");
    size_ = fs::file_size(path, error);
    if (error) throw complaint("{}", error.message());
    stream_.open(path, std::ios::binary);
    if (!stream_) throw complaint("{}", std::strerror(errno));
    if (size_ == 0) throw complaint("is empty (byte 0)");
  }

  template <class... Args>
  BadInput complaint(fmt::format_string<Args...> what, Args&&... args) const {
    return bad_input("{}: {}", path_, fmt::format(what, std::forward<Args>(args)...));
  }

  u64 size() const { return size_; }

  /// Bytes `offset` to `offset + count`; the caller has checked that the file is that long.
  template <class Buffer>
  Buffer read(u64 offset, u64 count) {
    Buffer buffer(count, typename Buffer::value_type{});
    stream_.seekg(static_cast<std::streamoff>(offset));
    stream_.read(reinterpret_cast<char*>(buffer.data()), static_cast<std::streamsize>(count));
    if (static_cast<u64>(stream_.gcount()) != count) {
      throw complaint("could not be read beyond byte {}", offset + stream_.gcount());
    }
    return buffer;
  }

  /// An unsigned integer of `width` bytes at `offset`.
  u64 read_integer(u64 offset, u64 width) {
    const auto digits = read<std::string>(offset, width);
    u64 value = 0;
    std::memcpy(&value, digits.data(), width);
    return value;
  }

  /// The first `count` bytes, or fewer where the file ends before.
  std::string head(u64 count) { return read<std::string>(0, std::min(count, size_)); }

 private:
  std::string path_;
  u64 size_ = 0;
  std::ifstream stream_;
};

/// Reads `count` keys, which must fill the file from `offset` to its end.
Keys read_payload(Source& source, KeyType type, u64 offset, u64 count) {
  const u64 there = source.size() - offset;
  const u64 width = bytes_of(type);
  if (count == 0) throw source.complaint("holds no keys (byte {})", offset);
  if (count > there / width) {
    throw source.complaint("truncated at byte {}: {} {} keys should follow byte {}, {} are whole",
                           source.size(), count, name_of(type), offset, there / width);
  }
  if (const u64 end = offset + count * width; end != source.size()) {
    throw source.complaint("{} bytes too many from byte {} on, after {} {} keys",
                           source.size() - end, end, count, name_of(type));
  }
  return {type, source.read<std::vector<std::byte>>(offset, there)};
}

/// Refuses the user's type if the file has a different one.
void expect_type(const Source& source, std::optional<KeyType> given, KeyType found, u64 offset) {
  if (given && *given != found) {
    throw source.complaint("holds {} keys (byte {}), not {}", name_of(found), offset,
                           name_of(*given));
  }
}

// ---- NumPy ----
//
//   magic "\x93NUMPY" | major | minor | header length | header                              | keys
//   6 bytes             1       1       2 (v1) or 4     {'descr': '<u4', 'shape': (7,), ...}

/// The text of `field`'s value in the header, a literal of Python; "" where the field is missing.
std::string_view npy_field(std::string_view header, std::string_view field) {
  const std::string quoted = fmt::format("'{}':", field);
  const auto at = header.find(quoted);
  if (at == std::string_view::npos) return "";
  std::string_view rest = header.substr(at + quoted.size());
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  // A tuple or a list ends with its bracket, anything else with a comma.
  std::size_t depth = 0;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const char c = rest[i];
    if (c == '(' || c == '[') ++depth;
    if ((c == ')' || c == ']') && --depth == 0) return rest.substr(0, i + 1);
    if ((c == ',' || c == '}') && depth == 0) return rest.substr(0, i);
  }
  return "";
}

std::optional<KeyType> npy_type(std::string_view descr) {
  for (const KeyType type : kKeyTypes) {
    const char kind = "uif"[static_cast<int>(number_kind(type))];
    if (descr == fmt::format("'<{}{}'", kind, bytes_of(type))) return type;
  }
  return std::nullopt;
}

/// The n of a shape "(n,)".
std::optional<u64> npy_count(std::string_view shape) {
  u64 n = 0;
  const char* end = shape.data() + shape.size();
  if (shape.empty()) return std::nullopt;
  const auto [stop, error] = std::from_chars(shape.data() + 1, end, n);
  if (error != std::errc{} || std::string_view(stop, end) != ",)") return std::nullopt;
  return n;
}

Keys read_npy(Source& source, std::optional<KeyType> type) {
  constexpr u64 kLengthAt = 8;
  if (source.head(kNpyMagic.size()) != kNpyMagic) {
    throw source.complaint("no NumPy file: its magic is missing at byte 0");
  }
  if (source.size() < kLengthAt + 4) {
    throw source.complaint("truncated NumPy header at byte {}", source.size());
  }
  const u64 major = source.read_integer(6, 1);
  if (major < 1 || major > 3) {
    throw source.complaint("NumPy format version {} at byte 6, not one of 1 to 3", major);
  }
  const u64 width = major == 1 ? 2 : 4;
  const u64 header_at = kLengthAt + width;
  const u64 length = source.read_integer(kLengthAt, width);
  if (length > source.size() - header_at) {
    throw source.complaint("truncated NumPy header at byte {}", source.size());
  }
  const auto header = source.read<std::string>(header_at, length);
  const std::string_view descr = npy_field(header, "descr");
  const std::string_view shape = npy_field(header, "shape");
  if (descr.empty() || shape.empty()) {
    throw source.complaint("malformed NumPy header at byte {}: no dtype or no shape", header_at);
  }
  const auto found = npy_type(descr);
  if (!found) {
    throw source.complaint(
        "NumPy dtype {} in the header at byte {}, not one of '<u4' '<i4' '<u8' '<i8' '<f4' '<f8'",
        descr, header_at);
  }
  const auto count = npy_count(shape);
  if (!count) {
    throw source.complaint("NumPy shape {} in the header at byte {}, not one dimension (n,)", shape,
                           header_at);
  }
  expect_type(source, type, *found, header_at);
  return read_payload(source, *found, header_at + length, *count);
}

// ---- SOSD ----

/// The type whose keys fill the file just as its count says.
std::optional<KeyType> sosd_type(Source& source) {
  if (source.size() < kSosdHeader) return std::nullopt;
  const u64 count = source.read_integer(0, kSosdHeader);
  const u64 payload = source.size() - kSosdHeader;
  for (const KeyType type : {KeyType::u32, KeyType::u64}) {
    if (payload % bytes_of(type) == 0 && payload / bytes_of(type) == count) return type;
  }
  return std::nullopt;
}

Keys read_sosd(Source& source, std::optional<KeyType> type) {
  if (source.size() < kSosdHeader) {
    throw source.complaint("truncated at byte {}: an SOSD file begins with a count of 8 bytes",
                           source.size());
  }
  const u64 count = source.read_integer(0, kSosdHeader);
  const auto found = sosd_type(source);
  if (!found) {
    throw source.complaint(
        "no SOSD file, or truncated: its count at byte 0 is {}, and the {} bytes from "
        "byte 8 on are neither 4 nor 8 times that",
        count, source.size() - kSosdHeader);
  }
  if (count != 0) expect_type(source, type, *found, kSosdHeader);
  return read_payload(source, *found, kSosdHeader, count);
}

// ---- Raw ----

Keys read_raw(Source& source, std::optional<KeyType> type) {
  if (!type) throw source.complaint("raw keys need their type named (byte 0)");
  if (const u64 rest = source.size() % bytes_of(*type); rest != 0) {
    throw source.complaint("truncated at byte {}: the last {} key has {} of {} bytes",
                           source.size(), name_of(*type), rest, bytes_of(*type));
  }
  return read_payload(source, *type, 0, source.size() / bytes_of(*type));
}

// ---- Text ----

constexpr std::string_view kWhite = " \t\r\n\v\f";

constexpr bool is_printable(char c) { return c >= ' ' && c <= '~'; }

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(kWhite);
  if (first == std::string_view::npos) return "";
  return text.substr(first, text.find_last_not_of(kWhite) - first + 1);
}

struct BadLine {
  u64 number;
  std::string_view text;
  bool overflows;
};

/// Reads a whole word as one number. std::from_chars alone refuses a leading '+'.
template <class Key>
std::errc parse_key(std::string_view word, Key& key) {
  if (word.size() > 1 && word[0] == '+' && word[1] != '-') word.remove_prefix(1);
  const char* end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, key);
  if (error == std::errc{} && stop != end) return std::errc::invalid_argument;
  return error;
}

template <class Key>
std::variant<Keys, BadLine> parse_lines(std::string_view text) {
  std::vector<std::byte> bytes;
  for (u64 number = 1; !text.empty(); ++number) {
    const auto line_end = text.find('\n');
    const std::string_view word = trimmed(text.substr(0, line_end));
    Key key{};
    const std::errc error = parse_key(word, key);
    if (error != std::errc{}) {
      return BadLine{number, word, error == std::errc::result_out_of_range};
    }
    const auto* key_bytes = reinterpret_cast<const std::byte*>(&key);
    bytes.insert(bytes.end(), key_bytes, key_bytes + sizeof key);
    text.remove_prefix(line_end == std::string_view::npos ? text.size() : line_end + 1);
  }
  return Keys{key_type_of<Key>(), std::move(bytes)};
}

/// The error message for a line. It shows only the line's beginning, because a binary file may be
/// one long line.
std::string describe(const BadLine& line, KeyType type, bool type_was_given) {
  if (line.text.empty()) return fmt::format("line {} is blank", line.number);
  constexpr std::size_t kShown = 40;
  std::string shown(line.text.substr(0, kShown));
  std::replace_if(
      shown.begin(), shown.end(), [](char c) { return !is_printable(c); }, '?');
  const std::string start = fmt::format("line {}: '{}'", line.number, shown);
  if (line.overflows) return fmt::format("{} does not fit {}", start, name_of(type));
  if (type_was_given) return fmt::format("{} is no {} number", start, name_of(type));
  return start + " is not a number";
}

Keys read_text(Source& source, std::optional<KeyType> type) {
  const auto content = source.read<std::string>(0, source.size());
  std::string_view text = content;
  if (constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
      text.starts_with(kByteOrderMark)) {
    text.remove_prefix(kByteOrderMark.size());
  }
  text = text.substr(0, text.find_last_not_of(kWhite) + 1);
  if (text.empty()) throw source.complaint("holds no number (line 1)");

  const std::vector<KeyType> candidates =
      type ? std::vector{*type} : std::vector{KeyType::i64, KeyType::u64, KeyType::f64};
  BadLine bad{};
  for (const KeyType candidate : candidates) {
    auto parsed =
        visit_key_type(candidate, [&](auto key) { return parse_lines<decltype(key)>(text); });
    if (auto* keys = std::get_if<Keys>(&parsed)) return std::move(*keys);
    bad = std::get<BadLine>(parsed);
  }
  throw source.complaint("{}", describe(bad, candidates.back(), type.has_value()));
}

// ---- Which format ----

bool looks_like_text(Source& source) {
  constexpr u64 kHead = 4096;
  const std::string head = source.head(kHead);
  return std::all_of(head.begin(), head.end(), [](char c) {
    return is_printable(c) || kWhite.find(c) != std::string_view::npos;
  });
}

FileFormat detect(Source& source, const fs::path& path) {
  if (source.head(kNpyMagic.size()) == kNpyMagic) return FileFormat::npy;
  constexpr std::pair<std::string_view, FileFormat> kEndings[] = {
      {".npy", FileFormat::npy},   {".txt", FileFormat::text}, {".csv", FileFormat::text},
      {".text", FileFormat::text}, {".log", FileFormat::text}, {".raw", FileFormat::raw},
      {".bin", FileFormat::raw}};
  for (const auto& [ending, format] : kEndings) {
    if (path.extension() == ending) return format;
  }
  if (sosd_type(source)) return FileFormat::sosd;
  if (looks_like_text(source)) return FileFormat::text;
  throw source.complaint(
      "its format can't be recognised (byte 0): --input-format npy, sosd, raw or text");
}

Keys read_keys(Source& source, FileFormat format, std::optional<KeyType> type) {
  switch (format) {
    case FileFormat::npy:
      return read_npy(source, type);
    case FileFormat::sosd:
      return read_sosd(source, type);
    case FileFormat::raw:
      return read_raw(source, type);
    default:
      return read_text(source, type);
  }
}

/// A sum of words hashed with their places. It depends on their order, and any number of threads
/// can share the work.
u64 hash_keys(const Keys& keys) {
  const std::size_t words = keys.bytes.size() / sizeof(std::uint32_t);
  const std::byte* data = keys.bytes.data();
  std::atomic<u64> sum = 0;
  threads::for_each_chunk(words, usable_cpus(), [&](std::size_t first, std::size_t last) {
    u64 sum_of_chunk = 0;
    for (std::size_t i = first; i < last; ++i) {
      std::uint32_t word;
      std::memcpy(&word, data + i * sizeof word, sizeof word);
      sum_of_chunk += random_word(word, 0, u64{i});
    }
    sum += sum_of_chunk;
  });
  return mix_bits(sum + random_word(keys.bytes.size(), 1, static_cast<u64>(keys.type)));
}

}  // namespace

KeyFile read_key_file(const std::string& path, std::optional<KeyType> type, FileFormat format) {
  Source source(path);
  const auto too_large = [&] {
    return source.complaint("needs {:.1f} GiB of memory, more than there is",
                            static_cast<double>(source.size()) / (1 << 30));
  };
  if (source.size() > available_memory().bytes) throw too_large();
  try {
    if (format == FileFormat::automatic) format = detect(source, path);
    Keys keys = read_keys(source, format, type);
    const u64 hash = hash_keys(keys);
    return {path,
            fs::path(path).filename().string(),
            keys.type,
            keys.bytes.size() / bytes_of(keys.type),
            std::move(keys.bytes),
            hash};
  } catch (const std::bad_alloc&) {
    throw too_large();
  }
}

std::string dist_param_of(const KeyFile& file) {
  return fmt::format("{}@{:08x}", file.name, file.content_hash & 0xffffffffu);
}

}  // namespace sortlab
