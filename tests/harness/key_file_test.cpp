// The user's own keys: each format is read, and each error message names the file and the place.
#include "common/harness/input/key_file.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "common/contract/errors.hpp"

namespace sortlab {
namespace {

namespace fs = std::filesystem;

template <class... Ts>
std::string bytes_from(const Ts&... parts) {
  std::string bytes;
  (bytes.append(reinterpret_cast<const char*>(&parts), sizeof parts), ...);
  return bytes;
}

/// An .npy file as NumPy writes it: the header padded so that the keys begin at a multiple of 64.
std::string npy(const std::string& descr, const std::string& shape, const std::string& payload,
                int version = 1) {
  std::string header =
      fmt::format("{{'descr': {}, 'fortran_order': False, 'shape': {}, }}", descr, shape);
  const std::size_t prefix = version == 1 ? 10 : 12;
  header.append(63 - (prefix + header.size()) % 64, ' ');
  header += '\n';
  std::string file = "\x93NUMPY";
  file += bytes_from(static_cast<char>(version), '\0');
  file += version == 1 ? bytes_from(static_cast<std::uint16_t>(header.size()))
                       : bytes_from(static_cast<std::uint32_t>(header.size()));
  return file + header + payload;
}

class KeyFiles : public testing::Test {
 protected:
  // A folder for each test, since tests may run at the same time.
  KeyFiles()
      : folder_(fs::path(testing::TempDir()) /
                fmt::format("sortlab_key_file_{}",
                            testing::UnitTest::GetInstance()->current_test_info()->name())) {
    fs::create_directories(folder_);
  }
  ~KeyFiles() override { fs::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& content) const {
    const std::string path = folder_ / name;
    std::ofstream(path, std::ios::binary) << content;
    return path;
  }

  /// Expects one line that begins with the path and holds each of `parts`.
  static void expect_complaint(const std::string& path, const std::vector<std::string>& parts,
                               std::optional<KeyType> type = std::nullopt,
                               FileFormat format = FileFormat::automatic) {
    try {
      const KeyFile file = read_key_file(path, type, format);
      FAIL() << path << " was read as " << file.count << " keys " << name_of(file.type);
    } catch (const BadInput& complaint) {
      const std::string line = complaint.what();
      EXPECT_EQ(line.find(path + ": "), 0u) << line;
      EXPECT_EQ(line.find('\n'), std::string::npos) << line;
      for (const auto& part : parts) EXPECT_NE(line.find(part), std::string::npos) << line;
    }
  }

