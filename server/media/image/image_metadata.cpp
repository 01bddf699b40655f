// SPDX-License-Identifier: Apache-2.0
#include "server/media/image/image_metadata.h"

#include <algorithm>
#include <cmath>

#include "server/media/image/image_formats.h"

namespace weft::media {

namespace {

constexpr double kInchesPerMetre = 1 / 0.0254;
constexpr size_t kMaxMarkerBytes = 0xffff - 2;        // of a JPEG
constexpr size_t kMaxJpegProfileBytes = 255 * 65519;  // in so many markers
constexpr size_t kExifMarkBytes = 6, kXmpMarkBytes = 29;
constexpr int kBeforeSamples = 1;  // where libpng puts a chunk: behind the header

uint32_t profile_number(std::string_view bytes, size_t at) {
  uint32_t value = 0;
  for (size_t i = 0; i < 4; i++) value = value << 8 | (at + i < bytes.size() ? uint8_t(bytes[at + i]) : 0u);
  return value;
}

// The text of a profile's description (ICC.1:2022, 9.2.41; ICC.1:2001-04, 6.5.17), as far as it is ASCII.
std::string profile_name(std::string_view profile) {
  const size_t tags = std::min<size_t>(profile_number(profile, 128), 100);
  for (size_t i = 0; i < tags; i++) {
    const size_t entry = 132 + i * 12;
    if (profile.size() < entry + 12 || profile.substr(entry, 4) != "desc") continue;
    const size_t at = profile_number(profile, entry + 4);
    if (at + 28 > profile.size()) return "";
    const bool is_wide = profile.substr(at, 4) == "mluc";  // UTF-16
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

// A chunk of international text, not compressed (PNG, third edition, 11.3.3.4): what Adobe's XMP specification, part 3, asks for.
KeptItem xmp_chunk(const std::string& xmp) {
  return {"iTXt", std::string("XML:com.adobe.xmp\0\0\0\0\0", 22) + xmp, 0, kBeforeSamples};
}

// TIFF's numbers have no sign.
bool are_unsigned(const Chromaticities& c) {
  const auto fits = [](double x, double y) { return x >= 0 && y > 0 && x + y <= 1; };
  return fits(c.red_x, c.red_y) && fits(c.green_x, c.green_y) && fits(c.blue_x, c.blue_y) &&
         fits(c.white_x, c.white_y);
}

// Of the file that was read.
bool has_associated(const ImageFacts& facts) {
  if (facts.format == ImageFormat::kTiff) return metadata_of(facts).is_alpha_associated;
  return facts.format == ImageFormat::kOpenExr;
}

bool is_kept_by_jpeg(const KeptItem& item) { return item.name == kJpegComment || item.name == "APP13"; }

std::vector<KeptItem> items_left_out(const ImageMetadata& metadata, ImageFormat format) {
  if (metadata.format != format) return metadata.items;
  if (format != ImageFormat::kJpeg) return {};
  std::vector<KeptItem> items = metadata.items;
  std::erase_if(items, [](const KeptItem& item) { return is_kept_by_jpeg(item); });
  return items;
}

// What the format cannot hold of what every format might.
std::vector<std::string> unheld(const ImageFacts& facts, const ImageEncoding& encoding) {
  const ImageMetadata& metadata = metadata_of(facts);
  const ImageFormat format = encoding.format;
  std::vector<std::string> lost;
  if (!metadata.profile.empty() && !keeps_profile(facts, encoding)) lost.emplace_back("the colour profile");
  if (metadata.chromaticities && !keeps_chromaticities(facts, format))
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

const ImageMetadata& metadata_of(const ImageFacts& facts) {
  static const ImageMetadata none;
  return facts.metadata ? *facts.metadata : none;
}

bool stores_floats(const ImageFacts& facts, const ImageEncoding& encoding) {
  if (encoding.format != ImageFormat::kTiff) return encoding.format == ImageFormat::kOpenExr;
  return encoding.depth.has_value() || (facts.format == ImageFormat::kTiff && facts.is_float);
}

Transfer written_transfer(const ImageFacts& facts, const ImageEncoding& encoding) {
  if (stores_floats(facts, encoding)) return kLinearTransfer;
  const ImageMetadata& metadata = metadata_of(facts);
  return encoding.format == ImageFormat::kPng && metadata.format == encoding.format ? metadata.transfer
                                                                                    : Transfer{};
}

bool stores_associated(const ImageFacts& facts, const ImageEncoding& encoding) {
  if (encoding.format != ImageFormat::kTiff) return encoding.format == ImageFormat::kOpenExr;
  const ImageMetadata& metadata = metadata_of(facts);
  if (metadata.format == ImageFormat::kTiff) return metadata.is_alpha_associated;
  return stores_floats(facts, encoding);
}

bool keeps_profile(const ImageFacts& facts, const ImageEncoding& encoding) {
  const ImageMetadata& metadata = metadata_of(facts);
  if (metadata.profile.empty() || metadata.transfer != written_transfer(facts, encoding)) return false;
  if (encoding.format == ImageFormat::kPng) return png_takes_profile(metadata.profile, facts.is_gray);
  const bool is_of_gray = metadata.profile.size() > 20 && metadata.profile.compare(16, 4, "GRAY") == 0;
  if (encoding.format == ImageFormat::kJpeg && metadata.profile.size() > kMaxJpegProfileBytes) return false;
  return (encoding.format == ImageFormat::kTiff || encoding.format == ImageFormat::kJpeg) &&
         is_of_gray == facts.is_gray;
}

bool keeps_chromaticities(const ImageFacts& facts, ImageFormat format) {
  const std::optional<Chromaticities>& chromaticities = metadata_of(facts).chromaticities;
  if (!chromaticities || format == ImageFormat::kOpenExr) return chromaticities.has_value();
  if (format == ImageFormat::kPng) return png_takes_chromaticities(*chromaticities);
  return format == ImageFormat::kTiff && are_unsigned(*chromaticities);
}

bool holds_orientation(const ImageFacts& facts, ImageFormat format) {
  // A PNG says it in its EXIF data, which few programs look at: only one that was read so is written so.
  // A JPEG says it there, too.
  if (format == ImageFormat::kJpeg)
    return facts.format == ImageFormat::kJpeg && jpeg_holds_exif(metadata_of(facts));
  return format == ImageFormat::kTiff || (format == ImageFormat::kPng && facts.format == ImageFormat::kPng);
}

std::optional<Resolution> resolution_of(const ImageFacts& facts) {
  const std::optional<Resolution>& own = metadata_of(facts).resolution;
  if (own && std::abs(own->y / own->x / facts.pixel_aspect - 1) < 1e-3) return own;
  if (facts.pixel_aspect == 1 || !(facts.pixel_aspect > 0)) return std::nullopt;
  constexpr double kLarge = 1 << 20;  // so that rounding does not bend the shape
  return facts.pixel_aspect > 1 ? Resolution{Resolution::Unit::kNone, kLarge / facts.pixel_aspect, kLarge}
                                : Resolution{Resolution::Unit::kNone, kLarge, kLarge * facts.pixel_aspect};
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

void add_note(ImageFacts& facts, std::string note) {
  if (std::ranges::find(facts.notes, note) == facts.notes.end()) facts.notes.push_back(std::move(note));
}

std::vector<std::string> left_out(const ImageFacts& facts, const ImageEncoding& encoding) {
  const ImageMetadata& metadata = metadata_of(facts);
  const ImageFormat format = encoding.format;
  std::vector<std::string> lost = unheld(facts, encoding);
  if (const std::vector<KeptItem> items = items_left_out(metadata, format); !items.empty())
    lost.push_back(fmt::format("{} of the {}", names_of(items), name_of(metadata.format)));
  if (metadata.format != format) {
    for (const std::string& other : metadata.others) lost.push_back(other);
  }
  const bool has_no_alpha = format == ImageFormat::kRadiance || format == ImageFormat::kJpeg;
  if (facts.has_alpha && has_no_alpha) lost.emplace_back("alpha");
  if (facts.data != facts.display && format != ImageFormat::kOpenExr)
    lost.emplace_back("what lies outside the frame");
  std::vector<std::string> notes;
  if (!lost.empty())
    notes.push_back(fmt::format("Left out, as {} does not hold it here: {}.", name_of(format), joined(lost)));
  if (!facts.has_alpha || has_no_alpha || facts.format == format || !facts.metadata) return notes;
  if (has_associated(facts) && !stores_associated(facts, encoding))
    notes.push_back(fmt::format("{} stores colours apart from alpha; colours where alpha is 0 are lost.",
                                name_of(format)));
  if (!has_associated(facts) && stores_associated(facts, encoding))
    notes.push_back(fmt::format("{} stores colours multiplied with alpha.", name_of(format)));
  return notes;
}

}  // namespace weft::media
