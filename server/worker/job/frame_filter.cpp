// SPDX-License-Identifier: Apache-2.0
#include "server/worker/job/frame_filter.h"

#include <utility>

#include "options/option.h"
#include "server/filters/bloom/bloom_check.h"
#include "server/media/image/image.h"
#include "server/worker/job/single_filter.h"

namespace weft::worker {
namespace {

using filters::bloom::GlarePicture;
using filters::bloom::SpectrumCache;

StatusOr<GlarePicture> read_picture(const OpenInput& input) {
  ASSIGN_OR_RETURN(const media::InputFilePtr file, open_input_file(input));
  ASSIGN_OR_RETURN(const media::Image image, media::read_image(*file, {}));
  GlarePicture picture;
  picture.width = image.facts.data.width;
  picture.height = image.facts.data.height;
  picture.rgb.reserve(size_t(image.facts.data.pixels()) * 3);
  for (size_t i = 0; i < image.sample_count(); i++)
    if (i % 4 != 3) picture.rgb.push_back(image.sample(i));
  return picture;
}

}  // namespace

StatusOr<FrameFilter> deinterlacing(const VideoFormat& format, const v1::DeinterlaceOptions& options) {
  const std::string name = filters::filter_name(options.filter());
  const filters::Registration* registration = filters::find_filter(name);
  if (registration == nullptr) return internal_error("There is no filter '{}' in this build of Weft.", name);
  RETURN_IF_ERROR(filters::check_format(registration->descriptor, format));
  FrameFilter filter;
  filter.name = name;
  filter.window = registration->descriptor.window;
  filter.outputs_per_frame = options.rate() == v1::OUTPUT_RATE_FIELD ? 2 : 1;
  filter.cost_key = fmt::format("{} {} {}", name, text_of(format), filter.outputs_per_frame);
  filter.make = [format, options](device::Device& device, SpectrumCache&) {
    return filters::make_deinterlacer(device, format, options);
  };
  return filter;
}

StatusOr<BloomInputs> read_bloom_inputs(const std::vector<OpenInput>& inputs, std::string_view prefix) {
  BloomInputs result;
  for (const auto& [option, place] :
       {std::pair("bloom.kernel", &result.kernel), std::pair("bloom.dirt", &result.dirt)}) {
    const OpenInput* input = find_input(inputs, fmt::format("{}.{}", kFirstFilter, option));
    if (input == nullptr) continue;
    StatusOr<GlarePicture> picture = read_picture(*input);
    if (!picture.ok()) return blame(fmt::format("{}.{}.{}", prefix, kFirstFilter, option), picture.status());
    *place = std::make_shared<GlarePicture>(*std::move(picture));
  }
  return result;
}

Status check_bloom(const v1::BloomOptions& options, const BloomInputs& inputs,
                   const BloomedPictures& pictures, std::string_view prefix) {
  const filters::bloom::BloomFault fault =
      filters::bloom::check_bloom(options, inputs.pictures(), pictures.width, pictures.height);
  if (fault.option.empty()) return blame(pictures.field, fault.why);
  return blame(fmt::format("{}.{}.bloom.{}", prefix, kFirstFilter, fault.option), fault.why);
}

std::string note_of_gray(const v1::BloomOptions& options, const BloomInputs& inputs) {
  if (!filters::bloom::has_coloured_glow(options, inputs.pictures())) return "";
  return "The input is gray and stays so: the colours of the glow are lost. Convert the input to RGB to keep "
         "them, or give --kernel-colour gray, which is faster.";
}

StatusOr<FrameFilter> blooming(const VideoFormat& format, const filters::bloom::VideoColour& colour,
                               const v1::BloomOptions& options, BloomInputs inputs) {
  const filters::FilterDescriptor& descriptor = filters::bloom::kVideoBloom;
  RETURN_IF_ERROR(filters::check_format(descriptor, format));
  RETURN_IF_ERROR(filters::bloom::check_video_colour(colour));
  if (columns_of_chroma(format.chroma) > 2)
    return invalid_argument(
        "Bloom does not take {} pictures; convert the video first, such as with ffmpeg -pix_fmt yuv422p.",
        name_of(format.chroma));
  FrameFilter filter;
  filter.name = descriptor.name;
  filter.window = descriptor.window;
  filter.keeps_fields = true;
  filter.cost_key =
      fmt::format("{} {} {}", filter.name, text_of(format), bloom_cost(options, inputs.pictures()));
  filter.make = [format, colour, options, inputs = std::move(inputs)](device::Device& device,
                                                                      SpectrumCache& spectra) {
    return filters::bloom::make_video_bloom(device, {format, colour}, options, inputs.pictures(), spectra,
                                            filters::bloom::SpectrumIsMade::kByCaller);
  };
  return filter;
}

std::string bloom_cost(const v1::BloomOptions& options, const filters::bloom::BloomPictures& pictures) {
  const std::string method = options::choice_name(options.method());
  if (options.method() == v1::BLOOM_METHOD_DUAL) return fmt::format("{} {:g}", method, options.size());
  const std::string kernel = pictures.kernel != nullptr
                                 ? fmt::format("{}x{}", pictures.kernel->width, pictures.kernel->height)
                                 : options::choice_name(options.glare());
  return fmt::format("{} {:g} {:g} {} {} {}", method, options.size(), options.radius_cut(),
                     options::choice_name(options.padding()), kernel,
                     options::choice_name(options.kernel_colour()));
}

std::string text_of(const VideoFormat& format) {
  return fmt::format("{}x{} {} {} bit", format.width, format.height, name_of(format.chroma),
                     format.bit_depth);
}

}  // namespace weft::worker
