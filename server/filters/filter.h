// SPDX-License-Identifier: Apache-2.0
// A filter: what a user names. It is a protobuf message with its options, and a function that adds nodes to a network. And the registry
// of all filters, by their messages.
//
//   Network network;
//   const Port source = network.set_source(PortFormat::picture(format));
//   RETURN_IF_ERROR(expand_network({&device, &caches}, {{&options}}, network, source));   // options: a v1::Bwdif
//
// A new filter is a file server/filters/<area>/<name>.cpp that defines `const Registration k<Name>` in namespace registered; the build
// finds it.
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
#include "server/device/device.h"
#include "server/filters/device_caches.h"
#include "server/filters/engine.h"
#include "server/filters/rgb_picture.h"
#include "server/graph/network.h"

namespace weft::filters {

// What a filter is told of besides its options.
struct FilterContext {
  device::Device* device = nullptr;  // null: nodes are only described, and cannot run
  DeviceCaches* caches = nullptr;    // of the device
  const RgbPictures* pictures = nullptr;
  const OptionFiles* files = nullptr;
  const Decisions* decisions = nullptr;  // of analyses of the whole input
  bool is_live = false;                  // the whole input can never be known
  std::string path{};                    // of the filter: "filters[0].bloom"
  int alternative =
      -1;  // of the filter's kernels, one by its number (Registration::alternatives); -1: the fastest
  // Of images: the samples that the chain's last filter is to give; not given: as the input's.
  std::optional<PixelType> result_pixels{};
  std::function<void()> alive{};  // called now and then while a filter is made, which may take a minute
  std::string* blamed = nullptr;  // gets the path of the option or filter that an error is about

  const RgbPicture* picture(std::string_view option) const;  // null: there is none
  const FileBytes* file(std::string_view option) const;      // likewise
  // The decision of an analysis of this filter; null: there is none yet. `analysis` names one of several: "filters[1].kfm/cycles".
  std::shared_ptr<const AnalysisDecision> decision(std::string_view analysis = {}) const;
  // Where that is null. For a device the error that it returns, which an expand function passes on, ends the network with the records.
  // A network that only describes goes on: the filter states a decision that is to be expected.
  Status analyse(Network& network, Port records, Decide decide, std::string_view analysis = {}) const;
  // `status`, and says that it is about this option of the filter.
  Status blame(std::string_view option, Status status) const;
  // A kernel of the device; null where there is none. NOT_FOUND: Device::load's.
  StatusOr<const device::Kernel*> load(std::string_view kernel) const;
};

// Ports that a filter takes.
struct PortRange {
  bool takes_pictures = true;  // of video
  bool takes_images = false;   // pixels
  int min_width = 1;
  int min_height = 1;
  int min_bit_depth = 8;
  int max_bit_depth = 16;
};

// A test case, as data beside the filter: run by the filter suite on every device, and by the benchmarks.
struct Case {
  std::string_view options;  // the message in protobuf's text form; unnamed fields have their defaults
  VideoFormat format;
};

// `options` with defaults filled in. Errors: INVALID_ARGUMENT (options, format), NOT_FOUND (no kernel for this device), UNIMPLEMENTED
// (an alternative that does not take the format).
using Expand = StatusOr<Port> (*)(const FilterContext& context, const google::protobuf::Message& options,
                                  Network& network, Port input);

struct Registration {
  const google::protobuf::Descriptor* (*message)();
  PortRange range;
  Expand expand;
  std::span<const Case> cases;
  // Kernels that there are for it, wherever they are fastest: all must give the same. The suite runs them on every device.
  int alternatives = 0;
  // How far a sample may lie from the plain model's, in codes of 8 bits, for filters whose sums of floats differ between devices. In any case `codes` of the samples are allowed: what it takes that a sum is rounded the other way.
  double tolerance = 0;
  int codes = 1;

  std::string_view name() const;  // as the message declares it: "bwdif"
};

// What a filter's file writes: kBwdif = registration<v1::Bwdif, expand>({...}).
template <class Options, StatusOr<Port> (*expand)(const FilterContext&, const Options&, Network&, Port)>
constexpr Registration registration(const PortRange& range, std::span<const Case> cases, int alternatives = 0,
                                    double tolerance = 0, int codes = 1) {
  return {[] { return Options::descriptor(); },
          range,
          [](const FilterContext& context, const google::protobuf::Message& options, Network& network,
             Port input) { return expand(context, static_cast<const Options&>(options), network, input); },
          cases,
          alternatives,
          tolerance,
          codes};
}

// Every filter, sorted by name.
std::span<const Registration* const> all_filters();
// Null when there is none.
const Registration* find_filter(const google::protobuf::Descriptor* message);
const Registration* find_filter(std::string_view name);

// INVALID_ARGUMENT: outside what the filter takes, or an enumeration left unspecified that has a default.
StatusOr<Port> expand_filter(const FilterContext& context, const google::protobuf::Message& options,
                             Network& network, Port input);

// The filters of a chain, in order: elements of a repeated v1::VideoFilter or v1::ImageFilter. Errors name the filter by its number
// where the chain has several.
std::vector<const google::protobuf::Message*> filters_of(const google::protobuf::Message& owner,
                                                         std::string_view field);
// The one that an element has; null: none.
const google::protobuf::Message* filter_in(const google::protobuf::Message& element);

// A whole network: the filters of a chain one after the other, and its outputs: the result and the reports, or, for a device, the records
// of the first analysis without a decision (Network::analysis). Returns the first output. `context.path` is the chain's: "filters".
StatusOr<Port> expand_network(const FilterContext& context,
                              std::span<const google::protobuf::Message* const> filters, Network& network,
                              Port source);
// The same without outputs, for filters that have chains of their own.
StatusOr<Port> expand_chain(const FilterContext& context,
                            std::span<const google::protobuf::Message* const> filters, Network& network,
                            Port input);

}  // namespace weft::filters
