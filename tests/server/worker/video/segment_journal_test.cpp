// SPDX-License-Identifier: Apache-2.0
#include "server/worker/video/segment_journal.h"

#include <filesystem>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/channel/file_descriptor.h"
#include "server/media/write/segment_file.h"
#include "tests/server/media/clips.h"

namespace weft::worker {
namespace {

using internal::v1::SegmentRecord;
using testing::HasSubstr;

class SegmentJournalTest : public testing::Test {
 protected:
  SegmentJournalTest() : folder_fd_(::open(folder_.path("").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {}

  // Writes a segment of three packets.
  void write(int64_t index, const std::string& key, bool last = false, int64_t claimed_outputs = 3) {
    media::SegmentHeader header;
    header.segment = index;
    header.first_frame = index * 3;
    header.encoder = "null";
    auto writer = media::SegmentWriter::create(journal_.location(index), header);
    ASSERT_THAT(writer, IsOk());
    for (int i = 0; i < 3; i++) {
      const std::vector<uint8_t> data(100, uint8_t(i));
      ASSERT_THAT((*writer)->add({.pts = index * 3 + i, .duration = 1, .key = i == 0}, data), IsOk());
    }
    SegmentRecord record;
    record.set_key(key);
    record.set_first_output(index * 3);
    record.set_outputs(claimed_outputs);
    record.set_source_frames((index + 1) * 3);
    record.set_last(last);
    ASSERT_THAT((*writer)->finish(record.SerializeAsString()), IsOk());
  }
  size_t scan(const std::string& key) {
    auto records = journal_.scan(
        key, [] { return ok_status(); }, [&](std::string text) { notes_.push_back(text); });
    EXPECT_THAT(records, IsOk());
    return records->size();
  }
  bool there(int64_t index) const {
    return std::filesystem::exists(folder_.path(journal_.location(index).name));
  }

  media::TestFolder folder_;
  channel::FileDescriptor folder_fd_;
  SegmentJournal journal_{folder_fd_.get()};
  std::vector<std::string> notes_;
};

TEST_F(SegmentJournalTest, AnEmptyFolderHasNone) { EXPECT_EQ(scan("key"), 0u); }

TEST_F(SegmentJournalTest, FindsWholeSegmentsAlsoAfterAGap) {
  for (const int64_t index : {0, 1, 3}) write(index, "key");
  EXPECT_EQ(scan("key"), 3u);
  for (const int64_t index : {0, 1, 3}) EXPECT_TRUE(there(index)) << index;
  EXPECT_TRUE(notes_.empty());
}

TEST_F(SegmentJournalTest, SegmentsOfAnotherKeyAreMadeAgain) {
  write(0, "old");
  write(1, "old");
  EXPECT_EQ(scan("new"), 0u);
  EXPECT_FALSE(there(0));
  EXPECT_FALSE(there(1));
  ASSERT_EQ(notes_.size(), 1u);
  EXPECT_THAT(notes_[0], HasSubstr("other settings"));
}

TEST_F(SegmentJournalTest, EveryFlippedByteIsNoticed) {
  write(0, "key");
  const std::string path = folder_.path(journal_.location(0).name);
  const std::string whole = media::read_file(path);
  write(1, "key");
  for (size_t at = 0; at < whole.size(); at += 7) {
    std::string damaged = whole;
    damaged[at] = char(damaged[at] ^ 0x10);
    media::write_file(path, damaged);
    EXPECT_EQ(scan("key"), 1u) << "byte " << at << " of " << whole.size();
  }
}

TEST_F(SegmentJournalTest, ATruncatedSegmentIsMadeAgain) {
  write(0, "key");
  const std::string path = folder_.path(journal_.location(0).name);
  const std::string whole = media::read_file(path);
  for (const size_t bytes : {size_t{0}, size_t{1}, whole.size() / 2, whole.size() - 1}) {
    media::write_file(path, whole.substr(0, bytes));
    EXPECT_EQ(scan("key"), 0u) << bytes << " bytes";
  }
}

TEST_F(SegmentJournalTest, ASegmentInAnotherOnesPlaceIsNotTaken) {
  write(0, "key");
  std::filesystem::copy_file(folder_.path(journal_.location(0).name),
                             folder_.path(journal_.location(1).name));
  EXPECT_EQ(scan("key"), 1u);
}

TEST_F(SegmentJournalTest, ARecordThatCountsOtherwiseThanItsFileIsNotTaken) {
  write(0, "key", false, 4);
  EXPECT_EQ(scan("key"), 0u);
}

TEST_F(SegmentJournalTest, UnfinishedFilesGoAndOtherFilesStay) {
  write(0, "key");
  const std::string partial = folder_.path(journal_.location(1).name + ".partial");
  media::write_file(partial, "x");
  media::write_file(folder_.path("finished"), "x");
  media::write_file(folder_.path("segment-notes.txt"), "x");
  EXPECT_EQ(scan("key"), 1u);
  EXPECT_FALSE(std::filesystem::exists(partial));
  EXPECT_TRUE(std::filesystem::exists(folder_.path("finished")));
  EXPECT_TRUE(std::filesystem::exists(folder_.path("segment-notes.txt")));
}

TEST_F(SegmentJournalTest, AStopEndsTheScan) {
  write(0, "key");
  const auto records = journal_.scan(
      "key", [] { return cancelled("Stop."); }, [](std::string) {});
  EXPECT_THAT(records, StatusIs(StatusCode::kCancelled));
  EXPECT_TRUE(there(0));
}

TEST_F(SegmentJournalTest, AStopInTheMiddleOfASegmentRemovesNothing) {
  write(0, "key");
  write(1, "key");
  for (int calls = 1; calls < 8; calls++) {
    int left = calls;
    const auto alive = [&] { return left-- > 0 ? ok_status() : cancelled("Stop."); };
    const auto records = journal_.scan("key", alive, [](std::string) {});
    EXPECT_THAT(records, StatusIs(StatusCode::kCancelled)) << calls;
    EXPECT_TRUE(there(0) && there(1)) << calls;
  }
}

}  // namespace
}  // namespace weft::worker
