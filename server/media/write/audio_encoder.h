// SPDX-License-Identifier: Apache-2.0
// Encodes an audio stream of the source for a container that does not hold its format. The audio
// keeps its times: short gaps of the source become silence, long ones stay gaps between packets,
// and overlaps are dropped.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "server/media/ffmpeg.h"
#include "server/media/write/output_types.h"

extern "C" {
#include <libavutil/audio_fifo.h>
#include <libswresample/swresample.h>
}

namespace weft::media {

using ResamplerPtr = std::unique_ptr<SwrContext, ReleaseByAddress<swr_free>>;
struct FreeFifo {
  void operator()(AVAudioFifo* fifo) const { av_audio_fifo_free(fifo); }
};

AVCodecID codec_of(AudioChoice audio);  // NONE for audio that is copied or left out

// Longest gap that becomes silence, in seconds. A longer gap is not caused by lost packets: it is a
// pause, which may last for hours, or a wrong time. FFmpeg's program also treats a longer step as a
// discontinuity (-dts_delta_threshold).
inline constexpr int kLongestSilenceSeconds = 10;

// Encodes one stream. Times are those of the source, in samples of the output (`time_base`). Not
// thread-safe.
class AudioEncoder {
 public:
  // Times in the source's unit. Samples before `begin` and from `end` on are dropped, exactly to
  // the sample.
  struct Part {
    std::optional<int64_t> begin{};
    std::optional<int64_t> end{};
  };
  // Opens the decoder and the encoder. INVALID_ARGUMENT if the audio cannot be decoded or the
  // encoder does not accept it.
  static StatusOr<std::unique_ptr<AudioEncoder>> open(const AVStream& source, AVCodecID codec,
                                                      const Part& part, bool has_global_header);

  const AVCodecContext& encoder() const { return *encoder_; }
  AVRational time_base() const { return encoder_->time_base; }

  // Sends the stream's next packet, or null at the end of the stream.
  Status send(const AVPacket* packet);
  // Returns the packet that the next take() will return, without removing it, or null.
  const AVPacket* next() const { return encoded_.empty() ? nullptr : encoded_.front().get(); }
  // Returns the next encoded packet, or null if another packet of the source has to be sent first.
  PacketPtr take();

  // Returns a sentence with number and length of inserted silence, gaps and cuts that keep the
  // times, or an empty string.
  std::string note() const;

 private:
  AudioEncoder() = default;
  Status open_decoder(const AVStream& source);
  Status open_encoder(const AVStream& source, AVCodecID codec, bool has_global_header);
  Status take_frames();
  Status take_frame();
  Status take_leap(std::optional<int64_t> next);
  bool leaps(int64_t insert) const;
  int64_t position_of(const AVFrame& frame) const;
  Status convert(const AVFrame* frame);
  Status insert(const AVFrame& frame);
  Status add(uint8_t** samples, int count);
  Status add_silence(int64_t count);
  Status leave_gap(int64_t end);
  int whole_frame() const;
  Status encode(bool is_last);
  Status encode_frame(int samples);
  Status give(const AVFrame* frame);
  Status failed(int result, std::string_view doing) const;

  int stream_ = 0;
  std::string name_;  // name of the source's codec
  AVRational unit_{1, 1};
  CodecPtr decoder_;
  CodecPtr encoder_;
  ResamplerPtr resampler_;
  // format of the resampler's input; the layout is native or counted and needs no release
  AVChannelLayout from_layout_{};
  AVSampleFormat from_format_ = AV_SAMPLE_FMT_NONE;
  int from_rate_ = 0;
  std::unique_ptr<AVAudioFifo, FreeFifo> fifo_;
  FramePtr frame_{av_frame_alloc()};
  // frame with a time far from the previous ones; the next frame shows whether the time is wrong
  FramePtr leap_;
  std::deque<PacketPtr> encoded_;
  std::optional<int64_t> begin_, end_;  // limits of the part, in samples
  std::optional<int64_t> next_;         // position of the next sample for `fifo_`
  int64_t encoded_to_ = 0;              // position of the next sample for the encoder
  int64_t silences_ = 0, silent_samples_ = 0, gaps_ = 0, gap_samples_ = 0;
  int64_t cuts_ = 0, cut_samples_ = 0, bad_packets_ = 0, wrong_times_ = 0;
};

}  // namespace weft::media
