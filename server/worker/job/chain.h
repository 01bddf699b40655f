// SPDX-License-Identifier: Apache-2.0
// Plans the processing of a job's or stream's frames: a chain of filters, checked against its input
// format and not yet built for a device.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <google/protobuf/message.h>

#include "base/status.h"
#include "base/video_format.h"
#include "server/filters/filter.h"
#include "server/graph/pipeline.h"
#include "server/graph/unit_work.h"
#include "server/worker/device/device_share.h"
#include "server/worker/job/open_input.h"

namespace weft::worker {

// Files named by filters' options, by the option's path such as "filters[0].bloom.kernel". Images
// are stored as the pixels of their display windows, other files as bytes.
struct OptionInputs {
  filters::RgbPictures pictures{};
  filters::OptionFiles files{};
};
using ChainInputs = std::shared_ptr<const OptionInputs>;
// the option of a video job that names a file of decisions (v1.DecisionFile)
inline constexpr std::string_view kDecisionsOption = "decisions";
inline constexpr int64_t kMostRawFileBytes = 64 << 20;  // limit for a file that is not an image
// Reads the files of the options. Errors name the field, below `prefix` ("spec.video", "open").
// INVALID_ARGUMENT: a file exceeds kMostRawFileBytes.
StatusOr<ChainInputs> read_option_files(const std::vector<OpenJobFile>& inputs, std::string_view prefix);

// The input of a chain.
struct ChainInput {
  graph::PortFormat format{};
  graph::PictureProperties properties{};
  std::optional<graph::PixelType> result_pixels{};  // for images: sample type of the result
  // whether the input is a stream without a known end
  bool is_live = false;
};

// Durations of a chain's pictures, if a decision lists them; else all 0.
struct PictureDurations {
  int64_t pictures = 0;
  // in the output's time unit; `total` is the time from the first picture to the end of the last
  int64_t least = 0, most = 0, total = 0;

  // Returns true if the durations differ by more than roundings.
  bool vary() const { return most - least > least / 4; }
};

struct Chain {
  std::string name;                       // such as "bwdif,resize"; "none" without filters
  graph::PortFormat target{};             // format of the output
  graph::PictureProperties properties{};  // properties of the output's frames
  // frames before and after a wanted frame that the chain reads
  graph::Window window{};
  graph::Rate rate{};  // maximum number of output frames for an input frame
  // divisor of the input's time unit that gives the output's time unit
  int64_t time_divisor = 1;
  PictureDurations durations{};
  std::vector<std::string> notes{};  // notes for the job's result
  graph::NetworkWork work{};         // work for one input frame
  // whether a filter reads the quantisers of the input's frames (FrameInfo::quantisers)
  bool reads_quantisers = false;
  // name of the first filter with results that differ between devices; empty: none
  std::string inexact_filter{};
  // Key of the chain's cost on a device: "bwdif,resize=1280x720 720x480 4:2:0 8 bit". Jobs and
  // streams with the same key share learnt costs.
  std::string cost_key;

  // Builds the network for the device. The network includes the work that precedes the first frame
  // (preparing.h). Errors are the filters'. `alive` is called repeatedly.
  StatusOr<graph::Network> expand(const DeviceShare& share, std::function<void()> alive = {}) const;

  // Whether a filter needs an analysis of the whole input first. expand() then returns the network
  // that makes the measurements; decide() evaluates its records.
  bool needs_analysis = false;
  std::string analysis{};  // name of that analysis; empty: none
  // an analysis measures at least one of this number of input frames in a row, and the last one
  int analysis_gap = 1;

  // the argument of plan_chain()
  ChainInput input{};
  std::shared_ptr<const google::protobuf::Message> owner{};  // the message, with defaults filled in
  ChainInputs files{};
  std::string prefix;
  graph::Decisions decisions{};          // decisions made so far
  graph::DecisionSummaries summaries{};  // their summaries, as far as filters make them
};

// Converts the work to the message of an estimate.
v1::UnitWork to_message(const graph::NetworkWork& work);

// Upper bound of the memory of a running chain: of the host's, on a device with separate memory and
// on a device that uses host memory, and of a device with separate memory. On a device that uses
// host memory, long units are processed in portions.
struct ChainMemory {
  int64_t host_bytes = 0;
  int64_t shared_bytes = 0;
  // device memory with batches of the usual size, of half of it, and so on, at last of one unit
  std::vector<int64_t> device_bytes{};
  // part of each of them that several pipelines of the chain have in common
  int64_t kept_device_bytes = 0;
  int batch = 1;  // maximum number of units in a batch
  // graph for a device with separate memory, as graph::plan_graph() returns it
  std::string plan_graph{};
};
// Returns the memory of a chain. `options` are those of the pipeline's plan; `most_bytes` is that
// of PipelineOptions.
StatusOr<ChainMemory> memory_of(const Chain& chain, const graph::PlanOptions& options, size_t most_bytes = 0);

// Plans the chain of a job's or stream's message. INVALID_ARGUMENT, with a violation of the option
// or filter at fault below `prefix`: the chain is not valid.
StatusOr<Chain> plan_chain(const google::protobuf::Message& owner, ChainInput input, ChainInputs files,
                           std::string_view prefix);
// Completes a chain that needs an analysis with a decision. Errors are those of plan_chain().
StatusOr<Chain> with_decision(const Chain& chain, std::shared_ptr<const graph::AnalysisDecision> decision);
// Returns the text of the chain up to the filter of its analysis: "yadif=rate=frame,decimate".
std::string filters_up_to_analysis(const Chain& chain);
// Returns the same without the options that the records of the analysis do not depend on.
std::string measured_filters(const Chain& chain);
// Completes a chain that needs an analysis with the records of the whole input. Errors are those of
// plan_chain().
StatusOr<Chain> decide(const Chain& chain, const DeviceShare& share, std::span<const std::byte> records);

}  // namespace weft::worker
