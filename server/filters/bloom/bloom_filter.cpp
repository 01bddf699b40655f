// SPDX-License-Identifier: Apache-2.0
// Registers bloom as a filter of video and of images.
#include "server/filters/bloom/bloom_check.h"
#include "server/filters/bloom/bloom_nodes.h"
#include "server/filters/bloom/spectrum_cache.h"

namespace weft::filters::registered {
namespace {

using namespace bloom;

struct FrameSize {
  int width = 0, height = 0;
};

BloomPictures pictures_of(const FilterContext& context) {
  return {context.picture("kernel"), context.picture("dirt")};
}

void note_gray(const FilterContext& context, const v1::BloomOptions& options, Network& network) {
  if (has_coloured_glow(options, pictures_of(context)))
    network.add_note(
        "The input is gray and stays so: the colours of the glow are lost. Convert the input to RGB to keep "
        "them, or give "
        "kernel-colour=gray, which is faster.");
}

StatusOr<PlannedBloom> make_bloom(const FilterContext& context, const BloomShape& shape,
                                  const v1::BloomOptions& options, Network& network) {
  network.set_inexact();
  const BloomFault fault = check_bloom(options, pictures_of(context), shape.width, shape.height);
  if (!fault.ok()) return context.blame(fault.option, fault.why);
  PlannedBloom planned;
  if (context.device == nullptr) {
    planned.memory = memory_of(shape, options, pictures_of(context));
    network.expect_preparation(planned.memory.preparation());
    return planned;
  }
  ASSIGN_OR_RETURN(planned.bloom, Bloom::make(*context.device, shape, options, pictures_of(context),
                                              context.caches->get<SpectrumCache>(), SpectrumIsMade::kByCaller,
                                              context.alive));
  if (std::optional<Preparation> preparation = planned.bloom->take_preparation())
    network.add_preparation(*std::move(preparation));
  return planned;
}

StatusOr<Port> expand_video(const FilterContext& context, const v1::BloomOptions& options, Network& network,
                            Port input) {
  const VideoFormat format = network.format(input).video;
  if (columns_of_chroma(format.chroma) > 2)
    return invalid_argument(
        "Bloom does not take {} pictures; convert the video first, such as with ffmpeg -pix_fmt yuv422p.",
        name_of(format.chroma));
  if (network.properties(input).interlaced)
    network.add_note(
        "The input is interlaced, and its two fields glow as one picture; deinterlace it first.");
  if (format.chroma == Chroma::kGray) note_gray(context, options, network);
  const VideoColour colour = network.properties(input).colour;
  RETURN_IF_ERROR(check_video_colour(colour));
  ASSIGN_OR_RETURN(auto bloom,
                   make_bloom(context, {format.width, format.height, PixelType::kFloat, PixelType::kFloat},
                              options, network));
  ASSIGN_OR_RETURN(auto node, make_video_bloom(context, format, colour, std::move(bloom)));
  return network.add(std::move(node), {input});
}

// The report of each image is another output.
StatusOr<Port> expand_image(const FilterContext& context, const v1::BloomOptions& options, Network& network,
                            Port input) {
  const PortFormat format = network.format(input);
  if (network.properties(input).gray) note_gray(context, options, network);
  const BloomShape shape{format.width, format.height, format.pixels,
                         context.result_pixels.value_or(format.pixels)};
  ASSIGN_OR_RETURN(auto bloom, make_bloom(context, shape, options, network));
  ASSIGN_OR_RETURN(const std::vector<Port> outputs,
                   network.add_node(make_image_bloom(shape, std::move(bloom)), {&input, 1}));
  network.add_report(outputs[1]);
  return outputs[0];
}

StatusOr<Port> expand(const FilterContext& context, const v1::BloomOptions& options, Network& network,
                      Port input) {
  const bool is_video = network.format(input).kind == PortKind::kPicture;
  return is_video ? expand_video(context, options, network, input)
                  : expand_image(context, options, network, input);
}

}  // namespace

extern const Registration kBloom;
const Registration kBloom = registration<v1::BloomOptions, expand>({.takes_images = true}, {});

}  // namespace weft::filters::registered
