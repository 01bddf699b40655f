// SPDX-License-Identifier: Apache-2.0
#include "server/worker/tuning/tune_subjects.h"

#include <algorithm>
#include <memory>
#include <set>
#include <tuple>
#include <utility>

#include <google/protobuf/message.h>
#include <google/protobuf/text_format.h>

#include "options/values.h"
#include "server/filters/filter.h"
#include "server/filters/texture/large_network.h"
#include "server/filters/texture/texture.h"

namespace weft::worker {
namespace {

using graph::PixelType;
using SharedOptions = std::shared_ptr<const google::protobuf::Message>;

// Options that launch kernels outside the cases of the filter, which have no files or other
// options.
constexpr std::pair<std::string_view, std::string_view> kMore[] = {
    {"bloom", ""},
    {"bloom", "method: BLOOM_METHOD_DUAL"},
    {"qtgmc", "preset: QTGMC_PRESET_FAST edi_mode: QTGMC_EDI_BWDIF shutter_blur: 1 shutter_angle_out: 360"},
    {"qtgmc",
     "preset: QTGMC_PRESET_FAST edi_mode: QTGMC_EDI_BWDIF input_type: QTGMC_INPUT_REPAIR prog_sad_mask: 10"},
};
// Factor for the width of images with long rows and the same number of pixels: rows that exceed a
// block's memory use separate kernels.
constexpr int kLongRows = 8;

// Returns the options, or null if the text is not valid.
SharedOptions options_of(const filters::Registration& filter, std::string_view text) {
  const auto* prototype =
      google::protobuf::MessageFactory::generated_factory()->GetPrototype(filter.message());
  std::shared_ptr<google::protobuf::Message> message(prototype->New());
  if (!google::protobuf::TextFormat::ParseFromString(std::string(text), message.get())) return nullptr;
  options::apply_defaults(*message);
  return message;
}

StatusOr<graph::Network> network_of_filter(filters::FilterContext context,
                                           const google::protobuf::Message& options,
                                           const graph::PortFormat& format) {
  graph::Network network;
  const graph::Port source = network.set_source(format);
  const google::protobuf::Message* const chain[] = {&options};
  const filters::OptionFiles files = filters::case_files(context.path, chain);
  context.files = &files;
  RETURN_IF_ERROR(filters::expand_network(context, chain, network, source).status());
  return network;
}

// Returns the cases of a filter and those of kMore.
std::vector<filters::Case> cases_of(const filters::Registration& filter) {
  std::vector<filters::Case> cases(filter.cases.begin(), filter.cases.end());
  for (const auto& [name, options] : kMore)
    if (name == filter.name())
      for (const int bits : {8, 10}) cases.push_back({options, {0, 0, Chroma::k420, bits}});
  return cases;
}

void add_frames(const filters::Registration& filter, TuneSize size, std::vector<TuneSubject>& subjects) {
  std::set<std::tuple<std::string_view, Chroma, int>> seen;
  for (const filters::Case& one : cases_of(filter)) {
    if (!seen.emplace(one.options, one.format.chroma, one.format.bit_depth).second) continue;
    const SharedOptions options = options_of(filter, one.options);
    if (options == nullptr) continue;
    VideoFormat format = one.format;
    format.width = size.width;
    format.height = size.height;
    const auto expand = [options, format](const filters::FilterContext& context) {
      return network_of_filter(context, *options, graph::PortFormat::picture(format));
    };
    const std::string name =
        fmt::format("{} ({}x{}, {} bits)", filter.name(), format.width, format.height, format.bit_depth);
    for (int batch = 1; batch <= size.most_units; batch *= 4) subjects.push_back({name, expand, batch});
  }
}

void add_images(const filters::Registration& filter, TuneSize size, std::vector<TuneSubject>& subjects) {
  std::set<std::string_view> seen;
  for (const filters::Case& one : cases_of(filter)) {
    if (!seen.insert(one.options).second) continue;
    const SharedOptions options = options_of(filter, one.options);
    if (options == nullptr) continue;
    for (const PixelType from : {PixelType::kHalf, PixelType::kFloat})
      for (const PixelType to : {PixelType::kHalf, PixelType::kFloat}) {
        const auto expand = [options, size, from, to](filters::FilterContext context) {
          context.result_pixels = to;
          return network_of_filter(context, *options,
                                   graph::PortFormat::image(size.width, size.height, from));
        };
        subjects.push_back({fmt::format("{} (images of {}x{}, {} to {})", filter.name(), size.width,
                                        size.height, name_of(from), name_of(to)),
                            expand, 1, true});
      }
  }
}

// Adds subjects that double texels, with a neural network and without, and generate the next
// smaller level.
void add_textures(TuneSize size, std::vector<TuneSubject>& subjects) {
  for (const bool is_normal : {false, true})
    for (const bool has_network : {false, true}) {
      const auto expand = [=](const filters::FilterContext& context) -> StatusOr<graph::Network> {
        namespace texture = filters::texture;
        graph::Network network;
        const graph::Port texels = network.set_source(texture::texels_format(size.width, size.height));
        texture::Enlargement enlargement;
        enlargement.is_normal = is_normal;
        enlargement.passes = 2;
        if (has_network) {
          ASSIGN_OR_RETURN(enlargement.network,
                           texture::built_in_large_network(is_normal ? "normal" : "albedo"));
        }
        ASSIGN_OR_RETURN(const graph::Port large, texture::add_enlarger(context, network, texels, size.width,
                                                                        size.height, enlargement));
        ASSIGN_OR_RETURN(const graph::Port level,
                         texture::add_halver(context, network, large, 2 * size.width, 2 * size.height,
                                             is_normal ? LEVEL_MEAN_NORMALS : LEVEL_MEAN_LIGHT));
        RETURN_IF_ERROR(network.set_outputs({level}));
        return network;
      };
      subjects.push_back({fmt::format("textures of {}x{}, {}, {}", size.width, size.height,
                                      is_normal ? "normals" : "colours",
                                      has_network ? "by a network" : "by the filter alone"),
                          expand, 1, true});
    }
}

}  // namespace

std::string TuneSubject::describe() const { return fmt::format("{}, batches of {}", name, batch); }

TuneSize tune_size(const device::DeviceInfo& info) {
  return info.is_software ? TuneSize{352, 288, 1} : TuneSize{1920, 1080};
}

StatusOr<std::vector<TuneSubject>> tune_subjects(const std::vector<std::string>& filters, TuneSize size) {
  std::vector<const filters::Registration*> chosen;
  for (const std::string& name : filters) {
    const filters::Registration* filter = filters::find_filter(name);
    if (filter == nullptr)
      return not_found("There is no filter '{}'; `weft help --filters` lists them.", name);
    chosen.push_back(filter);
  }
  if (filters.empty()) chosen.assign(filters::all_filters().begin(), filters::all_filters().end());
  std::vector<TuneSubject> subjects;
  for (const filters::Registration* filter : chosen) {
    if (filter->range.takes_pictures) add_frames(*filter, size, subjects);
    if (filter->range.takes_images) add_images(*filter, size, subjects);
    if (filter->name() == "bloom")
      add_images(*filter, {kLongRows * size.width, std::max(size.height / kLongRows, 1)}, subjects);
  }
  if (filters.empty()) add_textures(size, subjects);
  return subjects;
}

}  // namespace weft::worker
