// Files that are embedded in the program, so that it works without a source tree.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace sortlab {

struct EmbeddedFile {
  std::string_view path;  // below the source tree's root: "bench/papers/goralija.json"
  std::string_view content;
};

/// All of them, by path.
const std::vector<EmbeddedFile>& embedded_files();

/// The content of one file; throws std::out_of_range if the build embedded no such file.
inline std::string_view embedded_file(std::string_view path) {
  for (const auto& file : embedded_files()) {
    if (file.path == path) return file.content;
  }
  throw std::out_of_range("this build embeds no file " + std::string(path));
}

}  // namespace sortlab
