// Only one program at a time may add to a file.
#include "common/harness/record/file_lock.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <optional>
#include <string>

#include "common/contract/errors.hpp"
#include "tests/temporary_file.hpp"

namespace sortlab {
namespace {

class Lock : public TemporaryFolder {
 protected:
  /// The reason why the file can't be locked; "" when it can.
  static std::string refusal(const std::string& file) try {
    const FileLock lock(file);
    return "";
  } catch (const BadInput& error) {
    return error.what();
  }
};

/// A process that holds a lock until it is killed.
class OtherHolder {
 public:
  explicit OtherHolder(const std::string& file) {
    int ends[2];
    if (pipe(ends) != 0) return;
    pid_ = fork();
    if (pid_ == 0) {
      const FileLock lock(file);
      if (write(ends[1], "", 1) == 1) pause();
      _exit(1);
    }
    close(ends[1]);
    char none = 0;
    holds_ = read(ends[0], &none, 1) == 1;
    close(ends[0]);
  }
  ~OtherHolder() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  OtherHolder(const OtherHolder&) = delete;
  OtherHolder& operator=(const OtherHolder&) = delete;

  bool holds() const { return holds_; }
  int pid() const { return pid_; }

 private:
  pid_t pid_ = 0;
  bool holds_ = false;
};

TEST_F(Lock, OfAnotherProcessIsNamed) {
  const std::string file = path("run.csv");
  {
    const OtherHolder other(file);
    ASSERT_TRUE(other.holds());
    EXPECT_EQ(refusal(file), file + ": another run is adding to it (process " +
                                 std::to_string(other.pid()) +
                                 "); wait for its end, or name another file");
    EXPECT_EQ(read(file + ".lock"), std::to_string(other.pid()) + "\n");
  }
  EXPECT_TRUE(std::filesystem::exists(file + ".lock")) << "what a killed process leaves";
  EXPECT_EQ(refusal(file), "") << "is in nobody's way";
  EXPECT_FALSE(std::filesystem::exists(file + ".lock"));
}

TEST_F(Lock, IsOfTheFileBehindALink) {
  write("real", "");
  std::filesystem::create_symlink("real", path("link"));
  std::optional<FileLock> lock(path("link"));
  EXPECT_NE(refusal(path("real")), "");
  EXPECT_EQ(refusal(path("other")), "");
  lock.reset();
  EXPECT_EQ(refusal(path("real")), "");
}

TEST_F(Lock, DoesNotTouchTheFile) {
  write("run.csv", "rows");
  { const FileLock lock(path("run.csv")); }
  EXPECT_EQ(read(path("run.csv")), "rows");
  EXPECT_EQ(files_in_folder(), (std::vector<std::string>{"run.csv"}));
}

TEST_F(Lock, NeedsAFolder) {
  EXPECT_EQ(refusal(path("missing/run.csv")),
            path("missing/run.csv") + ": No such file or directory");
}

TEST_F(Lock, IsNotWrittenThroughALink) {
  write("precious", "text");
  std::filesystem::create_symlink("precious", path("run.csv.lock"));
  EXPECT_NE(refusal(path("run.csv")), "");
  EXPECT_EQ(read(path("precious")), "text");
}

}  // namespace
}  // namespace sortlab
