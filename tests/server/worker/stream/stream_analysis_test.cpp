// SPDX-License-Identifier: Apache-2.0
// Tests streams with filters that decide from later frames: the pictures are those of a job, they
// do not depend on the arrival of the frames, and they come after the stated number of frames.
#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "tests/filter_suite/run.h"
#include "tests/server/worker/stream/stream_runner_fixture.h"

namespace weft::worker {
namespace {

using filters::Clip;
using filters::Picture;

// The film frame of a field under 2:3 pulldown.
int film_of(int field) { return field / 5 * 2 + (field % 5 >= 2 ? 1 : 0); }

double shade(int x, int y, double time) {
  return 0.5 + 0.2 * std::sin((x + 9 * time) / 11) + 0.2 * std::sin((y - 5 * time) / 14);
}

// Returns interlaced frames; `time_of` returns the time of the scene that a field shows.
template <class TimeOf>
Clip clip_of_fields(int frames, TimeOf time_of) {
  Clip clip{{kWidth, kHeight, Chroma::kGray, 8}, {}, {}};
  for (int n = 0; n < frames; n++) {
    Picture frame(clip.format);
    for (int y = 0; y < kHeight; y++)
      for (int x = 0; x < kWidth; x++)
        frame.at(0, x, y) = uint16_t(std::lround(255 * shade(x, y, time_of(2 * n + y % 2))));
    clip.frames.push_back(std::move(frame));
    clip.infos.push_back({.pts = n, .duration = 1, .interlaced = true, .top_field_first = true});
  }
  return clip;
}

// Film, video at field rate, and 30p, eight cycles of each but the last.
Clip mixed_clip(int frames = 117) {
  return clip_of_fields(frames, [](int k) {
    return k < 80 ? film_of(k) : k < 160 ? 32 + (k - 80) * 0.4 : 64 + (k - 160) / 2 * 0.8;
  });
}

struct StreamPicture {
  std::vector<uint16_t> samples;
  int64_t pts = 0, duration = 0, source_index = 0;
  bool operator==(const StreamPicture&) const = default;
};

class StreamAnalysisTest : public StreamRunnerTest {
 protected:
  static internal::v1::StartStream order_for(const std::string& filters) {
    internal::v1::StartStream order = order_of(v1::STREAM_CLASS_NORMAL);
    set_filters(*order.mutable_open(), filters);
    options::apply_defaults(*order.mutable_open());
    return order;
  }

  void on_picture(int slot, const v1::PictureFacts& facts) override {
    const std::lock_guard lock(mutex_);
    const auto* samples = reinterpret_cast<const uint8_t*>(ring_ + (kFrameSlots + slot) * kFrameBytes);
    pictures_.push_back(
        {{samples, samples + kFrameBytes}, facts.pts(), facts.duration(), facts.source_index()});
    runner_->free_picture(slot);
    changed_.notify_all();
  }

