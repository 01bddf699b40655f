// SPDX-License-Identifier: Apache-2.0
// Adds QTGMC's stages, each a few small steps on neighbouring samples, or one node. Inputs and
// outputs are pictures at field rate. Formulas: docs/guide/qtgmc.md.
#pragma once

#include "server/filters/motion/motion.h"
#include "server/filters/nodes/stencil.h"
#include "server/filters/qtgmc/settings.h"

namespace weft::filters::qtgmc {

// Pictures made from each field by cubic interpolation, and the parity of each field
// (kernels/picture/fields.kernel).
struct FieldPictures {
  Port pictures, parity;
};
StatusOr<FieldPictures> add_fields(const FilterContext& context, Network& network, Port frames,
                                   v1::Parity parity);
// add_progressive_fields() returns whole pictures with all lines kept. add_alternate_fields()
// returns pictures that keep the lines of the top field and of the bottom field in turn, beginning
// with `first`.
StatusOr<FieldPictures> add_progressive_fields(const FilterContext& context, Network& network, Port pictures);
StatusOr<FieldPictures> add_alternate_fields(const FilterContext& context, Network& network, Port pictures,
                                             int first);

// Returns pictures with the luma of `luma` and the chroma of `pictures`.
StatusOr<Port> add_luma_of(const FilterContext& context, Network& network, Port pictures, Port luma);

// Returns `input`, with areas from `reference` where the two differ by more than bobbing lines do.
// `rep` is the method (Settings::rep0 and others); 0: no repair.
Stencil::Value repaired(Stencil& stencil, Stencil::Value input, Stencil::Value reference, int rep);

// Removes shimmer by a blur across neighbouring lines.
StatusOr<Port> add_line_blur(const FilterContext& context, Network& network, Port pictures);

// Interpolates the missing lines of pictures of fields by a cubic function of four lines.
StatusOr<Port> add_cubic(const FilterContext& context, Network& network, const FieldPictures& fields);

// Parts of source matching. add_correction() returns source + strength * (source - smoothed);
// smoothing this sum approximates the source. add_enhanced() sharpens by the factor `by`.
// add_difference() returns source - pictures as code values around the middle one, and add_sum()
// adds such a difference to pictures.
StatusOr<Port> add_correction(const FilterContext& context, Network& network, Port source, Port smoothed,
                              double strength);
StatusOr<Port> add_enhanced(const FilterContext& context, Network& network, Port pictures, double by);
StatusOr<Port> add_difference(const FilterContext& context, Network& network, Port source, Port pictures);
StatusOr<Port> add_sum(const FilterContext& context, Network& network, Port pictures, Port difference);

// Returns the clip for the motion search, with luma alone if chroma does not count. `pictures` come
// from add_fields().
StatusOr<Port> add_search_clip(const FilterContext& context, Network& network, const Settings& settings,
                               Port pictures);

// The inputs of the limits of sharpening, besides the sharpened pictures.
struct Limits {
  Port low, high;  // bounds from the temporal neighbours; absent: no bounds
  Port edi;
};
// Sharpens, thins and bounds `pictures`, which were smoothed along motion.
StatusOr<Port> add_sharpening(const FilterContext& context, Network& network, const Settings& settings,
                              Port pictures, const Limits& limits);

// Applies the last repair and the last bounds. With `fields`, restores the source's lines.
StatusOr<Port> add_finish(const FilterContext& context, Network& network, const Settings& settings,
                          Port pictures, const Limits& limits, const FieldPictures* fields);

// Restores the source's lines. In the other lines, removes differences that the source's lines do
// not have.
StatusOr<Port> add_lossless(const FilterContext& context, Network& network, Port pictures,
                            const FieldPictures& fields);

}  // namespace weft::filters::qtgmc
