// SPDX-License-Identifier: Apache-2.0
#include "server/worker/probe_job.h"

#include "server/channel/status_message.h"
#include "server/worker/job/open_input.h"
#include "server/worker/kinds.h"

namespace weft::worker {
namespace {

StatusOr<v1::JobEstimate> estimate(const internal::v1::ProbeJob& request,
                                   std::vector<channel::FileDescriptor> descriptors) {
  ASSIGN_OR_RETURN(
      const std::vector<OpenJobFile> inputs,
      take_inputs(options::files_of_job(request.spec()).inputs, descriptors, request.submitter()));
  return estimate_job(request.spec(), inputs);
}

}  // namespace

internal::v1::FromWorker answer_probe(const internal::v1::ProbeJob& request,
                                      std::vector<channel::FileDescriptor> descriptors) {
  internal::v1::FromWorker message;
  internal::v1::ProbeAnswer& answer = *message.mutable_probe_answer();
  answer.set_request(request.request());
  StatusOr<v1::JobEstimate> result = estimate(request, std::move(descriptors));
  if (result.ok()) {
    *answer.mutable_estimate() = *std::move(result);
    if (!request.plan_graph()) answer.mutable_estimate()->clear_plan_graph();
  } else {
    *answer.mutable_error() = channel::to_message(result.status());
  }
  return message;
}

}  // namespace weft::worker
