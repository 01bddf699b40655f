// SPDX-License-Identifier: Apache-2.0
// Converts a job's encoding options to the settings of an encoder.
#pragma once

#include <string_view>

#include "base/status.h"
#include "server/media/write/output_types.h"
#include "weft/v1/video.pb.h"

namespace weft::worker {

// Returns the settings of the encoder. If the job does not choose one, the extension of
// `output_name` chooses it. INVALID_ARGUMENT, with a violation below `prefix`: the encoder does not
// have an option, or another option contradicts it.
StatusOr<media::EncoderSettings> encoder_of(const v1::VideoEncoding& encoding, std::string_view output_name,
                                            std::string_view prefix);

}  // namespace weft::worker
