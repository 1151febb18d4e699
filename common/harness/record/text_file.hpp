// Whole text files. Results are kept packed: a file named *.xz is unpacked as it is read.
#pragma once

#include <string>

namespace sortlab {

/// Whether the name says that the file is packed: "radix.csv.xz".
bool is_packed(const std::string& path);

/// "radix.csv" for both "radix.csv" and "radix.csv.xz".
std::string unpacked_name(const std::string& path);

/// The text of a file, packed or not. Throws BadInput if it can't be read, if it is no whole xz
/// file though it is named so, or if this build has no liblzma.
std::string read_text(const std::string& path);

/// Throws BadInput if `path` is named as a packed file. Those are only read: rows are appended as
/// they are measured, which xz does not allow for.
void require_unpacked_name(const std::string& path);

}  // namespace sortlab
