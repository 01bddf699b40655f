// SPDX-License-Identifier: Apache-2.0
#include "server/worker/video/encoder_settings.h"

#include <algorithm>
#include <string>

#include "options/option.h"
#include "server/media/write/common_options.h"
#include "server/media/write/encoder_pass.h"
#include "server/media/write/output_check.h"
#include "server/worker/job/open_input.h"

namespace weft::worker {
namespace {

using media::CommonOption;

// Adds a common option under the name that FFmpeg uses for the encoder.
Status add(CommonOption option, const std::string& text, media::EncoderSettings& settings) {
  RETURN_IF_ERROR(media::check_conflict(option, text, settings.options));
  ASSIGN_OR_RETURN(std::string value, media::common_value(settings.encoder, option, text));
  settings.options.emplace_back(media::ffmpeg_key(option), std::move(value));
  return ok_status();
}

// Sets the bit rate of two passes.
Status add_passes(const v1::VideoEncoding& encoding, media::EncoderSettings& settings) {
  RETURN_IF_ERROR(media::check_two_passes(settings.encoder));
  if (!encoding.has_bitrate())
    return invalid_argument(
        "Two passes hold an average bit rate, and none is given; add --bitrate, or leave --passes out: a "
        "constant quality needs one pass.");
  constexpr int64_t kBits = 1000;  // of a kbit
  settings.pass.mean_rate = encoding.bitrate() * kBits;
  return ok_status();
}

}  // namespace

StatusOr<media::EncoderSettings> encoder_of(const v1::VideoEncoding& encoding, std::string_view output_name,
                                            std::string_view prefix) {
  media::EncoderSettings settings;
  const bool is_auto = encoding.encoder() <= v1::ENCODER_AUTO;  // includes unspecified
  settings.encoder = is_auto ? media::encoder_for(output_name) : options::choice_name(encoding.encoder());
  settings.threads =
      encoding.encoder_threads() > 0 ? encoding.encoder_threads() : media::default_encoder_threads();
  settings.duration_weight = encoding.duration_weight();
  for (const auto& [key, value] : encoding.encoder_options()) settings.options.emplace_back(key, value);
  const auto add_if = [&](bool is_given, const char* field, CommonOption option, const std::string& text) {
    const Status added = is_given ? add(option, text, settings) : ok_status();
    return added.ok() ? added : blame(fmt::format("{}.{}", prefix, field), added);
  };
  RETURN_IF_ERROR(add_if(encoding.has_crf(), "crf", CommonOption::kCrf, fmt::format("{}", encoding.crf())));
  RETURN_IF_ERROR(
      add_if(encoding.has_bitrate(), "bitrate", CommonOption::kBitRate, std::to_string(encoding.bitrate())));
  RETURN_IF_ERROR(add_if(!encoding.encoder_preset().empty(), "encoder_preset", CommonOption::kPreset,
                         encoding.encoder_preset()));
  if (encoding.passes() > 1) {
    const Status added = add_passes(encoding, settings);
    if (!added.ok()) return blame(fmt::format("{}.passes", prefix), added);
  }
  // the order of a Protobuf map is unspecified
  std::sort(settings.options.begin(), settings.options.end());
  return settings;
}

}  // namespace weft::worker
