// SPDX-License-Identifier: Apache-2.0
// QTGMC (Vit's script for AviSynth, after Didée's TempGaussMC): pictures that were interpolated from single fields are smoothed along what moves,
// which takes out lines that jump, and made as sharp as they were.
#include "server/filters/qtgmc/stages.h"

namespace weft::filters::registered {
namespace {

using qtgmc::FieldPictures;
using qtgmc::Limits;
using qtgmc::Settings;

class Graph {
 public:
  Graph(const FilterContext& context, const v1::Qtgmc& options, Network& network)
      : context_(context), options_(options), settings_(qtgmc::settings_of(options)), network_(network) {}

  StatusOr<Port> build(Port input) {
    RETURN_IF_ERROR(make_pictures(input));
    RETURN_IF_ERROR(find_motion());
    ASSIGN_OR_RETURN(edi_, interpolated(input));
    ASSIGN_OR_RETURN(Port pictures, smoothed(edi_, settings_.tr1, settings_.th_sad1, true));
    if (settings_.rep1 != 0) {
      ASSIGN_OR_RETURN(pictures, repaired(pictures));
    }
    if (settings_.lossless == 2) {
      ASSIGN_OR_RETURN(pictures, qtgmc::add_lossless(context_, network_, pictures, fields_));
    }
    ASSIGN_OR_RETURN(const Limits limits, limits_of_sharpening());
    ASSIGN_OR_RETURN(pictures, qtgmc::add_sharpening(context_, network_, settings_, pictures, limits));
    ASSIGN_OR_RETURN(pictures, smoothed(pictures, settings_.tr2, settings_.th_sad2, false));
    ASSIGN_OR_RETURN(pictures, qtgmc::add_finish(context_, network_, settings_, pictures, limits,
                                                 settings_.lossless == 1 ? &fields_ : nullptr));
    return progressive(network_, pictures);
  }

 private:
  // One a field, simply interpolated.
  Status make_pictures(Port input) {
    ASSIGN_OR_RETURN(fields_, qtgmc::add_fields(context_, network_, input, options_.parity()));
    return ok_status();
  }

  Status find_motion() {
    if (settings_.max_tr == 0) return ok_status();
    ASSIGN_OR_RETURN(const Port clip, qtgmc::add_search_clip(context_, network_, settings_, fields_.pictures));
    ASSIGN_OR_RETURN(const motion::Motion search, motion_of(network_.format(clip).video));
    ASSIGN_OR_RETURN(const Port super, search.add_super(context_, network_, clip));
    ASSIGN_OR_RETURN(vectors_, search.add_search(context_, network_, super,
                                                 {.radius = settings_.max_tr,
                                                  .search = settings_.search,
                                                  .range = settings_.search_param,
                                                  .chroma = settings_.chroma_motion,
                                                  .lambda = settings_.lambda,
                                                  .least_sad = settings_.lsad,
                                                  .new_penalty = settings_.p_new,
                                                  .zero_penalty = settings_.p_new}));
    ASSIGN_OR_RETURN(motion_, motion_of(network_.format(fields_.pictures).video));
    return ok_status();
  }

  StatusOr<motion::Motion> motion_of(const VideoFormat& format) const {
    return motion::Motion::of(context_, format, settings_.grid);
  }

  StatusOr<Port> interpolated(Port input) {
    switch (settings_.edi_mode) {
      case v1::QTGMC_EDI_BWDIF:
        return deinterlaced<v1::Bwdif>(input);
      case v1::QTGMC_EDI_YADIF:
        return deinterlaced<v1::Yadif>(input);
      default:
        return fields_.pictures;
    }
  }

  // By another filter, at the same rate.
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
    ASSIGN_OR_RETURN(const Port super, motion_->add_super(context_, network_, pictures));
    if (pictures == edi_) edi_super_ = super;
    return motion_->add_degrain(context_, network_, pictures, super, vectors_,
                                {.radius = radius,
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
      ASSIGN_OR_RETURN(edi_super_, motion_->add_super(context_, network_, edi_));
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
  std::optional<motion::Motion> motion_;  // of pictures that come out
  Port vectors_, edi_, edi_super_;
};

StatusOr<Port> expand(const FilterContext& context, const v1::Qtgmc& options, Network& network, Port input) {
  return Graph(context, options, network).build(input);
}

constexpr Case kCases[] = {
    {"preset: QTGMC_PRESET_FASTER", {97, 65, Chroma::k420, 8}, 0},
};

}  // namespace

extern const Registration kQtgmc;
const Registration kQtgmc = registration<v1::Qtgmc, expand>({}, kCases);

}  // namespace weft::filters::registered
