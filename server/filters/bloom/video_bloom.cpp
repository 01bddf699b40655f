// SPDX-License-Identifier: Apache-2.0
#include "server/filters/bloom/video_bloom.h"

#include <algorithm>
#include <utility>

#include "kernels/bloom/chroma_of_light.kernel"
#include "kernels/bloom/light_of_video.kernel"
#include "kernels/bloom/luma_of_light.kernel"
#include "server/filters/frame_kernel.h"
#include "server/filters/frame_layout.h"
#include "server/filters/frame_table.h"

namespace weft::filters::bloom {
namespace {

// Frames that are light at the same time: more of a batch follow each other, so that memory does not grow with it.
constexpr int kFramesAtOnce = 4;
constexpr size_t kLightBytes = 16;    // a pixel
constexpr int kHighDefinition = 720;  // rows

// The numbers of kernels/bloom/video_light.h.
StatusOr<int> curve_of(int transfer) {
  switch (transfer) {
    case 1:   // BT.709
    case 2:   // not known
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

class VideoBloom final : public Filter {
 public:
  struct Kernels {
    const device::Kernel* light = nullptr;
    const device::Kernel* luma = nullptr;
    const device::Kernel* chroma = nullptr;
  };

  VideoBloom(const VideoFormat& format, std::unique_ptr<Bloom> bloom, const Kernels& kernels, int curve,
             const Weights& weights, bool is_full)
      : format_(format),
        bloom_(std::move(bloom)),
        kernels_(kernels),
        curve_(curve),
        weights_(weights),
        is_full_(is_full) {}

  const FilterDescriptor& descriptor() const override { return kVideoBloom; }
  const VideoFormat& source_format() const override { return format_; }
  const VideoFormat& target_format() const override { return format_; }
  // Bloom's own, the light before and after, counts that nobody reads: codes are always light.
  size_t scratch_bytes(int batch) const override {
    const int most = at_once(batch);
    return light_offset(most) + 2 * light_bytes(most) + size_t(most) * kBloomCountsBytes;
  }

  void enqueue(device::Stream& stream, const Batch& batch) override {
    const int most = at_once(batch.count);
    for (int first = 0; first < batch.count; first += most) {
      Batch part = batch;
      part.table_offset_bytes += size_t(first) * sizeof(FrameTableEntry);
      part.count = std::min(most, batch.count - first);
      enqueue_frames(stream, part, {});
    }
  }
  int portions() const override { return bloom_->portions(); }
  Batches* preparation() override { return bloom_->preparation(); }
  void prepared() override { bloom_->prepared(); }
  void enqueue_portion(device::Stream& stream, const Batch& batch, const Portion& portion) override {
    enqueue_frames(stream, batch, portion);
  }

 private:
  int at_once(int batch) const { return std::min({batch, kFramesAtOnce, bloom_->max_frames()}); }
  size_t light_bytes(int frames) const {
    return round_up(size_t(frames) * size_t(format_.width) * size_t(format_.height) * kLightBytes,
                    FrameLayout::kPlaneAlignment);
  }
  size_t light_offset(int frames) const {
    return round_up(bloom_->scratch_bytes(frames), FrameLayout::kPlaneAlignment);
  }

  template <class Params>
  Params params(const Batch& batch) const {
    Params params = frame_params<Params>(batch, 1);
    params.is_full = is_full_ ? 1 : 0;
    return params;
  }
  template <class Params>
  Params coloured(const Batch& batch) const {
    Params result = params<Params>(batch);
    result.red = weights_.red;
    result.blue = weights_.blue;
    result.curve = curve_;
    return result;
  }

  void enqueue_frames(device::Stream& stream, const Batch& batch, const Portion& portion) const {
    const size_t before = light_offset(batch.count), after = before + light_bytes(batch.count);
    const int pixels = format_.width * format_.height;
    const auto frames = uint32_t(batch.count);
    const device::Grid grid{uint32_t(format_.width), uint32_t(format_.height), frames};

    auto light = coloured<kernels::light_of_video::Params>(batch);
    light.light = device::at<kernels::light_of_video::Light>(*batch.scratch, before);
    if (has_begin(portion)) stream.launch(*kernels_.light, grid, light);

    bloom_->enqueue(stream,
                    {.source = {batch.scratch, before, PixelType::kFloat, format_.width, pixels},
                     .target = {batch.scratch, after, PixelType::kFloat, format_.width, pixels},
                     .scratch = batch.scratch,
                     .counts = batch.scratch,
                     .counts_offset_bytes = after + light_bytes(batch.count),
                     .frames = batch.count},
                    portion);
    if (!has_end(portion)) return;

    auto luma = coloured<kernels::luma_of_light::Params>(batch);
    luma.before = device::at<kernels::luma_of_light::Light>(*batch.scratch, before);
    luma.after = device::at<kernels::luma_of_light::Light>(*batch.scratch, after);
    stream.launch(*kernels_.luma, grid, luma);

    if (format_.planes() == 1) return;
    auto chroma = params<kernels::chroma_of_light::Params>(batch);
    chroma.differences = device::at<kernels::chroma_of_light::Light>(*batch.scratch, after);
    stream.launch(*kernels_.chroma,
                  {uint32_t(chroma.chroma_width), uint32_t(chroma.chroma_height), 2 * frames}, chroma);
  }

  VideoFormat format_;
  std::unique_ptr<Bloom> bloom_;
  Kernels kernels_;
  int curve_;
  Weights weights_;
  bool is_full_;
};

}  // namespace

const FilterDescriptor kVideoBloom = {
    .name = "bloom",
    .summary = "Lets bright light glow.",
    .cost = {.frames_read = 1, .frames_written = 1},
};

Status check_video_colour(const VideoColour& colour) {
  RETURN_IF_ERROR(curve_of(colour.transfer).status());
  return weights_of(colour.matrix, kHighDefinition).status();
}

StatusOr<std::unique_ptr<Filter>> make_video_bloom(device::Device& device, const VideoSamples& samples,
                                                   const v1::BloomOptions& options,
                                                   const BloomPictures& pictures, SpectrumCache& cache,
                                                   SpectrumIsMade spectrum) {
  const auto& [format, colour] = samples;
  ASSIGN_OR_RETURN(const int curve, curve_of(colour.transfer));
  ASSIGN_OR_RETURN(const Weights weights, weights_of(colour.matrix, format.height));
  ASSIGN_OR_RETURN(auto bloom,
                   Bloom::make(device, {format.width, format.height, PixelType::kFloat, PixelType::kFloat},
                               options, pictures, cache, spectrum));
  VideoBloom::Kernels kernels;
  ASSIGN_OR_RETURN(kernels.light, load_frame_kernel(device, "bloom/light_of_video", format));
  ASSIGN_OR_RETURN(kernels.luma, load_frame_kernel(device, "bloom/luma_of_light", format));
  ASSIGN_OR_RETURN(kernels.chroma, load_frame_kernel(device, "bloom/chroma_of_light", format));
  return std::unique_ptr<Filter>(
      std::make_unique<VideoBloom>(format, std::move(bloom), kernels, curve, weights, colour.is_full_range));
}

}  // namespace weft::filters::bloom