  // Adds the next frame of a clip when fewer than `most` frames wait for the stream.
  void add_frame(const Picture& picture, size_t most, bool discontinuity = false) {
    internal::v1::StreamFrame frame;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return free_frames_.size() > kFrameSlots - most; });
      frame.set_slot(free_frames_.front());
      free_frames_.erase(free_frames_.begin());
    }
    std::ranges::transform(picture.planes[0], ring_ + frame.slot() * kFrameBytes,
                           [](uint16_t sample) { return std::byte(sample); });
    frame.mutable_facts()->set_discontinuity(discontinuity);
    frame.set_arrival_ns(std::chrono::steady_clock::now().time_since_epoch().count());
    runner_->add_frame(frame);
  }

  std::vector<StreamPicture> run_stream(const std::string& filters, const Clip& clip,
                                        size_t most = kFrameSlots) {
    auto opened = open(order_for(filters));
    EXPECT_THAT(opened, IsOk());
    if (!opened.ok()) return {};
    runner_ = *std::move(opened);
    pictures_.clear();
    const std::jthread feeding([&] {
      for (size_t n = 0; n < clip.frames.size(); n++)
        add_frame(clip.frames[n], most, clip.infos[n].discontinuity);
      runner_->end_input();
    });
    EXPECT_THAT(runner_->run().status, IsOk());
    return pictures_;
  }

  // Returns the pictures of a job.
  std::vector<StreamPicture> run_job(const std::string& filters, const Clip& clip) {
    v1::OpenStream chain;
    set_filters(chain, filters);
    options::apply_defaults(chain);
    std::vector<filters::Options> options;
    for (const google::protobuf::Message* filter : filters::filters_of(chain, "filters")) {
      options.emplace_back(filter->New());
      options.back()->CopyFrom(*filter);
    }
    const auto& devices = filters::test_devices();
    const auto cpu = std::ranges::find(devices, device::BackendKind::kCpu,
                                       [](const device::Device* each) { return each->info().kind; });
    const auto run = filters::run_clip(**cpu, options, clip);
    EXPECT_THAT(run, IsOk());
    std::vector<StreamPicture> pictures;
    for (const filters::TimedPicture& picture : run.value())
      pictures.push_back(
          {picture.picture.planes[0], picture.time.pts, picture.time.duration, picture.source_index});
    return pictures;
  }

  static void expect_same(const std::vector<StreamPicture>& right, const std::vector<StreamPicture>& actual,
                          const std::string& what) {
    ASSERT_EQ(right.size(), actual.size()) << what;
    for (size_t i = 0; i < right.size(); i++) {
      ASSERT_EQ(right[i].pts, actual[i].pts) << what << ", picture " << i;
      ASSERT_EQ(right[i].duration, actual[i].duration) << what << ", picture " << i;
      ASSERT_EQ(right[i].source_index, actual[i].source_index) << what << ", picture " << i;
      ASSERT_TRUE(right[i].samples == actual[i].samples) << what << ", picture " << i;
    }
  }

  std::vector<StreamPicture> pictures_;
};

constexpr const char* kQuick = "preset=ultra-fast";

TEST_F(StreamAnalysisTest, PicturesAreThoseOfAJob) {
  const Clip clip = mixed_clip();
  for (const std::string mode :
       {"mode=vfr", "mode=vfr:timing=120", "mode=vfr30", "mode=24p", "mode=30p:nr=yes"}) {
    const std::string filters = fmt::format("kfm={}:delay=24:{}", mode, kQuick);
    const auto right = run_job(filters, clip);
    const auto actual = run_stream(filters, clip);
    ASSERT_NO_FATAL_FAILURE(expect_same(right, actual, mode));
    // Decisions from six later cycles alone change no time of the whole.
    int64_t at = 0;
    for (const StreamPicture& picture : run_stream(fmt::format("kfm={}:{}", mode, kQuick), clip, 1)) {
      ASSERT_EQ(picture.pts, at) << mode;
      at += picture.duration;
    }
    EXPECT_EQ(at, 4 * int64_t(clip.frames.size())) << mode;
  }
}

// Noise in every third field, and limits that replace many frames.
TEST_F(StreamAnalysisTest, NoisyFieldsAreReplacedAsByAJob) {
  Clip clip = mixed_clip();
  for (const size_t cut : {31u, 64u}) clip.infos[cut].discontinuity = true;
  std::mt19937 random(5);
  for (size_t n = 0; n < clip.frames.size(); n++)
    for (int y = 0; y < kHeight; y++)
      for (int x = 0; x < kWidth; x++)
        if ((2 * n + size_t(y) % 2) % 3 == 0) clip.frames[n].at(0, x, y) += uint16_t(random() % 16);
  for (const std::string mode : {"vfr", "vfr30", "24p", "30p", "60p"}) {
    const std::string filters = fmt::format(
        "kfm={}:delay=24:ucf=yes:ucf-chroma=0:fd-thresh=20:sc-thresh=20:dup-factor=0.8:{}", mode, kQuick);
    const auto right = run_job(filters, clip);
    ASSERT_NO_FATAL_FAILURE(expect_same(right, run_stream(filters, clip), mode));
    const auto usual = run_job(fmt::format("kfm={}:{}", mode, kQuick), clip);
    EXPECT_FALSE(usual == right) << mode << " replaces no frame";
  }
}

