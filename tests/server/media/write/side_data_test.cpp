// SPDX-License-Identifier: Apache-2.0
// Tests that each fact about the pictures apart from their samples is in the output or in a note.
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/media/ffmpeg.h"
#include "server/media/read/probe/probe.h"
#include "server/media/write/output_check.h"
#include "tests/server/media/clips.h"

extern "C" {
#include <libavutil/display.h>
#include <libavutil/spherical.h>
#include <libavutil/stereo3d.h>
}

namespace weft::media {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Copies the packets of `from` and adds side data to the stream.
void write_with(const std::string& from, const std::string& to, AVPacketSideDataType kind, const void* data,
                size_t size) {
  AVFormatContext* input = nullptr;
  ASSERT_GE(avformat_open_input(&input, from.c_str(), nullptr, nullptr), 0);
  const InputPtr input_owner(input);
  ASSERT_GE(avformat_find_stream_info(input, nullptr), 0);
  AVFormatContext* output = nullptr;
  ASSERT_GE(avformat_alloc_output_context2(&output, nullptr, nullptr, to.c_str()), 0);
  output->strict_std_compliance = FF_COMPLIANCE_UNOFFICIAL;
  AVStream* stream = avformat_new_stream(output, nullptr);
  ASSERT_GE(avcodec_parameters_copy(stream->codecpar, input->streams[0]->codecpar), 0);
  stream->codecpar->codec_tag = 0;
  std::copy_n(static_cast<const uint8_t*>(data), size, av_stream_new_side_data(stream, kind, size));
  ASSERT_GE(avio_open(&output->pb, to.c_str(), AVIO_FLAG_WRITE), 0);
  ASSERT_GE(avformat_write_header(output, nullptr), 0);
  const PacketPtr packet(av_packet_alloc());
  while (av_read_frame(input, packet.get()) >= 0) {
    av_packet_rescale_ts(packet.get(), input->streams[0]->time_base, stream->time_base);
    ASSERT_GE(av_interleaved_write_frame(output, packet.get()), 0);
  }
  ASSERT_GE(av_write_trailer(output), 0);
  avio_closep(&output->pb);
  avformat_free_context(output);
}

class SideDataTest : public testing::Test {
 protected:
  // Expects that the outputs `keepers` have the side data, and that all others give a note.
  void expect_kept_or_noted(const std::string& input, AVPacketSideDataType kind,
                            const std::vector<std::string>& keepers) {
    const auto info = probe(input);
    ASSERT_THAT(info, IsOk());
    ASSERT_EQ(info->video.side_data.size(), 1u);
    EXPECT_EQ(info->video.side_data[0].kind, int(kind));
    for (const std::string name : {"a.mkv", "a.mp4", "a.mov", "a.ts", "a.avi", "a.nut", "a.webm"}) {
      EncoderSettings settings{.encoder = encoder_for(name)};
      if (settings.encoder == "svt-av1") settings.options = {{"preset", "12"}};
      if (name == "a.avi") settings.options = {{"bf", "0"}};
      const auto segments = encode_segments(input, settings, 0, folder_.path(name + "-"));
      ASSERT_THAT(segments, IsOk());
      ASSERT_THAT(finish_file(input, *segments, folder_.path(name), 5), IsOk());
      const bool is_kept = std::ranges::count(keepers, name) > 0;
      EXPECT_EQ(probe(folder_.path(name))->video.side_data.size(), size_t(is_kept)) << name;
      const auto notes = side_data_notes(name, settings.encoder, info->video);
      EXPECT_EQ(notes.size(), size_t(!is_kept)) << name;
      for (const std::string& note : notes)
        EXPECT_THAT(note, HasSubstr(info->video.side_data[0].name)) << name;
    }
  }
  std::string plain() {
    return make_clip(folder_, "plain.mp4",
                     "-f lavfi -i testsrc2=size=64x64:rate=25 -frames:v 5 -c:v libx264 -pix_fmt yuv420p");
  }

  TestFolder folder_;
};

TEST_F(SideDataTest, Rotation) {
  int32_t matrix[9];
  av_display_rotation_set(matrix, 90);
  write_with(plain(), folder_.path("in.mp4"), AV_PKT_DATA_DISPLAYMATRIX, matrix, sizeof matrix);
  expect_kept_or_noted(folder_.path("in.mp4"), AV_PKT_DATA_DISPLAYMATRIX, {"a.mp4", "a.mov"});
  const auto info = probe(folder_.path("in.mp4"));
  EXPECT_THAT(
      side_data_notes("a.mkv", "x264", info->video),
      ElementsAre(
          "The video's rotation by 90 degrees clockwise (display matrix) is left out: mkv does not hold "
          "it, mp4, mov would."));
  EXPECT_THAT(side_data_notes("a.mkv", "null", info->video), IsEmpty());
}

TEST_F(SideDataTest, TwoViews) {
  size_t size = 0;
  AVStereo3D* const views = av_stereo3d_alloc();
  size = sizeof *views;
  views->type = AV_STEREO3D_SIDEBYSIDE;
  write_with(plain(), folder_.path("in.mkv"), AV_PKT_DATA_STEREO3D, views, size);
  av_free(views);
  expect_kept_or_noted(folder_.path("in.mkv"), AV_PKT_DATA_STEREO3D, {"a.mkv", "a.webm", "a.mp4"});
}

TEST_F(SideDataTest, Sphere) {
  size_t size = 0;
  AVSphericalMapping* const sphere = av_spherical_alloc(&size);
  sphere->projection = AV_SPHERICAL_EQUIRECTANGULAR;
  write_with(plain(), folder_.path("in.mkv"), AV_PKT_DATA_SPHERICAL, sphere, size);
  av_free(sphere);
  expect_kept_or_noted(folder_.path("in.mkv"), AV_PKT_DATA_SPHERICAL, {"a.mkv", "a.webm", "a.mp4"});
}

TEST_F(SideDataTest, OfAnyOtherKindANoteSpeaks) {
  VideoInfo video;
  video.side_data = {{int(AV_PKT_DATA_DOVI_CONF), "Dolby Vision configuration", true},
                     {int(AV_PKT_DATA_STEREO3D), "arrangement of two views (stereo 3D)", false}};
  EXPECT_THAT(
      side_data_notes("a.mkv", "x264", video),
      ElementsAre("The video's Dolby Vision configuration is left out: mkv does not hold it.",
                  "The video's arrangement of two views (stereo 3D) is left out: x264 does not write it."));
}

}  // namespace
}  // namespace weft::media
