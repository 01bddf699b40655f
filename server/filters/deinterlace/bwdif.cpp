// SPDX-License-Identifier: Apache-2.0
// Registers bwdif, with the same bytes as FFmpeg: a plain kernel for all formats, and two kernels
// for GPUs, one for bytes and one for 16-bit words, with lanes that process strips from top to
// bottom.
#include "kernels/video/bwdif.kernel"

#include <algorithm>

#include "kernels/video/bwdif_packed.kernel"
#include "kernels/video/bwdif_wide.kernel"
#include "server/filters/deinterlace/deinterlacer.h"

namespace weft::filters::registered {
namespace {

constexpr Window kWindow{1, 1};
constexpr double kOperations = 33;  // operations per output sample

// Processes strips, one word wide: a lane processes a strip from top to bottom. Strips are long,
// because each begins with eight rows outside the strip, and short enough to give the device enough
// lanes.
template <class StripParams>
class StripBwdif final : public Node {
 public:
  StripBwdif(const device::Kernel* kernel, uint32_t compute_units, NodeDescriptor descriptor)
      : kernel_(kernel), compute_units_(compute_units), descriptor_(std::move(descriptor)) {}

  const NodeDescriptor& descriptor() const override { return descriptor_; }

  void enqueue(device::Stream& stream, const Step& step) override {
    StripParams params = frame_params<StripParams>(step, 1);
    params.border = sample_bytes();
    params.strip = strip_of(params, step.units);
    stream.launch(*kernel_, {lanes_of(params), 1, uint32_t(step.units)}, params);
  }

 private:
  int sample_bytes() const { return descriptor_.outputs[0].video.sample_bytes(); }
  int word_samples() const { return 4 / sample_bytes(); }

  // Returns the rows of a strip. The lanes of all strips fill the device about six times, which
  // balances the remainder at the end. A multiprocessor holds 512 lanes.
  int strip_of(const StripParams& params, int frames) const {
    const int64_t samples = int64_t(params.width) * params.height +
                            int64_t(params.planes - 1) * params.chroma_width * params.chroma_height;
    const int64_t rows = samples / word_samples() * frames / (compute_units_ * 512 * 6);
    return int(std::clamp<int64_t>(rows / 8 * 8, 8, 64));
  }

  // Returns the number of lanes, equal to that in the kernel.
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
  NodeDescriptor descriptor_;
};

template <class StripParams>
StatusOr<Port> add_strips(const FilterContext& context, const v1::Bwdif& options, Network& network,
                          Port input, std::string_view kernel) {
  note_progressive(network, input, options);
  ASSIGN_OR_RETURN(const device::Kernel* loaded, context.load(kernel));
  const uint32_t compute_units = context.device == nullptr ? 1 : context.device->info().compute_units;
  ASSIGN_OR_RETURN(
      const Port pictures,
      network.add(std::make_unique<StripBwdif<StripParams>>(
                      loaded, compute_units,
                      deinterlacer("bwdif", kWindow, kOperations, options, network.format(input))),
                  {input}));
  return progressive(network, pictures);
}

StatusOr<Port> expand(const FilterContext& context, const v1::Bwdif& options, Network& network, Port input) {
  using Params = kernels::bwdif::Params;
  const int sample_bytes = network.format(input).video.sample_bytes();
  const bool is_gpu = context.device != nullptr && context.device->info().kind != device::BackendKind::kCpu;
  const bool takes_strips = context.alternative == 1 || (context.alternative < 0 && is_gpu);
  if (!takes_strips)
    return add_deinterlacer<Params>(
        context, network, input, "bwdif", kWindow, kOperations, options,
        [sample_bytes](const Step&, Params& params) { params.border = sample_bytes; });
  if (sample_bytes == 1)
    return add_strips<kernels::bwdif_packed::Params>(context, options, network, input, "video/bwdif_packed");
  return add_strips<kernels::bwdif_wide::Params>(context, options, network, input, "video/bwdif_wide");
}

constexpr Case kCases[] = {
    {"", {97, 65, Chroma::k420, 8}},
    {"parity: PARITY_BOTTOM rate: OUTPUT_RATE_FRAME", {64, 48, Chroma::k422, 10}},
    {"frames: FRAME_SELECTION_FLAGGED", {37, 50, Chroma::k444, 16}},
};

}  // namespace

extern const Registration kBwdif;
const Registration kBwdif = registration<v1::Bwdif, expand>({}, kCases, 2);

}  // namespace weft::filters::registered
