// SPDX-License-Identifier: Apache-2.0
// Tests invalid files: each gives an error or some frames, without a crash or an endless wait.
#include <chrono>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/server/media/clips.h"

namespace weft::media {
namespace {

using testing::HasSubstr;

// Probes and decodes the whole file. Returns the first error, or OK with the number of frames.
Status decode_whole(const std::string& path, int64_t* frames = nullptr) {
  const auto begin = std::chrono::steady_clock::now();
  const auto source = open_source(path, {.threads = 2});
  Status status = source.status();
  while (status.ok()) {
    const auto frame = (*source)->next();
    status = frame.status();
    if (!status.ok() || !*frame) break;
    hash_picture((*frame)->picture);  // reads every sample
  }
  if (frames != nullptr) *frames = source.ok() ? (*source)->counters().frames : 0;
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60)) << path;
  EXPECT_TRUE(status.ok() || message_of(status).size() > 20) << status;
  return status;
}

TEST(BrokenFile, IsNamedForWhatItIs) {
  const TestFolder folder;
  EXPECT_THAT(decode_whole(folder.path("missing.mkv")), StatusIs(StatusCode::kNotFound, "missing.mkv"));
  EXPECT_THAT(decode_whole(folder.path("")), StatusIs(StatusCode::kInvalidArgument, "is a folder"));
  EXPECT_THAT(decode_whole("/dev/zero"), StatusIs(StatusCode::kInvalidArgument, "is a device"));
  ASSERT_EQ(::mkfifo(folder.path("fifo").c_str(), 0600), 0);
  EXPECT_THAT(decode_whole(folder.path("fifo")), StatusIs(StatusCode::kInvalidArgument, "is a FIFO"));
  write_file(folder.path("empty.ts"), "");
  EXPECT_THAT(decode_whole(folder.path("empty.ts")), StatusIs(StatusCode::kInvalidArgument, "is empty"));
  write_file(folder.path("text.mp4"), "Dear reader,\nthis is no video.\n");
  EXPECT_THAT(decode_whole(folder.path("text.mp4")),
              StatusIs(StatusCode::kInvalidArgument, "not a media file"));
  EXPECT_THAT(decode_whole(make_clip(folder, "audio.wav", "-f lavfi -i sine -t 0.1")),
              StatusIs(StatusCode::kInvalidArgument, "no video stream"));
  EXPECT_THAT(
      decode_whole(make_clip(folder, "rgb.avi",
                             "-f lavfi -i testsrc2=size=64x64 -frames:v 2 -c:v rawvideo -pix_fmt bgr24")),
      StatusIs(StatusCode::kInvalidArgument, "bgr24"));
  EXPECT_THAT(
      decode_whole(make_clip(folder, "rgb.mkv",
                             "-f lavfi -i testsrc2=size=64x64 -frames:v 2 -c:v ffv1 -pix_fmt gbrp10le")),
      StatusIs(StatusCode::kInvalidArgument, "gbrp10le"));
}

TEST(BrokenFile, ListsOfOtherFilesAreNotFollowed) {
  const TestFolder folder;
  const std::string clip =
      make_clip(folder, "clip.ts", "-f lavfi -i testsrc2=size=64x64 -frames:v 5 -c:v mpeg2video");
  write_file(folder.path("list.m3u8"),
             "#EXTM3U\n#EXT-X-TARGETDURATION:5\n#EXTINF:5,\nfile://" + clip + "\n#EXT-X-ENDLIST\n");
  EXPECT_THAT(decode_whole(folder.path("list.m3u8")), StatusIs(StatusCode::kInvalidArgument));
  write_file(folder.path("list.ffconcat"), "ffconcat version 1.0\nfile '" + clip + "'\n");
  EXPECT_THAT(decode_whole(folder.path("list.ffconcat")), StatusIs(StatusCode::kInvalidArgument));
}

TEST(BrokenFile, AbsurdSizesAreRefusedBeforeTheyCost) {
  const TestFolder folder;
  for (const std::string size :
       {"W65535 H65535", "W2000000000 H2", "W0 H0", "W-5 H10", "W16385 H16", "W16 H999999"}) {
    write_file(folder.path("big.y4m"), "YUV4MPEG2 " + size + " F25:1 Ip A1:1 C420jpeg\nFRAME\nabc");
    EXPECT_THAT(decode_whole(folder.path("big.y4m")), StatusIs(StatusCode::kInvalidArgument)) << size;
  }
  // The test damages the width and the height in the header of a Matroska file.
  const std::string good = read_file(
      make_clip(folder, "good.mkv", "-f lavfi -i testsrc2=size=320x240 -frames:v 3 -c:v ffv1 -level 3"));
  std::string bad = good;
  const size_t width = bad.find(std::string("\xB0\x82\x01\x40", 4));
  ASSERT_NE(width, std::string::npos);
  bad.replace(width + 2, 2, "\xFF\xFF");
  write_file(folder.path("bad.mkv"), bad);
  int64_t frames = 0;
  decode_whole(folder.path("bad.mkv"), &frames).IgnoreError();
  EXPECT_EQ(frames, 0);
}

