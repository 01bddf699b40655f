// SPDX-License-Identifier: Apache-2.0
// Tests that durable data remains after a power cut: each kind of file, on a disk that loses all
// unsynced data.
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include "server/media/file.h"
#include "server/media/write/output_file.h"
#include "server/media/write/segment_file.h"
#include "server/queue/files/job_files.h"
#include "server/queue/files/publishing.h"
#include "server/queue/files/work_binding.h"
#include "server/queue/records/orphans.h"
#include "server/queue/records/ulid.h"
#include "server/queue/store/store.h"
#include "tests/scenarios/power_cut_mount.h"
#include "tests/scenarios/scenario.h"

namespace weft::scenarios {
namespace {

namespace fs = std::filesystem;

constexpr char kBytes[] = "what was promised";

void sync_path(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  EXPECT_EQ(::fsync(file), 0) << path;
  ::close(file);
}

class DurableFilesTest : public ScenarioTest {
 protected:
  void SetUp() override {
    if (!disk_.is_there()) GTEST_SKIP() << disk_.why_not();
    // These folders exist from the beginning.
    for (const char* name : {"state", "out"}) fs::create_directory(disk_.path(name));
    sync_path(disk_.mount_point());
    job_.set_id("01ARZ3NDEKTSV4RRFFQ69G5FAV");
    job_.set_attempt(1);
    job_.mutable_spec()->mutable_video()->set_input(path("in.ts"));
    job_.mutable_spec()->mutable_video()->set_output(location());
    write_file(path("in.ts"), "not read");
  }
  std::string location() const { return disk_.path("out/out.mkv"); }
  std::string work_folder() const { return queue::work_folder_of(job_, state()); }
  std::string state() const { return disk_.path("state"); }
  // Makes the files of a finished attempt.
  void finish() {
    const auto open = queue::open_job(job_, state(), store_, {});
    ASSERT_TRUE(open.ok()) << open.status();
    ASSERT_TRUE(media::write_whole_file({open->work_folder.get(), "finished"}, kBytes).ok());
  }
  // Syncs the output folder, as if the attempt had begun long ago.
  void sync_out() const { sync_path(disk_.path("out")); }
  Status publish() { return queue::publish_job(job_, state(), store_); }

  // The power is cut at each sync in turn. After that the next call publishes the file, and once a
  // call has reported success, the file is published.
  void publish_at_every_sync() {
    bool was_cut = true;
    int tries = 0;
    for (int n = 1; was_cut; n++) {
      for (const std::string& left :
           {std::string("nothing"), std::string("all"), fmt::format("some {}", n)}) {
        SCOPED_TRACE(fmt::format("cut at sync {}, {} is left", n, left));
        ASSERT_TRUE(queue::discard_job(job_, state(), store_.secret).ok());
        fs::remove(location());
        sync_out();
        finish();
        disk_.cut_at_sync(n, left);
        const Status published = publish();
        was_cut = disk_.is_cut();
        EXPECT_NE(published.ok(), was_cut) << published;
        if (was_cut) {
          disk_.turn_on();
          EXPECT_TRUE(publish().ok()) << publish();
        }
        disk_.cut();
        EXPECT_EQ(read_file(location()), kBytes);
        // The store may not have recorded the publication.
        EXPECT_TRUE(publish().ok()) << publish();
        EXPECT_EQ(read_file(location()), kBytes);
        tries++;
      }
    }
    EXPECT_GE(tries, 9) << "there are syncs to be cut at";
  }

