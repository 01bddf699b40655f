// SPDX-License-Identifier: Apache-2.0
#include "server/media/write/muxer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/media/read/probe/probe.h"
#include "server/media/write/output_check.h"
#include "tests/server/media/clips.h"

namespace weft::media {
namespace {

using testing::ElementsAre, testing::HasSubstr;

constexpr int kFrames = 45;
const std::string kPicture = "-f lavfi -i testsrc2=size=176x144:rate=25 ";
const std::string kAudio = "-f lavfi -i sine=frequency=440:sample_rate=48000 ";
const std::string kLength = " -t 1.8 ";

// Encodes and finishes the input. Returns the path of the output.
std::string transcode(const TestFolder& folder, const std::string& input, const std::string& name,
                      const EncoderSettings& settings, int segment_frames, int64_t frames = kFrames) {
  const auto segments = encode_segments(input, settings, segment_frames, folder.path("segment-" + name));
  EXPECT_THAT(segments, IsOk());
  const std::string output = folder.path(name);
  const auto result = finish_file(input, *segments, output, frames);
  EXPECT_THAT(result, IsOk());
  return output;
}

std::vector<uint64_t> hashes(const std::string& path) {
  const auto source = open_source(path);
  EXPECT_THAT(source, IsOk());
  return source.ok() ? decode_all(**source).hashes : std::vector<uint64_t>();
}

// Expects that decoding times increase and that none is later than its presentation time.
void expect_sane_times(const std::string& path) {
  long last = std::numeric_limits<long>::min();
  for (const std::string& line : ffprobe(path, "-select_streams v:0 -show_entries packet=pts,dts")) {
    long pts = 0, dts = 0;
    if (std::sscanf(line.c_str(), "%ld,%ld", &pts, &dts) != 2) continue;
    EXPECT_GT(dts, last) << path;
    EXPECT_GE(pts, dts) << path;
    last = dts;
  }
}

struct Target {
  std::string file;
  EncoderSettings settings;
};

class EveryContainer : public testing::TestWithParam<Target> {};

TEST_P(EveryContainer, PlaysSegmentsWithoutAGap) {
  const TestFolder folder;
  const std::string codec = GetParam().file.ends_with("webm") ? "libopus" : "ac3";
  const std::string input =
      make_clip(folder, "in.mkv", kPicture + kAudio + kLength + "-c:v ffv1 -pix_fmt yuv420p -c:a " + codec);
  const std::string output = transcode(folder, input, GetParam().file, GetParam().settings, 10);
  EXPECT_EQ(ffprobe(output, "-count_frames -select_streams v:0 -show_entries stream=nb_read_frames").at(0),
            "45");
  EXPECT_EQ(ffprobe(output, "-select_streams a:0 -show_entries stream=codec_name").at(0),
            codec == "libopus" ? "opus" : codec);
  EXPECT_EQ(run("ffmpeg -nostdin -v warning -xerror -i '" + output + "' -f null - 2>&1"), "");
  expect_sane_times(output);
  const MediaInfo info = *probe(input);
  TrialRequest trial{.source = *InputFile::open(input), .name = GetParam().file};
  trial.video = *encoder_header(GetParam().settings, output_like(info));
  trial.plan = *check_output(GetParam().file, GetParam().settings.encoder, info);
  EXPECT_THAT(try_output(trial), IsOk()) << "what can be written is not refused before";
  // Frames are 40 ms apart, with a deviation of at most a fortieth of a millisecond.
  double last = -1;
  for (const std::string& line :
       ffprobe(output, "-select_streams v:0 -show_entries frame=best_effort_timestamp_time")) {
    const double time = std::stod(line);
    EXPECT_TRUE(last < 0 || std::abs(time - last - 0.04) < 0.0011) << output << " at " << time;
    last = time;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Containers, EveryContainer,
    testing::Values(Target{"a.mkv", {.encoder = "x264"}}, Target{"b.mp4", {.encoder = "x264"}},
                    Target{"c.mov", {.encoder = "x264"}}, Target{"d.ts", {.encoder = "x264"}},
                    Target{"e.m2ts", {.encoder = "x264"}}, Target{"f.nut", {.encoder = "x264"}},
                    Target{"g.avi", {.encoder = "x264", .options = {{"bf", "0"}}}},
                    Target{"h.mkv", {.encoder = "x265"}}, Target{"i.mp4", {.encoder = "x265"}},
                    Target{"j.ts", {.encoder = "x265"}}, Target{"k.webm", {.encoder = "svt-av1"}},
                    Target{"l.mp4", {.encoder = "svt-av1"}}, Target{"m.mkv", {.encoder = "ffv1"}},
                    Target{"n.avi", {.encoder = "ffv1"}}, Target{"o.nut", {.encoder = "ffv1"}}),
    [](const auto& test) {
      std::string name = test.param.file;
      name[1] = '_';
      return name;
    });

TEST(Finish, GivesTheFramesThatWentIn) {
  const TestFolder folder;
  for (const char* format : {"yuv420p", "yuv422p10le", "gray", "gray16le", "yuv444p12le"}) {
    const std::string input =
        make_clip(folder, "in.mkv", kPicture + kLength + "-c:v ffv1 -pix_fmt " + format);
    const std::vector<uint64_t> expected = hashes(input);
    EXPECT_EQ(expected.size(), size_t{kFrames});
    const std::string one = transcode(folder, input, "one.mkv", {.encoder = "ffv1"}, 0);
    const std::string many = transcode(folder, input, "many.mkv", {.encoder = "ffv1"}, 7);
    EXPECT_EQ(hashes(one), expected) << format;
    EXPECT_EQ(hashes(many), expected) << format;
    EXPECT_TRUE(read_file(one) == read_file(many))
        << "FFV1 frames stand alone: where segments end does not show";
    EXPECT_EQ(hashes_by_ffmpeg(one, (*open_source(input))->info().video.format, format), expected);
  }
}

TEST(Finish, IsReproducible) {
  const TestFolder folder;
  const std::string input =
      make_clip(folder, "in.ts", kPicture + kAudio + kLength + "-c:v mpeg2video -c:a mp2");
  for (const char* extension : {"mkv", "mp4", "ts"}) {
    const std::string a = transcode(folder, input, std::string("a.") + extension, {.encoder = "x264"}, 10);
    const std::string b = transcode(folder, input, std::string("b.") + extension, {.encoder = "x264"}, 10);
    EXPECT_TRUE(read_file(a) == read_file(b)) << extension;
  }
}

TEST(Finish, BeginsEverySegmentOfX264WithAnIdrPicture) {
  const TestFolder folder;
  const std::string input = make_clip(folder, "in.mkv", kPicture + kLength + "-c:v ffv1 -pix_fmt yuv420p");
  const std::string output =
      transcode(folder, input, "out.mp4", {.encoder = "x264", .options = {{"bf", "3"}}}, 9);
  const auto frames = ffprobe(output, "-select_streams v:0 -show_entries frame=key_frame,pict_type");
  ASSERT_EQ(frames.size(), size_t{kFrames});
  for (size_t i = 0; i < frames.size(); i += 9) EXPECT_EQ(frames[i], "1,I") << i;
  // B frames appear only with reordering.
  EXPECT_NE(std::ranges::count(frames, "0,B"), 0);
  const std::string nal_types =
      run("ffmpeg -nostdin -v info -i '" + output +
          "' -c copy -bsf:v trace_headers -f null - 2>&1 | grep -c 'nal_unit_type.*= 5$'");
  EXPECT_GE(std::stoi(nal_types), 5);
}

TEST(Finish, CarriesColourAspectAndOrder) {
  const TestFolder folder;
  const std::string input =
      make_clip(folder, "in.mkv",
                kPicture + kLength +
                    "-vf setsar=8/9,setfield=tff -c:v ffv1 -pix_fmt yuv420p -color_primaries smpte170m "
                    "-color_trc bt709 -colorspace smpte170m -color_range tv -chroma_sample_location left");
  for (const char* name : {"a.mkv", "b.mp4"}) {
    const std::string output = transcode(folder, input, name, {.encoder = "x264"}, 20);
    EXPECT_EQ(run("ffprobe -v error -of default=nw=1 -select_streams v:0 -show_entries "
                  "stream=sample_aspect_ratio,field_order,color_range,color_space,color_transfer,color_"
                  "primaries,chroma_location '" +
                  output + "'"),
              "sample_aspect_ratio=8:9\ncolor_range=tv\ncolor_space=smpte170m\ncolor_transfer=bt709\ncolor_"
              "primaries=smpte170m\n"
              "chroma_location=left\nfield_order=progressive\n");
  }
}

TEST(Finish, CopiesAudioSubtitlesChaptersAttachmentsAndMetadata) {
  const TestFolder folder;
  write_file(folder.path("s.srt"),
             "1\n00:00:00,200 --> 00:00:01,000\nHello\n\n2\n00:00:01,100 --> 00:00:01,500\nthere\n");
  write_file(folder.path("c.txt"),
             ";FFMETADATA1\ntitle=A title\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=900\ntitle=One\n"
             "[CHAPTER]\nTIMEBASE=1/1000\nSTART=900\nEND=1800\ntitle=Two\n");
  write_file(folder.path("font.ttf"), "not really a font");
  const std::string input =
      make_clip(folder, "in.mkv",
                kPicture + kAudio + "-i " + folder.path("s.srt") + " -i " + folder.path("c.txt") +
                    " -map 0 -map 1 -map 1 -map 2 -map_metadata 3 -map_chapters 3 -metadata:s:a:1 "
                    "language=jpn -disposition:a:1 default "
                    "-attach " +
                    folder.path("font.ttf") + " -metadata:s:t mimetype=font/ttf" + kLength +
                    "-c:v ffv1 -pix_fmt yuv420p -c:a flac -c:s srt");
  const std::string output = transcode(folder, input, "out.mkv", {.encoder = "ffv1"}, 10);
  for (const std::string entries :
       {"-show_entries chapter=start_time,end_time:chapter_tags=title", "-show_entries format_tags=title",
        "-show_entries "
        "stream=codec_name,codec_type:stream_tags=language,filename,mimetype:stream_disposition=default",
        "-select_streams a -show_entries packet=stream_index,pts,dts,size,data_hash -show_data_hash crc32",
        "-select_streams s -show_entries packet=stream_index,pts,duration,size,data_hash -show_data_hash "
        "crc32"})
    EXPECT_EQ(ffprobe(output, entries), ffprobe(input, entries)) << entries;
}

TEST(Finish, KeepsAudioBesideThePictureWhenTheSourceStartsLate) {
  const TestFolder folder;
  const std::string input = make_clip(
      folder, "in.ts", kPicture + kAudio + kLength + "-output_ts_offset 100 -c:v mpeg2video -bf 2 -c:a mp2");
  const std::string output = transcode(folder, input, "out.mkv", {.encoder = "x264"}, 10);
  const auto start = [](const std::string& path, const char* stream) {
    return std::stod(ffprobe(path, std::string("-select_streams ") + stream +
                                       " -show_entries packet=pts_time -read_intervals %+#1")
                         .at(0));
  };
  EXPECT_LT(start(output, "v:0"), 0.2);
  EXPECT_NEAR(start(output, "v:0") - start(output, "a:0"), start(input, "v:0") - start(input, "a:0"), 0.002);
}

TEST(Finish, KeepsAudioBesideThePictureAcrossSmallJumps) {
  const TestFolder folder;
  const std::string piece =
      make_clip(folder, "piece.ts", kPicture + kAudio + "-t 3 -c:v mpeg2video -bf 2 -c:a mp2");
  const std::string input = folder.path("in.ts");
  write_file(input, read_file(piece) + read_file(piece) + read_file(piece));
  const std::string output = transcode(folder, input, "out.mkv", {.encoder = "ffv1"}, 100, 3 * 75);
  for (const auto& [stream, count, step] : {std::tuple("v:0", 225, 0.04), std::tuple("a:0", 375, 0.024)}) {
    const auto times =
        ffprobe(output, std::string("-show_entries packet=pts_time -select_streams ") + stream);
    ASSERT_EQ(times.size(), size_t(count));
    for (size_t i = 1; i < times.size(); i++)
      EXPECT_NEAR(std::stod(times[i]) - std::stod(times[i - 1]), step, 0.0021) << stream << " " << i;
  }
}

TEST(Finish, CarriesIrregularTimes) {
  const TestFolder folder;
  const std::string input = make_clip(
      folder, "in.mkv",
      kPicture + "-vf \"select='not(eq(mod(n,7),3))'\" -vsync vfr" + kLength + "-c:v ffv1 -pix_fmt yuv420p");
  const auto expected = ffprobe(input, "-select_streams v -show_entries frame=pts_time");
  const std::string output =
      transcode(folder, input, "out.mkv", {.encoder = "x264"}, 10, int64_t(expected.size()));
  EXPECT_EQ(ffprobe(output, "-select_streams v -show_entries frame=pts_time"), expected);
  expect_sane_times(output);
}

TEST(Finish, WritesY4mAsFfmpegDoes) {
  const TestFolder folder;
  for (const std::string format : {"yuv420p", "yuv422p", "yuv444p", "gray", "yuv420p10le", "yuv422p12le",
                                   "yuv444p16le", "gray10le", "yuv411p"}) {
    const std::string input =
        make_clip(folder, "in.mkv",
                  "-f lavfi -i testsrc2=size=35x27:rate=30000/1001 -frames:v 5 -vf setsar=8/9 -c:v ffv1 "
                  "-color_range tv -chroma_sample_location left -pix_fmt " +
                      format);
    const std::string output = transcode(folder, input, "out.y4m", {.encoder = "raw"}, 2, 5);
    const std::string expected =
        make_clip(folder, "expected.y4m", "-i " + input + " -strict -1 -vsync passthrough");
    EXPECT_TRUE(read_file(output) == read_file(expected)) << format;
  }
}

TEST(Finish, RefusesWhatDoesNotBelongTogether) {
  const TestFolder folder;
  const std::string input = make_clip(folder, "in.mkv", kPicture + kLength + "-c:v ffv1 -pix_fmt yuv420p");
  const auto a = *encode_segments(input, {.encoder = "ffv1"}, 15, folder.path("a"));
  const auto b =
      *encode_segments(input, {.encoder = "ffv1", .options = {{"context", "1"}}}, 15, folder.path("b"));
  const std::string output = folder.path("out.mkv");
  EXPECT_THAT(finish_file(input, {}, output, kFrames),
              StatusIs(StatusCode::kFailedPrecondition, "no segment"));
  EXPECT_THAT(finish_file(input, {a[0], a[2]}, output, kFrames),
              StatusIs(StatusCode::kFailedPrecondition, "begins at frame 30"));
  EXPECT_THAT(finish_file(input, {a[0], b[1], a[2]}, output, kFrames),
              StatusIs(StatusCode::kFailedPrecondition, "other settings"));
  EXPECT_THAT(finish_file(input, {a[0], a[1]}, output, kFrames),
              StatusIs(StatusCode::kInternal, "30 frames, and 45 were expected"));
  std::string damaged = read_file(a[1].name);
  damaged[damaged.size() / 2] = char(damaged[damaged.size() / 2] ^ 1);
  write_file(a[1].name, damaged);
  EXPECT_THAT(finish_file(input, a, output, kFrames), StatusIs(StatusCode::kDataLoss, "damaged"));
}

TEST(Finish, StopsWhenTheCallerSaysSo) {
  const TestFolder folder;
  const std::string input = make_clip(folder, "in.mkv", kPicture + kLength + "-c:v ffv1 -pix_fmt yuv420p");
  FinishRequest request;
  request.segments = *encode_segments(input, {.encoder = "ffv1"}, 0, folder.path("a"));
  request.source = *InputFile::open(input);
  request.name = "x.mkv";
  request.output = {.name = folder.path("tmp")};
  request.expected_frames = kFrames;
  request.progress = [](int64_t) { return cancelled("Somebody cancelled."); };
  EXPECT_THAT(finish(request), StatusIs(StatusCode::kCancelled));
}

TEST(Finish, SaysThatTheDiskIsFull) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "there is no /dev/full";
  const TestFolder folder;
  const std::string input = make_clip(folder, "in.mkv", kPicture + kLength + "-c:v ffv1 -pix_fmt yuv420p");
  const auto segments = *encode_segments(input, {.encoder = "ffv1"}, 0, folder.path("a"));
  EXPECT_THAT(finish_file(input, segments, "/dev/full", kFrames), StatusIs(StatusCode::kInvalidArgument));
  FinishRequest request{.segments = segments,
                        .source = *InputFile::open(input),
                        .name = "x.mkv",
                        .output = {.name = "/dev/full"},
                        .expected_frames = kFrames};
  EXPECT_THAT(finish(request), StatusIs(StatusCode::kResourceExhausted, "free some space"));
}

TEST(Finish, LeavesOutAudioWithoutAPacket) {
  const TestFolder folder;
  const std::string whole = make_clip(
      folder, "whole.ts", kPicture + kAudio + "-map 0 -map 1 -map 1" + kLength + "-c:v mpeg2video -c:a mp2");
  constexpr size_t kPacketBytes = 188;
  const std::string bytes = read_file(whole);
  std::string others;
  for (size_t at = 0; at + kPacketBytes <= bytes.size(); at += kPacketBytes) {
    const int pid = (bytes[at + 1] & 0x1f) << 8 | (bytes[at + 2] & 0xff);
    if (pid != 0x101) others += bytes.substr(at, kPacketBytes);  // first audio stream
  }
  const std::string input = folder.path("in.ts");
  write_file(input, others);
  for (const char* name : {"a.mkv", "a.mp4"}) {
    const auto segments = *encode_segments(input, {.encoder = "x264"}, 0, folder.path("segment"));
    const auto result = finish_file(input, segments, folder.path(name), kFrames);
    ASSERT_THAT(result, IsOk());
    EXPECT_THAT(result->notes, ElementsAre(HasSubstr("is left out: it has no packet.")));
    EXPECT_EQ(ffprobe(folder.path(name), "-show_entries stream=codec_type"),
              (std::vector<std::string>{"video", "audio"}))
        << name;
  }
}

TEST(Finish, ACoverHasNoTimeToRepair) {
  const TestFolder folder;
  const std::string cover = make_clip(folder, "cover.png", "-f lavfi -i testsrc=size=32x32 -frames:v 1");
  const std::string mkv =
      make_clip(folder, "in.mkv",
                kPicture + kAudio + kLength + "-c:v ffv1 -pix_fmt yuv420p -c:a aac -attach " + cover +
                    " -metadata:s:t mimetype=image/png");
  const std::string mp4 = make_clip(folder, "in.mp4",
                                    kPicture + kAudio + "-i " + cover +
                                        " -map 0 -map 1 -map 2 -c:v:0 libx264 -pix_fmt:v:0 yuv420p -c:a aac "
                                        "-c:v:1 png -disposition:v:1 attached_pic" +
                                        kLength);
  for (const std::string& input : {mkv, mp4})
    for (const char* name : {"a.mkv", "a.mp4"}) {
      const auto segments = *encode_segments(input, {.encoder = "x264"}, 0, folder.path("segment"));
      const auto result = finish_file(input, segments, folder.path(name), kFrames);
      ASSERT_THAT(result, IsOk());
      EXPECT_THAT(result->notes, testing::IsEmpty()) << input << " " << name;
      EXPECT_EQ(ffprobe(folder.path(name), "-show_entries stream=codec_type").size(), 3u);
    }
}

// Audio with encoder padding (Opus, AAC) stays in sync, after any number of copies.
TEST(Finish, KeepsAudioWithPaddingBesideThePicture) {
  const TestFolder folder;
  const auto apart = [](const std::string& path) {
    const auto first = [&](const char* stream) {
      return std::stod(
          ffprobe(path, fmt::format("-select_streams {} -show_entries packet=pts_time", stream)).at(0));
    };
    return first("v:0") - first("a:0");
  };
  for (const std::string from : {"mkv", "mp4"}) {
    std::string path =
        make_clip(folder, "in." + from,
                  kPicture + kAudio + kLength + "-c:v libx264 -pix_fmt yuv420p -bf 0 -c:a libopus");
    const double expected = apart(path);
    for (const std::string to : {"mkv", "mkv", "mp4", "mkv", "mkv"}) {
      const std::string name = fmt::format("{}.{}", std::filesystem::path(path).stem().string() + "-", to);
      path = transcode(folder, path, name, {.encoder = "x264", .options = {{"bf", "0"}}}, 0);
      EXPECT_NEAR(apart(path), expected, 0.0016) << path;
    }
  }
}

TEST(Finish, Y4mTellsOfTimesThatItLeavesOut) {
  const TestFolder folder;
  const std::string steady = make_clip(
      folder, "steady.mkv", "-f lavfi -i testsrc2=size=64x48:rate=30000/1001 -frames:v 45 -c:v ffv1");
  const std::string varying = make_clip(
      folder, "varying.mkv",
      kPicture + kLength + "-vf \"setpts='if(lt(N,20),N,20+(N-20)*3)/25/TB'\" -vsync passthrough -c:v ffv1");
  for (const auto& [input, is_noted] : {std::pair(steady, false), std::pair(varying, true)}) {
    const auto segments = *encode_segments(input, {.encoder = "raw"}, 0, folder.path("segment"));
    const auto frames = int64_t(ffprobe(input, "-show_entries packet=pts").size());
    const auto result = finish_file(input, segments, folder.path("out.y4m"), frames);
    ASSERT_THAT(result, IsOk());
    EXPECT_EQ(result->notes.size(), is_noted ? 1u : 0u) << input;
    for (const std::string& note : result->notes)
      EXPECT_THAT(note, HasSubstr("The times of the pictures are left out: y4m holds their rate"));
  }
}

TEST(Finish, WritesATimecodeTrackAnew) {
  const TestFolder folder;
  const std::string input =
      make_clip(folder, "in.mov", kPicture + kLength + "-timecode 10:00:00:00 -c:v libx264 -pix_fmt yuv420p");
  const auto info = probe(input);
  ASSERT_THAT(info, IsOk());
  ASSERT_EQ(info->others.size(), 1u);
  EXPECT_TRUE(info->others[0].timecode);
  for (const auto& [name, streams] : {std::pair("a.mov", 2u), {"a.mp4", 2u}, {"a.mkv", 1u}})
    EXPECT_EQ(
        ffprobe(transcode(folder, input, name, {.encoder = "x264"}, 0), "-show_entries stream_tags=timecode"),
        std::vector<std::string>(streams, "10:00:00:00"))
        << name;
}

}  // namespace
}  // namespace weft::media
