// SPDX-License-Identifier: Apache-2.0
#include "server/filters/cadence/cycle_drop.h"

#include <bit>
#include <utility>
#include <vector>

#include "kernels/telecine/cycle_choice.kernel"
#include "kernels/telecine/cycle_copy.kernel"
#include "kernels/telecine/cycle_quarters.kernel"
#include "kernels/telecine/cycle_record.kernel"
#include "server/filters/nodes/layout_node.h"
#include "server/graph/cycle_rule.h"

namespace weft::filters {
namespace {

constexpr size_t kRecordBytes = CYCLE_NUMBERS * sizeof(int64_t);

// Makes the record of each picture from the picture and its predecessor.
class CycleRecords final : public Node {
 public:
  struct Parts {
    const device::Kernel* quarters = nullptr;
    const device::Kernel* record = nullptr;
    Constants thresholds{};  // of a duplicate and of a scene change
  };

  CycleRecords(const VideoFormat& format, const CycleDrop& options, Parts parts)
      : options_(options), parts_(std::move(parts)) {
    descriptor_.name = "cycle_record";
    descriptor_.inputs = {{.before = 1, .after = 0}};
    descriptor_.outputs = {PortFormat::data("cycle records", kRecordBytes)};
    descriptor_.cost.frames_read = 2;
    descriptor_.cost.frames_written = 0;
    descriptor_.cost.operations = 3;
    columns_ = (format.width + quarter_width() - 1) / quarter_width();
    rows_ = (format.height + quarter_height() - 1) / quarter_height();
  }

  const NodeDescriptor& descriptor() const override { return descriptor_; }
  size_t scratch_bytes(int units) const override {
    return sums_offset(units) + size_t(units) * size_t(rows_) * CYCLE_SUMS * sizeof(int64_t);
  }

  void enqueue(device::Stream& stream, const Step& step) override {
    const VideoFormat& format = step.inputs[0]->format.video;
    auto quarters = frame_params<kernels::cycle_quarters::Params>(step, 1);
    using Wide = decltype(quarters.quarters);
    quarters.quarters = device::at<Wide>(*step.scratch);
    quarters.columns = columns_;
    quarters.rows = rows_;
    quarters.quarter_width = quarter_width();
    quarters.quarter_height = quarter_height();
    quarters.shift_x = std::countr_zero(unsigned(columns_of_chroma(format.chroma)));
    quarters.shift_y = std::countr_zero(unsigned(rows_of_chroma(format.chroma)));
    if (!options_.has_chroma) quarters.planes = 1;
    const uint32_t units = uint32_t(step.units);
    stream.launch(*parts_.quarters, {uint32_t(columns_), uint32_t(rows_), units}, quarters);

    kernels::cycle_record::Params record = {};
    using Numbers = decltype(record.quarters);
    record.arena = device::at<Numbers>(*step.arena);
    record.table = device::at<decltype(record.table)>(*step.table, step.table_offset_bytes);
    record.quarters = device::at<Numbers>(*step.scratch);
    record.sums = device::at<Numbers>(*step.scratch, sums_offset(step.units));
    record.thresholds = device::at<Numbers>(*parts_.thresholds);
    record.row = step.shape->ints;
    record.source = step.shape->inputs[0];
    record.columns = columns_;
    record.rows = rows_;
    record.units = step.units;
    stream.launch(*parts_.record, {uint32_t(rows_), units, 1}, record);
    record.pass = 1;
    stream.launch(*parts_.record, {1, units, 1}, record);
  }

 private:
  int quarter_width() const { return options_.block_width / 2; }
  int quarter_height() const { return options_.block_height / 2; }
  size_t sums_offset(int units) const { return size_t(units) * size_t(columns_ * rows_) * sizeof(int64_t); }

  CycleDrop options_;
  Parts parts_;
  NodeDescriptor descriptor_;
  int columns_ = 0, rows_ = 0;  // quarters of blocks
};

// Copies the pictures that remain.
class CycleSelect final : public Node {
 public:
  CycleSelect(const PortFormat& format, int cycle, const device::Kernel* choice, const device::Kernel* copy,
              int run)
      : cycle_(cycle), choice_(choice), copy_(copy), run_(run) {
    descriptor_.name = "cycle_select";
    descriptor_.inputs = {{.before = 0, .after = 1}, {.before = cycle - 2, .after = cycle - 1}};
    descriptor_.outputs = {format};
    descriptor_.rule = graph::by_cycle(cycle);
    descriptor_.cost.operations = 0;
  }

  const NodeDescriptor& descriptor() const override { return descriptor_; }
  size_t scratch_bytes(int units) const override { return size_t(units) * sizeof(int32_t); }

  void enqueue(device::Stream& stream, const Step& step) override {
    kernels::cycle_choice::Params choice = {};
    choice.arena = device::at<decltype(choice.arena)>(*step.arena);
    choice.table = device::at<decltype(choice.table)>(*step.table, step.table_offset_bytes);
    choice.choices = device::at<decltype(choice.choices)>(*step.scratch);
    choice.row = step.shape->ints;
    choice.source = step.shape->inputs[1];
    choice.cycle = cycle_;
    choice.units = step.units;
    stream.launch(*choice_, {uint32_t(step.units), 1, 1}, choice);

    constexpr int kElement = 16;  // bytes
    kernels::cycle_copy::Params copy = {};
    set_slot_params(step, run_, kElement, copy);
    copy.choices = device::at<decltype(copy.choices)>(*step.scratch);
    copy.elements = int(step.outputs[0]->unit_bytes / kElement);
    copy.units = step.units;
    stream.launch(*copy_, {uint32_t((copy.elements + run_ - 1) / run_), uint32_t(step.units), 1}, copy);
  }

 private:
  int cycle_;
  const device::Kernel *choice_, *copy_;
  int run_;  // elements of a lane
  NodeDescriptor descriptor_;
};

// Returns the thresholds of a duplicate and of a scene change, as FFmpeg computes them.
std::vector<int64_t> thresholds_of(const CycleDrop& options, const VideoFormat& format) {
  const int64_t most = (int64_t{1} << format.bit_depth) - 1;
  return {int64_t(double(most * options.block_width * options.block_height) * options.duplicate / 100),
          int64_t(double(most * format.width * format.height) * options.scene / 100)};
}

}  // namespace

StatusOr<Port> add_cycle_drop(const FilterContext& context, Network& network, Port pictures,
                              const CycleDrop& options) {
  const PortFormat format = network.format(pictures);
  CycleRecords::Parts parts;
  ASSIGN_OR_RETURN(parts.quarters, load_for(context, "telecine/cycle_quarters", format.video));
  ASSIGN_OR_RETURN(parts.record, context.load("telecine/cycle_record"));
  const std::vector<int64_t> thresholds = thresholds_of(options, format.video);
  ASSIGN_OR_RETURN(parts.thresholds, make_constants_of<int64_t>(context, thresholds));
  ASSIGN_OR_RETURN(
      const Port records,
      network.add(std::make_unique<CycleRecords>(format.video, options, std::move(parts)), {pictures}));
  ASSIGN_OR_RETURN(const device::Kernel* choice, context.load("telecine/cycle_choice"));
  ASSIGN_OR_RETURN(const device::Kernel* copy, context.load("telecine/cycle_copy"));
  return network.add(std::make_unique<CycleSelect>(format, options.cycle, choice, copy, run_of(context, 1)),
                     {pictures, records});
}

}  // namespace weft::filters