TEST(BrokenFile, AFileWithoutFramesIsAnError) {
  const TestFolder folder;
  write_file(folder.path("none.y4m"), "YUV4MPEG2 W64 H64 F25:1 Ip A1:1 C420jpeg\n");
  EXPECT_THAT(decode_whole(folder.path("none.y4m")), StatusIs(StatusCode::kInvalidArgument, "no frame"));
  const std::string clip =
      read_file(make_clip(folder, "a.mkv", "-f lavfi -i testsrc2=size=64x64 -frames:v 3 -c:v libx264"));
  const size_t cluster = clip.find("\x1F\x43\xB6\x75");
  ASSERT_NE(cluster, std::string::npos);
  write_file(folder.path("none.mkv"), clip.substr(0, cluster));
  EXPECT_THAT(decode_whole(folder.path("none.mkv")), StatusIs(StatusCode::kInvalidArgument));
}

struct Kind {
  const char* name;
  const char* arguments;
};
class Damaged : public testing::TestWithParam<Kind> {
 protected:
  std::string make(const TestFolder& folder) {
    return make_clip(
        folder, GetParam().name,
        std::string("-f lavfi -i testsrc2=size=96x80:rate=25 -f lavfi -i sine -frames:v 30 -t 1.2 ") +
            GetParam().arguments);
  }
};

TEST_P(Damaged, CutAnywhere) {
  const TestFolder folder;
  const std::string path = make(folder);
  const std::string good = read_file(path);
  int64_t whole = 0;
  ASSERT_THAT(decode_whole(path, &whole), IsOk());
  ASSERT_GE(whole, 28);
  for (int percent : {0, 1, 2, 5, 10, 25, 50, 75, 90, 99}) {
    write_file(path, good.substr(0, std::max<size_t>(1, good.size() * size_t(percent) / 100)));
    int64_t frames = 0;
    decode_whole(path, &frames).IgnoreError();
    EXPECT_LE(frames, whole);
  }
}

TEST_P(Damaged, BitsChanged) {
  const TestFolder folder;
  const std::string path = make(folder);
  const std::string good = read_file(path);
  std::mt19937 random(11);
  for (int round = 0; round < 12; round++) {
    std::string bad = good;
    // Every third round damages the headers only.
    const size_t range = round % 3 == 0 ? std::min<size_t>(bad.size(), 1000) : bad.size();
    for (int flip = 0; flip < 1 << (round / 2); flip++) bad[random() % range] ^= char(1 << random() % 8);
    write_file(path, bad);
    int64_t frames = 0;
    decode_whole(path, &frames).IgnoreError();
    EXPECT_LE(frames, 200);
  }
}

// A size in a header that needs too much memory is an error of the file, not a lack of memory after
// which a retry could succeed.
TEST(BrokenFile, DamagedHeadersAreNoWantOfMemory) {
  const TestFolder folder;
  const std::string path =
      make_clip(folder, "a.mp4",
                "-f lavfi -i testsrc2=size=64x64:rate=25 -f lavfi -i sine -frames:v 4 -t 0.16 -c:v "
                "libx264 -c:a aac -movflags +faststart");
  const std::string good = read_file(path);
  const size_t begin = good.find("moov");
  const size_t end = good.find("mdat");
  ASSERT_LT(begin, end);
  ASSERT_NE(end, std::string::npos);
  std::mt19937 random(5);
  for (int round = 0; round < 400; round++) {
    std::string bad = good;
    for (int change = 0; change < 1 + round % 4; change++)
      bad[begin + 4 + random() % (end - begin - 4)] = char(round % 2 == 0 ? 0x7f : random() % 256);
    write_file(path, bad);
    EXPECT_NE(decode_whole(path).code(), StatusCode::kResourceExhausted) << "round " << round;
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, Damaged,
                         testing::Values(Kind{"a.ts", "-c:v mpeg2video -bf 2 -flags +ildct+ilme -c:a mp2"},
                                         Kind{"b.ts", "-c:v libx264 -c:a mp2"},
                                         Kind{"c.mkv", "-c:v ffv1 -level 3 -slices 4 -slicecrc 1 -c:a flac"},
                                         Kind{"d.mp4", "-c:v libx264 -c:a aac"},
                                         Kind{"e.mkv", "-c:v libx265 -x265-params log-level=none"},
                                         Kind{"f.y4m", "-pix_fmt yuv420p -map 0"},
                                         Kind{"g.avi", "-c:v mjpeg -q:v 4"},
                                         Kind{"h.mov", "-c:v prores_ks -map 0"}),
                         [](const auto& test) {
                           std::string name = test.param.name;
                           name[1] = '_';
                           return name;
                         });

TEST(BrokenFile, TooManyBadPacketsEndTheStream) {
  const TestFolder folder;
  const std::string path =
      make_clip(folder, "a.avi", "-f lavfi -i testsrc2=size=96x80:rate=25 -frames:v 120 -c:v mjpeg");
  std::string bytes = read_file(path);
  // The bytes from the thirtieth picture on are replaced by zeros.
  size_t at = 0;
  for (int picture = 0; picture < 30; picture++) at = bytes.find("\xFF\xD8", at + 1);
  for (; at != std::string::npos; at = bytes.find("\xFF\xD8", at)) {
    const size_t end = bytes.find("\xFF\xD9", at);
    ASSERT_NE(end, std::string::npos);
    bytes.replace(at, end - at + 2, end - at + 2, '\0');
  }
  write_file(path, bytes);
  const auto source = open_source(path, {.max_bad_packets = 20});
  ASSERT_THAT(source, IsOk());
  Status status = ok_status();
  for (int i = 0; i < 200 && status.ok(); i++) status = (*source)->next().status();
  EXPECT_THAT(status, StatusIs(StatusCode::kDataLoss, "20 packets in a row"));
  EXPECT_GE((*source)->counters().frames, 25);
}

}  // namespace
}  // namespace weft::media
