// SPDX-License-Identifier: Apache-2.0
#include "server/filters/logo/logo_file.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string_view>

namespace weft::filters::logo {
namespace {

static_assert(std::endian::native == std::endian::little, "The file has little-endian numbers.");

constexpr std::string_view kTitle = "<logo data file ver0.1>";
constexpr size_t kTitleBytes = 28, kNameBytes = 32, kBaseHeader = 48, kSampleBytes = 12;
constexpr size_t kExtendedHeader = 540, kExtendedNameBytes = 256, kReservedBytes = 240;
constexpr int32_t kMagic = 0x12345, kVersion = 1;
constexpr int kMostShift = 2;
constexpr double kWholeOpacity = 1000;  // opacity of an opaque sample
// Luma and chroma codes of 8 bits at YC48's 0, and their range for YC48's 4096.
constexpr double kBlack = 16, kLumaRange = 219, kGrey = 128, kChromaRange = 224, kYcRange = 4096;

// Reads numbers in order, within the file.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> file) : file_(file) {}
  size_t left() const { return file_.size(); }
  template <class Number>
  Number take() {
    Number number{};
    std::memcpy(&number, file_.data(), sizeof(number));
    skip(sizeof(number));
    return number;
  }
  std::string take_text(size_t bytes) {
    const std::string_view text(reinterpret_cast<const char*>(file_.data()), bytes);
    skip(bytes);
    return std::string(text.substr(0, text.find('\0')));
  }
  void skip(size_t bytes) { file_ = file_.subspan(bytes); }

