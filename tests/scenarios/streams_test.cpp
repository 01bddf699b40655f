// SPDX-License-Identifier: Apache-2.0
// Tests streams with the real programs. Their output equals that of a job and of FFmpeg on the same
// frames, byte for byte.
#include <gmock/gmock.h>

#include "tests/scenarios/stream_scenario.h"

namespace weft::scenarios {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using StreamsTest = StreamScenario;

TEST_F(StreamsTest, APipeGivesTheBytesOfAJobAndOfFfmpeg) {
  make_y4m("in.y4m", 30);
  std::string words;
  ASSERT_EQ(shell("weft run bwdif in.y4m -o job.y4m", &words), 0) << words;
  ASSERT_EQ(shell("ffmpeg -v error -nostdin -y -i in.y4m -vf bwdif=mode=1:parity=-1 ffmpeg.y4m", &words), 0)
      << words;
  const std::string job = read_file(path("job.y4m"));
  ASSERT_EQ(job, read_file(path("ffmpeg.y4m")));
  for (const std::string transport : {"messages", "shared-memory"}) {
    ASSERT_EQ(shell("weft pipe bwdif --transport " + transport + " < in.y4m > " + transport + ".y4m", &words),
              0)
        << words;
    EXPECT_TRUE(read_file(path(transport + ".y4m")) == job) << transport;
    EXPECT_THAT(words, AllOf(HasSubstr("60 pictures of 30 frames"), HasSubstr("p99"))) << transport;
    EXPECT_THAT(words, Not(HasSubstr("than its rate"))) << "which a stream without a deadline has none of";
  }
}

TEST_F(StreamsTest, DeepSamplesAndOtherFiltersComeOutAsJobsMakeThem) {
  make_y4m("deep.y4m", 8, "yuv422p10");
  std::string words;
  ASSERT_EQ(shell("weft run yadif=rate=frame:parity=bottom deep.y4m -o job.y4m", &words), 0) << words;
  ASSERT_EQ(shell("weft pipe yadif=rate=frame:parity=bottom -i deep.y4m -o pipe.y4m", &words), 0) << words;
  EXPECT_TRUE(read_file(path("pipe.y4m")) == read_file(path("job.y4m")));
}

TEST_F(StreamsTest, ThePlanOfAChainIsAGraph) {
  make_y4m("in.y4m", 3);
  std::string graph;
  ASSERT_EQ(shell("weft explain --graph bwdif,resize=160x100 in.y4m", &graph), 0) << graph;
  EXPECT_THAT(graph,
              AllOf(testing::StartsWith("digraph plan {\n"), testing::EndsWith("}\n"),
                    HasSubstr("source -> n0 [label=\"320x240 4:2:0 8 bit"), HasSubstr("\"bwdif\\n"),
                    HasSubstr("160x100 4:2:0 8 bit\\n2/1 of the source's rate"), HasSubstr("-> output0 ")));
  std::string words;
  if (shell("command -v dot", &words) != 0) return;
  EXPECT_EQ(shell("weft explain --graph bwdif,resize=160x100 in.y4m | dot -Tplain", &words), 0) << words;
}

TEST_F(StreamsTest, AChainMayChangeSizeDepthAndShape) {
  make_y4m("in.y4m", 12);
  std::string words;
  for (const std::string chain :
       {"bwdif,resize=160x100,convert=bits=10", "yadif=rate=frame,pad=400x300,deband",
        "crop=300x200,bwdif,convert=chroma=444:range=full"}) {
    ASSERT_EQ(shell("weft run video in.y4m -y -o job.y4m --filters " + chain, &words), 0) << words;
    const std::string job = read_file(path("job.y4m"));
    for (const std::string transport : {"messages", "shared-memory"}) {
      ASSERT_EQ(
          shell(fmt::format("weft pipe {} --transport {} < in.y4m > pipe.y4m", chain, transport), &words), 0)
          << words;
      const std::string pipe = read_file(path("pipe.y4m"));
      const size_t samples = job.find('\n'), piped = pipe.find('\n');
      EXPECT_TRUE(pipe.substr(piped) == job.substr(samples)) << chain << " " << transport;
      EXPECT_EQ(pipe.substr(0, pipe.find(" F")), job.substr(0, job.find(" F"))) << chain;
    }
  }
}

TEST_F(StreamsTest, StandsBetweenTwoProgramsOfFfmpeg) {
  std::string words;
  const std::string source =
      "ffmpeg -v error -nostdin -f lavfi -i testsrc2=size=320x240:rate=50 -vf "
      "tinterlace=interleave_top,setfield=tff "
      "-frames:v 40 -pix_fmt yuv420p";
  ASSERT_EQ(
      shell(source + " -f yuv4mpegpipe - | weft pipe bwdif --class realtime | ffmpeg -v error -y -i - -f "
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

// Film of 24 frames a second, spread over 2 and 3 fields.
TEST_F(StreamsTest, ATelecinedFileBecomesThePicturesOfAJob) {
  std::string words;
  ASSERT_EQ(shell("ffmpeg -v error -nostdin -f lavfi -i testsrc2=size=320x240:rate=24000/1001 -vf "
                  "telecine=pattern=23,setfield=tff -frames:v 60 -pix_fmt yuv420p in.y4m",
                  &words),
            0)
      << words;
  const std::string chain = "kfm=24p:delay=12:preset=ultra-fast";
  ASSERT_EQ(shell("weft run video in.y4m -y -o job.y4m --filters " + chain, &words), 0) << words;
  ASSERT_EQ(shell(fmt::format("weft pipe {} < in.y4m > pipe.y4m", chain), &words), 0) << words;
  EXPECT_THAT(words, HasSubstr("48 pictures of 60 frames"));
  EXPECT_THAT(words, HasSubstr("; delay "));
  const std::string job = read_file(path("job.y4m")), pipe = read_file(path("pipe.y4m"));
  EXPECT_TRUE(pipe.substr(pipe.find('\n')) == job.substr(job.find('\n')));
  // The same film at a variable rate: each picture is repeated for 2 or 3 fields.
  ASSERT_EQ(shell("weft pipe kfm=vfr:preset=ultra-fast -i in.y4m -o vfr.y4m && "
                  "ffmpeg -v error -nostdin -i vfr.y4m -f framemd5 - | grep -v '^#' | "
                  "awk '{print $NF}' | uniq -c | awk '{print $1}' | sort | uniq -c | tr -s ' '",
                  &words),
            0)
      << words;
  EXPECT_THAT(words, HasSubstr(" 24 2\n 24 3\n"));
  EXPECT_THAT(read_file(path("vfr.y4m")).substr(0, 60), HasSubstr(" F60000:1001 Ip "));
}

TEST_F(StreamsTest, SoftwareVulkanGivesTheSameBytes) {
  Daemon vulkan(path("vulkan"), {"--device", "vulkan:0"});
  ASSERT_TRUE(vulkan.start());
  const auto in_service = [&] {
    const auto device = vulkan.device("vulkan:0");
    return !device || device->state() == v1::DEVICE_STATE_IN_SERVICE ||
           device->state() == v1::DEVICE_STATE_OUT_OF_SERVICE;
  };
  ASSERT_TRUE(wait_until(in_service));
  if (!vulkan.device("vulkan:0")) GTEST_SKIP() << "There is no Vulkan device.";
  make_y4m("in.y4m", 6);
  std::string words;
  ASSERT_EQ(shell("weft pipe bwdif -i in.y4m -o cpu.y4m", &words), 0) << words;
  ASSERT_EQ(shell(fmt::format("weft pipe bwdif --server {} --device vulkan:0 -i in.y4m -o vulkan.y4m",
                              vulkan.address()),
                  &words),
            0)
      << words;
  EXPECT_THAT(words, HasSubstr("on vulkan:0"));
  EXPECT_TRUE(read_file(path("vulkan.y4m")) == read_file(path("cpu.y4m")));
}

TEST_F(StreamsTest, OverTcpFramesTravelInMessages) {
  Daemon tcp(path("tcp"), {"--device", "cpu", "--listen", "127.0.0.1:0", "--allow-unauthenticated-loopback"});
  ASSERT_TRUE(tcp.start());
  std::string address;
  ASSERT_TRUE(wait_until([&] {
    const std::string log = tcp.log();
    const size_t begin = log.find("listens at 127.0.0.1:");
    if (begin == std::string::npos) return false;
    address = log.substr(begin + 11, log.find(".\n", begin) - begin - 11);
    return true;
  }));
  ASSERT_TRUE(wait_until([&] {
    const auto device = tcp.device("cpu");
    return device && device->state() == v1::DEVICE_STATE_IN_SERVICE;
  }));
  make_y4m("in.y4m", 10);
  std::string words;
  ASSERT_EQ(shell("weft pipe bwdif < in.y4m > here.y4m", &words), 0) << words;
  ASSERT_EQ(shell("weft pipe bwdif --server " + address + " < in.y4m > there.y4m", &words), 0) << words;
  EXPECT_TRUE(read_file(path("there.y4m")) == read_file(path("here.y4m")));
  EXPECT_EQ(shell("weft pipe bwdif --transport shared-memory --server " + address + " < in.y4m", &words), 4);
  EXPECT_THAT(words, HasSubstr("ask for messages"));
}

TEST_F(StreamsTest, APipeWithoutADaemonStartsOne) {
  make_y4m("in.y4m", 4);
  std::string words;
  ASSERT_EQ(shell("weft pipe bwdif < in.y4m > here.y4m", &words), 0) << words;
  // A daemon of the machine, if there is one, keeps its devices.
  ASSERT_EQ(shell("mkdir tmp && TMPDIR=$PWD/tmp WEFT_LOCK_DIR=$PWD/own WEFT_DEVICES=cpu "
                  "weft pipe bwdif --server unix:$PWD/none < in.y4m > own.y4m && rmdir tmp",
                  &words),
            0)
      << words;
  EXPECT_THAT(words, HasSubstr("starting one for this stream"));
  EXPECT_TRUE(read_file(path("own.y4m")) == read_file(path("here.y4m")));
}

// 3 MB in 10 us exceed the memory bandwidth of any machine.
TEST_F(StreamsTest, AStreamThatCannotBeKeptIsRefusedWithTheNumbers) {
  make_y4m("small.y4m", 5);
  std::string words;
  ASSERT_EQ(shell("ffmpeg -v error -nostdin -y -i small.y4m -vf scale=1920:1080:interl=1 in.y4m", &words), 0)
      << words;
  EXPECT_EQ(shell("weft pipe bwdif --class realtime --fps 100000 < in.y4m > out.y4m", &words), 4);
  EXPECT_THAT(words, AllOf(HasSubstr("does not fit"), HasSubstr("limit 85%")));
  EXPECT_EQ(shell("weft pipe bwdif --class realtime --deadline 0.01 < in.y4m > out.y4m", &words), 4);
  EXPECT_THAT(words, HasSubstr("the shortest deadline is 0.01 ms"));
  EXPECT_EQ(shell("weft pipe bwdif --fps 100000 < in.y4m > out.y4m", &words), 0) << words;
}

TEST_F(StreamsTest, AStreamAndAJobShareADeviceAndBothAreRight) {
  make_y4m("in.y4m", 60);
  std::string words;
  ASSERT_EQ(shell("weft pipe bwdif < in.y4m > alone.y4m", &words), 0) << words;
  const std::string id = daemon_.submit(request(clip(20), path("job.mkv")));
  daemon_.wait_for(id, [](const v1::Job& job) { return job.progress().units_done() > 0; });
  ASSERT_EQ(shell("weft pipe bwdif --class realtime < in.y4m > beside.y4m", &words), 0) << words;
  EXPECT_THAT(words, HasSubstr("120 pictures of 60 frames"));
  EXPECT_TRUE(read_file(path("beside.y4m")) == read_file(path("alone.y4m")));
  EXPECT_EQ(daemon_.wait_for_end_of(id).state(), v1::JOB_STATE_SUCCEEDED);
  EXPECT_TRUE(read_file(path("job.mkv")) == undisturbed(clip(20)));
}

// --- How a pipe ends
// ------------------------------------------------------------------------------------------

TEST_F(StreamsTest, InputThatIsNotWhatItSaysIsExplained) {
  make_y4m("in.y4m", 3);
  struct Case {
    const char* make;  // command that writes bad.y4m
    int code;
    const char* says;
  };
  const Case cases[] = {
      {"head -c 200000 in.y4m", 1, "ends within a frame"},
      {"(cat in.y4m; echo -n garbage)", 1, "ends within a line"},
      {"(cat in.y4m; head -c 9000 /dev/zero)", 1, "does not end"},
      {"(cat in.y4m; echo MORE; cat in.y4m)", 1, "does not begin with FRAME"},
      {"cat /dev/null", 1, "The input is empty; pipe y4m into it."},
      {"echo RIFF", 1, "is not y4m"},
      {"echo YUV4MPEG2 W320 H240 C411", 1, "C411"},
      {"echo YUV4MPEG2 W99999 H99999", 4, "out of range"},
      {"echo YUV4MPEG2 W16384 H16384 C444p16", 4, "too large"},
      {"echo YUV4MPEG2 W320 H240 | tee x", 0, "0 pictures of 0 frames"},
  };
  for (const Case& each : cases) {
    std::string words;
    EXPECT_EQ(shell(fmt::format("{} > bad.y4m; weft pipe bwdif < bad.y4m > out.y4m", each.make), &words),
              each.code)
        << each.make << ": " << words;
    EXPECT_THAT(words, HasSubstr(each.says)) << each.make;
  }
  std::string words;
  EXPECT_EQ(
      shell("sed '1s/ F[^ ]*//' in.y4m > norate.y4m; weft pipe bwdif --class realtime < norate.y4m > out.y4m",
            &words),
      2);
  EXPECT_THAT(words, HasSubstr("--fps"));
  EXPECT_EQ(
      shell("weft pipe bwdif --class realtime --fps 29.97 < norate.y4m > out.y4m && head -1 out.y4m", &words),
      0);
  EXPECT_THAT(words, HasSubstr("F60000:1001"));
}

TEST_F(StreamsTest, AnOutputThatIsCutOffIsAnError) {
  make_y4m("in.y4m", 100);
  std::string words;
  EXPECT_EQ(shell("weft pipe bwdif < in.y4m | head -c 1000 > /dev/null", &words), 1);
  EXPECT_THAT(words, HasSubstr("The output is incomplete"));
}

TEST_F(StreamsTest, ATruncatedInputKeepsItsWholeFrames) {
  make_y4m("in.y4m", 3);
  std::string words;
  EXPECT_EQ(shell("head -c -1000 in.y4m > cut.y4m; weft pipe bwdif < cut.y4m > out.y4m", &words), 1);
  EXPECT_THAT(words, HasSubstr("ends within a frame"));
  EXPECT_EQ(
      shell("ffprobe -v error -count_frames -show_entries stream=nb_read_frames -of csv=p=0 out.y4m", &words),
      0);
  EXPECT_EQ(words, "4\n") << "two whole frames, two fields each";
}

TEST_F(StreamsTest, VideoIsNotWrittenToATerminal) {
  make_y4m("in.y4m", 1);
  std::string words;
  EXPECT_EQ(shell(fmt::format("script -qefc '{} pipe bwdif -i in.y4m' /dev/null < /dev/null", WEFT), &words),
            2);
  EXPECT_THAT(words, HasSubstr("not written to a terminal"));
  EXPECT_EQ(shell("weft pipe bwdif -i in.y4m -o out.y4m && weft pipe bwdif -i in.y4m -o out.y4m", &words), 2);
  EXPECT_THAT(words, HasSubstr("-y"));
}

}  // namespace
}  // namespace weft::scenarios
