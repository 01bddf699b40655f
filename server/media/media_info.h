// SPDX-License-Identifier: Apache-2.0
// Describes a media file and its streams as plain data. probe() determines the properties; writers
// of files use them.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/quantisers.h"
#include "base/video_format.h"

namespace weft::media {

// Latest time in a file, before or after 0 (68 years). Files with later times are refused, so that
// a time has at most 62 bits in every unit of a file and of a chain of filters.
inline constexpr std::chrono::seconds kLatestTime{std::numeric_limits<int32_t>::max()};
// Longest duration of one frame or audio packet (194 days).
inline constexpr std::chrono::seconds kLongestDuration{1 << 24};

// A fraction. `den` is never 0. An unknown ratio is 0/1.
struct Ratio {
  int num = 0;
  int den = 1;
  bool operator==(const Ratio&) const = default;
  bool known() const { return num != 0; }
  double value() const { return double(num) / den; }
};

// Colour properties, as the numbers of ITU-T H.273; 2 is "unspecified".
struct Colour {
  int primaries = 2;
  int transfer = 2;
  int matrix = 2;
  enum class Range { kUnspecified, kLimited, kFull } range = Range::kUnspecified;
  // Chroma siting: FFmpeg's AVChromaLocation (0 unspecified, 1 left, 2 centre, 3 top left ...).
  int chroma_location = 0;
  bool operator==(const Colour&) const = default;
};

// Static HDR metadata: the display on which the video was graded (SMPTE ST 2086), and the light
// levels of the content (CTA-861.3).
struct Hdr10 {
  bool has_display_colours = false;
  std::array<Ratio, 8> chromaticities{};  // x and y (CIE 1931) of red, green, blue, white
  bool has_display_light = false;
  Ratio darkest{};  // luminance of black, cd/m2
  Ratio brightest{};
  int brightest_pixel = 0;  // MaxCLL, cd/m2; 0 if unknown
  int brightest_frame = 0;  // MaxFALL, the highest average of a frame, cd/m2; 0 if unknown
  bool operator==(const Hdr10&) const = default;

  bool has_display() const { return has_display_colours || has_display_light; }
  bool has_light() const { return brightest_pixel != 0 || brightest_frame != 0; }
  bool known() const { return has_display() || has_light(); }
};

constexpr bool is_interlaced(ScanOrder order) {
  return order == ScanOrder::kTopFirst || order == ScanOrder::kBottomFirst;
}

// Names a property of the frames other than their samples: "rotation by 90 degrees clockwise
// (display matrix)".
struct SideData {
  int kind = 0;  // FFmpeg's AVPacketSideDataType
  std::string name{};
  bool in_container = true;  // the container holds it; else only the coded stream
};

// Describes the output of the video stream's decoder.
struct VideoInfo {
  int stream = 0;       // index of the stream in the file
  std::string codec{};  // "mpeg2video"
  // scale of the quantisers that the CPU's decoder exports (SourceOptions::quantisers)
  QuantiserScale quantisers = QuantiserScale::kNone;
  VideoFormat format{};        // format of the frames that VideoSource returns
  std::string pixel_format{};  // FFmpeg's name of the stored format: "yuv420p10le", "nv12"
  bool repacked = false;       // the stored layout differs from `format`; the samples are the same
  bool alpha = false;          // has alpha, which VideoSource drops
  ScanOrder field_order = ScanOrder::kUnknown;
  bool woven = false;           // stored as single fields; VideoSource weaves two into a frame
  bool repeats_fields = false;  // sampled pictures have flags for repeated fields (soft telecine)
  Ratio sample_aspect_ratio{};
  Colour colour{};
  Hdr10 hdr10{};  // HDR metadata of the first frame
  std::vector<SideData> side_data{};
  Ratio frame_rate{};  // average number of frames (not fields) per second
  Ratio time_base{};   // unit of pts, seconds
  int64_t frames = 0;  // number of frames; 0 if unknown
  // `frames` is from the container's index; else estimated from duration and rate
  bool frames_exact = false;
};

enum class StreamKind { kVideo, kAudio, kSubtitle, kAttachment, kData };

// Describes a stream other than the video, which is copied or left out.
struct StreamInfo {
  int stream = 0;
  StreamKind kind = StreamKind::kData;
  std::string codec{};
  std::string language{};           // empty if unknown
  std::string title{};              // empty if unknown
  int flags = 0;                    // FFmpeg's AV_DISPOSITION_ flags
  std::vector<std::string> tags{};  // keys of all tags
  bool picture = false;             // is a cover picture
  // other program of the transport stream that holds this stream, "2 (News, 720x576)"; empty: the
  // program of the video
  std::string other_programme{};
  // an audio stream of unknown rate and channels: no packet with them was found
  bool no_format = false;
  bool late = false;  // begins after the examined start of the file
  // number of packets, of a late stream and of a stream with no_format; -1: not counted
  int64_t packets = -1;
  Duration begin{0};      // time from the file's start to a late stream's begin
  bool timecode = false;  // a timecode track that repeats the timecode tag of the video
};

struct MediaInfo {
  std::string container{};  // FFmpeg's name of the container: "mpegts", "matroska,webm"
  int64_t bytes = 0;
  Duration duration{0};  // 0 if unknown
  Duration start{0};     // time in the file that players show as 0
  VideoInfo video{};
  std::vector<StreamInfo> others{};
  StreamInfo video_words{};         // tags of the video stream: title, language, flags
  std::vector<std::string> tags{};  // keys of the file's tags
  int chapters = 0;
  std::string timecode{};         // timecode of the first frame, "10:00:00:20"; empty: none
  bool may_gain_streams = false;  // the container can declare more streams after its start

  int count(StreamKind kind) const {
    return int(std::ranges::count(others, kind, &StreamInfo::kind)) + (kind == StreamKind::kVideo);
  }
};

}  // namespace weft::media
