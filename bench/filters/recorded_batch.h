// SPDX-License-Identifier: Apache-2.0
// A batch of a network as a pipeline enqueued it, so that its nodes' work can be done again and again and nothing else, on what
// the frames before left in memory: neither are frames copied nor tables written.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "server/graph/pipeline.h"

namespace weft::bench {

class RecordedBatch {
 public:
  // Runs the network until what a batch does is the same as what later ones do. The source's frames are those in `material`,
  // laid out as FrameLayout::of says, one after the other and again from the first.
  static StatusOr<std::unique_ptr<RecordedBatch>> record(device::Device& device, graph::Network network,
                                                         int batch, std::span<const std::byte> material);

  // Places take turns that hold so many bytes of frames, so that no cache has what a batch reads.
  Status spread(device::Device& device, size_t bytes);
  size_t places() const { return 1 + copies_.size(); }
  // The batch's work, in one of the places.
  void enqueue(device::Stream& stream, size_t place) const;
  // That of one node, by its number in nodes(), on what all left in memory.
  void enqueue_node(device::Stream& stream, size_t place, size_t number) const;
  // In the order in which they work.
  std::vector<const graph::Node*> nodes() const;

  const graph::Plan& plan() const { return pipeline_->plan(); }
  int frames() const { return plan().batch(); }  // of the source
  int pictures() const { return pictures_; }     // that come out
  int launches() const { return int(steps_.size()); }
  double bytes_moved() const;  // at least, as the nodes say
  double bytes_moved_by(size_t number) const;

 private:
  class Recorder;
  struct Recorded {
    graph::Node* node = nullptr;
    graph::Step step;
  };

  static double bytes_of(const Recorded& recorded);
  StatusOr<graph::Network> with_recorders();
  Status run(std::span<const std::byte> material);
  Status push(std::span<const std::byte> frame, int64_t number);
  Status submit();

  graph::Network network_;  // owns the nodes
  std::vector<Recorded> steps_;
  std::unique_ptr<graph::Pipeline> pipeline_;            // of nodes that record
  std::vector<std::unique_ptr<device::Buffer>> copies_;  // of its arena
  int pictures_ = 0;
};

// The shortest of several device times of a batch, or of what `enqueue` takes of it, in us.
StatusOr<double> shortest_us(device::Device& device, const RecordedBatch& recorded,
                             const std::function<void(device::Stream& stream, size_t place)>& enqueue);

}  // namespace weft::bench
