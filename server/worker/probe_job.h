// SPDX-License-Identifier: Apache-2.0
// Checks at submission whether a specification can be executed: opens the input and the encoder,
// and computes nothing.
#pragma once

#include <vector>

#include "server/channel/file_descriptor.h"
#include "weft/internal/v1/worker.pb.h"

namespace weft::worker {

// Answers a probe. `descriptors` are those of the request's inputs. The answer contains an
// estimate, or an error with the fields at fault.
internal::v1::FromWorker answer_probe(const internal::v1::ProbeJob& request,
                                      std::vector<channel::FileDescriptor> descriptors);

}  // namespace weft::worker
