// SPDX-License-Identifier: Apache-2.0
#include "server/worker/device/presence_watch.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <vector>

#include <gtest/gtest.h>

namespace weft::worker {
namespace {

using schedule::ExternalLoadMode;

TEST(ExternalLoadMode, HasTwoNames) {
  EXPECT_EQ(external_load_mode("yield"), ExternalLoadMode::kYield);
  EXPECT_EQ(external_load_mode("share"), ExternalLoadMode::kShare);
  EXPECT_EQ(external_load_mode("lock"), std::nullopt);
  EXPECT_EQ(external_load_mode(""), std::nullopt);
}

// Returns the given samples in turn, then the last one again.
class Answers final : public device::ExternalLoadWatch {
 public:
  explicit Answers(std::vector<StatusOr<device::ExternalLoadSample>> answers)
      : answers_(std::move(answers)) {}
  StatusOr<device::ExternalLoadSample> sample() override {
    return answers_[std::min(next_++, answers_.size() - 1)];
  }

 private:
  std::vector<StatusOr<device::ExternalLoadSample>> answers_;
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
  Told reported;
  device::ExternalLoadSample other;
  other.processes = {{7, 1 << 20, 0.4}};
  other.utilisation = 0.4;
  PresenceWatch watch(
      std::make_unique<Answers>(std::vector<StatusOr<device::ExternalLoadSample>>{
          device::ExternalLoadSample{}, other, device::ExternalLoadSample{}}),
      [&](const schedule::Presence& presence) { reported.add(presence); }, std::chrono::milliseconds(1));
  const auto all = reported.wait_for(4);
  EXPECT_FALSE(all[0].present);
  EXPECT_TRUE(all[1].present);
  EXPECT_EQ(all[1].utilisation, 0.4);
  EXPECT_FALSE(all[2].present);
  EXPECT_GE(all[1].time, all[0].time);
}

TEST(PresenceWatch, ADriverThatFailsMeansNobody) {
  Told reported;
  device::ExternalLoadSample other;
  other.processes = {{7, 1 << 20, 0.4}};
  PresenceWatch watch(
      std::make_unique<Answers>(
          std::vector<StatusOr<device::ExternalLoadSample>>{other, unavailable("gone")}),
      [&](const schedule::Presence& presence) { reported.add(presence); }, std::chrono::milliseconds(1));
  const auto all = reported.wait_for(2);
  EXPECT_TRUE(all[0].present);
  EXPECT_FALSE(all[1].present);
}

TEST(PresenceWatch, EndsAtOnceWhateverItsInterval) {
  Told reported;
  PresenceWatch watch(
      std::make_unique<Answers>(
          std::vector<StatusOr<device::ExternalLoadSample>>{device::ExternalLoadSample{}}),
      [&](const schedule::Presence& presence) { reported.add(presence); }, std::chrono::hours(1));
  reported.wait_for(1);
}

}  // namespace
}  // namespace weft::worker
