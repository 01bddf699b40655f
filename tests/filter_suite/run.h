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

// Copy between a picture and planes in memory.
void write_planes(const Picture& picture, std::byte* const data[3], const int stride_bytes[3]);
Picture read_planes(const VideoFormat& format, const std::byte* const data[3], const int stride_bytes[3]);

using Options = std::shared_ptr<google::protobuf::Message>;

struct RunOptions {
  PlanOptions plan{};
  std::function<int()> submit_size{};  // number of frames to submit next; null: whole batches
  std::string state{};                 // state of the filters at the beginning
  // Index of the pushed frame after which `state_after` is written; -1: no frame.
  int64_t state_at = -1;
  std::string* state_after = nullptr;
  PictureProperties properties{};
  const Decisions* decisions = nullptr;  // null: the decisions of the clip
};

// Returns the network of a chain.
StatusOr<Network> expand(device::Device* device, const std::vector<Options>& chain, const VideoFormat& format,
                         const PictureProperties& properties = {}, int alternative = -1,
                         const Decisions& decisions = {});
// Analyses the whole clip and returns the decisions of the chain's filters.
StatusOr<Decisions> decide(device::Device& device, const std::vector<Options>& chain, const Clip& clip,
                           const PictureProperties& properties = {});
// Returns all output frames in order.
StatusOr<std::vector<TimedPicture>> run_clip(device::Device& device, const std::vector<Options>& chain,
                                             const Clip& clip, const RunOptions& options = {});
// Does the same as run_clip with an existing network.
StatusOr<std::vector<TimedPicture>> run_network(device::Device& device, Network network, const Clip& clip,
                                                const RunOptions& options = {});
// Returns the output of a network with a port of bytes: the bytes of each unit, preceded by its
// times (RecordTimes), as a job stores an analysis.
StatusOr<std::vector<std::byte>> measure(device::Device& device, Network network, const Clip& clip);
std::vector<Picture> pictures_of(const std::vector<TimedPicture>& timed);

// Returns the filter's message with the fields of `text`, in protobuf's text form. Other fields
// have their defaults.
Options parse_options(std::string_view filter, std::string_view text);

// Returns the devices of this machine that run filters, or the devices named in WEFT_DEVICES. Each
// device is opened once.
std::vector<device::Device*> test_devices();
DeviceCaches& caches_of(device::Device& device);

}  // namespace weft::filters
