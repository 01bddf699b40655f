// SPDX-License-Identifier: Apache-2.0
// Model of nnedi. Only tests include it.
#pragma once

#include "tests/filter_suite/models/reference_edges.h"
#include "tests/filter_suite/models/reference_fields.h"
#include "weft/v1/nnedi.pb.h"

namespace weft::filters::plain {

inline weft::filters::nnedi::EdgeNetwork network_of_model(v1::NnediNetwork network) {
  const bool is_fast = network == v1::NNEDI_NETWORK_FAST;
  return *weft::filters::nnedi::built_in_edge_network(is_fast ? "fast" : "best").value();
}

inline Clip nnedi(const v1::Nnedi& options, const Clip& clip) {
  const weft::filters::nnedi::EdgeNetwork network = network_of_model(options.network());
  const auto make = [&](const Task& task, const Picture&, const Picture& current, const Picture&) {
    return with_made_rows(network, current, task.kept);
  };
  return deinterlaced_by(options, clip, make);
}

}  // namespace weft::filters::plain
