// SPDX-License-Identifier: Apache-2.0
// Records a batch of a network as a pipeline enqueued it, so that the work of its nodes can be
// repeated alone, on the memory left by the previous frames. No frames are copied and no tables
// written.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "server/graph/pipeline.h"

namespace weft::bench {

class RecordedBatch {
 public:
  // Runs the network until a batch's work equals that of later ones. The source's frames are those
  // in `material`, in the layout of FrameLayout::of, in order and repeatedly.
  static StatusOr<std::unique_ptr<RecordedBatch>> record(device::Device& device, graph::Network network,
                                                         int batch, std::span<const std::byte> material);

  // Replicates the memory to `bytes` bytes of frames, used in rotation, so that no cache holds the
  // input of a batch.
  Status spread(device::Device& device, size_t bytes);
  size_t replicas() const { return 1 + copies_.size(); }
  // Enqueues the batch's work in one of the replicas.
  void enqueue(device::Stream& stream, size_t replica) const;
  // Enqueues the work of one node, given by its number in nodes(), on the memory left by all nodes.
  void enqueue_node(device::Stream& stream, size_t replica, size_t number) const;
  // Returns the nodes in order of execution.
  std::vector<const graph::Node*> nodes() const;

  const graph::Plan& plan() const { return pipeline_->plan(); }
  int frames() const { return plan().batch(); }  // number of source frames
  int pictures() const { return pictures_; }     // number of output frames
  int launches() const { return int(steps_.size()); }
  double bytes_moved() const;  // lower bound that the nodes declare
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
  std::unique_ptr<graph::Pipeline> pipeline_;            // pipeline of recording nodes
  std::vector<std::unique_ptr<device::Buffer>> copies_;  // copies of the pipeline's arena
  int pictures_ = 0;
};

// Returns the shortest of several device times of a batch, or of its part in `enqueue`, in us.
StatusOr<double> shortest_us(device::Device& device, const RecordedBatch& recorded,
                             const std::function<void(device::Stream& stream, size_t replica)>& enqueue);

}  // namespace weft::bench