 private:
  std::span<const std::byte> file_;
};

Status damaged(std::string_view part, size_t needed, size_t found) {
  return invalid_argument(
      "The logo file ends within its {} ({} bytes left, {} needed); it is damaged, so copy or make it again.",
      part, found, needed);
}

Status check_size(int width, int height) {
  if (width < 1 || height < 1 || int64_t{width} * height > kMostLogoSamples)
    return invalid_argument("The logo has {}x{} samples, and 1 to {} are possible; scan a smaller rectangle.",
                            width, height, kMostLogoSamples);
  return ok_status();
}

// Returns the coefficients of a sample of the base part.
StatusOr<std::pair<float, float>> coefficients_of(int opacity, double colour, int x, int y) {
  if (opacity >= kWholeOpacity || opacity < 0)
    return invalid_argument(
        "The opacity of the logo's sample at {},{} is {} of {}: only samples that let the background through "
        "can be removed.",
        x, y, opacity, kWholeOpacity);
  const double a = 1 / (1 - opacity / kWholeOpacity);
  return std::pair(float(a), float(-(a - 1) * colour));
}

StatusOr<Logo> take_base(Reader& reader) {
  Logo logo;
  logo.name = reader.take_text(kNameBytes);
  logo.x = reader.take<int16_t>();
  logo.y = reader.take<int16_t>();
  logo.height = reader.take<int16_t>();
  logo.width = reader.take<int16_t>();
  reader.skip(4 * sizeof(int16_t));  // durations of fades, start and end
  RETURN_IF_ERROR(check_size(logo.width, logo.height));
  const size_t bytes = size_t(logo.width) * size_t(logo.height) * kSampleBytes;
  if (reader.left() < bytes) return damaged("samples", bytes, reader.left());
  return logo;
}

// Reads the samples of a file without an extended part.
Status take_base_samples(Reader& reader, Logo& logo) {
  for (int i = 0; i < logo.width * logo.height; i++)
    for (int plane = 0; plane < 3; plane++) {
      const int opacity = reader.take<int16_t>();
      const double level = reader.take<int16_t>();
      const double colour =
          plane == 0 ? level / kYcRange * kLumaRange + kBlack : level / kYcRange * kChromaRange + kGrey;
      ASSIGN_OR_RETURN(const auto pair,
                       coefficients_of(opacity, colour / 255, i % logo.width, i / logo.width));
      logo.planes[size_t(plane)].a.push_back(pair.first);
      logo.planes[size_t(plane)].b.push_back(pair.second);
    }
  return ok_status();
}

Status check_extended(const Logo& logo) {
  RETURN_IF_ERROR(check_size(logo.width, logo.height));
  const int sx = logo.chroma_shift_x, sy = logo.chroma_shift_y;
  if (sx < 0 || sx > kMostShift || sy < 0 || sy > kMostShift)
    return invalid_argument(
        "The logo file states 2^{} by 2^{} luma samples per chroma sample, and 2^0 to 2^{} are possible; it "
        "is "
        "damaged, so copy or make it again.",
        sx, sy, kMostShift);
  if (logo.x < 0 || logo.y < 0 || int64_t{logo.x} + logo.width > logo.image_width ||
      int64_t{logo.y} + logo.height > logo.image_height)
    return invalid_argument(
        "The logo ({}x{} at {},{}) is not within pictures of {}x{}, which its file states; it is damaged, so "
        "copy "
        "or make it again.",
        logo.width, logo.height, logo.x, logo.y, logo.image_width, logo.image_height);
  return ok_status();
}

StatusOr<Logo> take_extended(Reader& reader) {
  if (reader.left() < kExtendedHeader) return damaged("extended part", kExtendedHeader, reader.left());
  const auto magic = reader.take<int32_t>(), version = reader.take<int32_t>();
  if (magic != kMagic || version != kVersion)
    return invalid_argument(
        "The extended part of the logo file has the mark {:#x} and version {}, and only {:#x} and {} are "
        "known; "
        "make the file again by logoscan.",
        uint32_t(magic), version, kMagic, kVersion);
  Logo logo;
  for (int* field : {&logo.width, &logo.height, &logo.chroma_shift_x, &logo.chroma_shift_y, &logo.image_width,
                     &logo.image_height, &logo.x, &logo.y})
    *field = reader.take<int32_t>();
  logo.name = reader.take_text(kExtendedNameBytes);
  logo.service = reader.take<int32_t>();
  reader.skip(kReservedBytes);
  RETURN_IF_ERROR(check_extended(logo));
  for (int plane = 0; plane < 3; plane++) {
    const size_t samples = size_t(logo.plane_width(plane)) * size_t(logo.plane_height(plane));
    if (reader.left() < 2 * samples * sizeof(float))
      return damaged("coefficients", 2 * samples * sizeof(float), reader.left());
    for (auto* values : {&logo.planes[size_t(plane)].a, &logo.planes[size_t(plane)].b})
      for (size_t i = 0; i < samples; i++) values->push_back(reader.take<float>());
    for (size_t i = 0; i < samples; i++) {
      const float a = logo.planes[size_t(plane)].a[i], b = logo.planes[size_t(plane)].b[i];
      if (!std::isfinite(a) || !std::isfinite(b) || a <= 0)
        return invalid_argument(
            "Sample {} of plane {} of the logo has the coefficients {} and {}, and the first one is above 0; "
            "make the file again by logoscan.",
            i, plane, a, b);
    }
  }
  return logo;
}

class Writer {
 public:
  template <class Number>
  void add(Number number) {
    const auto bytes = std::as_bytes(std::span(&number, 1));
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  // Adds a text of at most bytes - 1 characters, filled with zeros.
  void add_text(std::string_view text, size_t bytes) {
    const auto head = std::as_bytes(std::span(text.substr(0, bytes - 1)));
    bytes_.insert(bytes_.end(), head.begin(), head.end());
    bytes_.resize(bytes_.size() + bytes - head.size());
  }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

// Convert between YC48 and codes of 8 bits, in the integers of AviUtl's plug-ins.
int luma_code(int level) { return ((level * 219 + 383) >> 12) + 16; }
int chroma_code(int level) { return (((level + 2048) * 7 + 66) >> 7) + 16; }
int luma_level(int code) { return ((code * 1197) >> 6) - 299; }
int chroma_level(int code) { return ((code - 128) * 4681 + 164) >> 8; }

// Returns opacity and colour of the base part: the line through two levels with the logo added.
std::pair<int16_t, int16_t> base_of(bool is_luma, double a, double b) {
  double shown[2] = {}, given[2] = {};
  for (int i = 0; i < 2; i++) {
    const int code = is_luma ? luma_code(2048 * i) : chroma_code(2048 * i);
    const int added = int(std::clamp(255 * ((code / 255.0 - b) / a), -65535.0, 65535.0));
    given[i] = is_luma ? luma_level(code) : chroma_level(code);
    shown[i] = is_luma ? luma_level(added) : chroma_level(added);
  }
  const double slope = (shown[1] - shown[0]) / (given[1] - given[0]);
  if (slope == 1) return {};
  const double colour = std::floor((shown[0] - slope * given[0]) / (1 - slope) + 0.5);
  const double opacity = std::floor((1 - slope) * kWholeOpacity + 0.5);
  constexpr double kMostColour = std::numeric_limits<int16_t>::max(), kMostOpacity = 16383;
  if (std::abs(colour) >= kMostColour || std::abs(opacity) > kMostOpacity || opacity == 0) return {};
  return {int16_t(opacity), int16_t(colour)};
}

void add_base(Writer& writer, const Logo& logo) {
  writer.add_text(logo.name, kNameBytes);
  for (const int number : {logo.x, logo.y, logo.height, logo.width, 0, 0, 0, 0}) writer.add(int16_t(number));
  for (int y = 0; y < logo.height; y++)
    for (int x = 0; x < logo.width; x++)
      for (int plane = 0; plane < 3; plane++) {
        const int columns = logo.plane_width(plane), rows = logo.plane_height(plane);
        if (columns == 0 || rows == 0) {
          writer.add(int32_t{0});
          continue;
        }
        const int column = std::min(plane == 0 ? x : x >> logo.chroma_shift_x, columns - 1);
        const int row = std::min(plane == 0 ? y : y >> logo.chroma_shift_y, rows - 1);
        const size_t at = size_t(row) * size_t(columns) + size_t(column);
        const LogoPlane& values = logo.planes[size_t(plane)];
        const auto [opacity, colour] = base_of(plane == 0, values.a[at], values.b[at]);
        writer.add(opacity);
        writer.add(colour);
      }
}

}  // namespace

StatusOr<Logo> parse_logo(std::span<const std::byte> file) {
  constexpr size_t kHead = kTitleBytes + sizeof(uint32_t);
  Reader reader(file);
  if (file.size() < kHead || reader.take_text(kTitleBytes) != kTitle)
    return invalid_argument("The file is no logo file, which begins with '{}'; make one by logoscan.",
                            kTitle);
  uint32_t count = 0;  // the only big-endian number
  for (int i = 0; i < 4; i++) count = count << 8 | reader.take<uint8_t>();
  if (count != 1)
    return invalid_argument(
        "The logo file has {} logos, and a filter removes one; save that logo in a file of its own.", count);
  if (reader.left() < kBaseHeader) return damaged("header", kBaseHeader, reader.left());
  ASSIGN_OR_RETURN(Logo logo, take_base(reader));
  const size_t bytes = size_t(logo.width) * size_t(logo.height) * kSampleBytes;
  if (reader.left() > bytes) {
    reader.skip(bytes);
    return take_extended(reader);
  }
  if (logo.x < 0 || logo.y < 0)
    return invalid_argument("The logo begins at {},{}, outside of the picture; make the file again.", logo.x,
                            logo.y);
  RETURN_IF_ERROR(take_base_samples(reader, logo));
  return logo;
}

std::vector<std::byte> print_logo(const Logo& logo) {
  Writer writer;
  writer.add_text(kTitle, kTitleBytes);
  for (const uint8_t byte : {0, 0, 0, 1}) writer.add(byte);
  add_base(writer, logo);
  for (const int32_t number :
       {kMagic, kVersion, int32_t{logo.width}, int32_t{logo.height}, int32_t{logo.chroma_shift_x},
        int32_t{logo.chroma_shift_y}, int32_t{logo.image_width}, int32_t{logo.image_height}, int32_t{logo.x},
        int32_t{logo.y}})
    writer.add(number);
  writer.add_text(logo.name, kExtendedNameBytes);
  writer.add(int32_t{logo.service});
  writer.add_text("", kReservedBytes);
  for (const LogoPlane& plane : logo.planes)
    for (const auto* values : {&plane.a, &plane.b})
      for (const float value : *values) writer.add(value);
  return writer.take();
}

}  // namespace weft::filters::logo
