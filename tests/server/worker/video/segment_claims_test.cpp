// SPDX-License-Identifier: Apache-2.0
#include "server/worker/video/segment_claims.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "server/media/write/segment_file.h"
#include "tests/server/media/clips.h"

namespace weft::worker {
namespace {

class SegmentClaimsTest : public testing::Test {
 protected:
  std::unique_ptr<SegmentClaims> open(const std::string& name = "segment", const std::string& key = "key") {
    auto claims = SegmentClaims::open(folder_.get(), name, key);
    EXPECT_THAT(claims, IsOk());
    return *std::move(claims);
  }
  void finish_segment(int64_t index, const std::string& key) {
    const SegmentJournal journal(folder_.get());
    auto writer = media::SegmentWriter::create(journal.location(index), {.segment = index});
    ASSERT_THAT(writer, IsOk());
    internal::v1::SegmentRecord record;
    record.set_key(key);
    record.set_source_frames(10 * (index + 1));
    ASSERT_THAT((*writer)->finish(record.SerializeAsString()), IsOk());
  }

  media::TestFolder files_;
  media::Descriptor folder_{::open(files_.path("").c_str(), O_RDONLY | O_DIRECTORY)};
};

TEST_F(SegmentClaimsTest, ASegmentHasOneTask) {
  const auto one = open(), other = open();
  EXPECT_TRUE(one->claim(3));
  EXPECT_FALSE(other->claim(3));
  EXPECT_TRUE(other->claim(4)) << "another segment";
  one->release(3);
  EXPECT_TRUE(other->claim(3));
}

TEST_F(SegmentClaimsTest, StepsHaveTheirOwnClaims) {
  const auto pictures = open(), analysis = open("analysis-0");
  EXPECT_TRUE(pictures->claim(0));
  EXPECT_TRUE(analysis->claim(0));
}

TEST_F(SegmentClaimsTest, AKilledProcessHasNoClaims) {
  const auto claims = open();
  int pipe[2];
  ASSERT_EQ(::pipe(pipe), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    auto own = SegmentClaims::open(folder_.get(), "segment", "key");
    const char done = own.ok() && (*own)->claim(7) ? 'y' : 'n';
    static_cast<void>(::write(pipe[1], &done, 1));
    ::pause();
  }
  char claimed = 0;
  ASSERT_EQ(::read(pipe[0], &claimed, 1), 1);
  EXPECT_EQ(claimed, 'y');
  EXPECT_FALSE(claims->claim(7));
  ::kill(child, SIGKILL);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  EXPECT_TRUE(claims->claim(7));
  ::close(pipe[0]);
  ::close(pipe[1]);
}

TEST_F(SegmentClaimsTest, AllAreClaimedOnceTheOthersHaveReleasedTheirs) {
  const auto own = open(), other = open();
  ASSERT_TRUE(other->claim(1'000'000));
  ASSERT_TRUE(own->claim(2));
  int looks = 0;
  const Status all = own->claim_all([&] {
    if (++looks == 3) other->release(1'000'000);
    return ok_status();
  });
  EXPECT_THAT(all, IsOk());
  EXPECT_EQ(looks, 3);
  EXPECT_FALSE(other->claim(0));
  EXPECT_FALSE(other->claim(2));
  own->release_all();
  EXPECT_TRUE(other->claim(2));
}

TEST_F(SegmentClaimsTest, AStopEndsTheWaitForAllClaims) {
  const auto own = open(), other = open();
  ASSERT_TRUE(other->claim(5));
  EXPECT_THAT(own->claim_all([] { return cancelled("stop"); }), StatusIs(StatusCode::kCancelled, "stop"));
}

TEST_F(SegmentClaimsTest, FinishedSegmentsOfTheSameKeyAreFound) {
  finish_segment(2, "key");
  finish_segment(3, "another");
  const auto claims = open();
  ASSERT_TRUE(claims->find_finished(2).has_value());
  EXPECT_EQ(claims->find_finished(2)->source_frames(), 30);
  EXPECT_FALSE(claims->find_finished(3));
  EXPECT_FALSE(claims->find_finished(4));
}

}  // namespace
}  // namespace weft::worker
