// SPDX-License-Identifier: Apache-2.0
// Reads still images as RGBA samples in linear light and writes them, and keeps all other data of
// the file.
//
//   ASSIGN_OR_RETURN(Image image, read_image(*file, {}));
//   ... change image.half_samples() or image.float_samples() ...
//   ASSIGN_OR_RETURN(std::string bytes, encode_image(image, {.format = ImageFormat::kOpenExr}));
//
// These functions open no file: they read a descriptor or memory and write to memory.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "server/media/file.h"
#include "server/media/image/image.h"

namespace weft::media {

// Reads the whole file. The first bytes determine the format:
// - OpenEXR: scan lines or tiles; half or float; R, G, B, or Y with or without its chroma RY and
//   BY; with or without A.
// - Radiance RGBE.
// - PNG.
// - TIFF: gray, RGB, palettes; integers are sRGB, floats linear; all compressions of libtiff.
// - JPEG: gray and colour.
//
// INVALID_ARGUMENT: another format, colours that are not RGB (CMYK, Lab), integers in OpenEXR,
// several layers if none is unnamed and `reading` names none, an exceeded limit. DATA_LOSS: damaged
// or truncated. RESOURCE_EXHAUSTED: no memory.
StatusOr<Image> read_image(const InputFile& file, const ImageReading& reading);
StatusOr<Image> read_image(std::string bytes, std::string_view name, const ImageReading& reading);
// Returns true if the first bytes are those of a format that read_image() reads. Returns false for
// a JPEG with the name of a raw video stream (mjpeg, mjpg).
StatusOr<bool> is_image(const InputFile& file);
// Returns the properties that read_image() would return. Damage to the samples is not detected.
StatusOr<ImageInfo> probe_image(const InputFile& file, const ImageReading& reading);

// Returns the format of an output by its extension: exr, hdr (pic, rgbe), png, tif (tiff), jpg
// (jpeg). INVALID_ARGUMENT, with the list of extensions, for others.
StatusOr<ImageFormat> image_format_of(std::string_view file_name);

// Returns the bytes of a file. An image that was read from the same format keeps its header,
// compression, other channels and parts, text and colour declarations. Its unchanged samples are
// stored as they were, except subsampled chroma. A gray image stays gray: its luminance is stored.
// - OpenEXR stores halves above 65504 as 65504, and with DWA compression slightly less, so that no
//   finite value is read back as infinite.
// - PNG and TIFF of unsigned integers hold 0 to 1 only, and straight alpha. A TIFF that was read
//   with associated alpha keeps premultiplied codes.
// - A TIFF of floats or signed integers keeps its type.
// - Radiance holds no alpha and no negative values.
// - JPEG holds 0 to 1 in 8 bits and no alpha.
// - A format without windows stores the display window, which is black outside the samples.
// - For a format without orientation, the pixels are rotated.
//
// DATA_LOSS with the name of the file that the image was read from, if data to be kept from that
// file is damaged.
StatusOr<std::string> encode_image(const Image& image, const ImageEncoding& encoding);

// Returns a PNG of 8 bits in sRGB for a preview, at most `largest_side` wide and high. Averages
// areas in linear light and multiplies them by `exposure`.
StatusOr<std::string> encode_preview(const Image& image, int largest_side, double exposure);

}  // namespace weft::media
