// SPDX-License-Identifier: Apache-2.0
#include "server/worker/texture/texture_runner.h"

#include <cstring>
#include <string>
#include <utility>

#include "base/fault_point.h"
#include "options/values.h"
#include "server/worker/job/job_key.h"
#include "server/worker/job/job_result.h"
#include "server/worker/job/job_source.h"

namespace weft::worker {
namespace {

constexpr const char* kReadingTexture = "reading";
constexpr const char* kUpsampling = "processing";
constexpr const char* kStoringTexture = "finishing";

// Raised when the same input and specification begin to give other bytes.
constexpr int kTextureVersion = 1;

}  // namespace

TextureRunner::TextureRunner(JobOrder order, const DeviceShare& share, JobEvents& events)
    : order_(std::move(order)),
      share_(share),
      events_(events),
      step_(kReadingTexture),
      notes_(events),
      source_(order_.source) {}

JobEnd TextureRunner::run() {
  const media::WatchFileCalls watch(&meter_.file_calls);
  const Status status = attempt();
  if (!status.ok()) state_.fail(status, Origin::kOutput);
  return end_of(state_, result_so_far());
}

void TextureRunner::close() {
  const media::WatchFileCalls watch(&meter_.file_calls);
  close_files(order_);
}

void TextureRunner::stop(internal::v1::StopKind kind) {
  if (kind == internal::v1::STOP_KIND_CHECKPOINT && step_ == kStoringTexture) return;  // almost there
  state_.fail(cancelled("{}", reason_of(kind)), Origin::kStop);
}

void TextureRunner::change(const schedule::SourceChanged& change) {
  const std::lock_guard lock(stage_mutex_);
  apply(change, source_);
  if (stage_ != nullptr) stage_->change(change);
}

v1::JobProgress TextureRunner::progress() const { return progress_.progress(meter_, 0, step_); }

Status TextureRunner::attempt() {
  StatusOr<media::Texture> source = prepare();
  if (!source.ok()) {
    state_.fail(source.status(), Origin::kInput);
    return source.status();
  }
  ASSIGN_OR_RETURN(const std::string key, key_of(order_, kTextureVersion));
  const std::string& name = order_.outputs[0].finished_name;
  ASSIGN_OR_RETURN(const FinishedImages finished,
                   FinishedImages::open(order_.work_folder.get(), key, name, false));
  if (!finished.has(name)) {
    ASSIGN_OR_RETURN(const media::Texture target, process(*source));
    RETURN_IF_ERROR(state_.error());
    step_ = kStoringTexture;
    RETURN_IF_ERROR(store(target, finished));
  }
  meter_.units_done = meter_.units_total.load();
  meter_.outputs_done = meter_.units_total.load();
  step_ = kStoringTexture;
  return finished.finish();
}

StatusOr<media::Texture> TextureRunner::prepare() {
  v1::TextureJob job = order_.spec.texture();
  options::apply_defaults(job);
  const BusyTime busy(meter_.decode);
  ASSIGN_OR_RETURN(TextureInput input, look_at_texture(order_.inputs[0], job.kind()));
  meter_.beat();
  ASSIGN_OR_RETURN(media::Texture source, read_texture_input(order_.inputs[0], job.kind()));
  input.facts = source.facts;
  ASSIGN_OR_RETURN(plan_, plan_texture(order_.spec, input, order_.outputs[0].name()));
  meter_.units_total = plan_.source.images();
  meter_.decode.units += source.facts.images();
  meter_.beat();
  events_.on_log("info", fmt::format("Input: {}.", media::summary_of(plan_.source)));
  events_.on_log("info", fmt::format("Output: {} {}.", media::name_of(plan_.encoding.container),
                                     media::summary_of(plan_.target)));
  for (const std::string& note : plan_.notes) notes_.add(note);
  return source;
}

StatusOr<media::Texture> TextureRunner::process(const media::Texture& source) {
  step_ = kUpsampling;
  ASSIGN_OR_RETURN(media::Texture target, media::make_texture(plan_.target));
  target.key_values = source.key_values;
  keep_levels(source, target);
  const auto device_failed = [this](const Status& status) {
    if (!status.ok()) state_.fail(status, Origin::kDevice);
    return status;
  };
  std::unique_ptr<TextureStage> stage;
  {
    const std::lock_guard lock(stage_mutex_);
    auto opened = TextureStage::open(share_.device, share_.loop, plan_, source_, meter_);
    RETURN_IF_ERROR(device_failed(opened.status()));
    stage = *std::move(opened);
    stage_ = stage.get();
  }
  events_.on_log("info", fmt::format("On the device: {} image(s) in {} portions each, {} MiB.",
                                     source.facts.images(), stage->portions(), stage->device_bytes() >> 20));
  state_.on_failure([this] {
    const std::lock_guard lock(stage_mutex_);
    if (stage_ != nullptr) stage_->stop();
  });
  const Status status =
      stage->run(source, [&](int image, const std::vector<std::span<const std::byte>>& outputs) {
        const int layer = image / plan_.target.faces, face = image % plan_.target.faces;
        for (size_t i = 0; i < outputs.size(); i++) {
          const int level = i == 0 ? 0 : plan_.task.first_made + int(i) - 1;
          const std::span<char> place = target.writable_image(level, layer, face);
          std::memcpy(place.data(), outputs[i].data(), place.size());
        }
        meter_.units_done++;
        return ok_status();
      });
  {
    const std::lock_guard lock(stage_mutex_);
    stage_ = nullptr;
  }
  state_.clear_wakers();
  RETURN_IF_ERROR(device_failed(status));
  return target;
}

void TextureRunner::keep_levels(const media::Texture& source, media::Texture& target) const {
  for (int level = 0; level < plan_.kept_levels; level++)
    target.levels[size_t(level) + 1] = source.levels[size_t(level)];
}

Status TextureRunner::store(const media::Texture& texture, const FinishedImages& finished) {
  const BusyTime busy(meter_.encode);
  ASSIGN_OR_RETURN(const std::string bytes, media::encode_texture(texture, plan_.encoding));
  const std::string& name = order_.outputs[0].finished_name;
  RETURN_IF_ERROR(finished.write(name, bytes));
  FAULT_POINT("textures.after_texture");
  output_bytes_ = int64_t(bytes.size());
  meter_.encode.units += texture.facts.images();
  return ok_status();
}

v1::JobResult TextureRunner::result_so_far() const {
  v1::JobResult result = add_up({}, meter_, std::chrono::steady_clock::now() - start_);
  result.set_output_bytes(output_bytes_);
  result.set_segments(int(meter_.outputs_done > 0));
  notes_.put_into(result);
  return result;
}

}  // namespace weft::worker
