// SPDX-License-Identifier: Apache-2.0
// A filter written as a sequence of small steps from the samples around a sample, which a device
// does in one launch (kernels/picture/stencil.kernel). One launch a step would write and read a plane
// each time: 2 GB of traffic for a picture of 1080 lines by QTGMC, whose stages have sixty steps.
//
//   Stencil stencil;
//   const auto picture = stencil.load(0);
//   stencil.store(stencil.sharpened(picture, stencil.smooth(picture), 0.7));
//   ASSIGN_OR_RETURN(const Port result, add_stencil(context, network, "sharpen", stencil, {.pictures = {input}}));
//
// A step is done in all planes, each by itself. Beyond the picture the nearest sample stands in. Numbers are integers throughout.
#pragma once

#include <array>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

#include "server/filters/nodes/layout_node.h"

namespace weft::filters {

// Planes in which steps are done; in others a step gives its first operand.
enum class StencilPlanes : int { kAll = 7, kLuma = 1, kChroma = 6 };

// Pure data. One thread at a time.
// large class: a function for each instruction
class Stencil {
 public:
  // Of each sample: a code of a picture, or a difference of two.
  struct Value {
    int id = -1;
  };
  // As a device has it.
  struct Program {
    std::vector<int32_t> words;
    int operations = 0;
    int rows = 0;  // of a tile, margins and all
    int margin_x = 0, margin_y = 0;
    size_t team_bytes = 0;
  };

  // For steps that are added from now on.
  void set_planes(StencilPlanes planes) { planes_ = planes; }

  // The picture of an input, `offset` units from the one that is worked on.
  Value load(int input, int offset = 0);
  void store(Value value);

  // Of rows up to `reach` (1 or 2) times `step` rows away.
  Value lowest(Value a, int reach = 1, int step = 1);
  Value highest(Value a, int reach = 1, int step = 1);
  Value median(Value a, int step = 1);  // of three rows
  Value lowest_in_row(Value a);         // of three columns
  Value highest_in_row(Value a);
  // 1 2 1, both ways (the picture's outermost samples stay), along columns or rows.
  Value smooth(Value a);
  Value smooth_column(Value a);
  Value smooth_row(Value a);
  // Not below, or not above, the mean of the eight neighbours. Outermost samples stay.
  Value inflate(Value a);
  Value deflate(Value a);
  // Between the n-th smallest and largest, n from 1 to 4, of the eight neighbours; of the nine samples of `b`. Outermost samples stay.
  Value ranked(Value a, int n, int step = 1);
  Value ranked_by(Value a, Value b, int n, int step = 1);
  // Between the n-th smallest and largest of the eight neighbours of `b`, or the middle sample of `b` where that lies beyond them.
  Value ranked_by_centred(Value a, Value b, int n);
  // A bell of this standard deviation, nine taps each way.
  Value blurred(Value a, double deviation);

  // Codes: a * by_a + b * by_b, and a * by + c (in codes of 8 bits), factors of 14 bits; |by| sum up to less than 4.
  Value mixed(Value a, double by_a, Value b, double by_b);
  Value mixed(Value a, double by_a, Value b, double by_b, Value c, double by_c);
  // How far a code lies from the middle one, so many times: by is at most 100.
  Value amplified(Value a, double by);
  Value scaled(Value a, double by, double plus, int bit_depth);
  Value mean(Value a, Value b);  // halves up
  // a + (a - b) * by, of 12 bits. Of 16 bits the sum has 32: by is at most 7.5, or 7.8 where a quarter of b or more is a.
  Value sharpened(Value a, Value b, double by);
  Value between(Value a, Value b, Value c, int margin = 0);  // within what b and c span, and `margin` codes
  Value lower(Value a, Value b);
  Value higher(Value a, Value b);
  Value towards(Value a, Value b, int codes);  // so many codes in the direction of b
  // b, at most `most` from c, where a lies within `far` of it mixed with a by halves, else a and `step` codes towards it.
  Value tweaked(Value a, Value b, Value c, int most, int far, int step);
  // Of what is before and after, weighted as binomial coefficients; a plane that differs by `cut` a sample or more does not count
  // (StencilPorts::changes).
  Value binomial(Value own, Value before, Value after, int cut);
  Value binomial(Value own, Value before, Value after, Value before_that, Value after_that, int cut);

  Value sum(Value a, Value difference);         // a code
  Value difference(Value a, Value b);           // a - b, at most 16 bits
  Value scaled_difference(Value a, double by);  // of 12 bits; by is at most 7
  Value nearer(Value a, Value b);    // of differences that with the smaller size; none where signs differ
  Value farther(Value a, Value b);   // a where its size is larger than that of b, else none
  Value stronger(Value a, Value b);  // that with the larger size; b where they are as large
  // Between both, as grain falls there: mostly around the middle, by a hash of where the sample lies and of `seed` there.
  Value grain(Value low, Value high, Value seed);
  // A difference as far as `above` has it where it is positive, and `below` where it is negative.
  Value restored(Value a, Value above, Value below);

  // Rows of the field that is kept from a, the other rows from b (StencilPorts::parity).
  Value fields(Value a, Value b);
  // Of the rows one and three away, in fields: what the other field may have there.
  Value cubic(Value a);
  // The same value, for steps of two rows: beyond the picture the nearest row of the same field stands in.
  Value in_fields(Value a);

  // What a team has for a tile: the larger, the less of it is margin.
  struct Room {
    size_t bytes;
    int rows;
  };
  // `centres`: of each input, where a row of the node's table has its own unit.
  // INTERNAL: it takes more than a team's memory.
  StatusOr<Program> compile(std::span<const int> centres, const Room& room) const;
  // What it looks at of each of so many inputs.
  std::vector<Window> windows(size_t inputs) const;

 private:
  struct Step {
    int code = 0;
    int result = -1;  // -1: none
    std::vector<int> operands{};
    std::array<int, 5> numbers{};
    int reach_x = 0, reach_y = 0;
    int border = 0;      // how its value goes on beyond the picture
    bool mends = false;  // it does so only once the border is mended
    StencilPlanes planes = StencilPlanes::kAll;
  };
  struct Margins {
    std::vector<int> columns, rows;  // that are needed of each value
  };

  Value add(Step step);
  Value of(int code, std::vector<int> operands, std::initializer_list<int> numbers = {});
  Value around(int code, std::vector<int> operands, std::pair<int, int> reach,
               std::initializer_list<int> numbers, bool keeps_border = false);
  Margins margins() const;
  StatusOr<std::vector<int>> places(int& count) const;

  std::vector<Step> steps_;
  std::vector<int> borders_;  // of values
  StencilPlanes planes_ = StencilPlanes::kAll;
};

struct StencilPorts {
  std::vector<Port> pictures{};  // of one format
  Port parity{};   // bytes, an int: 0 the top field's rows are kept, 1 the bottom field's, -1 all rows
  Port changes{};  // of the pictures (add_changes)
  std::optional<VideoFormat> result{};  // of what comes out, where it has fewer planes
};

// A node. NOT_FOUND, RESOURCE_EXHAUSTED, INTERNAL: compile()'s.
StatusOr<Port> add_stencil(const FilterContext& context, Network& network, std::string_view name,
                           const Stencil& stencil, const StencilPorts& ports);

// How much each picture differs from the next one and from the `radius`-th (kernels/picture/changes.kernel).
StatusOr<Port> add_changes(const FilterContext& context, Network& network, Port pictures, int radius);

}  // namespace weft::filters
