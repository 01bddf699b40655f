// SPDX-License-Identifier: Apache-2.0
// TIFF: FFmpeg packs and unpacks the samples, the curves between them and light are ours.
#include <algorithm>
#include <array>
#include <cstring>

#include "server/media/ffmpeg.h"
#include "server/media/image/image_formats.h"
#include "server/media/image/tiff_tags.h"
#include "server/media/image/transfer.h"

namespace weft::media {

namespace {

struct FfmpegOrigin final : ImageOrigin {
  ImageFormat format = ImageFormat::kPng;
  Transfer transfer{};
  bool is_alpha_associated = false;  // of a TIFF: its codes are of colours that are multiplied with alpha
};

Status no_memory(std::string_view name) {
  return resource_exhausted("There is no memory to work on the image ({}).", name);
}

StatusOr<FramePtr> decode(AVCodecID codec_id, const ImageBytes& file) {
  const AVCodec* codec = avcodec_find_decoder(codec_id);
  if (codec == nullptr)
    return unavailable("FFmpeg is built without a decoder for {}.", avcodec_get_name(codec_id));
  const LogScope log;
  const CodecPtr context(avcodec_alloc_context3(codec));
  const PacketPtr packet(av_packet_alloc());
  FramePtr frame(av_frame_alloc());
  if (!context || !packet || !frame || av_new_packet(packet.get(), int(file.bytes->size())) < 0)
    return no_memory(file.name);
  std::memcpy(packet->data, file.bytes->data(), file.bytes->size());
  context->max_pixels = kMaxImagePixels;
  context->err_recognition =
      AV_EF_CRCCHECK;  // to give up at every oddity would refuse tags that say nothing of samples
  context->thread_count = 1;
  int result = avcodec_open2(context.get(), codec, nullptr);
  if (result >= 0) result = avcodec_send_packet(context.get(), packet.get());
  if (result >= 0) result = avcodec_send_packet(context.get(), nullptr);
  if (result >= 0) result = avcodec_receive_frame(context.get(), frame.get());
  if (result == AVERROR(ENOMEM)) return no_memory_for("a picture", file.name);
  const bool complained =
      std::ranges::any_of(log.lines(), [](const auto& line) { return line.level <= AV_LOG_ERROR; });
  if (result < 0 || complained || frame->decode_error_flags != 0)
    return data_loss("The image ({}) is damaged or of a kind that is not read{}.", file.name, log.remark());
  return frame;
}

// What FFmpeg's formats of 8 and 16 bits have in common.
struct Layout {
  const AVPixFmtDescriptor* format = nullptr;
  bool is_palette = false;
  bool is_gray = false;
  bool has_alpha = false;
  int depth = 0;  // of the samples that come out of it
  bool is_alpha_associated = false;

