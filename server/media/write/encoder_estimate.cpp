// SPDX-License-Identifier: Apache-2.0
// Estimates the size of an encoder's output and the encoder's memory.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>

#include "server/media/write/duration_bits.h"
#include "server/media/write/encoder_table.h"
#include "server/media/write/video_encoder.h"

namespace weft::media {

namespace {

// Returns bits per pixel that are rarely exceeded: good quality of noisy material.
double usual_bits_a_pixel(std::string_view encoder) {
  if (encoder == "svt-av1" || encoder == "x265" || encoder == "hevc-nvenc") return 0.3;
  return 0.5;
}

// Bits of an 8-bit sample in FFV1, as configured here (level 3, intra only, 16 slices). Measured in
// November 2026 on 12 frames each of six clips: 2.9 and 1.8 bits for an action camera, 2.5 and 2.6
// for moving photographs, 2.5 for an animation, 0.4 for a test pattern; 5.3 for the camera with
// noise added (ffmpeg's noise=alls=10). The value is the largest one without added noise, plus two
// fifths for noisier material. If the value is too low, the job waits for disk space and does not
// fail.
constexpr double kFfv1Bits = 4;
// depth of kFfv1Bits; each further bit is mostly noise and takes a bit
constexpr int kFfv1Depth = 8;

// Frames that an encoder buffers in its own format: a fixed number plus a number per thread.
// Measured in November 2026 with FFmpeg 5.1 at 1920x1080 and 3840x2160, 4:2:0 of 8 bits, with
// default presets: the difference of resident memory with and without an encoder. x264: 119 frames
// with 2 threads, 191 with 16; x265: 119 and SVT-AV1: 121 with 2 threads. FFV1 allocates a packet
// of 37 x 4 bytes per pixel in every format, but at most the range of an int.
struct EncoderMemory {
  double frames = 0, frames_a_thread = 0;
  double bytes_a_pixel = 0;
};
EncoderMemory memory_of(std::string_view encoder) {
  if (encoder == "x264") return {.frames = 110, .frames_a_thread = 5.2};
  if (encoder == "x265") return {.frames = 110, .frames_a_thread = 5.2};
  if (encoder == "svt-av1") return {.frames = 100, .frames_a_thread = 10};
  if (encoder == "ffv1") return {.frames = 4, .bytes_a_pixel = 148};
  if (encoder == "raw" || encoder == "null") return {.frames = 3};
  return {.frames = 16};  // on a GPU: frames in transfer
}

// Returns the additional frames of presets with longer lookahead and more references, and of a
// longer lookahead.
double more_frames(const EncoderSettings& settings) {
  constexpr double kUsualLookahead = 40, kLookaheadFrames = 2;
  double more = 0;
  for (const auto& [key, value] : settings.options) {
    if (key == "preset" && (value.starts_with("slow") || value == "veryslow" || value == "placebo"))
      more += 90;
    if (key == "rc-lookahead" || key == "lookahead")
      more += std::max(std::strtod(value.c_str(), nullptr) - kUsualLookahead, 0.0) * kLookaheadFrames;
  }
  return more;
}

// Returns the bit rate of the options ("4000k", "4M"), or 0 if none is set.
double bits_per_second(const EncoderSettings& settings) {
  for (const auto& [key, value] : settings.options) {
    if (key != "b" && key != "b:v") continue;
    char* end = nullptr;
    const double number = std::strtod(value.c_str(), &end);
    const double scale = *end == 'k' || *end == 'K' ? 1e3 : *end == 'M' ? 1e6 : *end == 'G' ? 1e9 : 1;
    return number * scale;
  }
  return 0;
}

}  // namespace

int64_t estimate_bytes(const EncoderSettings& settings, const OutputVideo& video, int64_t frames) {
  constexpr double kMargin = 1.2;
  constexpr int64_t kRowBytes = 64;  // largest size of a frame's entry in tables
  const auto entry = find_encoder(settings.encoder);
  const std::string_view encoder = entry.ok() ? (*entry)->name : std::string_view(settings.encoder);
  if (encoder == "null") return 0;
  const double raw = double(video.format.packed_bytes()) * double(frames);
  if (encoder == "raw") return int64_t(raw) + frames * kRowBytes;
  if (encoder == "ffv1") {
    const double bits = std::max(1.0, kFfv1Bits + video.format.bit_depth - kFfv1Depth);
    return int64_t(raw / video.format.sample_bytes() * bits / 8) + frames * kRowBytes;
  }
  const double rate = video.encoder_rate().value();
  const double by_rate = bits_per_second(settings) * double(frames) / rate / 8 * kMargin;
  const double pixels = double(video.format.width) * video.format.height * double(frames);
  const double by_size = pixels * usual_bits_a_pixel(encoder) / 8;
  return int64_t(std::ceil(by_rate > 0 ? by_rate : by_size)) + frames * kRowBytes;
}

int64_t estimate_encoder_memory(const EncoderSettings& settings, const OutputVideo& video) {
  constexpr double kMargin = 1.1;
  const auto entry = find_encoder(settings.encoder);
  const std::string_view encoder = entry.ok() ? (*entry)->name : std::string_view(settings.encoder);
  const EncoderMemory memory = memory_of(encoder);
  const int threads = settings.threads > 0 ? settings.threads : default_encoder_threads();
  const bool lookahead = memory.frames_a_thread > 0;
  const bool holds_block = entry.ok() && (*entry)->takes_offsets && settings.duration_weight > 0;
  const double frames = memory.frames + memory.frames_a_thread * threads +
                        (lookahead ? more_frames(settings) : 0) + (holds_block ? DurationBits::kBlock : 0);
  const double pixels = double(video.format.width) * video.format.height;
  return int64_t(kMargin * (frames * double(video.format.packed_bytes()) +
                            std::min(memory.bytes_a_pixel * pixels, 0x1p31)));
}

int encoder_sessions(const EncoderSettings& settings) {
  const auto entry = find_encoder(settings.encoder);
  return entry.ok() && (*entry)->on_gpu ? 1 : 0;
}

int encoder_processors(const EncoderSettings& settings) {
  const auto entry = find_encoder(settings.encoder);
  if (!entry.ok() || (*entry)->on_gpu || (*entry)->ffmpeg_name.empty()) return 0;
  return settings.threads > 0 ? settings.threads : default_encoder_threads();
}

}  // namespace weft::media
