// SPDX-License-Identifier: Apache-2.0
#include "server/worker/kinds.h"

#include <array>
#include <utility>

#include "options/job_kinds.h"
#include "options/validate.h"
#include "server/worker/benchmark/benchmark_runner.h"
#include "server/worker/image/image_plan.h"
#include "server/worker/image/image_runner.h"
#include "server/worker/texture/texture_plan.h"
#include "server/worker/texture/texture_runner.h"
#include "server/worker/tuning/tune_runner.h"
#include "server/worker/video/video_plan.h"
#include "server/worker/video/video_runner.h"

namespace weft::worker {
namespace {

struct Kind {
  v1::JobSpec::KindCase kind;
  StatusOr<v1::JobEstimate> (*estimate)(const v1::JobSpec& spec, const std::vector<OpenJobFile>& inputs);
  std::unique_ptr<JobRunner> (*runner)(JobOrder order, const DeviceShare& share, JobEvents& events);
};

template <class Runner>
std::unique_ptr<JobRunner> run_by(JobOrder order, const DeviceShare& share, JobEvents& events) {
  return std::make_unique<Runner>(std::move(order), share, events);
}

constexpr std::array kKinds = {
    Kind{v1::JobSpec::kVideo, estimate_video, run_by<VideoRunner>},
    Kind{v1::JobSpec::kImage, estimate_images, run_by<ImageRunner>},
    Kind{v1::JobSpec::kTexture, estimate_texture, run_by<TextureRunner>},
    Kind{v1::JobSpec::kBenchmark, estimate_benchmark, run_by<BenchmarkRunner>},
    Kind{v1::JobSpec::kTune, estimate_tuning, run_by<TuneRunner>},
};

const char* name_of(v1::MediaKind media) {
  switch (media) {
    case v1::MEDIA_KIND_IMAGE:
      return "an image";
    case v1::MEDIA_KIND_TEXTURE:
      return "a texture";
    default:
      return "a video";
  }
}

// Checks the kind of the first input. The error names the media kind that the declarations give for
// the input.
Status check_input(const options::JobKind& kind, const std::vector<OpenJobFile>& inputs) {
  const auto input = kind.input_option();
  if (!input || inputs.empty()) return ok_status();
  const std::string field = fmt::format("spec.{}.{}", kind.field->name(), input->path());
  const StatusOr<v1::MediaKind> found_media = media_of(inputs[0]);
  if (!found_media.ok()) return blame(field, found_media.status());
  const v1::MediaKind media = *found_media;
  const v1::MediaKind wanted = kind.declaration().media();
  const bool is_image_as_texture = media == v1::MEDIA_KIND_IMAGE && wanted == v1::MEDIA_KIND_TEXTURE;
  if (media == wanted || is_image_as_texture) return ok_status();
  // All other files may be videos; FFmpeg decides.
  if (media == v1::MEDIA_KIND_VIDEO && !is_video(inputs[0]))
    return options::to_status(
        {{field, fmt::format("The input is neither an image, a texture nor a video that can be "
                             "read here; jobs '{}' take {}.",
                             kind.name, name_of(wanted))}});
  std::string advice;
  for (const options::JobKind& other : options::job_kinds())
    if (other.declaration().media() == media) advice = fmt::format("; submit it as a job '{}'", other.name);
  return options::to_status({{field, fmt::format("The input is {}, and jobs '{}' take {}{}.", name_of(media),
                                                 kind.name, name_of(wanted), advice)}});
}

StatusOr<const Kind*> find_kind(const v1::JobSpec& spec, const std::vector<OpenJobFile>& inputs) {
  for (const Kind& kind : kKinds) {
    if (kind.kind != spec.kind_case()) continue;
    RETURN_IF_ERROR(check_input(*options::job_kind_of(spec), inputs));
    return &kind;
  }
  return unimplemented("This worker does not know the job's kind; update Weft.");
}

}  // namespace

StatusOr<v1::JobEstimate> estimate_job(const v1::JobSpec& spec, const std::vector<OpenJobFile>& inputs) {
  ASSIGN_OR_RETURN(const Kind* kind, find_kind(spec, inputs));
  return kind->estimate(spec, inputs);
}

StatusOr<std::unique_ptr<JobRunner>> make_runner(JobOrder order, const DeviceShare& share,
                                                 JobEvents& events) {
  ASSIGN_OR_RETURN(const Kind* kind, find_kind(order.spec, order.inputs));
  return kind->runner(std::move(order), share, events);
}

}  // namespace weft::worker
