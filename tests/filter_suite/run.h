// SPDX-License-Identifier: Apache-2.0
// Runs a clip through a graph on a device.
#pragma once

#include <functional>
#include <vector>

#include "server/filters/graph.h"
#include "tests/filter_suite/clip.h"

namespace weft::filters {

struct TimedPicture {
  Picture picture;
  OutputTime time;
  int64_t source_index;
  bool ends_source;
  PlannerState state;
};

// Copies between a picture and planes in memory.
void write_planes(const Picture& picture, std::byte* const data[3], const int stride_bytes[3]);
Picture read_planes(const VideoFormat& format, const std::byte* const data[3], const int stride_bytes[3]);

struct RunOptions {
  GraphOptions graph;
  std::function<int()> submit_size;  // how many frames to submit next; null: whole batches
};

// Everything that comes out, in order.
StatusOr<std::vector<TimedPicture>> run_clip(device::Device& device,
                                             const std::vector<v1::DeinterlaceOptions>& chain,
                                             const Clip& clip, const RunOptions& options = {});
// The same with filters that are there already.
StatusOr<std::vector<TimedPicture>> run_filters(device::Device& device,
                                                std::vector<std::unique_ptr<Filter>> filters,
                                                const Clip& clip, const RunOptions& options = {});
std::vector<Picture> pictures_of(const std::vector<TimedPicture>& timed);

// "filter: DEINTERLACE_FILTER_YADIF ...", with what is not named set to its default.
v1::DeinterlaceOptions parse_options(std::string_view text);
// The same with the filter's name: parse_options("yadif", "rate: OUTPUT_RATE_FRAME").
v1::DeinterlaceOptions parse_options(std::string_view filter, std::string_view text);

// The devices of this machine that filters run on, or those named in WEFT_DEVICES; opened once.
std::vector<device::Device*> test_devices();

}  // namespace weft::filters
