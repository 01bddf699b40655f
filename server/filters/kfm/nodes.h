// SPDX-License-Identifier: Apache-2.0
// Adds the nodes of KFM: statistics of fields, film frames, combed parts, and the choice of the
// output. Formulas: docs/guide/kfm.md.
#pragma once

#include "server/filters/filter.h"
#include "server/filters/kfm/timeline.h"

namespace weft::filters::kfm {

// Pictures of at least this size have enough cells for statistics.
inline constexpr int kLeastSide = 32;

// 60p frames that are made from earlier fields and from later fields alone.
struct SidedPorts {
  Port before, after;
};

// Statistics of fields, at field rate.
struct FieldStatistics {
  Port combs;   // combed cells (kernels/telecine/cells.h)
  Port counts;  // record of the analysis
};
StatusOr<FieldStatistics> add_field_statistics(const FilterContext& context, Network& network, Port frames,
                                               v1::Parity parity);
// Returns records that consist of those of several ports, with a map for each port or none.
StatusOr<Port> add_joined_records(Network& network, std::initializer_list<Port> records,
                                  std::vector<UnitMapPtr> maps);
// Returns `counts`, with the noise of each field in addition.
StatusOr<Port> add_field_noise(const FilterContext& context, Network& network, Port frames, Port counts,
                               v1::Parity parity);
std::vector<FieldNoise> measured_noise(const graph::Records& records, const VideoFormat& format);

// Reads the records of FieldStatistics::counts: two for each frame.
struct MeasuredFields {
  std::vector<FieldCounts> counts;
  std::vector<bool> begins_run;    // by frame
  std::vector<bool> bottom_first;  // by frame
};
MeasuredFields measured_fields(const graph::Records& records, const VideoFormat& format);

// Returns the combed cells of film frames, or of the source's frames if `film` is null. `fields` is
// FieldStatistics::combs, and `units` the first field of each.
StatusOr<Port> add_film_combs(const FilterContext& context, Network& network, Port frames, Port fields,
                              std::shared_ptr<const FrameMap> film, UnitMapPtr units);

// The parts of frames that are combed after weaving: a mask of cells of 8x8 samples, and the number
// of marked cells.
struct CombMask {
  Port mask, count;
};
StatusOr<CombMask> add_comb_mask(const FilterContext& context, Network& network, Port combs,
                                 const VideoFormat& format);

// Returns, at frame rate, the records of the second analysis: the counts of the frame's mask and of
// the mask of the film frame in `film`.
StatusOr<Port> add_combed_records(Network& network, Port frame_count, Port film_count, UnitMapPtr film);
CombedFrames combed_frames(const graph::Records& records, const Cadence& cadence);
// Adds the record of a frame, counted from the first one of its run.
void add_combed(const graph::Records& records, size_t unit, int64_t frame_of_run, CombedFrames& combed);

// Weaves film frames out of the source's frames. `fields` is FieldStatistics::combs.
StatusOr<Port> add_film_frames(const FilterContext& context, Network& network, Port frames, Port fields,
                               const FilmTables& film);

// Returns pictures with some of them replaced.
StatusOr<Port> add_replaced(const FilterContext& context, Network& network, Port pictures,
                            const SidedPorts& fields, const ReplacedUnits& units);

// Returns the weight of the source's samples where pictures are still and finely detailed.
StatusOr<Port> add_stills(const FilterContext& context, Network& network, Port frames);

// The inputs of the outputs.
struct OutputPorts {
  Port frames;                  // the source
  Port fields;                  // 60p
  Port stills;                  // at frame rate
  Port film, film_mask;         // 24p
  Port frames_30p, frame_mask;  // 30p
  SidedPorts sided{};           // absent without replaced frames
};
StatusOr<Port> add_outputs(const FilterContext& context, Network& network, const OutputPorts& ports,
                           const OutputTables& tables);

// Returns the 60p frames with the still parts of the source.
StatusOr<Port> add_still_parts(const FilterContext& context, Network& network, Port fields, Port frames,
                               Port stills);

}  // namespace weft::filters::kfm
