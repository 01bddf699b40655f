// SPDX-License-Identifier: Apache-2.0
#include "client_cli/pipe/y4m.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

namespace weft::cli {
namespace {

constexpr std::string_view kMagic = "YUV4MPEG2";
constexpr std::string_view kRange = "COLORRANGE=";   // keys of FFmpeg in X parameters
constexpr std::string_view kSubsampling = "YSCSS=";  //

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  while (!line.empty()) {
    const size_t space = line.find(' ');
    if (space != 0) words.push_back(line.substr(0, space));
    line.remove_prefix(space == std::string_view::npos ? line.size() : space + 1);
  }
  return words;
}

std::optional<int> whole(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

// Parses a colour space: "420jpeg", "422p10", "mono16". Returns false if it is not supported.
bool read_colour_space(std::string_view name, v1::FrameFormat& format) {
  format.set_bit_depth(8);
  if (name.starts_with("mono")) {
    format.set_chroma(v1::CHROMA_FORMAT_GRAY);
    name.remove_prefix(4);
    const std::optional<int> depth = name.empty() ? std::optional(8) : whole(name);
    format.set_bit_depth(depth.value_or(0));
    return depth.has_value() && *depth >= 8 && *depth <= 16;
  }
  const std::string_view ratio = name.substr(0, 3);
  if (ratio == "420")
    format.set_chroma(v1::CHROMA_FORMAT_420);
  else if (ratio == "422")
    format.set_chroma(v1::CHROMA_FORMAT_422);
  else if (ratio == "444")
    format.set_chroma(v1::CHROMA_FORMAT_444);
  else
    return false;
  name.remove_prefix(3);
  if (name.empty()) return true;
  if (name == "jpeg" || name == "mpeg2" || name == "paldv") return ratio == "420";
  if (!name.starts_with('p')) return false;  // such as 444alpha
  const std::optional<int> depth = whole(name.substr(1));
  format.set_bit_depth(depth.value_or(0));
  return depth.has_value() && *depth >= 8 && *depth <= 16;
}

// The chroma siting that the name of an 8-bit 4:2:0 colour space implies.
struct NamedPosition {
  std::string_view name;
  v1::ChromaPosition position;
};
constexpr NamedPosition kPositions[] = {{"420jpeg", v1::CHROMA_POSITION_CENTRE},
                                        {"420mpeg2", v1::CHROMA_POSITION_LEFT},
                                        {"420paldv", v1::CHROMA_POSITION_TOP_LEFT}};

v1::ChromaPosition position_of(std::string_view colour_space) {
  for (const NamedPosition& each : kPositions)
    if (each.name == colour_space) return each.position;
  return v1::CHROMA_POSITION_UNSPECIFIED;
}

std::string colour_space_of(const v1::FrameFormat& format, v1::ChromaPosition position) {
  constexpr const char* kRatios[] = {"", "mono", "420", "422", "444"};
  const std::string ratio = kRatios[format.chroma()];
  const bool is_gray = format.chroma() == v1::CHROMA_FORMAT_GRAY;
  if (format.bit_depth() > 8) return fmt::format("{}{}{}", ratio, is_gray ? "" : "p", format.bit_depth());
  for (const NamedPosition& each : kPositions)
    if (format.chroma() == v1::CHROMA_FORMAT_420 && each.position == position) return std::string(each.name);
  return ratio;
}

void set_extra(std::vector<std::string>& extras, std::string_view key, const std::string& value) {
  std::erase_if(extras, [&](const std::string& each) { return each.starts_with(key); });
  if (!value.empty()) extras.push_back(std::string(key) + value);
}

// Returns the colour space in capitals, the form of FFmpeg's YSCSS parameter, or an empty string
// for gray.
std::string subsampling_of(std::string_view colour_space) {
  std::string text(colour_space);
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return char(std::toupper(c)); });
  return text.starts_with("MONO") ? "" : text;
}

bool same(const v1::SampleAspect& a, const v1::SampleAspect& b) {
  return int64_t{a.numerator()} * b.denominator() == int64_t{b.numerator()} * a.denominator();
}

