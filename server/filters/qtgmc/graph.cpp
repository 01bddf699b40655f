// SPDX-License-Identifier: Apache-2.0
#include "server/filters/qtgmc/graph.h"

#include "server/filters/cadence/select.h"
#include "server/filters/deinterlace/deinterlacer.h"
#include "server/filters/nnedi/nnedi_choice.h"
#include "server/filters/nodes/blend.h"
#include "server/filters/qtgmc/border.h"
#include "server/filters/qtgmc/noise.h"
#include "server/filters/qtgmc/stages.h"
#include "weft/v1/convert.pb.h"

namespace weft::filters::qtgmc {
namespace {

class Graph {
 public:
  Graph(const FilterContext& context, const v1::Qtgmc& options, Network& network)
      : context_(context), options_(options), settings_(settings_of(options)), network_(network) {}

  StatusOr<Port> build(Port input) {
    RETURN_IF_ERROR(prepare(input));
    return edi_.id < 0 ? finished_noise() : finished_pictures();
  }

  StatusOr<SidedPictures> build_sided(Port input) {
    RETURN_IF_ERROR(prepare(input));
    SidedPictures pictures;
    ASSIGN_OR_RETURN(pictures.both, finished_pictures());
    sides_ = motion::Sides::kBefore;
    ASSIGN_OR_RETURN(pictures.before, finished_pictures());
    sides_ = motion::Sides::kAfter;
    ASSIGN_OR_RETURN(pictures.after, finished_pictures());
    return pictures;
  }

 private:
  // Adds all stages up to the interpolation, which does not run if only noise is shown.
  Status prepare(Port input) {
    RETURN_IF_ERROR(make_pictures(input));
    RETURN_IF_ERROR(find_motion());
    RETURN_IF_ERROR(find_noise());
    if (settings_.noise.shown > 0) return ok_status();
    ASSIGN_OR_RETURN(edi_, interpolated(input));
    if (is_repair()) {
      ASSIGN_OR_RETURN(edi_, kept_where_it_fits(edi_));
    }
    return ok_status();
  }

  StatusOr<Port> finished_noise() {
    ASSIGN_OR_RETURN(const Port noise, add_shown(context_, network_, noise_, settings_.noise.shown));
    return finished(noise);
  }

  StatusOr<Port> finished_pictures() {
    ASSIGN_OR_RETURN(Port pictures, smoothed(edi_, settings_.tr1, settings_.th_sad1, true));
    if (settings_.rep1 != 0) {
      ASSIGN_OR_RETURN(pictures, repaired(pictures));
    }
    if (settings_.source_match > 0) {
      ASSIGN_OR_RETURN(pictures, matched(pictures));
    }
    if (settings_.lossless == 2) {
      ASSIGN_OR_RETURN(pictures, add_lossless(context_, network_, pictures, fields_));
    }
    ASSIGN_OR_RETURN(const Limits limits, limits_of_sharpening());
    ASSIGN_OR_RETURN(pictures, add_sharpening(context_, network_, settings_, pictures, limits));
    ASSIGN_OR_RETURN(pictures, with_noise(pictures, settings_.noise.grain_restore));
    ASSIGN_OR_RETURN(pictures, smoothed(pictures, settings_.tr2, settings_.th_sad2, false));
    ASSIGN_OR_RETURN(pictures, add_finish(context_, network_, settings_, pictures, limits,
                                          settings_.lossless == 1 ? &fields_ : nullptr));
    ASSIGN_OR_RETURN(pictures, with_noise(pictures, settings_.noise.noise_restore));
    if (settings_.shutter.blur > 0) {
      ASSIGN_OR_RETURN(pictures, blurred(pictures));
    }
    return finished(pictures);
  }

  bool is_repair() const { return options_.input_type() >= v1::QTGMC_INPUT_REPAIR; }
  bool is_interlaced() const { return options_.input_type() == v1::QTGMC_INPUT_INTERLACED; }

