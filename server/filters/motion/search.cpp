// SPDX-License-Identifier: Apache-2.0
#include "kernels/motion/search.kernel"

#include "server/filters/motion/motion.h"

namespace weft::filters::motion {

namespace {

using SearchParams = kernels::search::Params;

constexpr int64_t kMostBlock = 32;  // samples a side
static_assert(3 * kMostBlock * kMostBlock * UINT16_MAX <= INT32_MAX,
              "A block's sum, of three planes, is an int.");

// How often a level is searched: at first by what the level above says, then by what neighbours have found.
constexpr int kLooks = 2;

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
  }
  const NodeDescriptor& descriptor() const override { return descriptor_; }
  // Of the look before, and of the one at hand.
  size_t scratch_bytes(int units) const override {
    return 2 * size_t(units) * geometry_.vector_bytes(fields_);
  }

  void enqueue(device::Stream& stream, const Step& step) override {
    const int levels = int(geometry_.levels().size());
    int told_level = -1, half = 0;
    for (int level = levels - 1; level >= 0; level--)
      for (int look = 0; look < kLooks; look++) {
        SearchParams params = params_of(step, level, told_level, half);
        params.to_target = level == 0 && look == kLooks - 1 ? 1 : 0;
        const auto& place = geometry_.levels()[size_t(level)];
        stream.launch(*kernel_,
                      {uint32_t(place.blocks() * SEARCH_LANES), uint32_t(fields_), uint32_t(step.units)},
                      params);
        told_level = level;
        half = 1 - half;
      }
  }

 private:
  SearchParams params_of(const Step& step, int level, int told_level, int half) const {
    SearchParams params = {};
    set_place_params(step, 1, format_.sample_bytes(), params);
    params.geometry = device::at<decltype(SearchParams::geometry)>(*words_);
    const size_t half_bytes = size_t(step.units) * geometry_.vector_bytes(fields_);
    params.told = device::at<decltype(SearchParams::told)>(*step.scratch, half == 0 ? half_bytes : 0);
    params.result = device::at<decltype(SearchParams::result)>(*step.scratch, half == 0 ? 0 : half_bytes);
    params.level = level;
    params.told_level = told_level;
    params.told_unit = params.result_unit = int(geometry_.vector_bytes(fields_) / sizeof(int32_t));
    const int pel_log2 = level == 0 ? geometry_.pel_log2() : 0;
    params.lambda = geometry_.for_block(options_.lambda, false) >> (2 * pel_log2);
    params.least_sad = geometry_.for_block(options_.least_sad, false);
    params.new_penalty = options_.new_penalty;
    params.zero_penalty = options_.zero_penalty;
    params.search = search_of(options_.search);
    params.range = level == 0 && options_.pel_range > 0 ? options_.pel_range : options_.range;
    params.chroma = options_.chroma && format_.planes() == 3 ? 1 : 0;
    params.depth_shift = format_.bit_depth - 8;
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

}  // namespace

StatusOr<Port> Motion::add_search(const FilterContext& context, Network& network, Port super,
                                  const SearchOptions& options) const {
  const device::Kernel* kernel = nullptr;
  if (context.device != nullptr) {
    ASSIGN_OR_RETURN(kernel, context.device->load(fmt::format("motion/search.{}", sample_name(format_)),
                                                  TEAM_INTS * sizeof(int32_t)));
  }
  return network.add(std::make_unique<Search>(format_, geometry_, words_, kernel, options), {super});
}

}  // namespace weft::filters::motion
