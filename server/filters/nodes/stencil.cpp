// SPDX-License-Identifier: Apache-2.0
#include "server/filters/nodes/stencil.h"

#include <algorithm>
#include <cmath>

#include "kernels/picture/stencil.kernel"
#include "server/filters/nodes/node_of.h"

namespace weft::filters {

namespace {

constexpr int kFraction = 14;  // fractional bits of a factor
constexpr int kHalf = 1 << (kFraction - 1);
constexpr int kSharpFraction = 12;
constexpr int kStrongFraction = 8;
constexpr int kLeastInnerRows = 4;
// On a GPU several teams share the memory of a multiprocessor. On a CPU a tile fits into the
// second-level cache.
constexpr Stencil::TileMemory kGpuTileMemory{.bytes = size_t(56) << 10, .rows = 64};
constexpr Stencil::TileMemory kCpuTileMemory{.bytes = size_t(256) << 10, .rows = 128};

Stencil::TileMemory tile_memory_of(const device::Device* device) {
  if (device == nullptr) return kCpuTileMemory;
  if (device->info().kind == device::BackendKind::kCpu) return kCpuTileMemory;
  Stencil::TileMemory tile_memory = kGpuTileMemory;
  tile_memory.bytes = std::min<size_t>(tile_memory.bytes, device->info().shared_memory_bytes);
  return tile_memory;
}

int factor_of(double value) { return int(std::lround(value * (1 << kFraction))); }

}  // namespace

Stencil::Value Stencil::add(Step step) {
  step.result = int(borders_.size());
  step.planes = planes_;
  borders_.push_back(step.border & (BORDER_REPEATS | BORDER_FIELDS));
  steps_.push_back(std::move(step));
  return {steps_.back().result};
}

Stencil::Value Stencil::of(int code, std::vector<int> operands, std::initializer_list<int> numbers) {
  Step step;
  step.code = code;
  step.border = borders_[size_t(operands[0])];
  step.operands = std::move(operands);
  std::ranges::copy(numbers, step.numbers.begin());
  return add(std::move(step));
}

Stencil::Value Stencil::around(int code, std::vector<int> operands, std::pair<int, int> reach,
                               std::initializer_list<int> numbers, bool keeps_border) {
  Step step;
  step.code = code;
  step.border = borders_[size_t(operands[0])] | (keeps_border ? BORDER_KEEPS : 0);
  step.mends = true;
  step.operands = std::move(operands);
  std::tie(step.reach_x, step.reach_y) = reach;
  std::ranges::copy(numbers, step.numbers.begin());
  return add(std::move(step));
}

Stencil::Value Stencil::load(int input, int offset) {
  Step step;
  step.code = STENCIL_LOAD;
  step.border = BORDER_REPEATS;
  step.numbers = {input, offset};
  const Value value = add(std::move(step));
  steps_.back().planes = StencilPlanes::kAll;
  return value;
}

void Stencil::store(Value value) {
  Step step;
  step.code = STENCIL_STORE;
  step.operands = {value.id};
  steps_.push_back(std::move(step));
}

Stencil::Value Stencil::lowest(Value a, int reach, int step) {
  return around(STENCIL_LOWEST, {a.id}, {0, reach * step}, {step, reach});
}
Stencil::Value Stencil::highest(Value a, int reach, int step) {
  return around(STENCIL_HIGHEST, {a.id}, {0, reach * step}, {step, reach});
}
Stencil::Value Stencil::median(Value a, int step) {
  return around(STENCIL_MEDIAN, {a.id}, {0, step}, {step});
}
Stencil::Value Stencil::lowest_in_row(Value a) { return around(STENCIL_LOWEST_X, {a.id}, {1, 0}, {}); }
Stencil::Value Stencil::highest_in_row(Value a) { return around(STENCIL_HIGHEST_X, {a.id}, {1, 0}, {}); }
Stencil::Value Stencil::smooth(Value a) { return around(STENCIL_SMOOTH, {a.id}, {1, 1}, {}, true); }
Stencil::Value Stencil::smooth_column(Value a) { return around(STENCIL_SMOOTH_Y, {a.id}, {0, 1}, {}); }
Stencil::Value Stencil::smooth_row(Value a) { return around(STENCIL_SMOOTH_X, {a.id}, {1, 0}, {}); }
Stencil::Value Stencil::inflate(Value a) { return around(STENCIL_INFLATE, {a.id}, {1, 1}, {}, true); }
Stencil::Value Stencil::deflate(Value a) { return around(STENCIL_DEFLATE, {a.id}, {1, 1}, {}, true); }
Stencil::Value Stencil::ranked(Value a, int n, int step) {
  return around(STENCIL_RANK, {a.id}, {1, step}, {n, step}, true);
}
Stencil::Value Stencil::ranked_by(Value a, Value b, int n, int step) {
  return around(STENCIL_RANK_OF, {a.id, b.id}, {1, step}, {n, step}, true);
}

Stencil::Value Stencil::ranked_by_centred(Value a, Value b, int n) {
  return around(STENCIL_RANK_OF, {a.id, b.id}, {1, 1}, {n, 1, 1}, true);
}

Stencil::Value Stencil::blurred(Value a, double deviation) {
  std::array<double, 5> bell{};
  double all = 0;
  for (int i = 0; i < 5; i++) {
    bell[size_t(i)] = std::exp(-0.5 * i * i / (deviation * deviation));
    all += (i == 0 ? 1 : 2) * bell[size_t(i)];
  }
  std::array<int, 5> taps{};
  for (size_t i = 1; i < 5; i++) taps[i] = factor_of(bell[i] / all);
  taps[0] = (1 << kFraction) - 2 * (taps[1] + taps[2] + taps[3] + taps[4]);
  const std::initializer_list<int> numbers = {taps[0], taps[1], taps[2], taps[3], taps[4]};
  const Value columns = around(STENCIL_COLUMN, {a.id}, {0, MOST_REACH}, numbers);
  return around(STENCIL_ROW, {columns.id}, {MOST_REACH, 0}, numbers);
}

Stencil::Value Stencil::mixed(Value a, double by_a, Value b, double by_b) {
  return of(STENCIL_LINEAR, {a.id, b.id}, {factor_of(by_a), factor_of(by_b), 0, kHalf, kFraction});
}
Stencil::Value Stencil::mixed(Value a, double by_a, Value b, double by_b, Value c, double by_c) {
  return of(STENCIL_LINEAR, {a.id, b.id, c.id},
            {factor_of(by_a), factor_of(by_b), factor_of(by_c), kHalf, kFraction});
}
Stencil::Value Stencil::amplified(Value a, double by) {
  const int factor = int(std::lround(by * (1 << kStrongFraction)));
  return of(STENCIL_LINEAR, {a.id}, {factor, 0, 0, 1 << (kStrongFraction - 1), kStrongFraction});
}
Stencil::Value Stencil::scaled(Value a, double by, double plus, int bit_depth) {
  // Values are relative to the middle code value.
  const double middle = double(1 << (bit_depth - 1));
  const double moved = middle * by + plus * (1 << (bit_depth - 8)) - middle;
  return of(STENCIL_LINEAR, {a.id}, {factor_of(by), 0, 0, factor_of(moved) + kHalf, kFraction});
}
Stencil::Value Stencil::mean(Value a, Value b) { return of(STENCIL_LINEAR, {a.id, b.id}, {1, 1, 0, 1, 1}); }
Stencil::Value Stencil::sharpened(Value a, Value b, double by) {
  const int factor = int(std::lround(by * (1 << kSharpFraction)));
  return of(STENCIL_LINEAR, {a.id, b.id},
            {(1 << kSharpFraction) + factor, -factor, 0, 1 << (kSharpFraction - 1), kSharpFraction});
}
Stencil::Value Stencil::between(Value a, Value b, Value c, int margin) {
  return of(STENCIL_BETWEEN, {a.id, b.id, c.id}, {margin});
}
Stencil::Value Stencil::lower(Value a, Value b) { return of(STENCIL_LOWER, {a.id, b.id}); }
Stencil::Value Stencil::higher(Value a, Value b) { return of(STENCIL_HIGHER, {a.id, b.id}); }
Stencil::Value Stencil::towards(Value a, Value b, int codes) {
  return of(STENCIL_TOWARDS, {a.id, b.id}, {codes});
}
Stencil::Value Stencil::tweaked(Value a, Value b, Value c, int most, int far, int step) {
  return of(STENCIL_TWEAK, {a.id, b.id, c.id}, {most, far, step});
}
Stencil::Value Stencil::binomial(Value own, Value before, Value after, int cut) {
  return of(STENCIL_BINOMIAL, {own.id, before.id, after.id}, {1, cut});
}
Stencil::Value Stencil::binomial(Value own, Value before, Value after, Value before_that, Value after_that,
                                 int cut) {
  return of(STENCIL_BINOMIAL, {own.id, before.id, after.id, before_that.id, after_that.id}, {2, cut});
}

Stencil::Value Stencil::sum(Value a, Value difference) {
  return of(STENCIL_LINEAR, {a.id, difference.id}, {1, 1, 0, 0, 0});
}
Stencil::Value Stencil::difference(Value a, Value b) {
  return of(STENCIL_DIFFER, {a.id, b.id}, {1, -1, 0, 0, 0});
}
Stencil::Value Stencil::scaled_difference(Value a, double by) {
  const int factor = int(std::lround(by * (1 << kSharpFraction)));
  return of(STENCIL_DIFFER, {a.id}, {factor, 0, 0, 1 << (kSharpFraction - 1), kSharpFraction});
}
Stencil::Value Stencil::nearer(Value a, Value b) { return of(STENCIL_NEARER, {a.id, b.id}); }
Stencil::Value Stencil::farther(Value a, Value b) { return of(STENCIL_FARTHER, {a.id, b.id}); }
Stencil::Value Stencil::stronger(Value a, Value b) { return of(STENCIL_STRONGER, {a.id, b.id}); }
Stencil::Value Stencil::grain(Value low, Value high, Value seed) {
  return around(STENCIL_GRAIN, {low.id, high.id, seed.id}, {0, 0}, {});
}
Stencil::Value Stencil::restored(Value a, Value above, Value below) {
  return of(STENCIL_RESTORE, {a.id, above.id, below.id});
}

Stencil::Value Stencil::fields(Value a, Value b) { return around(STENCIL_FIELDS, {a.id, b.id}, {0, 0}, {}); }
Stencil::Value Stencil::cubic(Value a) { return around(STENCIL_CUBIC, {a.id}, {0, 3}, {}); }
Stencil::Value Stencil::in_fields(Value a) {
  const Value copy = around(STENCIL_LOWER, {a.id, a.id}, {0, 0}, {});
  steps_.back().border = borders_.back() = BORDER_FIELDS;
  return copy;
}

std::vector<Window> Stencil::windows(size_t inputs) const {
  std::vector<Window> windows(inputs);
  for (const Step& step : steps_) {
    if (step.code != STENCIL_LOAD) continue;
    Window& window = windows[size_t(step.numbers[0])];
    window.before = std::max(window.before, -step.numbers[1]);
    window.after = std::max(window.after, step.numbers[1]);
  }
  return windows;
}

Stencil::Margins Stencil::margins() const {
  Margins needed{std::vector<int>(borders_.size()), std::vector<int>(borders_.size())};
  for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
    const int columns = step->result < 0 ? 0 : needed.columns[size_t(step->result)];
    const int rows = step->result < 0 ? 0 : needed.rows[size_t(step->result)];
    for (const int operand : step->operands) {
      needed.columns[size_t(operand)] = std::max(needed.columns[size_t(operand)], columns + step->reach_x);
      needed.rows[size_t(operand)] = std::max(needed.rows[size_t(operand)], rows + step->reach_y);
    }
  }
  return needed;
}

