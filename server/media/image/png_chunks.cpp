// SPDX-License-Identifier: Apache-2.0
#include "server/media/image/png_chunks.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

extern "C" {
#include <libavutil/crc.h>
}

namespace weft::media {

namespace {

constexpr size_t kSignatureBytes = 8;
constexpr size_t kAroundData = 12;  // length, type, sum

uint32_t big_endian(std::string_view bytes, size_t at) {
  uint32_t value = 0;
  for (size_t i = 0; i < 4; i++) value = value << 8 | uint8_t(bytes[at + i]);
  return value;
}

struct Chunk {
  std::string_view type;
  std::string_view data;
  std::string_view whole;
};

// The chunk at `at`; nullopt when it is cut off or its sum is wrong.
std::optional<Chunk> chunk_at(std::string_view bytes, size_t at) {
  if (bytes.size() < at || bytes.size() - at < kAroundData) return std::nullopt;
  const size_t length = big_endian(bytes, at);
  if (length > bytes.size() - at - kAroundData) return std::nullopt;
  const Chunk chunk{bytes.substr(at + 4, 4), bytes.substr(at + 8, length),
                    bytes.substr(at, length + kAroundData)};
  const uint32_t sum = ~av_crc(av_crc_get_table(AV_CRC_32_IEEE_LE), UINT32_MAX,
                               reinterpret_cast<const uint8_t*>(bytes.data()) + at + 4, length + 4);
  if (sum != big_endian(bytes, at + 8 + length)) return std::nullopt;
  return chunk;
}

bool is_ancillary(std::string_view type) { return (type[0] & 0x20) != 0; }

// Those whose meaning does not hang on the samples; what is unknown says so itself (its fourth letter is small).
bool is_kept(std::string_view type) {
  constexpr std::array<std::string_view, 6> kKnown = {"gAMA", "cHRM", "sRGB", "iCCP", "cICP", "pHYs"};
  constexpr std::array<std::string_view, 3> kOfTheOldFile = {"tIME", "bKGD", "hIST"};
  if (!is_ancillary(type) || std::ranges::find(kOfTheOldFile, type) != kOfTheOldFile.end()) return false;
  return std::ranges::find(kKnown, type) != kKnown.end() || (type[3] & 0x20) != 0;
}

// What decides, in the order in which they do (PNG, third edition, 4.3).
struct Declared {
  std::optional<int> cicp_transfer;
  bool profile = false;
  bool srgb = false;
  std::optional<double> gamma;
};

StatusOr<Transfer> transfer_of(const Declared& declared, PngFacts& facts, std::string_view name) {
  if (declared.cicp_transfer) {
    if (*declared.cicp_transfer == 8) return Transfer{Transfer::Curve::kGamma, 1};
    if (*declared.cicp_transfer == 13) return Transfer{};
    return invalid_argument(
        "The image ({}) declares the transfer curve {} of ITU-T H.273; sRGB (13) and linear (8) are known "
        "here.",
        name, *declared.cicp_transfer);
  }
  if (declared.profile)
    facts.notes.push_back("The image's colour profile is kept; its samples are read as sRGB.");
  if (declared.profile || declared.srgb || !declared.gamma) return Transfer{};
  if (*declared.gamma < kMinGamma || *declared.gamma > kMaxGamma)
    return invalid_argument("The image ({}) declares a gamma of {:g}, outside {} to {}.", name,
                            *declared.gamma, kMinGamma, kMaxGamma);
  return Transfer{Transfer::Curve::kGamma, *declared.gamma};
}

void take(const Chunk& chunk, PngFacts& facts, Declared& declared) {
  const std::string_view data = chunk.data;
  if (chunk.type == "cICP" && data.size() == 4) declared.cicp_transfer = uint8_t(data[1]);
  if (chunk.type == "iCCP") declared.profile = true;
  if (chunk.type == "sRGB") declared.srgb = true;
  if (chunk.type == "gAMA" && data.size() == 4) declared.gamma = big_endian(data, 0) / 100000.0;
  if (chunk.type == "pHYs" && data.size() == 9 && big_endian(data, 0) > 0 && big_endian(data, 4) > 0)
    facts.pixel_aspect = double(big_endian(data, 4)) / big_endian(data, 0);
  if (chunk.type == "acTL") facts.notes.push_back("The image is animated; only its first picture is taken.");
  if (is_kept(chunk.type)) facts.kept += chunk.whole;
}

}  // namespace

StatusOr<PngFacts> read_png_chunks(std::string_view bytes, std::string_view name) {
  PngFacts facts;
  Declared declared;
  bool has_samples = false;
  for (size_t at = kSignatureBytes;;) {
    const std::optional<Chunk> chunk = chunk_at(bytes, at);
    if (!chunk || (at == kSignatureBytes && (chunk->type != "IHDR" || chunk->data.size() != 13)))
      return data_loss("The PNG image ({}) is damaged or cut off near byte {}.", name, at);
    if (at == kSignatureBytes) {
      const auto side = [&](size_t place) {
        return int(std::min<uint32_t>(big_endian(chunk->data, place), INT32_MAX));
      };
      facts.width = side(0);
      facts.height = side(4);
      facts.bit_depth = uint8_t(chunk->data[8]);
    }
    take(*chunk, facts, declared);
    has_samples |= chunk->type == "IDAT";
    if (chunk->type == "IEND") break;
    at += chunk->whole.size();
  }
  if (!has_samples) return data_loss("The PNG image ({}) has no samples.", name);
  ASSIGN_OR_RETURN(facts.transfer, transfer_of(declared, facts, name));
  return facts;
}

std::string splice_chunks(std::string_view png, std::string_view kept) {
  std::string result(png.substr(0, kSignatureBytes));
  size_t at = kSignatureBytes;
  while (const std::optional<Chunk> chunk = chunk_at(png, at)) {
    at += chunk->whole.size();
    if (is_ancillary(chunk->type)) continue;
    result += chunk->whole;
    if (chunk->type == "IHDR") result += kept;
  }
  return result;
}

}  // namespace weft::media
