// SPDX-License-Identifier: Apache-2.0
#include "server/filters/bloom/bloom_nodes.h"

#include <algorithm>
#include <utility>

#include "kernels/bloom/chroma_of_light.kernel"
#include "kernels/bloom/light_of_video.kernel"
#include "kernels/bloom/luma_of_light.kernel"
#include "server/filters/nodes/picture_node.h"
#include "server/graph/frame_layout.h"

namespace weft::filters::bloom {
namespace {

// Frames converted to light at the same time. Longer batches are processed in groups of this size,
// so that memory does not grow with the batch.
constexpr int kFramesAtOnce = 4;
constexpr size_t kLightBytes = 16;    // bytes of a pixel
constexpr int kHighDefinition = 720;  // rows

// Returns the number of the curve in kernels/bloom/video_light.h.
StatusOr<int> curve_of(int transfer) {
  switch (transfer) {
    case 1:   // BT.709
    case 2:   // unknown
    case 6:   // BT.601
    case 14:  // BT.2020, 10 bits
    case 15:  // BT.2020, 12 bits
      return 0;
    case 13:
      return 1;
    case 16:
      return 2;
    case 18:
      return 3;
    case 4:
      return 4;
    case 5:
      return 5;
    case 8:
      return 6;
    default:
      return invalid_argument(
          "The video's transfer characteristics ({} of ITU-T H.273) are not known here; BT.709, sRGB, PQ, "
          "HLG, "
          "gamma 2.2 and 2.8 and linear are.",
          transfer);
  }
}

struct Weights {
  float red = 0;
  float blue = 0;
};
StatusOr<Weights> weights_of(int matrix, int height) {
  if (matrix == 2) matrix = height >= kHighDefinition ? 1 : 6;
  switch (matrix) {
    case 1:
      return Weights{0.2126f, 0.0722f};
    case 5:
    case 6:
      return Weights{0.299f, 0.114f};
    case 9:
      return Weights{0.2627f, 0.0593f};
    default:
      return invalid_argument(
          "The video's matrix ({} of ITU-T H.273) is not known here; BT.601, BT.709 and BT.2020 (not "
          "constant "
          "luminance) are.",
          matrix);
  }
}

class VideoBloom final : public Node {
 public:
  struct Kernels {
    const device::Kernel* light = nullptr;
    const device::Kernel* luma = nullptr;
    const device::Kernel* chroma = nullptr;
  };
  struct Codes {
    int curve = 0;
    Weights weights{};
    bool is_full = false;
  };

  VideoBloom(const VideoFormat& format, PlannedBloom bloom, const Kernels& kernels, const Codes& codes)
      : format_(format), bloom_(std::move(bloom)), kernels_(kernels), codes_(codes) {
    descriptor_.name = "bloom";
    descriptor_.cost.operations = 3300;
    descriptor_.inputs = {Window()};
    descriptor_.outputs = {PortFormat::picture(format)};
  }

  const NodeDescriptor& descriptor() const override { return descriptor_; }
  // Contains bloom's scratch memory, the light before and after, and the counts, which are not read
  // because code values always convert to finite light that is not negative.
  size_t scratch_bytes(int units) const override {
    const int most = at_once(units);
    return light_offset(most) + 2 * light_bytes(most) + size_t(most) * kBloomCountsBytes;
  }
  int portions() const override { return bloom_.portions(); }

  void enqueue(device::Stream& stream, const Step& step) override {
    const int most = at_once(step.units);
    for (int first = 0; first < step.units; first += most) {
      Step part = step;
      part.table_offset_bytes += size_t(first * step.shape->ints) * sizeof(int32_t);
      part.units = std::min(most, step.units - first);
      enqueue_frames(stream, part, step.portion);
    }
  }

 private:
  int at_once(int units) const { return std::min({units, kFramesAtOnce, bloom_.max_units()}); }
  size_t light_bytes(int units) const {
    return round_up(size_t(units) * size_t(format_.width) * size_t(format_.height) * kLightBytes,
                    FrameLayout::kPlaneAlignment);
  }
  size_t light_offset(int units) const {
    return round_up(bloom_.scratch_bytes(units), FrameLayout::kPlaneAlignment);
  }

  template <class Params>
  Params params(const Step& step) const {
    Params params = frame_params<Params>(step, 1);
    params.is_full = codes_.is_full ? 1 : 0;
    return params;
  }
  template <class Params>
  Params coloured(const Step& step) const {
    Params result = params<Params>(step);
    result.red = codes_.weights.red;
    result.blue = codes_.weights.blue;
    result.curve = codes_.curve;
    return result;
  }

  void enqueue_frames(device::Stream& stream, const Step& step, const Portion& portion) const {
    const size_t before = light_offset(step.units), after = before + light_bytes(step.units);
    const int pixels = format_.width * format_.height;
    const auto units = uint32_t(step.units);
    const device::Grid grid{uint32_t(format_.width), uint32_t(format_.height), units};

    auto light = coloured<kernels::light_of_video::Params>(step);
    light.light = device::at<kernels::light_of_video::Light>(*step.scratch, before);
    if (has_begin(portion)) stream.launch(*kernels_.light, grid, light);

    bloom_.bloom->enqueue(stream,
                          {.source = {step.scratch, before, PixelType::kFloat, format_.width, pixels},
                           .target = {step.scratch, after, PixelType::kFloat, format_.width, pixels},
                           .scratch = step.scratch,
                           .counts = step.scratch,
                           .counts_offset_bytes = after + light_bytes(step.units),
                           .units = step.units},
                          portion);
    if (!has_end(portion)) return;

    auto luma = coloured<kernels::luma_of_light::Params>(step);
    luma.before = device::at<kernels::luma_of_light::Light>(*step.scratch, before);
    luma.after = device::at<kernels::luma_of_light::Light>(*step.scratch, after);
    stream.launch(*kernels_.luma, grid, luma);

    if (format_.planes() == 1) return;
    auto chroma = params<kernels::chroma_of_light::Params>(step);
    chroma.differences = device::at<kernels::chroma_of_light::Light>(*step.scratch, after);
    stream.launch(*kernels_.chroma,
                  {uint32_t(chroma.chroma_width), uint32_t(chroma.chroma_height), 2 * units}, chroma);
  }