Status read_rate(std::string_view text, v1::FrameRate& rate) {
  const size_t colon = text.find(':');
  const std::optional<int> numerator = whole(text.substr(0, colon));
  const std::optional<int> denominator =
      colon == std::string_view::npos ? std::nullopt : whole(text.substr(colon + 1));
  if (!numerator || !denominator)
    return invalid_argument("The y4m header's frame rate is invalid (F{}); write it like F30000:1001.", text);
  if (*numerator == 0 || *denominator == 0) return ok_status();
  rate.set_numerator(*numerator);
  rate.set_denominator(*denominator);
  return ok_status();
}

Status read_interlacing(std::string_view text, Y4mHeader& header) {
  if (text == "p")
    header.field_order = v1::FIELD_ORDER_PROGRESSIVE;
  else if (text == "t")
    header.field_order = v1::FIELD_ORDER_TOP_FIRST;
  else if (text == "b")
    header.field_order = v1::FIELD_ORDER_BOTTOM_FIRST;
  else if (text == "m")
    header.mixed = true;
  else if (text != "?")
    return invalid_argument("The y4m header's interlacing is unknown (I{}); use Ip, It, Ib, Im or I?.", text);
  return ok_status();
}

char interlacing_of(const Y4mHeader& header) {
  if (header.mixed) return 'm';
  switch (header.field_order) {
    case v1::FIELD_ORDER_PROGRESSIVE:
      return 'p';
    case v1::FIELD_ORDER_TOP_FIRST:
      return 't';
    case v1::FIELD_ORDER_BOTTOM_FIRST:
      return 'b';
    default:
      return '?';
  }
}

Status read_parameter(char name, std::string_view value, Y4mHeader& header) {
  switch (name) {
    case 'W':
      header.format.set_width(whole(value).value_or(0));
      return ok_status();
    case 'H':
      header.format.set_height(whole(value).value_or(0));
      return ok_status();
    case 'F':
      return read_rate(value, header.rate);
    case 'I':
      return read_interlacing(value, header);
    case 'A':
      header.aspect = value;
      return ok_status();
    case 'C':
      header.colour_space = value;
      header.chroma_position = position_of(value);
      if (read_colour_space(value, header.format)) return ok_status();
      return invalid_argument(
          "The y4m colour space is not one that filters take (C{}); gray, 4:2:0, 4:2:2 and 4:4:4 of 8 to "
          "16 bits are.",
          value);
    case 'X':
      header.extras.emplace_back(value);
      return ok_status();
    default:
      return ok_status();  // the format requires unknown parameters to be ignored
  }
}

}  // namespace

StatusOr<Y4mHeader> parse_y4m_header(std::string_view line) {
  const std::vector<std::string_view> words = words_of(line);
  if (words.empty() || words[0] != kMagic)
    return invalid_argument(
        "The input is not y4m (it does not begin with {}); convert it with ffmpeg -f yuv4mpegpipe.", kMagic);
  Y4mHeader header;
  header.format.set_chroma(v1::CHROMA_FORMAT_420);
  header.format.set_bit_depth(8);
  for (size_t i = 1; i < words.size(); i++)
    RETURN_IF_ERROR(read_parameter(words[i][0], words[i].substr(1), header));
  if (header.format.width() == 0 || header.format.height() == 0)
    return invalid_argument("The y4m header has no valid picture size (W and H): {}.", line);
  return header;
}

StatusOr<v1::FrameFacts> parse_y4m_frame(std::string_view line, bool mixed) {
  const std::vector<std::string_view> words = words_of(line);
  if (words.empty() || words[0] != kY4mFrame)
    return invalid_argument(
        "A y4m frame does not begin with {}; the input is truncated, or its header has the wrong size.",
        kY4mFrame);
  v1::FrameFacts facts;
  for (size_t i = 1; mixed && i < words.size(); i++) {
    if (words[i][0] != 'I' || words[i].size() < 2) continue;
    // The presentation of the frame. t, T: top field first; b, B: bottom field first; 1, 2, 3:
    // progressive.
    const char presentation = words[i][1];
    if (presentation == 't' || presentation == 'T') facts.set_field_order(v1::FIELD_ORDER_TOP_FIRST);
    if (presentation == 'b' || presentation == 'B') facts.set_field_order(v1::FIELD_ORDER_BOTTOM_FIRST);
    if (presentation >= '1' && presentation <= '3') facts.set_field_order(v1::FIELD_ORDER_PROGRESSIVE);
  }
  return facts;
}

