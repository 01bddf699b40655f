// SPDX-License-Identifier: Apache-2.0
// What benchmarks run of filters: their networks, and a node's work by itself, on frames in memory of its own.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "server/filters/filter.h"
#include "weft/v1/deinterlace.pb.h"

namespace weft::bench {

// As all benchmarks have it: two pictures a frame, the top field first.
v1::Bwdif bwdif_options();

// The network of filters one after the other, for a source of interlaced frames. It is prepared.
StatusOr<graph::Network> make_network(device::Device& device, filters::DeviceCaches& caches,
                                      std::span<const google::protobuf::Message* const> filters,
                                      const VideoFormat& format);

// The same for a filter by its name, with options in protobuf's text format. NOT_FOUND, INVALID_ARGUMENT: there are none such.
StatusOr<graph::Network> make_network(device::Device& device, filters::DeviceCaches& caches,
                                      const std::string& filter, const std::string& options,
                                      const VideoFormat& format);

// A batch of a node that has one input and one output, both of pictures of one format: frames in a row, and behind them the pictures
// that come of them. The node must not end before it.
class NodeBatch {
 public:
  // The input's frames are copies of those in `material`, which is pinned, one after the other and again from the first.
  static StatusOr<NodeBatch> make(device::Device& device, graph::Node& node, int frames,
                                  const device::Buffer& material);

  // The first so many frames, in one launch.
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
