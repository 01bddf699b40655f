// SPDX-License-Identifier: Apache-2.0
#include "server/media/write/pass_files.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace weft::media {

namespace {

// Returns the number after `name` in a line of statistics, or 0.
int64_t number_after(std::string_view line, std::string_view name) {
  const size_t at = line.find(name);
  if (at == std::string_view::npos) return 0;
  int64_t number = 0;
  std::from_chars(line.data() + at + name.size(), line.data() + line.size(), number);
  return number;
}

Status write_file(const std::string& path, std::string_view bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), std::streamsize(bytes.size()));
  file.close();
  if (file) return ok_status();
  return make_status(errno == ENOSPC ? StatusCode::kResourceExhausted : StatusCode::kUnavailable,
                     fmt::format("The statistics of the first pass ({} bytes) cannot be written to {}: {}.",
                                 bytes.size(), path, std::strerror(errno)));
}

StatusOr<std::string> read_file(const std::string& path) {
  const std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  if (file) bytes << file.rdbuf();
  if (!file || !bytes)
    return data_loss("The statistics of the first pass cannot be read ({}): {}.", path, std::strerror(errno));
  return std::move(bytes).str();
}

// Returns the name of files in the folder that no other encoder of the process uses.
std::string new_path(const std::string& folder) {
  static std::atomic<int64_t> number{0};
  return fmt::format("{}/pass-{}", folder, ++number);
}

// Returns x264's tolerance ("ratetol"): it corrects the rate by the excess of bits until now, in
// relation to those of twice the tolerance in seconds. Here that is a tenth of the segment.
double tolerance(double segment_seconds) {
  constexpr double kSeconds = 20, kLeast = 0.05;
  return segment_seconds > 0 ? std::clamp(segment_seconds / kSeconds, kLeast, 1.0) : 1.0;
}

// Escapes a value in the options for a library, "key=value:key=value".
std::string escaped(std::string_view text) {
  std::string result;
  for (const char each : text) {
    if (each == ':' || each == '=' || each == '\\' || each == '\'') result += '\\';
    result += each;
  }
  return result;
}

}  // namespace

StatusOr<PassBits> bits_of(std::string_view statistics) {
  PassBits bits;
  int64_t frames = 0;
  for (std::string_view rest = statistics.substr(0, statistics.find('\0')); !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    if (!line.starts_with("in:")) continue;
    frames++;
    bits.texture += number_after(line, " tex:");
    bits.motion += number_after(line, " mv:");
    bits.other += number_after(line, " misc:");
  }
  if (frames == 0) return data_loss("The statistics of the first pass have no frames (0, at least 1).");
  return bits;
}

PassFiles::PassFiles(const EncoderEntry& entry, const std::string& folder)
    : entry_(entry), path_(folder.empty() ? "" : new_path(folder)) {}

PassFiles::~PassFiles() {
  if (path_.empty()) return;
  std::error_code error;
  for (const std::string_view suffix : {std::string_view(), entry_.tree_suffix})
    for (const std::string_view unfinished : {"", ".temp"})
      std::filesystem::remove(fmt::format("{}{}{}", path_, suffix, unfinished), error);
}

Status PassFiles::prepare(const EncoderSettings& settings, AVCodecContext& context,
                          Dictionary& options) const {
  const EncoderPass& pass = settings.pass;
  if (path_.empty())
    return unavailable("The worker has no folder for the statistics of two passes; use one pass.");
  const bool is_first = pass.number == 1;
  if (is_first) {
    // the buffer of the decoder would distort the sizes
    for (const char* const key : {"b", "maxrate", "bufsize"}) options.remove(key);
    options.set("crf", fmt::format("{}", pass.crf));
  } else {
    const size_t end = std::min(pass.statistics.find('\0'), pass.statistics.size());
    const std::string_view all = pass.statistics;
    const std::string_view tree = all.substr(std::min(end + 1, all.size()));
    RETURN_IF_ERROR(write_file(path_, all.substr(0, end)));
    if (!tree.empty()) RETURN_IF_ERROR(write_file(fmt::format("{}{}", path_, entry_.tree_suffix), tree));
    options.set("b", std::to_string(pass.rate));
  }
  if (entry_.codec == AV_CODEC_ID_H264) {
    context.flags |= is_first ? AV_CODEC_FLAG_PASS1 : AV_CODEC_FLAG_PASS2;
    options.set("stats", path_);
    if (is_first) return ok_status();
    context.level = pass.level;
    // Without it the initial quantiser in the parameter sets follows from the segment's statistics.
    set_library_option(entry_, "stitchable", "1", options);
    set_library_option(entry_, "ratetol", fmt::format("{:.2f}", tolerance(settings.segment_seconds)),
                       options);
    return ok_status();
  }
  // The stream would contain the bit rate of the segment as a text in the parameter sets, which are
  // equal for all segments of a file.
  set_library_option(entry_, "info", "0", options);
  if (!is_first) set_library_option(entry_, "level-idc", std::to_string(pass.level), options);
  set_library_option(entry_, "stats", escaped(path_), options);
  set_library_option(entry_, "pass", std::to_string(pass.number), options);
  return ok_status();
}

StatusOr<std::string> PassFiles::read() const {
  ASSIGN_OR_RETURN(std::string statistics, read_file(path_));
  const std::string tree = fmt::format("{}{}", path_, entry_.tree_suffix);
  if (!std::filesystem::exists(tree)) return statistics;
  ASSIGN_OR_RETURN(const std::string costs, read_file(tree));
  return statistics + '\0' + costs;
}

}  // namespace weft::media
