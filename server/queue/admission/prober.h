// SPDX-License-Identifier: Apache-2.0
// Asks whether a specification is possible with the files it names.
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
  // INVALID_ARGUMENT: the file or an option is to blame, with a violation where it is known which. UNAVAILABLE: ask again.
  using Answer = std::function<void(StatusOr<v1::JobEstimate>)>;
  virtual ~Prober() = default;
  // Any thread; returns at once. `answer` is called once, on any thread, and must not block.
  // `inputs`: as options::files_of_job lists them, opened with the rights of `submitter`. Users take turns. `plan_graph`: the estimate is
  // to have the plan of the filters.
  virtual void probe(const v1::JobSpec& spec, std::vector<channel::FileDescriptor> inputs,
                     const channel::Credentials& submitter, bool plan_graph, Answer answer) = 0;
};

}  // namespace weft::queue
