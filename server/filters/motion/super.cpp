// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "kernels/motion/super_base.kernel"
#include "kernels/motion/super_between.kernel"
#include "kernels/motion/super_halve.kernel"
#include "server/filters/motion/weights.h"

namespace weft::filters::motion {

namespace {

using Base = kernels::super_base::Params;
using Halve = kernels::super_halve::Params;
using Between = kernels::super_between::Params;

// Weights of the middle taps, of the next and of the outermost ones, in 32nds.
constexpr std::array<std::array<int, 3>, 3> kTaps = {{{16, 0, 0}, {18, -2, 0}, {20, -5, 1}}};

class Super final : public Node {
 public:
  struct Kernels {
    const device::Kernel *base, *halve, *between;
  };
  Super(const Geometry& geometry, Constants words, const Kernels& kernels, int run, Taps taps)
      : geometry_(geometry),
        words_(std::move(words)),
        kernels_(kernels),
        run_(run),
        taps_(kTaps[size_t(taps)]) {
    descriptor_.name = "super";
    descriptor_.inputs = {Window()};
    descriptor_.outputs = {PortFormat::data("super", geometry_.super_bytes())};
    descriptor_.cost.frames_written = 1.34 + geometry_.grid().pel * geometry_.grid().pel - 1;
    descriptor_.cost.operations = 180 * descriptor_.cost.frames_written;
  }
  const NodeDescriptor& descriptor() const override { return descriptor_; }

  void enqueue(device::Stream& stream, const Step& step) override {
    auto base = frame_params<Base>(step, run_);
    base.geometry = device::at<decltype(Base::geometry)>(*words_);
    stream.launch(*kernels_.base, grid(step, 0, 1), base);
    for (int level = 1; level < int(geometry_.levels().size()); level++) {
      auto halve = params<Halve>(step);
      halve.level = level;
      stream.launch(*kernels_.halve, grid(step, level, 1), halve);
    }
    if (geometry_.grid().pel == 1) return;
    if (run_ == LANE_SAMPLES) {
      enqueue_between(stream, step, PASS_ALL, 1);
    } else {
      enqueue_between(stream, step, PASS_HALVES, 2);
      enqueue_between(stream, step, PASS_BOTH, 1);
    }
    if (geometry_.grid().pel == 4) enqueue_between(stream, step, PASS_QUARTERS, 12);
  }

 private:
  template <class Params>
  Params params(const Step& step) const {
    Params params = {};
    const VideoFormat& format = step.inputs[0]->format.video;
    set_slot_params(step, run_, format.sample_bytes(), params);
    params.geometry = device::at<decltype(Params::geometry)>(*words_);
    params.planes = format.planes();
    return params;
  }

  void enqueue_between(device::Stream& stream, const Step& step, int pass, int moves) const {
    auto between = params<Between>(step);
    between.pass = pass;
    between.moves = moves;
    between.maximum = (1 << step.inputs[0]->format.video.bit_depth) - 1;
    between.middle_tap = taps_[0];
    between.next_tap = taps_[1];
    between.far_tap = taps_[2];
    stream.launch(*kernels_.between, grid(step, 0, moves), between);
  }

  device::Grid grid(const Step& step, int level, int moves) const {
    const int columns = geometry_.levels()[size_t(level)].planes[0].stride;
    return {uint32_t((columns + run_ - 1) / run_), uint32_t(geometry_.bordered_rows(level, 0)),
            uint32_t(step.units * step.inputs[0]->format.video.planes() * moves)};
  }

  Geometry geometry_;
  Constants words_;
  Kernels kernels_;
  int run_;
  std::array<int, 3> taps_;
  NodeDescriptor descriptor_;
};

}  // namespace

StatusOr<Motion> Motion::of(const FilterContext& context, const VideoFormat& format, const BlockGrid& grid,
                            const GridOptionNames& names) {
  ASSIGN_OR_RETURN(Geometry geometry, Geometry::of(format, grid, names));
  const std::vector<int32_t> words = geometry.words();
  ASSIGN_OR_RETURN(Constants constants, make_constants_of(context, std::span(words)));
  return Motion(format, std::move(geometry), std::move(constants));
}

StatusOr<Port> Motion::add_super(const FilterContext& context, Network& network, Port pictures,
                                 Taps taps) const {
  Super::Kernels kernels{};
  ASSIGN_OR_RETURN(kernels.base, load_for(context, "motion/super_base", format_));
  ASSIGN_OR_RETURN(kernels.halve, load_for(context, "motion/super_halve", format_));
  ASSIGN_OR_RETURN(kernels.between, load_for(context, "motion/super_between", format_));
  return network.add(std::make_unique<Super>(geometry_, words_, kernels, samples_of_lane(context), taps),
                     {pictures});
}

}  // namespace weft::filters::motion
