// Output files: whatever ends the program, and whenever, either all that was in the file is still there
// or all of the new text is.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace sortlab {

/// Puts `text` into the file in place of what it holds: the text is written into `path`.part-..., which then
/// takes the file's name, owner and permissions. Links are followed. What is no regular file (a device,
/// a pipe) and what is stdout already is written to as it is. Throws BadInput when the path can't be
/// opened for writing, and std::runtime_error when writing fails; then the file is as it was.
void write_file(const std::string& path, std::string_view text);

/// Throws what write_file() would throw for a path that can't be opened. Changes nothing.
void require_writable(const std::string& path);

/// Makes the folder that `path` is to lie in. Throws BadInput when it can't.
void make_folder_of(const std::string& path);

/// Whether `path` is a regular file, or nothing as yet: what write_file() replaces. Throws BadInput for
/// a folder, and for what can't be looked at.
bool is_replaceable(const std::string& path);

/// Whether `path` names the file or the pipe that stdout writes to.
bool is_stdout(const std::string& path);

/// Where a chain of links ends, whether there is something or not.
std::filesystem::path behind_links(std::filesystem::path path);

}  // namespace sortlab