// Assigns a slot of the tile memory to each value and stores the number of slots in `count`. The
// slot of a value is reused after the last use of the value.
StatusOr<std::vector<int>> Stencil::tile_slots(int& count) const {
  std::vector<size_t> last_use(borders_.size());
  for (size_t i = 0; i < steps_.size(); i++)
    for (const int operand : steps_[i].operands) last_use[size_t(operand)] = i;
  std::vector<int> tile_slots(borders_.size(), -1), free;
  count = 0;
  for (size_t i = 0; i < steps_.size(); i++) {
    const Step& step = steps_[i];
    std::vector<int> ending;
    for (const int operand : step.operands)
      if (last_use[size_t(operand)] == i &&
          std::ranges::find(ending, tile_slots[size_t(operand)]) == ending.end())
        ending.push_back(tile_slots[size_t(operand)]);
    // A step that reads neighbours does not overwrite its input.
    const bool in_place = step.reach_x == 0 && step.reach_y == 0 && (step.border & BORDER_KEEPS) == 0;
    if (in_place) free.insert(free.end(), ending.begin(), ending.end());
    if (step.result >= 0) {
      if (free.empty()) free.push_back(count++);
      tile_slots[size_t(step.result)] = free.back();
      free.pop_back();
    }
    if (!in_place) free.insert(free.end(), ending.begin(), ending.end());
  }
  if (count > MOST_TILE_VALUES)
    return internal_error("A stencil holds {} values at once (at most {}).", count, MOST_TILE_VALUES);
  return tile_slots;
}

