// SPDX-License-Identifier: Apache-2.0
// Still images: files to RGBA samples in linear light and back, with everything else in the file kept as it is.
//
//   ASSIGN_OR_RETURN(Image image, read_image(*file, {}));
//   ... change image.half_samples() or image.float_samples() ...
//   ASSIGN_OR_RETURN(std::string bytes, encode_image(image, {.format = ImageFormat::kOpenExr}));
//
// No file is opened here: bytes come from a descriptor or from memory and go to memory.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "server/media/file.h"
#include "server/media/image/image.h"

namespace weft::media {

// Reads the whole file. The format follows from its first bytes: OpenEXR (scan lines or tiles; half or float; R, G, B, or Y with or without its chroma RY and BY, in either case; with or without A),
// Radiance RGBE, PNG, TIFF (gray, RGB, palettes; integers are sRGB, floats linear; whatever compression libtiff knows), JPEG (gray and
// colour). INVALID_ARGUMENT: another format, colours that are not RGB (CMYK, Lab), integers in OpenEXR, several layers and none named, a
// limit passed. DATA_LOSS: damaged or cut off. RESOURCE_EXHAUSTED: no memory.
StatusOr<Image> read_image(const InputFile& file, const ImageReading& reading);
StatusOr<Image> read_image(std::string bytes, std::string_view name, const ImageReading& reading);
// Whether its first bytes are those of a format that read_image knows. A JPEG by the name of a raw stream (mjpeg, mjpg) is a video.
StatusOr<bool> is_image(const InputFile& file);
// The result of read_image, without samples. Damage to the samples is not seen.
StatusOr<ImageFacts> probe_image(const InputFile& file, const ImageReading& reading);

// Of an output, by the extension: exr, hdr (pic, rgbe), png, tif (tiff), jpg (jpeg). INVALID_ARGUMENT naming those there are.
StatusOr<ImageFormat> image_format_of(std::string_view file_name);

// The bytes of a file. An image read from the same format keeps its header, its compression, its other channels and parts, its text and
// colour declarations; samples that were not changed are stored as they were, but for subsampled chroma. OpenEXR stores halves above 65504 as 65504, and with DWA
// compression a little less, so that nothing finite comes back infinite.
// Formats without windows hold the display window, black where there are no samples. PNG and TIFF of unsigned integers hold 0 to 1 only, and
// alpha apart from colour (not a TIFF that was read with associated alpha, whose codes are those of the multiplied colours);
// Radiance holds no alpha and nothing negative; JPEG holds 0 to 1 in 8 bits and no alpha. A gray image stays one: its luminance is stored. A TIFF of floats or signed
// integers stays one. A format that does not hold how a picture is to be turned gets it turned.
// DATA_LOSS naming the file that the image was read from: what is kept of it is damaged.
StatusOr<std::string> encode_image(const Image& image, const ImageEncoding& encoding);

// A PNG of 8 bits, sRGB, no wider and no higher than `largest_side`: for looking at. Averages areas in linear light and multiplies with
// `exposure` before.
StatusOr<std::string> encode_preview(const Image& image, int largest_side, double exposure);

}  // namespace weft::media
