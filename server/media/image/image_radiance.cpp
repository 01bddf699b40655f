// SPDX-License-Identifier: Apache-2.0
// Reads and writes Radiance pictures: three mantissas of 8 bits with a shared exponent (G. Ward,
// "Real Pixels", Graphics Gems II, 1991; file format as in Radiance's documentation). A value is
// mantissa * 2^(exponent - 136).
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>

#include "server/media/file_calls.h"
#include "server/media/image/image_formats.h"
#include "server/media/image/image_metadata.h"

namespace weft::media {

namespace {

constexpr size_t kMaxHeaderBytes = 1 << 20;
// scan lines of fewer pixels, or of more than kMaxRunLength, are not coded in runs
constexpr int kMinRunLength = 8;
constexpr int kMaxRunLength = 32767;
constexpr int kLongestRun = 127;
constexpr int kLongestLiteral = 128;

using Rgbe = std::array<uint8_t, 4>;

// The order of scan lines. "-Y 2 +X 3" means top to bottom and left to right.
struct Orientation {
  bool by_columns = false;  // a scan line is a column
  bool down = true;
  bool right = true;

  // Returns the index of the pixel at position `along` of scan line `line`.
  size_t pixel(int line, int along, const ImageWindow& window) const {
    const int down_by = by_columns ? along : line;
    const int right_by = by_columns ? line : along;
    const int y = down ? down_by : window.height - 1 - down_by;
    const int x = right ? right_by : window.width - 1 - right_by;
    return size_t(y) * size_t(window.width) + size_t(x);
  }
};

struct Header {
  std::string text{};  // all lines of the header, including the empty line and the resolution
  Orientation orientation{};
  ImageWindow window{};
  double pixel_aspect = 1;

  int lines() const { return orientation.by_columns ? window.width : window.height; }
  int line_length() const { return orientation.by_columns ? window.height : window.width; }
};

struct RadianceOrigin final : ImageOrigin {
  Header header;
};

Status damaged(std::string_view name, std::string_view what) {
  return data_loss("The Radiance image ({}) is damaged: {}.", name, what);
}

// Parses a line such as "-Y 512 +X 1024".
Status parse_resolution(std::string_view line, Header& header, std::string_view name) {
  std::array<char, 2> axis{}, sign{};
  std::array<int, 2> size{};
  for (size_t i = 0; i < 2; i++) {
    if (line.size() < 4 || line[2] != ' ') return damaged(name, "its resolution line is not one");
    sign[i] = line[0];
    axis[i] = line[1];
    const auto [end, error] = std::from_chars(line.data() + 3, line.data() + line.size(), size[i]);
    if (error != std::errc()) return damaged(name, "its resolution line has no number");
    line.remove_prefix(size_t(end - line.data()));
    if (i == 0 && !line.empty()) line.remove_prefix(1);
  }
  const auto is_sign = [](char c) { return c == '+' || c == '-'; };
  const bool axes = (axis[0] == 'Y' && axis[1] == 'X') || (axis[0] == 'X' && axis[1] == 'Y');
  if (!axes || !is_sign(sign[0]) || !is_sign(sign[1]))
    return damaged(name, "its resolution line has no X and Y");
  const size_t y = axis[0] == 'Y' ? 0 : 1;
  header.orientation = {y == 1, sign[y] == '-', sign[1 - y] == '+'};
  header.window = {0, 0, size[1 - y], size[y]};
  return check_window(header.window, "picture", name);
}

StatusOr<Header> parse_header(std::string_view bytes, std::string_view name) {
  Header header;
  bool known_format = true;
  size_t at = 0;
  for (bool last = false; !last;) {
    const size_t end = bytes.substr(0, kMaxHeaderBytes).find('\n', at);
    if (end == std::string_view::npos) return damaged(name, "its header does not end");
    const std::string_view line = bytes.substr(at, end - at);
    at = end + 1;
    if (line.starts_with("FORMAT=")) known_format = line.starts_with("FORMAT=32-bit_rle_rgbe");
    if (line.starts_with("PIXASPECT=")) {
      double height_over_width = 1;
      const std::string_view number = line.substr(10);
      std::from_chars(number.data() + std::min(number.size(), number.find_first_not_of(' ')),
                      number.data() + number.size(), height_over_width);
      if (height_over_width > 0) header.pixel_aspect /= height_over_width;
    }
    last = line.empty();
  }
  if (!known_format)
    return invalid_argument("The Radiance image ({}) holds XYZ colours; convert it to RGB (ra_xyze -r).",
                            name);
  const size_t end = bytes.find('\n', at);
  if (end == std::string_view::npos || end - at > 100) return damaged(name, "it has no resolution line");
  RETURN_IF_ERROR(parse_resolution(bytes.substr(at, end - at), header, name));
  header.text = bytes.substr(0, end + 1);
  return header;
}

// Reads the samples one scan line at a time.
class Reader {
 public:
  Reader(std::string_view bytes, size_t at) : bytes_(bytes), at_(at) {}

