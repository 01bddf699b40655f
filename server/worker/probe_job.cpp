// SPDX-License-Identifier: Apache-2.0
#include "server/worker/probe_job.h"

#include <string>

#include "options/job_paths.h"
#include "server/channel/status_message.h"
#include "server/media/read/probe.h"
#include "server/worker/image/image_plan.h"
#include "server/worker/job/open_input.h"
#include "server/worker/video/video_plan.h"

namespace weft::worker {
namespace {

StatusOr<v1::JobEstimate> estimate_video(const v1::JobSpec& spec, const std::vector<OpenInput>& inputs) {
  const options::JobPaths paths = options::paths_of_job(spec);
  const StatusOr<media::InputFilePtr> input = open_input_file(inputs[0]);
  if (!input.ok()) return blame(paths.inputs[0].field, input.status());
  const StatusOr<media::MediaFacts> facts = media::probe(*input);
  if (!facts.ok()) return blame(paths.inputs[0].field, facts.status());
  ASSIGN_OR_RETURN(BloomInputs pictures, read_bloom_inputs(inputs, "spec.bloom"));
  ASSIGN_OR_RETURN(const VideoPlan plan,
                   plan_video(spec, *facts, paths.outputs[0].name(), std::move(pictures)));

  v1::JobEstimate estimate;
  estimate.set_media(v1::MEDIA_KIND_VIDEO);
  estimate.set_input_summary(channel::as_utf8(summary_of(*facts)));
  estimate.set_output_summary(channel::as_utf8(summary_of(plan)));
  const int64_t frames = facts->video.frames;
  estimate.set_frames_in(frames);
  estimate.set_frames_out(frames * plan.filter.outputs_per_frame);
  estimate.set_cost_key(plan.filter.cost_key);
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
  ASSIGN_OR_RETURN(const std::vector<OpenInput> inputs, take_inputs(request.inputs(), descriptors));
  if (inputs.empty()) return internal_error("A probe comes without the job's input.");
  switch (request.spec().kind_case()) {
    case v1::JobSpec::kDeinterlace:
      return estimate_video(request.spec(), inputs);
    case v1::JobSpec::kBloom: {
      ASSIGN_OR_RETURN(const v1::MediaKind media, media_of(inputs[0]));
      return media == v1::MEDIA_KIND_VIDEO ? estimate_video(request.spec(), inputs)
                                           : estimate_images(request.spec(), inputs);
    }
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
