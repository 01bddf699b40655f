// SPDX-License-Identifier: Apache-2.0
#include "server/media/write/encoder_pass.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "server/media/write/encoder_table.h"
#include "server/media/write/video_encoder.h"

namespace weft::media {

namespace {

// Returns the bytes of a parameter set without those that prevent start codes (3 after two zeros).
std::string without_prevention(std::string_view bytes) {
  std::string plain;
  int zeros = 0;
  for (const char byte : bytes) {
    const bool prevents = zeros >= 2 && byte == 3;
    zeros = byte == 0 ? zeros + 1 : 0;
    if (!prevents) plain += byte;
  }
  return plain;
}

// Returns the level in the first parameter set: the fourth byte of H.264's SPS, or the eighteenth
// of HEVC's VPS in thirtieths (ITU-T H.264, 7.3.2.1; H.265, 7.3.2.1 and 7.3.3).
StatusOr<int> level_of(const SegmentHeader& header) {
  const std::string_view bytes(reinterpret_cast<const char*>(header.extradata.data()),
                               header.extradata.size());
  constexpr std::string_view kStartCode("\0\0\1", 3);
  const size_t start = bytes.find(kStartCode);
  const std::string set =
      start == std::string_view::npos ? "" : without_prevention(bytes.substr(start + kStartCode.size(), 32));
  const size_t at = header.codec == "hevc" ? 17 : 3;
  if (set.size() <= at) return internal_error("The encoder {} gives no parameter sets.", header.encoder);
  const int level = uint8_t(set[at]);
  // general_level_idc is thirty times the level, and the option ten times.
  constexpr int kHevcScale = 3;
  return header.codec == "hevc" ? level / kHevcScale : level;
}

}  // namespace

// x264's quantiser doubles every 6 units, and so halves the bits approximately. Crf 23 gives about
// 0.08 bits a pixel for the clips in docs/quality.md; the result only has to be near.
double first_pass_crf(int64_t rate, const OutputVideo& video) {
  constexpr double kCrf = 23, kBitsAPixel = 0.08, kDoubling = 6;
  const double pixels = double(video.format.width) * video.format.height * video.encoder_rate().value();
  return allowed_first_pass_crf(kCrf - kDoubling * std::log2(double(rate) / pixels / kBitsAPixel));
}

double allowed_first_pass_crf(double crf) {
  constexpr double kLeast = 10, kMost = 40;
  return std::clamp(std::round(crf), kLeast, kMost);
}

StatusOr<int> common_level(const EncoderSettings& settings, const OutputVideo& video, int64_t rate) {
  EncoderSettings highest = settings;
  highest.pass = {};
  std::erase_if(highest.options, [](const auto& option) { return option.first == "b"; });
  highest.options.emplace_back("b", std::to_string(rate));
  ASSIGN_OR_RETURN(const SegmentHeader header, encoder_header(highest, video));
  return level_of(header);
}

Status check_two_passes(std::string_view encoder) {
  ASSIGN_OR_RETURN(const EncoderEntry* entry, find_encoder(encoder));
  if (!entry->tree_suffix.empty()) return ok_status();
  std::string names;
  for (const EncoderEntry& other : encoder_table())
    if (!other.tree_suffix.empty()) names += fmt::format("{}{}", names.empty() ? "" : " or ", other.name);
  return invalid_argument("The encoder {} makes one pass, and two are wanted; use {}, or leave --passes out.",
                          entry->name, names);
}

// A frame has a line of about 200 bytes, and 2 bytes for each block of 16x16 pixels.
int64_t estimate_statistics(const OutputVideo& video, int64_t frames) {
  constexpr int64_t kLineBytes = 256, kPixelsAByte = 128;
  return frames * (kLineBytes + int64_t(video.format.width) * video.format.height / kPixelsAByte);
}

}  // namespace weft::media
