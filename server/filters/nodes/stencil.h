// SPDX-License-Identifier: Apache-2.0
// Describes a filter as a sequence of small steps on a sample's neighbourhood, executed in one
// launch (kernels/picture/stencil.kernel). One launch per step would write and read a plane each
// time: 2 GB of traffic for a picture of 1080 lines by QTGMC, with sixty steps in its stages.
//
//   Stencil stencil;
//   const auto picture = stencil.load(0);
//   stencil.store(stencil.sharpened(picture, stencil.smooth(picture), 0.7));
//   ASSIGN_OR_RETURN(const Port result,
//                    add_stencil(context, network, "sharpen", stencil, {.pictures = {input}}));
//
// A step processes each plane independently. Beyond the picture the nearest sample is used. All
// numbers are integers.
#pragma once

#include <array>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

#include "server/filters/nodes/layout_node.h"

namespace weft::filters {

// Planes processed by a step. In other planes the result of the step is its first operand.
enum class StencilPlanes : int { kAll = 7, kLuma = 1, kChroma = 6 };

// Holds the steps as plain data. Not thread-safe.
// large class: a function for each instruction
class Stencil {
 public:
  // A value for each sample: a code value, or the difference of two code values.
  struct Value {
    int id = -1;
  };
  // The steps in the form that the kernel executes.
  struct Program {
    std::vector<int32_t> words;
    int operations = 0;
    int rows = 0;  // rows of a tile, margins included
    int margin_x = 0, margin_y = 0;
    size_t team_bytes = 0;
  };

  // Sets the planes of the steps that are added after this call.
  void set_planes(StencilPlanes planes) { planes_ = planes; }

  // Returns the picture of an input, `offset` units from the current unit.
  Value load(int input, int offset = 0);
  void store(Value value);

  // Return the minimum or maximum of the sample and of the rows at distances up to `reach` (1 or 2)
  // in steps of `step` rows.
  Value lowest(Value a, int reach = 1, int step = 1);
  Value highest(Value a, int reach = 1, int step = 1);
  Value median(Value a, int step = 1);  // median of three rows
  Value lowest_in_row(Value a);         // minimum of three columns
  Value highest_in_row(Value a);
  // Apply the weights 1 2 1 in both directions, along columns, or along rows. smooth() leaves the
  // picture's outermost samples unchanged.
  Value smooth(Value a);
  Value smooth_column(Value a);
  Value smooth_row(Value a);
  // Raise (inflate) or lower (deflate) a sample to the mean of its eight neighbours if the mean is
  // larger or smaller. The outermost samples are unchanged.
  Value inflate(Value a);
  Value deflate(Value a);
  // Clamp `a` between the n-th smallest and the n-th largest sample, n from 1 to 4: ranked() of the
  // eight neighbours of `a`, ranked_by() of the nine samples of `b` around it. The outermost
  // samples are unchanged.
  Value ranked(Value a, int n, int step = 1);
  Value ranked_by(Value a, Value b, int n, int step = 1);
  // Clamps `a` between the n-th smallest and the n-th largest of the eight neighbours of `b`. The
  // range is extended to the middle sample of `b` if that sample lies outside.
  Value ranked_by_centred(Value a, Value b, int n);
  // Applies a Gaussian of this standard deviation, in samples, with nine taps in each direction.
  Value blurred(Value a, double deviation);

  // Return a * by_a + b * by_b, and with a third value + c * by_c, as code values. Factors are
  // rounded to 14 fractional bits; the sum of their absolute values is less than 4.
  Value mixed(Value a, double by_a, Value b, double by_b);
  Value mixed(Value a, double by_a, Value b, double by_b, Value c, double by_c);
  // Amplifies the distance of a code value from the middle code value; `by` is at most 100.
  Value amplified(Value a, double by);
  // Returns a * by + plus as a code value, with `plus` in 8-bit code values.
  Value scaled(Value a, double by, double plus, int bit_depth);
  Value mean(Value a, Value b);  // mean, with halves rounded up
  // Returns a + (a - b) * by, with `by` rounded to 12 fractional bits. With 16-bit samples the sum
  // has 32 bits: `by` is at most 7.5, or 7.8 if `a` contributes at least a quarter of `b`.
  Value sharpened(Value a, Value b, double by);
  // Clamps `a` to the range between `b` and `c`, extended by `margin` code values on both sides.
  Value between(Value a, Value b, Value c, int margin = 0);
  Value lower(Value a, Value b);
  Value higher(Value a, Value b);
  Value towards(Value a, Value b, int codes);  // `a`, moved by `codes` code values towards `b`
  // Clamps `b` to within `most` of `c`. Returns 0.51 of `a` plus 0.49 of the clamped value if they
  // differ by at most `far`, else `a` moved by `step` code values towards the clamped value.
  Value tweaked(Value a, Value b, Value c, int most, int far, int step);
  // Return the weighted mean with the pictures before and after, with binomial coefficients. A
  // plane that differs by `cut` per sample or more is replaced by `own` (StencilPorts::changes).
  Value binomial(Value own, Value before, Value after, int cut);
  Value binomial(Value own, Value before, Value after, Value before_that, Value after_that, int cut);

