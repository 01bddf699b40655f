// SPDX-License-Identifier: Apache-2.0
// Tests the files of a job before it runs (admission) and while it runs (work folder).
#include "server/queue/files/job_files.h"

#include <filesystem>
#include <fstream>
#include <thread>

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "options/validate.h"
#include "server/queue/admission/admission_files.h"
#include "server/queue/files/disk_budget.h"
#include "server/queue/records/orphans.h"
#include "tests/server/queue/queue_fixture.h"

namespace weft::queue {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class JobFilesTest : public testing::Test {
 protected:
  JobFilesTest() { write(input_, "an input"); }

  static void write(const std::string& path, const std::string& text) { std::ofstream(path) << text; }
  static std::string read(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  v1::Job job() const {
    v1::Job result;
    result.set_id("01ARZ3NDEKTSV4RRFFQ69G5FAV");
    result.mutable_spec()->mutable_video()->set_input(input_);
    result.mutable_spec()->mutable_video()->set_output(output_);
    return result;
  }
  // Returns the only violation, such as "input: The input ...".
  std::string complaint(const std::string& input, const std::string& output, bool overwrite = false) const {
    v1::JobSpec spec;
    spec.mutable_video()->set_input(input);
    spec.mutable_video()->set_output(output);
    const auto checked = check_files(spec, overwrite);
    if (checked.ok()) return "";
    const auto violations = options::violations_of(checked.status());
    if (violations.size() != 1) return checked.status().ToString();
    return violations[0].field.substr(violations[0].field.rfind('.') + 1) + ": " + violations[0].description;
  }

  TemporaryFolder folder_;
  const std::string input_ = folder_.path() + "/in.ts";
  const std::string output_ = folder_.path() + "/out.mkv";
};

TEST_F(JobFilesTest, GoodFilesPass) {
  auto checked = check_files(job().spec(), false);
  ASSERT_TRUE(checked.ok()) << checked.status();
  EXPECT_EQ(checked->named.inputs[0].field, "spec.video.input");
  EXPECT_EQ(checked->named.outputs[0].path, output_);
  EXPECT_TRUE(checked->inputs[0].descriptor.is_open());
  EXPECT_EQ(checked->inputs[0].info.st_size, 8);
  EXPECT_GT(checked->free_bytes, 0);
  EXPECT_NE(checked->file_system, 0u);
}

// Returns a job without input and output, as some kinds are.
v1::Job job_without_files() {
  v1::Job none;
  none.set_id("01ARZ3NDEKTSV4RRFFQ69G5FAV");
  none.mutable_spec()->mutable_video();
  return none;
}

TEST_F(JobFilesTest, AJobWithoutFilesWorksInTheStateFolder) {
  const v1::Job none = job_without_files();
  const auto checked = check_files(none.spec(), false);
  ASSERT_THAT(checked, IsOk());
  EXPECT_TRUE(checked->inputs.empty());
  EXPECT_EQ(checked->file_system, 0u);
  EXPECT_TRUE(paths_of(none).empty());

  const std::string& state = folder_.path();
  const std::string work = work_folder_of(none, state);
  EXPECT_EQ(work, state + "/work/.weft-01ARZ3NDEKTSV4RRFFQ69G5FAV");
  auto files = open_job(none, state, {"a store"});
  ASSERT_THAT(files, IsOk());
  EXPECT_TRUE(files->inputs.empty());
  EXPECT_TRUE(fs::is_directory(work));
  // Only one attempt at a time can lock the work folder.
  EXPECT_THAT(open_job(none, state, {"a store"}), StatusIs(StatusCode::kAborted));
  remove_unused_folder(none, state, *files);
  EXPECT_FALSE(fs::exists(work));
  const auto spaces = probe_disks(none, state);
  ASSERT_EQ(spaces.size(), 1u);
  EXPECT_THAT(check_low_disk(spaces[0], 1), IsOk());
  EXPECT_THAT(check_low_disk(spaces[0], INT64_MAX), StatusIs(StatusCode::kResourceExhausted, state));
  files = open_job(none, state, {"a store"});
  ASSERT_THAT(files, IsOk());
  write(work + "/segment", "what is finished");
  EXPECT_THAT(discard_job(none, state, ""), IsOk());
  EXPECT_FALSE(fs::exists(work));

  ASSERT_THAT(open_job(none, state, {"a store"}), IsOk());
  const KnownJobs jobs{.store_id = "a store", .ids = {}, .before = "02"};
  EXPECT_THAT(remove_orphans(jobs, work_location_of(state)),
              ::testing::ElementsAre(work_folder_of(none, state)));
}

TEST_F(JobFilesTest, BadInputsAreNamed) {
  const std::string fifo = folder_.path() + "/fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  write(folder_.path() + "/empty", "");
  fs::create_symlink(folder_.path() + "/loop", folder_.path() + "/loop");
  EXPECT_THAT(complaint(folder_.path() + "/none", output_), HasSubstr("input: The input does not exist"));
  EXPECT_THAT(complaint(fifo, output_), HasSubstr("input: The input is a pipe"));
  EXPECT_THAT(complaint(folder_.path(), output_), HasSubstr("input: The input is a folder"));
  EXPECT_THAT(complaint("/dev/zero", output_), HasSubstr("input: The input is a device"));
  EXPECT_THAT(complaint(folder_.path() + "/empty", output_), HasSubstr("input: The input is empty"));
  EXPECT_THAT(complaint(folder_.path() + "/loop", output_), HasSubstr("input: The input goes round"));
  EXPECT_THAT(complaint(input_ + "/x", output_),
              HasSubstr("input: The input has a part that is not a folder"));
}

TEST_F(JobFilesTest, BadOutputsAreNamed) {
  const std::string& here = folder_.path();
  fs::create_symlink(input_, here + "/link.mkv");
  fs::create_hard_link(input_, here + "/hard.mkv");
  fs::create_directory(here + "/folder.mkv");
  EXPECT_THAT(complaint(input_, here + "/none/out.mkv"),
              testing::AllOf(HasSubstr("output: The output's folder does not exist"),
                             HasSubstr("; create it, or submit with --mkdir.")));
  EXPECT_THAT(complaint(input_, input_ + "/out.mkv"), HasSubstr("output: The output's folder"));
  EXPECT_THAT(complaint(input_, here + "/folder.mkv", true), HasSubstr("output: The output is a folder"));
  EXPECT_THAT(complaint(input_, here + "/"), HasSubstr("output: The output names a folder"));
  EXPECT_THAT(complaint(input_, here + "/" + std::string(options::kMaxFileNameBytes + 1, 'x')),
              HasSubstr("output: The output's file name is too long"));
  EXPECT_EQ(complaint(input_, here + "/" + std::string(options::kMaxFileNameBytes, 'x')), "");
  for (const char* same : {"/in.ts", "/link.mkv", "/hard.mkv", "/folder.mkv/../in.ts"})
    EXPECT_THAT(complaint(input_, here + same, true), HasSubstr("output: The output is the input itself"))
        << same;
}

TEST_F(JobFilesTest, AnOutputThatIsThereNeedsLeave) {
  write(output_, "precious");
  EXPECT_THAT(complaint(input_, output_), HasSubstr("output: The output is there already"));
  EXPECT_THAT(check_files(job().spec(), false), StatusIs(StatusCode::kFailedPrecondition));
  EXPECT_EQ(complaint(input_, output_, true), "");
}

// A job on an image sequence: its input folder is opened, and its output has a file per frame.
class SequenceFilesTest : public JobFilesTest {
 protected:
  SequenceFilesTest() {
    for (const char* name : {"in.9.exr", "in.10.exr", "other.exr"})
      write(folder_.path() + "/" + name, "a frame");
  }
  v1::Job sequence(const std::string& input, const std::string& output) const {
    v1::Job result;
    result.set_id("01ARZ3NDEKTSV4RRFFQ69G5FAV");
    result.mutable_spec()->mutable_image()->set_input(folder_.path() + "/" + input);
    result.mutable_spec()->mutable_image()->set_output(folder_.path() + "/" + output);
    return result;
  }
  std::string complaint_of(const v1::Job& job, bool overwrite = false) const {
    return message_of(check_files(job.spec(), overwrite).status());
  }
};

TEST_F(SequenceFilesTest, ItsFolderIsOpened) {
  v1::Job job = sequence("in.*.exr", "out.%04d.exr");
  write(folder_.path() + "/kernel.exr", "a kernel");
  job.mutable_spec()->mutable_image()->add_filters()->mutable_bloom()->set_kernel(folder_.path() +
                                                                                  "/kernel.exr");
  job.mutable_spec()->mutable_image()->set_preview(folder_.path() + "/look.png");
  const auto checked = check_files(job.spec(), false);
  ASSERT_THAT(checked, IsOk());
  ASSERT_EQ(checked->inputs.size(), 2u);
  EXPECT_TRUE(S_ISDIR(checked->inputs[0].info.st_mode));
  EXPECT_EQ(checked->inputs[1].info.st_size, 8);
  ASSERT_EQ(checked->named.outputs.size(), 2u);
  EXPECT_EQ(checked->named.outputs[1].field, "spec.image.preview");

  const auto files = open_job(job, "", {""});
  ASSERT_THAT(files, IsOk());
  EXPECT_EQ(files->inputs.size(), 2u);
}

TEST_F(SequenceFilesTest, AFrameThatChangedAfterTheSubmitIsSeen) {
  v1::Job job = sequence("in.*.exr", "out.%04d.exr");
  struct stat newest {};
  for (const auto& entry : fs::directory_iterator(folder_.path())) {
    struct stat info {};
    ASSERT_EQ(::stat(entry.path().c_str(), &info), 0);
    const auto is_newer = [&] {
      return std::pair(info.st_ctim.tv_sec, info.st_ctim.tv_nsec) >
             std::pair(newest.st_ctim.tv_sec, newest.st_ctim.tv_nsec);
    };
    if (is_newer()) newest = info;
  }
  job.mutable_submit_time()->set_seconds(newest.st_ctim.tv_sec);
  job.mutable_submit_time()->set_nanos(int32_t(newest.st_ctim.tv_nsec));
  EXPECT_FALSE(open_job(job, "", {""})->inputs_changed);
  // An older file replaces a frame.
  const std::string old = folder_.path() + "/old", frame = folder_.path() + "/in.10.exr";
  const auto written = fs::last_write_time(frame);
  do {
    write(old, "another frame");
    fs::last_write_time(old, written - std::chrono::hours(1));
    fs::rename(old, frame);
    ASSERT_EQ(::stat(frame.c_str(), &newest), 0);
  } while (newest.st_ctim.tv_sec == job.submit_time().seconds() &&
           newest.st_ctim.tv_nsec == job.submit_time().nanos());
  EXPECT_TRUE(open_job(job, "", {""})->inputs_changed);
}

TEST_F(SequenceFilesTest, WhatIsWrongIsSaid) {
  EXPECT_THAT(complaint_of(sequence("in.%04d.exr", "out.%04d.exr")), HasSubstr("no frame of the sequence"));
  EXPECT_THAT(complaint_of(sequence("none/in.%d.exr", "out.%d.exr")), HasSubstr("does not exist"));
  EXPECT_THAT(complaint_of(sequence("in.*.exr", "out.exr")), HasSubstr("put a field for the frame's number"));
  EXPECT_THAT(complaint_of(sequence("other.exr", "out.%d.exr")), HasSubstr("the input is one file"));
  EXPECT_THAT(complaint_of(sequence("in.*.exr", "in.%d.exr"), true), HasSubstr("is a frame of the input"));
  v1::Job ranged = sequence("in.*.exr", "out.*.exr");
  ranged.mutable_spec()->mutable_image()->set_frames("1-");
  EXPECT_THAT(complaint_of(ranged), HasSubstr("are no range"));
}

TEST_F(SequenceFilesTest, AFrameThatIsThereNeedsLeave) {
  write(folder_.path() + "/out.10.exr", "precious");
  v1::Job job = sequence("in.*.exr", "out.*.exr");
  EXPECT_THAT(complaint_of(job), HasSubstr("out.10.exr"));
  EXPECT_EQ(complaint_of(job, true), "");
  job.mutable_spec()->mutable_image()->set_frames("1-9");
  job.mutable_spec()->mutable_image()->set_missing(v1::MISSING_FRAMES_SKIP);
  EXPECT_EQ(complaint_of(job), "");  // That frame is not selected.
}

TEST_F(JobFilesTest, TheWorkFolderLiesBesideTheOutputForNobodyElse) {
  auto files = open_job(job(), "", {""});
  ASSERT_TRUE(files.ok()) << files.status();
  EXPECT_EQ(work_folder_of(job(), ""), folder_.path() + "/.out.mkv.weft-01ARZ3NDEKTSV4RRFFQ69G5FAV");
  struct stat info {};
  ASSERT_EQ(::stat(work_folder_of(job(), "").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700u);
  // Only one attempt at a time can lock the work folder.
  EXPECT_THAT(open_job(job(), "", {""}), StatusIs(StatusCode::kAborted));
  files->work_folder.reset();
  EXPECT_THAT(open_job(job(), "", {""}), IsOk());  // The next attempt can lock it again.
  EXPECT_THAT(discard_job(job(), "", ""), IsOk());
  EXPECT_FALSE(fs::exists(work_folder_of(job(), "")));
  EXPECT_THAT(discard_job(job(), "", ""), IsOk());
}

// A work folder is accepted only if the work in it is that of the job.
TEST_F(JobFilesTest, AWorkFolderThatIsNotTheJobsIsRefused) {
  const StoreIdentity store{"a store", "a secret"};
  v1::Job other = job();
  other.set_id("01ARZ3NDEKTSV4RRFFQ69G5FAW");
  ASSERT_THAT(open_job(other, "", store), IsOk());
  write(work_folder_of(other, "") + "/segment", "his work");
  fs::rename(work_folder_of(other, ""), work_folder_of(job(), ""));
  EXPECT_THAT(open_job(job(), "", store), StatusIs(StatusCode::kPermissionDenied, "somebody exchanged it"));
  EXPECT_TRUE(fs::exists(work_folder_of(job(), "") + "/segment"));
  EXPECT_THAT(discard_job(job(), "", store.secret), IsOk());
  EXPECT_TRUE(fs::exists(work_folder_of(job(), "") + "/segment")) << "nor is it removed";
  fs::rename(work_folder_of(job(), ""), folder_.path() + "/away");
  v1::Job later = job();
  for (const int attempt : {1, 2, 7}) {
    later.set_attempt(attempt);
    EXPECT_THAT(open_job(later, "", store), IsOk()) << "its own is gone on with";
    write(work_folder_of(later, "") + "/segment", "my work");
  }
  EXPECT_THAT(discard_job(later, "", store.secret), IsOk());
  EXPECT_FALSE(fs::exists(work_folder_of(later, "")));
}

TEST_F(JobFilesTest, AWorkFolderThatWasNotBoundBeforeACrashIsTaken) {
  for (const bool is_marked : {false, true}) {
    fs::create_directory(work_folder_of(job(), ""));
    if (is_marked) write(work_folder_of(job(), "") + "/store", "");
    EXPECT_THAT(open_job(job(), "", {"a store", "a secret"}), IsOk()) << is_marked;
    fs::remove_all(work_folder_of(job(), ""));
  }
}

// A worker may remove its unfinished files while the folder is removed.
TEST_F(JobFilesTest, AWorkFolderGoesWhileItsFilesAreRemovedBySomebodyElse) {
  constexpr int kTimes = 20;
  constexpr int kFiles = 200;
  for (int time = 0; time < kTimes; time++) {
    ASSERT_THAT(open_job(job(), "", {""}), IsOk());
    const std::string work = work_folder_of(job(), "");
    std::vector<fs::path> files;
    for (int i = 0; i < kFiles; i++) files.emplace_back(work + "/" + std::to_string(i));
    for (const fs::path& file : files) write(file.string(), "a piece");
    std::thread worker([&] {
      for (const fs::path& file : files) ::unlink(file.c_str());
    });
    EXPECT_THAT(discard_job(job(), "", ""), IsOk());
    worker.join();
    EXPECT_FALSE(fs::exists(work));
  }
}

TEST_F(JobFilesTest, WorkFoldersThatNoJobKnowsAreRemovedUnlessTheyAreSomebodyElses) {
  const auto job_with = [&](const std::string& id) {
    v1::Job result = job();
    result.set_id(id);
    return result;
  };
  const v1::Job known = job_with("01ARZ3NDEKTSV4RRFFQ69G5FA1");
  const v1::Job orphan = job_with("01ARZ3NDEKTSV4RRFFQ69G5FA2");
  const v1::Job at_work = job_with("01ARZ3NDEKTSV4RRFFQ69G5FA3");
  const v1::Job of_another_store = job_with("01ARZ3NDEKTSV4RRFFQ69G5FA4");
  const v1::Job unmarked = job_with("01ARZ3NDEKTSV4RRFFQ69G5FA5");
  const v1::Job new_one = job_with("01BRZ3NDEKTSV4RRFFQ69G5FA6");
  for (const v1::Job& each : {known, orphan, new_one}) ASSERT_THAT(open_job(each, "", {"store1"}), IsOk());
  const auto busy = open_job(at_work, "", {"store1"});
  ASSERT_THAT(busy, IsOk());
  ASSERT_THAT(open_job(of_another_store, "", {"store2"}), IsOk());
  ASSERT_THAT(open_job(unmarked, "", {""}), IsOk());
  write(folder_.path() + "/.film.weft-01ARZ3NDEKTSV4RRFFQ69G5FA7", "a file");
  KnownJobs jobs;
  jobs.store_id = "store1";
  jobs.ids = {known.id()};
  jobs.before = "01B00000000000000000000000";
  EXPECT_THAT(remove_orphans(jobs, folder_.path()), ::testing::ElementsAre(work_folder_of(orphan, "")));
  EXPECT_THAT(remove_orphans(jobs, folder_.path() + "/none"), ::testing::IsEmpty());
  EXPECT_FALSE(fs::exists(work_folder_of(orphan, "")));
  for (const v1::Job& each : {known, at_work, of_another_store, unmarked, new_one})
    EXPECT_TRUE(fs::exists(work_folder_of(each, ""))) << each.id();
}

TEST_F(JobFilesTest, AWorkFolderThatIsALinkIsRefused) {
  fs::create_directory(folder_.path() + "/elsewhere");
  fs::create_directory_symlink(folder_.path() + "/elsewhere", work_folder_of(job(), ""));
  EXPECT_FALSE(open_job(job(), "", {""}).ok());
  EXPECT_THAT(discard_job(job(), "", ""), IsOk());
  EXPECT_TRUE(fs::exists(folder_.path() + "/elsewhere"));
}

}  // namespace
}  // namespace weft::queue