  int components() const { return (is_gray ? 1 : 3) + (has_alpha ? 1 : 0); }
};

StatusOr<Layout> layout_of(AVPixelFormat stored, std::string_view name) {
  Layout layout;
  layout.format = av_pix_fmt_desc_get(stored);
  const uint64_t flags = layout.format->flags;
  layout.is_palette = (flags & AV_PIX_FMT_FLAG_PAL) != 0;
  layout.is_gray = !layout.is_palette && layout.format->nb_components <= 2;
  layout.has_alpha = layout.is_palette || (flags & AV_PIX_FMT_FLAG_ALPHA) != 0;
  layout.depth = layout.is_palette ? 8 : layout.format->comp[0].depth;
  const bool is_known = layout.is_palette || layout.is_gray || (flags & AV_PIX_FMT_FLAG_RGB) != 0;
  if (!is_known || (flags & (AV_PIX_FMT_FLAG_FLOAT | AV_PIX_FMT_FLAG_HWACCEL)) != 0 || layout.depth > 16)
    return invalid_argument(
        "The image ({}) has samples of the kind {}; gray and RGB of up to 16 bits are read.", name,
        layout.format->name);
  return layout;
}

// Palettes hold alpha, red, green and blue in a word, from the top.
uint16_t palette_code(const AVFrame& frame, size_t x, int y, int component) {
  const uint8_t index = frame.data[0][ptrdiff_t(y) * frame.linesize[0] + ptrdiff_t(x)];
  uint32_t entry = 0;
  std::memcpy(&entry, frame.data[1] + size_t(index) * 4, 4);
  return uint8_t(component == 3 ? entry >> 24 : entry >> (16 - 8 * component));
}

// Colours go from straight to multiplied with alpha, unless they are.
void unpack_row(const AVFrame& frame, const Layout& layout, const std::array<std::vector<float>, 2>& tables,
                int y, float* target) {
  const int width = frame.width;
  const int alpha = layout.has_alpha ? layout.components() - 1 : -1;
  std::vector<uint16_t> codes(static_cast<size_t>(width));
  const auto read = [&](int component) {
    if (layout.is_palette) {
      for (size_t x = 0; x < codes.size(); x++) codes[x] = palette_code(frame, x, y, component);
      return;
    }
    av_read_image_line2(codes.data(), const_cast<const uint8_t**>(frame.data), frame.linesize, layout.format,
                        0, y, component, width, 0, 2);
  };
  for (int component = 0; component < (layout.is_gray ? 1 : 3); component++) {
    read(component);
    for (int x = 0; x < width; x++) target[x * 4 + component] = tables[0][codes[size_t(x)]];
  }
  if (alpha >= 0) read(alpha);
  for (int x = 0; x < width; x++) {
    float* pixel = target + x * 4;
    if (layout.is_gray) pixel[1] = pixel[2] = pixel[0];
    pixel[3] = alpha >= 0 ? tables[1][codes[size_t(x)]] : 1.0f;
    for (int c = 0; c < 3 && !layout.is_alpha_associated; c++) pixel[c] *= pixel[3];
  }
}

StatusOr<Image> to_image(const AVFrame& frame, ImageFacts facts, const FfmpegOrigin& origin,
                         std::string_view name) {
  ASSIGN_OR_RETURN(Layout layout, layout_of(AVPixelFormat(frame.format), name));
  layout.is_alpha_associated = origin.is_alpha_associated;
  facts.data = facts.display = {0, 0, frame.width, frame.height};
  facts.bit_depth = layout.depth > 8 ? 16 : 8;
  facts.is_gray = layout.is_gray;
  facts.has_alpha = layout.has_alpha;
  ASSIGN_OR_RETURN(Image image, make_image(std::move(facts)));
  const std::array<std::vector<float>, 2> tables = {linear_table(origin.transfer, layout.depth),
                                                    linear_table({Transfer::Curve::kGamma, 1}, layout.depth)};
  for (int y = 0; y < frame.height; y++)
    unpack_row(frame, layout, tables, y, &image.float_samples()[size_t(y) * size_t(frame.width) * 4]);
  if (!layout.is_palette) return image;
  image.facts.has_alpha = false;
  for (size_t i = 3; i < image.sample_count(); i += 4) image.facts.has_alpha |= image.float_samples()[i] != 1;
  return image;
}

AVPixelFormat stored_format(const ImageFacts& facts, bool is_wide, ImageFormat format) {
  const bool little = format == ImageFormat::kTiff;
  if (facts.is_gray && facts.has_alpha)
    return !is_wide ? AV_PIX_FMT_YA8 : little ? AV_PIX_FMT_YA16LE : AV_PIX_FMT_YA16BE;
  if (facts.is_gray) return !is_wide ? AV_PIX_FMT_GRAY8 : little ? AV_PIX_FMT_GRAY16LE : AV_PIX_FMT_GRAY16BE;
  if (facts.has_alpha) return !is_wide ? AV_PIX_FMT_RGBA : little ? AV_PIX_FMT_RGBA64LE : AV_PIX_FMT_RGBA64BE;
  return !is_wide ? AV_PIX_FMT_RGB24 : little ? AV_PIX_FMT_RGB48LE : AV_PIX_FMT_RGB48BE;
}

void pack_row(const float* source, const Layout& layout, const Transfer& transfer, int y, AVFrame& frame) {
  std::vector<uint16_t> codes(size_t(frame.width));
  for (int component = 0; component < layout.components(); component++) {
    const bool is_alpha = layout.has_alpha && component == layout.components() - 1;
    for (int x = 0; x < frame.width; x++) {
      const float* pixel = source + x * 4;
      const float colour = layout.is_gray ? luminance(pixel[0], pixel[1], pixel[2]) : pixel[component];
      const bool is_stored_so = !layout.has_alpha || layout.is_alpha_associated;
      const float stored = is_stored_so ? colour : pixel[3] > 0 ? colour / pixel[3] : 0.0f;
      codes[size_t(x)] = is_alpha ? to_code({Transfer::Curve::kGamma, 1}, layout.depth, pixel[3])
                                  : to_code(transfer, layout.depth, stored);
    }
    av_write_image_line2(codes.data(), frame.data, frame.linesize, layout.format, 0, y, component,
                         frame.width, 2);
  }
}

StatusOr<FramePtr> to_frame(const Image& image, const FfmpegOrigin& origin, ImageFormat format) {
  ASSIGN_OR_RETURN(const Image whole, display_window_of(image));
  const bool is_wide = image.facts.bit_depth > 8;
  FramePtr frame(av_frame_alloc());
  if (!frame) return no_memory("output");
  frame->format = stored_format(whole.facts, is_wide, format);
  frame->width = whole.facts.data.width;
  frame->height = whole.facts.data.height;
  if (av_frame_get_buffer(frame.get(), 0) < 0) return no_memory("output");
  for (int plane = 0; plane < 4 && frame->buf[plane] != nullptr;
       plane++)  // the line writer ORs into what is there
    std::memset(frame->buf[plane]->data, 0, frame->buf[plane]->size);
  ASSIGN_OR_RETURN(Layout layout, layout_of(AVPixelFormat(frame->format), "output"));
  layout.is_alpha_associated = origin.is_alpha_associated;
  const std::span<const float> samples = whole.float_samples();
  for (int y = 0; y < frame->height; y++)
    pack_row(&samples[size_t(y) * size_t(frame->width) * 4], layout, origin.transfer, y, *frame);
  return frame;
}

StatusOr<std::string> encode(AVCodecID codec_id, const AVFrame& frame, const char* option,
                             const char* value) {
  const AVCodec* codec = avcodec_find_encoder(codec_id);
  if (codec == nullptr)
    return unavailable("FFmpeg is built without an encoder for {}.", avcodec_get_name(codec_id));
  const LogScope log;
  const CodecPtr context(avcodec_alloc_context3(codec));
  const PacketPtr packet(av_packet_alloc());
  if (!context || !packet) return no_memory("output");
  context->width = frame.width;
  context->height = frame.height;
  context->pix_fmt = AVPixelFormat(frame.format);
  context->time_base = {1, 1};
  context->thread_count = 1;
  Dictionary options;
  options.set(option, value);
  int result = avcodec_open2(context.get(), codec, options.address());
  if (result >= 0) result = avcodec_send_frame(context.get(), &frame);
  if (result >= 0) result = avcodec_send_frame(context.get(), nullptr);
  if (result >= 0) result = avcodec_receive_packet(context.get(), packet.get());
  if (result < 0)
    return make_status(error_code(result),
                       fmt::format("FFmpeg cannot write the image: {}{}.", error_text(result), log.remark()));
  return std::string(reinterpret_cast<const char*>(packet->data), size_t(packet->size));
}

// The image's own declarations if it came from the same format, else sRGB without any.
FfmpegOrigin origin_of(const Image& image, ImageFormat format) {
  const auto* origin = dynamic_cast<const FfmpegOrigin*>(image.origin.get());
  return origin != nullptr && origin->format == format ? *origin : FfmpegOrigin{};
}

}  // namespace

StatusOr<Image> read_tiff(const ImageBytes& file) {
  ImageFacts facts;
  facts.format = ImageFormat::kTiff;
  facts.notes.push_back(
      "Of a TIFF image only the first picture's samples are taken; other tags are left out of an output.");
  ASSIGN_OR_RETURN(const FramePtr frame, decode(AV_CODEC_ID_TIFF, file));
  RETURN_IF_ERROR(check_window({0, 0, frame->width, frame->height}, "picture", file.name));
  if (frame->sample_aspect_ratio.num > 0) facts.pixel_aspect = av_q2d(frame->sample_aspect_ratio);
  const auto origin = std::make_shared<FfmpegOrigin>();
  origin->format = ImageFormat::kTiff;
  origin->is_alpha_associated = is_alpha_associated(*file.bytes);
  ASSIGN_OR_RETURN(Image image, to_image(*frame, std::move(facts), *origin, file.name));
  image.origin = origin;
  return image;
}

StatusOr<std::string> encode_tiff(const Image& image) {
  const FfmpegOrigin origin = origin_of(image, ImageFormat::kTiff);
  ASSIGN_OR_RETURN(const FramePtr frame, to_frame(image, origin, ImageFormat::kTiff));
  ASSIGN_OR_RETURN(std::string bytes, encode(AV_CODEC_ID_TIFF, *frame, "compression_algo", "deflate"));
  if (!image.facts.has_alpha || !origin.is_alpha_associated) return bytes;
  return associate_alpha(std::move(bytes));
}

}  // namespace weft::media
