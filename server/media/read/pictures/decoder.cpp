// SPDX-License-Identifier: Apache-2.0
#include "server/media/read/pictures/decoder.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <thread>

#include "server/media/pixel_format.h"
#include "server/media/read/pictures/surface.h"

// libavutil's header includes cuda.h, which is part of the CUDA toolkit, unless CUDA_VERSION is
// defined. It needs only these two types.
#define CUDA_VERSION 0
using CUcontext = struct CUctx_st*;
using CUstream = struct CUstream_st*;
extern "C" {
#include <libavutil/hwcontext_cuda.h>
}

namespace weft::media {

namespace {

constexpr unsigned kMaxThreads = 16;

int thread_count(int asked) {
  return asked > 0 ? asked : int(std::clamp(std::thread::hardware_concurrency(), 1u, kMaxThreads));
}

bool knows_cuda(const AVCodec& codec) {
  for (int i = 0;; i++) {
    const AVCodecHWConfig* config = avcodec_get_hw_config(&codec, i);
    if (config == nullptr) return false;
    if (config->device_type == AV_HWDEVICE_TYPE_CUDA &&
        (config->methods & AV_CODEC_HW_CONFIG_METHOD_HW_DEVICE_CTX) != 0)
      return true;
  }
}

// Returns true if NVDEC returns the samples unchanged. It converts 12 bits to 16, and gray to a
// format with chroma.
bool nvdec_keeps(AVPixelFormat stored) {
  const std::optional<VideoFormat> format = format_of(stored, 1, 1);
  for (const AVPixelFormat given : {AV_PIX_FMT_NV12, AV_PIX_FMT_P010LE, AV_PIX_FMT_YUV444P})
    if (format && format == format_of(given, 1, 1)) return true;
  return false;
}

}  // namespace

StatusOr<std::unique_ptr<VideoDecoder>> VideoDecoder::open(const AVStream& stream,
                                                           const DecoderOptions& options) {
  const AVCodecParameters& parameters = *stream.codecpar;
  const AVCodec* codec = avcodec_find_decoder(parameters.codec_id);
  if (codec == nullptr)
    return invalid_argument(
        "The video stream ({}) has no decoder in FFmpeg; convert it with a program that knows it.",
        avcodec_get_name(parameters.codec_id));
  const LogScope log;
  std::unique_ptr<VideoDecoder> decoder(new VideoDecoder());
  decoder->context_.reset(avcodec_alloc_context3(codec));
  AVCodecContext* context = decoder->context_.get();
  if (context == nullptr) return resource_exhausted("There is no memory for a decoder ({}).", codec->name);
  int result = avcodec_parameters_to_context(context, &parameters);
  context->pkt_timebase = stream.time_base;
  context->framerate = stream.avg_frame_rate;
  context->thread_count = options.careful ? 1 : thread_count(options.threads);
  context->max_pixels = int64_t{kMaxPictureSide} * kMaxPictureSide;
  context->has_b_frames = std::max(context->has_b_frames, options.reorder_frames);
  context->opaque = &decoder->counter_;
  if (options.careful) {
    context->thread_type = FF_THREAD_SLICE;  // with one thread: no threading
    context->get_buffer2 = clear_buffer;
  }
  if (options.quantisers) {
    context->thread_type = FF_THREAD_SLICE;
    context->export_side_data |= AV_CODEC_EXPORT_DATA_VIDEO_ENC_PARAMS;
  }
  if (options.hardware) decoder->try_hardware(*codec, options);
  if (result >= 0) result = avcodec_open2(context, codec, nullptr);
  if (result >= 0) return decoder;
  if (result == AVERROR(ENOMEM))
    return no_memory_for("a decoder", fmt::format("its video stream, {}", codec->name));
  return make_status(error_code(result), fmt::format("The video stream ({}) cannot be decoded: {}{}.",
                                                     codec->name, error_text(result), log.remark()));
}

VideoDecoder::~VideoDecoder() {
  if (fetch_ != nullptr) fetch_->release();
}

void VideoDecoder::reset() {
  if (fetch_ != nullptr) fetch_->release();
  avcodec_flush_buffers(context_.get());
}

void VideoDecoder::try_hardware(const AVCodec& codec, const DecoderOptions& options) {
  if (!knows_cuda(codec)) {
    note_ = fmt::format("The CPU decodes: NVDEC does not know the format ({}).", codec.name);
    return;
  }
  AVBufferRef* device = nullptr;
  const std::string ordinal = options.cuda_ordinal >= 0 ? std::to_string(options.cuda_ordinal) : "";
  // Filters run in the primary context. NVDEC must use the same one, because a GPU switches between
  // contexts instead of running them concurrently.
  const int result =
      av_hwdevice_ctx_create(&device, AV_HWDEVICE_TYPE_CUDA, ordinal.empty() ? nullptr : ordinal.c_str(),
                             nullptr, AV_CUDA_USE_PRIMARY_CONTEXT);
  if (result < 0) {
    note_ = "The CPU decodes: there is no NVDEC here.";
    return;
  }
  context_->hw_device_ctx = device;  // the context owns it
  if (options.fetch != nullptr) {
    fetch_ = options.fetch;
    keeps_frames_ = options.keeps_frames;
    auto& cuda =
        *static_cast<AVCUDADeviceContext*>(reinterpret_cast<AVHWDeviceContext*>(device->data)->hwctx);
    cuda.stream = static_cast<CUstream>(fetch_->cuda_stream());
  }
  context_->get_format = choose_format;
  device_frame_.reset(av_frame_alloc());
}

// sw_pix_fmt is the CPU's format, which is offered last.
AVPixelFormat VideoDecoder::choose_format(AVCodecContext* context, const AVPixelFormat* offered) {
  if (!nvdec_keeps(context->sw_pix_fmt)) return context->sw_pix_fmt;
  for (const AVPixelFormat* format = offered; *format != AV_PIX_FMT_NONE; format++)
    if (*format == AV_PIX_FMT_CUDA) return *format;
  return avcodec_default_get_format(context, offered);
}

int VideoDecoder::clear_buffer(AVCodecContext* context, AVFrame* frame, int flags) {
  const int result = avcodec_default_get_buffer2(context, frame, flags);
  for (const AVBufferRef* buffer : frame->buf)
    if (result >= 0 && buffer != nullptr) std::memset(buffer->data, 0, buffer->size);
  return result;
}

// Announces a transfer, because FFmpeg may transfer a frame in any call. The first transfer loads
// code, and the driver waits for the GPU meanwhile.
void VideoDecoder::expect_fetch() {
  if (fetch_ != nullptr && hardware_frames_) fetch_->expect();
}

int VideoDecoder::send(const AVPacket* packet, bool excused) {
  context_->reordered_opaque = ++packets_sent_;
  if (excused) counter_.excused = packets_sent_;
  const LogScope log;
  expect_fetch();
  return avcodec_send_packet(context_.get(), packet);
}

// Keeps the frame on the GPU. `frame` receives the properties of the device's frame, but no
// samples.
bool VideoDecoder::keep_frame(AVFrame& frame) {
  const auto& frames = *reinterpret_cast<const AVHWFramesContext*>(device_frame_->hw_frames_ctx->data);
  const std::optional<Surface> surface = surface_of(*device_frame_, frames.sw_format);
  if (!surface) return false;
  kept_ = fetch_->keep(*surface);
  if (kept_ == nullptr) return false;
  frame.format = frames.sw_format;
  frame.width = device_frame_->width;
  frame.height = device_frame_->height;
  return true;
}

int VideoDecoder::receive(AVFrame& frame) {
  const LogScope log;
  kept_.reset();
  if (!device_frame_) return avcodec_receive_frame(context_.get(), &frame);
  expect_fetch();
  const int result = avcodec_receive_frame(context_.get(), device_frame_.get());
  if (result < 0) return result;
  hardware_frames_ = device_frame_->format == AV_PIX_FMT_CUDA;
  if (!hardware_frames_) note_ = "The CPU decodes: NVDEC does not take this stream.";
  av_frame_unref(&frame);
  if (!hardware_frames_) {
    av_frame_move_ref(&frame, device_frame_.get());
    return 0;
  }
  int copied = 0;
  if (!keeps_frames_ || !keep_frame(frame)) {
    if (fetch_ != nullptr) fetch_->enqueued();
    copied = av_hwframe_transfer_data(&frame, device_frame_.get(), 0);
  }
  if (copied >= 0) copied = av_frame_copy_props(&frame, device_frame_.get());
  av_frame_unref(device_frame_.get());
  return copied;
}

}  // namespace weft::media