  Value sum(Value a, Value difference);         // a + difference, as a code value
  Value difference(Value a, Value b);           // a - b, clamped to 16 bits
  Value scaled_difference(Value a, double by);  // `by` has 12 fractional bits and is at most 7
  // Returns the difference with the smaller magnitude, or 0 if the signs differ.
  Value nearer(Value a, Value b);
  Value farther(Value a, Value b);   // `a` if its magnitude is larger than that of `b`, else 0
  Value stronger(Value a, Value b);  // the one with the larger magnitude; `b` if equal
  // Returns a value between `low` and `high` with the distribution of film grain, mostly near the
  // middle. A hash of the sample's position, its plane and its value in `seed` selects the value.
  Value grain(Value low, Value high, Value seed);
  // Returns `above` where `a` is positive and `below` where `a` is negative. A result with the
  // opposite sign of `a` becomes 0.
  Value restored(Value a, Value above, Value below);

  // Returns the rows of the kept field from `a` and the other rows from `b` (StencilPorts::parity).
  Value fields(Value a, Value b);
  // Interpolates each row by a cubic function of the rows one and three rows away: an estimate of
  // the row from the other field.
  Value cubic(Value a);
  // Returns the same value for steps that read every second row: beyond the picture the nearest row
  // of the same field is used.
  Value in_fields(Value a);

  // The memory of a team for a tile. A larger tile has a smaller share of margins.
  struct TileMemory {
    size_t bytes;
    int rows;
  };
  // Encodes the steps. `centres` contains, for each input, the column of its current unit in a row
  // of the node's table. INTERNAL: the stencil needs more memory than a team has.
  StatusOr<Program> compile(std::span<const int> centres, const TileMemory& tile_memory) const;
  // Returns the window on each of `inputs` inputs.
  std::vector<Window> windows(size_t inputs) const;

 private:
  struct Step {
    int code = 0;
    int result = -1;  // -1: the step has no result
    std::vector<int> operands{};
    std::array<int, 5> numbers{};
    int reach_x = 0, reach_y = 0;
    int border = 0;      // BORDER_ flags: how the result extends beyond the picture
    bool mends = false;  // true: the kernel rewrites the border after the step
    StencilPlanes planes = StencilPlanes::kAll;
  };
  struct Margins {
    std::vector<int> columns, rows;  // margin of each value, in samples
  };

  Value add(Step step);
  Value of(int code, std::vector<int> operands, std::initializer_list<int> numbers = {});
  Value around(int code, std::vector<int> operands, std::pair<int, int> reach,
               std::initializer_list<int> numbers, bool keeps_border = false);
  Margins margins() const;
  StatusOr<std::vector<int>> tile_slots(int& count) const;

  std::vector<Step> steps_;
  std::vector<int> borders_;  // BORDER_ flags of each value
  StencilPlanes planes_ = StencilPlanes::kAll;
};

struct StencilPorts {
  std::vector<Port> pictures{};  // pictures of one format
  // Bytes that contain an int: 0 if the rows of the top field are kept, 1 for those of the bottom
  // field, -1 for all rows.
  Port parity{};
  Port changes{};                       // changes of the pictures (add_changes)
  std::optional<VideoFormat> result{};  // format of the output if it has fewer planes
};

// Adds a node that executes the stencil. NOT_FOUND, RESOURCE_EXHAUSTED: the kernel or the memory is
// missing. INTERNAL: as for compile().
StatusOr<Port> add_stencil(const FilterContext& context, Network& network, std::string_view name,
                           const Stencil& stencil, const StencilPorts& ports);

// Measures the difference of each picture from the next one and, with `radius` 2, from the one
// after the next (kernels/picture/changes.kernel).
StatusOr<Port> add_changes(const FilterContext& context, Network& network, Port pictures, int radius);

}  // namespace weft::filters
