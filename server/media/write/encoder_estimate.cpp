// SPDX-License-Identifier: Apache-2.0
// How much room an encoder's output needs, and how much memory the encoder.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>

#include "server/media/write/encoder_table.h"
#include "server/media/write/video_encoder.h"

namespace weft::media {

namespace {

// Bits a pixel that are rarely passed: what good quality takes of noisy material.
double usual_bits_a_pixel(std::string_view encoder) {
  if (encoder == "svt-av1" || encoder == "x265" || encoder == "hevc-nvenc") return 0.3;
  return 0.5;
}

// What FFV1 makes of a sample of 8 bits, as it is set up here (level 3, every frame by itself, 16 slices). Measured in November
// 2026 on 12 frames each of six clips: 2.9 and 1.8 bits for an action camera, 2.5 and 2.6 for photographs that move, 2.5 for an
// animation, 0.4 for a test pattern; 5.3 for the camera with noise added (ffmpeg's noise=alls=10). The largest without added
// noise, and two fifths more for what is noisier. Where that is too little the job waits for room, it does not fail.
constexpr double kFfv1Bits = 4;
constexpr int kFfv1Depth = 8;  // each further bit of depth is mostly noise and costs a bit

// What an encoder keeps, in frames of its own format: so many, and some more for each of its threads. Measured in November 2026 with FFmpeg
// 5.1 at 1920x1080 and 3840x2160, 4:2:0 of 8 bit, its presets left alone: the resident memory less that of the same without an encoder. x264: 119 frames
// with 2 threads, 191 with 16; x265: 119 and SVT-AV1: 121 with 2 threads. FFV1 takes a packet of 37 x 4 bytes a pixel, whatever the format,
// but no more than an int counts.
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
  return {.frames = 16};  // on a GPU: what is on its way there
}

// Presets that look further and keep more references, and what their lookahead is set to.
double more_frames(const EncoderSettings& settings) {
  constexpr double kUsualLookahead = 40, kFramesLookedAt = 2;
  double more = 0;
  for (const auto& [key, value] : settings.options) {
    if (key == "preset" && (value.starts_with("slow") || value == "veryslow" || value == "placebo"))
      more += 90;
    if (key == "rc-lookahead" || key == "lookahead")
      more += std::max(std::strtod(value.c_str(), nullptr) - kUsualLookahead, 0.0) * kFramesLookedAt;
  }
  return more;
}

// FFmpeg's numbers: "4000k", "4M"; 0 if it is none.
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
  constexpr int64_t kRowBytes = 64;  // a frame's line in tables, at most
  const auto entry = find_encoder(settings.encoder);
  const std::string_view encoder = entry.ok() ? (*entry)->name : std::string_view(settings.encoder);
  if (encoder == "null") return 0;
  const double raw = double(video.format.packed_bytes()) * double(frames);
  if (encoder == "raw") return int64_t(raw) + frames * kRowBytes;
  if (encoder == "ffv1") {
    const double bits = std::max(1.0, kFfv1Bits + video.format.bit_depth - kFfv1Depth);
    return int64_t(raw / video.format.sample_bytes() * bits / 8) + frames * kRowBytes;
  }
  const double rate = video.frame_rate.known() ? video.frame_rate.value() : 25;
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
  const bool looks_ahead = memory.frames_a_thread > 0;
  const double frames =
      memory.frames + memory.frames_a_thread * threads + (looks_ahead ? more_frames(settings) : 0);
  const double pixels = double(video.format.width) * video.format.height;
  return int64_t(kMargin * (frames * double(video.format.packed_bytes()) +
                            std::min(memory.bytes_a_pixel * pixels, 0x1p31)));
}

}  // namespace weft::media
