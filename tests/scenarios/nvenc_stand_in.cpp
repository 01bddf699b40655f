// SPDX-License-Identifier: Apache-2.0
// Replaces FFmpeg's encoder h264_nvenc in a worker for tests on machines without NVENC: libx264
// encodes, and the process may have a limited number of such encoders open
// (WEFT_STAND_IN_SESSIONS). A further one is refused as the driver refuses it. The functions
// precede those of the library in the program.
#include <cstdlib>
#include <mutex>
#include <set>
#include <string_view>

#include <dlfcn.h>

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavutil/opt.h>
}

namespace {

// Returns the library's function of a name.
template <class Function>
Function library_function(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

// The contexts of stand-ins. Guarded by `mutex`.
struct StandIns {
  std::mutex mutex;
  std::set<const AVCodecContext*> allocated, open;
};
StandIns& stand_ins() {
  static auto& contexts = *new StandIns;
  return contexts;
}

thread_local bool next_is_stand_in = false;

size_t most_sessions() {
  const char* const text = std::getenv("WEFT_STAND_IN_SESSIONS");
  return text == nullptr ? 0 : size_t(std::atoi(text));
}

}  // namespace

extern "C" {

const AVCodec* avcodec_find_encoder_by_name(const char* name) {
  static const auto find = library_function<const AVCodec* (*)(const char*)>("avcodec_find_encoder_by_name");
  next_is_stand_in = std::string_view(name) == "h264_nvenc";
  return find(next_is_stand_in ? "libx264" : name);
}

AVCodecContext* avcodec_alloc_context3(const AVCodec* codec) {
  static const auto allocate =
      library_function<AVCodecContext* (*)(const AVCodec*)>("avcodec_alloc_context3");
  AVCodecContext* const context = allocate(codec);
  const std::lock_guard lock(stand_ins().mutex);
  if (next_is_stand_in && codec != nullptr && codec->id == AV_CODEC_ID_H264 && av_codec_is_encoder(codec))
    stand_ins().allocated.insert(context);
  next_is_stand_in = false;
  return context;
}

int avcodec_open2(AVCodecContext* context, const AVCodec* codec, AVDictionary** options) {
  static const auto open =
      library_function<int (*)(AVCodecContext*, const AVCodec*, AVDictionary**)>("avcodec_open2");
  {
    const std::lock_guard lock(stand_ins().mutex);
    if (!stand_ins().allocated.contains(context)) return open(context, codec, options);
    if (stand_ins().open.size() >= most_sessions()) {
      av_log(context, AV_LOG_ERROR, "OpenEncodeSessionEx failed: out of memory (10): (no details)\n");
      return AVERROR(ENOMEM);
    }
    stand_ins().open.insert(context);
  }
  // as the worker's own entry for x264, for the same bytes in each run
  av_opt_set(context->priv_data, "x264-params", "asm=AVX2", 0);
  return open(context, codec, options);
}

void avcodec_free_context(AVCodecContext** context) {
  static const auto release = library_function<void (*)(AVCodecContext**)>("avcodec_free_context");
  {
    // before the address can be used again
    const std::lock_guard lock(stand_ins().mutex);
    stand_ins().allocated.erase(*context);
    stand_ins().open.erase(*context);
  }
  release(context);
}

}  // extern "C"
