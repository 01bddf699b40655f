// SPDX-License-Identifier: Apache-2.0
#include "server/worker/device/trace_ring.h"

#include <algorithm>

namespace weft::worker {
namespace {

thread_local CurrentTrack track_of_thread;

CurrentTrack track_beside(const CurrentTrack& parent, std::string name, std::string suffix = {}) {
  if (parent.ring == nullptr) return {};
  TraceTrack track = *parent.track;
  if (!suffix.empty()) track.suffix = std::move(suffix);
  track.name = std::move(name) + track.suffix;
  return {parent.ring, std::make_shared<const TraceTrack>(std::move(track))};
}

}  // namespace

void TraceRing::record(TracedWork work) {
  const std::lock_guard lock(mutex_);
  if (ring_.size() < kCapacity) {
    ring_.push_back(std::move(work));
  } else {
    ring_[newest_ % kCapacity] = std::move(work);
  }
  newest_++;
}

uint64_t TraceRing::newest() const {
  const std::lock_guard lock(mutex_);
  return newest_;
}

TraceRing::TraceChunk TraceRing::after(uint64_t serial, size_t limit) const {
  const std::lock_guard lock(mutex_);
  const uint64_t first = std::max<uint64_t>(serial, newest_ - ring_.size());
  const uint64_t last = std::min<uint64_t>(newest_, first + limit);
  TraceChunk chunk{std::max(first, last), {}};
  for (uint64_t at = first; at < last; at++) chunk.works.push_back(ring_[at % kCapacity]);
  return chunk;
}

CurrentTrack current_track() { return track_of_thread; }

TracedThread::TracedThread(TraceRing& ring, TraceTrack track)
    : before_(std::exchange(track_of_thread, {&ring, std::make_shared<const TraceTrack>(std::move(track))})) {
}

TracedThread::TracedThread(const CurrentTrack& parent, std::string name, std::string suffix)
    : before_(std::exchange(track_of_thread, track_beside(parent, std::move(name), std::move(suffix)))) {}

TracedThread::~TracedThread() { track_of_thread = std::move(before_); }

void trace(v1::TraceCategory category, const char* name, TimePoint start, Duration duration) {
  const CurrentTrack& current = track_of_thread;
  if (current.ring == nullptr) return;
  if (category == v1::TRACE_CATEGORY_WAIT && duration < kShortestTracedWait) return;
  current.ring->record({current.track, category, name, start, duration});
}

DeviceTrack::DeviceTrack(const CurrentTrack& parent, const char* name)
    : track_(track_beside(parent, name)), name_(name) {}

void DeviceTrack::record(v1::TraceCategory category, TimePoint end, Duration duration, int64_t units) {
  if (track_.ring == nullptr) return;
  const TimePoint start = std::min(std::max(end - duration, until_), end);
  until_ = end;
  track_.ring->record({track_.track, category, name_, start, end - start, units});
}

void DeviceTrack::record_download(const graph::BatchTime& batch) {
  const TimePoint start = std::max(batch.ended, until_);
  record(v1::TRACE_CATEGORY_DOWNLOAD, start + batch.download, batch.download, batch.units);
}

}  // namespace weft::worker
