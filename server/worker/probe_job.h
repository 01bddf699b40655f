// SPDX-License-Identifier: Apache-2.0
// Is a specification possible? Asked at submit: opens the input and the encoder, computes nothing.
#pragma once

#include <vector>

#include "server/channel/file_descriptor.h"
#include "weft/internal/v1/worker.pb.h"

namespace weft::worker {

// `descriptors`: those of the request's inputs. The answer carries an estimate, or an error with the fields that are
// to blame.
internal::v1::FromWorker answer_probe(const internal::v1::ProbeJob& request,
                                      std::vector<channel::FileDescriptor> descriptors);

}  // namespace weft::worker
