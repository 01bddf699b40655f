// SPDX-License-Identifier: Apache-2.0
#include "kernels/motion/search.kernel"

#include "server/filters/motion/motion.h"

namespace weft::filters::motion {

namespace {

using SearchParams = kernels::search::Params;

constexpr int64_t kMostBlock = 32;  // samples per side
static_assert(3 * kMostBlock * kMostBlock * UINT16_MAX <= INT32_MAX,
              "A block's sum, of three planes, is an int.");

// Number of passes over a level: the first starts from the vectors of the coarser level, the second
// from the results of the neighbours.
constexpr int kPasses = 2;

int search_of(v1::MotionSearch search) {
  switch (search) {
    case v1::MOTION_SEARCH_SQUARE:
      return SEARCH_SQUARE;
    case v1::MOTION_SEARCH_UNEVEN:
      return SEARCH_UNEVEN;
    case v1::MOTION_SEARCH_EXHAUSTIVE:
      return SEARCH_EXHAUSTIVE;
    default:
      return SEARCH_HEXAGON;
  }
}

// Returns the parameters common to the launches of both nodes.
SearchParams params_of(const Step& step, const VideoFormat& format, const Geometry& geometry,
                       const Constants& words, const SearchOptions& options, int fields) {
  SearchParams params = {};
  set_slot_params(step, 1, format.sample_bytes(), params);
  params.geometry = device::at<decltype(SearchParams::geometry)>(*words);
  params.result_unit = int(geometry.vector_bytes(fields) / sizeof(int32_t));
  params.least_sad = geometry.for_block(options.least_sad, false);
  params.new_penalty = options.new_penalty;
  params.zero_penalty = options.zero_penalty;
  params.chroma = options.chroma && format.planes() == 3 ? 1 : 0;
  params.depth_shift = format.bit_depth - 8;
  return params;
}

// operations per sample of the pyramid, for each searched field
constexpr double kFieldOperations = 480;

device::Grid grid_of(const PyramidLevel& level, int fields, const Step& step) {
  return {uint32_t(level.blocks() * SEARCH_LANES), uint32_t(fields), uint32_t(step.units)};
}

class Search final : public Node {
 public:
  Search(const VideoFormat& format, const Geometry& geometry, Constants words, const device::Kernel* kernel,
         const SearchOptions& options)
      : format_(format),
        geometry_(geometry),
        words_(std::move(words)),
        kernel_(kernel),
        options_(options),
        fields_(2 * options.radius) {
    descriptor_.name = "motion_search";
    descriptor_.inputs = {Window{options.radius, options.radius}};
    descriptor_.outputs = {PortFormat::data("vectors", geometry_.vector_bytes(fields_))};
    descriptor_.cost.frames_read = 1 + fields_;
    descriptor_.cost.frames_written = 0;
    descriptor_.cost.operations = kFieldOperations * fields_;
  }
  const NodeDescriptor& descriptor() const override { return descriptor_; }
  // Contains the results of the previous pass and of the current one.
  size_t scratch_bytes(int units) const override {
    return 2 * size_t(units) * geometry_.vector_bytes(fields_);
  }

  void enqueue(device::Stream& stream, const Step& step) override {
    const int levels = int(geometry_.levels().size());
    int predictor_level = NO_PREDICTORS, half = 0;
    for (int level = levels - 1; level >= 0; level--)
      for (int pass = 0; pass < kPasses; pass++) {
        SearchParams params = params_of_level(step, level, predictor_level, half);
        params.to_target = level == 0 && pass == kPasses - 1 ? 1 : 0;
        stream.launch(*kernel_, grid_of(geometry_.levels()[size_t(level)], fields_, step), params);
        predictor_level = level;
        half = 1 - half;
      }
  }

 private:
  SearchParams params_of_level(const Step& step, int level, int predictor_level, int half) const {
    SearchParams params = params_of(step, format_, geometry_, words_, options_, fields_);
    const size_t half_bytes = size_t(step.units) * geometry_.vector_bytes(fields_);
    params.predictor =
        device::at<decltype(SearchParams::predictor)>(*step.scratch, half == 0 ? half_bytes : 0);
    params.result = device::at<decltype(SearchParams::result)>(*step.scratch, half == 0 ? 0 : half_bytes);
    params.level = level;
    params.predictor_level = predictor_level;
    params.predictor_unit = params.result_unit;
    params.lambda = level == 0 ? geometry_.for_block(options_.lambda, false) >> (2 * geometry_.pel_log2())
                               : geometry_.for_block(
                                     int64_t{options_.lambda} << (options_.lambda_scaling * level), false);
    params.search = search_of(options_.search);
    params.range = level == 0 && options_.pel_range > 0 ? options_.pel_range : options_.range;
    return params;
  }

