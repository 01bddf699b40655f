// SPDX-License-Identifier: Apache-2.0
// One stream's decoder: FFmpeg's on the CPU, or NVDEC with its frames copied to memory or kept on the GPU.
#pragma once

#include <memory>
#include <string>

#include "server/media/ffmpeg.h"
#include "server/media/read/pictures/frame_fetch.h"

namespace weft::media {

struct DecoderOptions {
  int threads = 0;        // 0 chooses by the machine, at most 16
  bool hardware = false;  // try NVDEC
  int cuda_ordinal = -1;
  FrameFetch* fetch = nullptr;
  bool keeps_frames = false;  // on the GPU, where `fetch` can
  int reorder_frames = 0;     // at least so many
  // One thread, and frames begin black: damaged packets then give the same frames every time. Several threads see more or less of each
  // other's damage, and areas that are not decoded keep what lay in memory.
  bool careful = false;
};

// Used by one thread at a time.
class VideoDecoder {
 public:
  // INVALID_ARGUMENT when FFmpeg has no decoder for the stream or it refuses the stream's header.
  static StatusOr<std::unique_ptr<VideoDecoder>> open(const AVStream& stream, const DecoderOptions& options);
  ~VideoDecoder();

  // Both return FFmpeg's numbers. send(nullptr): nothing follows.
  // What the decoder says about an excused packet is not counted.
  int send(const AVPacket* packet, bool excused = false);
  int receive(AVFrame& frame);
  void reset();
  // Of the frame that was received last, where it stays on the GPU (FrameFetch::keep): that frame has no samples. Null: it has.
  std::shared_ptr<const void> take_kept() { return std::move(kept_); }

  // Complaints of the decoder so far. Those about a packet are counted before any frame that may depend on it is received.
  int64_t errors() const { return counter_.errors; }
  bool hardware() const { return hardware_frames_; }  // the last frame came from NVDEC
  // NVDEC is asked to decode; the first frame says whether it does.
  bool asks_hardware() const { return device_frame_ != nullptr; }
  const std::string& note() const { return note_; }  // why NVDEC was not used; "" if nobody asked
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
  ErrorCounter counter_;  // outlives the context's threads
  CodecPtr context_;
  FramePtr device_frame_;  // where NVDEC's frames arrive; null without
  FrameFetch* fetch_ = nullptr;
  bool keeps_frames_ = false;
  std::shared_ptr<const void> kept_;
  bool hardware_frames_ = false;
  std::string note_;
};

}  // namespace weft::media
