// SPDX-License-Identifier: Apache-2.0
// Tests the publishing of finished files from a work folder on another file system: copies, their
// verification, a kill at every fault point, and full file systems.
#include <filesystem>
#include <set>
#include <string>

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "tests/server/queue/files/publishing_fixture.h"

namespace weft::queue {
namespace {

namespace fs = std::filesystem;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

dev_t file_system_of(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 ? info.st_dev : 0;
}

// Returns the standard output of a shell command in a folder, without its last line break.
std::string shell(const std::string& folder, const std::string& command) {
  FILE* pipe = ::popen(("cd '" + folder + "' && " + command).c_str(), "r");
  std::string text;
  for (int c; pipe != nullptr && (c = std::fgetc(pipe)) != EOF;) text += char(c);
  if (pipe != nullptr) ::pclose(pipe);
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

class LandingTest : public PublishingTest {
 protected:
  LandingTest() {
    std::string name = "/dev/shm/weft-landing-XXXXXX";
    if (::mkdtemp(name.data()) != nullptr) location_ = name;
    work_in(location_);
  }
  ~LandingTest() override {
    std::error_code error;
    if (!location_.empty()) fs::remove_all(location_, error);
  }
  void SetUp() override {
    if (location_.empty() || file_system_of(location_) == file_system_of(outputs()))
      GTEST_SKIP() << "/dev/shm and the folder of temporary files are one file system here";
  }

  void work_in(const std::string& folder) {
    job_.set_work_location(folder);
    job_.mutable_settings()->set_work_dir(folder);
  }
  std::string outputs() const { return folder_.path() + "/outputs"; }
  // Returns the names in a folder, hidden ones included.
  static std::set<std::string> names_in(const std::string& folder) {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder)) names.insert(entry.path().filename().string());
    return names;
  }
  // Removes the work folder and the landing folders, in a child process (see bind()).
  void discard() const {
    EXPECT_EQ(in_child([this] { return int(discard_job(job_, "", kSecret).code()); }), code(StatusCode::kOk));
  }
  // Uses a sequence of images with a preview in another folder.
  void make_sequence() {
    fs::create_directory(folder_.path() + "/previews");
    v1::ImageJob& image = *job_.mutable_spec()->mutable_image();
    image.set_input(folder_.path() + "/in.*.exr");
    image.set_output(outputs() + "/out.*.exr");
    image.set_preview(folder_.path() + "/previews/preview.png");
    make_work_folder();
    fs::create_directories(work() + "/finished");
    write(work() + "/finished/out.2.exr", "two");
    write(work() + "/finished/out.10.exr", "ten");
    write(work() + "/finished-preview", "the preview");
  }
  v1::OutputHash& add_hash(const std::string& path, const std::string& sha256, int files = 0) {
    v1::OutputHash& hash = *job_.mutable_result()->add_output_hashes();
    hash.set_path(path);
    hash.set_sha256(sha256);
    hash.set_files(files);
    return hash;
  }

