// SPDX-License-Identifier: Apache-2.0
// Tests the times of pictures with varying durations, from the encoders to the containers. The
// judges are the exact times, and the ffprobe program.
#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/media/write/muxer.h"
#include "server/media/write/segment_file.h"
#include "server/media/write/video_encoder.h"
#include "tests/server/media/clips.h"

namespace weft::media {
namespace {

constexpr Ratio kHalfField{1001, 120000};  // half a field of 30000/1001 frames a second

OutputVideo varying_video() {
  OutputVideo video;
  video.format = {.width = 64, .height = 64, .chroma = Chroma::k420, .bit_depth = 8};
  video.time_base = kHalfField;
  video.frame_rate = {30000, 1001};
  video.least_duration = 2;
  return video;
}

// Draws durations of 24, 30 and 60 pictures a second, in sections.
std::vector<int64_t> mixed_durations(size_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<int64_t> result;
  while (result.size() < count) {
    const uint32_t kind = random() % 3;
    for (uint32_t i = 0, length = 1 + random() % 50; i < length; i++)
      result.push_back(kind == 0 ? 2 : kind == 1 ? 4 : i % 2 == 0 ? 4 : 6);
  }
  result.resize(count);
  return result;
}

struct NoisyPicture {
  NoisyPicture(const VideoFormat& format, uint32_t number) : samples(format.packed_bytes()) {
    std::mt19937 random(number);
    const uint32_t shift = number % 16;
    for (size_t i = 0; i < samples.size(); i++)
      samples[i] = uint8_t((i * 5 + shift * i / 40) % 200 + random() % 24);
    view.format = format;
    size_t offset = 0;
    for (int plane = 0; plane < format.planes(); plane++) {
      view.plane[size_t(plane)] = samples.data() + offset;
      view.stride_bytes[size_t(plane)] = format.plane_width(plane);
      offset += size_t(format.plane_width(plane)) * size_t(format.plane_height(plane));
    }
  }
  std::vector<uint8_t> samples;
  PictureView view;
};

// Encodes pictures with these durations to one segment, and returns its packets.
StatusOr<std::vector<SegmentPacket>> encode_varying(const EncoderSettings& settings, const OutputVideo& video,
                                                    const std::vector<int64_t>& of,
                                                    const FileLocation& location, int64_t first = 0,
                                                    int64_t segment = 0, int64_t begin = 0) {
  ASSIGN_OR_RETURN(const auto encoder, VideoEncoder::open(settings, video));
  ASSIGN_OR_RETURN(const auto writer, SegmentWriter::create(location, encoder->header(segment, first)));
  int64_t pts = begin;
  for (size_t i = 0; i < of.size(); i++) {
    RETURN_IF_ERROR(
        encoder->send(NoisyPicture(video.format, uint32_t(first) + uint32_t(i)).view, pts, of[i], *writer));
    pts += of[i];
  }
  RETURN_IF_ERROR(encoder->flush(*writer));
  RETURN_IF_ERROR(writer->finish(""));
  ASSIGN_OR_RETURN(const auto reader, SegmentReader::open(location));
  return reader->packets();
}

class TimesOfEncoder : public testing::TestWithParam<const char*> {};

TEST_P(TimesOfEncoder, KeepsTheTimesOfItsPictures) {
  const TestFolder folder;
  const std::vector<int64_t> of = mixed_durations(90, 5);
  auto packets = encode_varying({.encoder = GetParam(), .duration_weight = 0.25}, varying_video(), of,
                                {.name = folder.path("segment")}, 0, 0, -1000);
  ASSERT_THAT(packets, IsOk());
  ASSERT_EQ(packets->size(), of.size());
  std::ranges::sort(*packets, {}, &SegmentPacket::pts);
  int64_t pts = -1000;
  for (size_t i = 0; i < of.size(); i++) {
    EXPECT_EQ((*packets)[i].pts, pts);
    EXPECT_EQ((*packets)[i].duration, of[i]);
    pts += of[i];
  }
}

INSTANTIATE_TEST_SUITE_P(Encoders, TimesOfEncoder,
                         testing::Values("x264", "x265", "svt-av1", "ffv1", "raw", "null"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::erase(name, '-');
                           return name;
                         });

int64_t bytes_of(const std::vector<SegmentPacket>& packets, int64_t begin, int64_t end) {
  int64_t bytes = 0;
  for (const SegmentPacket& packet : packets)
    if (packet.pts >= begin && packet.pts < end) bytes += int64_t(packet.bytes);
  return bytes;
}

// 96 short pictures, and 96 that are twice as long. The long ones get a larger share of the bits
// than the same pictures have among pictures of equal duration.
struct Halves {
  double share(const std::vector<SegmentPacket>& packets) const {
    return double(bytes_of(packets, middle, end)) / double(bytes_of(packets, 0, middle));
  }
  std::vector<int64_t> of;
  int64_t middle = 0, end = 0;
};
constexpr size_t kHalf = 96;
Halves halves(int64_t first, int64_t second) {
  Halves result;
  result.of.assign(kHalf, first);
  result.of.resize(2 * kHalf, second);
  result.middle = int64_t(kHalf) * first;
  result.end = result.middle + int64_t(kHalf) * second;
  return result;
}

TEST(DurationWeightTest, X264WeighsTheDurationsThatItIsGiven) {
  const TestFolder folder;
  OutputVideo video = varying_video();
  const Halves equal = halves(2, 2), longer = halves(2, 4);
  const EncoderSettings settings{.encoder = "x264", .options = {{"crf", "24"}}};
  const auto plain = encode_varying(settings, video, equal.of, {.name = folder.path("equal")});
  const auto weighed = encode_varying(settings, video, longer.of, {.name = folder.path("longer")});
  ASSERT_THAT(plain, IsOk());
  ASSERT_THAT(weighed, IsOk());
  EXPECT_GT(longer.share(*weighed), 1.15 * equal.share(*plain));
}

// With an average bit rate, four times the duration of some pictures gives the file more bits. A
// rate control that counts pictures would give it the same.
TEST(DurationWeightTest, X264CountsTheTimeForABitRate) {
  const TestFolder folder;
  const Halves equal = halves(2, 2), longer = halves(2, 8);
  const EncoderSettings settings{.encoder = "x264", .options = {{"b", "300000"}}};
  const auto total = [&](const Halves& input, const char* name) {
    const auto packets = encode_varying(settings, varying_video(), input.of, {.name = folder.path(name)});
    EXPECT_THAT(packets, IsOk());
    return double(bytes_of(*packets, 0, input.end));
  };
  EXPECT_GT(total(longer, "longer"), 1.4 * total(equal, "equal"));
}

// Rounded times, as in Matroska, are regular to the encoder: it writes the same bytes.
TEST(DurationWeightTest, RoundedTimesChangeNothing) {
  const TestFolder folder;
  OutputVideo exact = varying_video(), rounded = varying_video();
  exact.least_duration = rounded.least_duration = 0;
  exact.time_base = {1001, 30000};
  rounded.time_base = {1, 1000};
  std::vector<int64_t> of;
  for (int64_t i = 0; i < 60; i++) of.push_back((i + 1) * 1001 / 30 - i * 1001 / 30);
  const EncoderSettings settings{.encoder = "x264"};
  const auto a = encode_varying(settings, exact, std::vector<int64_t>(60, 1), {.name = folder.path("exact")});
  const auto b = encode_varying(settings, rounded, of, {.name = folder.path("rounded")}, 0, 0, 77);
  ASSERT_THAT(a, IsOk());
  ASSERT_THAT(b, IsOk());
  for (size_t i = 0; i < a->size(); i++) ASSERT_EQ((*a)[i].bytes, (*b)[i].bytes) << i;
}

// The judge is a zone of x265 itself with the factor of the formula: (2 - 1) * 0.25 + 1.
TEST(DurationWeightTest, X265GivesLongPicturesTheBitsOfAZone) {
  const TestFolder folder;
  const Halves equal = halves(2, 2), longer = halves(2, 4);
  const auto share = [&](const Halves& input, double weight, const std::string& more, const char* name) {
    EncoderSettings settings{.encoder = "x265", .options = {{"crf", "26"}}, .duration_weight = weight};
    if (!more.empty()) settings.options.emplace_back("x265-params", more);
    const auto packets = encode_varying(settings, varying_video(), input.of, {.name = folder.path(name)});
    EXPECT_THAT(packets, IsOk());
    return input.share(*packets);
  };
  const double plain = share(equal, 0.25, "", "equal");
  const double unweighed = share(longer, 0, "", "unweighed");
  const double weighed = share(longer, 0.25, "", "weighed");
  const double zone = share(longer, 0, fmt::format("zones={},{},b=1.25", kHalf, 2 * kHalf - 1), "zone");
  EXPECT_NEAR(unweighed / plain, 1, 0.01) << "x265 counts frames";
  EXPECT_GT(weighed / plain, 1.1);
  EXPECT_NEAR(weighed / zone, 1, 0.08) << weighed << " and " << zone;
}

// Returns the least fullness of the decoder's buffer of 200 kbit, which receives 400 kbit a second
// of the pictures' true times. Sections of 60 pictures a second follow sections of 24.
double least_fullness(const char* encoder, bool knows_durations, const TestFolder& folder) {
  constexpr double kBitRate = 400e3, kBuffer = 200e3;
  constexpr size_t kPictures = 120, kSegments = 3;
  OutputVideo video = varying_video();
  if (!knows_durations) video.least_duration = 0;
  std::vector<int64_t> of(kPictures, 2);
  std::fill_n(of.begin(), kPictures / 2, 5);
  const double seconds = double(std::accumulate(of.begin(), of.end(), int64_t{0})) * kHalfField.value();
  video.frame_rate = {int(double(kPictures) / seconds * 1000), 1000};
  const EncoderSettings settings{
      .encoder = encoder,
      .options = {{"crf", "8"}, {"maxrate", "400k"}, {"bufsize", "200k"}, {"preset", "veryfast"}},
      .segment_seconds = seconds};
  double fullness = kBuffer / 3, least = fullness;
  for (size_t segment = 0; segment < kSegments; segment++) {
    auto packets =
        encode_varying(settings, video, of, {.name = folder.path("limited")}, int64_t(segment * kPictures));
    EXPECT_THAT(packets, IsOk());
    // taken in the order of decoding, at the intervals of the pictures
    for (size_t i = 0; i < packets->size(); i++) {
      fullness -= 8 * double((*packets)[i].bytes);
      least = std::min(least, fullness);
      fullness = std::min(fullness + kBitRate * double(of[i]) * kHalfField.value(), kBuffer);
    }
  }
  return least;
}

TEST(DurationWeightTest, TheDecodersBufferHoldsByTime) {
  const TestFolder folder;
  EXPECT_GE(least_fullness("x264", true, folder), 0);
  EXPECT_GE(least_fullness("x265", true, folder), 0);
  EXPECT_LT(least_fullness("x265", false, folder), 0) << "the pictures need the reduced rate";
}

// Segments of long timelines: real packets of a few pictures, repeated at other times.
class LongTimeline : public testing::Test {
 protected:
  void SetUp() override {
    const auto packets =
        encode_varying({.encoder = "x264", .options = {{"preset", "ultrafast"}, {"bf", "2"}}},
                       varying_video(), std::vector<int64_t>(kSegment, 2), {.name = folder_.path("sample")});
    ASSERT_THAT(packets, IsOk());
    const auto reader = SegmentReader::open({.name = folder_.path("sample")});
    ASSERT_THAT(reader, IsOk());
    header_ = (*reader)->header();
    for (size_t i = 0; i < packets->size(); i++) {
      order_.push_back(size_t((*packets)[i].pts / 2));
      keys_.push_back((*packets)[i].key);
      ASSERT_THAT((*reader)->read(i, data_.emplace_back()), IsOk());
    }
    int64_t time = 0;
    while (time < kSeconds * 120) {
      const auto more = mixed_durations(kSegment, uint32_t(times_.size()));
      for (const int64_t duration : more) {
        times_.push_back(time);
        time += duration;
      }
    }
    end_ = time;
    for (size_t begin = 0; begin < times_.size(); begin += kSegment)
      ASSERT_THAT(write_segment(begin), IsOk());
  }

