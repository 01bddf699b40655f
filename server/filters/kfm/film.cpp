// SPDX-License-Identifier: Apache-2.0
#include "kernels/telecine/comb_flags.kernel"
#include "kernels/telecine/comb_grid.kernel"
#include "kernels/telecine/film_combs.kernel"
#include "kernels/telecine/film_weave.kernel"
#include "server/filters/kfm/cells.h"

namespace weft::filters::kfm {
namespace {

class FilmCombs final : public NodeOf<CellParts> {
 public:
  using NodeOf::NodeOf;
  void enqueue(device::Stream& stream, const Step& step) override {
    kernels::film_combs::Params params = {};
    set_slot_params(step, parts_.run, 1, params);
    params.source = step.shape->inputs[1];
    parts_.sizes.set(params);
    params.planes = parts_.sizes.planes;
    params.is_film = parts_.descriptor.rule != nullptr ? 1 : 0;
    stream.launch(*parts_.kernel, parts_.sizes.grid(step.units, parts_.run), params);
  }
};

class CombGrid final : public NodeOf<CellParts> {
 public:
  using NodeOf::NodeOf;
  void enqueue(device::Stream& stream, const Step& step) override {
    kernels::comb_grid::Params params = {};
    set_slot_params(step, parts_.run, 1, params);
    parts_.sizes.set(params);
    params.planes = parts_.sizes.planes;
    params.grid_columns = parts_.sizes.grid_columns;
    params.grid_rows = parts_.sizes.grid_rows;
    stream.launch(*parts_.kernel, parts_.sizes.reduced_grid(step.units, parts_.run, 2), params);
  }
};

class CombFlags final : public NodeOf<CellParts> {
 public:
  using NodeOf::NodeOf;
  void enqueue(device::Stream& stream, const Step& step) override {
    for (int unit = 0; unit < step.units; unit++)
      stream.fill(*step.arena, step.output_offset(1, unit), sizeof(int32_t), std::byte{0});
    kernels::comb_flags::Params params = {};
    set_slot_params(step, parts_.run, 1, params);
    params.grid_columns = parts_.sizes.grid_columns;
    params.grid_rows = parts_.sizes.grid_rows;
    constexpr int kMostBorder = 4;
    params.border = std::min(kMostBorder, parts_.sizes.grid_rows / 8);
    params.count_target = step.shape->targets[1];
    stream.launch(*parts_.kernel, parts_.sizes.reduced_grid(step.units, parts_.run, 1), params);
  }
};

class FilmFrames final : public NodeOf<CellParts> {
 public:
  using NodeOf::NodeOf;
  void enqueue(device::Stream& stream, const Step& step) override {
    auto params = frame_params<kernels::film_weave::Params>(step, parts_.run);
    parts_.sizes.set(params);
    params.combs = step.shape->inputs[1];
    stream.launch(*parts_.kernel, picture_grid(step.outputs[0]->format.video, step.units, parts_.run),
                  params);
  }
};

}  // namespace

StatusOr<Port> add_film_combs(const FilterContext& context, Network& network, Port frames, Port fields,
                              std::shared_ptr<const FrameMap> film, UnitMapPtr units) {
  const VideoFormat format = network.format(frames).video;
  CellParts parts = cell_parts(context, format);
  ASSIGN_OR_RETURN(parts.kernel, context.load("telecine/film_combs"));
  parts.descriptor.name = "kfm_film_combs";
  parts.descriptor.inputs = {Window(), {.before = 0, .after = film == nullptr ? 0 : 2}};
  parts.descriptor.maps = {nullptr, std::move(units)};
  parts.descriptor.outputs = {PortFormat::data("combs", parts.sizes.bytes())};
  if (film != nullptr) parts.descriptor.rule = by_map(std::move(film));
  parts.descriptor.cost = {.frames_read = 0.1, .frames_written = 0.05, .operations = 10};
  return network.add(std::make_unique<FilmCombs>(std::move(parts)), {frames, fields});
}

StatusOr<CombMask> add_comb_mask(const FilterContext& context, Network& network, Port combs,
                                 const VideoFormat& format) {
  CellParts grid = cell_parts(context, format);
  CellParts flags = grid;
  const size_t cells = size_t(grid.sizes.grid_columns) * size_t(grid.sizes.grid_rows);
  ASSIGN_OR_RETURN(grid.kernel, context.load("telecine/comb_grid"));
  grid.descriptor.name = "kfm_comb_grid";
  grid.descriptor.inputs = {{.before = 1, .after = 1}};
  grid.descriptor.outputs = {PortFormat::data("comb grid", 2 * cells)};
  grid.descriptor.cost = {.frames_read = 0.1, .frames_written = 0.02, .operations = 50};
  ASSIGN_OR_RETURN(const Port reduced, network.add(std::make_unique<CombGrid>(std::move(grid)), {combs}));
  ASSIGN_OR_RETURN(flags.kernel, context.load("telecine/comb_flags"));
  flags.descriptor.name = "kfm_comb_flags";
  flags.descriptor.inputs = {Window()};
  flags.descriptor.outputs = {PortFormat::data("comb mask", cells),
                              PortFormat::data("comb count", sizeof(int32_t))};
  flags.descriptor.cost = {.frames_read = 0.02, .frames_written = 0.01, .operations = 600};
  const Port inputs[] = {reduced};
  ASSIGN_OR_RETURN(const std::vector<Port> ports,
                   network.add_node(std::make_unique<CombFlags>(std::move(flags)), inputs));
  return CombMask{ports[0], ports[1]};
}

StatusOr<Port> add_combed_records(Network& network, Port frame_count, Port film_count, UnitMapPtr film) {
  return add_joined_records(network, {frame_count, film_count}, {nullptr, std::move(film)});
}

void add_combed(const graph::Records& records, size_t unit, int64_t frame_of_run, CombedFrames& combed) {
  combed.frames.push_back(number_of(records, unit, 0) > 0);
  // The last frame of a cycle has no film frame of its own.
  if (frame_of_run % kCycleFrames < kFilmFrames) combed.film.push_back(number_of(records, unit, 1) > 0);
}

CombedFrames combed_frames(const graph::Records& records, const Cadence& cadence) {
  CombedFrames combed;
  for (size_t r = 0; r < cadence.runs().size(); r++) {
    const FrameRun& run = cadence.runs()[r];
    for (int64_t n = 0; n < run.frames; n++) add_combed(records, size_t(run.first_frame + n), n, combed);
  }
  return combed;
}

StatusOr<Port> add_film_frames(const FilterContext& context, Network& network, Port frames, Port fields,
                               const FilmTables& film) {
  const VideoFormat format = network.format(frames).video;
  CellParts parts = cell_parts(context, format, kSamplesOfLane);
  ASSIGN_OR_RETURN(parts.kernel, load_for(context, "telecine/film_weave", format));
  parts.descriptor.name = "kfm_film_frames";
  parts.descriptor.inputs = {{.before = 0, .after = 2}, {.before = 0, .after = 2}};
  parts.descriptor.maps = {nullptr, film.woven_fields()};
  parts.descriptor.outputs = {network.format(frames)};
  parts.descriptor.rule = by_map(film.film());
  parts.descriptor.cost.operations = 15;
  return network.add(std::make_unique<FilmFrames>(std::move(parts)), {frames, fields});
}

}  // namespace weft::filters::kfm
