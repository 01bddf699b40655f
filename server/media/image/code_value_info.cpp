// SPDX-License-Identifier: Apache-2.0
// Determines the properties of an image file's code values, for a texture made from them.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "server/media/image/image_codes.h"
#include "server/media/image/image_formats.h"
#include "server/media/image/image_metadata.h"

namespace weft::media {
namespace {

using Primaries = CodeValueInfo::Primaries;

// Known primaries: x and y of red, green and blue, with the white D65, and the XYZ that ICC
// profiles hold for them, adapted to D50.
struct KnownPrimaries {
  Primaries name;
  std::array<double, 6> xy;
  std::array<double, 9> profile;
};
constexpr KnownPrimaries kKnown[] = {
    {Primaries::kBt709,
     {0.640, 0.330, 0.300, 0.600, 0.150, 0.060},
     {0.4361, 0.2225, 0.0139, 0.3851, 0.7169, 0.0971, 0.1431, 0.0606, 0.7141}},
    {Primaries::kBt2020,
     {0.708, 0.292, 0.170, 0.797, 0.131, 0.046},
     {0.6735, 0.2790, -0.0019, 0.1657, 0.6753, 0.0300, 0.1251, 0.0456, 0.7969}},
    {Primaries::kDisplayP3,
     {0.680, 0.320, 0.265, 0.690, 0.150, 0.060},
     {0.5151, 0.2412, -0.0011, 0.2920, 0.6922, 0.0419, 0.1571, 0.0666, 0.7841}},
    {Primaries::kAdobeRgb,
     {0.640, 0.330, 0.210, 0.710, 0.150, 0.060},
     {0.6097, 0.3111, 0.0195, 0.2053, 0.6257, 0.0609, 0.1492, 0.0632, 0.7446}},
};
constexpr double kWhiteX = 0.3127, kWhiteY = 0.3290;
constexpr double kSlack = 0.002;  // programs round the values differently
constexpr double kUsualGamma = 1 / 2.2, kGammaSlack = 0.005;

template <size_t kCount>
bool are_near(const std::array<double, kCount>& one, const std::array<double, kCount>& other) {
  return std::ranges::equal(one, other, [](double a, double b) { return std::abs(a - b) <= kSlack; });
}

Primaries primaries_of(const Chromaticities& c) {
  const std::array<double, 6> xy = {c.red_x, c.red_y, c.green_x, c.green_y, c.blue_x, c.blue_y};
  const bool is_d65 = std::abs(c.white_x - kWhiteX) <= kSlack && std::abs(c.white_y - kWhiteY) <= kSlack;
  const auto* found = std::ranges::find_if(kKnown, [&](const auto& each) { return are_near(each.xy, xy); });
  return is_d65 && found != std::end(kKnown) ? found->name : Primaries::kOther;
}

uint32_t big_number(std::string_view bytes, size_t at) {
  uint32_t value = 0;
  for (size_t i = 0; i < 4; i++) value = value << 8 | (at + i < bytes.size() ? uint8_t(bytes[at + i]) : 0u);
  return value;
}

// Compares the colorants of an ICC profile's matrix (ICC.1:2022, 9.2) with the known primaries.
Primaries primaries_of(std::string_view profile) {
  constexpr std::array<std::string_view, 3> kTags = {"rXYZ", "gXYZ", "bXYZ"};
  constexpr size_t kTableAt = 128, kEntryBytes = 12, kMostTags = 100;
  std::array<double, 9> xyz{};
  const size_t tags = std::min<size_t>(big_number(profile, kTableAt), kMostTags);
  for (size_t i = 0; i < tags; i++) {
    const size_t entry = kTableAt + 4 + i * kEntryBytes;
    if (profile.size() < entry + kEntryBytes) break;
    const auto* tag = std::ranges::find(kTags, profile.substr(entry, 4));
    if (tag == kTags.end()) continue;
    const size_t at = big_number(profile, entry + 4) + size_t{8};
    for (size_t axis = 0; axis < 3; axis++)
      xyz[size_t(tag - kTags.begin()) * 3 + axis] = int32_t(big_number(profile, at + 4 * axis)) / 65536.0;
  }
  const auto* found =
      std::ranges::find_if(kKnown, [&](const auto& each) { return are_near(each.profile, xyz); });
  return found == std::end(kKnown) ? Primaries::kOther : found->name;
}

// Returns the primaries of a PNG's cICP chunk (ITU-T H.273), or nullopt without that chunk.
std::optional<Primaries> primaries_of_cicp(const ImageMetadata& metadata) {
  const auto cicp = std::ranges::find(metadata.items, "cICP", &KeptItem::name);
  if (metadata.format != ImageFormat::kPng || cicp == metadata.items.end() || cicp->data.empty())
    return std::nullopt;
  switch (uint8_t(cicp->data[0])) {
    case 1:
      return Primaries::kBt709;
    case 9:
      return Primaries::kBt2020;
    case 12:
      return Primaries::kDisplayP3;
    default:
      return Primaries::kOther;
  }
}

// Returns the first declaration in PNG's order of precedence: cICP, profile, sRGB, chromaticities.
Primaries primaries_of(const ImageMetadata& metadata) {
  if (const auto said = primaries_of_cicp(metadata)) return *said;
  if (!metadata.profile.empty()) return primaries_of(metadata.profile);
  if (metadata.srgb_intent) return Primaries::kBt709;
  return metadata.chromaticities ? primaries_of(*metadata.chromaticities) : Primaries::kNotSaid;
}

void note_transfer(const ImageMetadata& metadata, CodeValueInfo& found) {
  const Transfer& transfer = metadata.transfer;
  if (transfer.curve != Transfer::Curve::kGamma || found.is_linear) return;
  if (std::abs(transfer.exponent - kUsualGamma) > kGammaSlack)
    found.notes.push_back(fmt::format(
        "The image states a gamma of {:.4g}; its codes are kept, and taken for sRGB.", transfer.exponent));
}

void note_rest(const ImageInfo& code_info, const ImageMetadata& metadata, CodeValueInfo& found) {
  std::vector<std::string> rest;
  if (!metadata.exif.empty()) rest.emplace_back("the EXIF data");
  if (!metadata.xmp.empty()) rest.emplace_back("the XMP data");
  if (metadata.resolution && metadata.resolution->unit != Resolution::Unit::kNone)
    rest.emplace_back("the resolution");
  if (code_info.pixel_aspect != 1) rest.emplace_back("the shape of its pixels");
  for (const KeptItem& item : metadata.items)
    if (item.name != "cICP" && std::ranges::find(rest, item.name) == rest.end()) rest.push_back(item.name);
  if (rest.empty()) return;
  found.notes.push_back(fmt::format("Left out, as a texture does not hold it here: {}.",
                                    fmt::format("{}", fmt::join(rest, ", "))));
}

}  // namespace

CodeValueInfo code_value_info_of(const ImageInfo& code_info) {
  const ImageMetadata& metadata = metadata_of(code_info);
  CodeValueInfo found;
  const bool swaps = swaps_sides(code_info.orientation);
  found.width = swaps ? code_info.data.height : code_info.data.width;
  found.height = swaps ? code_info.data.width : code_info.data.height;
  found.has_alpha = code_info.has_alpha;
  found.is_premultiplied = code_info.has_alpha && metadata.is_alpha_associated;
  found.is_linear = metadata.transfer == kLinearTransfer;
  found.primaries = primaries_of(metadata);
  for (const std::string& note : code_info.notes)
    if (note != orientation_note(code_info.orientation)) found.notes.push_back(note);
  if (code_info.bit_depth > 8)
    found.notes.push_back(
        fmt::format("The image has {} bits a channel; they are rounded to the 8 that textures have here.",
                    code_info.bit_depth));
  note_transfer(metadata, found);
  note_rest(code_info, metadata, found);
  return found;
}

}  // namespace weft::media
