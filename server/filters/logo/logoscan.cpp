// SPDX-License-Identifier: Apache-2.0
// Registers logoscan, which measures a logo in two analyses of the input: the first one finds the
// frames with a plain border around the rectangle, the second one reads their samples. The second
// decision is the logo file.
#include <algorithm>
#include <utility>

#include "kernels/picture/logo_samples.kernel"
#include "server/filters/logo/logo_file.h"
#include "server/filters/logo/logo_scan.h"
#include "server/filters/nodes/node_of.h"
#include "server/filters/nodes/picture_node.h"
#include "weft/v1/logo.pb.h"

namespace weft::filters::registered {
namespace {

using logo::ScanArea;

// Largest memory of the samples of all frames.
constexpr size_t kMostSampleBytes = size_t{512} << 20;
// The second analysis measures at least one of this number of frames in a row.
constexpr size_t kGap = 100;
constexpr const char* kBorders = "borders";
constexpr const char* kSamples = "samples";

using Params = kernels::logo_samples::Params;

struct SamplesParts {
  NodeDescriptor descriptor;
  const device::Kernel* kernel = nullptr;
  ScanArea area;
  bool border = false;
};

// Copies the samples of the rectangle, or of its border.
class SamplesNode final : public NodeOf<SamplesParts> {
 public:
  using NodeOf::NodeOf;
  void enqueue(device::Stream& stream, const Step& step) override {
    const ScanArea& area = parts_.area;
    auto params = frame_params<Params>(step, 1);
    params.left = area.x;
    params.top = area.y;
    params.columns = area.width;
    params.rows = area.height;
    params.chroma_left = area.plane_x(1);
    params.chroma_top = area.plane_y(1);
    params.chroma_columns = area.plane_width(1);
    params.chroma_rows = area.plane_height(1);
    params.border = parts_.border ? 1 : 0;
    const int lanes = parts_.border ? 2 * (area.width + area.height) : area.width * area.height;
    stream.launch(*parts_.kernel, {uint32_t(lanes), 1, uint32_t(step.units * params.planes)}, params);
  }
};

StatusOr<Port> add_samples(const FilterContext& context, const ScanArea& area, bool border, TimeRulePtr rule,
                           Network& network, Port input) {
  SamplesParts parts;
  parts.area = area;
  parts.border = border;
  parts.descriptor.name = border ? "logo_border" : "logo_samples";
  parts.descriptor.inputs = {Window{}};
  const size_t samples = border ? area.border_samples() : area.samples();
  parts.descriptor.outputs = {
      PortFormat::data(parts.descriptor.name, samples * size_t(area.format.sample_bytes()))};
  parts.descriptor.rule = std::move(rule);
  parts.descriptor.cost = {.frames_read = 0.1, .frames_written = 0, .operations = 1};
  ASSIGN_OR_RETURN(parts.kernel, load_for(context, "picture/logo_samples", area.format));
  return network.add(std::make_unique<SamplesNode>(std::move(parts)), {input});
}

// Returns a record's samples.
std::vector<uint16_t> samples_of(const Records& records, size_t unit, const ScanArea& area) {
  const std::span<const std::byte> bytes = records.measured(unit);
  std::vector<uint16_t> samples(bytes.size() / size_t(area.format.sample_bytes()));
  for (size_t i = 0; i < samples.size(); i++)
    samples[i] = area.format.sample_bytes() == 1 ? uint16_t(bytes[i])
                                                 : uint16_t(int(bytes[2 * i]) | int(bytes[2 * i + 1]) << 8);
  return samples;
}

// Chooses the frames with a plain border, at most `most`. Between frames that are far apart, the
// map has others (kGap), and it has the last frame.
StatusOr<AnalysisDecision> choose_frames(const Records& records, const ScanArea& area, int threshold,
                                         size_t most) {
  std::vector<size_t> plain;
  for (size_t unit = 0; unit < records.size(); unit++)
    if (logo::background_of(area, samples_of(records, unit, area), threshold)) plain.push_back(unit);
  if (plain.size() < 2)
    return invalid_argument(
        "{} of {} frames have a plain background around the rectangle, and a logo needs many of different "
        "brightness; check the rectangle, scan a longer video, or raise the threshold ({}).",
        plain.size(), records.size(), threshold);
  const size_t used = std::min(plain.size(), most);
  auto map = std::make_shared<FrameMap>();
  map->rate = {1, 1};
  const auto add = [&](size_t unit) {
    map->entries.push_back({int64_t(unit), records.times(unit).pts, records.times(unit).duration, 0});
  };
  const auto next = [&] { return map->entries.empty() ? 0 : size_t(map->entries.back().unit) + 1; };
  for (size_t i = 0; i < used; i++) {
    const size_t unit = plain[i * plain.size() / used];
    while (unit >= next() + kGap) add(next() + kGap - 1);
    add(unit);
  }
  while (next() < records.size()) add(std::min(next() + kGap, records.size()) - 1);
  return AnalysisDecision{.map = map,
                          .report = fmt::format("logoscan uses {} of {} frames; {} have a plain background.",
                                                used, records.size(), plain.size())};
}

StatusOr<AnalysisDecision> scan(const Records& records, const ScanArea& area, const v1::LogoScan& options) {
  std::vector<std::vector<uint16_t>> samples;
  std::vector<logo::Background> backgrounds;
  for (size_t unit = 0; unit < records.size(); unit++) {
    std::vector<uint16_t> own = samples_of(records, unit, area);
    const auto background = logo::background_of(area, logo::border_of(area, own), options.threshold());
    if (!background) continue;
    samples.push_back(std::move(own));
    backgrounds.push_back(*background);
  }
  std::vector<logo::ScanFrame> frames;
  for (size_t i = 0; i < samples.size(); i++) frames.push_back({samples[i], backgrounds[i]});
  ASSIGN_OR_RETURN(logo::Logo found, logo::scan_logo(area, frames));
  found.name = options.name().empty() ? "logo" : options.name();
  return AnalysisDecision{.bytes = logo::print_logo(found)};
}

Status check(const FilterContext& context, const v1::LogoScan& options, const VideoFormat& format) {
  const int columns = std::max(columns_of_chroma(format.chroma), 2);
  const int rows = std::max(rows_of_chroma(format.chroma), 2);
  for (const auto& [name, value, step] : {std::tuple("x", options.x(), columns),
                                          {"y", options.y(), rows},
                                          {"width", options.width(), columns},
                                          {"height", options.height(), rows}})
    if (value % step != 0)
      return context.blame(name,
                           invalid_argument("{} ({}) is no multiple of {}, the side of a chroma sample of "
                                            "{} at least; {} is one.",
                                            name, value, step, name_of(format.chroma), value / step * step));
  if (options.x() + options.width() > format.width || options.y() + options.height() > format.height)
    return invalid_argument("The rectangle ({}x{} at {},{}) is not within the picture ({}x{}); move it.",
                            options.width(), options.height(), options.x(), options.y(), format.width,
                            format.height);
  if (options.width() * options.height() > logo::kMostLogoSamples)
    return invalid_argument("The rectangle has {}x{} samples, and {} are the most; choose a smaller one.",
                            options.width(), options.height(), logo::kMostLogoSamples);
  return ok_status();
}

StatusOr<Port> expand(const FilterContext& context, const v1::LogoScan& options, Network& network,
                      Port input) {
  const VideoFormat& format = network.format(input).video;
  if (context.is_live)
    return invalid_argument(
        "The filter logoscan has to see the whole video first, which a stream does not have; record it.");
  RETURN_IF_ERROR(context.blame("", check(context, options, format)));
  network.set_analysis_gap(int(kGap));
  const ScanArea area{format, options.x(), options.y(), options.width(), options.height()};
  const auto chosen = context.decision(kBorders);
  if (chosen == nullptr) {
    ASSIGN_OR_RETURN(const Port borders, add_samples(context, area, true, nullptr, network, input));
    const size_t each = area.samples() * (sizeof(uint16_t) + size_t(format.sample_bytes()));
    const size_t most = std::min(size_t(options.frames()), std::max<size_t>(kMostSampleBytes / each, 2));
    RETURN_IF_ERROR(context.analyse(
        network, borders,
        [area, threshold = options.threshold(), most](const Records& records) {
          return choose_frames(records, area, threshold, most);
        },
        kBorders));
    return input;
  }
  if (context.decision(kSamples) != nullptr) return input;
  if (chosen->map == nullptr)
    return invalid_argument("The decision of logoscan has no map of frames; measure again.");
  ASSIGN_OR_RETURN(const Port samples,
                   add_samples(context, area, false, by_map(chosen->map), network, input));
  RETURN_IF_ERROR(context.analyse(
      network, samples, [area, options](const Records& records) { return scan(records, area, options); },
      kSamples));
  return input;
}

}  // namespace

extern const Registration kLogoScan;
const Registration kLogoScan = registration<v1::LogoScan, expand>({.min_width = 16, .min_height = 16}, {});

}  // namespace weft::filters::registered
