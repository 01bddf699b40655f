// SPDX-License-Identifier: Apache-2.0
// bwdif, byte for byte FFmpeg's: a plain kernel for all formats, and two for GPUs whose lanes walk down strips, one for
// bytes and one for 16-bit words.
#include "kernels/video/bwdif.kernel"

#include <algorithm>

#include "kernels/video/bwdif_packed.kernel"
#include "kernels/video/bwdif_wide.kernel"
#include "server/filters/frame_kernel.h"

namespace weft::filters::registered {
namespace {

constexpr FilterDescriptor kDescriptor = {
    .name = "bwdif",
    .summary = "Motion-adaptive cubic interpolation.",
    .window = {.before = 1, .after = 1},
    .outputs_per_frame = 2,
};

StatusOr<std::unique_ptr<Filter>> make_plain(device::Device& device, const VideoFormat& format,
                                             const v1::DeinterlaceOptions& options) {
  using Params = kernels::bwdif::Params;
  using Parts = FrameFilter<Params>::Parts;
  return make_frame_filter<Params>(
      device, Parts{kDescriptor, format, options},
      [](const Parts& parts, Params& params) { params.border = parts.format.sample_bytes(); });
}

// A lane walks down a strip, a word wide; strips are long, for each begins with eight rows that are not its own, and
// short enough to give the device enough lanes.
template <class StripParams>
class StripBwdif final : public Filter {
 public:
  StripBwdif(const device::Kernel* kernel, uint32_t compute_units, const VideoFormat& format,
             const v1::DeinterlaceOptions& options)
      : kernel_(kernel),
        compute_units_(compute_units),
        format_(format),
        options_(options),
        descriptor_(kDescriptor) {
    descriptor_.outputs_per_frame = options.rate() == v1::OUTPUT_RATE_FIELD ? 2 : 1;
    descriptor_.cost.frames_written = descriptor_.outputs_per_frame;
  }

  const FilterDescriptor& descriptor() const override { return descriptor_; }
  const VideoFormat& source_format() const override { return format_; }
  const VideoFormat& target_format() const override { return format_; }
  OutputRule output_rule() const override { return rule_of(options_); }

  void enqueue(device::Stream& stream, const Batch& batch) override {
    StripParams params = frame_params<StripParams>(batch, 1);
    params.border = format_.sample_bytes();
    params.strip = strip_of(params, batch.count);
    stream.launch(*kernel_, {lanes_of(params), 1, uint32_t(batch.count)}, params);
  }

 private:
  // Rows of a strip: such that all strips' lanes fill the device about six times over, which evens out what is left at
  // the end. 512 lanes are what a multiprocessor has room for.
  int strip_of(const StripParams& params, int frames) const {
    const int64_t samples = int64_t(params.width) * params.height +
                            int64_t(params.planes - 1) * params.chroma_width * params.chroma_height;
    const int64_t rows = samples / word_samples() * frames / (compute_units_ * 512 * 6);
    return int(std::clamp<int64_t>(rows / 8 * 8, 8, 64));
  }

  int word_samples() const { return 4 / format_.sample_bytes(); }

  // The same count as in the kernel.
  uint32_t lanes_of(const StripParams& params) const {
    const auto lanes = [&](int width, int height) {
      return (width + word_samples() - 1) / word_samples() *
             (kernels::bwdif_packed::strips_of(height, params.strip) + BORDER_ROWS);
    };
    return uint32_t(lanes(params.width, params.height) +
                    (params.planes - 1) * lanes(params.chroma_width, params.chroma_height));
  }

  const device::Kernel* kernel_;
  int64_t compute_units_;
  VideoFormat format_;
  v1::DeinterlaceOptions options_;
  FilterDescriptor descriptor_;
};

template <class StripParams>
StatusOr<std::unique_ptr<Filter>> make_strips(device::Device& device, std::string_view kernel,
                                              const VideoFormat& format,
                                              const v1::DeinterlaceOptions& options) {
  ASSIGN_OR_RETURN(const device::Kernel* loaded, device.load(kernel));
  return std::unique_ptr<Filter>(
      std::make_unique<StripBwdif<StripParams>>(loaded, device.info().compute_units, format, options));
}

StatusOr<std::unique_ptr<Filter>> make_on_gpu(device::Device& device, const VideoFormat& format,
                                              const v1::DeinterlaceOptions& options) {
  if (format.sample_bytes() == 1)
    return make_strips<kernels::bwdif_packed::Params>(device, "video/bwdif_packed", format, options);
  return make_strips<kernels::bwdif_wide::Params>(device, "video/bwdif_wide", format, options);
}

StatusOr<std::unique_ptr<Filter>> make(device::Device& device, const VideoFormat& format,
                                       const v1::DeinterlaceOptions& options) {
  const bool is_gpu = device.info().kind != device::DeviceKind::kCpu;
  return is_gpu ? make_on_gpu(device, format, options) : make_plain(device, format, options);
}

constexpr Case kCases[] = {
    {"", {97, 65, Chroma::k420, 8}, 0xd6c7a8a8ea92954a},
    {"parity: PARITY_BOTTOM rate: OUTPUT_RATE_FRAME", {64, 48, Chroma::k422, 10}, 0xad79aafd3789adae},
    {"frames: FRAME_SELECTION_FLAGGED", {37, 50, Chroma::k444, 16}, 0x296c6ca488b96d5f},
};
constexpr MakeFilter kAlternatives[] = {make_plain, make_on_gpu};

}  // namespace

extern const Registration kBwdif;
const Registration kBwdif = {kDescriptor, make, kCases, kAlternatives};

}  // namespace weft::filters::registered
