// SPDX-License-Identifier: Apache-2.0
// Estimates the work and memory of a texture job from the headers of its files.
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "options/job_files.h"
#include "options/values.h"
#include "options/words.h"
#include "server/channel/status_message.h"
#include "server/worker/job/chain.h"
#include "server/worker/texture/texture_plan.h"

namespace weft::worker {
namespace {

// memory for code and tables of libraries, and stacks
constexpr int64_t kTextureJobBytes = int64_t{48} << 20;
// textures of a set in memory: one is read, one processed, one stored
constexpr int64_t kTexturesAtOnce = 3;

// The resources that one texture needs.
struct TextureNeeds {
  TexturePlan plan;
  TextureInput input;
  int64_t read_bytes = 0, made_bytes = 0;  // host memory

  int64_t blocks() const { return blocks_of(plan.source); }
  int64_t output_bytes() const {
    return plan.target.bytes() + plan.source.levels * 64 + media::kMaxKeyValueBytes;
  }
};

StatusOr<TextureNeeds> needs_of(const v1::JobSpec& spec, const OpenJobFile& file, const TextureItem& item) {
  ASSIGN_OR_RETURN(const media::InputFilePtr open, open_texture(file, item));
  TextureNeeds needs;
  ASSIGN_OR_RETURN(needs.input, inspect_texture(*open, item.kind));
  ASSIGN_OR_RETURN(needs.plan,
                   plan_texture(spec, needs.input, item.output_name, item.kind, item.is_exception));
  const int64_t as_floats = needs.input.is_image ? needs.plan.source.image_bytes(0) * 5 : 0;
  needs.read_bytes = needs.input.file_bytes + needs.plan.source.bytes() + as_floats;
  needs.made_bytes = needs.plan.target.bytes();
  return needs;
}

// Sums and maxima over all textures of a job.
struct Sums {
  int64_t textures = 0, failed = 0, blocks = 0, output_bytes = 0, read_bytes = 0, made_bytes = 0;
  int64_t host_bytes = 0, device_bytes = 0;  // maxima over the pipelines
  graph::NetworkWork work;                   // work for an image of the largest texture
  std::map<v1::TextureKind, int64_t> kinds;  // number of textures of each kind
  Status first_error;
  TextureNeeds largest;

  Status add(TextureNeeds needs) {
    textures++;
    kinds[needs.plan.job.kind()]++;
    blocks += needs.blocks();
    output_bytes += needs.output_bytes();
    read_bytes = std::max(read_bytes, needs.read_bytes);
    made_bytes = std::max(made_bytes, needs.made_bytes);
    const bool is_largest =
        textures == 1 || blocks_of_image(needs.plan.source) > blocks_of_image(largest.plan.source);
    if (!is_largest) return ok_status();
    ASSIGN_OR_RETURN(const TextureNetworkNeeds of_network, network_needs_of(needs.plan));
    work = of_network.work;
    host_bytes = std::max(host_bytes, of_network.host_bytes);
    device_bytes = std::max(device_bytes, of_network.device_bytes);
    largest = std::move(needs);
    return ok_status();
  }
};

// Returns a text such as "; by name 2 albedo, 1 normal", or "; by name normal" for one texture.
std::string kinds_by_name(const Sums& sums) {
  std::string text;
  for (const auto& [kind, textures] : sums.kinds) {
    text += text.empty() ? "; by name " : ", ";
    if (sums.textures > 1) text += fmt::format("{} ", textures);
    text += options::choice_name(kind);
  }
  return text;
}

std::string summary_of(const Sums& sums, const media::TextureInfo& info, bool is_set) {
  if (!is_set) return media::summary_of(info);
  std::string text = fmt::format("{}, the largest {}", options::format_count(sums.textures, "texture"),
                                 media::summary_of(info));
  if (sums.failed > 0) text += fmt::format("; {} that cannot be read", sums.failed);
  return text;
}

}  // namespace

StatusOr<TextureNetworkNeeds> network_needs_of(const TexturePlan& plan) {
  size_t constants = 0;
  ASSIGN_OR_RETURN(graph::Network network, plan.network({.constant_bytes = &constants}));
  ASSIGN_OR_RETURN(const graph::Plan compiled,
                   graph::Plan::compile(network, texture_plan_options(plan.source.images())));
  return TextureNetworkNeeds{int64_t(compiled.host_bytes()), int64_t(compiled.device_bytes() + constants),
                             graph::unit_work(network)};
}

StatusOr<v1::JobEstimate> estimate_texture(const v1::JobSpec& spec, const std::vector<OpenJobFile>& inputs) {
  constexpr const char* kField = "spec.texture.input";
  const options::JobFiles files = options::files_of_job(spec);
  const bool is_set = inputs[0].declared.is_set;
  const auto items = list_textures(spec, inputs, files.outputs[0].name());
  if (!items.ok()) return blame(kField, items.status());
  Sums sums;
  for (const TextureItem& item : *items) {
    StatusOr<TextureNeeds> needs = needs_of(spec, inputs[0], item);
    if (!needs.ok() && !(is_set && is_fault_of_input(needs.status()))) return blame(kField, needs.status());
    if (!needs.ok() && sums.first_error.ok()) sums.first_error = needs.status();
    if (!needs.ok()) sums.failed++;
    if (needs.ok()) RETURN_IF_ERROR(sums.add(*std::move(needs)));
  }
  if (sums.textures == 0) return blame(kField, sums.first_error);
  const TextureNeeds& largest = sums.largest;
  v1::JobEstimate estimate;
  const bool is_image = largest.input.is_image && !is_set;
  estimate.set_media(is_image ? v1::MEDIA_KIND_IMAGE : v1::MEDIA_KIND_TEXTURE);
  v1::TextureJob job = spec.texture();
  options::apply_defaults(job);
  const bool is_by_name = job.kind() == v1::TEXTURE_KIND_AUTO;
  estimate.set_input_summary(channel::as_utf8(summary_of(sums, largest.plan.source, is_set) +
                                              (is_by_name ? kinds_by_name(sums) : "")));
  estimate.set_output_summary(channel::as_utf8(fmt::format(
      "{} {}", media::name_of(largest.plan.encoding.container), media::summary_of(largest.plan.target))));
  estimate.set_units_in(sums.blocks);
  estimate.set_units_out(sums.blocks);
  estimate.set_output_bytes(sums.output_bytes);
  // The unit of learnt costs is an image.
  const int64_t image_blocks = blocks_of_image(largest.plan.source);
  estimate.set_cost_key(largest.plan.cost_key());
  estimate.set_cost_units(1 / double(image_blocks));
  estimate.set_pace_key(estimate.cost_key());
  *estimate.mutable_unit_work() = to_message(sums.work);
  const int64_t at_once = std::min(sums.textures, kTexturesAtOnce);
  const int64_t host = kTextureJobBytes + std::min<int64_t>(at_once, 2) * sums.read_bytes +
                       (at_once > 1 ? 3 : 2) * sums.made_bytes;
  estimate.set_host_bytes(host + sums.host_bytes);
  estimate.set_shared_bytes(host + sums.host_bytes + sums.device_bytes);
  estimate.add_device_bytes(sums.device_bytes);
  return estimate;
}

}  // namespace weft::worker
