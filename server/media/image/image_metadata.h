// SPDX-License-Identifier: Apache-2.0
// Holds the metadata of an image file, which is written to an output or reported as lost. Other
// folders must not include this file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/media/image/image.h"
#include "server/media/image/transfer.h"

namespace weft::media {

// Limits of stored metadata. Items that exceed a limit are dropped, with a note.
// bytes of an ICC profile after decompression
inline constexpr size_t kMaxProfileBytes = size_t{16} << 20;
inline constexpr size_t kMaxItemBytes = size_t{16} << 20;  // bytes of any other item as stored
inline constexpr int kMaxItems = 1000;                     // items of one file

// CIE 1931 x and y of the primaries and of white.
struct Chromaticities {
  double red_x = 0, red_y = 0, green_x = 0, green_y = 0, blue_x = 0, blue_y = 0, white_x = 0, white_y = 0;
};

// Pixels per unit. If the unit is unknown, only the ratio of x and y is meaningful.
struct Resolution {
  enum class Unit { kNone, kInch, kMetre } unit = Unit::kNone;
  double x = 0, y = 0;
  Resolution per(Unit wanted) const;
};

// An item that only its own format can hold: a chunk of a PNG, a tag of a TIFF.
struct KeptItem {
  std::string name;  // "tEXt"
  std::string data;
  uint32_t tag = 0;  // TIFF tag
  int location = 0;  // location of a PNG chunk in the file, as libpng's flag
};

class ImageMetadata {
 public:
  ImageFormat format = ImageFormat::kOpenExr;  // format of the file that was read
  // transfer function of the code values that were read
  Transfer transfer{};
  std::string profile{};  // ICC profile
  std::optional<Chromaticities> chromaticities{};
  std::optional<Resolution> resolution{};
  std::string exif{};  // EXIF data, beginning with the byte order
  std::string xmp{};
  std::vector<KeptItem> items{};

  // PNG only
  std::optional<int32_t> gamma{};    // value of the gAMA chunk: the gamma times 100000
  std::optional<int> srgb_intent{};  // rendering intent of the sRGB chunk
  // TIFF only
  bool is_alpha_associated = false;
  bool is_signed = false;
  int compression = 0;
  // OpenEXR: descriptions of data that only another OpenEXR file can hold, other than the colours:
  // "the channels Z, id"
  std::vector<std::string> others{};
};

// Returns the image's metadata, or empty defaults.
const ImageMetadata& metadata_of(const ImageInfo& info);

// Returns true if an output stores floats. Only OpenEXR and TIFF can.
bool stores_floats(const ImageInfo& info, const ImageEncoding& encoding);
// Returns the transfer function of an output's code values.
Transfer written_transfer(const ImageInfo& info, const ImageEncoding& encoding);
// These return true if an output keeps a colour declaration of the image. A profile is kept if the
// output's codes keep their transfer function. A declaration is dropped if the format has no field
// for it or its library rejects it.
bool keeps_profile(const ImageInfo& info, const ImageEncoding& encoding);
bool keeps_chromaticities(const ImageInfo& info, ImageFormat format);
// Returns true if an output stores the orientation; otherwise its pixels are rotated.
bool holds_orientation(const ImageInfo& info, ImageFormat format);
// Returns an output's resolution: the file's own while the pixel aspect ratio is unchanged, else
// only the ratio.
std::optional<Resolution> resolution_of(const ImageInfo& info);
inline constexpr std::string_view kJpegComment = "comment";
// Returns the items of a JPEG output other than EXIF data, XMP and profile: comments and IPTC data
// (APP13) that were read from a JPEG. Other markers are dropped, since they hold byte offsets into
// the old file.
std::vector<KeptItem> jpeg_items(const ImageMetadata& metadata);
// These return true if the data fits into a JPEG marker.
bool jpeg_holds_exif(const ImageMetadata& metadata);
bool jpeg_holds_xmp(const ImageMetadata& metadata);
// Returns the chunks of a PNG output that libpng does not write itself.
std::vector<KeptItem> png_items(const ImageMetadata& metadata);

// Returns true if an output stores colours that are premultiplied by alpha.
bool stores_associated(const ImageInfo& info, const ImageEncoding& encoding);

// Returns a note: "The image's colour profile (Display P3) is not followed; ...". `reading` names
// the interpretation of the samples that is used instead.
std::string profile_note(const std::string& profile, std::string_view reading);
// Returns a note about an orientation other than 1.
std::string orientation_note(int orientation);
// Adds a note unless `info` already contains it.
void add_note(ImageInfo& info, std::string note);

}  // namespace weft::media