  StatusOr<Port> finished(Port pictures) {
    if (options_.fps_divisor() > 1) {
      ASSIGN_OR_RETURN(pictures, add_select(network_, pictures, map_of_every(options_.fps_divisor())));
    }
    return progressive(network_, pictures);
  }

  // Creates a picture for each field, by simple interpolation, and the pictures for the motion
  // search.
  Status make_pictures(Port input) {
    if (is_interlaced()) {
      ASSIGN_OR_RETURN(fields_, add_fields(context_, network_, input, options_.parity()));
      steady_ = fields_.pictures;
      return ok_status();
    }
    if (options_.input_type() == v1::QTGMC_INPUT_PROGRESSIVE) {
      if (settings_.lossless != 0)
        return context_.blame("lossless",
                              invalid_argument("Progressive input has no lines that have to be made, so that "
                                               "lossless ({}) would change nothing; leave it out.",
                                               settings_.lossless));
      ASSIGN_OR_RETURN(fields_, add_progressive_fields(context_, network_, input));
    } else {
      const int first = options_.input_type() == v1::QTGMC_INPUT_REPAIR ? 0 : 1;
      ASSIGN_OR_RETURN(fields_, add_alternate_fields(context_, network_, input, first));
    }
    steady_ = fields_.pictures;
    if (is_repair()) {
      ASSIGN_OR_RETURN(steady_, add_line_blur(context_, network_, steady_));
    }
    return ok_status();
  }

  Status find_motion() {
    if (settings_.max_tr == 0) return ok_status();
    ASSIGN_OR_RETURN(search_clip_, add_search_clip(context_, network_, settings_, steady_));
    if (settings_.fast_ma && network_.format(search_clip_).video.bit_depth > 8) {
      v1::Convert to_8_bits;
      to_8_bits.set_bits(8);
      to_8_bits.set_dither(v1::DITHER_NONE);
      ASSIGN_OR_RETURN(search_clip_, expand_filter(context_, to_8_bits, network_, search_clip_));
    }
    ASSIGN_OR_RETURN(vectors_, vectors_of(settings_.grid, settings_.max_tr));
    if (settings_.refined) {
      ASSIGN_OR_RETURN(vectors_, refined(vectors_));
    }
    ASSIGN_OR_RETURN(motion_, motion_of(fields_.pictures, settings_.blocks()));
    return ok_status();
  }

  StatusOr<Port> super_of(const motion::Motion& motion, Port pictures) const {
    return motion.add_super(context_, network_, pictures, settings_.sub_pel_interp);
  }

  StatusOr<Port> vectors_of(const motion::BlockGrid& grid, int radius) {
    ASSIGN_OR_RETURN(const motion::Motion search, motion_of(search_clip_, grid));
    ASSIGN_OR_RETURN(const Port super, super_of(search, search_clip_));
    return search.add_search(context_, network_, super,
                             {.radius = radius,
                              .search = settings_.search,
                              .range = settings_.search_param,
                              .pel_range = settings_.pel_search,
                              .lambda_scaling = settings_.p_level,
                              .chroma = settings_.chroma_motion,
                              .lambda = settings_.lambda,
                              .least_sad = settings_.lsad,
                              .new_penalty = settings_.p_new,
                              .zero_penalty = settings_.p_new});
  }

  // Refines vectors with blocks of half the size, as MVTools recalculates vectors. With true motion
  // lambda is the same for all blocks; otherwise it is 0.
  StatusOr<Port> refined(Port vectors) {
    constexpr int kLambda = 1000, kNeverLess = 1 << 20;
    ASSIGN_OR_RETURN(const motion::Motion larger, motion_of(search_clip_, settings_.grid));
    ASSIGN_OR_RETURN(const motion::Motion smaller, motion_of(search_clip_, *settings_.refined));
    ASSIGN_OR_RETURN(const Port super, super_of(smaller, search_clip_));
    return smaller.add_refined(context_, network_, super, vectors, larger,
                               {.search = {.radius = settings_.max_tr,
                                           .search = settings_.search,
                                           .range = settings_.search_param,
                                           .chroma = settings_.chroma_motion,
                                           .lambda = settings_.true_motion ? kLambda : 0,
                                           .least_sad = kNeverLess,
                                           .new_penalty = settings_.p_new},
                                .good_sad = settings_.th_sad1 / 2});
  }

