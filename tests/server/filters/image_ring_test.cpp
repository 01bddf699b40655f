// SPDX-License-Identifier: Apache-2.0
#include "server/filters/image_ring.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft::filters {
namespace {

constexpr size_t kImageBytes = 4000;

device::Device& cpu_device() {
  static const auto device = device::open_device(std::string_view("cpu"), {.cpu_threads = 2}).value();
  return *device;
}

// Copies images, and says of each its number of frames in the batch and where it lay.
class Copy final : public ImageFilter {
 public:
  explicit Copy(std::vector<int>* batches, size_t scratch = 0, int portions = 1)
      : batches_(batches), scratch_(scratch), portions_(portions) {}
  size_t source_bytes() const override { return kImageBytes; }
  size_t target_bytes() const override { return kImageBytes; }
  size_t report_bytes() const override { return 4; }
  int max_frames() const override { return 4; }
  size_t scratch_bytes(int frames) const override { return size_t(frames) * scratch_; }
  int portions() const override { return portions_; }
  void enqueue(device::Stream& stream, const ImageBatch& batch, const Portion& portion) override {
    batches_->push_back(batch.frames);
    const Items part = items_of(portion, int(kImageBytes));
    const size_t bytes = portions_ == 1 ? size_t(batch.frames) * kImageBytes : size_t(part.count);
    stream.copy(*batch.target, batch.target_offset + size_t(part.first), *batch.source,
                batch.source_offset + size_t(part.first), bytes);
    for (int i = 0; i < batch.frames; i++)
      stream.fill(*batch.reports, batch.reports_offset + size_t(i) * 4, 4, std::byte(i + 1));
  }

