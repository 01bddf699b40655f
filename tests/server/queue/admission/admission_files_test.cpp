// SPDX-License-Identifier: Apache-2.0
// Tests that no output replaces an input of the job or another of its outputs, under any name.
#include "server/queue/admission/admission_files.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>

#include "options/validate.h"
#include "tests/server/queue/queue_fixture.h"

namespace weft::queue {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class OwnFilesTest : public testing::Test {
 protected:
  OwnFilesTest() {
    for (const char* name : {"f.0001.exr", "f.0002.exr", "f.0003.exr", "f.0009.exr", "star.exr", "alone.exr"})
      write(name);
    spec_.mutable_image()->set_input(path("f.####.exr"));
    spec_.mutable_image()->set_output(path("z.####.exr"));
    spec_.mutable_image()->set_frames("1-3");
  }
  std::string path(const std::string& name) const { return folder_.path() + "/" + name; }
  void write(const std::string& name) const { std::ofstream(path(name)) << "a file"; }
  // Returns the only violation, such as "preview: The output ...", of a request that permits
  // overwriting.
  std::string complaint() const {
    const auto checked = check_files(spec_, true);
    if (checked.ok()) return "";
    const auto violations = options::violations_of(checked.status());
    if (violations.size() != 1) return checked.status().ToString();
    return violations[0].field.substr(violations[0].field.rfind('.') + 1) + ": " + violations[0].description;
  }
  std::string complaint_of_preview(const std::string& preview) {
    spec_.mutable_image()->set_preview(path(preview));
    return complaint();
  }
  std::string complaint_of_output(const std::string& output) {
    spec_.mutable_image()->set_output(path(output));
    return complaint();
  }

  TemporaryFolder folder_;
  v1::JobSpec spec_;
};

TEST_F(OwnFilesTest, APreviewIsNoFrameOfTheInput) {
  EXPECT_EQ(complaint_of_preview("look.png"), "");
  EXPECT_THAT(complaint_of_preview("f.0002.exr"), StartsWith("preview: The output is a frame of the input"));
  EXPECT_THAT(complaint_of_preview("f.0009.exr"), StartsWith("preview: ")) << "a frame that is not chosen";
  fs::create_directory_symlink(folder_.path(), path("link"));
  EXPECT_THAT(complaint_of_preview("link/f.0002.exr"), StartsWith("preview: "));
  EXPECT_EQ(complaint_of_preview("f.0004.exr"), "") << "no frame is there";
}

TEST_F(OwnFilesTest, OutputsAreDifferentFiles) {
  EXPECT_THAT(complaint_of_preview("z.0002.exr"), StartsWith("preview: The option 'output' writes the same"));
  EXPECT_EQ(complaint_of_preview("z.0004.exr"), "") << "a frame that is not chosen";
  fs::create_directory_symlink(folder_.path(), path("link"));
  EXPECT_THAT(complaint_of_preview("link/z.0003.exr"), StartsWith("preview: "));
  spec_.mutable_image()->clear_frames();
  spec_.mutable_image()->set_input(path("alone.exr"));
  spec_.mutable_image()->set_output(path("same.exr"));
  EXPECT_THAT(complaint_of_preview("same.exr"), StartsWith("preview: The option 'output'"));
  EXPECT_EQ(complaint_of_preview("other.exr"), "");
}

TEST_F(OwnFilesTest, NoOutputReplacesTheKernel) {
  write("h.0001.exr");
  spec_.mutable_image()->add_filters()->mutable_bloom()->set_kernel(path("h.0001.exr"));
  spec_.mutable_image()->mutable_filters(0)->mutable_bloom()->set_dirt(path("star.exr"));
  EXPECT_THAT(complaint_of_output("h.%04d.exr"),
              StartsWith("output: A frame of the output is the kernel itself"));
  EXPECT_THAT(complaint_of_output("h.%04d.exr"), HasSubstr("h.0001.exr"));
  EXPECT_EQ(complaint_of_output("h.1%03d.exr"), "");
  EXPECT_THAT(complaint_of_preview("star.exr"), StartsWith("preview: The output is the dirt itself"));
}

TEST_F(OwnFilesTest, FramesAreKnownByOtherNames) {
  fs::create_hard_link(path("f.0003.exr"), path("z.0001.exr"));
  EXPECT_THAT(complaint(), StartsWith("output: A frame of the output is a frame of the input"));
  fs::remove(path("z.0001.exr"));
  fs::create_symlink(path("f.0001.exr"), path("look.png"));
  EXPECT_THAT(complaint_of_preview("look.png"), StartsWith("preview: The output is a frame of the input"));
}

TEST_F(OwnFilesTest, AFolderInAFramesPlaceIsNamed) {
  fs::create_directory(path("z.0002.exr"));
  EXPECT_THAT(complaint(), StartsWith("output: A frame of the output is a folder"));
}

class PiecesTest : public OwnFilesTest {
 protected:
  PiecesTest() {
    write("x.2.mkv");
    spec_.mutable_video()->set_input(path("x.2.mkv"));
    spec_.mutable_video()->set_output(path("x.mkv"));
    spec_.mutable_video()->mutable_decoding()->set_on_size_change(v1::SIZE_CHANGE_SPLIT);
  }
};

// A job may write x.2.mkv, x.3.mkv and so on; their number is known only at its end.
TEST_F(PiecesTest, NoFurtherFileOfTheOutputIsTheInput) {
  EXPECT_THAT(complaint(), StartsWith("output: A further file of the output is the input itself"));
  EXPECT_THAT(complaint(), HasSubstr("x.2.mkv"));
  fs::rename(path("x.2.mkv"), path("x.17.mkv"));
  spec_.mutable_video()->set_input(path("x.17.mkv"));
  EXPECT_THAT(complaint(), HasSubstr("x.17.mkv"));
  spec_.mutable_video()->mutable_decoding()->clear_on_size_change();
  EXPECT_EQ(complaint(), "") << "one file comes of it";
}

TEST_F(PiecesTest, FurtherFilesAreKnownByOtherNames) {
  write("in.mkv");
  spec_.mutable_video()->set_input(path("in.mkv"));
  EXPECT_EQ(complaint(), "");
  fs::create_hard_link(path("in.mkv"), path("x.3.mkv"));
  EXPECT_THAT(complaint(), HasSubstr("x.3.mkv"));
  fs::remove(path("x.3.mkv"));
  fs::create_symlink(path("in.mkv"), path("x.4.mkv"));
  EXPECT_THAT(complaint(), HasSubstr("x.4.mkv"));
  fs::remove(path("x.4.mkv"));
  fs::create_symlink("x.5.mkv", path("link.mkv"));
  fs::rename(path("in.mkv"), path("x.5.mkv"));
  spec_.mutable_video()->set_input(path("link.mkv"));
  EXPECT_THAT(complaint(), HasSubstr("x.5.mkv")) << "the input is named by a link";
}

TEST_F(PiecesTest, AFurtherFileThatIsThereIsReplacedOnlyWithLeave) {
  write("in.mkv");
  spec_.mutable_video()->set_input(path("in.mkv"));
  EXPECT_EQ(complaint(), "");
  const Status taken = check_files(spec_, false).status();
  EXPECT_EQ(taken.code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(message_of(taken), HasSubstr("A further file of the output is there already"));
  fs::remove(path("x.2.mkv"));
  for (const char* other : {"x.1.mkv", "x.02.mkv", "x.2.mp4", "y.2.mkv", "x.2a.mkv", "x..mkv"}) write(other);
  EXPECT_TRUE(check_files(spec_, false).ok()) << "none of these is one";
}

}  // namespace
}  // namespace weft::queue
