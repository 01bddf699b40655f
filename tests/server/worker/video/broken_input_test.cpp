// SPDX-License-Identifier: Apache-2.0
// Tests files with damage of every kind. Each job ends with a clear error or a complete output,
// never with a crash, and no unfinished file remains.
#include <filesystem>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/media/read/probe/probe.h"
#include "tests/server/worker/jobs.h"

namespace weft::worker {
namespace {

class BrokenInputTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new media::TestFolder;
    transport_stream_ = media::read_file(make_interlaced(*folder_, "whole.ts", 25));
    mp4_ = media::read_file(make_interlaced(*folder_, "whole.mp4", 25, "-c:v libx264 -flags +ildct+ilme"));
  }
  static void TearDownTestSuite() { delete folder_; }

  // Runs a job on a file with these bytes.
  Ran run_bytes(const std::string& name, const std::string& bytes) {
    media::write_file(folder_->path(name), bytes);
    TestJob job(*folder_, name + ".job", folder_->path(name));
    job.video().mutable_encoding()->set_segment_frames(8);
    const Ran ran = run_attempt(job);
    const bool has_file = std::filesystem::exists(job.finished_path());
    if (ran.end.status.ok()) {
      EXPECT_TRUE(has_file) << name;
      EXPECT_EQ(int64_t(picture_hashes(job.finished_path()).size()), ran.end.result.units_out()) << name;
    } else {
      EXPECT_FALSE(has_file) << name << ": " << ran.end.status;
      // A size in a damaged header may require more memory than the machine has.
      const bool short_of_memory = ran.end.status.code() == StatusCode::kResourceExhausted;
      EXPECT_EQ(ran.end.retriable, short_of_memory) << name << ": " << ran.end.status;
      EXPECT_GT(message_of(ran.end.status).size(), 20u) << name;
    }
    return ran;
  }

  static media::TestFolder* folder_;
  static std::string transport_stream_, mp4_;
};
media::TestFolder* BrokenInputTest::folder_ = nullptr;
std::string BrokenInputTest::transport_stream_, BrokenInputTest::mp4_;

TEST_F(BrokenInputTest, WhatIsNoVideoIsRefused) {
  for (const auto& [name, bytes] : std::vector<std::pair<std::string, std::string>>{
           {"text.ts", std::string(10'000, 'a')},
           {"zeros.ts", std::string(10'000, '\0')},
           {"one-byte.ts", "x"},
           {"header-only.ts", transport_stream_.substr(0, 188)}}) {
    const Ran ran = run_bytes(name, bytes);
    EXPECT_TRUE(ran.end.status.code() == StatusCode::kInvalidArgument ||
                ran.end.status.code() == StatusCode::kDataLoss)
        << name << ": " << ran.end.status;
  }
}

TEST_F(BrokenInputTest, TruncatedFilesGiveWhatTheyHoldOrAClearError) {
  for (int percent = 5; percent < 100; percent += 10) {
    run_bytes(fmt::format("cut-{}.ts", percent),
              transport_stream_.substr(0, transport_stream_.size() * percent / 100));
    run_bytes(fmt::format("cut-{}.mp4", percent), mp4_.substr(0, mp4_.size() * percent / 100));
  }
}

TEST_F(BrokenInputTest, FlippedBitsAreConcealedOrAClearError) {
  std::mt19937 random(11);
  int64_t corrupt = 0;
  for (int round = 0; round < 12; round++) {
    std::string ts = transport_stream_, mp4 = mp4_;
    for (int flips = 0; flips < 5 + 20 * round; flips++) {
      ts[random() % ts.size()] ^= char(1 << random() % 8);
      mp4[random() % mp4.size()] ^= char(1 << random() % 8);
    }
    const Ran ran = run_bytes(fmt::format("flipped-{}.ts", round), ts);
    if (ran.end.status.ok()) corrupt += ran.end.result.corrupt_packets();
    run_bytes(fmt::format("flipped-{}.mp4", round), mp4);
  }
  EXPECT_GT(corrupt, 0) << "no damage was counted";
}

TEST_F(BrokenInputTest, AStreamThatChangesItsSizeIsRefused) {
  const std::string other = media::read_file(
      make_interlaced(*folder_, "other.ts", 25, "-c:v mpeg2video -flags +ildct+ilme", "352x288"));
  const Ran ran = run_bytes("two-sizes.ts", transport_stream_ + other);
  EXPECT_FALSE(ran.end.status.ok());
}

}  // namespace
}  // namespace weft::worker
