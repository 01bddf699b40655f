// SPDX-License-Identifier: Apache-2.0
// FFmpeg for the files of this folder: owners of its objects, its errors and its log. Not for other folders.
#pragma once

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/buffer.h>
#include <libavutil/frame.h>
#include <libavutil/hwcontext.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
}

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "server/media/media_facts.h"

namespace weft::media {

// Calls one of FFmpeg's functions that take the address of a pointer.
template <auto release>
struct ReleaseByAddress {
  template <class T>
  void operator()(T* object) const {
    release(&object);
  }
};
struct ReleaseIo {
  void operator()(AVIOContext* io) const {
    av_freep(&io->buffer);  // FFmpeg may have put another buffer in place of ours
    avio_context_free(&io);
  }
};

using PacketPtr = std::unique_ptr<AVPacket, ReleaseByAddress<av_packet_free>>;
using FramePtr = std::unique_ptr<AVFrame, ReleaseByAddress<av_frame_free>>;
using CodecPtr = std::unique_ptr<AVCodecContext, ReleaseByAddress<avcodec_free_context>>;
using InputPtr = std::unique_ptr<AVFormatContext, ReleaseByAddress<avformat_close_input>>;
using IoPtr = std::unique_ptr<AVIOContext, ReleaseIo>;
using BufferPtr = std::unique_ptr<AVBufferRef, ReleaseByAddress<av_buffer_unref>>;
using BufferPoolPtr = std::unique_ptr<AVBufferPool, ReleaseByAddress<av_buffer_pool_uninit>>;

// An AVDictionary that frees itself.
class Dictionary {
 public:
  Dictionary() = default;
  ~Dictionary() { av_dict_free(&entries_); }
  Dictionary(const Dictionary&) = delete;
  Dictionary& operator=(const Dictionary&) = delete;

  void set(const std::string& key, const std::string& value) {
    av_dict_set(&entries_, key.c_str(), value.c_str(), 0);
  }
  AVDictionary** address() { return &entries_; }
  const AVDictionaryEntry* first() const { return av_dict_get(entries_, "", nullptr, AV_DICT_IGNORE_SUFFIX); }

 private:
  AVDictionary* entries_ = nullptr;
};

// Collects what FFmpeg's log says on this thread while it lives; scopes may nest, the innermost collects. Without a
// scope FFmpeg's log goes to ours, at debug level. Nothing of it reaches standard error.
class LogScope {
 public:
  LogScope();
  ~LogScope();
  LogScope(const LogScope&) = delete;
  LogScope& operator=(const LogScope&) = delete;

  struct Line {
    int level = 0;  // AV_LOG_ERROR ...
    std::string text;
  };
  const std::vector<Line>& lines() const { return lines_; }
  // " (FFmpeg says: ...)" with the last error, or the last warning; "" when there is none.
  std::string remark() const;
  void add(Line line);

 private:
  std::vector<Line> lines_;
  LogScope* outer_ = nullptr;
};

// What a codec context's `opaque` may point to: counts the errors that it and its threads write to the log. `reordered_opaque` holds
// the number of the packet at work, which FFmpeg hands to the thread that decodes it.
struct ErrorCounter {
  std::atomic<int64_t> errors{0};
  std::atomic<int64_t> excused{0};  // packets up to this number may complain
};

std::string error_text(int number);  // of one of FFmpeg's error numbers
// The code that fits: ENOMEM is RESOURCE_EXHAUSTED, invalid data INVALID_ARGUMENT, EIO DATA_LOSS, else INTERNAL.
StatusCode error_code(int number);

// For ENOMEM while reading: FFmpeg gives it where memory is short and where the input asks for an absurd size. The input is to
// blame (DATA_LOSS) as long as there is memory for anything sensible; else RESOURCE_EXHAUSTED. `what` was to be had:
// "a packet".
Status no_memory_for(std::string_view what, std::string_view input);

inline AVRational to_av(Ratio ratio) { return {ratio.num, ratio.den}; }
inline Ratio from_av(AVRational ratio) { return ratio.den == 0 ? Ratio{} : Ratio{ratio.num, ratio.den}; }
// Both fields of a picture lie in it line by line. And what a container or a stream says of them.
AVFieldOrder to_av(ScanOrder order);
ScanOrder from_av(AVFieldOrder order);
inline constexpr AVRational kMicroseconds = {1, AV_TIME_BASE};

AVColorRange to_av(Colour::Range range);
Colour colour_of(const AVCodecParameters& parameters);
Colour colour_of(const AVFrame& frame);

}  // namespace weft::media
