// SPDX-License-Identifier: Apache-2.0
// Tests bloom of videos and of streams with the real programs: command line, daemon and worker.
#include <csignal>
#include <filesystem>
#include <functional>

#include <gmock/gmock.h>

#include "tests/scenarios/stream_scenario.h"

namespace weft::scenarios {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

class BloomVideoTest : public StreamScenario {
 protected:
  // Makes a progressive test video with audio by ffmpeg.
  void make_video(const std::string& name, int frames, const std::string& more = "",
                  const std::string& size = "160x90") {
    std::string words;
    ASSERT_EQ(
        shell(fmt::format("ffmpeg -v error -nostdin -y -f lavfi -i testsrc2=size={}:rate=25 -f lavfi -i "
                          "sine=frequency=440 -frames:v {} -shortest {} {}",
                          size, frames, more, name),
              &words),
        0)
        << words;
  }
  void expect_fails(const std::string& line, const std::string& says) {
    std::string words;
    EXPECT_NE(shell(line, &words), 0) << line;
    EXPECT_THAT(words, HasSubstr(says)) << line;
  }
  v1::SubmitJobRequest job(const std::string& input, const std::string& output, v1::JobClass job_class) {
    v1::SubmitJobRequest request;
    v1::VideoJob& bloom = *request.mutable_spec()->mutable_video();
    bloom.add_filters()->mutable_bloom();
    bloom.set_input(path(input));
    bloom.set_output(path(output));
    bloom.mutable_encoding()->set_encoder(v1::ENCODER_FFV1);
    bloom.mutable_encoding()->set_segment_frames(5);
    request.mutable_settings()->set_job_class(job_class);
    return request;
  }
  // Plays a live stream of three or more frames next to a job of the class spare, until the job has
  // ended. Each frame is sent at its time. Its pictures must arrive before the next frame is sent,
  // as soon as the frames that they need are there.
  void play_beside(v1::OpenStream open, const std::function<std::string()>& submit) {
    open.mutable_settings()->clear_deadline();  // default: the duration of a frame
    const auto connection = client::Connection::open({.server = daemon_.address()});
    ASSERT_THAT(connection, IsOk());
    auto stream = client::FrameStream::open(*connection, open);
    ASSERT_THAT(stream, IsOk());
    const std::chrono::milliseconds period(1000 * open.frame_rate().denominator() /
                                           open.frame_rate().numerator());
    const int pictures = (*stream)->opened().picture_rate().numerator() / open.frame_rate().numerator();
    const std::string id = submit();
    const auto begin = std::chrono::steady_clock::now();
    int frames = 0;
    v1::Job ended;
    const auto job_has_ended = [&] { return has_ended(ended = daemon_.get(id)); };
    while (std::chrono::steady_clock::now() - begin < kDeadline) {
      push(**stream);
      frames++;
      for (int i = 0; frames > (*stream)->opened().frames_ahead() && i < pictures; i++)
        ASSERT_THAT((*stream)->pull(), IsOk());
      const auto next = begin + frames * period - std::chrono::steady_clock::now();
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(next);
      if (wait_until([&] { return frames >= 3 && job_has_ended(); }, left)) break;
    }
    ASSERT_EQ(ended.state(), v1::JOB_STATE_SUCCEEDED) << ended.DebugString();
    EXPECT_EQ(ended.settings().job_class(), v1::JOB_CLASS_SPARE);
    ASSERT_THAT((*stream)->finish(), IsOk());
    for (bool more = true; more;) {
      const auto picture = (*stream)->pull();
      ASSERT_THAT(picture, IsOk());
      more = picture->has_value();
    }
    EXPECT_EQ((*stream)->report().frames_in(), frames);
    EXPECT_EQ((*stream)->report().pictures_out(), frames * pictures);
    EXPECT_EQ((*stream)->report().missed(), 0);
  }
};

TEST_F(BloomVideoTest, AVideoFromTheCommandLineToItsPlace) {
  make_video("in.mp4", 25, "-pix_fmt yuv420p -c:v libx264 -c:a aac");
  std::string words;
  ASSERT_EQ(shell("ffmpeg -v error -nostdin -f lavfi -i color=white:size=5x5 -frames:v 1 star.png", &words),
            0)
      << words;
  ASSERT_EQ(shell("weft submit bloom=kernel=star.png in.mp4 -o out.mkv --encoder ffv1 --follow", &words), 0)
      << words;
  EXPECT_THAT(words, HasSubstr("Done: " + path("out.mkv")));
  ASSERT_EQ(shell("ffprobe -v error -show_entries stream=codec_name,nb_read_frames -count_frames -of csv=p=0 "
                  "-select_streams v out.mkv; ffprobe -v error -show_entries stream=codec_name -of csv=p=0 "
                  "-select_streams a out.mkv",
                  &words),
            0);
  EXPECT_EQ(words, "ffv1,25\naac\n");
  EXPECT_THAT(leftovers(), IsEmpty());
  ASSERT_EQ(shell("weft submit bloom in.mp4 -o dry.mkv --dry-run", &words), 0) << words;
  EXPECT_THAT(words,
              AllOf(HasSubstr("h264 160x90 4:2:0 8 bit"), HasSubstr("x264"), HasSubstr("25 in, 25 out")));
}

// ffprobe describes the stream, and each frame as interlaced or not and top field first or not.
// (For H.264 in a transport stream it reports the same for either order.)
TEST_F(BloomVideoTest, AJobOfAnInterlacedVideoSaysSo) {
  std::string words;
  for (const bool is_top : {true, false}) {
    ASSERT_EQ(
        shell(fmt::format("ffmpeg -v error -nostdin -y -f lavfi -i testsrc2=size=160x96:rate=50 -frames:v 6 "
                          "-vf tinterlace=interleave_{} -c:v mpeg2video -flags +ilme+ildct in.ts",
                          is_top ? "top" : "bottom"),
              &words),
        0)
        << words;
    const std::string frames = is_top ? "6 1,1\n" : "6 1,0\n", woven = is_top ? "tb\n" : "bt\n",
                      order = is_top ? "tt\n" : "bb\n";
    struct Case {
      v1::Encoder encoder;
      std::string output, said;
    };
    for (const auto& [encoder, output, said] : {Case{v1::ENCODER_X264, "out.mkv", woven + frames},
                                                Case{v1::ENCODER_X264, "out.ts", "tt\n" + frames},
                                                Case{v1::ENCODER_FFV1, "out.mkv", woven + frames},
                                                Case{v1::ENCODER_AUTO, "out.y4m", order + frames},
                                                Case{v1::ENCODER_X265, "out.mkv", woven + "6 0,0\n"}}) {
      v1::SubmitJobRequest request = job("in.ts", output, v1::JOB_CLASS_NORMAL);
      request.mutable_spec()->mutable_video()->mutable_encoding()->set_encoder(encoder);
      const v1::Job ended = daemon_.wait_for_end_of(daemon_.submit(request));
      ASSERT_EQ(ended.state(), v1::JOB_STATE_SUCCEEDED) << ended.DebugString();
      EXPECT_THAT(ended.result().notes(), Contains(HasSubstr("The input is interlaced")));
      EXPECT_THAT(ended.result().notes(), AnyOf(SizeIs(1), Contains(HasSubstr("x265 knows no fields"))));
      EXPECT_THAT(ended.result().notes(), SizeIs(encoder == v1::ENCODER_X265 ? 2 : 1));
      ASSERT_EQ(
          shell(fmt::format("ffprobe -v error -select_streams v -show_entries stream=field_order "
                            "-of csv=p=0 {0} | head -1; ffprobe -v error -select_streams v -of csv=p=0 "
                            "-show_entries frame=interlaced_frame,top_field_first {0} | sed 's/,*$//;/^$/d' "
                            "| sort | uniq -c | sed 's/^ *//'",
                            output),
                &words),
          0)
          << words;
      EXPECT_EQ(words, said) << v1::Encoder_Name(encoder) << " " << output;
      std::filesystem::remove(path(output));
    }
  }
}

TEST_F(BloomVideoTest, WhatDoesNotGoTogetherIsSaid) {
  make_video("in.mkv", 2, "-c:v ffv1 -pix_fmt yuv420p");
  std::string words;
  ASSERT_EQ(shell("ffmpeg -v error -nostdin -f lavfi -i testsrc2=size=16x16 -frames:v 1 image.png", &words),
            0);
  write_file(path("text.mkv"), "This is a text.");
  expect_fails("weft submit bloom in.mkv -o out.mkv --preview look.png",
               "--preview does not count here, a job 'video' has no such option");
  expect_fails("weft submit bloom in.mkv -o out.mkv --layer beauty", "--layer does not count here");
  expect_fails("weft submit bloom in.mkv -o out.exr",
               "The input is a video, and jobs 'image' take an image; submit it as a job 'video'");
  expect_fails("weft submit bloom image.png -o out.png --encoder x265",
               "--encoder does not count here, a job 'image' has no such option");
  expect_fails("weft submit bloom image.png -o out.mkv", "submit it as a job 'image'");
  expect_fails("weft submit bloom text.mkv -o out.mkv", "text.mkv");
  expect_fails("weft submit bloom=kernel=text.mkv in.mkv -o out.mkv", "text.mkv");
  expect_fails("weft submit bloom=kernel=none.exr in.mkv -o out.mkv", "The kernel does not exist");
  EXPECT_THAT(leftovers(), IsEmpty());
}

TEST_F(BloomVideoTest, APipeGivesTheBytesOfAJob) {
  make_video("in.y4m", 12, "-an -pix_fmt yuv420p");
  std::string words;
  ASSERT_EQ(shell("ffmpeg -v error -nostdin -f lavfi -i testsrc2=size=9x9 -frames:v 1 star.png", &words), 0);
  const std::string filter = "bloom=kernel=star.png:size=0.2:intensity=0.6";
  ASSERT_EQ(shell("weft run " + filter + " in.y4m -o job.y4m", &words), 0) << words;
  const std::string job = read_file(path("job.y4m"));
  EXPECT_FALSE(job == read_file(path("in.y4m")));
  for (const std::string transport : {"messages", "shared-memory"}) {
    ASSERT_EQ(shell("weft pipe " + filter + " --transport " + transport + " < in.y4m > " + transport + ".y4m",
                    &words),
              0)
        << words;
    EXPECT_TRUE(read_file(path(transport + ".y4m")) == job) << transport;
    EXPECT_THAT(words, HasSubstr("12 pictures of 12 frames")) << transport;
  }
  // samples of 10 bits in full range
  make_video("full.y4m", 4, "-an -vf scale=out_range=full,format=yuv444p10 -color_range pc -strict -1");
  ASSERT_EQ(shell("weft run bloom full.y4m -o full-job.y4m && weft pipe bloom -i full.y4m -o full-pipe.y4m",
                  &words),
            0)
      << words;
  EXPECT_TRUE(read_file(path("full-pipe.y4m")) == read_file(path("full-job.y4m")));
}

// Y4M does not contain transfer and matrix. Options set them, and the pictures equal those of a
// file that contains them.
TEST_F(BloomVideoTest, APipeIsToldWhatItsFramesCodesMean) {
  make_video("hdr.mkv", 3, "-an -pix_fmt yuv420p10 -c:v ffv1 -color_trc smpte2084 -colorspace bt2020nc");
  std::string words;
  ASSERT_EQ(shell("ffmpeg -v error -nostdin -i hdr.mkv -strict -1 hdr.y4m", &words), 0) << words;
  const std::string filter = "bloom=intensity=0.6:threshold=0.5";
  ASSERT_EQ(shell("weft run " + filter + " hdr.mkv -o job.mkv --encoder ffv1", &words), 0) << words;
  ASSERT_EQ(
      shell("weft pipe " + filter + " --transfer smpte2084 --matrix bt2020nc -i hdr.y4m -o told.y4m", &words),
      0)
      << words;
  ASSERT_EQ(shell("weft pipe " + filter + " -i hdr.y4m -o guessed.y4m", &words), 0) << words;
  const auto sums = [&](const std::string& name) {
    std::string result;
    EXPECT_EQ(shell("ffmpeg -v error -nostdin -i " + name + " -f framehash -", &result), 0) << result;
    return result.substr(result.rfind("#"));  // the frames after the description of the file
  };
  EXPECT_EQ(sums("told.y4m"), sums("job.mkv"));
  EXPECT_NE(sums("guessed.y4m"), sums("job.mkv"));
  expect_fails("weft pipe bloom --transfer pq < hdr.y4m > out.y4m", "smpte2084");
}

// Bloom keeps the positions of fields, so the input's field description is also that of the output.
TEST_F(BloomVideoTest, APipeSaysOfItsPicturesFieldsWhatItsInputSays) {
  make_video("in.y4m", 3, "-an -pix_fmt yuv420p", "16x16");
  const std::string file = read_file(path("in.y4m"));
  const size_t header = file.find('\n') + 1, frame = file.find("FRAME\n", header);
  ASSERT_EQ(frame, header);
  constexpr size_t kSamples = 16 * 16 * 3 / 2;
  const auto write = [&](const std::string& interlacing, const std::vector<std::string>& lines) {
    std::string y4m = "YUV4MPEG2 W16 H16 F25:1 I" + interlacing + "\n";
    for (size_t i = 0; i < lines.size(); i++)
      y4m += lines[i] + "\n" + file.substr(header + i * (kSamples + 6) + 6, kSamples);
    write_file(path("fields.y4m"), y4m);
  };
  std::string words;
  for (const std::string interlacing : {"p", "t", "b", "?"}) {
    write(interlacing, {"FRAME", "FRAME", "FRAME"});
    ASSERT_EQ(shell("weft pipe bloom -y -i fields.y4m -o out.y4m", &words), 0) << words;
    EXPECT_THAT(read_file(path("out.y4m")), StartsWith("YUV4MPEG2 W16 H16 F25:1 I" + interlacing + "\n"));
    ASSERT_EQ(shell("weft pipe bwdif=rate=frame -y -i fields.y4m -o out.y4m", &words), 0) << words;
    EXPECT_THAT(read_file(path("out.y4m")), StartsWith("YUV4MPEG2 W16 H16 F25:1 Ip\n"));
  }
  const std::vector<std::string> lines = {"FRAME Itip", "FRAME I1pp", "FRAME Ibii"};
  write("m", lines);
  ASSERT_EQ(shell("weft pipe bloom -y -i fields.y4m -o out.y4m", &words), 0) << words;
  std::string out = read_file(path("out.y4m"));
  EXPECT_THAT(out, StartsWith("YUV4MPEG2 W16 H16 F25:1 Im\n"));
  for (size_t i = 0, at = out.find('\n') + 1; i < lines.size(); i++, at += lines[0].size() + 1 + kSamples)
    EXPECT_EQ(out.substr(at, lines[i].size() + 1), lines[i] + "\n");
}

TEST_F(BloomVideoTest, APipeSaysWhatIsWrong) {
  make_video("in.y4m", 2, "-an -pix_fmt yuv420p");
  write_file(path("text.exr"), "This is a text.");
  expect_fails("weft pipe bloom=rate=frame < in.y4m > out.y4m", "rate");
  expect_fails("weft pipe bloom --threshold 1 < in.y4m > out.y4m", "(bloom=threshold=VALUE)");
  expect_fails("weft pipe blom < in.y4m > out.y4m", "bloom");
  expect_fails("weft pipe bloom=kernel=none.exr < in.y4m > out.y4m", "The kernel does not exist");
  expect_fails("weft pipe bloom=kernel=text.exr < in.y4m > out.y4m", "no image that is known");
  expect_fails("weft pipe bloom=intensity=2 < in.y4m > out.y4m", "intensity");
}

TEST_F(BloomVideoTest, ARealtimeStreamKeepsItsDeadlinesOrIsRefusedWithTheNumbers) {
  make_video("in.y4m", 20, "-an -pix_fmt yuv420p", "64x48");
  std::string words;
  const int code = shell("weft pipe bloom --class realtime --fps 5 < in.y4m > out.y4m", &words);
  if (code == 0)
    EXPECT_THAT(words, AllOf(HasSubstr("20 pictures of 20 frames"), HasSubstr("0 missed of 200.00 ms")));
  else
    EXPECT_THAT(words, AllOf(HasSubstr("does not fit"), HasSubstr("limit 85%"))) << "on a slow machine";
  EXPECT_EQ(shell("weft pipe bloom --class realtime --fps 100000 < in.y4m > out.y4m", &words), 4);
  EXPECT_THAT(words, AllOf(HasSubstr("does not fit"), HasSubstr("limit 85%")));
}

// A frame is sent every 200 ms while the job runs. Each picture is in time, and the job ends by
// work between the frames.
TEST_F(BloomVideoTest, ASpareJobBesideALiveStreamNeitherStarvesNorDisturbsIt) {
  make_video("in.mkv", 20, "-c:v ffv1 -pix_fmt yuv420p");
  ASSERT_EQ(daemon_.wait_for_end_of(daemon_.submit(job("in.mkv", "alone.mkv", v1::JOB_CLASS_NORMAL))).state(),
            v1::JOB_STATE_SUCCEEDED);
  v1::OpenStream open = small_stream(v1::STREAM_CLASS_REALTIME);
  open.mutable_frame_rate()->set_numerator(5);
  play_beside(open, [&] { return daemon_.submit(job("in.mkv", "spare.mkv", v1::JOB_CLASS_SPARE)); });
  EXPECT_TRUE(read_file(path("spare.mkv")) == read_file(path("alone.mkv")));
}

TEST_F(BloomVideoTest, ASpareSequenceBesideALiveBloomNeitherStarvesNorDisturbsIt) {
  std::string words;
  ASSERT_EQ(shell("ffmpeg -v error -nostdin -f lavfi -i testsrc2=size=160x90 -frames:v 12 in.%03d.png && "
                  "weft submit bloom in.%03d.png -o alone.%03d.png --wait",
                  &words),
            0)
      << words;
  v1::OpenStream open = small_stream(v1::STREAM_CLASS_REALTIME);
  set_filters(open, "bloom");
  open.mutable_frame_rate()->set_numerator(2);
  play_beside(open, [&] {
    std::string id;
    EXPECT_EQ(shell("weft submit bloom in.%03d.png -o spare.%03d.png --class spare --detach", &id), 0);
    return id.substr(0, id.find('\n'));
  });
  for (int i = 1; i <= 12; i++)
    EXPECT_TRUE(read_file(path(fmt::format("spare.{:03}.png", i))) ==
                read_file(path(fmt::format("alone.{:03}.png", i))))
        << i;
}

TEST_F(BloomVideoTest, AKilledWorkerChangesNoByte) {
  make_video("in.mkv", 120, "-vf setfield=bff -c:v ffv1 -pix_fmt yuv420p", "320x180");
  daemon_.wait_for_end_of(daemon_.submit(job("in.mkv", "whole.mkv", v1::JOB_CLASS_NORMAL)));
  const std::string id = daemon_.submit(job("in.mkv", "killed.mkv", v1::JOB_CLASS_NORMAL));
  daemon_.wait_for(id,
                   [](const v1::Job& job) { return job.progress().units_done() >= 11 || has_ended(job); });
  ::kill(pid_t(daemon_.device("cpu")->worker_pid()), SIGKILL);
  const v1::Job job = daemon_.wait_for_end_of(id);
  ASSERT_EQ(job.state(), v1::JOB_STATE_SUCCEEDED) << job.DebugString();
  EXPECT_EQ(job.attempt(), 2);
  EXPECT_GE(job.result().segments_resumed(), 1);
  EXPECT_TRUE(read_file(path("killed.mkv")) == read_file(path("whole.mkv")));
  std::string words;
  ASSERT_EQ(
      shell("ffprobe -v error -select_streams v -show_entries stream=field_order -of csv=p=0 killed.mkv",
            &words),
      0);
  EXPECT_EQ(words, "bt\n") << "the bottom field is first";
  EXPECT_THAT(leftovers(), IsEmpty());
}

}  // namespace
}  // namespace weft::scenarios
