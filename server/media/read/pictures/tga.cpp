// SPDX-License-Identifier: Apache-2.0
#include "server/media/read/pictures/tga.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

#include <unistd.h>

#include "server/media/ffmpeg.h"
#include "server/media/file_bytes.h"
#include "server/media/file_calls.h"
#include "server/media/read/pictures/tga_extension.h"

namespace weft::media {
namespace {

constexpr size_t kTgaHeaderBytes = 18;
constexpr int kColours = 2, kGray = 3, kRle = 8;  // image types
constexpr int kMostRun = 128;                     // largest number of pixels in an RLE packet
constexpr uint8_t kAlphaBits = 0x0f;              // bits of the descriptor that count alpha bits

struct TgaHeader {
  TgaPicture picture{};
  int bytes_a_pixel = 0;
  bool is_alpha_said = false;  // the file declares its alpha
};

StatusOr<TgaHeader> read_header(std::string_view bytes, const InputFile& file) {
  if (bytes.size() < kTgaHeaderBytes)
    return data_loss("The TGA image ({}) is damaged: its header is cut off.", file.name());
  const auto at = [&](size_t i) { return int(uint8_t(bytes[i])); };
  const int type = at(2), depth = at(16), descriptor = at(17);
  const int plain = type & ~kRle;
  const bool is_known = (plain == kGray && depth == 8) || (plain == kColours && (depth == 24 || depth == 32));
  if (!is_known || at(1) > 1)
    return invalid_argument(
        "The TGA image ({}) is of a kind that is not read here (type {}, {} bits); give 8 bits of gray, or "
        "24 or "
        "32 of colours.",
        file.name(), type, depth);
  TgaHeader header;
  header.picture.width = at(12) | at(13) << 8;
  header.picture.height = at(14) | at(15) << 8;
  header.picture.has_alpha = depth == 32;
  if (at(0) > 0) header.picture.others.emplace_back("the picture's name");
  header.is_alpha_said = (descriptor & kAlphaBits) != 0;
  header.bytes_a_pixel = depth / 8;
  if (header.picture.width == 0 || header.picture.height == 0)
    return data_loss("The TGA image ({}) is damaged: it has {}x{} pixels.", file.name(), header.picture.width,
                     header.picture.height);
  const int64_t pixels = int64_t(header.picture.width) * header.picture.height;
  const int64_t skipped = int64_t(kTgaHeaderBytes) + at(0) + int64_t(at(5) | at(6) << 8) * ((at(7) + 7) / 8);
  const int64_t needed = (type & kRle) != 0 ? (pixels + kMostRun - 1) / kMostRun * (1 + header.bytes_a_pixel)
                                            : pixels * header.bytes_a_pixel;
  if (needed > file.bytes() - skipped)
    return data_loss(
        "The TGA image ({}) is damaged: {}x{} pixels take {} bytes or more behind the header, and {} are "
        "there.",
        file.name(), header.picture.width, header.picture.height, needed,
        std::max<int64_t>(0, file.bytes() - skipped));
  if (header.picture.width > kMaxTgaSide || header.picture.height > kMaxTgaSide)
    return invalid_argument("The TGA image ({}) is too large: it has {}x{} pixels, a side at most {}.",
                            file.name(), header.picture.width, header.picture.height, kMaxTgaSide);
  return header;
}

// Reads the extension after the picture of a version 2.0 file.
Status take_extension(const InputFile& file, TgaHeader& header) {
  ASSIGN_OR_RETURN(TgaExtension extension, read_tga_extension(file));
  TgaPicture& picture = header.picture;
  picture.others.insert(picture.others.end(), extension.others.begin(), extension.others.end());
  if (!picture.has_alpha || extension.alpha == TgaExtension::Alpha::kNotSaid) return ok_status();
  header.is_alpha_said = true;
  picture.has_alpha = extension.alpha != TgaExtension::Alpha::kNone;
  picture.is_premultiplied = extension.alpha == TgaExtension::Alpha::kPremultiplied;
  return ok_status();
}

Status no_memory(const InputFile& file) {
  return resource_exhausted("There is no memory to read the image ({}).", file.name());
}

StatusOr<FramePtr> decode(const InputFile& file, const std::string& bytes) {
  const LogScope log;
  const AVCodec* codec = avcodec_find_decoder(AV_CODEC_ID_TARGA);
  if (codec == nullptr) return unimplemented("This FFmpeg reads no TGA; install one with its decoder targa.");
  const CodecPtr context(avcodec_alloc_context3(codec));
  const PacketPtr packet(av_packet_alloc());
  FramePtr frame(av_frame_alloc());
  if (!context || !packet || !frame || av_new_packet(packet.get(), int(bytes.size())) < 0)
    return no_memory(file);
  std::memcpy(packet->data, bytes.data(), bytes.size());
  context->thread_count = 1;
  context->err_recognition = AV_EF_EXPLODE;
  int result = avcodec_open2(context.get(), codec, nullptr);
  if (result >= 0) result = avcodec_send_packet(context.get(), packet.get());
  if (result >= 0) result = avcodec_receive_frame(context.get(), frame.get());
  if (result == AVERROR(ENOMEM)) return no_memory(file);
  if (result < 0)
    return data_loss("The TGA image ({}) is damaged: {}{}.", file.name(), error_text(result), log.remark());
  return frame;
}

// Converts a row of FFmpeg's frame to red, green, blue and alpha.
void to_rgba(const uint8_t* from, int width, int bytes_a_pixel, char* to) {
  for (int x = 0; x < width; x++, from += bytes_a_pixel, to += 4) {
    const bool is_gray = bytes_a_pixel == 1;
    to[0] = char(from[is_gray ? 0 : 2]);
    to[1] = char(from[is_gray ? 0 : 1]);
    to[2] = char(from[0]);
    to[3] = char(bytes_a_pixel == 4 ? from[3] : 255);
  }
}

// Makes alpha opaque if the file has none. Some writers of 32-bit files store 0 and do not declare
// that alpha is unused.
void settle_alpha(const TgaHeader& header, TgaPicture& picture) {
  if (header.is_alpha_said && picture.has_alpha) return;
  for (size_t i = 3; i < picture.rgba.size() && !header.is_alpha_said; i += 4)
    if (picture.rgba[i] != 0) return;
  for (size_t i = 3; i < picture.rgba.size(); i += 4) picture.rgba[i] = char(255);
  picture.has_alpha = false;
}

}  // namespace

bool is_tga(const InputFile& file) {
  std::string name(file.name());
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return char(std::tolower(c)); });
  return name.ends_with(".tga");
}

