// SPDX-License-Identifier: Apache-2.0
#include "server/worker/tuning/tune_pass.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstring>
#include <utility>

namespace weft::worker {
namespace {

// Updates a hash: FNV-1a with eight bytes at a time.
uint64_t add_bytes(uint64_t hash, std::span<const std::byte> bytes) {
  constexpr uint64_t kPrime = 0x100000001b3;
  size_t i = 0;
  for (; i + 8 <= bytes.size(); i += 8) {
    uint64_t word = 0;
    std::memcpy(&word, bytes.data() + i, 8);
    hash = (hash ^ word) * kPrime;
    hash ^= hash >> 32;
  }
  for (; i < bytes.size(); i++) hash = (hash ^ std::to_integer<uint64_t>(bytes[i])) * kPrime;
  return hash;
}

uint64_t add_unit(uint64_t hash, const graph::PortFormat& format, const graph::OutputUnit& unit) {
  if (format.kind == graph::PortKind::kBytes) return add_bytes(hash, {unit.data[0], format.bytes});
  if (format.kind == graph::PortKind::kPixels)
    return add_bytes(hash, {unit.data[0], size_t(format.width) * size_t(format.height) *
                                              graph::bytes_of_pixel(format.pixels)});
  const VideoFormat& video = format.video;
  for (int plane = 0; plane < video.planes(); plane++)
    for (int y = 0; y < video.plane_height(plane); y++)
      hash = add_bytes(hash, {unit.data[plane] + ptrdiff_t(y) * unit.stride_bytes[plane],
                              size_t(video.plane_width(plane)) * size_t(video.sample_bytes())});
  return hash;
}

// Offers whole rounds to the loop: a round is one unit, so that its launches have the same sizes
// each time, and it is ready once all of its frames are pushed. If frames are processed in
// portions, each portion is a unit.
class WholeRounds final : public graph::Batches {
 public:
  explicit WholeRounds(graph::Pipeline& pipeline) : pipeline_(pipeline) {}

  bool has_capacity() const override { return pipeline_.has_capacity(); }
  void finish() override { pipeline_.finish(); }
  int ready() const override {
    if (is_filling_) return 0;
    return has_portions() ? pipeline_.ready() : std::min(pipeline_.ready(), 1);
  }
  int submit(int max_units, const graph::SubmittedBatch& after) override {
    if (has_portions()) return pipeline_.submit(max_units, after);
    return std::min(pipeline_.submit(pipeline_.max_units(), after), 1);
  }
  graph::SubmittedBatch last_batch() const override { return pipeline_.last_batch(); }
  StatusOr<Duration> wait_for(const graph::SubmittedBatch& batch) override {
    return pipeline_.wait_for(batch);
  }
  bool is_complete() const override { return true; }
  bool is_submitted() const override { return pipeline_.is_submitted(); }
  bool is_empty() const override { return pipeline_.is_empty(); }
  std::vector<graph::BatchTime> take_costs() override { return pipeline_.take_costs(); }
  // Sets whether frames are being pushed: nothing is ready then. Any thread.
  void set_filling(bool is_filling) { is_filling_ = is_filling; }

 private:
  bool has_portions() const { return pipeline_.portions() > 1; }

  graph::Pipeline& pipeline_;
  std::atomic<bool> is_filling_{false};
};

}  // namespace

StatusOr<std::unique_ptr<graph::Pipeline>> TunePass::open(const TuneSubject& subject) {
  graph::Network network;
  {
    const auto driver_lock = share_.loop.driver_lock();
    ASSIGN_OR_RETURN(network, subject.expand({.device = &share_.device, .caches = &share_.caches}));
  }
  schedule::SourceSpec source = source_;
  source.cost_key = "tuning";
  RETURN_IF_ERROR(preparing_.run(share_.device, network, source, Duration::max()));
  const auto driver_lock = share_.loop.driver_lock();
  graph::PipelineOptions options;
  options.plan = {.batch = subject.batch, .in_flight = 1, .held = 0};
  options.observer = {std::shared_ptr<void>(), &observer_};  // not owned by the pipeline
  return graph::Pipeline::make(share_.device, std::move(network), options);
}

Status TunePass::push_frame(graph::Pipeline& pipeline, int64_t number) {
  ASSIGN_OR_RETURN(const graph::StagedUnit staged, pipeline.stage());
  frames_.write(pipeline.source_format(), number, staged);
  graph::FrameInfo info;
  info.pts = number;
  info.interlaced = true;
  info.top_field_first = true;
  pipeline.push(info);
  return ok_status();
}

Status TunePass::run(const TuneSubject& subject, const std::function<StatusOr<bool>()>& next) {
  return run(subject, next, nullptr);
}

Status TunePass::run(const TuneSubject& subject, const std::function<StatusOr<bool>()>& next,
                     uint64_t* hash) {
  ASSIGN_OR_RETURN(std::unique_ptr<graph::Pipeline> pipeline, open(subject));
  const Status status = run_all(*pipeline, subject, next, hash);
  const auto driver_lock = share_.loop.driver_lock();  // for freeing memory
  pipeline.reset();
  return status;
}

Status TunePass::run_all(graph::Pipeline& pipeline, const TuneSubject& subject,
                         const std::function<StatusOr<bool>()>& next, uint64_t* hash) {
  schedule::SourceSpec source = source_;
  source.cost_key = "tuning " + subject.describe();
  source.max_units = pipeline.portions() > 1 ? pipeline.max_units() : 1;
  source.portions = pipeline.portions();
  int64_t pushed = 0;
  WholeRounds rounds(pipeline);
  bool is_started = false, is_finished = false;
  const auto step = [&]() -> StatusOr<bool> {
    // a round that is ready waits for its turn; read before pop() frees a batch
    const bool waits = pipeline.ready() > 0;
    ASSIGN_OR_RETURN(const auto unit, pipeline.pop());
    if (unit) {
      if (hash != nullptr) *hash = add_unit(*hash, pipeline.target_format(), *unit);
      return true;
    }
    if (is_finished || waits) return false;
    if (std::exchange(is_started, false)) {
      ASSIGN_OR_RETURN(const bool goes_on, next());
      if (!goes_on) {
        is_finished = true;
        pipeline.finish();
        return false;
      }
    }
    rounds.set_filling(true);
    for (int i = 0; i < subject.batch && pipeline.has_capacity(); i++)
      RETURN_IF_ERROR(push_frame(pipeline, pushed++));
    is_started = pipeline.ready() > 0;
    rounds.set_filling(false);
    return !is_started;  // a filter with lookahead needs more frames before its first round
  };
  return preparing_.run_all(rounds, std::move(source), Duration::max(), "The kernels cannot be tuned", step);
}

StatusOr<uint64_t> TunePass::run_batches(const TuneSubject& subject, int batches) {
  int left = batches;
  uint64_t hash = 0xcbf29ce484222325;
  RETURN_IF_ERROR(run(
      subject, [&]() -> StatusOr<bool> { return --left > 0; }, &hash));
  return hash;
}

}  // namespace weft::worker
