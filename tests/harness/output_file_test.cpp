// The files that write_file() replaces, those that it writes directly, and those that it leaves
// unchanged.
#include "common/harness/record/output_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "common/contract/errors.hpp"
#include "tests/temporary_file.hpp"

namespace sortlab {
namespace {

namespace fs = std::filesystem;
using Fields = std::vector<std::string>;

class OutputFile : public TemporaryFolder {
 protected:
  static mode_t mode_of(const std::string& file) {
    struct stat facts {};
    return stat(file.c_str(), &facts) == 0 ? facts.st_mode & 07777u : 0;
  }
};

TEST_F(OutputFile, IsReplacedAsAWhole) {
  const std::string file = write("a", "a long old text");
  fs::create_hard_link(file, path("old"));
  write_file(file, "new");
  EXPECT_EQ(read(file), "new");
  EXPECT_EQ(read(path("old")), "a long old text") << "the old file was not written into";
  write_file(path("b"), "first");
  EXPECT_EQ(read(path("b")), "first");
  EXPECT_EQ(files_in_folder(), (Fields{"a", "b", "old"}));
}

TEST_F(OutputFile, KeepsItsPermissions) {
  for (const mode_t mode : {0600u, 0640u, 0755u}) {
    const std::string file = write("a", "old");
    chmod(file.c_str(), mode);
    write_file(file, "new");
    EXPECT_EQ(mode_of(file), mode);
  }
}

TEST_F(OutputFile, BehindLinksIsReplacedThere) {
  write("real", "old");
  fs::create_symlink("real", path("near"));
  fs::create_symlink(path("near"), path("far"));
  write_file(path("far"), "new");
  EXPECT_EQ(read(path("real")), "new");
  EXPECT_TRUE(fs::is_symlink(path("near")) && fs::is_symlink(path("far")));
  EXPECT_EQ(behind_links(path("far")), path("real"));

  fs::create_symlink("nowhere", path("open"));
  write_file(path("open"), "new");
  EXPECT_EQ(read(path("nowhere")), "new");

  fs::create_symlink("ring", path("ring"));
  EXPECT_THROW(write_file(path("ring"), "new"), BadInput);
}

TEST_F(OutputFile, ThatIsADeviceStaysOne) {
  if (mknod(path("null").c_str(), S_IFCHR | 0666u, makedev(1, 3)) != 0) GTEST_SKIP() << "not root";
  EXPECT_FALSE(is_replaceable(path("null")));
  require_writable(path("null"));
  try {
    write_file(path("null"), "new");
  } catch (const BadInput&) {
    GTEST_SKIP() << "no devices on this file system";
  }
  EXPECT_TRUE(fs::is_character_file(path("null")));
  EXPECT_EQ(files_in_folder(), (Fields{"null"}));
}

TEST_F(OutputFile, ThatIsFullIsAnError) {
  EXPECT_THROW(write_file("/dev/full", "new"), std::runtime_error);
}

TEST_F(OutputFile, CanNotBeAFolderOrLieInNone) {
  fs::create_directory(path("folder"));
  write("file", "");
  for (const auto& target : {path("folder"), path("missing/a"), path("file/a")}) {
    EXPECT_THROW(require_writable(target), BadInput) << target;
    EXPECT_THROW(write_file(target, "new"), BadInput) << target;
  }
  EXPECT_EQ(files_in_folder(), (Fields{"file", "folder"}));
  make_folder_of(path("missing/deeper/a"));
  write_file(path("missing/deeper/a"), "new");
  EXPECT_EQ(read(path("missing/deeper/a")), "new");
  EXPECT_THROW(make_folder_of(path("file/a/b")), BadInput);
}

TEST_F(OutputFile, IsNotTouchedByTheQuestionWhetherItCanBeWritten) {
  require_writable(path("none"));
  const std::string file = write("a", "old");
  require_writable(file);
  EXPECT_EQ(read(file), "old");
  EXPECT_EQ(files_in_folder(), (Fields{"a"}));
}

TEST_F(OutputFile, HasAPartOfItsOwn) {
  write("a.part", "somebody's");
  fs::create_symlink("a.part", path("a.part-1"));
  write_file(path("a"), "new");
  EXPECT_EQ(read(path("a.part")), "somebody's");
  EXPECT_EQ(files_in_folder(), (Fields{"a", "a.part", "a.part-1"}));
}

}  // namespace
}  // namespace sortlab
