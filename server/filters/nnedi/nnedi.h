// SPDX-License-Identifier: Apache-2.0
// The missing rows of fields, made by a neural network: a node for filters that make pictures of fields.
//
//   const Port made = add_nnedi(context, network, pictures, parity, {.network = v1::NNEDI_NETWORK_FAST}).value();
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
  std::shared_ptr<const EdgeNetwork> own = {};     // in place of the program's
  std::shared_ptr<const Nnedi3Network> user = {};  // in place of any
};

// The element of a port of parities: four bytes a unit, an int. 0: the picture's rows 0, 2, 4 ... are kept, 1: rows 1, 3, 5 ... are, -1: all
// are, and the picture passes unchanged.
inline constexpr std::string_view kParity = "parity";

// Pictures whose kept rows are those of `pictures`; what is in the others does not matter. `parity`: of the same clock, PortFormat::data(kParity,
// 4). A plane of one row stays as it is. Errors: NOT_FOUND (no kernel for this device, or no such network), RESOURCE_EXHAUSTED.
StatusOr<Port> add_nnedi(const FilterContext& context, Network& network, Port pictures, Port parity,
                         const NnediOptions& options);
// The same for pictures whose rows 0, 2, 4 ... are kept.
StatusOr<Port> add_nnedi_of_top_rows(const FilterContext& context, Network& network, Port pictures,
                                     const NnediOptions& options);
// A deinterlacer: pictures of frames, as the rule says.
StatusOr<Port> add_nnedi_deinterlacer(const FilterContext& context, Network& network, Port frames,
                                      const FieldRule& rule, const NnediOptions& options);

}  // namespace weft::filters::nnedi
