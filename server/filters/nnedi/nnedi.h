// SPDX-License-Identifier: Apache-2.0
// Interpolates the missing rows of fields by a neural network, as a node for filters that convert
// fields to pictures.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "server/filters/deinterlace/field_timing.h"
#include "server/filters/filter.h"
#include "server/filters/nnedi/edge_network.h"
#include "server/filters/nnedi/nnedi3_weights.h"
#include "weft/v1/nnedi.pb.h"

namespace weft::filters::nnedi {

struct NnediOptions {
  v1::NnediNetwork network = v1::NNEDI_NETWORK_BEST;
  std::shared_ptr<const EdgeNetwork> own = {};     // replaces the built-in network
  std::shared_ptr<const Nnedi3Network> user = {};  // replaces every other network
};

// The element of a port of parities: four bytes per unit, an int. 0: the picture's rows 0, 2, 4 ...
// are kept; 1: rows 1, 3, 5 ... are kept; -1: all rows are kept, and the picture is unchanged.
inline constexpr std::string_view kParity = "parity";

// Returns pictures with the kept rows of `pictures` and interpolated other rows; the content of the
// other rows of `pictures` does not matter. `parity` has the same clock and the format
// PortFormat::data(kParity, 4). A plane of one row is unchanged. Errors: NOT_FOUND (the device has
// no kernel, or there is no such network), RESOURCE_EXHAUSTED.
StatusOr<Port> add_nnedi(const FilterContext& context, Network& network, Port pictures, Port parity,
                         const NnediOptions& options);
// Returns such pictures for `pictures` that keep rows 0, 2, 4 ...
StatusOr<Port> add_nnedi_of_top_rows(const FilterContext& context, Network& network, Port pictures,
                                     const NnediOptions& options);
// Deinterlaces frames by the network; `rule` determines the pictures.
StatusOr<Port> add_nnedi_deinterlacer(const FilterContext& context, Network& network, Port frames,
                                      const FieldRule& rule, const NnediOptions& options);

}  // namespace weft::filters::nnedi
