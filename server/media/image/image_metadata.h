// SPDX-License-Identifier: Apache-2.0
// What an image file says beside its samples, so that an output can say it again, or a note can say that it does not. Not for other
// folders.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/media/image/image.h"
#include "server/media/image/transfer.h"

namespace weft::media {

// Limits of what is kept beside samples. A file that says more loses it, with a note.
inline constexpr size_t kMaxProfileBytes = size_t{16}
                                           << 20;  // of an ICC profile, inflated; printers' have 4 MiB
inline constexpr size_t kMaxItemBytes = size_t{16} << 20;  // of any other item, as it is stored
inline constexpr int kMaxItems = 1000;                     // of a file

// CIE 1931 xy of the primaries and of white.
struct Chromaticities {
  double red_x = 0, red_y = 0, green_x = 0, green_y = 0, blue_x = 0, blue_y = 0, white_x = 0, white_y = 0;
};

// Pixels per unit; the unit may be unknown, and only the shape of a pixel is said then.
struct Resolution {
  enum class Unit { kNone, kInch, kMetre } unit = Unit::kNone;
  double x = 0, y = 0;
  Resolution per(Unit wanted) const;
};

// What no other format knows: a chunk of a PNG, a tag of a TIFF.
struct KeptItem {
  std::string name;  // "tEXt"
  std::string data;
  uint32_t tag = 0;  // of a TIFF
  int place = 0;     // of a PNG: as libpng counts where in the file it was
};

class ImageMetadata {
 public:
  ImageFormat format = ImageFormat::kOpenExr;  // that it was read from
  Transfer transfer{};                         // of the codes that were read
  std::string profile{};                       // ICC
  std::optional<Chromaticities> chromaticities{};
  std::optional<Resolution> resolution{};
  std::string exif{};  // from its byte order on
  std::string xmp{};
  std::vector<KeptItem> items{};

  // PNG
  std::optional<int32_t> gamma{};    // times 100000
  std::optional<int> srgb_intent{};  // its sRGB chunk's
  // TIFF
  bool is_alpha_associated = false;
  bool is_signed = false;
  int compression = 0;
  // OpenEXR: what beside the colours only another OpenEXR file holds: "the channels Z, id".
  std::vector<std::string> others{};
};

// Those of the image, or what is so where there are none.
const ImageMetadata& metadata_of(const ImageFacts& facts);

// Whether an output stores floats, where its format has both.
bool stores_floats(const ImageFacts& facts, const ImageEncoding& encoding);
// The curve of the codes of an output.
Transfer written_transfer(const ImageFacts& facts, const ImageEncoding& encoding);
// What an output says of its colours. A profile stays where the curve of the codes that it speaks of does; neither is written where the
// format has no place for it, or would not take it.
bool keeps_profile(const ImageFacts& facts, const ImageEncoding& encoding);
bool keeps_chromaticities(const ImageFacts& facts, ImageFormat format);
// Whether an output holds how the picture is to be turned; else its pixels are turned.
bool holds_orientation(const ImageFacts& facts, ImageFormat format);
// What an output says: the file's own as long as its pixels have their shape, else that shape alone.
std::optional<Resolution> resolution_of(const ImageFacts& facts);
inline constexpr std::string_view kJpegComment = "comment";
// What a JPEG output says beside EXIF data, XMP and profile: the comments and IPTC data (APP13) of a JPEG. Other markers count bytes of their
// own file.
std::vector<KeptItem> jpeg_items(const ImageMetadata& metadata);
// Whether they fit into a marker.
bool jpeg_holds_exif(const ImageMetadata& metadata);
bool jpeg_holds_xmp(const ImageMetadata& metadata);
// The chunks of a PNG output beside those that libpng writes.
std::vector<KeptItem> png_items(const ImageMetadata& metadata);

// Whether alpha is in an output's colours.
bool stores_associated(const ImageFacts& facts, const ImageEncoding& encoding);

// "The image's colour profile (Display P3) is not followed; ...". `reading`: how its samples are read instead.
std::string profile_note(const std::string& profile, std::string_view reading);
// Of a picture that is to be shown turned.
std::string orientation_note(int orientation);
// Adds a note unless it is there.
void add_note(ImageFacts& facts, std::string note);

}  // namespace weft::media