  VideoFormat format_;
  PlannedBloom bloom_;
  Kernels kernels_;
  Codes codes_;
  NodeDescriptor descriptor_;
};

class ImageBloom final : public Node {
 public:
  ImageBloom(const BloomShape& shape, PlannedBloom bloom) : shape_(shape), bloom_(std::move(bloom)) {
    descriptor_.name = "bloom";
    descriptor_.cost.operations = 3300;
    descriptor_.inputs = {Window()};
    descriptor_.outputs = {PortFormat::image(shape.width, shape.height, shape.target),
                           PortFormat::data(kPixelReports, sizeof(PixelReport))};
  }

  const NodeDescriptor& descriptor() const override { return descriptor_; }
  size_t scratch_bytes(int units) const override {
    return bloom_.scratch_bytes(std::min(units, bloom_.max_units()));
  }
  int portions() const override { return bloom_.portions(); }

  // Units at equal distances in memory are processed together.
  void enqueue(device::Stream& stream, const Step& step) override {
    for (int first = 0, count = 1; first < step.units; first += count) {
      count = 1;
      while (first + count < step.units && count < bloom_.max_units() && is_even(step, first, first + count))
        count++;
      enqueue_images(stream, step, first, count);
    }
  }

 private:
  static bool follows(size_t begin, size_t offset, int number, size_t bytes) {
    return offset == begin + size_t(number) * bytes;
  }
  static bool is_even(const Step& step, int first, int unit) {
    return follows(step.input_offset(0, first), step.input_offset(0, unit), unit - first,
                   step.inputs[0]->unit_bytes) &&
           follows(step.output_offset(0, first), step.output_offset(0, unit), unit - first,
                   step.outputs[0]->unit_bytes) &&
           follows(step.output_offset(1, first), step.output_offset(1, unit), unit - first,
                   step.outputs[1]->unit_bytes);
  }

  void enqueue_images(device::Stream& stream, const Step& step, int first, int count) const {
    const size_t reports = step.output_offset(1, first);
    if (has_begin(step.portion))
      for (int unit = first; unit < first + count; unit++)
        stream.fill(*step.arena, step.output_offset(1, unit), sizeof(PixelReport), std::byte{0});
    BloomWork work;
    work.source = pixels(*step.arena, step.input_offset(0, first), *step.inputs[0]);
    work.target = pixels(*step.arena, step.output_offset(0, first), *step.outputs[0]);
    work.scratch = step.scratch;
    work.counts = step.arena;
    work.counts_offset_bytes = reports;
    work.counts_stride_bytes = step.outputs[1]->unit_bytes;
    work.units = count;
    bloom_.bloom->enqueue(stream, work, step.portion);
  }
  static Pixels pixels(const device::Buffer& arena, size_t offset, const PortLayout& layout) {
    return {&arena, offset, layout.format.pixels, layout.format.width,
            int(layout.unit_bytes / bytes_of_pixel(layout.format.pixels))};
  }

  const BloomShape shape_;
  const PlannedBloom bloom_;
  NodeDescriptor descriptor_;
};

}  // namespace

size_t PlannedBloom::scratch_bytes(int units) const {
  return bloom == nullptr ? memory.scratch_bytes(units) : bloom->scratch_bytes(units);
}

// Without a device the number is only an indication: 2 if there are several portions.
int PlannedBloom::portions() const {
  return bloom != nullptr ? bloom->portions() : memory.has_portions ? 2 : 1;
}

Status check_video_colour(const VideoColour& colour) {
  RETURN_IF_ERROR(curve_of(colour.transfer).status());
  return weights_of(colour.matrix, kHighDefinition).status();
}

StatusOr<std::unique_ptr<Node>> make_video_bloom(const FilterContext& context, const VideoFormat& format,
                                                 const VideoColour& colour, PlannedBloom bloom) {
  VideoBloom::Codes codes;
  ASSIGN_OR_RETURN(codes.curve, curve_of(colour.transfer));
  ASSIGN_OR_RETURN(codes.weights, weights_of(colour.matrix, format.height));
  codes.is_full = colour.is_full_range;
  VideoBloom::Kernels kernels;
  ASSIGN_OR_RETURN(kernels.light, load_for(context, "bloom/light_of_video", format));
  ASSIGN_OR_RETURN(kernels.luma, load_for(context, "bloom/luma_of_light", format));
  ASSIGN_OR_RETURN(kernels.chroma, load_for(context, "bloom/chroma_of_light", format));
  return std::unique_ptr<Node>(std::make_unique<VideoBloom>(format, std::move(bloom), kernels, codes));
}

std::unique_ptr<Node> make_image_bloom(const BloomShape& shape, PlannedBloom bloom) {
  return std::make_unique<ImageBloom>(shape, std::move(bloom));
}

}  // namespace weft::filters::bloom