Y4mHeader header_of_pictures(Y4mHeader frames, const v1::OpenStream& open, const v1::StreamOpened& pictures) {
  Y4mHeader header = std::move(frames);
  const bool same_samples = header.format.chroma() == pictures.format().chroma() &&
                            header.format.bit_depth() == pictures.format().bit_depth() &&
                            header.chroma_position == pictures.chroma_position();
  header.format = pictures.format();
  if (!same_samples) {
    header.chroma_position = pictures.chroma_position();
    header.colour_space = colour_space_of(header.format, header.chroma_position);
    set_extra(header.extras, kSubsampling, subsampling_of(header.colour_space));
  }
  if (pictures.colour().is_full_range() != open.colour().is_full_range())
    set_extra(header.extras, kRange, pictures.colour().is_full_range() ? "FULL" : "LIMITED");
  if (!same(pictures.sample_aspect(), open.sample_aspect()))
    header.aspect =
        fmt::format("{}:{}", pictures.sample_aspect().numerator(), pictures.sample_aspect().denominator());
  if (pictures.field_order() == v1::FIELD_ORDER_PROGRESSIVE) {
    header.field_order = v1::FIELD_ORDER_PROGRESSIVE;
    header.mixed = false;
  }
  return header;
}

v1::SampleAspect parse_y4m_aspect(std::string_view text) {
  v1::SampleAspect aspect;
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos) return aspect;
  const auto width = whole(text.substr(0, colon)), height = whole(text.substr(colon + 1));
  if (width.value_or(0) == 0 || height.value_or(0) == 0) return aspect;
  aspect.set_numerator(*width);
  aspect.set_denominator(*height);
  return aspect;
}

std::string format_y4m_header(const Y4mHeader& header, const v1::FrameRate& rate) {
  std::string line =
      fmt::format("{} W{} H{} F{}:{} I{}", kMagic, header.format.width(), header.format.height(),
                  rate.numerator(), rate.denominator(), interlacing_of(header));
  if (!header.aspect.empty()) line += " A" + header.aspect;
  if (!header.colour_space.empty()) line += " C" + header.colour_space;
  for (const std::string& extra : header.extras) line += " X" + extra;
  return line + "\n";
}

int64_t Y4mTicks::frames_of(const v1::PictureFacts& picture) {
  if (!begin_) begin_ = picture.pts();
  const int64_t time = picture.pts() + picture.duration() - *begin_;
  const int64_t ticks = int64_t{pictures_.picture_rate().numerator()} * pictures_.time_base().denominator();
  const int64_t units = int64_t{pictures_.picture_rate().denominator()} * pictures_.time_base().numerator();
  const int64_t divisor = std::gcd(ticks, units);
  const int64_t each = ticks / divisor, period = units / divisor;  // `each` ticks per `period`
  const int64_t end = (time * each + period - 1) / period;
  return end - std::exchange(frames_, end);
}

StatusOr<v1::FrameRate> parse_frame_rate(std::string_view text) {
  constexpr double kNtsc = 1000.0 / 1001.0;
  constexpr double kClose = 0.005;  // tolerance for rounded rates, such as 23.98 and 59.94
  constexpr double kFastest = 100'000;
  const auto bad = [&] {
    return invalid_argument("The frame rate is invalid ('{}'); write it like 25, 29.97 or 30000/1001.", text);
  };
  v1::FrameRate rate;
  if (const size_t slash = text.find_first_of("/:"); slash != std::string_view::npos) {
    const std::optional<int> numerator = whole(text.substr(0, slash));
    const std::optional<int> denominator = whole(text.substr(slash + 1));
    if (!numerator || !denominator || *numerator == 0 || *denominator == 0) return bad();
    rate.set_numerator(*numerator);
    rate.set_denominator(*denominator);
    return rate;
  }
  double value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (error != std::errc() || end != text.data() + text.size() || !(value > 0) || value > kFastest)
    return bad();
  const double rounded = std::ceil(value);
  if (value != rounded && std::abs(value - rounded * kNtsc) < kClose) {
    rate.set_numerator(int(rounded) * 1000);
    rate.set_denominator(1001);
    return rate;
  }
  const int thousandths = int(std::lround(value * 1000));
  const int divisor = std::gcd(thousandths, 1000);
  rate.set_numerator(thousandths / divisor);
  rate.set_denominator(1000 / divisor);
  if (rate.numerator() == 0) return bad();
  return rate;
}

}  // namespace weft::cli
