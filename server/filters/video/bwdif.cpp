// SPDX-License-Identifier: Apache-2.0
// bwdif, byte for byte FFmpeg's: a plain kernel for all formats, and a packed one for bytes on GPUs.
#include "kernels/video/bwdif.kernel"

#include <algorithm>

#include "kernels/video/bwdif_packed.kernel"
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

// A lane walks down a strip of four columns; strips are long, for each begins with eight rows that are not its own,
// and short enough to give the device enough lanes.
class PackedBwdif final : public Filter {
 public:
  PackedBwdif(const device::Kernel* kernel, uint32_t compute_units, const VideoFormat& format,
              const v1::DeinterlaceOptions& options)
      : kernel_(kernel),
        compute_units_(std::max(1, int(compute_units))),
        format_(format),
        options_(options),
        descriptor_(kDescriptor) {
    descriptor_.outputs_per_frame = options.rate() == v1::OUTPUT_RATE_FIELD ? 2 : 1;
    descriptor_.cost.frames_written = descriptor_.outputs_per_frame;
  }

  const FilterDescriptor& descriptor() const override { return descriptor_; }
  const VideoFormat& source_format() const override { return format_; }
  const VideoFormat& target_format() const override { return format_; }
  const v1::DeinterlaceOptions& options() const override { return options_; }

  void enqueue(device::Stream& stream, const Batch& batch) override {
    Params params = frame_params<Params>(batch, 1);
    params.border = 1;
    params.strip = strip_of(params, batch.count);
    stream.launch(*kernel_, {lanes_of(params), 1, uint32_t(batch.count)}, params);
  }

 private:
  using Params = kernels::bwdif_packed::Params;

  // Rows of a strip: such that all strips' lanes fill the device about six times over, which evens out what is left at
  // the end. 512 lanes are what a multiprocessor has room for.
  int strip_of(const Params& params, int frames) const {
    const int64_t words = int64_t(params.width) * params.height +
                          int64_t(params.planes - 1) * params.chroma_width * params.chroma_height;
    const int64_t rows = words / 4 * frames / (int64_t(compute_units_) * 512 * 6);
    return int(std::clamp<int64_t>(rows / 8 * 8, 8, 64));
  }

  // The same count as in the kernel.
  static uint32_t lanes_of(const Params& params) {
    const auto lanes = [&](int width, int height) {
      return (width + 3) / 4 * (kernels::bwdif_packed::strips_of(height, params.strip) + BORDER_ROWS);
    };
    return uint32_t(lanes(params.width, params.height) +
                    (params.planes - 1) * lanes(params.chroma_width, params.chroma_height));
  }

  const device::Kernel* kernel_;
  int compute_units_;
  VideoFormat format_;
  v1::DeinterlaceOptions options_;
  FilterDescriptor descriptor_;
};

StatusOr<std::unique_ptr<Filter>> make_packed(device::Device& device, const VideoFormat& format,
                                              const v1::DeinterlaceOptions& options) {
  if (format.bit_depth != 8) return unimplemented("The packed bwdif takes 8 bits, not {}.", format.bit_depth);
  ASSIGN_OR_RETURN(const device::Kernel* kernel, device.load("video/bwdif_packed"));
  return std::unique_ptr<Filter>(
      std::make_unique<PackedBwdif>(kernel, device.info().compute_units, format, options));
}

StatusOr<std::unique_ptr<Filter>> make(device::Device& device, const VideoFormat& format,
                                       const v1::DeinterlaceOptions& options) {
  const bool is_packed = format.bit_depth == 8 && device.info().kind != device::DeviceKind::kCpu;
  return is_packed ? make_packed(device, format, options) : make_plain(device, format, options);
}

constexpr Case kCases[] = {
    {"", {97, 65, Chroma::k420, 8}, 0xd6c7a8a8ea92954a},
    {"parity: PARITY_BOTTOM rate: OUTPUT_RATE_FRAME", {64, 48, Chroma::k422, 10}, 0xad79aafd3789adae},
    {"frames: FRAME_SELECTION_FLAGGED", {37, 50, Chroma::k444, 16}, 0x296c6ca488b96d5f},
};
constexpr MakeFilter kAlternatives[] = {make_plain, make_packed};

}  // namespace

extern const Registration bwdif;
const Registration bwdif = {kDescriptor, make, kCases, kAlternatives};

}  // namespace weft::filters::registered
