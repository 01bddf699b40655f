// SPDX-License-Identifier: Apache-2.0
// An output as data: its pictures, its encoder, and what it takes of the source. Encoders, containers and the muxer share these types.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "server/media/media_facts.h"

namespace weft::media {

inline constexpr unsigned kMaxEncoderThreads = 16;

struct EncoderSettings {
  // "x264", "x265", "svt-av1", "ffv1", "raw", "h264-nvenc", "hevc-nvenc", "null"; FFmpeg's names are taken
  // too.
  std::string encoder = "x264";
  // As FFmpeg names them: {"crf", "18"}. Options that name files are refused.
  std::vector<std::pair<std::string, std::string>> options{};
  // Threads, part of what makes the output reproducible: some encoders give other (equally good) bytes with
  // another number. 0 is the same as default_encoder_threads() on this machine; write the number down to go
  // on elsewhere.
  int threads = 0;
};

// The machine's threads, at most kMaxEncoderThreads.
inline int default_encoder_threads() {
  return int(std::clamp(std::thread::hardware_concurrency(), 1u, kMaxEncoderThreads));
}

// Properties of the pictures, the same for all segments of a job.
struct OutputVideo {
  VideoFormat format{};
  Ratio time_base{};   // of pts; for one frame a field, half the source's
  Ratio frame_rate{};  // nominal; the reference of rate control
  Ratio sample_aspect_ratio{};
  // Interlaced pictures are encoded as such where the encoder can; else as frames (output_check.h: fields_note()).
  ScanOrder field_order = ScanOrder::kProgressive;
  Colour colour{};
  Hdr10 hdr10{};
};

// The contents of the output.
struct OutputPlan {
  std::string container{};           // FFmpeg's muxer: "matroska"; "" for the encoder null
  std::vector<int> copied{};         // streams of the source, by index, in the order of the output
  std::vector<int> encoded{};        // of these the sound that is encoded anew
  std::vector<std::string> notes{};  // a sentence for each stream that is left out
};

// The treatment of streams that are not carried: left out with a note, or an error. Sound that begins with the file and that the
// container cannot hold is an error in any case.
enum class Unsupported { kDrop, kRefuse };

// The treatment of sound.
enum class SoundChoice { kCopy, kAac, kFlac, kNone };

// The treatment of streams other than video.
struct CopyChoices {
  Unsupported unsupported = Unsupported::kDrop;
  SoundChoice audio = SoundChoice::kCopy;
  std::map<int, SoundChoice> audio_streams{};  // in place of `audio`, of the source's streams by index
  bool subtitles = true;                       // false: left out

  SoundChoice sound(int stream) const {
    const auto own = audio_streams.find(stream);
    return own != audio_streams.end() ? own->second : audio;
  }
};

// The part of the source that belongs to the video: packets and chapters from one time to another, in the video stream's unit. Time 0 of the
// output is `begin`.
struct SourcePart {
  int64_t first_frame = 0;         // of the source, for timecodes
  std::optional<int64_t> begin{};  // absent: with the source
  std::optional<int64_t> end{};    // absent: with the source
};

}  // namespace weft::media
