#include "common/tool/table_file.hpp"

#include <fmt/format.h>

#include <fstream>

#include "common/contract/errors.hpp"
#include "common/harness/record/output_file.hpp"
#include "common/harness/record/text_file.hpp"

namespace sortlab {
namespace {

/// Whether a file is absent or empty, or begins with this column.
bool is_free_for(const std::string& path, std::string_view first_column) {
  std::string begin(first_column.size() + 1, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  return file.gcount() <= 0 || begin == std::string(first_column) + ',';
}

}  // namespace

void require_place_for_table(const std::string& path, std::string_view first_column) {
  require_unpacked_name(path);
  require_writable(path);
  if (is_stdout(path) || !is_replaceable(path) || is_free_for(path, first_column)) return;
  throw BadInput(fmt::format(
      "{}: holds something other than a table of this command; it is left untouched", path));
}

}  // namespace sortlab
