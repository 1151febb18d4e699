// Reads a file that a user names, completely.
#pragma once

#include <string>

namespace sortlab {

/// All bytes of a regular file or a pipe. Throws BadInput, which names `path`, for anything else (a
/// device may never end), for a pipe without a writer, more than 1 GiB, and a file that can't be
/// read.
std::string read_file(const std::string& path);

/// For a file that is read more than once: throws BadInput for a pipe, because its second reading
/// would block or find nothing.
void require_no_pipe(const std::string& path);

}  // namespace sortlab
