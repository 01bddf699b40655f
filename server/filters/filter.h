// SPDX-License-Identifier: Apache-2.0
// Defines a filter, an operation visible to users, and the registry of all filters by their
// messages. A filter consists of a protobuf message with its options and a function that adds nodes
// to a network.
//
//   Network network;
//   const Port source = network.set_source(PortFormat::picture(format));
//   RETURN_IF_ERROR(expand_network({&device, &caches}, {{&options}}, network, source));
//   // options: a v1::Bwdif
//
// A new filter is a file server/filters/<area>/<name>.cpp that defines `const Registration k<Name>`
// in namespace registered; the build finds the file.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <google/protobuf/message.h>

#include "base/status.h"
#include "server/device/device.h"
#include "server/filters/device_caches.h"
#include "server/filters/engine.h"
#include "server/filters/rgb_picture.h"
#include "server/graph/network.h"

namespace weft::filters {

// The context of the expansion of a filter, besides its options.
struct FilterContext {
  device::Device* device = nullptr;  // null: nodes are only described and cannot run
  DeviceCaches* caches = nullptr;    // caches of the device
  const RgbPictures* pictures = nullptr;
  const OptionFiles* files = nullptr;
  const Decisions* decisions = nullptr;  // decisions of analyses of the whole input
  // true for a live input, which no analysis can read whole: decisions are live (LiveDecision)
  bool is_live = false;
  // true: the network ends with the records of its first analysis, as it does with a device
  bool ends_at_analysis = false;
  std::string path{};  // path of the filter: "filters[0].bloom"
  // index of one of the filter's kernels (Registration::alternatives); -1: the fastest
  int alternative = -1;
  // sample type of the chain's last filter, for images; absent: the type of the input
  std::optional<PixelType> result_pixels{};
  // callback that is called repeatedly while a filter is built, which may take a minute
  std::function<void()> alive{};
  std::string* blamed = nullptr;  // receives the path of the option or filter that caused an error
  // receives the name of the first filter with results that differ between devices
  // (Network::is_exact)
  std::string* inexact = nullptr;
  // receives the names of the kernels that load() is called with, also without a device
  std::set<std::string, std::less<>>* kernels = nullptr;
  // receives the sum of the bytes of constants in device memory (make_constants), also without a
  // device
  size_t* constant_bytes = nullptr;

  // Returns null if the option names no image.
  const RgbPicture* picture(std::string_view option) const;
  // Returns null if the option names no file.
  const FileBytes* file(std::string_view option) const;
  // Returns the decision of an analysis of this filter, or null if the analysis has not run yet.
  // `analysis` is the name of the analysis if the filter has several: "filters[1].kfm/cycles".
  std::shared_ptr<const AnalysisDecision> decision(std::string_view analysis = {}) const;
  // Adds the analysis of `records` to `network`; called if decision() returns null. With a device,
  // the function returns FAILED_PRECONDITION, which an expand function passes on, and the network
  // ends with the records. Without a device it returns OK, and the filter continues with an
  // expected decision.
  // `follow` makes the decision of a live input.
  Status analyse(Network& network, Port records, Decide decide, std::string_view analysis = {},
                 MakeLiveDecision follow = {}) const;
  // Adds the summary of the decision that decision() returns.
  void summarize(Network& network, DecisionSummary summary, std::string_view analysis = {}) const;
  // Returns `status`. If `status` is an error, the path of the option is stored in `*blamed`; an
  // empty `option` stands for the filter.
  Status blame(std::string_view option, Status status) const;
  // Returns a kernel of the device, or null without a device. The errors are those of
  // Device::load(), such as NOT_FOUND.
  StatusOr<const device::Kernel*> load(std::string_view kernel) const;
};

// The input ports that a filter accepts.
struct PortRange {
  bool takes_pictures = true;  // frames of a video
  bool takes_images = false;   // pixels of an image
  int min_width = 1;
  int min_height = 1;
  int min_bit_depth = 8;
  int max_bit_depth = 16;
};

// A test case of a filter. The filter suite runs the case on every device, and the benchmarks
// measure it.
struct Case {
  // the message in protobuf's text form; fields that are absent there have their defaults
  std::string_view options;
  VideoFormat format;
};

// Adds the nodes of a filter to `network` and returns its output. `options` are complete: defaults
// are filled in. Errors: INVALID_ARGUMENT (options, format), NOT_FOUND (the device has no such
// kernel), UNIMPLEMENTED (an alternative that does not accept the format).
using Expand = StatusOr<Port> (*)(const FilterContext& context, const google::protobuf::Message& options,
                                  Network& network, Port input);

struct Registration {
  const google::protobuf::Descriptor* (*message)();
  PortRange range;
  Expand expand;
  std::span<const Case> cases;
  // Number of alternative kernels of the filter, each of them the fastest in some cases. All
  // alternatives produce the same result; the filter suite runs each of them on every device.
  int alternatives = 0;
  // Tolerance of a sample against the plain model, in 8-bit code values, for filters with sums of
  // floats that differ between devices. In addition, a sample may differ by `codes` code values of
  // its own bit depth, because a sum can be rounded to either side.
  double tolerance = 0;
  int codes = 1;
  // True: the tolerance is that of the model alone, and all devices give the same bytes.
  bool is_exact = false;
  // Returns the file that an option with raw_file names in the cases; null: no case names a file.
  FileBytes (*case_file)() = nullptr;
  // Names of options that the records of the filter's analyses do not depend on, so that records
  // serve jobs with other values of them.
  std::span<const std::string_view> unmeasured_options{};

