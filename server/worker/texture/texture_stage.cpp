// SPDX-License-Identifier: Apache-2.0
#include "server/worker/texture/texture_stage.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

namespace weft::worker {

StatusOr<std::unique_ptr<TextureStage>> TextureStage::open(device::Device& device, DeviceLoop& loop,
                                                           const TexturePlan& plan,
                                                           schedule::SourceSpec source, JobMeter& meter,
                                                           int64_t blocks_before) {
  const auto driver_lock = loop.driver_lock();
  ASSIGN_OR_RETURN(graph::Network network, plan.network({.device = &device}));
  graph::PipelineOptions options;
  options.plan = texture_plan_options(plan.source.images());
  ASSIGN_OR_RETURN(auto pipeline, graph::Pipeline::make(device, std::move(network), options));
  std::unique_ptr<TextureStage> stage(new TextureStage(std::move(pipeline), loop, meter, blocks_before));
  source.cost_key = plan.cost_key();
  source.max_units = stage->pipeline_->max_units();
  source.portions = stage->pipeline_->portions();
  stage->image_blocks_ = blocks_of_image(plan.source);
  stage->stage_.count_each_as(stage->image_blocks_);
  RETURN_IF_ERROR(stage->stage_.open(std::move(source)));
  return stage;
}

TextureStage::TextureStage(std::unique_ptr<graph::Pipeline> pipeline, DeviceLoop& loop, JobMeter& meter,
                           int64_t blocks_before)
    : pipeline_(std::move(pipeline)),
      loop_(loop),
      meter_(meter),
      before_(blocks_before),
      stage_(*pipeline_, loop, meter) {}

TextureStage::~TextureStage() {
  stage_.close();
  const auto driver_lock = loop_.driver_lock();
  pipeline_.reset();
}

Status TextureStage::run(const media::Texture& texture, const Take& take) {
  return stage_.run([&] { return feed(texture); }, [&] { return deliver(take); });
}

Status TextureStage::feed(const media::Texture& texture) {
  const media::TextureInfo& info = texture.info;
  for (int image = 0; image < info.images(); image++) {
    if (!stage_.wait_for_capacity()) return ok_status();
    ASSIGN_OR_RETURN(const graph::StagedUnit staged, pipeline_->stage());
    {
      const BusyTime busy(meter_.copy);
      const std::string_view bytes = texture.image(0, image / info.faces, image % info.faces);
      std::memcpy(staged.data[0], bytes.data(), bytes.size());
    }
    pipeline_->push({.pts = image});
    meter_.copy.units += image_blocks_;
    meter_.beat();
    stage_.notify_ready();
  }
  stage_.finish();
  return ok_status();
}

void TextureStage::report_progress(double images) {
  meter_.units_done = std::max(meter_.units_done.load(), before_ + int64_t(images * double(image_blocks_)));
}

Status TextureStage::deliver(const Take& take) {
  for (int image = 0; !stage_.stopped();) {
    const int64_t seen = stage_.batches_started();
    RETURN_IF_ERROR(stage_.error());
    ASSIGN_OR_RETURN(const std::optional<graph::OutputUnit> unit, pop_traced(*pipeline_));
    stage_.count_costs();
    report_progress(std::max(double(image), stage_.units_done()));
    if (!unit.has_value()) {
      if (!stage_.wait_for_batch(seen)) return ok_status();
      continue;
    }
    std::vector<std::span<const std::byte>> outputs = {{unit->data[0], pipeline_->target_format().bytes}};
    outputs.insert(outputs.end(), unit->others.begin(), unit->others.end());
    RETURN_IF_ERROR(take(image++, outputs));
    report_progress(image);
    meter_.beat();
    stage_.notify_ready();  // there is capacity for another image
  }
  return ok_status();
}

}  // namespace weft::worker
