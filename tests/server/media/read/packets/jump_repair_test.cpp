// SPDX-License-Identifier: Apache-2.0
#include "server/media/read/packets/jump_repair.h"

#include <memory>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/media/read/packets/demuxer.h"
#include "tests/server/media/clips.h"

namespace weft::media {
namespace {

constexpr int64_t kSecond = 90000;
constexpr int64_t kFrame = kSecond / 25;
constexpr int64_t kAudio = 2160;  // 1152 samples at 48 kHz

// A simulated transport stream that consists of the times of two streams.
class RepairedTimes : public testing::Test {
 protected:
  RepairedTimes() {
    context_->iformat = av_find_input_format("mpegts");
    for (AVStream*& stream : streams_) {
      stream = avformat_new_stream(context_.get(), nullptr);
      stream->time_base = {1, int(kSecond)};
    }
    repair_.start(*context_, 0);
  }

  int64_t give(int stream, int64_t dts, int64_t duration) {
    packet_->dts = packet_->pts = dts;
    packet_->duration = duration;
    jumped_ = repair_.apply(*packet_, *streams_[stream]);
    return packet_->dts;
  }
  int64_t video(int64_t dts) { return give(0, dts, kFrame); }
  int64_t audio(int64_t dts) { return give(1, dts, kAudio); }