  // Returns false if the data ends or is invalid.
  bool read_line(std::vector<Rgbe>& line) {
    const auto length = int(line.size());
    const bool in_runs = length >= kMinRunLength && length <= kMaxRunLength && left() >= 4 && byte(0) == 2 &&
                         byte(1) == 2 && byte(2) < 128;
    if (!in_runs) return read_old(line);
    if (byte(2) * 256 + byte(3) != length) return false;
    at_ += 4;
    for (size_t component = 0; component < 4; component++)
      if (!read_component(line, component)) return false;
    return true;
  }

 private:
  size_t left() const { return bytes_.size() - at_; }
  int byte(size_t offset) const { return uint8_t(bytes_[at_ + offset]); }

  bool read_component(std::vector<Rgbe>& line, size_t component) {
    for (size_t x = 0; x < line.size();) {
      if (left() < 2) return false;
      const int code = byte(0);
      const size_t count = size_t(code > 128 ? code - 128 : code);
      const size_t stored = code > 128 ? 1 : count;
      if (count == 0 || count > line.size() - x || left() < 1 + stored) return false;
      for (size_t i = 0; i < count; i++) line[x++][component] = uint8_t(byte(code > 128 ? 1 : 1 + i));
      at_ += 1 + stored;
    }
    return true;
  }

  // Reads pixels of the old format. A pixel with three mantissas of 1 repeats the previous pixel;
  // several such pixels in a row are the digits of a count in base 256, lowest first.
  bool read_old(std::vector<Rgbe>& line) {
    int shift = 0;
    for (size_t x = 0; x < line.size();) {
      if (left() < 4) return false;
      const Rgbe pixel = {uint8_t(byte(0)), uint8_t(byte(1)), uint8_t(byte(2)), uint8_t(byte(3))};
      at_ += 4;
      if (pixel[0] != 1 || pixel[1] != 1 || pixel[2] != 1) {
        line[x++] = pixel;
        shift = 0;
        continue;
      }
      if (x == 0 || shift > 16) return false;
      const size_t count = size_t(pixel[3]) << shift;
      if (count > line.size() - x) return false;
      std::fill_n(line.begin() + ptrdiff_t(x), count, line[x - 1]);
      x += count;
      shift += 8;
    }
    return true;
  }

