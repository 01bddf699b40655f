// SPDX-License-Identifier: Apache-2.0
#include "server/worker/stream/stream_analysis.h"

#include <cstring>
#include <utility>
#include <vector>

#include "server/worker/device/trace_ring.h"

namespace weft::worker {

StreamAnalysis::StreamAnalysis(StreamAnalysisParts parts, std::shared_ptr<std::mutex> maps, int reads_before,
                               DeviceLoop& loop)
    : parts_(std::move(parts)),
      maps_(std::move(maps)),
      reads_before_(reads_before),
      loop_(loop),
      stage_(*parts_.pipeline, loop, meter_) {}

StreamAnalysis::~StreamAnalysis() {
  stage_.close();
  const auto driver_lock = loop_.driver_lock();
  parts_.pipeline.reset();
}

int StreamAnalysis::frames_ahead() const {
  const int records = parts_.decision->delay();
  const int frames = (records * parts_.rate.denominator + parts_.rate.numerator - 1) / parts_.rate.numerator;
  return parts_.pipeline->plan().window.after + frames + reads_before_;
}

Status StreamAnalysis::run(HeldFrames& frames, size_t number) {
  return stage_.run([&] { return feed(frames, number); }, [&] { return deliver(frames, number); });
}

Status StreamAnalysis::feed(HeldFrames& frames, size_t number) {
  while (const std::shared_ptr<const HeldFrames::Frame> frame = frames.take(number)) {
    if (!stage_.wait_for_capacity()) return ok_status();
    RETURN_IF_ERROR(push_held(*parts_.pipeline, *frame));
    stage_.notify_ready();
  }
  if (!frames.is_stopped()) stage_.finish();
  return ok_status();
}

Status StreamAnalysis::deliver(HeldFrames& frames, size_t number) {
  while (true) {
    const int64_t seen = stage_.batches_started();
    ASSIGN_OR_RETURN(const std::optional<graph::OutputUnit> record, pop_traced(*parts_.pipeline));
    stage_.count_costs();
    stage_.notify_ready();
    if (record) {
      frames.permit(number + 1, add(*record) - reads_before_);
      continue;
    }
    if (!stage_.wait_for_batch(seen)) break;
  }
  if (!stage_.is_complete()) return ok_status();
  {
    const std::lock_guard lock(*maps_);
    parts_.decision->finish();
  }
  frames.permit(number + 1, HeldFrames::kAll);
  return ok_status();
}

int64_t StreamAnalysis::add(const graph::OutputUnit& record) {
  const graph::RecordTimes times{record.time.pts, record.time.duration};
  const size_t measured = parts_.pipeline->target_format().bytes;
  std::vector<std::byte> bytes(sizeof(times) + measured);
  std::memcpy(bytes.data(), &times, sizeof(times));
  std::memcpy(bytes.data() + sizeof(times), record.data[0], measured);
  frames_of_records_.push_back(record.source_index);
  const std::lock_guard lock(*maps_);
  parts_.decision->push({measured, bytes});
  for (; first_record_ < parts_.decision->decided() && !frames_of_records_.empty(); first_record_++)
    frames_of_records_.pop_front();
  return frames_of_records_.empty() ? record.source_index + (record.ends_source ? 1 : 0)
                                    : frames_of_records_.front();
}

}  // namespace weft::worker
