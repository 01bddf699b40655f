// SPDX-License-Identifier: Apache-2.0
#include "server/worker/probe_job.h"

#include <string>

#include "options/job_paths.h"
#include "options/validate.h"
#include "server/channel/status_message.h"
#include "server/media/probe.h"
#include "server/worker/image_plan.h"
#include "server/worker/job_runner.h"
#include "server/worker/video_plan.h"

namespace weft::worker {
namespace {

// What is wrong with the file is wrong with the field that names it.
Status blame_input(const options::NamedPath& input, const Status& reason) {
  switch (reason.code()) {
    case StatusCode::kInvalidArgument:
    case StatusCode::kDataLoss:
    case StatusCode::kNotFound:
    case StatusCode::kPermissionDenied:
      return options::to_status({{input.field, message_of(reason)}});
    default:
      return reason;
  }
}

StatusOr<v1::JobEstimate> estimate_video(const v1::JobSpec& spec, OpenInput opened) {
  const options::JobPaths paths = options::paths_of_job(spec);
  StatusOr<media::InputFilePtr> input =
      media::InputFile::adopt(media::Descriptor(opened.file.release()), opened.declared.path());
  if (!input.ok()) return blame_input(paths.inputs[0], input.status());
  StatusOr<media::MediaFacts> facts = media::probe(*input);
  if (!facts.ok()) return blame_input(paths.inputs[0], facts.status());
  ASSIGN_OR_RETURN(const VideoPlan plan, plan_video(spec, *facts, paths.outputs[0].name()));

  v1::JobEstimate estimate;
  estimate.set_input_summary(channel::as_utf8(summary_of(*facts)));
  estimate.set_output_summary(channel::as_utf8(summary_of(plan)));
  const int64_t frames = facts->video.frames;
  estimate.set_frames_in(frames);
  estimate.set_frames_out(frames * plan.outputs_per_frame());
  estimate.set_cost_key(plan.cost_key());
  estimate.set_pace_key(channel::as_utf8(plan.pace_key()));
  estimate.set_unit_bytes(int64_t(facts->video.format.packed_bytes()));
  if (frames > 0 && plan.writes_file()) {
    // Segments and the finished file stand side by side at the end; a quarter of the input is a guess at what is copied.
    const int64_t video = media::estimate_bytes(plan.encoder, plan.output, estimate.frames_out());
    estimate.set_output_bytes(2 * video + (plan.container.copied.empty() ? 0 : facts->bytes / 4));
  }
  return estimate;
}

StatusOr<v1::JobEstimate> estimate(const internal::v1::ProbeJob& request,
                                   std::vector<channel::FileDescriptor> descriptors) {
  ASSIGN_OR_RETURN(std::vector<OpenInput> inputs, take_inputs(request.inputs(), descriptors));
  if (inputs.empty()) return internal_error("A probe comes without the job's input.");
  switch (request.spec().kind_case()) {
    case v1::JobSpec::kDeinterlace:
      return estimate_video(request.spec(), std::move(inputs[0]));
    case v1::JobSpec::kBloom:
      return estimate_images(request.spec(), inputs);
    default:
      return unimplemented("This worker does not know the job's kind; update Weft.");
  }
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
  } else {
    *answer.mutable_error() = channel::to_message(result.status());
  }
  return message;
}

}  // namespace weft::worker
