// Text files, read and written. Stored results are packed: a file named *.xz is unpacked as it is read. Output files are
// replaced as a whole: if the program ends at any moment, the file has either its complete old text or its complete new
// text.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

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

/// Replaces the content of the file by `text`: the text is written to `path`.part-..., which then
/// takes the file's name, owner and permissions. Links are followed. Devices, pipes and the file
/// that stdout writes to are written directly. Throws BadInput when the path can't be opened for
/// writing, and std::runtime_error when writing fails; then the file is as it was.
void write_file(const std::string& path, std::string_view text);

/// Throws the error of write_file() for a path that can't be opened. Changes nothing.
void require_writable(const std::string& path);

/// Whether the file begins with this text.
bool begins_with(const std::string& path, std::string_view text);

/// Throws BadInput if `path` is a file that is neither empty nor begins with `begin`, as `what` does, or if it is a
/// folder. Changes nothing.
void require_place_for(const std::string& path, std::string_view begin, std::string_view what);

/// Makes the folder of `path`. Throws BadInput when it can't.
void make_folder_of(const std::string& path);

/// Whether `path` is a regular file or does not exist yet, so that write_file() replaces it. Throws
/// BadInput for a folder, and for a path that can't be examined.
bool is_replaceable(const std::string& path);

/// Whether `path` names the file or the pipe that stdout writes to.
bool is_stdout(const std::string& path);

/// The end of a chain of links, whether that file exists or not.
std::filesystem::path behind_links(std::filesystem::path path);

}  // namespace sortlab
