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

uint64_t add_bytes(uint64_t hash, std::span<const std::byte> bytes) {  // FNV-1a, eight bytes at a time
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

uint64_t add_unit(uint64_t hash, const filters::PortFormat& format, const filters::OutputUnit& unit) {
  if (format.kind == filters::PortKind::kBytes) return add_bytes(hash, {unit.data[0], format.bytes});
  if (format.kind == filters::PortKind::kPixels)
    return add_bytes(hash, {unit.data[0], size_t(format.width) * size_t(format.height) *
                                              filters::bytes_of_pixel(format.pixels)});
  const VideoFormat& video = format.video;
  for (int plane = 0; plane < video.planes(); plane++)
    for (int y = 0; y < video.plane_height(plane); y++)
      hash = add_bytes(hash, {unit.data[plane] + ptrdiff_t(y) * unit.stride_bytes[plane],
                              size_t(video.plane_width(plane)) * size_t(video.sample_bytes())});
  return hash;
}

// Edges and slopes that move from frame to frame, with a little noise: what filters look for is there, and none of their ways is left out.
void draw(const VideoFormat& format, int64_t frame, const filters::StagedUnit& staged) {
  const uint32_t mask = (1u << format.bit_depth) - 1;
  uint32_t noise = 1 + uint32_t(frame);
  for (int plane = 0; plane < format.planes(); plane++)
    for (int y = 0; y < format.plane_height(plane); y++) {
      std::byte* row = staged.data[plane] + ptrdiff_t(y) * staged.stride_bytes[plane];
      for (int x = 0; x < format.plane_width(plane); x++) {
        noise = noise * 1664525u + 1013904223u;
        const uint32_t edges = uint32_t(x + 3 * frame) / 24 % 2 * (mask / 3);
        const uint32_t value = (edges + uint32_t(x) + 2 * uint32_t(y) + (noise >> 29)) & mask;
        if (format.sample_bytes() == 1) {
          row[x] = std::byte(value);
        } else {
          const auto word = uint16_t(value);
          std::memcpy(row + 2 * ptrdiff_t(x), &word, sizeof(word));
        }
      }
    }
}

// The bits of a half that is so many eighths: 1 of sign, 5 of the exponent and 15, 10 of the mantissa without its first bit (IEEE 754).
uint16_t half_of_eighths(uint32_t eighths) {
  if (eighths == 0) return 0;
  const int top = int(std::bit_width(eighths)) - 1;
  return uint16_t(uint32_t(top - 3 + 15) << 10 | ((eighths << 10 >> top) & 0x3FF));
}

void draw_bytes(size_t bytes, int64_t unit, std::byte* to) {
  uint32_t noise = 1 + uint32_t(unit);
  for (size_t i = 0; i < bytes; i++) {
    noise = noise * 1664525u + 1013904223u;
    to[i] = std::byte(noise >> 24);
  }
}

// The same in a pixel's samples, which reach above white here and there.
void draw_pixels(const filters::PortFormat& format, int64_t frame, std::byte* to) {
  uint32_t noise = 1 + uint32_t(frame);
  for (int y = 0; y < format.height; y++)
    for (int x = 0; x < format.width; x++)
      for (int channel = 0; channel < 4; channel++) {
        noise = noise * 1664525u + 1013904223u;
        const uint32_t edges = uint32_t(x + 3 * frame) / 24 % 2;
        const uint32_t eighths = channel == 3 ? 8 : 3 * edges + uint32_t(x + 2 * y) % 8 + (noise >> 30);
        // Eighths up to 1.6 have no more bits than a half.
        if (format.pixels == filters::PixelType::kFloat) {
          const float sample = float(eighths) / 8;
          std::memcpy(to, &sample, sizeof(sample));
          to += sizeof(sample);
        } else {
          const uint16_t sample = half_of_eighths(eighths);
          std::memcpy(to, &sample, sizeof(sample));
          to += sizeof(sample);
        }
      }
}

Status push_frame(filters::Pipeline& pipeline, int64_t index) {
  ASSIGN_OR_RETURN(const filters::StagedUnit staged, pipeline.stage());
  const filters::PortFormat& format = pipeline.source_format();
  switch (format.kind) {
    case filters::PortKind::kPicture:
      draw(format.video, index, staged);
      break;
    case filters::PortKind::kPixels:
      draw_pixels(format, index, staged.data[0]);
      break;
    case filters::PortKind::kBytes:
      draw_bytes(format.bytes, index, staged.data[0]);
      break;
  }
  filters::FrameInfo info;
  info.pts = index;
  info.interlaced = true;
  info.top_field_first = true;
  pipeline.push(info);
  return ok_status();
}

// A round is one unit, so that its launches are of the same sizes each time: the loop gets none before all of its frames are there. Where
// frames are done in portions, each is one.
class WholeRounds final : public filters::Batches {
 public:
  explicit WholeRounds(filters::Pipeline& pipeline) : pipeline_(pipeline) {}

  bool has_room() const override { return pipeline_.has_room(); }
  void finish() override { pipeline_.finish(); }
  int ready() const override {
    if (is_filling_) return 0;
    return has_portions() ? pipeline_.ready() : std::min(pipeline_.ready(), 1);
  }
  int submit(int max_units, const filters::SubmittedBatch& after) override {
    if (has_portions()) return pipeline_.submit(max_units, after);
    return std::min(pipeline_.submit(pipeline_.max_units(), after), 1);
  }
  filters::SubmittedBatch last_batch() const override { return pipeline_.last_batch(); }
  StatusOr<Duration> wait_for(const filters::SubmittedBatch& batch) override {
    return pipeline_.wait_for(batch);
  }
  bool is_complete() const override { return true; }
  bool is_submitted() const override { return pipeline_.is_submitted(); }
  bool is_empty() const override { return pipeline_.is_empty(); }
  std::vector<filters::BatchTime> take_costs() override { return pipeline_.take_costs(); }
  // While frames are pushed; nothing may be ready then. Any thread.
  void set_filling(bool is_filling) { is_filling_ = is_filling; }

 private:
  bool has_portions() const { return pipeline_.portions() > 1; }

  filters::Pipeline& pipeline_;
  std::atomic<bool> is_filling_{false};
};

}  // namespace

