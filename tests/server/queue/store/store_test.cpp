// SPDX-License-Identifier: Apache-2.0
// Tests data on the disk: the store, its schema and its lock, ids, the table in memory, and logs.
#include "server/queue/store/store.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>

#include "server/queue/job_table.h"
#include "server/queue/records/ulid.h"
#include "server/queue/store/log_store.h"
#include "server/queue/store/schema.h"
#include "tests/server/queue/queue_fixture.h"

namespace weft::queue {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

RecordPtr make_record(const std::string& id, int64_t revision, v1::JobState state = v1::JOB_STATE_QUEUED) {
  auto record = std::make_shared<JobRecord>();
  record->job.set_id(id);
  record->job.set_revision(revision);
  record->job.set_state(state);
  *record->job.mutable_spec() = make_submission(id).spec;
  return record;
}

TEST(Store, HoldsWhatWasCommitted) {
  TemporaryFolder folder;
  auto record =
      std::make_shared<JobRecord>(*make_record("01ARZ3NDEKTSV4RRFFQ69G5FAV", 7, v1::JOB_STATE_RUNNING));
  record->job.set_request_id("request");
  record->job.mutable_progress()->set_units_done(3);
  record->fingerprint = 0xfedcba9876543210;
  record->failures = 2;
  record->deaths = 1;
  record->publishing = record->published = true;
  record->cleanup = true;
  record->keeps_work = true;
  record->units_finished = 2;
  record->submitter.set_user(1000);
  record->submitter.set_group(1001);
  for (const uint32_t group : {0, 44}) record->submitter.add_groups(group);
  record->real_paths.mutable_video()->set_output("/real/out.mkv");
  const std::set<std::string> drained{"cpu", "cuda:0"};
  std::string store_id, store_secret;
  {
    auto store = Store::open(folder.path()).value();
    store_id = store->load()->store_id;
    store_secret = store->load()->store_secret;
    EXPECT_EQ(store_secret.size(), 64u);
    ASSERT_THAT(store->commit({{record}, 7, record->job.id(), &drained}), IsOk());
  }
  auto store = Store::open(folder.path()).value();
  const StoreContent content = store->load().value();
  EXPECT_EQ(content.store_id, store_id);
  EXPECT_EQ(content.store_secret, store_secret);
  const TemporaryFolder of_another;
  EXPECT_NE(Store::open(of_another.path()).value()->load()->store_secret, store_secret);
  EXPECT_EQ(content.revision, 7);
  EXPECT_EQ(content.last_id, record->job.id());
  EXPECT_EQ(content.drained_devices, drained);
  ASSERT_EQ(content.jobs.size(), 1u);
  const JobRecord& loaded = content.jobs[0];
  EXPECT_EQ(loaded.fingerprint, record->fingerprint);
  EXPECT_EQ(loaded.failures, 2);
  EXPECT_EQ(loaded.deaths, 1);
  EXPECT_TRUE(loaded.publishing);
  EXPECT_TRUE(loaded.published);
  EXPECT_TRUE(loaded.cleanup);
  EXPECT_TRUE(loaded.keeps_work);
  EXPECT_EQ(loaded.units_finished, 2);
  EXPECT_EQ(loaded.submitter.SerializeAsString(), record->submitter.SerializeAsString());
  EXPECT_EQ(loaded.real_paths.SerializeAsString(), record->real_paths.SerializeAsString());
  EXPECT_EQ(loaded.job.progress().units_done(), 2) << "of what the attempt did only its segments are durable";
  EXPECT_EQ(loaded.job.spec().SerializeAsString(), record->job.spec().SerializeAsString());
}

TEST(Store, ACommitIsAllOrNothing) {
  TemporaryFolder folder;
  auto first = std::make_shared<JobRecord>(*make_record("01ARZ3NDEKTSV4RRFFQ69G5FA1", 1));
  auto second = std::make_shared<JobRecord>(*make_record("01ARZ3NDEKTSV4RRFFQ69G5FA2", 2));
  first->job.set_request_id("same");
  second->job.set_request_id("same");  // The store refuses a second job with the same request id.
  auto store = Store::open(folder.path()).value();
  EXPECT_FALSE(store->commit({{first, second}, 2, "x", nullptr}).ok());
  EXPECT_THAT(store->load()->jobs, IsEmpty());
  second->job.set_request_id("other");
  EXPECT_THAT(store->commit({{first, second}, 2, "x", nullptr}), IsOk());
  EXPECT_EQ(store->load()->jobs.size(), 2u);
}

TEST(Store, RemovedJobsAreGone) {
  TemporaryFolder folder;
  auto store = Store::open(folder.path()).value();
  const RecordPtr kept = make_record("01ARZ3NDEKTSV4RRFFQ69G5FA1", 1);
  const RecordPtr gone = make_record("01ARZ3NDEKTSV4RRFFQ69G5FA2", 2);
  ASSERT_THAT(store->commit({{kept, gone}, 2, gone->job.id(), nullptr}), IsOk());
  StoreChange change;
  change.revision = 2;
  change.last_id = gone->job.id();
  change.removed = {gone->job.id()};
  ASSERT_THAT(store->commit(change), IsOk());
  const StoreContent content = store->load().value();
  ASSERT_EQ(content.jobs.size(), 1u);
  EXPECT_EQ(content.jobs[0].job.id(), kept->job.id());
  EXPECT_EQ(content.last_id, gone->job.id()) << "so that ids are never given twice";
}

TEST(Store, ADamagedFileIsAnErrorThatSaysWhatToDo) {
  TemporaryFolder folder;
  {
    auto store = Store::open(folder.path()).value();
    std::vector<RecordPtr> records;
    for (int i = 10; i < 99; i++)
      records.push_back(make_record("01ARZ3NDEKTSV4RRFFQ69G5F" + std::to_string(i), i));
    ASSERT_THAT(store->commit({records, 99, "", nullptr}), IsOk());
  }
  {
    std::fstream file(folder.path() + "/jobs.db", std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(4096 + 100);
    file << std::string(6000, 'x');
  }
  const auto store = Store::open(folder.path());
  EXPECT_THAT(store, StatusIs(StatusCode::kDataLoss, "is damaged"));
  EXPECT_THAT(message_of(store.status()), HasSubstr("jobs.db"));
  EXPECT_THAT(message_of(store.status()), HasSubstr("move the file away"));
}

TEST(Store, AFileOfSomebodyElseIsLeftAlone) {
  TemporaryFolder folder;
  std::ofstream(folder.path() + "/jobs.db")
      << "This is no database, but somebody's diary of the year, and quite long.";
  EXPECT_THAT(Store::open(folder.path()), StatusIs(StatusCode::kDataLoss));
  TemporaryFolder other;
  ASSERT_THAT(Database::open(other.path() + "/jobs.db")->execute("CREATE TABLE songs (title)"), IsOk());
  EXPECT_THAT(Store::open(other.path()), StatusIs(StatusCode::kFailedPrecondition, "another program"));
}

TEST(Store, MigratesToANewerVersionKeepsACopyAndRefusesTheWayBack) {
  TemporaryFolder folder;
  ASSERT_THAT(Store::open(folder.path())
                  .value()
                  ->commit({{make_record("01ARZ3NDEKTSV4RRFFQ69G5FAV", 1)}, 1, "", nullptr}),
              IsOk());
  std::vector<const char*> steps(migrations().begin(), migrations().end());
  const int64_t version = *Database::open(folder.path() + "/jobs.db")->query_integer("PRAGMA user_version");
  steps.push_back("ALTER TABLE jobs ADD COLUMN colour TEXT NOT NULL DEFAULT 'green'");
  const std::string path = folder.path() + "/jobs.db";
  {
    auto store = Store::open(folder.path(), Durability::kPowerCut, steps).value();
    EXPECT_EQ(store->load()->jobs.size(), 1u) << "a version's code reads its successor's rows here";
    auto db = Database::open(path).value();
    EXPECT_EQ(*db.query_text("SELECT colour FROM jobs"), "green");
    EXPECT_EQ(*db.query_integer("PRAGMA user_version"), version + 1);
  }
  auto copy = Database::open(fmt::format("{}.version-{}", path, version)).value();
  EXPECT_EQ(*copy.query_integer("PRAGMA user_version"), version);
  EXPECT_EQ(*copy.query_integer("SELECT count(*) FROM jobs"), 1);
  EXPECT_THAT(Store::open(folder.path()), StatusIs(StatusCode::kFailedPrecondition, "newer version"));
}

TEST(Store, JobsOfTheFirstVersionHaveNeitherSubmitterNorRealPaths) {
  TemporaryFolder folder;
  {
    auto db = open_store(folder.path() + "/jobs.db", migrations().first(1), "FULL").value();
    v1::Job job;
    job.set_id("01ARZ3NDEKTSV4RRFFQ69G5FAV");
    auto put = db.prepare("INSERT INTO jobs VALUES (?, 1, 1, NULL, 0, 0, 0, 0, 0, 0, 0, ?)").value();
    ASSERT_THAT(put.bind(1, job.id()).bind_blob(2, job.SerializeAsString()).run(), IsOk());
  }
  const auto content = Store::open(folder.path()).value()->load();
  ASSERT_TRUE(content.ok()) << content.status();
  ASSERT_EQ(content->jobs.size(), 1u);
  EXPECT_EQ(content->jobs[0].submitter.ByteSizeLong(), 0u);
  EXPECT_EQ(content->jobs[0].real_paths.ByteSizeLong(), 0u);
}

TEST(Store, AStoreOfJobsThatAreNotUnderstoodIsRefusedAndStaysAsItIs) {
  TemporaryFolder folder;
  const std::string path = folder.path() + "/jobs.db";
  ASSERT_THAT(Database::open(path)->execute(
                  "PRAGMA application_id = 2003134068; PRAGMA user_version = 5; CREATE TABLE jobs (id)"),
              IsOk());
  EXPECT_THAT(
      Store::open(folder.path()),
      StatusIs(
          StatusCode::kFailedPrecondition,
          "(store version 5, at least 6 is wanted). Nothing was changed. Let that version finish its jobs"));
  EXPECT_EQ(*Database::open(path)->query_integer("PRAGMA user_version"), 5);
  EXPECT_FALSE(std::filesystem::exists(path + ".version-5"));
}

TEST(Store, AMigrationThatFailsChangesNothing) {
  TemporaryFolder folder;
  static_cast<void>(Store::open(folder.path()).value());
  std::vector<const char*> steps(migrations().begin(), migrations().end());
  steps.push_back("CREATE TABLE half (x)");
  steps.push_back("THIS IS NOT SQL");
  EXPECT_FALSE(Store::open(folder.path(), Durability::kPowerCut, steps).ok());
  EXPECT_THAT(Store::open(folder.path()), IsOk());
}

TEST(Ulid, RisesWhateverTheClockDoes) {
  UlidSource ids("", 1);
  const WallTime time(std::chrono::hours(400'000));
  std::string last;
  for (int i = 0; i < 1000; i++) {
    // The time jumps forward and back.
    const std::string id = ids.next(time + std::chrono::milliseconds(i % 7 * (i % 2 == 0 ? 1 : -1000)));
    ASSERT_TRUE(is_ulid(id)) << id;
    ASSERT_GT(id, last);
    last = id;
  }
  UlidSource later(last, 1);
  EXPECT_GT(later.next(time - std::chrono::hours(24 * 365)), last)
      << "also after a restart with the clock set back";
}

TEST(Ulid, HoldsTheTimeInItsFirstTenCharacters) {
  UlidSource ids("", 1);
  // The example of the specification: 1469918176385 ms are 01ARYZ6S41.
  EXPECT_EQ(ids.next(WallTime(std::chrono::milliseconds(1469918176385))).substr(0, 10), "01ARYZ6S41");
  EXPECT_EQ(first_ulid_at(WallTime(std::chrono::milliseconds(1469918176385))), "01ARYZ6S410000000000000000");
}

TEST(Ulid, CountsOnWhenTheRandomPartIsFull) {
  UlidSource ids("01ARYZ6S41ZZZZZZZZZZZZZZZZ", 1);
  EXPECT_EQ(ids.next(WallTime{}), "01ARYZ6S420000000000000000");
}

TEST(Ulid, LettersThatPeopleMixUpAreRead) { EXPECT_EQ(normalise_ulid("o1aRyz-il"), "01ARYZ-11"); }

class JobTableTest : public testing::Test {
 protected:
  static std::string id(int number) { return fmt::format("01ARZ3NDEKTSV4RRFFQ{:07}", number); }
  void add(int number, v1::JobState state, const std::string& owner = "ada") {
    auto record = std::make_shared<JobRecord>(*make_record(id(number), number, state));
    record->job.mutable_settings()->set_owner(owner);
    (*record->job.mutable_settings()->mutable_labels())["batch"] = number % 2 == 0 ? "even" : "odd";
    *record->job.mutable_spec() = make_submission("clip" + std::to_string(number)).spec;
    table_.put(record);
  }
  // `pieces` is set to the number of pieces that the list was made in.
  StatusOr<JobTable::Page> list(const v1::ListJobsRequest& request, int* pieces = nullptr) {
    JobTable::Walk walk;
    walk.request = request;
    while (!walk.complete) {
      RETURN_IF_ERROR(table_.list_some(walk));
      if (pieces != nullptr) ++*pieces;
    }
    return walk.page;
  }
  std::vector<int> numbers(const v1::ListJobsRequest& request) {
    std::vector<int> result;
    const StatusOr<JobTable::Page> page = list(request);
    EXPECT_TRUE(page.ok()) << page.status();
    for (const RecordPtr& record : page->jobs) result.push_back(int(record->job.revision()));
    return result;
  }
  JobTable table_;
};

TEST_F(JobTableTest, FiltersByEveryPart) {
  add(1, v1::JOB_STATE_QUEUED);
  add(2, v1::JOB_STATE_RUNNING);
  add(3, v1::JOB_STATE_FAILED, "grace");
  add(4, v1::JOB_STATE_QUEUED, "grace");
  v1::ListJobsRequest all;
  EXPECT_THAT(numbers(all), ElementsAre(4, 3, 2, 1));
  v1::ListJobsRequest request;
  request.mutable_filter()->add_states(v1::JOB_STATE_QUEUED);
  request.mutable_filter()->add_states(v1::JOB_STATE_FAILED);
  EXPECT_THAT(numbers(request), ElementsAre(4, 3, 1));
  request.mutable_filter()->set_owner("grace");
  EXPECT_THAT(numbers(request), ElementsAre(4, 3));
  (*request.mutable_filter()->mutable_labels())["batch"] = "even";
  EXPECT_THAT(numbers(request), ElementsAre(4));
  v1::ListJobsRequest text;
  text.mutable_filter()->set_text("clip3.mkv");
  EXPECT_THAT(numbers(text), ElementsAre(3));
  v1::ListJobsRequest ids;
  ids.mutable_filter()->add_ids(id(2));
  ids.mutable_filter()->add_ids(id(9));
  EXPECT_THAT(numbers(ids), ElementsAre(2));
  v1::ListJobsRequest kind;
  kind.mutable_filter()->set_kind("video");
  EXPECT_EQ(numbers(kind).size(), 4u);
  kind.mutable_filter()->set_kind("image");
  EXPECT_THAT(numbers(kind), IsEmpty());
}

TEST_F(JobTableTest, PagesNeitherRepeatNorSkipAlsoWhenJobsArrive) {
  for (int i = 1; i <= 25; i++) add(i, v1::JOB_STATE_QUEUED);
  v1::ListJobsRequest request;
  request.set_page_size(10);
  std::vector<int> seen;
  while (true) {
    const JobTable::Page page = list(request).value();
    for (const RecordPtr& record : page.jobs) seen.push_back(int(record->job.revision()));
    if (page.next_page_token.empty()) break;
    request.set_page_token(page.next_page_token);
    add(100 + int(seen.size()), v1::JOB_STATE_QUEUED);
  }
  ASSERT_EQ(seen.size(), 25u);
  for (int i = 0; i < 25; i++) EXPECT_EQ(seen[size_t(i)], 25 - i);
  request.set_page_token("page-2");
  EXPECT_THAT(list(request), StatusIs(StatusCode::kInvalidArgument, "page-2"));
  v1::ListJobsRequest huge;
  huge.set_page_size(5000);
  EXPECT_THAT(list(huge), StatusIs(StatusCode::kInvalidArgument, "(5000)"));
}

// The queue's thread does other work between the pieces.
TEST_F(JobTableTest, AFilterThatLooksAtEveryJobDoesSoInPieces) {
  for (int i = 1; i <= 3 * kStretchLength + 1; i++)
    add(i, i % 3 == 0 ? v1::JOB_STATE_FAILED : v1::JOB_STATE_QUEUED);
  v1::ListJobsRequest request;
  request.mutable_filter()->set_text("clip30");
  request.set_page_size(1000);
  int pieces = 0;
  const JobTable::Page page = list(request, &pieces).value();
  EXPECT_EQ(pieces, 4);
  EXPECT_EQ(page.total, 1 + 10 + 2);  // revisions 30, 300 to 309, 3000 and 3001
  request.set_page_size(7);
  std::vector<int64_t> paged;
  do {
    const JobTable::Page part = list(request).value();
    EXPECT_EQ(part.total, page.total);
    for (const RecordPtr& record : part.jobs) paged.push_back(record->job.revision());
    request.set_page_token(part.next_page_token);
  } while (!request.page_token().empty());
  ASSERT_EQ(paged.size(), page.jobs.size());
  for (size_t i = 0; i < paged.size(); i++) EXPECT_EQ(paged[i], page.jobs[i]->job.revision());
}

TEST_F(JobTableTest, FindsByAUniqueBeginningInAnyCase) {
  add(1, v1::JOB_STATE_QUEUED);
  add(23, v1::JOB_STATE_QUEUED);
  EXPECT_EQ(table_.resolve("01arz3ndektsv4rrffq000002").value()->job.id(), id(23));
  EXPECT_THAT(table_.resolve("01ARZ3"), StatusIs(StatusCode::kInvalidArgument, "More than one"));
  EXPECT_THAT(table_.resolve("01ARZ4"), StatusIs(StatusCode::kNotFound));
  EXPECT_THAT(table_.resolve("01"), StatusIs(StatusCode::kInvalidArgument, "too short"));
}

TEST(LogStore, KeepsTheNewestLinesAndCutsLongOnes) {
  TemporaryFolder folder;
  auto logs = LogStore::open(folder.path()).value();
  for (int64_t i = 0; i < kLogLinesPerJob + 600; i++)
    logs->append("job", 1, "info", std::to_string(i), WallTime{});
  logs->append("other", 1, "error", std::string(kLogLineBytes - 1, 'x') + "\xc3\xa9", WallTime{});
  const auto lines = logs->read("job", 0, 1'000'000).value();
  EXPECT_GE(int64_t(lines.size()), kLogLinesPerJob);
  EXPECT_LT(int64_t(lines.size()), kLogLinesPerJob + int64_t(kLogLinesPerBatch) + 1);
  EXPECT_EQ(lines.back().text(), std::to_string(kLogLinesPerJob + 599));
  EXPECT_EQ(lines.back().line(), kLogLinesPerJob + 599);
  EXPECT_EQ(logs->read("other", 0, 10)->front().text(), std::string(kLogLineBytes - 1, 'x'))
      << "not in the middle of a character";
}

TEST(LogStore, NumbersGoOnAfterReopeningAndADamagedFileIsSetAside) {
  TemporaryFolder folder;
  for (int64_t line = 0; line < 2; line++) {
    auto logs = LogStore::open(folder.path()).value();
    logs->append("job", 1, "info", "text", WallTime{});
    EXPECT_EQ(logs->read("job", line, 10)->front().line(), line);
  }
  std::filesystem::remove(folder.path() + "/logs.db-wal");
  std::ofstream(folder.path() + "/logs.db") << std::string(10'000, 'x');
  auto logs = LogStore::open(folder.path());
  ASSERT_THAT(logs, IsOk());
  EXPECT_THAT(*(*logs)->read("job", 0, 10), IsEmpty());
  EXPECT_TRUE(std::filesystem::exists(folder.path() + "/logs.db.damaged"));
}

}  // namespace
}  // namespace weft::queue
