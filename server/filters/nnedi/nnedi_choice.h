// SPDX-License-Identifier: Apache-2.0
// Which network a filter's options ask for.
#pragma once

#include "server/filters/nnedi/nnedi.h"

namespace weft::filters::nnedi {

// `Options`: v1::Nnedi, v1::Enlarge. What has no effect is noted.
template <class Options>
StatusOr<NnediOptions> choice_of(const FilterContext&, const Options& options, Network& network) {
  NnediOptions choice;
  choice.network = options.network();
  if (options.has_nsize() || options.has_nns() || options.has_qual() || options.has_etype() ||
      options.has_pscrn())
    network.add_note(
        "nsize, nns, qual, etype and pscrn are of NNEDI3's weights, and have no effect on the program's own "
        "networks; --weights names a file with them.");
  return choice;
}

}  // namespace weft::filters::nnedi
