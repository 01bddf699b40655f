// SPDX-License-Identifier: Apache-2.0
#include "server/filters/qtgmc/stages.h"

#include "kernels/picture/alternate.kernel"
#include "kernels/picture/fields.kernel"
#include "server/filters/deinterlace/deinterlacer.h"
#include "weft/v1/geometry.pb.h"

namespace weft::filters::qtgmc {

namespace {

using Value = Stencil::Value;
using AlternateParams = kernels::alternate::Params;
using FieldsParams = kernels::fields::Params;

// mean difference of a plane per sample, in 8-bit code values, from which on planes are not mixed
constexpr int kCut = 28;
// standard deviation of the blur of the search clip, in samples
constexpr double kWideBell = 1.9;
constexpr double kNarrowBell = 1.2;  // standard deviation of the blur in blended_back(), in samples
constexpr double kUnblurred = 0.1;   // unblurred fraction of the search clip
// Limits that keep edges in the search clip, in 8-bit code values.
constexpr int kMostTweak = 3, kFarTweak = 7, kTweakStep = 2;

class Separate final : public Node {
 public:
  Separate(const PortFormat& format, v1::Parity parity, const device::Kernel* kernel, int run)
      : kernel_(kernel), run_(run) {
    descriptor_.name = "fields";
    descriptor_.inputs = {Window()};
    descriptor_.outputs = {format, PortFormat::data("parity", sizeof(int32_t))};
    descriptor_.rule = by_fields({.per_field = true, .only_flagged = false, .parity = parity});
    descriptor_.cost.frames_written = 2;
    descriptor_.cost.operations = 30;
  }
  const NodeDescriptor& descriptor() const override { return descriptor_; }
  void enqueue(device::Stream& stream, const Step& step) override {
    auto params = frame_params<FieldsParams>(step, run_);
    params.parity = step.shape->targets[1];
    stream.launch(*kernel_, picture_grid(step.outputs[0]->format.video, step.units, run_), params);
  }

 private:
  const device::Kernel* kernel_;
  int run_;
  NodeDescriptor descriptor_;
};

// Outputs the parity -1: all lines of the pictures are kept.
class EveryLine final : public Node {
 public:
  EveryLine() {
    descriptor_.name = "every_line";
    descriptor_.inputs = {Window()};
    descriptor_.outputs = {PortFormat::data("parity", sizeof(int32_t))};
    descriptor_.cost.frames_read = descriptor_.cost.frames_written = 0;
  }
  const NodeDescriptor& descriptor() const override { return descriptor_; }
  void enqueue(device::Stream& stream, const Step& step) override {
    for (int unit = 0; unit < step.units; unit++)
      // the bytes of the int -1
      stream.fill(*step.arena, step.output_offset(0, unit), sizeof(int32_t), std::byte{0xff});
  }

 private:
  NodeDescriptor descriptor_;
};

class Alternate final : public Node {
 public:
  Alternate(const PortFormat& format, int first, const device::Kernel* kernel)
      : first_(first), kernel_(kernel) {
    descriptor_.name = "alternate";
    descriptor_.inputs = {Window()};
    descriptor_.outputs = {format, PortFormat::data("parity", sizeof(int32_t))};
    descriptor_.rule = by_map(map_of_every(1));  // the rule numbers pictures
  }
  const NodeDescriptor& descriptor() const override { return descriptor_; }
  void enqueue(device::Stream& stream, const Step& step) override {
    for (int unit = 0; unit < step.units; unit++)
      stream.copy(*step.arena, step.output_offset(0, unit), *step.arena, step.input_offset(0, unit),
                  step.outputs[0]->unit_bytes);
    AlternateParams params = {};
    set_slot_params(step, 1, 1, params);
    params.target = step.shape->targets[1];
    params.units = step.units;
    params.first = first_;
    stream.launch(*kernel_, {uint32_t(step.units), 1, 1}, params);
  }

