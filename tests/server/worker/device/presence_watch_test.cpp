// SPDX-License-Identifier: Apache-2.0
#include "server/worker/device/presence_watch.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <vector>

#include <gtest/gtest.h>

namespace weft::worker {
namespace {

using schedule::ForeignMode;

TEST(ForeignMode, HasTwoNames) {
  EXPECT_EQ(foreign_mode("yield"), ForeignMode::kYield);
  EXPECT_EQ(foreign_mode("share"), ForeignMode::kShare);
  EXPECT_EQ(foreign_mode("lock"), std::nullopt);
  EXPECT_EQ(foreign_mode(""), std::nullopt);
}

// Answers with these in turn, and with the last one from then on.
class Answers final : public device::ForeignUse {
 public:
  explicit Answers(std::vector<StatusOr<device::ForeignSample>> answers) : answers_(std::move(answers)) {}
  StatusOr<device::ForeignSample> sample() override {
    return answers_[std::min(next_++, answers_.size() - 1)];
  }

 private:
  std::vector<StatusOr<device::ForeignSample>> answers_;
  size_t next_ = 0;
};

struct Told {
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<schedule::Presence> all;

  void add(const schedule::Presence& presence) {
    const std::lock_guard lock(mutex);
    all.push_back(presence);
    changed.notify_all();
  }
  std::vector<schedule::Presence> wait_for(size_t count) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return all.size() >= count; });
    return all;
  }
};

TEST(PresenceWatch, TellsWhoCameAndWent) {
  Told told;
  device::ForeignSample other;
  other.processes = {{7, 1 << 20, 0.4}};
  other.utilisation = 0.4;
  PresenceWatch watch(
      std::make_unique<Answers>(std::vector<StatusOr<device::ForeignSample>>{device::ForeignSample{}, other,
                                                                             device::ForeignSample{}}),
      [&](const schedule::Presence& presence) { told.add(presence); }, std::chrono::milliseconds(1));
  const auto all = told.wait_for(4);
  EXPECT_FALSE(all[0].present);
  EXPECT_TRUE(all[1].present);
  EXPECT_EQ(all[1].utilisation, 0.4);
  EXPECT_FALSE(all[2].present);
  EXPECT_GE(all[1].time, all[0].time);
}

TEST(PresenceWatch, ADriverThatFailsMeansNobody) {
  Told told;
  device::ForeignSample other;
  other.processes = {{7, 1 << 20, 0.4}};
  PresenceWatch watch(
      std::make_unique<Answers>(std::vector<StatusOr<device::ForeignSample>>{other, unavailable("gone")}),
      [&](const schedule::Presence& presence) { told.add(presence); }, std::chrono::milliseconds(1));
  const auto all = told.wait_for(2);
  EXPECT_TRUE(all[0].present);
  EXPECT_FALSE(all[1].present);
}

TEST(PresenceWatch, EndsAtOnceWhateverItsInterval) {
  Told told;
  PresenceWatch watch(
      std::make_unique<Answers>(std::vector<StatusOr<device::ForeignSample>>{device::ForeignSample{}}),
      [&](const schedule::Presence& presence) { told.add(presence); }, std::chrono::hours(1));
  told.wait_for(1);
}

}  // namespace
}  // namespace weft::worker