StatusOr<Stencil::Program> Stencil::compile(std::span<const int> centres,
                                            const TileMemory& tile_memory) const {
  int count = 0;
  ASSIGN_OR_RETURN(const std::vector<int> slot, tile_slots(count));
  const Margins needed = margins();
  Program program;
  program.margin_x = std::ranges::max(needed.columns);
  program.margin_y = std::ranges::max(needed.rows);
  const int samples = int(tile_memory.bytes / sizeof(int16_t)) - 2 * TILE_GUARD;
  program.rows = std::min(tile_memory.rows, samples / (count * TILE_COLUMNS));
  if (program.rows - 2 * program.margin_y < kLeastInnerRows || 2 * program.margin_x >= TILE_COLUMNS)
    return internal_error("A stencil's tile of {} rows has a margin of {} rows and {} columns.", program.rows,
                          program.margin_y, program.margin_x);
  const int each = program.rows * TILE_COLUMNS;
  program.team_bytes = size_t(2 * TILE_GUARD + count * each) * sizeof(int16_t);
  const auto begin_of = [&](int value) { return TILE_GUARD + slot[size_t(value)] * each; };
  for (const Step& step : steps_) {
    std::array<int32_t, OPERATION_INTS> words{};
    words[OPERATION_CODE] = step.code;
    if (step.result >= 0) {
      words[OPERATION_RESULT] = begin_of(step.result);
      words[OPERATION_MARGIN] = program.margin_y - needed.rows[size_t(step.result)];
    }
    for (size_t i = 0; i < 5; i++)
      if (!step.operands.empty())
        words[OPERATION_A + i] = begin_of(step.operands[std::min(i, step.operands.size() - 1)]);
    words[OPERATION_BORDER] = step.mends || step.code == STENCIL_LOAD ? step.border : 0;
    std::ranges::copy(step.numbers, words.begin() + OPERATION_NUMBER);
    if (step.code == STENCIL_LOAD)
      words[OPERATION_NUMBER] = centres[size_t(step.numbers[0])] + step.numbers[1];
    words[OPERATION_PLANES] = int(step.planes);
    program.words.insert(program.words.end(), words.begin(), words.end());
    program.operations++;
  }
  return program;
}

