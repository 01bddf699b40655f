// SPDX-License-Identifier: Apache-2.0
// Encodes a copied stream of sound anew, for containers that do not hold its format. The sound keeps its times: short gaps of the
// source become silence, long ones stay gaps between packets, and overlaps are left out.
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

AVCodecID codec_of(SoundChoice audio);  // NONE unless it is encoded

// Seconds. A longer gap is no lost packet but a pause, or times are wrong, and may last for hours. FFmpeg's program, too, takes a step of
// more for a discontinuity (-dts_delta_threshold).
inline constexpr int kLongestSilenceSeconds = 10;

// Used by one thread at a time. Times are those of the source, in samples of the output (`time_base`).
class SoundEncoder {
 public:
  // In the source's unit: what is before `begin` and from `end` on is left out, to the sample.
  struct Part {
    std::optional<int64_t> begin{};
    std::optional<int64_t> end{};
  };
  // INVALID_ARGUMENT when the sound cannot be decoded or the encoder does not take it.
  static StatusOr<std::unique_ptr<SoundEncoder>> open(const AVStream& source, AVCodecID codec,
                                                      const Part& part, bool has_global_header);

  const AVCodecContext& encoder() const { return *encoder_; }
  AVRational time_base() const { return encoder_->time_base; }

  // The stream's next packet; null: there are no more.
  Status send(const AVPacket* packet);
  // The packet that take() gives; null as there.
  const AVPacket* next() const { return encoded_.empty() ? nullptr : encoded_.front().get(); }
  // The next encoded packet; null: it takes another one of the source.
  PacketPtr take();

  // How often and for how long there was silence, a gap or a cut to keep the times, as a sentence; "" for none.
  std::string note() const;

 private:
  SoundEncoder() = default;
  Status open_decoder(const AVStream& source);
  Status open_encoder(const AVStream& source, AVCodecID codec, bool has_global_header);
  Status take_frames();
  Status take_frame();
  Status take_leap(std::optional<int64_t> next);
  bool leaps(int64_t place) const;
  int64_t place_of(const AVFrame& frame) const;
  Status convert(const AVFrame* frame);
  Status place(const AVFrame& frame);
  Status add(uint8_t** samples, int count);
  Status add_silence(int64_t count);
  Status leave_gap(int64_t end);
  int whole_frame() const;
  Status encode(bool is_last);
  Status encode_frame(int samples);
  Status give(const AVFrame* frame);
  Status failed(int result, std::string_view doing) const;

  int stream_ = 0;
  std::string name_;  // of the source's codec
  AVRational unit_{1, 1};
  CodecPtr decoder_;
  CodecPtr encoder_;
  ResamplerPtr resampler_;
  AVChannelLayout from_layout_{};  // what the resampler takes; of native order or counted: nothing to free
  AVSampleFormat from_format_ = AV_SAMPLE_FMT_NONE;
  int from_rate_ = 0;
  std::unique_ptr<AVAudioFifo, FreeFifo> fifo_;
  FramePtr frame_{av_frame_alloc()};
  FramePtr leap_;  // a frame with a time far from those before; the next one shows whether it is wrong
  std::deque<PacketPtr> encoded_;
  std::optional<int64_t> begin_, end_;  // in samples
  std::optional<int64_t> next_;         // the place of the sample that the fifo gets next
  int64_t encoded_to_ = 0;              // the place of the sample that the encoder gets next
  int64_t silences_ = 0, silent_samples_ = 0, gaps_ = 0, gap_samples_ = 0;
  int64_t cuts_ = 0, cut_samples_ = 0, bad_packets_ = 0, wrong_times_ = 0;
};

}  // namespace weft::media
