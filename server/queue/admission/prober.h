// SPDX-License-Identifier: Apache-2.0
// Checks whether a specification is possible with the files that it names.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/status.h"
#include "server/channel/credentials.h"
#include "server/channel/file_descriptor.h"
#include "weft/v1/job.pb.h"
#include "weft/v1/job_service.pb.h"

namespace weft::queue {

class Prober {
 public:
  // INVALID_ARGUMENT: a file or an option is invalid; the error has a violation if the field is
  // known. UNAVAILABLE: the caller may repeat the request.
  using Answer = std::function<void(StatusOr<v1::JobEstimate>)>;
  virtual ~Prober() = default;
  // Any thread may call; returns at once. `answer` is called once, on any thread, and must not
  // block. `inputs` are in the order of options::files_of_job and were opened with the rights of
  // `submitter`. Users take turns. `plan_graph`: the estimate contains the plan of the filters.
  virtual void probe(const v1::JobSpec& spec, std::vector<channel::FileDescriptor> inputs,
                     const channel::Credentials& submitter, bool plan_graph, Answer answer) = 0;
};

}  // namespace weft::queue
