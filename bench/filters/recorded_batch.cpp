// SPDX-License-Identifier: Apache-2.0
#include "bench/filters/recorded_batch.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace weft::bench {

using graph::Network;
using graph::Port;
using graph::PortFormat;
using graph::Step;

// Forwards to a node, and records the step. The pointers of a step are valid as long as the
// pipeline.
class RecordedBatch::Recorder final : public graph::Node {
 public:
  Recorder(graph::Node& node, std::vector<Recorded>& steps) : node_(node), steps_(steps) {}
  const graph::NodeDescriptor& descriptor() const override { return node_.descriptor(); }
  size_t scratch_bytes(int units) const override { return node_.scratch_bytes(units); }
  int portions() const override { return node_.portions(); }
  void enqueue(device::Stream& stream, const Step& step) override {
    node_.enqueue(stream, step);
    steps_.push_back({&node_, step});
  }

 private:
  graph::Node& node_;
  std::vector<Recorded>& steps_;
};

namespace {

size_t packed_bytes(const PortFormat& format) {
  switch (format.kind) {
    case graph::PortKind::kPicture:
      return format.video.packed_bytes();
    case graph::PortKind::kPixels:
      return size_t(format.width) * size_t(format.height) * graph::bytes_of_pixel(format.pixels);
    case graph::PortKind::kTensor:
    case graph::PortKind::kBytes:
      return format.bytes;
  }
  return 0;
}

}  // namespace

StatusOr<std::unique_ptr<RecordedBatch>> RecordedBatch::record(device::Device& device, Network network,
                                                               int batch,
                                                               std::span<const std::byte> material) {
  std::unique_ptr<RecordedBatch> made(new RecordedBatch);
  made->network_ = std::move(network);
  ASSIGN_OR_RETURN(Network recording, made->with_recorders());
  graph::PipelineOptions options;
  options.plan.batch = batch;
  options.plan.whole_units = true;
  ASSIGN_OR_RETURN(made->pipeline_, graph::Pipeline::make(device, std::move(recording), options));
  RETURN_IF_ERROR(made->run(material));
  return made;
}

// Returns the same network with a recorder in place of each node.
StatusOr<Network> RecordedBatch::with_recorders() {
  RETURN_IF_ERROR(network_.complete());  // otherwise the plan would add a further node
  Network recording;
  recording.set_source(network_.format({0}), network_.properties({0}));
  for (const Network::NodeInfo& info : network_.nodes()) {
    std::vector<Port> inputs;
    // The numbers of ports follow the order of their addition.
    for (const int input : info.inputs) inputs.push_back({input});
    RETURN_IF_ERROR(recording.add_node(std::make_unique<Recorder>(*info.node, steps_), inputs).status());
  }
  std::vector<Port> outputs;
  for (const int output : network_.outputs()) outputs.push_back({output});
  RETURN_IF_ERROR(recording.set_outputs(std::move(outputs)));
  return recording;
}

// Runs enough batches to cover the lag of the last node, and two more.
Status RecordedBatch::run(std::span<const std::byte> material) {
  const size_t bytes = plan().ports[0].layout.unit_bytes, drawn = material.size() / bytes;
  const int batches = (plan().window.after + frames() - 1) / frames() + 2;
  int64_t pushed = 0;
  for (int i = 0; i < batches; i++) {
    for (; pipeline_->ready() < frames(); pushed++)
      RETURN_IF_ERROR(push(material.subspan(size_t(pushed) % drawn * bytes, bytes), pushed));
    RETURN_IF_ERROR(submit());
  }
  if (pictures_ == 0) return internal_error("No picture comes of a batch of {} frames.", frames());
  return ok_status();
}

Status RecordedBatch::push(std::span<const std::byte> frame, int64_t number) {
  ASSIGN_OR_RETURN(const graph::StagedUnit staged, pipeline_->stage());
  std::memcpy(staged.data[0], frame.data(), frame.size());
  graph::FrameInfo info;
  info.pts = number;
  info.interlaced = info.top_field_first = true;
  pipeline_->push(info);
  return ok_status();
}

