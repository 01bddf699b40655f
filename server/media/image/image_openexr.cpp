// SPDX-License-Identifier: Apache-2.0
// Reads OpenEXR through its library. Channels other than the colours of the chosen layer are not
// interpreted.
#include <algorithm>
#include <mutex>

#include <OpenEXR/ImfChannelList.h>
#include <OpenEXR/ImfInputPart.h>
#include <OpenEXR/ImfStandardAttributes.h>

#include "server/media/image/image_formats.h"
#include "server/media/image/image_metadata.h"
#include "server/media/image/openexr_chroma.h"
#include "server/media/image/openexr_library.h"

namespace weft::media {

namespace {

// Computes sizes in 64 bits, because a header may hold any number.
StatusOr<ImageWindow> to_window(const Imath::Box2i& box, std::string_view what, std::string_view name) {
  const int64_t width = int64_t(box.max.x) - box.min.x + 1;
  const int64_t height = int64_t(box.max.y) - box.min.y + 1;
  const auto bounded = [](int64_t side) { return int(std::clamp<int64_t>(side, -1, int64_t{1} << 30)); };
  const ImageWindow window{box.min.x, box.min.y, bounded(width), bounded(height)};
  RETURN_IF_ERROR(check_window(window, what, name));
  return window;
}

// Attributes that are not reported as lost: those that the library writes into every header, and
// those that become metadata.
constexpr std::string_view kOwnAttributes[] = {
    "channels",      "chromaticities",     "chunkCount",         "compression", "dataWindow",
    "displayWindow", "lineOrder",          "maxSamplesPerPixel", "name",        "pixelAspectRatio",
    "tiles",         "screenWindowCenter", "screenWindowWidth",  "type",        "version",
    "view",          "xDensity",           "dwaCompressionLevel"};

std::string listed(std::string_view what, const std::vector<std::string>& names) {
  constexpr size_t kMost = 12;
  std::string text(what);
  for (size_t i = 0; i < std::min(names.size(), kMost); i++) text += (i == 0 ? " " : ", ") + names[i];
  if (names.size() > kMost) text += fmt::format(" and {} more", names.size() - kMost);
  return text;
}

// Describes the data that only another OpenEXR file can hold.
std::vector<std::string> others_of(const Imf::MultiPartInputFile& file, const ColourChannels& colours) {
  const Imf::Header& header = file.header(colours.part);
  std::vector<std::string> attributes, channels, others;
  for (auto attribute = header.begin(); attribute != header.end(); ++attribute)
    if (std::ranges::find(kOwnAttributes, attribute.name()) == std::end(kOwnAttributes))
      attributes.push_back(printable(attribute.name()));
  for (auto channel = header.channels().begin(); channel != header.channels().end(); ++channel)
    if (std::ranges::find(colours.names, channel.name()) == colours.names.end())
      channels.push_back(printable(channel.name()));
  if (!channels.empty()) others.push_back(listed("the channels", channels));
  if (!attributes.empty()) others.push_back(listed("the attributes", attributes));
  if (file.parts() > 1) others.push_back(fmt::format("{} other parts of the file", file.parts() - 1));
  return others;
}

std::shared_ptr<const ImageMetadata> metadata_of(const Imf::MultiPartInputFile& file,
                                                 const ColourChannels& colours) {
  const Imf::Header& header = file.header(colours.part);
  auto metadata = std::make_shared<ImageMetadata>();
  metadata->transfer = kLinearTransfer;
  metadata->others = others_of(file, colours);
  if (Imf::hasChromaticities(header)) {
    const Imf::Chromaticities& c = Imf::chromaticities(header);
    metadata->chromaticities = {c.red.x,  c.red.y,  c.green.x, c.green.y,
                                c.blue.x, c.blue.y, c.white.x, c.white.y};
  }
  if (Imf::hasXDensity(header) && Imf::xDensity(header) > 0)
    metadata->resolution = {Resolution::Unit::kInch, Imf::xDensity(header),
                            double(Imf::xDensity(header)) * header.pixelAspectRatio()};
  return metadata;
}

StatusOr<ImageInfo> info_of(const Imf::MultiPartInputFile& file, const ColourChannels& colours,
                            std::string_view name) {
  const Imf::Header& header = file.header(colours.part);
  ImageInfo info;
  info.format = ImageFormat::kOpenExr;
  ASSIGN_OR_RETURN(info.data, to_window(header.dataWindow(), "data window", name));
  ASSIGN_OR_RETURN(info.display, to_window(header.displayWindow(), "display window", name));
  info.pixel_aspect = header.pixelAspectRatio();
  info.has_alpha = colours.has_alpha;
  info.is_gray = colours.is_gray;
  info.layer = colours.label();
  const bool is_half = std::ranges::all_of(colours.names, [&](const std::string& channel) {
    return header.channels()[channel].type == Imf::HALF;
  });
  info.samples = is_half ? SampleType::kHalf : SampleType::kFloat;
  info.bit_depth = is_half ? 16 : 32;
  info.is_float = true;
  info.metadata = metadata_of(file, colours);
  if (header.hasTileDescription() && header.tileDescription().mode != Imf::ONE_LEVEL)
    info.notes.push_back(
        "The smaller levels of the tiled image are left out of an output: they are made of the old picture.");
  return info;
}

template <class T>
void spread_luminance(std::span<T> samples) {
  for (size_t i = 0; i < samples.size(); i += 4) samples[i + 1] = samples[i + 2] = samples[i];
}

}  // namespace

void limit_openexr_headers() {
  static std::once_flag once;
  std::call_once(once, [] {
    Imf::Header::setMaxImageSize(kMaxImageSide, kMaxImageSide);
    Imf::Header::setMaxTileSize(kMaxImageSide, kMaxImageSide);
  });
}

void read_colours(Imf::MultiPartInputFile& file, const ColourChannels& colours, Image& image) {
  Imf::InputPart part(file, colours.part);
  Imf::FrameBuffer frame;
  const ImageWindow& window = image.info.data;
  const int sampling = colours.is_chroma ? part.header().channels()[colours.names[1]].xSampling : 1;
  ChromaPlanes planes(window, colours.is_chroma ? sampling : 0);
  for (size_t i = 0; i < colours.names.size(); i++)
    frame.insert(colours.names[i],
                 colours.is_chroma && i < 3 ? planes.slice(i) : interleaved(image, colours.component(i)));
  // The library fills a channel that is not in the file: alpha becomes 1.
  if (!colours.has_alpha) frame.insert(std::string(1, '\x01'), interleaved(image, 3, 1.0));
  part.setFrameBuffer(frame);
  for_bands(window.height,
            [&](int first, int rows) { part.readPixels(window.y + first, window.y + first + rows - 1); });
  if (colours.is_chroma) planes.to_rgb(part.header(), image);
  if (!colours.is_gray) return;
  if (image.info.samples == SampleType::kHalf) spread_luminance(image.half_samples());
  if (image.info.samples == SampleType::kFloat) spread_luminance(image.float_samples());
}

StatusOr<Image> read_openexr(const ImageBytes& file, const ImageReading& reading) {
  limit_openexr_headers();
  return guarded(file.name, "read", [&]() -> StatusOr<Image> {
    MemoryInput bytes(*file.bytes, file.name);
    Imf::MultiPartInputFile input(bytes, 0);
    ASSIGN_OR_RETURN(ColourChannels colours, find_layer(input, reading, file.name));
    ASSIGN_OR_RETURN(ImageInfo info, info_of(input, colours, file.name));
    Image image;
    if (!file.read_samples) {
      image.info = std::move(info);
      return image;
    }
    for (int part = 0; part < input.parts(); part++)
      if (!input.partComplete(part))
        return data_loss("The image ({}) is cut off: part {} is not complete.", file.name, part);
    ASSIGN_OR_RETURN(image, make_image(std::move(info)));
    read_colours(input, colours, image);
    auto origin = std::make_shared<OpenExrOrigin>();
    origin->name = file.name;
    origin->bytes = file.bytes;
    origin->colours = std::move(colours);
    image.origin = std::move(origin);
    return image;
  });
}

}  // namespace weft::media
