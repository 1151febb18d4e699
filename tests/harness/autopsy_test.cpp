// The reasons for the end of ranks, read from launchers' messages.
#include <gtest/gtest.h>

#include "common/harness/ranks/launch.hpp"

namespace sortlab {
namespace {

constexpr int exited_with(int code) { return code << 8; }

void expect_end(int status, std::string_view said, Status expected, std::string_view reason) {
  const Outcome outcome = reason_of_end(status, said);
  EXPECT_EQ(outcome.status, expected) << said;
  EXPECT_EQ(outcome.reason, reason);
}

TEST(Autopsy, ReadsWhatARankSaidLast) {
  const Outcome told{Status::oom, "an allocation failed: \"x\""};
  expect_end(exited_with(1), "noise\n" + last_words(2, told) + "MPI_ABORT was invoked on rank 2\n",
             Status::oom, "rank 2: an allocation failed: \"x\"");
}

TEST(Autopsy, BelievesNoWordsThatNoRankSays) {
  for (const char* const words : {"sortlab: rank 1: {}\n", "sortlab: rank 1: {\"status\": \"x\"}\n",
                                  "sortlab: rank 1: {]}\n"}) {
    EXPECT_EQ(reason_of_end(exited_with(1), words).status, Status::failed) << words;
  }
  EXPECT_EQ(reason_of_end(exited_with(1), "signal 99999999999999999999").status, Status::failed);
}

TEST(Autopsy, ReadsWhatOpenMpiSays) {
  constexpr std::string_view kText =
      "----------\nPrimary job  terminated normally, but 1 process returned\na non-zero exit "
      "code.\n"
      "----------\nmpirun noticed that process rank 3 with PID 0 on node x exited on signal ";
  expect_end(exited_with(139), std::string(kText) + "11 (Segmentation fault).\n", Status::failed,
             "rank 3: crashed: Segmentation fault");
  expect_end(exited_with(137), std::string(kText) + "9 (Killed).\n", Status::oom,
             "rank 3: " + std::string(kKilled));
}

TEST(Autopsy, ReadsWhatMpichSays) {
  expect_end(exited_with(9),
             "=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES\n=   EXIT CODE: 9\n"
             "YOUR APPLICATION TERMINATED WITH THE EXIT STRING: Killed (signal 9)\n",
             Status::oom, "a rank: " + std::string(kKilled));
}

TEST(Autopsy, QuotesALauncherThatStartsNothing) {
  expect_end(exited_with(1),
             "-------\nmpirun has detected an attempt to run as root.\n\nRunning as root is\n",
             Status::failed,
             "the launcher exited with 1: mpirun has detected an attempt to run as root.");
  expect_end(exited_with(1), "", Status::failed, "the launcher exited with 1");
  EXPECT_EQ(reason_of_end(std::nullopt, "").reason, "the ranks hung up and went on");
}

}  // namespace
}  // namespace sortlab