  PowerCutMount disk_{path("disk")};
  v1::Job job_;
  const queue::StoreIdentity store_{"0123456789abcdef", "a secret"};
};

TEST_F(DurableFilesTest, TheDiskForgetsWhatWasNotSynced) {
  const std::string file = disk_.path("out/file");
  write_file(file, kBytes);
  disk_.cut();
  EXPECT_FALSE(fs::exists(file)) << "nor the name";
  write_file(file, kBytes);
  sync_out();
  disk_.cut();
  EXPECT_EQ(read_file(file), "") << "a name without its bytes";
  write_file(file, kBytes);
  sync_path(file);
  fs::rename(file, location());
  disk_.cut();
  EXPECT_EQ(read_file(file), kBytes) << "under its old name";
  fs::rename(file, location());
  sync_out();
  fs::remove(location());
  disk_.cut();
  EXPECT_EQ(read_file(location()), kBytes) << "it was not removed for good";
}

TEST_F(DurableFilesTest, ACommitOfTheStore) {
  const auto record_with = [](const char* id) {
    auto record = std::make_shared<queue::JobRecord>();
    record->job.set_id(id);
    record->job.set_state(v1::JOB_STATE_QUEUED);
    return record;
  };
  {
    auto store = queue::Store::open(state());
    ASSERT_TRUE(store.ok()) << store.status();
    // No later commit could sync the last one by chance.
    for (const char* id : {"01ARZ3NDEKTSV4RRFFQ69G5FA1", "01ARZ3NDEKTSV4RRFFQ69G5FA2"})
      ASSERT_TRUE((*store)->commit({.jobs = {record_with(id)}, .revision = 1, .last_id = id}).ok());
    disk_.cut();
  }
  auto store = queue::Store::open(state());
  ASSERT_TRUE(store.ok()) << store.status();
  const auto content = (*store)->load();
  ASSERT_TRUE(content.ok()) << content.status();
  EXPECT_EQ(content->jobs.size(), 2u);
  EXPECT_EQ(content->last_id, "01ARZ3NDEKTSV4RRFFQ69G5FA2");
}

TEST_F(DurableFilesTest, AWholeFile) {
  ASSERT_TRUE(media::write_whole_file({AT_FDCWD, disk_.path("out/whole")}, kBytes).ok());
  disk_.cut();
  EXPECT_EQ(read_file(disk_.path("out/whole")), kBytes);
}

TEST_F(DurableFilesTest, AnOutputFile) {
  auto file = media::OutputFile::create({AT_FDCWD, location()});
  ASSERT_TRUE(file.ok()) << file.status();
  avio_write((*file)->io(), reinterpret_cast<const unsigned char*>(kBytes), sizeof(kBytes) - 1);
  ASSERT_TRUE((*file)->finish().ok());
  disk_.cut();
  EXPECT_EQ(read_file(location()), kBytes);
}

TEST_F(DurableFilesTest, ASegment) {
  const media::FileLocation segment{AT_FDCWD, disk_.path("out/segment")};
  auto writer = media::SegmentWriter::create(segment, {});
  ASSERT_TRUE(writer.ok()) << writer.status();
  const std::span bytes(reinterpret_cast<const uint8_t*>(kBytes), sizeof(kBytes) - 1);
  ASSERT_TRUE((*writer)->add({.pts = 1, .duration = 1, .key = true}, bytes).ok());
  ASSERT_TRUE((*writer)->finish("checkpoint").ok());
  writer = internal_error("gone");
  disk_.cut();
  const auto reader = media::SegmentReader::open(segment);
  ASSERT_TRUE(reader.ok()) << reader.status();
}

TEST_F(DurableFilesTest, APublishedFileAtEverySync) { publish_at_every_sync(); }

// The work folder is on a disk that keeps its data.
TEST_F(DurableFilesTest, APublishedCopyAtEverySync) {
  fs::create_directory(path("work"));
  job_.set_work_location(path("work"));
  publish_at_every_sync();
  ASSERT_TRUE(queue::discard_job(job_, state(), store_.secret).ok());
  EXPECT_TRUE(fs::is_empty(path("work")));
  EXPECT_EQ(std::distance(fs::directory_iterator(disk_.path("out")), {}), 1);
}

TEST_F(DurableFilesTest, AFinishedFileInItsWorkFolder) {
  finish();
  disk_.cut();
  EXPECT_EQ(read_file(work_folder() + "/finished"), kBytes);
  const auto again = queue::open_job(job_, state(), store_, {});
  EXPECT_TRUE(again.ok()) << "it is still bound to the job: " << again.status();
  EXPECT_TRUE(publish().ok()) << publish();
}

TEST_F(DurableFilesTest, AWorkFolderThatIsGone) {
  finish();
  sync_out();
  ASSERT_TRUE(queue::discard_job(job_, state(), store_.secret).ok());
  disk_.cut();
  EXPECT_FALSE(fs::exists(work_folder()));
  // The same for a folder that was removed, but not durably, when the daemon was killed.
  finish();
  sync_out();
  fs::remove_all(work_folder());
  ASSERT_TRUE(queue::discard_job(job_, state(), store_.secret).ok());
  disk_.cut();
  EXPECT_FALSE(fs::exists(work_folder()));
  // The same for a work folder in the state folder.
  job_.mutable_spec()->mutable_benchmark();
  finish();
  sync_path(queue::work_location_of(state()));
  sync_path(state());
  ASSERT_TRUE(queue::discard_job(job_, state(), store_.secret).ok());
  disk_.cut();
  EXPECT_FALSE(fs::exists(work_folder()));
}

TEST_F(DurableFilesTest, TheMarkOfAWorkFolder) {
  // The attempt has not written anything yet.
  ASSERT_TRUE(queue::open_job(job_, state(), store_, {}).ok());
  disk_.cut();
  const queue::KnownJobs none{.store_id = store_.id, .ids = {}, .before = "7ZZZZZZZZZZZZZZZZZZZZZZZZZ"};
  EXPECT_EQ(queue::remove_orphans(none, disk_.path("out")), std::vector<std::string>{work_folder()});
  EXPECT_FALSE(fs::exists(work_folder()));
}

}  // namespace
}  // namespace weft::scenarios
