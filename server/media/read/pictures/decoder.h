// SPDX-License-Identifier: Apache-2.0
// Decodes one video stream with FFmpeg on the CPU, or with NVDEC. Frames of NVDEC are copied to
// memory or kept on the GPU.
#pragma once

#include <memory>
#include <string>

#include "server/media/ffmpeg.h"
#include "server/media/read/pictures/frame_fetch.h"

namespace weft::media {

struct DecoderOptions {
  int threads = 0;        // 0: chosen by the machine, at most 16
  bool hardware = false;  // tries to use NVDEC
  int cuda_ordinal = -1;
  FrameFetch* fetch = nullptr;
  bool keeps_frames = false;  // keeps frames on the GPU if `fetch` can
  int reorder_frames = 0;     // lower limit of the decoder's reordering delay, in frames
  // Decodes with one thread, into frames initialised to black, so that damaged packets give the
  // same frames in every run. With several threads, the effect of damage on other threads varies,
  // and areas that are not decoded keep the memory's old content.
  bool careful = false;
  // Exports the quantisers of pictures as side data, which takes time. The threads then share the
  // work on one picture, since the quantisers of a picture that another thread decodes may be
  // incomplete.
  bool quantisers = false;
};

// Not thread-safe.
class VideoDecoder {
 public:
  // Opens a decoder. INVALID_ARGUMENT if FFmpeg has no decoder for the stream or refuses the
  // stream's header.
  static StatusOr<std::unique_ptr<VideoDecoder>> open(const AVStream& stream, const DecoderOptions& options);
  ~VideoDecoder();

  // These return FFmpeg's error numbers. send(nullptr) ends the stream. Errors of an excused packet
  // are not counted.
  int send(const AVPacket* packet, bool excused = false);
  int receive(AVFrame& frame);
  void reset();
  // Returns the handle of the last received frame if the frame stays on the GPU and has no samples
  // (FrameFetch::keep). Returns null for a frame with samples.
  std::shared_ptr<const void> take_kept() { return std::move(kept_); }

  // Returns the number of errors that the decoder has logged. Errors of a packet are counted before
  // any frame that may depend on the packet is received.
  int64_t errors() const { return counter_.errors; }
  bool hardware() const { return hardware_frames_; }  // true if the last frame came from NVDEC
  // Returns true if NVDEC was requested. hardware() is valid from the first frame on.
  bool asks_hardware() const { return device_frame_ != nullptr; }
  // reason for not using NVDEC; empty if NVDEC was not requested
  const std::string& note() const { return note_; }
  int reorder_frames() const { return context_->has_b_frames; }
  const AVCodecContext& context() const { return *context_; }

 private:
  VideoDecoder() = default;
  void try_hardware(const AVCodec& codec, const DecoderOptions& options);
  void expect_fetch();
  bool keep_frame(AVFrame& frame);
  static AVPixelFormat choose_format(AVCodecContext* context, const AVPixelFormat* offered);

  static int clear_buffer(AVCodecContext* context, AVFrame* frame, int flags);

  int64_t packets_sent_ = 0;
  ErrorCounter counter_;  // declared before the context, so that it outlives its threads
  CodecPtr context_;
  FramePtr device_frame_;  // receives frames of NVDEC; null without NVDEC
  FrameFetch* fetch_ = nullptr;
  bool keeps_frames_ = false;
  std::shared_ptr<const void> kept_;
  bool hardware_frames_ = false;
  std::string note_;
};

}  // namespace weft::media
