// SPDX-License-Identifier: Apache-2.0
// A filter: what it says of itself as data (FilterDescriptor), and work enqueued on a stream. And the registry of all
// filters by name.
//
//   ASSIGN_OR_RETURN(std::unique_ptr<Filter> filter, make_deinterlacer(device, format, options));
//   filter->enqueue(stream, batch);
//
// A new filter is a file server/filters/<area>/<name>.cpp that defines `const Registration registered::k<Name>`; the
// build finds it. It names what it needs in its descriptor; whoever runs it (graph.h) gives it rings, table and scratch.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "base/status.h"
#include "base/video_format.h"
#include "server/device/device.h"
#include "server/filters/batches.h"
#include "server/filters/frame_layout.h"
#include "server/filters/output_timing.h"
#include "server/filters/portion.h"
#include "weft/v1/deinterlace.pb.h"

namespace weft::filters {

// Formats that a filter takes.
struct FormatRange {
  int min_width = 1;
  int min_height = 1;
  int min_bit_depth = 8;
  int max_bit_depth = 16;
};

// Source frames that a filter looks at around the one it works on.
struct Window {
  int before = 0;
  int after = 0;
};

// What a unit (a source frame) costs beside a launch: whole frames read and written once each. The cost of a batch is
// learnt as a + b * n; this is the first guess of b and the floor that benchmarks compare with.
struct CostShape {
  double frames_read = 1;
  double frames_written = 1;
};

struct FilterDescriptor {
  std::string_view name;
  std::string_view summary;
  FormatRange formats = {};
  Window window = {};
  int outputs_per_frame = 1;  // pictures out for a source frame, at most
  CostShape cost = {};
};

// A batch of source frames, all planes of all of them.
struct Batch {
  FrameRing source;
  FrameRing target;
  const device::Buffer* table = nullptr;  // a FrameTableEntry (frame_table.h) for each source frame
  size_t table_offset_bytes = 0;
  int count = 0;  // source frames
  const device::Buffer* scratch = nullptr;
};

// Made for one device, format and set of options. One thread at a time.
class Filter {
 public:
  virtual ~Filter() = default;

  virtual const FilterDescriptor& descriptor() const = 0;
  virtual const VideoFormat& source_format() const = 0;
  virtual const VideoFormat& target_format() const = 0;
  // Which pictures come out and when; by default one for each frame, in its place.
  virtual OutputRule output_rule() const { return {}; }
  // Device memory that a batch of so many source frames needs besides rings and table.
  virtual size_t scratch_bytes([[maybe_unused]] int batch) const { return 0; }

  // In how many portions (portion.h) a source frame's work can be done, where all of it would hold the device for too long. 1: at
  // once.
  virtual int portions() const { return 1; }

  // Work on the device that comes before the first enqueue(), once; null: there is none, any more. When it is empty prepared() is
  // called, which lets go of what it took.
  virtual Batches* preparation() { return nullptr; }
  virtual void prepared() {}

  // Enqueues the batch's work. Cannot fail: what can, did at creation; a device error comes out of the stream's wait.
  virtual void enqueue(device::Stream& stream, const Batch& batch) = 0;
  // A portion of a batch of one frame; in order, with nothing else of this filter between them.
  virtual void enqueue_portion(device::Stream& stream, const Batch& batch, const Portion& portion) {
    if (has_begin(portion)) enqueue(stream, batch);
  }
};

// A test case, as data beside the filter: run by the filter suite on every device, and by the benchmarks.
struct Case {
  std::string_view options;  // DeinterlaceOptions in protobuf's text form; unnamed fields have their defaults
  VideoFormat format;
  uint64_t
      golden_hash;  // of the pictures that come of the suite's noise and moving edges (tests/filter_suite)
};

// Errors: INVALID_ARGUMENT (options, format), NOT_FOUND (no kernel for this device), UNIMPLEMENTED (an alternative that
// does not take the format).
using MakeFilter = StatusOr<std::unique_ptr<Filter>> (*)(device::Device& device, const VideoFormat& format,
                                                         const v1::DeinterlaceOptions& options);

struct Registration {
  FilterDescriptor descriptor;
  MakeFilter make;  // the fastest for the device
  std::span<const Case> cases;
  // Each kernel there is for it, wherever it is fastest: all must give the same. The suite runs them on every device.
  std::span<const MakeFilter> alternatives = {};
};

// Every filter, sorted by name.
std::span<const Registration* const> all_filters();
// Null when there is none.
const Registration* find_filter(std::string_view name);

// INVALID_ARGUMENT: outside what the filter takes.
Status check_format(const FilterDescriptor& filter, const VideoFormat& format);

// `options` with defaults filled in (see options/). INVALID_ARGUMENT: an enumeration left unspecified, or a format
// outside the filter's range.
StatusOr<std::unique_ptr<Filter>> make_deinterlacer(device::Device& device, const VideoFormat& format,
                                                    const v1::DeinterlaceOptions& options);
// The name that an enumeration's value has on the command line and here: "bwdif".
std::string filter_name(v1::DeinterlaceFilter filter);

}  // namespace weft::filters
