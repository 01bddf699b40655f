// SPDX-License-Identifier: Apache-2.0
// Tests single pictures of a job's files, through the real daemon and the client library.
#include "client/pictures.h"

#include <filesystem>

#include <gmock/gmock.h>

#include "tests/scenarios/scenario.h"

namespace weft::scenarios {
namespace {

class PicturesTest : public ScenarioTest {
 protected:
  void SetUp() override {
    ASSERT_TRUE(daemon_.start());
    connection_ = client::Connection::open({.server = daemon_.address()}).value();
  }
  StatusOr<client::JobPicture> read(const std::string& job, v1::PictureSide side, int64_t index) {
    v1::ReadPictureRequest request;
    request.set_job_id(job);
    request.set_side(side);
    request.set_index(index);
    return client::read_picture(*connection_, request);
  }

  Daemon daemon_{path("daemon")};
  std::shared_ptr<client::Connection> connection_;
};

TEST_F(PicturesTest, AJobsInputAndOutputAreSeenPictureByPicture) {
  const std::string id = daemon_.submit(request(clip(2), path("out.mkv")));
  ASSERT_EQ(daemon_.wait_for_end_of(id).state(), v1::JOB_STATE_SUCCEEDED);
  const auto before = read(id, v1::PICTURE_SIDE_INPUT, 7);
  ASSERT_TRUE(before.ok()) << before.status();
  EXPECT_EQ(before->description.width(), 320);
  EXPECT_EQ(before->description.height(), 240);
  EXPECT_EQ(before->description.file(), clip(2));
  EXPECT_TRUE(before->description.interlaced());
  const auto after = read(id, v1::PICTURE_SIDE_OUTPUT, 14);
  ASSERT_TRUE(after.ok()) << after.status();
  EXPECT_EQ(after->description.samples(), v1::PICTURE_SAMPLES_BYTE);
  EXPECT_EQ(after->description.file(), path("out.mkv"));
  EXPECT_FALSE(after->description.interlaced());
  // The first of the two pictures has the lines of the first field unchanged. Only the rounding of
  // colours differs, as interlaced chroma has other positions. So their sum of differences is far
  // below that of the other field's lines.
  const auto difference = [&](size_t first_line) {
    double sum = 0;
    for (size_t y = first_line; y < 240; y += 2)
      for (size_t i = 0; i < 960; i++)
        sum +=
            std::abs(int(uint8_t(before->samples[y * 960 + i])) - int(uint8_t(after->samples[y * 960 + i])));
    return sum;
  };
  const size_t kept = before->description.top_field_first() ? 0 : 1;
  EXPECT_LT(difference(kept) * 2, difference(1 - kept));
  const int64_t pictures = daemon_.get(id).result().units_out();
  EXPECT_THAT(read(id, v1::PICTURE_SIDE_OUTPUT, pictures - 1), IsOk());
  EXPECT_THAT(read(id, v1::PICTURE_SIDE_OUTPUT, pictures),
              StatusIs(StatusCode::kOutOfRange, fmt::format("it has {}", pictures)));
  std::filesystem::remove(path("out.mkv"));
  EXPECT_THAT(read(id, v1::PICTURE_SIDE_OUTPUT, 0), StatusIs(StatusCode::kInvalidArgument, "does not exist"));
}

TEST_F(PicturesTest, OnlyFilesOfJobsAreRead) {
  EXPECT_THAT(read("01ARZ3NDEKTSV4RRFFQ69G5FAV", v1::PICTURE_SIDE_INPUT, 0),
              StatusIs(StatusCode::kNotFound, "01ARZ3NDEKTSV4RRFFQ69G5FAV"));
  EXPECT_THAT(read("/etc/passwd", v1::PICTURE_SIDE_INPUT, 0), StatusIs(StatusCode::kNotFound, "/etc/passwd"));
  v1::DrainDevicesResponse drained;
  ASSERT_TRUE(daemon_.devices().DrainDevices(call_context().get(), {}, &drained).ok());
  const std::string id = daemon_.submit(request(clip(2), path("later.mkv")));
  EXPECT_THAT(read(id, v1::PICTURE_SIDE_OUTPUT, 0),
              StatusIs(StatusCode::kFailedPrecondition, "has no output yet"));
  EXPECT_THAT(read(id, v1::PICTURE_SIDE_INPUT, 0), IsOk());
}

}  // namespace
}  // namespace weft::scenarios
