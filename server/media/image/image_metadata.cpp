// SPDX-License-Identifier: Apache-2.0
#include "server/media/image/image_metadata.h"

#include <algorithm>
#include <cmath>

#include "server/media/image/image_formats.h"

namespace weft::media {

namespace {

constexpr double kInchesPerMetre = 1 / 0.0254;
constexpr size_t kMaxMarkerBytes = 0xffff - 2;  // limit of one JPEG marker
// limit of a profile over all its JPEG markers
constexpr size_t kMaxJpegProfileBytes = 255 * 65519;
constexpr size_t kExifMarkBytes = 6, kXmpMarkBytes = 29;
// libpng's location flag for chunks between the header and the palette
constexpr int kBeforeSamples = 1;

uint32_t profile_number(std::string_view bytes, size_t at) {
  uint32_t value = 0;
  for (size_t i = 0; i < 4; i++) value = value << 8 | (at + i < bytes.size() ? uint8_t(bytes[at + i]) : 0u);
  return value;
}

// Returns the ASCII characters of a profile's description (ICC.1:2022, 9.2.41; ICC.1:2001-04,
// 6.5.17).
std::string profile_name(std::string_view profile) {
  const size_t tags = std::min<size_t>(profile_number(profile, 128), 100);
  for (size_t i = 0; i < tags; i++) {
    const size_t entry = 132 + i * 12;
    if (profile.size() < entry + 12 || profile.substr(entry, 4) != "desc") continue;
    const size_t at = profile_number(profile, entry + 4);
    if (at + 28 > profile.size()) return "";
    const bool is_wide = profile.substr(at, 4) == "mluc";  // the text is UTF-16
    const size_t begin = is_wide ? at + profile_number(profile, at + 24) : at + 12;
    const size_t count = std::min<size_t>(profile_number(profile, is_wide ? at + 20 : at + 8), 160);
    std::string text(profile.substr(std::min(begin, profile.size()), count));
    std::erase_if(text, [](unsigned char c) { return c < ' ' || c > '~'; });
    return text;
  }
  return "";
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

std::string names_of(const std::vector<KeptItem>& items) {
  std::vector<std::string> names;
  for (const KeptItem& item : items)
    if (std::ranges::find(names, item.name) == names.end()) names.push_back(item.name);
  return joined(names);
}

// Returns an uncompressed chunk of international text (PNG, third edition, 11.3.3.4), as part 3 of
// Adobe's XMP specification requires for XMP.
KeptItem xmp_chunk(const std::string& xmp) {
  return {"iTXt", std::string("XML:com.adobe.xmp\0\0\0\0\0", 22) + xmp, 0, kBeforeSamples};
}

// Returns true if a TIFF can hold the values: its rationals are unsigned.
bool are_unsigned(const Chromaticities& c) {
  const auto fits = [](double x, double y) { return x >= 0 && y > 0 && x + y <= 1; };
  return fits(c.red_x, c.red_y) && fits(c.green_x, c.green_y) && fits(c.blue_x, c.blue_y) &&
         fits(c.white_x, c.white_y);
}

// Returns true if the file that was read has associated alpha.
bool has_associated(const ImageInfo& info) {
  if (info.format == ImageFormat::kTiff) return metadata_of(info).is_alpha_associated;
  return info.format == ImageFormat::kOpenExr;
}

bool is_kept_by_jpeg(const KeptItem& item) { return item.name == kJpegComment || item.name == "APP13"; }

std::vector<KeptItem> items_left_out(const ImageMetadata& metadata, ImageFormat format) {
  if (metadata.format != format) return metadata.items;
  if (format != ImageFormat::kJpeg) return {};
  std::vector<KeptItem> items = metadata.items;
  std::erase_if(items, [](const KeptItem& item) { return is_kept_by_jpeg(item); });
  return items;
}

// Returns the metadata that the format cannot hold, among kinds common to all formats.
std::vector<std::string> unheld(const ImageInfo& info, const ImageEncoding& encoding) {
  const ImageMetadata& metadata = metadata_of(info);
  const ImageFormat format = encoding.format;
  std::vector<std::string> lost;
  if (!metadata.profile.empty() && !keeps_profile(info, encoding)) lost.emplace_back("the colour profile");
  if (metadata.chromaticities && !keeps_chromaticities(info, format))
    lost.emplace_back("the chromaticities of its colours");
  const bool has_unit = metadata.resolution && metadata.resolution->unit != Resolution::Unit::kNone;
  if (has_unit && format == ImageFormat::kRadiance) lost.emplace_back("the resolution");
  const bool is_jpeg = format == ImageFormat::kJpeg;
  if (!metadata.exif.empty() && format != ImageFormat::kPng && !(is_jpeg && jpeg_holds_exif(metadata)))
    lost.emplace_back("the EXIF data");
  if (!metadata.xmp.empty() && format != ImageFormat::kPng && format != ImageFormat::kTiff &&
      !(is_jpeg && jpeg_holds_xmp(metadata)))
    lost.emplace_back("the XMP data");
  return lost;
}

}  // namespace

Resolution Resolution::per(Unit wanted) const {
  if (unit == wanted || unit == Unit::kNone || wanted == Unit::kNone) return *this;
  const double factor = wanted == Unit::kMetre ? kInchesPerMetre : 1 / kInchesPerMetre;
  return {wanted, x * factor, y * factor};
}

const ImageMetadata& metadata_of(const ImageInfo& info) {
  static const ImageMetadata none;
  return info.metadata ? *info.metadata : none;
}

bool stores_floats(const ImageInfo& info, const ImageEncoding& encoding) {
  if (encoding.format != ImageFormat::kTiff) return encoding.format == ImageFormat::kOpenExr;
  return encoding.depth.has_value() || (info.format == ImageFormat::kTiff && info.is_float);
}

Transfer written_transfer(const ImageInfo& info, const ImageEncoding& encoding) {
  if (stores_floats(info, encoding)) return kLinearTransfer;
  const ImageMetadata& metadata = metadata_of(info);
  return encoding.format == ImageFormat::kPng && metadata.format == encoding.format ? metadata.transfer
                                                                                    : Transfer{};
}

bool stores_associated(const ImageInfo& info, const ImageEncoding& encoding) {
  if (encoding.format != ImageFormat::kTiff) return encoding.format == ImageFormat::kOpenExr;
  const ImageMetadata& metadata = metadata_of(info);
  if (metadata.format == ImageFormat::kTiff) return metadata.is_alpha_associated;
  return stores_floats(info, encoding);
}

bool keeps_profile(const ImageInfo& info, const ImageEncoding& encoding) {
  const ImageMetadata& metadata = metadata_of(info);
  if (metadata.profile.empty() || metadata.transfer != written_transfer(info, encoding)) return false;
  if (encoding.format == ImageFormat::kPng) return png_takes_profile(metadata.profile, info.is_gray);
  const bool is_of_gray = metadata.profile.size() > 20 && metadata.profile.compare(16, 4, "GRAY") == 0;
  if (encoding.format == ImageFormat::kJpeg && metadata.profile.size() > kMaxJpegProfileBytes) return false;
  return (encoding.format == ImageFormat::kTiff || encoding.format == ImageFormat::kJpeg) &&
         is_of_gray == info.is_gray;
}

bool keeps_chromaticities(const ImageInfo& info, ImageFormat format) {
  const std::optional<Chromaticities>& chromaticities = metadata_of(info).chromaticities;
  if (!chromaticities || format == ImageFormat::kOpenExr) return chromaticities.has_value();
  if (format == ImageFormat::kPng) return png_takes_chromaticities(*chromaticities);
  return format == ImageFormat::kTiff && are_unsigned(*chromaticities);
}

bool holds_orientation(const ImageInfo& info, ImageFormat format) {
  // JPEG and PNG hold the orientation in their EXIF data, which few programs read in a PNG. A JPEG
  // or PNG output holds it only if the image was read from the same format.
  if (format == ImageFormat::kJpeg)
    return info.format == ImageFormat::kJpeg && jpeg_holds_exif(metadata_of(info));
  return format == ImageFormat::kTiff || (format == ImageFormat::kPng && info.format == ImageFormat::kPng);
}

std::optional<Resolution> resolution_of(const ImageInfo& info) {
  const std::optional<Resolution>& own = metadata_of(info).resolution;
  if (own && std::abs(own->y / own->x / info.pixel_aspect - 1) < 1e-3) return own;
  if (info.pixel_aspect == 1 || !(info.pixel_aspect > 0)) return std::nullopt;
  constexpr double kLarge = 1 << 20;  // keeps the rounding error of the ratio small
  return info.pixel_aspect > 1 ? Resolution{Resolution::Unit::kNone, kLarge / info.pixel_aspect, kLarge}
                               : Resolution{Resolution::Unit::kNone, kLarge, kLarge * info.pixel_aspect};
}

std::vector<KeptItem> jpeg_items(const ImageMetadata& metadata) {
  std::vector<KeptItem> items;
  if (metadata.format != ImageFormat::kJpeg) return items;
  for (const KeptItem& item : metadata.items)
    if (is_kept_by_jpeg(item)) items.push_back(item);
  return items;
}

bool jpeg_holds_exif(const ImageMetadata& metadata) {
  return metadata.exif.size() <= kMaxMarkerBytes - kExifMarkBytes;
}

bool jpeg_holds_xmp(const ImageMetadata& metadata) {
  return metadata.xmp.size() <= kMaxMarkerBytes - kXmpMarkBytes;
}

std::vector<KeptItem> png_items(const ImageMetadata& metadata) {
  std::vector<KeptItem> items;
  if (metadata.format == ImageFormat::kPng) items = metadata.items;
  if (!metadata.exif.empty()) items.push_back({"eXIf", metadata.exif, 0, kBeforeSamples});
  if (!metadata.xmp.empty()) items.push_back(xmp_chunk(metadata.xmp));
  return items;
}

std::string profile_note(const std::string& profile, std::string_view reading) {
  const std::string name = profile_name(profile);
  return fmt::format("The image's colour profile{} is not followed; its samples are read as {}.",
                     name.empty() ? "" : " (" + name + ")", reading);
}

std::string orientation_note(int orientation) {
  return fmt::format("The image is to be shown turned (orientation {}); filters see it as it is stored.",
                     orientation);
}

void add_note(ImageInfo& info, std::string note) {
  if (std::ranges::find(info.notes, note) == info.notes.end()) info.notes.push_back(std::move(note));
}

std::vector<std::string> left_out(const ImageInfo& info, const ImageEncoding& encoding) {
  const ImageMetadata& metadata = metadata_of(info);
  const ImageFormat format = encoding.format;
  std::vector<std::string> lost = unheld(info, encoding);
  if (const std::vector<KeptItem> items = items_left_out(metadata, format); !items.empty())
    lost.push_back(fmt::format("{} of the {}", names_of(items), name_of(metadata.format)));
  if (metadata.format != format) {
    for (const std::string& other : metadata.others) lost.push_back(other);
  }
  const bool has_no_alpha = format == ImageFormat::kRadiance || format == ImageFormat::kJpeg;
  if (info.has_alpha && has_no_alpha) lost.emplace_back("alpha");
  if (info.data != info.display && format != ImageFormat::kOpenExr)
    lost.emplace_back("what lies outside the frame");
  std::vector<std::string> notes;
  if (!lost.empty())
    notes.push_back(fmt::format("Left out, as {} does not hold it here: {}.", name_of(format), joined(lost)));
  if (!info.has_alpha || has_no_alpha || info.format == format || !info.metadata) return notes;
  if (has_associated(info) && !stores_associated(info, encoding))
    notes.push_back(fmt::format("{} stores colours apart from alpha; colours where alpha is 0 are lost.",
                                name_of(format)));
  if (!has_associated(info) && stores_associated(info, encoding))
    notes.push_back(fmt::format("{} stores colours multiplied with alpha.", name_of(format)));
  return notes;
}

}  // namespace weft::media
