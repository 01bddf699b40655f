// SPDX-License-Identifier: Apache-2.0
// Registers convert, which converts the coding of samples.
//
// Sums are of 64-bit integers, so that all devices produce the same result, and a code value is
// rounded once. Upsampled chroma is interpolated linearly between its neighbours. Downsampled
// chroma is the mean of two samples if their middle is the new position, and else the mean around
// it with the weights 1 2 1.
#include "kernels/picture/convert.kernel"

#include <cmath>
#include <map>

#include "server/filters/nodes/layout_node.h"
#include "server/filters/nodes/resize_kernels.h"
#include "server/filters/picture/colour_matrix.h"
#include "weft/v1/convert.pb.h"

namespace weft::filters::registered {
namespace {

using Params = kernels::convert::Params;

struct Coding {
  VideoFormat format;
  VideoColour colour;
};

Coding target_of(const v1::Convert& options, const Coding& source) {
  Coding target = source;
  if (options.has_bits()) target.format.bit_depth = options.bits();
  const std::map<int, Chroma> layouts{{v1::CHROMA_LAYOUT_GRAY, Chroma::kGray},
                                      {v1::CHROMA_LAYOUT_420, Chroma::k420},
                                      {v1::CHROMA_LAYOUT_422, Chroma::k422},
                                      {v1::CHROMA_LAYOUT_444, Chroma::k444}};
  if (const auto layout = layouts.find(options.chroma()); layout != layouts.end())
    target.format.chroma = layout->second;
  const std::map<int, int> matrices{
      {v1::COLOUR_MATRIX_BT601, 6}, {v1::COLOUR_MATRIX_BT709, 1}, {v1::COLOUR_MATRIX_BT2020, 9}};
  if (const auto matrix = matrices.find(options.matrix()); matrix != matrices.end())
    target.colour.matrix = matrix->second;
  if (options.range() != v1::SAMPLE_RANGE_UNSPECIFIED)
    target.colour.is_full_range = options.range() == v1::SAMPLE_RANGE_FULL;
  return target;
}

// The source's chroma samples of each target sample along a side.
struct Axis {
  int taps = 0;
  std::vector<int32_t> entries;  // in the form that the kernel reads
};

// Returns the axis. `step_from` is the number of luma samples per chroma sample of the source, and
// `step_to` per sample of the target.
Axis make_axis(int from, int to, int step_from, int step_to, double siting) {
  const auto offset = [&](int step) { return 0.5 + siting * (step - 1); };
  // In every layout, a target sample covers at most two samples of the source.
  const double down = step_to > step_from ? 2 : 1;
  Axis axis{step_from == step_to ? 1 : std::min(from, 3), {}};
  for (int i = 0; i < to; i++) {
    const double centre =
        // 0 at the first sample of the source
        (step_to * double(i) + offset(step_to) - offset(step_from)) / step_from;
    const bool is_between = centre != std::floor(centre);
    const int begin = step_from == step_to ? i : int(std::ceil(centre)) - 1;
    const int first = std::clamp(begin, 0, from - axis.taps);
    int32_t eighths[3] = {0, 0, 0};
    for (int j = begin; j < begin + 3; j++) {
      double weight = std::max(0.0, 1 - std::abs(j - centre) / down) / down;
      if (down == 2 && is_between) weight = std::abs(j - centre) < 1 ? 0.5 : 0;
      if (weight != 0) eighths[std::clamp(j, 0, from - 1) - first] += int32_t(std::lround(8 * weight));
    }
    axis.entries.insert(axis.entries.end(), {first, eighths[0], eighths[1], eighths[2]});
  }
  return axis;
}

// Returns the table of kernels/picture/convert.kernel: columns and rows of luma, then of chroma.
std::vector<int32_t> axes_of(const Coding& source, const Coding& target, const ChromaOffset& chroma) {
  std::vector<int32_t> table(AXIS_HEAD, 0);
  if (source.format.planes() == 1) return table;
  const int columns = columns_of_chroma(source.format.chroma), rows = rows_of_chroma(source.format.chroma);
  for (int plane = 0; plane < std::min(target.format.planes(), 2); plane++) {
    const int to_columns = plane > 0 ? columns_of_chroma(target.format.chroma) : 1;
    const int to_rows = plane > 0 ? rows_of_chroma(target.format.chroma) : 1;
    for (const bool is_rows : {false, true}) {
      const Axis axis = is_rows ? make_axis(source.format.plane_height(1), target.format.plane_height(plane),
                                            rows, to_rows, chroma.y)
                                : make_axis(source.format.plane_width(1), target.format.plane_width(plane),
                                            columns, to_columns, chroma.x);
      const size_t at = size_t(plane * 4 + (is_rows ? 2 : 0));
      table[at] = axis.taps;
      table[at + 1] = int32_t(table.size());
      table.insert(table.end(), axis.entries.begin(), axis.entries.end());
    }
  }
  return table;
}

int64_t in_units(double value) { return std::llround(std::ldexp(value, CODE_BITS)); }

// Returns the weights of luma's and chroma's code values in each plane of the target.
std::vector<int64_t> numbers_of(const Coding& source, const Coding& target, const MatrixWeights& from,
                                const MatrixWeights& to) {
  const CodeRange in = code_range(source.colour.is_full_range, source.format.bit_depth);
  const CodeRange out = code_range(target.colour.is_full_range, target.format.bit_depth);
  std::vector<int64_t> numbers;
  for (size_t plane = 0; plane < 3; plane++) {
    const double swing = plane == 0 ? out.luma : out.chroma;
    int64_t constant = in_units(plane == 0 ? out.offset : out.middle);
    for (size_t of = 0; of < 3; of++) {
      Triple unit{};
      unit[of] = 1;
      const double part = from == to ? (plane == of ? 1.0 : 0.0) : from_rgb(to, to_rgb(from, unit))[plane];
      // Luma of the source does not contribute to chroma under any matrix, and a gray source has no
      // chroma.
      const bool is_kept = of == 0 && plane > 0;
      const bool is_there = of == 0 || source.format.planes() > 1;
      const double counts = is_kept || !is_there ? 0 : part * swing / (of == 0 ? in.luma : in.chroma);
      const int64_t number = in_units(counts / (of == 0 ? 1 : 64));
      numbers.push_back(number);
      constant -= number * int64_t(of == 0 ? in.offset : in.middle * 64);
    }
    numbers.push_back(constant);
  }
  return numbers;
}

// Adds the thresholds of dithering. When bits are dropped, each position of the pattern has its own
// threshold. In full range, a code value that was converted from fewer bits may differ from the
// target's by half a source code value. Thresholds keep this distance, so that the original code
// value is restored.
void add_dither(const v1::Convert& options, const Coding& source, const Coding& target,
                std::vector<int64_t>& numbers) {
  const int64_t one = int64_t(1) << CODE_BITS;
  const bool drops = target.format.bit_depth < source.format.bit_depth;
  if (!drops || options.dither() != v1::DITHER_ORDERED) {
    numbers.insert(numbers.end(), {one / 2, 0});
    return;
  }
  const bool is_full = source.colour.is_full_range && target.colour.is_full_range;
  const int64_t from = (1 << source.format.bit_depth) - 1, to = (1 << target.format.bit_depth) - 1;
  const int64_t half = is_full ? one / (2 * from) * to : 0;
  const int64_t step = (one - 2 * half) / (DITHER_SIDE * DITHER_SIDE);
  numbers.insert(numbers.end(), {half + step / 2, step});
}

// Returns Bayer's matrix: the bits of x ^ y and y in turn, from the lowest bit on.
std::vector<int32_t> bayer_pattern() {
  std::vector<int32_t> pattern;
  for (int y = 0; y < DITHER_SIDE; y++)
    for (int x = 0; x < DITHER_SIDE; x++) {
      int steps = 0;
      for (int bit = 0; bit < 4; bit++) steps = steps * 4 + ((x ^ y) >> bit & 1) * 2 + (y >> bit & 1);
      pattern.push_back(steps);
    }
  return pattern;
}

struct Tables {
  Constants axes, numbers, pattern;
};

StatusOr<Tables> make_tables(const FilterContext& context, const v1::Convert& options, const Coding& source,
                             const Coding& target, const PictureProperties& properties,
                             const std::array<MatrixWeights, 2>& weights) {
  const ChromaOffset chroma = chroma_offset(v1::CHROMA_POSITION_AUTO, properties.chroma_siting);
  const std::vector<int32_t> axes = axes_of(source, target, chroma), pattern = bayer_pattern();
  std::vector<int64_t> numbers = numbers_of(source, target, weights[0], weights[1]);
  add_dither(options, source, target, numbers);
  Tables tables;
  ASSIGN_OR_RETURN(tables.axes, make_constants_of(context, std::span<const int32_t>(axes)));
  ASSIGN_OR_RETURN(tables.numbers, make_constants_of(context, std::span<const int64_t>(numbers)));
  ASSIGN_OR_RETURN(tables.pattern, make_constants_of(context, std::span<const int32_t>(pattern)));
  return tables;
}

Status check(const FilterContext& context, const Coding& source, const Coding& target, bool is_mixed,
             bool interlaced) {
  const int rows = source.format.planes() > 1 ? rows_of_chroma(source.format.chroma) : 1;
  const bool changes_rows = target.format.planes() > 1 && source.format.planes() > 1 &&
                            rows_of_chroma(target.format.chroma) != rows;
  if (!interlaced || (!changes_rows && (!is_mixed || rows == 1))) return ok_status();
  return context.blame(
      is_mixed ? "matrix" : "chroma",
      invalid_argument(
          "The video is interlaced, and chroma of both fields of its frames would be mixed; deinterlace it "
          "first, such as with bwdif."));
}

StatusOr<Port> expand(const FilterContext& context, const v1::Convert& options, Network& network,
                      Port input) {
  PictureProperties properties = network.properties(input);
  const Coding source{network.format(input).video, properties.colour};
  const Coding target = target_of(options, source);
  std::array<MatrixWeights, 2> weights{};
  if (options.matrix() != v1::COLOUR_MATRIX_UNSPECIFIED) {
    const auto known = matrix_weights(source.colour, source.format.height);
    RETURN_IF_ERROR(context.blame("matrix", known.status()));
    weights = {*known, matrix_weights(target.colour, target.format.height).value()};
  }
  const bool is_mixed = weights[0] != weights[1] && source.format.planes() > 1;
  const bool is_moved = source.format.chroma != target.format.chroma;
  RETURN_IF_ERROR(check(context, source, target, is_mixed, properties.interlaced));
  LayoutNode<Params>::Parts parts;
  parts.descriptor.name = "convert";
  parts.descriptor.cost.operations = 100;
  parts.descriptor.inputs = {Window{}};
  parts.descriptor.outputs = {PortFormat::picture(target.format)};
  ASSIGN_OR_RETURN(const Tables tables, make_tables(context, options, source, target, properties, weights));
  parts.complete = [=](const Step&, Params& params) {
    params.axes = device::at<kernels::convert::Table>(*tables.axes);
    params.pattern = device::at<kernels::convert::Table>(*tables.pattern);
    params.numbers = device::at<kernels::convert::Numbers>(*tables.numbers);
    params.result_samples = int(kSlotUnitBytes) / target.format.sample_bytes();
    params.is_mixed = is_mixed ? 1 : 0;
    params.is_moved = is_moved ? 1 : 0;
    params.maximum = (1 << target.format.bit_depth) - 1;
  };
  const std::string kernel =
      fmt::format("picture/convert.{}.{}", sample_name(source.format), sample_name(target.format));
  ASSIGN_OR_RETURN(const Port result,
                   add_layout_node<Params>(context, network, {input}, kernel, std::move(parts)));
  properties.colour = target.colour;
  network.set_properties(result, properties);
  return result;
}

constexpr Case kCases[] = {
    {"bits: 10", {97, 65, Chroma::k420, 8}},
    {"bits: 8", {64, 48, Chroma::k422, 10}},
    {"bits: 9 dither: DITHER_NONE chroma: CHROMA_LAYOUT_420", {37, 50, Chroma::k444, 16}},
    {"bits: 12 range: SAMPLE_RANGE_FULL chroma: CHROMA_LAYOUT_444", {97, 65, Chroma::k420, 8}},
    {"matrix: COLOUR_MATRIX_BT709", {97, 65, Chroma::k420, 8}},
    {"matrix: COLOUR_MATRIX_BT2020 bits: 10 range: SAMPLE_RANGE_FULL", {64, 48, Chroma::k444, 12}},
    {"chroma: CHROMA_LAYOUT_422", {61, 39, Chroma::k410, 8}},
    {"chroma: CHROMA_LAYOUT_GRAY matrix: COLOUR_MATRIX_BT709", {64, 48, Chroma::k440, 8}},
    {"bits: 16 chroma: CHROMA_LAYOUT_420", {64, 48, Chroma::kGray, 8}},
};

}  // namespace

extern const Registration kConvert;
const Registration kConvert = registration<v1::Convert, expand>({}, kCases);

}  // namespace weft::filters::registered
