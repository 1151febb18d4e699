// The members of the team, with the test's own clock.
#include "common/threads/roster.hpp"

#include <gtest/gtest.h>

#include <deque>

namespace sortlab::team {
namespace {

class RosterTest : public testing::Test {
 protected:
  RosterTest() {
    for (int i = 0; i < 8; ++i) roster_.hire(members_.emplace_back());
    roster_.look_after(time_);
  }

  /// At a time when it is not taken for a moment.
  void all_come_late() {
    for (int twice = 0; twice < 2; ++twice) {
      for (Member& member : members_) roster_.came_late(member);
      roster_.look_after(time_);
    }
  }

  void wait(Nanoseconds duration) {
    constexpr Nanoseconds kStep = kMillisecond;
    for (const Nanoseconds until = time_ + duration; time_ < until;) {
      roster_.look_after(time_ += kStep);
    }
  }

  Roster roster_;
  std::deque<Member> members_;
  Nanoseconds time_ = 10 * kForgetAfter;
};

TEST_F(RosterTest, KeepsThoseThatComeInTime) {
  wait(500 * kMillisecond);
  EXPECT_EQ(roster_.here(), 8);
  EXPECT_EQ(roster_.patience(), kPatience);
}

TEST_F(RosterTest, RanksAreThoseOfTheMembersHereFirst) {
  roster_.came_late(members_[2]);
  roster_.came_late(members_[7]);
  roster_.look_after(time_);
  EXPECT_EQ(roster_.here(), 6);
  for (int rank = 1; rank <= 8; ++rank) EXPECT_EQ(roster_.of_rank(rank).rank, rank);
  for (const Member& member : members_) {
    const bool was_late = &member == &members_[2] || &member == &members_[7];
    EXPECT_EQ(roster_.is_here(member), !was_late);
  }
}

TEST_F(RosterTest, IsImpatientForAWhileAfterAMemberCameLate) {
  roster_.came_late(members_[0]);
  roster_.look_after(time_);
  EXPECT_EQ(roster_.patience(), kPatienceWhenBusy);
  wait(kSoon + kBusyFor + kMillisecond);
  EXPECT_EQ(roster_.patience(), kPatience);
}

TEST_F(RosterTest, LetsTheLateInAgainOneThenTwoThenFour) {
  all_come_late();
  EXPECT_EQ(roster_.here(), 0);
  wait(kSoon);
  EXPECT_EQ(roster_.here(), 1);
  wait(kTrial);
  EXPECT_EQ(roster_.here(), 3);
  wait(kTrial);
  EXPECT_EQ(roster_.here(), 7);
  wait(kTrial);
  EXPECT_EQ(roster_.here(), 8);
}

TEST_F(RosterTest, KeepsManyThatComeLateAtOnceButNotTwiceInARow) {
  const auto come_late = [&](std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) roster_.came_late(members_[i]);
    roster_.look_after(time_);
  };
  come_late(6);
  EXPECT_EQ(roster_.here(), 8);
  wait(kBusyFor);
  come_late(8);
  EXPECT_EQ(roster_.here(), 8);
  EXPECT_EQ(roster_.patience(), kPatience);
  wait(kBusyFor - kMillisecond);
  come_late(8);
  EXPECT_EQ(roster_.here(), 0);
}

TEST_F(RosterTest, PutsOutHalfOfTheMembers) {
  for (std::size_t i = 0; i < 4; ++i) roster_.came_late(members_[i]);
  roster_.look_after(time_);
  EXPECT_EQ(roster_.here(), 4);
}

TEST_F(RosterTest, WaitsLongerAfterEachTrialThatFails) {
  Member& late = members_[3];
  roster_.came_late(late);
  roster_.look_after(time_);
  for (Nanoseconds gap = kSoon; gap <= kLatest; gap *= 2) {
    wait(gap - kMillisecond);
    EXPECT_FALSE(roster_.is_here(late)) << gap;
    wait(kMillisecond);
    EXPECT_TRUE(roster_.is_here(late)) << gap;
    wait(kMillisecond);
    roster_.came_late(late);
    roster_.look_after(time_);
  }
  wait(kLatest - kMillisecond);
  EXPECT_FALSE(roster_.is_here(late));
  wait(kTrial);
  EXPECT_TRUE(roster_.is_here(late));
}

TEST_F(RosterTest, ForgetsWhatItKnewAfterALongPause) {
  all_come_late();
  roster_.look_after(time_ += 2 * kForgetAfter);
  EXPECT_EQ(roster_.here(), 8);
}

TEST_F(RosterTest, HiresWhileOthersAreOut) {
  roster_.came_late(members_[0]);
  roster_.look_after(time_);
  Member& hired = members_.emplace_back();
  roster_.hire(hired);
  EXPECT_TRUE(roster_.is_here(hired));
  EXPECT_EQ(roster_.here(), 8);
  EXPECT_EQ(roster_.hired(), 9);
}

}  // namespace
}  // namespace sortlab::team