  StatusOr<motion::Motion> motion_of(Port pictures, const motion::BlockGrid& grid) const {
    return motion::Motion::of(context_, network_.format(pictures).video, grid,
                              {.block = "block_size", .overlap = "overlap", .pel = "sub_pel"});
  }

  // Keeps, in repaired pictures, the chroma, and the luma of blocks that match along motion.
  StatusOr<Port> kept_where_it_fits(Port made) {
    if (settings_.prog_sad_mask == 0) return add_luma_of(context_, network_, fields_.pictures, made);
    constexpr int kAfter = 1;  // index of the vectors to the next picture
    // SAD of 8x8 pixels at a mask's length of 1; MVTools counts quarters
    constexpr double kFullSum = 64.0 / 4.0;
    ASSIGN_OR_RETURN(const Port mask, motion_->add_mask(context_, network_, vectors_,
                                                        {.mask = motion::MotionMask::kFit,
                                                         .field = kAfter,
                                                         // applies to SADs with and without chroma
                                                         .full = kFullSum * settings_.prog_sad_mask,
                                                         .chroma = settings_.chroma_motion}));
    return add_blend(context_, network_, fields_.pictures, made, mask, BlendPlanes::kLuma);
  }

  // Adds the motion blur of a longer shutter time.
  StatusOr<Port> blurred(Port pictures) {
    const ShutterSettings& shutter = settings_.shutter;
    Port vectors = vectors_;
    if (shutter.grid.block != settings_.blocks().block) {
      ASSIGN_OR_RETURN(vectors, vectors_of(shutter.grid, 1));
    }
    ASSIGN_OR_RETURN(const motion::Motion motion, motion_of(pictures, shutter.grid));
    return motion.add_flow_blur(context_, network_, pictures, vectors,
                                {.amount = shutter.amount,
                                 .limit = shutter.limit,
                                 .chroma = settings_.chroma_motion,
                                 .cut_threshold = settings_.th_scd1,
                                 .cut_share = settings_.th_scd2});
  }

  // Denoises the fields if requested, and keeps the noise to be restored.
  Status find_noise() {
    const NoiseSettings& noise = settings_.noise;
    if (noise.process != 1 && !noise.is_needed()) return ok_status();
    const NoiseMotion along{motion_ ? &*motion_ : nullptr,
                            vectors_,
                            {.chroma = settings_.chroma_motion,
                             .cut_threshold = settings_.th_scd1,
                             .cut_share = settings_.th_scd2}};
    ASSIGN_OR_RETURN(FieldPictures denoised, add_denoised(context_, network_, settings_, fields_, along));
    if (noise.is_needed()) {
      ASSIGN_OR_RETURN(noise_,
                       add_noise(context_, network_, settings_, fields_, denoised, along, is_interlaced()));
    }
    if (noise.process != 1) return ok_status();
    if (is_interlaced()) {
      const auto is_of_frames = [](const Interpolation& how) {
        return how.mode == v1::QTGMC_EDI_BWDIF || how.mode == v1::QTGMC_EDI_YADIF;
      };
      const bool is_chroma = settings_.chroma_edi && is_of_frames(*settings_.chroma_edi);
      if (is_of_frames(settings_.first) || is_chroma)
        return context_.blame(
            is_chroma                                                                         ? "chroma_edi"
            : options_.match_edi() != v1::QTGMC_EDI_UNSPECIFIED && settings_.source_match > 0 ? "match_edi"
                                                                                              : "edi_mode",
            invalid_argument("noise_process 1 interpolates denoised fields, and bwdif and yadif read the "
                             "fields of the source; choose nnedi or bob."));
      // The kept lines are without noise, and all other lines are interpolated from them.
      ASSIGN_OR_RETURN(denoised.pictures, add_cubic(context_, network_, denoised));
    }
    fields_ = denoised;
    return ok_status();
  }

