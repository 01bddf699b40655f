// SPDX-License-Identifier: Apache-2.0
// Tests that encoded audio stays in sync with the pictures.
#include "server/media/write/audio_encoder.h"

#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/media/read/probe/probe.h"
#include "server/media/write/output_check.h"
#include "tests/server/media/clips.h"

namespace weft::media {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr int kAudioRate = 48000;
const std::string kTestPicture = "-f lavfi -i testsrc2=size=64x48:rate=25:duration=4 ";
// A tone that begins at 1 s.
const std::string kBurst = "-f lavfi -i aevalsrc='if(gt(t\\,1)\\,sin(2*PI*1000*t)/2\\,0)':s=48000:d=3 ";

class AudioEncoderTest : public testing::Test {
 protected:
  StatusOr<FinishResult> convert(const std::string& input, const std::string& name, AudioChoice audio,
                                 const SourcePart& part = {}, size_t first = 0, size_t last = 9) {
    return convert(input, name, CopyChoices{.audio = audio}, part, first, last);
  }
  StatusOr<FinishResult> convert(const std::string& input, const std::string& name,
                                 const CopyChoices& choices, const SourcePart& part = {}, size_t first = 0,
                                 size_t last = 9) {
    ASSIGN_OR_RETURN(
        const auto segments,
        encode_segments(input, {.encoder = "x264", .options = {{"bf", "2"}}}, 10, folder_.path(name + "-")));
    FinishRequest request{.name = name, .output = {.name = folder_.path(name)}, .part = part};
    for (size_t i = first; i <= last; i++) request.segments.push_back(segments.at(i));
    ASSIGN_OR_RETURN(request.source, InputFile::open(input));
    request.choices = choices;
    request.expected_frames = int64_t(last - first + 1) * 10;
    return finish(request);
  }
  // Returns the samples from time 0 of the file on; silence before the audio begins.
  static std::vector<float> samples(const std::string& path) {
    const std::string bytes = run("ffmpeg -nostdin -v error -copyts -i '" + path +
                                  "' -map 0:a -af aresample=async=1:first_pts=0 -ac 1 -ar 48000 -f f32le -");
    std::vector<float> all(bytes.size() / sizeof(float));
    std::memcpy(all.data(), bytes.data(), all.size() * sizeof(float));
    return all;
  }
  // Returns the begin of the tone in seconds after the first picture. The search starts `after`
  // seconds after that picture.
  static double onset(const std::string& path, int after = 0) {
    const std::vector<float> all = samples(path);
    const double first = std::stod(ffprobe(path, "-select_streams v -show_entries frame=pts_time").at(0));
    const auto begin =
        all.begin() + std::min<int64_t>(int64_t((first + after) * kAudioRate), int64_t(all.size()));
    const auto loud = std::find_if(begin, all.end(), [](float each) { return std::abs(each) > 0.1f; });
    return double(loud - all.begin()) / kAudioRate - first;
  }

