// SPDX-License-Identifier: Apache-2.0
// Matches the fields of telecined frames on the device, with the decisions of FFmpeg's fieldmatch.
//
// FFmpeg's filter takes 8 bits. Deeper samples are compared on that scale: each difference of
// samples loses the bits beyond 8 before it is compared with a threshold or added. Frames that hold
// the samples of an 8-bit frame, shifted, therefore have its decisions.
#pragma once

#include "server/filters/filter.h"
#include "weft/v1/ivtc.pb.h"

namespace weft::filters {

// Returns one progressive frame for each frame of `input`; nothing is read back from the device.
// The options of the decimation have no effect.
StatusOr<Port> add_field_matcher(const FilterContext& context, Network& network, Port input,
                                 const v1::Ivtc& options);

}  // namespace weft::filters
