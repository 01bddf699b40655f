// SPDX-License-Identifier: Apache-2.0
#include "server/worker/texture/texture_plan.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "options/job_files.h"
#include "options/validate.h"
#include "options/values.h"
#include "server/channel/status_message.h"
#include "server/filters/texture/large_network.h"
#include "server/media/image/image.h"
#include "server/media/image/image_codes.h"
#include "server/worker/device/batch_work.h"

namespace weft::worker {
namespace {

using media::TextureAlpha;
using media::TextureFormat;

constexpr const char* kTextureInput = "spec.texture.input";
constexpr const char* kTextureOutput = "spec.texture.output";
constexpr int kZstdLevel = 9;

int blocks_of(const media::TextureFacts& facts, bool is_normal) {
  switch (facts.format) {
    case TextureFormat::kRgba8:
      return BLOCKS_NONE;
    case TextureFormat::kBc1:
      return BLOCKS_BC1 | (facts.alpha == TextureAlpha::kOpaque ? BLOCKS_OPAQUE : 0);
    case TextureFormat::kBc2:
      return BLOCKS_BC2;
    case TextureFormat::kBc3:
      return BLOCKS_BC3;
    case TextureFormat::kBc4:
      return BLOCKS_BC4;
    case TextureFormat::kBc4Signed:
      return BLOCKS_BC4 | BLOCKS_SIGNED;
    case TextureFormat::kBc5:
      return BLOCKS_BC5 | (is_normal ? BLOCKS_NORMAL : 0);
    case TextureFormat::kBc5Signed:
      return BLOCKS_BC5 | BLOCKS_SIGNED | (is_normal ? BLOCKS_NORMAL : 0);
    case TextureFormat::kBc7:
      return BLOCKS_BC7;
  }
  return BLOCKS_NONE;
}

TextureFormat format_of(v1::TextureEncoding encoding, const TextureInput& input) {
  switch (encoding) {
    case v1::TEXTURE_ENCODING_BC7:
      return TextureFormat::kBc7;
    case v1::TEXTURE_ENCODING_BC1:
      return TextureFormat::kBc1;
    case v1::TEXTURE_ENCODING_BC3:
      return TextureFormat::kBc3;
    case v1::TEXTURE_ENCODING_BC4:
      return TextureFormat::kBc4;
    case v1::TEXTURE_ENCODING_BC5:
      return TextureFormat::kBc5;
    case v1::TEXTURE_ENCODING_RGBA8:
      return TextureFormat::kRgba8;
    default:
      break;
  }
  if (input.is_image) return TextureFormat::kBc7;
  switch (input.facts.format) {
    case TextureFormat::kBc2:
      return TextureFormat::kBc3;
    case TextureFormat::kBc4Signed:
      return TextureFormat::kBc4;
    case TextureFormat::kBc5Signed:
      return TextureFormat::kBc5;
    default:
      return input.facts.format;
  }
}

media::TextureFacts target_of(const v1::TextureJob& job, const TextureInput& input) {
  media::TextureFacts target = input.facts;
  target.format = format_of(job.format(), input);
  target.width *= 2;
  target.height *= 2;
  target.is_srgb = input.facts.is_srgb && media::has_srgb(target.format);
  target.levels = job.mips() ? media::full_levels(target.width, target.height) : 1;
  return target;
}

int border_of(const v1::TextureJob& job, bool is_cube) {
  if (is_cube || job.border() == v1::TEXTURE_BORDER_CLAMP) return BORDER_CLAMP;
  return job.border() == v1::TEXTURE_BORDER_MIRROR ? BORDER_MIRROR : BORDER_WRAP;
}

int quality_of(v1::BlockQuality quality) {
  if (quality == v1::BLOCK_QUALITY_FAST) return QUALITY_FAST;
  return quality == v1::BLOCK_QUALITY_BEST ? QUALITY_BEST : QUALITY_MEDIUM;
}

// What the model of a job's kind says; null: nothing.
StatusOr<std::shared_ptr<const filters::texture::LargeNetwork>> network_of(const v1::TextureJob& job) {
  if (job.model() == v1::UPSAMPLE_MODEL_NONE) return nullptr;
  const char* kind = job.kind() == v1::TEXTURE_KIND_NORMAL ? "normal"
                     : job.kind() == v1::TEXTURE_KIND_MASK ? "mask"
                                                           : "albedo";
  return filters::texture::built_in_large_network(kind);
}

void add_notes(const TextureInput& input, TexturePlan& plan) {
  const auto note = [&](std::string text) { plan.notes.push_back(std::move(text)); };
  if (const auto& network = plan.task.enlargement.network; network != nullptr)
    note(fmt::format("Texels are made by the network '{}' of {}.", network->name, network->date));
  if (!input.facts.is_transfer_known && plan.job.kind() == v1::TEXTURE_KIND_ALBEDO)
    note("The input does not say whether its colours are sRGB, and neither does the output.");
  if (input.facts.format == TextureFormat::kBc4Signed || input.facts.format == TextureFormat::kBc5Signed)
    note(fmt::format("The input's signed values are stored as unsigned ones ({}).",
                     media::name_of(plan.target.format)));
  if (input.facts.is_srgb && !plan.target.is_srgb)
    note(fmt::format("The input's colours are sRGB, of which {} has no form; they are stored as they are.",
                     media::name_of(plan.target.format)));
}

int64_t bytes_of(const media::TextureFacts& facts) {
  int64_t bytes = 0;
  for (int level = 0; level < facts.levels; level++) bytes += facts.image_bytes(level) * facts.images();
  return bytes;
}

media::TextureFacts facts_of_image(const media::ImageFacts& image, v1::TextureKind kind) {
  media::TextureFacts facts;
  facts.is_srgb = kind == v1::TEXTURE_KIND_ALBEDO;
  facts.alpha = image.has_alpha ? TextureAlpha::kStraight : TextureAlpha::kOpaque;
  facts.width = image.data.width;
  facts.height = image.data.height;
  return facts;
}

}  // namespace

StatusOr<filters::Network> TexturePlan::network(const filters::FilterContext& context) const {
  filters::Network network;
  const filters::Port port = network.set_source(filters::texture::blocks_format(task.source));
  ASSIGN_OR_RETURN(std::vector<filters::Port> outputs,
                   filters::texture::add_upsampling(context, network, port, task));
  RETURN_IF_ERROR(network.set_outputs(std::move(outputs)));
  return network;
}

StatusOr<TextureInput> look_at_texture(const OpenJobFile& input, v1::TextureKind kind) {
  ASSIGN_OR_RETURN(const media::InputFilePtr file, open_input_file(input));
  TextureInput found;
  found.file_bytes = file->bytes();
  ASSIGN_OR_RETURN(found.is_image, media::is_image(*file));
  if (found.is_image) {
    ASSIGN_OR_RETURN(const media::ImageFacts image, media::probe_image(*file, {}));
    RETURN_IF_ERROR(media::check_has_codes(image, file->name()));
    found.facts = facts_of_image(image, kind);
    return found;
  }
  ASSIGN_OR_RETURN(found.facts, media::probe_texture(*file));
  return found;
}

StatusOr<media::Texture> read_texture_input(const OpenJobFile& input, v1::TextureKind kind) {
  ASSIGN_OR_RETURN(const media::InputFilePtr file, open_input_file(input));
  ASSIGN_OR_RETURN(const bool is_image, media::is_image(*file));
  if (!is_image) return media::read_texture(*file);
  ASSIGN_OR_RETURN(media::ImageCodes image, media::read_image_codes(*file));
  const media::TextureFacts facts = facts_of_image(image.facts, kind);
  RETURN_IF_ERROR(media::check_facts(facts, file->name()));
  media::Texture texture;
  texture.facts = facts;
  texture.levels.push_back(std::move(image.rgba));
  return texture;
}

StatusOr<TexturePlan> plan_texture(const v1::JobSpec& spec, const TextureInput& input,
                                   std::string_view output_name) {
  RETURN_IF_ERROR(options::to_status(options::validate(spec, "spec")));
  TexturePlan plan;
  plan.job = spec.texture();
  options::apply_defaults(plan.job);
  const StatusOr<media::TextureContainer> container = media::texture_container_of(output_name);
  if (!container.ok()) return blame(kTextureOutput, container.status());
  plan.encoding.container = *container;
  if (plan.job.supercompression() == v1::SUPERCOMPRESSION_ZSTD) {
    if (*container != media::TextureContainer::kKtx2)
      return options::to_status(
          {{"spec.texture.supercompression",
            fmt::format("A DDS file is not supercompressed ({}); name one that ends in .ktx2.",
                        output_name)}});
    plan.encoding.zstd_level = kZstdLevel;
  }
  plan.source = input.facts;
  plan.target = target_of(plan.job, input);
  RETURN_IF_ERROR(blame(kTextureInput, media::check_facts(plan.target, "at twice the size")));
  const bool is_normal = plan.job.kind() == v1::TEXTURE_KIND_NORMAL;
  const bool keeps = plan.job.levels() == v1::LEVEL_SOURCE_KEEP && plan.source.format == plan.target.format &&
                     !input.is_image;
  plan.kept_levels = keeps ? std::min(plan.source.levels, plan.target.levels - 1) : 0;
  filters::texture::Upsampling& task = plan.task;
  task.source = {blocks_of(plan.source, is_normal), plan.source.width, plan.source.height};
  task.target_format = blocks_of(plan.target, false);
  task.quality = quality_of(plan.job.quality());
  task.enlargement.is_normal = is_normal;
  task.enlargement.border = border_of(plan.job, plan.source.faces > 1);
  ASSIGN_OR_RETURN(task.enlargement.network, network_of(plan.job));
  task.enlargement.source = filters::texture::texel_source_of(task.source.format);
  task.levels = plan.target.levels;
  task.first_made = 1 + plan.kept_levels;
  add_notes(input, plan);
  return plan;
}

filters::PlanOptions texture_plan_options(int64_t images) {
  // One image may be gigabytes: no room for more than there are.
  const int in_flight = int(std::clamp<int64_t>(images, 1, kBatchesKept));
  return {.batch = 1, .in_flight = in_flight, .held = 1, .units = images};
}

StatusOr<v1::JobEstimate> estimate_texture(const v1::JobSpec& spec, const std::vector<OpenJobFile>& inputs) {
  const options::JobFiles files = options::files_of_job(spec);
  v1::TextureJob job = spec.texture();
  options::apply_defaults(job);
  const StatusOr<TextureInput> input = look_at_texture(inputs[0], job.kind());
  if (!input.ok()) return blame(kTextureInput, input.status());
  ASSIGN_OR_RETURN(const TexturePlan plan, plan_texture(spec, *input, files.outputs[0].name()));
  const int64_t images = plan.source.images();
  const int64_t made = bytes_of(plan.target);
  v1::JobEstimate estimate;
  estimate.set_media(input->is_image ? v1::MEDIA_KIND_IMAGE : v1::MEDIA_KIND_TEXTURE);
  estimate.set_input_summary(channel::as_utf8(media::summary_of(plan.source)));
  estimate.set_output_summary(channel::as_utf8(
      fmt::format("{} {}", media::name_of(plan.encoding.container), media::summary_of(plan.target))));
  estimate.set_units_in(images);
  estimate.set_units_out(images);
  estimate.set_output_bytes(made + plan.source.levels * 64 + media::kMaxKeyValueBytes);
  estimate.set_cost_key(plan.cost_key());
  estimate.set_pace_key(estimate.cost_key());
  estimate.set_unit_bytes(plan.source.image_bytes(0));
  ASSIGN_OR_RETURN(filters::Network network, plan.network({}));
  ASSIGN_OR_RETURN(const filters::Plan compiled,
                   filters::Plan::compile(network, texture_plan_options(images)));
  constexpr int64_t kTextureJobBytes = int64_t{48} << 20;  // the code and tables of libraries, stacks
  const int64_t image_bytes = input->is_image ? plan.source.image_bytes(0) * 5 : 0;  // as floats
  const int64_t host = kTextureJobBytes + input->file_bytes + bytes_of(plan.source) + image_bytes + 2 * made;
  estimate.set_host_bytes(host + int64_t(compiled.host_bytes()));
  estimate.set_shared_bytes(host + int64_t(compiled.host_bytes() + compiled.device_bytes()));
  return estimate;
}

}  // namespace weft::worker
