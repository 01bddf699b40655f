// SPDX-License-Identifier: Apache-2.0
// Describes an output as plain data: its frames, its encoder, and the streams copied from the
// source. Encoders, containers and the muxer share it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "server/media/media_info.h"

namespace weft::media {

inline constexpr unsigned kMaxEncoderThreads = 16;

// One of two passes of an encoder over the video. The first one measures a segment at a constant
// quality; the second one encodes it with a bit rate of its own.
struct EncoderPass {
  int number = 0;         // 1 or 2; 0: there is one pass
  std::string folder{};   // an existing folder for files of the encoder's library
  double crf = 0;         // quality of the first pass
  int64_t mean_rate = 0;  // bits a second of the whole video
  // Fields of the second pass.
  int64_t rate = 0;          // bits a second of the segment
  int level = 0;             // level of all segments, as common_level() returns it
  std::string statistics{};  // statistics of the first pass: the data of its last packet
};

struct EncoderSettings {
  // "x264", "x265", "svt-av1", "ffv1", "raw", "h264-nvenc", "hevc-nvenc", "null", or FFmpeg's name
  // of an encoder
  std::string encoder = "x264";
  // options by FFmpeg's names: {"crf", "18"}; those that name files are refused
  std::vector<std::pair<std::string, std::string>> options{};
  // number of threads; 0: default_encoder_threads() of this machine. Some encoders give other
  // (equally good) bytes with another number, so it must be recorded to resume on another machine.
  int threads = 0;
  int gpu = -1;  // number of the GPU with the encoder, as CUDA counts; -1: the first that has one
  // least duration of a segment that another one follows; 0: the video has one segment
  double segment_seconds = 0;
  EncoderPass pass{};
  // further share of bits for pictures of long duration (duration_bits.h), for x265
  double duration_weight = 0;
};

// Returns the number of the machine's threads, at most kMaxEncoderThreads.
inline int default_encoder_threads() {
  return int(std::clamp(std::thread::hardware_concurrency(), 1u, kMaxEncoderThreads));
}

// Properties of the frames, equal for all segments of a job.
struct OutputVideo {
  VideoFormat format{};
  Ratio time_base{};   // unit of pts; half the source's unit if each field gives a frame
  Ratio frame_rate{};  // nominal rate: the mean one if durations vary
  // least duration of a picture in time_base if the durations vary; 0: they do not, or are unknown
  int64_t least_duration = 0;
  Ratio sample_aspect_ratio{};
  // Interlaced frames are encoded as such if the encoder can, else as progressive frames
  // (output_check.h: fields_note()).
  ScanOrder field_order = ScanOrder::kProgressive;
  Colour colour{};
  Hdr10 hdr10{};

  // Returns the number of frames in a second of an encoder's clock.
  Ratio encoder_rate() const { return frame_rate.known() ? frame_rate : Ratio{25, 1}; }
};

// The streams of the output.
struct OutputPlan {
  // name of FFmpeg's muxer, "matroska"; empty for the encoder null
  std::string container{};
  // indices of copied streams in the source, in the order of the output
  std::vector<int> copied{};
  std::vector<int> encoded{};        // indices in `copied` of audio streams that are encoded again
  std::vector<std::string> notes{};  // a sentence for each stream that is left out
};

// The treatment of streams that the output cannot hold: leave them out with a note, or return an
// error. Audio that begins with the file and that the container cannot hold is always an error.
enum class Unsupported { kDrop, kRefuse };

// The treatment of audio.
enum class AudioChoice { kCopy, kAac, kFlac, kNone };

// The treatment of streams other than video.
struct CopyChoices {
  Unsupported unsupported = Unsupported::kDrop;
  AudioChoice audio = AudioChoice::kCopy;
  // choices for single streams, by index in the source; they replace `audio`
  std::map<int, AudioChoice> audio_streams{};
  bool subtitles = true;  // false: subtitles are left out

  AudioChoice audio_of(int stream) const {
    const auto own = audio_streams.find(stream);
    return own != audio_streams.end() ? own->second : audio;
  }
};

// The part of the source that belongs to the video: packets and chapters from `begin` to `end`, in
// the unit of the video stream. `begin` becomes time 0 of the output.
struct SourcePart {
  int64_t first_frame = 0;         // index in the source, for timecodes
  std::optional<int64_t> begin{};  // absent: begin of the source
  std::optional<int64_t> end{};    // absent: end of the source
};

}  // namespace weft::media
