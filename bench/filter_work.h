// SPDX-License-Identifier: Apache-2.0
// Creates the work of filters for benchmarks: their networks, and the work of a single node on
// frames in separate memory.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "server/filters/filter.h"
#include "weft/v1/deinterlace.pb.h"

namespace weft::bench {

// Returns the options of all benchmarks: two output frames per frame, the top field first.
v1::Bwdif bwdif_options();

// Returns a prepared network of filters in sequence, for a source of interlaced frames.
StatusOr<graph::Network> make_network(device::Device& device, filters::DeviceCaches& caches,
                                      std::span<const google::protobuf::Message* const> filters,
                                      const VideoFormat& format);

// Returns such a network for one filter, given by its name and options in protobuf's text format.
// NOT_FOUND: the filter is unknown. INVALID_ARGUMENT: the options are unknown.
StatusOr<graph::Network> make_network(device::Device& device, filters::DeviceCaches& caches,
                                      const std::string& filter, const std::string& options,
                                      const VideoFormat& format);

// A batch of a node with one input and one output, both with frames of one format: consecutive
// frames, followed by the output frames. The node must outlive it.
class NodeBatch {
 public:
  // Creates a batch. The input's frames are copies of those in `material`, which is pinned memory,
  // in order and repeatedly.
  static StatusOr<NodeBatch> make(device::Device& device, graph::Node& node, int frames,
                                  const device::Buffer& material);

  // Enqueues the first `frames` frames in one launch.
  void enqueue(device::Stream& stream, int frames) const;

 private:
  void write_rows(int frames, int pictures, const graph::Window& window);
  Status fill(device::Device& device, int frames, const device::Buffer& material);

  graph::Node* node_ = nullptr;
  graph::PortLayout layout_;
  graph::RowShape shape_;
  std::vector<int32_t> rows_;
  size_t layouts_offset_ = 0;
  std::unique_ptr<device::Buffer> arena_, table_, scratch_;
};

}  // namespace weft::bench