  std::unique_ptr<AVFormatContext, decltype(&avformat_free_context)> context_{avformat_alloc_context(),
                                                                              &avformat_free_context};
  AVStream* streams_[2]{};
  PacketPtr packet_{av_packet_alloc()};
  JumpRepair repair_;
  bool jumped_ = false;
};

TEST_F(RepairedTimes, LittleDisorderStays) {
  for (const int64_t time : {0, 3600, 7200, 1800, 10800, 14400}) {
    EXPECT_EQ(video(time), time);
    EXPECT_FALSE(jumped_);
    EXPECT_EQ(audio(time), time);
  }
}

TEST_F(RepairedTimes, StepsForwardBelowTenSecondsStay) {
  EXPECT_EQ(video(0), 0);
  EXPECT_EQ(video(9 * kSecond), 9 * kSecond);
  EXPECT_FALSE(jumped_);
  EXPECT_EQ(video(20 * kSecond), 9 * kSecond + kFrame);
  EXPECT_TRUE(jumped_);
}

TEST_F(RepairedTimes, TimesOfPicturesAloneMayFall) {
  for (const int64_t shown : {0, 8, 4, 2, 6}) {
    packet_->dts = AV_NOPTS_VALUE;
    packet_->pts = shown * kFrame;
    packet_->duration = kFrame;
    EXPECT_FALSE(repair_.apply(*packet_, *streams_[0]));
    EXPECT_EQ(packet_->pts, shown * kFrame);
  }
}

TEST_F(RepairedTimes, AFewStrayTimesDoNotMoveWhatFollows) {
  for (int i = 0; i < 10; i++) EXPECT_EQ(video(i * kFrame), i * kFrame);
  EXPECT_EQ(video(10 * kFrame - 2 * kSecond), 10 * kFrame);
  EXPECT_EQ(video(11 * kFrame - 2 * kSecond), 11 * kFrame);
  for (int i = 12; i < 200; i++) {
    EXPECT_EQ(video(i * kFrame), i * kFrame);
    EXPECT_EQ(audio(i * kFrame), i * kFrame);
  }
}

TEST_F(RepairedTimes, ThatOfAudioAloneGoesOn) {
  for (int i = 0; i < 100; i++) {
    EXPECT_EQ(video(i * kFrame), i * kFrame);
    EXPECT_EQ(audio(i * kFrame - (i < 50 ? 0 : kSecond)),
              i < 50 ? i * kFrame : 49 * kFrame + kAudio + (i - 50) * kFrame);
  }
}

// Parameters: the jump back in seconds, and the delay of the audio in the file after the video in
// seconds; negative: audio first.
class SmallJump : public RepairedTimes, public testing::WithParamInterface<std::tuple<double, double>> {};

TEST_P(SmallJump, MovesAllStreamsAlike) {
  const auto back = int64_t(std::get<0>(GetParam()) * kSecond);
  const auto late = int64_t(std::get<1>(GetParam()) * kSecond);
  constexpr int64_t jump_at = 12 * kSecond, end = 30 * kSecond;
  int jumps = 0;
  int64_t next_audio = 0;
  for (int64_t time = 0; time < end; time += kFrame) {
    EXPECT_EQ(video(time < jump_at ? time : time - back), time);
    jumps += jumped_;
    for (; next_audio < time - late; next_audio += kAudio)
      EXPECT_EQ(audio(next_audio < jump_at ? next_audio : next_audio - back), next_audio) << time;
  }
  EXPECT_EQ(jumps, 1);
}

INSTANTIATE_TEST_SUITE_P(Seconds, SmallJump,
                         testing::Combine(testing::Values(0.2, 2, 9, 11),
                                          testing::Values(-1, -0.3, 0, 0.3, 1)));

TEST_F(RepairedTimes, StreamsThatEndApartBeginTogether) {
  constexpr int64_t lost = kSecond / 2;  // duration of the audio that is missing before the jump
  for (const int64_t late : {-kSecond / 2, kSecond / 2}) {
    repair_ = JumpRepair();
    repair_.start(*context_, 0);
    int64_t next_audio = 0, offset = 0;
    for (int64_t time = 0; time < 18 * kSecond; time += kFrame) {
      EXPECT_EQ(video(time % (5 * kSecond)), time);
      for (; next_audio < time - late; next_audio += kAudio)
        if (next_audio % (5 * kSecond) < 5 * kSecond - lost)
          offset = audio(next_audio % (5 * kSecond)) - next_audio;
    }
    EXPECT_EQ(offset, 0) << late;
  }
}

TEST_F(RepairedTimes, GoOnFromAStateBesideThePackets) {
  for (int i = 0; i < 50; i++) video(i * kFrame);
  EXPECT_EQ(video(0), 50 * kFrame);
  const std::vector<int64_t> state = repair_.state();
  JumpRepair again;
  again.start(*context_, 0);
  again.restore(state);
  std::swap(repair_, again);
  EXPECT_EQ(video(0), 50 * kFrame);
  EXPECT_FALSE(jumped_);
  EXPECT_EQ(video(kFrame), 51 * kFrame);
}

// Returns the times of one stream from the demuxer, in the order of the file.
std::vector<int64_t> times_of(const std::string& path, AVMediaType type) {
  std::vector<int64_t> times;
  auto demuxer = Demuxer::open(*InputFile::open(path));
  EXPECT_THAT(demuxer, IsOk());
  const PacketPtr packet(av_packet_alloc());
  while (*(*demuxer)->read(*packet))
    if ((*demuxer)->context().streams[packet->stream_index]->codecpar->codec_type == type)
      times.push_back(packet->dts);
  return times;
}

TEST(JumpRepair, PutsPiecesOfAFileOneBehindAnother) {
  const TestFolder folder;
  const std::string piece = make_clip(folder, "piece.ts",
                                      "-f lavfi -i testsrc2=size=64x48:rate=25 -f lavfi -i "
                                      "sine=sample_rate=48000 -t 3 -c:v mpeg2video -bf 2 -c:a mp2");
  const std::string path = folder.path("three.ts");
  write_file(path, read_file(piece) + read_file(piece) + read_file(piece));
  const std::vector<int64_t> video = times_of(path, AVMEDIA_TYPE_VIDEO);
  ASSERT_EQ(video.size(), 3u * 75);
  for (size_t i = 1; i < video.size(); i++) EXPECT_EQ(video[i] - video[i - 1], kFrame) << i;
  const std::vector<int64_t> audio = times_of(path, AVMEDIA_TYPE_AUDIO);
  ASSERT_EQ(audio.size(), 3u * 125);
  for (size_t i = 0; i < audio.size(); i++) EXPECT_EQ(audio[i] - audio[0], int64_t(i) * kAudio) << i;
}

}  // namespace
}  // namespace weft::media
