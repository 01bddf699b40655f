// SPDX-License-Identifier: Apache-2.0
// Streams end to end: the real programs, byte for byte what a job and FFmpeg make of the same frames.
#include <csignal>
#include <filesystem>

#include <gmock/gmock.h>

#include "base/status.h"
#include "tests/scenarios/scenario.h"

namespace weft::scenarios {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class StreamsTest : public ScenarioTest {
 protected:
  void SetUp() override {
    ASSERT_TRUE(daemon_.start());
    ASSERT_TRUE(wait_until([this] {
      const auto device = daemon_.device("cpu");
      return device && device->state() == v1::DEVICE_STATE_IN_SERVICE;
    }));
  }

  // A program's line run by a shell, with weft and our daemon in reach.
  int shell(const std::string& line, std::string* output = nullptr) {
    return run({"bash", "-c",
                fmt::format("set -o pipefail; export WEFT_SERVER={}; weft() {{ {} \"$@\"; }}; cd {}; {}",
                            daemon_.address(), WEFT, folder(), line)},
               output);
  }

  // An interlaced y4m of 320x240, made by ffmpeg.
  std::string make_y4m(const std::string& name, int frames, const std::string& format = "yuv420p") {
    std::string words;
    EXPECT_EQ(shell(fmt::format("ffmpeg -v error -nostdin -y -f lavfi -i testsrc2=size=320x240:rate=50 -vf "
                                "tinterlace=interleave_top,setfield=tff,format={} -frames:v {} -strict -1 {}",
                                format, frames, name),
                    &words),
              0)
        << words;
    return path(name);
  }

  Daemon daemon_{path("daemon")};
};

TEST_F(StreamsTest, APipeGivesTheBytesOfAJobAndOfFfmpeg) {
  make_y4m("in.y4m", 30);
  std::string words;
  ASSERT_EQ(shell("weft run deinterlace in.y4m -o job.y4m", &words), 0) << words;
  ASSERT_EQ(shell("ffmpeg -v error -nostdin -y -i in.y4m -vf bwdif=mode=1:parity=-1 ffmpeg.y4m", &words), 0)
      << words;
  const std::string job = read_file(path("job.y4m"));
  ASSERT_EQ(job, read_file(path("ffmpeg.y4m")));
  for (const std::string transport : {"messages", "shared-memory"}) {
    ASSERT_EQ(shell("weft pipe --filter bwdif --transport " + transport + " < in.y4m > " + transport + ".y4m",
                    &words),
              0)
        << words;
    EXPECT_TRUE(read_file(path(transport + ".y4m")) == job) << transport;
    EXPECT_THAT(words, AllOf(HasSubstr("60 pictures of 30 frames"), HasSubstr("p99"))) << transport;
  }
}

TEST_F(StreamsTest, DeepSamplesAndOtherFiltersComeOutAsJobsMakeThem) {
  make_y4m("deep.y4m", 8, "yuv422p10");
  std::string words;
  ASSERT_EQ(
      shell("weft run deinterlace deep.y4m -o job.y4m --filter yadif --rate frame --parity bottom", &words),
      0)
      << words;
  ASSERT_EQ(shell("weft pipe -i deep.y4m -o pipe.y4m --filter yadif --rate frame --parity bottom", &words), 0)
      << words;
  EXPECT_TRUE(read_file(path("pipe.y4m")) == read_file(path("job.y4m")));
}

TEST_F(StreamsTest, StandsBetweenTwoProgramsOfFfmpeg) {
  std::string words;
  const std::string source =
      "ffmpeg -v error -nostdin -f lavfi -i testsrc2=size=320x240:rate=50 -vf "
      "tinterlace=interleave_top,setfield=tff "
      "-frames:v 40 -pix_fmt yuv420p";
  ASSERT_EQ(shell(source + " -f yuv4mpegpipe - | weft pipe --class realtime | ffmpeg -v error -y -i - -f "
                           "framemd5 piped.md5",
                  &words),
            0)
      << words;
  EXPECT_THAT(words, HasSubstr("missed of 40.00 ms"));
  ASSERT_EQ(
      shell(source + " in.y4m && ffmpeg -v error -nostdin -y -i in.y4m -vf bwdif -f framemd5 direct.md5",
            &words),
      0)
      << words;
  EXPECT_EQ(read_file(path("piped.md5")), read_file(path("direct.md5")));
}

}  // namespace
}  // namespace weft::scenarios
