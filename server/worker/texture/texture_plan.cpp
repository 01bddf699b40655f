// SPDX-License-Identifier: Apache-2.0
#include "server/worker/texture/texture_plan.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "options/file_set.h"
#include "options/validate.h"
#include "options/values.h"
#include "server/filters/texture/large_network.h"
#include "server/filters/texture/small_network.h"
#include "server/worker/device/batch_work.h"

namespace weft::worker {
namespace {

using media::TextureAlpha;
using media::TextureFormat;

constexpr const char* kTextureInput = "spec.texture.input";
constexpr const char* kTextureOutput = "spec.texture.output";
constexpr int kZstdLevel = 9;

int blocks_of(const media::TextureInfo& info, bool is_normal) {
  switch (info.format) {
    case TextureFormat::kRgba8:
      return BLOCKS_NONE;
    case TextureFormat::kBc1:
      return BLOCKS_BC1 | (info.alpha == TextureAlpha::kOpaque ? BLOCKS_OPAQUE : 0);
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
    case v1::TEXTURE_ENCODING_BC4S:
      return TextureFormat::kBc4Signed;
    case v1::TEXTURE_ENCODING_BC5S:
      return TextureFormat::kBc5Signed;
    default:
      break;
  }
  if (input.is_image) return TextureFormat::kBc7;
  switch (input.info.format) {
    case TextureFormat::kBc2:
      return TextureFormat::kBc3;
    default:
      return input.info.format;
  }
}

// Returns the file's properties, with the job's transfer function if the file does not state one.
media::TextureInfo source_of(const v1::TextureJob& job, const TextureInput& input) {
  media::TextureInfo source = input.info;
  const bool is_said = job.transfer() != v1::TEXTURE_TRANSFER_UNSPECIFIED;
  if (!is_said || job.kind() != v1::TEXTURE_KIND_ALBEDO || (source.is_transfer_known && !input.is_image))
    return source;
  source.is_transfer_known = true;
  source.is_srgb = job.transfer() == v1::TEXTURE_TRANSFER_SRGB && media::has_srgb(source.format);
  return source;
}

media::TextureInfo target_of(const v1::TextureJob& job, const TextureInput& input,
                             const media::TextureInfo& source) {
  media::TextureInfo target = source;
  target.format = format_of(job.format(), input);
  target.width *= 2;
  target.height *= 2;
  target.is_srgb = source.is_srgb && media::has_srgb(target.format);
  target.levels = job.mips() ? media::full_levels(target.width, target.height) : 1;
  return target;
}

// Sets orientation and swizzle. A KTX2 file states them in keys, which are copied. A DDS file
// cannot state them, so its texels are stored as displayed. A swizzle is omitted, with a note, if
// the format lacks channels, or if channels are the components of normals.
void set_arrangement(bool is_normal, TexturePlan& plan) {
  if (plan.encoding.container == media::TextureContainer::kKtx2) return;
  const media::TextureArrangement from = plan.source.arrangement;
  filters::texture::Arrangement& to = plan.task.arrangement;
  to.from_right = from.from_right;
  to.from_below = from.from_below;
  if (media::has_colours(plan.target.format) && !is_normal)
    for (size_t i = 0; i < 4; i++) to.channels[i] = int(std::string_view("rgba01").find(from.channels[i]));
  plan.target.arrangement = {};
  plan.target.keys.clear();
  plan.target.primaries = media::kPrimariesBt709;
}

int border_of(const v1::TextureJob& job, bool is_cube) {
  if (is_cube || job.border() == v1::TEXTURE_BORDER_CLAMP) return BORDER_CLAMP;
  return job.border() == v1::TEXTURE_BORDER_MIRROR ? BORDER_MIRROR : BORDER_WRAP;
}

int quality_of(v1::BlockQuality quality) {
  if (quality == v1::BLOCK_QUALITY_FAST) return QUALITY_FAST;
  return quality == v1::BLOCK_QUALITY_BEST ? QUALITY_BEST : QUALITY_MEDIUM;
}

const char* word_of(v1::TextureKind kind) {
  if (kind == v1::TEXTURE_KIND_NORMAL) return "normal";
  return kind == v1::TEXTURE_KIND_MASK ? "mask" : "albedo";
}

// Sets the networks of the job's model for its kind.
Status set_networks(const v1::TextureJob& job, filters::texture::Upsampling& task) {
  const char* const kind = word_of(job.kind());
  if (job.model() == v1::UPSAMPLE_MODEL_LARGE) {
    ASSIGN_OR_RETURN(task.enlargement.network, filters::texture::built_in_large_network(kind));
  }
  if (job.model() != v1::UPSAMPLE_MODEL_SMALL) return ok_status();
  if (!filters::texture::small_makes(task.target_format))
    return options::to_status(
        {{"spec.texture.model",
          "The model 'small' makes blocks of BC7, BC1 and BC5; for this format take 'large' or "
          "'none', or --format bc7."}});
  // The networks make no blocks with alpha, and with gloss all blocks have alpha.
  if (task.has_gloss) return ok_status();
  ASSIGN_OR_RETURN(task.small, filters::texture::built_in_small_network(kind));
  return ok_status();
}

// Checks and sets gloss. It requires normals, and a format with alpha. In a set with kinds by name,
// only normals receive it.
Status set_gloss(const v1::TextureJob& job, bool is_one_of_several, TexturePlan& plan) {
  constexpr const char* kField = "spec.texture.gloss";
  if (!job.gloss() || (is_one_of_several && job.kind() != v1::TEXTURE_KIND_NORMAL)) return ok_status();
  if (job.kind() != v1::TEXTURE_KIND_NORMAL)
    return options::to_status(
        {{kField, "Only normals gain gloss; take --kind normal, or leave --gloss out."}});
  switch (plan.target.format) {
    case TextureFormat::kBc7:
    case TextureFormat::kBc3:
    case TextureFormat::kRgba8:
      break;
    default:
      return options::to_status(
          {{kField,
            fmt::format("Gloss is stored in alpha, which {} does not have; take --format bc7, bc3 or rgba8.",
                        media::name_of(plan.target.format))}});
  }
  plan.target.alpha = TextureAlpha::kCustom;
  plan.task.has_gloss = true;
  return ok_status();
}

// Adds notes on properties of the source that the output's container does not store.
void note_left_out(TexturePlan& plan) {
  const media::TextureInfo& source = plan.source;
  const auto note = [&](std::string text) { plan.notes.push_back(std::move(text)); };
  const bool is_dds = plan.encoding.container == media::TextureContainer::kDds;
  if (!is_dds) {
    if (source.alpha == TextureAlpha::kCustom && !plan.task.has_gloss)
      note(
          "The input's alpha is stated to be custom, which KTX2 has no word for; it is stated to be "
          "straight.");
    return;
  }
  const filters::texture::Arrangement plain{};
  const bool swizzles = plan.task.arrangement.channels != plain.channels;
  if (plan.task.arrangement != plain)
    note(fmt::format("The input's {} applied, which DDS does not hold; all levels are made.",
                     !source.arrangement.is_turned() ? "swizzle is"
                     : swizzles                      ? "orientation and swizzle are"
                                                     : "orientation is"));
  if (source.arrangement.is_swizzled() && !swizzles)
    note(fmt::format("The input's swizzle ({}) is left out: DDS does not hold it, and {}.",
                     std::string_view(source.arrangement.channels.data(), 4),
                     media::has_colours(plan.target.format)
                         ? "the components of normals stay in their channels"
                         : fmt::format("{} lacks channels", media::name_of(plan.target.format))));
  if (source.primaries != media::kPrimariesBt709 && source.primaries != media::kPrimariesNotSaid)
    note(fmt::format(
        "The primaries of the input's colours ({}) are left out, as DDS does not hold them; colours stay "
        "as they are stored.",
        media::primaries_name(source.primaries)));
  if (!source.keys.empty())
    note(fmt::format("Left out, as DDS does not hold it: {}.", fmt::join(source.keys, ", ")));
  if (source.is_array && source.layers == 1)
    note("An array of one layer is stored as a texture without layers.");
}

void add_notes(const TextureInput& input, TexturePlan& plan) {
  note_left_out(plan);
  plan.notes.insert(plan.notes.end(), input.notes.begin(), input.notes.end());
  const auto note = [&](std::string text) { plan.notes.push_back(std::move(text)); };
  if (const auto& network = plan.task.enlargement.network; network != nullptr)
    note(fmt::format("Texels are made by the network '{}' of {}.", network->title.name, network->title.date));
  if (plan.task.small != nullptr)
    note(fmt::format("Blocks are made by the networks '{}' of {}; those with alpha without.",
                     plan.task.small->title.name, plan.task.small->title.date));
  if (plan.task.has_gloss && plan.job.model() == v1::UPSAMPLE_MODEL_SMALL)
    note(
        "With gloss each block has alpha, which the networks 'small' do not make: blocks are made by the "
        "filter and the search.");
  const bool is_stated =
      plan.encoding.container == media::TextureContainer::kKtx2 || !media::has_old_dds_header(plan.target);
  if (!plan.source.is_transfer_known && plan.job.kind() == v1::TEXTURE_KIND_ALBEDO)
    note(fmt::format("The input's header does not state its transfer function; {}. --transfer sets it.",
                     is_stated ? "the output states that it is linear" : "neither does the output's"));
  const bool is_signed =
      input.info.format == TextureFormat::kBc4Signed || input.info.format == TextureFormat::kBc5Signed;
  if (is_signed && !plan.makes_signed())
    note(fmt::format("The input's signed values are stored as unsigned ones ({}).",
                     media::name_of(plan.target.format)));
  if (plan.source.is_srgb && !plan.target.is_srgb)
    note(fmt::format("The input's colours are sRGB, of which {} has no form; they are stored as they are.",
                     media::name_of(plan.target.format)));
}

}  // namespace

StatusOr<graph::Network> TexturePlan::network(const filters::FilterContext& context) const {
  graph::Network network;
  const graph::Port port = network.set_source(filters::texture::blocks_format(task.source));
  ASSIGN_OR_RETURN(std::vector<graph::Port> outputs,
                   filters::texture::add_upsampling(context, network, port, task));
  RETURN_IF_ERROR(network.set_outputs(std::move(outputs)));
  return network;
}

StatusOr<TexturePlan> plan_texture(const v1::JobSpec& spec, const TextureInput& input,
                                   std::string_view output_name, v1::TextureKind kind, bool is_exception) {
  RETURN_IF_ERROR(options::to_status(options::validate(spec, "spec")));
  TexturePlan plan;
  plan.job = spec.texture();
  options::apply_defaults(plan.job);
  const bool is_one_of_several =
      plan.job.kind() == v1::TEXTURE_KIND_AUTO && options::is_file_set(plan.job.input());
  if (kind != v1::TEXTURE_KIND_UNSPECIFIED) plan.job.set_kind(kind);
  if (plan.job.kind() == v1::TEXTURE_KIND_AUTO) plan.job.set_kind(kind_of_name(plan.job.input()));
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
  plan.source = source_of(plan.job, input);
  plan.target = target_of(plan.job, input, plan.source);
  RETURN_IF_ERROR(blame(kTextureInput, media::check_info(plan.target, "at twice the size")));
  RETURN_IF_ERROR(set_gloss(plan.job, is_one_of_several, plan));
  const bool is_normal = plan.job.kind() == v1::TEXTURE_KIND_NORMAL;
  set_arrangement(is_normal, plan);
  const bool keeps = plan.job.levels() == v1::LEVEL_SOURCE_KEEP && plan.source.format == plan.target.format &&
                     !input.is_image && !plan.task.has_gloss &&
                     plan.task.arrangement == filters::texture::Arrangement{};
  plan.kept_levels = keeps ? std::min(plan.source.levels, plan.target.levels - 1) : 0;
  filters::texture::Upsampling& task = plan.task;
  task.source = {blocks_of(plan.source, is_normal), plan.source.width, plan.source.height};
  task.target_format = blocks_of(plan.target, false) & ~BLOCKS_SIGNED;
  task.quality = quality_of(plan.job.quality());
  task.enlargement.is_normal = is_normal;
  task.has_light = plan.target.is_srgb && plan.job.mip_light() != v1::MIP_LIGHT_STORED;
  task.enlargement.border = border_of(plan.job, plan.source.faces > 1);
  if (!is_exception) RETURN_IF_ERROR(set_networks(plan.job, task));
  const bool has_network = task.enlargement.network != nullptr || task.small != nullptr;
  // The blue of BC5 blocks made by `small` is not checked unless they are normals.
  const bool lacks_blue = task.small != nullptr && task.target_format == BLOCKS_BC5 && !is_normal;
  task.is_checked = has_network && !lacks_blue && plan.job.check() != v1::UPSAMPLE_CHECK_OFF;
  task.enlargement.source = filters::texture::texel_source_of(task.source.format);
  task.levels = plan.target.levels;
  task.first_made = 1 + plan.kept_levels;
  add_notes(input, plan);
  return plan;
}

int blocks_format_of(const media::TextureInfo& info) { return blocks_of(info, false); }

graph::PlanOptions texture_plan_options(int64_t images) {
  // An image may have gigabytes, so memory is planned for no more images than exist.
  const int in_flight = int(std::clamp<int64_t>(images, 1, kBatchesKept));
  return {.batch = 1, .in_flight = in_flight, .held = 1, .units = images};
}

}  // namespace weft::worker