  TestFolder folder_;
};

TEST_F(AudioEncoderTest, KeepsSync) {
  const std::string early =
      make_clip(folder_, "early.mkv", kTestPicture + kBurst + "-c:v ffv1 -pix_fmt yuv420p -c:a pcm_s16le");
  const std::string late = make_clip(
      folder_, "late.ts",
      kTestPicture + "-itsoffset 0.37 " + kBurst + "-c:v mpeg2video -bf 2 -c:a aac -mpegts_flags latm");
  const std::string padded =
      make_clip(folder_, "padded.mp4", kTestPicture + kBurst + "-c:v libx264 -pix_fmt yuv420p -c:a aac");
  for (const std::string& input : {early, late, padded})
    for (const auto& [name, audio] :
         {std::pair("a.mkv", AudioChoice::kAac), std::pair("a.mp4", AudioChoice::kAac),
          std::pair("a.ts", AudioChoice::kAac), std::pair("b.mkv", AudioChoice::kFlac),
          std::pair("b.mp4", AudioChoice::kFlac)}) {
      const auto result = convert(input, name, audio);
      ASSERT_THAT(result, IsOk()) << input << name;
      EXPECT_THAT(result->notes, IsEmpty()) << input << name;
      EXPECT_NEAR(onset(folder_.path(name)), onset(input), 0.003) << input << " " << name;
      EXPECT_EQ(ffprobe(folder_.path(name), "-select_streams a -show_entries stream=codec_name").at(0),
                audio == AudioChoice::kAac ? "aac" : "flac");
    }
}

TEST_F(AudioEncoderTest, FlacLosesNothing) {
  for (const std::string codec : {"pcm_s16le", "pcm_s24le"}) {
    const std::string input =
        make_clip(folder_, "in.mkv", kTestPicture + kBurst + "-c:v ffv1 -pix_fmt yuv420p -c:a " + codec);
    ASSERT_THAT(convert(input, "a.mkv", AudioChoice::kFlac), IsOk());
    const auto decoded = [](const std::string& path) {
      return run("ffmpeg -nostdin -v error -i '" + path + "' -map 0:a -f md5 -c:a pcm_s32le -");
    };
    EXPECT_EQ(decoded(folder_.path("a.mkv")), decoded(input)) << codec;
  }
}

TEST_F(AudioEncoderTest, IsReproducible) {
  const std::string input = make_clip(folder_, "in.ts", kTestPicture + kBurst + "-c:v mpeg2video -c:a mp2");
  ASSERT_THAT(convert(input, "a.mkv", AudioChoice::kAac), IsOk());
  ASSERT_THAT(convert(input, "b.mkv", AudioChoice::kAac), IsOk());
  EXPECT_TRUE(read_file(folder_.path("a.mkv")) == read_file(folder_.path("b.mkv")));
}

TEST_F(AudioEncoderTest, APartIsCutToTheSample) {
  const std::string input =
      make_clip(folder_, "in.mkv", kTestPicture + kBurst + "-c:v ffv1 -pix_fmt yuv420p -c:a pcm_s16le");
  // from 0.8 s to 2 s, in milliseconds
  ASSERT_THAT(
      convert(input, "a.mkv", AudioChoice::kFlac, {.first_frame = 20, .begin = 800, .end = 2000}, 2, 4),
      IsOk());
  const std::vector<float> whole = samples(input), part = samples(folder_.path("a.mkv"));
  ASSERT_EQ(part.size(), size_t{kAudioRate * 12 / 10});
  EXPECT_TRUE(std::equal(part.begin(), part.end(), whole.begin() + kAudioRate * 8 / 10));
}

TEST_F(AudioEncoderTest, WhatIsMissingBecomesSilence) {
  const std::string whole =
      make_clip(folder_, "whole.ts",
                kTestPicture + "-f lavfi -i sine=sample_rate=48000:duration=4 -c:v mpeg2video -c:a mp2");
  constexpr size_t kPacketBytes = 188;
  const std::string bytes = read_file(whole);
  std::string damaged;
  for (size_t at = 0; at + kPacketBytes <= bytes.size(); at += kPacketBytes) {
    const int pid = (bytes[at + 1] & 0x1f) << 8 | (bytes[at + 2] & 0xff);
    const bool is_lost = pid == 0x101 && at > bytes.size() / 2 && at < bytes.size() * 3 / 4;
    if (!is_lost) damaged += bytes.substr(at, kPacketBytes);
  }
  write_file(folder_.path("in.ts"), damaged);
  const auto result = convert(folder_.path("in.ts"), "a.mkv", AudioChoice::kFlac);
  ASSERT_THAT(result, IsOk());
  EXPECT_THAT(result->notes, testing::Contains(HasSubstr("gaps are silent")));
  EXPECT_NEAR(double(samples(folder_.path("a.mkv")).size()) / kAudioRate, 4, 0.1);
}

// A gap interrupts a tone after a second. A gap of 9 s is filled with silence, a gap of a minute is
// not. The audio after it keeps its time.
TEST_F(AudioEncoderTest, ALongGapStaysAGap) {
  for (const int gap : {9, 60}) {
    const std::string input = make_clip(
        folder_, "in.mkv",
        kTestPicture + "-f lavfi -i aevalsrc='sin(2*PI*1000*t)/2:s=48000:d=3' -af asetpts='PTS+gt(T\\,1)*" +
            std::to_string(gap) + "/TB' -c:v ffv1 -pix_fmt yuv420p -c:a pcm_s16le");
    for (const auto& [name, audio] :
         {std::pair("a.mkv", AudioChoice::kAac), std::pair("a.mp4", AudioChoice::kAac),
          std::pair("a.ts", AudioChoice::kAac), std::pair("b.mkv", AudioChoice::kFlac)}) {
      const auto result = convert(input, name, audio);
      ASSERT_THAT(result, IsOk()) << name;
      const bool is_filled = gap == 9;
      EXPECT_THAT(result->notes,
                  testing::Contains(HasSubstr(is_filled ? "1 gaps are silent" : "1 gaps of more than 10 s")));
      const int packets = std::stoi(
          ffprobe(folder_.path(name), "-select_streams a -count_packets -show_entries stream=nb_read_packets")
              .at(0));
      const int samples_a_packet = audio == AudioChoice::kAac ? 1024 : 4608;
      EXPECT_NEAR(double(packets) * samples_a_packet / kAudioRate, is_filled ? 12 : 3, 0.3)
          << name << " " << gap;
      EXPECT_NEAR(onset(folder_.path(name), 2), onset(input, 2), 0.03) << name << " " << gap;
    }
  }
}

// Returns the encoder's output for a file's audio, and its note. Packet `wrong` is moved by
// `seconds`.
std::pair<std::string, std::string> encoded_with(const std::string& path, int wrong, int seconds) {
  AVFormatContext* opened = nullptr;
  EXPECT_EQ(avformat_open_input(&opened, path.c_str(), nullptr, nullptr), 0);
  const InputPtr owner(opened);
  EXPECT_GE(avformat_find_stream_info(opened, nullptr), 0);
  const AVStream& stream = *opened->streams[0];
  auto audio = AudioEncoder::open(stream, AV_CODEC_ID_FLAC, {}, false).value();
  std::string bytes;
  const auto take = [&] {
    while (const PacketPtr packet = audio->take())
      bytes += std::to_string(packet->pts) + ' ' +
               std::string(reinterpret_cast<const char*>(packet->data), size_t(packet->size));
  };
  const PacketPtr packet(av_packet_alloc());
  for (int i = 0; av_read_frame(opened, packet.get()) == 0; i++) {
    if (i == wrong) packet->pts += seconds * int64_t{stream.time_base.den} / stream.time_base.num;
    EXPECT_THAT(audio->send(packet.get()), IsOk());
    av_packet_unref(packet.get());
    take();
  }
  EXPECT_THAT(audio->send(nullptr), IsOk());
  take();
  return {bytes, audio->note()};
}

// The packet is ten hours late. If its time were used, the audio up to there would be an overlap
// and be cut.
TEST_F(AudioEncoderTest, ASingleWrongTimeIsNotFollowed) {
  const std::string input = make_clip(folder_, "in.mkv", kBurst + "-c:a pcm_s16le");
  const auto [whole, no_note] = encoded_with(input, -1, 0);
  EXPECT_EQ(no_note, "");
  for (const int seconds : {36'000, -36'000}) {
    const auto [bytes, note] = encoded_with(input, 20, seconds);
    EXPECT_TRUE(bytes == whole) << seconds;
    EXPECT_THAT(note, HasSubstr(" 1 times are wrong"));
  }
  // After the last packet no other packet shows that its time is wrong.
  const auto last = int(ffprobe(input, "-show_entries packet=pts").size()) - 1;
  EXPECT_THAT(encoded_with(input, last, 60).second,
              HasSubstr("1 gaps of more than 10 s have no packets (60"));
}

TEST_F(AudioEncoderTest, EachStreamMayHaveAChoiceOfItsOwn) {
  const std::string input =
      make_clip(folder_, "in.mkv",
                kTestPicture + kBurst + kBurst + kBurst +
                    "-map 0 -map 1 -map 2 -map 3 -c:v ffv1 -pix_fmt yuv420p -c:a pcm_s16le");
  const CopyChoices choices{.audio = AudioChoice::kFlac,
                            .audio_streams = {{1, AudioChoice::kCopy}, {2, AudioChoice::kNone}}};
  const auto result = convert(input, "out.mkv", choices);
  ASSERT_THAT(result, IsOk());
  EXPECT_THAT(ffprobe(folder_.path("out.mkv"), "-select_streams a -show_entries stream=codec_name"),
              ElementsAre("pcm_s16le", "flac"));
  EXPECT_THAT(result->notes, testing::Contains(HasSubstr("--audio-stream 2=none says so")));

  MediaInfo info;
  info.others = {{.stream = 1, .kind = StreamKind::kAudio, .codec = "aac"},
                 {.stream = 3, .kind = StreamKind::kAudio, .codec = "mp2"}};
  EXPECT_THAT(check_output("a.mkv", "x264", info, {.audio_streams = {{2, AudioChoice::kAac}}}),
              StatusIs(StatusCode::kInvalidArgument, "is no audio; the input's audio has the numbers 1, 3"));
}

TEST_F(AudioEncoderTest, ErrorsNameTheOptionThatHelps) {
  MediaInfo info;
  info.others = {{.stream = 1, .kind = StreamKind::kAudio, .codec = "aac_latm"},
                 {.stream = 2, .kind = StreamKind::kSubtitle, .codec = "dvb_teletext"}};
  EXPECT_THAT(
      check_output("a.mkv", "x264", info),
      StatusIs(StatusCode::kInvalidArgument, "aac_latm); use ts, avi, nut, or --audio aac, flac or none."));
  EXPECT_THAT(check_output("a.webm", "svt-av1", info, {.audio = AudioChoice::kAac}),
              StatusIs(StatusCode::kInvalidArgument, "cannot hold the audio stream 1 (aac)"));
  const CopyChoices converted{.unsupported = Unsupported::kRefuse, .audio = AudioChoice::kFlac};
  EXPECT_THAT(check_output("a.mp4", "x264", info, converted),
              StatusIs(StatusCode::kInvalidArgument, "or --subtitles none."));
  const auto plan = check_output("a.mkv", "x264", info, {.audio = AudioChoice::kAac, .subtitles = false});
  ASSERT_THAT(plan, IsOk());
  EXPECT_THAT(plan->copied, ElementsAre(1));
  EXPECT_THAT(plan->encoded, ElementsAre(1));
  EXPECT_THAT(plan->notes, ElementsAre(HasSubstr("--subtitles none says so")));
  const auto silent = check_output("a.mkv", "x264", info, {.audio = AudioChoice::kNone});
  ASSERT_THAT(silent, IsOk());
  EXPECT_THAT(silent->notes, ElementsAre(HasSubstr("--audio none says so"), HasSubstr("dvb_teletext")));
}

}  // namespace
}  // namespace weft::media
