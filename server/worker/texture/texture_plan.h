// SPDX-License-Identifier: Apache-2.0
// Plans a texture job from its specification and its input: the generated and the kept levels, and
// their storage.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "server/filters/texture/upsample.h"
#include "server/graph/plan.h"
#include "server/graph/unit_work.h"
#include "server/media/texture/texture.h"
#include "server/worker/job/open_input.h"
#include "server/worker/texture/texture_items.h"
#include "weft/v1/job.pb.h"

namespace weft::worker {

struct TexturePlan {
  v1::TextureJob job;  // with defaults filled in
  media::TextureInfo source, target;
  media::TextureStorage encoding;
  filters::texture::Upsampling task;
  // number of the input's levels that become the output's levels from level 1 on
  int kept_levels = 0;
  std::vector<std::string> notes{};  // notes for the job's result

  // Returns the network of nodes for one image.
  StatusOr<graph::Network> network(const filters::FilterContext& context) const;
  // Returns true if the device makes unsigned blocks for a signed format; they are converted
  // afterwards (signed_blocks.h).
  bool makes_signed() const {
    return target.format == media::TextureFormat::kBc4Signed ||
           target.format == media::TextureFormat::kBc5Signed;
  }
  std::string cost_key() const { return filters::texture::cost_key_of(task); }
};

// Plans a texture. `kind` is the kind of this texture; if it is unspecified, the job's kind
// applies. An exception is processed without a neural network. INVALID_ARGUMENT, with a violation
// of the field at fault: for example, the output is too large, or its name has no known container.
StatusOr<TexturePlan> plan_texture(const v1::JobSpec& spec, const TextureInput& input,
                                   std::string_view output_name,
                                   v1::TextureKind kind = v1::TEXTURE_KIND_UNSPECIFIED,
                                   bool is_exception = false);

// Returns the BLOCKS_... constant for decoding a texture's format to colours.
int blocks_format_of(const media::TextureInfo& info);

// Returns the pipeline's plan options for `images` images.
graph::PlanOptions texture_plan_options(int64_t images);

// The needs of a texture's pipeline.
struct TextureNetworkNeeds {
  int64_t host_bytes = 0, device_bytes = 0;
  graph::NetworkWork work{};  // for one image
};
StatusOr<TextureNetworkNeeds> network_needs_of(const TexturePlan& plan);

// Estimates the job from the inputs' headers. Unreadable files of a set are skipped and counted;
// it is an error if all are unreadable. Errors name the field at fault.
StatusOr<v1::JobEstimate> estimate_texture(const v1::JobSpec& spec, const std::vector<OpenJobFile>& inputs);

}  // namespace weft::worker
