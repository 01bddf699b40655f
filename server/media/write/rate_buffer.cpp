// SPDX-License-Identifier: Apache-2.0
#include "server/media/write/rate_buffer.h"

#include <algorithm>
#include <cmath>

#include "server/media/ffmpeg.h"
#include "server/media/write/encoder_table.h"

namespace weft::media {

namespace {

constexpr int kFramesOfStart = 2;  // least frames of the mean size in F

// Returns the value of an option of FFmpeg's in bits ("4000k"), or 0 if it is absent.
StatusOr<int64_t> option_bits(const EncoderEntry& entry, const char* key, const Dictionary& options) {
  const char* const text = options.find(key);
  if (text == nullptr) return 0;
  const CodecPtr context(avcodec_alloc_context3(nullptr));
  int64_t bits = 0;
  const LogScope log;
  if (!context || av_opt_set(context.get(), key, text, 0) < 0 ||
      av_opt_get_int(context.get(), key, 0, &bits) < 0 || bits <= 0)
    return invalid_argument("The encoder option {} ({}) of {} is no number of bits from 1 on, such as 4000k.",
                            key, text, entry.name);
  return bits;
}

// Returns the shortest duration of a frame in relation to that at the nominal rate, at most 1. In
// the clock of an encoder that counts frames, the decoder's buffer receives fewer bits for such a
// frame.
double fastest_share(const OutputVideo& video) {
  if (video.least_duration == 0) return 1;
  const double seconds = double(video.least_duration) * video.time_base.value();
  return std::min(seconds * video.encoder_rate().value(), 1.0);
}

StatusOr<std::optional<RateBuffer>> find_rate_buffer(const EncoderEntry& entry,
                                                     const EncoderSettings& settings,
                                                     const OutputVideo& video, const Dictionary& options) {
  if (!entry.has_rate_buffer) return std::optional<RateBuffer>();
  ASSIGN_OR_RETURN(const int64_t rate, option_bits(entry, "maxrate", options));
  ASSIGN_OR_RETURN(const int64_t size, option_bits(entry, "bufsize", options));
  if (rate == 0 && size == 0) return std::optional<RateBuffer>();
  if (rate == 0 || size == 0)
    return invalid_argument("The encoder {} needs maxrate and bufsize together ({} is missing); give both.",
                            entry.name, rate == 0 ? "maxrate" : "bufsize");
  ASSIGN_OR_RETURN(RateBuffer buffer,
                   segment_buffer(rate, size, settings.segment_seconds, video.encoder_rate()));
  if (!entry.reads_times) buffer.rate = int64_t(double(buffer.rate) * fastest_share(video));
  buffer.reduction = rate - buffer.rate;
  return std::optional(buffer);
}

}  // namespace

StatusOr<RateBuffer> segment_buffer(int64_t rate, int64_t size, double segment_seconds, Ratio frame_rate) {
  const double frame_bits = double(rate) / frame_rate.value();
  const double least = kFramesOfStart * frame_bits;
  if (double(size) < kStartOfBuffer * least)
    return invalid_argument(
        "The buffer (bufsize, {} bits) is too small for the rate (maxrate, {} bits a second): a third of it "
        "must hold {} frames of the mean size; give at least {} bits.",
        size, rate, kFramesOfStart, std::ceil(kStartOfBuffer * least));
  double start = double(size) / kStartOfBuffer;
  if (segment_seconds > 0) {
    const double most = double(rate) * segment_seconds / kReductionOfRate;
    if (most < least)
      return invalid_argument(
          "The segments are too short for maxrate and bufsize ({:.3g} s, at least {:.3g} s); use "
          "--segment-frames to lengthen them.",
          segment_seconds, kFramesOfStart * kReductionOfRate / frame_rate.value());
    start = std::min(start, most);
  }
  RateBuffer buffer;
  buffer.start = int64_t(start);
  buffer.size = size - buffer.start;
  buffer.reduction = segment_seconds > 0 ? int64_t(std::ceil(start / segment_seconds)) : 0;
  buffer.rate = rate - buffer.reduction;
  return buffer;
}

StatusOr<std::optional<RateBuffer>> rate_buffer_of(const EncoderSettings& settings,
                                                   const OutputVideo& video) {
  ASSIGN_OR_RETURN(const EncoderEntry* entry, find_encoder(settings.encoder));
  Dictionary options;
  RETURN_IF_ERROR(collect_options(*entry, settings, video.hdr10, options));
  return find_rate_buffer(*entry, settings, video, options);
}

std::string rate_buffer_note(const RateBuffer& buffer) {
  constexpr int64_t kConsiderable = 50;  // a fiftieth of the rate
  if (buffer.reduction * kConsiderable < buffer.rate) return "";
  return fmt::format(
      "Each segment has at most {} kbit/s, {} less than maxrate, so that the buffer holds over the whole "
      "file; "
      "longer segments (--segment-frames) reduce the difference.",
      buffer.rate / 1000, buffer.reduction / 1000);
}

Status set_rate_buffer(const EncoderEntry& entry, const EncoderSettings& settings, const OutputVideo& video,
                       Dictionary& options) {
  ASSIGN_OR_RETURN(const auto buffer, find_rate_buffer(entry, settings, video, options));
  if (!buffer) return ok_status();
  // Both libraries predict the sizes of frames by the progress of others that are encoded at the
  // same time: the bytes would differ from run to run. Parallel rows of x265 3.5 exceed the buffer
  // too.
  if (entry.codec == AV_CODEC_ID_HEVC) set_library_option(entry, "wpp", "0", options);
  set_library_option(entry, entry.codec == AV_CODEC_ID_HEVC ? "frame-threads" : "threads", "1", options);
  options.set("maxrate", std::to_string(buffer->rate));
  options.set("bufsize", std::to_string(buffer->size));
  set_library_option(entry, "vbv-init", fmt::format("{:.4f}", double(buffer->start) / double(buffer->size)),
                     options);
  return ok_status();
}

}  // namespace weft::media
