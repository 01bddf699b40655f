// SPDX-License-Identifier: Apache-2.0
// Images through a filter on a device, one after the other, in batches: while one batch is computed, the next goes up and the one
// before comes down.
//
//   ASSIGN_OR_RETURN(auto ring, ImageRing::make(device, std::move(filter), {.batch = 2}));
//   ring->push(image);                 while has_room()
//   ring->submit(2, {});               when its turn has come (batches.h)
//   ring->pop(pixels, report);         in the order of the pushes
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "base/status.h"
#include "server/device/device.h"
#include "server/filters/batches.h"
#include "server/filters/portion.h"
#include "server/filters/spans.h"

namespace weft::filters {

// Images in device memory: [frame][height][width], four samples a pixel, without gaps.
struct ImageBatch {
  const device::Buffer* source = nullptr;
  size_t source_offset = 0;
  const device::Buffer* target = nullptr;
  size_t target_offset = 0;
  const device::Buffer* reports = nullptr;  // report_bytes() a frame; null where that is 0
  size_t reports_offset = 0;
  const device::Buffer* scratch = nullptr;
  int frames = 1;
};

// What is done to images of one size and type. Made for a device; one thread at a time.
class ImageFilter {
 public:
  virtual ~ImageFilter() = default;
  virtual size_t source_bytes() const = 0;  // of an image
  virtual size_t target_bytes() const = 0;
  virtual size_t report_bytes() const { return 0; }  // what is told of an image, beside its pixels
  virtual int max_frames() const = 0;                // of a batch
  virtual size_t scratch_bytes(int frames) const = 0;
  // In how many portions (portion.h) an image's work is done, where all of it would hold the device for too long: batches are of one
  // image then. 1: at once.
  virtual int portions() const { return 1; }
  // As Filter's.
  virtual Batches* preparation() { return nullptr; }
  virtual void prepared() {}
  // Cannot fail: what can, did at creation; a device error comes out of the stream's wait.
  virtual void enqueue(device::Stream& stream, const ImageBatch& batch, const Portion& portion) = 0;
};

struct ImageRingOptions {
  int batch = 1;       // images in one, at most
  int in_flight = 2;   // batches on the device at a time, at most
  int64_t images = 0;  // how many will come; 0: not known
  size_t most_bytes =
      0;  // of the device's memory: a smaller batch where more would be needed, but not less than 1; 0: any
};

// Thread-safe: one thread pushes, one pops, any submits.
class ImageRing final : public Batches {
 public:
  // The batch is halved as long as memory is short. RESOURCE_EXHAUSTED: there is not even enough for a batch of 1.
  static StatusOr<std::unique_ptr<ImageRing>> make(device::Device& device,
                                                   std::unique_ptr<ImageFilter> filter,
                                                   const ImageRingOptions& options);
  ~ImageRing() override;  // waits for what is on the device

  int batch() const { return options_.batch; }           // images, as planned
  int portions() const { return portions_; }             // units that an image is
  int max_units() const { return batch() * portions_; }  // of a batch
  size_t device_bytes() const;

  // The next image, of source_bytes(), copied from memory. FAILED_PRECONDITION without room.
  Status push(std::span<const std::byte> image);
  // The oldest image that was submitted: blocks until it is down. False: none was. The spans are of target_bytes() and
  // report_bytes().
  StatusOr<bool> pop(std::span<std::byte> image, std::span<std::byte> report);

  // Units are images, or portions of them; a batch of portions is of one image.
  bool has_room() const override;
  void finish() override;
  int ready() const override;
  int submit(int max_units, const SubmittedBatch& after) override;
  SubmittedBatch last_batch() const override;
  StatusOr<Duration> wait_for(const SubmittedBatch& batch) override;
  bool is_complete() const override;
  bool is_submitted() const override;
  bool is_empty() const override;
  std::vector<BatchCost> take_costs() override;

 private:
  struct InFlight {
    int frames = 0;        // that are not popped yet
    int uncounted = 0;     // whose cost is not told yet
    bool is_whole = true;  // no portion is missing
    Spans spans;           // of the compute stream
    device::Mark down;
  };
  ImageRing(std::unique_ptr<ImageFilter> filter, const ImageRingOptions& options);
  void set_batch(int batch);
  Status allocate(device::Device& device);
  size_t slot(int64_t image) const { return size_t(image % slots_); }
  int ready_locked() const;
  int unsubmitted() const;  // units
  void copy_down(InFlight& batch, size_t first);

  const std::unique_ptr<ImageFilter> filter_;
  ImageRingOptions options_;
  const int portions_;
  int slots_ = 0;
  // Image i lies in slot i % slots of each.
  std::unique_ptr<device::Buffer> upload_, source_, target_, reports_, download_, reports_down_, scratch_;
  std::unique_ptr<device::Stream> up_, compute_,
      down_;  // last: they wait for their work, which uses the buffers

  mutable std::mutex mutex_;            // held while enqueueing, never while waiting for the device
  std::vector<device::Mark> uploaded_;  // by slot, of `up_`
  std::deque<InFlight> in_flight_;
  std::vector<BatchCost> costs_;
  SubmittedBatch last_;
  int64_t pushed_ = 0, submitted_ = 0, popped_ = 0;
  int portion_ = 0;  // the next of image `submitted_`
  bool finished_ = false;
};

}  // namespace weft::filters
