// SPDX-License-Identifier: Apache-2.0
// Selects the network that a filter's options name.
#pragma once

#include "server/filters/nnedi/nnedi.h"

namespace weft::filters::nnedi {

// Returns the selected network. `Options` is v1::Nnedi or v1::Enlarge. Adds a note about options
// without effect. INVALID_ARGUMENT: the file of weights is not valid (parse_nnedi3).
template <class Options>
StatusOr<NnediOptions> choice_of(const FilterContext& context, const Options& options, Network& network) {
  NnediOptions choice;
  choice.network = options.network();
  if (options.weights().empty()) {
    if (options.has_nsize() || options.has_nns() || options.has_qual() || options.has_etype() ||
        options.has_pscrn())
      network.add_note(
          "nsize, nns, qual, etype and pscrn are of NNEDI3's weights, and have no effect on the program's "
          "own "
          "networks; weights=FILE names a file with them.");
    return choice;
  }
  const FileBytes* file = context.file("weights");
  if (file == nullptr) return internal_error("The file of weights is not open.");
  Nnedi3Choice wanted;
  if (options.has_nsize()) wanted.nsize = options.nsize();
  if (options.has_nns()) wanted.nns = options.nns();
  if (options.has_qual()) wanted.qual = options.qual();
  if (options.has_etype()) wanted.etype = options.etype();
  if (options.has_pscrn()) wanted.pscrn = options.pscrn();
  StatusOr<Nnedi3Network> network_of_user = parse_nnedi3(*file, wanted);
  RETURN_IF_ERROR(context.blame("weights", network_of_user.status()));
  choice.user = std::make_shared<const Nnedi3Network>(*std::move(network_of_user));
  return choice;
}

}  // namespace weft::filters::nnedi
