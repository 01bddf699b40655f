// SPDX-License-Identifier: Apache-2.0
// Registers nnedi: the edge network as a deinterlacer.
#include "server/filters/nnedi/nnedi.h"

#include "server/filters/deinterlace/deinterlacer.h"
#include "server/filters/nnedi/nnedi_choice.h"

namespace weft::filters::registered {
namespace {

StatusOr<Port> expand(const FilterContext& context, const v1::Nnedi& options, Network& network, Port input) {
  note_progressive(network, input, options);
  ASSIGN_OR_RETURN(const nnedi::NnediOptions choice, nnedi::choice_of(context, options, network));
  ASSIGN_OR_RETURN(const Port pictures,
                   nnedi::add_nnedi_deinterlacer(context, network, input, field_rule_of(options), choice));
  return progressive(network, pictures);
}

constexpr Case kCases[] = {
    {"network: NNEDI_NETWORK_FAST", {97, 65, Chroma::k420, 8}},
    {"", {41, 34, Chroma::k422, 10}},
    {"network: NNEDI_NETWORK_FAST frames: FRAME_SELECTION_FLAGGED", {37, 50, Chroma::k444, 16}},
};

}  // namespace

extern const Registration kNnedi;
const Registration kNnedi = registration<v1::Nnedi, expand>({}, kCases, 3, 0.15);

}  // namespace weft::filters::registered