  StatusOr<Port> with_noise(Port pictures, double by) {
    if (noise_.id < 0) return pictures;
    return add_restored(context_, network_, pictures, noise_, by);
  }

  StatusOr<Port> interpolated(Port input) {
    ASSIGN_OR_RETURN(const Port all, interpolated_by(settings_.first, input));
    if (!settings_.chroma_edi || network_.format(all).video.planes() == 1) return all;
    ASSIGN_OR_RETURN(const Port chroma, interpolated_by(*settings_.chroma_edi, input));
    return add_luma_of(context_, network_, chroma, all);
  }

  StatusOr<Port> interpolated_by(const Interpolation& how, Port input) {
    if (is_interlaced() && how.mode == v1::QTGMC_EDI_BWDIF) return deinterlaced<v1::Bwdif>(input);
    if (is_interlaced() && how.mode == v1::QTGMC_EDI_YADIF) return deinterlaced<v1::Yadif>(input);
    if (is_interlaced() && how.mode == v1::QTGMC_EDI_BOB) return fields_.pictures;
    return interpolated(how, fields_.pictures);
  }

  // Interpolates missing lines from the kept lines of the fields.
  StatusOr<Port> interpolated(const Interpolation& how, Port pictures) {
    if (options_.input_type() == v1::QTGMC_INPUT_PROGRESSIVE) return pictures;
    if (how.mode != v1::QTGMC_EDI_NNEDI) return add_cubic(context_, network_, {pictures, fields_.parity});
    ASSIGN_OR_RETURN(const nnedi::NnediOptions choice, choice_of(how));
    return nnedi::add_nnedi(context_, network_, pictures, fields_.parity, choice);
  }

  StatusOr<nnedi::NnediOptions> choice_of(const Interpolation& how) const {
    v1::Nnedi options;
    options.set_network(how.neurons >= 2 ? v1::NNEDI_NETWORK_BEST : v1::NNEDI_NETWORK_FAST);
    if (!options_.weights().empty()) {
      options.set_weights(options_.weights());
      options.set_nsize(how.size);
      options.set_nns(how.neurons);
      options.set_qual(options_.edi_qual());
    }
    return nnedi::choice_of(context_, options, network_);
  }

  // Adds the error of smoothing to the source's lines and smooths them again, so that the result is
  // closer to the source.
  StatusOr<Port> matched(Port pictures) {
    const auto corrected = [&](Port source, Port result, int radius) {
      return add_correction(context_, network_, source, result, correction_of(radius));
    };
    ASSIGN_OR_RETURN(const Port update, corrected(fields_.pictures, pictures, settings_.tr1));
    ASSIGN_OR_RETURN(const Port filled, interpolated(settings_.edi, update));
    ASSIGN_OR_RETURN(Port result, smoothed(filled, settings_.tr1, settings_.th_sad1, true));
    if (settings_.source_match == 1) return result;
    if (settings_.match_enhance > 0) {
      ASSIGN_OR_RETURN(result, add_enhanced(context_, network_, result, settings_.match_enhance));
    }
    ASSIGN_OR_RETURN(const Port missing, add_difference(context_, network_, fields_.pictures, result));
    ASSIGN_OR_RETURN(const Port whole, interpolated(settings_.second, missing));
    ASSIGN_OR_RETURN(Port error, smoothed(whole, settings_.match_tr2, settings_.th_sad1, true));
    if (settings_.source_match == 3) {
      ASSIGN_OR_RETURN(const Port more, corrected(whole, error, settings_.match_tr2));
      ASSIGN_OR_RETURN(error, smoothed(more, settings_.match_tr2, settings_.th_sad1, true));
    }
    return add_sum(context_, network_, result, error);
  }

