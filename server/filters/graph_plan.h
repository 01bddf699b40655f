// SPDX-License-Identifier: Apache-2.0
// What a graph needs, worked out from its filters' descriptors: rings, tables, scratch. And the pinned memory that
// pictures come down to.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "server/filters/filter.h"

namespace weft::filters {

struct GraphOptions;
struct OutputPicture;

// Frames around each that a graph waits for. Beside what the filter's samples need: whether a frame passes unchanged hangs on its
// neighbours, and so do times, unless frames say them exactly.
Window planned_window(const Filter& filter, bool exact_durations);

// A filter and the ring that it reads.
struct StagePlan {
  std::string name;
  Window window;
  FrameLayout layout;
  int slots = 0;
  int max_frames = 0;  // of a launch
  int outputs = 1;     // pictures for each of them, at most
  size_t table_offset = 0;
  size_t scratch_bytes = 0;

  size_t ring_bytes() const { return layout.frame_bytes * size_t(slots); }
};

struct GraphPlan {
  std::vector<StagePlan> stages;
  FrameLayout target_layout;
  Window window;  // of the whole chain, in source frames
  int batch = 0;
  int in_flight = 0;
  int upload_slots = 0;    // pinned
  int region_slots = 0;    // pictures that a batch gives, at most
  int picture_slots = 0;   // pinned
  size_t table_bytes = 0;  // of a batch

  static GraphPlan of(std::span<const Filter* const> filters, const GraphOptions& options);
  static int total_rate(std::span<const Filter* const> filters);  // pictures out for a source frame, at most

  size_t upload_bytes() const { return stages.front().layout.frame_bytes * size_t(upload_slots); }
  size_t result_bytes() const { return target_layout.frame_bytes * size_t(region_slots); }
  size_t picture_bytes() const { return target_layout.frame_bytes * size_t(picture_slots); }
  size_t device_bytes() const;
  size_t host_bytes() const;
  std::string describe() const;
};

// Pinned memory for pictures that came down, lent out and given back on any thread.
class PicturePool {
 public:
  PicturePool(std::unique_ptr<device::Buffer> buffer, const FrameLayout& layout, int slots);

  device::Buffer& buffer() { return *buffer_; }
  size_t offset(int slot) const { return size_t(slot) * layout_.frame_bytes; }
  int free_slots() const;
  int take();  // there must be one
  // Fills in planes and owner; the slot is free again when the owner is released.
  static void lend(const std::shared_ptr<PicturePool>& pool, int slot, OutputPicture& picture);

 private:
  std::unique_ptr<device::Buffer> buffer_;
  FrameLayout layout_;
  mutable std::mutex mutex_;
  std::vector<int> free_;  // guarded by mutex_
};

}  // namespace weft::filters
