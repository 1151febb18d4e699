// Files that travel inside of the program, so that it needs no source tree to work.
#pragma once

#include <string_view>
#include <vector>

namespace sortlab {

struct EmbeddedFile {
  std::string_view path;  // below the source tree's root: "bench/papers/goralija.json"
  std::string_view content;
};

/// All of them, by path.
const std::vector<EmbeddedFile>& embedded_files();

/// The content of one; throws std::out_of_range where the build embedded no such file.
std::string_view embedded_file(std::string_view path);

}  // namespace sortlab
