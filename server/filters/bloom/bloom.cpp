// SPDX-License-Identifier: Apache-2.0
#include "server/filters/bloom/bloom.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/video_format.h"
#include "kernels/bloom/composite.kernel"
#include "kernels/bloom/prefilter.kernel"
#include "server/filters/bloom/bloom_check.h"
#include "server/graph/frame_layout.h"
#include "server/graph/pipeline.h"

namespace weft::filters::bloom {
namespace {

using device::MemoryKind;

constexpr size_t kGlowBytes = 16;  // bytes of a pixel
// picture height that determines the dual filter's distribution of light among levels
constexpr int kReferenceSide = 1080;
constexpr float kMostHalf = 65504;
constexpr double kLeastSum = 1e-9;  // lower bound of a kernel's sum, for a black one
constexpr float kMostFloat = std::numeric_limits<float>::max();

// Lower estimate of a multiprocessor's rate, as kCpuOperations: about half the rate of an H200
// (1080p). The rate of software devices is a guess.
constexpr double kGpuOperations = 4e10, kSoftwareOperations = 5e8;
constexpr double kPixelOperations = 60;  // other operations on a pixel, in the same unit
// Estimated shares of a frame's time.
constexpr double kPrefilterShare = 0.06, kCompositeShare = 0.08;

size_t aligned(size_t bytes) { return round_up(bytes, FrameLayout::kPlaneAlignment); }

// Returns the offset of a row of the first frame.
size_t offset_of_row(const Pixels& pixels, int row) {
  const size_t pixel_bytes = pixels.type == PixelType::kHalf ? 8 : 16;
  return pixels.offset_bytes + size_t(row) * size_t(pixels.stride) * pixel_bytes;
}

Padding padding_of(const v1::BloomOptions& options) {
  switch (options.padding()) {
    case v1::BLOOM_PADDING_CLAMP:
      return Padding::kClamp;
    case v1::BLOOM_PADDING_MIRROR:
      return Padding::kMirror;
    default:
      return Padding::kZero;
  }
}

}  // namespace

StatusOr<std::unique_ptr<Bloom>> Bloom::make(device::Device& device, const BloomShape& shape,
                                             const v1::BloomOptions& options, const BloomPictures& pictures,
                                             SpectrumCache& cache, SpectrumIsMade spectrum,
                                             const std::function<void()>& alive) {
  RETURN_IF_ERROR(check_bloom(options, pictures, shape.width, shape.height).why);
  std::unique_ptr<Bloom> made(new Bloom(device, shape, options));
  const bool is_dual = options.method() == v1::BLOOM_METHOD_DUAL;
  RETURN_IF_ERROR(is_dual ? made->make_dual() : made->make_convolution(pictures, cache, spectrum, alive));
  // Half-float samples that no threshold changes are kept bit-exact.
  const bool is_exact = shape.source == PixelType::kHalf && options.threshold() == 0;
  made->light_ = is_exact && !is_dual ? PixelType::kHalf : PixelType::kFloat;
  ASSIGN_OR_RETURN(made->prefilter_, device.load(fmt::format("bloom/prefilter.{}.{}", name_of(shape.source),
                                                             name_of(made->light_))));
  ASSIGN_OR_RETURN(made->composite_, device.load(fmt::format("bloom/composite.{}.{}", name_of(shape.source),
                                                             name_of(shape.target))));
  return made;
}

Status Bloom::make_dual() {
  const double radius = glare_radius(options_.size(), shape_.width, shape_.height);
  const int levels = DualFilter::levels_for(radius, shape_.width, shape_.height);
  const int blended = DualFilter::levels_for(glare_radius(options_.size(), kReferenceSide, kReferenceSide),
                                             kMaxPictureSide, kMaxPictureSide);
  ASSIGN_OR_RETURN(dual_, DualFilter::make(device_, {shape_.width, shape_.height, levels, blended}));
  return choose_weights({0, 0, 0}, {1, 1, 1});
}

Status Bloom::make_convolution(const BloomPictures& pictures, SpectrumCache& cache, SpectrumIsMade made,
                               const std::function<void()>& alive) {
  const std::string key = bloom_kernel_key(options_, pictures, shape_.width, shape_.height);
  spectrum_ = cache.find(key);
  if (spectrum_ != nullptr) {
    RETURN_IF_ERROR(make_convolution_for(*spectrum_));
  } else {
    ASSIGN_OR_RETURN(const BloomKernel kernel,
                     make_bloom_kernel(options_, pictures, shape_.width, shape_.height, alive));
    RETURN_IF_ERROR(prepare_spectrum(kernel, key, cache));
    if (made == SpectrumIsMade::kAtOnce) RETURN_IF_ERROR(run_preparation(device_, *take_preparation()));
  }
  return choose_weights(spectrum_->centre_weight, spectrum_->scatter_weight);
}

Status Bloom::make_convolution_for(const KernelSpectrum& spectrum) {
  ConvolutionShape shape;
  shape.width = shape_.width;
  shape.height = shape_.height;
  shape.reach_x = spectrum.reach_x;
  shape.reach_y = spectrum.reach_y;
  shape.has_channel_kernels = spectrum.has_channel_kernels;
  shape.padding = padding_of(options_);
  if (options_.intermediates() == v1::BLOOM_INTERMEDIATES_FP16) {
    shape.intermediates = Intermediates::kFp16;
    shape.brightest = options_.clamp();
    shape.kernel_sum = std::max(spectrum.kernel_sum, kLeastSum);
  }
  ASSIGN_OR_RETURN(convolution_, Convolution::make(device_, shape));
  return ok_status();
}

// Allocates the memory of the spectrum; the preparation fills it in.
Status Bloom::prepare_spectrum(const BloomKernel& kernel, const std::string& key, SpectrumCache& cache) {
  const auto spectrum = std::make_shared<KernelSpectrum>();
  spectrum->reach_x = kernel.reach_x();
  spectrum->reach_y = kernel.reach_y();
  spectrum->has_channel_kernels = !kernel.is_gray;
  spectrum->centre_weight = kernel.centre_weight;
  spectrum->scatter_weight = kernel.scatter_weight;
  spectrum->kernel_sum = kernel.largest_sum();
  RETURN_IF_ERROR(make_convolution_for(*spectrum));
  ASSIGN_OR_RETURN(spectrum->buffer, device_.allocate(MemoryKind::kDevice, convolution_->spectrum_bytes()));
  ASSIGN_OR_RETURN(preparation_, spectrum_preparation(*convolution_, kernel, *spectrum->buffer,
                                                      portions_for(convolution_->operations_of_spectrum())));
  preparation_->done = [&cache, key, spectrum] { cache.insert(key, spectrum); };
  spectrum_ = spectrum;
  return ok_status();
}

Status Bloom::choose_weights(const std::array<double, 3>& centre, const std::array<double, 3>& scatter) {
  const std::array<double, 3> luminance = {0.2126, 0.7152, 0.0722};  // ITU-R BT.709
  const double intensity = options_.intensity();
  std::array<double, 3> stays{}, spreads{};
  double all = 0;
  for (size_t c = 0; c < 3; c++) {
    stays[c] = options_.spike() * centre[c];
    spreads[c] = options_.scatter() * scatter[c];
    all += luminance[c] * (stays[c] + spreads[c]);
  }
  const bool conserves = !is_convolve() && options_.energy() == v1::BLOOM_ENERGY_CONSERVING;
  const bool keeps_tint = options_.kernel_colour() == v1::BLOOM_KERNEL_COLOUR_TINTED;
  weights_.scene = is_convolve() ? 0.0f : 1.0f;
  for (size_t c = 0; c < 3; c++) {
    const double whole = keeps_tint ? all : stays[c] + spreads[c];
    if (conserves && !(whole > 0))
      return invalid_argument(
          "Neither the kernel's centre nor the rest of it has light left; give more scatter or spike.");
    const double scale = conserves ? intensity / whole : intensity;
    weights_.taken[c] = float((conserves ? intensity : 0) - scale * stays[c]);
    weights_.glow[c] = float(scale * spreads[c]);
  }
  return ok_status();
}

int Bloom::max_units() const {
  // Kernels index the units of a batch with 31 bits; the FFT indexes pairs of channels.
  const double points = convolution_ == nullptr ? double(shape_.width) * shape_.height
                                                : double(convolution_->sides().x) * convolution_->sides().y;
  return int(std::clamp((0x1p30 - 1) / points, 1.0, 65535.0));
}

size_t Bloom::method_bytes(int units) const {
  return aligned(convolution_ == nullptr ? dual_->scratch_bytes(units) : convolution_->scratch_bytes(units));
}

size_t Bloom::scratch_bytes(int units) const {
  return method_bytes(units) + size_t(units) * size_t(shape_.width) * size_t(shape_.height) * kGlowBytes;
}

template <class Params>
void Bloom::describe_light(Params& params) const {
  params.width = shape_.width;
  params.height = shape_.height;
  params.threshold = float(options_.threshold());
  params.knee = float(options_.knee() * options_.threshold());
  params.most = float(options_.clamp());
  params.least = is_convolve() ? -params.most : 0;
}

void Bloom::enqueue_prefilter(device::Stream& stream, const BloomWork& work, const Pixels& light,
                              const Portion& portion) const {
  namespace k = kernels::bloom_prefilter;
  const Items rows = items_of(portion, shape_.height);
  if (rows.count == 0) return;
  k::Params params{};
  params.source = device::at<k::Scene>(*work.source.buffer, offset_of_row(work.source, rows.first));
  params.target = device::at<k::Light>(*light.buffer, offset_of_row(light, rows.first));
  params.counts = device::at<k::Counts>(*work.counts, work.counts_offset_bytes);
  params.counts_frame = int(work.counts_stride_bytes / sizeof(uint32_t));
  params.source_stride = work.source.stride;
  params.source_frame = work.source.frame_stride;
  params.target_stride = light.stride;
  params.target_frame = light.frame_stride;
  describe_light(params);
  params.height = rows.count;
  stream.launch(*prefilter_, {uint32_t(shape_.width), uint32_t(rows.count), uint32_t(work.units)}, params);
}

void Bloom::enqueue_composite(device::Stream& stream, const BloomWork& work, const Pixels& glow,
                              const Portion& portion) const {
  namespace k = kernels::bloom_composite;
  const Items rows = items_of(portion, shape_.height);
  if (rows.count == 0) return;
  k::Params params{};
  params.scene = device::at<k::Scene>(*work.source.buffer, offset_of_row(work.source, rows.first));
  params.glow = device::at<k::Glow>(*glow.buffer, offset_of_row(glow, rows.first));
  params.target = device::at<k::Picture>(*work.target.buffer, offset_of_row(work.target, rows.first));
  params.scene_stride = work.source.stride;
  params.scene_frame = work.source.frame_stride;
  params.glow_stride = glow.stride;
  params.glow_frame = glow.frame_stride;
  params.target_stride = work.target.stride;
  params.target_frame = work.target.frame_stride;
  describe_light(params);
  params.scene_weight = weights_.scene;
  params.taken_red = weights_.taken[0];
  params.taken_green = weights_.taken[1];
  params.taken_blue = weights_.taken[2];
  params.glow_red = weights_.glow[0];
  params.glow_green = weights_.glow[1];
  params.glow_blue = weights_.glow[2];
  params.target_most = shape_.target == PixelType::kHalf ? kMostHalf : kMostFloat;
  params.height = rows.count;
  stream.launch(*composite_, {uint32_t(shape_.width), uint32_t(rows.count), uint32_t(work.units)}, params);
}

int Bloom::portions() const {
  if (convolution_ == nullptr) return 1;
  return portions_for(convolution_->operations_per_unit() +
                      kPixelOperations * double(shape_.width) * double(shape_.height));
}

int Bloom::portions_for(double operations) const {
  const device::DeviceInfo& device = device_.info();
  const bool is_cpu = device.kind == device::BackendKind::kCpu;
  const double of_unit = is_cpu ? kCpuOperations : device.is_software ? kSoftwareOperations : kGpuOperations;
  const double seconds = operations / (of_unit * device.compute_units);
  if (seconds <= std::chrono::duration<double>(kLongest).count()) return 1;
  // A CPU block processes four rows, in two passes, or eight columns.
  const double blocks = double(convolution_->sides().y) / 2 + double(convolution_->sides().x) / 8;
  return int(std::clamp(std::ceil(seconds / std::chrono::duration<double>(kPortion).count()), 1.0,
                        std::min(double{kMostPortions}, std::max(blocks, 1.0))));
}

void Bloom::enqueue(device::Stream& stream, const BloomWork& work, const Portion& portion) const {
  const size_t offset = method_bytes(work.units);
  const int pixels = shape_.width * shape_.height;
  const Pixels light{work.scratch, offset, light_, shape_.width, pixels};
  // The glow replaces the light: all light is read before the first glow is written.
  const Pixels glow{work.scratch, offset, PixelType::kFloat, shape_.width, pixels};
  const double before = kPrefilterShare, after = 1 - kCompositeShare;
  const Portion method = of_step(portion, before, after);
  enqueue_prefilter(stream, work, light, of_step(portion, 0, before));
  if (convolution_ != nullptr)
    convolution_->enqueue(stream,
                          {.source = light,
                           .target = glow,
                           .spectrum = spectrum_->buffer.get(),
                           .scratch = work.scratch,
                           .units = work.units},
                          method);
  else if (has_begin(method))
    dual_->enqueue(stream, {.light = work.scratch,
                            .light_offset_bytes = offset,
                            .scratch = work.scratch,
                            .units = work.units,
                            .scatter = float(options_.dual_spread()),
                            .suppresses_fireflies = options_.suppress_fireflies(),
                            .padding = padding_of(options_)});
  enqueue_composite(stream, work, glow, of_step(portion, after, 1));
}

}  // namespace weft::filters::bloom