  std::string_view bytes_;
  size_t at_;
};

void decode(const Rgbe& stored, float* rgba) {
  const float unit = stored[3] == 0 ? 0.0f : std::ldexp(1.0f, stored[3] - 136);
  for (size_t c = 0; c < 3; c++) rgba[c] = float(stored[c]) * unit;
  rgba[3] = 1;
}

// Uses the smallest exponent at which the largest colour, rounded, fits into 8 bits.
Rgbe encode(float red, float green, float blue) {
  constexpr float kLargest = 0x1.fep+126f;  // mantissa 255, exponent 255
  std::array<float, 3> colours = {red, green, blue};
  // NaN becomes 0
  for (float& colour : colours) colour = colour > 0 ? std::min(colour, kLargest) : 0.0f;
  const float largest = std::max({colours[0], colours[1], colours[2]});
  int exponent = 0;
  std::frexp(largest, &exponent);
  if (std::nearbyint(std::ldexp(largest, 8 - exponent)) > 255) exponent++;
  if (largest == 0 || exponent + 128 < 1) return {0, 0, 0, 0};
  Rgbe stored{};
  for (size_t c = 0; c < 3; c++) stored[c] = uint8_t(std::nearbyint(std::ldexp(colours[c], 8 - exponent)));
  stored[3] = uint8_t(exponent + 128);
  return stored;
}

// Encodes runs of four and more as runs. Shorter runs would take more bytes.
void append_component(const std::vector<Rgbe>& line, size_t component, std::string& bytes) {
  const auto run_at = [&](size_t x) {
    size_t count = 1;
    while (x + count < line.size() && count < kLongestRun && line[x + count][component] == line[x][component])
      count++;
    return count;
  };
  for (size_t x = 0; x < line.size();) {
    const size_t run = run_at(x);
    if (run >= 4) {
      bytes += char(128 + run);
      bytes += char(line[x][component]);
      x += run;
      continue;
    }
    size_t end = x;
    while (end < line.size() && end - x < kLongestLiteral && run_at(end) < 4) end++;
    bytes += char(end - x);
    for (; x < end; x++) bytes += char(line[x][component]);
  }
}

void append_line(const std::vector<Rgbe>& line, std::string& bytes) {
  const size_t length = line.size();
  if (length < kMinRunLength || length > kMaxRunLength) {
    for (const Rgbe& pixel : line) bytes.append(reinterpret_cast<const char*>(pixel.data()), 4);
    return;
  }
  bytes += {2, 2, char(length >> 8), char(length & 255)};
  for (size_t component = 0; component < 4; component++) append_component(line, component, bytes);
}

// Reports header lines that no other format can hold, such as exposure, view and the commands that
// made the picture.
std::shared_ptr<const ImageMetadata> metadata_of(const Header& header) {
  auto metadata = std::make_shared<ImageMetadata>();
  metadata->format = ImageFormat::kRadiance;
  metadata->transfer = kLinearTransfer;
  constexpr std::string_view kFollowed[] = {"#?", "FORMAT=", "PIXASPECT="};
  std::string_view text = header.text;
  for (size_t end = text.find('\n'); end != std::string_view::npos && end > 0; end = text.find('\n')) {
    const std::string_view line = text.substr(0, end);
    const bool is_followed =
        std::ranges::any_of(kFollowed, [&](std::string_view word) { return line.starts_with(word); });
    if (!is_followed && metadata->others.empty()) metadata->others.emplace_back("the lines of its header");
    text.remove_prefix(end + 1);
  }
  return metadata;
}

Header new_header(const ImageInfo& info) {
  Header header;
  header.window = info.data;
  header.text = "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n";
  if (info.pixel_aspect != 1) header.text += fmt::format("PIXASPECT={:.6g}\n", 1 / info.pixel_aspect);
  header.text += fmt::format("\n-Y {} +X {}\n", header.window.height, header.window.width);
  return header;
}

}  // namespace

StatusOr<Image> read_radiance(const ImageBytes& file) {
  ASSIGN_OR_RETURN(Header header, parse_header(*file.bytes, file.name));
  ImageInfo info;
  info.format = ImageFormat::kRadiance;
  info.data = info.display = header.window;
  info.pixel_aspect = header.pixel_aspect;
  info.bit_depth = 8;
  info.metadata = metadata_of(header);
  Image image;
  if (!file.read_samples) {
    image.info = std::move(info);
    return image;
  }
  ASSIGN_OR_RETURN(image, make_image(std::move(info)));
  Reader reader(*file.bytes, header.text.size());
  std::vector<Rgbe> line(size_t(header.line_length()));
  for (int number = 0; number < header.lines(); number++) {
    if (!reader.read_line(line))
      return damaged(file.name,
                     fmt::format("scan line {} of {} is cut off or coded wrong", number, header.lines()));
    for (int x = 0; x < header.line_length(); x++)
      decode(line[size_t(x)], &image.float_samples()[4 * header.orientation.pixel(number, x, header.window)]);
    chunk_done();
  }
  auto origin = std::make_shared<RadianceOrigin>();
  origin->header = std::move(header);
  image.origin = std::move(origin);
  return image;
}

StatusOr<std::string> encode_radiance(const Image& image) {
  const auto* origin = dynamic_cast<const RadianceOrigin*>(image.origin.get());
  ASSIGN_OR_RETURN(const Image whole, display_window_of(image));
  const Header header = origin != nullptr ? origin->header : new_header(whole.info);
  std::string bytes = header.text;
  std::vector<Rgbe> line(size_t(header.line_length()));
  for (int number = 0; number < header.lines(); number++) {
    for (int x = 0; x < header.line_length(); x++) {
      const float* rgba = &whole.float_samples()[4 * header.orientation.pixel(number, x, header.window)];
      line[size_t(x)] = encode(rgba[0], rgba[1], rgba[2]);
    }
    append_line(line, bytes);
    chunk_done();
  }
  return bytes;
}

}  // namespace weft::media
