// Reading what a user names as a file, to its end.
#pragma once

#include <string>

namespace sortlab {

/// All bytes of a regular file or a pipe. Throws BadInput, which names `path`, for anything else (a
/// device may never end), for a pipe without a writer, for more than 1 GiB and for what can't be read.
std::string read_file(const std::string& path);

/// For a file that is read more than once: throws BadInput for a pipe, which would be empty or waited for
/// the second time.
void require_no_pipe(const std::string& path);

}  // namespace sortlab
