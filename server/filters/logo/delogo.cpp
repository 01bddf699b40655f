// SPDX-License-Identifier: Apache-2.0
// Registers delogo, which removes the semi-transparent logo of a broadcaster. An analysis of the
// whole input finds the frames with the logo and its strength while it fades.
#include "kernels/picture/delogo.kernel"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "kernels/picture/logo_score.kernel"
#include "server/filters/logo/logo_file.h"
#include "server/filters/logo/logo_planes.h"
#include "server/filters/logo/logo_presence.h"
#include "server/filters/logo/logo_score.h"
#include "server/filters/nodes/layout_node.h"
#include "server/filters/nodes/node_of.h"
#include "weft/v1/logo.pb.h"

namespace weft::filters::registered {
namespace {

using logo::PlacedPlane;

constexpr std::array kRows{logo::ScoreRows::kFrame, logo::ScoreRows::kTopField,
                           logo::ScoreRows::kBottomField};
using Sums = std::array<std::array<int32_t, LOGO_FADES>, kRows.size()>;

static_assert(int64_t{logo::kMostLogoSamples} * LOGO_SCORE_ONE <= INT32_MAX, "A sum of scores is an int.");
static_assert(logo::kMostLogoSamples <= 1 << 24, "A position is a float.");

struct ScoreParts {
  NodeDescriptor descriptor;
  const device::Kernel* kernel = nullptr;
  std::array<kernels::logo_score::Params, kRows.size()> params{};
  std::array<Constants, kRows.size()> constants{};
};

// Measures the scores of the frame and of its fields.
class ScoreNode final : public NodeOf<ScoreParts> {
 public:
  using NodeOf::NodeOf;
  void enqueue(device::Stream& stream, const Step& step) override {
    for (int unit = 0; unit < step.units; unit++)
      stream.fill(*step.arena, step.output_offset(0, unit), sizeof(Sums), std::byte{0});
    for (size_t i = 0; i < kRows.size(); i++) {
      auto params = frame_params<kernels::logo_score::Params>(step, 1);
      const kernels::logo_score::Params& own = parts_.params[i];
      params.constants = device::at<decltype(params.constants)>(*parts_.constants[i]);
      params.left = own.left;
      params.first_row = own.first_row;
      params.row_step = own.row_step;
      params.columns = own.columns;
      params.rows = own.rows;
      params.points = own.points;
      params.smooths = own.smooths;
      params.at = int(i) * LOGO_FADES;
      params.scale = 255.0f / (4.0f * float(params.maximum));
      const uint32_t lanes = uint32_t(params.points + LOGO_POINTS - 1) / LOGO_POINTS;
      stream.launch(*parts_.kernel, {lanes, 1, uint32_t(step.units)}, params);
    }
  }
};

// Frame rate that windows of time are computed with if that of the input is not known.
constexpr double kUnknownFrameRate = 30;

// Returns the decision: a line for each range of frames with the logo, and the times of all frames.
StatusOr<AnalysisDecision> decide(const Records& records, const std::array<double, kRows.size()>& whole,
                                  double frame_rate, int max_fade) {
  std::vector<logo::FrameScores> frames;
  auto map = std::make_shared<FrameMap>();
  map->rate = {1, 1};
  for (size_t unit = 0; unit < records.size(); unit++) {
    Sums sums{};
    std::memcpy(&sums, records.measured(unit).data(), sizeof(sums));
    logo::FrameScores scores;
    logo::FadeScores* const targets[] = {&scores.picture, &scores.top, &scores.bottom};
    for (size_t i = 0; i < kRows.size(); i++)
      for (size_t f = 0; f < LOGO_FADES; f++)
        (*targets[i])[f] = double(sums[i][f]) / (LOGO_SCORE_ONE * whole[i]);
    frames.push_back(scores);
    map->entries.push_back({int64_t(unit), records.times(unit).pts, records.times(unit).duration, 0});
  }
  const std::vector<logo::LogoPresence> presences = logo::find_presences(frames, frame_rate);
  const std::vector<logo::Fades> fades = logo::find_fades(frames, presences, max_fade);
  const std::string text = logo::text_of(fades);
  const auto bytes = std::as_bytes(std::span(text));
  return AnalysisDecision{.map = map, .bytes = {bytes.begin(), bytes.end()}};
}

Status measure(const FilterContext& context, const v1::Delogo& options, const PlacedPlane& luma,
               Network& network, Port input) {
  ScoreParts parts;
  parts.descriptor.name = "logo_score";
  parts.descriptor.inputs = {Window{}};
  parts.descriptor.outputs = {PortFormat::data("logo scores", sizeof(Sums))};
  parts.descriptor.cost = {.frames_read = 0.1, .frames_written = 0, .operations = 1};
  std::array<double, kRows.size()> whole{};
  for (size_t i = 0; i < kRows.size(); i++) {
    StatusOr<logo::LogoScore> score = logo::make_score(luma, kRows[i], logo::kPresenceShare);
    RETURN_IF_ERROR(context.blame("logo", score.status()));
    whole[i] = score->whole;
    kernels::logo_score::Params& params = parts.params[i];
    params.left = score->left;
    params.first_row = score->first_row;
    params.row_step = score->row_step;
    params.columns = score->width;
    params.rows = score->height;
    params.points = int(score->points.size());
    params.smooths = score->smooths ? 1 : 0;
    const std::vector<float> constants = score->constants();
    ASSIGN_OR_RETURN(parts.constants[i], make_constants_of(context, std::span(constants)));
  }
  ASSIGN_OR_RETURN(parts.kernel, load_for(context, "picture/logo_score", network.format(input).video));
  ASSIGN_OR_RETURN(const Port records, network.add(std::make_unique<ScoreNode>(std::move(parts)), {input}));
  const graph::Rate rate = network.properties(input).frame_rate;
  const double frame_rate =
      rate.numerator > 0 ? double(rate.numerator) / rate.denominator : kUnknownFrameRate;
  return context.analyse(network, records,
                         [whole, frame_rate, max_fade = options.max_fade()](const Records& measured) {
                           return decide(measured, whole, frame_rate, max_fade);
                         });
}

// Returns the strengths by number of the input frame.
StatusOr<std::vector<logo::Fades>> fades_of(const AnalysisDecision& decision) {
  if (decision.map == nullptr)
    return invalid_argument("The decision of delogo has no map of frames; measure again.");
  const size_t frames = decision.map->entries.empty() ? 0 : size_t(decision.map->entries.back().unit) + 1;
  return logo::parse_fades({reinterpret_cast<const char*>(decision.bytes.data()), decision.bytes.size()},
                           frames);
}

// Returns a map with the strengths of the logo as words.
std::shared_ptr<const FrameMap> map_with_fades(const FrameMap& frames, std::span<const logo::Fades> fades) {
  auto map = std::make_shared<FrameMap>(frames);
  for (FrameMap::Entry& entry : map->entries) {
    const logo::Fades each = fades[size_t(entry.unit)];
    entry.word = FADE_WORD(each.top, each.bottom);
  }
  return map;
}

// Returns a section for each range of frames with the same strength. `time_divisor` is that of the
// input.
DecisionSummary summary_of(const FrameMap& frames, std::span<const logo::Fades> fades, double time_divisor) {
  DecisionSummary summary{.kinds = {"no logo", "logo"}, .series = {{"strength"}}};
  const double time_unit = 1 / (frames.time_divisor * time_divisor);
  int64_t shown = 0;
  std::optional<logo::Fades> before;
  for (const FrameMap::Entry& entry : frames.entries) {
    const logo::Fades each = fades[size_t(entry.unit)];
    const bool has_logo = each != logo::Fades{};
    shown += has_logo ? 1 : 0;
    if (before != each)
      summary.sections.push_back({.first_frame = entry.unit,
                                  .begin = double(entry.pts) * time_unit,
                                  .kind = has_logo ? 1 : 0,
                                  .values = {double(each.top + each.bottom) / 20}});
    before = each;
    summary.sections.back().frames++;
    summary.sections.back().end = double(entry.pts + entry.duration) * time_unit;
  }
  summary.report = fmt::format("delogo removes the logo from {} of {} frames.", shown, frames.entries.size());
  return summary;
}

using Params = kernels::delogo::Params;

// Adds the removal with the strength `fade`, or with those of the map.
StatusOr<Port> add_removal(const FilterContext& context, Network& network, Port input,
                           const std::array<PlacedPlane, 3>& planes, std::shared_ptr<const FrameMap> map,
                           double fade) {
  std::vector<float> coefficients;
  for (const PlacedPlane& plane : planes) {
    for (const float a : plane.values.a) coefficients.push_back(a - 1);
    coefficients.insert(coefficients.end(), plane.values.b.begin(), plane.values.b.end());
  }
  ASSIGN_OR_RETURN(const Constants constants,
                   make_constants_of(context, std::span<const float>(coefficients)));
  FrameNode<Params>::Parts parts;
  parts.descriptor.name = "delogo";
  parts.descriptor.inputs = {Window{}};
  parts.descriptor.cost.operations = 2;
  if (map != nullptr) parts.descriptor.rule = by_map(std::move(map));
  const auto rectangle = [](PlacedPlane plane) {
    plane.values = {};
    return plane;
  };
  parts.complete = [constants, fade, luma = rectangle(planes[0]), chroma = rectangle(planes[1])](
                       const Step&, Params& params) {
    params.coefficients = device::at<decltype(params.coefficients)>(*constants);
    params.left = luma.x;
    params.top = luma.y;
    params.columns = luma.width;
    params.rows = luma.height;
    params.chroma_left = chroma.x;
    params.chroma_top = chroma.y;
    params.chroma_columns = chroma.width;
    params.chroma_rows = chroma.height;
    params.fade = float(fade);
  };
  return add_frame_node<Params>(context, network, {input}, "picture/delogo", std::move(parts));
}

StatusOr<std::array<PlacedPlane, 3>> planes_of(const FilterContext& context, const v1::Delogo& options,
                                               const VideoFormat& format) {
  if (options.logo().empty())
    return invalid_argument("delogo names no logo; set the file, such as delogo=station.lgd.");
  const FileBytes* file = context.file("logo");
  if (file == nullptr) return internal_error("The logo file is not open.");
  ASSIGN_OR_RETURN(const logo::Logo found, logo::parse_logo(*file));
  return logo::place_logo(found, format);
}

StatusOr<Port> expand(const FilterContext& context, const v1::Delogo& options, Network& network, Port input) {
  const StatusOr<std::array<PlacedPlane, 3>> planes =
      planes_of(context, options, network.format(input).video);
  RETURN_IF_ERROR(context.blame("logo", planes.status()));
  if (options.has_fade() || options.presence() == v1::DELOGO_PRESENCE_ALWAYS)
    return add_removal(context, network, input, *planes, nullptr, options.has_fade() ? options.fade() : 1);
  if (context.is_live)
    return context.blame(
        "presence",
        invalid_argument("To find the frames with the logo, delogo has to see the whole video first, which a "
                         "stream does not have; set presence=always, or a strength such as fade=0.5."));
  auto expected = std::make_shared<FrameMap>();
  expected->rate = {1, 1};
  std::shared_ptr<const FrameMap> map = std::move(expected);
  if (const auto decision = context.decision()) {
    ASSIGN_OR_RETURN(const std::vector<logo::Fades> fades, fades_of(*decision));
    map = map_with_fades(*decision->map, fades);
    context.summarize(network, summary_of(*decision->map, fades, network.time_divisor(input)));
  } else {
    RETURN_IF_ERROR(measure(context, options, (*planes)[0], network, input));
  }
  return add_removal(context, network, input, *planes, std::move(map), -1);
}

// Returns the logo of the cases: 12x10 samples at 4,2 with an opacity of 20 to 60%, for pictures of
// any size.
FileBytes case_file() {
  constexpr int kColumns = 12, kRowsOfLogo = 10;
  FileBytes file;
  const auto add = [&file](int number) {
    file.push_back(std::byte(number & 255));
    file.push_back(std::byte(number >> 8 & 255));
  };
  for (const char letter : std::string_view("<logo data file ver0.1>")) file.push_back(std::byte(letter));
  file.resize(31);
  file.push_back(std::byte{1});
  file.resize(file.size() + 32);
  for (const int number : {4, 2, kRowsOfLogo, kColumns, 0, 0, 0, 0}) add(number);
  for (int i = 0; i < kColumns * kRowsOfLogo; i++)
    for (const int colour : {4000, 300, -500}) {
      add(200 + i * 37 % 400);
      add(colour);
    }
  return file;
}

constexpr Case kCases[] = {
    {"logo: 'case.lgd' presence: DELOGO_PRESENCE_ALWAYS", {97, 65, Chroma::k420, 8}},
    {"logo: 'case.lgd' fade: 0.35", {64, 48, Chroma::k422, 10}},
    {"logo: 'case.lgd' fade: 1", {37, 50, Chroma::k444, 16}},
    {"logo: 'case.lgd' fade: 0.8", {61, 39, Chroma::k410, 8}},
};

}  // namespace

extern const Registration kDelogo;
// One code value: the model computes with doubles.
const Registration kDelogo =
    with_case_file(registration<v1::Delogo, expand>({}, kCases, 0, 1.0 / 256, 1, true), case_file);

}  // namespace weft::filters::registered
