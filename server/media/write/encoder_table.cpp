// SPDX-License-Identifier: Apache-2.0
#include "server/media/write/encoder_table.h"

#include <algorithm>
#include <map>
#include <span>

#include "server/media/hdr10.h"
#include "server/media/pixel_format.h"
#include "server/media/write/common_options.h"
#include "server/media/write/widen.h"
#include "server/media/write/y4m.h"

namespace weft::media {

namespace {

// Options of FFmpeg and of the libraries that open files. They are refused, because a job writes no
// file but its output.
constexpr std::string_view kFileOptions[] = {
    "stats",     "passlogfile", "stats_out",    "qpfile",        "dump-yuv",         "cqmfile",
    "cqm",       "csv",         "recon",        "analysis-save", "analysis-load",    "analysis-reuse-file",
    "zonefile",  "lambda-file", "scaling-list", "dhdr10-info",   "dolby-vision-rpu", "log-file",
    "stat-file", "fgs-table",   "opencl-clbin", "dump_file",     "log2file"};
// Options that the program sets itself, with the advice for the user.
constexpr std::pair<std::string_view, std::string_view> kOwnOptions[] = {
    {"threads", "the job's encoder threads"},
    {"pass", "--passes"},
    {"flags", "the options of the encoder itself"},
    {"pix_fmt", "nothing: the input's format stays"},
    {"pixel_format", "nothing: the input's format stays"},
    {"time_base", "nothing: times come from the input"},
    {"video_size", "nothing: the size comes from the input"},
    {"field_order", "nothing: the input says it, and what is deinterlaced is progressive"},
};
// The same for encoders whose buffer is divided between segments.
constexpr std::pair<std::string_view, std::string_view> kRateOptions[] = {
    {"rc_init_occupancy", "maxrate and bufsize"},
    {"vbv-maxrate", "maxrate"},
    {"vbv-bufsize", "bufsize"},
    {"vbv-init", "maxrate and bufsize"},
    {"nal-hrd", "maxrate and bufsize, which the stream does not declare"},
    {"hrd", "maxrate and bufsize, which the stream does not declare"},
};

bool is_file_option(std::string_view key) { return std::ranges::count(kFileOptions, key) > 0; }

Status refuse_file_option(const EncoderEntry& entry, std::string_view key) {
  return invalid_argument(
      "The encoder option ({}) of {} names a file, and a job writes none but its output; leave it out.", key,
      entry.name);
}

Status check_own_option(const EncoderEntry& entry, std::string_view key) {
  const auto advice = [key](std::span<const std::pair<std::string_view, std::string_view>> table) {
    const auto found = std::ranges::find(table, key, [](const auto& row) { return row.first; });
    return found != table.end() ? found->second : std::string_view();
  };
  std::string_view instead = advice(kOwnOptions);
  if (instead.empty() && entry.has_rate_buffer) instead = advice(kRateOptions);
  if (instead.empty()) return ok_status();
  return invalid_argument("The encoder option ({}) is not the user's to set; use {}.", key, instead);
}

// Checks the keys of "key=value:key=value".
Status check_library_options(const EncoderEntry& entry, std::string_view text) {
  while (!text.empty()) {
    const std::string_view item = text.substr(0, text.find(':'));
    const std::string_view key = item.substr(0, item.find('='));
    if (is_file_option(key)) return refuse_file_option(entry, key);
    std::string name(key);
    std::ranges::replace(name, '_', '-');  // the libraries accept both
    RETURN_IF_ERROR(check_own_option(entry, name));
    if (item.size() == text.size()) break;
    text.remove_prefix(item.size() + 1);
  }
  return ok_status();
}

// Checks values that FFmpeg does not check, and values that a library reports on standard error.
Status check_value(const EncoderEntry& entry, std::string_view key, std::string_view value) {
  if (key == "preset" && (entry.name == "x264" || entry.name == "x265"))
    return common_value(entry.name, CommonOption::kPreset, value).status();
  if (key == "level" && entry.codec == AV_CODEC_ID_FFV1 && value != "3")
    return invalid_argument(
        "The level ({}) is not 3, the one of FFV1 with checksums and slices; leave the option out.", value);
  return ok_status();
}

// Returns the key without a stream specifier. "b:v" means "b" in FFmpeg's command line; here all
// options are for video.
std::string plain_key(std::string_view key) {
  if (key.ends_with(":v")) key.remove_suffix(2);
  return std::string(key);
}

// By default x265 3.5 encodes several frames at once (frame-threads). It then weights predictions
// by motion that its lookahead may not have found yet, so where brightness changes, the output
// differs from run to run. Without weighted prediction of P frames it is reproducible.
constexpr const char* kX265Defaults = "log-level=none:weightp=0";

// Returns true if the CPU has AVX-512. x264's AVX-512 code (core 164) reads uninitialised memory if
// the width is not a multiple of 256: its macroblock tree, and so its output, differs from run to
// run. AVX2 gives the bytes of the plain C code.
bool has_avx512() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512f") != 0;
#else
  return false;
#endif
}

bool takes(const EncoderEntry& entry, const VideoFormat& format) {
  // Only the container y4m holds raw video.
  if (entry.codec == AV_CODEC_ID_RAWVIDEO) return has_y4m_name(format);
  return entry.ffmpeg_name.empty() || find_pixel_format(entry, format) != AV_PIX_FMT_NONE ||
         find_pixel_format(entry, widened(format)) != AV_PIX_FMT_NONE;
}

// Returns advice for a format that an encoder does not accept.
std::string way_out(const VideoFormat& format) {
  std::string names;
  for (const EncoderEntry& entry : encoder_table())
    if (!entry.on_gpu && entry.name != "null" && takes(entry, format))
      names += fmt::format("{}{}", names.empty() ? "use " : ", ", entry.name);
  return names.empty() ? "no encoder here takes them: convert the video first (ffv1 and raw take 16 bits)"
                       : names;
}

// Returns the encoder's formats for messages: "8-bit 4:2:0, 10-bit 4:2:0".
std::string formats_taken(const AVCodec& codec) {
  std::vector<std::string> words;
  for (const AVPixelFormat* taken = codec.pix_fmts; taken != nullptr && *taken != AV_PIX_FMT_NONE; taken++) {
    const auto format = format_of(*taken, 16, 16);
    if (format && std::ranges::count(words, describe(*format)) == 0) words.push_back(describe(*format));
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

}  // namespace

const std::vector<EncoderEntry>& encoder_table() {
  static const auto& table = *new std::vector<EncoderEntry>{
      {"x264",
       "libx264",
       AV_CODEC_ID_H264,
       Fields::kCoded,
       false,
       {},
       "x264-params",
       has_avx512() ? "asm=AVX2" : "",
       {"mastering-display", "cll"},
       "",
       true,
       ".mbtree",
       true},
      {"x265",
       "libx265",
       AV_CODEC_ID_HEVC,
       Fields::kNotSaid,
       false,
       {},
       "x265-params",
       kX265Defaults,
       {"master-display", "max-cll"},
       "",
       true,
       ".cutree",
       false,
       true},
      {"svt-av1",
       "libsvtav1",
       AV_CODEC_ID_AV1,
       Fields::kNotSaid,
       false,
       {},
       "svtav1-params",
       "",
       {"mastering-display", "content-light", true},
       "lp=1"},  // with a bit rate, several threads of SVT-AV1 1.4 give different bytes in each run
      // Each frame is coded independently: every frame can be sought, and damage affects one frame
      // only.
      {"ffv1",
       "ffv1",
       AV_CODEC_ID_FFV1,
       Fields::kSaid,
       false,
       {{"level", "3"}, {"g", "1"}, {"slicecrc", "1"}},
       ""},
      {"raw", "", AV_CODEC_ID_RAWVIDEO, Fields::kNotSaid, false, {}, ""},
      {"h264-nvenc", "h264_nvenc", AV_CODEC_ID_H264, Fields::kNotSaid, true, {}, ""},
      {"hevc-nvenc", "hevc_nvenc", AV_CODEC_ID_HEVC, Fields::kNotSaid, true, {}, ""},
      {"null", "", AV_CODEC_ID_NONE, Fields::kNotSaid, false, {}, ""},
  };
  return table;
}

StatusOr<const EncoderEntry*> find_encoder(std::string_view name) {
  std::vector<std::string_view> names;
  for (const EncoderEntry& entry : encoder_table()) {
    if (name == entry.name || (name == entry.ffmpeg_name && !name.empty())) return &entry;
    names.push_back(entry.name);
  }
  return invalid_argument("The encoder ({}) is unknown; use one of {}.", name, fmt::join(names, ", "));
}

AVPixelFormat find_pixel_format(const EncoderEntry& entry, const VideoFormat& format) {
  const AVPixelFormat planar = planar_format(format);
  const AVCodec* codec = avcodec_find_encoder_by_name(std::string(entry.ffmpeg_name).c_str());
  AVPixelFormat other = AV_PIX_FMT_NONE;
  for (const AVPixelFormat* taken = codec != nullptr ? codec->pix_fmts : nullptr;
       taken != nullptr && *taken != AV_PIX_FMT_NONE; taken++) {
    if (*taken == planar) return planar;
    if (has_alpha(*taken)) continue;
    if (other == AV_PIX_FMT_NONE && format_of(*taken, format.width, format.height) == format) other = *taken;
  }
  return other;
}

StatusOr<AVPixelFormat> choose_pixel_format(const EncoderEntry& entry, const VideoFormat& format) {
  if (entry.ffmpeg_name.empty()) {
    if (takes(entry, format)) return AV_PIX_FMT_NONE;
    return invalid_argument(
        "The encoder {} does not take {} pictures (the container y4m has no name for them); {}.", entry.name,
        describe(format), way_out(format));
  }
  const AVCodec* codec = avcodec_find_encoder_by_name(std::string(entry.ffmpeg_name).c_str());
  if (codec == nullptr)
    return unavailable("The encoder {} is not built into FFmpeg here; use another.", entry.name);
  AVPixelFormat found = find_pixel_format(entry, format);
  if (found == AV_PIX_FMT_NONE) found = find_pixel_format(entry, widened(format));
  if (found != AV_PIX_FMT_NONE) return found;
  return invalid_argument("The encoder {} does not take {} pictures (it takes {}); {}.", entry.name,
                          describe(format), formats_taken(*codec), way_out(format));
}

Status collect_options(const EncoderEntry& entry, const EncoderSettings& settings, const Hdr10& hdr10,
                       Dictionary& options) {
  for (const auto& [key, value] : entry.defaults) options.set(std::string(key), std::string(value));
  const bool has_bit_rate = std::ranges::any_of(
      settings.options, [](const auto& option) { return plain_key(option.first) == "b"; });
  std::string library =
      has_bit_rate && !entry.bit_rate_defaults.empty() ? entry.bit_rate_defaults : entry.library_defaults;
  if (const std::string more = hdr10_options(entry.hdr10, hdr10); !more.empty())
    library += (library.empty() ? "" : ":") + more;
  if (!library.empty()) options.set(std::string(entry.library_options), library);
  for (const auto& [given_key, value] : settings.options) {
    const std::string key = plain_key(given_key);
    if (entry.ffmpeg_name.empty())
      return invalid_argument("The encoder {} has no options, and {} is given; leave it out.", entry.name,
                              given_key);
    if (is_file_option(key)) return refuse_file_option(entry, key);
    RETURN_IF_ERROR(check_own_option(entry, key));
    RETURN_IF_ERROR(check_value(entry, key, value));
    const bool for_library =
        !entry.library_options.empty() && (key == entry.library_options || key == "x264opts");
    if (for_library) RETURN_IF_ERROR(check_library_options(entry, value));
    const bool extends = key == entry.library_options && !library.empty();
    options.set(key, extends ? library + ":" + value : value);
  }
  return ok_status();
}

void set_library_option(const EncoderEntry& entry, std::string_view key, std::string_view value,
                        Dictionary& options) {
  const std::string name(entry.library_options);
  const char* const others = options.find(name);
  options.set(name, fmt::format("{}={}{}{}", key, value, others != nullptr ? ":" : "",
                                others != nullptr ? others : ""));
}

// Both fields must have the same number of lines in each plane.
int lines_of_fields(const VideoFormat& format) { return 2 * rows_of_chroma(format.chroma); }

Fields fields_of(const EncoderEntry& entry, const VideoFormat& format) {
  const bool fits = format.height % lines_of_fields(format) == 0;
  return entry.fields == Fields::kCoded && !fits ? Fields::kNotSaid : entry.fields;
}

std::string settings_text(const EncoderEntry& entry, const EncoderSettings& settings) {
  std::map<std::string, std::string> sorted;
  for (const auto& [key, value] : settings.options) sorted[plain_key(key)] = value;
  std::string text = fmt::format("{} threads={}", entry.name,
                                 settings.threads > 0 ? settings.threads : default_encoder_threads());
  for (const auto& [key, value] : sorted) text += fmt::format(" {}={}", key, value);
  return text;
}

}  // namespace weft::media
