// SPDX-License-Identifier: Apache-2.0
#include "server/media/ffmpeg.h"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include <sys/mman.h>
#include <sys/resource.h>

#include "base/log.h"

namespace weft::media {

namespace {

constexpr size_t kKeptLines = 64;

thread_local LogScope* innermost_scope = nullptr;

void count_error(void* speaker) {
  const AVClass* kind = speaker != nullptr ? *static_cast<const AVClass**>(speaker) : nullptr;
  if (kind != avcodec_get_class()) return;
  const auto& context = *static_cast<AVCodecContext*>(speaker);
  auto* counter = static_cast<ErrorCounter*>(context.opaque);
  if (counter != nullptr && context.reordered_opaque > counter->excused) counter->errors++;
}

void receive_log(void* speaker, int level, const char* format, va_list arguments) {
  if (level > AV_LOG_WARNING) return;
  // After a start in the middle of a stream, H.264 may contain commands to remove reference frames
  // that were never decoded. They are harmless.
  const bool harmless = std::string_view(format).starts_with("mmco: unref short failure");
  if (level <= AV_LOG_ERROR && !harmless) count_error(speaker);
  char text[1024];
  std::vsnprintf(text, sizeof text, format, arguments);
  std::string line(text);
  while (!line.empty() && (line.back() == '\n' || line.back() == ' ')) line.pop_back();
  if (line.empty()) return;
  if (innermost_scope != nullptr)
    innermost_scope->add({level, std::move(line)});
  else
    log_debug("FFmpeg: {}", line);
}

// Redirects FFmpeg's log when a program that links this folder starts: before its first use of
// FFmpeg and before it has threads.
const bool kLogIsOurs = [] {
  ::setenv("SVT_LOG", "0", 0);  // SVT-AV1 writes to standard error itself; 0: fatal errors only
  av_log_set_callback(receive_log);
  return true;
}();

Colour::Range range_of(AVColorRange range) {
  switch (range) {
    case AVCOL_RANGE_MPEG:
      return Colour::Range::kLimited;
    case AVCOL_RANGE_JPEG:
      return Colour::Range::kFull;
    default:
      return Colour::Range::kUnspecified;
  }
}

}  // namespace

LogScope::LogScope() : outer_(innermost_scope) {
  static_cast<void>(kLogIsOurs);
  innermost_scope = this;
}

LogScope::~LogScope() { innermost_scope = outer_; }

void LogScope::add(Line line) {
  if (lines_.size() == kKeptLines) lines_.erase(lines_.begin());
  lines_.push_back(std::move(line));
}

std::string LogScope::remark() const {
  const Line* best = nullptr;
  for (const Line& line : lines_)
    if (best == nullptr || line.level <= AV_LOG_ERROR || best->level > AV_LOG_ERROR) best = &line;
  return best == nullptr ? "" : fmt::format(" (FFmpeg says: {})", best->text);
}

std::string error_text(int number) {
  char text[AV_ERROR_MAX_STRING_SIZE] = {};
  av_strerror(number, text, sizeof text);
  return text;
}

namespace {

// Returns a clause with the process's memory limit for messages, or an empty string if there is no
// limit.
std::string memory_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return "";
  return fmt::format(", at most {} MiB for all of it", limit.rlim_cur >> 20);
}

}  // namespace

Status no_memory_for(std::string_view what, std::string_view input) {
  // More than the memory of any frame or packet that is read here.
  constexpr size_t kSensible = size_t{256} << 20;
  void* const memory = ::mmap(nullptr, kSensible, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return resource_exhausted("There is no memory for {} of the input ({}{}).", what, input, memory_limit());
  ::munmap(memory, kSensible);
  return data_loss("The input ({}) asks for an absurd amount of memory for {}{}; it is damaged.", input, what,
                   memory_limit());
}

StatusCode error_code(int number) {
  switch (number) {
    case AVERROR(ENOMEM):
    case AVERROR(ENOSPC):
      return StatusCode::kResourceExhausted;
    case AVERROR(EIO):
      return StatusCode::kDataLoss;
    case AVERROR_INVALIDDATA:
    case AVERROR(EINVAL):
    case AVERROR(ERANGE):
    case AVERROR_PATCHWELCOME:
    case AVERROR_DECODER_NOT_FOUND:
    case AVERROR_DEMUXER_NOT_FOUND:
      return StatusCode::kInvalidArgument;
    default:
      return StatusCode::kInternal;
  }
}

AVColorRange to_av(Colour::Range range) {
  switch (range) {
    case Colour::Range::kLimited:
      return AVCOL_RANGE_MPEG;
    case Colour::Range::kFull:
      return AVCOL_RANGE_JPEG;
    default:
      return AVCOL_RANGE_UNSPECIFIED;
  }
}

Colour colour_of(const AVCodecParameters& parameters) {
  return {.primaries = parameters.color_primaries,
          .transfer = parameters.color_trc,
          .matrix = parameters.color_space,
          .range = range_of(parameters.color_range),
          .chroma_location = parameters.chroma_location};
}

Colour colour_of(const AVFrame& frame) {
  return {.primaries = frame.color_primaries,
          .transfer = frame.color_trc,
          .matrix = frame.colorspace,
          .range = range_of(frame.color_range),
          .chroma_location = frame.chroma_location};
}

AVFieldOrder to_av(ScanOrder order) {
  switch (order) {
    case ScanOrder::kProgressive:
      return AV_FIELD_PROGRESSIVE;
    case ScanOrder::kTopFirst:
      return AV_FIELD_TB;
    case ScanOrder::kBottomFirst:
      return AV_FIELD_BT;
    case ScanOrder::kUnknown:
      break;
  }
  return AV_FIELD_UNKNOWN;
}

ScanOrder from_av(AVFieldOrder order) {
  switch (order) {
    case AV_FIELD_PROGRESSIVE:
      return ScanOrder::kProgressive;
    case AV_FIELD_TT:
    case AV_FIELD_TB:
      return ScanOrder::kTopFirst;
    case AV_FIELD_BB:
    case AV_FIELD_BT:
      return ScanOrder::kBottomFirst;
    default:
      return ScanOrder::kUnknown;
  }
}

}  // namespace weft::media