namespace {

using StencilParams = kernels::stencil::Params;

struct StencilParts {
  NodeDescriptor descriptor;
  const device::Kernel* kernel = nullptr;
  Stencil::Program program{};
  Constants words{};
  int run = 1;
  int parity = -1;  // indices of the inputs; -1: absent
  int changes = -1;
};

class StencilNode final : public NodeOf<StencilParts> {
 public:
  using NodeOf::NodeOf;

  void enqueue(device::Stream& stream, const weft::graph::Step& step) override {
    const Stencil::Program& program = parts_.program;
    StencilParams params = frame_params<StencilParams>(step, parts_.run);
    params.program = device::at<decltype(StencilParams::program)>(*parts_.words);
    params.operations = program.operations;
    params.rows = program.rows;
    params.margin_x = program.margin_x;
    params.margin_y = program.margin_y;
    params.parity = parts_.parity < 0 ? -1 : step.shape->inputs[size_t(parts_.parity)];
    params.changes = parts_.changes < 0 ? -1 : step.shape->inputs[size_t(parts_.changes)];
    const VideoFormat& format = step.outputs[0]->format.video;
    const auto tiles = [](int side, int inner) { return uint32_t((side + inner - 1) / inner); };
    const uint32_t count = tiles(format.width, TILE_COLUMNS - 2 * program.margin_x) *
                           tiles(format.height, program.rows - 2 * program.margin_y);
    stream.launch(*parts_.kernel, {count * STENCIL_LANES, uint32_t(format.planes()), uint32_t(step.units)},
                  params);
  }
};

}  // namespace

