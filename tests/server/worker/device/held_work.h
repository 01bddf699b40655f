// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <string>

#include "server/worker/device/device_loop.h"

namespace weft::worker {

// Work of one unit that stays on the device until it is released.
class HeldWork final : public DeviceWork {
 public:
  HeldWork(DeviceLoop& loop, const std::string& job) : loop_(loop) {
    schedule::SourceSpec spec;
    spec.owner = "somebody";
    spec.job = job;
    spec.cost_key = job;
    id_ = *loop.open(spec, *this);
    loop.ready(id_);
  }
  ~HeldWork() override {
    release();
    loop_.close(id_);
  }
  schedule::SourceId id() const { return id_; }
  bool has_started() const { return started_; }
  void do_chunk() { chunks_++; }
  void release() {
    released_ = true;
    released_.notify_all();
  }

 private:
  Ready ready() override {
    Ready ready;
    ready.units = started_ ? 0 : 1;
    ready.complete = true;
    ready.ended = started_;
    return ready;
  }
  Status start(int, const graph::SubmittedBatch&) override {
    started_ = true;
    return ok_status();
  }
  graph::SubmittedBatch last_batch() override { return {}; }
  uint64_t chunks_done() override { return chunks_; }
  StatusOr<Duration> wait() override {
    released_.wait(false);
    return Duration(std::chrono::milliseconds(1));
  }
  void failed(const Status&) override {}

  DeviceLoop& loop_;
  schedule::SourceId id_ = 0;
  std::atomic<bool> started_{false}, released_{false};
  std::atomic<uint64_t> chunks_{0};
};

}  // namespace weft::worker
