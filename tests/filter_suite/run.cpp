// SPDX-License-Identifier: Apache-2.0
#include "tests/filter_suite/run.h"

#include <algorithm>
#include <cctype>
#include <cstring>

#include <google/protobuf/text_format.h>

namespace weft::filters {

void write_planes(const Picture& picture, std::byte* const data[3], const int stride_bytes[3]) {
  const VideoFormat& format = picture.format;
  for (int plane = 0; plane < format.planes(); plane++)
    for (int y = 0; y < format.plane_height(plane); y++) {
      std::byte* row = data[plane] + ptrdiff_t(y) * stride_bytes[plane];
      for (int x = 0; x < format.plane_width(plane); x++) {
        const uint16_t value = uint16_t(picture.at(plane, x, y));
        std::memcpy(row + x * format.sample_bytes(), &value, size_t(format.sample_bytes()));
      }
    }
}

Picture read_planes(const VideoFormat& format, const std::byte* const data[3], const int stride_bytes[3]) {
  Picture picture(format);
  for (int plane = 0; plane < format.planes(); plane++)
    for (int y = 0; y < format.plane_height(plane); y++) {
      const std::byte* row = data[plane] + ptrdiff_t(y) * stride_bytes[plane];
      for (int x = 0; x < format.plane_width(plane); x++)
        std::memcpy(&picture.at(plane, x, y), row + x * format.sample_bytes(), size_t(format.sample_bytes()));
    }
  return picture;
}

namespace {

Status take(Graph& graph, std::vector<TimedPicture>& pictures) {
  ASSIGN_OR_RETURN(const std::optional<OutputPicture> picture, graph.pop());
  if (!picture) return ok_status();
  pictures.push_back({read_planes(graph.target_format(), picture->data, picture->stride_bytes), picture->time,
                      picture->source_index, picture->ends_source, picture->state});
  return ok_status();
}

Status move_on(Graph& graph, const RunOptions& options, std::vector<TimedPicture>& pictures) {
  const int wanted = options.submit_size ? options.submit_size() : graph.batch();
  if (graph.submit(wanted) > 0) return ok_status();
  return take(graph, pictures);
}

}  // namespace

StatusOr<std::vector<TimedPicture>> run_clip(device::Device& device,
                                             const std::vector<v1::DeinterlaceOptions>& chain,
                                             const Clip& clip, const RunOptions& options) {
  std::vector<std::unique_ptr<Filter>> filters;
  for (const v1::DeinterlaceOptions& filter_options : chain) {
    ASSIGN_OR_RETURN(filters.emplace_back(), make_deinterlacer(device, clip.format, filter_options));
  }
  return run_filters(device, std::move(filters), clip, options);
}

StatusOr<std::vector<TimedPicture>> run_filters(device::Device& device,
                                                std::vector<std::unique_ptr<Filter>> filters,
                                                const Clip& clip, const RunOptions& options) {
  ASSIGN_OR_RETURN(const std::unique_ptr<Graph> graph,
                   Graph::make(device, std::move(filters), options.graph));
  std::vector<TimedPicture> pictures;
  for (size_t i = 0; i < clip.frames.size(); i++) {
    while (!graph->has_room()) RETURN_IF_ERROR(move_on(*graph, options, pictures));
    ASSIGN_OR_RETURN(const StagedPicture staged, graph->stage());
    write_planes(clip.frames[i], staged.data, staged.stride_bytes);
    graph->push(clip.infos[i]);
    if (options.submit_size) graph->submit(options.submit_size());
  }
  graph->finish();
  while (!graph->is_empty()) RETURN_IF_ERROR(move_on(*graph, options, pictures));
  return pictures;
}

std::vector<Picture> pictures_of(const std::vector<TimedPicture>& timed) {
  std::vector<Picture> pictures;
  for (const TimedPicture& picture : timed) pictures.push_back(picture.picture);
  return pictures;
}

v1::DeinterlaceOptions parse_options(std::string_view filter, std::string_view text) {
  std::string value = "DEINTERLACE_FILTER_" + std::string(filter);
  std::ranges::transform(value, value.begin(), [](char c) { return c == '-' ? '_' : char(std::toupper(c)); });
  return parse_options(fmt::format("filter: {} {}", value, text));
}

v1::DeinterlaceOptions parse_options(std::string_view text) {
  v1::DeinterlaceOptions options;
  if (!google::protobuf::TextFormat::ParseFromString(std::string(text), &options)) std::abort();
  if (options.filter() == 0) options.set_filter(v1::DEINTERLACE_FILTER_BWDIF);
  if (options.rate() == 0) options.set_rate(v1::OUTPUT_RATE_FIELD);
  if (options.parity() == 0) options.set_parity(v1::PARITY_AUTO);
  if (options.frames() == 0) options.set_frames(v1::FRAME_SELECTION_ALL);
  return options;
}

std::vector<device::Device*> test_devices() {
  static const std::vector<std::unique_ptr<device::Device>> opened = [] {
    std::vector<std::unique_ptr<device::Device>> devices;
    for (const device::DeviceInfo& info : device::list_devices_and_twins(nullptr)) {
      auto device = device::open_device(info);
      if (device.ok()) devices.push_back(*std::move(device));
    }
    return devices;
  }();
  std::vector<device::Device*> devices;
  for (const auto& device : opened) devices.push_back(device.get());
  return devices;
}

}  // namespace weft::filters
