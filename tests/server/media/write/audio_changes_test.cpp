// SPDX-License-Identifier: Apache-2.0
// Tests copied audio with changing channels, and streams that a container refuses: no work is lost,
// and every second of audio is in the output.
#include "server/media/write/audio_changes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/media/read/probe/probe.h"
#include "server/media/write/muxer.h"
#include "server/media/write/output_check.h"
#include "tests/server/media/clips.h"

namespace weft::media {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr size_t kTransportPacketBytes = 188;
constexpr int kAudioPid = 0x101;

PacketPtr adts(int sampling_index, int configuration) {
  PacketPtr packet(av_packet_alloc());
  EXPECT_GE(av_new_packet(packet.get(), 16), 0);
  packet->stream_index = 1;
  const uint8_t header[] = {0xff, 0xf1, uint8_t(1 << 6 | sampling_index << 2 | configuration >> 2),
                            uint8_t(configuration << 6)};
  std::ranges::copy(header, packet->data);
  return packet;
}

// Returns the track of each packet. Each run of packets is a channel configuration and a count.
std::vector<size_t> tracks_of(const std::vector<std::pair<int, int>>& runs) {
  const std::unique_ptr<AVFormatContext, decltype(&avformat_free_context)> context(avformat_alloc_context(),
                                                                                   &avformat_free_context);
  AVStream* const stream = avformat_new_stream(context.get(), nullptr);
  stream->codecpar->codec_id = AV_CODEC_ID_AAC;
  AudioChanges changes;
  for (const auto& [configuration, count] : runs)
    for (int i = 0; i < count; i++) changes.see(*adts(3, configuration), *stream);
  changes.finish();
  std::vector<size_t> tracks;
  for (const auto& [configuration, count] : runs) {
    for (int i = 0; i + 1 < count; i++) changes.next(1);
    tracks.push_back(changes.next(1));
  }
  return tracks;
}

TEST(AudioChanges, EachFormatHasATrackAndDamageHasNone) {
  EXPECT_THAT(tracks_of({{2, 50}}), ElementsAre(0));
  EXPECT_THAT(tracks_of({{2, 50}, {6, 50}}), ElementsAre(0, 1));
  EXPECT_THAT(tracks_of({{2, 50}, {6, 50}, {2, 8}, {1, 9}}), ElementsAre(0, 1, 0, 2));
  EXPECT_THAT(tracks_of({{2, 50}, {6, 3}, {1, 2}, {2, 50}}), ElementsAre(0, 0, 0, 0)) << "a few packets";
  EXPECT_THAT(tracks_of({{1, 2}, {2, 50}, {6, 50}}), ElementsAre(0, 0, 1)) << "at the beginning";
  EXPECT_THAT(tracks_of({{2, 50}, {0, 50}, {6, 50}}), ElementsAre(0, 0, 1))
      << "channels that the header leaves open";
}

class ChangingAudio : public testing::Test {
 protected:
  // Makes a broadcast with a second of each layout.
  std::string broadcast(const std::vector<std::string>& layouts) {
    std::string bytes;
    for (size_t i = 0; i < layouts.size(); i++)
      bytes +=
          read_file(make_clip(folder_, "part.ts",
                              fmt::format("-f lavfi -i testsrc2=size=64x48:rate=25:duration=1 -f lavfi -i "
                                          "sine=sample_rate=48000:duration=1 -af aformat=channel_layouts={} "
                                          "-c:v mpeg2video -bf 0 -c:a aac "
                                          "-output_ts_offset {}",
                                          layouts[i], i)));
    write_file(folder_.path("in.ts"), bytes);
    return folder_.path("in.ts");
  }
  StatusOr<FinishResult> write(const std::string& input, const std::string& name, int64_t frames,
                               AudioChoice audio = AudioChoice::kCopy) {
    ASSIGN_OR_RETURN(const auto segments,
                     encode_segments(input, {.encoder = "x264"}, 0, folder_.path(name + "-")));
    FinishRequest request{.segments = segments, .name = name, .output = {.name = folder_.path(name)}};
    ASSIGN_OR_RETURN(request.source, InputFile::open(input));
    request.choices.audio = audio;
    request.expected_frames = frames;
    return finish(request);
  }
  std::vector<std::string> channels(const std::string& name) {
    return ffprobe(folder_.path(name), "-select_streams a -show_entries stream=channels");
  }

