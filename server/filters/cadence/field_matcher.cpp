// SPDX-License-Identifier: Apache-2.0
#include "server/filters/cadence/field_matcher.h"

#include <algorithm>
#include <bit>
#include <memory>
#include <utility>

#include "kernels/telecine/ivtc_boxes.kernel"
#include "kernels/telecine/ivtc_combed.kernel"
#include "kernels/telecine/ivtc_decide.kernel"
#include "kernels/telecine/ivtc_map.kernel"
#include "kernels/telecine/ivtc_marks.kernel"
#include "kernels/telecine/ivtc_sums.kernel"
#include "kernels/telecine/ivtc_weave.kernel"
#include "server/filters/deinterlace/deinterlacer.h"
#include "server/filters/nodes/picture_node.h"

namespace weft::filters {
namespace {

static_assert(MODE_PC == int(v1::IVTC_MODE_PC) && MODE_PCN_UB == int(v1::IVTC_MODE_PCN_UB));
static_assert(CHECK_NONE == int(v1::IVTC_COMB_MATCH_NONE) && CHECK_ALL == int(v1::IVTC_COMB_MATCH_FULL));
static_assert(int64_t{3} * STRIP_ROWS * kMaxPictureSide * 6 * UINT8_MAX <= UINT32_MAX,
              "The sum of a strip has 32 bits.");

constexpr int kLaneRun = 16;  // samples of a row of a lane of a GPU

// Returns the number of checks for combing of a strategy.
int checks_of(v1::IvtcMode mode) {
  if (mode == v1::IVTC_MODE_PC_N_UB) return 3;
  return mode == v1::IVTC_MODE_PCN_UB ? 2 : 1;
}
bool has_third_match(v1::IvtcMode mode) { return mode == v1::IVTC_MODE_PCN || mode == v1::IVTC_MODE_PCN_UB; }

// The kernels of the steps.
struct MatcherKernels {
  const device::Kernel *map, *sums, *decide, *combed, *marks, *boxes, *weave;
};

// Chooses the match of each frame in several steps and weaves it. The scratch memory of a step
// contains the records of its units, then maps of two candidates for each unit, and then the
// numbers of combed samples in quarters of blocks of these.
class FieldMatcher final : public Node {
 public:
  FieldMatcher(const PortFormat& format, const v1::Ivtc& options, const MatcherKernels& kernels, int run)
      : options_(options), kernels_(kernels), format_(format.video), run_(run) {
    descriptor_.name = "field_matcher";
    descriptor_.inputs = {{.before = 1, .after = 1}};
    descriptor_.outputs = {format};
    descriptor_.rule = by_fields({.per_field = false, .parity = options.order()});
    descriptor_.cost.frames_read = 5;
    descriptor_.cost.operations = options.combmatch() == v1::IVTC_COMB_MATCH_FULL ? 120 : 50;
    columns_ = (format_.width + quarter_width() - 1) / quarter_width();
    rows_ = (format_.height + quarter_height() - 1) / quarter_height();
  }

  const NodeDescriptor& descriptor() const override { return descriptor_; }
  size_t scratch_bytes(int units) const override {
    return counts_offset(units) + 2 * size_t(units) * size_t(columns_) * size_t(rows_) * sizeof(int32_t);
  }

  void enqueue(device::Stream& stream, const Step& step) override {
    stream.fill(*step.scratch, 0, size_t(step.units) * record_bytes(), std::byte{0});
    const int comparisons = has_third_match(options_.mode()) ? 2 : 1;
    for (int number = 0; number < comparisons; number++) {
      compare(stream, step, number);
      decide(stream, step, number);
    }
    const bool has_checks = options_.combmatch() != v1::IVTC_COMB_MATCH_NONE;
    for (int number = 0; has_checks && number < checks_of(options_.mode()); number++) {
      score(stream, step);
      decide(stream, step, 2 + number);
    }
    auto weave = params<kernels::ivtc_weave::Params>(step);
    weave.border = format_.sample_bytes();
    weave.interpolates = options_.post() == v1::IVTC_POST_BWDIF ? 1 : 0;
    stream.launch(*kernels_.weave, picture_grid(format_, step.units, run_), weave);
  }

 private:
  int shift_x() const { return std::countr_zero(unsigned(columns_of_chroma(format_.chroma))); }
  int shift_y() const { return std::countr_zero(unsigned(rows_of_chroma(format_.chroma))); }
  int quarter_width() const { return options_.blockx() / 2; }
  int quarter_height() const { return options_.blocky() / 2; }
  int strips() const { return (format_.height + STRIP_ROWS - 1) / STRIP_ROWS; }
  int record_ints() const { return RECORD_SUMS + strips() * STRIP_SUMS; }
  size_t record_bytes() const { return size_t(record_ints()) * sizeof(int32_t); }
  int map_bytes() const {
    int samples = 0;
    for (int plane = 0; plane < format_.planes(); plane++)
      samples += format_.plane_width(plane) * format_.plane_height(plane);
    return samples;
  }
  size_t maps_offset(int units) const { return size_t(units) * record_bytes(); }
  size_t counts_offset(int units) const {
    return maps_offset(units) + (2 * size_t(units) * size_t(map_bytes()) + 3) / 4 * 4;
  }
  bool checks_chroma() const { return options_.chroma() && format_.planes() > 1; }
  // Returns the kept field in the kernels' numbers.
  int field() const {
    if (options_.field() == v1::PARITY_AUTO) return -1;
    return options_.field() == v1::PARITY_TOP ? 1 : 0;
  }

