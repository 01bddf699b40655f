// SPDX-License-Identifier: Apache-2.0
#include "server/media/write/common_options.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <initializer_list>

#include <fmt/ranges.h>

namespace weft::media {
namespace {

struct CrfRange {
  double minimum = 0, maximum = 0;  // crf; a maximum of 0 means that the encoder has no crf
  bool is_whole = false;
};

struct CommonOptions {
  std::string_view encoder;
  CrfRange crf{};
  bool has_bit_rate = false;
  std::vector<std::string_view> presets{};
  std::string_view remedy{};  // advice in the error for an option that the encoder does not have
};

constexpr std::string_view kLossless = "leave it out, or use the encoder x264, x265 or svt-av1";

// Ranges of FFmpeg 5.1, x264 164, x265 3.5, SVT-AV1 1.4. FFmpeg treats crf 0 of SVT-AV1 as not
// given.
const std::vector<CommonOptions>& common_options() {
  static const std::vector<std::string_view> named = {"ultrafast", "superfast", "veryfast", "faster",
                                                      "fast",      "medium",    "slow",     "slower",
                                                      "veryslow",  "placebo"};
  static const std::vector<std::string_view> numbers = {"0", "1", "2", "3",  "4",  "5",  "6",
                                                        "7", "8", "9", "10", "11", "12", "13"};
  static const std::vector<std::string_view> nvenc = {"p1", "p2", "p3",   "p4",     "p5",
                                                      "p6", "p7", "fast", "medium", "slow"};
  constexpr std::string_view kQuality = "use --bitrate, or --encoder-option cq=VALUE (1 to 51)";
  static const auto& table = *new std::vector<CommonOptions>{
      {"x264", {0, 51}, true, named, ""},
      {"x265", {0, 51}, true, named, ""},
      {"svt-av1", {1, 63, true}, true, numbers, ""},
      {"h264-nvenc", {}, true, nvenc, kQuality},
      {"hevc-nvenc", {}, true, nvenc, kQuality},
      {"ffv1", {}, false, {}, kLossless},
      {"raw", {}, false, {}, kLossless},
      {"null", {}, false, {}, kLossless},
  };
  return table;
}

std::string_view name_of(CommonOption option) {
  switch (option) {
    case CommonOption::kCrf:
      return "crf";
    case CommonOption::kBitRate:
      return "bit rate";
    case CommonOption::kPreset:
      break;
  }
  return "preset";
}

Status check_crf(const CommonOptions& encoder, std::string_view text) {
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  const CrfRange& range = encoder.crf;
  if (value < range.minimum || value > range.maximum)
    return invalid_argument("The crf ({}) is out of the range of {} ({} to {}); give one within it.", text,
                            encoder.encoder, range.minimum, range.maximum);
  if (range.is_whole && value != std::floor(value))
    return invalid_argument("The crf ({}) of {} is not a whole number; give one.", text, encoder.encoder);
  return ok_status();
}

Status check_preset(const CommonOptions& encoder, std::string_view text) {
  if (std::ranges::count(encoder.presets, text) > 0) return ok_status();
  return invalid_argument("The preset ({}) is unknown to {}; use one of {}.", text, encoder.encoder,
                          fmt::join(encoder.presets, ", "));
}

// Returns true if the option `key`, named by FFmpeg or by a library, sets the rate or the preset.
bool conflicts(CommonOption option, std::string_view key) {
  if (option == CommonOption::kPreset) return key == "preset";
  for (const std::string_view other : {"crf", "b", "b:v", "bitrate", "qp", "cqp", "tbr"})
    if (key == other) return true;
  return option == CommonOption::kCrf && key == "cq";
}

// Returns the first item of "key=value:key=value" that conflicts with the option, or an empty view.
std::string_view conflict_in(CommonOption option, std::string_view library_options) {
  while (!library_options.empty()) {
    const std::string_view item = library_options.substr(0, library_options.find(':'));
    const std::string_view key = item.substr(0, item.find('='));
    if (conflicts(option, key)) return item;
    library_options.remove_prefix(std::min(item.size() + 1, library_options.size()));
  }
  return "";
}

}  // namespace

std::string_view ffmpeg_key(CommonOption option) {
  return option == CommonOption::kBitRate ? "b" : name_of(option);
}

StatusOr<std::string> common_value(std::string_view encoder, CommonOption option, std::string_view text) {
  const auto& table = common_options();
  const auto found = std::ranges::find(table, encoder, &CommonOptions::encoder);
  if (found == table.end()) return invalid_argument("The encoder ({}) is unknown.", encoder);
  const bool has = option == CommonOption::kCrf       ? found->crf.maximum > 0
                   : option == CommonOption::kBitRate ? found->has_bit_rate
                                                      : !found->presets.empty();
  if (!has)
    return invalid_argument("The encoder {} has no {} ({}); {}.", encoder, name_of(option), text,
                            found->remedy);
  if (option == CommonOption::kCrf) RETURN_IF_ERROR(check_crf(*found, text));
  if (option == CommonOption::kPreset) RETURN_IF_ERROR(check_preset(*found, text));
  return option == CommonOption::kBitRate ? std::string(text) + "k" : std::string(text);
}

Status check_conflict(CommonOption option, std::string_view text,
                      const std::vector<std::pair<std::string, std::string>>& options) {
  for (const auto& [key, value] : options) {
    const bool for_library = key.ends_with("-params") || key == "x264opts";
    const std::string_view within = for_library ? conflict_in(option, value) : "";
    if (!within.empty() || conflicts(option, key))
      return invalid_argument("The {} ({}) and the option {}={} exclude each other; leave one of them out.",
                              name_of(option), text, key, within.empty() ? std::string_view(value) : within);
  }
  return ok_status();
}

}  // namespace weft::media
