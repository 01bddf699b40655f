// SPDX-License-Identifier: Apache-2.0
// Tests that learnt speeds of devices remain after the daemon ends: stored, used as a first guess,
// and limited in number.
#include <gmock/gmock.h>

#include "server/queue/core.h"
#include "server/queue/placement/device_speed.h"
#include "server/queue/store/speed_table.h"
#include "tests/server/queue/queue_fixture.h"

namespace weft::queue {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::Each;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

v1::DeviceStatus device_with_uuid(const std::string& id, const std::string& uuid,
                                  v1::DeviceKind kind = v1::DEVICE_KIND_CUDA) {
  v1::DeviceStatus device = make_device(id, kind);
  device.set_uuid(uuid);
  return device;
}

v1::ScheduleSample cost_sample(Duration unit, const std::string& key = "bwdif") {
  v1::ScheduleSample sample;
  v1::LearntCost& cost = *sample.add_costs();
  cost.set_key(key);
  cost.mutable_unit()->set_nanos(int32_t(unit.count()));
  return sample;
}

const WorkKind kWork{"bwdif", "bwdif x264", 500'000};

TEST(UnitsLeft, AreNotKnownWhereAnEstimateWasTooLow) {
  v1::Job job;
  EXPECT_EQ(units_left(job), std::nullopt);
  job.mutable_estimate()->set_units_in(100);
  job.mutable_progress()->set_units_done(40);
  EXPECT_EQ(units_left(job), 60);
  job.mutable_progress()->set_units_done(140);
  EXPECT_EQ(units_left(job), std::nullopt);
  job.mutable_progress()->set_units_total(150);
  EXPECT_EQ(units_left(job), 10);
}

DeviceSpeeds recalled_by_next_daemon(const DeviceSpeeds& speeds) {
  DeviceSpeeds next;
  next.recall(speeds.to_keep());
  return next;
}

TEST(KeptSpeeds, AreTheFirstGuessOfTheNextDaemonForThatDeviceWhateverItsId) {
  DeviceSpeeds speeds;
  speeds.set_device(device_with_uuid("cuda:0", "aa"));
  speeds.learn("cuda:0", cost_sample(milliseconds(2)), TimePoint{});
  // The job uses a fifth of the device, so another stage is the limit.
  speeds.learn_pace("cuda:0", kWork, 100, 1, TimePoint{});
  DeviceSpeeds next = recalled_by_next_daemon(speeds);
  next.set_device(device_with_uuid("cuda:1", "aa"));
  next.set_device(device_with_uuid("cuda:0", "bb"));
  next.set_device(
      // the same GPU with another back end
      device_with_uuid("vulkan:0", "aa", v1::DEVICE_KIND_VULKAN));
  const UnitTime time = next.unit_time("cuda:1", kWork, TimePoint{});
  EXPECT_EQ(time.source, UnitTime::Source::kLearntOnce);
  EXPECT_DOUBLE_EQ(time.device_seconds, 0.002);
  EXPECT_DOUBLE_EQ(time.pace, 100);
  EXPECT_DOUBLE_EQ(time.seconds, 0.01);
  EXPECT_EQ(next.unit_time("cuda:0", kWork, TimePoint{}).source, UnitTime::Source::kOtherDevice);
  EXPECT_EQ(next.unit_time("vulkan:0", kWork, TimePoint{}).source, UnitTime::Source::kOtherDevice);
}

TEST(KeptSpeeds, ThePartOfTheDeviceThatAPaceHadIsKeptWithIt) {
  DeviceSpeeds speeds;
  speeds.set_device(device_with_uuid("cuda:0", "aa"));
  v1::ScheduleSample sample = cost_sample(milliseconds(2));
  sample.set_predicted_load(0.5);
  speeds.learn("cuda:0", sample, TimePoint{});
  // The job uses 40% of the device; streams leave 50%.
  speeds.learn_pace("cuda:0", kWork, 200, 1, TimePoint{});
  DeviceSpeeds next = recalled_by_next_daemon(speeds);
  next.set_device(device_with_uuid("cuda:0", "aa"));
  const UnitTime time = next.unit_time("cuda:0", kWork, TimePoint{});
  EXPECT_EQ(time.pace, 0) << "the device was the limit";
  EXPECT_NEAR(time.seconds, 0.0025, 1e-6) << "without streams, twice as fast as then";
}

TEST(KeptSpeeds, GiveWayToTheFirstThatIsLearntAnew) {
  DeviceSpeeds speeds;
  speeds.set_device(device_with_uuid("cuda:0", "aa"));
  speeds.learn("cuda:0", cost_sample(milliseconds(2)), TimePoint{});
  DeviceSpeeds next = recalled_by_next_daemon(speeds);
  next.set_device(device_with_uuid("cuda:0", "aa"));
  next.learn("cuda:0", cost_sample(milliseconds(5)), TimePoint{});  // another driver
  const auto device_seconds = [&](TimePoint now) {
    return next.unit_time("cuda:0", kWork, now).device_seconds;
  };
  EXPECT_DOUBLE_EQ(device_seconds({}), 0.005);
  EXPECT_DOUBLE_EQ(device_seconds(TimePoint{} + 2 * DeviceSpeeds::kBelieved), 0.005)
      << "what it once was is not the best that it can be now";
}

TEST(KeptSpeeds, OnlyWhatIsNewIsKeptAgain) {
  DeviceSpeeds speeds;
  speeds.set_device(device_with_uuid("cuda:0", "aa"));
  EXPECT_THAT(speeds.to_keep(), IsEmpty());
  speeds.learn("cuda:0", cost_sample(milliseconds(2)), TimePoint{});
  const KeptSpeed cost{"DEVICE_KIND_CUDA aa", "bwdif", false, 2'000'000, 0};
  EXPECT_THAT(speeds.to_keep(), ElementsAre(cost));
  EXPECT_THAT(speeds.to_keep(), SizeIs(1)) << "until it is kept";
  speeds.kept();
  EXPECT_THAT(speeds.to_keep(), IsEmpty());
  speeds.learn("cuda:0", cost_sample(milliseconds(3)), TimePoint{});
  EXPECT_THAT(speeds.to_keep(), ElementsAre(cost)) << "the best: what slowed it now may be over then";
}

TEST(KeptSpeeds, OfADeviceNoMoreThanItWouldRemember) {
  std::vector<KeptSpeed> many;
  for (size_t i = 0; i < 2 * DeviceSpeeds::kKeysKept; i++)
    many.push_back({"DEVICE_KIND_CUDA aa", std::to_string(i), false, 1'000, 0});
  DeviceSpeeds speeds;
  speeds.recall(many);
  speeds.set_device(device_with_uuid("cuda:0", "aa"));
  const auto knows = [&](size_t i) {
    return speeds.unit_time("cuda:0", {std::to_string(i), "", 0}, {}).is_known();
  };
  EXPECT_TRUE(knows(0));
  EXPECT_TRUE(knows(DeviceSpeeds::kKeysKept - 1));
  EXPECT_FALSE(knows(DeviceSpeeds::kKeysKept));
  speeds.learn("cuda:0", cost_sample(milliseconds(2), "new"), TimePoint{});
  EXPECT_TRUE(speeds.unit_time("cuda:0", {"new", "", 0}, {}).is_known()) << "what is recalled makes room";
}

StoreChange change_of(std::vector<KeptSpeed> speeds, int64_t revision) {
  StoreChange change;
  change.revision = revision;
  change.speeds = std::move(speeds);
  return change;
}

TEST(SpeedTable, HoldsWhatWasLearntLast) {
  TemporaryFolder folder;
  const KeptSpeed old{"a", "k", false, 5, 0}, pace{"a", "k", true, 7, 500'000}, fresh{"a", "k", false, 6, 0};
  {
    auto store = Store::open(folder.path()).value();
    ASSERT_THAT(store->commit(change_of({old, pace}, 1)), IsOk());
    ASSERT_THAT(store->commit(change_of({fresh}, 2)), IsOk());
  }
  EXPECT_THAT(Store::open(folder.path()).value()->load()->speeds, ElementsAre(fresh, pace));
}

TEST(SpeedTable, ForgetsTheOldest) {
  TemporaryFolder folder;
  auto store = Store::open(folder.path(), Durability::kProcess).value();
  std::vector<KeptSpeed> first(10), second;
  for (size_t i = 0; i < first.size(); i++) first[i] = {"gone", std::to_string(i), false, 1, 0};
  for (int i = 0; i < kSpeedsKept; i++) second.push_back({"here", std::to_string(i), false, 1, 0});
  ASSERT_THAT(store->commit(change_of(first, 1)), IsOk());
  ASSERT_THAT(store->commit(change_of(second, 2)), IsOk());
  const std::vector<KeptSpeed> kept = store->load()->speeds;
  EXPECT_THAT(kept, SizeIs(size_t(kSpeedsKept)));
  EXPECT_THAT(kept, Each(Field(&KeptSpeed::device, "here")));
}

TEST(SpeedTable, RowsThatMakeNoSenseAreLeftOut) {
  TemporaryFolder folder;
  const KeptSpeed good{"a", "good", false, 5, 0};
  ASSERT_THAT(Store::open(folder.path()).value()->commit(change_of({good}, 1)), IsOk());
  auto db = Database::open(folder.path() + "/jobs.db").value();
  ASSERT_THAT(
      db.execute("INSERT INTO speeds VALUES ('a', 'none', 0, 0, 0, 1), ('a', 'text', 0, 'fast', 0, 1), "
                 "('a', 'null-like', 0, -3, 0, 1), ('a', 'share', 1, 5, 2000000, 1)"),
      IsOk());
  auto store = Store::open(folder.path()).value();
  EXPECT_THAT(store->load()->speeds, ElementsAre(good));
  EXPECT_EQ(*db.query_integer("SELECT count(*) FROM speeds"), 1) << "so that it is said once";
}

v1::DeviceSample sample_of(const std::string& device, Duration unit) {
  v1::DeviceSample sample;
  sample.set_device(device);
  *sample.mutable_schedule() = cost_sample(unit);
  return sample;
}

Submission estimated(const std::string& name) {
  Submission submission = make_submission(name);
  submission.estimate.set_units_in(1'000);
  submission.estimate.set_cost_key(kWork.cost_key);
  submission.estimate.set_pace_key(kWork.pace_key);
  submission.estimate.mutable_unit_work()->set_bytes(kWork.bytes);
  return submission;
}

using QueueSpeedsTest = QueueTest;

TEST_F(QueueSpeedsTest, TheNextDaemonPlacesByWhatWasLearntBefore) {
  const auto come_up = [&] {
    queue_->on_device(device_with_uuid("cuda:0", "aa"));
    queue_->on_device(device_with_uuid("vulkan:1", "bb", v1::DEVICE_KIND_VULKAN));
  };
  come_up();
  report_sample(*queue_, sample_of("cuda:0", milliseconds(20)));
  report_sample(*queue_, sample_of("vulkan:1", milliseconds(1)));
  submit(estimated("a")).value();  // The commit of the job stores the learnt speeds.
  EXPECT_EQ(workers_.next().device, "vulkan:1");
  reopen();
  come_up();
  workers_.next();  // The job resumes.
  submit(estimated("b")).value();
  EXPECT_EQ(workers_.waiting_calls(), 0u) << "2 s behind the first, 20 s on the other device";
  const std::string id = submit(estimated("c"))->id();
  const auto explained = ask<v1::ExplainJobResponse>([&](auto done) { queue_->explain(id, done); }).value();
  ASSERT_EQ(explained.predictions_size(), 2);
  EXPECT_EQ(explained.predictions(0).own().seconds(), 20);
  EXPECT_EQ(explained.predictions(0).unit_cost_source(), "the best that was learnt there, a while ago");
  EXPECT_EQ(explained.predictions(1).finish().seconds(), 3);
}

// Streams may measure costs for days while no job is submitted.
TEST(CoreSpeeds, AreWrittenAfterAWhileThoughNothingElseIs) {
  TemporaryFolder folder;
  VirtualClock clock;
  auto store = Store::open(folder.path()).value();
  auto logs = LogStore::open(folder.path()).value();
  const auto core = Core::make(
                        {}, clock, *store, *logs, [](auto) {}, [](auto, auto, auto) {})
                        .value();
  core->on_device(device_with_uuid("cuda:0", "aa"));
  report_sample(*core, sample_of("cuda:0", milliseconds(2)));
  ASSERT_THAT(core->commit(), IsOk());
  EXPECT_THAT(store->load()->speeds, IsEmpty()) << "no write for each sample";
  ASSERT_LE(core->next_due(), clock.now() + seconds(60));
  clock.advance(core->next_due() - clock.now());
  ASSERT_THAT(core->commit(), IsOk());
  EXPECT_THAT(store->load()->speeds, SizeIs(1));
  EXPECT_GT(core->next_due(), clock.now());
}

}  // namespace
}  // namespace weft::queue