  int64_t duration_of(size_t picture) const {
    return (picture + 1 < times_.size() ? times_[picture + 1] : end_) - times_[picture];
  }
  Status write_segment(size_t begin) {
    SegmentHeader header = header_;
    header.segment = int64_t(segments_.size());
    header.first_frame = int64_t(begin);
    segments_.push_back({.name = folder_.path(fmt::format("s{}", segments_.size()))});
    ASSIGN_OR_RETURN(const auto writer, SegmentWriter::create(segments_.back(), header));
    for (size_t i = 0; i < order_.size(); i++) {
      const size_t picture = begin + order_[i];
      RETURN_IF_ERROR(writer->add({times_[picture], duration_of(picture), keys_[i], 0}, data_[i]));
    }
    return writer->finish("");
  }
  std::string finished(const std::string& input, const std::string& name) {
    const std::string output = folder_.path(name);
    EXPECT_THAT(finish_file(input, segments_, output, int64_t(times_.size())), IsOk());
    return output;
  }

  static constexpr int64_t kSeconds = 7200;
  static constexpr size_t kSegment = 600;
  TestFolder folder_;
  SegmentHeader header_;
  std::vector<size_t> order_;
  std::vector<bool> keys_;
  std::vector<std::vector<uint8_t>> data_;
  std::vector<int64_t> times_;
  int64_t end_ = 0;
  std::vector<FileLocation> segments_;
};

std::vector<int64_t> numbers(const std::vector<std::string>& lines) {
  std::vector<int64_t> result;
  for (const std::string& line : lines)
    if (!line.empty() && line[0] != 'N') result.push_back(std::stoll(line));
  return result;
}

// Returns the times of a stream's packets in their order, in the units of the stream.
std::vector<int64_t> packet_times(const std::string& path, const std::string& stream) {
  std::vector<int64_t> times =
      numbers(ffprobe(path, fmt::format("-select_streams {} -show_entries packet=pts", stream)));
  std::ranges::sort(times);
  return times;
}

// Expects that each time is the exact one in `units` of a second, to half a unit; 0: exactly.
void expect_times(const std::vector<int64_t>& actual, const std::vector<int64_t>& times, int64_t units) {
  ASSERT_EQ(actual.size(), times.size());
  for (size_t i = 0; i < times.size(); i++) {
    // the error in parts of 1/120000 of a unit
    const int64_t error = (actual[i] - actual[0]) * 120000 - times[i] * 1001 * units;
    ASSERT_LE(std::abs(error), units == 120000 ? 0 : 60000) << "picture " << i;
  }
}

// Two hours of pictures of 24, 30 and 60 a second, with sound, subtitles and chapters.
TEST_F(LongTimeline, TimesAreExactAndSoundStaysInPlace) {
  write_file(folder_.path("chapters.txt"),
             ";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=7100123\n[CHAPTER]\nTIMEBASE=1/"
             "1000\nSTART=7100123\nEND=7200000\n");
  write_file(folder_.path("subtitles.srt"), "1\n01:58:59,123 --> 01:59:01,456\nlate\n\n");
  const std::string input = make_clip(
      folder_, "in.mkv",
      fmt::format(
          "-f lavfi -i testsrc2=size=64x48:rate=1:duration=2 -f lavfi -i "
          "anullsrc=sample_rate=8000:channel_layout=mono:duration={} -i {} -i {} -map_metadata 3 -map 0:v "
          "-map 1:a -map 2:s -c:v ffv1 -c:a aac -b:a 16k -c:s srt",
          kSeconds, folder_.path("subtitles.srt"), folder_.path("chapters.txt")));
  const std::vector<int64_t> sound = packet_times(input, "a:0");
  ASSERT_GT(sound.size(), 50000u);

  const std::string mp4 = finished(input, "out.mp4");
  EXPECT_EQ(ffprobe(mp4, "-select_streams v:0 -show_entries stream=time_base").at(0), "1/120000");
  ASSERT_NO_FATAL_FAILURE(expect_times(packet_times(mp4, "v:0"), times_, 120000));
  const std::vector<int64_t> lasting =
      numbers(ffprobe(mp4, "-select_streams v:0 -show_entries stream=duration_ts"));
  ASSERT_EQ(lasting.size(), 1u);
  EXPECT_EQ(lasting[0], end_ * 1001) << "with the duration of the last picture";

  const std::string mkv = finished(input, "out.mkv");
  ASSERT_NO_FATAL_FAILURE(expect_times(packet_times(mkv, "v:0"), times_, 1000));
  EXPECT_EQ(packet_times(mkv, "a:0"), sound);
  EXPECT_THAT(ffprobe(mkv, "-show_chapters -show_entries chapter=start_time,end_time"),
              testing::Contains(testing::StartsWith("7100.123000,7200.0")));
  constexpr const char* kSubtitles = "-select_streams s:0 -show_entries packet=pts_time,duration_time";
  EXPECT_EQ(ffprobe(mkv, kSubtitles), ffprobe(input, kSubtitles));
  // Matroska's DefaultDuration would state one duration for all pictures.
  constexpr const char* kDefaultDuration = "\x23\xE3\x83";
  EXPECT_EQ(read_file(mkv).substr(0, 4096).find(kDefaultDuration), std::string::npos);
  EXPECT_NE(read_file(input).substr(0, 4096).find(kDefaultDuration), std::string::npos)
      << "a file of a constant rate declares it";

  const std::string ts = finished(input, "out.ts");
  ASSERT_NO_FATAL_FAILURE(expect_times(packet_times(ts, "v:0"), times_, 90000));
  for (const std::string& output : {mp4, ts}) {
    // within a millisecond of the source, whatever unit the container has
    const int64_t unit = output == ts ? 90 : 8;  // units in a millisecond
    const std::vector<int64_t> moved = packet_times(output, "a:0");
    ASSERT_EQ(moved.size(), sound.size()) << output;
    for (size_t i = 0; i < sound.size(); i++)
      ASSERT_LE(std::abs((moved[i] - moved[0]) - (sound[i] - sound[0]) * unit), unit)
          << output << ", packet " << i;
  }
}

}  // namespace
}  // namespace weft::media