  fs::path folder_;
};

template <class Key>
void expect_keys(const KeyFile& file, const std::vector<Key>& expected) {
  ASSERT_EQ(file.type, key_type_of<Key>());
  ASSERT_EQ(file.count, expected.size());
  const auto keys = file.keys<Key>();
  EXPECT_EQ(std::memcmp(keys.data(), expected.data(), keys.size_bytes()), 0);
}

// ---- NumPy ----

TEST_F(KeyFiles, NpyOfEachType) {
  expect_keys<std::uint32_t>(
      read_key_file(write("a.npy", npy("'<u4'", "(2,)", bytes_from(1u, ~0u))), std::nullopt),
      {1u, ~0u});
  expect_keys<std::int32_t>(
      read_key_file(write("b.npy", npy("'<i4'", "(2,)", bytes_from(-1, 5))), std::nullopt),
      {-1, 5});
  expect_keys<std::uint64_t>(
      read_key_file(write("c.npy", npy("'<u8'", "(1,)", bytes_from(~std::uint64_t{0}))),
                    std::nullopt),
      {~std::uint64_t{0}});
  expect_keys<std::int64_t>(
      read_key_file(write("d.npy", npy("'<i8'", "(1,)", bytes_from(std::int64_t{-7}))),
                    std::nullopt),
      {-7});
  expect_keys<float>(
      read_key_file(write("e.npy", npy("'<f4'", "(2,)", bytes_from(-0.0f, 1.5f))), std::nullopt),
      {-0.0f, 1.5f});
  expect_keys<double>(
      read_key_file(write("f.npy", npy("'<f8'", "(1,)", bytes_from(0.1))), KeyType::f64), {0.1});
}

TEST_F(KeyFiles, NpyOfEachVersion) {
  for (const int version : {1, 2, 3}) {
    expect_keys<std::int32_t>(
        read_key_file(write("v.npy", npy("'<i4'", "(3,)", bytes_from(3, 1, 2), version)),
                      std::nullopt),
        {3, 1, 2});
  }
  expect_complaint(write("v4.npy", npy("'<i4'", "(1,)", bytes_from(3), 4)),
                   {"version 4", "byte 6"});
}

TEST_F(KeyFiles, NpyIsKnownByItsMagic) {
  expect_keys<std::int32_t>(
      read_key_file(write("keys.bin", npy("'<i4'", "(1,)", bytes_from(3))), std::nullopt), {3});
}

TEST_F(KeyFiles, NpyOfWrongTypeOrShape) {
  expect_complaint(write("i2.npy", npy("'<i2'", "(2,)", bytes_from(1))), {"'<i2'", "byte 10"});
  expect_complaint(write("big.npy", npy("'>i4'", "(1,)", bytes_from(1))), {"'>i4'", "byte 10"});
  expect_complaint(
      write("pairs.npy", npy("[('a', '<i4'), ('b', '<f4')]", "(1,)", bytes_from(1, 2))),
      {"[('a', '<i4'), ('b', '<f4')]"});
  expect_complaint(write("2d.npy", npy("'<i4'", "(1, 2)", bytes_from(1, 2))),
                   {"(1, 2)", "byte 10"});
  expect_complaint(write("0d.npy", npy("'<i4'", "()", bytes_from(1))), {"shape ()"});
  expect_complaint(write("none.npy", npy("'<i4'", "(0,)", "")), {"no keys", "byte 128"});
  expect_complaint(write("u4.npy", npy("'<u4'", "(1,)", bytes_from(1))), {"holds u32", "not f32"},
                   KeyType::f32);
}

TEST_F(KeyFiles, NpyTruncatedAnywhere) {
  const std::string whole = npy("'<u4'", "(2,)", bytes_from(1, 2));
  for (std::size_t size = 1; size < whole.size(); ++size) {
    expect_complaint(write("cut.npy", whole.substr(0, size)), {"byte"});
  }
  expect_complaint(write("cut.npy", whole.substr(0, whole.size() - 1)),
                   {fmt::format("truncated at byte {}", whole.size() - 1), "2 u32 keys"});
  expect_complaint(write("long.npy", whole + "x"),
                   {"1 bytes too many", fmt::format("byte {}", whole.size())});
  expect_complaint(write("huge.npy", npy("'<u8'", "(18446744073709551615,)", bytes_from(1, 2))),
                   {"truncated"});
}

TEST_F(KeyFiles, NpyWithAMalformedHeader) {
  expect_complaint(write("text.npy", "1\n2\n"), {"magic", "byte 0"});
  std::string file = npy("'<u4'", "(1,)", bytes_from(1));
  file.replace(file.find("descr"), 5, "xxxxx");
  expect_complaint(write("nodescr.npy", file), {"malformed", "byte 10"});
}

// ---- SOSD ----

TEST_F(KeyFiles, SosdOfBothWidths) {
  const auto u32 = bytes_from(std::uint64_t{3}, 7u, 5u, ~0u);
  const auto u64 = bytes_from(std::uint64_t{2}, std::uint64_t{1} << 40, std::uint64_t{9});
  expect_keys<std::uint32_t>(read_key_file(write("books_uint32", u32), std::nullopt), {7, 5, ~0u});
  expect_keys<std::uint64_t>(read_key_file(write("osm_uint64", u64), KeyType::u64),
                             {std::uint64_t{1} << 40, 9});
  expect_complaint(write("osm_uint64", u64), {"holds u64", "not u32", "byte 8"}, KeyType::u32);
}

TEST_F(KeyFiles, SosdTruncated) {
  const auto whole = bytes_from(std::uint64_t{3}, 7u, 5u, ~0u);
  for (std::size_t size = 1; size < whole.size(); ++size) {
    expect_complaint(write("cut", whole.substr(0, size)), {"byte"}, std::nullopt, FileFormat::sosd);
  }
  expect_complaint(write("cut", whole.substr(0, 16)), {"count at byte 0 is 3", "8 bytes"},
                   std::nullopt, FileFormat::sosd);
  expect_complaint(write("none", bytes_from(std::uint64_t{0})), {"no keys", "byte 8"});
}

// ---- Raw ----

TEST_F(KeyFiles, RawNeedsItsType) {
  const auto content = bytes_from(1.5f, -2.0f);
  expect_keys<float>(read_key_file(write("keys.raw", content), KeyType::f32), {1.5f, -2.0f});
  expect_complaint(write("keys.raw", content), {"type", "byte 0"});
  expect_complaint(write("keys.raw", content + "xyz"), {"truncated at byte 11", "3 of 4 bytes"},
                   KeyType::f32);
}

// ---- Text ----

TEST_F(KeyFiles, TextTypeIsFoundFromTheNumbers) {
  expect_keys<std::int64_t>(read_key_file(write("i.txt", "3\n-1\n2\n"), std::nullopt), {3, -1, 2});
  expect_keys<std::uint64_t>(
      read_key_file(write("u.txt", "3\n18446744073709551615\n"), std::nullopt),
      {3, ~std::uint64_t{0}});
  expect_keys<double>(read_key_file(write("f.txt", "3\n0.5\n1e300\n-inf\n"), std::nullopt),
                      {3, 0.5, 1e300, -std::numeric_limits<double>::infinity()});
  expect_keys<double>(read_key_file(write("mixed.txt", "-3\n18446744073709551615\n"), std::nullopt),
                      {-3, 18446744073709551615.0});
}

TEST_F(KeyFiles, TextOfAGivenType) {
  expect_keys<std::uint32_t>(read_key_file(write("t.txt", "3\n1\n"), KeyType::u32), {3, 1});
  expect_keys<float>(read_key_file(write("t.txt", "3\n0.1\n"), KeyType::f32), {3, 0.1f});
}

TEST_F(KeyFiles, TextSpaceLineEndsAndSigns) {
  expect_keys<std::int64_t>(
      read_key_file(write("s.txt", "  3\r\n\t+4 \r\n-5\r\n\r\n \n"), std::nullopt), {3, 4, -5});
  expect_keys<std::int64_t>(read_key_file(write("no_end.csv", "3\n4"), std::nullopt), {3, 4});
  expect_keys<std::int64_t>(read_key_file(write("bom.txt",
                                                "\xef\xbb\xbf"
                                                "3\n"),
                                          std::nullopt),
                            {3});
}

TEST_F(KeyFiles, TextIsKnownByItsLook) {
  expect_keys<std::int64_t>(read_key_file(write("keys", "3\n4\n"), std::nullopt), {3, 4});
}

TEST_F(KeyFiles, TextLineThatIsNoNumber) {
  expect_complaint(write("t.txt", "1\n2\nthree\n4\n"), {"line 3", "'three'", "not a number"});
  expect_complaint(write("t.txt", "1\n2 3\n"), {"line 2", "'2 3'"});
  expect_complaint(write("t.txt", "1\n0x10\n"), {"line 2", "'0x10'"});
  expect_complaint(write("t.txt", "1\n+-2\n"), {"line 2", "'+-2'"});
  expect_complaint(write("t.txt", "1\n\n2\n"), {"line 2", "blank"});
  expect_complaint(write("t.txt", "size\n1\n"), {"line 1", "'size'"});
  expect_complaint(write("t.txt", "1\n2.5\n"), {"line 2", "'2.5'", "i32"}, KeyType::i32);
  expect_complaint(write("t.txt", "1\n-2\n"), {"line 2", "'-2'", "u32"}, KeyType::u32);
  expect_complaint(write("t.txt", std::string("1\n\x01\x02\n", 5)), {"line 2", "'?\?'"});
}

TEST_F(KeyFiles, TextLineThatDoesNotFit) {
  expect_complaint(write("t.txt", "1\n4294967296\n"), {"line 2", "'4294967296'", "fit u32"},
                   KeyType::u32);
  expect_complaint(write("t.txt", "-2147483649\n"), {"line 1", "fit i32"}, KeyType::i32);
  expect_complaint(write("t.txt", "1\n1e39\n"), {"line 2", "fit f32"}, KeyType::f32);
  expect_complaint(write("t.txt", "1e999\n"), {"line 1", "fit f64"});
}

TEST_F(KeyFiles, TextWithoutNumbers) {
  expect_complaint(write("t.txt", "\n\n"), {"no number", "line 1"});
}

// ---- Any format ----

TEST_F(KeyFiles, MissingFolderAndEmpty) {
  expect_complaint(folder_ / "missing.npy", {"No such file"});
  expect_complaint(folder_, {"folder"});
  expect_complaint(write("empty.txt", ""), {"empty", "byte 0"});
}

TEST_F(KeyFiles, UnknownFormatAsksForItsName) {
  expect_complaint(write("keys", std::string("\x00\x01\x02\x03\xff\xfe\xfd\xfc\x01", 9)),
                   {"byte 0", "npy, sosd, raw or text"});
}

TEST_F(KeyFiles, NameIsTheLastPartOfThePath) {
  const KeyFile file = read_key_file(write("sizes.txt", "1\n"), std::nullopt);
  EXPECT_EQ(file.name, "sizes.txt");
  EXPECT_EQ(file.path, folder_ / "sizes.txt");
}

TEST_F(KeyFiles, ContentHashIsOfTheKeysAndTheirType) {
  const auto hash = [&](const std::string& text, KeyType type) {
    return read_key_file(write("h.txt", text), type).content_hash;
  };
  EXPECT_EQ(hash("1\n2\n", KeyType::i32), hash(" 1\r\n2", KeyType::i32));
  EXPECT_EQ(hash("1\n2\n", KeyType::u32),
            read_key_file(write("h.npy", npy("'<u4'", "(2,)", bytes_from(1, 2))), std::nullopt)
                .content_hash);
  EXPECT_NE(hash("1\n2\n", KeyType::i32), hash("2\n1\n", KeyType::i32));
  EXPECT_NE(hash("1\n2\n", KeyType::i32), hash("1\n2\n", KeyType::u32));
  EXPECT_NE(hash("0\n", KeyType::i32), hash("0\n0\n", KeyType::i32));
}

}  // namespace
}  // namespace sortlab