 private:
  int first_;
  const device::Kernel* kernel_;
  NodeDescriptor descriptor_;
};

StencilPlanes planes_with(bool chroma) { return chroma ? StencilPlanes::kAll : StencilPlanes::kLuma; }

int scaled_to(const VideoFormat& format, int codes) { return codes << (format.bit_depth - 8); }

VideoFormat luma_of(VideoFormat format) {
  format.chroma = Chroma::kGray;
  return format;
}

// Returns the temporal mix, repaired where the change was not shimmer.
Value steadied(Stencil& stencil, const Settings& settings, Value own) {
  if (settings.tr0 == 0) return own;
  const Value before = stencil.load(0, -1), after = stencil.load(0, 1);
  const Value mixed =
      settings.tr0 == 1 ? stencil.binomial(own, before, after, kCut)
                        : stencil.binomial(own, before, after, stencil.load(0, -2), stencil.load(0, 2), kCut);
  stencil.set_planes(planes_with(settings.rep_chroma));
  const Value result = repaired(stencil, mixed, own, settings.rep0);
  stencil.set_planes(StencilPlanes::kAll);
  return result;
}

// Converts limited range (16 to 235, 16 to 240) to all code values.
Value widened(Stencil& stencil, Value value, int bit_depth) {
  stencil.set_planes(StencilPlanes::kLuma);
  const Value luma = stencil.scaled(value, 255.0 / 219, -16 * 255.0 / 219, bit_depth);
  stencil.set_planes(StencilPlanes::kChroma);
  const Value all = stencil.scaled(luma, 128.0 / 112, 128 - 128 * 128.0 / 112, bit_depth);
  stencil.set_planes(StencilPlanes::kAll);
  return all;
}

StatusOr<Port> resized(const FilterContext& context, Network& network, Port pictures, int width, int height) {
  v1::Resize resize;
  resize.set_size(fmt::format("{}x{}", width, height));
  resize.set_kernel(v1::RESIZE_KERNEL_BILINEAR);
  resize.set_chroma_position(v1::CHROMA_POSITION_AUTO);
  return expand_filter(context, resize, network, pictures);
}

// Removes smooth differences, which sharpening should not have caused. Applies to luma.
Value blended_back(Stencil& stencil, Value sharpened, Value smoothed) {
  stencil.set_planes(StencilPlanes::kLuma);
  const Value difference = stencil.difference(sharpened, smoothed);
  const Value blurred = stencil.blurred(stencil.smooth(difference), kNarrowBell);
  const Value result = stencil.mixed(sharpened, 1, blurred, -1);
  stencil.set_planes(StencilPlanes::kAll);
  return result;
}

Value limited_in_space(Stencil& stencil, const Settings& settings, Value value, Value edi) {
  if (settings.sl_rad <= 1) return stencil.ranked_by(value, edi, 1);
  return stencil.ranked_by(value, stencil.ranked_by_centred(value, edi, 2), 1);
}

}  // namespace

StatusOr<FieldPictures> add_fields(const FilterContext& context, Network& network, Port frames,
                                   v1::Parity parity) {
  const PortFormat format = network.format(frames);
  ASSIGN_OR_RETURN(const device::Kernel* kernel, load_for(context, "picture/fields", format.video));
  ASSIGN_OR_RETURN(const std::vector<Port> outputs,
                   network.add_node(std::make_unique<Separate>(format, parity, kernel, run_of(context)),
                                    std::array{frames}));
  return FieldPictures{progressive(network, outputs[0]), outputs[1]};
}

StatusOr<FieldPictures> add_progressive_fields([[maybe_unused]] const FilterContext& context,
                                               Network& network, Port pictures) {
  ASSIGN_OR_RETURN(const Port parity, network.add(std::make_unique<EveryLine>(), {pictures}));
  return FieldPictures{pictures, parity};
}

StatusOr<FieldPictures> add_alternate_fields(const FilterContext& context, Network& network, Port pictures,
                                             int first) {
  ASSIGN_OR_RETURN(const device::Kernel* kernel, context.load("picture/alternate"));
  ASSIGN_OR_RETURN(const std::vector<Port> outputs,
                   network.add_node(std::make_unique<Alternate>(network.format(pictures), first, kernel),
                                    std::array{pictures}));
  return FieldPictures{outputs[0], outputs[1]};
}

StatusOr<Port> add_luma_of(const FilterContext& context, Network& network, Port pictures, Port luma) {
  Stencil stencil;
  const Value own = stencil.load(0), other = stencil.load(1);
  stencil.set_planes(StencilPlanes::kLuma);
  const Value result = stencil.mixed(own, 0, other, 1);
  stencil.set_planes(StencilPlanes::kAll);
  stencil.store(result);
  return add_stencil(context, network, "qtgmc_luma", stencil, {.pictures = {pictures, luma}});
}

StatusOr<Port> add_line_blur(const FilterContext& context, Network& network, Port pictures) {
  Stencil stencil;
  const Value own = stencil.load(0);
  stencil.store(stencil.smooth_column(own));
  return add_stencil(context, network, "qtgmc_line_blur", stencil, {.pictures = {pictures}});
}

StatusOr<Port> add_cubic(const FilterContext& context, Network& network, const FieldPictures& fields) {
  Stencil stencil;
  const Value field = stencil.in_fields(stencil.load(0));
  stencil.store(stencil.fields(field, stencil.cubic(field)));
  return add_stencil(context, network, "qtgmc_cubic", stencil,
                     {.pictures = {fields.pictures}, .parity = fields.parity});
}

StatusOr<Port> add_correction(const FilterContext& context, Network& network, Port source, Port smoothed,
                              double strength) {
  Stencil stencil;
  const Value own = stencil.load(0);
  stencil.store(stencil.sharpened(own, stencil.load(1), strength));
  return add_stencil(context, network, "qtgmc_correction", stencil, {.pictures = {source, smoothed}});
}

StatusOr<Port> add_enhanced(const FilterContext& context, Network& network, Port pictures, double by) {
  Stencil stencil;
  const Value own = stencil.load(0);
  stencil.store(stencil.sharpened(own, stencil.smooth(own), by));
  return add_stencil(context, network, "qtgmc_enhance", stencil, {.pictures = {pictures}});
}

StatusOr<Port> add_difference(const FilterContext& context, Network& network, Port source, Port pictures) {
  // Values in a stencil are relative to the middle code value, as are differences stored as code
  // values.
  Stencil stencil;
  const Value own = stencil.load(0);
  stencil.store(stencil.mixed(own, 1, stencil.load(1), -1));
  return add_stencil(context, network, "qtgmc_difference", stencil, {.pictures = {source, pictures}});
}

StatusOr<Port> add_sum(const FilterContext& context, Network& network, Port pictures, Port difference) {
  Stencil stencil;
  const Value own = stencil.load(0);
  stencil.store(stencil.sum(own, stencil.load(1)));
  return add_stencil(context, network, "qtgmc_sum", stencil, {.pictures = {pictures, difference}});
}

Value repaired(Stencil& stencil, Value input, Value reference, int rep) {
  if (rep == 0) return input;
  const int narrow = rep >= 10 ? rep / 10 : rep, wide = rep >= 10 ? rep % 10 : 0;
  const Value difference = stencil.difference(reference, input);
  // Removes areas of one sign that are as large as bobbing lines; `is_above`: positive areas.
  const auto choked = [&](bool is_above) {
    const auto eroded = [&](Value value, int reach) {
      return is_above ? stencil.lowest(value, reach) : stencil.highest(value, reach);
    };
    const auto grown = [&](Value value, int reach) {
      return is_above ? stencil.highest(value, reach) : stencil.lowest(value, reach);
    };
    Value value = eroded(difference, narrow > 2 ? 2 : 1);
    if (narrow > 5) value = eroded(value, 1);
    if (narrow % 3 != 0) value = is_above ? stencil.deflate(value) : stencil.inflate(value);
    if (narrow == 2 || narrow == 5) value = stencil.ranked(value, 4);
    value = grown(value, narrow > 1 ? 2 : 1);
    if (narrow > 4) value = grown(value, 1);
    if (wide >= 3)
      value = is_above ? stencil.highest_in_row(stencil.highest(value))
                       : stencil.lowest_in_row(stencil.lowest(value));
    for (int i = 0; i < std::min(wide, 2) && wide < 3; i++)
      value = is_above ? stencil.inflate(value) : stencil.deflate(value);
    return value;
  };
  return stencil.sum(input, stencil.restored(difference, choked(true), choked(false)));
}

StatusOr<Port> add_search_clip(const FilterContext& context, Network& network, const Settings& settings,
                               Port pictures) {
  const VideoFormat format = network.format(pictures).video;
  const VideoFormat result = settings.chroma_motion ? format : luma_of(format);
  Stencil stencil;
  StencilPorts ports{.pictures = {pictures}, .result = result};
  const Value own = stencil.load(0);
  const Value steady = steadied(stencil, settings, own);
  if (settings.tr0 > 0) {
    ASSIGN_OR_RETURN(ports.changes, add_changes(context, network, pictures, settings.tr0));
  }
  if (settings.srch_clip_pp == 1) {
    stencil.store(steady);
    ASSIGN_OR_RETURN(const Port whole, add_stencil(context, network, "qtgmc_steadied", stencil, ports));
    ASSIGN_OR_RETURN(const Port halved, resized(context, network, whole, std::max(format.width / 2 & ~1, 2),
                                                std::max(format.height / 2 & ~1, 2)));
    Stencil smoothing;
    smoothing.store(smoothing.smooth(smoothing.load(0)));
    ASSIGN_OR_RETURN(const Port smoothed,
                     add_stencil(context, network, "qtgmc_blur", smoothing, {.pictures = {halved}}));
    ASSIGN_OR_RETURN(const Port blurred, resized(context, network, smoothed, format.width, format.height));
    Stencil widening;
    widening.store(widened(widening, widening.load(0), format.bit_depth));
    return add_stencil(context, network, "qtgmc_search_clip", widening, {.pictures = {blurred}});
  }
  Value value = steady;
  if (settings.srch_clip_pp >= 2)
    value =
        stencil.mixed(stencil.blurred(stencil.smooth(steady), kWideBell), 1 - kUnblurred, steady, kUnblurred);
  if (settings.srch_clip_pp == 3)
    value = stencil.tweaked(value, own, steady, scaled_to(format, kMostTweak), scaled_to(format, kFarTweak),
                            scaled_to(format, kTweakStep));
  stencil.store(widened(stencil, value, format.bit_depth));
  return add_stencil(context, network, "qtgmc_search_clip", stencil, ports);
}

StatusOr<Port> add_sharpening(const FilterContext& context, Network& network, const Settings& settings,
                              Port pictures, const Limits& limits) {
  Stencil stencil;
  StencilPorts ports{.pictures = {pictures}};
  const auto input = [&](Port port) {
    ports.pictures.push_back(port);
    return stencil.load(int(ports.pictures.size()) - 1);
  };
  const Value smoothed = stencil.load(0);
  Value value = smoothed;
  if (settings.s_mode == 1) value = stencil.sharpened(smoothed, stencil.smooth(smoothed), settings.sharpen);
  if (settings.s_mode == 2) {
    Value thick = stencil.mean(stencil.lowest(smoothed), stencil.highest(smoothed));
    if (settings.precise)
      thick = stencil.towards(thick, smoothed, scaled_to(network.format(pictures).video, 1));
    value = stencil.sharpened(smoothed, stencil.smooth(thick), settings.sharpen);
  }
  if (settings.sv_thin > 0) {
    stencil.set_planes(StencilPlanes::kLuma);
    const Value thin = stencil.smooth_row(stencil.scaled_difference(
        stencil.difference(stencil.median(smoothed), smoothed), 6 * settings.sv_thin));
    value = stencil.sum(value, stencil.farther(stencil.smooth(thin), thin));
    stencil.set_planes(StencilPlanes::kAll);
  }
  if (settings.sbb == 1 || settings.sbb == 3) value = blended_back(stencil, value, smoothed);
  const int margin = scaled_to(network.format(pictures).video, settings.s_ovs);
  if (settings.sl_mode == 2) value = stencil.between(value, input(limits.low), input(limits.high), margin);
  if (settings.sl_mode == 1) value = limited_in_space(stencil, settings, value, input(limits.edi));
  if (settings.sbb >= 2) value = blended_back(stencil, value, smoothed);
  if (value.id == smoothed.id) return pictures;
  stencil.store(value);
  return add_stencil(context, network, "qtgmc_sharpen", stencil, ports);
}

StatusOr<Port> add_finish(const FilterContext& context, Network& network, const Settings& settings,
                          Port pictures, const Limits& limits, const FieldPictures* fields) {
  Stencil stencil;
  StencilPorts ports{.pictures = {pictures}};
  const auto input = [&](Port port) {
    ports.pictures.push_back(port);
    return stencil.load(int(ports.pictures.size()) - 1);
  };
  const Value smoothed = stencil.load(0);
  Value value = smoothed;
  std::optional<Value> edi;
  if (settings.rep2 != 0 || settings.sl_mode == 3) edi = input(limits.edi);
  if (settings.rep2 != 0) {
    stencil.set_planes(planes_with(settings.rep_chroma));
    value = repaired(stencil, value, *edi, settings.rep2);
    stencil.set_planes(StencilPlanes::kAll);
  }
  const int margin = scaled_to(network.format(pictures).video, settings.s_ovs);
  if (settings.sl_mode == 3) value = limited_in_space(stencil, settings, value, *edi);
  if (settings.sl_mode == 4) value = stencil.between(value, input(limits.low), input(limits.high), margin);
  Port result = pictures;
  if (value.id != smoothed.id) {
    stencil.store(value);
    ASSIGN_OR_RETURN(result, add_stencil(context, network, "qtgmc_finish", stencil, ports));
  }
  return fields == nullptr ? result : add_lossless(context, network, result, *fields);
}

StatusOr<Port> add_lossless(const FilterContext& context, Network& network, Port pictures,
                            const FieldPictures& fields) {
  Stencil stencil;
  const Value source = stencil.load(1);
  const Value woven = stencil.fields(source, stencil.load(0));
  // Features of a line of the new field that the adjacent lines of the other field do not have, as
  // far as the next lines of the new field have them too.
  const Value combed = stencil.in_fields(stencil.difference(woven, stencil.median(woven)));
  const Value lasting = stencil.nearer(stencil.median(combed, 2), combed);
  const Value calm = stencil.ranked_by(lasting, stencil.ranked(lasting, 2, 2), 1, 2);
  stencil.store(stencil.fields(woven, stencil.mixed(woven, 1, calm, -1)));
  return add_stencil(context, network, "qtgmc_lossless", stencil,
                     {.pictures = {pictures, fields.pictures}, .parity = fields.parity});
}

}  // namespace weft::filters::qtgmc