  VideoFormat format_;
  Geometry geometry_;
  Constants words_;
  const device::Kernel* kernel_;
  SearchOptions options_;
  int fields_;
  NodeDescriptor descriptor_;
};

// Refines vectors. Its inputs are the pyramids and the vectors of larger blocks.
class Refine final : public Node {
 public:
  Refine(const VideoFormat& format, const Geometry& geometry, Constants words, const device::Kernel* kernel,
         const RefineOptions& options)
      : format_(format),
        geometry_(geometry),
        words_(std::move(words)),
        kernel_(kernel),
        options_(options),
        fields_(2 * options.search.radius) {
    descriptor_.name = "motion_refine";
    descriptor_.inputs = {Window{options.search.radius, options.search.radius}, Window()};
    descriptor_.outputs = {PortFormat::data("vectors", geometry_.vector_bytes(fields_))};
    descriptor_.cost.frames_read = 1 + fields_;
    descriptor_.cost.frames_written = 0;
    descriptor_.cost.operations = kFieldOperations * fields_ / 4;
  }
  const NodeDescriptor& descriptor() const override { return descriptor_; }

  void enqueue(device::Stream& stream, const Step& step) override {
    SearchParams params = params_of(step, format_, geometry_, words_, options_.search, fields_);
    params.predictor = params.geometry;  // unused: the second input contains the predictors
    params.result = params.geometry;     // unused: the result is the output unit
    params.predictor_level = LARGER_BLOCKS;
    params.predictor_unit = step.shape->inputs[1];
    params.to_target = 1;
    params.lambda = geometry_.for_block(options_.search.lambda, false) >> (2 * geometry_.pel_log2());
    params.search = search_of(options_.search.search);
    params.range = options_.search.range;
    params.good_sad = geometry_.for_block(options_.good_sad, params.chroma == 1);
    stream.launch(*kernel_, grid_of(geometry_.levels()[0], fields_, step), params);
  }

 private:
  VideoFormat format_;
  Geometry geometry_;
  Constants words_;
  const device::Kernel* kernel_;
  RefineOptions options_;
  int fields_;
  NodeDescriptor descriptor_;
};

StatusOr<const device::Kernel*> load_search(const FilterContext& context, const VideoFormat& format) {
  static const device::Kernel* const none = nullptr;
  if (context.device == nullptr) return none;
  return context.device->load(fmt::format("motion/search.{}", sample_name(format)),
                              TEAM_INTS * sizeof(int32_t));
}

}  // namespace

StatusOr<Port> Motion::add_search(const FilterContext& context, Network& network, Port super,
                                  const SearchOptions& options) const {
  ASSIGN_OR_RETURN(const device::Kernel* kernel, load_search(context, format_));
  return network.add(std::make_unique<Search>(format_, geometry_, words_, kernel, options), {super});
}

StatusOr<Port> Motion::add_refined(const FilterContext& context, Network& network, Port super, Port vectors,
                                   const Motion& larger, const RefineOptions& options) const {
  ASSIGN_OR_RETURN(const device::Kernel* kernel, load_search(context, format_));
  std::vector<int32_t> words = geometry_.words();
  const Geometry& predictor = larger.geometry();
  words[GEOMETRY_PREDICTOR_BLOCK] = predictor.grid().block;
  words[GEOMETRY_PREDICTOR_STEP] = predictor.grid().step();
  words[GEOMETRY_PREDICTOR_BLOCKS_X] = predictor.levels()[0].blocks_x;
  words[GEOMETRY_PREDICTOR_BLOCKS_Y] = predictor.levels()[0].blocks_y;
  ASSIGN_OR_RETURN(Constants constants, make_constants_of(context, std::span<const int32_t>(words)));
  return network.add(std::make_unique<Refine>(format_, geometry_, std::move(constants), kernel, options),
                     {super, vectors});
}

}  // namespace weft::filters::motion
