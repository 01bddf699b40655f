// SPDX-License-Identifier: Apache-2.0
// QTGMC's stages: each is a few small steps from neighbouring samples, or one node. What goes in and comes out are pictures at field rate.
// Formulas: docs/guide/qtgmc.md.
#pragma once

#include "server/filters/motion/motion.h"
#include "server/filters/nodes/stencil.h"
#include "server/filters/qtgmc/settings.h"

namespace weft::filters::qtgmc {

// A picture from each field by cubic interpolation, and which field it was (kernels/picture/fields.kernel).
struct FieldPictures {
  Port pictures, parity;
};
StatusOr<FieldPictures> add_fields(const FilterContext& context, Network& network, Port frames,
                                   v1::Parity parity);
// Pictures as they are, of which all lines are kept; or in turn those of the top field and of the bottom field, from `first` on.
StatusOr<FieldPictures> add_progressive_fields(const FilterContext& context, Network& network, Port pictures);
StatusOr<FieldPictures> add_alternate_fields(const FilterContext& context, Network& network, Port pictures,
                                             int first);

// Luma of the second, chroma of the first.
StatusOr<Port> add_luma_of(const FilterContext& context, Network& network, Port pictures, Port luma);

// Of `input` all that differs from `reference` by more than lines that jump between fields: what is repaired comes from `reference`. `rep`: how
// (Settings::rep0 and others); 0: nothing.
Stencil::Value repaired(Stencil& stencil, Stencil::Value input, Stencil::Value reference, int rep);

// Pictures of which shimmer is taken out by their lines' neighbours alone.
StatusOr<Port> add_line_blur(const FilterContext& context, Network& network, Port pictures);

// The missing lines of pictures of fields by a cubic through four of the others.
StatusOr<Port> add_cubic(const FilterContext& context, Network& network, const FieldPictures& fields);

// Where the source is matched: what is to be interpolated so that smoothing gives the source, instead of `smoothed`; `strength`: how much more of
// the error is put in. And differences between pictures, as codes around the middle one, and back.
StatusOr<Port> add_correction(const FilterContext& context, Network& network, Port source, Port smoothed,
                              double strength);
StatusOr<Port> add_enhanced(const FilterContext& context, Network& network, Port pictures, double by);
StatusOr<Port> add_difference(const FilterContext& context, Network& network, Port source, Port pictures);
StatusOr<Port> add_sum(const FilterContext& context, Network& network, Port pictures, Port difference);

// What motion is looked for in, luma alone without chroma's motion. `pictures`: of add_fields.
StatusOr<Port> add_search_clip(const FilterContext& context, Network& network, const Settings& settings,
                               Port pictures);

// What the limits of sharpening look at, besides the sharpened pictures.
struct Limits {
  Port low, high;  // of what lies around in time; not given: nothing
  Port edi;
};
// Sharpened, thinned and bounded; `pictures` smoothed along motion.
StatusOr<Port> add_sharpening(const FilterContext& context, Network& network, const Settings& settings,
                              Port pictures, const Limits& limits);

// The last repair and bounds, and with `fields` the source's lines as they were.
StatusOr<Port> add_finish(const FilterContext& context, Network& network, const Settings& settings,
                          Port pictures, const Limits& limits, const FieldPictures* fields);

// The source's lines as they were, and of the others what fits to them.
StatusOr<Port> add_lossless(const FilterContext& context, Network& network, Port pictures,
                            const FieldPictures& fields);

}  // namespace weft::filters::qtgmc
