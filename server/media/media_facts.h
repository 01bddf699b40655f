// SPDX-License-Identifier: Apache-2.0
// What is known of a media file and its streams, as plain data. probe() finds it; who writes a file goes by it.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/video_format.h"

namespace weft::media {

// Files whose times are further from 0 are refused (68 years; a POSIX time of the year 2038): in every unit that a file and a chain
// of filters may have, a time has at most 62 bits.
inline constexpr std::chrono::seconds kLatestTime{std::numeric_limits<int32_t>::max()};
// No picture or sound is shown for longer (194 days).
inline constexpr std::chrono::seconds kLongestDuration{1 << 24};

// `den` is never 0. An unknown ratio is 0/1.
struct Ratio {
  int num = 0;
  int den = 1;
  bool operator==(const Ratio&) const = default;
  bool known() const { return num != 0; }
  double value() const { return double(num) / den; }
};

// The numbers of ITU-T H.273; 2 is "unspecified".
struct Colour {
  int primaries = 2;
  int transfer = 2;
  int matrix = 2;
  enum class Range { kUnspecified, kLimited, kFull } range = Range::kUnspecified;
  // Where chroma samples lie: FFmpeg's AVChromaLocation (0 unspecified, 1 left, 2 centre, 3 top left ...).
  int chroma_location = 0;
  bool operator==(const Colour&) const = default;
};

// Static HDR metadata: the display that the video was made on (SMPTE ST 2086), and how bright it gets (CTA-861.3).
struct Hdr10 {
  bool has_display_colours = false;
  std::array<Ratio, 8> chromaticities{};  // x and y (CIE 1931) of red, green, blue, white
  bool has_display_light = false;
  Ratio darkest{};  // cd/m2
  Ratio brightest{};
  int brightest_pixel = 0;  // MaxCLL, cd/m2; 0 unknown
  int brightest_frame = 0;  // MaxFALL, the average of a frame
  bool operator==(const Hdr10&) const = default;

  bool has_display() const { return has_display_colours || has_display_light; }
  bool has_light() const { return brightest_pixel != 0 || brightest_frame != 0; }
  bool known() const { return has_display() || has_light(); }
};

constexpr bool is_interlaced(ScanOrder order) {
  return order == ScanOrder::kTopFirst || order == ScanOrder::kBottomFirst;
}

// A fact of the pictures apart from their samples: "rotation by 90 degrees clockwise (display matrix)".
struct SideData {
  int kind = 0;  // FFmpeg's AVPacketSideDataType
  std::string name{};
  bool in_container = true;  // else only the stream's frames say it
};

// What the decoder of the video stream gives.
struct VideoFacts {
  int stream = 0;              // index in the file
  std::string codec{};         // "mpeg2video"
  VideoFormat format{};        // of the frames that VideoSource gives
  std::string pixel_format{};  // FFmpeg's name of what is stored: "yuv420p10le", "nv12"
  bool repacked = false;       // stored otherwise than VideoSource gives it; no sample changes
  bool alpha = false;          // stored beside them; VideoSource leaves it out
  ScanOrder field_order = ScanOrder::kUnknown;
  bool woven = false;  // stored as single fields; VideoSource weaves two to a frame
  Ratio sample_aspect_ratio{};
  Colour colour{};
  Hdr10 hdr10{};  // of the first frame
  std::vector<SideData> side_data{};
  Ratio frame_rate{};         // frames a second, not fields; average
  Ratio time_base{};          // seconds: what pts count
  int64_t frames = 0;         // 0: unknown
  bool frames_exact = false;  // from the container's index; else estimated from duration and rate
};

enum class StreamKind { kVideo, kAudio, kSubtitle, kAttachment, kData };

// One of the streams that are copied beside the video, or left out.
struct StreamFacts {
  int stream = 0;
  StreamKind kind = StreamKind::kData;
  std::string codec{};
  std::string language{};           // "" if not told
  std::string title{};              // likewise
  int flags = 0;                    // FFmpeg's AV_DISPOSITION_
  std::vector<std::string> tags{};  // keys of all of them
  bool picture = false;             // a cover picture
  std::string other_programme{};  // of the transport stream, where it is not the video's: "2 (News, 720x576)"
  bool no_format = false;         // sound, and no packet was found that tells rate and channels
  bool late = false;              // begins behind the start of the file that is examined
  int64_t packets = -1;           // of a late stream, and of one with no_format; -1: not counted
  Duration begin{0};              // of a late stream, from the file's start on
  bool timecode = false;          // a timecode track whose start is a tag of the video too
};

struct MediaFacts {
  std::string container{};  // FFmpeg's name: "mpegts", "matroska,webm"
  int64_t bytes = 0;
  Duration duration{0};  // 0: unknown
  Duration start{0};     // the time in the file that players show as 0
  VideoFacts video{};
  std::vector<StreamFacts> others{};
  StreamFacts video_words{};        // of the video's stream: title, language, flags, tags
  std::vector<std::string> tags{};  // the file's, their keys
  int chapters = 0;
  std::string timecode{};         // of the first frame, "10:00:00:20"; "": none
  bool may_gain_streams = false;  // the container says which streams it has as it goes on

  int count(StreamKind kind) const {
    return int(std::ranges::count(others, kind, &StreamFacts::kind)) + (kind == StreamKind::kVideo);
  }
};

}  // namespace weft::media
