// SPDX-License-Identifier: Apache-2.0
// Measures the frames of a stream for a decision that later pipelines read, and permits these to
// take the frames that are decided on.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>

#include "base/status.h"
#include "server/graph/analysis.h"
#include "server/graph/pipeline.h"
#include "server/worker/device/batch_stage.h"
#include "server/worker/device/job_meter.h"
#include "server/worker/stream/held_frames.h"

namespace weft::worker {

// The parts of an analysis.
struct StreamAnalysisParts {
  std::string name;  // name of the analysis
  std::unique_ptr<graph::Pipeline> pipeline;
  std::unique_ptr<graph::LiveDecision> decision;
  graph::Rate rate;  // records for a frame
};

class StreamAnalysis {
 public:
  // `maps` is locked while the decision changes (PipelineOptions::maps). `reads_before`: number of
  // frames before a frame that the next pipeline reads (Plan::window).
  StreamAnalysis(StreamAnalysisParts parts, std::shared_ptr<std::mutex> maps, int reads_before,
                 DeviceLoop& loop);
  ~StreamAnalysis();

  // Opens a source of the device's loop. Call first.
  Status open(schedule::SourceSpec source) { return stage_.open(std::move(source)); }
  // Takes the frames as pipeline number `number`, until the last one or stop(). Returns the first
  // error of the device. Call once.
  Status run(HeldFrames& frames, size_t number);
  void stop() { stage_.stop(); }  // any thread

  const std::string& name() const { return parts_.name; }
  int max_units() const { return parts_.pipeline->max_units(); }

  // Returns the frames after a frame that must arrive before the next pipeline may take the frame.
  int frames_ahead() const;
  Duration device_time() const { return Duration(meter_.device_ns.load()); }
  schedule::SourceId source() const { return stage_.source(); }
  uint64_t moves() const { return uint64_t(stage_.batches_started()) + uint64_t(stage_.units_done()); }

 private:
  Status feed(HeldFrames& frames, size_t number);
  Status deliver(HeldFrames& frames, size_t number);
  // Adds a record. Returns the number of frames that are decided on.
  int64_t add(const graph::OutputUnit& record);

  StreamAnalysisParts parts_;
  const std::shared_ptr<std::mutex> maps_;
  const int reads_before_;
  DeviceLoop& loop_;
  JobMeter meter_;
  BatchStage stage_;
  // Used by the delivering thread alone: the frame of each record that is not decided on.
  std::deque<int64_t> frames_of_records_;
  int64_t first_record_ = 0;  // number of the oldest one
};

}  // namespace weft::worker
