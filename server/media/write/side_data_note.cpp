// SPDX-License-Identifier: Apache-2.0
// Reports the video's side data that a container does not write.
#include <algorithm>

#include "server/media/write/container.h"
#include "server/media/write/encoder_table.h"
#include "server/media/write/output_check.h"

namespace weft::media {

std::vector<std::string> side_data_notes(std::string_view name, std::string_view encoder,
                                         const VideoInfo& video) {
  std::vector<std::string> notes;
  const auto entry = find_encoder(encoder);
  const auto container = find_container(name);
  if (!entry.ok() || !container.ok() || (*entry)->codec == AV_CODEC_ID_NONE) return notes;
  for (const SideData& data : video.side_data) {
    const auto kind = AVPacketSideDataType(data.kind);
    if (data.in_container && std::ranges::count((*container)->side_data, kind) > 0) continue;
    const std::string others = data.in_container ? containers_writing(kind, (*entry)->codec) : "";
    const std::string why = data.in_container ? fmt::format("{} does not hold it", (*container)->name)
                                              : fmt::format("{} does not write it", (*entry)->name);
    notes.push_back(fmt::format("The video's {} is left out: {}{}.", data.name, why,
                                others.empty() ? "" : fmt::format(", {} would", others)));
  }
  return notes;
}

}  // namespace weft::media