  std::string location_;
};

TEST_F(LandingTest, FilesAreCopiedToAnotherFileSystem) {
  for (const FileSystem knows : file_systems()) {
    SCOPED_TRACE(int(knows));
    finish();
    fs::permissions(work() + "/finished", fs::perms(0640));
    EXPECT_EQ(publish(knows), code(StatusCode::kOk));
    EXPECT_EQ(read(output()), "the result");
    EXPECT_EQ(fs::status(output()).permissions(), fs::perms(0640));
    EXPECT_EQ(publish(knows), code(StatusCode::kOk)) << "repeating it is harmless";
    discard();
    EXPECT_THAT(names_in(outputs()), UnorderedElementsAre("out.mkv"));
    EXPECT_THAT(names_in(location_), IsEmpty());

    write(output(), "somebody else's");
    finish();
    EXPECT_EQ(publish(knows), code(StatusCode::kAlreadyExists));
    EXPECT_EQ(read(output()), "somebody else's");
    EXPECT_EQ(read(work() + "/finished"), "the result") << "what is finished stays";
    EXPECT_THAT(names_in(outputs()), UnorderedElementsAre("out.mkv")) << "and its copy goes";
    job_.mutable_settings()->set_overwrite(true);
    EXPECT_EQ(publish(knows), code(StatusCode::kOk));
    EXPECT_EQ(read(output()), "the result");
    job_.mutable_settings()->clear_overwrite();
    discard();
    fs::remove(output());
  }
}

TEST_F(LandingTest, AWorkFolderOnTheSameFileSystemNeedsNoCopy) {
  fs::create_directory(folder_.path() + "/work");
  work_in(folder_.path() + "/work");
  finish();
  struct stat before {
  }, after{};
  ASSERT_EQ(::stat((work() + "/finished").c_str(), &before), 0);
  EXPECT_EQ(publish(), code(StatusCode::kOk));
  ASSERT_EQ(::stat(output().c_str(), &after), 0);
  EXPECT_EQ(before.st_ino, after.st_ino);
  discard();
  EXPECT_THAT(names_in(outputs()), UnorderedElementsAre("out.mkv"));
  EXPECT_THAT(names_in(folder_.path() + "/work"), IsEmpty());
}

// A rename between two mounts of one file system fails as one between two file systems.
TEST_F(LandingTest, AnotherMountOfTheFileSystemNeedsACopy) {
  fs::create_directory(folder_.path() + "/work");
  work_in(folder_.path() + "/work");
  finish();
  constexpr int kNoMount = 101;
  const int published = in_child([&] {
    const bool is_mounted = ::unshare(CLONE_NEWNS) == 0 &&
                            ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                            ::mount(outputs().c_str(), outputs().c_str(), nullptr, MS_BIND, nullptr) == 0;
    if (!is_mounted) return kNoMount;
    return int(publish_job(job_, "", {"a store", kSecret}).code());
  });
  if (published == kNoMount) GTEST_SKIP() << "this user may not mount a folder";
  EXPECT_EQ(published, code(StatusCode::kOk));
  EXPECT_EQ(read(output()), "the result");
  EXPECT_EQ(read(work() + "/finished"), "the result") << "it was copied";
  EXPECT_EQ(publish(), code(StatusCode::kOk)) << "also without that mount";
  discard();
  EXPECT_THAT(names_in(outputs()), UnorderedElementsAre("out.mkv"));
}

TEST_F(LandingTest, KilledAnywhereTheNextOneEndsIt) {
  if (!kHasFaultPoints) GTEST_SKIP() << "fault points are compiled out";
  for (const FileSystem knows : file_systems())
    for (const bool overwrite : {false, true}) {
      if (overwrite && knows == FileSystem::kLink) continue;  // a replacement is a rename
      job_.mutable_settings()->set_overwrite(overwrite);
      int kills = 0;
      for (int at = 1; at <= kills + 1; at++) {
        SCOPED_TRACE(testing::Message() << int(knows) << " overwrite " << overwrite << " point " << at);
        if (overwrite) write(output(), "what was there");
        finish();
        write(work() + "/finished.2", "the second");
        const int first = publish(knows, at);
        if (first == kKilled) kills++;
        EXPECT_TRUE(first == kKilled || first == code(StatusCode::kOk)) << first;
        EXPECT_EQ(publish(knows), code(StatusCode::kOk));
        EXPECT_EQ(read(output()), "the result");
        EXPECT_EQ(read(outputs() + "/out.2.mkv"), "the second");
        discard();
        EXPECT_THAT(names_in(outputs()), UnorderedElementsAre("out.mkv", "out.2.mkv"));
        EXPECT_THAT(names_in(location_), IsEmpty());
        fs::remove(output());
        fs::remove(outputs() + "/out.2.mkv");
      }
      EXPECT_GE(kills, 10);
    }
}

TEST_F(LandingTest, SequencesAndFurtherOutputsAreCopied) {
  make_sequence();
  add_hash(outputs() + "/out.*.exr",
           shell(work() + "/finished", "LC_ALL=C sha256sum -- * | sha256sum | head -c 64"), 2);
  add_hash(folder_.path() + "/previews/preview.png",
           shell(work(), "sha256sum finished-preview | head -c 64"));
  EXPECT_EQ(publish(), code(StatusCode::kOk));
  discard();
  EXPECT_EQ(read(outputs() + "/out.2.exr"), "two");
  EXPECT_EQ(read(outputs() + "/out.10.exr"), "ten");
  EXPECT_EQ(read(folder_.path() + "/previews/preview.png"), "the preview");
  EXPECT_THAT(names_in(outputs()), UnorderedElementsAre("out.2.exr", "out.10.exr"));
  EXPECT_THAT(names_in(folder_.path() + "/previews"), UnorderedElementsAre("preview.png"));
  EXPECT_THAT(names_in(location_), IsEmpty());
}

TEST_F(LandingTest, AFileThatChangedInItsWorkFolderIsNotPublished) {
  finish();
  add_hash(output(), shell(work(), "printf 'what the worker wrote' | sha256sum | head -c 64"));
  EXPECT_EQ(publish(), code(StatusCode::kDataLoss));
  EXPECT_THAT(names_in(outputs()), IsEmpty());
  job_.clear_result();
  make_sequence();
  add_hash(outputs() + "/out.*.exr", std::string(64, '0'), 2);
  EXPECT_EQ(publish(), code(StatusCode::kDataLoss));
  EXPECT_THAT(names_in(outputs()), IsEmpty());
}

// The copy is changed between its writing and its verification.
TEST_F(LandingTest, ACopyThatDiffersIsNotPublished) {
  finish();
  const std::string landing = outputs() + "/" + fs::path(work()).filename().string();
  int64_t calls = 0;
  const CopyReport change_copy = [&](int64_t done_bytes, int64_t total_bytes) {
    if (++calls > 1 || 2 * done_bytes != total_bytes) return ok_status();
    for (const auto& entry : fs::directory_iterator(landing))
      if (entry.path().filename().string().starts_with("copy-")) {
        std::fstream copy(entry.path(), std::ios::in | std::ios::out);
        copy << "T";
      }
    return ok_status();
  };
  EXPECT_EQ(publish(FileSystem::kRename, 0, change_copy), code(StatusCode::kUnavailable)) << "it is repeated";
  EXPECT_THAT(names_in(outputs()), IsEmpty());
  EXPECT_EQ(publish(), code(StatusCode::kOk));
  EXPECT_EQ(read(output()), "the result");
}

TEST_F(LandingTest, ACopyIsReportedAndCanBeEnded) {
  constexpr int64_t kBytes = 5 << 20;
  finish(std::string(kBytes, 'x'));
  const CopyReport end_it = [&](int64_t done_bytes, int64_t total_bytes) {
    if (total_bytes != 2 * kBytes) return internal_error("Each byte counts twice.");
    return done_bytes >= 3 << 20 ? cancelled("It is ended.") : ok_status();
  };
  EXPECT_EQ(publish(FileSystem::kRename, 0, end_it), code(StatusCode::kCancelled));
  EXPECT_THAT(names_in(outputs()), IsEmpty());
  constexpr int kNotAll = 102;
  EXPECT_EQ(in_child([&] {
              int64_t last = 0;
              const CopyReport count = [&](int64_t done_bytes, int64_t /*total_bytes*/) {
                last = done_bytes;
                return ok_status();
              };
              const Status published = publish_job(job_, "", {"a store", kSecret}, {}, count);
              return last == 2 * kBytes ? int(published.code()) : kNotAll;
            }),
            code(StatusCode::kOk));
  EXPECT_EQ(fs::file_size(output()), size_t(kBytes));
}

TEST_F(LandingTest, AWorkFolderThatIsGonePublishesNothing) {
  finish();
  fs::remove_all(location_);
  EXPECT_EQ(publish(), code(StatusCode::kFailedPrecondition));
  EXPECT_THAT(names_in(outputs()), IsEmpty());
  fs::create_directory(location_);
  EXPECT_EQ(publish(), code(StatusCode::kFailedPrecondition)) << "also in an empty folder";
  make_work_folder();
  EXPECT_EQ(publish(), code(StatusCode::kDataLoss)) << "never made";
}

// Runs in a mount namespace of its own, with a small tmpfs at the outputs.
TEST_F(LandingTest, AFullFileSystemOfTheOutputKeepsTheFinishedFile) {
  constexpr int kNoMount = 101, kLeftovers = 102;
  finish(std::string(1 << 20, 'x'));
  const int published = in_child([&] {
    const bool is_mounted = ::unshare(CLONE_NEWNS) == 0 &&
                            ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                            ::mount("none", outputs().c_str(), "tmpfs", 0, "size=256k") == 0;
    if (!is_mounted) return kNoMount;
    const Status full = publish_job(job_, "", {"a store", kSecret});
    if (!names_in(outputs()).empty()) return kLeftovers;
    if (full.code() != StatusCode::kResourceExhausted) return int(full.code());
    if (::mount("none", outputs().c_str(), "tmpfs", MS_REMOUNT, "size=4m") != 0) return kNoMount;
    const Status later = publish_job(job_, "", {"a store", kSecret});
    return later.ok() && read(output()).size() == 1 << 20 ? int(StatusCode::kOk) : int(later.code());
  });
  if (published == kNoMount) GTEST_SKIP() << "this user may not mount a file system";
  EXPECT_EQ(published, code(StatusCode::kOk));
  EXPECT_EQ(fs::file_size(work() + "/finished"), size_t(1 << 20));
}

}  // namespace
}  // namespace weft::queue
