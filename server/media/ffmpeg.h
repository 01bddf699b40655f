// SPDX-License-Identifier: Apache-2.0
// Wraps FFmpeg for the files of this folder: owners of FFmpeg's objects, conversion of its errors,
// and its log. Other folders must not include this file.
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
#include "server/media/media_info.h"

namespace weft::media {

// Releases an object through one of FFmpeg's functions that accept the address of a pointer.
template <auto release>
struct ReleaseByAddress {
  template <class T>
  void operator()(T* object) const {
    release(&object);
  }
};
struct ReleaseIo {
  void operator()(AVIOContext* io) const {
    av_freep(&io->buffer);  // FFmpeg may have replaced the buffer
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
  void remove(const std::string& key) { av_dict_set(&entries_, key.c_str(), nullptr, 0); }
  // Returns the value, or null if the key is absent.
  const char* find(const std::string& key) const {
    const AVDictionaryEntry* const entry = av_dict_get(entries_, key.c_str(), nullptr, 0);
    return entry != nullptr ? entry->value : nullptr;
  }
  AVDictionary** address() { return &entries_; }
  const AVDictionaryEntry* first() const { return av_dict_get(entries_, "", nullptr, AV_DICT_IGNORE_SUFFIX); }

 private:
  AVDictionary* entries_ = nullptr;
};

// Collects the lines that FFmpeg logs on this thread during the lifetime of the scope. Scopes may
// nest; the innermost one collects. Without a scope the lines go to Weft's log, at debug level.
// FFmpeg writes nothing to standard error.
class LogScope {
 public:
  LogScope();
  ~LogScope();
  LogScope(const LogScope&) = delete;
  LogScope& operator=(const LogScope&) = delete;

  struct Line {
    int level = 0;  // FFmpeg's level: AV_LOG_ERROR ...
    std::string text;
  };
  const std::vector<Line>& lines() const { return lines_; }
  // Returns " (FFmpeg says: ...)" with the last error, or else the last warning; an empty string if
  // nothing was logged.
  std::string remark() const;
  void add(Line line);

 private:
  std::vector<Line> lines_;
  LogScope* outer_ = nullptr;
};

// Counts the errors that a codec context and its threads log; the context's `opaque` points to the
// counter. `reordered_opaque` holds the number of the current packet, which FFmpeg passes to the
// thread that decodes the packet.
struct ErrorCounter {
  std::atomic<int64_t> errors{0};
  std::atomic<int64_t> excused{0};  // errors in packets up to this number are not counted
};

std::string error_text(int number);  // Returns the text of an FFmpeg error number.
// Returns the status code for an FFmpeg error number: ENOMEM and ENOSPC give RESOURCE_EXHAUSTED,
// invalid data INVALID_ARGUMENT, EIO DATA_LOSS; others give INTERNAL.
StatusCode error_code(int number);

// Returns the error for an ENOMEM while an input is read. FFmpeg reports ENOMEM both for short
// memory and for absurd sizes in the input. DATA_LOSS (the input is damaged) if 256 MiB can still
// be allocated; else RESOURCE_EXHAUSTED. `what` names the missing object: "a packet".
Status no_memory_for(std::string_view what, std::string_view input);

inline AVRational to_av(Ratio ratio) { return {ratio.num, ratio.den}; }
inline Ratio from_av(AVRational ratio) { return ratio.den == 0 ? Ratio{} : Ratio{ratio.num, ratio.den}; }
// Converts the scan order to FFmpeg's field order as containers and streams declare it, for frames
// that hold both fields line by line.
AVFieldOrder to_av(ScanOrder order);
ScanOrder from_av(AVFieldOrder order);
inline constexpr AVRational kMicroseconds = {1, AV_TIME_BASE};

AVColorRange to_av(Colour::Range range);
Colour colour_of(const AVCodecParameters& parameters);
Colour colour_of(const AVFrame& frame);

}  // namespace weft::media
