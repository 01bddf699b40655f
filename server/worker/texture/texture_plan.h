// SPDX-License-Identifier: Apache-2.0
// From a specification and its input to everything that a texture job does: which levels are made, which are kept, how they are stored.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "server/filters/texture/upsample.h"
#include "server/graph/plan.h"
#include "server/media/texture/texture.h"
#include "server/worker/job/open_input.h"
#include "server/worker/texture/texture_items.h"
#include "weft/v1/job.pb.h"

namespace weft::worker {

struct TexturePlan {
  v1::TextureJob job;  // with defaults filled in
  media::TextureFacts source, target;
  media::TextureStorage encoding;
  filters::texture::Upsampling task;
  int kept_levels = 0;               // of the input, that are the output's from level 1 on
  std::vector<std::string> notes{};  // what a careful user should know

  // The network for one image.
  StatusOr<graph::Network> network(const filters::FilterContext& context) const;
  // The device makes unsigned blocks; they are turned into signed ones behind it (signed_blocks.h).
  bool makes_signed() const {
    return target.format == media::TextureFormat::kBc4Signed ||
           target.format == media::TextureFormat::kBc5Signed;
  }
  std::string cost_key() const { return filters::texture::cost_key_of(task); }
};

// INVALID_ARGUMENT with a violation for the field that is to blame: an output that would be too large, a name of no known container.
// `kind`: of this texture; unspecified: as the job says. An exception is made without a network, whatever the job says.
StatusOr<TexturePlan> plan_texture(const v1::JobSpec& spec, const TextureInput& input,
                                   std::string_view output_name,
                                   v1::TextureKind kind = v1::TEXTURE_KIND_UNSPECIFIED,
                                   bool is_exception = false);

// The BLOCKS_... of a texture's format, as colours.
int blocks_format_of(const media::TextureFacts& facts);

// How the pipeline of so many images is planned.
graph::PlanOptions texture_plan_options(int64_t images);

// What the job will read and write, by the inputs' headers. Of a set files that cannot be read are counted; all of them are an error. Errors name the field that is to blame.
StatusOr<v1::JobEstimate> estimate_texture(const v1::JobSpec& spec, const std::vector<OpenJobFile>& inputs);

}  // namespace weft::worker
