// SPDX-License-Identifier: Apache-2.0
#include "server/media/read/probe/probe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/media/clips.h"
#include "tests/server/media/soft_telecine.h"

namespace weft::media {
namespace {

// The flags are absent at the start of the file, and at most places.
TEST(Probe, FindsSoftTelecineWithinAFile) {
  const TestFolder folder;
  const auto clip_of = [&](const std::string& name, const std::function<PictureFlags(int)>& flags_of) {
    const std::string stream_path =
        make_clip(folder, name + ".m2v",
                  "-f lavfi -i testsrc2=size=96x64:rate=30000/1001 -frames:v 600 -c:v "
                  "mpeg2video -g 12 -flags +cgop -sc_threshold 1000000000 -q:v 3");
    std::string stream = read_file(stream_path);
    flag_pictures(stream, flags_of);
    write_file(stream_path, stream);
    return make_clip(folder, name + ".vob", "-fflags +genpts -i " + stream_path + " -c copy");
  };
  const std::string film = clip_of("film", [](int picture) {
    return picture < 290 || picture > 350 ? PictureFlags{true, false} : kFilmCadence[picture % 4];
  });
  const std::string video = clip_of("video", [](int) { return PictureFlags{true, false}; });
  const auto found = probe(film), absent = probe(video);
  ASSERT_THAT(found, IsOk());
  ASSERT_THAT(absent, IsOk());
  EXPECT_TRUE(found->video.repeats_fields);
  EXPECT_FALSE(absent->video.repeats_fields);
}

TEST(Probe, TellsAllOfAFile) {
  const TestFolder folder;
  write_file(folder.path("s.srt"), "1\n00:00:00,200 --> 00:00:01,000\nHello\n");
  const std::string path = make_clip(
      folder, "a.mkv",
      "-f lavfi -i testsrc2=size=176x144:rate=30000/1001 -f lavfi -i sine -i " + folder.path("s.srt") +
          " -map 0 -map 1 -map 1 -map 2 -metadata:s:a:1 language=jpn -attach " + folder.path("s.srt") +
          " -metadata:s:t mimetype=text/plain -t 2 -vf setsar=10/11,setfield=bff -c:v ffv1 -pix_fmt "
          "yuv422p10le -color_primaries bt2020 "
          "-color_trc smpte2084 -colorspace bt2020nc -color_range tv -c:a flac -c:s srt");
  const auto info = probe(path);
  ASSERT_THAT(info, IsOk());
  EXPECT_THAT(info->container, testing::HasSubstr("matroska"));
  EXPECT_EQ(info->video.codec, "ffv1");
  EXPECT_EQ(info->video.format,
            (VideoFormat{.width = 176, .height = 144, .chroma = Chroma::k422, .bit_depth = 10}));
  EXPECT_EQ(info->video.pixel_format, "yuv422p10le");
  EXPECT_FALSE(info->video.repacked);
  EXPECT_EQ(info->video.field_order, ScanOrder::kBottomFirst);
  EXPECT_EQ(info->video.sample_aspect_ratio, (Ratio{10, 11}));
  EXPECT_EQ(info->video.frame_rate, (Ratio{30000, 1001}));
  EXPECT_EQ(info->video.colour.primaries, 9);
  EXPECT_EQ(info->video.colour.transfer, 16);
  EXPECT_EQ(info->video.colour.matrix, 9);
  EXPECT_EQ(info->video.colour.range, Colour::Range::kLimited);
  EXPECT_NEAR(std::chrono::duration<double>(info->duration).count(), 2, 0.1);
  EXPECT_NEAR(double(info->video.frames), 60, 2);
  EXPECT_EQ(info->count(StreamKind::kVideo), 1);
  EXPECT_EQ(info->count(StreamKind::kAudio), 2);
  EXPECT_EQ(info->count(StreamKind::kSubtitle), 1);
  EXPECT_EQ(info->count(StreamKind::kAttachment), 1);
  EXPECT_EQ(info->others[1].language, "jpn");
}

TEST(Probe, ReadsThroughADescriptor) {
  const TestFolder folder;
  const std::string path = make_clip(
      folder, "a.mp4", "-f lavfi -i testsrc2=size=64x48 -frames:v 10 -c:v libx264 -pix_fmt yuv420p");
  Descriptor descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::filesystem::remove(path);  // Only the descriptor remains.
  const auto file = InputFile::adopt(std::move(descriptor), "the input");
  ASSERT_THAT(file, IsOk());
  const auto info = probe(*file);
  ASSERT_THAT(info, IsOk());
  EXPECT_EQ(info->video.frames, 10);
  EXPECT_TRUE(info->video.frames_exact);
  EXPECT_EQ(info->video.field_order, ScanOrder::kProgressive);
}

TEST(Probe, KnowsTheStreamsOfOtherProgrammes) {
  const TestFolder folder;
  const std::string path = make_clip(
      folder, "a.ts",
      "-f lavfi -i testsrc2=size=128x96 -f lavfi -i sine -f lavfi -i testsrc2=size=64x48 -f lavfi -i sine -t "
      "1 -map 0 "
      "-map 1 -map 2 -map 3 -c:v mpeg2video -c:a mp2 -program title=a:st=0:st=1 -program title=b:st=2:st=3");
  const auto info = probe(path);
  ASSERT_THAT(info, IsOk());
  EXPECT_EQ(info->video.format.width, 128);
  ASSERT_EQ(info->others.size(), 3u);
  EXPECT_EQ(std::ranges::count(info->others, "", &StreamInfo::other_programme), 1);
  EXPECT_EQ(std::ranges::count(info->others, "2 (b, 64x48)", &StreamInfo::other_programme), 2);
}

// The first programme has smaller pictures, and the second has another clock.
class TwoProgrammes : public testing::Test {
 protected:
  TwoProgrammes() {
    const auto piece = [&](const std::string& name, const std::string& arguments) {
      return make_clip(
          folder_, name,
          "-f lavfi -i testsrc2=size=" + arguments + " -c:v mpeg2video -bf 0 -muxdelay 0 -muxpreload 0");
    };
    const std::string small =
        piece("small.ts", "64x48:rate=25:duration=1 -output_ts_offset 18000 -mpegts_start_pid 0x300");
    const std::string large = piece("large.ts", "128x96:rate=25:duration=1 -output_ts_offset 2");
    path_ =
        make_clip(folder_, "in.ts",
                  "-copyts -i " + small + " -i " + large +
                      " -map 0 -map 1 -c copy -max_interleave_delta 1 -muxdelay 0 -program title=News:st=0 "
                      "-program title=Film:st=1");
  }
  TestFolder folder_;
  std::string path_;
};

TEST_F(TwoProgrammes, TheLargestPictureIsTakenAndItsClock) {
  const auto info = probe(path_);
  ASSERT_THAT(info, IsOk());
  EXPECT_EQ(info->video.format.width, 128);
  EXPECT_NEAR(std::chrono::duration<double>(info->start).count(), 2, 0.1);
}

TEST_F(TwoProgrammes, OneIsTakenByItsNumber) {
  const auto info = probe(*InputFile::open(path_), 1);
  ASSERT_THAT(info, IsOk());
  EXPECT_EQ(info->video.format.width, 64);
  EXPECT_NEAR(std::chrono::duration<double>(info->start).count(), 18000, 0.1);
  ASSERT_EQ(info->others.size(), 1u);
  EXPECT_EQ(info->others[0].other_programme, "2 (Film, 128x96)");
  EXPECT_THAT(
      probe(*InputFile::open(path_), 3),
      StatusIs(StatusCode::kInvalidArgument,
               "has no programme 3 with video; its programmes are 1 (News, 64x48), 2 (Film, 128x96): give"));
}

TEST(Probe, SaysThatAFileHasNoProgrammes) {
  const TestFolder folder;
  const std::string path = make_clip(folder, "a.mkv", "-f lavfi -i testsrc2=size=64x48:duration=1 -c:v ffv1");
  EXPECT_THAT(probe(*InputFile::open(path), 2),
              StatusIs(StatusCode::kInvalidArgument, "has no programmes; leave --programme"));
}

TEST(Probe, DoesNotBelieveADurationAcrossAJumpOfTheClock) {
  const TestFolder folder;
  const std::string arguments =
      "-f lavfi -i testsrc2=size=176x144:rate=25 -f lavfi -i sine -c:v mpeg2video -b:v 1M -c:a mp2 ";
  const std::string late = make_clip(folder, "late.ts", arguments + "-t 2 -output_ts_offset 3600");
  const std::string early = make_clip(folder, "early.ts", arguments + "-t 7");
  const std::string path = folder.path("both.ts");
  write_file(path, read_file(late) + read_file(early));
  const auto info = probe(path);
  ASSERT_THAT(info, IsOk());
  EXPECT_NEAR(std::chrono::duration<double>(info->duration).count(), 9, 3);
  EXPECT_NEAR(double(info->video.frames), 9 * 25, 3 * 25);
  const auto alone = probe(early);
  ASSERT_THAT(alone, IsOk());
  EXPECT_NEAR(std::chrono::duration<double>(alone->duration).count(), 7, 0.1);
}

// Matroska's default duration is that of a field here, as mkvmerge writes it for interlaced H.264.
TEST(Probe, BelievesTheTimesOfPacketsMoreThanADefaultDuration) {
  const TestFolder folder;
  for (const std::string rate : {"25", "30000/1001", "24000/1001"}) {
    const std::string path =
        make_clip(folder, "frames.mkv",
                  "-f lavfi -i testsrc2=size=64x48:rate=" + rate +
                      " -frames:v 75 -c:v libx264 -bf 2 -preset ultrafast -pix_fmt yuv420p");
    std::string bytes = read_file(path);
    const size_t at = bytes.find("\x23\xe3\x83\x84");  // DefaultDuration, 4 bytes, in nanoseconds
    ASSERT_NE(at, std::string::npos);
    uint32_t duration = 0;
    for (size_t i = 4; i < 8; i++) duration = duration << 8 | uint8_t(bytes[at + i]);
    for (size_t i = 4; i < 8; i++) bytes[at + i] = char(duration / 2 >> 8 * (7 - i));
    write_file(path, bytes);
    EXPECT_NE(ffprobe(path, "-show_entries stream=avg_frame_rate").front(), rate);
    const auto info = probe(path);
    ASSERT_THAT(info, IsOk());
    EXPECT_EQ(fmt::format("{}/{}", info->video.frame_rate.num, info->video.frame_rate.den),
              rate == "25" ? "25/1" : rate);
    EXPECT_NEAR(double(info->video.frames), 75, 1);
  }
}

TEST(Probe, KeepsARateThatIsAnAverage) {
  const TestFolder folder;
  const std::string path =
      make_clip(folder, "vfr.mp4",
                "-f lavfi -i testsrc2=size=64x48:rate=30 -vf \"select='not(between(n,9,10))'\" "
                "-vsync vfr -frames:v 90 -c:v libx264 -pix_fmt yuv420p");
  const auto info = probe(path);
  ASSERT_THAT(info, IsOk());
  EXPECT_EQ(info->video.frame_rate, (Ratio{30, 1}));
  EXPECT_EQ(info->video.frames, 90);
}

// FFmpeg returns the length of one of the files.
TEST(Probe, TellsHowLongFilesAreThatWerePutOneBehindAnother) {
  const TestFolder folder;
  for (const std::string format : {"mpegts", "vob"}) {
    const auto make = [&](const std::string& name, const std::string& more) {
      return make_clip(folder, name,
                       "-f lavfi -i testsrc2=size=176x144:rate=25 -f lavfi -i sine -c:v mpeg2video -b:v 1M "
                       "-c:a mp2 -f " +
                           format + " " + more);
    };
    const std::string one = read_file(make("one", "-t 8")),
                      late = read_file(make("late", "-t 8 -output_ts_offset 100"));
    const auto seconds_of = [&](const std::string& bytes) {
      write_file(folder.path("joined"), bytes);
      const auto info = probe(folder.path("joined"));
      EXPECT_THAT(info, IsOk());
      EXPECT_NEAR(double(info->video.frames), info->duration / std::chrono::milliseconds(1) / 40.0, 15);
      return std::chrono::duration<double>(info->duration).count();
    };
    EXPECT_NEAR(seconds_of(one), 8, 0.1) << format;
    EXPECT_NEAR(seconds_of(one + one + one), 24, 4) << format;
    EXPECT_NEAR(seconds_of(one + late + one), 24, 4) << format;
    std::string many;
    for (int i = 0; i < 60; i++) many += one;
    EXPECT_NEAR(seconds_of(many), 480, 100) << format;
  }
}

// A stream with static parts has no constant relation between bytes and time.
TEST(Probe, BelievesADurationWithoutAJump) {
  const TestFolder folder;
  const std::string path = make_clip(
      folder, "still.ts",
      "-f lavfi -i color=black:size=320x240:rate=25,trim=duration=2 -f lavfi -i "
      "mandelbrot=size=320x240:rate=25 "
      "-f lavfi -i color=black:size=320x240:rate=25,trim=duration=90 -filter_complex "
      "\"[1:v]trim=duration=1.5[busy];[0:v][busy][2:v]concat=n=3\" -c:v libx264 -preset ultrafast -crf 18");
  const auto info = probe(path);
  ASSERT_THAT(info, IsOk());
  EXPECT_NEAR(std::chrono::duration<double>(info->duration).count(), 93.5, 0.1);
}

TEST(Probe, DoesNotTakeACoverForTheVideo) {
  const TestFolder folder;
  const std::string cover = make_clip(folder, "cover.jpg", "-f lavfi -i testsrc2=size=64x48 -frames:v 1");
  const std::string only =
      make_clip(folder, "song.mp3",
                "-f lavfi -i sine -i " + cover + " -t 1 -map 0 -map 1 -c:v copy -disposition:v attached_pic");
  EXPECT_THAT(probe(only), StatusIs(StatusCode::kInvalidArgument, "no video stream"));
}

}  // namespace
}  // namespace weft::media
