// SPDX-License-Identifier: Apache-2.0
// Tags of TIFF 6.0 and Adobe's additions: XMP (700), Photoshop's resources (34377), ICC profiles
// (34675).
#include "server/media/image/tiff_tags.h"

#include <algorithm>
#include <array>

namespace weft::media {

namespace {

// Text tags that are copied from one TIFF to another.
constexpr uint32_t kTexts[] = {
    TIFFTAG_DOCUMENTNAME, TIFFTAG_IMAGEDESCRIPTION, TIFFTAG_MAKE,   TIFFTAG_MODEL,        TIFFTAG_PAGENAME,
    TIFFTAG_SOFTWARE,     TIFFTAG_DATETIME,         TIFFTAG_ARTIST, TIFFTAG_HOSTCOMPUTER, TIFFTAG_COPYRIGHT};
// Tags that are not reported as lost: the reader interprets them, or they describe the packing of
// the old samples.
constexpr uint32_t kFollowed[] = {
    TIFFTAG_ICCPROFILE,      TIFFTAG_XMLPACKET,         TIFFTAG_PRIMARYCHROMATICITIES,
    TIFFTAG_WHITEPOINT,      TIFFTAG_PREDICTOR,         TIFFTAG_JPEGTABLES,
    TIFFTAG_STONITS,         TIFFTAG_YCBCRCOEFFICIENTS, TIFFTAG_REFERENCEBLACKWHITE,
    TIFFTAG_SMINSAMPLEVALUE, TIFFTAG_SMAXSAMPLEVALUE,   TIFFTAG_INKNAMES};

bool is_among(uint32_t tag, auto& tags) { return std::ranges::find(tags, tag) != std::end(tags); }

// Returns the bytes of a tag that has a count. Returns an empty string, with a note, if there are
// more than `most` bytes.
std::string bytes_of(TIFF* tiff, uint32_t tag, size_t most, ImageInfo& info) {
  uint32_t count = 0;
  const void* data = nullptr;
  if (TIFFGetField(tiff, tag, &count, &data) != 1 || data == nullptr) return "";
  if (count <= most) return std::string(static_cast<const char*>(data), count);
  add_note(info, fmt::format("The TIFF's tag {} has {} bytes, at most {} are kept; it is left out.", tag,
                             count, most));
  return "";
}

void read_resolution(TIFF* tiff, ImageInfo& info, ImageMetadata& metadata) {
  float x = 0, y = 0;
  TIFFGetField(tiff, TIFFTAG_XRESOLUTION, &x);
  TIFFGetField(tiff, TIFFTAG_YRESOLUTION, &y);
  if (!(x > 0) || !(y > 0) || x > 1e9f || y > 1e9f) return;
  uint16_t unit = RESUNIT_INCH;
  TIFFGetFieldDefaulted(tiff, TIFFTAG_RESOLUTIONUNIT, &unit);
  constexpr double kCentimetres = 100;  // centimetres in a metre
  if (unit == RESUNIT_CENTIMETER)
    metadata.resolution = {Resolution::Unit::kMetre, x * kCentimetres, y * kCentimetres};
  else
    metadata.resolution = {unit == RESUNIT_INCH ? Resolution::Unit::kInch : Resolution::Unit::kNone, x, y};
  info.pixel_aspect = double(y) / x;
}

void read_colours(TIFF* tiff, ImageInfo& info, ImageMetadata& metadata) {
  metadata.profile = bytes_of(tiff, TIFFTAG_ICCPROFILE, kMaxProfileBytes, info);
  if (!metadata.profile.empty())
    add_note(info, profile_note(metadata.profile, info.is_float ? "linear light" : "sRGB"));
  const float *white = nullptr, *primaries = nullptr;
  if (TIFFGetField(tiff, TIFFTAG_WHITEPOINT, &white) == 1 &&
      TIFFGetField(tiff, TIFFTAG_PRIMARYCHROMATICITIES, &primaries) == 1)
    metadata.chromaticities = {primaries[0], primaries[1], primaries[2], primaries[3],
                               primaries[4], primaries[5], white[0],     white[1]};
  std::array<uint16_t*, 3> curves{};
  if (TIFFGetField(tiff, TIFFTAG_TRANSFERFUNCTION, &curves[0], &curves[1], &curves[2]) == 1)
    add_note(info,
             "The TIFF's transfer function (tag 301) is not followed, and left out; its samples are read as "
             "sRGB.");
}

void note_pages(TIFF* tiff, ImageInfo& info) {
  if (TIFFLastDirectory(tiff) == 0)
    add_note(info, "The TIFF has more than one page; the first page is taken, and the others are left out.");
  uint16_t count = 0;
  const uint64_t* offsets = nullptr;
  if (TIFFGetField(tiff, TIFFTAG_SUBIFD, &count, &offsets) == 1 && count > 0)
    add_note(info, fmt::format("The TIFF's page has {} pictures below it, which are left out.", count));
}

std::string name_of_tag(TIFF* tiff, uint32_t tag) {
  const TIFFField* field = TIFFFieldWithTag(tiff, tag);
  const std::string name = field != nullptr ? TIFFFieldName(field) : "";
  return name.empty() ? fmt::format("Tag {}", tag) : name;
}

}  // namespace

void read_tags(TIFF* tiff, ImageInfo& info, ImageMetadata& metadata) {
  uint16_t orientation = ORIENTATION_TOPLEFT;
  TIFFGetFieldDefaulted(tiff, TIFFTAG_ORIENTATION, &orientation);
  info.orientation = orientation >= 1 && orientation <= 8 ? orientation : 1;
  read_resolution(tiff, info, metadata);
  read_colours(tiff, info, metadata);
  metadata.xmp = bytes_of(tiff, TIFFTAG_XMLPACKET, kMaxItemBytes, info);
  std::string unkept;
  for (int i = 0, count = TIFFGetTagListCount(tiff); i < count; i++) {
    const uint32_t tag = TIFFGetTagListEntry(tiff, i);
    const char* text = nullptr;
    if (is_among(tag, kFollowed)) continue;
    if (is_among(tag, kTexts) && TIFFGetField(tiff, tag, &text) == 1 && text != nullptr)
      metadata.items.push_back({name_of_tag(tiff, tag), text, tag});
    else if (tag == TIFFTAG_PHOTOSHOP)
      metadata.items.push_back({name_of_tag(tiff, tag), bytes_of(tiff, tag, kMaxItemBytes, info), tag});
    else if (i < kMaxItems)
      unkept += (unkept.empty() ? "" : ", ") + name_of_tag(tiff, tag);
  }
  if (!unkept.empty()) add_note(info, fmt::format("Tags of the TIFF are left out of an output: {}.", unkept));
  note_pages(tiff, info);
}

bool write_tags(TIFF* tiff, const ImageInfo& info, const ImageEncoding& encoding) {
  const ImageMetadata& metadata = metadata_of(info);
  bool is_set = TIFFSetField(tiff, TIFFTAG_ORIENTATION, info.orientation) == 1;
  if (const std::optional<Resolution> resolution = resolution_of(info)) {
    const bool is_metric = resolution->unit == Resolution::Unit::kMetre;
    const double divisor = is_metric ? 100 : 1;
    is_set &= TIFFSetField(tiff, TIFFTAG_XRESOLUTION, resolution->x / divisor) == 1;
    is_set &= TIFFSetField(tiff, TIFFTAG_YRESOLUTION, resolution->y / divisor) == 1;
    const int unit = is_metric                                     ? RESUNIT_CENTIMETER
                     : resolution->unit == Resolution::Unit::kInch ? RESUNIT_INCH
                                                                   : RESUNIT_NONE;
    is_set &= TIFFSetField(tiff, TIFFTAG_RESOLUTIONUNIT, unit) == 1;
  }
  if (keeps_profile(info, encoding))
    is_set &= TIFFSetField(tiff, TIFFTAG_ICCPROFILE, uint32_t(metadata.profile.size()),
                           metadata.profile.data()) == 1;
  if (!metadata.xmp.empty())
    is_set &= TIFFSetField(tiff, TIFFTAG_XMLPACKET, uint32_t(metadata.xmp.size()), metadata.xmp.data()) == 1;
  if (const std::optional<Chromaticities>& c = metadata.chromaticities;
      keeps_chromaticities(info, encoding.format)) {
    const std::array<float, 6> primaries = {float(c->red_x),   float(c->red_y),  float(c->green_x),
                                            float(c->green_y), float(c->blue_x), float(c->blue_y)};
    const std::array<float, 2> white = {float(c->white_x), float(c->white_y)};
    is_set &= TIFFSetField(tiff, TIFFTAG_PRIMARYCHROMATICITIES, primaries.data()) == 1;
    is_set &= TIFFSetField(tiff, TIFFTAG_WHITEPOINT, white.data()) == 1;
  }
  if (metadata.format != ImageFormat::kTiff) return is_set;
  for (const KeptItem& item : metadata.items) {
    if (item.tag == TIFFTAG_PHOTOSHOP)
      is_set &= TIFFSetField(tiff, item.tag, uint32_t(item.data.size()), item.data.data()) == 1;
    else
      is_set &= TIFFSetField(tiff, item.tag, item.data.c_str()) == 1;
  }
  return is_set;
}

}  // namespace weft::media