  std::string_view name() const;  // name in the message's declaration: "bwdif"
};

// Registers a filter in its file: kBwdif = registration<v1::Bwdif, expand>({...}).
template <class Options, StatusOr<Port> (*expand)(const FilterContext&, const Options&, Network&, Port)>
constexpr Registration registration(const PortRange& range, std::span<const Case> cases, int alternatives = 0,
                                    double tolerance = 0, int codes = 1, bool is_exact = false) {
  return {[] { return Options::descriptor(); },
          range,
          [](const FilterContext& context, const google::protobuf::Message& options, Network& network,
             Port input) { return expand(context, static_cast<const Options&>(options), network, input); },
          cases,
          alternatives,
          tolerance,
          codes,
          is_exact};
}

constexpr Registration with_case_file(Registration registration, FileBytes (*file)()) {
  registration.case_file = file;
  return registration;
}

constexpr Registration with_unmeasured_options(Registration registration,
                                               std::span<const std::string_view> names) {
  registration.unmeasured_options = names;
  return registration;
}

// Returns every filter, sorted by name.
std::span<const Registration* const> all_filters();
// Returns the filter, or null if there is no such filter.
const Registration* find_filter(const google::protobuf::Descriptor* message);
const Registration* find_filter(std::string_view name);

// Adds the nodes of one filter to `network` and returns its output. INVALID_ARGUMENT: an input that
// the filter does not accept, or an unspecified enumeration with a default.
StatusOr<Port> expand_filter(const FilterContext& context, const google::protobuf::Message& options,
                             Network& network, Port input);

// Returns the files of the cases (Registration::case_file) for a chain that tests and benchmarks
// expand. `path` is the path of the chain: "filters".
OptionFiles case_files(std::string_view path, std::span<const google::protobuf::Message* const> filters);

// Returns the filters of a chain in order. `field` is the name of a repeated field of `owner` with
// elements of the type v1::VideoFilter or v1::ImageFilter.
std::vector<const google::protobuf::Message*> filters_of(const google::protobuf::Message& owner,
                                                         std::string_view field);
// Returns the filter of one element of a chain, or null if the element has none.
const google::protobuf::Message* filter_in(const google::protobuf::Message& element);

// Builds a whole network: the filters of a chain in sequence, and the outputs. The outputs are the
// result and the reports; with a device and an analysis without a decision, they are the records of
// the first such analysis (Network::analysis). Returns the first output. `context.path` is the path
// of the chain: "filters".
StatusOr<Port> expand_network(const FilterContext& context,
                              std::span<const google::protobuf::Message* const> filters, Network& network,
                              Port source);
// Adds the filters of a chain in sequence without setting outputs, for filters that contain chains.
// Returns the output of the last filter.
StatusOr<Port> expand_chain(const FilterContext& context,
                            std::span<const google::protobuf::Message* const> filters, Network& network,
                            Port input);

}  // namespace weft::filters