  // Sets the records and maps of FIELD_PARAMS, or of parameters with these members.
  template <class Params>
  void set_records(const Step& step, Params& params) const {
    params.records = device::at<decltype(params.records)>(*step.scratch);
    params.maps = device::at<decltype(params.maps)>(*step.scratch, maps_offset(step.units));
    params.record_ints = record_ints();
    params.map_bytes = map_bytes();
  }
  template <class Params>
  Params params(const Step& step) const {
    auto params = frame_params<Params>(step, run_);
    set_records(step, params);
    params.field = field();
    params.shift = format_.bit_depth - 8;
    return params;
  }

  void compare(device::Stream& stream, const Step& step, int number) const {
    auto map = params<kernels::ivtc_map::Params>(step);
    auto sums = params<kernels::ivtc_sums::Params>(step);
    if (!options_.mchroma()) map.planes = sums.planes = 1;
    map.number = sums.number = number;
    sums.shift_x = shift_x();
    sums.shift_y = shift_y();
    sums.y0 = options_.y0();
    sums.y1 = options_.y1();
    sums.scenes = number == 0 && options_.combmatch() == v1::IVTC_COMB_MATCH_SC ? 1 : 0;
    device::Grid grid = picture_grid(format_, step.units, run_);
    grid.z = uint32_t(step.units * map.planes);
    stream.launch(*kernels_.map, grid, map);
    stream.launch(*kernels_.sums, grid, sums);
  }

  void decide(device::Stream& stream, const Step& step, int number) const {
    const int64_t scene = int64_t(double(format_.width) * format_.height * 255.0 * options_.scthresh() / 100);
    kernels::ivtc_decide::Params params = {};
    params.table = device::at<decltype(params.table)>(*step.table, step.table_offset_bytes);
    params.records = device::at<decltype(params.records)>(*step.scratch);
    params.row = step.shape->ints;
    params.record_ints = record_ints();
    params.units = step.units;
    params.strips = strips();
    params.number = number;
    params.field = field();
    params.mode = options_.mode();
    params.checks = options_.combmatch();
    params.combpel = options_.combpel();
    params.scene_high = int(scene / 65536);
    params.scene_low = int(scene % 65536);
    stream.launch(*kernels_.decide, {uint32_t(step.units), 1, 1}, params);
  }

  // Computes the combed scores that the next check needs.
  void score(device::Stream& stream, const Step& step) const {
    const uint32_t candidates = 2 * uint32_t(step.units);
    auto combed = params<kernels::ivtc_combed::Params>(step);
    combed.threshold = options_.cthresh();
    combed.planes = checks_chroma() ? 3 : 1;
    device::Grid grid = picture_grid(format_, step.units, run_);
    grid.z = candidates * uint32_t(combed.planes);
    stream.launch(*kernels_.combed, grid, combed);
    if (checks_chroma()) {
      kernels::ivtc_marks::Params marks = {};
      set_records(step, marks);
      set_sizes(marks);
      marks.shift_x = shift_x();
      marks.shift_y = shift_y();
      marks.run = run_;
      grid.z = candidates;
      stream.launch(*kernels_.marks, grid, marks);
    }
    kernels::ivtc_boxes::Params boxes = {};
    set_records(step, boxes);
    set_sizes(boxes);
    boxes.counts = device::at<decltype(boxes.counts)>(*step.scratch, counts_offset(step.units));
    boxes.quarter_width = quarter_width();
    boxes.quarter_height = quarter_height();
    boxes.columns = columns_;
    boxes.rows = rows_;
    for (boxes.pass = 0; boxes.pass < 2; boxes.pass++)
      stream.launch(*kernels_.boxes, {uint32_t(columns_), uint32_t(rows_), candidates}, boxes);
  }

  template <class Params>
  void set_sizes(Params& params) const {
    params.width = format_.width;
    params.height = format_.height;
    params.chroma_width = format_.plane_width(1);
    params.chroma_height = format_.plane_height(1);
  }

  v1::Ivtc options_;
  MatcherKernels kernels_;
  VideoFormat format_;
  int run_;
  NodeDescriptor descriptor_;
  int columns_ = 0, rows_ = 0;  // quarters of blocks
};

}  // namespace

StatusOr<Port> add_field_matcher(const FilterContext& context, Network& network, Port input,
                                 const v1::Ivtc& options) {
  const PortFormat& format = network.format(input);
  MatcherKernels kernels = {};
  for (const auto& [kernel, name] : {std::pair(&kernels.map, "telecine/ivtc_map"),
                                     {&kernels.sums, "telecine/ivtc_sums"},
                                     {&kernels.combed, "telecine/ivtc_combed"},
                                     {&kernels.weave, "telecine/ivtc_weave"}}) {
    ASSIGN_OR_RETURN(*kernel, load_for(context, name, format.video));
  }
  for (const auto& [kernel, name] : {std::pair(&kernels.decide, "telecine/ivtc_decide"),
                                     {&kernels.marks, "telecine/ivtc_marks"},
                                     {&kernels.boxes, "telecine/ivtc_boxes"}}) {
    ASSIGN_OR_RETURN(*kernel, context.load(name));
  }
  ASSIGN_OR_RETURN(const Port pictures, network.add(std::make_unique<FieldMatcher>(format, options, kernels,
                                                                                   run_of(context, kLaneRun)),
                                                    {input}));
  return progressive(network, pictures);
}

}  // namespace weft::filters
