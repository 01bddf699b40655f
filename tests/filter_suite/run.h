// SPDX-License-Identifier: Apache-2.0
// Runs a clip through filters on a device.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "server/filters/filter.h"
#include "server/graph/pipeline.h"
#include "tests/filter_suite/clip.h"

namespace weft::filters {

struct TimedPicture {
  Picture picture;
  OutputTime time;
  int64_t source_index;
  bool ends_source;
};

// Copies between a picture and planes in memory.
void write_planes(const Picture& picture, std::byte* const data[3], const int stride_bytes[3]);
Picture read_planes(const VideoFormat& format, const std::byte* const data[3], const int stride_bytes[3]);

using Options = std::shared_ptr<google::protobuf::Message>;

struct RunOptions {
  PlanOptions plan{};
  std::function<int()> submit_size{};  // how many frames to submit next; null: whole batches
  std::string state{};                 // at the beginning
  int64_t state_at = -1;               // the frame, as pushed, after which `state_after` is taken; -1: none
  std::string* state_after = nullptr;
  PictureProperties facts{};
  const Decisions* decisions = nullptr;  // null: those of the clip
};

// The network of a chain.
StatusOr<Network> expand(device::Device* device, const std::vector<Options>& chain, const VideoFormat& format,
                         const PictureProperties& facts = {}, int alternative = -1,
                         const Decisions& decisions = {});
// What the chain's filters decide that have to see all of the clip first.
StatusOr<Decisions> decide(device::Device& device, const std::vector<Options>& chain, const Clip& clip,
                           const PictureProperties& facts = {});
// Everything that comes out, in order.
StatusOr<std::vector<TimedPicture>> run_clip(device::Device& device, const std::vector<Options>& chain,
                                             const Clip& clip, const RunOptions& options = {});
// The same with a network that is there already.
StatusOr<std::vector<TimedPicture>> run_network(device::Device& device, Network network, const Clip& clip,
                                                const RunOptions& options = {});
// Of a network that gives bytes: those of each unit, with their times before them (RecordTimes), as a job keeps an analysis.
StatusOr<std::vector<std::byte>> measure(device::Device& device, Network network, const Clip& clip);
std::vector<Picture> pictures_of(const std::vector<TimedPicture>& timed);

// The filter's message with these fields in protobuf's text form; what is not named has its default.
Options parse_options(std::string_view filter, std::string_view text);

// The devices of this machine that filters run on, or those named in WEFT_DEVICES; opened once.
std::vector<device::Device*> test_devices();
DeviceCaches& caches_of(device::Device& device);

}  // namespace weft::filters
