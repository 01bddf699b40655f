// SPDX-License-Identifier: Apache-2.0
// Tests the publishing of finished files: on all kinds of file systems, with a kill at every fault
// point, and with folders that are moved away. Each publishing runs in a child process, which may
// be killed and has restricted file system calls.
#include <filesystem>
#include <fstream>
#include <string>

#include <fcntl.h>
#include <sys/stat.h>

#include "tests/server/queue/files/publishing_fixture.h"

namespace weft::queue {
namespace {

namespace fs = std::filesystem;

TEST_F(PublishingTest, EveryFileSystemTakesAFileAndReplacesNoneWithoutLeave) {
  for (const FileSystem knows : file_systems()) {
    SCOPED_TRACE(int(knows));
    finish();
    EXPECT_EQ(publish(knows), code(StatusCode::kOk));
    EXPECT_EQ(read(output()), "the result");
    EXPECT_FALSE(fs::exists(work() + "/finished"));
    EXPECT_EQ(publish(knows), code(StatusCode::kOk)) << "repeating it is harmless";
    fs::remove_all(work());

    write(output(), "somebody else's");
    finish();
    EXPECT_EQ(publish(knows), code(StatusCode::kAlreadyExists));
    EXPECT_EQ(read(output()), "somebody else's");
    EXPECT_EQ(read(work() + "/finished"), "the result") << "what is finished stays";
    job_.mutable_settings()->set_overwrite(true);
    EXPECT_EQ(publish(knows), code(StatusCode::kOk));
    EXPECT_EQ(read(output()), "the result");
    job_.mutable_settings()->clear_overwrite();
    fs::remove_all(work());
    fs::remove(output());
  }
}

TEST_F(PublishingTest, FurtherFilesOfAnOutputHaveNumbers) {
  finish();
  write(work() + "/finished.2", "the second");
  write(work() + "/finished.3", "the third");
  const std::string stem = fs::path(output()).replace_extension("").string();
  const std::string extension = fs::path(output()).extension().string();
  write(stem + ".2" + extension, "somebody else's");
  EXPECT_EQ(publish(), code(StatusCode::kAlreadyExists));
  EXPECT_FALSE(fs::exists(output())) << "the output comes last";
  fs::remove(stem + ".2" + extension);
  EXPECT_EQ(publish(), code(StatusCode::kOk));
  EXPECT_EQ(read(output()), "the result");
  EXPECT_EQ(read(stem + ".2" + extension), "the second");
  EXPECT_EQ(read(stem + ".3" + extension), "the third");
}

TEST_F(PublishingTest, AnEmptyFileOfSomebodyElseIsNoClaim) {
  write(output(), "");
  finish();
  if (publish(FileSystem::kNeither) == kNoFilter) GTEST_SKIP() << "the kernel takes no seccomp filter here";
  EXPECT_EQ(publish(FileSystem::kNeither), code(StatusCode::kAlreadyExists));
  EXPECT_EQ(publish(FileSystem::kNeither), code(StatusCode::kAlreadyExists)) << "nor at the second try";
}

TEST_F(PublishingTest, KilledAnywhereTheNextOneEndsIt) {
  if (!kHasFaultPoints) GTEST_SKIP() << "fault points are compiled out";
  for (const FileSystem knows : file_systems())
    for (const bool overwrite : {false, true}) {
      job_.mutable_settings()->set_overwrite(overwrite);
      int kills = 0;
      for (int at = 1; at <= kills + 1; at++) {
        SCOPED_TRACE(testing::Message() << int(knows) << " overwrite " << overwrite << " point " << at);
        if (overwrite) write(output(), "what was there");
        finish();
        const int first = publish(knows, at);
        if (first == kKilled) kills++;
        EXPECT_TRUE(first == kKilled || first == code(StatusCode::kOk)) << first;
        EXPECT_EQ(publish(knows), code(StatusCode::kOk));
        EXPECT_EQ(read(output()), "the result");
        fs::remove_all(work());
        fs::remove(output());
      }
      EXPECT_GE(kills, 3);
    }
}

TEST_F(PublishingTest, NothingIsPublishedFromAFolderThatIsGone) {
  finish();
  fs::rename(folder_.path() + "/outputs", folder_.path() + "/moved");
  fs::create_directory(folder_.path() + "/outputs");
  EXPECT_EQ(publish(), code(StatusCode::kFailedPrecondition));
  EXPECT_FALSE(fs::exists(output()));
  EXPECT_EQ(read(folder_.path() + "/moved/" + fs::path(work()).filename().string() + "/finished"),
            "the result");
  fs::remove(folder_.path() + "/outputs");
  EXPECT_EQ(publish(), code(StatusCode::kFailedPrecondition)) << "and not without any folder";
  fs::rename(folder_.path() + "/moved", folder_.path() + "/outputs");
  EXPECT_EQ(publish(), code(StatusCode::kOk)) << "put back, it goes on";
}

TEST_F(PublishingTest, AFinishedFileThatIsNowhereIsNoSuccess) {
  make_work_folder();
  EXPECT_EQ(publish(), code(StatusCode::kDataLoss)) << "never made";
  finish();
  ASSERT_EQ(publish(), code(StatusCode::kOk));
  fs::remove(output());
  EXPECT_EQ(publish(), code(StatusCode::kDataLoss)) << "moved, and removed since";
  write(output(), "another one");
  EXPECT_EQ(publish(), code(StatusCode::kDataLoss)) << "moved, and replaced since";
}

TEST_F(PublishingTest, AnEncoderThatWritesNothingHasNothingToPublish) {
  job_.mutable_spec()->mutable_video()->mutable_encoding()->set_encoder(v1::ENCODER_NULL);
  EXPECT_EQ(publish(), code(StatusCode::kOk));
}

TEST_F(PublishingTest, ALaterAttemptHasANoteOfItsOwn) {
  finish("of the first attempt");
  write(output(), "somebody else's");
  EXPECT_EQ(publish(), code(StatusCode::kAlreadyExists));
  fs::remove(output());
  job_.set_attempt(2);
  fs::remove(work() + "/finished");
  finish("of the second attempt, longer");
  EXPECT_EQ(publish(), code(StatusCode::kOk));
  EXPECT_EQ(read(output()), "of the second attempt, longer");
}

TEST_F(PublishingTest, FramesOfASequenceGoOneByOne) {
  job_.mutable_spec()->mutable_image()->set_input(folder_.path() + "/in.*.exr");
  job_.mutable_spec()->mutable_image()->set_output(folder_.path() + "/outputs/out.*.exr");
  make_work_folder();
  EXPECT_EQ(publish(), code(StatusCode::kDataLoss)) << "nothing is finished";
  for (const FileSystem knows : file_systems()) {
    SCOPED_TRACE(int(knows));
    const std::string folder = folder_.path() + "/outputs/";
    make_work_folder();
    fs::create_directories(work() + "/finished");
    write(work() + "/finished/out.10.exr", "ten");
    write(work() + "/finished/out.9 of\nnine.exr", "nine");
    write(folder + "out.9 of\nnine.exr", "somebody's");
    EXPECT_EQ(publish(knows), code(StatusCode::kAlreadyExists));
    EXPECT_EQ(read(folder + "out.9 of\nnine.exr"), "somebody's");
    fs::remove(folder + "out.9 of\nnine.exr");
    EXPECT_EQ(publish(knows), code(StatusCode::kOk));
    EXPECT_EQ(read(folder + "out.9 of\nnine.exr"), "nine");
    EXPECT_EQ(read(folder + "out.10.exr"), "ten");
    EXPECT_EQ(publish(knows), code(StatusCode::kOk));
    fs::remove(folder + "out.10.exr");
    EXPECT_EQ(publish(knows), code(StatusCode::kDataLoss));
    fs::remove(folder + "out.9 of\nnine.exr");
    fs::remove_all(work());
  }
}

// The work folder of another job takes the place of this job's, with its file and its note. Nothing
// of it is published as this job's output.
TEST_F(PublishingTest, AnotherJobsWorkFolderIsNotPublished) {
  const v1::Job other = other_job("what the other one made");
  write(other.spec().video().output(), "in its way");
  const v1::Job own = job_;
  job_ = other;
  ASSERT_EQ(publish(), code(StatusCode::kAlreadyExists)) << "so that its note stays";
  job_ = own;
  finish();
  fs::rename(work(), folder_.path() + "/outputs/moved");
  fs::rename(work_folder_of(other, ""), work());
  job_.mutable_settings()->set_overwrite(true);
  EXPECT_EQ(publish(), code(StatusCode::kPermissionDenied));
  EXPECT_FALSE(fs::exists(output()));
  EXPECT_EQ(read(work() + "/finished"), "what the other one made");
  fs::rename(work(), folder_.path() + "/outputs/his");
  fs::rename(folder_.path() + "/outputs/moved", work());
  EXPECT_EQ(publish(), code(StatusCode::kOk)) << "put back, it goes on";
  EXPECT_EQ(read(output()), "the result");
}

TEST_F(PublishingTest, AnOlderAttemptsWorkFolderIsNotPublished) {
  finish("of the first attempt");
  fs::rename(work(), folder_.path() + "/outputs/moved");
  job_.set_attempt(2);
  finish("of the second attempt");
  fs::rename(work(), folder_.path() + "/outputs/newer");
  fs::rename(folder_.path() + "/outputs/moved", work());
  EXPECT_EQ(publish(), code(StatusCode::kPermissionDenied));
  EXPECT_FALSE(fs::exists(output()));
}

// The proof in a work folder is invalid in another folder, for another job or owner, or with
// another store's secret.
TEST_F(PublishingTest, AWorkFolderIsBoundByItself) {
  finish();
  const std::string copy = folder_.path() + "/outputs/copy";
  fs::copy(work(), copy, fs::copy_options::recursive);
  const auto opened = [](const std::string& path) {
    return channel::FileDescriptor(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  };
  EXPECT_TRUE(is_bound(opened(work()).get(), job_, kSecret));
  EXPECT_FALSE(is_bound(opened(copy).get(), job_, kSecret)) << "another inode";
  EXPECT_FALSE(is_bound(opened(work()).get(), job_, "another secret"));
  v1::Job other = job_;
  other.set_id("01ARZ3NDEKTSV4RRFFQ69G5FAW");
  EXPECT_FALSE(is_bound(opened(work()).get(), other, kSecret));
  other = job_;
  other.mutable_settings()->set_owner("bob");
  EXPECT_FALSE(is_bound(opened(work()).get(), other, kSecret));
  job_.set_attempt(2);
  EXPECT_FALSE(is_bound(opened(work()).get(), job_, kSecret));
  EXPECT_TRUE(was_bound(opened(work()).get(), job_, kSecret)) << "a later attempt goes on in it";
}

// The note contains no path: the output path of the specification is used.
TEST_F(PublishingTest, ANoteLeadsNowhereElse) {
  finish();
  write(folder_.path() + "/precious", "somebody's");
  struct stat info {};
  ASSERT_EQ(::stat((work() + "/finished").c_str(), &info), 0);
  for (const std::string& name : {std::string("../../precious"), std::string("finished/../../../precious"),
                                  std::string("finished.02"), std::string("publishing-1")}) {
    write(work() + "/publishing-1",
          fmt::format("{} {} 0 {} {}\n", info.st_size, info.st_ino, name.size(), name));
    EXPECT_EQ(publish(), code(StatusCode::kDataLoss)) << name;
  }
  for (const char* text :
       {"nonsense", "10 1 1 8 finished", "10 1 1 99999 finished\n", "10 1 1 -8 finished\n"}) {
    write(work() + "/publishing-1", text);
    EXPECT_EQ(publish(), code(StatusCode::kDataLoss)) << text;
  }
  EXPECT_EQ(read(folder_.path() + "/precious"), "somebody's");
  EXPECT_EQ(read(work() + "/finished"), "the result");
}

// After the submit, the job may need a further output file, and files may be moved.
TEST_F(PublishingTest, NoInputIsReplaced) {
  job_.mutable_settings()->set_overwrite(true);
  const std::string input = folder_.path() + "/outputs/out.2.mkv";
  write(input, "the input");
  job_.mutable_spec()->mutable_video()->set_input(input);
  finish();
  write(work() + "/finished.2", "the second piece");
  EXPECT_EQ(publish(), code(StatusCode::kFailedPrecondition));
  EXPECT_EQ(read(input), "the input");
  EXPECT_FALSE(fs::exists(output())) << "the output comes last";
  fs::rename(input, folder_.path() + "/in.ts");
  fs::create_symlink(folder_.path() + "/in.ts", input);
  EXPECT_EQ(publish(), code(StatusCode::kFailedPrecondition)) << "a link that leads to it";
  job_.mutable_spec()->mutable_video()->set_input(folder_.path() + "/in.ts");
  fs::remove(input);
  fs::create_hard_link(folder_.path() + "/in.ts", input);
  EXPECT_EQ(publish(), code(StatusCode::kFailedPrecondition)) << "another name of it";
  fs::remove(input);
  write(input, "an older piece");
  EXPECT_EQ(publish(), code(StatusCode::kOk)) << "what is nobody's input may be replaced";
  EXPECT_EQ(read(input), "the second piece");
}

TEST_F(PublishingTest, NoFrameOfTheInputIsReplaced) {
  job_.mutable_settings()->set_overwrite(true);
  const std::string folder = folder_.path() + "/outputs/";
  job_.mutable_spec()->mutable_image()->set_input(folder_.path() + "/in.*.exr");
  job_.mutable_spec()->mutable_image()->set_output(folder + "out.*.exr");
  job_.mutable_spec()->mutable_image()->set_frames("1-2");
  for (const char* frame : {"1", "2", "3"}) write(folder_.path() + "/in." + frame + ".exr", "a frame");
  make_work_folder();
  fs::create_directories(work() + "/finished");
  write(work() + "/finished/out.1.exr", "one");
  fs::create_hard_link(folder_.path() + "/in.3.exr", folder + "out.1.exr");
  EXPECT_EQ(publish(), code(StatusCode::kFailedPrecondition)) << "out of the range, and yet of the sequence";
  EXPECT_EQ(read(folder_.path() + "/in.3.exr"), "a frame");
  fs::remove(folder + "out.1.exr");
  EXPECT_EQ(publish(), code(StatusCode::kOk));
}

}  // namespace
}  // namespace weft::queue