StatusOr<Port> add_stencil(const FilterContext& context, Network& network, std::string_view name,
                           const Stencil& stencil, const StencilPorts& ports) {
  StencilParts parts;
  const PortFormat& format = network.format(ports.pictures[0]);
  parts.descriptor.name = name;
  parts.descriptor.inputs = stencil.windows(ports.pictures.size());
  parts.descriptor.outputs = {ports.result ? PortFormat::picture(*ports.result) : format};
  parts.descriptor.cost.frames_read = 0;
  for (const Window& window : parts.descriptor.inputs)
    parts.descriptor.cost.frames_read += window.before + 1 + window.after;
  std::vector<Port> inputs = ports.pictures;
  if (ports.parity.id >= 0) {
    parts.parity = int(inputs.size());
    inputs.push_back(ports.parity);
    parts.descriptor.inputs.emplace_back();
  }
  if (ports.changes.id >= 0) {
    parts.changes = int(inputs.size());
    inputs.push_back(ports.changes);
    parts.descriptor.inputs.push_back({.before = 2, .after = 0});
  }
  std::vector<std::pair<int, int>> windows;
  for (const Window& window : parts.descriptor.inputs) windows.emplace_back(window.before, window.after);
  ASSIGN_OR_RETURN(parts.program, stencil.compile(RowShape::of(std::array{1}, windows).inputs,
                                                  tile_memory_of(context.device)));
  constexpr double kStepOperations = 60;  // operations per sample, with overheads
  parts.descriptor.cost.operations = kStepOperations * parts.program.operations;
  ASSIGN_OR_RETURN(parts.words, make_constants_of(context, std::span(std::as_const(parts.program.words))));
  if (context.device != nullptr) {
    ASSIGN_OR_RETURN(parts.kernel,
                     context.device->load(fmt::format("picture/stencil.{}", sample_name(format.video)),
                                          parts.program.team_bytes));
  }
  parts.run = run_of(context, 1);  // a team shares a tile
  ASSIGN_OR_RETURN(const std::vector<Port> outputs,
                   network.add_node(std::make_unique<StencilNode>(std::move(parts)), inputs));
  network.set_properties(outputs[0], network.properties(ports.pictures[0]));
  return outputs[0];
}

}  // namespace weft::filters
