// SPDX-License-Identifier: Apache-2.0
// Registers KFM (Nekopanda's Kienzan Field Match). A first analysis measures the fields and finds
// the telecine pattern of each cycle, a second one finds the frames with combed parts. The frames
// of the result are then woven, or deinterlaced by QTGMC, which computes only the needed frames.
#include "options/values.h"
#include "server/filters/cadence/repeat_fields.h"
#include "server/filters/deinterlace/deinterlacer.h"
#include "server/filters/kfm/live.h"
#include "server/filters/kfm/nodes.h"
#include "server/filters/qtgmc/graph.h"
#include "weft/v1/kfm.pb.h"
#include "weft/v1/motion.pb.h"

namespace weft::filters::registered {
namespace {

using namespace kfm;

// Height from which the original filters use other defaults.
constexpr int kHighDefinition = 720;

MatchOptions match_options(const v1::Kfm& options, int height) {
  const double costth = height >= kHighDefinition ? 1.5 : 1.0;
  return {.lscale = options.lscale(),
          .costth = options.has_costth() ? options.costth() : costth,
          .adj2224 = options.adj2224(),
          .adj30 = options.adj30(),
          .range = options.range(),
          .thresh = options.thresh(),
          .past = options.past(),
          .th60 = options.th60(),
          .th24 = options.th24(),
          .rel24 = options.rel24()};
}

CleanOptions clean_options(const v1::Kfm& options) {
  return {.chroma = options.ucf_chroma(),
          .fd_thresh = options.fd_thresh(),
          .th_mode = options.th_mode(),
          .off_t = options.off_t(),
          .off_b = options.off_b(),
          .namax_thresh = options.namax_thresh(),
          .namax_diff = options.namax_diff(),
          .nrt1y = options.nrt1y(),
          .nrt2y = options.nrt2y(),
          .nrt2x = options.nrt2x(),
          .nrw = options.nrw(),
          .sc_thresh = options.sc_thresh(),
          .dup_factor = options.dup_factor()};
}

std::vector<std::byte> bytes_of(const std::string& text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}
std::string_view text_of(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Calls `add` with the cycles of each run of a whole clip.
template <class Add>
void for_each_run(const Cadence& cadence, const TimesOfFrames& times, Add add) {
  for (size_t run = 0; run < cadence.runs().size(); run++)
    add(NextCycles{cadence, run, 0, int64_t(cadence.runs()[run].cycles.size()), times});
}

std::shared_ptr<const FrameMap> film_map(const Cadence& cadence, const TimesOfFrames& times,
                                         const CleanFields& clean) {
  FilmTables film;
  for_each_run(cadence, times, [&](const NextCycles& cycles) { film.add(cycles, clean); });
  return film.film();
}

std::shared_ptr<const FrameMap> output_map(const Cadence& cadence, const TimesOfFrames& times,
                                           const CombedFrames& combed, const CleanFields& clean,
                                           const OutputOptions& options) {
  OutputTables outputs(options);
  for_each_run(cadence, times, [&](const NextCycles& cycles) { outputs.add(cycles, combed, clean); });
  return outputs.map();
}

OutputOptions output_options(const v1::Kfm& options) {
  return {.mode = options.mode(), .timing = options.timing()};
}

// Returns the patterns of all cycles as text, and the film frames.
StatusOr<AnalysisDecision> decide_cadence(const Records& records, const VideoFormat& format,
                                          const v1::Kfm& options) {
  const MeasuredFields fields = measured_fields(records, format);
  const size_t frames = fields.begins_run.size();
  if (frames == 0 || records.size() != 2 * frames) return invalid_argument("The input of kfm has no frames.");
  std::vector<FrameRun> runs;
  for (size_t begin = 0, end = 0; begin < frames; begin = end) {
    for (end = begin + 1; end < frames && !fields.begins_run[end];) end++;
    FrameRun run{.first_frame = int64_t(begin),
                 .frames = int64_t(end - begin),
                 .bottom_first = fields.bottom_first[begin]};
    run.cycles = match_cycles(std::span(fields.counts).subspan(2 * begin, 2 * (end - begin)),
                              int64_t{format.width} * format.height, match_options(options, format.height));
    runs.push_back(std::move(run));
  }
  TimesOfFrames times;
  for (size_t n = 0; n < frames; n++) {
    // Times of fields count in halves of the source's time unit.
    const RecordTimes first = records.times(2 * n), second = records.times(2 * n + 1);
    times.push_back({first.pts / 2, (second.pts + second.duration - first.pts) / 2});
  }
  const Cadence cadence(std::move(runs));
  CleanFields clean;
  if (options.ucf())
    clean = find_clean_fields(measured_noise(records, format), cadence, clean_options(options));
  return AnalysisDecision{.map = film_map(cadence, times, clean),
                          .bytes = bytes_of(cadence.to_text() + clean.to_text()),
                          .is_text = true};
}

StatusOr<AnalysisDecision> decide_outputs(const Records& records, const FilmClip& clip,
                                          const v1::Kfm& options) {
  const Cadence& cadence = clip.cadence;
  if (int64_t(records.size()) != cadence.frames())
    return invalid_argument("The cadence of kfm has {} frames, and the input has {}; measure again.",
                            cadence.frames(), records.size());
  TimesOfFrames times;
  for (size_t n = 0; n < records.size(); n++) times.push_back(records.times(n));
  return AnalysisDecision{.map = output_map(cadence, times, combed_frames(records, cadence), clip.clean,
                                            output_options(options))};
}

// Return the decisions that stand in for those of an analysis in a network that is only described:
// cycles of film, of 30p and of 60p with combed frames only.
std::shared_ptr<const AnalysisDecision> expected_cadence() {
  constexpr int kCycles = 3;
  FrameRun run{.first_frame = 0, .frames = kCycles * kCycleFrames};
  run.cycles = {{.pattern = 0}, {.pattern = kPattern30p}, {.pattern = 0, .is_60p = true}};
  TimesOfFrames times;
  for (int64_t n = 0; n < run.frames; n++) times.push_back({n, 1});
  const Cadence cadence({std::move(run)});
  return std::make_shared<AnalysisDecision>(
      AnalysisDecision{.map = film_map(cadence, times, {}), .bytes = bytes_of(cadence.to_text())});
}
std::shared_ptr<const AnalysisDecision> expected_outputs(const Cadence& cadence, const v1::Kfm& options) {
  TimesOfFrames times;
  for (int64_t n = 0; n < cadence.frames(); n++) times.push_back({n, 1});
  const CombedFrames combed{std::vector<bool>(size_t(cadence.film_frames()), true),
                            std::vector<bool>(size_t(cadence.frames()), true)};
  return std::make_shared<AnalysisDecision>(
      AnalysisDecision{.map = output_map(cadence, times, combed, {}, output_options(options))});
}

class Graph {
 public:
  Graph(const FilterContext& context, const v1::Kfm& options, Network& network, Port frames)
      : context_(context),
        options_(options),
        network_(network),
        frames_(frames),
        format_(network.format(frames).video) {}

  // Returns one frame per field, without an analysis.
  StatusOr<Port> build_60p() {
    RETURN_IF_ERROR(deinterlace());
    ASSIGN_OR_RETURN(const Port result, with_still_parts(fields_.both));
    return progressive(network_, result);
  }

  StatusOr<Port> build() {
    ASSIGN_OR_RETURN(FieldStatistics statistics,
                     add_field_statistics(context_, network_, frames_, options_.parity()));
    std::shared_ptr<const AnalysisDecision> decision = context_.decision("cadence");
    const bool is_decided = decision != nullptr;
    if (!is_decided) {
      RETURN_IF_ERROR(analyse_fields(statistics.counts));
      decision = expected_cadence();
    }
    RETURN_IF_ERROR(read_clip(*decision));
    const bool is_live = decision->tables != nullptr;
    if (is_decided && !is_live)
      context_.summarize(
          network_, clip_->cadence.summary(*clip_->film.film(), network_.time_divisor(frames_)), "cadence");
    combs_ = statistics.combs;
    RETURN_IF_ERROR(find_masks());
    std::shared_ptr<const AnalysisDecision> decided = context_.decision("frames");
    if (decided == nullptr) {
      RETURN_IF_ERROR(analyse_masks());
      decided = is_live ? make_live_outputs(clip_, outputs())->decision()
                        : expected_outputs(clip_->cadence, options_);
    }
    if (decided->map == nullptr)
      return invalid_argument("The decision of kfm has no map of frames; measure again.");
    auto tables = std::static_pointer_cast<const OutputTables>(decided->tables);
    if (tables == nullptr)
      tables = std::make_shared<OutputTables>(outputs(), clip_->cadence, decided->map, clip_->clean);
    return outputs_of(*tables);
  }

 private:
  Status analyse_fields(Port counts) {
    if (options_.ucf()) {
      ASSIGN_OR_RETURN(counts, add_field_noise(context_, network_, frames_, counts, options_.parity()));
    }
    return context_.analyse(
        network_, counts,
        [format = format_, options = options_](const Records& records) {
          return decide_cadence(records, format, options);
        },
        "cadence",
        [format = format_, options = live_options()] { return make_live_cadence(format, options); });
  }

  // Returns the most source units from a frame to another one.
  int reach(int frames = kReach) const { return network_.most_sources(frames_, frames); }
  LiveOptions live_options() const {
    LiveOptions options{.match = match_options(options_, format_.height),
                        .delay_cycles = options_.delay(),
                        .reach = reach(),
                        .replaced_reach = reach(kReplacedReach)};
    if (options_.ucf()) options.clean = clean_options(options_);
    return options;
  }
  OutputOptions outputs() const {
    OutputOptions options = output_options(options_);
    options.reach = reach();
    return options;
  }

  // Reads the decision on the cadence.
  Status read_clip(const AnalysisDecision& film) {
    clip_ = std::static_pointer_cast<const FilmClip>(film.tables);
    if (clip_ != nullptr) return ok_status();
    ASSIGN_OR_RETURN(Cadence cadence, Cadence::parse(text_of(film.bytes)));
    ASSIGN_OR_RETURN(CleanFields clean, CleanFields::parse(text_of(film.bytes), cadence));
    if (film.map == nullptr || int64_t(film.map->entries.size()) != cadence.film_frames())
      return invalid_argument(
          "The decision of kfm does not have the film frames of its cycles; measure again.");
    auto clip = std::make_shared<FilmClip>();
    clip->film = FilmTables(cadence, *film.map, clean, reach());
    clip->replaced_film = ReplacedTables(reach(kReplacedReach));
    for (const FrameMap::Entry& entry : clip->film.film()->entries)
      clip->replaced_film.add(clean.film, 2 * entry.unit);
    clip->replaced_film.finish();
    clip->replaced_frames = ReplacedTables(reach(kReplacedReach));
    for (int64_t n = 0; n < cadence.frames(); n++) clip->replaced_frames.add(clean.frames, 2 * n);
    clip->replaced_frames.finish();
    clip->cadence = std::move(cadence);
    clip->clean = std::move(clean);
    clip_ = std::move(clip);
    return ok_status();
  }

  Status find_masks() {
    const FilmTables& film = clip_->film;
    ASSIGN_OR_RETURN(const Port film_combs,
                     add_film_combs(context_, network_, frames_, combs_, film.film(), film.film_fields()));
    ASSIGN_OR_RETURN(film_mask_, add_comb_mask(context_, network_, film_combs, format_));
    ASSIGN_OR_RETURN(const Port combs,
                     add_film_combs(context_, network_, frames_, combs_, nullptr, film.first_fields()));
    ASSIGN_OR_RETURN(frame_mask_, add_comb_mask(context_, network_, combs, format_));
    return ok_status();
  }

  Status analyse_masks() {
    ASSIGN_OR_RETURN(const Port records, add_combed_records(network_, frame_mask_.count, film_mask_.count,
                                                            clip_->film.film_of_frames()));
    return context_.analyse(
        network_, records,
        [clip = clip_, options = options_](const Records& measured) {
          return decide_outputs(measured, *clip, options);
        },
        "frames", [clip = clip_, options = outputs()] { return make_live_outputs(clip, options); });
  }

  StatusOr<Port> outputs_of(const OutputTables& tables) {
    OutputPorts ports{.frames = frames_,
                      .fields = {},
                      .stills = {},
                      .film = {},
                      .film_mask = film_mask_.mask,
                      .frames_30p = frames_,
                      .frame_mask = frame_mask_.mask};
    RETURN_IF_ERROR(deinterlace());
    ports.fields = fields_.both;
    ASSIGN_OR_RETURN(ports.stills, stills());
    ASSIGN_OR_RETURN(ports.film, add_film_frames(context_, network_, frames_, combs_, clip_->film));
    if (options_.ucf()) {
      ASSIGN_OR_RETURN(ports.sided.before, with_still_parts(fields_.before));
      ASSIGN_OR_RETURN(ports.sided.after, with_still_parts(fields_.after));
      ASSIGN_OR_RETURN(ports.film, add_replaced(context_, network_, ports.film, ports.sided,
                                                clip_->replaced_film.units()));
      ASSIGN_OR_RETURN(ports.frames_30p, add_replaced(context_, network_, frames_, ports.sided,
                                                      clip_->replaced_frames.units()));
    }
    ASSIGN_OR_RETURN(ports.film, denoised(ports.film));
    ASSIGN_OR_RETURN(ports.frames_30p, denoised(ports.frames_30p));
    ASSIGN_OR_RETURN(const Port outputs, add_outputs(context_, network_, ports, tables));
    const Port result = progressive(network_, outputs);
    PictureProperties properties = network_.properties(result);
    properties.has_variable_rate =
        options_.mode() == v1::KFM_MODE_VFR || options_.mode() == v1::KFM_MODE_VFR30;
    network_.set_properties(result, properties);
    return result;
  }

  // Adds the 60p frames, and with `ucf` those made from one side.
  Status deinterlace() {
    v1::Qtgmc qtgmc;
    const bool is_high = format_.height >= kHighDefinition;
    const bool has_preset = options_.preset() != v1::QTGMC_PRESET_UNSPECIFIED;
    qtgmc.set_preset(has_preset ? options_.preset()
                     : is_high  ? v1::QTGMC_PRESET_FASTER
                                : v1::QTGMC_PRESET_SLOWER);
    qtgmc.set_parity(options_.parity());
    options::apply_defaults(qtgmc);
    if (options_.ucf()) {
      ASSIGN_OR_RETURN(fields_, qtgmc::add_sided(context_, qtgmc, network_, frames_));
    } else {
      ASSIGN_OR_RETURN(fields_.both, qtgmc::add_qtgmc(context_, qtgmc, network_, frames_));
    }
    return ok_status();
  }

  StatusOr<Port> stills() {
    if (stills_.id < 0) {
      ASSIGN_OR_RETURN(stills_, add_stills(context_, network_, frames_));
    }
    return stills_;
  }
  StatusOr<Port> with_still_parts(Port fields) {
    ASSIGN_OR_RETURN(const Port weights, stills());
    return add_still_parts(context_, network_, fields, frames_, weights);
  }

  StatusOr<Port> denoised(Port pictures) {
    if (!options_.nr()) return pictures;
    v1::SmDegrain degrain;
    degrain.set_radius(1);
    degrain.set_block(format_.height >= kHighDefinition ? 32 : 16);
    degrain.set_pel(1);
    degrain.set_binomial(true);
    degrain.set_interlaced(v1::INTERLACING_NO);
    options::apply_defaults(degrain);
    return expand_filter(context_, degrain, network_, pictures);
  }

  const FilterContext& context_;
  const v1::Kfm& options_;
  Network& network_;
  const Port frames_;
  const VideoFormat format_;
  std::shared_ptr<const FilmClip> clip_;
  Port combs_, stills_;
  qtgmc::SidedPictures fields_;
  CombMask film_mask_, frame_mask_;
};

StatusOr<Port> expand(const FilterContext& context, const v1::Kfm& options, Network& network, Port input) {
  if (network.properties(input).repeats_fields) {
    ASSIGN_OR_RETURN(input, add_repeat_fields(context, network, input));
  }
  if (options.mode() == v1::KFM_MODE_60P && !options.ucf())
    return Graph(context, options, network, input).build_60p();
  return Graph(context, options, network, input).build();
}

constexpr Case kCases[] = {
    {"preset: QTGMC_PRESET_ULTRA_FAST", {97, 65, Chroma::k420, 8}},
    {"mode: KFM_MODE_24P preset: QTGMC_PRESET_ULTRA_FAST nr: true", {64, 48, Chroma::k422, 10}},
    {"mode: KFM_MODE_60P preset: QTGMC_PRESET_ULTRA_FAST", {64, 48, Chroma::k420, 8}},
    {"ucf: true fd_thresh: 1 sc_thresh: 1 dup_factor: 0.5 preset: QTGMC_PRESET_ULTRA_FAST",
     {64, 48, Chroma::k444, 8}},
};

constexpr std::string_view kUnmeasuredOptions[] = {"mode", "timing", "preset", "nr", "delay"};

}  // namespace

extern const Registration kKfm;
const Registration kKfm = with_unmeasured_options(
    registration<v1::Kfm, expand>({.min_width = kLeastSide, .min_height = kLeastSide}, kCases),
    kUnmeasuredOptions);

}  // namespace weft::filters::registered
