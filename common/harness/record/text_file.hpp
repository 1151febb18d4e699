// Reads whole text files. Stored results are packed: a file named *.xz is unpacked as it is read.
#pragma once

#include <string>

namespace sortlab {

/// Whether the name says that the file is packed: "radix.csv.xz".
bool is_packed(const std::string& path);

/// "radix.csv" for both "radix.csv" and "radix.csv.xz".
std::string unpacked_name(const std::string& path);

/// The text of a file, packed or not. Throws BadInput if it can't be read, if it is named *.xz and
/// is no complete xz file, or if this build has no liblzma.
std::string read_text(const std::string& path);

/// Throws BadInput if `path` has the name of a packed file. Packed files can only be read: rows are
/// appended one by one, and the xz format can't do that.
void require_unpacked_name(const std::string& path);

}  // namespace sortlab
