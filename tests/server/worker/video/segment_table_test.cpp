// SPDX-License-Identifier: Apache-2.0
#include "server/worker/video/segment_table.h"

#include <random>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/media/read/source/video_source.h"

namespace weft::worker {
namespace {

using internal::v1::SegmentRecord;

// Each segment has two outputs; its state is its number.
std::string state_before(int64_t segment) { return fmt::format("state {}", segment); }

std::string checkpoint_before(int64_t segment, uint64_t hash = 5) {
  media::SourceCheckpoint checkpoint;
  checkpoint.next_index = 10 * segment;
  checkpoint.last_pts = 100 * segment;
  checkpoint.seen = {{.pts = 100 * segment, .position = 7, .hash = hash}};
  return media::serialise(checkpoint);
}

SegmentRecord record_of(int64_t segment, int64_t segments, bool has_start = false) {
  SegmentRecord record;
  record.set_first_output(2 * segment);
  record.set_outputs(2);
  record.set_last(segment + 1 == segments);
  record.set_filter_state(state_before(segment + 1));
  record.set_checkpoint(checkpoint_before(segment + 1));
  if (has_start) {
    record.mutable_start()->set_filter_state(state_before(segment));
    record.mutable_start()->set_checkpoint(checkpoint_before(segment));
  }
  return record;
}

std::vector<ComputedStart> starts_of(int64_t segments) {
  std::vector<ComputedStart> starts;
  for (int64_t segment = 0; segment < segments; segment++)
    starts.push_back({2 * segment, segment == 0 ? "" : state_before(segment)});
  return starts;
}

TEST(SegmentTableTest, WithoutStartsOneLaneRendersAllSegments) {
  SegmentTable table;
  table.set_lanes(2);
  const auto run = table.begin(0);
  ASSERT_TRUE(run.has_value());
  EXPECT_EQ(run->segment, 0);
  EXPECT_FALSE(run->before || run->start);
  EXPECT_FALSE(table.begin(1)) << "no other segment can begin";
  for (int64_t segment = 0; segment < 4; segment++) EXPECT_TRUE(table.add(0, record_of(segment, 5)));
  EXPECT_FALSE(table.is_complete());
  EXPECT_FALSE(table.add(0, record_of(4, 5))) << "it is the last one";
  EXPECT_TRUE(table.is_complete());
}

TEST(SegmentTableTest, AGapBeginsAfterTheSegmentBeforeItAndEndsAtTheNext) {
  SegmentTable table({{0, record_of(0, 6)}, {3, record_of(3, 6)}});
  table.set_lanes(2);
  const auto gap = table.begin(0), rest = table.begin(1);
  ASSERT_TRUE(gap && rest);
  EXPECT_EQ(gap->segment, 1);
  ASSERT_TRUE(gap->before);
  EXPECT_EQ(gap->before->filter_state(), state_before(1));
  EXPECT_EQ(rest->segment, 4);
  EXPECT_TRUE(table.add(0, record_of(1, 6)));
  EXPECT_FALSE(table.add(0, record_of(2, 6))) << "segment 3 is finished";
  EXPECT_TRUE(table.add(1, record_of(4, 6)));
  EXPECT_FALSE(table.add(1, record_of(5, 6)));
  EXPECT_TRUE(table.is_complete());
}

// Lanes that advance in a random order render each segment once.
TEST(SegmentTableTest, EachSegmentIsRenderedOnce) {
  std::mt19937 random(1);
  for (int n = 0; n < 300; n++) {
    SCOPED_TRACE(n);
    const int64_t segments = 1 + random() % 60;
    const int lanes = 1 + int(random() % 8);
    SegmentTable table;
    table.set_lanes(lanes);
    table.set_starts(starts_of(segments));
    std::set<int64_t> discarded;
    for (int64_t k = random() % 4; k > 0; k--) {
      const int64_t segment = int64_t(random() % segments);
      discarded.insert(segment);
      table.forget_start(segment);
    }
    std::vector<std::optional<int64_t>> at(static_cast<size_t>(lanes));
    std::vector<bool> begins(static_cast<size_t>(lanes));
    std::set<int64_t> rendered;
    while (int64_t(rendered.size()) < segments) {
      const int lane = int(random() % unsigned(lanes));
      auto& segment = at[size_t(lane)];
      if (!segment) {
        const auto run = table.begin(lane);
        if (!run) continue;
        segment = run->segment;
        begins[size_t(lane)] = run->start.has_value();
        if (discarded.contains(*segment) && *segment > 0) {
          EXPECT_TRUE(run->before);
        }
      }
      EXPECT_TRUE(rendered.insert(*segment).second) << "segment " << *segment;
      const bool goes_on = table.add(lane, record_of(*segment, segments, begins[size_t(lane)]));
      begins[size_t(lane)] = false;
      if (goes_on) {
        ++*segment;
      } else {
        segment.reset();
        table.end(lane);
      }
    }
    EXPECT_TRUE(table.is_complete());
    EXPECT_FALSE(table.first_broken());
    for (int lane = 0; lane < lanes; lane++) EXPECT_FALSE(table.begin(lane));
  }
}

TEST(SegmentTableTest, RunsBecomeShorterTowardsTheEnd) {
  SegmentTable table;
  table.set_lanes(2);
  table.set_starts(starts_of(20));
  EXPECT_EQ(table.begin(0)->segment, 0);
  EXPECT_EQ(table.begin(1)->segment, SegmentTable::kRunSegments);
  SegmentTable short_table;
  short_table.set_lanes(2);
  short_table.set_starts(starts_of(4));
  EXPECT_EQ(short_table.begin(0)->segment, 0);
  EXPECT_EQ(short_table.begin(1)->segment, 1);
}

TEST(SegmentTableTest, ALaneAboveTheLimitEndsAfterItsSegment) {
  SegmentTable table;
  table.set_lanes(2);
  table.set_starts(starts_of(20));
  ASSERT_TRUE(table.begin(0));
  ASSERT_TRUE(table.begin(1));
  table.set_lanes(1);
  EXPECT_FALSE(table.add(1, record_of(4, 20, true)));
  table.end(1);
  EXPECT_FALSE(table.begin(1));
  EXPECT_TRUE(table.add(0, record_of(0, 20)));
}

struct Broken {
  const char* name;
  void (*change)(SegmentRecord& record);
};
class BrokenTest : public testing::TestWithParam<Broken> {};

// Segment 4 begins in a lane of its own; it is checked when segment 3 is finished.
TEST_P(BrokenTest, AWrongStartIsFound) {
  SegmentTable table({{0, record_of(0, 8)}, {1, record_of(1, 8)}, {2, record_of(2, 8)}});
  table.set_lanes(2);
  table.set_starts(starts_of(8));
  ASSERT_EQ(table.begin(0)->segment, 3);
  ASSERT_EQ(table.begin(1)->segment, 4);
  SegmentRecord wrong = record_of(4, 8, true);
  GetParam().change(wrong);
  EXPECT_TRUE(table.add(1, wrong));
  EXPECT_FALSE(table.first_broken());
  EXPECT_FALSE(table.add(0, record_of(3, 8)));
  EXPECT_EQ(table.first_broken(), 4);
  EXPECT_FALSE(table.is_complete());
  EXPECT_FALSE(table.add(1, record_of(5, 8))) << "lanes end";
}

INSTANTIATE_TEST_SUITE_P(
    Starts, BrokenTest,
    testing::Values(
        Broken{"outputs", [](SegmentRecord& record) { record.set_first_output(9); }},
        Broken{"state", [](SegmentRecord& record) { record.mutable_start()->set_filter_state("x"); }},
        Broken{"place",
               [](SegmentRecord& record) { record.mutable_start()->set_checkpoint(checkpoint_before(5)); }},
        Broken{
            "samples",
            [](SegmentRecord& record) { record.mutable_start()->set_checkpoint(checkpoint_before(4, 6)); }}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(SegmentTableTest, NothingFollowsTheLastSegment) {
  const SegmentTable table({{0, record_of(0, 2)}, {1, record_of(1, 2)}, {2, record_of(2, 9, true)}});
  EXPECT_EQ(table.first_broken(), 2);
}

TEST(SegmentTableTest, AfterCloseLanesEnd) {
  SegmentTable table;
  ASSERT_TRUE(table.begin(0));
  table.close();
  EXPECT_FALSE(table.add(0, record_of(0, 5)));
  table.end(0);
  EXPECT_FALSE(table.begin(0));
}

// The segments of several tasks, in memory.
class Claims final : public SharedSegments {
 public:
  struct World {
    std::map<int64_t, int> claimed;  // task by segment
    std::map<int64_t, SegmentRecord> finished;
  };
  Claims(World& world, int task) : world_(world), task_(task) {}
  bool claim(int64_t segment) override {
    return world_.claimed.try_emplace(segment, task_).first->second == task_;
  }
  void release(int64_t segment) override {
    const auto found = world_.claimed.find(segment);
    if (found != world_.claimed.end() && found->second == task_) world_.claimed.erase(found);
  }
  std::optional<SegmentRecord> find_finished(int64_t segment) const override {
    const auto found = world_.finished.find(segment);
    return found == world_.finished.end() ? std::nullopt : std::optional(found->second);
  }
  void release_all() {
    std::erase_if(world_.claimed, [this](const auto& claim) { return claim.second == task_; });
  }

 private:
  World& world_;
  const int task_;
};

TEST(SharedSegmentTableTest, TasksRenderEachSegmentOnce) {
  constexpr int64_t kSegments = 40;
  std::mt19937 random(2);
  for (int round = 0; round < 200; round++) {
    SCOPED_TRACE(round);
    Claims::World world;
    const int tasks = int(random() % 4) + 1, lanes = int(random() % 3) + 1;
    std::vector<std::unique_ptr<Claims>> claims;
    std::vector<std::unique_ptr<SegmentTable>> tables;
    std::vector<int> found(size_t(tasks), 0);
    for (int task = 0; task < tasks; task++) {
      claims.push_back(std::make_unique<Claims>(world, task));
      tables.push_back(std::make_unique<SegmentTable>(
          std::map<int64_t, SegmentRecord>(), claims.back().get(),
          [&found, task](int64_t, const SegmentRecord&) { found[size_t(task)]++; }));
      tables.back()->set_starts(starts_of(kSegments));
      tables.back()->set_lanes(lanes);
    }
    std::map<std::pair<int, int>, int64_t> current;  // segment by task and lane
    std::map<int64_t, int> rendered;
    for (int step = 0; step < 10'000 && !tables[0]->is_complete(); step++) {
      const int task = int(random() % unsigned(tasks)), lane = int(random() % unsigned(lanes));
      SegmentTable& table = *tables[size_t(task)];
      const auto running = current.find({task, lane});
      if (running == current.end()) {
        if (const auto run = table.begin(lane)) current[{task, lane}] = run->segment;
        continue;
      }
      const int64_t segment = running->second++;
      world.finished[segment] = record_of(segment, kSegments, true);
      rendered[segment]++;
      if (table.add(lane, world.finished[segment])) continue;
      current.erase(running);
      table.end(lane);
    }
    ASSERT_TRUE(tables[0]->is_complete());
    EXPECT_EQ(rendered.size(), size_t{kSegments});
    for (const auto& [segment, times] : rendered) EXPECT_EQ(times, 1) << segment;
    EXPECT_EQ(tables[0]->finished().size(), size_t{kSegments});
    if (tasks == 1) {
      EXPECT_EQ(found[0], 0);
    }
  }
}

TEST(SharedSegmentTableTest, ASegmentThatTakesTooLongElsewhereIsRendered) {
  using std::chrono::seconds;
  const TimePoint begin{};
  Claims::World world;
  Claims slow(world, 1), own(world, 0);
  ASSERT_TRUE(slow.claim(1));
  SegmentTable table({}, &own);
  table.set_starts(starts_of(3));
  for (const int64_t segment : {0, 2}) {
    const auto run = table.begin(0, begin);
    ASSERT_TRUE(run);
    EXPECT_EQ(run->segment, segment);
    table.add(0, record_of(segment, 3, true), begin + seconds(10));
    table.end(0);
  }
  // The claim was found after the first segment, which took 10 s.
  EXPECT_FALSE(table.begin(0, begin + seconds(29)));
  EXPECT_TRUE(table.awaits_others());
  const auto late = table.begin(0, begin + seconds(31));
  ASSERT_TRUE(late);
  EXPECT_EQ(late->segment, 1);
  EXPECT_FALSE(table.add(0, record_of(1, 3, true), begin + seconds(40)));
  table.end(0);
  EXPECT_TRUE(table.is_complete());
  EXPECT_FALSE(table.awaits_others());
  EXPECT_EQ(world.claimed.at(1), 1) << "the claim of the other task stays";
}

TEST(SharedSegmentTableTest, TheClaimsOfALostTaskAreTakenOver) {
  Claims::World world;
  Claims lost(world, 1), own(world, 0);
  for (const int64_t segment : {0, 1, 2}) ASSERT_TRUE(lost.claim(segment));
  SegmentTable table({}, &own);
  table.set_starts(starts_of(3));
  EXPECT_FALSE(table.begin(0));
  lost.release_all();
  const auto run = table.begin(0);
  ASSERT_TRUE(run);
  EXPECT_EQ(run->segment, 0);
}

TEST(SharedSegmentTableTest, AWrongSegmentOfAnotherTaskEndsTheLanes) {
  Claims::World world;
  Claims own(world, 0);
  SegmentRecord wrong = record_of(1, 3, true);
  wrong.mutable_start()->set_filter_state("another");
  world.finished[1] = wrong;
  SegmentTable table({}, &own);
  table.set_starts(starts_of(3));
  ASSERT_TRUE(table.begin(0));
  EXPECT_FALSE(table.add(0, record_of(0, 3, true)));
  EXPECT_FALSE(table.begin(0));
  EXPECT_EQ(table.first_broken(), 1);
}

}  // namespace
}  // namespace weft::worker
