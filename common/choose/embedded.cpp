#include "common/choose/embedded.hpp"

#include <stdexcept>
#include <string>

namespace sortlab {

std::string_view embedded_file(std::string_view path) {
  for (const auto& file : embedded_files()) {
    if (file.path == path) return file.content;
  }
  throw std::out_of_range("this build embeds no file " + std::string(path));
}

}  // namespace sortlab
