// SPDX-License-Identifier: Apache-2.0
#include "server/filters/qtgmc/noise.h"

#include "server/filters/denoise/denoise.h"

namespace weft::filters::qtgmc {

namespace {

using Value = Stencil::Value;

// Weights of stabilised noise: of the stronger of the current and the motion-compensated next
// noise, and of each of the two.
constexpr double kStronger = 0.6, kEach = 0.2;

StatusOr<Port> add_followed(const FilterContext& context, Network& network, const NoiseMotion& along,
                            Port pictures, Port super, uint32_t field) {
  motion::CompensateOptions options = along.options;
  options.fields = field;
  return along.motion->add_compensate(context, network, pictures, super, along.vectors, options);
}

Value noise_of(Stencil& stencil, int offset = 0) {
  return stencil.mixed(stencil.load(0, offset), 1, stencil.load(1, offset), -1);
}

// Returns the noise, with missing lines completed by the method `how`.
Value completed(Stencil& stencil, Value noise, v1::QtgmcNoiseDeint how) {
  if (how == v1::QTGMC_NOISE_DEINT_NONE) return stencil.fields(noise, noise_of(stencil, 1));
  const Value field = stencil.in_fields(noise);
  const Value whole = stencil.fields(field, stencil.cubic(field));
  if (how == v1::QTGMC_NOISE_DEINT_BOB) return whole;
  const Value high = stencil.highest_in_row(stencil.highest_in_row(stencil.highest(whole)));
  const Value low = stencil.lowest_in_row(stencil.lowest_in_row(stencil.lowest(whole)));
  // The source's samples determine the grain, because they are the same on every device.
  return stencil.fields(field, stencil.grain(low, high, stencil.load(0)));
}

}  // namespace

StatusOr<FieldPictures> add_denoised(const FilterContext& context, Network& network, const Settings& settings,
                                     const FieldPictures& fields, const NoiseMotion& along) {
  const denoise::DenoiserOptions& options = settings.noise.denoiser;
  FieldPictures result = fields;
  if (!settings.noise.along_motion || options.radius == 0) {
    ASSIGN_OR_RETURN(result.pictures, denoise::add_denoiser(context, network, fields.pictures, options));
    return result;
  }
  ASSIGN_OR_RETURN(const Port super, along.motion->add_super(context, network, fields.pictures));
  std::vector<Port> pictures = {fields.pictures};
  for (int distance = 1; distance <= options.radius; distance++) {
    ASSIGN_OR_RETURN(const Port before, add_followed(context, network, along, fields.pictures, super,
                                                     motion::field_before(distance)));
    ASSIGN_OR_RETURN(const Port after, add_followed(context, network, along, fields.pictures, super,
                                                    motion::field_after(distance)));
    pictures.insert(pictures.begin(), before);
    pictures.push_back(after);
  }
  ASSIGN_OR_RETURN(result.pictures, denoise::add_denoiser(context, network, pictures, options));
  return result;
}

StatusOr<Port> add_noise(const FilterContext& context, Network& network, const Settings& settings,
                         const FieldPictures& fields, const FieldPictures& denoised, const NoiseMotion& along,
                         bool is_interlaced) {
  Stencil stencil;
  const Value own = noise_of(stencil);
  stencil.store(is_interlaced ? completed(stencil, own, settings.noise.deint) : own);
  ASSIGN_OR_RETURN(const Port noise,
                   add_stencil(context, network, "qtgmc_noise", stencil,
                               {.pictures = {fields.pictures, denoised.pictures}, .parity = fields.parity}));
  if (!settings.noise.stabilize) return noise;
  ASSIGN_OR_RETURN(const Port super,
                   along.motion->add_super(context, network, noise, settings.sub_pel_interp));
  ASSIGN_OR_RETURN(const Port next,
                   add_followed(context, network, along, noise, super, motion::field_after(1)));
  Stencil steadying;
  const Value here = steadying.load(0), there = steadying.load(1);
  steadying.store(steadying.mixed(steadying.stronger(here, there), kStronger, here, kEach, there, kEach));
  return add_stencil(context, network, "qtgmc_steady_noise", steadying, {.pictures = {noise, next}});
}

StatusOr<Port> add_restored(const FilterContext& context, Network& network, Port pictures, Port noise,
                            double by) {
  if (by == 0) return pictures;
  Stencil stencil;
  const Value own = stencil.load(0);
  stencil.store(stencil.mixed(own, 1, stencil.load(1), by));
  return add_stencil(context, network, "qtgmc_restore_noise", stencil, {.pictures = {pictures, noise}});
}

StatusOr<Port> add_shown(const FilterContext& context, Network& network, Port noise, double by) {
  Stencil stencil;
  stencil.store(stencil.amplified(stencil.load(0), by));
  return add_stencil(context, network, "qtgmc_show_noise", stencil, {.pictures = {noise}});
}

}  // namespace weft::filters::qtgmc
