// SPDX-License-Identifier: Apache-2.0
// What a job or a stream does to its pictures: a chain of filters that is checked for what comes in, and not made for a device yet.
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

// Files that filters' options name, by the options' paths: "filters[0].bloom.kernel". Images' display windows, and others' bytes.
struct OptionInputs {
  filters::RgbPictures pictures{};
  filters::OptionFiles files{};
};
using ChainInputs = std::shared_ptr<const OptionInputs>;
inline constexpr int64_t kMostRawFileBytes = 64 << 20;  // of a file that is no image
// Errors name the field, below `prefix` ("spec.video", "open"). INVALID_ARGUMENT: a file is larger.
StatusOr<ChainInputs> read_option_files(const std::vector<OpenJobFile>& inputs, std::string_view prefix);

// What goes into a chain.
struct ChainInput {
  graph::PortFormat format{};
  graph::PictureProperties facts{};
  std::optional<graph::PixelType> result_pixels{};  // of images: samples that are to come out
  bool is_live = false;                             // of a stream: its end is not known
};

struct Chain {
  std::string name;                  // "bwdif,resize"; "none" of no filters
  graph::PortFormat target{};        // of what comes out
  graph::PictureProperties facts{};  // likewise
  graph::Window window{};            // frames around those that are wanted
  graph::Rate rate{};                // pictures for a frame, at most
  int64_t time_divisor = 1;          // their times count in the input's unit divided by this
  std::vector<std::string> notes{};  // what a careful user should know
  graph::NetworkWork work{};         // for a frame
  // What its cost depends on besides the device: "bwdif,resize=1280x720 720x480 4:2:0 8 bit". Jobs and streams with the same key share
  // what is learnt.
  std::string cost_key;

  // For the device; what it still has to do before the first frame is in the network (preparing.h). Errors are the filters' own.
  // `alive` is called now and then.
  StatusOr<graph::Network> expand(const DeviceShare& share, std::function<void()> alive = {}) const;

  // A filter has to know the whole input first: expand() gives the network that measures it. Its records are decided on by decide().
  bool needs_analysis = false;

  // As given.
  ChainInput input{};
  std::shared_ptr<const google::protobuf::Message> owner{};  // with defaults filled in
  ChainInputs files{};
  std::string prefix;
  graph::Decisions decisions{};  // so far
};

// As an estimate tells it.
v1::UnitWork to_message(const graph::NetworkWork& work);

// What a chain takes of the machine's memory while it runs, at most: on a device with memory of its own, and on one whose memory is the
// machine's, on which long units are done in portions.
struct ChainMemory {
  int64_t host_bytes = 0;
  int64_t shared_bytes = 0;
  int batch = 1;             // units in a batch, at most
  std::string plan_graph{};  // of the first of these, as graph::plan_graph() has it
};
// `options`: as its pipeline is planned. `most_bytes` as PipelineOptions has it.
StatusOr<ChainMemory> memory_of(const Chain& chain, const graph::PlanOptions& options, size_t most_bytes = 0);

// The chain of a job's or a stream's message. INVALID_ARGUMENT with a violation of the option or filter that is to blame, below `prefix`.
StatusOr<Chain> plan_chain(const google::protobuf::Message& owner, ChainInput input, ChainInputs files,
                           std::string_view prefix);
// A chain that needs_analysis, with what its network measured of the whole input. INVALID_ARGUMENT as above.
StatusOr<Chain> decide(const Chain& chain, const DeviceShare& share, std::span<const std::byte> records);

}  // namespace weft::worker
