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

constexpr FileIdentity kSource{100, 5, 7};

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

  static bool has(const FinishedImages& images, const std::string& name) {
    return images.sources().contains(name);
  }

  media::TestFolder folder_;
  channel::FileDescriptor descriptor_;
};

TEST_F(FinishedImagesTest, FramesAreThereForTheNextAttemptAndBecomeTheOutput) {
  {
    const FinishedImages images = open("key", true);
    EXPECT_FALSE(has(images, "1.exr"));
    EXPECT_THAT(images.write("1.exr", "one", kSource), IsOk());
    EXPECT_THAT(images.write("1.exr", "once more", kSource), IsOk());
    media::write_file(path("images-key/2.exr.unfinished"), "tw");  // as after the kill of a worker
  }
  const FinishedImages images = open("key", true);
  EXPECT_TRUE(has(images, "1.exr"));
  EXPECT_FALSE(has(images, "2.exr"));
  EXPECT_FALSE(fs::exists(path("finished")));
  EXPECT_THAT(images.finish(), IsOk());
  EXPECT_EQ(media::read_file(path("finished/1.exr")), "once more");
  EXPECT_FALSE(fs::exists(path("finished/2.exr.unfinished")));
  EXPECT_THAT(images.finish(), IsOk());  // A second call changes nothing.
  EXPECT_TRUE(has(open("key", true), "1.exr"));
}

// The publishing failed, and meanwhile a part of the input changed.
TEST_F(FinishedImagesTest, WhatIsFinishedIsOpenedAgain) {
  {
    const FinishedImages images = open("key", true);
    for (const char* name : {"1.exr", "2.exr", "3.exr"})
      EXPECT_THAT(images.write(name, name, kSource), IsOk());
    EXPECT_THAT(images.finish(), IsOk());
  }
  const FinishedImages images = open("key", true);
  EXPECT_FALSE(fs::exists(path("finished")));
  EXPECT_THAT(images.retain({{"1.exr", kSource}}), IsOk());
  EXPECT_FALSE(has(open("key", true), "3.exr"));
  const FileIdentity other{100, 5, 8};
  EXPECT_THAT(images.write("2.exr", "anew", other), IsOk());
  EXPECT_THAT(images.finish(), IsOk());
  EXPECT_EQ(media::read_file(path("finished/1.exr")), "1.exr");
  EXPECT_EQ(media::read_file(path("finished/2.exr")), "anew");
  EXPECT_FALSE(fs::exists(path("finished/3.exr"))) << "its frame is in the sequence no longer";
  const std::map<std::string, FileIdentity> wanted{{"1.exr", kSource}, {"2.exr", other}};
  EXPECT_EQ(open("key", true).sources(), wanted);
}

TEST_F(FinishedImagesTest, WhatAnotherKeyFinishedIsNoOutput) {
  EXPECT_THAT(open("old", true).write("1.exr", "one", kSource), IsOk());
  EXPECT_THAT(open("old", true).write_extra("finished-preview", "small"), IsOk());
  EXPECT_THAT(open("old", true).finish(), IsOk());
  const FinishedImages images = open("new", true);
  EXPECT_FALSE(has(images, "1.exr"));
  EXPECT_FALSE(images.has_extra("finished-preview"));
  EXPECT_FALSE(fs::exists(path("finished")));
}

// A power cut leaves any part of the last lines of the journal, followed by zeros.
TEST_F(FinishedImagesTest, WhatIsNotWholeInTheJournalIsMadeAnew) {
  {
    const FinishedImages images = open("key", true);
    EXPECT_THAT(images.write("1.exr", "one", kSource), IsOk());
    EXPECT_THAT(images.write("a name\nof 2 lines.exr", "two", kSource), IsOk());
  }
  const std::string whole = media::read_file(path("sources-key"));
  for (size_t kept = whole.size() % 7; kept <= whole.size(); kept += 7)
    for (const size_t zeros : {0, 4}) {
      media::write_file(path("sources-key"), whole.substr(0, kept) + std::string(zeros, 0));
      const FinishedImages images = open("key", true);
      EXPECT_EQ(has(images, "a name\nof 2 lines.exr"), kept == whole.size()) << kept;
      EXPECT_THAT(images.write("3.exr", "three", kSource), IsOk());
      EXPECT_TRUE(has(open("key", true), "3.exr")) << kept;
    }
  std::string flipped = whole;
  flipped[whole.find(" 1.exr") - 5] ^= 1;
  media::write_file(path("sources-key"), flipped);
  EXPECT_FALSE(has(open("key", true), "1.exr"));
}

TEST_F(FinishedImagesTest, AnImageThatIsGoneIsNotFinished) {
  EXPECT_THAT(open("key", true).write("1.exr", "one", kSource), IsOk());
  fs::remove(path("images-key/1.exr"));
  EXPECT_FALSE(has(open("key", true), "1.exr"));
}

TEST_F(FinishedImagesTest, WhatAnotherKeyLeftIsRemoved) {
  EXPECT_THAT(open("old", true).write("1.exr", "one", kSource), IsOk());
  EXPECT_THAT(open("older", false).write("", "an image", kSource), IsOk());
  media::write_file(path("segment-0"), "of somebody else");
  EXPECT_FALSE(has(open("new", true), "1.exr"));
  EXPECT_FALSE(fs::exists(path("images-old")));
  EXPECT_FALSE(fs::exists(path("images-older")));
  EXPECT_TRUE(fs::exists(path("segment-0")));
}

TEST_F(FinishedImagesTest, AnOnlyImageAndWhatGoesWithIt) {
  const FinishedImages images = open("key", false);
  EXPECT_FALSE(has(images, "out.exr"));
  EXPECT_THAT(images.write_extra("finished-preview", "small"), IsOk());
  EXPECT_TRUE(images.has_extra("finished-preview"));
  EXPECT_THAT(images.write("out.exr", "large", kSource), IsOk());
  EXPECT_TRUE(has(images, "out.exr"));
  EXPECT_THAT(images.finish(), IsOk());
  EXPECT_EQ(media::read_file(path("finished")), "large");
  EXPECT_TRUE(has(open("key", false), "out.exr"));
}

TEST_F(FinishedImagesTest, AFolderThatIsGoneIsAnError) {
  const FinishedImages images = open("key", true);
  fs::remove_all(path(""));
  EXPECT_THAT(images.write("1.exr", "one", kSource), StatusIs(StatusCode::kNotFound));
  EXPECT_FALSE(images.finish().ok());
}

}  // namespace
}  // namespace weft::worker