StatusOr<TgaPicture> probe_tga(const InputFile& file) {
  const FileCall call("read", file.name());
  std::array<char, kTgaHeaderBytes> begin{};
  ssize_t count = -1;
  while ((count = ::pread(file.descriptor(), begin.data(), begin.size(), 0)) < 0 && errno == EINTR) {
  }
  if (count < 0) return system_error(errno, "read", file.name());
  ASSIGN_OR_RETURN(TgaHeader header, read_header({begin.data(), size_t(count)}, file));
  RETURN_IF_ERROR(take_extension(file, header));
  return std::move(header.picture);
}

StatusOr<TgaPicture> read_tga(const InputFile& file) {
  ASSIGN_OR_RETURN(const auto bytes, load_file(file, kMaxTgaFileBytes, "image"));
  ASSIGN_OR_RETURN(TgaHeader header, read_header(*bytes, file));
  RETURN_IF_ERROR(take_extension(file, header));
  ASSIGN_OR_RETURN(const FramePtr frame, decode(file, *bytes));
  TgaPicture picture = header.picture;
  constexpr std::array kFormats = {AV_PIX_FMT_NONE, AV_PIX_FMT_GRAY8, AV_PIX_FMT_NONE, AV_PIX_FMT_BGR24,
                                   AV_PIX_FMT_BGRA};
  if (frame->width != picture.width || frame->height != picture.height ||
      frame->format != kFormats[size_t(header.bytes_a_pixel)])
    return data_loss("The TGA image ({}) is damaged: its header and its picture differ.", file.name());
  const size_t row_bytes = size_t(picture.width) * 4;
  try {
    picture.rgba.resize(row_bytes * size_t(picture.height));
  } catch (const std::bad_alloc&) {
    return no_memory(file);
  }
  for (int y = 0; y < picture.height; y++) {
    to_rgba(frame->data[0] + ptrdiff_t(y) * frame->linesize[0], picture.width, header.bytes_a_pixel,
            picture.rgba.data() + size_t(y) * row_bytes);
    chunk_done();
  }
  settle_alpha(header, picture);
  return picture;
}

}  // namespace weft::media
