// SPDX-License-Identifier: Apache-2.0
#include "server/worker/kinds.h"

#include <array>
#include <utility>

#include "server/worker/image/image_plan.h"
#include "server/worker/image/image_runner.h"
#include "server/worker/video/video_plan.h"
#include "server/worker/video/video_runner.h"

namespace weft::worker {
namespace {

struct Kind {
  v1::JobSpec::KindCase kind;
  v1::MediaKind media;  // of the first input; UNSPECIFIED: any
  StatusOr<v1::JobEstimate> (*estimate)(const v1::JobSpec& spec, const std::vector<OpenInput>& inputs);
  std::unique_ptr<JobRunner> (*runner)(JobOrder order, const DeviceShare& share, JobEvents& events);
};

template <class Runner>
std::unique_ptr<JobRunner> run_by(JobOrder order, const DeviceShare& share, JobEvents& events) {
  return std::make_unique<Runner>(std::move(order), share, events);
}

constexpr std::array kKinds = {
    Kind{v1::JobSpec::kDeinterlace, v1::MEDIA_KIND_UNSPECIFIED, estimate_video, run_by<VideoRunner>},
    Kind{v1::JobSpec::kBloom, v1::MEDIA_KIND_VIDEO, estimate_video, run_by<VideoRunner>},
    Kind{v1::JobSpec::kBloom, v1::MEDIA_KIND_IMAGE, estimate_images, run_by<ImageRunner>},
};

StatusOr<const Kind*> find_kind(const v1::JobSpec& spec, const std::vector<OpenInput>& inputs) {
  v1::MediaKind media = v1::MEDIA_KIND_UNSPECIFIED;  // nobody looked yet
  for (const Kind& kind : kKinds) {
    if (kind.kind != spec.kind_case()) continue;
    if (kind.media == v1::MEDIA_KIND_UNSPECIFIED) return &kind;
    if (media == v1::MEDIA_KIND_UNSPECIFIED) {
      ASSIGN_OR_RETURN(media, media_of(inputs[0]));
    }
    if (kind.media == media) return &kind;
  }
  return unimplemented("This worker does not know the job's kind; update Weft.");
}

}  // namespace

StatusOr<v1::JobEstimate> estimate_job(const v1::JobSpec& spec, const std::vector<OpenInput>& inputs) {
  ASSIGN_OR_RETURN(const Kind* kind, find_kind(spec, inputs));
  return kind->estimate(spec, inputs);
}

StatusOr<std::unique_ptr<JobRunner>> make_runner(JobOrder order, const DeviceShare& share,
                                                 JobEvents& events) {
  ASSIGN_OR_RETURN(const Kind* kind, find_kind(order.spec, order.inputs));
  return kind->runner(std::move(order), share, events);
}

}  // namespace weft::worker
