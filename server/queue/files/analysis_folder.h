// SPDX-License-Identifier: Apache-2.0
// Opens the folder in which an owner's jobs keep analyses and decisions
// (server/worker/video/analysis_cache.h): "STATE/analyses/USER-HASH", with the submitter's user id
// and a hash of the owner's name. A worker receives only the folder of the owner of its job.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "server/channel/file_descriptor.h"
#include "weft/internal/v1/credentials.pb.h"
#include "weft/v1/job.pb.h"
#include "weft/v1/job_service.pb.h"

namespace weft::queue {

// Opens the folder, and creates it with access for the daemon's user only.
StatusOr<channel::FileDescriptor> open_analysis_folder(std::string_view state_folder, std::string_view owner,
                                                       const internal::v1::Credentials& submitter);

// Reads a part of the decisions of a job, from the byte `offset` on. NOT_FOUND: there are none.
StatusOr<v1::ReadJobDecisionsResponse> read_decisions(std::string_view state_folder, const v1::Job& job,
                                                      const internal::v1::Credentials& submitter,
                                                      int64_t offset);

}  // namespace weft::queue