StatusOr<std::unique_ptr<filters::Pipeline>> TunePass::open(const TuneSubject& subject) {
  filters::Network network;
  {
    const auto turn = share_.loop.opening_turn();
    ASSIGN_OR_RETURN(network, subject.expand(share_));
  }
  schedule::SourceSpec source = source_;
  source.cost_key = "tuning";
  RETURN_IF_ERROR(preparing_.run(share_.device, network, source, longest()));
  const auto turn = share_.loop.opening_turn();
  filters::PipelineOptions options;
  options.plan = {.batch = subject.batch, .in_flight = 1, .held = 0};
  options.observer = {std::shared_ptr<void>(), &observer_};  // it is not the pipeline's
  return filters::Pipeline::make(share_.device, std::move(network), options);
}

Duration TunePass::longest() const {
  return until_ == TimePoint::max() ? Duration::max()
                                    : std::max(until_ - std::chrono::steady_clock::now(), Duration(0));
}

StatusOr<uint64_t> TunePass::run(const TuneSubject& subject, const std::function<StatusOr<bool>()>& next) {
  ASSIGN_OR_RETURN(std::unique_ptr<filters::Pipeline> pipeline, open(subject));
  const StatusOr<uint64_t> hash = run_all(*pipeline, subject, next);
  const auto turn = share_.loop.opening_turn();  // memory is freed
  pipeline.reset();
  return hash;
}

StatusOr<uint64_t> TunePass::run_all(filters::Pipeline& pipeline, const TuneSubject& subject,
                                     const std::function<StatusOr<bool>()>& next) {
  schedule::SourceSpec source = source_;
  source.cost_key = "tuning " + subject.describe();
  source.max_units = pipeline.portions() > 1 ? pipeline.max_units() : 1;
  source.portions = pipeline.portions();
  uint64_t hash = 0xcbf29ce484222325;
  int64_t pushed = 0;
  WholeRounds rounds(pipeline);
  bool is_started = false, is_finished = false;
  const auto step = [&]() -> StatusOr<bool> {
    if (std::chrono::steady_clock::now() >= until_)
      return deadline_exceeded("The kernels were not tuned in the time that there was.");
    const bool waits = pipeline.ready() > 0;  // for its turn; asked before what is in flight
    ASSIGN_OR_RETURN(const auto unit, pipeline.pop());
    if (unit) {
      hash = add_unit(hash, pipeline.target_format(), *unit);
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
    for (int i = 0; i < subject.batch && pipeline.has_room(); i++)
      RETURN_IF_ERROR(push_frame(pipeline, pushed++));
    is_started = pipeline.ready() > 0;
    rounds.set_filling(false);
    return !is_started;  // a filter that looks ahead wants more frames before it begins
  };
  RETURN_IF_ERROR(
      preparing_.run_all(rounds, std::move(source), longest(), "The kernels cannot be tuned", step));
  return hash;
}

StatusOr<uint64_t> TunePass::run_batches(const TuneSubject& subject, int batches) {
  int left = batches;
  return run(subject, [&]() -> StatusOr<bool> { return --left > 0; });
}

}  // namespace weft::worker
