// SPDX-License-Identifier: Apache-2.0
// Tests the hashes of outputs against the program sha256sum.
#include "server/worker/job/output_hashes.h"

#include <filesystem>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/channel/file_descriptor.h"
#include "server/channel/sha256.h"
#include "tests/server/media/clips.h"

namespace weft::worker {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

Status go_on() { return ok_status(); }

class OutputHashesTest : public testing::Test {
 protected:
  OutputHashesTest() {
    fs::create_directory(path(""));
    descriptor_.reset(::open(path("").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }
  std::string path(const std::string& name) const { return folder_.path("work") + "/" + name; }
  void write(const std::string& name, const std::string& bytes) const {
    media::write_file(path(name), bytes);
  }
  // Returns the output of a command in the work folder.
  std::string shell(const std::string& command) const {
    return media::run(fmt::format("cd '{}' && LC_ALL=C && export LC_ALL && {}", path(""), command));
  }
  StatusOr<std::vector<v1::OutputHash>> finish(const std::vector<options::JobFile>& outputs) const {
    return hashes_.finish(descriptor_.get(), outputs, go_on);
  }
  static options::JobFile output(const std::string& file, const std::string& finished) {
    options::JobFile result;
    result.path = file;
    result.finished_name = finished;
    return result;
  }

  media::TestFolder folder_;
  channel::FileDescriptor descriptor_;
  OutputHashes hashes_;
};

TEST_F(OutputHashesTest, FilesOfEverySizeHaveTheHashOfSha256sum) {
  for (const size_t bytes : {0, 1, 55, 56, 64, 1 << 20, (1 << 20) + 1, 3'000'001}) {
    std::string content(bytes, '\0');
    for (size_t i = 0; i < bytes; i++) content[i] = char(i * i >> 3);
    write("finished", content);
    const auto hashes = finish({output("/out/a.mkv", "finished")}).value();
    ASSERT_EQ(hashes.size(), 1u);
    EXPECT_EQ(hashes[0].path(), "/out/a.mkv");
    EXPECT_EQ(hashes[0].files(), 0);
    EXPECT_EQ(hashes[0].sha256() + "  finished\n", shell("sha256sum finished"));
    EXPECT_EQ(channel::sha256_of(content), hashes[0].sha256());
  }
}

TEST_F(OutputHashesTest, EachPartAndEachFurtherOutputHasItsOwn) {
  write("finished", "one");
  write("finished.2", "two");
  write("finished.4", "of an earlier attempt");
  write("finished-preview", "look");
  options::JobFile main = output("/out/a.mkv", "finished");
  main.has_output_parts = true;
  const auto hashes =
      finish({main, output("/out/b.png", "finished-preview"), output("/c", "missing")}).value();
  std::vector<std::string> paths;
  for (const v1::OutputHash& hash : hashes) paths.push_back(hash.path());
  EXPECT_THAT(paths, ElementsAre("/out/a.mkv", "/out/a.2.mkv", "/out/b.png"));
  EXPECT_EQ(hashes[1].sha256(), channel::sha256_of("two"));
}

TEST_F(OutputHashesTest, SeveralFilesHaveTheHashOfTheirList) {
  fs::create_directory(path("finished"));
  for (const char* name :
       {"b.10.exr", "b.9.exr", "B.exr", "with space", "a\\b", "a\nb", "a\rb", "\xC3\xA4.exr"})
    write(fmt::format("finished/{}", name), name);
  options::JobFile set = output("/out/*.exr", "finished");
  set.is_sequence = true;
  const auto hashes = finish({set}).value();
  ASSERT_EQ(hashes.size(), 1u);
  EXPECT_EQ(hashes[0].path(), "/out/*.exr");
  EXPECT_EQ(hashes[0].files(), 8);
  EXPECT_EQ(hashes[0].sha256() + "  -\n", shell("cd finished && sha256sum -- * | sha256sum"));
}

TEST_F(OutputHashesTest, WhatWasWrittenIsNotReadAgain) {
  hashes_.add("finished", "first");
  hashes_.add("finished", "second");
  write("finished", "other");
  EXPECT_EQ(finish({output("/a", "finished")}).value()[0].sha256(), channel::sha256_of("second"));
  fs::remove(path("finished"));
  EXPECT_THAT(finish({output("/a", "finished")}).value(), IsEmpty());
}

TEST_F(OutputHashesTest, AStopActsInTheMiddleOfAFile) {
  write("finished", std::string(5 << 20, 'x'));
  int calls = 0;
  const auto stop = [&] { return ++calls < 3 ? ok_status() : Status(cancelled("The job is cancelled.")); };
  EXPECT_THAT(hashes_.finish(descriptor_.get(), {output("/a", "finished")}, stop).status(),
              StatusIs(StatusCode::kCancelled));
  EXPECT_EQ(calls, 3);
}

}  // namespace
}  // namespace weft::worker
