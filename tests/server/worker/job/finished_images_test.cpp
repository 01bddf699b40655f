// SPDX-License-Identifier: Apache-2.0
#include "server/worker/job/finished_images.h"

#include <filesystem>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/channel/file_descriptor.h"
#include "tests/server/media/clips.h"

namespace weft::worker {
namespace {

namespace fs = std::filesystem;

class FinishedImagesTest : public testing::Test {
 protected:
  FinishedImagesTest() {
    fs::create_directory(path(""));
    descriptor_.reset(::open(path("").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }
  std::string path(const std::string& name) const { return folder_.path("work") + "/" + name; }
  FinishedImages open(std::string_view key, bool is_sequence) const {
    return FinishedImages::open(descriptor_.get(), key, "finished", is_sequence).value();
  }

  media::TestFolder folder_;
  channel::FileDescriptor descriptor_;
};

TEST_F(FinishedImagesTest, FramesAreThereForTheNextAttemptAndBecomeTheOutput) {
  {
    const FinishedImages images = open("key", true);
    EXPECT_FALSE(images.has("1.exr"));
    EXPECT_THAT(images.write("1.exr", "one"), IsOk());
    EXPECT_THAT(images.write("1.exr", "once more"), IsOk());
    media::write_file(path("images-key/2.exr.unfinished"), "tw");  // as when the worker is killed
  }
  const FinishedImages images = open("key", true);
  EXPECT_TRUE(images.has("1.exr"));
  EXPECT_FALSE(images.has("2.exr"));
  EXPECT_FALSE(fs::exists(path("finished")));
  EXPECT_THAT(images.finish(), IsOk());
  EXPECT_EQ(media::read_file(path("finished/1.exr")), "once more");
  EXPECT_FALSE(fs::exists(path("finished/2.exr.unfinished")));
  EXPECT_THAT(images.finish(), IsOk());  // once more changes nothing
  EXPECT_TRUE(open("key", true).has("1.exr"));
}

TEST_F(FinishedImagesTest, WhatAnotherKeyLeftIsRemoved) {
  EXPECT_THAT(open("old", true).write("1.exr", "one"), IsOk());
  EXPECT_THAT(open("older", false).write("", "an image"), IsOk());
  media::write_file(path("segment-0"), "of somebody else");
  EXPECT_FALSE(open("new", true).has("1.exr"));
  EXPECT_FALSE(fs::exists(path("images-old")));
  EXPECT_FALSE(fs::exists(path("images-older")));
  EXPECT_TRUE(fs::exists(path("segment-0")));
}

TEST_F(FinishedImagesTest, AnOnlyImageAndWhatGoesWithIt) {
  const FinishedImages images = open("key", false);
  EXPECT_FALSE(images.has("out.exr"));
  EXPECT_THAT(images.write_extra("finished-preview", "small"), IsOk());
  EXPECT_TRUE(images.has_extra("finished-preview"));
  EXPECT_THAT(images.write("out.exr", "large"), IsOk());
  EXPECT_TRUE(images.has("out.exr"));
  EXPECT_THAT(images.finish(), IsOk());
  EXPECT_EQ(media::read_file(path("finished")), "large");
  EXPECT_TRUE(open("key", false).has("out.exr"));
}

TEST_F(FinishedImagesTest, AFolderThatIsGoneIsAnError) {
  const FinishedImages images = open("key", true);
  fs::remove_all(path(""));
  EXPECT_THAT(images.write("1.exr", "one"), StatusIs(StatusCode::kNotFound));
  EXPECT_FALSE(images.finish().ok());
}

}  // namespace
}  // namespace weft::worker