  // Deinterlaces by another filter, at field rate.
  template <class Options>
  StatusOr<Port> deinterlaced(Port input) {
    Options options;
    options.set_rate(v1::OUTPUT_RATE_FIELD);
    options.set_parity(options_.parity());
    options.set_frames(v1::FRAME_SELECTION_ALL);
    if constexpr (std::is_same_v<Options, v1::Yadif>) options.set_spatial_check(true);
    return expand_filter(context_, options, network_, input);
  }

  StatusOr<Port> smoothed(Port pictures, int radius, int threshold, bool binomial) {
    if (radius == 0) return pictures;
    Port super = pictures == edi_ ? edi_super_ : Port();
    if (super.id < 0) {
      ASSIGN_OR_RETURN(super, super_of(*motion_, pictures));
    }
    if (pictures == edi_) edi_super_ = super;
    return motion_->add_degrain(context_, network_, pictures, super, vectors_,
                                {.radius = radius,
                                 .sides = sides_,
                                 .chroma = settings_.chroma_motion,
                                 .threshold = threshold,
                                 .chroma_threshold = threshold,
                                 .cut_threshold = settings_.th_scd1,
                                 .cut_share = settings_.th_scd2,
                                 .binomial = binomial});
  }

  StatusOr<Port> repaired(Port pictures) {
    Stencil stencil;
    stencil.set_planes(settings_.rep_chroma ? StencilPlanes::kAll : StencilPlanes::kLuma);
    stencil.store(qtgmc::repaired(stencil, stencil.load(0), stencil.load(1), settings_.rep1));
    return add_stencil(context_, network_, "qtgmc_repair", stencil, {.pictures = {pictures, edi_}});
  }

  StatusOr<Limits> limits_of_sharpening() {
    Limits limits{.low = {}, .high = {}, .edi = edi_};
    if (settings_.sl_mode != 2 && settings_.sl_mode != 4) return limits;
    if (edi_super_.id < 0) {
      ASSIGN_OR_RETURN(edi_super_, super_of(*motion_, edi_));
    }
    uint32_t fields = motion::fields_at(1);
    if (settings_.sl_rad >= 3) fields |= motion::fields_at(3);
    ASSIGN_OR_RETURN(const motion::Motion::Bounds bounds,
                     motion_->add_bounds(context_, network_, edi_, edi_super_, vectors_,
                                         {.fields = fields,
                                          .chroma = settings_.chroma_motion,
                                          .cut_threshold = settings_.th_scd1,
                                          .cut_share = settings_.th_scd2}));
    limits.low = bounds.low;
    limits.high = bounds.high;
    return limits;
  }

  const FilterContext& context_;
  const v1::Qtgmc& options_;
  const Settings settings_;
  Network& network_;
  FieldPictures fields_;
  std::optional<motion::Motion> motion_;        // motion of the output pictures
  motion::Sides sides_ = motion::Sides::kBoth;  // pictures that the smoothing averages with
  Port steady_, vectors_, edi_, edi_super_, noise_, search_clip_;
};

}  // namespace

StatusOr<Port> add_qtgmc(const FilterContext& context, const v1::Qtgmc& options, Network& network,
                         Port input) {
  if (options.weights().empty() && options.has_nn_size())
    network.add_note(
        "nn_size is of NNEDI3's weights, and has no effect on the program's own networks; weights names a "
        "file with them.");
  if (const auto contradiction = contradiction_of(options))
    return context.blame(contradiction->option, contradiction->status);
  if (!options.border()) return Graph(context, options, network).build(input);
  ASSIGN_OR_RETURN(const Port bordered, add_border(context, network, input));
  ASSIGN_OR_RETURN(const Port result, Graph(context, options, network).build(bordered));
  return without_border(context, network, result, network.format(input).video);
}

StatusOr<SidedPictures> add_sided(const FilterContext& context, const v1::Qtgmc& options, Network& network,
                                  Port input) {
  if (const auto contradiction = contradiction_of(options))
    return context.blame(contradiction->option, contradiction->status);
  return Graph(context, options, network).build_sided(input);
}

}  // namespace weft::filters::qtgmc