Status RecordedBatch::submit() {
  steps_.clear();
  pipeline_->submit(frames());
  for (pictures_ = 0;; pictures_++) {
    ASSIGN_OR_RETURN(const auto picture, pipeline_->pop());
    if (!picture) return ok_status();
  }
}

Status RecordedBatch::spread(device::Device& device, size_t bytes) {
  const device::Buffer& arena = *steps_.front().step.arena;
  ASSIGN_OR_RETURN(const auto stream, device.make_stream());
  const double of_replica =
      // upper bound of the bytes that are read or written
      std::min(double(arena.size_bytes()), bytes_moved());
  while (double(replicas()) * of_replica < double(bytes)) {
    ASSIGN_OR_RETURN(copies_.emplace_back(),
                     device.allocate(device::MemoryKind::kDevice, arena.size_bytes()));
    stream->copy(*copies_.back(), 0, arena, 0, arena.size_bytes());
  }
  return stream->wait_all();
}

void RecordedBatch::enqueue(device::Stream& stream, size_t replica) const {
  for (const auto& [node, recorded] : steps_) {
    Step step = recorded;
    if (replica > 0) step.arena = copies_[replica - 1].get();
    node->enqueue(stream, step);
  }
}

void RecordedBatch::enqueue_node(device::Stream& stream, size_t replica, size_t number) const {
  const graph::Node* const wanted = nodes()[number];
  for (const auto& [node, recorded] : steps_) {
    if (node != wanted) continue;
    Step step = recorded;
    if (replica > 0) step.arena = copies_[replica - 1].get();
    node->enqueue(stream, step);
  }
}

std::vector<const graph::Node*> RecordedBatch::nodes() const {
  std::vector<const graph::Node*> nodes;
  for (const Recorded& recorded : steps_)
    if (std::ranges::find(nodes, recorded.node) == nodes.end()) nodes.push_back(recorded.node);
  return nodes;
}

double RecordedBatch::bytes_of(const Recorded& recorded) {
  const auto& [node, step] = recorded;
  const graph::CostShape& cost = node->descriptor().cost;
  double of_unit = cost.frames_read * double(packed_bytes(step.inputs[0]->format));
  if (!step.outputs.empty()) of_unit += cost.frames_written * double(packed_bytes(step.outputs[0]->format));
  return of_unit * step.units;
}

double RecordedBatch::bytes_moved() const {
  double bytes = 0;
  for (const Recorded& recorded : steps_) bytes += bytes_of(recorded);
  return bytes;
}

double RecordedBatch::bytes_moved_by(size_t number) const {
  const graph::Node* const wanted = nodes()[number];
  double bytes = 0;
  for (const Recorded& recorded : steps_)
    if (recorded.node == wanted) bytes += bytes_of(recorded);
  return bytes;
}

StatusOr<double> shortest_us(device::Device& device, const RecordedBatch& recorded,
                             const std::function<void(device::Stream& stream, size_t replica)>& enqueue) {
  ASSIGN_OR_RETURN(const auto stream, device.make_stream());
  const bool is_software = device.info().is_software;
  const int batches = is_software ? 1 : std::max(1, 32 / recorded.frames());
  double best = 1e30;
  for (int repeat = 0; repeat < (is_software ? 3 : 5); repeat++) {
    const device::Mark begin = stream->mark();
    for (int i = 0; i < batches; i++) enqueue(*stream, size_t(i) % recorded.replicas());
    const device::Mark end = stream->mark();
    RETURN_IF_ERROR(stream->wait(end));
    ASSIGN_OR_RETURN(const Duration time, stream->elapsed(begin, end));
    best = std::min(best, double(time.count()) / 1e3 / batches);
  }
  return best;
}

}  // namespace weft::bench