  TestFolder folder_;
};

// Returns the duration of a stream's audio in seconds, as decoded by the ffmpeg program without
// errors.
double heard_seconds(const std::string& path, int stream) {
  const std::string heard = run(fmt::format(
      "ffmpeg -nostdin -v warning -xerror -i '{}' -map 0:a:{} -f f32le -ac 1 -ar 8000 - 2>'{}.log' | wc -c",
      path, stream, path));
  EXPECT_EQ(read_file(path + ".log"), "") << path;
  return double(std::stol(heard)) / sizeof(float) / 8000;
}

TEST_F(ChangingAudio, HasATrackForEachFormat) {
  const std::string input = broadcast({"stereo", "5.1", "stereo"});
  for (const std::string name : {"a.mkv", "a.mp4", "a.mov"}) {
    const auto result = write(input, name, 75);
    ASSERT_THAT(result, IsOk());
    EXPECT_THAT(result->notes,
                Contains(AllOf(HasSubstr("changes from 2 channels at 48000 Hz to 6 channels at 48000 Hz at"),
                               HasSubstr("--audio aac"))))
        << name;
    EXPECT_THAT(channels(name), ElementsAre("2", "6")) << name;
    EXPECT_NEAR(heard_seconds(folder_.path(name), 0), 2, 0.15) << name;
    EXPECT_NEAR(heard_seconds(folder_.path(name), 1), 1, 0.1) << name;
    const auto times = ffprobe(folder_.path(name), "-select_streams a:1 -show_entries packet=pts_time");
    EXPECT_NEAR(std::stod(times.at(0)), 1, 0.1) << name;
  }
}

TEST_F(ChangingAudio, StaysOneTrackWhereEachPacketSaysWhatItIs) {
  const std::string input = broadcast({"stereo", "5.1"});
  const auto copied = write(input, "a.ts", 50);
  ASSERT_THAT(copied, IsOk());
  EXPECT_THAT(copied->notes, testing::Not(Contains(HasSubstr("changes"))));
  EXPECT_THAT(channels("a.ts"), testing::Each("2")) << "listed in the program and in the file";
  const auto encoded = write(input, "b.mkv", 50, AudioChoice::kAac);
  ASSERT_THAT(encoded, IsOk());
  EXPECT_THAT(encoded->notes, testing::Not(Contains(HasSubstr("changes"))));
  EXPECT_THAT(channels("b.mkv"), ElementsAre("2"));
  EXPECT_NEAR(heard_seconds(folder_.path("b.mkv"), 0), 2, 0.1);
}

// Clears the configuration of channels in the header of the first packet of audio.
void leave_channels_open(const std::string& path) {
  std::string bytes = read_file(path);
  for (size_t packet = 0; packet + kTransportPacketBytes <= bytes.size(); packet += kTransportPacketBytes) {
    const auto at = [&](size_t place) { return uint8_t(bytes[packet + place]); };
    if ((at(1) & 0x40) == 0 || ((at(1) & 0x1f) << 8 | at(2)) != kAudioPid) continue;
    const size_t pes = 4 + ((at(3) & 0x20) != 0 ? 1u + at(4) : 0u);
    const size_t header = pes + 9 + at(pes + 8);
    ASSERT_EQ(at(header), 0xff);
    bytes[packet + header + 2] = char(at(header + 2) & 0xfe);
    bytes[packet + header + 3] = char(at(header + 3) & 0x3f);
    break;
  }
  write_file(path, bytes);
}

TEST_F(ChangingAudio, WhatTheContainerRefusesIsFoundBeforeTheWork) {
  const std::string input = broadcast({"stereo"});
  leave_channels_open(input);
  const MediaInfo info = *probe(input);
  const auto try_it = [&](const std::string& name, AudioChoice audio) {
    TrialRequest request{.source = *InputFile::open(input), .name = name, .choices = {.audio = audio}};
    request.video = *encoder_header({.encoder = "x264"}, output_like(info));
    request.plan = *check_output(name, "x264", info, request.choices);
    return try_output(request);
  };
  for (const std::string name : {"a.mkv", "a.mp4", "a.mov"}) {
    const Status refused = try_it(name, AudioChoice::kCopy);
    EXPECT_THAT(refused, StatusIs(StatusCode::kInvalidArgument)) << name;
    EXPECT_THAT(refused.message(), AllOf(HasSubstr("the audio stream 1 (aac)"), HasSubstr("use --audio aac")))
        << name;
    EXPECT_THAT(write(input, name, 25), testing::Not(IsOk())) << name << ": it was right to refuse it";
    EXPECT_THAT(try_it(name, AudioChoice::kAac), IsOk()) << name;
    EXPECT_THAT(write(input, name, 25, AudioChoice::kAac), IsOk()) << name;
  }
  EXPECT_THAT(try_it("a.ts", AudioChoice::kCopy), IsOk());
}

}  // namespace
}  // namespace weft::media