 private:
  std::vector<int>* batches_;
  size_t scratch_;
  int portions_;
};

std::vector<std::byte> image(uint32_t seed) {
  std::vector<std::byte> bytes(kImageBytes);
  std::mt19937 random(seed);
  for (std::byte& each : bytes) each = std::byte(random() & 0xff);
  return bytes;
}

TEST(ImageRing, GivesImagesInTheOrderOfThePushesInWhateverBatches) {
  std::vector<int> batches;
  const auto ring = ImageRing::make(cpu_device(), std::make_unique<Copy>(&batches), {.batch = 3});
  ASSERT_THAT(ring, IsOk());
  std::mt19937 random(1);
  constexpr uint32_t kImages = 50;
  uint32_t pushed = 0, popped = 0;
  int waiting = 0;  // on the device
  while (popped < kImages) {
    while (pushed < kImages && (*ring)->has_room() && random() % 3 != 0)
      ASSERT_THAT((*ring)->push(image(pushed++)), IsOk());
    if (pushed == kImages && !(*ring)->is_submitted()) (*ring)->finish();
    if (const int ready = (*ring)->ready(); ready > 0) {
      const int count = (*ring)->submit(1 + int(random() % 3), {});
      EXPECT_GE(count, 1);
      EXPECT_LE(count, ready);
      waiting += count;
    }
    std::vector<std::byte> result(kImageBytes), report(4);
    const auto got = (*ring)->pop(result, report);
    ASSERT_THAT(got, IsOk());
    ASSERT_EQ(*got, waiting > 0);
    if (!*got) continue;
    EXPECT_EQ(result, image(popped)) << popped;
    EXPECT_GE(int(report[0]), 1);
    EXPECT_LE(int(report[0]), 3);
    popped++;
    waiting--;
  }
  EXPECT_TRUE((*ring)->is_empty());
  EXPECT_GT(*std::max_element(batches.begin(), batches.end()), 1);
  int counted = 0;
  for (const BatchCost& cost : (*ring)->take_costs()) counted += cost.frames;
  EXPECT_EQ(counted, int(kImages));
}

TEST(ImageRing, ImagesInPortionsAreSubmittedByThemAndComeOutWhole) {
  std::vector<int> batches;
  constexpr int kPortions = 7;
  const auto ring =
      ImageRing::make(cpu_device(), std::make_unique<Copy>(&batches, 0, kPortions), {.batch = 3});
  ASSERT_THAT(ring, IsOk());
  EXPECT_EQ((*ring)->batch(), 1);
  EXPECT_EQ((*ring)->max_units(), kPortions);
  std::mt19937 random(2);
  constexpr uint32_t kImages = 20;
  uint32_t pushed = 0, popped = 0;
  int submitted = 0;  // portions
  while (popped < kImages) {
    while (pushed < kImages && (*ring)->has_room() && random() % 3 != 0)
      ASSERT_THAT((*ring)->push(image(pushed++)), IsOk());
    if (pushed == kImages && !(*ring)->is_submitted()) (*ring)->finish();
    const int left_of_image = kPortions - submitted % kPortions;
    const int ready = (*ring)->ready();
    EXPECT_LE(ready, left_of_image);
    EXPECT_TRUE((*ring)->is_complete()) << "a batch is of one image";
    if (ready > 0) {
      const int most = 1 + int(random() % 4);
      EXPECT_EQ((*ring)->submit(most, {}), std::min(most, ready));
      submitted += std::min(most, ready);
      EXPECT_TRUE((*ring)->wait_for((*ring)->last_batch()).ok());
    }
    std::vector<std::byte> result(kImageBytes), report(4);
    const auto got = (*ring)->pop(result, report);
    ASSERT_THAT(got, IsOk());
    ASSERT_EQ(*got, submitted / kPortions > int(popped)) << "an image comes out when all of it is done";
    if (!*got) continue;
    EXPECT_EQ(result, image(popped)) << popped;
    popped++;
  }
  EXPECT_TRUE((*ring)->is_empty());
  int counted = 0;
  for (const BatchCost& cost : (*ring)->take_costs()) counted += cost.frames;
  EXPECT_EQ(counted, int(kImages));
}

// More than a stream keeps marks for.
TEST(ImageRing, TellsWhatAnImageTookInThousandsOfPortions) {
  std::vector<int> batches;
  constexpr int kPortions = 2 * device::Stream::kMarksKept;
  const auto ring = ImageRing::make(cpu_device(), std::make_unique<Copy>(&batches, 0, kPortions), {});
  ASSERT_THAT(ring, IsOk());
  std::array<Duration, 2> took{};
  for (uint32_t i = 0; i < took.size(); i++) ASSERT_THAT((*ring)->push(image(i)), IsOk());
  for (Duration& all : took)  // nobody pops the first while the second is done
    for (int i = 0; i < kPortions; i++) {
      ASSERT_EQ((*ring)->submit(1, {}), 1);
      const StatusOr<Duration> time = (*ring)->wait_for((*ring)->last_batch());
      ASSERT_THAT(time, IsOk());
      all += *time;
    }
  for (uint32_t i = 0; i < took.size(); i++) {
    std::vector<std::byte> result(kImageBytes), report(4);
    ASSERT_THAT((*ring)->pop(result, report), IsOk());
    EXPECT_EQ(result, image(i));
    const std::vector<BatchCost> costs = (*ring)->take_costs();
    ASSERT_EQ(costs.size(), 1u);
    EXPECT_EQ(costs[0].filter, took[i]);
  }
}

TEST(ImageRing, HasNoRoomForMoreThanItsSlots) {
  std::vector<int> batches;
  const auto ring = ImageRing::make(cpu_device(), std::make_unique<Copy>(&batches), {.batch = 2});
  ASSERT_THAT(ring, IsOk());
  int pushed = 0;
  while ((*ring)->has_room()) ASSERT_THAT((*ring)->push(image(uint32_t(pushed++))), IsOk());
  EXPECT_EQ(pushed, 6);
  EXPECT_THAT((*ring)->push(image(0)), StatusIs(StatusCode::kFailedPrecondition, "no room"));
  EXPECT_EQ((*ring)->submit(9, {}), 2);  // a batch is no larger than planned
  EXPECT_EQ((*ring)->submit(9, {}), 2);
  EXPECT_EQ((*ring)->ready(), 0);  // two are in flight
  std::vector<std::byte> result(kImageBytes), report(4);
  EXPECT_THAT((*ring)->pop(result, report), IsOk());
  EXPECT_TRUE((*ring)->has_room());
  std::vector<std::byte> small(kImageBytes - 1);
  EXPECT_THAT((*ring)->push(small), StatusIs(StatusCode::kInternal));
}

TEST(ImageRing, PlansNoMoreThanIsAllowedOrThere) {
  std::vector<int> batches;
  const auto few = ImageRing::make(cpu_device(), std::make_unique<Copy>(&batches), {.batch = 4, .images = 1});
  ASSERT_THAT(few, IsOk());
  EXPECT_EQ((*few)->batch(), 1);
  EXPECT_EQ((*few)->device_bytes(), 2 * kImageBytes + 4);
  const auto bounded = ImageRing::make(cpu_device(), std::make_unique<Copy>(&batches, 1 << 20),
                                       {.batch = 4, .most_bytes = 3 << 20});
  ASSERT_THAT(bounded, IsOk());
  EXPECT_EQ((*bounded)->batch(), 2);
  const auto most = ImageRing::make(cpu_device(), std::make_unique<Copy>(&batches), {.batch = 99});
  ASSERT_THAT(most, IsOk());
  EXPECT_EQ((*most)->batch(), 4);  // the filter takes no more
  // Short memory halves the batch; where not even one image fits, it is said.
  const size_t half_of_all = size_t{1} << 61;
  EXPECT_THAT(ImageRing::make(cpu_device(), std::make_unique<Copy>(&batches, half_of_all), {.batch = 2}),
              StatusIs(StatusCode::kResourceExhausted));
}

}  // namespace
}  // namespace weft::filters
