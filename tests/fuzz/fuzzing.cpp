#include "tests/fuzz/fuzzing.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "common/contract/read_file.hpp"
#include "common/harness/record/record.hpp"

namespace sortlab::fuzzing {
namespace {

struct OwnFolder {
  std::string path;
  OwnFolder() {
    const auto memory = std::filesystem::path("/dev/shm");
    const auto parent =
        access(memory.c_str(), W_OK) == 0 ? memory : std::filesystem::temp_directory_path();
    path = (parent / "sortlab-fuzz-XXXXXX").string();
    require(mkdtemp(path.data()) != nullptr, "mkdtemp: " + path);
  }
  ~OwnFolder() { std::filesystem::remove_all(path); }
  OwnFolder(const OwnFolder&) = delete;
  OwnFolder& operator=(const OwnFolder&) = delete;
};

std::string header_named(std::string_view name) {
  if (name == "samples") return join_csv_line(csv_columns());
  if (name == "breakdown") {
    std::string header = "schema_version,config_id";
    for (const auto& [column, value] : Config{}.columns()) header += ',' + column;
    return header + ",activity,launches_per_sort,ns_per_sort,share,revision";
  }
  if (name == "exhibits") {
    return "exhibit,source,table,row,column,unit,published,measured,ratio,status,reason,machine,"
           "revision";
  }
  return std::string(name);
}

}  // namespace

void require(bool is_so, const std::string& fault) {
  if (is_so) return;
  std::fprintf(stderr, "fault: %s\n", fault.c_str());
  std::abort();
}

const std::string& folder() {
  static const OwnFolder own;
  return own.path;
}

std::string write(const std::string& name, std::string_view text) {
  const std::string path = folder() + '/' + name;
  std::FILE* const file = std::fopen(path.c_str(), "we");
  require(file != nullptr, path + ": can't be written");
  const bool whole = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  require(std::fclose(file) == 0 && whole, path + ": can't be written");
  return path;
}

std::string read(const std::string& path) { return read_file(path); }

std::string with_header(std::string_view text) {
  const auto end = std::min(text.find('\n'), text.size());
  return header_named(text.substr(0, end)) + std::string(text.substr(end));
}

}  // namespace sortlab::fuzzing