// Filters in front change the number of frames, and those after kfm read a window of pictures. The
// first two chains have two analyses, the last one has four.
TEST_F(StreamAnalysisTest, ChainsHaveThePicturesOfAJob) {
  const Clip clip = mixed_clip(70);
  const std::string kfm = fmt::format("kfm=delay=24:{}", kQuick);
  const std::vector<std::string> chains{"temporal_nr," + kfm + ":mode=24p,temporal_nr",
                                        "bwdif=rate=field," + kfm, kfm + "," + kfm + ":mode=30p"};
  for (const std::string& chain : chains)
    ASSERT_NO_FATAL_FAILURE(expect_same(run_job(chain, clip), run_stream(chain, clip), chain));
}

TEST_F(StreamAnalysisTest, PicturesDoNotDependOnTheArrivalOfFrames) {
  const Clip clip = mixed_clip();
  const std::string filters = fmt::format("kfm=vfr:{}", kQuick);
  ASSERT_NO_FATAL_FAILURE(
      expect_same(run_stream(filters, clip), run_stream(filters, clip, 1), "one at a time"));
}

TEST_F(StreamAnalysisTest, ADiscontinuityBeginsNewCycles) {
  Clip clip = mixed_clip(60);
  for (const size_t cut : {0u, 1u, 13u, 52u, 59u}) clip.infos[cut].discontinuity = true;
  const std::string filters = fmt::format("kfm=vfr:delay=12:{}", kQuick);
  ASSERT_NO_FATAL_FAILURE(expect_same(run_job(filters, clip), run_stream(filters, clip), "cuts"));
  for (const int frames : {1, 2, 6, 11}) {
    const Clip few = mixed_clip(frames);
    ASSERT_NO_FATAL_FAILURE(
        expect_same(run_job(filters, few), run_stream(filters, few), fmt::format("{} frames", frames)));
  }
}

TEST_F(StreamAnalysisTest, APictureComesAfterTheStatedNumberOfFrames) {
  const Clip clip = mixed_clip();
  for (const std::string mode : {"vfr", "24p"}) {
    auto opened = open(order_for(fmt::format("kfm={}:delay=2:{}", mode, kQuick)));
    ASSERT_THAT(opened, IsOk());
    runner_ = *std::move(opened);
    const int ahead = runner_->started_message().frames_ahead();
    EXPECT_GE(ahead, 5 * 2 + 8) << "the delay and the fields that a cycle reads";
    EXPECT_EQ(runner_->started_message().has_variable_rate(), mode == "vfr");
    pictures_.clear();
    free_frames_ = {0, 1, 2, 3};  // a stream that is stopped returns none
    std::jthread running(
        [this] { EXPECT_THAT(runner_->run().status, StatusIs(StatusCode::kCancelled, "")); });
    bool is_in_time = true;
    for (size_t n = 0; n < clip.frames.size() && is_in_time; n++) {
      add_frame(clip.frames[n], kFrameSlots);
      const int64_t due = int64_t(n) - ahead;
      if (due < 0 || due % 10 != 0) continue;
      // At least each second frame has a picture.
      std::unique_lock lock(mutex_);
      is_in_time = changed_.wait_for(lock, std::chrono::seconds(20), [&] {
        return !pictures_.empty() && pictures_.back().source_index >= due - 1;
      });
      EXPECT_TRUE(is_in_time) << mode << ": the picture of frame " << due << " after frame " << n;
    }
    runner_->stop();
  }
}

TEST_F(StreamAnalysisTest, ARealtimeStreamIsRefused) {
  internal::v1::StartStream order = order_for("kfm");
  order.mutable_open()->mutable_settings()->set_stream_class(v1::STREAM_CLASS_REALTIME);
  EXPECT_THAT(open(order), StatusIs(StatusCode::kInvalidArgument, "open the stream as a normal one"));
}

}  // namespace
}  // namespace weft::worker
